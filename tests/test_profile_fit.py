"""Profiles from measurements: those of the reference, and made ones with a known truth."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from commands import run, run_json
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import PERF_MODEL, needs_reference

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.measurements import Measurements
from splitwise_plan.facts.traces.profile_csv import parse_measurements
from splitwise_plan.models.fit import fit
from splitwise_plan.models.performance import context_slope, phase_times

HEADER = "model,hardware,prompt_size,batch_size,token_size,prompt_time,token_time,tensor_parallel"
SWEEPS = [(p, 1) for p in (128, 256, 512, 1024, 2048)] + [(512, b) for b in (2, 4, 8, 16)]


def prompt_ms(tokens: int) -> float:
    return 20 + 0.05 * tokens


def token_ms(batch: int, context: int) -> float:
    return 10 + 0.2 * batch + 2e-5 * batch * context


def table(cells: list[tuple[int, int]], output: int = 128, **changed: tuple[float, float]) -> str:
    """Measurements that follow the formulas; `p512_b16=(prompt, token)` scales a cell's times."""
    rows = []
    for prompt, batch in cells:
        first, second = changed.get(f"p{prompt}_b{batch}", (1.0, 1.0))
        times = (first * prompt_ms(prompt * batch), second * token_ms(batch, prompt))
        rows.append(f"m,h,{prompt},{batch},{output},{times[0]},{times[1]},4")
    return "\n".join([HEADER, *rows]) + "\n"


def parsed(text: str) -> Measurements:
    return parse_measurements(text.encode(), "own.csv")


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "own.csv"
    path.write_text(text)
    return str(path)


WORDS = ("--machine", "dgx-h100", "--llm", "llama2-70b")


def test_a_fitted_profile_is_planned_with(tmp_path: Path) -> None:
    path = written(tmp_path, table(SWEEPS))
    folder = tmp_path / "facts"
    document = run_json("profile", "fit", path, *WORDS, "--to", str(folder))
    assert document["power_assumed"] == ["4"]
    assert document["profiles"][0]["flagged"] == []
    catalog = Catalog((folder,))
    times = phase_times(
        catalog.profile("dgx-h100", "llama2-70b", 4), catalog.assumptions("measured")
    )
    assert float(times.prompt_s(700)) == pytest.approx(prompt_ms(700) / 1e3)
    assert float(times.token_s(3, 3 * 512)) == pytest.approx(token_ms(3, 512) / 1e3)
    simulated = run_json(
        *("simulate", "--family", "baseline-h100", "--machines", "1", "--rate", "1"),
        *("--duration", "5", "--horizon", "window"),
        *("--hardware", str(folder), "--llm", "llama2-70b"),
        *("--tensor-parallel", "4", "--slo", _slo(tmp_path)),
    )
    assert simulated["requests"]["finished"] > 0
    text = (folder / "hardware/profiles/dgx-h100__llama2-70b.csv").read_text()
    assert "sequences: measured 1 to 16; beyond extrapolated" in text
    assert "# assumed: tensor_parallel 4: prompt_power" in text


def _slo(tmp_path: Path) -> str:
    """Absolute limits, with the machine that was measured as their reference."""
    path = tmp_path / "contract.toml"
    path.write_text(
        'name = "own"\nreference_machine = "dgx-h100"\n[e2e]\n'
        'p90 = { value = 60, unit = "s", source = "ours" }\n'
    )
    return str(path)


@settings(deadline=None, max_examples=20)
@given(slope=st.floats(1e-6, 1e-4), output=st.sampled_from([64, 256]))
def test_without_the_usual_sweeps_all_cells_are_fitted(slope: float, output: int) -> None:
    rows = [
        f"m,h,{p},{b},{output},{prompt_ms(p * b)},{10 + 0.2 * b + slope * b * p},4"
        for p in (300, 900, 2700)
        for b in (1, 3, 9)
    ]
    found = fit(parsed("\n".join([HEADER, *rows])), 4)
    assert found is not None
    assert not found.swept
    curve = found.curves["token_time_by_context"].curve
    assert context_slope(curve) == pytest.approx(slope / 1e3, rel=1e-6)
    batch = found.curves["token_time_by_batch"]
    expected = [(10 + 0.2 * n + slope * n * 512) / 1e3 for n in batch.x]
    assert batch.y == pytest.approx(expected, rel=1e-6)


def test_a_batch_that_was_run_in_parts_is_left_out() -> None:
    found = fit(parsed(table(SWEEPS, p512_b16=(0.2, 0.9))), 4)
    assert found is not None
    [flag] = found.flagged
    assert (flag.prompt_tokens, flag.batch_size, flag.left_out) == (512, 16, True)
    assert found.curves["token_time_by_batch"].x.tolist() == [1, 2, 4, 8]


def test_odd_cells_are_flagged_and_kept() -> None:
    found = fit(parsed(table(SWEEPS, p1024_b1=(1.5, 1.0), p512_b4=(1.0, 1.4))), 4)
    assert found is not None
    cells = {(flag.prompt_tokens, flag.batch_size): flag for flag in found.flagged}
    assert {(1024, 1), (512, 4)} <= set(cells)
    assert not any(flag.left_out for flag in found.flagged)
    assert 4 in found.curves["token_time_by_batch"].x


def test_repeats_that_disagree_are_flagged() -> None:
    again = table([(512, 4)], p512_b4=(1.6, 1.0)).splitlines()[1]
    found = fit(parsed(table(SWEEPS) + again + "\n"), 4)
    assert found is not None
    assert any("runs are up to" in flag.what for flag in found.flagged)


@needs_reference
def test_the_reference_gives_the_profile_we_ship_and_flags_what_was_left_out(
    tmp_path: Path,
) -> None:
    words = ("--model-name", "llama2-70b", "--hardware-name", "h100-80gb")
    document = run_json("profile", "fit", str(PERF_MODEL), *WORDS, *words, "--to", str(tmp_path))
    flags = {one["tensor_parallel"]: one["flagged"] for one in document["profiles"]}
    left_out = [flag for flag in flags[2] if flag["left_out"]]
    assert [(flag["prompt_tokens"], flag["batch_size"]) for flag in left_out] == [(512, 64)]
    assert not any(flag["left_out"] for degree in (4, 8) for flag in flags[degree])
    for degree in (2, 4, 8):
        ours = Catalog().profile("dgx-h100", "llama2-70b", degree)
        fitted = Catalog((tmp_path,)).profile("dgx-h100", "llama2-70b", degree)
        for name in ("prompt_time", "token_time_by_batch", "token_time_by_context"):
            assert np.array_equal(getattr(ours, name).x, getattr(fitted, name).x)
            assert getattr(ours, name).y == pytest.approx(getattr(fitted, name).y)
    accuracy = {one["held_out"]: one for one in document["profiles"][2]["accuracy"]}
    assert accuracy["random_20_percent"]["token_mape_percent"] == pytest.approx(2.0, abs=0.1)


@needs_reference
def test_power_is_kept_where_it_was_measured(tmp_path: Path) -> None:
    words = ("--machine", "dgx-a100", "--llm", "bloom-176b", "--model-name", "bloom-176b")
    document = run_json(
        *("profile", "fit", str(PERF_MODEL), *words, "--hardware-name", "a100-80gb"),
        *("--to", str(tmp_path)),
    )
    assert document["power_assumed"] == []
    fitted = Catalog((tmp_path,)).profile("dgx-a100", "bloom-176b", 8).token_power
    assert fitted.y == pytest.approx(Catalog().profile("dgx-a100", "bloom-176b", 8).token_power.y)


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        (table(SWEEPS) + table(SWEEPS).splitlines()[1].replace("m,", "n,") + "\n", (), "m, n"),
        (table(SWEEPS), ("--tensor-parallel", "8"), "no run is on 8 GPUs"),
        (table(SWEEPS), ("--hardware-name", "x"), "no row is of 'x'"),
        ('{"ttfts": []}', (), "for `profile calibrate`"),
        (table(SWEEPS[:5]), (), "needs two batch sizes or more"),
        (table(SWEEPS).replace("prompt_size", "prompt"), (), "prompt_size is missing"),
        (table(SWEEPS, p512_b16=(0.5, 1.0)), (), "its ends must rise"),
    ],
    ids=[
        "two models",
        "no such degree",
        "no such name",
        "a benchmark",
        "one batch",
        "no column",
        "falls",
    ],
)
def test_what_cannot_be_fitted_is_told(
    tmp_path: Path, text: str, words: tuple[str, ...], told: str
) -> None:
    result = run("profile", "fit", written(tmp_path, text), *WORDS, *words)
    assert result.exit_code == 2
    assert told in result.stderr


@settings(deadline=None, max_examples=60)
@given(
    cells=st.lists(
        st.tuples(st.sampled_from([64, 512, 600]), st.sampled_from([1, 2, 64])), max_size=8
    ),
    times=st.lists(st.sampled_from(["1", "1e-9", "1e9", "50"]), min_size=16, max_size=16),
    output=st.sampled_from([1, 128]),
)
def test_any_table_is_fitted_or_refused(
    cells: list[tuple[int, int]], times: list[str], output: int
) -> None:
    rows = [
        f"m,h,{p},{b},{output},{times[2 * i]},{times[2 * i + 1]},4"
        for i, (p, b) in enumerate(cells)
    ]
    with suppress(InputError):
        fit(parsed("\n".join([HEADER, *rows])), 4)
