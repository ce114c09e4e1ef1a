"""Sessions, files and the usage log, in dictionaries."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from contextd.domain.code import (
    Chunk,
    FileCalls,
    FileChanges,
    FileWeight,
    Import,
    KeptReading,
    SourceFile,
)
from contextd.domain.defining import Defining, Naming, folded_names
from contextd.domain.imports import Importing, has_wordless, import_words
from contextd.domain.originals import Original
from contextd.domain.scope import Scope
from contextd.domain.sessions import LISTED, Event, Session, SessionChange, changed
from contextd.domain.usage import Observation, ObservationSummary
from contextd.domain.window import ContextItem, first_served, together
from contextd.stores import codec, rules
from contextd.stores.memory_space import Key, Space, State
from contextd.stores.reach import Reach

T = TypeVar("T")


class MemorySessions:
    """`Sessions`, as far as one grant reaches."""

    def __init__(self, space: Space, reach: Reach) -> None:
        self._space, self._reach = space, reach

    def _all(self) -> list[Session]:
        with self._space.lock:
            sessions = list(self._space.state.sessions.values())
        mine = [session for session in sessions if self._reach.reads(session.scope)]
        return sorted(mine, key=lambda s: (s.started_at, s.id, str(s.scope)), reverse=True)

    def get(self, session_id: str) -> Session | None:
        """See `Sessions.get`."""
        return next((s for s in self._all() if s.id == session_id), None)

    def by_external(self, client: str, external_id: str) -> Session | None:
        """See `Sessions.by_external`."""
        scrub = self._space.scrub
        wanted = scrub(client), scrub(external_id)
        return next((s for s in self._all() if (s.client, s.external_id) == wanted), None)

    def find(
        self,
        scopes: frozenset[Scope],
        *,
        statuses: Sequence[str] = (),
        prefix: str = "",
        limit: int = 50,
    ) -> list[Session]:
        """See `Sessions.find`."""
        found = [
            session
            for session in self._all()
            if session.scope in scopes
            and session.status in (statuses or LISTED)
            and session.id.startswith(prefix)
        ]
        return found[: max(0, limit)]

    def events(
        self, session_id: str, *, types: Sequence[str] = (), after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """See `Sessions.events`."""
        logged = self._of(session_id, self._space.state.events)
        found = [e for e in logged if e.seq > after and (not types or e.type in types)]
        return found[: max(0, limit)]

    def messages(self, places: Sequence[tuple[str, int]]) -> list[tuple[str, Event]]:
        """See `Sessions.messages`."""
        found: list[tuple[str, Event]] = []
        for session_id, seq in places:
            logged = self._of(session_id, self._space.state.events)
            found += [(session_id, event) for event in logged if event.seq == seq]
        return found

    def items(self, session_id: str) -> list[ContextItem]:
        """See `Sessions.items`."""
        held = self._of(session_id, self._space.state.items)
        return sorted(held, key=lambda item: (-item.score, item.type, item.source))

    def _of(self, session_id: str, held: dict[Key, tuple[T, ...]]) -> tuple[T, ...]:
        session = self.get(session_id)
        with self._space.lock:
            return held.get((session.scope, session.id), ()) if session else ()

    def handed_out(self, scope: Scope, session: str, digests: Sequence[str]) -> set[str]:
        """See `Sessions.handed_out`."""
        if not self._reach.reads(scope):
            return set()
        with self._space.lock:
            known = self._space.state.handed_out
            return {digest for digest in digests if (scope, session, digest) in known}


def open_session(state: State, session: Session) -> None:
    """Insert a session. Raises `Conflict` when its id is taken in its scope."""
    key = session.scope, session.id
    if key in state.sessions:
        raise rules.session_there(session.id)
    state.sessions[key] = _stored(session)


def change_session(
    state: State, scopes: Sequence[str], change: SessionChange, now: datetime
) -> tuple[Session, list[Event]]:
    """Apply a change to the session as it stands. Raises `NotFound`."""
    there = [
        session
        for session in state.sessions.values()
        if session.id == change.id and str(session.scope) in scopes
    ]
    if not there:
        raise rules.no_session(change.id)
    session = max(there, key=lambda s: (s.started_at, str(s.scope)))
    key = session.scope, session.id
    logged = state.events.get(key, ())
    last = (logged[-1].seq if logged else 0) or state.dropped.get(key, 0)
    known = {event.key for event in logged}
    added: list[Event] = []
    for event in change.events:
        body = codec.loads(codec.dumps(codec.event_to_json(event)))
        if event.key not in known:
            known.add(event.key)
            last += 1
            added.append(codec.event_from_json(body, last))
    state.events[key] = (*logged, *added)
    state.sessions[key] = _stored(changed(session, change))
    _serve(state, key, change, now)
    return state.sessions[key], added


def _serve(state: State, key: Key, change: SessionChange, now: datetime) -> None:
    items = {(item.type, item.source): item for item in state.items.get(key, ())}
    for serving in together(change.servings):
        name = serving.type, serving.source
        before = items.get(name)
        items[name] = (
            before.served_again(serving.tokens, now) if before else first_served(serving, now)
        )
    for item in change.rescored:
        before = items.get((item.type, item.source))
        if before is not None and before.last_at <= item.last_at:
            items[item.type, item.source] = item
    stored = [codec.item_from_row(codec.item_to_row(item)) for item in items.values()]
    state.items[key] = tuple(stored)


def _stored(session: Session) -> Session:
    return codec.session_from_json(codec.loads(codec.dumps(codec.session_to_json(session))))


def _concerns(file: SourceFile, asked: Importing) -> bool:
    folder = posixpath.dirname(file.path)
    around = {"", folder, *(folder[:at] for at, mark in enumerate(folder) if mark == "/")}
    return (
        not asked.words.isdisjoint(import_words(file.imports))
        or not asked.targets.isdisjoint(one.target for one in file.imports)
        or (asked.wordless and has_wordless(file.imports))
        or folder in asked.folders
        or not asked.below.isdisjoint(around)
    )


class MemoryFiles:
    """`Files`, as far as one grant reaches."""

    def __init__(self, space: Space, reach: Reach) -> None:
        self._space, self._reach = space, reach

    def _of(self, scope: Scope) -> list[SourceFile]:
        with self._space.lock:
            rows = list(self._space.state.files.items())
        mine = [file for (where, _), file in rows if where == scope and self._reach.reads(scope)]
        return sorted(mine, key=lambda file: file.path)

    def get(self, scope: Scope, paths: Sequence[str]) -> list[SourceFile]:
        """See `Files.get`."""
        known = {file.path: file for file in self._of(scope)}
        return [known[path] for path in paths if path in known]

    def all(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `Files.all`."""
        wanted = None if paths is None else frozenset(paths)
        found = (file for file in self._of(scope) if wanted is None or file.path in wanted)
        return [codec.file_from_json(codec.file_to_json(file)) for file in found]

    def linked(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `Files.linked`."""
        some = (
            file for file in self.all(scope, paths) if file.symbols or file.imports or file.exports
        )
        return [replace(file, chunks=()) for file in some]

    def linking(self, scope: Scope) -> list[str]:
        """See `Files.linking`."""
        return [file.path for file in self.linked(scope)]

    def imports(
        self, scope: Scope, paths: Sequence[str]
    ) -> list[tuple[str, str, tuple[Import, ...]]]:
        """See `Files.imports`."""
        return [(file.path, file.language, file.imports) for file in self.all(scope, paths)]

    def importing(self, scope: Scope, asked: Importing) -> set[str]:
        """See `Files.importing`."""
        return {file.path for file in self._of(scope) if file.imports and _concerns(file, asked)}

    def defining(self, scope: Scope, asked: Defining) -> list[tuple[str, float]]:
        """See `Files.defining`."""
        with self._space.lock:
            known = dict(self._space.state.weights)
        found = (file.path for file in self._of(scope) if asked.is_of(file))
        return [(path, known[scope, path].top if (scope, path) in known else 0.0) for path in found]

    def naming(self, scope: Scope, asked: Naming) -> set[str]:
        """See `Files.naming`."""
        return {file.path for file in self._of(scope) if asked.is_of(file)}

    def names(self, scope: Scope, prefix: str, limit: int) -> list[str]:
        """See `Files.names`."""
        names = {name for file in self._of(scope) for name in folded_names(file)}
        return sorted(name for name in names if name.startswith(prefix))[:limit]

    def weights(self, scope: Scope, paths: Sequence[str]) -> dict[str, FileWeight]:
        """See `Files.weights`."""
        if not self._reach.reads(scope):
            return {}
        with self._space.lock:
            known = self._space.state.weights
            return {path: known[scope, path] for path in paths if (scope, path) in known}

    def weighed(self, scope: Scope) -> int:
        """See `Files.weighed`."""
        if not self._reach.reads(scope):
            return 0
        with self._space.lock:
            return self._space.state.weighed.get(scope, 0)

    def stamps(
        self, scope: Scope, paths: Sequence[str] | None = None
    ) -> dict[str, tuple[int, int, str]]:
        """See `Files.stamps`."""
        wanted = None if paths is None else frozenset(paths)
        found = (f for f in self._of(scope) if wanted is None or f.path in wanted)
        return {f.path: (f.size, f.mtime_ns, f.digest) for f in found}

    def changes(self, scope: Scope, since: int) -> FileChanges:
        """See `Files.changes`."""
        if not self._reach.reads(scope):
            return FileChanges(0)
        with self._space.lock:
            state = self._space.state
            put = sorted(
                path for (where, path), at in state.written.items() if where == scope and at > since
            )
            return FileChanges(state.seq, tuple(put), state.thinned.get(scope, 0) > since)

    def count(self, scope: Scope) -> int:
        """See `Files.count`."""
        return len(self._of(scope))

    def _calls(self, scope: Scope, reader: str) -> list[FileCalls]:
        digests = {file.path: file.digest for file in self._of(scope)}
        with self._space.lock:
            rows = [
                one for (where, _), one in self._space.state.file_calls.items() if where == scope
            ]
        return [r for r in rows if r.reader == reader and digests.get(r.path) == r.digest]

    def calling(self, scope: Scope, reader: str) -> dict[str, tuple[str, str]]:
        """See `Files.calling`."""
        return {one.path: (one.digest, one.names) for one in self._calls(scope, reader)}

    def calls(
        self, scope: Scope, reader: str, paths: Sequence[str]
    ) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """See `Files.calls`."""
        wanted = set(paths)
        found = (one for one in self._calls(scope, reader) if one.path in wanted)
        return {one.path: (one.digest, one.facts) for one in found}

    def readings(self, scope: Scope, reader: str) -> list[KeptReading]:
        """See `Files.readings`."""
        files = {file.path: file for file in self._of(scope)}
        with self._space.lock:
            rows = list(self._space.state.readings.items())
        return [
            replace(one, size=files[path].size, mtime_ns=files[path].mtime_ns)
            for (where, by, path), (digest, one) in rows
            if (where, by) == (scope, reader) and path in files and files[path].digest == digest
        ]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """See `Files.chunks`."""
        with self._space.lock:
            rows = sorted(self._space.state.files.items(), key=lambda row: str(row[0][0]))
        known = {
            chunk.id: chunk
            for (scope, _), file in reversed(rows)
            if self._reach.reads(scope)
            for chunk in file.chunks
        }
        return [known[id_] for id_ in ids if id_ in known]


class MemoryOriginals:
    """`Originals`, as far as one grant reaches."""

    def __init__(self, space: Space, reach: Reach) -> None:
        self._space, self._reach = space, reach

    def get(self, id: str) -> Original | None:
        """See `Originals.get`."""
        with self._space.lock:
            originals = list(self._space.state.originals.values())
        mine = [one for one in originals if one.id == id and self._reach.reads(one.scope)]
        return mine[-1] if mine else None


def keep_original(state: State, original: Original) -> None:
    """Keep an original; of its scope only the latest stay."""
    codec.check_text(original.about, original.text)
    state.originals.pop((original.scope, original.id), None)
    state.originals[original.scope, original.id] = replace(original, at=codec.utc(original.at))
    mine = [key for key in state.originals if key[0] == original.scope]
    for key in mine[: -rules.ORIGINALS_KEPT]:
        del state.originals[key]


class MemoryObservations:
    """`Observations`, as far as one grant reaches."""

    def __init__(self, space: Space, reach: Reach) -> None:
        self._space, self._reach = space, reach

    def recent(self, scopes: frozenset[Scope], limit: int = 100) -> list[Observation]:
        """See `Observations.recent`."""
        asked = [scope for scope in sorted(scopes) if self._reach.reads(scope)]
        with self._space.lock:
            logs = [self._space.state.observations.get(scope, ()) for scope in asked]
        found = [one for log in logs for one in reversed(log)]
        return sorted(found, key=lambda one: one.at, reverse=True)[: max(0, limit)]

    def summary(self, scopes: frozenset[Scope]) -> ObservationSummary:
        """See `Observations.summary`."""
        with self._space.lock:
            state = self._space.state
            asked = [s for s in state.observed if s in scopes and s and self._reach.reads(s)]
            counts: Counter[str] = Counter()
            latest: dict[str, int] = {}
            for (scope, query), (count, place) in state.missed.items():
                if scope in asked:
                    counts[query] += count
                    latest[query] = max(place, latest.get(query, 0))
            in_order = sorted(counts, key=lambda query: (latest[query], query))
            return replace(
                _sum([state.observed[scope] for scope in asked]),
                missed_queries={query: counts[query] for query in in_order},
            )


def log(state: State, observations: Sequence[Observation]) -> None:
    """Add observations to the logs of their scopes."""
    for one in observations:
        one = replace(one, at=codec.utc(one.at))
        if one.action == "miss" and one.query:
            _miss(state, one.scope, one.query)
        before = state.observed.get(one.scope, ObservationSummary())
        state.observed[one.scope] = _sum([before, _counted(one)])
        logged = (*state.observations.get(one.scope, ()), one)
        if len(logged) > rules.OBSERVATIONS:
            logged = logged[rules.OBSERVATIONS_DROPPED :]
        state.observations[one.scope] = logged


def _miss(state: State, scope: Scope | None, query: str) -> None:
    # Of what is logged together, the places follow those of everything missed before.
    place = 1 + max(
        (at for (where, _), (_, at) in state.missed.items() if where == scope), default=0
    )
    here = [name for name in state.missed if name[0] == scope]
    if (scope, query) not in state.missed and len(here) >= rules.MISSED_QUERIES:
        del state.missed[min(here, key=lambda name: state.missed[name])]
    count, _ = state.missed.get((scope, query), (0, 0))
    state.missed[scope, query] = count + 1, place


def _counted(one: Observation) -> ObservationSummary:
    counted = rules.COUNTED_AS[one.action]
    named = {one.type: 1} if one.type else {}
    return ObservationSummary(
        reads=int(counted == "reads"),
        writes=int(counted == "writes"),
        misses=int(counted == "misses"),
        read_frequency=named if counted == "reads" else {},
        write_frequency=named if counted == "writes" else {},
        agent_frequency={one.agent: 1} if one.agent else {},
        last_activity=one.at,
    )


def _sum(summaries: Sequence[ObservationSummary]) -> ObservationSummary:
    reads: Counter[str] = Counter()
    writes: Counter[str] = Counter()
    agents: Counter[str] = Counter()
    for one in summaries:
        reads.update(one.read_frequency)
        writes.update(one.write_frequency)
        agents.update(one.agent_frequency)
    return ObservationSummary(
        reads=sum(one.reads for one in summaries),
        writes=sum(one.writes for one in summaries),
        misses=sum(one.misses for one in summaries),
        read_frequency=dict(reads),
        write_frequency=dict(writes),
        agent_frequency=dict(agents),
        last_activity=max((s.last_activity for s in summaries if s.last_activity), default=None),
    )
