"""Where the reference data is: published raw data and runs, not part of a checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = Path(os.environ.get("SPLITWISE_PLAN_REFERENCE", ROOT.parent / "shared" / "reference"))

needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(),
    reason="needs the reference data, not part of a checkout: set SPLITWISE_PLAN_REFERENCE",
)

PERF_MODEL = REFERENCE / "profile" / "splitwisesim_perf_model.csv"


def azure_trace(workload: str) -> Path:
    return REFERENCE / "traces" / f"azure_2023_{workload}.csv.gz"
