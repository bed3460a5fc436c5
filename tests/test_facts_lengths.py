"""The compact length tables stand for the traces they were made from."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from reference import azure_trace, needs_reference

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.traces.read import read_trace

Ints = NDArray[np.int64]
Both = tuple[tuple[Ints, Ints], tuple[Ints, Ints]]
WORKLOADS = ("coding", "conversation")
PERCENTILES = (50, 90, 99)
FINE = (10, 25, 50, 75, 90, 95, 99, 99.9, 100)


def table(workload: str) -> tuple[Ints, Ints]:
    """The requests of a length table, one entry each."""
    lengths = Catalog().workload(workload).lengths
    prompt = np.repeat(lengths.prompt_tokens, lengths.count)
    return prompt, np.repeat(lengths.output_tokens, lengths.count)


@pytest.fixture(scope="module", params=WORKLOADS)
def both(request: pytest.FixtureRequest) -> Both:
    raw = read_trace(azure_trace(request.param)).requests
    return table(request.param), (raw.prompt_tokens, raw.output_tokens)


@pytest.mark.parametrize(
    ("workload", "prompt", "output", "requests"),
    [("coding", 1469, 13, 8819), ("conversation", 1020, 129, 19366)],
)
def test_medians_of_the_traces(workload: str, prompt: int, output: int, requests: int) -> None:
    prompts, outputs = table(workload)
    assert len(prompts) == requests
    assert np.median(prompts) == pytest.approx(prompt, rel=0.01)
    assert np.median(outputs) == output


@needs_reference
class TestAgainstTheTraces:
    def test_percentiles_and_means_within_one_percent(self, both: Both) -> None:
        for ours, raw in zip(*both, strict=True):
            assert len(ours) == len(raw)
            assert ours.mean() == pytest.approx(raw.mean(), rel=0.01)
            assert np.percentile(ours, PERCENTILES) == pytest.approx(
                np.percentile(raw, PERCENTILES), rel=0.01
            )

    def test_fine_structure_within_one_percent(self, both: Both) -> None:
        for ours, raw in zip(*both, strict=True):
            assert np.percentile(ours, FINE) == pytest.approx(np.percentile(raw, FINE), rel=0.01)
            assert ours.std() == pytest.approx(raw.std(), rel=0.005)

    def test_correlation_within_002(self, both: Both) -> None:
        ours, raw = (np.corrcoef(*lengths)[0, 1] for lengths in both)
        assert ours == pytest.approx(raw, abs=0.02)

    @pytest.mark.parametrize("limit", [512, 2048, 4096])
    def test_share_of_long_prompts(self, both: Both, limit: int) -> None:
        ours, raw = ((prompts > limit).mean() for prompts, _ in both)
        assert ours == pytest.approx(raw, abs=0.002 if limit == 512 else 1e-12)


@needs_reference
def test_the_clipped_prompts_of_coding_are_kept() -> None:
    ours, _ = table("coding")
    raw = read_trace(azure_trace("coding")).requests.prompt_tokens
    assert abs(int((ours >= 7400).sum()) - int((raw >= 7400).sum())) <= 20
