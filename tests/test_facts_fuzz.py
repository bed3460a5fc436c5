"""Whatever the files say: facts, or `InputError` with problems. Never another exception."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import ROOT

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import parse_toml
from splitwise_plan.facts.tables import parse_lengths, parse_profile
from splitwise_plan.facts.traces.profile_csv import parse_measurements
from splitwise_plan.scenario.load import load_scenario

CATALOG = Catalog()
KEYS = [
    *("workload", "trace", "rate", "duration", "arrivals", "burstiness", "llm", "tensor_parallel"),
    *("assumptions", "slo", "minimize", "maximize", "power_budget", "cost_budget", "seed", "seeds"),
    *("families", "machines", "prompt_machines", "token_machines", "hardware", "scheduler"),
    *("ranges", "ranges.splitwise-hh", "scheduler.max_passes", "rate.value", "rate.unit", "x"),
]
VALUES = [
    *("1", "0", "-1", "1e400", "nan", "-inf", "true", "''", "'coding'", "'1:3'", "'٣'", "[]", "{}"),
    *("9" * 400, "'splitwise-hh'", "['baseline-a100', 1]", "{value = 1}", "1979-05-27", "'a/b'"),
    *("{value = 3, unit = 'rps'}", "{value = 'x', unit = 3}", "'..'", "'nope.toml'", "'\\u0000'"),
    *("'throughput'", "'5 kW'", "'99999xdgx-h100'", "'gamma'", '"""\n[x]\n"""', "[[[[1]]]]"),
]
statements = st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)).map(" = ".join)
quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def survives(call: Any) -> None:
    try:
        call()
    except InputError as error:
        problems = error.problems
    else:
        return
    assert problems
    assert all(problem.where and problem.what for problem in problems)
    assert all(problem.line is None or problem.line >= 1 for problem in problems)


@given(st.lists(statements, max_size=6, unique_by=lambda text: text.split(" = ")[0]))
@quick
def test_scenarios_of_odd_values(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "s.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    survives(lambda: load_scenario(CATALOG, path))


@given(
    st.dictionaries(
        st.sampled_from([key for key in KEYS if "." not in key]),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=5)
        | st.lists(st.text(max_size=3), max_size=2)
        | st.dictionaries(
            st.sampled_from(["value", "unit", "x"]), st.floats() | st.text(max_size=3)
        ),
        max_size=4,
    )
)
@quick
def test_flags_of_odd_values(overrides: dict[str, Any]) -> None:
    survives(lambda: load_scenario(CATALOG, None, overrides))


@given(st.binary(max_size=120))
@quick
def test_scenarios_of_any_bytes(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(data)
    survives(lambda: load_scenario(CATALOG, path))


@given(st.data())
@quick
def test_damaged_files_of_ours(tmp_path: Path, data: st.DataObject) -> None:
    kind, name = data.draw(
        st.sampled_from(
            [("hardware/machines", "dgx-a100"), ("workloads/llms", "llama2-70b"),
             ("hardware/links", "infiniband-8x200"), ("workloads/slos", "splitwise"),
             ("hardware/assumptions", "splitwisesim"), ("workloads", "coding"),
             ("hardware", "families")]
        )
    )  # fmt: skip
    text = (ROOT / kind / f"{name}.toml").read_text(encoding="utf-8")
    at = data.draw(st.integers(0, len(text)))
    inserted = data.draw(st.text(alphabet='"{}[]=#\n0-e.nax', max_size=3))
    damaged = text[:at] + inserted + text[at + data.draw(st.integers(0, 9)) :]
    path = tmp_path / kind / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(damaged, encoding="utf-8")
    survives(lambda: load_scenario(Catalog((tmp_path,)), None, {"assumptions": "splitwisesim"}))
    path.unlink()


@given(st.data())
@quick
def test_damaged_tables(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["profiles/dgx-a100__bloom-176b", "lengths"]))
    folder = "workloads/lengths/coding" if name == "lengths" else f"hardware/{name}"
    text = (ROOT / f"{folder}.csv").read_text(encoding="utf-8")[:3000]
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.text(max_size=3)) + text[at + data.draw(st.integers(0, 9)) :]
    survives(lambda: parse_profile(damaged, "p.csv", "m", "l"))
    survives(lambda: parse_lengths(damaged, "l.csv"))
    survives(lambda: parse_measurements(damaged.encode("utf-8", "replace"), "m.csv"))


@pytest.mark.parametrize("text", ["[" * 5000, "a = " + "[" * 5000, "x = " + "9" * 6000, "\0"])
def test_hostile_toml(text: str) -> None:
    survives(lambda: parse_toml(text, "s.toml"))


@pytest.mark.parametrize(
    "text", ["a.b.c.d = 1\n" * 1, "[[a]]\n[[a]]\nb = {c = 1}\n[a.d]\n'e f' = 2\n"]
)
def test_lines_of_keys(text: str) -> None:
    file = parse_toml(text, "s.toml")
    if "[[a]]" in text:
        assert file.lines["a", 1, "b"] == 3
        assert file.lines["a", 1, "d", "e f"] == 5
        assert file.problem(("a", 1, "b", "c"), "x").line == 3
    else:
        assert file.lines["a", "b", "c", "d"] == 1
