"""The composition root: settings in, a running contextd out. Only here are stores, embedders and
surfaces chosen and put together.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from contextd import __version__
from contextd.awareness.observe import UsageLog
from contextd.domain.access import OWNER, Caller
from contextd.domain.errors import ContextdError, Invalid, NotFound
from contextd.domain.sessions import Job, Project
from contextd.domain.tokens import count_tokens
from contextd.embedders import open_embedder
from contextd.home import make_home
from contextd.jobs.queue import Worker
from contextd.operations.background import Task, job_named
from contextd.operations.core import Answer, find_operation, invoke
from contextd.operations.freshness import forget
from contextd.operations.location import ORGANISATION, locate, project_named
from contextd.operations.tracking import track_call
from contextd.ports import Embedder, Store
from contextd.runtime import Runtime, Sinks, Surface, SystemClock
from contextd.settings import Settings, load_settings
from contextd.stores import open_store

MODULES = (
    "activity", "awareness", "briefing", "browse", "code", "contexts", "contradicting", "embedding", "freshness", "hooks", "interop", "learning", "memories", "projects", "queue",
    "scanning", "schema", "schema_files", "search", "sessions", "show", "stability", "symbols", "timeline", "tools", "upkeep", "window",
)  # fmt: skip
"""The modules of operations; importing them fills the tables. A test compares with the files."""

PLACE_SECONDS = 10.0
"""How long a directory's project is remembered before git is asked again."""

_log = logging.getLogger(__name__)


@cache
def load_operations() -> None:
    """Fill the tables of operations and jobs. Half a second of imports: nothing loads them before
    an operation is called by name, or a job is run.
    """
    for name in MODULES:
        import_module(f"contextd.operations.{name}")


class App:
    """One running contextd over one home. Safe to use from any thread."""

    def __init__(self, settings: Settings, store: Store, embedder: Embedder) -> None:
        self._settings, self._store, self._embedder = settings, store, embedder
        self._clock = SystemClock()
        self._usage = UsageLog(store, self._clock)
        self._worker = Worker(store, self._clock, self._run_job)
        self._sinks = Sinks(
            observe=self._usage.observe,
            served=self._usage.served,
            was_served=self._usage.was_served,
            used=self._usage.used,
            later=self._usage.later,
            settle=self._usage.settle,
            wake=self._worker.wake,
        )
        self._key = _redaction_key(settings.home)
        self._places: dict[str, tuple[float, Project, Path]] = {}
        self._lock = threading.Lock()

    @classmethod
    def open(cls, settings: Settings | None = None, *, work: bool = True) -> App:
        """Open the home's store and embedder, and start the worker when `work`."""
        settings = settings or load_settings()
        make_home(settings.home)
        url = settings.text("store.url") or _default_store(settings.home)
        embedder = open_embedder(
            settings.text("embedder.name"), threads=settings.number("embedder.threads")
        )
        app = cls(settings, open_store(url), embedder)
        if work:
            app._worker.start()
        return app

    @property
    def settings(self) -> Settings:
        """The values in force."""
        return self._settings

    def runtime(
        self,
        surface: Surface,
        *,
        cwd: str = "",
        client: str = "",
        session_hint: str = "",
        project: str = "",
        caller: Caller | None = None,
    ) -> Runtime:
        """A request's world for a call from the directory `cwd`, or about a named project.

        A directory outside any project gives a runtime without one.
        """
        runtime = Runtime(
            store=self._store,
            embedder=self._embedder,
            clock=self._clock,
            settings=self._settings,
            caller=caller or OWNER,
            sinks=self._sinks,
            client=client,
            surface=surface,
            session_hint=session_hint,
            redaction_key=self._key,
        )
        if project:
            found = project_named(self._store, project)
            roots = [Path(root) for root in found.roots if Path(root).is_dir()]
            return replace(runtime, project=found, root=roots[0] if roots else None)
        if not cwd:
            return runtime
        try:
            place, root = self._place(cwd)
        except (NotFound, Invalid) as error:
            return replace(runtime, nowhere=f": {error.message}; {error.hint}")
        return replace(runtime, project=place, root=root)

    def call(self, name: str, runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
        """Run one operation. Raises the errors of `domain.errors`; a defect is logged and raised
        as a `ContextdError` with the code `internal`.
        """
        load_operations()
        op = find_operation(name)
        try:
            answer = invoke(op, runtime, arguments)
        except ContextdError:
            raise
        except Exception as error:
            _log.exception("%s failed", op.name)
            raise ContextdError(
                f"{op.name} failed: {type(error).__name__}: {error}",
                "this is a defect of contextd; the daemon's log has the details",
            ) from error
        if op.tool and runtime.surface in ("mcp", "rest") and runtime.session_hint:
            tokens = count_tokens(answer.text)
            given = dict(arguments)
            self._sinks.later(lambda: track_call(runtime, op.name, given, tokens))
        return answer

    def warm(self) -> None:
        """Load the embedder now, so that the first search does not wait for it."""
        if self._embedder.model:
            try:
                self._embedder.embed(["warm"])
            except ContextdError as error:
                _log.warning("embedder not ready: %s", error.message)

    def health(self) -> dict[str, Any]:
        """What `/readyz` and `daemon status` show: version, projects, pending work, problems."""
        failed = self._store.jobs.list(states=("failed",), limit=5)
        waiting = self._store.jobs.list(states=("ready", "running"), limit=100)
        return {
            "version": __version__,
            "home": str(self._settings.home),
            "projects": len(self._store.projects.all()),
            "waiting_jobs": len(waiting),
            "problems": [f"job {job.name} failed: {job.error}" for job in failed],
        }

    def idle(self) -> bool:
        """Whether no job is running or due."""
        return self._worker.idle()

    def flush(self) -> None:
        """Write the by-products of calls that are still in memory."""
        self._usage.flush()

    def work_off(self) -> int:
        """Run the due jobs in this thread until none is left; returns how many ran."""
        count = 0
        self.flush()
        while self._worker.run_one():
            count += 1
        return count

    def close(self) -> None:
        """Finish writes, stop the worker, close the store."""
        self._worker.close()
        self._usage.close()
        forget(self._store)
        self._store.close()

    def _place(self, cwd: str) -> tuple[Project, Path]:
        now = time.monotonic()
        with self._lock:
            kept = self._places.get(cwd)
        if kept is not None and now - kept[0] < PLACE_SECONDS:
            return kept[1], kept[2]
        project, root = locate(self._store, self._clock, Path(cwd))
        with self._lock:
            self._places[cwd] = (now, project, root)
            if len(self._places) > 1000:
                self._places.clear()
        return project, root

    def _run_job(self, job: Job, keep: Any) -> Mapping[str, Any]:
        load_operations()
        kind = job_named(job.name)
        runtime = self.runtime("job", client="contextd")
        project = self._project_of(job)
        if project is not None:
            roots = [Path(root) for root in project.roots if Path(root).is_dir()]
            root = self._root_of(job, roots)
            runtime = replace(runtime, project=project, root=root)
        return kind.run(runtime, Task(job.arguments, job.checkpoint, keep))

    def _project_of(self, job: Job) -> Project | None:
        scope = str(job.arguments.get("project", ""))
        session = self._store.sessions.get(str(job.arguments.get("session_id", "")))
        if session is not None:
            scope = str(session.scope)
        named: Iterable[Project] = self._store.projects.all()
        return next((project for project in named if str(project.scope) == scope), None)

    def _root_of(self, job: Job, roots: list[Path]) -> Path | None:
        session = self._store.sessions.get(str(job.arguments.get("session_id", "")))
        if session is not None and session.cwd and Path(session.cwd).is_dir():
            return Path(session.cwd)
        return roots[-1] if roots else None


def _default_store(home: Path) -> str:
    path = home / "orgs" / ORGANISATION / "contextd.db"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return f"sqlite://{path}"


def _redaction_key(home: Path) -> bytes:
    path = home / "redaction.key"
    try:
        return path.read_bytes()
    except FileNotFoundError:
        fresh = path.with_name(f"redaction.{os.getpid()}.tmp")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secrets.token_bytes(32))
        # A hard link never replaces: of two processes that start at once, one key stands.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(fresh)
        fresh.unlink()
        return path.read_bytes()


def serve_standalone(profile: str, client: str, cwd: str) -> int:
    """Serve one agent over MCP on this process's stdio, without a daemon."""
    from contextd.surfaces.standalone import serve_stdio  # noqa: PLC0415 - imports the MCP SDK

    settings = load_settings(Path(cwd) if cwd else None)
    load_operations()
    return serve_stdio(lambda: App.open(settings), settings, profile, client, cwd)
