"""What organisations and callers must not see of each other, and what must not be lost between two of them."""

from __future__ import annotations

import os
import random
import re
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TextIO

import psycopg

from contextd.domain.access import OWNER, Assignment, Caller, Role
from contextd.domain.changes import Changes, KnowledgeChanges, Put, Removal
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.ports.store import View
from contextd.stores import delete_organisation
from contextd_bench.replica_rows import SEED, Sizes, fill, open_plain, print_row, put_of
from contextd_bench.scratch import scratch_store
from contextd_common.errors import Conflict, ContextdError, NotFound

_TELLING = 0.55
"""The largest tolerated share of right guesses, by the time of one answer, whether an id exists elsewhere. Chance is 0.5."""

_MARKER = re.compile(rb"mk[0-9a-f]{12}-[0-9]{4}")

_IDS = [f"{letter * 4}-{number}" for letter in "ab" for number in range(4)]
_ROLES: list[Role | None] = [None, "project_dev", "team_member", "viewer"]
_PLACES = [("default", project) for project in ("shop", "blog")]


def leaks(url: str, names: list[str], sizes: Sizes, out: TextIO) -> bool:
    """Callers of two organisations, each of one project, act at random; a dictionary knows what each may see."""
    wrong = 0
    for scheme in ("sqlite", "postgresql"):
        with ExitStack() as opened:
            stores = [
                opened.enter_context(scratch_store())
                if scheme == "sqlite"
                else open_plain(url, name)
                for name in names
            ]
            if scheme == "postgresql":
                for store in stores:
                    opened.callback(store.close)
            chance, oracle = random.Random(SEED), Oracle()
            for step in range(sizes.steps // 2):
                org = chance.randrange(2)
                # Both organisations have projects of the same names.
                place = Scope("same", *chance.choice(_PLACES))
                role = chance.choice(_ROLES)
                roles = frozenset({Assignment(place, role)} if role else ())
                caller = Caller("x", place.org, roles, owner=role is None)
                view = stores[org].view(caller.grant([place]))
                oracle.writes = caller.may("write", place)
                wrong += not oracle.agrees(
                    chance, (org, place), view, f"mark{org}{place.project} {step}"
                )
    print_row(
        out,
        "random operations of an owner and callers of three roles in two organisations, both stores",
        sizes.steps,
        f"{wrong} leaks or wrong answers",
        "a dictionary",
        "0",
    )
    return not wrong


class Oracle:
    """What each caller wrote, and may therefore see."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Scope], dict[str, Record]] = {}
        self.writes = True

    def agrees(
        self, chance: random.Random, caller: tuple[int, Scope], view: View, text: str
    ) -> bool:
        """Whether one random operation answers as it must."""
        mine, scope = self._known.setdefault(caller, {}), caller[1]
        id_, query = chance.choice(_IDS), Query(scopes=frozenset({scope}), limit=50)
        act = chance.choice(
            ("put", "put", "remove", "get", "find", "count", "resolve", "search", "history")
        )
        known = mine.get(id_)
        foreign = [f"mark{org}{project}" for org in (0, 1) for _, project in _PLACES]
        foreign.remove(f"mark{caller[0]}{scope.project}")
        try:
            answer: object = None
            if act == "put":
                record = Record(id=id_, kind="memory", scope=scope, content=text)
                version = known.version if known else 0
                put = Put(record.with_(version=version), "write")
                view.commit(Changes(knowledge=KnowledgeChanges(records=[put])))
                [mine[id_]] = view.records.get([id_])
                right = self.writes and mine[id_].content == text
            elif act == "remove" and known:
                gone = Removal(known, "delete")
                view.commit(Changes(knowledge=KnowledgeChanges(records=[gone])))
                del mine[id_]
                right = self.writes and not view.records.get([id_])
            elif act == "get":
                answer = view.records.get(_IDS)
                right = answer == [mine[one] for one in _IDS if one in mine]
            elif act == "find":
                answer = view.records.find(query).records
                right = {one.id for one in view.records.find(query).records} == set(mine)
            elif act == "count":
                right = sum(view.records.count(query).values()) == len(mine)
            elif act == "search":
                answer = view.index.lexical([word for one in foreign for word in (one,)], query, 20)
                right = answer == []
            elif act == "history":
                answer = view.records.history(id_)
                right = True
            else:
                answer = view.records.resolve(id_)
                right = known is not None
        except ContextdError as error:
            answer = (error.message, error.hint, error.details)
            right = not self.writes if act in ("put", "remove") and known else known is None
            right |= act == "put" and not self.writes
        return right and not any(mark in repr(answer) for mark in foreign)


def not_found_in_equal_time(url: str, name: str, sizes: Sizes, out: TextIO) -> bool:
    """Whether the time of a "not found" tells if the id exists where the caller may not look."""
    store = open_plain(url, name)
    shop, blog = (Scope("timing", "default", project) for project in ("shop", "blog"))
    fill(store.view(OWNER.grant([shop])), shop, 1_000)
    view = store.view(OWNER.grant([blog]))

    def seconds(act: Callable[[], object]) -> float:
        began = time.perf_counter()
        with suppress(NotFound):
            act()
        return time.perf_counter() - began

    asked: dict[str, Callable[[str], object]] = {
        "get": lambda id_: view.records.get([id_]),
        "resolve": lambda id_: view.records.resolve(id_),
        "history": lambda id_: view.records.history(id_),
    }
    told: dict[str, float] = {}
    chance = random.Random(SEED)
    for verb, act in asked.items():
        times: dict[bool, list[float]] = {True: [], False: []}
        for turn in range(2 * sizes.timings):
            elsewhere = bool(turn % 2)
            id_ = f"{chance.randrange(1_000) + (0 if elsewhere else 5_000):08}"
            times[elsewhere].append(seconds(lambda act=act, id_=id_: act(id_)))  # type: ignore[misc]
        told[verb] = right_guesses(times[True], times[False])
    store.close()
    worst = max(told.values())
    print_row(
        out,
        "ids of another project against ids that do not exist: how often the time tells them apart",
        sizes.timings,
        ", ".join(f"{verb} {share:.3f}" for verb, share in told.items()),
        "a coin 0.5",
        f"≤ {_TELLING}",
    )
    return worst <= _TELLING


def right_guesses(ones: list[float], others: list[float]) -> float:
    """How often the larger of a pair, one value of each list, is of the same list: 0.5 if they are alike."""
    ranked = sorted([(value, 1) for value in ones] + [(value, 0) for value in others])
    ranks = sum(place for place, (_, mine) in enumerate(ranked, 1) if mine)
    share = (ranks - len(ones) * (len(ones) + 1) / 2) / (len(ones) * len(others))
    return max(share, 1 - share)


def both_in_history(url: str, name: str, sizes: Sizes, out: TextIO) -> bool:
    """Two replicas change one record at the same time, each from the version it read."""
    scope = Scope("races", "default", "shop")
    stores = [open_plain(url, name) for _ in range(2)]
    views = [store.view(OWNER.grant([scope])) for store in stores]
    views[0].commit(put_of(scope, "shared", "first"))

    def change(place: int) -> int:
        again = 0
        for turn in range(sizes.rounds):
            while True:
                [known] = views[place].records.get(["shared"])
                new = known.with_(content=f"from {place} in {turn}")
                try:
                    views[place].commit(
                        Changes(knowledge=KnowledgeChanges(records=[Put(new, "write")]))
                    )
                except Conflict:
                    again += 1
                else:
                    break
        return again

    with ThreadPoolExecutor(2) as pool:
        again = sum(pool.map(change, range(2)))
    written = {one.after.content for one in views[0].records.history("shared") if one.after}
    missing = {f"from {place} in {turn}" for place in range(2) for turn in range(sizes.rounds)}
    missing -= written
    for store in stores:
        store.close()
    print_row(
        out,
        "one record changed by two replicas at once",
        2 * sizes.rounds,
        f"{len(missing)} changes missing in its history",
        f"{again} were refused first and done again",
        "0",
    )
    return not missing


def bytes_after_deletion(url: str, sizes: Sizes, out: TextIO) -> bool:
    """Whether the files of a server hold a text of an organisation that was deleted. Reads them: the server is local."""
    name, start = f"bench-{os.getpid()}-deleted", secrets.token_hex(6)
    store = open_plain(url, name)
    scope = Scope("deleted", "default", "shop")
    view = store.view(OWNER.grant([scope]))
    for number in range(sizes.markers):
        view.commit(put_of(scope, f"m{number}", f"the marker mk{start}-{number:04} stands here"))
        if number % 2:
            [known] = view.records.get([f"m{number}"])
            gone = Changes(knowledge=KnowledgeChanges(records=[Removal(known, "delete")]))
            view.commit(gone)
    store.upkeep.check()
    store.close()
    before = _markers(url, start)
    delete_organisation(url, name)
    after = _markers(url, start)
    print_row(
        out,
        "texts of a deleted organisation in the server's files, without the write-ahead log",
        sizes.markers,
        f"{after} found",
        f"{before} before the deletion",
        "0",
    )
    return not after and before > sizes.markers // 2


def _markers(url: str, start: str) -> int:
    """The number of markers found in the server's files after a checkpoint."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        [(folder,)] = connection.execute("SHOW data_directory").fetchall()
    found: set[bytes] = set()
    for file in Path(folder).rglob("*"):
        if file.is_file() and "pg_wal" not in file.parts and file.suffix != ".log":
            with suppress(OSError):
                found.update(_MARKER.findall(file.read_bytes()))
    return sum(one.startswith(f"mk{start}".encode()) for one in found)
