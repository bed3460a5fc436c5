"""The report of a map: every design of a family at one rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.outcome import Evaluation
from splitwise_plan.planner.sweep import OBJECTIVES, MapCell, MapResult
from splitwise_plan.report import wording
from splitwise_plan.report.figures.design_map import map_figure
from splitwise_plan.report.folder import Drawn, in_folder
from splitwise_plan.report.formats import csvfmt, html, jsonfmt, page_html
from splitwise_plan.report.formats.csvfmt import target_column
from splitwise_plan.report.numbers import count
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report
from splitwise_plan.scenario.scenario import Scenario

SCHEMA = "splitwise-plan/sweep/1"
WIDEST = 60
"""Token machines in one block of the grid: more go into further blocks below."""
BEST, TIE, MEETS, MISSES, UNDECIDED, NEAR = "@", "o", "#", ".", "?", "-"
NEARLY = 1.25
LEGEND = (
    f"{BEST} best   {TIE} as good   {MEETS} meets all SLOs   {UNDECIDED} undecided",
    f"{NEAR} misses by up to 25 %   {MISSES} misses by more",
)

ACROSS = "down: prompt machines, across: token machines"


def report(
    scenario: Scenario, result: MapResult, timing: Mapping[str, float], *, files: bool = False
) -> Report:
    """The report of a map; `files`: with those of a folder of results, figures among them."""
    grid = tuple(_grids(scenario, result))
    top = (
        Statement("Question", (f"which {result.space.family.name} designs meet the SLOs?",)),
        Statement("Load", (wording.question(scenario, objective=True),)),
        answer(scenario, result),
        *own_facts(scenario),
        *wording.trace_facts(scenario),
        Statement("Legend", (*LEGEND, *((ACROSS,) if result.space.token_machines else ()))),
    )
    page = Page("Map of designs", top, grid)
    told = Report(page, _document(scenario, result, timing), list(_rows(scenario, result)))
    return in_folder(told, scenario, "map.csv", _drawn(scenario, result, page)) if files else told


def answer(scenario: Scenario, result: MapResult) -> Statement:
    """The optimum, or that there is none."""
    meeting = sum(cell.verdict == "meets" for cell in result.cells)
    unsure = sum(cell.verdict == "undecided" for cell in result.cells)
    close = f", {unsure:,} undecided" if unsure else ""
    told = f"{meeting:,} of {count(len(result.cells), 'design')} meet the SLOs{close}"
    best = result.optima[scenario.minimize]
    if not best:
        return Statement("Answer", (told,), "bad")
    line = wording.design_line(scenario, best[0].design)
    least = wording.OBJECTIVES[scenario.minimize]
    ties = f"; {count(len(best) - 1, 'tie')}" if len(best) > 1 else ""
    verdict = wording.verdict(scenario, best[0].evaluation)
    return Statement("Answer", (f"{least}: {line}", verdict, told + ties), "good")


def _drawn(scenario: Scenario, result: MapResult, page: Page) -> Drawn:
    figures = [map_figure(scenario, result)]
    badge = "some designs meet the SLOs" if page.top[2].tone == "good" else "none meets the SLOs"
    parts = [
        page_html.header(page.top[2], badge, page.top[:2]),
        html.section("The map", *map(html.figure, figures), name="map"),
    ]
    return Drawn(parts, figures)


def _grids(scenario: Scenario, result: MapResult) -> Iterator[Sheet]:
    """A character a design: prompt machines down, the most first, token machines across."""
    best = result.optima[scenario.minimize]
    marks = {id(cell): TIE for cell in best[1:]} | {id(cell): BEST for cell in best[:1]}
    by_place = {
        (cell.design.prompt_machines, cell.design.token_machines): marks.get(
            id(cell), character(cell)
        )
        for cell in result.cells
    }
    if result.space.token_machines is None:
        yield from _line(by_place)
        return
    prompts = sorted({p for p, _ in by_place}, reverse=True)
    tokens = sorted({t for _, t in by_place})
    for start in range(0, len(tokens), WIDEST):
        block = tokens[start : start + WIDEST]
        rows = tuple((Cell(f"{p}"), Cell("".join(by_place[p, t] for t in block))) for p in prompts)
        title = f"T {block[0]} to {block[-1]}" if len(tokens) > WIDEST else ""
        yield Sheet((Column("P"), Column(_ruler(block), number=False)), rows, title)


def _line(by_place: Mapping[tuple[int, int], str]) -> Iterator[Sheet]:
    """A baseline: its sizes in rows of ten."""
    tens = sorted({size // 10 for size, _ in by_place})
    rows = tuple(
        (
            Cell(f"{10 * ten}"),
            Cell(" ".join(by_place.get((10 * ten + one, 0), " ") for one in range(10)).rstrip()),
        )
        for ten in tens
    )
    yield Sheet((Column("machines"), Column(" ".join(map(str, range(10))), number=False)), rows)


def _ruler(numbers: list[int]) -> str:
    """`5` under every fifth column: the number, as far as there is room."""
    ruler = ""
    for at, number in enumerate(numbers):
        if len(ruler) <= at and (number % 5 == 0 or at == 0):
            ruler = ruler.ljust(at) + str(number)
    return ruler


def character(cell: MapCell) -> str:
    """How a design stands."""
    tight = cell.tightest
    if cell.verdict == "meets":
        return MEETS
    if cell.verdict == "undecided":
        return UNDECIDED
    near = tight is not None and tight.mean <= NEARLY * tight.target.limit
    return NEAR if near else MISSES


Row = tuple[csvfmt.Value, ...]


def _rows(scenario: Scenario, result: MapResult) -> Iterator[Row]:
    targets = scenario.slos.all_targets
    names = [target_column(target) for target in targets]
    header = jsonfmt.design(scenario, result.cells[0].design) if result.cells else {}
    yield (
        *("verdict", "optimum_of", "assumptions", "rate_rps", *header),
        *("replications", "met", *names),
    )
    optimum = optimum_of(result)
    for cell in result.cells:
        found = {estimate.target: estimate.mean for estimate in cell.evaluation.estimates}
        yield (
            cell.verdict,
            " ".join(optimum.get(id(cell), ())) or None,
            scenario.assumptions.id,
            scenario.arrivals.rate_rps,
            *jsonfmt.design(scenario, cell.design).values(),
            *replications(cell.evaluation),
            *(found.get(target) for target in targets),
        )


def replications(evaluation: Evaluation) -> tuple[int, int]:
    """How many there were, and how many met the SLOs on their own."""
    return len(evaluation.replications), evaluation.met


def optimum_of(result: MapResult) -> dict[int, list[str]]:
    """The objectives that each optimal cell is best for."""
    found: dict[int, list[str]] = {}
    for name in OBJECTIVES:
        for cell in result.optima[name]:
            found.setdefault(id(cell), []).append(name)
    return found


def _document(scenario: Scenario, result: MapResult, timing: Mapping[str, float]) -> jsonfmt.Json:
    optimum = optimum_of(result)
    return {
        "schema": SCHEMA,
        "kind": "map",
        **jsonfmt.origin(scenario),
        "family": result.space.family.id,
        "objective": {"minimize": scenario.minimize, "unit": _unit(scenario)},
        "optima": {
            name: [jsonfmt.design(scenario, cell.design) for cell in result.optima[name]]
            for name in OBJECTIVES
        },
        "designs": [
            {
                "design": jsonfmt.design(scenario, cell.design),
                "verdict": cell.verdict,
                "optimum_of": optimum.get(id(cell), []),
                "replications": len(cell.evaluation.replications),
                "targets": [target_document(one) for one in cell.evaluation.estimates],
            }
            for cell in result.cells
        ],
        "timing": {**timing, "simulations": result.simulations},
    }


def _unit(scenario: Scenario) -> str:
    """The unit of what is minimised."""
    paper = scenario.assumptions.power_accounting == "paper"
    units = {"cost": "USD/h", "power": "paper units" if paper else "W", "machines": "machines"}
    return units[scenario.minimize]


def target_document(estimate: Estimate) -> jsonfmt.Json:
    """A target and its percentile, with the interval."""
    target = estimate.target
    return {
        "metric": target.metric,
        "percentile": target.percentile,
        "unit": target.unit,
        "limit": target.limit,
        "value": estimate.mean,
        "low": estimate.low,
        "high": estimate.high,
        "met": estimate.high <= target.limit,
    }
