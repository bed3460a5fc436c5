"""`splitwise-plan sweep`: a map of designs at one rate, or designs over rates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.sampling import resumable, resume_problems, workers
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.errors import Problem

if TYPE_CHECKING:
    from splitwise_plan.facts.design import Design, FamilySpace
    from splitwise_plan.scenario.scenario import Scenario

app = typer.Typer(
    help="Many designs at one rate, or some designs over rates.", no_args_is_help=True
)

DEFAULT_FAMILY = "splitwise-hh"
MOST_RATES = 1000

RATES = Flag(
    "rates",
    "LO:HI:STEP|R,R",
    "Requests per second to look at, e.g. 50:150:10 or 60,70,80.",
    panel=f.LOAD,
)
DESIGNS = Flag(
    "designs",
    "P+T,P+T",
    "Prompt + token machines, e.g. 27+3,25+5; of other families splitwise-ha:20+9.",
    panel=f.DESIGN,
)
_DESIGN = re.compile(r"(?:(?P<family>.+):)?(?P<prompt>\d+)(?:\+(?P<token>\d+))?", re.ASCII)


def map_(flags: Flags) -> int:
    """Judge every design of a family at one rate: where the SLOs are met, and the best of it.

    Without anything it draws the paper's map: Splitwise-HH, code completion at 70 requests/s.
    """
    watch = Stopwatch()
    given = question.overrides(flags)
    given |= {key: flags[key] for key in ("minimize", *question.COUNTS)}
    given["families"] = _one_family(flags)
    to = output.Output.of(flags)
    scenario = question.load(flags, given, lambda loaded: _map_problems(flags, loaded))
    watch.lap("load_s")

    watch.compile(scenario, quiet=to.quiet)
    from splitwise_plan.planner.sweep import sweep_map

    with resumable(flags, scenario, to.out, "map") as journal:
        with shown_progress(quiet=to.quiet) as progress, workers(flags, to.jobs) as jobs:
            result = sweep_map(scenario, scenario.spaces[0], jobs, progress, journal)
        watch.lap("sweep_s")

        from splitwise_plan.questions.sweep.map_report import report

        to.write(report(scenario, result, watch.timing, files=to.out is not None))
    return _code(cell.verdict for cell in result.cells)


def load(flags: Flags) -> int:
    """Simulate designs at several rates: latencies, and up to which rate the SLOs are met."""
    watch = Stopwatch()
    given = question.overrides(flags)
    rates = _rates(flags)
    sizes = _sizes(flags)
    given["families"] = list(dict.fromkeys(family for family, *_ in sizes)) or None
    to = output.Output.of(flags)
    scenario = question.load(
        flags, given, lambda loaded: [*_design_problems(loaded, sizes), *resume_problems(flags)]
    )
    designs = [_design(scenario, *size) for size in sizes]
    watch.lap("load_s")

    watch.compile(scenario, quiet=to.quiet)
    from splitwise_plan.planner.sweep import sweep_load

    with resumable(flags, scenario, to.out, "load") as journal:
        with shown_progress(quiet=to.quiet) as progress, workers(flags, to.jobs) as jobs:
            result = sweep_load(scenario, designs, rates, jobs, progress, journal)
        watch.lap("sweep_s")

        from splitwise_plan.questions.sweep.load_report import report

        to.write(report(scenario, result, watch.timing, files=to.out is not None))
    return _code(point.verdict for point in result.points)


def _code(verdicts: Iterable[str]) -> int:
    """What a sweep means for a script: whether the SLOs are met anywhere."""
    found = set(verdicts)
    if "meets" in found:
        return exits.OK
    return exits.UNDECIDED if "undecided" in found else exits.NONE_MEETS


def _one_family(flags: Flags) -> list[str] | None:
    families = flags.listed("family")
    if families and len(families) > 1:
        flags.refuse("family", f"{len(families)} families are given", "a map is of one family")
    if families is None and flags["scenario"] is None:
        return [DEFAULT_FAMILY]
    return families


def _map_problems(flags: Flags, scenario: Scenario) -> list[Problem]:
    problems = question.one_family_problems(flags, scenario)
    if scenario.maximize is not None:
        what = "is missing: the scenario searches for the rate"
        problems.append(Problem("--rate", what, "a map is at one rate: drop maximize, give one"))
    return [*problems, *resume_problems(flags)]


def _rates(flags: Flags) -> list[float]:
    """The rates as typed: a list, or a range whose end is included."""
    text: str | None = flags["rates"]
    if text is None:
        flags.refuse("rates", "is missing", "e.g. --rates 50:150:10")
        return []
    try:
        if ":" in text:
            low, high, step = map(float, text.split(":"))
            number = int((high - low) / step + 1e-9) + 1 if step > 0 else 0
            found = [round(low + at * step, 9) for at in range(min(number, MOST_RATES + 1))]
        else:
            found = [float(part) for part in text.split(",")]
    except (ValueError, OverflowError):
        flags.refuse("rates", f"{text[:60]!r} is not a range of rates", "e.g. 50:150:10, or 60,70")
        return []
    if not found or not all(0 < rate < float("inf") for rate in found):
        flags.refuse("rates", f"{text[:60]!r} holds no rate, or one that is not above 0",
                     "LO:HI:STEP upwards, e.g. 50:150:10")  # fmt: skip
    elif len(found) > MOST_RATES:
        flags.refuse("rates", f"more than {MOST_RATES:,} rates", "take a larger step")
    return list(dict.fromkeys(found))


Size = tuple[str, int, int | None]
"""Family, prompt machines, and token machines where they are given."""


def _sizes(flags: Flags) -> list[Size]:
    families = flags.listed("family")
    if families and len(families) > 1:
        fix = "name it with the design, e.g. splitwise-ha:20+9"
        flags.refuse("family", f"{len(families)} families are given", fix)
    default = families[0] if families else DEFAULT_FAMILY
    if flags["designs"] is None:
        flags.refuse("designs", "is missing", "e.g. --designs 27+3,25+5")
        return []
    sizes: list[Size] = []
    for part in str(flags["designs"]).split(","):
        found = _DESIGN.fullmatch(part.strip())
        if found is None:
            flags.refuse("designs", f"{part[:60]!r} is not a design", "e.g. 27+3, or 58")
            continue
        token = int(found["token"]) if found["token"] else None
        sizes.append((found["family"] or default, int(found["prompt"]), token))
    return list(dict.fromkeys(sizes))


def _design_problems(scenario: Scenario, sizes: list[Size]) -> list[Problem]:
    problems = []
    for family, prompt, token in sizes:
        space = _space(scenario, family)
        if space is None:
            known = ", ".join(space.family.id for space in scenario.spaces)
            what = f"{family} has several variants in this scenario"
            problems.append(Problem("--designs", what, f"choose of {known}"))
            continue
        shared = space.family.has_one_pool
        told = f"{prompt}" if token is None else f"{prompt}+{token}"
        if shared != (token is None):
            pools, use = ("one pool", "58") if shared else ("two pools", "27+3")
            problems.append(Problem("--designs", f"{told}: {family} has {pools}", f"e.g. {use}"))
        elif prompt < 1 or token == 0:
            problems.append(
                Problem("--designs", f"{told} has a pool without machines", "at least 1")
            )
    return problems


def _space(scenario: Scenario, family: str) -> FamilySpace | None:
    from splitwise_plan.facts.family_names import FamilyName

    name = str(FamilyName.parse(family))
    return next((space for space in scenario.spaces if space.family.id == name), None)


def _design(scenario: Scenario, family: str, prompt: int, token: int | None) -> Design:
    from splitwise_plan.facts.design import Design

    space = _space(scenario, family)
    if space is None:
        raise LookupError(family)
    return Design(space.family, prompt, token or 0)


_OUTPUT = (f.RESUME, f.DASK, *f.ENDING)
MAP = Command(
    "map",
    map_,
    (
        *f.QUESTION,
        *(f.FAMILY, f.PROMPT_RANGE, f.TOKEN_RANGE, f.MACHINE_RANGE, f.MINIMIZE),
        *_OUTPUT,
    ),
    "splitwise-plan sweep map --rate 8 --prompt-machines 1:6 --token-machines 1:4",
)
LOAD = Command(
    "load",
    load,
    (*(flag for flag in f.QUESTION if flag is not f.RATE), RATES, f.FAMILY, DESIGNS, *_OUTPUT),
    "splitwise-plan sweep load --family splitwise-hh --designs 4+1,5+1 --rates 5:15:5",
)
COMMANDS = (MAP, LOAD)
for command in COMMANDS:
    command.add_to(app)
