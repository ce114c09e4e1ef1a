"""Owners that share a store, random steps of theirs, and what each of them gets to see."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from contextd.domain.access import OWNER
from contextd.domain.awareness import Contradiction
from contextd.domain.changes import (
    Changes,
    CodeChange,
    Decision,
    KnowledgeChanges,
    NewJob,
    Put,
    WorkChanges,
)
from contextd.domain.context_items import Serving
from contextd.domain.jobs import Job
from contextd.domain.originals import Original
from contextd.domain.query import Document, Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Seat, Session, SessionChange
from contextd.domain.usage import ByProducts, HandedOut, Observation, RecordUse
from contextd.ports.store import Store, View
from contextd_code.values.definition_queries import Defining, Naming
from contextd_code.values.imports import Importing, said_words
from contextd_code.values.source import (
    Chunk,
    FileCalls,
    FileWeight,
    Import,
    KeptReading,
    SourceFile,
    Symbol,
)
from contextd_common.errors import ContextdError
from contextd_common.text.words import query_words
from support.clocks import Standing
from support.strategies import EPOCH, vector

TEAMS = [Scope(org, team) for org in ("acme", "rival") for team in ("web", "core")]
PROJECTS = [Scope(team.org, team.team, name) for team in TEAMS for name in ("shop", "blog", "api")]
"""Two organisations of two teams of three projects, whose names are the same in every team."""

IDS = [f"{letter * 4}-{n}" for letter in "ab" for n in range(3)]
TEXTS = ["upload the file", "retry the upload", "cache keys", "retry", "upload cache"]
KINDS = ["memory", "context", "policy", "skill", "x_mine"]
SESSIONS, PATHS, KEYS = ["s-1", "s-2"], ["a.py", "b.py"], ["k1", "k2"]


@dataclass(frozen=True, slots=True)
class Step:
    """What one owner does next, and when."""

    owner: Scope
    at: int
    act: Callable[[Store, View, Scope], Any]


def view_of(store: Store, owner: Scope) -> View:
    """A view of exactly one scope."""
    return store.view(OWNER.grant([owner]))


def outcome(store: Store, step: Step, clock: Standing) -> Any:
    """What the owner was told: an answer, or the whole of an error."""
    clock.at = EPOCH + timedelta(seconds=step.at)
    try:
        return shown(step.act(store, view_of(store, step.owner), step.owner))
    except ContextdError as error:
        return error.code, error.message, error.hint, error.details


def shown(value: Any) -> Any:
    """An answer without the random ids of jobs."""
    if isinstance(value, Job):
        return replace(value, id="")
    if isinstance(value, list | tuple):
        return [shown(part) for part in value]
    return value


def history(seed: int, length: int, owners: Sequence[Scope] = PROJECTS) -> list[Step]:
    """Random steps of random owners. They use the same few ids and texts, and some of them ask for
    what belongs to others.
    """
    rng = random.Random(seed)
    return [Step(rng.choice(owners), at, _act(rng, owners)) for at in range(length)]


def _act(rng: random.Random, owners: Sequence[Scope]) -> Callable[[Store, View, Scope], Any]:
    other = rng.choice(owners) if rng.random() < 0.15 else None
    draw = {
        "id": rng.choice(IDS),
        "two": rng.sample(IDS, 2),
        "text": rng.choice(TEXTS),
        "kind": rng.choice(KINDS),
        "session": rng.choice(SESSIONS),
        "path": rng.choice(PATHS),
        "key": rng.choice(KEYS),
        "n": rng.randint(1, 5),
        "other": other,
    }
    act = rng.choice(ACTS)
    return lambda store, view, owner: act(store, view, other or owner, draw)


def _record(owner: Scope, d: dict[str, Any], version: int) -> Record:
    return Record(
        id=d["id"],
        kind=d["kind"],
        scope=owner,
        content=d["text"],
        session=d["session"],
        version=version,
        tags=(d["key"],),
        created_at=EPOCH + timedelta(hours=d["n"]),
        updated_at=EPOCH + timedelta(hours=d["n"]),
    )


def put_record(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    there = view.records.get([d["id"]])
    version = there[0].version if there else 0
    record = _record(owner, d, version)
    vectors = {
        owner: {Document(id="", kind="", scope=owner, text=record.text).digest: vector(record.text)}
    }
    changes = Changes(
        knowledge=KnowledgeChanges(
            records=[Put(record, "write", alone=d["n"] > 3)], vectors=vectors, model="m"
        ),
    )
    return view.commit(changes).changes


def guess_version(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    return view.commit(
        Changes(knowledge=KnowledgeChanges(records=[Put(_record(owner, d, d["n"] % 3), "guess")]))
    ).changes


def read_records(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    query = Query(scopes=frozenset(PROJECTS), statuses=(), limit=d["n"] * 5)
    records = view.records
    return [
        records.get(IDS),
        records.beginning([id[:1] for id in IDS]),
        records.find(query).records,
        records.find(query).cursor,
        records.find(replace(query, kinds=(d["kind"],), tags=(d["key"],))).records,
        records.find(replace(query, session=d["session"])).records,
        records.count(query),
        records.by_hash(_record(owner, d, 0).content_hash, owner),
        records.history(d["id"]),
    ]


def resolve(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    return view.records.resolve(d["id"][: 3 + d["n"]])


def survey(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    query = Query(scopes=frozenset(PROJECTS), statuses=())
    orders = ("stalest", "most_used", "most_rated")
    firsts = [view.survey.first(query, by, 5) for by in orders]  # type: ignore[arg-type]
    return [view.survey.tally(query, recent=EPOCH, stale=EPOCH), firsts]


def disagree(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    a, b = sorted(d["two"])
    pair = Contradiction(a=a, b=b, kind="value", reason=d["text"], found_at=EPOCH)
    view.commit(Changes(knowledge=KnowledgeChanges(disagree=[pair])))
    decided = view.commit(
        Changes(knowledge=KnowledgeChanges(decide=[Decision(a, b, "dismissed", d["text"])]))
    ).decided
    scopes = frozenset(PROJECTS)
    return [decided, view.contradictions.find(scopes, states=()), view.contradictions.of(a)]


def agree(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    view.commit(Changes(knowledge=KnowledgeChanges(agree=[tuple(d["two"])])))
    return view.contradictions.find(frozenset(PROJECTS), states=())


def say(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    document = Document(
        id=f"{d['session']}#{d['n']}",
        kind="event",
        scope=owner,
        text=d["text"],
        facets=(f"session={d['session']}",),
    )
    vectors = {owner: {document.digest: vector(d["text"])}} if d["n"] > 2 else {}
    view.commit(
        Changes(knowledge=KnowledgeChanges(documents=[document], vectors=vectors, model="m"))
    )


def forget(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    view.commit(
        Changes(knowledge=KnowledgeChanges(forget={owner: [d["id"], f"{d['session']}#{d['n']}"]}))
    )


def search(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    query = Query(
        scopes=frozenset(PROJECTS), statuses=(), kinds=(*KINDS, "code", "event"), limit=20
    )
    words = query_words(d["text"])
    index = view.index
    return [
        index.lexical(words, query, d["n"] * 4),
        index.lexical(words, replace(query, session=d["session"]), 20),
        [(m.id, m.kind) for m in index.dense(vector(d["text"]), "m", query, d["n"] * 4)],
        index.rankings([words, words[:1]], vector(d["text"]), "m", query, d["n"] * 2)[0],
        [(r.id, r.scope) for r, _ in view.near(vector(d["text"]), "m", query, d["n"] * 2)],
        [(r.id, r.scope) for r in view.sharing([words, words[:1]], query, d["n"] * 2)],
        view.alike(words, vector(d["text"]), "m", query, by_words=d["n"], by_meaning=20, least=0.1),
        [index.vectors(whose, IDS, "m")[0] for whose in (owner, d["other"] or owner)],
        index.pending("m", d["n"] * 3),
        index.misfits("m", len(vector(d["text"])), query),
        index.stats("m"),
    ]


def scan(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    chunk = Chunk(id=f"c{d['n']}", path=d["path"], start_line=1, end_line=1, text=d["text"])
    file = SourceFile(
        path=d["path"],
        size=d["n"],
        mtime_ns=d["n"],
        digest=d["key"],
        imports=(Import(specifier=d["text"], line=d["n"], target=PATHS[0]),),
        symbols=(Symbol(name=d["key"], kind="class", start_line=1, end_line=1, start=0, end=1),),
        chunks=(chunk,),
    )
    removed = [p for p in PATHS if p != d["path"]] if d["n"] == 5 else []
    view.commit(Changes(code=[CodeChange(scope=owner, put=[file], remove=removed)]))
    calls = FileCalls(
        path=d["path"], digest=d["key"], reader="r", names=d["text"], facts=(d["text"],)
    )
    view.commit(Changes(code=[CodeChange(scope=owner, calls=[calls])]))
    reading = KeptReading(
        path=d["path"], size=d["n"], mtime_ns=d["n"], reader="r", value=[d["text"]]
    )
    weight = FileWeight(path=d["path"], rank=0.5, top=0.5, used=((d["key"], 0.1, d["n"]),))
    derived = CodeChange(scope=owner, readings=[reading], weights=[weight], weighed=1 + d["n"])
    view.commit(Changes(code=[derived]))


def read_files(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    files = view.files
    return [
        files.of(owner).get(PATHS),
        files.of(owner).all(),
        files.of(owner).linked(),
        files.of(owner).imports(PATHS),
        files.of(owner).calling("r"),
        files.of(owner).calls("r", PATHS),
        sorted(files.of(owner).importing(Importing(words=frozenset(said_words(d["text"]))))),
        sorted(files.of(owner).linking()),
        sorted(files.of(owner).defining(Defining(name=d["key"].casefold()))),
        sorted(files.of(owner).naming(Naming(targets=frozenset(PATHS[:1]), words=_words(d)))),
        files.of(owner).names(d["key"][:1].casefold(), 10),
        files.of(owner).weights(PATHS),
        files.of(owner).weighed(),
        sorted((one.path, str(one.value)) for one in files.of(owner).readings("r")),
        # The number of a version is the store's own.
        sorted(files.of(owner).changes(0).put),
        files.of(owner).stamps(),
        files.of(owner).count(),
        files.chunks([f"c{n}" for n in range(6)]),
        files.holding(owner, [f"c{n}" for n in range(6)]),
        files.checkouts(owner),
        files.of(owner).errors(),
    ]


def _words(d: dict[str, Any]) -> frozenset[str]:
    return frozenset(said_words(d["text"]))


def open_session(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    at = EPOCH + timedelta(hours=d["n"])
    session = Session(
        id=d["session"],
        scope=owner,
        client="c",
        external_id=d["key"],
        started_at=at,
        last_seen_at=at,
    )
    seats = [Seat(owner, d["key"], d["session"])]
    left = [d["key"]] if d["n"] > 4 else []
    view.commit(Changes(work=WorkChanges(open=[session], seats=seats, left=left)))


def change_session(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    change = SessionChange(
        id=d["session"],
        calls=1,
        topics=(d["text"],),
        ended_at=EPOCH if d["n"] == 5 else None,
        events=(Event(type="note", key=d["key"], at=EPOCH, text=d["text"]),),
        servings=(Serving("file", d["path"], d["n"]),),
    )
    done = view.commit(Changes(work=WorkChanges(sessions=[change])))
    return [list(done.sessions.items()), list(done.events.items())]


def read_sessions(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    sessions = view.sessions
    return [
        sessions.get(d["session"]),
        sessions.by_external("c", d["key"]),
        sessions.find(frozenset(PROJECTS)),
        sessions.find(frozenset(PROJECTS), prefix="s-", statuses=("active",)),
        sessions.events(d["session"]),
        sessions.messages([(d["session"], n) for n in (1, 2, 3)]),
        sessions.items(d["session"]),
        sessions.seated(owner, d["key"]),
        sessions.seats(frozenset(PROJECTS), d["key"] if d["n"] > 2 else ""),
        sessions.handed_out(owner, d["session"], KEYS),
    ]


def use(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    action = "miss" if d["n"] > 2 else "read"
    seen = Observation(at=EPOCH, action=action, operation="x", query=d["text"], scope=owner)
    if not view.grant.may("write", owner):
        return None
    store.upkeep.note(
        ByProducts(
            observations=[seen],
            uses=[RecordUse(owner, d["id"])],
            handed_out=[HandedOut(owner, d["session"], d["key"])],
        )
    )
    return None


def read_usage(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    scopes = frozenset(PROJECTS)
    query = Query(scopes=scopes, limit=d["n"] + 1)
    return [
        view.observations.recent(scopes),
        view.observations.summary(scopes),
        view.lately(query, query, query, frozenset({owner}), sessions=5, observations=100),
    ]


def keep_original(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    kept = Original(
        scope=owner, id=d["key"], about=d["path"], text=d["text"], tokens=d["n"], at=EPOCH
    )
    view.commit(Changes(knowledge=KnowledgeChanges(originals=[kept])))


def read_originals(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    return [view.originals.get(key) for key in KEYS]


def queue(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    job = NewJob(name=d["text"], scope=owner, unique_key=d["key"])
    return len(view.commit(Changes(work=WorkChanges(jobs=[job]))).jobs)


def call_twice(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    before = view.answered(d["key"])
    view.keep_answer(d["key"], d["text"])
    done = view.commit(
        Changes(knowledge=KnowledgeChanges(forget={owner: [d["id"]]})), call=d["key"]
    )
    return [before, done, view.answered(d["key"])]


def read_jobs(store: Store, view: View, owner: Scope, d: dict[str, Any]) -> Any:
    return [view.jobs.list(), view.jobs.count(), view.jobs.retry("nobody")]


ACTS = [
    put_record, put_record, guess_version, read_records, resolve, survey, disagree, agree, say,
    forget, search, scan, read_files, open_session, change_session, read_sessions, use, read_usage,
    queue, read_jobs, call_twice, keep_original, read_originals,
]  # fmt: skip
"""Every verb of a view is in one of these; a test counts them."""
