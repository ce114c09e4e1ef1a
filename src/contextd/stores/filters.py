"""The semantics of a `Query` for all stores: checks, cursor, tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from contextd.domain.conditions import AllOf, AnyOf, Compare, Condition, Not
from contextd.domain.limits import SHORTEST_ID
from contextd.domain.query import Document, Page, Query
from contextd.domain.records import Record
from contextd.domain.time import to_micros
from contextd.stores.codec import dumps
from contextd_common.errors import Conflict, Invalid, NotFound, TooLarge

MOST_PARTS = 500
MOST_DEPTH = 20
"""SQLite limits the depth and length of expressions; this is well below."""

_FIELD = re.compile(r"[^\W\d][\w-]{0,63}")
_CURSOR = re.compile(r"(-?\d{1,18}):(.+)", re.DOTALL)
_TOKEN = re.compile(r"[0-9A-Za-z_\u0080-\ud7ff\ue000-\U0010ffff]+")


def check_where(where: Mapping[str, Any]) -> None:
    """Raise `Invalid` unless every name is a valid field name and every value a scalar."""
    for name, value in where.items():
        if not _FIELD.fullmatch(name):
            raise Invalid(f"{name!r} is not a field name", "use letters, digits, _ and -")
        if value is not None and not isinstance(value, str | int | float):
            raise Invalid(
                f"{name}: cannot compare with {type(value).__name__}",
                "use a string, a number or a boolean",
            )
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise Invalid(f"{name}: {value} is out of range", "use a number of at most 64 bits")
        dumps(value)


def check_condition(condition: Condition | None) -> None:
    """Raise `Invalid` or `TooLarge` for a condition that no store supports."""
    if condition is not None and _check(condition, 1) > MOST_PARTS:
        raise TooLarge(f"a filter of more than {MOST_PARTS} parts", "split the query")


def _check(condition: Condition, depth: int) -> int:
    if depth > MOST_DEPTH:
        raise TooLarge(f"a filter nested more than {MOST_DEPTH} deep", "flatten it")
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return 1 + sum(_check(part, depth + 1) for part in parts)
        case Not(part):
            return 1 + _check(part, depth + 1)
        case Compare(path, _, value):
            for name in path:
                if not _FIELD.fullmatch(name):
                    raise Invalid(f"{name!r} is not a field name", "use letters, digits, _ and -")
            finite = not isinstance(value, float) or math.isfinite(value)
            whole = not isinstance(value, int) or -(2**63) <= value < 2**63
            if not (finite and whole):
                raise Invalid(f"{value} is out of range", "use a number of at most 64 bits")
            dumps(value)
            return 1


def cursor_after(record: Record) -> str:
    """The cursor of the page after this record."""
    return f"{to_micros(record.created_at)}:{record.id}"


def read_cursor(cursor: str) -> tuple[int, str] | None:
    """(created_at, id) that a page starts below; None for the first page. Raises `Invalid`."""
    if not cursor:
        return None
    match = _CURSOR.fullmatch(cursor)
    if not match:
        raise Invalid("the cursor was not issued by contextd", "request the first page again")
    return int(match[1]), match[2]


def check_prefix(prefix: str) -> None:
    """Raise `Invalid` for a prefix that is too short."""
    if len(prefix) < SHORTEST_ID:
        raise Invalid(
            f"{prefix!r} is too short for an id", f"give at least {SHORTEST_ID} characters of it"
        )


def facet_conditions(query: Query) -> list[str]:
    """The facets a document must have: tags, the session, and typed fields."""
    check_where(query.where)
    if query.filter is not None:
        raise Invalid("an index cannot filter by typed fields", "filter records with find")
    if query.trust or query.source:
        raise Invalid("an index cannot filter by trust or source", "filter records with find")
    found = [f"tag={tag}" for tag in query.tags]
    if query.session:
        found.append(f"session={query.session}")
    return found + [f"{name}={value}" for name, value in query.where.items()]


def facets_of(document: Document) -> tuple[str, ...]:
    """The facets of a document, without duplicates."""
    return tuple(dict.fromkeys(document.facets))


def asked_tokens(words: Sequence[str]) -> list[str]:
    """The distinct words that can be index tokens; others match nothing."""
    folded = dict.fromkeys(word.casefold() for word in words)
    return [word for word in folded if _TOKEN.fullmatch(word)]


def only_one(prefix: str, found: Sequence[Record]) -> Record:
    """The only record for a prefix. Raises `NotFound` or `Conflict`."""
    if not found:
        raise NotFound(f"no record {prefix!r} here", "search for it, or give its full id")
    if len(found) > 1:
        ids = [record.id for record in found[:10]]
        raise Conflict(
            f"{prefix!r} is ambiguous: {', '.join(ids)}",
            "give more characters of the id",
            {"candidates": ids},
        )
    return found[0]


def page(found: Sequence[Record], limit: int) -> Page:
    """A page of at most `limit` records, from a read of one more."""
    records = list(found[: max(0, limit)])
    return Page(records, cursor_after(records[-1]) if records and len(found) > len(records) else "")
