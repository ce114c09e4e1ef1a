"""Translate the shared statements, which are written for SQLite, into PostgreSQL's.

Every table gets the organisation as a literal beside the row-level security that hides other organisations anyway:
only a literal lets the planner choose one partition and the indexes of it.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from contextd.stores.database import Values
from contextd_common.dataclass import dataclass

_REWRITES = (
    (re.compile(r"\bifnull\("), "coalesce("),
    (re.compile(r"\bchar\(1114111\)"), "chr(1114111)"),
    (re.compile(r"\bmax\((?=[^(),]+,)"), "greatest("),
    (re.compile(r"\bmin\((?=[^(),]+,)"), "least("),
    (re.compile(r"\binstr\(body, \?\) > 0"), "strpos(body, ?) > 0"),
    (re.compile(r"\bjson_extract\(body, \?\) \+ 0"), "json_number(body, ?)"),
    (re.compile(r"\batom \+ 0"), "json_atom(atom)"),
    (re.compile(r" INDEXED BY \w+"), ""),
    (re.compile(r"\bCROSS JOIN (\w+ \w+) ON\b"), r"JOIN \1 ON"),
    # The plus that keeps SQLite from an index.
    (re.compile(r"(?<=[ (])\+(?=[a-z])"), ""),
    (re.compile(r"\bON CONFLICT \("), "ON CONFLICT (org, "),
    (re.compile(r"\bNOT IN \(\)"), "IS NOT NULL"),
    # SQLite has one writer, and reads the lock of a row as a comment.
    (re.compile(r"/\* (FOR UPDATE(?: SKIP LOCKED)?) \*/"), r"\1"),
    (re.compile(r"\bIN \(\)"), "IN (NULL)"),
)
"""SQLite's words, and PostgreSQL's."""

_READ = re.compile(
    r"\b(FROM|JOIN)\s+(\w+)\b(?!\()"
    r"(?:\s+(?!(?:WHERE|JOIN|LEFT|CROSS|ON|ORDER|GROUP|LIMIT|UNION|SET|EXCEPT|AND)\b)(\w+))?"
)
_DELETE = re.compile(r"\s*DELETE FROM (\w+)(?:\s+WHERE\b)?")
_UPDATE = re.compile(r"\s*UPDATE (\w+) SET\b")
_AMONG = re.compile(
    r"(?<!NOT )\bIN \(SELECT (?:CAST\(value AS BIGINT\)|value) FROM json_each\(\?\)\)"
)
"""One of the values of a JSON list. The planner takes a function for a hundred rows and reads the whole table beside it; a list of
literals is looked up by an index.
"""

_PLACE = re.compile(r"\?(\d*)|(?<![:\w]):([a-z]\w*)")
_NOT_TABLES = frozenset(("json_each",))


@dataclass(frozen=True, slots=True)
class TranslatedStatement:
    """A statement for PostgreSQL, and how its values are named: by position, or `?1` as `_1`. The values at `lists` are JSON lists
    that it takes as arrays.
    """

    sql: str
    numbered: bool
    lists: frozenset[int] = frozenset()


@lru_cache(maxsize=4_096)
def translated(sql: str, org: int) -> TranslatedStatement:
    """The statement for the rows of an organisation. Raises `ValueError` for a change without a condition."""
    for pattern, words in _REWRITES:
        sql = pattern.sub(words, sql)
    numbered = bool(re.search(r"\?\d", sql))
    lists: frozenset[int] = frozenset()
    if not numbered:
        lists = frozenset(sql.count("?", 0, found.start()) for found in _AMONG.finditer(sql))
        sql = _AMONG.sub("= ANY (?)", sql)
    sql = _limited(sql, f"org = {org}")
    counter = iter(range(1, sql.count("?") + 1))

    def place(found: re.Match[str]) -> str:
        if found[2]:
            return f"%({found[2]})s"
        if not numbered:
            return "%s"
        return f"%(_{found[1] or next(counter)})s"

    return TranslatedStatement(_PLACE.sub(place, sql.replace("%", "%%")), numbered, lists)


def bound(statement: TranslatedStatement, values: Values) -> Any:
    """The values as the statement names them."""
    if isinstance(values, dict):
        return {name: storable(value) for name, value in values.items()}
    stored = tuple(
        [storable(one) for one in json.loads(value)]
        if place in statement.lists
        else storable(value)
        for place, value in enumerate(values)
    )
    if statement.numbered:
        return {f"_{number}": value for number, value in enumerate(stored, 1)}
    return stored


_ESCAPE = "\uf8f0"
"""A private character. PostgreSQL's text has no NUL, so it is stored as this and a zero."""


def storable(value: Any) -> Any:
    """The value as PostgreSQL can store it."""
    if not isinstance(value, str) or ("\0" not in value and _ESCAPE not in value):
        return value
    return value.replace(_ESCAPE, 2 * _ESCAPE).replace("\0", f"{_ESCAPE}0")


def restored(rows: list[Any]) -> list[Any]:
    """The rows as they were stored."""
    return [
        tuple(map(_restored, row)) if any(isinstance(v, str) and _ESCAPE in v for v in row) else row
        for row in rows
    ]


def _restored(value: Any) -> Any:
    if not isinstance(value, str) or _ESCAPE not in value:
        return value
    parts = value.split(2 * _ESCAPE)
    return _ESCAPE.join(part.replace(f"{_ESCAPE}0", "\0") for part in parts)


def _limited(sql: str, mine: str) -> str:
    """The statement with every table limited to the rows that meet `mine`."""
    head = ""
    deleted = _DELETE.match(sql)
    if deleted:
        head, sql = f"DELETE FROM {deleted[1]} WHERE {mine} AND ", sql[deleted.end() :]
        if not deleted[0].endswith("WHERE"):
            raise ValueError(f"a DELETE without WHERE: {deleted[0]}")
    updated = _UPDATE.match(sql)
    if updated:
        at = _outer_where(sql)
        sql = f"{sql[:at]}WHERE {mine} AND ({sql[at + len('WHERE') :]}"
        sql = _closed(sql)

    def read(found: re.Match[str]) -> str:
        word, table, alias = found[1], found[2], found[3]
        if table in _NOT_TABLES or table.upper() == "SELECT":
            return found[0]
        return f"{word} (SELECT * FROM {table} WHERE {mine}) {alias or table}"

    return head + _READ.sub(read, sql)


def _outer_where(sql: str) -> int:
    depth = 0
    for found in re.finditer(r"[()]|\bWHERE\b", sql):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found[0] == "WHERE" and not depth:
            return found.start()
    raise ValueError(f"an UPDATE without WHERE: {sql[:60]}")


def _closed(sql: str) -> str:
    """The condition of an UPDATE in parentheses: it may contain OR."""
    returning = sql.rfind(" RETURNING ")
    return f"{sql})" if returning < 0 else f"{sql[:returning]}){sql[returning:]}"
