"""Numbers with unit and source: `{ value = 17.6, unit = "USD/h", source = "…" }`, for pydantic."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from splitwise_plan.units import Dimension, UnitError, to_si


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise PydanticCustomError("one_line", "must be one line, without control characters", {})
    return text


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_one_line)]
"""Text that tables, comments and workflow commands can show as it is."""


class Strict(BaseModel):
    """Base of every schema: unknown keys, other types, NaN and infinity are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    elsewhere: ClassVar[dict[str, str]] = {}
    """Keys that belong into another file or command, and what to tell of them."""


class Quantity(Strict):
    """A number and its unit. Files of facts also say where it comes from (`Fact`)."""

    value: float
    unit: str
    source: str = ""
    assumed: bool = False
    note: str = ""

    @property
    def si(self) -> float:
        """The value in SI. The unit was checked when the quantity was made."""
        return to_si(self.value, self.unit)


class Fact(Quantity):
    """A quantity that names its source."""

    source: str = Field(min_length=3)


def within(
    dimension: Dimension, low: float, high: float, *, whole: bool = False, above: bool = False
) -> AfterValidator:
    """Demand a unit of `dimension` and a value of `low` to `high` in SI.

    `above`: `low` itself is refused. `whole`: so are fractions.
    """

    def check(quantity: Quantity) -> Quantity:
        try:
            si = to_si(quantity.value, quantity.unit, dimension)
        except UnitError as error:
            raise PydanticCustomError("unit", "{why}", {"why": str(error)}) from None
        if not low <= si <= high or (above and si == low):
            bound = f"{'above' if above else 'at least'} {plain(low)} and at most {plain(high)}"
            raise PydanticCustomError("range", "must be {bound}", {"bound": bound})
        if whole and si != int(si):
            raise PydanticCustomError("whole", "must be a whole number", {})
        return quantity

    return AfterValidator(check)


_EXPONENT_FROM = 1e12


def plain(value: float) -> str:
    """A number without an exponent where that is shorter to read."""
    return f"{value:,.0f}" if value == int(value) and value < _EXPONENT_FROM else f"{value:g}"


def number_in(unit: str) -> BeforeValidator:
    """Let a plain number stand for a quantity in `unit`."""

    def wrap(value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return {"value": value, "unit": unit}
        if isinstance(value, dict | Quantity):
            return value
        example = f"a number, or {{ value = 1, unit = {unit!r} }}"
        raise PydanticCustomError("quantity", "must be {example}", {"example": example})

    return BeforeValidator(wrap)
