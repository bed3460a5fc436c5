"""A profile fitted to measurements: its file, what is odd in them, and what it does not cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from numpy.typing import NDArray

from splitwise_plan.data.profile.profile_file import profile_text
from splitwise_plan.models.fit import Fit, Flagged
from splitwise_plan.models.fitting import Medians
from splitwise_plan.models.performance import SWEEP_CONTEXT_TOKENS
from splitwise_plan.report.formats.csvfmt import Value
from splitwise_plan.report.numbers import count
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, plain, words
from splitwise_plan.report.report import Report

FIT = "splitwise-plan/profile-fit/1"
NOTHING = "nothing: add --to DIR to keep the profile"
HELD_OUT = {
    "random_20_percent": "a random fifth of the runs (100 times)",
    "cell": "each inner cell (prompt, batch)",
    "batch_tokens": "each inner number of prompt tokens in a batch",
}


def fit_text(  # noqa: PLR0913, PLR0917
    machine: str,
    llm: str,
    source: str,
    fits: Sequence[Fit],
    power: Mapping[int, Mapping[str, Medians]],
    power_source: str,
) -> str:
    """The profile as a file. `power`: by tensor parallelism, where none was measured."""
    head = (
        f"{llm} on {machine}: medians of measurements",
        f"source: {source}",
        f"derived by: splitwise-plan profile fit --machine {machine} --llm {llm}",
    )
    curves = {one.tensor_parallel: one.curves | power_of(one, power) for one in fits}
    return profile_text(head, curves, _notes(fits, power_source))


def power_of(fit: Fit, fallback: Mapping[int, Mapping[str, Medians]]) -> dict[str, Medians]:
    """Power as measured, or the fallback's."""
    return fit.power if fit.power is not None else dict(fallback[fit.tensor_parallel])


def report(
    machine: str, llm: str, fits: Sequence[Fit], power_source: str, kept: Sequence[str]
) -> Report:
    """What was fitted; `kept`: the files that were written."""
    degrees = ", ".join(str(one.tensor_parallel) for one in fits)
    runs = sum(len(one.rows) for one in fits)
    top = [
        Statement("Profile", (f"{llm} on {machine}, {degrees} GPUs, from {count(runs, 'run')}",))
    ]
    without = [str(one.tensor_parallel) for one in fits if one.power is None]
    if without:
        at = f" at {', '.join(without)} GPUs" if len(without) < len(fits) else ""
        top.append(Statement("Power", (f"not measured{at}: assumed to be that of {power_source}",)))
    if not all(one.swept for one in fits):
        told = "no sweeps at 512-token prompts and at one sequence: fitted to all cells"
        top.append(Statement("Token time", (told,)))
    sheets = [_accuracy_sheet(fits), _range_sheet(fits)]
    if any(one.flagged for one in fits):
        sheets.append(_flag_sheet(fits))
    page = Page("Fitted profile", tuple(top), tuple(sheets), (_written(kept),))
    document = {
        "schema": FIT,
        "machine": machine,
        "llm": llm,
        "power_assumed": without,
        "profiles": [_document(one) for one in fits],
        "written": list(kept),
    }
    return Report(page, document, list(_rows(fits)))


def _written(kept: Sequence[str]) -> Statement:
    return Statement("Written", tuple(kept) or (NOTHING,))


def ranges(fit: Fit) -> Iterator[tuple[str, str, str]]:
    """What was measured, from where to where, and what is done beyond: (what, range, beyond)."""
    prompt, batch = fit.curves["prompt_time"].x, fit.curves["token_time_by_batch"].x
    yield ("prompt tokens in a batch", _range(prompt), "extrapolated, linearly")
    yield ("sequences", _range(batch), "extrapolated, linearly")
    context = fit.rows.prompt_tokens[fit.rows.batch_size == 1]
    yield ("context of one sequence", _range(context), "extrapolated, by the slope")
    several = fit.rows.prompt_tokens[fit.rows.batch_size > 1]
    of_one = several.size == 0 or (several == SWEEP_CONTEXT_TOKENS).all()
    beyond = "extrapolated, by the slope of one sequence" if fit.swept and of_one else "by the fit"
    yield ("context of each of several", _range(several), beyond)


def _range(values: NDArray[Any]) -> str:
    if len(values) == 0:
        return "none"
    low, high = f"{values.min():,.0f}", f"{values.max():,.0f}"
    return low if low == high else f"{low} to {high}"


def _notes(fits: Sequence[Fit], power_source: str) -> Iterator[str]:
    for one in fits:
        at = f"tensor_parallel {one.tensor_parallel}"
        for what, measured, beyond in ranges(one):
            yield f"{at}: {what}: measured {measured}; beyond {beyond}"
        for accuracy in one.accuracy:
            prompt, token = accuracy.prompt_mape_percent, accuracy.token_mape_percent
            errors = f"prompt {prompt:.1f} %, token {token:.1f} % off"
            yield f"{at}: {accuracy.held_out} held out: {errors}"
        for flag in one.flagged:
            done = "left out" if flag.left_out else "flagged"
            yield f"{at}: {done}: batch {flag.batch_size}, {flag.prompt_tokens} tokens: {flag.what}"
        if one.power is None:
            yield f"assumed: {at}: prompt_power and token_power are those of {power_source}"


def _accuracy_sheet(fits: Sequence[Fit]) -> Sheet:
    columns = (Column("GPUs"), words("held out"), Column("prompt, % off"), Column("token, % off"))
    rows = [
        plain(
            str(one.tensor_parallel),
            HELD_OUT[accuracy.held_out],
            f"{accuracy.prompt_mape_percent:.2f}",
            f"{accuracy.token_mape_percent:.2f}",
        )
        for one in fits
        for accuracy in one.accuracy
    ]
    return Sheet(columns, tuple(rows), "how well it predicts what was held out")


def _range_sheet(fits: Sequence[Fit]) -> Sheet:
    columns = (Column("GPUs"), words("what"), words("measured"), words("beyond"))
    rows = [plain(str(one.tensor_parallel), *row) for one in fits for row in ranges(one)]
    return Sheet(columns, tuple(rows), "what was measured, and what is not")


def _flag_sheet(fits: Sequence[Fit]) -> Sheet:
    columns = (
        Column("GPUs"),
        Column("prompt tokens"),
        Column("batch"),
        words("flagged"),
        words("in the profile"),
    )
    rows = [_flag_row(one, flag) for one in fits for flag in one.flagged]
    return Sheet(columns, tuple(rows), "measurements to look at")


def _flag_row(fit: Fit, flag: Flagged) -> tuple[Cell, ...]:
    kept = Cell("left out", "bad") if flag.left_out else Cell("kept")
    cells = (fit.tensor_parallel, flag.prompt_tokens, flag.batch_size)
    return (*plain(*(f"{number:,}" for number in cells), flag.what), kept)


def _document(fit: Fit) -> dict[str, object]:
    return {
        "tensor_parallel": fit.tensor_parallel,
        "runs": len(fit.rows),
        "swept": fit.swept,
        "accuracy": [asdict(one) for one in fit.accuracy],
        "ranges": [dict(zip(("what", "measured", "beyond"), r, strict=True)) for r in ranges(fit)],
        "flagged": [flag._asdict() for flag in fit.flagged],
    }


def _rows(fits: Sequence[Fit]) -> Iterator[Sequence[Value]]:
    yield ("tensor_parallel", "curve", "x", "value", "measurements")
    for one in fits:
        for name, curve in one.curves.items():
            for x, y, n in zip(*curve, strict=True):
                yield (one.tensor_parallel, name, float(x), float(y), int(n))
