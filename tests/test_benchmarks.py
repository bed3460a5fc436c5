"""The benchmarks work: a tiny version of each, whose figures nobody looks at."""

from __future__ import annotations

import pytest
from reference import ROOT


@pytest.mark.verify
def test_every_table_has_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.__main__ import Effort, sections
    from benchmarks.clusters import MIDDLE

    tiny = Effort(MIDDLE[:1], requests=500, slow_requests=50, repeats=1, everything=False)
    counts = []
    for _, columns, rows in sections(tiny):
        found = list(rows)
        assert all(len(row) == len(columns) for row in found)
        counts.append(len(found))
    assert counts == [2, 2, 2, 2]
