"""Parse filters for a type: `{"project": "shop", "n": {"$gt": 2}}`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from contextd.domain.conditions import AllOf, AnyOf, Compare, Comparison, Condition, Not
from contextd.domain.kind import Field
from contextd.redaction.cutting import quoted
from contextd_common.errors import Invalid, nearest

OPERATORS: dict[str, Comparison] = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
ON_FIELDS = ("$gt", "$gte", "$lt", "$lte", "$ne", "$in", "$nin", "$not")
ON_FILTERS = ("$and", "$or", "$not")
MOST_DEPTH = 12
_NAME = re.compile(r"[^\W\d][\w-]{0,63}")


def parse_filter(
    filter: Mapping[str, Any],
    fields: Mapping[str, Field],
    *,
    within: tuple[str, ...] = (),
    open: bool = False,
    held: Callable[[str], bool] | None = None,
) -> Condition | None:
    """The condition of a filter; None for an empty one.

    A field maps to a value (equality or containment) or to operators; several keys must all match. A list for
    a list field means that it contains all of them. `within` is the path of the fields in a record's data.
    Unknown fields are accepted if `open`, or if `held` says that some record has the field. Raises one
    `Invalid` with every problem.
    """
    parser = _Parser(fields, within, lambda name: open or bool(held and held(name)))
    condition = parser.all_of(filter, 1)
    if parser.problems:
        raise Invalid(
            "filter: " + "; ".join(parser.problems),
            f"fields: {', '.join(fields) or 'any'}; operators: {' '.join((*ON_FIELDS, '$and', '$or'))}",
            {"problems": parser.problems},
        )
    return condition if filter else None


class _Parser:
    """One pass over a filter that collects all problems."""

    def __init__(
        self, fields: Mapping[str, Field], within: tuple[str, ...], held: Callable[[str], bool]
    ) -> None:
        self._fields, self._within, self._held = fields, within, held
        self.problems: list[str] = []

    def all_of(self, filter: Any, depth: int) -> Condition:
        if not isinstance(filter, Mapping):
            return self._wrong(f"{quoted(filter, 60)} is not a filter; write {{field: value}}")
        if depth > MOST_DEPTH:
            return self._wrong(f"nested more than {MOST_DEPTH} levels deep; simplify it")
        return _all([self._entry(name, value, depth) for name, value in filter.items()])

    def _entry(self, name: str, value: Any, depth: int) -> Condition:
        if name == "$not":
            return Not(self.all_of(value, depth + 1))
        if name in ("$and", "$or"):
            parts = self._parts(name, value, lambda part: self.all_of(part, depth + 1))
            return _all(parts) if name == "$and" else AnyOf(tuple(parts))
        if name.startswith("$"):
            hint = nearest(name, (*ON_FILTERS, *ON_FIELDS)) or "known: " + " ".join(ON_FILTERS)
            if name in ON_FIELDS:
                hint = f"it belongs to a field: {{field: {{{name!r}: …}}}}"
            return self._wrong(f"operator {name!r} is not allowed here ({hint})")
        field = self._field(name)
        if field is None:
            return AllOf(())
        return self._on_field(name, field, value, depth)

    def _field(self, name: str) -> Field | None:
        if name in self._fields:
            return self._fields[name]
        if _NAME.fullmatch(name) and self._held(name):
            return _ANY
        hint = nearest(name, list(self._fields)) or "known: " + (", ".join(self._fields) or "none")
        self._wrong(f"unknown field {name!r} ({hint})")
        return None

    def _on_field(self, name: str, field: Field, value: Any, depth: int) -> Condition:
        if depth > MOST_DEPTH:
            return self._wrong(f"{name}: nested more than {MOST_DEPTH} levels deep; simplify it")
        if isinstance(value, Mapping):
            if not value:
                return self._wrong(f"{name}: no operator given (known: {' '.join(ON_FIELDS)})")
            return _all([self._operator(name, field, *pair, depth) for pair in value.items()])
        return self._equal(name, field, value)

    def _operator(
        self, name: str, field: Field, operator: str, value: Any, depth: int
    ) -> Condition:
        if operator in OPERATORS:
            if field.type == "boolean" or isinstance(value, bool) or value is None:
                return self._wrong(f"{name}: {operator} compares numbers or strings")
            return self._compare(name, field, OPERATORS[operator], value)
        if operator == "$ne":
            return Not(self._equal(name, field, value))
        if operator in ("$in", "$nin"):
            parts = self._parts(
                f"{name}: {operator}", value, lambda part: self._equal(name, field, part)
            )
            found = AnyOf(tuple(parts))
            return Not(found) if operator == "$nin" else found
        if operator == "$not":
            return Not(self._on_field(name, field, value, depth + 1))
        hint = nearest(operator, ON_FIELDS) or "known: " + " ".join(ON_FIELDS)
        return self._wrong(f"{name}: unknown operator {operator!r} ({hint})")

    def _equal(self, name: str, field: Field, value: Any) -> Condition:
        if isinstance(value, list | tuple):
            if field.type != "string[]" and field is not _ANY:
                return self._wrong(f"{name} is not a list; to match one of several values use $in")
            return _all(
                self._parts(name, value, lambda part: self._compare(name, field, "=", part))
            )
        return self._compare(name, field, "=", value)

    def _compare(self, name: str, field: Field, comparison: Comparison, value: Any) -> Condition:
        problem = _unfit(field, value)
        if problem:
            return self._wrong(f"{name}: {problem}, got {quoted(value, 60)}")
        return Compare((*self._within, name), comparison, value)

    def _parts(self, what: str, value: Any, read: Callable[[Any], Condition]) -> list[Condition]:
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            self._wrong(f"{what} requires a non-empty list")
            return []
        return [read(part) for part in value]

    def _wrong(self, problem: str) -> Condition:
        self.problems.append(problem)
        return AllOf(())


_ANY = Field()


def _all(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _unfit(field: Field, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int | float) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        return "compare with text, a finite number, true, false or null"
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return "the number must fit into 64 bits"
    if field is _ANY:
        return ""
    match field.type:
        case "number":
            fits = isinstance(value, int | float) and not isinstance(value, bool)
            return "" if fits else "must be a number"
        case "boolean":
            return "" if isinstance(value, bool) else "must be true or false"
        case _:
            return "" if isinstance(value, str) else "must be a string"
