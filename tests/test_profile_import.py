"""Profiles derived from a database of iteration times: exact where the model holds, told else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from commands import run, run_json
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ROOT

from splitwise_plan.data.profile.import_report import Origin, derived_text
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.profile import Profile
from splitwise_plan.facts.tables import parse_profile
from splitwise_plan.models.curves import extended
from splitwise_plan.models.deriving import derive
from splitwise_plan.models.importing import power_fallback, power_words
from splitwise_plan.models.performance import context_slope

ROOM = 1_600_000


@dataclass(frozen=True)
class Formula:
    """Iteration times as a formula: seconds."""

    fixed_s: float = 0.010
    sequence_s: float = 4e-5
    context_s: float = 1.4e-8
    alone_s: float = 0.0
    """More for each token of context where one sequence is alone, as GPUs do."""

    def prompt_s(self, sequences: int, prompt_tokens: int) -> float:
        return 0.011 + 4e-5 * sequences * prompt_tokens

    def token_s(self, sequences: int, context_tokens: int) -> float:
        slope = self.context_s + (self.alone_s if sequences == 1 else 0.0)
        return self.fixed_s + self.sequence_s * sequences + slope * sequences * context_tokens


@settings(deadline=None, max_examples=25)
@given(fixed=st.floats(1e-3, 0.1), sequence=st.floats(1e-6, 1e-3), context=st.floats(1e-10, 1e-6))
def test_what_the_model_can_say_is_recovered_exactly(
    fixed: float, sequence: float, context: float
) -> None:
    times = Formula(fixed, sequence, context)
    derived = derive(times, ROOM)
    assert derived.slope_s == pytest.approx(context, rel=1e-5)
    for point in derived.checks:
        assert point.predicted_s == pytest.approx(point.asked_s, rel=1e-4)


def test_the_slope_is_that_of_batches_not_of_one_sequence_alone() -> None:
    derived = derive(Formula(alone_s=3e-8), ROOM)
    assert derived.alone_slope_s == pytest.approx(4.4e-8, rel=1e-3)
    assert derived.slope_s == pytest.approx(1.4e-8, rel=0.02)
    batches = [p for p in derived.checks if p.phase == "token" and p.sequences > 1]
    assert max(abs(point.error_percent) for point in batches) < 2


def test_no_more_context_is_asked_for_than_fits() -> None:
    asked: list[int] = []

    class Recorded(Formula):
        def token_s(self, sequences: int, context_tokens: int) -> float:
            asked.append(sequences * context_tokens)
            return super().token_s(sequences, context_tokens)

    derive(Recorded(), 60_000)
    assert max(asked) <= 60_000


def test_the_file_is_read_back_as_it_was_derived() -> None:
    derived = {8: derive(Formula(), ROOM)}
    origin = Origin("org/model", "gpu", "database 1.0, server 2.0", "bfloat16", "a command")
    power = {8: power_fallback(Catalog(), 8)}
    text = derived_text("m", "l", origin, derived, power, power_words())
    profile = parse_profile(text, "m__l.csv", "m", "l")[8]
    batch = derived[8].curves["token_time_by_batch"]
    assert profile.token_time_by_batch.y == pytest.approx(batch.y, rel=1e-9)
    assert context_slope(profile.token_time_by_context) == pytest.approx(derived[8].slope_s)
    for said in ("# source: operator database of database 1.0", "# assumed: prompt_power", "off"):
        assert said in text


def shipped(machine: str, llm: str = "llama-3.1-70b") -> Profile:
    return Catalog().profile(machine, llm, 8)


def test_todays_token_time_is_nearly_flat_in_the_batch() -> None:
    """Where the profile of 2023 nearly doubles from 1 to 64 sequences."""
    token = shipped("dgx-h100").token_time_by_batch
    assert 1e3 * token(1) == pytest.approx(10.1, abs=0.1)
    assert 1e3 * token(64) == pytest.approx(12.1, abs=0.1)
    old = shipped("dgx-h100", "llama2-70b").token_time_by_batch
    assert old(64) / old(1) > 1.6
    assert token(64) / token(1) < 1.25


def test_the_capped_machine_is_the_papers_assumption() -> None:
    capped, whole = shipped("dgx-h100-cap70"), shipped("dgx-h100")
    assert capped.prompt_time.y == pytest.approx(1.3 * whole.prompt_time.y)
    assert np.array_equal(capped.token_time_by_batch.y, whole.token_time_by_batch.y)


def test_the_kv_cache_is_an_eighth_of_that_without_groups() -> None:
    llm = Catalog().llm("llama-3.1-70b")
    assert 8 * llm.kv_bytes_per_token("kv_heads") == llm.kv_bytes_per_token("hidden_size")


def test_what_is_missing_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiconfigurator", None)
    words = ("--model", "a/b", "--system", "c", "--tp", "2", "--machine", "dgx-h100", "--llm", "d")
    absent = run("profile", "import", *words)
    assert absent.exit_code == 2
    assert "pip install 'splitwise-plan[aiconfigurator]'" in absent.stderr
    nothing = run("profile", "import", "--tp", "0", "--backend", "vlm")
    assert nothing.exit_code == 2
    for flag in ("--tp", "--model", "--system", "--machine", "--llm", "did you mean 'vllm'"):
        assert flag in nothing.stderr


def test_a_file_of_the_users_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "hardware/profiles/dgx-h100__mine.csv"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    words = ("--model", "a/b", "--system", "c", "--tp", "2", "--machine", "dgx-h100")
    refused = run("profile", "import", *words, "--llm", "mine", "--to", str(tmp_path))
    assert refused.exit_code == 2
    assert "has hardware/profiles/dgx-h100__mine.csv already" in refused.stderr
    assert path.read_text() == "mine"


def test_the_database_gives_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("aiconfigurator")
    tool = ROOT / "tools" / "derive_from_aiconfigurator.py"
    subprocess.run([sys.executable, str(tool), "llama-3.1-70b", "--out", str(tmp_path)], check=True)
    derived = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(derived) == 4
    for path in derived:
        assert path.read_bytes() == (ROOT / path.relative_to(tmp_path)).read_bytes()


def test_a_model_is_imported_and_planned_with(tmp_path: Path) -> None:
    pytest.importorskip("aiconfigurator")
    document = run_json(
        *("profile", "import", "--model", "Qwen/Qwen3-32B", "--system", "h100_sxm", "--tp", "2"),
        *("--machine", "dgx-h100", "--llm", "qwen3-32b", "--to", str(tmp_path)),
    )
    assert document["mape_percent"]["2"]["token"] < 2
    profile = Catalog((tmp_path,)).profile("dgx-h100", "qwen3-32b", 2)
    curve = profile.prompt_time
    assert float(extended(curve.x, curve.y, 8192)) == pytest.approx(0.476, abs=0.01)


def test_times_of_another_gpu_are_refused() -> None:
    pytest.importorskip("aiconfigurator")
    words = ("--model", "Qwen/Qwen3-32B", "--system", "a100_sxm", "--tp", "2", "--llm", "q")
    refused = run("profile", "import", *words, "--machine", "dgx-h100")
    assert refused.exit_code == 2
    assert "a GPU of a100_sxm has 400 W of power, where dgx-h100 has 700" in refused.stderr
