"""`domain.conditions` as SQL over the body of a record. Values and paths are bound, never spelled."""

from __future__ import annotations

from typing import Any

from contextd.domain.conditions import AllOf, AnyOf, Compare, Condition, Not


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
        types, compared, bound = ("'true'" if value else "'false'"), "", []
    else:
        types = "'text'" if isinstance(value, str) else "'integer', 'real'"
        compared, bound = f" AND atom {sign} ?", [value]
    # json_each lists the members of an object too; an object equals nothing.
    return (
        "(ifnull(json_type(body, ?), 'null') <> 'object' AND EXISTS"
        f" (SELECT 1 FROM json_each(body, ?) WHERE type IN ({types}){compared}))",
        [path, path, *bound],
    )
