"""The flags, each declared once, and commands as a list of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import typer

from splitwise_plan.cli.completion import completer
from splitwise_plan.cli.help import HelpfulCommand, paragraphs
from splitwise_plan.errors import InputError, Problem

Found = TypeVar("Found")

SHOWN = 60
"""Characters of a wrong value that are shown."""

_CHOICES = re.compile(r"[a-z_-]+(\|[a-z_-]+)*")
_NUMBER_UNIT = re.compile(r"\s*([-+.\deE]+)\s*([A-Za-z][A-Za-z/]*)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Flag:
    """One parameter of a command. Values are kept as typed: `Flags` checks them all at once.

    `kind`: `str` where it must be given, `list[str] | None` where it may be repeated.
    """

    name: str
    metavar: str
    help: str
    kind: Any = str | None
    default: Any = None
    panel: str | None = None
    positional: bool = False
    values: tuple[str, ...] = ()
    """Kinds of facts whose ids are values, for a shell to complete."""
    words: tuple[str, ...] = ()
    """The words to choose from where `help` tells them: as a metavar they would be too wide."""

    @property
    def flag(self) -> str:
        """As it is typed: `--prompt-machines`; of an argument what stands for it.

        A name that is a word of Python ends in an underscore: `from_` is `--from`.
        """
        return self.metavar if self.positional else "--" + self.name.rstrip("_").replace("_", "-")

    @property
    def choices(self) -> tuple[str, ...]:
        """The words to choose from: `words`, or those of a metavar such as `any|prompt|token`."""
        return self.words or (
            tuple(self.metavar.split("|")) if _CHOICES.fullmatch(self.metavar) else ()
        )

    def parameter(self) -> inspect.Parameter:
        """As a parameter of a function that typer understands."""
        complete = completer(self.values, self.choices) if self.values or self.choices else None
        if self.positional:
            info = typer.Argument(
                metavar=self.metavar,
                help=self.help,
                show_default=False,
                autocompletion=complete,
            )
        else:
            info = typer.Option(
                self.flag,
                metavar=self.metavar,
                help=self.help,
                autocompletion=complete,
                rich_help_panel=self.panel,
                show_default=isinstance(self.default, str),
            )
        needed = self.positional and self.kind is str
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if needed else self.default,
            annotation=Annotated[self.kind, info],
        )


class Flags:
    """The flags of one call, read one by one; `problems` gathers what is wrong with them."""

    def __init__(self, values: Mapping[str, Any], flags: Sequence[Flag]) -> None:
        self.values = dict(values)
        self.problems: list[Problem] = []
        self._flags = {flag.name: flag for flag in flags}

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name)

    def refuse(self, name: str, what: str, fix: str = "") -> None:
        """Add a problem of the flag `name`."""
        self.problems.append(Problem(self._flags[name].flag, what, fix))

    def look_up(self, fact: Callable[[], Found]) -> Found | None:
        """A fact; None if there is none, which is a problem."""
        try:
            return fact()
        except InputError as error:
            self.problems += error.problems
            return None

    def number(self, name: str, example: str = "") -> float | dict[str, Any] | None:
        """A number, or one with its unit: `70`, `4200 requests/min`."""
        text: str | None = self[name]
        if text is None:
            return None
        with_unit = _NUMBER_UNIT.fullmatch(text)
        number = _parse(float, with_unit[1] if with_unit else text)
        if number is None:
            self.refuse(name, f"{_short(text)} is not a number", example)
            return None
        return {"value": number, "unit": with_unit[2]} if with_unit else number

    def share(self, name: str) -> float | None:
        """A number of 0 to 1."""
        text: str | None = self[name]
        number = None if text is None else _parse(float, text)
        if text is not None and (number is None or not 0.0 <= number <= 1.0):
            self.refuse(name, f"must be a share of 0 to 1, not {_short(text)}")
            return None
        return number

    def whole(self, name: str, *, low: int | None = None) -> int | None:
        """A whole number."""
        text: str | None = self[name]
        if text is None:
            return None
        number: int | None = _parse(int, text)
        if number is None or (low is not None and number < low):
            bound = "" if low is None else f" of at least {low}"
            self.refuse(name, f"must be a whole number{bound}, not {_short(text)}")
            return None
        return number

    def wholes(self, name: str) -> list[int] | None:
        """Whole numbers with commas between them."""
        return self._several(name, int, "whole numbers")

    def numbers(self, name: str) -> list[float] | None:
        """Numbers with commas between them."""
        return self._several(name, float, "numbers")

    def _several(self, name: str, kind: type[Any], what: str) -> list[Any] | None:
        text: str | None = self[name]
        if text is None:
            return None
        values = [_parse(kind, part.strip()) for part in text.split(",")]
        if None in values:
            self.refuse(name, f"must be {what} with commas between them, not {_short(text)}")
            return None
        return values

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """One of `choices`."""
        text: str = self[name]
        if text not in choices:
            from splitwise_plan.suggest import did_you_mean

            self.refuse(name, f"{_short(text)} is not known", did_you_mean(text, choices))
        return text

    def listed(self, *names: str) -> list[str] | None:
        """The ids of flags that may be repeated, or hold several with commas between them."""
        texts = [text for name in names for text in _as_list(self[name])]
        ids = [part.strip() for text in texts for part in text.split(",")]
        return ids if texts else None


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its flags, and what it does with them; that returns the exit code."""

    name: str
    run: Callable[[Flags], int]
    flags: tuple[Flag, ...]
    example: str
    """A command line that works as it is."""

    def add_to(self, app: typer.Typer, panel: str | None = None) -> None:
        """Make typer know the command; `panel`: where the help lists it."""

        def call(**values: Any) -> int:
            return self.run(Flags(values, self.flags))

        parameters = [flag.parameter() for flag in self.flags]
        signature = inspect.Signature(parameters)
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__annotations__ = {one.name: one.annotation for one in parameters}
        app.command(
            self.name,
            cls=HelpfulCommand,
            help=paragraphs(self.run.__doc__),
            epilog=f"Example: {self.example}",
            rich_help_panel=panel,
        )(call)


def _as_list(value: str | list[str] | None) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def _parse(kind: type[Any], text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        return None


def _short(text: str) -> str:
    return repr(text) if len(text) <= SHOWN else repr(text[:SHOWN]) + "…"
