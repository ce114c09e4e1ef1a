"""Shorten ids in answers to the shortest prefix that is unique within the agent's reach.

The first eight characters of an id are nearly always enough, and calls accept them. If another record or
session has the same prefix, more of the id is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby
from typing import Any

from contextd.domain.records import SHOWN, is_ours
from contextd.runtime.runtime import Runtime

_LONGER = (13, 18, 23)
"""The ends of an id's groups: the lengths to try if a shorter prefix is ambiguous."""


def longer_ids(result: Any, runtime: Runtime) -> dict[str, str]:
    """The ids in a result whose usual prefix is ambiguous, each with the prefix to show."""
    found = set(_ids(result))
    short = _shown(runtime, sorted(found)) if found else {}
    return {id: start for id, start in short.items() if len(start) > SHOWN}


def _ids(result: Any) -> Iterator[str]:
    """The ids in a result, except those in text by a person or a project."""
    if isinstance(result, str):
        whole = result.partition(".")[0]
        if is_ours(whole):
            yield whole
    elif is_dataclass(result):
        for part in fields(result):
            yield from _ids(getattr(result, part.name))
    elif isinstance(result, list | tuple):
        for inner in result:
            yield from _ids(inner)


def _shown(runtime: Runtime, ids: Sequence[str]) -> dict[str, str]:
    """The prefix of each of these ids that a call from here may use."""
    begun = _begun(runtime, sorted({id[:SHOWN] for id in ids}))
    short = {id: start for id, start in _beginnings(begun) if id in set(ids)}
    if runtime.project is not None:
        here = frozenset({runtime.scope})
        for id in (id for id in ids if id not in short):
            alike = runtime.view.sessions.find(here, prefix=id[:SHOWN], limit=10)
            short |= {one: start for one, start in _beginnings(s.id for s in alike) if one == id}
    return short


def _begun(runtime: Runtime, starts: Sequence[str]) -> list[str]:
    """The ids of the records with these prefixes, stored or about to be."""
    stored = runtime.view.records.beginning(starts)
    pending = runtime.trace.pending
    written = [one.record.id for one in pending.changes.knowledge.records] if pending else []
    return list({*stored, *(id for id in written if id[:SHOWN] in starts)})


def _beginnings(ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each id with its shortest unique prefix."""
    for _, group in groupby(sorted(ids), lambda id: id[:SHOWN]):
        alike = list(group)
        for id in alike:
            lengths = (SHOWN, *_LONGER, len(id))
            yield id, next(id[:n] for n in lengths if sum(i[:n] == id[:n] for i in alike) == 1)
