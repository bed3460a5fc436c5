"""A mix of workloads has the shares it names, whatever the sizes of their tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.mixes import mixed
from splitwise_plan.facts.workload import LengthTable, Workload
from splitwise_plan.scenario.load import load_scenario

CODING, CONVERSATION = (Catalog().workload(one) for one in ("coding", "conversation"))


def mean(workload: Workload) -> float:
    lengths = workload.lengths
    return float(np.average(lengths.prompt_tokens, weights=lengths.count))


@pytest.mark.parametrize("share", [1, 12.5, 50, 99])
def test_means_are_those_of_the_parts_by_their_shares(share: float) -> None:
    mix = Catalog().workload(f"{share}%coding+{100 - share}%conversation")
    expected = share / 100 * mean(CODING) + (1 - share / 100) * mean(CONVERSATION)
    assert mean(mix) == pytest.approx(expected, rel=1e-12)
    assert mix.id == f"{share:g}%coding+{100 - share:g}%conversation"


def test_a_mix_of_one_is_that_workload() -> None:
    whole = Catalog().workload("100%coding+0%conversation")
    assert whole.id == "100%coding"
    assert np.array_equal(
        whole.lengths.count * CODING.lengths.count[0],
        CODING.lengths.count * whole.lengths.count[0],
    )


@given(
    st.lists(
        st.tuples(st.integers(1, 50), st.lists(st.integers(1, 30), min_size=1, max_size=4)),
        min_size=1,
        max_size=4,
    )
)
def test_shares_are_exact(parts: list[tuple[int, list[int]]]) -> None:
    whole = sum(weight for weight, _ in parts)
    shares = [Fraction(100 * weight, whole) for weight, _ in parts]
    workloads = []
    for at, (_, counts) in enumerate(parts):
        tokens = np.full(len(counts), at + 1)
        table = LengthTable(tokens, tokens, np.array(counts, dtype=np.int64))
        workloads.append(Workload(f"w{at}", f"w{at}", table))
    table = mixed(list(zip(shares, workloads, strict=True))).lengths
    total = int(table.count.sum())
    for at, share in enumerate(shares):
        own = int(table.count[table.prompt_tokens == at + 1].sum())
        assert Fraction(100 * own, total) == share


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("50%coding+40%conversation", "are 90 %"),
        ("50%coding+50%coding", "coding is mixed in twice"),
        ("50%coding+50%conversatio", "did you mean 'conversation'?"),
        ("coding+conversation", "unknown workload"),
    ],
)
def test_what_is_no_mix_is_refused(name: str, told: str) -> None:
    with pytest.raises(InputError, match=told.replace("?", r"\?")):
        Catalog().workload(name)


def test_lengths_that_are_drawn_apart_cannot_be_mixed() -> None:
    keys = {"workload": "50%coding+50%conversation", "rate": 5, "assumptions": "splitwisesim"}
    with pytest.raises(InputError, match="would mix within requests"):
        load_scenario(Catalog(), None, keys)


def test_a_scenario_with_a_mix_gives_itself_again(tmp_path) -> None:  # type: ignore[no-untyped-def]
    scenario = load_scenario(Catalog(), None, {"workload": "30%coding+70%conversation", "rate": 5})
    path = tmp_path / "scenario.toml"
    path.write_text(scenario.resolved_toml)
    again = load_scenario(Catalog(), path)
    assert again.resolved_toml == scenario.resolved_toml
    assert {one.id for one in again.sources} >= {"coding", "conversation"}
