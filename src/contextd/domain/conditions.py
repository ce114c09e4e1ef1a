"""Conditions on the typed fields of a record, and their evaluation.

A missing field equals null. A test on a list holds when it holds for any element. Values of different JSON
types are neither equal nor ordered; true is not 1. Strings are ordered by code point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from contextd_common.dataclass import dataclass

Comparison = Literal["=", ">", ">=", "<", "<="]
Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Compare:
    """Compare one field with one value. `path` is the path of the field inside `Record.data`."""

    path: tuple[str, ...]
    comparison: Comparison
    value: Scalar


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds; true for no parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds; false for no parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition: TypeAlias = Compare | AllOf | AnyOf | Not


def holds(condition: Condition, data: Mapping[str, Any]) -> bool:
    """Whether a record with this `data` meets the condition."""
    match condition:
        case AllOf(parts):
            return all(holds(part, data) for part in parts)
        case AnyOf(parts):
            return any(holds(part, data) for part in parts)
        case Not(part):
            return not holds(part, data)
        case Compare(path, comparison, value):
            found = _at(data, path)
            if value is None:
                return comparison == "=" and found is None
            elements = found if isinstance(found, list | tuple) else [found]
            return any(_compares(element, comparison, value) for element in elements)


def _at(data: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


def _compares(stored: Any, comparison: Comparison, asked: Scalar) -> bool:
    if isinstance(stored, bool) or isinstance(asked, bool):
        return comparison == "=" and stored is asked
    if isinstance(stored, str) and isinstance(asked, str):
        return _ordered(stored, comparison, asked)
    if isinstance(stored, int | float) and isinstance(asked, int | float):
        return _ordered(_number(stored), comparison, _number(asked))
    return False


def _ordered(stored: Any, comparison: Comparison, asked: Any) -> bool:
    match comparison:
        case "=":
            return bool(stored == asked)
        case ">":
            return bool(stored > asked)
        case ">=":
            return bool(stored >= asked)
        case "<":
            return bool(stored < asked)
        case "<=":
            return bool(stored <= asked)


def _number(value: int | float) -> int | float:
    """Read a number like a database with 64-bit integers: larger ones become floating point."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return value
