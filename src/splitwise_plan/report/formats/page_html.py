"""The web page of a search: the answer, why it holds, the figures, and where it all comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from splitwise_plan.planner.outcome import Details
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.formats import html
from splitwise_plan.report.numbers import kilowatts, significant, usd
from splitwise_plan.report.page import Sheet, Statement
from splitwise_plan.report.provenance import file_words, provenance, slo_name
from splitwise_plan.scenario.scenario import Scenario

GLOSSARY = (
    ("SLO", "Service-level objective: a limit that a percentile of a latency must not exceed."),
    ("TTFT", "Time to first token: from a request's arrival until its first output token."),
    ("TBT", "Time between tokens: the average gap between a request's output tokens."),
    ("E2E", "End to end: from a request's arrival until its last output token."),
    ("P50, P90, P99", "The value that 50, 90 or 99 % of the requests do not exceed."),
    ("Slowdown, 1.21x", "A latency divided by that of the same request alone on the SLO's "
     "reference machine."),
    ("Prompt phase", "Reads the whole prompt at once and makes the first token; bound by compute."),
    ("Token phase", "Makes the further tokens one by one; bound by memory and its bandwidth."),
    ("24P + 4T", "24 machines in the prompt pool and 4 in the token pool. A baseline has one "
     "pool, in which every machine serves both phases."),
    ("KV cache", "What a request keeps in memory for its token phase; it moves from the prompt "
     "to the token machine."),
    ("Undecided", "The interval of an SLO still holds its limit after the last repetition."),
)  # fmt: skip


def page(title: str, scenario: Scenario, parts: Sequence[str], figures: Sequence[Figure]) -> str:
    """A document with the sections that every page ends with."""
    body = [*parts, _provenance(scenario), _glossary()]
    name = f"{title}: {wording.load(scenario, duration=False)}"
    return html.document(name, body, drawn=bool(figures))


def header(told: Statement, badge: str, top: Sequence[Statement], below: str = "") -> str:
    """The answer in a sentence, what was asked, and what it rests on."""
    first, *more = told.lines
    lines = "".join(html.tag("p", html.text(line), "verdict") for line in more)
    kicker = html.tag("p", "splitwise-plan · capacity plan of an LLM service", "kicker")
    mark = html.tag("span", html.text(badge), f"badge {told.tone}")
    head = html.tag("h1", html.text(first))
    return html.tag("header", kicker + mark + head + lines + below + html.facts(top))


def tiles(details: Details) -> str:
    """The numbers of a design that are asked for first."""
    evaluation, design = details.evaluation, details.evaluation.design
    tight, energy = wording.tightest(evaluation), details.energy
    found = [
        (f"{usd(design.cost_usd_per_hour)}/h", "cost"),
        (f"{kilowatts(design.provisioned_power_w)} kW", "provisioned power"),
        (f"{design.machines:,}", f"machines: {design.label}"),
        (f"{significant(details.throughput_rps)} /s", "requests finished"),
        (f"{kilowatts(energy.average_power_w)} kW",
         f"drawn on average, {significant(energy.wh_per_request)} Wh a request"),
    ]  # fmt: skip
    if tight is not None:
        spare = "to spare" if estimates.is_spare(tight) else "beyond the limit"
        told = f"{spare} at {wording.target_name(tight.target)}: {estimates.text(tight)}"
        found.append((estimates.room(tight), told))
    boxes = [
        html.tag("div", html.tag("b", html.text(value)) + html.tag("span", html.text(name)), "tile")
        for value, name in found
    ]
    return html.tag("div", "".join(boxes), "tiles")


def sheet_section(title: str, name: str, *sheets: Sheet) -> str:
    """A section of tables."""
    return html.section(title, *map(html.sheet, sheets), name=name)


def _provenance(scenario: Scenario) -> str:
    known = provenance(scenario)
    arrivals = scenario.arrivals
    rows: list[tuple[str, Any]] = [
        ("splitwise-plan", known["version"]),
        ("Python, NumPy, Numba", ", ".join(known[key] for key in ("python", "numpy", "numba"))),
        ("arrivals", f"{arrivals.process}, {arrivals.duration_s:,g} s"),
        ("seed", scenario.seed),
        ("repetitions", f"{scenario.seeds}, up to {scenario.max_seeds} where it is close"),
        ("SLOs", slo_name(scenario)),
        ("warm-up", f"{scenario.warm_up_s:g} s at least"),
        ("percentiles of", ", ".join(wording.horizon(scenario)) or "the trace"),
    ]
    assumptions = scenario.assumptions
    chosen = [
        (_words(one.name), _words(getattr(assumptions, one.name)))
        for one in fields(assumptions)
        if one.name != "id" and not one.name.startswith("_")
    ]
    ordered = sorted(scenario.sources, key=lambda source: not source.own)
    files = [
        (("yours: " if source.own else "") + file_words(source), source.sha256)
        for source in ordered
    ]
    files.append(("the resolved scenario, below", known["scenario_sha256"]))
    return html.section(
        "Where the numbers come from",
        html.columns(
            html.tag("h3", "Run") + html.pairs(rows),
            html.tag("h3", f"Assumptions: {html.text(assumptions.id)}") + html.pairs(chosen),
        ),
        "<h3>Files read, with their sha256</h3>",
        html.pairs(files, "pairs files"),
        "<details><summary>The scenario, every choice spelled out</summary>",
        html.tag("pre", html.text(scenario.portable_toml)),
        "</details>",
        name="provenance",
    )


def _words(value: object) -> str:
    """Names and values of code, as words."""
    known = {"None": "as the links", "True": "yes", "False": "no"}
    told = known.get(str(value), str(value)).replace("_", " ")
    return " ".join(word.upper() if word in ("kv", "tbt") else word for word in told.split())


def _glossary() -> str:
    return html.section("Words", html.facts(Statement(word, (told,)) for word, told in GLOSSARY),
                        name="words")  # fmt: skip
