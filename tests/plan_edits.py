"""Edits of a world's facts, by name, and the fact that each is about."""

from __future__ import annotations

from collections.abc import Callable

from plans import FAMILIES, LENGTHS, MACHINE, PRICE, PROFILE, World

Edit = Callable[[World], None]


def edit(name: str, old: str, new: str) -> Edit:
    return lambda world: world.edit(name, old, new)


def rows(name: str, change: Callable[[list[str]], None]) -> Edit:
    """Change the cells of every row of a table."""

    def apply(world: World) -> None:
        path = world.fact(name)
        lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
        for cells in lines:
            if cells[0].isdigit():
                change(cells)
        path.write_text("\n".join(map(",".join, lines)) + "\n", encoding="utf-8")

    return apply


def slower(percent: float) -> Edit:
    def change(cells: list[str]) -> None:
        if "power" not in cells[1]:
            cells[3] = f"{(1 + percent / 100) * float(cells[3]):.10g}"

    return rows(PROFILE, change)


def longer(cells: list[str]) -> None:
    cells[0] = str(int(1.5 * int(cells[0])))


def price(factor: float) -> Edit:
    return edit(MACHINE, f"value = {PRICE},", f"value = {factor * PRICE},")


def flags(**given: str) -> Edit:
    return lambda world: world.flags.update(given)


def remarks_only(world: World) -> None:
    for path in world.folder.rglob("*.toml"):
        if path != world.plan:
            path.write_text("# read and found right\n" + path.read_text(encoding="utf-8"))


EDITS: dict[str, tuple[Edit, str]] = {
    "nothing": (lambda world: None, ""),
    "remarks": (remarks_only, ""),
    "traffic +30 %": (flags(rate="5.2"), "rate"),
    "traffic +100 %": (flags(rate="8"), "rate"),
    "traffic -20 %": (flags(rate="3.2"), "rate"),
    "traffic -40 %": (flags(rate="2.4"), "rate"),
    "price +25 %": (price(1.25), "fast"),
    "price +5 %": (price(1.05), "fast"),
    "price -25 %": (price(0.75), "fast"),
    "TTFT P99 halved": (
        edit("contract.toml", r"p99 = \{ value = 6,", "p99 = { value = 3,"),
        "TTFT P99",
    ),
    "TBT P50 tightened": (edit("contract.toml", r"value = 1.25,", "value = 0.8,"), "TBT P50"),
    "SLOs relaxed": (edit("contract.toml", r"value = [\d.]+,", "value = 30,"), "TTFT P99"),
    "profile 10 % slower": (slower(10), "fast__bloom-176b"),
    "profile 60 % slower": (slower(60), "fast__bloom-176b"),
    "heavier weights": (
        edit("workloads/llms/bloom-176b.toml", "value = 329", "value = 600"),
        "bloom-176b",
    ),
    "another LLM": (flags(llm="llama2-70b"), "llama2-70b"),
    "slow link": (
        edit("hardware/links/infiniband-8x400.toml", "value = 3200", "value = 2"),
        "fast",
    ),
    "other seeds": (flags(seed="7"), ""),
    "longer prompts": (rows(LENGTHS, longer), "lengths"),
    "conversation": (flags(workload="conversation"), "lengths"),
    "splitwisesim": (flags(assumptions="splitwisesim"), "splitwisesim"),
    "other machines": (
        edit(FAMILIES, 'token_machine = "fast"', 'token_machine = "dgx-a100"'),
        "pair",
    ),
}

EXIT_CODES = {
    "traffic +100 %": 3,
    "traffic -20 %": 3,
    "traffic -40 %": 4,
    "price +25 %": 3,
    "TTFT P99 halved": 4,
    "TBT P50 tightened": 3,
    "SLOs relaxed": 3,
    "profile 60 % slower": 3,
    "heavier weights": 4,
    "another LLM": 3,
    "slow link": 3,
    "longer prompts": 4,
    "conversation": 3,
    "other machines": 4,
}
"""Of a check after an edit, where it is not 0: brute force says the same."""
