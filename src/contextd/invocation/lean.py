"""Answers as data that a model reads: what its window pays for, and no more.

Many clients show their model the data of an answer and not its text, so both should cost the same.
What every field holds by itself is left out, ids are as short as the calls that take them allow, and
instants end at the minute. The rule works on any result: what else an agent can do without, a field
says itself with `DETAIL`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import groupby
from typing import Any, get_type_hints

from contextd.domain.dataclass import dataclass
from contextd.domain.details import Detail
from contextd.domain.quoting import settled
from contextd.domain.records import SHOWN, is_ours, short_id
from contextd.domain.showing import shown
from contextd.runtime.runtime import Runtime

_EMPTY: tuple[Any, ...] = (None, "", [], {})
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)")
_LONGEST_INSTANT = 40
_DIGITS = 2
"""Digits behind the point: nobody decides by the third one."""

_LONGER = (13, 18, 23)
"""Where the groups of an id end: how long its beginning is when a shorter one would be another's too."""


def lean(result: Any, value: Any, runtime: Runtime) -> Any:
    """`value`, the serialised form of `result`, for a model.

    A result with a method `as_lean()` knows its own form.
    """
    own = getattr(result, "as_lean", None)
    if callable(own):
        return own()
    found = set(_ids(result))
    short = _shown(runtime, sorted(found)) if found else {}
    return _lean(result, value, short) or _emptied(value)


def _emptied(value: Any) -> Any:
    """What an agent should see where nothing is left: what there is none of."""
    if not isinstance(value, dict):
        return value
    lists = {name: part for name, part in value.items() if part == []}
    return lists or value


@dataclass(frozen=True, slots=True)
class _Part:
    """A field of a result: its name there and in the data, and what it holds when nothing is said."""

    name: str
    key: str
    default: Any = MISSING


@cache
def _parts(row: type) -> tuple[_Part, ...]:
    """The fields of a class of results that an agent is shown."""
    hints = get_type_hints(row, include_extras=True)
    shown: list[_Part] = []
    for one in fields(row):
        about = getattr(hints[one.name], "__metadata__", ())
        if any(isinstance(mark, Detail) or getattr(mark, "exclude", False) for mark in about):
            continue
        aliases = (getattr(mark, "serialization_alias", None) for mark in about)
        default = one.default
        if one.default_factory is not MISSING:
            default = one.default_factory()
        shown.append(_Part(one.name, next(filter(None, aliases), one.name), default))
    return tuple(shown)


def _lean(result: Any, value: Any, short: Mapping[str, str]) -> Any:
    if isinstance(result, list | tuple) and isinstance(value, list):
        return [_inside(inner, datum, short) for inner, datum in zip(result, value, strict=True)]
    if not is_dataclass(result) or not isinstance(value, Mapping):
        return _plain(value, short)
    values: dict[str, Any] = {}
    for part in _parts(result.__class__):
        inner = getattr(result, part.name)
        if inner != part.default:
            values[part.key] = _inside(inner, value[part.key], short)
    return {name: inner for name, inner in values.items() if inner not in _EMPTY}


def _inside(result: Any, value: Any, short: Mapping[str, str]) -> Any:
    """A part of a result: one that can say itself in a line is that line."""
    line = "as_line" if hasattr(result, "as_line") else "as_text"
    if not is_dataclass(result) or not hasattr(result, line):
        return _lean(result, value, short)
    text = settled(str(getattr(shown(result), line)()))
    for id in _ids(result):
        text = text.replace(short_id(id), short.get(id, id))
    return text


def _plain(value: Any, short: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        whole, dot, number = value.partition(".")
        if whole in short:
            return short[whole] + dot + number
        return _INSTANT.sub(r"\1Z", value) if len(value) < _LONGEST_INSTANT else value
    if isinstance(value, float):
        return round(value, _DIGITS)
    return _without_empty(value)


def _without_empty(value: Any) -> Any:
    """Data whose shape nobody declared, as it is but for what is empty."""
    if isinstance(value, Mapping):
        entries = {name: _without_empty(inner) for name, inner in value.items()}
        return {name: inner for name, inner in entries.items() if inner not in _EMPTY}
    return [_without_empty(inner) for inner in value] if isinstance(value, list) else value


def _ids(result: Any) -> Iterator[str]:
    """The ids in a result, but for those in what a person or a project wrote."""
    if isinstance(result, str):
        whole = result.partition(".")[0]
        if is_ours(whole):
            yield whole
    elif is_dataclass(result):
        for part in _parts(result.__class__):
            yield from _ids(getattr(result, part.name))
    elif isinstance(result, list | tuple):
        for inner in result:
            yield from _ids(inner)


def _shown(runtime: Runtime, ids: Sequence[str]) -> dict[str, str]:
    """For each of these ids that a call from here may name by its beginning, that beginning."""
    begun = _begun(runtime, sorted({id[:SHOWN] for id in ids}))
    short = {id: start for id, start in _beginnings(begun) if id in set(ids)}
    if runtime.project is not None:
        here = frozenset({runtime.scope})
        for id in (id for id in ids if id not in short):
            alike = runtime.view.sessions.find(here, prefix=id[:SHOWN], limit=10)
            short |= {one: start for one, start in _beginnings(s.id for s in alike) if one == id}
    return short


def _begun(runtime: Runtime, starts: Sequence[str]) -> list[str]:
    """The ids of the records that begin so. Of what was written now the commit said it."""
    ids: list[str] = []
    asked: list[str] = []
    for start in starts:
        view, alike = runtime.trace.namesakes.get(start, (None, []))
        if view is runtime.view:
            ids += alike
        else:
            asked.append(start)
    return ids + (runtime.view.records.beginning(asked) if asked else [])


def _beginnings(ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each id with the shortest beginning that is no other one's."""
    for _, group in groupby(sorted(ids), lambda id: id[:SHOWN]):
        alike = list(group)
        for id in alike:
            lengths = (SHOWN, *_LONGER, len(id))
            yield id, next(id[:n] for n in lengths if sum(i[:n] == id[:n] for i in alike) == 1)
