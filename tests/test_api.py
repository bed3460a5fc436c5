"""The functions for notebooks: what they return, and how it displays."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import vl_convert
from commands import DESIGN, SMALL, run_json
from reference import ROOT

import splitwise_plan as sp
from splitwise_plan.errors import InputError
from splitwise_plan.questions.search.view import SearchView
from splitwise_plan.report.formats.notebook import VEGA_LITE_MIME

SPACE: dict[str, Any] = {
    **{"rate": 2, "duration": 75, "horizon": "window", "families": ["splitwise-hh"]},
    **{"prompt_machines": "1:3", "token_machines": "1:2"},
}
HH = ("--families", "splitwise-hh", "--prompt-machines", "1:3", "--token-machines", "1:2")


@pytest.fixture(scope="module")
def found() -> SearchView:
    return sp.search(**SPACE)


def untimed(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in ("timing", "length")}


def in_a_new_process(script: str) -> str:
    paths = os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_names_are_listed_and_loaded_when_first_asked_for() -> None:
    assert set(sp.__all__) <= set(dir(sp))
    assert all(callable(getattr(sp, name)) for name in sp.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sp.nothing  # noqa: B018
    script = "import sys, splitwise_plan as sp; dir(sp); print('numpy' in sys.modules)"
    assert in_a_new_process(script) == "False\n"


@pytest.mark.parametrize("first", ["splitwise_plan.planner.driver", "splitwise_plan.api"])
def test_search_is_a_function(first: str) -> None:
    """Whatever is imported first."""
    script = (
        f"import {first}, splitwise_plan as sp\n"
        "from splitwise_plan.questions.search import page\n"
        f"print(callable(sp.search), sp.search(**{SPACE!r}).design is not None, page.__name__)"
    )
    assert in_a_new_process(script) == "True True splitwise_plan.questions.search.page\n"


def test_a_search_is_that_of_the_command(found: SearchView) -> None:
    document = run_json("search", *HH, *SMALL)
    assert json.loads(json.dumps(untimed(found.to_dict()))) == untimed(document)
    assert found.design is not None
    assert found.design.machines == document["best"]["design"]["machines"]


def test_a_search_as_a_data_frame_and_as_html(found: SearchView) -> None:
    frame = found.to_pandas()
    assert found.best is not None
    assert frame["role"][0] == "best"
    assert frame["rent_usd_per_million_tokens"][0] > 0
    html = found._repr_html_()
    assert "Splitwise-HH" in html
    assert html.count("<table") == 1
    assert str(found).startswith("Question    coding at 2 requests/s")


def test_a_search_without_an_answer_has_no_best_design() -> None:
    view = sp.search(**{**SPACE, "rate": 12, "duration": 20, "horizon": "window"})
    assert (view.best, view.design) == (None, None)
    assert view.to_dict()["best"] is None
    assert list(view.to_pandas()["role"]) == ["closest"]
    excluded = sp.search(**{**SPACE, "rate": 60, "duration": 20, "horizon": "window"})
    assert (excluded.best, len(excluded.to_pandas()), excluded.figures()) == (None, 0, [])


def test_figures_are_vega_lite_and_png(found: SearchView) -> None:
    pictures = found.figures(closer=True)
    assert [one.figure.name for one in pictures][:3] == ["families", "margins", "map"]
    for one in pictures:
        bundle = one._repr_mimebundle_()
        spec = bundle[VEGA_LITE_MIME]
        json.dumps(spec, allow_nan=False)
        assert spec["$schema"].endswith("vega-lite/v5.json")
        drawn = vl_convert.vegalite_to_svg(spec, vl_version="5.20", allowed_base_urls=[])
        assert drawn.startswith("<svg")
        assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
        assert one.figure.title in bundle["text/plain"]
    assert list(pictures[0]._repr_mimebundle_(include={"text/plain"})) == ["text/plain"]
    assert "image/png" not in pictures[0]._repr_mimebundle_(exclude={"image/png"})


def test_a_simulation_is_that_of_the_command() -> None:
    keys: dict[str, Any] = {"rate": 2, "duration": 75, "horizon": "window"}
    view = sp.simulate(family="splitwise-hh", prompt_machines=2, token_machines=1, **keys)
    document = run_json("simulate", *DESIGN, *SMALL)
    assert json.loads(json.dumps(untimed(view.to_dict()))) == untimed(document)
    frame = view.to_pandas()
    assert len(frame) == document["requests"]["arrived"]
    statistics = view.statistics().set_index(["group", "name"])["value"]
    assert statistics["design", "cost"] == 3 * 38
    pictures = view.figures()
    assert len(pictures) == 3
    assert all(picture.svg().startswith("<svg") for picture in pictures)


def test_a_scenario_that_is_loaded_may_be_asked_again() -> None:
    keys: dict[str, Any] = {"rate": 2, "duration": 75, "horizon": "window", "seeds": 1}
    scenario = sp.load_scenario(families="baseline-h100", machines=3, **keys)
    view = sp.simulate(scenario)
    assert view.details.evaluation.design.machines == 3
    assert sp.search(scenario).design == view.details.evaluation.design
    with pytest.raises(InputError, match="rate: no effect on a scenario that is loaded"):
        sp.simulate(scenario, rate=3)


def test_paths_may_be_paths(tmp_path: Path) -> None:
    own = ROOT / "examples" / "own-facts"
    keys: dict[str, Any] = {"families": "splitwise-hh", "prompt_machines": 2, "token_machines": 5}
    view = sp.simulate(
        trace=own / "requests.csv", hardware=[own / "facts"], slo=own / "contract.toml", **keys
    )
    assert view.details.evaluation.design.cost_usd_per_hour == 7 * 30
    assert view.details.requests.arrived == 1010


def test_a_trace_is_read_as_the_commands_read_it() -> None:
    path = ROOT / "examples" / "own-facts" / "requests.csv"
    trace = sp.load_trace(path)
    frame = trace.to_pandas()
    assert len(trace) == len(frame) == 1010
    assert list(frame) == ["arrival_s", "prompt_tokens", "output_tokens"]
    assert trace.to_dict() == run_json("trace", "describe", str(path))


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"ratee": 3}, "unknown key ratee (did you mean 'rate'"),
        ({"rate": -1, "llm": "bloom"}, "did you mean 'bloom-176b'"),
        ({"family": "splitwise-hh"}, "has more than one design (splitwise-hh)"),
        ({}, "has more than one design"),
        ({"family": "splitwise-hh@85%", "prompt_machines": 1}, "has more than one design"),
    ],
)
def test_what_is_wrong_is_told(keys: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as caught:
        sp.simulate(**keys)
    assert told in str(caught.value)


def test_a_rate_that_is_left_open_is_missing() -> None:
    with pytest.raises(InputError, match="rate: is missing"):
        sp.simulate(
            family="baseline-h100", machines=2, maximize="throughput", cost_budget="2xdgx-h100"
        )


def test_batch_work_is_refused() -> None:
    with pytest.raises(InputError, match="use the command"):
        sp.search(maximize="throughput_per_cost", cost_budget="4xdgx-h100", rate=None)
