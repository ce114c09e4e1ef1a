"""One open organisation: its store, key, usage log, workers and caches, opened and closed as a unit."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from contextd.app.files import kept_bytes
from contextd.app.idle_watch import NAME as IDLE_WATCH
from contextd.app.idle_watch import IdleWatch
from contextd.app.preparations import NAME as PREPARATIONS
from contextd.app.preparations import Preparations
from contextd.app.tables import job_function
from contextd.app.trust import TrustBook, file_stamp
from contextd.awareness.usage_log import NAME as USAGE_LOG
from contextd.awareness.usage_log import UsageLog
from contextd.domain.access import Caller
from contextd.domain.code_places import CodePlace
from contextd.domain.jobs import LANES, Job, Lane
from contextd.domain.scope import PERSON, Scope, may_leave
from contextd.jobs.queue import Hold, Worker
from contextd.jobs.table import Task, job_named, new_job, rounds
from contextd.ports.knowledge import Embedder, Reranker
from contextd.ports.store import Directory, Store, View
from contextd.ports.upkeep import Clock
from contextd.projects.checkout_shape import has_moved
from contextd.redaction.redact import redact
from contextd.runtime.caches import Cache, Caches
from contextd.runtime.runtime import Checkout, Request, Runtime, Sinks
from contextd.runtime.settings import Settings, load_settings
from contextd.runtime.supervision import ServiceState, Supervisor
from contextd.stores import open_store
from contextd.thin.home import database_path
from contextd_code.dataclass import dataclass
from contextd_code.errors import ContextdError, NotFound

_CHECKOUTS = 256
_VIEWS = 200
_WORKER = Caller("contextd", "owner")
"""The caller of background work."""

_UNCHECKED = frozenset({"embed_pending", "end_idle_sessions", "retire_old_rows"})
"""Jobs that need no consistency check afterwards: they cannot change anything it covers."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _KnownSettings:
    """The settings of a checkout, their files, and the files' stamps when read."""

    files: list[Path]
    stamps: tuple[object, ...]
    settings: Settings


class OpenOrganisation:
    """The shared resources and workers of one organisation. Safe to use from any thread."""

    def __init__(
        self,
        name: str,
        settings: Settings,
        embedder: Embedder,
        clock: Clock,
        *,
        reranker: Reranker | None = None,
        work: bool,
        changed: Callable[[Scope], None],
        fresh: bool = False,
    ) -> None:
        self.name, self._settings, self._embedder = name, settings, embedder
        self._clock, self._reranker = clock, reranker
        home = settings.home
        self.trusted_folders = TrustBook(home)
        self.key = kept_bytes(home / "redaction.key", 32)
        self.place = kept_bytes(home / "place", 8).hex()
        self.caches = Caches()
        self._store = _open_store(name, settings, self.key, clock, fresh=fresh)
        self._known_settings: Cache[Path | None, _KnownSettings] = Cache(_CHECKOUTS)
        self._views: Cache[tuple[Caller, frozenset[Scope], CodePlace | None], View] = Cache(_VIEWS)
        self._users, self._lock = 0, threading.Lock()
        self._services = Supervisor()
        self._usage = UsageLog(self._store.upkeep, self._services.note)
        self._preparations = Preparations(self._services.note)
        self._workers = [
            Worker(
                self._store.queue,
                clock,
                self._run_job,
                lanes=(lane,),
                place=self.place,
                rounds=rounds(self.place),
            )
            for lane in LANES
        ]
        self._idle_watch = IdleWatch(
            self._store.upkeep,
            clock,
            self._timeout,
            lambda: self._queue("end_idle_sessions"),
            self._follow_shapes,
        )
        self.sinks = Sinks(
            observe=self._usage.observe,
            handed_out=self._usage.handed_out,
            used=self._usage.used,
            later=self._usage.later,
            prepare=self._preparations.prepare,
            settle=self._usage.settle,
            wake=self.wake,
            changed=changed,
            schedule=self._store.queue.schedule,
        )
        self._add_services(work=work)

    @property
    def in_use(self) -> bool:
        """Whether a call is running."""
        return self._users > 0

    @contextmanager
    def used(self) -> Iterator[None]:
        """Keep the organisation open while this context is open."""
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1

    @property
    def directory(self) -> Directory:
        """The directory of projects."""
        return self._store.directory

    def settings(self, root: Path | None) -> Settings:
        """The settings in force in a checkout: its file is read again if it or the home's changed. Settings
        of the whole process keep the values from its start.

        Raises `Invalid` for a file that cannot be used.
        """
        # The settings file of an untrusted folder is ignored.
        root = root if root is not None and self.trusted_folders.of(root).trusted else None
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

    def view(self, caller: Caller, scopes: Iterable[Scope], code: CodePlace | None = None) -> View:
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
            caller=request.caller,
            sinks=self.sinks,
            organisation=self,
            client=request.client,
            surface=request.surface,
            connection=request.connection,
            process=request.process,
            ancestors=request.ancestors,
            client_sessions=request.client_sessions,
            redaction_key=self.key,
            call=request.key,
            repeated=request.repeated,
            alone=request.alone,
            progress=request.progress,
            upkeep=self._store.upkeep if upkeep else None,
        )

    def start(self) -> None:
        """Start the workers, and queue the repair of inconsistent indexes and the embedding of texts without a
        vector of this embedder, which may have changed.
        """
        projects = self.directory.all()
        self.trusted_folders.begin(Path(root) for one in projects for root in one.roots)
        known = len(projects)
        _log.info("organisation %s opened: %d projects", self.name, known)
        self._services.start()
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
        """Wake all workers."""
        for worker in self._workers:
            worker.wake()
        self._idle_watch.wake()

    def look(self) -> None:
        """Check open sessions now: whether they are idle, and whether their projects changed structure."""
        self._idle_watch.look()

    def services(self) -> list[ServiceState]:
        """The state of each service, by name."""
        return self._services.states()

    def waiting(self) -> tuple[int, list[str]]:
        """The number of pending and running jobs, and descriptions of those that failed permanently."""
        view = self.view(_WORKER, [p.scope for p in self.directory.all()] + [Scope(self.name)])
        counts = view.jobs.count()
        failed = self._store.upkeep.failed_jobs(5)
        problems = [f"job {job.name} failed: {job.error}" for job in failed]
        return counts.get("ready", 0) + counts.get("running", 0), problems

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
        for name in self._services.close():
            _log.warning("%s did not end in time", name)
        for worker in self._workers:
            worker.give_back()
        self._usage.settle()
        self.caches.close()
        self._store.close()

    def _add_services(self, *, work: bool) -> None:
        add = self._services.add
        add(USAGE_LOG, self._usage.run, self._usage.wake)
        if not work:
            return
        add(PREPARATIONS, self._preparations.run, self._preparations.wake)
        for lane, worker in zip(LANES, self._workers, strict=True):
            add(f"{lane} worker", worker.run, worker.stop)
        add(IDLE_WATCH, self._idle_watch.run, self._idle_watch.wake)

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
            return self.settings(root).number("sessions.timeout_minutes")
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
        request = Request(surface="job", caller=_WORKER, client="contextd")
        runtime = self.runtime(request, upkeep="upkeep" in row.needs)
        if job.scope is not None:
            there = self._in_project(runtime, job)
            if there is None:
                raise NotFound(f"unknown project {job.scope}", "its job cannot run")
            runtime = there
        result = run(runtime, Task(job.scope, job.arguments, job.checkpoint, hold))
        if job.scope is not None and job.name not in _UNCHECKED and not hold.lost:
            self._preparations.prepare("balance", job.scope, partial(self.mend, [job.scope]))
        return result

    def _in_project(self, runtime: Runtime, job: Job) -> Runtime | None:
        # Work for a team or for all runs in any project that can read it.
        all_known = self.directory.all()
        project = next((p for p in all_known if job.scope in p.scope.cascade), None)
        if project is None:
            return runtime.at_person() if job.scope == PERSON else None
        root = Path(str(job.arguments.get("root", "")))
        known = str(root) in project.roots and root.is_dir()
        return runtime.standing_in(project, root if known else None)


def _open_store(name: str, settings: Settings, key: bytes, clock: Clock, *, fresh: bool) -> Store:
    url = settings.text("store.url")
    backups = None if url else settings.home / "backups"
    if not url:
        path = database_path(settings.home, name)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        url = f"sqlite://{path}"
    return open_store(
        url,
        scrub=lambda text: redact(text, key).text,
        clock=clock,
        backups=backups,
        fresh=fresh,
    )
