"""Help texts: types are named only where the metavar does not say more."""

from __future__ import annotations

import inspect
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup


class HelpfulCommand(TyperCommand):
    """A command whose help shows no `<bool>` beside a flag and no `<str>` beside an argument."""

    def get_params(self, ctx: Any) -> list[Any]:
        return [_untyped(parameter) for parameter in super().get_params(ctx)]


class HelpfulGroup(TyperGroup):
    """The same for a group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        return [_untyped(parameter) for parameter in super().get_params(ctx)]


def paragraphs(text: str | None) -> str:
    """A docstring whose lines may be broken anew."""
    parts = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in parts)


def _untyped(parameter: Any) -> Any:
    if isinstance(parameter, TyperArgument):
        parameter.display_type_rich = lambda ctx: None  # type: ignore[method-assign]
    elif getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    return parameter
