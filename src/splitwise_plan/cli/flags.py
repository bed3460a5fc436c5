"""Every flag of the commands that ask about a scenario."""

from __future__ import annotations

from splitwise_plan.cli.options import Flag

LOAD, MODEL, DESIGN, OUTPUT = "Load", "Model", "Design", "Output"
FORMATS = ("table", "json", "csv", "markdown")

SCENARIO = Flag("scenario", "SCENARIO.toml", "A scenario file; flags override it.", positional=True)

WORKLOAD = Flag(
    "workload",
    "ID",
    "Request lengths (default: coding); see `catalog list workloads`.",
    panel=LOAD,
    values=("workloads",),
)
TRACE = Flag(
    "trace",
    "FILE",
    "Requests of your own, replayed at their own times unless --rate is given.",
    panel=LOAD,
)
TRACE_WINDOW = Flag("trace_window", "WINDOW", "A part of the trace: 'busiest 10 min'.", panel=LOAD)
TRACE_SPEED = Flag("trace_speed", "X", "Replay the trace X times as fast.", panel=LOAD)
RATE = Flag(
    "rate", "RPS", "Requests per second (default: 70), drawn as a Poisson process.", panel=LOAD
)
DURATION = Flag(
    "duration",
    "SECONDS",
    "How long requests arrive in a window (default: 120); in steady state the least measured.",
    panel=LOAD,
)
HORIZON = Flag(
    "horizon",
    "steady|window",
    "Percentiles of a service that goes on for ever, or of a window begun empty (default: as the "
    "assumptions say).",
    panel=LOAD,
)
SEED = Flag("seed", "N", "Seed of arrivals and lengths (default: 0).", panel=LOAD)
SEEDS = Flag("seeds", "N", "Repetitions, each with other requests.", panel=LOAD)

LLM = Flag(
    "llm",
    "ID",
    "The model (default: bloom-176b); see `catalog list llms`.",
    panel=MODEL,
    values=("llms",),
)
TENSOR_PARALLEL = Flag(
    "tensor_parallel",
    "N[,N]",
    "GPUs of one instance of the LLM (default: 8); several: all are tried.",
    panel=MODEL,
)
KV_TRANSFER = Flag(
    "kv_transfer",
    "HOW",
    "How KV caches move between machines: auto, serialized or layerwise (default: as the "
    "assumptions say).",
    panel=MODEL,
    words=("auto", "serialized", "layerwise"),
)
ASSUMPTIONS = Flag(
    "assumptions",
    "ID",
    "measured (default): plan with it; splitwisesim: as in the paper.",
    panel=MODEL,
    values=("assumptions",),
)
SLO = Flag(
    "slo",
    "ID|FILE.toml",
    "Service-level objectives (default: the nine of the paper).",
    panel=MODEL,
    values=("slos",),
)
HARDWARE = Flag(
    "hardware",
    "DIR",
    "A folder of your facts: each comes before ours of the same id. May be repeated.",
    kind=list[str] | None,
    panel=MODEL,
)

PRICE = "Prices"
PRICES = Flag(
    "prices",
    "ID|FILE.toml",
    "What machines cost (default: their own files).",
    panel=PRICE,
    values=("prices",),
)
REGION = Flag("region", "NAME", "Region of the price file, if it has several.", panel=PRICE)
TERM = Flag(
    "term",
    "HOW",
    "How machines are rented: on-demand, reserved or spot.",
    panel=PRICE,
    words=("on-demand", "reserved", "spot"),
)
MISSING_PROFILES = Flag(
    "missing_profiles",
    "refuse|estimate",
    "Machines that nobody measured: refuse them, or estimate their times.",
    panel=MODEL,
)

FAMILY = Flag(
    "family",
    "ID",
    "Machine types of the pools, e.g. splitwise-hh.",
    kind=list[str] | None,
    panel=DESIGN,
    values=("families",),
)
FAMILIES = Flag(
    "families",
    "ID,ID",
    "Families (default: all). Also machines, dgx-a100+dgx-h100; variants, splitwise-hh@85%:tp4.",
    panel=DESIGN,
    values=("families",),
)
POWER_CAPS = Flag(
    "power_caps",
    "SHARE,SHARE",
    "Power caps of the token machines to try, e.g. 0.7,0.85,1.",
    panel=DESIGN,
)
PROMPT_MACHINES = Flag("prompt_machines", "N", "Machines of the prompt pool.", panel=DESIGN)
TOKEN_MACHINES = Flag("token_machines", "N", "Machines of the token pool.", panel=DESIGN)
MACHINES = Flag("machines", "N", "Machines of a baseline, which has one pool.", panel=DESIGN)

GOAL = "Goal"
MINIMIZE = Flag(
    "minimize",
    "WHAT",
    "The best design has least of it: cost (default), power or machines.",
    panel=GOAL,
    words=("cost", "power", "machines"),
)
MAXIMIZE = Flag(
    "maximize",
    "WHAT",
    "throughput: the largest rate within a budget; throughput_per_cost: for batch work, most "
    "requests per dollar, no SLOs.",
    panel=GOAL,
    words=("throughput", "throughput_per_cost"),
)
POWER_BUDGET = Flag(
    "power_budget", "BUDGET", "Provisioned power: '400 kW', or '40xdgx-h100'.", panel=GOAL
)
COST_BUDGET = Flag("cost_budget", "BUDGET", "Cost: '1500 USD/h', or '40xdgx-h100'.", panel=GOAL)

RATE_STEP = Flag("rate_step", "RPS", "Rates searched are multiples of it (default 1).", panel=GOAL)

SPARE = Flag("spare", "K", "Still meet the SLOs with any K machines gone (default: 0).", panel=GOAL)
SPARE_OF = Flag("spare_of", "any|prompt|token", "The pool they are of (default: any).", panel=GOAL)
DEGRADED_SLO = Flag(
    "degraded_slo",
    "ID|FILE.toml",
    "SLOs that must hold with machines gone (default: the same).",
    panel=GOAL,
    values=("slos",),
)

SEARCHING = "Search"
METHOD = Flag(
    "method",
    "METHOD",
    "auto proves the answer, exhaustive the best of each family too; optuna samples (auto: "
    "a space that is too large).",
    panel=SEARCHING,
    words=("auto", "exhaustive", "optuna"),
)
TRIALS = Flag("trials", "N", "Designs that Optuna proposes (default 240).", panel=SEARCHING)
STUDY = Flag(
    "study",
    "FILE|URL",
    "Keep what Optuna's search simulates here, and go on from what is there.",
    panel=SEARCHING,
)
RESUME = Flag(
    "resume",
    "",
    "Go on from an interrupted run of the same question, kept in --out DIR or a study.",
    kind=bool,
    default=False,
    panel=SEARCHING,
)
DASK = Flag("dask", "ADDRESS", "Simulate on the workers of this Dask scheduler.", panel=SEARCHING)

PROMPT_RANGE = Flag(
    "prompt_machines", "N|LO:HI", "Prompt pools to look at (default: the family's).", panel=DESIGN
)
TOKEN_RANGE = Flag(
    "token_machines", "N|LO:HI", "Token pools to look at (default: the family's).", panel=DESIGN
)
MACHINE_RANGE = Flag(
    "machines", "N|LO:HI", "Baseline sizes to look at (default: the family's).", panel=DESIGN
)

FORMAT = Flag(
    "format",
    "FORMAT",
    "How results are told on stdout: table, json, csv or markdown.",
    kind=str,
    default="table",
    panel=OUTPUT,
    words=FORMATS,
)
OUT = Flag(
    "out", "DIR", "Folder for the results, the report and the resolved scenario.", panel=OUTPUT
)
REQUESTS_OUT = Flag(
    "requests_out", "FILE.csv", "One row a request, of the first repetition.", panel=OUTPUT
)
SAVE_PLAN = Flag(
    "save_plan",
    "FILE.toml",
    "Keep the answer as a plan, for `splitwise-plan check`.",
    panel=OUTPUT,
)
JUNIT = Flag("junit", "FILE.xml", "The checks as JUnit XML.", panel=OUTPUT)
JOBS = Flag("jobs", "N", "Cores to use (default: all). Changes no answer.", panel=OUTPUT)
STOP = Flag(
    "stop_when_missed",
    "",
    "End the run as soon as an SLO is proven missed.",
    kind=bool,
    default=False,
    panel=OUTPUT,
)
QUIET = Flag("quiet", "", "Nothing on stderr but errors.", kind=bool, default=False, panel=OUTPUT)
DEBUG = Flag("debug", "", "Show where a crash happened.", kind=bool, default=False, panel=OUTPUT)

SPACE = (FAMILIES, FAMILY, POWER_CAPS, PROMPT_RANGE, TOKEN_RANGE, MACHINE_RANGE)
"""Which designs are looked at: what `question.of_space` reads."""
ENDING = (FORMAT, OUT, JOBS, QUIET, DEBUG)
"""What every command that simulates ends its flags with."""
QUESTION = (
    SCENARIO,
    *(WORKLOAD, TRACE, TRACE_WINDOW, TRACE_SPEED, RATE, DURATION, HORIZON, SEED, SEEDS),
    *(LLM, TENSOR_PARALLEL, ASSUMPTIONS, KV_TRANSFER, SLO, HARDWARE, MISSING_PROFILES),
    *(PRICES, REGION, TERM),
)
"""What `question.overrides` reads."""
