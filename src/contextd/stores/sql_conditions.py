"""`domain.conditions` as SQL over a record's body. Values and paths are bound parameters."""

from __future__ import annotations

import re
from typing import Any

from contextd.domain.conditions import AllOf, AnyOf, Compare, Condition, Not

_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;()+=@#-]+")
"""Text that every JSON encoder writes unchanged."""


def sql_of(condition: Condition) -> tuple[str, list[Any]]:
    """The condition as an expression over the column `body`, and its bound values."""
    match condition:
        case AllOf(parts):
            return _joined(parts, " AND ", "1")
        case AnyOf(parts):
            return _joined(parts, " OR ", "0")
        case Not(part):
            clause, values = sql_of(part)
            return f"NOT ({clause})", values
        case Compare():
            return _compare(condition)


def _joined(parts: tuple[Condition, ...], word: str, empty: str) -> tuple[str, list[Any]]:
    clauses = [sql_of(part) for part in parts]
    text = word.join(f"({clause})" for clause, _ in clauses)
    return text or empty, [value for _, values in clauses for value in values]


def _compare(test: Compare) -> tuple[str, list[Any]]:
    path = "$.data" + "".join(f'."{name}"' for name in test.path)
    value, sign = test.value, test.comparison
    if value is None:
        if sign != "=":
            return "0", []
        return "ifnull(json_type(body, ?), 'null') = 'null'", [path]
    if isinstance(value, bool):
        if sign != "=":
            return "0", []
        kind = "'true'" if value else "'false'"
        return _case(f"WHEN {kind} THEN 1", f"type = {kind}"), [path, path]
    kinds = ("'text'",) if isinstance(value, str) else ("'integer'", "'real'")
    single = " ".join(f"WHEN {kind} THEN json_extract(body, ?) {sign} ?" for kind in kinds)
    element = f"type IN ({', '.join(kinds)}) AND atom {sign} ?"
    clause = _case(single, element)
    bound = [path, *[path, value] * len(kinds), path, value]
    if isinstance(value, str) and sign == "=" and _PLAIN.fullmatch(value):
        # Most bodies do not contain the text at all, which needs no parsing.
        return f"instr(body, ?) > 0 AND {clause}", [value, *bound]
    return clause, bound


def _case(single: str, element: str) -> str:
    # json_type and json_extract share one parse of the body, json_each needs its own.
    return (
        f"CASE json_type(body, ?) {single} WHEN 'array' THEN EXISTS"
        f" (SELECT 1 FROM json_each(body, ?) WHERE {element}) ELSE 0 END"
    )
