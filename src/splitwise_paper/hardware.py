"""Tables I and V: the machines, as the paper gives them and as our files have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from splitwise_paper import figures
from splitwise_paper.finding import Finding, Line, Tolerance, ratio, value
from splitwise_paper.machines import A100, CAPPED, H100, NAMES, Placed, placed
from splitwise_paper.study import Study

NEAR = Tolerance(share=0.08)
ONE_BANDWIDTH = (
    "SplitwiseSim moves KV caches at 200 GiB/s (215 GB/s) between any two machines, whatever their "
    "links"
)


class Property(NamedTuple):
    """A row of Table I. `why`: what a difference in `splitwisesim` comes from."""

    key: str
    what: str
    unit: str
    of: Callable[[Placed], float]
    why: str = ""


TABLE_1 = (
    Property("cost", "cost of a machine", "USD/h", lambda one: one.machine.cost_usd_per_hour),
    Property("gpu_power", "power of a GPU", "W", lambda one: one.machine.gpu_tdp_w),
    Property("gpu_memory", "memory of a GPU", "GB", lambda one: one.machine.gpu_memory_bytes / 1e9),
    Property(
        "infiniband",
        "InfiniBand of a machine",
        "GB/s",
        lambda one: one.route.bandwidth_bytes_per_s / 1e9,
        ONE_BANDWIDTH,
    ),
)


def table1(study: Study) -> Finding:
    """A100 against H100."""
    groups: dict[str, list[Line]] = {}
    for row in TABLE_1:
        for machine in (A100, H100):
            ours = {
                stack.id: value(row.of(placed(study, stack, machine))) for stack in study.stacks
            }
            quoted = study.paper("table1", machine, row.key)
            what = f"{row.what}, {NAMES[machine]}"
            line = Line(what, row.unit, quoted, ours, NEAR, elsewhere=row.why)
            groups.setdefault(row.what, []).append(line)
    notes = (
        "FLOP/s, memory bandwidth and NVLink of Table I are in no file of ours: iteration times "
        "are measured, not derived from a chip's rates. Memory is 80 GiB in SplitwiseSim, which "
        "the paper rounds to 80 GB.",
    )
    figure = figures.bars(
        "table1", "A100 against H100", "What our machine files have.", groups, study.stacks
    )
    return Finding(tuple(line for lines in groups.values() for line in lines), figure, notes)


def table5(study: Study) -> Finding:
    """Cost and power of the machines of the designs, relative to a DGX-A100."""
    cost_why = (
        "Table V gives one machine two costs and contradicts Table I (38 / 17.6 = 2.16x), which "
        "the bars of Fig. 18 follow within 1 % and our files too"
    )
    power_why = (
        "the paper counts a DGX-H100 as 44 and a DGX-A100 as 24.8 units; rated power is 10.2 kW "
        "and 6.5 kW, which is what measured provisions"
    )
    rows = (
        (H100, "cost", _cost, cost_why, cost_why),
        (CAPPED, "cost", _cost, cost_why, cost_why),
        (H100, "power", _power, "", power_why),
        (CAPPED, "power", _power, "", power_why),
        (H100, "bandwidth", _bandwidth, ONE_BANDWIDTH, ""),
    )
    groups: dict[str, list[Line]] = {}
    for machine, key, of, why, elsewhere in rows:
        ours = {
            stack.id: ratio([of(placed(study, stack, machine))], [of(placed(study, stack, A100))])
            for stack in study.stacks
        }
        quoted = study.paper("table5", machine, key)
        line = Line(f"{key}, {NAMES[machine]}", "x", quoted, ours, NEAR, why, elsewhere)
        groups.setdefault(key, []).append(line)
    caption = "Relative to a DGX-A100. A capped machine costs as much as one that is not."
    figure = figures.bars("table5", "Machines of the designs", caption, groups, study.stacks, 3)
    return Finding(tuple(line for lines in groups.values() for line in lines), figure)


def _cost(one: Placed) -> float:
    return one.machine.cost_usd_per_hour


def _power(one: Placed) -> float:
    return one.provisioned_power


def _bandwidth(one: Placed) -> float:
    return one.route.bandwidth_bytes_per_s
