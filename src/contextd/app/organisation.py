"""One open organisation: its store, key, usage log, workers and caches, opened and closed as a unit."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, Literal

from contextd.app.call_steps import STEPS
from contextd.app.files import kept_bytes
from contextd.app.idle_watch import NAME as IDLE_WATCH
from contextd.app.idle_watch import IdleWatch
from contextd.app.preparations import NAME as PREPARATIONS
from contextd.app.preparations import Preparations
from contextd.app.redaction_key import home_key, shared_key
from contextd.app.replica_watch import ATTENDANCE, POLL_SECONDS, ReplicaWatch
from contextd.app.replica_watch import NAME as REPLICA
from contextd.app.served_directory import ServedDirectory
from contextd.app.tables import job_function
from contextd.app.trust import TrustBook, file_stamp
from contextd.awareness.usage_log import NAME as USAGE_LOG
from contextd.awareness.usage_log import WRITE_AFTER, UsageLog
from contextd.domain.access import Caller
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.jobs import LANES, Job, Lane
from contextd.domain.scope import PERSON, Scope, may_leave
from contextd.jobs.queue import Hold, Worker, seconds_until
from contextd.jobs.table import Task, job_named, new_job, rounds
from contextd.ports.knowledge import Embedder, Reranker, Scrub
from contextd.ports.members import MemberTable
from contextd.ports.store import Directory, Store, View
from contextd.ports.upkeep import Clock
from contextd.ports.work import SharedDatabase, SignalKind
from contextd.projects.checkout_shape import has_moved
from contextd.redaction.redact import redact
from contextd.runtime.caches import Cache, Caches
from contextd.runtime.doors import Door
from contextd.runtime.kept_memory import Keeper, Kept, KeptMemory, MemoryUse
from contextd.runtime.runtime import CallDetails, Checkout, Request, Runtime, Sinks
from contextd.runtime.settings import Settings, load_settings
from contextd.runtime.supervision import ServiceState
from contextd.runtime.work_pool import Background, WorkPool, lasting
from contextd.stores import open_store
from contextd.thin.home import LOCAL, database_path
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid, NotFound

QUEUE = "queue"
MODELS = "models"
"""The name under which the models are weighed, which all organisations share."""
_QUEUE_SECONDS = 60.0
"""How often the queue of a file is read without a signal: another process may add work."""

_CHECKOUTS = 256
_VIEWS = 200

Duties = Literal["all", "calls", "none"]
"""What a process does besides answering: everything, what its calls leave to be done in it, or nothing."""

_UNCHECKED = frozenset({"embed_pending", "end_idle_sessions", "retire_old_rows"})
"""Jobs that need no consistency check afterwards: they cannot change anything it covers."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _KnownSettings:
    """The settings of a checkout, their files, and the files' stamps when read."""

    files: list[Path]
    stamps: tuple[object, ...]
    settings: Settings


@dataclass(frozen=True, slots=True)
class HostParts:
    """What a host shares with its organisations."""

    settings: Settings
    embedder: Embedder
    clock: Clock
    door: Door
    pool: WorkPool
    memory: KeptMemory
    reranker: Reranker | None = None
    shared: SharedDatabase | None = None


class OpenOrganisation:
    """The shared resources and workers of one organisation. Safe to use from any thread."""

    def __init__(
        self,
        name: str,
        parts: HostParts,
        *,
        duties: Duties,
        changed: Callable[[Scope], None],
        fresh: bool = False,
    ) -> None:
        self.name, self._settings, self._embedder = name, parts.settings, parts.embedder
        self._clock, self._reranker, self._door = parts.clock, parts.reranker, parts.door
        settings, clock, home = parts.settings, parts.clock, parts.settings.home
        self.trusted_folders = TrustBook(home)
        self.place = place_of(home, parts.door)
        self.caches, self._memory = Caches(parts.memory.clock), parts.memory
        self.shares = bool(settings.text("store.url"))
        self._store = _open_store(name, parts, self._scrub, fresh=fresh)
        try:
            self.key = self._redaction_key(settings)
        except BaseException:
            self._store.close()
            raise
        self._directory = self._known_projects()
        self._known_settings: Cache[Path | None, _KnownSettings] = Cache(_CHECKOUTS)
        self._views: Cache[tuple[Caller, frozenset[Scope], CheckoutKey | None], View] = Cache(
            _VIEWS
        )
        self.used_at = time.monotonic()
        self._users, self._retired, self._lock = 0, False, threading.Lock()
        self._polled = self.shares and parts.shared is None
        self._background = Background(parts.pool)
        note, wake = self._background.note, self._background.wake
        self._usage = UsageLog(
            self._store.upkeep, note, wanted=lambda: wake(USAGE_LOG, WRITE_AFTER)
        )
        self._preparations = Preparations(note, wanted=lambda: wake(PREPARATIONS))
        self._workers = [self._worker(lane) for lane in LANES]
        self._changed = changed
        self.replica_watch = ReplicaWatch(self._store.replicas, self.place, changed)
        self._idle_watch = IdleWatch(
            self._store.upkeep,
            clock,
            self._timeout,
            lambda: self._queue("end_idle_sessions"),
            self._follow_shapes,
        )
        self.sinks = Sinks(
            observe=self._usage.observe,
            used=self._usage.used,
            later=self._usage.later,
            prepare=self._preparations.prepare,
            settle=self._usage.settle,
            wake=self._wake_everywhere,
            changed=self._tell_change,
            schedule=self._store.queue.schedule,
        )
        self._add_duties(duties)
        self._memory.add(self, self)

    def _worker(self, lane: Lane) -> Worker:
        return Worker(
            self._store.queue,
            self._clock,
            self._run_job,
            lanes=(lane,),
            place=self.place,
            rounds=rounds(self.place),
            done=lambda: self._background.wake(QUEUE),
        )

    def _known_projects(self) -> Directory:
        known = self._store.directory
        return known if self.on_machine else ServedDirectory(known)

    def _redaction_key(self, settings: Settings) -> bytes:
        if self.shares:
            return shared_key(self._store.replicas, settings, self.name)
        return home_key(settings.home)

    def _scrub(self, text: str) -> str:
        return redact(text, self.key).text

    @property
    def at_rest(self) -> bool:
        """Whether no call and no work is running or about to."""
        return not self._users and self._background.at_rest()

    @contextmanager
    def used(self) -> Iterator[bool]:
        """Keep the organisation open while this context is open. False if it is about to be closed."""
        with self._lock:
            usable = not self._retired
            self._users += usable
        try:
            yield usable
        finally:
            with self._lock:
                self._users -= usable
                self.used_at = time.monotonic()

    def retire(self) -> bool:
        """Admit no more calls, if the organisation is at rest; return whether it was."""
        with self._lock:
            self._retired = self._retired or self.at_rest
            return self._retired

    @property
    def members(self) -> MemberTable | None:
        """Who may call; None in a store of one person."""
        return self._store.members

    @property
    def on_machine(self) -> bool:
        """Whether callers are on this machine."""
        return self._door.on_machine

    @property
    def directory(self) -> Directory:
        """The directory of projects."""
        return self._directory

    def settings(self, checkout: Checkout | None) -> Settings:
        """The settings in force in a checkout: its file is read again if it or the home's changed. Settings
        of the whole process keep the values from its start.

        Raises `Invalid` for a file that cannot be used.
        """
        # The settings file of an untrusted folder is ignored.
        root = checkout.root if checkout is not None and checkout.trusted else None
        known = self._known_settings.get(root)
        files = self._settings.files(root) if known is None else known.files
        stamps = tuple(map(file_stamp, files))
        if known is None or known.stamps != stamps:
            fresh = load_settings(root, self._settings.flags, self._settings.home)
            known = _KnownSettings(files, stamps, fresh.within(self._settings))
            self._known_settings.put(root, known)
        return known.settings

    def checkout(self, root: Path) -> Checkout:
        """The work tree at `root`, trusted or not."""
        return Checkout(root, self.trusted_folders.of(root))

    def view(
        self, caller: Caller, scopes: Iterable[Scope], code: CheckoutKey | None = None
    ) -> View:
        """The view of a caller on these scopes, limited to its grants, in the checkout `code`."""
        # The view contains only what was granted, and a role's grants do not change.
        reached = frozenset(scopes)
        return self._views.made(
            (caller, reached, code), lambda: self._store.view(caller.grant(reached), code)
        )

    def runtime(self, request: Request, *, upkeep: bool) -> Runtime:
        """The runtime of a request, not bound to a project yet. `upkeep` gives it the whole store."""
        return Runtime(
            view=self.view(request.caller, ()),
            embedder=self._embedder,
            reranker=self._reranker,
            clock=self._clock,
            settings=self._usable_settings(request),
            sinks=self.sinks,
            organisation=self,
            redaction_key=self.key,
            steps=STEPS,
            call=request.key,
            upkeep=self._store.upkeep if upkeep else None,
            **{one.name: getattr(request, one.name) for one in fields(CallDetails)},
        )

    def start(self, *, check: bool = True) -> None:
        """Start the background work. With `check`, queue the repair of inconsistent indexes and the embedding of texts
        without a vector of this embedder, which may have changed.
        """
        projects = self.directory.all()
        self.trusted_folders.begin(Path(root) for one in projects for root in one.roots)
        known = len(projects)
        _log.info("organisation %s opened: %d projects", self.name, known)
        self._store.signals.listen(self._heard)
        self.wake()
        for name in (REPLICA, ATTENDANCE):
            self._background.wake(name)
        if not check:
            return
        self._preparations.prepare("balance", None, self.mend)
        if self._embedder.model:
            self._preparations.prepare("vectors", None, self._embed_waiting)

    def mend(self, scopes: Iterable[Scope] = ()) -> int:
        """Queue the repair of inconsistent indexes in these scopes, or in all; return the number of scopes."""
        problems = [one for one in self._store.upkeep.balance(tuple(scopes)) if one.problems]
        for one in problems:
            _log.warning("mending: %s", "; ".join(one.problems))
            self._queue("mend_index", one.scope)
        return len(problems)

    def _embed_waiting(self) -> None:
        for scope in self._store.upkeep.waiting(self._embedder.model):
            if may_leave(scope) or not self._embedder.sends_to:
                self._queue("embed_pending", scope)

    def wake(self) -> None:
        """Look for due work and open sessions now."""
        for name in (QUEUE, IDLE_WATCH):
            self._background.wake(name)

    def _look_into_queue(self) -> float | None:
        """Let the workers look if something is due; return the seconds until the next look."""
        longest = POLL_SECONDS if self._polled else None if self.shares else _QUEUE_SECONDS
        due = self._store.queue.next_due(LANES, self.place)
        if due is not None and due <= self._clock.now():
            for lane in LANES:
                self._background.wake(_worker_of(lane))
            return longest
        self._store.queue.expect(self.place)
        pauses = [one for one in (longest, seconds_until(due, self._clock)) if one is not None]
        return min(pauses, default=None)

    def _wake_everywhere(self) -> None:
        self.wake()
        self._store.signals.send("woken")

    def _tell_change(self, scope: Scope) -> None:
        self._changed(scope)
        self._store.signals.send("changed", scope)

    def _heard(self, kind: SignalKind, scope: Scope | None) -> None:
        """Pass a signal of another process on."""
        if kind == "woken":
            self.wake()
            return
        for one in [scope] if scope is not None else [p.scope for p in self.directory.all()]:
            self._changed(one)

    def look(self) -> None:
        """Check open sessions now: whether they are idle, and whether their projects changed structure."""
        self._idle_watch.look()

    def services(self) -> list[ServiceState]:
        """The state of each service, by name."""
        return self._background.states()

    def waiting(self) -> tuple[int, list[str]]:
        """The number of pending and running jobs, and descriptions of those that failed permanently."""
        view = self.view(
            self._door.caller("job"), [p.scope for p in self.directory.all()] + [Scope(self.name)]
        )
        counts = view.jobs.count()
        failed = self._store.upkeep.failed_jobs(5)
        problems = [f"job {job.name} failed: {job.error}" for job in failed]
        return counts.get("ready", 0) + counts.get("running", 0), problems

    def kept(self) -> Iterator[Kept]:
        """See `Keeper.kept`: the caches, and what the store keeps."""
        yield from self.caches.kept()
        if isinstance(self._store, Keeper):
            yield from self._store.kept()

    def memory_use(self) -> MemoryUse:
        """The memory used for this organisation and for all of them, and the budget of the process."""
        return self._memory.use_of(self, MODELS)

    def preparing(self) -> int:
        """The number of pending and running preparations."""
        return self._preparations.count

    def idle(self) -> bool:
        """Whether no job is running or due."""
        return all(worker.idle() for worker in self._workers)

    def flush(self) -> None:
        """Write the by-products of calls that are still in memory."""
        self._usage.flush()

    def work_off(self, lanes: Sequence[Lane] = LANES) -> int:
        """Run all due jobs of these lanes in this thread; return how many ran."""
        count = 0
        self.flush()
        while self._preparations.run_one() or self._run_due_job(lanes):
            count += 1
            self.flush()
        return count

    def close(self) -> None:
        """Finish writes, stop the services, close the store."""
        for worker in self._workers:
            worker.stop()
        for name in self._background.close():
            _log.warning("%s did not end in time", name)
        for worker in self._workers:
            worker.give_back()
        self._usage.close()
        self._memory.remove(self)
        self.caches.close()
        self._store.close()

    def _add_duties(self, duties: Duties) -> None:
        add = self._background.add
        add("usage log", USAGE_LOG, self._usage.step)
        if duties != "none":
            add("preparations", PREPARATIONS, self._preparations.step)
        if duties != "all":
            return
        for lane, worker in zip(LANES, self._workers, strict=True):
            add(lane, _worker_of(lane), worker.step)
        add("watches", QUEUE, lasting(self._look_into_queue))
        add("watches", IDLE_WATCH, self._idle_watch.step)
        if self.shares and self.place:
            add("watches", ATTENDANCE, lasting(self.replica_watch.attend))
        if self._polled:
            add("watches", REPLICA, lasting(self.replica_watch.look))

    def _run_due_job(self, lanes: Sequence[Lane]) -> bool:
        at_work = zip(LANES, self._workers, strict=True)
        return any(worker.run_one() for lane, worker in at_work if lane in lanes)

    def _queue(self, name: str, scope: Scope | None = None) -> None:
        self._store.queue.add([new_job(name, scope, self.place, once="")])
        self.wake()

    def _follow_shapes(self, scopes: Collection[Scope]) -> None:
        """Queue scans of projects whose manifests or top folders changed."""
        for project in self.directory.all():
            if project.scope not in scopes:
                continue
            # Every project is checked, because the check also stores its state.
            moved = [root for root in project.roots if self._has_moved(root)]
            if moved:
                self._queue("rescan_project", project.scope)

    def _has_moved(self, root: str) -> bool:
        checkout = self.checkout(Path(root))
        return checkout.initialised and has_moved(self.caches, checkout.root, checkout.project_yaml)

    def _timeout(self, root: Path | None) -> int:
        try:
            checkout = self.checkout(root) if root is not None else None
            return self.settings(checkout).number("sessions.timeout_minutes")
        except ContextdError:
            return self._settings.number("sessions.timeout_minutes")

    def _usable_settings(self, request: Request) -> Settings:
        """The settings outside any project, for a call that may find its project later."""
        try:
            return self.settings(None)
        except ContextdError as error:
            if request.surface not in ("hook", "job"):
                raise
            _log.warning("%s; %s", error.message, error.hint)
            return self._settings

    def _run_job(self, job: Job, hold: Hold) -> Mapping[str, Any]:
        row = job_named(job.name)
        run = job_function(row)
        request = Request(surface="job", caller=self._door.caller("job"), client="contextd")
        runtime = self.runtime(request, upkeep="upkeep" in row.needs)
        if job.scope is not None:
            there = self._in_project(runtime, job)
            if there is None:
                raise NotFound(f"unknown project {job.scope}", "its job cannot run")
            runtime = there
        result = run(runtime, Task(job.scope, job.arguments, job.progress, hold))
        if job.scope is not None and job.name not in _UNCHECKED and not hold.lost:
            self._preparations.prepare("balance", job.scope, partial(self.mend, [job.scope]))
        return result

    def _in_project(self, runtime: Runtime, job: Job) -> Runtime | None:
        # Work for a team or for all runs in any project that can read it.
        # A part may write nothing wider.
        all_known = sorted(self.directory.all(), key=lambda one: one.part_of is not None)
        project = next((p for p in all_known if job.scope in p.scope.cascade), None)
        if project is None:
            return runtime.at_person() if job.scope == PERSON else None
        root = Path(str(job.arguments.get("root", "")))
        known = str(root) in project.roots and root.is_dir()
        return runtime.standing_in(project, root if known else None)


def place_of(home: Path, door: Door) -> str:
    """The name of this machine in the queue: jobs that need its checkouts wait for it. A server has no checkouts, so its
    jobs run in any of its processes.
    """
    return kept_bytes(home / "place", 8).hex() if door.on_machine else ""


def _worker_of(lane: Lane) -> str:
    return f"{lane} worker"


def store_address(settings: Settings, organisation: str) -> str:
    """The URL of an organisation's store: of its file in the home, if the settings name no other."""
    url = settings.text("store.url")
    return url or f"sqlite://{database_path(settings.home, organisation)}"


def _open_store(name: str, parts: HostParts, scrub: Scrub, *, fresh: bool) -> Store:
    settings = parts.settings
    url = settings.text("store.url")
    backups = None if url else settings.home / "backups"
    if not url:
        parent = database_path(settings.home, name).parent
        parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    elif url.startswith("sqlite:") and name != LOCAL:
        raise Invalid(
            f"store.url names a file of the organisation {LOCAL!r}, not of {name!r}",
            "remove store.url: each organisation then has a file in the home; or use postgresql://",
        )
    return open_store(
        store_address(settings, name),
        name,
        scrub=scrub,
        clock=parts.clock,
        backups=backups,
        fresh=fresh,
        shared=parts.shared,
    )
