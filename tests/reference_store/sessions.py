"""Sessions and the usage log in dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from contextd.domain.changes import WorkChanges
from contextd.domain.context_items import ContextItem, first_served, together
from contextd.domain.originals import Original
from contextd.domain.scope import Scope
from contextd.domain.sessions import LISTED, Event, Seat, Session, SessionChange, changed
from contextd.domain.usage import ByProducts, Observation, ObservationSummary
from contextd.stores import codec, rules
from contextd.stores.granted_rows import GrantedRows
from reference_store.space import Key, Space, State, utc

T = TypeVar("T")


class MemorySessions:
    """`Sessions`, limited to a grant."""

    def __init__(self, space: Space, granted: GrantedRows) -> None:
        self._space, self._granted = space, granted

    def _all(self) -> list[Session]:
        with self._space.lock:
            sessions = list(self._space.state.sessions.values())
        mine = [session for session in sessions if self._granted.reads(session.scope)]
        return sorted(mine, key=lambda s: (s.started_at, s.id, str(s.scope)), reverse=True)

    def get(self, session_id: str) -> Session | None:
        """See `Sessions.get`."""
        return next((s for s in self._all() if s.id == session_id), None)

    def by_external(self, client: str, external_id: str) -> Session | None:
        """See `Sessions.by_external`."""
        scrub = self._space.scrub
        wanted = scrub(client), scrub(external_id)
        return next((s for s in self._all() if (s.client, s.external_id) == wanted), None)

    def seated(self, scope: Scope, digest: str) -> Session | None:
        """See `Sessions.seated`."""
        with self._space.lock:
            session, _ = self._space.state.seats.get((scope, digest), ("", None))
        return next((s for s in self._all() if s.scope == scope and s.id == session), None)

    def seats(self, scopes: frozenset[Scope], digest: str = "") -> list[Seat]:
        """See `Sessions.seats`."""
        with self._space.lock:
            taken = dict(self._space.state.seats)
        return [
            Seat(scope, connection, session)
            for (scope, connection), (session, _) in sorted(
                taken.items(), key=lambda item: (str(item[0][0]), item[0][1])
            )
            if scope in scopes and self._granted.reads(scope) and digest in ("", connection)
        ]

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
        if not self._granted.reads(scope):
            return set()
        with self._space.lock:
            known = self._space.state.handed_out
            return {digest for digest in digests if (scope, session, digest) in known}


def open_session(state: State, session: Session) -> None:
    """Insert a session. Raises `Conflict` if its id exists in its scope, `Stale` if its client has an open session
    under the same id of its own.
    """
    key = session.scope, session.id
    named = session.scope, session.client, session.external_id
    begun = (one for one in state.sessions.values() if one.is_open and _named(one) == named)
    if session.is_open and session.external_id and any(begun):
        raise rules.session_begun(session)
    if key in state.sessions:
        raise rules.session_there(session.id)
    state.sessions[key] = _stored(session)


def write_seats(state: State, work: WorkChanges, scopes: Sequence[str], now: datetime) -> None:
    """Write the seats that connections take, and delete those of connections that leave, within `scopes`."""
    for seat in work.seats:
        state.seats[seat.scope, seat.digest] = seat.session, now
    for scope, digest in list(state.seats):
        if digest in work.left and str(scope) in scopes:
            del state.seats[scope, digest]


def _named(session: Session) -> tuple[Scope, str, str]:
    return session.scope, session.client, session.external_id


def change_session(
    state: State, scopes: Sequence[str], change: SessionChange, now: datetime
) -> tuple[Session, list[Event]]:
    """Apply a change to the session's current state. Raises `NotFound`."""
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


class MemoryOriginals:
    """`Originals`, limited to a grant."""

    def __init__(self, space: Space, granted: GrantedRows) -> None:
        self._space, self._granted = space, granted

    def get(self, id: str) -> Original | None:
        """See `Originals.get`."""
        with self._space.lock:
            originals = list(self._space.state.originals.values())
        mine = [one for one in originals if one.id == id and self._granted.reads(one.scope)]
        return mine[-1] if mine else None


def keep_original(state: State, original: Original) -> None:
    """Store an original; only the latest of a scope are kept."""
    codec.check_text(original.about, original.text)
    state.originals.pop((original.scope, original.id), None)
    state.originals[original.scope, original.id] = replace(original, at=utc(original.at))
    mine = [key for key in state.originals if key[0] == original.scope]
    for key in mine[: -rules.ORIGINALS_KEPT]:
        del state.originals[key]


class MemoryObservations:
    """`Observations`, limited to a grant."""

    def __init__(self, space: Space, granted: GrantedRows) -> None:
        self._space, self._granted = space, granted

    def recent(self, scopes: frozenset[Scope], limit: int = 100) -> list[Observation]:
        """See `Observations.recent`."""
        asked = [scope for scope in sorted(scopes) if self._granted.reads(scope)]
        with self._space.lock:
            logs = [self._space.state.observations.get(scope, ()) for scope in asked]
        found = [one for log in logs for one in reversed(log)]
        return sorted(found, key=lambda one: one.at, reverse=True)[: max(0, limit)]

    def summary(self, scopes: frozenset[Scope]) -> ObservationSummary:
        """See `Observations.summary`."""
        with self._space.lock:
            state = self._space.state
            asked = [s for s in state.observed if s in scopes and s and self._granted.reads(s)]
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


def check_notes(by_products: ByProducts) -> None:
    """Raise the error of by-products that no database could store."""
    for one in by_products.observations:
        codec.dumps([one.operation, one.type, one.record_ids, one.query, one.agent])
    codec.check_text(*(one.digest for one in by_products.handed_out))


def note(state: State, by_products: ByProducts, now: datetime) -> None:
    """Write by-products of calls."""
    _log(state, by_products.observations)
    for handout in by_products.handed_out:
        state.handed_out[handout.scope, handout.session, handout.digest] = now
    for use in by_products.uses:
        record = state.records.get((use.scope, use.record_id))
        if record is not None:
            used = record.with_(usage_count=record.usage_count + 1, last_used_at=now)
            state.records[use.scope, use.record_id] = used


def _log(state: State, observations: Sequence[Observation]) -> None:
    """Add observations to the logs of their scopes."""
    for one in observations:
        one = replace(one, at=utc(one.at))
        if one.action == "miss" and one.query:
            _miss(state, one.scope, one.query)
        before = state.observed.get(one.scope, ObservationSummary())
        state.observed[one.scope] = _sum([before, _counted(one)])
        logged = (*state.observations.get(one.scope, ()), one)
        if len(logged) > rules.OBSERVATIONS:
            logged = logged[rules.OBSERVATIONS_DROPPED :]
        state.observations[one.scope] = logged


def _miss(state: State, scope: Scope | None, query: str) -> None:
    # Queries logged together are ordered after everything missed before.
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
