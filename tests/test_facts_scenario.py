"""Scenarios: defaults, flags over files, relations, and files that give themselves again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference import ROOT

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import CountRange
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.loads.schema import LoadKeys
from splitwise_plan.scenario.sampling import requests_for
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.scenario.schema import ScenarioFile

TRACE = "arrival_s,prompt_tokens,output_tokens\n0,100,5\n1.5,200,6\n3,300,7\n"

EVERYTHING = """
rate = { value = 120, unit = "requests/min" }
duration = { value = 2, unit = "h" }
arrivals = "gamma"
burstiness = 4
workload = "conversation"
llm = "llama2-70b"
tensor_parallel = 4
assumptions = "splitwisesim"
minimize = "power"
seed = 7
seeds = 1
families = ["splitwise-ha", "baseline-a100"]
prompt_machines = 3
token_machines = "2:9"
[ranges.baseline-a100]
machines = "5"
[scheduler]
max_passes = 9
mixing_factor = 1.25
token_end = "pending_tokens"
"""


def load(tmp_path: Path, text: str, **overrides: Any) -> Scenario:
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    return load_scenario(Catalog(), path, overrides)


def told(tmp_path: Path, text: str, **overrides: Any) -> str:
    with pytest.raises(InputError) as caught:
        load(tmp_path, text, **overrides)
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_without_a_file_it_is_the_papers_question() -> None:
    scenario = load_scenario(Catalog())
    assert scenario.workload is not None
    assert scenario.workload.id == "coding"
    assert (scenario.llm.id, scenario.tensor_parallel) == ("bloom-176b", 8)
    assert (scenario.arrivals.rate_rps, scenario.arrivals.duration_s) == (70.0, 120.0)
    assert (scenario.minimize, scenario.assumptions.id) == ("cost", "measured")
    assert [space.family.id for space in scenario.spaces] == Catalog().list("families")
    assert set(scenario.profiles) == {(f"dgx-{name}", 8) for name in ("a100", "h100", "h100-cap70")}
    assert scenario.reference_machine.id == "dgx-a100"


def test_the_example_is_the_papers_question() -> None:
    path = ROOT / "examples" / "coding-70rps" / "scenario.toml"
    assert load_scenario(Catalog(), path).resolved_toml == load_scenario(Catalog()).resolved_toml


@pytest.mark.parametrize(
    "text",
    [
        "rate = 70\n",
        EVERYTHING,
        "trace = 'tr\"ace.csv'\n",
        "trace = 'tr\"ace.csv'\nduration = 2\n",
        "trace = 'tr\"ace.csv'\nrate = 3\n",
        "trace = 'tr\"ace.csv'\ntrace_window = 'busiest 0.03 min'\ntrace_speed = 3\n",
        "trace = 'tr\"ace.csv'\ntrace_window = 'busiest 2 s'\ntrace_speed = 3\nduration = 0.4\n",
        "trace = 'tr\"ace.csv'\ntrace_window = 'busiest 2 s'\nrate = 3\n",
        "rate = 3\narrivals = 'mmpp'\n",
        "rate = 3\narrivals = 'mmpp'\nmmpp = {ratio = 3, share = 0.3, length = '1'}".replace(
            "'1'", "{value = 1, unit = 'min'}"
        ),
        "rate = 3\narrivals = 'diurnal'\ndiurnal = {amplitude = 0.1, period = 60}\n",
        "rate = 3\narrivals = 'spike'\nduration = 60\nspike = {start = 0.1, length = 7}\n",
        "arrivals = 'piecewise'\npiecewise = [{lasts = 7, rate = 0.3}, {lasts = 3, rate = 11.1}]\n",
        "rate = 7\narrivals = 'piecewise'\n[[piecewise]]\nlasts = 7\nrate = 3\n",
        "maximize = 'throughput'\ncost_budget = '1500.5 USD/h'\n",
        "maximize = 'throughput'\npower_budget = '40xdgx-h100'\nassumptions = 'splitwisesim'\n",
        "rate = 1\nslo = 'slo.toml'\nhardware = 'facts'\n",
    ],
)
def test_the_resolved_scenario_gives_itself_again_anywhere(tmp_path: Path, text: str) -> None:
    (tmp_path / 'tr"ace.csv').write_text(TRACE, encoding="utf-8")
    (tmp_path / "slo.toml").write_text("[ttft]\np50 = 2\n", encoding="utf-8")
    (tmp_path / "facts" / "slos").mkdir(parents=True)
    (tmp_path / "facts" / "slos" / "own.toml").write_text("[e2e]\np50 = 2\n", encoding="utf-8")
    first = load(tmp_path, text)
    elsewhere = tmp_path / "out"
    elsewhere.mkdir()
    again = load(elsewhere, first.resolved_toml)
    for name in Scenario.__slots__:
        if name not in ("workload", "trace", "profiles", "asked_horizon"):
            assert getattr(first, name) == getattr(again, name), name
    assert again.horizon == first.horizon
    assert np.array_equal(requests_or_none(first), requests_or_none(again))
    assert again.resolved_toml == first.resolved_toml


def requests_or_none(scenario: Scenario) -> Any:
    return [] if scenario.arrivals.rate_rps is None else requests_for(scenario, 0).prompt_tokens


def test_flags_override_the_file(tmp_path: Path) -> None:
    text = (
        "rate = 5\nseed = 1\n[ranges.splitwise-hh]\nprompt_machines = '1:9'\ntoken_machines = 4\n"
    )
    scenario = load(tmp_path, text, rate=9, seed=None, family="splitwise-hh", prompt_machines="27")
    assert scenario.arrivals.rate_rps == 9
    assert scenario.seed == 1
    (space,) = scenario.spaces
    assert (space.prompt_machines, space.token_machines) == (CountRange(27, 27), CountRange(4, 4))


def test_a_trace_flag_replays_it_whatever_the_file_says(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text(TRACE, encoding="utf-8")
    text = "workload = 'coding'\nrate = 70\nduration = 600\narrivals = 'gamma'\nburstiness = 2\n"
    replayed = load(tmp_path, text, trace=str(trace))
    assert (replayed.workload, replayed.arrivals.process) == (None, "trace")
    assert requests_for(replayed, 5).arrival_s.tolist() == [0, 1.5, 3]
    resampled = load(tmp_path, text, trace=str(trace), rate=50)
    assert resampled.arrivals.process == "poisson"
    assert set(requests_for(resampled, 0).prompt_tokens) == {100, 200, 300}


def test_a_replayed_trace_is_cut_at_the_duration(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TRACE, encoding="utf-8")
    scenario = load(tmp_path, "trace = 't.csv'\nduration = 2\n")
    assert requests_for(scenario, 0).arrival_s.tolist() == [0, 1.5]
    assert scenario.arrivals.duration_s == 2
    (tmp_path / "late.csv").write_text(TRACE.replace("\n0,", "\n1,"), encoding="utf-8")
    assert "no request" in told(tmp_path, "trace = 'late.csv'\nduration = 0.5\n")


def test_a_trace_is_replayed_faster_and_its_busiest_window_alone(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TRACE + "3.5,400,8\n9,1,1\n", encoding="utf-8")
    faster = load(tmp_path, "trace = 't.csv'\ntrace_speed = 2\n")
    assert requests_for(faster, 0).arrival_s.tolist() == [0, 0.75, 1.5, 1.75, 4.5]
    assert faster.arrivals.duration_s == 4.5
    busiest = load(tmp_path, "trace = 't.csv'\ntrace_window = 'busiest 2.5 s'\n")
    assert requests_for(busiest, 0).arrival_s.tolist() == [0, 1.5, 2.0]
    assert requests_for(busiest, 0).prompt_tokens.tolist() == [200, 300, 400]
    assert busiest.arrivals.duration_s == 2.5
    both = load(tmp_path, "trace = 't.csv'\ntrace_window = 'busiest 2.5 s'\ntrace_speed = 2\n")
    assert requests_for(both, 0).arrival_s.tolist() == [0, 0.75, 1.0]
    drawn = load(tmp_path, "trace = 't.csv'\ntrace_window = 'busiest 2.5 s'\nrate = 50\n")
    assert set(requests_for(drawn, 0).prompt_tokens) == {200, 300, 400}
    told_ = told(tmp_path, "trace = 't.csv'\ntrace_window = 'busiest 10 s'\n")
    assert "s.toml:2: a window of 10 s is longer than the trace, 9 s" in told_


def test_a_trace_flag_drops_the_window_of_the_files_trace(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TRACE, encoding="utf-8")
    text = "trace = 'no.csv'\ntrace_window = 'busiest 2 s'\ntrace_speed = 2\n"
    replayed = load(tmp_path, text, trace=str(tmp_path / "t.csv"))
    assert (replayed.arrivals.speed, replayed.arrivals.window_s) == (1.0, None)
    assert load(tmp_path, text, workload="coding", rate=3).workload is not None


def test_budgets_count_as_the_assumptions_do(tmp_path: Path) -> None:
    text = "maximize = 'throughput'\npower_budget = '40xdgx-h100'\n"
    assert load(tmp_path, text).power_budget == 40 * 10200
    assert load(tmp_path, text, assumptions="splitwisesim").power_budget == 40 * 44
    cost = load(tmp_path, "maximize = 'throughput'\ncost_budget = '2 x dgx-a100'\n")
    assert cost.cost_budget_usd_per_hour == 35.2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "s.toml: rate is missing"),
        ("rate = 1\nfamilies = []", "s.toml:2: families is empty (name at least one, e.g. sp"),
        ("rate = 1\nfamilies = ['']", "s.toml:2: families holds an empty name (name at least"),
        ("rate = 1\nhardware = ''", "s.toml:2: hardware holds an empty name (name a folder of"),
        ("rate = 1\nllm = ''", "s.toml:2: llm is empty (e.g. bloom-176b)"),
        ("trace = ''", "s.toml:1: trace is empty (name a file, e.g. requests.csv)"),
        ("rate = 0", "s.toml:1: rate must be above 0 and at most 1,000,000, not 0"),
        ("rate = -3.5", "s.toml:1: rate must be above 0"),
        ("rate = nan", "s.toml:1: rate.value must be a finite number, not nan"),
        ("rate = inf", "must be a finite number"),
        ("rate = true", "s.toml:1: rate must be a number, or"),
        ("rate = '70'", "s.toml:1: rate must be a number, or"),
        ("rate = {value = 7, unit = 'W'}", "rate unit 'W' is not one of rate; use 'rps'"),
        ("rate = 70\nduration = 2e7", "s.toml:2: duration must be above 0 and at most 10,000,000"),
        ("rate = 1e6\nduration = 1e4", "s.toml:2: rate x duration is 1e+10 requests"),
        ("rate = 1e-3\nduration = 1", "must be 1 to 10,000,000"),
        ("rate = 70\nseeds = 0", "s.toml:2: seeds must be greater than or equal to 1, not 0"),
        ("rate = 70\nseed = 1.0", "s.toml:2: seed must be a whole number, not 1.0"),
        ("rate = 70\nseed = true", "s.toml:2: seed must be a whole number"),
        ("rat = 70", "unknown key rat (did you mean 'rate'?"),
        ("rate = 70\n[[loads]]\nrate = 3", "loads (only `robust` and `day` read it)"),
        ("rate = 70\nworkload = 'codin'", "s.toml:2: unknown workload 'codin' (did you mean"),
        ("rate = 70\nmachines = '0:5'", "must begin at 1: no pool works with 0 machines"),
        ("rate = 70\nmachines = 0", "must begin at 1: no pool works with 0 machines"),
        ("rate = 70\nmachines = '5:2'", "the smaller count first"),
        ("rate = 70\nmachines = '1:10001'", "must be a count such as 27"),
        ("rate = 70\nmachines = '-3'", "must be a count such as 27"),
        ("rate = 70\nmachines = true", "must be a count such as 27"),
        ("rate = 70\nfamilies = []", "s.toml:2: families"),
        ("rate = 70\nfamilies = ['splitwise-hh', 'splitwise-hh']", "is listed twice"),
        ("rate = 70\n[ranges.splitwise-h]\n", "s.toml:2: ranges of unknown family 'splitwise-h'"),
        ("rate = 70\n[ranges.splitwise-hh]\nmachines = 3", "s.toml:3: splitwise-hh has two pools"),
        ("rate = 70\n[ranges.baseline-a100]\ntoken_machines = 3", "baseline-a100 has one pool"),
        ("rate = 70\nfamilies = 'splitwise-hh'\nmachines = 3", "s.toml:3: machines has no effect"),
        (
            "rate = 70\ntensor_parallel = 3",
            "does not divide the 8 GPUs of dgx-a100 (use 1, 2, 4, 8)",
        ),
        (
            "rate = 70\ntensor_parallel = 4",
            "s.toml:2: bloom-176b on dgx-a100 has no profile at 4 GPUs",
        ),
        (
            "rate = 70\ntensor_parallel = 2",
            "the weights of bloom-176b (306 GiB) do not fit into 2 GPUs",
        ),
        ("rate = 70\nburstiness = 2", "s.toml:2: burstiness needs arrivals = 'gamma'"),
        ("rate = 70\ntrace_speed = 2", "s.toml:2: trace_speed needs a trace"),
        ("rate = 70\ntrace_window = 'busiest 1 s'", "s.toml:2: trace_window needs a trace"),
        ("trace = 't.csv'\nrate = 7\ntrace_speed = 2", "s.toml:3: trace_speed has no effect"),
        ("trace = 't.csv'\ntrace_speed = 0", "trace_speed must be at least 0.001"),
        ("trace = 't.csv'\ntrace_window = 'first 1 s'", "must be such as 'busiest 10 min'"),
        ("trace = 't.csv'\ntrace_window = 'busiest 0 s'", "must be such as 'busiest 10 min'"),
        ("trace = 't.csv'\ntrace_window = 5", "must be such as 'busiest 10 min'"),
        ("trace = 't.csv'\ntrace_window = 'busiest 1 kW'", "must be such as 'busiest 10 min'"),
        (
            "rate = 70\nspike = { start = 1, length = 1 }",
            "s.toml:2: spike needs arrivals = 'spike'",
        ),
        ("rate = 200\narrivals = 'diurnal'", "s.toml:1: rate x duration is 1.728e+07"),
        ("rate = 70\narrivals = 'mmpp'\n[mmpp]\nratoi = 3", "s.toml:4: unknown key mmpp.ratoi"),
        ("rate = 70\nslo = 'no.toml'", "s.toml:2: no.toml: no such file"),
        ("rate = 70\nhardware = 'nowhere'", "s.toml:2: nowhere: no such folder"),
        ("rate = 70\ntrace = 'no.csv'", "s.toml:2: no.csv: no such file"),
        ("rate = 70\ntrace = '.'", "is a folder"),
        ("trace = 't.csv'\nworkload = 'coding'", "workload and trace are both given"),
        ("trace = 't.csv'\narrivals = 'poisson'", "s.toml:2: arrivals = 'poisson' needs a rate"),
        ("maximize = 'throughput'", "maximize needs a budget"),
        ("rate = 70\ncost_budget = '1 USD/h'", "cost_budget needs maximize"),
        (
            "maximize = 'throughput'\ncost_budget = '5 kW'",
            "s.toml:2: unit 'kW' is not one of price",
        ),
        ("maximize = 'throughput'\ncost_budget = 5", "must be a number with its unit"),
        ("maximize = 'throughput'\npower_budget = '40xdgx'", "s.toml:2: unknown machine 'dgx'"),
        ("rate = ", "s.toml:1: not TOML: Invalid value"),
        ("rate = 70\nrate = 71", "s.toml:2: not TOML"),
        (
            "[scheduler]\nmax_pases = 1",
            "unknown key scheduler.max_pases (did you mean 'max_passes'",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "t.csv").write_text(TRACE, encoding="utf-8")
    assert expected in told(tmp_path, text)


def test_flags_are_told_by_their_name(tmp_path: Path) -> None:
    text = told(tmp_path, "rate = 70\n", rate=-1, prompt_machines="a", family="splitwise-h")
    for line in ("--rate: rate must be", "--prompt-machines: prompt_machines must", "--family: "):
        assert line in text


def test_everything_is_told_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    text = told(
        tmp_path,
        "workload = 'x'\nrate = 0\nllm = 'y'\nminimize = 'z'\nfamilies = ['v']\nslo = 'w'\n",
    )
    assert [line.split(": ")[0] for line in text.splitlines()] == [
        f"s.toml:{n}" for n in range(1, 7)
    ]


def test_requests_that_never_fit_are_counted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TRACE + "4,90000,10\n5,100000,10\n", encoding="utf-8")
    text = told(tmp_path, "trace = 't.csv'\nfamilies = 'baseline-a100'\n")
    assert "s.toml:1: 2 of 5 requests never fit into 8 GPUs of dgx-a100" in text
    assert "room for 89,234 tokens, the largest has 100,000 + 10" in text


def test_a_broken_trace_is_told_in_the_trace(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TRACE + "2,1,1\n", encoding="utf-8")
    assert told(tmp_path, "trace = 't.csv'\n").startswith("t.csv:5: arrival_s 2 is earlier")


def test_keys_of_several_loads_are_known_to_be_elsewhere() -> None:
    assert set(ScenarioFile.elsewhere) == set(LoadKeys.model_fields)
