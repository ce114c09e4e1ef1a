"""A row of the table of settings: its default, its meaning, and which values it accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from contextd.redaction.cutting import quoted
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, nearest

Value = str | int | float | bool
Reach = Literal["process", "home", "project"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. `least` is the smallest number allowed. `form` is a pattern for text values;
    an error does not repeat a value that fails it, because it may be a misplaced secret. A setting with
    the reach of a project may be set in the project's own file and applies at once. One with the reach
    of the home applies to all projects at once, one with that of the process at the daemon's next
    start.
    """

    name: str
    default: Value
    description: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    reach: Reach = "project"
    form: str = ""

    @property
    def environment(self) -> str:
        """The environment variable that sets it."""
        return "CONTEXTD_" + self.name.upper().replace(".", "_")

    def parse(self, value: Any, origin: str) -> Value:
        """`value` as this setting's type. Raises `Invalid` naming the origin."""
        kind = type(self.default)
        try:
            if kind is bool:
                parsed: Value = _boolean(value)
            elif value is None or isinstance(value, (bool, Mapping, list)):
                raise ValueError
            else:
                parsed = kind(value)
        except (TypeError, ValueError):
            wrong = f"{self.name} in {origin} must be {_TYPES[kind]}, got {quoted(value, 60)}"
            raise Invalid(wrong, self.description) from None
        if self.choices and parsed not in self.choices:
            hint = nearest(str(parsed), self.choices) or "one of " + ", ".join(self.choices)
            raise Invalid(f"{self.name} in {origin} cannot be {parsed!r}", hint)
        if self.form and re.fullmatch(self.form, str(parsed)) is None:
            raise Invalid(f"{self.name} in {origin} has an invalid format", self.description)
        if self.least is not None and not isinstance(parsed, str) and parsed < self.least:
            wrong = f"{self.name} in {origin} must be {self.least:g} or more, got {parsed:g}"
            raise Invalid(wrong, self.description)
        return parsed


_TYPES = {bool: "true or false", int: "an integer", float: "a number", str: "a text"}
"""Names of setting types in errors."""


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    known = {"true": True, "1": True, "yes": True, "on": True}
    known |= {"false": False, "0": False, "no": False, "off": False}
    return known[str(value).lower()] if str(value).lower() in known else bool(int("?"))
