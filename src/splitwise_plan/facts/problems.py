"""From pydantic's errors to ours: file and line, the value, and what would have done."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, RootModel, ValidationError
from pydantic_core import ErrorDetails

from splitwise_plan.errors import MAX_TOLD, InputError, ManyProblems, Problem
from splitwise_plan.facts.files import TomlFile
from splitwise_plan.facts.toml_lines import KeyPath
from splitwise_plan.suggest import did_you_mean

Model = TypeVar("Model", bound=BaseModel)
Place = Callable[[KeyPath, str, str], Problem]
"""Makes a problem of a key path, what is wrong and the fix; it knows the file and line, or flag."""

_MESSAGES = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "finite_number": "must be a finite number",
    "model_type": "must be a table",
    "dict_type": "must be a table",
    "list_type": "must be a list",
}

_TOO_SHORT = ("too_short", "string_too_short")
_NAMES = {
    "families": "name at least one, e.g. splitwise-hh",
    "hardware": "name a folder of facts, or drop it",
    "workload": "e.g. coding",
    "trace": "name a file, e.g. requests.csv",
    "llm": "e.g. bloom-176b",
    "assumptions": "e.g. measured",
    "slo": "e.g. splitwise, or a file such as my-slos.toml",
    "source": "say where the number comes from",
}
"""What an empty key could have said."""

SHOWN = 60
"""Characters of a wrong value that are shown."""


def validate(model: type[Model], data: Any, place: Place) -> Model:
    """Validate `data`. Raises `InputError` with a problem for each thing that is wrong."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True)
        told = [_problem(model, detail, place) for detail in details[:MAX_TOLD]]
        untold = len(details) - len(told)
        raise InputError(ManyProblems(told[-1].where, told, untold)) from None


def validate_file(model: type[Model], file: TomlFile) -> Model:
    """Validate a TOML file. Raises `InputError`; problems name its lines."""
    return validate(model, file.data, file.problem)


def sound_part(model: type[Model], data: Mapping[str, Any]) -> Model | None:
    """`data` without the top-level keys that are wrong; None if even that is not valid."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        wrong = {detail["loc"][0] for detail in error.errors() if detail["loc"]}
    try:
        return model.model_validate({key: value for key, value in data.items() if key not in wrong})
    except ValidationError:
        return None


def sorted_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Problems, each once, in the order of the lines of a file; those of flags and others first."""
    return sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0)


def _problem(model: type[BaseModel], detail: ErrorDetails, place: Place) -> Problem:
    path = tuple(part for part in detail["loc"] if part != "[key]")
    key = ".".join(str(part) for part in path)
    value, kind = detail["input"], detail["type"]
    if kind == "missing":
        return place(path, f"{key} is missing", "add it")
    if kind == "extra_forbidden":
        known = _keys_at(model, path[:-1])
        elsewhere: Mapping[str, str] = getattr(model, "elsewhere", {})
        fix = elsewhere.get(key) or did_you_mean(str(path[-1]), known)
        return place(path, f"unknown key {key}", fix)
    if kind in _TOO_SHORT:
        return place(path, _too_short(path, value), _fix_of_empty(path))
    message = (
        detail["msg"].replace("Input should be ", "must be ").replace("Input should ", "must ")
    )
    message = _MESSAGES.get(kind, message)
    told = f"{key or 'the file'} {message}"
    if isinstance(value, dict):
        if "value" in value:
            told += f", not {_short(value['value'])} {value.get('unit', '')}".rstrip()
    elif not isinstance(value, BaseModel):
        told += f", not {_short(value)}"
    fix = ""
    if kind == "literal_error":
        expected = str(detail.get("ctx", {}).get("expected", ""))
        choices = [choice.strip("' ") for choice in expected.replace(" or ", ", ").split(",")]
        fix = did_you_mean(value, choices) if isinstance(value, str) else ""
    return place(path, told, fix)


def _too_short(path: KeyPath, value: Any) -> str:
    """`families is empty`; `families holds an empty name`; `source is too short: 'me'`"""
    *outer, last = path or ("the file",)
    if isinstance(last, int):
        return f"{'.'.join(map(str, outer))} holds an empty name"
    key = ".".join(map(str, path)) or last
    return f"{key} is too short: {_short(value)}" if value else f"{key} is empty"


def _fix_of_empty(path: KeyPath) -> str:
    names = [str(part) for part in path if isinstance(part, str)]
    return _NAMES.get(names[-1], "give it a value") if names else ""


def _short(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        shown = "a huge number"
    return shown if len(shown) <= SHOWN else shown[:SHOWN] + "…"


def _keys_at(model: Any, path: KeyPath) -> list[str]:
    """Known keys of the table at `path` in `model`."""
    for part in path:
        model = _inside(model, part)
    model = _unwrapped(model)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return [field.alias or name for name, field in model.model_fields.items()]
    return []


def _inside(model: Any, part: str | int) -> Any:
    """The annotation of `part` of an annotation."""
    model = _unwrapped(model)
    if isinstance(model, type) and issubclass(model, RootModel):
        model = _unwrapped(model.model_fields["root"].annotation)
    if isinstance(model, type) and issubclass(model, BaseModel):
        field = model.model_fields.get(str(part))
        return field.annotation if field else None
    arguments = typing.get_args(model)
    return arguments[-1] if arguments else None


def _unwrapped(annotation: Any) -> Any:
    """An annotation without `Annotated` and `| None`."""
    while typing.get_origin(annotation) is typing.Annotated or (
        type(None) in typing.get_args(annotation)
    ):
        annotation = typing.get_args(annotation)[0]
    return annotation
