"""One contextd in a process: an embedder, and the open organisations."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contextd import __version__
from contextd.app.call_project import located
from contextd.app.database_watch import DatabaseWatch
from contextd.app.organisation import (
    MODELS,
    Duties,
    HostParts,
    OpenOrganisation,
    place_of,
    store_address,
)
from contextd.app.tables import load_operations
from contextd.domain.generic_texts import USUAL_RULES
from contextd.domain.jobs import LANES, Lane
from contextd.domain.members import assignment, organisation_of
from contextd.domain.scope import Scope
from contextd.domain.upkeep import WrittenSince
from contextd.embedders import EmbedderOptions, open_embedder, open_reranker
from contextd.invocation.invoke import invoke
from contextd.members.invitations import Invitation, exchange, invite, unknown_code
from contextd.ports.knowledge import Embedder, Reranker
from contextd.ports.members import MemberTable
from contextd.ports.upkeep import Clock
from contextd.ports.work import SharedDatabase
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact
from contextd.runtime.caches import Cache
from contextd.runtime.doors import Door, HomeDoor, ServerDoor, Verifier
from contextd.runtime.kept_memory import LOOK_SECONDS, Keeper, Kept, KeptMemory
from contextd.runtime.operation import Answer, Operation, find_operation
from contextd.runtime.runtime import Request, Runtime, SystemClock
from contextd.runtime.settings import Settings, load_settings
from contextd.runtime.work_pool import Background, WorkPool
from contextd.search.query_sanity import makes_sense
from contextd.stores import delete_organisation, migrate_store, move_store, open_shared
from contextd.stores.backup_lag import written_since
from contextd.thin.home import LOCAL, close_to_others, database_path, make_home
from contextd_code.git.substitute import keep_stand_ins_in
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, ContextdError, Invalid, Unavailable

_OPEN_AT_ONCE = 64
"""Organisations kept open; opening another one closes one at rest, the least recently used first."""

_IDLE_SECONDS = 600.0
"""How long an organisation of a shared database stays open without a call or a job: its due work is found without it."""

_CREWS: dict[str, int] = {
    "learning": 2,
    "index": 2,
    "upkeep": 2,
    "preparations": 2,
    "usage log": 2,
    "watches": 2,
    "opening": 2,
    "signals": 1,
}
"""Threads of the process, by the work they do for all organisations: what takes minutes holds up only its own kind. Two,
because a job waits for the database or the embedder about half of its time, and Python runs one thread at a time.
"""

MEMORY = "memory"
"""The duty that releases unused memory."""

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
        door: Door,
        reranker: Reranker | None = None,
        clock: Clock | None = None,
        duties: Duties = "all",
        fresh: bool = False,
        database: SharedDatabase | None = None,
    ) -> None:
        self._settings, self._embedder = settings, embedder
        self._duties, self._fresh, self._door = duties, fresh, door
        self._pool = WorkPool(_CREWS)
        self._database = database or open_shared(settings.text("store.url"))
        self.memory = KeptMemory(settings.number("daemon.kept_mb") << 20)
        self.memory.add(MODELS, _Models([embedder, reranker]))
        self._parts = HostParts(
            settings,
            embedder,
            clock or SystemClock(),
            door,
            self._pool,
            self.memory,
            reranker,
            self._database,
        )
        self._organisations: dict[str, OpenOrganisation] = {}
        self._checked: set[str] = set()
        self._turns: dict[str, threading.Lock] = {}
        self._lock, self._closed = threading.Lock(), False
        self._watchers: tuple[Callable[[Scope], None], ...] = ()
        self._shown_clients: Cache[str, str] = Cache(_CLIENTS)
        self._watch = None
        if self._database is not None and duties != "none":
            self._watch = self._watch_database(self._database)
        self._background = Background(self._pool)
        if duties != "none":
            self._background.add("watches", MEMORY, self.memory.step)
            self._background.wake(MEMORY, LOOK_SECONDS)

    def _watch_database(self, database: SharedDatabase) -> DatabaseWatch:
        return DatabaseWatch(
            database,
            place_of(self._settings.home, self._door),
            self._pool,
            hurry=lambda name: self.organisation(name).wake(),
            room=self._room,
            watched=lambda: {one.name: one.replica_watch for one in self._open_ones()},
            jobs=self._duties == "all",
        )

    @classmethod
    def open(
        cls,
        settings: Settings | None = None,
        *,
        work: bool = True,
        fresh: bool = False,
        migrate: bool = False,
        clock: Clock | None = None,
    ) -> Host:
        """Open the home, its embedder and this machine's organisation, and start the workers if `work`.

        A store that existed and is missing now is created again only if `fresh` is set. With `migrate`, the
        database of a team is migrated first.
        """
        settings = settings or load_settings()
        if migrate:
            migrate_store(settings.text("store.url"))
        make_home(settings.home)
        keep_stand_ins_in(settings.home / "git")
        embedder, reranker = _chosen_models(settings)
        host = cls(
            settings,
            embedder,
            door=HomeDoor(),
            reranker=reranker,
            clock=clock,
            duties="all" if work else "none",
            fresh=fresh,
        )
        try:
            host.organisation(LOCAL)
        except BaseException:
            host.close()
            raise
        host.watch_database()
        if os.name != "nt":
            close_to_others(settings.home)
        return host

    @classmethod
    def open_server(cls, settings: Settings, duties: Duties) -> Host:
        """Open the database of a team for callers on other machines. An organisation is opened when it is
        called or has work due.

        Raises `Invalid` if the settings name no such database.
        """
        database = open_shared(settings.text("store.url"))
        if database is None:
            raise Invalid(
                "a server needs the store of a team",
                "set store.url to postgresql://user@host/database, and run `contextd store migrate`",
            )
        make_home(settings.home)
        embedder, reranker = _chosen_models(settings)
        host = cls(
            settings,
            embedder,
            door=ServerDoor(database.credentials, _issuer(settings)),
            reranker=reranker,
            duties=duties,
            database=database,
        )
        host.watch_database()
        return host

    def watch_database(self) -> None:
        """Begin to look for due work, changes and signals of all organisations of a shared database."""
        if self._watch is not None:
            self._watch.start()

    @property
    def settings(self) -> Settings:
        """The values this process started with."""
        return self._settings

    @property
    def door(self) -> Door:
        """Identifies the callers of this contextd."""
        return self._door

    def organisation(self, name: str) -> OpenOrganisation:
        """Return an organisation, opening it if needed. Raises the errors of opening its store."""
        with self._lock:
            known = self._organisations.pop(name, None)
            if known is not None:
                self._organisations[name] = known
                return known
            turn = self._turns.setdefault(name, threading.Lock())
        # Opening reads and migrates a whole store: only callers of this organisation wait for it.
        with turn:
            return self._opened(name)

    def _opened(self, name: str) -> OpenOrganisation:
        """Open an organisation unless another thread just did. Its turn is held."""
        with self._lock:
            if name in self._organisations:
                return self._organisations[name]
            unneeded = self._make_room()
        for one in unneeded:
            one.close()
        opened = OpenOrganisation(
            name, self._parts, duties=self._duties, changed=self._changed, fresh=self._fresh
        )
        # Replicas that answer calls leave repairs to those that work.
        opened.start(check=name not in self._checked and self._duties != "calls")
        with self._lock:
            if not self._closed:
                self._checked.add(name)
                self._organisations[name] = opened
                return opened
        opened.close()
        raise Unavailable("contextd is closing", "start it again")

    def _make_room(self) -> list[OpenOrganisation]:
        """Take out organisations at rest, least recently used first, until there is room for another. The lock is held."""
        retired: list[OpenOrganisation] = []
        for name, one in list(self._organisations.items()):
            if len(self._organisations) < _OPEN_AT_ONCE:
                break
            if name != LOCAL and one.retire():
                retired.append(self._organisations.pop(name))
        return retired

    def _room(self) -> int:
        """Close organisations of the shared database that have long been idle; return how many more may work now."""
        now, retired = time.monotonic(), list[OpenOrganisation]()
        with self._lock:
            for name, one in list(self._organisations.items()):
                # Subscribers of this machine's organisation hear of others' changes as long as it is open.
                if name != LOCAL and now - one.used_at > _IDLE_SECONDS and one.retire():
                    retired.append(self._organisations.pop(name))
            busy = sum(not one.at_rest for one in self._organisations.values())
        for one in retired:
            one.close()
        return max(0, _OPEN_AT_ONCE - busy)

    @contextmanager
    def _using(self, name: str) -> Iterator[None]:
        """Keep an organisation open while this context is open."""
        while True:
            with self.organisation(name).used() as usable:
                if usable:
                    yield
                    return

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
        # A server has no folder of its callers, whatever path a request gives.
        here = request.cwd if self._door.on_machine else ""
        return located(runtime, Path(here), op) if here else runtime

    def call(self, name: str, request: Request, arguments: Mapping[str, Any]) -> Answer:
        """Run one operation. Raises the errors of `domain.errors`; a defect is logged and raised
        as a `ContextdError` with the code `internal`.
        """
        load_operations()
        op = find_operation(name)
        began, place, outcome = time.monotonic(), "", "done"
        try:
            with self._using(request.caller.org):
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
                    self._embedder.embed(USUAL_RULES["en"].splitlines())
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
        own = self._watch.states() if self._watch is not None else []
        for state in (*self._background.states(), *own):
            services[state.name] = state.as_dict()
            problems += [state.problem] if state.problem else []
        return {
            "version": __version__,
            "home": str(self._settings.home),
            "projects": projects,
            "waiting_jobs": waiting,
            "preparations": preparing,
            "kept_in_memory": self.memory.use_of().line,
            "services": services,
            "problems": problems,
        }

    def check(self) -> None:
        """See `TeamBackend.check`."""
        if self._database is not None:
            self._database.check()

    def exchange_code(self, code: str, label: str) -> str:
        """See `TeamBackend.exchange_code`."""
        organisation = organisation_of(code)
        # Opening an organisation makes one that is not there.
        if self._database is None or not self._database.credentials.has_organisation(organisation):
            raise unknown_code()
        with self._using(organisation):
            return exchange(self._members_of(organisation), organisation, code, label)

    def add_organisation(self, name: str, administrator: str) -> Invitation:
        """Make an organisation with its first administrator; one without members gets one. Raises `Conflict` if it has
        members, `Invalid` for a name that no organisation may have.
        """
        if name == LOCAL:
            raise Invalid(f"{LOCAL!r} is the organisation of one person", "choose another name")
        role = assignment("org_admin", Scope(name))
        with self._using(name):
            members = self._members_of(name)
            if members.all():
                raise Conflict(f"{name} has members already", "an administrator can invite others")
            return invite(members, name, administrator, role)

    def _members_of(self, organisation: str) -> MemberTable:
        members = self.organisation(organisation).members
        if members is None:
            raise Invalid("this store has no members", "set store.url to a PostgreSQL database")
        return members

    def move_store(self, target: str) -> Mapping[str, int]:
        """See `Backend.move_store`."""
        return move_store(store_address(self._settings, LOCAL), target, LOCAL)

    def delete_organisation(self, name: str) -> Sequence[str]:
        """See `Backend.delete_organisation`."""
        with self._lock:
            found = self._organisations.pop(name, None)
        if found is not None:
            found.close()
        return delete_organisation(self._settings.text("store.url"), name)

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
        with self._lock:
            self._closed = True
            closing, self._organisations = self._organisations, {}
        if closing:
            # A home that cannot be opened is tried every few seconds and has nothing to close.
            _log.info("closing %s", self._settings.home)
        self._background.close()
        for organisation in closing.values():
            organisation.close()
        if self._watch is not None:
            self._watch.close()
        elif self._database is not None:
            self._database.close()
        self._pool.close()


@dataclass(frozen=True, slots=True)
class _Models:
    """The models of the process, loaded and released apart from each other."""

    models: Sequence[object]

    def kept(self) -> Iterator[Kept]:
        """See `Keeper.kept`."""
        for model in self.models:
            if isinstance(model, Keeper):
                yield from model.kept()


def _issuer(settings: Settings) -> Verifier | None:
    if not settings.text("server.issuer"):
        return None
    # PyJWT and cryptography take 0.1 s, and come with the SDK of MCP.
    from contextd.app.issuer import Issuer  # noqa: PLC0415

    return Issuer(settings)


def _shown(client: str) -> str:
    return redact(beginning(client, _LONGEST_CLIENT)).text[:_LONGEST_CLIENT]


def _chosen_models(settings: Settings) -> tuple[Embedder, Reranker | None]:
    reranker = open_reranker(
        settings.text("search.reranker.path"),
        settings.text("search.reranker.tokenizer"),
        threads=settings.number("embedder.threads"),
    )
    options = EmbedderOptions(
        threads=settings.number("embedder.threads"),
        model=settings.text("embedder.model"),
        url=settings.text("embedder.url"),
        key_variable=settings.text("embedder.key_variable"),
        download=settings.flag("embedder.download"),
        folder=settings.home / "models",
        scrub=lambda text: redact(text).text,
    )
    return open_embedder(settings.text("embedder.name"), options), reranker
