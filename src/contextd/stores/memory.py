"""The in-memory store: the reference every other store must equal. It keeps nothing on disk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from contextd.domain.code import Chunk, SourceFile
from contextd.domain.errors import Unavailable
from contextd.domain.query import Page, Query
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope
from contextd.domain.time import to_micros
from contextd.ports import Clock
from contextd.stores import codec, filters
from contextd.stores.memory_awareness import MemoryContradictions, MemorySurvey
from contextd.stores.memory_index import MemoryIndex
from contextd.stores.memory_space import Space
from contextd.stores.memory_work import (
    MemoryJobs,
    MemoryObservations,
    MemoryProjects,
    MemorySessions,
)


class MemoryRecords:
    """`Records` in dictionaries."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def put(self, record: Record, *, actor: str, action: str, reason: str = "") -> Change:
        """See `Records.put`."""
        body = codec.loads(codec.dumps(codec.record_to_json(record)))
        codec.dumps([actor, action, reason])
        with self._space.lock:
            before = self._space.state.records.get(record.id)
            return self._change(
                record.id, actor, action, reason, before, codec.record_from_json(body)
            )

    def _change(
        self,
        record_id: str,
        actor: str,
        action: str,
        reason: str,
        before: Record | None,
        after: Record | None,
    ) -> Change:
        state = self._space.state
        at = codec.utc(self._space.clock.now())
        change = Change(len(state.changes) + 1, record_id, at, actor, action, reason, before, after)
        state.changes[change.seq] = change
        if after is None:
            del state.records[record_id]
        else:
            state.records[record_id] = after
        return change

    def get(self, record_ids: Sequence[str]) -> list[Record]:
        """See `Records.get`."""
        with self._space.lock:
            records = self._space.state.records
            return [records[id_] for id_ in record_ids if id_ in records]

    def resolve(self, prefix: str, scopes: frozenset[Scope]) -> Record:
        """See `Records.resolve`."""
        filters.check_prefix(prefix)
        with self._space.lock:
            records = [r for r in self._space.state.records.values() if r.scope in scopes]
        found = sorted((r for r in records if r.id.startswith(prefix)), key=lambda r: r.id)
        exact = [r for r in found if r.id == prefix]
        return filters.only_one(prefix, exact or found)

    def find(self, query: Query) -> Page:
        """See `Records.find`."""
        after = filters.read_cursor(query.cursor)
        found = self._matching(query)
        if after:
            found = [r for r in found if (to_micros(r.created_at), r.id) < after]
        found.sort(key=lambda r: (r.created_at, r.id), reverse=True)
        return filters.page(found[: max(0, query.limit) + 1], query.limit)

    def count(self, query: Query) -> dict[str, int]:
        """See `Records.count`."""
        counts: dict[str, int] = {}
        for record in self._matching(query):
            counts[record.kind] = counts.get(record.kind, 0) + 1
        return counts

    def _matching(self, query: Query) -> list[Record]:
        filters.check_where(query.where)
        filters.check_condition(query.filter)
        with self._space.lock:
            records = list(self._space.state.records.values())
        return [record for record in records if filters.matches(record, query)]

    def by_hash(self, content_hash: str, scope: Scope) -> Record | None:
        """See `Records.by_hash`."""
        with self._space.lock:
            found = [
                r
                for r in self._space.state.records.values()
                if r.scope == scope
                and r.status in ("active", "inbox")
                and r.content_hash == content_hash
            ]
        return min(found, key=lambda r: (r.created_at, r.id), default=None)

    def touch(self, record_ids: Sequence[str], at: datetime) -> None:
        """See `Records.touch`."""
        with self._space.lock:
            records = self._space.state.records
            for id_ in set(record_ids) & records.keys():
                used = records[id_].usage_count + 1
                records[id_] = records[id_].with_(usage_count=used, last_used_at=codec.utc(at))

    def history(self, record_id: str) -> list[Change]:
        """See `Records.history`."""
        with self._space.lock:
            return [c for c in self._space.state.changes.values() if c.record_id == record_id]

    def undo(self, record_id: str, *, actor: str) -> Change:
        """See `Records.undo`."""
        codec.dumps(actor)
        with self._space.lock:
            state = self._space.state
            standing = [
                change
                for change in self.history(record_id)
                if change.seq not in state.undone and change.seq not in state.undone.values()
            ]
            if not standing:
                raise filters.nothing_to_undo(record_id)
            undone = standing[-1]
            change = self._change(
                record_id,
                actor,
                "undo",
                f"undo of {undone.action}",
                state.records.get(record_id),
                undone.before,
            )
            state.undone[undone.seq] = change.seq
            return change


class MemoryFiles:
    """`Files` in a dictionary."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def put(self, scope: Scope, files: Sequence[SourceFile]) -> None:
        """See `Files.put`."""
        for file in files:
            codec.dumps([codec.file_to_json(file), [chunk.text for chunk in file.chunks]])
        with self._space.lock:
            self._space.state.files.update({(scope, file.path): file for file in files})

    def get(self, scope: Scope, path: str) -> SourceFile | None:
        """See `Files.get`."""
        with self._space.lock:
            return self._space.state.files.get((scope, path))

    def all(self, scope: Scope) -> list[SourceFile]:
        """See `Files.all`."""
        return [codec.file_from_json(codec.file_to_json(file)) for file in self._of(scope)]

    def stamps(self, scope: Scope) -> dict[str, tuple[int, int, str]]:
        """See `Files.stamps`."""
        return {f.path: (f.size, f.mtime_ns, f.digest) for f in self._of(scope)}

    def _of(self, scope: Scope) -> list[SourceFile]:
        with self._space.lock:
            items = list(self._space.state.files.items())
        found = [file for (where, _), file in items if where == scope]
        return sorted(found, key=lambda file: file.path)

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """See `Files.chunks`."""
        with self._space.lock:
            files = list(self._space.state.files.values())
        known = {chunk.id: chunk for file in files for chunk in file.chunks}
        return [known[id_] for id_ in ids if id_ in known]

    def remove(self, scope: Scope, paths: Sequence[str]) -> None:
        """See `Files.remove`."""
        with self._space.lock:
            for path in paths:
                self._space.state.files.pop((scope, path), None)


class MemoryStore:
    """A `Store` that lives and dies with the process."""

    def __init__(self, clock: Clock) -> None:
        self._space = Space(clock)
        self.records = MemoryRecords(self._space)
        self.survey = MemorySurvey(self._space)
        self.contradictions = MemoryContradictions(self._space)
        self.index = MemoryIndex(self._space)
        self.files = MemoryFiles(self._space)
        self.sessions = MemorySessions(self._space)
        self.observations = MemoryObservations(self._space)
        self.projects = MemoryProjects(self._space)
        self.jobs = MemoryJobs(self._space)
        self.transaction = self._space.transaction

    def backup(self, target: Path) -> None:
        """Raises `Unavailable`: there is no file to copy."""
        raise Unavailable(
            f"an in-memory store cannot be written to {target}",
            "open a store on disk, such as sqlite:///path/contextd.db",
        )

    def check(self) -> list[str]:
        """Nothing can be wrong with it."""
        return []

    def close(self) -> None:
        """Nothing is held."""


def open_memory(url: str, clock: Clock) -> MemoryStore:
    """A new, empty store; the rest of the address means nothing."""
    return MemoryStore(clock)
