"""One contextd in a process: an embedder, and the open organisations."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from contextd import __version__
from contextd.app.organisation import OpenOrganisation
from contextd.app.places import located
from contextd.app.tables import load_operations
from contextd.domain.generic_texts import USUAL_RULES
from contextd.domain.jobs import LANES, Lane
from contextd.domain.scope import Scope
from contextd.domain.upkeep import WrittenSince
from contextd.embedders import EmbedderOptions, open_embedder, open_reranker
from contextd.invocation.invoke import invoke
from contextd.ports.knowledge import Embedder, Reranker
from contextd.ports.upkeep import Clock
from contextd.redaction.redact import redact
from contextd.runtime.caches import Cache
from contextd.runtime.operation import Answer, Operation, find_operation
from contextd.runtime.runtime import Request, Runtime, SystemClock
from contextd.runtime.settings import Settings, load_settings
from contextd.search.query_sanity import makes_sense
from contextd.stores.backup_lag import written_since
from contextd.thin.home import LOCAL, close_to_others, database_path, make_home
from contextd_code.errors import ContextdError

_OPEN_AT_ONCE = 32
"""Organisations kept open; opening another one closes the least recently used."""

_LONGEST_CLIENT = 40
"""Characters of a client's name in the log: the client chooses its name itself."""

_CLIENTS = 100
"""The number of client names whose displayed form is cached."""

_log = logging.getLogger(__name__)


class Host:
    """One running contextd over one home. Safe to use from any thread."""

    def __init__(
        self,
        settings: Settings,
        embedder: Embedder,
        *,
        reranker: Reranker | None = None,
        clock: Clock | None = None,
        work: bool = True,
        fresh: bool = False,
    ) -> None:
        self._settings, self._embedder, self._reranker = settings, embedder, reranker
        self._work, self._fresh = work, fresh
        self._clock = clock or SystemClock()
        self._organisations: dict[str, OpenOrganisation] = {}
        self._lock = threading.Lock()
        self._watchers: tuple[Callable[[Scope], None], ...] = ()
        self._shown_clients: Cache[str, str] = Cache(_CLIENTS)

    @classmethod
    def open(
        cls,
        settings: Settings | None = None,
        *,
        work: bool = True,
        fresh: bool = False,
        clock: Clock | None = None,
    ) -> Host:
        """Open the home, its embedder and this machine's organisation, and start the workers if `work`.

        A store that existed and is missing now is created again only if `fresh` is set.
        """
        settings = settings or load_settings()
        make_home(settings.home)
        reranker = open_reranker(
            settings.text("search.reranker.path"),
            settings.text("search.reranker.tokenizer"),
            threads=settings.number("embedder.threads"),
        )
        embedder = _chosen_embedder(settings)
        host = cls(settings, embedder, reranker=reranker, clock=clock, work=work, fresh=fresh)
        host.organisation(LOCAL)
        if os.name != "nt":
            close_to_others(settings.home)
        return host

    @property
    def settings(self) -> Settings:
        """The values this process started with."""
        return self._settings

    def organisation(self, name: str) -> OpenOrganisation:
        """Return an organisation, opening it if needed. Raises the errors of opening its store."""
        with self._lock:
            found = self._organisations.pop(name, None)
            if found is None:
                self._make_room()
                found = OpenOrganisation(
                    name,
                    self._settings,
                    self._embedder,
                    self._clock,
                    reranker=self._reranker,
                    work=self._work,
                    changed=self._changed,
                    fresh=self._fresh,
                )
                found.start()
            self._organisations[name] = found
            return found

    def _make_room(self) -> None:
        """Close unused organisations, least recently used first, until there is room for another."""
        unused = [name for name, one in self._organisations.items() if not one.in_use]
        while len(self._organisations) >= _OPEN_AT_ONCE and unused:
            self._organisations.pop(unused.pop(0)).close()

    def _open_ones(self) -> list[OpenOrganisation]:
        with self._lock:
            return list(self._organisations.values())

    def runtime(self, request: Request, op: Operation | None = None) -> Runtime:
        """Create the runtime of a request, in the project it names or in that of its working directory. If
        `op` works in the directory, it becomes a project. Otherwise the request may be in no project.
        """
        organisation = self.organisation(request.caller.org)
        upkeep = op is not None and "upkeep" in op.needs
        runtime = organisation.runtime(request, upkeep=upkeep)
        if request.project:
            return runtime.at(request.project)
        return located(runtime, Path(request.cwd), op) if request.cwd else runtime

    def call(self, name: str, request: Request, arguments: Mapping[str, Any]) -> Answer:
        """Run one operation. Raises the errors of `domain.errors`; a defect is logged and raised
        as a `ContextdError` with the code `internal`.
        """
        load_operations()
        op = find_operation(name)
        began, place, outcome = time.monotonic(), "", "done"
        try:
            with self.organisation(request.caller.org).used():
                runtime = self.runtime(request, op)
                place = f" in {runtime.project.scope}" if runtime.project is not None else ""
                return invoke(op, runtime, arguments)
        except ContextdError as error:
            # An error's text may quote the caller's data: the log says which operation failed, not its input.
            outcome = f"failed ({error.code})"
            raise
        except Exception as error:
            outcome = "failed (internal)"
            _log.exception("%s failed", op.name)
            raise ContextdError(
                f"{op.name} failed: {type(error).__name__}: {error}",
                "this is a bug in contextd; the daemon's log has the details",
            ) from error
        finally:
            took = 1_000 * (time.monotonic() - began)
            # Calls from the command line are logged under the name of their surface.
            client = self._shown_clients.made(request.client, lambda: _shown(request.client))
            who = " ".join(dict.fromkeys((request.surface, client))).strip()
            _log.info("%s from %s%s: %s in %d ms", op.name, who, place, outcome, took)

    def warm(self) -> None:
        """Load the embedder and its vocabulary, so that no search waits for them, and embed the texts that
        every prompt is compared with.
        """
        makes_sense("warm")
        if self._embedder.model:
            try:
                self._embedder.embed(["warm"])
                if not self._embedder.sends_to:
                    self._embedder.embed(USUAL_RULES)
            except ContextdError as error:
                _log.warning("embedder not ready: %s", error.message)

    def health(self) -> dict[str, Any]:
        """The content of `/readyz` and `daemon status`: version, projects, pending work, services, problems."""
        waiting, preparing, projects = 0, 0, 0
        problems: list[str] = []
        services: dict[str, Any] = {}
        for organisation in self._open_ones():
            count, failed = organisation.waiting()
            waiting += count
            preparing += organisation.preparing()
            projects += len(organisation.directory.all())
            problems += failed
            for state in organisation.services():
                services[state.name] = state.as_dict()
                problems += [state.problem] if state.problem else []
        return {
            "version": __version__,
            "home": str(self._settings.home),
            "projects": projects,
            "waiting_jobs": waiting,
            "preparations": preparing,
            "services": services,
            "problems": problems,
        }

    def written_since(self, backup: Path | None) -> WrittenSince:
        """Count the records of this machine's store that a backup lacks; all of them without a backup."""
        return written_since(database_path(self._settings.home, LOCAL), backup)

    def wake(self) -> None:
        """Check for work that another process added."""
        for organisation in self._open_ones():
            organisation.wake()

    def watch(self, watcher: Callable[[Scope], None]) -> None:
        """Call `watcher` with each scope whose records, code or sessions this process changes, from any
        thread.
        """
        with self._lock:
            self._watchers = (*self._watchers, watcher)

    def _changed(self, scope: Scope) -> None:
        for watcher in self._watchers:
            watcher(scope)

    def idle(self) -> bool:
        """Whether no job is running or due."""
        return all(organisation.idle() for organisation in self._open_ones())

    def flush(self) -> None:
        """Write the by-products of calls that are still in memory."""
        for organisation in self._open_ones():
            organisation.flush()

    def work_off(self, lanes: Sequence[Lane] = LANES) -> int:
        """Run all due work of these lanes in this thread; return the number of jobs and preparations run."""
        return sum(organisation.work_off(lanes) for organisation in self._open_ones())

    def close(self) -> None:
        """Close every organisation."""
        _log.info("closing %s", self._settings.home)
        with self._lock:
            closing, self._organisations = self._organisations, {}
        for organisation in closing.values():
            organisation.close()


def _shown(client: str) -> str:
    return redact(client[: 2 * _LONGEST_CLIENT]).text[:_LONGEST_CLIENT]


def _chosen_embedder(settings: Settings) -> Embedder:
    options = EmbedderOptions(
        threads=settings.number("embedder.threads"),
        model=settings.text("embedder.model"),
        url=settings.text("embedder.url"),
        key_variable=settings.text("embedder.key_variable"),
        download=settings.flag("embedder.download"),
        folder=settings.home / "models",
        scrub=lambda text: redact(text).text,
    )
    return open_embedder(settings.text("embedder.name"), options)
