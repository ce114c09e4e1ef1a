"""Jobs, schedules and projects in dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from contextd.domain.changes import NewJob
from contextd.domain.jobs import Job, JobState, Lane, Schedule
from contextd.domain.projects import Project
from contextd.domain.records import new_id
from contextd.domain.scope import Scope
from contextd.stores import codec, rules
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.scrub import labels_scrubbed, scrubbed
from reference_store.space import Space, State, utc


class MemoryJobs:
    """`Jobs`, limited to a grant."""

    def __init__(self, space: Space, granted: GrantedRows) -> None:
        self._space, self._granted = space, granted

    def _mine(self) -> list[Job]:
        for_all = any("/" not in scope for scope in self._granted.everywhere())
        with self._space.lock:
            jobs = list(self._space.state.jobs.values())[::-1]
        return [
            job
            for job in jobs
            if (for_all if job.scope is None else self._granted.reads(job.scope))
        ]

    def list(
        self, *, states: Sequence[JobState] = (), prefix: str = "", limit: int = 50
    ) -> list[Job]:
        """See `Jobs.list`."""
        found = [
            job
            for job in self._mine()
            if (not states or job.state in states) and job.id.startswith(prefix)
        ]
        return found[: max(0, limit)]

    def count(self) -> dict[str, int]:
        """See `Jobs.count`."""
        return dict(Counter(job.state for job in self._mine()))

    def retry(self, job_id: str) -> bool:
        """See `Jobs.retry`."""
        with self._space.lock:
            found = [job for job in self._mine() if job.id == job_id and job.state == "failed"]
            if found and not _waiting(self._space.state, found[0].scope, found[0].unique_key):
                end(
                    self._space.state,
                    job_id,
                    state="ready",
                    attempts=0,
                    run_at=self._space.now(),
                    finished_at=None,
                )
            return bool(found)


def add_job(state: State, job: NewJob, now: datetime) -> str:
    """Add a job; return its id, or that of the waiting one with the same unique key."""
    arguments = codec.loads(codec.dumps(dict(job.arguments)))
    run_at = utc(job.run_at) if job.run_at else now
    waiting = _waiting(state, job.scope, job.unique_key)
    if waiting is not None:
        state.jobs[waiting.id] = replace(waiting, run_at=min(waiting.run_at, run_at))
        return waiting.id
    added = Job(
        id=new_id(),
        scope=job.scope,
        name=job.name,
        arguments=arguments,
        state="ready",
        lane=job.lane,
        priority=job.priority,
        place=job.place,
        unique_key=job.unique_key,
        max_attempts=job.max_attempts,
        run_at=run_at,
        created_at=now,
    )
    state.jobs[added.id] = added
    return added.id


def _waiting(state: State, scope: Scope | None, unique_key: str) -> Job | None:
    for job in state.jobs.values():
        same = (job.scope, job.unique_key) == (scope, unique_key)
        if unique_key and same and job.state == "ready":
            return job
    return None


def end(space: State, job_id: str, /, **changes: Any) -> None:
    """Change a job without a lease."""
    space.jobs[job_id] = replace(space.jobs[job_id], **changes)
    space.leases.pop(job_id, None)


class MemoryQueue:
    """`Queue` in insertion order."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def add(self, jobs: Sequence[NewJob]) -> list[str]:
        """See `Queue.add`."""
        with self._space.lock:
            now = self._space.now()
            cleaned = [scrubbed(job, self._space.scrub) for job in jobs]
            return [add_job(self._space.state, job, now) for job in cleaned]

    def claim(
        self, worker: str, lease_seconds: float, *, lanes: Sequence[Lane], place: str
    ) -> Job | None:
        """See `Queue.claim`."""
        now = self._space.now()
        with self._space.lock:
            state = self._space.state
            if self._due(lanes, place, now):
                for job in [*state.jobs.values()]:
                    if self._expired(job, now) and job.attempts >= job.max_attempts:
                        changes = {"error": rules.LOST_WORKER, "finished_at": now}
                        end(state, job.id, state="failed", **changes)
            due = self._due(lanes, place, now)
            if not due:
                return None
            order = list(state.jobs)
            chosen = min(due, key=lambda job: (-job.priority, job.run_at, order.index(job.id)))
            claimed = replace(chosen, state="running", attempts=chosen.attempts + 1)
            state.jobs[chosen.id] = claimed
            state.leases[chosen.id] = (worker, rules.lease_end(now, lease_seconds))
            return claimed

    def _expired(self, job: Job, now: datetime) -> bool:
        leases = self._space.state.leases
        return job.id in leases and leases[job.id][1] <= now

    def _due(self, lanes: Sequence[Lane], place: str, now: datetime) -> list[Job]:
        return [
            job
            for job in self._space.state.jobs.values()
            if job.lane in lanes
            and job.place in ("", place)
            and (self._expired(job, now) or (job.state == "ready" and job.run_at <= now))
        ]

    def renew(self, job_id: str, worker: str, lease_seconds: float) -> bool:
        """See `Queue.renew`."""
        with self._space.lock:
            leases = self._space.state.leases
            if leases.get(job_id, ("",))[0] != worker:
                return False
            leases[job_id] = (worker, rules.lease_end(self._space.now(), lease_seconds))
            return True

    def keep_progress(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
        """See `Queue.keep_progress`."""
        reached = codec.loads(codec.dumps(scrubbed(dict(state), self._space.scrub)))
        with self._space.lock:
            job = self._held(job_id, worker)
            self._space.state.jobs[job_id] = replace(job, progress=reached)

    def finish(self, job_id: str, worker: str, result: Mapping[str, Any]) -> None:
        """See `Queue.finish`."""
        reached = codec.loads(codec.dumps(scrubbed(dict(result), self._space.scrub)))
        with self._space.lock:
            self._held(job_id, worker)
            done = {"result": reached, "error": "", "finished_at": self._space.now()}
            end(self._space.state, job_id, state="done", **done)

    def fail(self, job_id: str, worker: str, error: str, retry_in: float | None) -> None:
        """See `Queue.fail`."""
        error = self._space.scrub(error)
        codec.dumps(error)
        with self._space.lock:
            state, now = self._space.state, self._space.now()
            job = self._held(job_id, worker)
            if retry_in is None or job.attempts >= job.max_attempts:
                end(state, job_id, state="failed", error=error, finished_at=now, result={})
            elif _waiting(state, job.scope, job.unique_key):
                result = {"result": rules.SUPERSEDED, "finished_at": now}
                end(state, job_id, state="done", error=error, **result)
            else:
                again = now + timedelta(seconds=retry_in)
                end(state, job_id, state="ready", error=error, run_at=again)

    def release(self, job_id: str, worker: str) -> None:
        """See `Queue.release`."""
        with self._space.lock:
            state, now = self._space.state, self._space.now()
            job = self._held(job_id, worker)
            if _waiting(state, job.scope, job.unique_key):
                end(state, job_id, state="done", result=rules.SUPERSEDED, finished_at=now)
            else:
                end(state, job_id, state="ready", attempts=job.attempts - 1, run_at=now)

    def _held(self, job_id: str, worker: str) -> Job:
        if self._space.state.leases.get(job_id, ("",))[0] != worker:
            raise rules.lost_job(job_id, worker)
        return self._space.state.jobs[job_id]

    def schedule(self, schedule: Schedule) -> None:
        """See `Queue.schedule`."""
        due = utc(schedule.due_at)
        key = schedule.scope, schedule.job
        with self._space.lock:
            known = self._space.state.schedules.get(key)
            if known is not None:
                due = known[0] if schedule.every is not None else min(known[0], due)
            self._space.state.schedules[key] = (due, schedule.every)

    def come_round(self, lanes: Mapping[str, NewJob]) -> int:
        """See `Queue.come_round`."""
        now, count = self._space.now(), 0
        with self._space.lock:
            state = self._space.state
            for key, (due, every) in list(state.schedules.items()):
                if due > now:
                    continue
                count += 1
                if every is None:
                    del state.schedules[key]
                else:
                    state.schedules[key] = (rules.next_round(due, every, now), every)
                if key[1] in lanes:
                    add_job(state, rules.round_of(lanes[key[1]], key[0]), now)
        return count

    def next_due(self, lanes: Sequence[Lane], place: str) -> datetime | None:
        """See `Queue.next_due`."""
        with self._space.lock:
            state = self._space.state
            mine = [
                job for job in state.jobs.values() if job.lane in lanes and job.place in ("", place)
            ]
            times = [job.run_at for job in mine if job.state == "ready"]
            times += [state.leases[job.id][1] for job in mine if job.id in state.leases]
            times += [due for due, _ in state.schedules.values()]
        return min(times, default=None)

    def expect(self, place: str) -> None:
        """See `Queue.expect`."""


class MemoryReplicas:
    """`Replicas` in dictionaries."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def keep(self, name: str, value: str, *, instead_of: str = "") -> str:
        """See `Replicas.keep`."""
        with self._space.lock:
            known = self._space.state.shared_values
            if known.get(name, "") == instead_of:
                known[name] = value
            return known.get(name, "")

    def clocks(self) -> dict[Scope, int]:
        """See `Replicas.clocks`."""
        with self._space.lock:
            state = self._space.state
            return {scope: state.seq for (scope, _), held in state.entries.items() if held}

    def attend(self, place: str) -> None:
        """See `Replicas.attend`."""
        with self._space.lock:
            self._space.state.attended[place] = self._space.now()

    def settle_orphans(self, gone_after: timedelta, movable: Sequence[str]) -> list[Job]:
        """See `Replicas.settle_orphans`."""
        with self._space.lock:
            state, now = self._space.state, self._space.now()
            here = {place for place, at in state.attended.items() if at >= now - gone_after}
            orphans = [
                job
                for job in state.jobs.values()
                if job.place not in ("", *here)
                and job.created_at < now - gone_after
                and (job.state == "ready" or self._lost(job, now))
            ]
            for job in orphans:
                if job.name in movable:
                    state.jobs[job.id] = replace(job, place="")
                else:
                    error = job.place.join(rules.place_gone(gone_after))
                    end(state, job.id, state="failed", error=error, finished_at=now)
            return [state.jobs[job.id] for job in orphans]

    def _lost(self, job: Job, now: datetime) -> bool:
        leases = self._space.state.leases
        return job.id in leases and leases[job.id][1] < now


class MemoryDirectory:
    """`Directory` in a dictionary."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def all(self) -> list[Project]:
        """See `Directory.all`."""
        with self._space.lock:
            projects = list(self._space.state.projects.values())
        return sorted(projects, key=lambda project: str(project.scope))

    def register(self, project: Project) -> Project:
        """See `Directory.register`."""
        project = self._checked(project)
        with self._space.lock:
            projects = self._space.state.projects
            same = [known for known in projects.values() if known.identity == project.identity]
            if same:
                project = replace(
                    same[0],
                    roots=tuple(rules.distinct((*same[0].roots, *project.roots))),
                    aliases=tuple(rules.distinct((*same[0].aliases, *project.aliases))),
                    sightings=tuple(rules.distinct((*same[0].sightings, *project.sightings))),
                )
            else:
                found, number = project.scope, 2
                while found in projects:
                    name = f"{project.scope.project}-{number}"
                    found, number = Scope(project.scope.org, project.scope.team, name), number + 1
                project = replace(project, scope=found)
            projects[project.scope] = project
            return project

    def save(self, project: Project) -> None:
        """See `Directory.save`."""
        project = self._checked(project)
        with self._space.lock:
            known = self._space.state.projects.get(project.scope)
            if known is not None:
                project = replace(project, created_at=known.created_at)
                self._space.state.projects[project.scope] = project

    def _checked(self, project: Project) -> Project:
        project = labels_scrubbed(project, self._space.scrub)
        parts = [*map(str, project.parts)]
        lists = project.roots, project.aliases, project.sightings, parts, project.news
        codec.dumps([project.identity, project.name, *lists])
        return replace(project, created_at=utc(project.created_at))
