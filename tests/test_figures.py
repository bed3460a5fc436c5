from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from looks import baseline_map, closer, load_result, map_result, occupied
from outcomes import MISSES, design, details, family_result, paper_answer, scenario, search_result

from splitwise_plan.questions.search.families_figure import families_figure
from splitwise_plan.questions.search.margins_figure import margins_figure
from splitwise_plan.questions.search.page import search_figures
from splitwise_plan.report.figures import files, style
from splitwise_plan.report.figures.batches import POINTS, batches_figure
from splitwise_plan.report.figures.design_map import map_figure
from splitwise_plan.report.figures.load import load_figure
from splitwise_plan.report.figures.pareto import FrontPoint, pareto_figure
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.files import write_folder

ASKED = scenario()
HH = design(ASKED, "splitwise-hh", 24, 4)
FRONT = (FrontPoint(HH, 70.0), FrontPoint(design(ASKED, "baseline-h100", 58), 70.0, False))


@cache
def figures() -> tuple[Figure, ...]:
    found = search_figures(ASKED, paper_answer(ASKED), closer(ASKED), FRONT)
    trade = FrontPoint(design(ASKED, "splitwise-hh", 30, 5), 80.0)
    return (*found, map_figure(ASKED, baseline_map(ASKED)), pareto_figure((*FRONT, trade)))


def rows(spec: Any) -> Iterator[dict[str, Any]]:
    """All inline data of a specification."""
    if isinstance(spec, dict):
        data = spec.get("data")
        if isinstance(data, dict):
            yield from data["values"]
        for value in spec.values():
            yield from rows(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from rows(value)


def encodings(spec: Any) -> Iterator[dict[str, Any]]:
    if isinstance(spec, dict):
        if "encoding" in spec:
            yield spec["encoding"]
        for value in spec.values():
            yield from encodings(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from encodings(value)


def test_a_search_has_all_figures() -> None:
    names = [figure.name for figure in search_figures(ASKED, paper_answer(ASKED), closer(ASKED))]
    assert names == ["families", "margins", "map", "load", "utilisation", "latencies", "batches"]
    nothing = search_result(ASKED, family_result(ASKED, None, family="splitwise-hh"))
    assert search_figures(ASKED, nothing) == []


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_figures_are_plain_json_and_say_what_they_are(figure: Figure) -> None:
    text = json.dumps(figure.spec, allow_nan=False)
    assert "http" not in text
    assert '"url"' not in text
    assert figure.title
    assert figure.alt
    assert figure.caption.endswith(".")
    assert figure.spec["config"] is style.CONFIG


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_numbers_are_shown_on_hover_and_exist(figure: Figure) -> None:
    tooltips = [one["tooltip"] for one in encodings(figure.spec) if "tooltip" in one]
    assert tooltips
    known = {style.escaped(key) for row in rows(figure.spec) for key in row}
    for fields in tooltips:
        assert {field["field"] for field in fields} <= known | {"tightest SLO", "average power"}


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_every_figure_can_be_drawn(figure: Figure) -> None:
    drawn = files.svg(figure)
    root = ElementTree.fromstring(drawn)
    assert root.tag.endswith("svg")
    marks = [one.get("class", "") for one in root.iter()]
    assert any("mark-" in name for name in marks)
    assert "NaN" not in drawn


def test_figures_become_files(tmp_path: Path) -> None:
    one = families_figure(ASKED, paper_answer(ASKED))
    write_folder(tmp_path, files.writers([one]))
    image = (tmp_path / "figure-families.png").read_bytes()
    assert image.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", image[16:24])
    assert width > 1000
    assert height > 100
    assert "Splitwise-HH" in (tmp_path / "figure-families.svg").read_text()


def test_the_map_tells_meeting_missing_and_best_apart() -> None:
    result = map_result(ASKED)
    spec = map_figure(ASKED, result).spec
    meets, misses, unsure, contours, ties, star = (
        layer["data"]["values"] for layer in spec["layer"]
    )
    assert len(meets) == 3
    assert len(misses) == 3
    assert [row["group"] for row in unsure] == ["undecided"]
    assert [(row["P"], row["T"]) for row in star] == [(23, 5)]
    assert [(row["P"], row["T"]) for row in ties] == [(24, 4)]
    assert all(row["value"] <= 1.0 for row in meets)
    worst = max(misses, key=lambda row: row["value"])
    assert (worst["P"], worst["T"], worst["value"]) == (23, 3, 6.0)
    assert "TBT P50: 1.21x of 1.25x" in star[0]["tightest SLO"]
    assert star[0]["cost"] == "$1,064/h"
    assert {row["metric"] for row in contours} == {"TTFT", "TBT"}


def test_contours_run_between_cells_that_meet_a_metric_and_those_that_do_not() -> None:
    spec = map_figure(ASKED, map_result(ASKED)).spec
    edges = [row for row in rows(spec) if row.get("metric") == "TBT"]
    sides = {(row["T0"], row["T1"], row["P0"], row["P1"]) for row in edges}
    # only 23P + 4T misses a limit of TBT: its four sides but the one at the edge of the map
    assert sides == {(3.5, 3.5, 22.5, 23.5), (4.5, 4.5, 22.5, 23.5), (3.5, 4.5, 23.5, 23.5)}


def test_load_panels_have_the_limits() -> None:
    spec = load_figure(ASKED, load_result(ASKED), asked=True).spec
    titles = [panel["title"] for panel in spec["concat"]]
    assert len(titles) == 9
    assert titles[3] == "TBT P50   ≤ 1.25x"
    limits = [
        layer["encoding"]["y"]["datum"]
        for panel in spec["concat"]
        for layer in panel["layer"]
        if layer["encoding"].get("y", {}).get("datum")
    ]
    assert limits == [target.limit for target in ASKED.slos.targets]
    asked = [one for one in encodings(spec["concat"][0]) if one.get("x", {}).get("datum")]
    assert [one["x"]["datum"] for one in asked] == [70.0]


def test_families_that_do_not_meet_the_slos_are_grey_and_last() -> None:
    found = rows(families_figure(ASKED, paper_answer(ASKED)).spec)
    assert [(row["family"], row["state"]) for row in found] == [
        ("Splitwise-HH", "meets"),
        ("Splitwise-HA", "meets"),
        ("Baseline-A100", "misses"),
    ]


def test_margins_far_beyond_the_limit_are_marked() -> None:
    never = tuple(4 * value for value in MISSES)
    near = details(ASKED, HH, "misses", never)
    spec = margins_figure(
        ASKED, search_result(ASKED, family_result(ASKED, None, closest=near))
    ).spec
    found = list(rows(spec))
    slos = [row for row in found if "SLO" in row]
    assert len(slos) == 9
    assert all(row["share"] <= 2.0 for row in slos)
    assert any(row["far"] for row in slos)


def test_a_family_has_one_colour_everywhere() -> None:
    result, look = paper_answer(ASKED), closer(ASKED)
    text = json.dumps([figure.spec for figure in search_figures(ASKED, result, look, FRONT)])
    assert style.FAMILY_COLOURS["splitwise-hh"] in text
    colours = style.family_colours([family.family for family in result.families])
    assert len(set(colours.values())) == len(colours)


def test_long_distributions_are_thinned() -> None:
    spec = batches_figure([occupied(HH)]).spec
    lines: dict[tuple[str, str], int] = {}
    for panel in spec["hconcat"]:
        for row in panel["data"]["values"]:
            key = (panel["title"], row["line"])
            lines[key] = lines.get(key, 0) + 1
    assert max(lines.values()) <= POINTS
    assert "Splitwise-HH prompt" not in {line for title, line in lines if "batch" in title}
