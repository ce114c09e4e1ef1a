"""The context of one call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from contextd.domain.access import Caller
from contextd.domain.changes import (
    NO_KNOWLEDGE,
    NO_WORK,
    Changes,
    CodeChange,
    Committed,
    KnowledgeChanges,
    NewJob,
    WorkChanges,
    no_code_index,
)
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.jobs import Schedule
from contextd.domain.projects import THE_PERSON, Project
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import PERSON, Level, Scope, may_leave
from contextd.domain.served_sentences import sentence_digests
from contextd.domain.sessions import Session
from contextd.domain.time import age
from contextd.domain.trust import Trust
from contextd.domain.usage import NO_BY_PRODUCTS, ByProducts, HandedOut, Observation
from contextd.ports.code import Files
from contextd.ports.knowledge import Embedder, Reranker
from contextd.ports.members import MemberTable
from contextd.ports.store import Directory, View
from contextd.ports.upkeep import Clock, Upkeep
from contextd.runtime.caches import Cache, Caches
from contextd.runtime.call_steps import CallSteps
from contextd.runtime.doors import Surface
from contextd.runtime.kept_memory import MemoryUse
from contextd.runtime.settings import Settings
from contextd.runtime.supervision import ServiceState
from contextd.runtime.trace import PendingWrite, Trace
from contextd.thin.ready import mark_of
from contextd_code.values.code_index import CodeIndex
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, NotFound, nearest

NO_KIND = "no kind"
"""A kind no record has: a query for it finds nothing."""

_SENTENCES = 20_000
"""Sentences known to be stored as handed out: those of some hundred sessions."""

_NAMED = 5
"""Names of projects that a hint lists."""

Progress = Callable[[str, int, int], None]
"""Progress callback of long work: (activity, done, total)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDetails:
    """Who calls, and how.

    `connection` identifies a lasting conversation, `process` the client's process at its other end,
    `ancestors` the processes above a hook. `client_sessions` are the client's ids of the session the call
    belongs to, nearest first. Together they match a hook with a connection of the same client. `repeated` says
    that the call may have run before. `alone` and `progress` are for long work: whether this process serves a
    single call, such as the command line, and who receives the progress.
    """

    caller: Caller
    surface: Surface = "python"
    client: str = ""
    connection: str = ""
    process: int = 0
    ancestors: tuple[int, ...] = ()
    client_sessions: tuple[str, ...] = ()
    repeated: bool = False
    alone: bool = False
    progress: Progress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(CallDetails):
    """What a surface knows before the `Runtime` is built.

    `cwd` is the directory of the call; `project` overrides it by name. `key` makes the call repeatable.
    """

    cwd: str = ""
    project: str = ""
    key: str = ""


class SystemClock:
    """The system clock."""

    def now(self) -> datetime:
        """The current instant, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Checkout:
    """The work tree of a call: files, git, CONTEXT.md, project.yaml. It exists on the machine of its user,
    so a server has none. `context` came with the repository and is only read if the owner trusts it.
    """

    root: Path
    trust: Trust

    @property
    def trusted(self) -> bool:
        """Whether the owner trusts it."""
        return self.trust.trusted

    @property
    def context(self) -> Path:
        """The folder that contextd and people keep beside the code."""
        return self.root / ".context"

    @property
    def project_yaml(self) -> Path:
        """The project model."""
        return self.context / "project.yaml"

    @property
    def initialised(self) -> bool:
        """Whether it has a project model that is trusted."""
        return self.trusted and self.project_yaml.is_file()

    @property
    def context_md(self) -> Path:
        """The handoff."""
        return self.context / "CONTEXT.md"


@dataclass(frozen=True, slots=True)
class Sinks:
    """Receives by-products of calls without making the caller wait.

    `used` counts a use of records. `later` runs a small task soon, in order. `prepare` runs slow work in the
    background, once for each waiting name and owner. `settle` runs pending tasks now. `wake` tells the workers that a job was added or
    a session opened. `changed` notifies watchers that records or code of a scope changed, or that a session
    there began or ended. `schedule` adds recurring work.
    """

    observe: Callable[[Observation], None]
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
        """Stop trusting a checkout."""
        ...

    def listed(self) -> list[Trust]:
        """Every decision, by path."""
        ...


class Organisation(Protocol):
    """One organisation's shared resources, as far as a call needs them."""

    @property
    def name(self) -> str:
        """The organisation's slug."""
        ...

    @property
    def place(self) -> str:
        """The name of this machine within the organisation: jobs that need a checkout are queued for the
        machine that has it.
        """
        ...

    @property
    def shares(self) -> bool:
        """Whether other homes may open its store too."""
        ...

    @property
    def members(self) -> MemberTable | None:
        """Who may call; None in a store of one person."""
        ...

    @property
    def on_machine(self) -> bool:
        """Whether callers are on this machine; a server's are not, so none of its folders is theirs."""
        ...

    @property
    def directory(self) -> Directory:
        """The list of projects."""
        ...

    @property
    def caches(self) -> Caches:
        """The organisation's caches."""
        ...

    @property
    def trusted_folders(self) -> TrustedFolders:
        """The folders that the owner of this machine trusts."""
        ...

    def settings(self, checkout: Checkout | None) -> Settings:
        """The settings in force in a checkout, or outside any."""
        ...

    def checkout(self, root: Path) -> Checkout:
        """The work tree at `root`, trusted or not."""
        ...

    def view(
        self, caller: Caller, scopes: Iterable[Scope], code: CheckoutKey | None = None
    ) -> View:
        """A view of what the caller may reach in these scopes, bound to the checkout `code`."""
        ...

    def services(self) -> list[ServiceState]:
        """The state of each service, by name."""
        ...

    def memory_use(self) -> MemoryUse:
        """The memory used for this organisation and for all of them, and the budget of the process."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime(CallDetails):
    """The context of one request: a view of the data the caller may reach, the embedder, the reranker if one
    is chosen, and the project.

    `checkout` is the work tree of the call. `session` is the session the call belongs to, once known, and `seat`
    that session as it was found. `redaction_key` makes equal secrets recognisable within one home without
    revealing them. `nowhere` explains at the end of an error why the caller's directory belongs to no project.
    `call` is the key of a repeatable call, `steps` are those that the rooms take around it. `upkeep` is set for
    background work and for operations that require it. `among` limits queries to these kinds of document.
    `keeps` says that the rendered text is stored and shown later.
    """

    view: View
    embedder: Embedder
    clock: Clock
    settings: Settings
    sinks: Sinks
    organisation: Organisation
    reranker: Reranker | None = None
    project: Project | None = None
    checkout: Checkout | None = None
    session: str = ""
    seat: Session | None = None
    redaction_key: bytes = b""
    steps: CallSteps = field(default_factory=CallSteps)
    nowhere: str = ""
    call: str = ""
    upkeep: Upkeep | None = None
    among: frozenset[str] | None = None
    keeps: bool = False
    trace: Trace = field(default_factory=Trace)

    @property
    def scope(self) -> Scope:
        """The project's scope. Raises `NotFound` if the call has no project."""
        if self.project is None:
            hint = "" if self.ways_in() in self.nowhere else self.ways_in()
            raise NotFound(f"this call is not in a project{self.nowhere}", hint)
        return self.project.scope

    @property
    def org(self) -> str:
        """The organisation of the project; that of the store outside of projects."""
        return self.project.scope.org if self.project is not None else self.organisation.name

    @property
    def root(self) -> Path:
        """The checkout's root. Raises `NotFound` if the call has no checkout, `Unavailable` if the
        store has no code index either.
        """
        if self.checkout is None:
            if self.view.files is None:
                raise no_code_index()
            raise NotFound(
                f"this call is not in a checkout{self.nowhere}",
                "run `contextd init` in a repository",
            )
        return self.checkout.root

    @property
    def files(self) -> Files:
        """The code index. Raises `Unavailable` if the store has none."""
        if self.view.files is None:
            raise no_code_index()
        return self.view.files

    @property
    def cascade(self) -> tuple[Scope, ...]:
        """The project's scope, those of its parts, and the wider ones that contain it, nearest first."""
        own = self.scope
        return self.project.cascade if self.project is not None else own.cascade

    def query(
        self,
        *kinds: str,
        level: Level | Literal["all"] = "all",
        **conditions: Any,
    ) -> Query:
        """A query over the project's cascade; `level` limits it to one. Code is that of the project's own
        scope. The view enforces permissions, and `among` limits the kinds.
        """
        if self.among is not None:
            # An empty tuple would mean every kind.
            kinds = tuple(sorted(self.among.intersection(kinds or self.among))) or (NO_KIND,)
        wanted = frozenset(s for s in self.cascade if level in ("all", s.level))
        return Query(scopes=wanted, kinds=kinds, code_of=self.scope, **conditions)

    def sessions(self, *, statuses: Sequence[str] = (), limit: int = 50) -> list[Session]:
        """The sessions of the project that a call may take part in; see `Sessions.find`."""
        return self.view.sessions.find(frozenset({self.scope}), statuses=statuses, limit=limit)

    @property
    def own_scopes(self) -> frozenset[Scope]:
        """The project's own scope and those of the parts that have joined it, without wider ones."""
        return frozenset({self.scope, *(self.project.parts if self.project is not None else ())})

    def pages(self, query: Query) -> Iterator[Sequence[Record]]:
        """All records that match, newest first, in pages of the query's limit."""
        while True:
            page = self.view.records.find(query)
            yield page.records
            if not page.cursor:
                return
            query = replace(query, cursor=page.cursor)

    def every(self, query: Query) -> Iterator[Record]:
        """All records that match, newest first; reads a page when the one before is used up."""
        for page in self.pages(query):
            yield from page

    def commit(
        self,
        *,
        knowledge: KnowledgeChanges = NO_KNOWLEDGE,
        work: WorkChanges = NO_WORK,
        code: Sequence[CodeChange] = (),
    ) -> Committed:
        """Commit a unit of work as the caller. Raises what `View.commit` raises.

        While the call concludes, nothing is written before `conclude`, and the result is empty. A change of code is
        derived data: it is written at once, and a call that does nothing else may run again.
        """
        changes = Changes(actor=self.caller.name, knowledge=knowledge, work=work, code=code)
        if code:
            return self._committed(changes)
        pending = self.trace.pending
        both = pending.changes.joined(changes) if pending and pending.view is self.view else None
        if both is None:
            self._write_pending()
        if not self.trace.concludes:
            return self._commit(changes)
        self.trace.pending = PendingWrite(self.view, both or changes, self._commit)
        return Committed()

    def conclude(self, answer: str, beside: ByProducts) -> bool:
        """Commit what the call wrote so far with its answer and by-products; false if nothing was left to write. From now
        on each commit writes at once. Raises what `View.commit` raises.
        """
        self.trace.concludes = False
        return self._write_pending(answer, beside)

    def _write_pending(self, answer: str = "", beside: ByProducts = NO_BY_PRODUCTS) -> bool:
        pending, self.trace.pending = self.trace.pending, None
        if pending is None:
            return False
        pending.commit(replace(pending.changes, beside=beside), answer)
        after, self.trace.after = self.trace.after, []
        for name, write in after:
            self.sinks.later(name, write)
        return True

    def later(self, name: str, write: Callable[[], object]) -> None:
        """Run a small task soon, after what is pending is written."""
        if self.trace.pending is not None:
            self.trace.after.append((name, write))
        else:
            self.sinks.later(name, write)

    def _commit(self, changes: Changes, answer: str = "") -> Committed:
        first = self.call if not self.trace.keyed else ""
        done = self._committed(changes, first, answer)
        self.trace.keyed = True
        self.trace.answered = bool(first and answer)
        return done

    def _committed(self, changes: Changes, call: str = "", answer: str = "") -> Committed:
        sentences = self._unstored_sentences()
        changes = replace(changes, beside=replace(changes.beside, handed_out=sentences))
        done = self.view.commit(changes, call=call, answer=answer)
        self._remember(sentences)
        self.trace.committed = True
        # The session watcher sleeps while no session is open.
        if done.jobs or changes.work.open:
            self.sinks.wake()
        for scope in _touched(changes, done):
            self.sinks.changed(scope)
        return done

    def hand_out(self) -> None:
        """Store which sentences the call showed in its session, so that no process takes them for the user's own. A
        commit of the call includes those that it showed before.
        """
        sentences = self._unstored_sentences()
        if sentences:
            self.view.commit(Changes(beside=ByProducts(handed_out=sentences)))
            self._remember(sentences)

    def _unstored_sentences(self) -> tuple[HandedOut, ...]:
        """The sentences that the call showed and that are not known to be stored."""
        session = self.trace.session or self.session
        if self.project is None or not session or not self.trace.own_texts:
            return ()
        digests = (digest for text in self.trace.own_texts for digest in sentence_digests(text))
        known = self._handed_out
        fresh = dict.fromkeys(HandedOut(self.scope, session, digest) for digest in digests)
        return tuple(one for one in fresh if known.get(one) is None)

    def _remember(self, sentences: Iterable[HandedOut]) -> None:
        for sentence in sentences:
            self._handed_out.put(sentence, True)

    @property
    def _handed_out(self) -> Cache[HandedOut, bool]:
        """Sentences that are stored as handed out, so that they are not stored again by each call."""
        return self.organisation.caches.of("handed out", _SENTENCES)

    def queue(self, *jobs: NewJob) -> list[str]:
        """Queue jobs in a commit of their own; return their ids."""
        changes = Changes(actor=self.caller.name, work=WorkChanges(jobs=jobs))
        return list(self._commit(changes).jobs)

    @property
    def place(self) -> str:
        """The machine on which jobs for this call's checkout must run."""
        return self.organisation.place

    def projects(self) -> list[Project]:
        """The projects the caller may read, by scope."""
        known = self.organisation.directory.all()
        return [project for project in known if self.caller.may("read", project.scope)]

    def ways_in(self) -> str:
        """How a call without a project can select one: the argument to use, and the known projects."""
        names = [project.name for project in self.projects()]
        if not names:
            return "run `contextd init` in the repository"
        if self.checkout is not None:
            return "run `contextd init` in the repository, or name a known project"
        more = f" or one of {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f"name one with the argument `project`: {', '.join(names[:_NAMED])}{more}"

    def at(self, name: str | None) -> Runtime:
        """The same call in the project called `name`: its scope, slug, label, alias or folder; unchanged if
        the name is empty or a dot. Permissions are computed again for that project.

        Raises `NotFound` with the nearest names the caller may know, `Conflict` if several match: nothing is
        ever written to a guessed project.
        """
        here = self.project is not None and _is_called(self.project, name or "")
        # A folder may be another checkout of the same project.
        if not name or name == "." or (here and not Path(name).is_absolute()):
            return self
        known = self.projects()
        called = [project for project in known if _is_called(project, name)]
        matching = [project for project in called if project.part_of is None] or called
        if len(matching) > 1:
            options = ", ".join(str(project.scope) for project in matching)
            raise Conflict(f"{name!r} names {len(matching)} projects", f"say which: {options}")
        if not matching:
            names = [project.scope.project for project in known]
            listed = "known projects: " + (", ".join(names[:10]) or "none yet")
            raise NotFound(f"no project {name!r}", nearest(name, names) or listed)
        project = _written_to(matching[0], known)
        return self.standing_in(project, Path(name) if name in project.roots else None)

    def standing_in(self, project: Project, root: Path | None = None) -> Runtime:
        """The same call in a project, bound to its checkout `root` or the most recent one.

        A session belongs to one project: what a call does in another project is not part of its session.
        """
        if root is None:
            met = (Path(path) for path in reversed(project.roots))
            root = next((path for path in met if path.is_dir()), None)
        checkout = self.organisation.checkout(root) if root else None
        # From a part, nothing else is changed, whatever project a call names.
        within = project.scope if project.part_of is not None else self.caller.within
        caller = replace(self.caller, within=within)
        return replace(
            self,
            caller=caller,
            project=project,
            checkout=checkout,
            settings=self.organisation.settings(checkout),
            view=self.organisation.view(
                caller,
                project.cascade,
                CheckoutKey(project.scope, str(root)) if root else None,
            ),
            nowhere="",
            connection=self.connection if self.project in (None, project) else "",
            session=self.session if self.project in (None, project) else "",
        )

    def everywhere(self) -> Runtime:
        """The same call with a view of every project the caller may read."""
        scopes = {scope for project in self.projects() for scope in project.cascade}
        return replace(self, view=self.organisation.view(self.caller, scopes, self.checkout_key))

    @property
    def checkout_key(self) -> CheckoutKey | None:
        """The checkout whose code index this call reads and writes; None without one."""
        if self.project is None or self.checkout is None:
            return None
        return CheckoutKey(self.project.scope, str(self.checkout.root))

    @property
    def is_apart(self) -> bool:
        """Whether what the call writes stays in its checkout, which its owner does not trust."""
        return self.project is not None and self.project.part_of is not None

    @property
    def code_index(self) -> CodeIndex:
        """The code index of this project. Raises `Unavailable` if the store has none."""
        return self.files.of(self.scope)

    @property
    def has_person(self) -> bool:
        """Whether this caller has the person's layer: it belongs to the owner and exists on no server."""
        return self.organisation.name == PERSON.org and self.caller.may("write", PERSON)

    def at_person(self) -> Runtime:
        """The same call in the person's layer: no project, no checkout, no session."""
        return replace(
            self,
            project=THE_PERSON,
            checkout=None,
            view=self.organisation.view(self.caller, THE_PERSON.scope.cascade),
            connection="",
            session="",
        )

    def leaving(self) -> Runtime:
        """The same call with a view of only what may leave this machine."""
        scopes = [scope for scope in self.cascade if may_leave(scope)]
        return replace(self, view=self.organisation.view(self.caller, scopes, self.checkout_key))

    def may_embed(self, scope: Scope) -> bool:
        """Whether the embedder may read texts of a scope: one that sends texts away only gets what may
        leave this machine.
        """
        return not self.embedder.sends_to or may_leave(scope)

    def ago(self, at: datetime) -> str:
        """The age of an instant; in a text that `keeps`, a placeholder that is filled in when it is shown."""
        return mark_of(at.timestamp()) if self.keeps else age(at, self.clock.now())

    def aside(self) -> Runtime:
        """The same call for writes that must not count as part of it when it is repeated."""
        return replace(self, call="", trace=Trace())

    def for_call(self) -> Runtime:
        """A copy with its own trace."""
        return replace(self, trace=Trace())


def _touched(changes: Changes, done: Committed) -> set[Scope]:
    """The scopes whose visible data a commit changed. An update of `last_seen_at` does not count."""
    turned = [
        one.id for one in changes.work.sessions if one.ended_at or one.completed or one.resumed
    ]
    return {
        *(one.record.scope for one in changes.knowledge.records),
        *(one.scope for one in changes.code),
        *(one.scope for one in changes.work.open),
        *(done.sessions[id].scope for id in turned if id in done.sessions),
    }


def _written_to(project: Project, known: Sequence[Project]) -> Project:
    """The project itself, or the whole that it has joined as a part."""
    while whole := next((one for one in known if project.scope in one.parts), None):
        project = whole
    return project


def _is_called(project: Project, name: str) -> bool:
    scope = project.scope
    return name in (str(scope), scope.project, project.name, *project.aliases, *project.roots)
