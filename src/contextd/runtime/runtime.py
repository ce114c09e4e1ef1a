"""What one call may use and see."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from contextd.domain.access import Caller
from contextd.domain.changes import Changes, Committed, NewJob
from contextd.domain.code import CodePlace
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Conflict, NotFound, nearest
from contextd.domain.jobs import Schedule
from contextd.domain.notices import Notice
from contextd.domain.projects import THE_PERSON, Project
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import PERSON, Scope, may_leave
from contextd.domain.time import age
from contextd.domain.trust import Trust
from contextd.domain.usage import Observation
from contextd.domain.window import Serving
from contextd.ports.knowledge import Embedder, Reranker
from contextd.ports.store import Directory, View
from contextd.ports.upkeep import Clock, Upkeep
from contextd.runtime.caches import Caches
from contextd.runtime.settings import Settings
from contextd.runtime.supervision import ServiceState
from contextd.thin.ready import mark_of

Surface = Literal["mcp", "rest", "cli", "web", "hook", "job", "python"]


NO_KIND = "no kind"
"""What nothing is of: a query for it finds nothing."""

_MOST_NAMED = 20
_NAMED = 5
"""An answer names no more of the records that it wrote; each would be looked up while writers wait."""

Progress = Callable[[str, int, int], None]
"""Told (what, done, of how many) as long work goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Who asks for something, from where: what a surface knows before the call is put together.

    `cwd` is the directory the call comes from, `project` a name that goes before it. `connection`
    names a conversation that lasts, `process` the client's process at its other end, `ancestors` the
    processes above a hook, and `client_sessions` what the client calls the session that the call belongs
    to, nearest first. `key` makes the call one that may be repeated, and `repeated` says that
    this may be a repetition. `alone` says that nobody else waits for answers of this process.
    """

    surface: Surface
    caller: Caller
    cwd: str = ""
    project: str = ""
    client: str = ""
    connection: str = ""
    process: int = 0
    ancestors: tuple[int, ...] = ()
    client_sessions: tuple[str, ...] = ()
    key: str = ""
    repeated: bool = False
    alone: bool = False
    progress: Progress | None = None


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present instant, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Checkout:
    """The work tree a call comes from: files, git, CONTEXT.md, project.yaml. It exists on the machine
    of whoever works there, so a server has none. Nothing of `context` is read where its owner does not
    trust it: it came with the repository.
    """

    root: Path
    trust: Trust

    @property
    def trusted(self) -> bool:
        """Whether its owner trusts it."""
        return self.trust.trusted

    @property
    def context(self) -> Path:
        """The folder of what contextd and people keep beside the code."""
        return self.root / ".context"

    @property
    def project_yaml(self) -> Path:
        """The project model."""
        return self.context / "project.yaml"

    @property
    def initialised(self) -> bool:
        """Whether it has a project model that counts."""
        return self.trusted and self.project_yaml.is_file()

    @property
    def context_md(self) -> Path:
        """The handoff."""
        return self.context / "CONTEXT.md"


@dataclass(slots=True)
class Trace:
    """What a call turned out to touch. `invoke` makes one observation of it, and what it gave to an
    agent is followed up in the agent's session.

    `gave` are things that entered the agent's window, `own_texts` texts of ours it was given, `used` the
    records among them. `notices` ride on the answer, `injected` are records the agent was told of in them.
    `by_words` says why some texts were looked for by words alone, and empty answers therefore prove nothing.
    `session` is the session they were given in, where that is another than the
    call's. `committed` says that something of the call was written for good, and `namesakes` which ids
    the view it was written through could see to begin as those written do, by that beginning.
    """

    action: Literal["read", "write", "update", "delete", "miss"] | None = None
    type: str = ""
    record_ids: tuple[str, ...] = ()
    query: str = ""
    gave: list[Serving] = field(default_factory=list[Serving])
    own_texts: list[str] = field(default_factory=list[str])
    used: list[Record] = field(default_factory=list[Record])
    notices: list[Notice] = field(default_factory=list[Notice])
    injected: list[str] = field(default_factory=list[str])
    by_words: str = ""
    session: str = ""
    committed: bool = False
    namesakes: dict[str, tuple[View, list[str]]] = field(
        default_factory=dict[str, tuple[View, list[str]]]
    )

    def read(
        self, ids: Sequence[str], *, type: str = "", query: str = "", narrowed: bool = False
    ) -> None:
        """Note what was read. A query that found nothing is a miss, but for one that was `narrowed` by
        filters: what it asked for may well be known.
        """
        self.action = "miss" if query and not ids and not narrowed else "read"
        self.type, self.record_ids, self.query = type, tuple(ids), query

    def wrote(
        self,
        ids: Sequence[str],
        *,
        type: str = "",
        action: Literal["write", "update", "delete"] = "write",
    ) -> None:
        """Note what was written."""
        self.action, self.type, self.record_ids = action, type, tuple(ids)


@dataclass(frozen=True, slots=True)
class Sinks:
    """Where by-products of calls go without making the caller wait.

    `handed_out` remembers sentences by their digests, said in a session of a scope; `used` counts a
    use of records; `later` runs something small in a moment, in order; `prepare` does something long
    behind the back of everybody, once for each name and owner that waits; `settle` does now what would be done
    in a moment; `wake` tells the workers that a job was added or a session opened; `changed` tells whoever
    watches that the records or the code of a scope are others now, or that a session there began or
    ended; `schedule` has work come round.
    """

    observe: Callable[[Observation], None]
    handed_out: Callable[[Scope, str, Iterable[str]], None]
    used: Callable[[Iterable[Record]], None]
    later: Callable[[str, Callable[[], object]], None]
    prepare: Callable[[str, Hashable, Callable[[], object]], None]
    settle: Callable[[], object]
    wake: Callable[[], None]
    changed: Callable[[Scope], None]
    schedule: Callable[[Schedule], None]


class TrustedFolders(Protocol):
    """The folders that the owner of this machine trusts."""

    def of(self, root: Path) -> Trust:
        """Whether a checkout is trusted."""
        ...

    def grant(self, root: Path, by: str) -> Trust:
        """Trust a checkout from now on."""
        ...

    def revoke(self, root: Path) -> Trust:
        """Trust a checkout no longer."""
        ...

    def listed(self) -> list[Trust]:
        """Every decision, by path."""
        ...


class Organisation(Protocol):
    """What belongs to everybody of one organisation, as far as a call needs it."""

    @property
    def name(self) -> str:
        """The organisation's slug."""
        ...

    @property
    def place(self) -> str:
        """The name of this machine among those that work for the organisation: jobs that need a
        checkout are queued for the machine it is on.
        """
        ...

    @property
    def directory(self) -> Directory:
        """Which projects there are."""
        ...

    @property
    def caches(self) -> Caches:
        """What is remembered to save work."""
        ...

    @property
    def trusted_folders(self) -> TrustedFolders:
        """Which folders the owner of this machine trusts."""
        ...

    def settings(self, root: Path | None) -> Settings:
        """The values in force in a checkout, or outside of any."""
        ...

    def checkout(self, root: Path) -> Checkout:
        """The work tree at `root`, trusted or not."""
        ...

    def view(self, caller: Caller, scopes: Iterable[Scope], code: CodePlace | None = None) -> View:
        """What the caller may reach of these scopes, standing in the checkout `code`."""
        ...

    def services(self) -> list[ServiceState]:
        """How each of its services does, by name."""
        ...


@dataclass(frozen=True, slots=True)
class Runtime:
    """One request's world: what its caller may reach of the data, the embedder, a reranker where one is
    chosen, and where it stands.

    `checkout` is the work tree the call comes from. `connection` names a conversation that lasts, and
    `process` the client at its other end; `ancestors` are the processes above a hook: by these a hook
    and a connection of one client find each other, unless the client says with a call whose it is
    (`client_sessions`). `session` is the session the call belongs to, once
    it has one. `redaction_key` makes equal secrets recognisable within one home without giving them
    away. `nowhere` says why the caller's directory is no project's, to be put at the end of a
    sentence. `call` is the key of a call that may be repeated, `repeated` says that this one may have
    been carried out before. `upkeep` is there for background work and for operations that say they
    need it. `among` are the kinds of document that its queries are kept to, where it may not see all.
    `keeps` says that what is rendered is stored and shown later. `alone` and `progress` are for long work: whether others wait for answers of this process,
    and who is told how far it came.
    """

    view: View
    embedder: Embedder
    clock: Clock
    settings: Settings
    caller: Caller
    sinks: Sinks
    organisation: Organisation
    reranker: Reranker | None = None
    project: Project | None = None
    checkout: Checkout | None = None
    client: str = ""
    surface: Surface = "python"
    connection: str = ""
    process: int = 0
    ancestors: tuple[int, ...] = ()
    client_sessions: tuple[str, ...] = ()
    session: str = ""
    redaction_key: bytes = b""
    nowhere: str = ""
    call: str = ""
    repeated: bool = False
    alone: bool = False
    progress: Progress | None = None
    upkeep: Upkeep | None = None
    among: frozenset[str] | None = None
    keeps: bool = False
    trace: Trace = field(default_factory=Trace)

    @property
    def scope(self) -> Scope:
        """The project's scope. Raises `NotFound` when the call stands in no project."""
        if self.project is None:
            hint = "" if self.ways_in() in self.nowhere else self.ways_in()
            raise NotFound(f"this call stands in no project{self.nowhere}", hint)
        return self.project.scope

    @property
    def root(self) -> Path:
        """The checkout's root. Raises `NotFound` when the call stands in no checkout."""
        if self.checkout is None:
            raise NotFound(
                f"this call stands in no checkout{self.nowhere}",
                "run `contextd init` in a repository",
            )
        return self.checkout.root

    @property
    def cascade(self) -> tuple[Scope, ...]:
        """The project's scope and the wider ones around it, nearest first."""
        return self.scope.cascade

    def query(
        self,
        *kinds: str,
        reach: Literal["project", "team", "org", "all"] = "all",
        **conditions: Any,
    ) -> Query:
        """A query of the project's cascade; `reach` keeps one level of it, or all. What of it the
        caller may see is decided by the view, and `among` keeps to some kinds of it.
        """
        if self.among is not None:
            # No kinds at all would mean every one.
            kinds = tuple(sorted(self.among.intersection(kinds or self.among))) or (NO_KIND,)
        wanted = frozenset(s for s in self.cascade if reach in ("all", s.level))
        return Query(scopes=wanted, kinds=kinds, **conditions)

    def commit(self, **changes: Any) -> Committed:
        """Commit a unit of work in the caller's name. Raises what `View.commit` raises."""
        first = self.call if not self.trace.committed else ""
        # Only answers to agents name records by the beginnings of their ids.
        written = len(changes.get("records", ()))
        naming = self.surface == "mcp" and 0 < written <= _MOST_NAMED
        work = Changes(actor=self.caller.name, naming=naming, **changes)
        done = self.view.commit(work, call=first)
        self.trace.committed = True
        for start in work.beginnings if naming else ():
            alike = [id for id in done.namesakes if id.startswith(start)]
            self.trace.namesakes[start] = (self.view, alike)
        # Whoever watches over sessions rests while none is open.
        if done.jobs or work.open:
            self.sinks.wake()
        for scope in _touched(work, done):
            self.sinks.changed(scope)
        return done

    def queue(self, *jobs: NewJob) -> list[str]:
        """Queue jobs by themselves; their ids."""
        return list(self.commit(jobs=jobs).jobs)

    @property
    def place(self) -> str:
        """Where jobs that need this call's checkout must run."""
        return self.organisation.place

    def projects(self) -> list[Project]:
        """The projects the caller may read, by scope."""
        known = self.organisation.directory.all()
        return [project for project in known if self.caller.may("read", project.scope)]

    def ways_in(self) -> str:
        """How a call that stands in no project gets into one: the argument that names it, and which there are."""
        names = [project.name for project in self.projects()]
        if not names:
            return "run `contextd init` in the repository"
        if self.checkout is not None:
            return "run `contextd init` in the repository, or name a known project"
        more = f" or one of {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f"name one with the argument `project`: {', '.join(names[:_NAMED])}{more}"

    def at(self, name: str | None) -> Runtime:
        """The same call standing in the project called `name`: its scope, slug, label, alias or folder; as it
        is when the name is empty. What the caller may reach there is decided anew.

        Raises `NotFound` with the nearest names that the caller may know, `Conflict` when there are
        several: nothing is ever written to a guessed project.
        """
        here = self.project is not None and _is_called(self.project, name or "")
        # A folder may be another checkout of the same project.
        if not name or (here and not Path(name).is_absolute()):
            return self
        known = self.projects()
        matching = [project for project in known if _is_called(project, name)]
        if len(matching) > 1:
            options = ", ".join(str(project.scope) for project in matching)
            raise Conflict(f"{name!r} names {len(matching)} projects", f"say which: {options}")
        if not matching:
            names = [project.scope.project for project in known]
            listed = "known projects: " + (", ".join(names[:10]) or "none yet")
            raise NotFound(f"no project {name!r}", nearest(name, names) or listed)
        [project] = matching
        return self.standing_in(project, Path(name) if name in project.roots else None)

    def standing_in(self, project: Project, root: Path | None = None) -> Runtime:
        """The same call standing in a project, in its checkout `root` or the one met last.

        A session is of one project: what a call does in another one is no part of its conversation.
        """
        if root is None:
            met = (Path(path) for path in reversed(project.roots))
            root = next((path for path in met if path.is_dir()), None)
        return replace(
            self,
            project=project,
            checkout=self.organisation.checkout(root) if root else None,
            settings=self.organisation.settings(root),
            view=self.organisation.view(
                self.caller,
                project.scope.cascade,
                CodePlace(project.scope, str(root)) if root else None,
            ),
            nowhere="",
            connection=self.connection if self.project in (None, project) else "",
            session=self.session if self.project in (None, project) else "",
        )

    def everywhere(self) -> Runtime:
        """The same call with a view of every project the caller may read."""
        scopes = {scope for project in self.projects() for scope in project.scope.cascade}
        return replace(self, view=self.organisation.view(self.caller, scopes, self.code_place))

    @property
    def code_place(self) -> CodePlace | None:
        """The checkout whose code index this call reads and writes; None where it stands in none."""
        if self.project is None or self.checkout is None:
            return None
        return CodePlace(self.project.scope, str(self.checkout.root))

    @property
    def has_person(self) -> bool:
        """Whether the person's layer is there for this caller: it is its owner's, and of no server."""
        return self.organisation.name == PERSON.org and self.caller.may("write", PERSON)

    def at_person(self) -> Runtime:
        """The same call standing in the person's layer: no project, no checkout, no session."""
        return replace(
            self,
            project=THE_PERSON,
            checkout=None,
            view=self.organisation.view(self.caller, THE_PERSON.scope.cascade),
            connection="",
            session="",
        )

    def leaving(self) -> Runtime:
        """The same call with a view of what may leave this machine and nothing else."""
        scopes = [scope for scope in self.cascade if may_leave(scope)]
        return replace(self, view=self.organisation.view(self.caller, scopes, self.code_place))

    def may_embed(self, scope: Scope) -> bool:
        """Whether the embedder may read what lives in a scope: one that sends texts away gets only what
        may leave this machine.
        """
        return not self.embedder.sends_to or may_leave(scope)

    def ago(self, at: datetime) -> str:
        """How long ago something was; in a text that `keeps`, a mark that whoever shows the text replaces."""
        return mark_of(at.timestamp()) if self.keeps else age(at, self.clock.now())

    def aside(self) -> Runtime:
        """The same call for what is written beside it, which is no part of it when it is repeated."""
        return replace(self, call="", trace=Trace())

    def for_call(self) -> Runtime:
        """A copy with a trace of its own."""
        return replace(self, trace=Trace())


def _touched(work: Changes, done: Committed) -> set[Scope]:
    """Where there is something else to read after a commit. That a session was seen again is nothing."""
    turned = [one.id for one in work.sessions if one.ended_at or one.completed or one.resumed]
    return {
        *(one.record.scope for one in work.records),
        *(one.scope for one in work.code),
        *(one.scope for one in work.open),
        *(done.sessions[id].scope for id in turned if id in done.sessions),
    }


def _is_called(project: Project, name: str) -> bool:
    scope = project.scope
    return name in (str(scope), scope.project, project.name, *project.aliases, *project.roots)
