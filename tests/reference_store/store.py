"""The in-memory store: the reference implementation. It stores nothing on disk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from contextd.domain.access import Grant
from contextd.domain.changes import Changes, Committed, Put, no_code_index
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.documents import record_document
from contextd.domain.jobs import Job
from contextd.domain.query import Pending, Vector
from contextd.domain.records import Change
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.domain.upkeep import Ages, Balance, Repair
from contextd.domain.usage import ByProducts
from contextd.ports.knowledge import Scrub
from contextd.ports.upkeep import Clock
from contextd.stores import codec, rules
from contextd.stores.authorise import authorise, writable
from contextd.stores.combined_reads import LocalReads
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.scrub import scrubbed
from contextd.stores.silent_signals import SilentSignals
from contextd_code.values.source import SourceFile
from contextd_common.errors import Unavailable
from reference_store import index
from reference_store.files import MemoryFiles, write_code
from reference_store.index import MemoryIndex
from reference_store.jobs import (
    MemoryDirectory,
    MemoryJobs,
    MemoryQueue,
    MemoryReplicas,
    add_job,
)
from reference_store.records import (
    MemoryContradictions,
    MemoryRecords,
    MemorySurvey,
    write_contradictions,
    write_record,
)
from reference_store.sessions import (
    MemoryObservations,
    MemoryOriginals,
    MemorySessions,
    change_session,
    check_notes,
    keep_original,
    note,
    open_session,
    write_seats,
)
from reference_store.space import Key, Space, State, utc


class MemoryView(LocalReads):
    """A `View` of the in-memory store."""

    def __init__(self, space: Space, grant: Grant, code: CheckoutKey | None = None) -> None:
        self.grant, self._code = grant, code
        self._space, self._granted = space, GrantedRows(grant)
        self.records = MemoryRecords(space, self._granted)
        self.survey = MemorySurvey(self.records)
        self.contradictions = MemoryContradictions(space, self._granted)
        self.index = MemoryIndex(space, self._granted, code)
        self.files = MemoryFiles(space, self._granted, code) if space.has_code else None
        self.sessions = MemorySessions(space, self._granted)
        self.originals = MemoryOriginals(space, self._granted)
        self.observations = MemoryObservations(space, self._granted)
        self.jobs = MemoryJobs(space, self._granted)

    def commit(self, changes: Changes, *, call: str = "", answer: str = "") -> Committed:
        """See `View.commit`."""
        authorise(self._granted, changes)
        if changes.code and self.files is None:
            raise no_code_index()
        changes = scrubbed(changes, self._space.scrub)
        knowledge = changes.knowledge
        answer = self._space.scrub(answer) if answer else ""
        codec.dumps([answer, changes.actor, *(c.action + c.reason for c in knowledge.records)])
        check_notes(changes.beside)
        codec.check_text(
            *(text for one in changes.work.seats for text in (one.digest, one.session))
        )
        for document in knowledge.documents:
            index.checked(document)
        vectors = {
            scope: index.unpacked(mine, knowledge.model)
            for scope, mine in knowledge.vectors.items()
        }
        with self._space.lock:
            before = self._space.state.copy()
            try:
                return self._write(changes, vectors, call, answer)
            except BaseException:
                self._space.state = before
                raise

    def _write(
        self, changes: Changes, vectors: dict[Scope, dict[str, Vector]], call: str, answer: str
    ) -> Committed:
        state, now = self._space.state, self._space.now()
        knowledge, work = changes.knowledge, changes.work
        if call and (self._granted.owner, call) in state.calls:
            raise rules.committed_already()
        if call:
            state.calls[self._granted.owner, call] = (now, answer)
        changed: list[Change] = []
        sessions: dict[str, Session] = {}
        events: dict[str, list[Event]] = {}
        written = [one.record for one in knowledge.records if isinstance(one, Put)]
        known = self.records.get(knowledge.disagreeing)
        places = {record.id: record.scope for record in (*known, *written)}
        for change in knowledge.records:
            changed.append(write_record(state, change, changes.actor, now))
            if isinstance(change, Put):
                index.put(state, [record_document(change.record)])
            else:
                index.forget(state, change.record.scope, [change.record.id])
        for code in changes.code:
            write_code(state, code, self._code)
        index.put(state, knowledge.documents)
        for scope, ids in knowledge.forget.items():
            index.forget(state, scope, ids)
        for scope, mine in vectors.items():
            index.keep_vectors(state, scope, mine, knowledge.model)
        for session in work.open:
            open_session(state, session)
        scopes = writable(self.grant)
        for step in work.sessions:
            session, added = change_session(state, scopes, step, now)
            sessions[session.id] = session
            events.setdefault(session.id, []).extend(added)
        decided = write_contradictions(state, knowledge, places)
        for original in knowledge.originals:
            keep_original(state, original)
        jobs = [add_job(state, job, now) for job in work.jobs]
        write_seats(state, work, scopes, now)
        note(state, changes.beside, now)
        return Committed(changed, sessions, events, jobs, decided)

    def answered(self, call: str) -> str | None:
        """See `View.answered`."""
        with self._space.lock:
            return self._space.state.calls.get((self._granted.owner, call), (None, None))[1]

    def keep_answer(self, call: str, answer: str) -> None:
        """See `View.keep_answer`."""
        answer = self._space.scrub(answer)
        codec.dumps(answer)
        with self._space.lock:
            calls, mine = self._space.state.calls, (self._granted.owner, call)
            if mine in calls:
                calls[mine] = (calls[mine][0], answer)


class MemoryUpkeep:
    """`Upkeep` of dictionaries, which are always consistent."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def check(self) -> list[str]:
        """Always sound."""
        return []

    def balance(self, scopes: Sequence[Scope] = ()) -> list[Balance]:
        """See `Upkeep.balance`."""
        with self._space.lock:
            state = self._space.state
            owners = {scope for scope, _ in (*state.records, *state.sessions)}
            owners |= {place.scope for place, _ in state.files}
            owners |= {scope for (scope, _), mine in state.entries.items() if mine}
        found = [self._balance(scope) for scope in sorted(owners) if not scopes or scope in scopes]
        return [one for one in found if one != Balance(scope=one.scope)]

    def _balance(self, scope: Scope) -> Balance:
        state = self._space.state
        files = _contents(state, scope)
        sessions = [key for key in state.sessions if key[0] == scope]
        events = sum(_events(state, key) for key in sessions)
        records = len(state.entries.get((scope, "records"), {}))
        code = len(state.entries.get((scope, "code"), {}))
        documents = records + code + len(state.entries.get((scope, "messages"), {}))
        return Balance(
            scope=scope,
            records=sum(where == scope for where, _ in state.records),
            record_documents=records,
            files=len(files),
            stamped=len(files),
            chunks=len({chunk.id for file in files for chunk in file.chunks}),
            code_documents=code,
            documents=documents,
            words=documents,
            events=events,
            logged=events,
        )

    def unbalanced(self, scope: Scope, limit: int) -> Repair:
        """See `Upkeep.unbalanced`."""
        state = self._space.state
        known = {id_ for where, id_ in state.records if where == scope}
        indexed = state.entries.get((scope, "records"), {})
        surplus = [e.document for id_, e in indexed.items() if id_ not in known]
        chunks = {chunk.id for file in _contents(state, scope) for chunk in file.chunks}
        code = state.entries.get((scope, "code"), {})
        surplus += [e.document for id_, e in code.items() if id_ not in chunks]
        missing = [
            Pending(state.records[scope, id_].kind, id_, scope) for id_ in known - indexed.keys()
        ]
        missing += [Pending("code", id_, scope) for id_ in chunks - code.keys()]
        return Repair(
            missing=tuple(missing[:limit]),
            surplus=tuple(Pending(d.kind, d.id, scope) for d in surplus[:limit]),
        )

    def recount_sessions(self, scope: Scope, ids: Sequence[str]) -> None:
        """Nothing to recount."""

    def rebuild(self, scope: Scope) -> None:
        """See `Upkeep.rebuild`."""
        with self._space.lock:
            for part in [part for part in self._space.state.entries if part[0] == scope]:
                self._space.state.entries[part] = {}

    def drop_vectors(self, model: str, dimensions: int) -> None:
        """See `Upkeep.drop_vectors`."""
        with self._space.lock:
            known = self._space.state.vectors
            misfits = [
                key for key in known if key[2] == model and known[key].shape != (dimensions,)
            ]
            for key in misfits:
                del known[key]

    def retire(self, ages: Ages) -> dict[str, int]:
        """See `Upkeep.retire`."""
        with self._space.lock:
            state = self._space.state
            counts = {
                "jobs": _drop(state.jobs, lambda job: job.finished_at, ages.jobs),
                "handed_out": _drop(state.handed_out, lambda at: at, ages.handed_out),
                "calls": _drop(state.calls, lambda call: call[0], ages.calls),
                "seats": _drop_seats(state, ages.calls),
                "originals": _drop(state.originals, lambda one: one.at, ages.originals),
                "changes": _drop_changes(state, ages.changes),
                "events": _drop_events(state, ages.events),
                "vectors": _drop_vectors(state),
            }
        return {name: count for name, count in counts.items() if count}

    def waiting(self, model: str) -> dict[Scope, int]:
        """See `Upkeep.waiting`."""
        counts: dict[Scope, int] = {}
        with self._space.lock:
            state = self._space.state
            for part, mine in state.entries.items():
                missing = sum((part, e.digest, model) not in state.vectors for e in mine.values())
                if missing:
                    counts[part[0]] = counts.get(part[0], 0) + missing
        return counts

    def failed_jobs(self, limit: int) -> list[Job]:
        """See `Upkeep.failed_jobs`."""
        with self._space.lock:
            jobs = list(self._space.state.jobs.values())[::-1]
        return [job for job in jobs if job.state == "failed"][: max(0, limit)]

    def idle_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """See `Upkeep.idle_sessions`."""
        found = [s for s in self._active() if s.last_seen_at < utc(seen_before)]
        return found[: max(0, limit)]

    def rested_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """See `Upkeep.rested_sessions`."""
        before = utc(seen_before)
        with self._space.lock:
            sessions = list(self._space.state.sessions.values())
        found = [s for s in sessions if s.status == "completed" and s.last_seen_at < before]
        return sorted(found, key=lambda s: (s.last_seen_at, s.id))[: max(0, limit)]

    def _active(self) -> list[Session]:
        with self._space.lock:
            sessions = list(self._space.state.sessions.values())
        active = [s for s in sessions if s.status == "active" and s.ended_at is None]
        return sorted(active, key=lambda s: (s.last_seen_at, s.id))

    def note(self, by_products: ByProducts) -> None:
        """See `Upkeep.note`."""
        by_products = scrubbed(by_products, self._space.scrub)
        check_notes(by_products)
        with self._space.lock:
            note(self._space.state, by_products, self._space.now())

    def backup(self, target: Path) -> None:
        """Raises `Unavailable`: there is no file to copy."""
        raise Unavailable(
            f"an in-memory store cannot be written to {target}",
            "open a store on disk, such as sqlite:///path/contextd.db",
        )


def _contents(state: State, scope: Scope) -> list[SourceFile]:
    """The distinct contents in the checkouts of a project."""
    files = [file for (place, _), file in state.files.items() if place.scope == scope]
    return list({codec.dumps(codec.file_to_json(f, stamped=False)): f for f in files}.values())


def _events(state: State, key: Key) -> int:
    logged = state.events.get(key, ())
    return len(logged) + state.dropped.get(key, 0)


def _drop(rows: dict, moment: object, before: datetime | None) -> int:  # type: ignore[type-arg]
    if before is None:
        return 0
    limit = utc(before)
    old = [key for key, row in rows.items() if (at := moment(row)) is not None and at < limit]  # type: ignore[operator]
    for key in old:
        del rows[key]
    return len(old)


def _drop_changes(state: State, before: datetime | None) -> int:
    count = 0
    if before is None:
        return 0
    for key, history in list(state.changes.items()):
        latest = history[-1].seq
        remaining = tuple(
            change
            for change in history
            if change.at >= utc(before) or change.seq > latest - rules.CHANGES_KEPT
        )
        count += len(history) - len(remaining)
        state.changes[key] = remaining
    return count


def _drop_events(state: State, before: datetime | None) -> int:
    count = 0
    if before is None:
        return 0
    for key, session in state.sessions.items():
        if session.status != "archived" or session.last_seen_at >= utc(before):
            continue
        logged = state.events.get(key, ())
        messages = tuple(event for event in logged if event.type == "message")
        state.events[key] = messages
        state.dropped[key] = state.dropped.get(key, 0) + len(logged) - len(messages)
        count += len(logged) - len(messages)
    return count


def _drop_seats(state: State, before: datetime | None) -> int:
    active = {key for key, one in state.sessions.items() if one.status == "active"}
    old = [
        seat
        for seat, (session, at) in state.seats.items()
        if before is not None and at < before and (seat[0], session) not in active
    ]
    for seat in old:
        del state.seats[seat]
    return len(old)


def _drop_vectors(state: State) -> int:
    present = {(part, e.digest) for part, mine in state.entries.items() for e in mine.values()}
    orphans = [key for key in state.vectors if key[:2] not in present]
    for key in orphans:
        del state.vectors[key]
    return len(orphans)


class MemoryStore:
    """A `Store` in process memory."""

    def __init__(self, clock: Clock, scrub: Scrub, has_code: bool = True) -> None:
        self._space = Space(clock, scrub, has_code)
        self.directory = MemoryDirectory(self._space)
        self.queue = MemoryQueue(self._space)
        self.replicas = MemoryReplicas(self._space)
        self.signals = SilentSignals()
        self.upkeep = MemoryUpkeep(self._space)
        self.members = None

    def view(self, grant: Grant, code: CheckoutKey | None = None) -> MemoryView:
        """See `Store.view`."""
        return MemoryView(self._space, grant, code)

    @property
    def writing(self) -> bool:
        """Writes of a dictionary block no reader."""
        return False

    def close(self) -> None:
        """Nothing to release."""


def open_memory(
    url: str,
    organisation: str,
    clock: Clock,
    scrub: Scrub,
    backups: Path | None = None,
    fresh: bool = False,
) -> MemoryStore:
    """A new, empty store; ignores the rest of the URL and the backups."""
    return MemoryStore(clock, scrub)


def open_memory_without_code(
    url: str,
    organisation: str,
    clock: Clock,
    scrub: Scrub,
    backups: Path | None = None,
    fresh: bool = False,
) -> MemoryStore:
    """The same, without code indexes: what a store for a team has to be."""
    return MemoryStore(clock, scrub, has_code=False)
