"""Sessions, observations, projects and jobs of the in-memory store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from contextd.domain.records import new_id
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Job, Observation, ObservationSummary, Project, Session
from contextd.domain.window import ContextItem
from contextd.stores import codec, rules
from contextd.stores.memory_space import Space


class MemorySessions:
    """`Sessions` in dictionaries."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def save(self, session: Session) -> None:
        """See `Sessions.save`."""
        body = codec.loads(codec.dumps(codec.session_to_json(session)))
        with self._space.lock:
            self._space.state.sessions[session.id] = codec.session_from_json(body)

    def get(self, session_id: str) -> Session | None:
        """See `Sessions.get`."""
        with self._space.lock:
            return self._space.state.sessions.get(session_id)

    def by_external(self, client: str, external_id: str) -> Session | None:
        """See `Sessions.by_external`; the latest one where several scopes have it."""
        found = (s for s in self._all() if (s.client, s.external_id) == (client, external_id))
        return next(found, None)

    def _all(self) -> list[Session]:
        with self._space.lock:
            sessions = list(self._space.state.sessions.values())
        return sorted(sessions, key=lambda s: (s.started_at, s.id), reverse=True)

    def find(
        self,
        scopes: frozenset[Scope],
        *,
        statuses: Sequence[str] = (),
        seen_before: datetime | None = None,
        limit: int = 50,
    ) -> list[Session]:
        """See `Sessions.find`."""
        before = codec.utc(seen_before) if seen_before else None
        found = [
            s
            for s in self._all()
            if s.scope in scopes
            and (not statuses or s.status in statuses)
            and (before is None or s.last_seen_at < before)
        ]
        return found[: max(0, limit)]

    def append(self, session_id: str, events: Sequence[Event]) -> list[Event]:
        """See `Sessions.append`. Raises `NotFound` for a session that was never saved."""
        bodies = [codec.loads(codec.dumps(codec.event_to_json(event))) for event in events]
        with self._space.lock:
            if session_id not in self._space.state.sessions:
                raise rules.no_session(session_id)
            kept = self._space.state.events.get(session_id, ())
            keys = {event.key for event in kept}
            new: list[Event] = []
            for body in bodies:
                if body["key"] not in keys:
                    keys.add(body["key"])
                    new.append(codec.event_from_json(body, len(kept) + len(new) + 1))
            self._space.state.events[session_id] = (*kept, *new)
            return new

    def events(
        self, session_id: str, *, types: Sequence[str] = (), after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """See `Sessions.events`."""
        with self._space.lock:
            kept = self._space.state.events.get(session_id, ())
        found = [e for e in kept[max(0, after) :] if not types or e.type in types]
        return found[: max(0, limit)]

    def keep_items(self, session_id: str, items: Sequence[ContextItem]) -> None:
        """See `Sessions.keep_items`. Raises `NotFound` for a session that was never saved."""
        fresh = [codec.item_from_row(codec.item_to_row(item)) for item in items]
        with self._space.lock:
            if session_id not in self._space.state.sessions:
                raise rules.no_session(session_id)
            kept = {(i.type, i.source): i for i in self._space.state.items.get(session_id, ())}
            kept |= {(item.type, item.source): item for item in fresh}
            self._space.state.items[session_id] = tuple(kept.values())

    def items(self, session_id: str) -> list[ContextItem]:
        """See `Sessions.items`."""
        with self._space.lock:
            kept = self._space.state.items.get(session_id, ())
        return sorted(kept, key=lambda item: (-item.score, item.type, item.source))

    def mark_served(self, scope: Scope, digests: Iterable[str]) -> None:
        """See `Sessions.mark_served`."""
        with self._space.lock:
            self._space.state.served.update({(scope, digest): None for digest in digests})

    def served(self, scope: Scope, digests: Sequence[str]) -> set[str]:
        """See `Sessions.served`."""
        with self._space.lock:
            return {digest for digest in digests if (scope, digest) in self._space.state.served}


class MemoryObservations:
    """`Observations` in a tuple, and totals per scope."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def append(self, observations: Sequence[Observation]) -> None:
        """See `Observations.append`."""
        for one in observations:
            codec.dumps([one.operation, one.type, one.record_ids, one.query, one.agent])
        with self._space.lock:
            state = self._space.state
            kept = list(state.observations)
            for one in observations:
                kept.append(replace(one, at=codec.utc(one.at)))
                before = state.observed.get(one.scope, ObservationSummary())
                state.observed[one.scope] = _sum([before, _counted(kept[-1])])
                if one.action == "miss" and one.query:
                    self._miss(one.scope, one.query)
                if len(kept) > rules.OBSERVATIONS:
                    del kept[: rules.OBSERVATIONS_DROPPED]
            state.observations = tuple(kept)

    def _miss(self, scope: Scope | None, query: str) -> None:
        missed = self._space.state.missed
        place = sum(one.misses for one in self._space.state.observed.values())
        here = [name for name in missed if name[0] == scope]
        if (scope, query) not in missed and len(here) >= rules.MISSED_QUERIES:
            del missed[min(here, key=lambda name: missed[name])]
        count, _ = missed.get((scope, query), (0, 0))
        missed[scope, query] = count + 1, place

    def recent(
        self, limit: int = 100, *, scopes: frozenset[Scope] | None = None
    ) -> list[Observation]:
        """See `Observations.recent`."""
        with self._space.lock:
            logged = self._space.state.observations[::-1]
        found = [one for one in logged if scopes is None or one.scope in scopes]
        return found[: max(0, limit)]

    def summary(self, *, scopes: frozenset[Scope] | None = None) -> ObservationSummary:
        """See `Observations.summary`."""
        with self._space.lock:
            state = self._space.state
            asked = [s for s in state.observed if scopes is None or s in scopes]
            counts: Counter[str] = Counter()
            for (scope, query), (count, _) in sorted(state.missed.items(), key=lambda m: m[1][1]):
                if scope in asked:
                    counts[query] = counts.pop(query, 0) + count
            return replace(
                _sum([state.observed[scope] for scope in asked]), missed_queries=dict(counts)
            )


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


class MemoryProjects:
    """`Projects` in a dictionary."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def save(self, project: Project) -> None:
        """See `Projects.save`."""
        codec.dumps([project.identity, project.name, project.roots, project.aliases])
        kept = replace(project, created_at=codec.utc(project.created_at))
        with self._space.lock:
            projects = self._space.state.projects
            for other in [p for p in projects.values() if p.scope == kept.scope]:
                del projects[other.identity]
            projects[kept.identity] = kept

    def by_identity(self, identity: str) -> Project | None:
        """See `Projects.by_identity`."""
        with self._space.lock:
            return self._space.state.projects.get(identity)

    def all(self) -> list[Project]:
        """See `Projects.all`."""
        with self._space.lock:
            projects = list(self._space.state.projects.values())
        return sorted(projects, key=lambda p: (str(p.scope), p.identity))


class MemoryJobs:
    """`Jobs` in a dictionary, in the order they were added."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def enqueue(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        unique_key: str = "",
        run_at: datetime | None = None,
        max_attempts: int = 5,
    ) -> str:
        """See `Jobs.enqueue`."""
        kept = codec.loads(codec.dumps(dict(arguments)))
        with self._space.lock:
            now = codec.utc(self._space.clock.now())
            for job in self._space.state.jobs.values():
                if unique_key and job.unique_key == unique_key and rules.blocks(job):
                    return job.id
            job = Job(
                id=new_id(),
                name=name,
                arguments=kept,
                state="ready",
                unique_key=unique_key,
                max_attempts=max_attempts,
                run_at=codec.utc(run_at) if run_at else now,
                created_at=now,
            )
            self._space.state.jobs[job.id] = job
            return job.id

    def claim(self, worker: str, lease_seconds: float, now: datetime) -> Job | None:
        """See `Jobs.claim`. A job that lost its last attempt's worker is failed for good."""
        now = codec.utc(now)
        with self._space.lock:
            state = self._space.state
            due: list[Job] = []
            for job in list(state.jobs.values()):
                expired = job.id in state.leases and state.leases[job.id][1] <= now
                if expired and job.attempts >= job.max_attempts:
                    self._end(job.id, state="failed", error=rules.LOST_WORKER, finished_at=now)
                elif expired or (job.state == "ready" and job.run_at <= now):
                    due.append(job)
            if not due:
                return None
            job = min(due, key=lambda job: job.run_at)
            state.jobs[job.id] = replace(job, state="running", attempts=job.attempts + 1)
            state.leases[job.id] = (worker, rules.lease_end(now, lease_seconds))
            return state.jobs[job.id]

    def renew(self, job_id: str, worker: str, lease_seconds: float, now: datetime) -> bool:
        """See `Jobs.renew`."""
        with self._space.lock:
            leases = self._space.state.leases
            if leases.get(job_id, ("",))[0] != worker:
                return False
            leases[job_id] = (worker, rules.lease_end(codec.utc(now), lease_seconds))
            return True

    def checkpoint(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
        """See `Jobs.checkpoint`. Raises `Conflict` when the worker no longer holds the job."""
        kept = codec.loads(codec.dumps(dict(state)))
        with self._space.lock:
            job = self._held(job_id, worker)
            self._space.state.jobs[job_id] = replace(job, checkpoint=kept)

    def finish(self, job_id: str, worker: str, result: Mapping[str, Any], now: datetime) -> None:
        """See `Jobs.finish`. Raises `Conflict` when the worker no longer holds the job."""
        kept = codec.loads(codec.dumps(dict(result)))
        with self._space.lock:
            self._held(job_id, worker)
            self._end(job_id, state="done", result=kept, error="", finished_at=codec.utc(now))

    def fail(self, job_id: str, worker: str, error: str, now: datetime, retry_at: datetime) -> None:
        """See `Jobs.fail`. Raises `Conflict` when the worker no longer holds the job."""
        codec.dumps(error)
        with self._space.lock:
            job = self._held(job_id, worker)
            if job.attempts < job.max_attempts:
                self._end(job_id, state="ready", error=error, run_at=codec.utc(retry_at))
            else:
                self._end(job_id, state="failed", error=error, finished_at=codec.utc(now))

    def retry(self, job_id: str, now: datetime) -> bool:
        """See `Jobs.retry`."""
        with self._space.lock:
            job = self._space.state.jobs.get(job_id)
            if job is None or job.state != "failed":
                return False
            self._end(job_id, state="ready", attempts=0, run_at=codec.utc(now), finished_at=None)
            return True

    def _held(self, job_id: str, worker: str) -> Job:
        if self._space.state.leases.get(job_id, ("",))[0] != worker:
            raise rules.lost_job(job_id, worker)
        return self._space.state.jobs[job_id]

    def _end(self, job_id: str, **changes: Any) -> None:
        self._space.state.jobs[job_id] = replace(self._space.state.jobs[job_id], **changes)
        self._space.state.leases.pop(job_id, None)

    def list(self, *, states: Sequence[str] = (), limit: int = 50) -> list[Job]:
        """See `Jobs.list`."""
        with self._space.lock:
            jobs = list(self._space.state.jobs.values())[::-1]
        return [job for job in jobs if not states or job.state in states][: max(0, limit)]

    def next_due(self) -> datetime | None:
        """See `Jobs.next_due`."""
        with self._space.lock:
            state = self._space.state
            times = [job.run_at for job in state.jobs.values() if job.state == "ready"]
            times += [until for _, until in state.leases.values()]
        return min(times, default=None)
