"""`contextd bench upkeep`: what it costs to see that a store of 100,000 documents is in balance."""

from __future__ import annotations

import random
from collections.abc import Sequence

import apsw

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, CodeChange, KnowledgeChanges, Put, WorkChanges
from contextd.domain.records import Record, digest
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.ports.store import View
from contextd.thin.home import LOCAL, database_path
from contextd_bench.scratch import opened
from contextd_bench.speed import SEED, Figure, temporary_home, timed
from contextd_code.values.source import Chunk, SourceFile

RECORDS, PIECES, EVENTS = 50_000, 50_000, 20_000
"""The contents of the large project: 100,000 documents in all, and a log."""

_A_FILE = 10
"""Pieces of each file."""

_WORDS = "export billing tenant worker queue retry token session pool cache index schema".split()
_LARGE, _SMALL = Scope(LOCAL, "default", "large"), Scope(LOCAL, "default", "small")
_TIMES = 15


def run() -> list[Figure]:
    """The balance of a large project, of a small one beside it, and of all; then what it stands for:
    comparing the ids on both sides, and reading all of the file.
    """
    with temporary_home() as home, opened(home.parent) as bench:
        organisation = bench.host.organisation(LOCAL)
        for scope, share in ((_LARGE, 1.0), (_SMALL, 0.01)):
            _fill(organisation.view(OWNER, [scope]), scope, share)
        upkeep = bench.upkeep
        assert not [text for one in upkeep.balance() for text in one.problems]
        path = database_path(home, LOCAL)
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        size = f"{RECORDS + PIECES:,} documents"
        figures = [
            timed(f"balance of one scope, {size}", _TIMES, lambda _: upkeep.balance([_LARGE])),
            timed(
                "balance of one scope beside it, 1 %", _TIMES, lambda _: upkeep.balance([_SMALL])
            ),
            timed("balance of every scope", _TIMES, lambda _: upkeep.balance()),
            timed(f"inconsistent rows, {size}", 3, lambda _: upkeep.unbalanced(_LARGE, 2_000)),
            timed(
                "baseline: the ids of both sides, compared in Python",
                3,
                lambda _: _compared(connection),
            ),
            timed("baseline: PRAGMA quick_check", 3, lambda _: _checked(connection)),
        ]
        connection.close()
        print(f"database: {path.stat().st_size / 1e6:.0f} MB")
        return figures


def _compared(connection: apsw.Connection) -> None:
    sides = (
        ("SELECT id FROM records WHERE scope = ?", "records"),
        (
            "SELECT chunks.id FROM chunks JOIN contents ON contents.no = content WHERE scope = ?",
            "code",
        ),
    )
    for sql, family in sides:
        there = {id for (id,) in connection.execute(sql, (str(_LARGE),))}
        indexed = {
            id
            for (id,) in connection.execute(
                "SELECT id FROM docs WHERE part ="
                " (SELECT no FROM parts WHERE scope = ? AND family = ?)",
                (str(_LARGE), family),
            )
        }
        assert there == indexed


def _checked(connection: apsw.Connection) -> None:
    assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]


def _fill(view: View, scope: Scope, share: float) -> None:
    """A project of that share of the sizes above: records, files and one long session."""
    draw = random.Random(f"{SEED}{scope}")
    _fill_records(view, scope, draw, round(RECORDS * share))
    files = [_file(draw, number) for number in range(round(PIECES * share / _A_FILE))]
    for start in range(0, len(files), 250):
        view.commit(Changes(code=[CodeChange(scope=scope, put=files[start : start + 250])]))
    session = Session(id=f"bench-{scope.project}", scope=scope)
    began = session.started_at
    view.commit(Changes(work=WorkChanges(open=[session])))
    for start in range(0, round(EVENTS * share), 1_000):
        events = [
            Event(key=f"e{number}", type="tool_call", at=began, data={"ok": True})
            for number in range(start, min(start + 1_000, round(EVENTS * share)))
        ]
        view.commit(
            Changes(work=WorkChanges(sessions=[SessionChange(id=session.id, events=tuple(events))]))
        )


def _fill_records(view: View, scope: Scope, draw: random.Random, count: int) -> None:
    for start in range(0, count, 1_000):
        records = [
            Record(kind="memory", scope=scope, content=f"{_sentence(draw)} case {number}")
            for number in range(start, min(start + 1_000, count))
        ]
        view.commit(
            Changes(
                actor="bench",
                knowledge=KnowledgeChanges(records=[Put(record, "create") for record in records]),
            )
        )


def _file(draw: random.Random, number: int) -> SourceFile:
    path = f"src/{draw.choice(_WORDS)}/file{number}.py"
    texts: Sequence[str] = [f"{_sentence(draw)} {number} {n}" for n in range(_A_FILE)]
    return SourceFile(
        path=path,
        size=sum(map(len, texts)),
        mtime_ns=number,
        digest=digest(path),
        language="python",
        lines=_A_FILE,
        chunks=tuple(
            Chunk(
                id=digest(f"{path}:{n}"),
                path=path,
                start_line=n + 1,
                end_line=n + 1,
                text=text,
                symbol="",
                language="python",
            )
            for n, text in enumerate(texts)
        ),
    )


def _sentence(draw: random.Random) -> str:
    return " ".join(draw.choices(_WORDS, k=12))
