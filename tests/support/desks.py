"""A whole contextd in this process, callers in its projects, and a neighbour beside every test.

The home of a test always holds another project. After the test that one must be as it was, and
everything derived must balance.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from contextd.app import Host, load_operations
from contextd.domain.access import OWNER, Caller
from contextd.domain.changes import Changes, Committed, KnowledgeChanges, NewJob, Put
from contextd.domain.jobs import LANES
from contextd.domain.query import Query, Vector
from contextd.domain.records import STATUSES, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd.domain.usage import Observation, ObservationSummary
from contextd.embedders import open_embedder
from contextd.jobs.table import new_job
from contextd.ports.knowledge import Embedder
from contextd.ports.store import Store, View
from contextd.ports.upkeep import Clock, Upkeep
from contextd.runtime.doors import HomeDoor, Surface
from contextd.runtime.operation import Answer, find_operation
from contextd.runtime.runtime import Request, Runtime
from contextd.runtime.setting_table import SETTINGS
from contextd.runtime.settings import load_settings
from contextd.stores import open_store
from contextd.thin.home import LOCAL, database_path, make_home
from contextd_common.text.words import query_words
from support.clocks import Shifted
from support.repositories import BLOG, SHOP, committed
from support.roles import RoleOrOwner, caller_with
from support.stores import plain

NOTES = (
    "Deploys go through the blue pipeline on Fridays",
    "Invoices are immutable once sent",
    "The session timeout is 45 minutes",
    "Use tabs in Makefiles",
)
"""What the neighbour wrote down. Tests say some of it as well."""

QUESTIONS = ("which pipeline for deploys", "renew the token of a session", "how big is the pool")
"""What the neighbour is asked after each test."""


_SEEN: WeakKeyDictionary[Host, set[Path]] = WeakKeyDictionary()
"""The folders somebody sat in: asking git for each desk again would take half of a small test."""


@cache
def embedder(name: str = "minilm") -> Embedder:
    """The embedder called `name`, loaded once in this process."""
    return open_embedder(name, threads=1)


class Listening:
    """An embedder, and every text it was given."""

    def __init__(self, inner: Embedder) -> None:
        self.inner, self.model, self.sends_to = inner, inner.model, inner.sends_to
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.texts += texts
        return self.inner.embed(texts)


def opened(home: Path, clock: Clock, using: Embedder | None = None, **flags: Any) -> Host:
    """A host over a home that works only when it is told to. `flags` are settings with an underscore
    for each dot.
    """
    load_operations()
    names = {name.replace(".", "_"): name for name in SETTINGS}
    settings = load_settings(home=home, flags={names[flag]: flags[flag] for flag in flags})
    make_home(home)
    using = using or embedder(settings.text("embedder.name"))
    host = Host(settings, using, door=HomeDoor(), clock=clock, duties="none")
    host.organisation(LOCAL)
    return host


@dataclass(frozen=True)
class Desk:
    """One caller in one project. Called with the name of an operation, it gives the answer's value. The folder
    is trusted, unless it is a `stranger`'s.
    """

    host: Host
    root: Path
    caller: Caller = OWNER
    surface: Surface = "mcp"
    client: str = "test-client"
    connection: str = ""
    process: int = 0
    stranger: bool = False

    def __post_init__(self) -> None:
        # Whoever sits at a desk owns what is on it, but for a desk of a stranger's.
        seen = _SEEN.setdefault(self.host, set())
        if self.stranger or self.root in seen or not (self.root.parts and self.root.is_dir()):
            return
        seen.add(self.root)
        folders = self.host.organisation(LOCAL).trusted_folders
        if not folders.of(self.root).trusted:
            folders.grant(self.root, "you")

    def __call__(self, operation: str, /, **arguments: Any) -> Any:
        return self.answer(operation, **arguments).value

    def answer(self, operation: str, /, **arguments: Any) -> Answer:
        return self.host.call(operation, self.request(), arguments)

    def as_owner(self, operation: str, /, **arguments: Any) -> Any:
        """The answer to the person at the command line."""
        return self.on("cli")(operation, **arguments)

    def request(self, **more: Any) -> Request:
        """A call from here, as a surface puts it."""
        return Request(
            surface=self.surface,
            caller=self.caller,
            cwd=str(self.root) if self.root.parts else "",
            client=self.client,
            connection=self.connection,
            process=self.process,
            **more,
        )

    def on(self, surface: Surface) -> Desk:
        """The same caller on another surface."""
        return replace(self, surface=surface)

    def at(self, root: Path) -> Desk:
        """The same caller in another directory."""
        return replace(self, root=root)

    def nowhere(self) -> Desk:
        """The same caller in no directory."""
        return replace(self, root=Path())

    def connected(self, connection: str, process: int = 0) -> Desk:
        """The same caller in a conversation that lasts."""
        return replace(self, connection=connection, process=process)

    def by(
        self, role: RoleOrOwner, *projects: str, team: str = "default", org: str = LOCAL
    ) -> Desk:
        """Somebody with this role here, who may see these projects."""
        return replace(self, caller=caller_with(role, org, (team,), projects))

    def runtime(self, **more: Any) -> Runtime:
        """The world of a call that is to do something here."""
        return self.host.runtime(self.request(**more), find_operation("save_context"))

    @property
    def view(self) -> View:
        """What a call from here may reach."""
        return self.runtime().view

    @property
    def scope(self) -> Scope:
        """The project."""
        return self.runtime().scope

    @property
    def upkeep(self) -> Upkeep:
        """The whole store, to look after."""
        anywhere = self.nowhere().request()
        found = self.host.runtime(anywhere, find_operation("doctor")).upkeep
        assert found is not None
        return found

    def record(self, id: str) -> Record:
        """A record as it is stored."""
        [found] = self.view.records.get([id])
        return found

    def put(self, record: Record, action: str = "update") -> Committed:
        """Store a record as it is, past every gate."""
        return self.view.commit(
            Changes(actor="test", knowledge=KnowledgeChanges(records=[Put(record, action)]))
        )

    @contextmanager
    def elsewhere(self) -> Iterator[Store]:
        """The store, as another process opens it."""
        address = f"sqlite://{database_path(self.host.settings.home, LOCAL)}"
        store = open_store(address, "local", scrub=plain)
        yield store
        store.close()

    def failed_job(self, name: str, error: str) -> str:
        """Have a job of the project fail for good in another process; its id."""
        with self.elsewhere() as store:
            [id] = store.queue.add([NewJob(name=name, scope=self.scope, max_attempts=1)])
            claimed = store.queue.claim("elsewhere", 60, lanes=LANES, place="")
            assert claimed is not None
            assert claimed.id == id
            store.queue.fail(id, "elsewhere", error, 0.0)
        return id

    def work_on(self, name: str) -> None:
        """Run a job that is of no project, and all that follows."""
        with self.elsewhere() as store:
            store.queue.add([new_job(name, None, "")])
        self.host.work_off()

    def sessions(self) -> list[Session]:
        """The sessions of the project, latest first."""
        self.host.flush()
        return self.view.sessions.find(frozenset({self.scope}))

    def usage(self) -> ObservationSummary:
        """What was counted of the project's usage."""
        self.host.flush()
        return self.view.observations.summary(frozenset({self.scope}))

    def observed(self, limit: int = 100) -> list[Observation]:
        """What was logged of the project's usage, latest first."""
        self.host.flush()
        return self.view.observations.recent(frozenset({self.scope}), limit)

    def configure(self, text: str) -> None:
        """Write the project's own settings."""
        (self.root / ".context").mkdir(exist_ok=True)
        (self.root / ".context" / "config.yaml").write_text(text)


class Unlost:
    """The hold of a worker that keeps its job, for jobs that a test runs by hand."""

    lost = False

    def keep(self, state: Mapping[str, Any]) -> None:
        self.state = dict(state)

    def check(self) -> None:
        """The job is still ours."""


@dataclass(frozen=True)
class Neighbour:
    """Another project: its repository, the home that knows it, and how it looks."""

    root: Path
    home: Path
    scope: Scope
    picture: dict[str, Any]

    def desk(self, host: Host) -> Desk:
        """Its own caller."""
        return Desk(host, self.root, client="neighbour")


def settle_neighbour(folder: Path) -> Neighbour:
    """A home in which the neighbour worked some days ago, and has a session open since."""
    root, home = committed(folder / "blog", BLOG), folder / "home"
    # Its hourly jobs ran a minute ago: none is due while the tests run.
    clock = Shifted(hours=-60, minutes=-2)
    host = opened(home, clock)
    desk = Desk(host, root, client="neighbour")
    # Tests that move the clock must not end its session: no other project's timeout does either. Nor may
    # a lesson of it be archived because it rested for years.
    desk.configure("sessions:\n  timeout_minutes: 100000000\nconsolidation:\n  archive_below: 0\n")
    desk.as_owner("init")
    bubble = desk("create_bubble", name="payments")["id"]
    for text in NOTES:
        desk("save_context", content=text, bubble_id=bubble)
    desk(
        "memory_record",
        title="Pool sizing",
        description="When the database is slow",
        content="Give the database pool as many connections as there are workers.",
        outcome="success",
    )
    agent = desk.connected("neighbour-1")
    session = agent("session_start", task_description="Publish posts")["session_id"]
    agent("session_log", session_id=session, role="user", text="Publish the post on Friday.")
    agent("read_file", path="src/auth/guard.ts")
    # While texts wait for their vectors a question that finds nothing is no gap.
    host.work_off()
    agent("recall_context", query="quantum flux")
    # What a test's own reindexing finds in the open session is indexed already.
    desk.as_owner("reindex")
    host.work_off()
    # What comes round daily is done, and due again in half a day only.
    clock.move(hours=60, minutes=2)
    host.work_off()
    scope = desk.scope
    host.close()
    copy = folder / "copy"
    shutil.copytree(home, copy)
    host = opened(copy, Shifted())
    picture = picture_of(host, scope)
    host.close()
    shutil.rmtree(copy)
    return Neighbour(root, home, scope, picture)


def picture_of(host: Host, scope: Scope) -> dict[str, Any]:
    """All that a project holds, and what is found in it."""
    organisation = host.organisation(LOCAL)
    view = organisation.view(OWNER, [scope])
    here = frozenset({scope})
    records = view.records.find(Query(scopes=here, statuses=STATUSES, limit=1_000)).records
    sessions = view.sessions.find(here)
    kept = {
        "project": [one for one in organisation.directory.all() if one.scope == scope],
        "records": {record.id: record for record in records},
        "history": {record.id: view.records.history(record.id) for record in records},
        "files": view.files.of(scope).all(),
        "stamps": view.files.of(scope).stamps(),
        "index": view.index.stats(embedder().model),
        "sessions": sessions,
        "events": {one.id: view.sessions.events(one.id) for one in sessions},
        "window": {one.id: view.sessions.items(one.id) for one in sessions},
        "usage": view.observations.summary(here),
    }
    anything = Query(scopes=here, statuses=STATUSES)
    for question in QUESTIONS:
        meant = embedder().embed([question])[0]
        kept[question] = (
            view.index.lexical(query_words(question), anything, 20),
            view.index.dense(meant, embedder().model, anything, 20),
        )
    return kept


class Home:
    """The home of one test, and the hosts over it. `clock` is theirs; `broken` is set by a test that
    takes something out of balance on purpose.
    """

    def __init__(self, path: Path, neighbour: Neighbour) -> None:
        self.path, self.neighbour = path, neighbour
        self.clock = Shifted()
        self.broken = False
        self._hosts: list[Host] = []
        shutil.copytree(neighbour.home, path)

    def host(self, using: Embedder | None = None, **flags: Any) -> Host:
        """Open another host."""
        host = opened(self.path, self.clock, using, **flags)
        self._hosts.append(host)
        return host

    def close(self) -> None:
        """Close every host."""
        hosts, self._hosts = self._hosts, []
        for host in hosts:
            host.close()

    def check(self) -> None:
        """The neighbour is as it was, and everything balances."""
        host = self.host()
        host.work_off()
        if not self.broken:
            upkeep = self.neighbour.desk(host).upkeep
            problems = [text for one in upkeep.balance() for text in one.problems]
            assert problems == []
        now, before = picture_of(host, self.neighbour.scope), self.neighbour.picture
        new = now["records"].keys() - before["records"].keys()
        assert [now["records"][id] for id in new] == []
        assert now == before


@pytest.fixture(scope="session")
def neighbour(tmp_path_factory: pytest.TempPathFactory) -> Neighbour:
    """The project that is in the home of every test."""
    return settle_neighbour(tmp_path_factory.mktemp("neighbour"))


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of every test, to be copied."""
    return committed(tmp_path_factory.mktemp("template") / "shop", SHOP)


@pytest.fixture
def repository(tmp_path: Path, pristine: Path) -> Path:
    """A small TypeScript repository under git."""
    return Path(shutil.copytree(pristine, tmp_path / "shop"))


@pytest.fixture
def home(tmp_path: Path, neighbour: Neighbour) -> Iterator[Home]:
    """A home with the neighbour in it, which is looked at afterwards."""
    made = Home(tmp_path / "home", neighbour)
    yield made
    made.close()
    try:
        made.check()
    finally:
        made.close()


@pytest.fixture
def open_desk(home: Home, repository: Path) -> Callable[..., Desk]:
    """Opens a host with these settings, and sits down in the repository."""

    def make(using: Embedder | None = None, **flags: Any) -> Desk:
        return Desk(home.host(using, **flags), repository)

    return make


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    """The owner's agent in a repository nobody has called from yet."""
    return open_desk()


@pytest.fixture
def words_only(open_desk: Callable[..., Desk]) -> Desk:
    """The same without an embedder."""
    return open_desk(embedder_name="none")


@pytest.fixture
def colleague(desk: Desk, neighbour: Neighbour) -> Desk:
    """Somebody who may look at the neighbour's project and at no other."""
    return neighbour.desk(desk.host).by("viewer", neighbour.scope.project)
