"""Loads of a scenario and of flags: what they change, and what is told of those that are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.scenario.arrivals.shapes import Days, Spike
from splitwise_plan.scenario.loads.load import load_loads
from splitwise_plan.scenario.loads.schema import LoadSet
from splitwise_plan.scenario.sampling import requests_for

SMALL = {"rate": 5, "duration": 30, "horizon": "window", "families": ["splitwise-hh"]}
TRACE = "arrival_s,prompt_tokens,output_tokens\n0,10,5\n1,10,5\n4,20,5\n"


def of_words(*words: str, **keys: object) -> LoadSet:
    return load_loads(Catalog(), None, {**SMALL, **keys}, words=words)


def of_file(tmp_path: Path, text: str, **keys: object) -> LoadSet:
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    return load_loads(Catalog(), path, keys)


def test_words() -> None:
    loads = of_words(
        "x1.2", "spike", "diurnal", "conversation", "llama2-70b", "50%coding+50%conversation"
    )
    found = {one.name: one.scenario for one in loads.loads}
    assert found["x1.2"].arrivals.rate_rps == pytest.approx(6.0)
    assert found["spike"].arrivals.shape == Spike(2.0, 10.0, 5.0)
    assert found["diurnal"].arrivals.shape == Days(0.5, 30.0)
    assert found["llama2-70b"].llm.id == "llama2-70b"
    names = [one.workload.id for one in found.values() if one.workload]
    assert names == [*["coding"] * 3, "conversation", "coding", "50%coding+50%conversation"]
    assert all(one.arrivals.rate_rps == 5.0 for name, one in found.items() if name != "x1.2")


def test_machines_and_ranges_are_those_of_the_scenario() -> None:
    loads = of_words("llama2-70b", "x2", prompt_machines="2:3", token_machines=4)
    assert {one.scenario.spaces for one in loads.loads} == {loads.base.spaces}


def test_a_load_of_a_file_keeps_what_it_does_not_say(tmp_path: Path) -> None:
    loads = of_file(
        tmp_path,
        "rate = 5\nduration = 30\nseeds = 4\narrivals = 'gamma'\nburstiness = 3\n"
        "[[loads]]\nname = 'more'\nrate_factor = 2\n"
        "[[loads]]\nname = 'plain'\narrivals = 'poisson'\n"
        "[[loads]]\nname = 'long'\nduration = 60\nrate = { value = 120, unit = 'requests/min' }\n",
    )
    more, plain, long = (one.scenario.arrivals for one in loads.loads)
    assert (more.process, more.burstiness, more.rate_rps, more.duration_s) == ("gamma", 3, 10, 30)
    assert (plain.process, plain.burstiness, plain.rate_rps) == ("poisson", 1, 5)
    assert (long.rate_rps, long.duration_s) == (2, 60)
    assert {one.scenario.seeds for one in loads.loads} == {4}


def test_flags_are_over_the_scenario_and_under_its_loads(tmp_path: Path) -> None:
    text = (
        "rate = 5\n[[loads]]\nname = 'twice'\nrate_factor = 2\n[[loads]]\nname = 'own'\nrate = 3\n"
    )
    loads = of_file(tmp_path, text, rate=7, llm="llama2-70b")
    assert [one.scenario.arrivals.rate_rps for one in loads.loads] == [14, 3]
    assert {one.scenario.llm.id for one in loads.loads} == {"llama2-70b"}


def test_a_trace_among_drawn_loads(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text(TRACE)
    loads = of_file(
        tmp_path,
        "rate = 5\nduration = 30\nseeds = 2\n[[loads]]\nname = 'trace'\ntrace = 'trace.csv'\n"
        "[[loads]]\nname = 'drawn'\n",
    )
    trace, drawn = (one.scenario for one in loads.loads)
    assert np.array_equal(requests_for(trace, 0).arrival_s, [0, 1, 4])
    assert drawn.trace is None
    assert "trace.csv" in {one.path for one in loads.base.sources}


def test_a_factor_of_a_replayed_trace_is_its_speed(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text(TRACE)
    loads = of_file(tmp_path, "trace = 'trace.csv'\n[[loads]]\nname = 'x2'\nrate_factor = 2\n")
    [load] = loads.loads
    assert np.array_equal(requests_for(load.scenario, 0).arrival_s, [0, 0.5, 2])


def test_the_resolved_scenario_gives_the_same_loads(tmp_path: Path) -> None:
    loads = load_loads(
        Catalog(),
        None,
        SMALL,
        words=("x1.2", "spike", "mmpp", "gamma", "diurnal", "25%coding+75%conversation"),
        choose="regret",
        growth=("30 %/year", "2026-11-30"),
    )
    again = of_file(tmp_path, loads.base.resolved_toml)
    assert again.base.resolved_toml == loads.base.resolved_toml
    assert (again.choose, again.growth) == ("regret", loads.growth)
    for one, other in zip(loads.loads, again.loads, strict=True):
        assert one.name == other.name
        assert one.scenario.resolved_toml == other.scenario.resolved_toml


BAD = {
    "unknown key": ("[[loads]]\nname = 'a'\nrat = 2\n", ":4: unknown key loads.0.rat"),
    "no name": ("[[loads]]\nrate = 2\n", ":2: loads.0.name is missing"),
    "same name": (
        "[[loads]]\nname = 'a'\n[[loads]]\nname = 'a'\n",
        ":5: 'a' is the name of another load",
    ),
    "two rates": (
        "[[loads]]\nname = 'a'\nrate = 2\nrate_factor = 2\n",
        ":5: rate and rate_factor are both given",
    ),
    "unknown workload": (
        "[[loads]]\nname = 'a'\nworkload = 'codin'\n",
        ":4: unknown workload 'codin' (did you mean 'coding'?",
    ),
    "half a mix": (
        "[[loads]]\nname = 'a'\nmix = { coding = 0.5 }\n",
        ":4: the shares of '50%coding' are 50 %",
    ),
    "no spike": ("[[loads]]\nname = 'a'\narrivals = 'spike'\n", ":4: arrivals = 'spike' needs"),
    "too many requests": (
        "[[loads]]\nname = 'a'\nrate_factor = 1000\nduration = 1e6\n",
        "rate x duration is",
    ),
    "objective": ("choose = 'most'\n", ":2: choose must be 'least' or 'regret'"),
    "growth": ("[growth]\nrate = '30 %'\nfrom = 2026-01-01\n", ":3: '30 %' is no growth"),
    "day": ("[growth]\nrate = '30 %/year'\nfrom = 'soon'\n", ":4: 'soon' is no day"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_told_with_its_line(case: str, tmp_path: Path) -> None:
    text, told = BAD[case]
    with pytest.raises(InputError) as caught:
        of_file(tmp_path, "rate = 5\n" + text)
    assert told in str(caught.value)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        of_file(
            tmp_path,
            "rate = 5\n[[loads]]\nname = 'a'\nworkload = 'x'\n[[loads]]\nname = 'b'\nllm = 'y'\n",
        )
    assert [one.line for one in caught.value.problems] == [4, 7]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("spik",), "unknown load 'spik' (did you mean 'spike'?"),
        (("x1", "x1"), "x1 is listed twice"),
        (("x0",), "x0: rate must be above 0"),
        (("60%coding+50%conversation",), "are 110 %"),
    ],
)
def test_words_that_are_no_loads(words: tuple[str, ...], told: str) -> None:
    with pytest.raises(InputError) as caught:
        of_words(*words)
    assert told in str(caught.value)
    assert {one.where for one in caught.value.problems} == {"--loads"}
