"""How much of each id in an answer an agent is shown: the beginning that names nothing else in its reach.

An id's first eight characters are enough nearly always, and a call takes them. Where another record or session
begins alike, more of the id is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby
from typing import Any

from contextd.domain.records import SHOWN, is_ours
from contextd.runtime.runtime import Runtime

_LONGER = (13, 18, 23)
"""Where the groups of an id end: how long its beginning is when a shorter one would be another's too."""


def longer_ids(result: Any, runtime: Runtime) -> dict[str, str]:
    """The ids in a result whose usual beginning another one shares, each with the beginning to show."""
    found = set(_ids(result))
    short = _shown(runtime, sorted(found)) if found else {}
    return {id: start for id, start in short.items() if len(start) > SHOWN}


def _ids(result: Any) -> Iterator[str]:
    """The ids in a result, but for those in what a person or a project wrote."""
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
