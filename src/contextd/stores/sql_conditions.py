"""Conditions as SQL. Values and paths are bound parameters.

A number is written `+ 0`, which SQLite ignores; PostgreSQL, whose expressions have one type, reads a number there.
"""

from __future__ import annotations

import re
from collections.abc import Sized
from typing import Any

from contextd.domain.conditions import AllOf, AnyOf, Compare, Condition, Not

BEGINS = "id >= ? AND id < ? || char(1114111)"
"""Whether an id begins with a prefix, which is bound twice."""

PRESENT_NOW = "status IN ('active', 'candidate', 'inbox')"
"""`domain.records.PRESENT`, spelled as in the index `records_said`."""

_INDEXED = {
    "contextType": "json_extract(body, '$.data.contextType') = ?",
    "bubbleId": "json_extract(body, '$.data.bubbleId') = ?",
}
"""Spelled exactly as in the indexes `records_typed` and `records_in_bubble`. Context entries have text
there or nothing.
"""

_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;()+=@#-]+")
"""Text that every JSON encoder writes unchanged."""


def placeholders(values: Sized) -> str:
    """`?,?,…` for an IN list."""
    return ",".join("?" * len(values))


def sql_of(condition: Condition) -> tuple[str, list[Any]]:
    """The condition as an expression over the column `body`, and its bound values."""
    match condition:
        case AllOf(parts):
            return _joined(parts, " AND ", "TRUE")
        case AnyOf(parts):
            return _joined(parts, " OR ", "FALSE")
        case Not(part):
            clause, values = sql_of(part)
            return f"NOT ({clause})", values
        case Compare():
            return _compare(condition)


def equals(name: str, value: Any) -> tuple[str, list[Any]]:
    """Whether a field has a value, by its index if it has one. Never negate it: without the field it is null."""
    if name in _INDEXED and isinstance(value, str):
        return _INDEXED[name], [value]
    return sql_of(Compare((name,), "=", value))


def _joined(parts: tuple[Condition, ...], word: str, empty: str) -> tuple[str, list[Any]]:
    clauses = [sql_of(part) for part in parts]
    text = word.join(f"({clause})" for clause, _ in clauses)
    return text or empty, [value for _, values in clauses for value in values]


def _compare(test: Compare) -> tuple[str, list[Any]]:
    path = "$.data" + "".join(f'."{name}"' for name in test.path)
    value, sign = test.value, test.comparison
    if value is None:
        if sign != "=":
            return "FALSE", []
        return "ifnull(json_type(body, ?), 'null') = 'null'", [path]
    if isinstance(value, bool):
        if sign != "=":
            return "FALSE", []
        kind = "'true'" if value else "'false'"
        return _case(f"WHEN {kind} THEN TRUE", _element(f"type = {kind}")), [path, path]
    kinds = ("'text'",) if isinstance(value, str) else ("'integer'", "'real'")
    found = "json_extract(body, ?)" if isinstance(value, str) else "json_extract(body, ?) + 0"
    single = " ".join(f"WHEN {kind} THEN {found} {sign} ?" for kind in kinds)
    clause = _case(single, _among(value, sign, ", ".join(kinds)))
    bound = [path, *[path, value] * len(kinds), path, value]
    if isinstance(value, str) and sign == "=" and _PLAIN.fullmatch(value):
        # Most bodies do not contain the text at all, which needs no parsing.
        return f"instr(body, ?) > 0 AND {clause}", [value, *bound]
    return clause, bound


def _case(single: str, element: str) -> str:
    # json_type and json_extract share one parse of the body, json_each needs its own.
    return f"CASE json_type(body, ?) {single} WHEN 'array' THEN {element} ELSE FALSE END"


def _among(value: str | float, sign: str, kinds: str) -> str:
    if isinstance(value, str):
        return _element(f"type IN ({kinds}) AND atom {sign} ?")
    # CASE, because a database may compare before it checks the type.
    return _element(f"CASE WHEN type IN ({kinds}) THEN atom + 0 {sign} ? ELSE FALSE END")


def _element(condition: str) -> str:
    return f"EXISTS (SELECT 1 FROM json_each(body, ?) WHERE {condition})"
