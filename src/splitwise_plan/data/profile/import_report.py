"""A profile derived from a database of operators: its files, and how well it predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splitwise_plan.data.profile.profile_file import profile_text
from splitwise_plan.facts.llm import LLM
from splitwise_plan.models.deriving import Derived, Point
from splitwise_plan.models.fitting import Medians
from splitwise_plan.report.formats.csvfmt import Value
from splitwise_plan.report.numbers import count, significant
from splitwise_plan.report.page import Column, Page, Sheet, Statement, plain, words
from splitwise_plan.report.report import Report

IMPORT = "splitwise-plan/profile-import/1"
SUMS = "estimates: measured times of single operators added up, not a server measured as a whole"
UNITS = (
    "units: *_time in seconds, *_power as a fraction of GPU TDP; measurements: points sampled",
    "x of prompt_time: prompt tokens of one prompt",
    "x of token_time_by_batch_tokens, prompt_power: context or prompt tokens x sequences",
    "x of token_time_by_batch, token_power: sequences (512 tokens of context each)",
    "x of token_time_by_context: tokens of context (one sequence)",
)
WORST_SHOWN = 3
PHASES = ("prompt", "token")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where derived times come from: as words for the file."""

    model: str
    system: str
    versions: str
    precision: str
    command: str
    """What derives the file again."""

    @property
    def source(self) -> str:
        return (
            f"operator database of {self.versions} (NVIDIA, Apache-2.0), system {self.system}, "
            f"model {self.model}, {self.precision}"
        )


def derived_text(  # noqa: PLR0913, PLR0917
    machine: str,
    llm: str,
    origin: Origin,
    derived: Mapping[int, Derived],
    power: Mapping[int, Mapping[str, Medians]],
    power_source: str,
    extra: Sequence[str] = (),
) -> str:
    """The profile as a file; `derived` and `power` by tensor parallelism."""
    head = (
        f"{llm} on {machine}, from an operator database",
        f"source: {origin.source}",
        f"derived by: {origin.command}",
        SUMS,
    )
    curves = {degree: {**one.curves, **power[degree]} for degree, one in derived.items()}
    notes = [
        "token_time_by_batch and the slope of token_time_by_context are fitted together to",
        "  1 to 512 sequences with 128 to 8,192 tokens of context",
    ]
    notes += [
        f"tensor_parallel {degree}: {line}"
        for degree, one in derived.items()
        for line in (_slope(one), _checked(one))
    ]
    notes += [f"assumed: prompt_power and token_power are those of {power_source}", *extra]
    return profile_text(head, curves, notes, UNITS)


def report(
    machine: str, llm: LLM, origin: Origin, derived: Mapping[int, Derived], kept: Sequence[str]
) -> Report:
    """What was derived and how far off it is; `kept`: the files that were written."""
    degrees = ", ".join(map(str, derived))
    top = [
        Statement("Profile", (f"{llm.id} on {machine}, {degrees} GPUs an instance",)),
        Statement("Source", (origin.source, SUMS)),
        Statement(
            "LLM",
            (
                f"{llm.weights_bytes / 1e9:,.1f} GB of weights, "
                f"{llm.kv_bytes_per_token('kv_heads'):,} bytes of KV cache a token",
            ),
        ),
    ]
    top += [
        Statement(f"TP {degree}", (_slope(one), _checked(one))) for degree, one in derived.items()
    ]
    written = kept or ("nothing: add --to DIR to keep the profile",)
    bottom = (Statement("Written", tuple(written)),)
    columns = (
        Column("TP"),
        words("phase"),
        Column("sequences"),
        Column("tokens each"),
        Column("database, ms"),
        Column("profile, ms"),
        Column("% off"),
    )
    rows = [(degree, point) for degree, one in derived.items() for point in one.checks]
    sheet = Sheet(columns, tuple(plain(*_cells(*row)) for row in rows), "points not used")
    document = {
        "schema": IMPORT,
        "machine": machine,
        "llm": llm.id,
        "source": origin.source,
        "tensor_parallel": list(derived),
        "checks": [{"tensor_parallel": degree, **point._asdict()} for degree, point in rows],
        "mape_percent": {
            str(degree): {phase: _errors(one, phase)[0] for phase in PHASES}
            for degree, one in derived.items()
        },
        "written": list(kept),
    }
    table: list[Sequence[Value]] = [("tensor_parallel", *Point._fields)]
    table += [(degree, *point) for degree, point in rows]
    return Report(Page("Imported profile", tuple(top), (sheet,), bottom), document, table)


def _cells(degree: int, point: Point) -> tuple[str, ...]:
    times = (significant(1e3 * point.asked_s), significant(1e3 * point.predicted_s))
    return (
        str(degree),
        point.phase,
        f"{point.sequences:,}",
        f"{point.tokens:,}",
        *times,
        f"{point.error_percent:+.1f}",
    )


def _slope(derived: Derived) -> str:
    ours, alone = 1e9 * derived.slope_s, 1e9 * derived.alone_slope_s
    return (
        f"each token of context adds {significant(ours)} ns "
        f"(one sequence alone would say {significant(alone)})"
    )


def _checked(derived: Derived) -> str:
    told = []
    for phase in PHASES:
        mean, most, number = _errors(derived, phase)
        told.append(f"{phase} {mean:.1f} % (at most {most:.1f}) over {count(number, 'point')}")
    return f"off at points not used: {', '.join(told)}"


def _errors(derived: Derived, phase: str) -> tuple[float, float, int]:
    """Mean and largest absolute error in percent, and over how many points."""
    errors = [abs(point.error_percent) for point in derived.checks if point.phase == phase]
    return float(np.mean(errors)), max(errors), len(errors)
