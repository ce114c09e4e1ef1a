"""`contextd bench roundtrips`: how many store methods a call uses, before its answer and after it.

With a store on a server each is a network round trip, so frequent calls have a limit before the
answer. Calls are counted in a project with data, with empty caches for its directory. Methods are
those of `contextd.ports`, on views, the directory, the queue and upkeep; making a view does not
count.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, TextIO

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.records import Record
from contextd.knowledge.git_anchors import anchor_for
from contextd.runtime.runtime import Runtime
from contextd_bench.counted_store import SCHEME, Verbs, counting
from contextd_bench.scratch import Bench, opened
from contextd_bench.speed import SEED, write_repository

ROUNDS = 3
"""How often each call is counted, each time in other words; its row is the most expensive one."""

_FILES, _RECORDS, _SESSIONS, _MISSES = 40, 120, 4, 6
_SUBJECTS = "token refresh,billing worker,login form,price cache,audit log,search index".split(",")
_CLAIMS = (
    "is retried three times before the alarm", "must never log secrets", "keeps a sliding window",
    "is built once and then only read", "waits for the queue to be empty",
)  # fmt: skip
_CLIENT = "claude-code"


@dataclass(frozen=True, slots=True)
class Ask:
    """A call to count. `budget` is how many verbs it may ask for before its answer."""

    label: str
    operation: str
    arguments: Mapping[str, Any]
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """The verbs one call asked for, in order."""

    label: str
    budget: int | None
    before: tuple[str, ...]
    behind: tuple[str, ...]

    @property
    def exceeded(self) -> bool:
        """Whether the calls before the answer exceed the limit."""
        return self.budget is not None and len(self.before) > self.budget

    def row(self) -> str:
        """A line of a Markdown table."""
        budget = "" if self.budget is None else str(self.budget)
        met = "" if self.budget is None else "NO" if self.exceeded else "yes"
        counts = f"{len(self.before)} | {budget} | {met} | {len(self.behind)}"
        return f"| {self.label} | {counts} | {_listed(self.before)} | {_listed(self.behind)} |"


def run(*, out: TextIO, embedder: str = "minilm", rounds: int = ROUNDS) -> list[RoundTrips]:
    """Count the round trips of the calls that matter, and print them beside their budgets."""
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder, counting() as verbs:
        root = Path(folder) / "project"
        write_repository(root, _FILES)
        url = f"{SCHEME}://{folder}/contextd.db"
        with opened(root, Path(folder) / "home", embedder_name=embedder, store_url=url) as bench:
            found = counted(bench, verbs, rounds=rounds)
    print("\n## roundtrips\nverbs of the store for one call\n", file=out)
    print(
        "| call | before the answer | budget | met | behind it | which | which behind |", file=out
    )
    print("|---|---|---|---|---|---|---|", file=out)
    for one in found:
        print(one.row(), file=out, flush=True)
    return found


def counted(
    bench: Bench, verbs: Verbs, *, rounds: int = ROUNDS, records: int = _RECORDS
) -> list[RoundTrips]:
    """The most expensive of each call's rounds, in a project with this many records."""
    folders = _folders(bench.root)
    known = _worked_in(bench, records)
    found: dict[str, RoundTrips] = {}
    for number in range(rounds):
        for ask in _asks(number, known):
            one = _counted(bench, verbs, ask, next(folders), number)
            if ask.label not in found or len(one.before) > len(found[ask.label].before):
                found[ask.label] = one
    return list(found.values())


_HOOK = 16
"""Round trips of a hook: six, two for the user's directives in a briefing, one to read those that a prompt may need,
one for ways that failed before, and two searches for each of the three parts of the longest prompt here.
"""


def _asks(number: int, known: Sequence[Record]) -> Iterator[Ask]:
    """One round: hooks around a session in which each operation is called."""
    subject, claim = _SUBJECTS[number % len(_SUBJECTS)], _CLAIMS[number % len(_CLAIMS)]
    path = next(iter(known[number].anchor.paths))

    def hook(event: str, when: str = "", session: str = "client", **more: str) -> Ask:
        payload = {"session_id": f"{session}-{number}", **more}
        arguments = {"event": event, "client": _CLIENT, "payload": payload}
        return Ask(f"hook {event}{when}", "hook_event", arguments, budget=_HOOK)

    prompt = f"why is it that the {subject} {claim} at number {number}?"
    yield hook("SessionStart", source="startup")
    yield hook("UserPromptSubmit", prompt=prompt)
    yield hook("SessionStart", " after a compaction", source="compact")
    yield hook("UserPromptSubmit", " of an unknown session", "unknown", prompt=prompt)
    quoting = f"{prompt}\n\nE   TimeoutError: the {subject} waited {number + 3} s for a connection"
    yield hook(
        "UserPromptSubmit", " of an unknown session with an error", "failing", prompt=quoting
    )
    task = f"change how the {subject} works"
    # Two of them ask for the connection's seat: whether a subtask is open on it, and which session to end.
    yield Ask("session_start", "session_start", {"task_description": task}, budget=16)
    yield Ask("memory_search", "memory_search", {"query": f"how does the {subject} wait"})
    yield Ask("context_search", "context_search", {"query": f"what must the {subject} never do"})
    yield Ask("read_file", "read_file", {"path": path})
    yield Ask("read_file, with dependencies", "read_file", {"path": path, "include_deps": True})
    lesson = {"title": f"Parrots {number}", "description": "when one is in the office"}
    lesson["content"] = f"Parrot {number} repeats what it heard in {path} and forgets the rest."
    # The answer is in the commit, so the ids that are like the new one are asked for before it.
    yield Ask("memory_record", "memory_record", {**lesson, "outcome": "success"}, budget=6)
    note = f"The window of room {number} is opened on Tuesdays by whoever comes first."
    yield Ask("save_context", "save_context", {"content": note})
    yield Ask(
        "memory_feedback", "memory_feedback", {"memory_id": known[number].id, "helpful": True}
    )
    yield Ask("session_end", "session_end", {"outcome": "success"})
    yield hook("PreCompact", trigger="auto")
    yield hook("SessionEnd", reason="exit")


def _counted(bench: Bench, verbs: Verbs, ask: Ask, folder: Path, number: int) -> RoundTrips:
    """The verbs of one call, and of what is written once it is answered."""
    bench.host.work_off()
    verbs.clear()
    _call(bench, ask, folder, f"connection-{number}")
    answered = len(verbs)
    seen = -1
    while seen != len(verbs):  # A late write may leave another one.
        seen = len(verbs)
        bench.host.flush()
    before, behind = verbs.split(answered)
    return RoundTrips(ask.label, ask.budget, tuple(before), tuple(behind))


def _call(bench: Bench, ask: Ask, folder: Path, connection: str) -> None:
    request = replace(bench.request, cwd=str(folder))
    if ask.operation == "hook_event":
        request = replace(request, surface="hook", client=_CLIENT)
    else:
        # As an agent's calls come: each may be repeated, so each has a key.
        key = f"{connection} {ask.operation} {ask.arguments}"
        request = replace(request, surface="mcp", connection=connection, key=key)
    bench.host.call(ask.operation, request, ask.arguments)


def _folders(root: Path) -> Iterator[Path]:
    """Folders of the project from which no call came yet."""
    places = [root / "src" / f"place{number}" for number in range(100 * ROUNDS)]
    for place in places:
        place.mkdir()
    return iter(places)


def _worked_in(bench: Bench, records: int) -> list[Record]:
    """Fill the project: code, records about it, finished sessions, searches without results.
    Returns the memories.
    """
    bench.call("init")
    known = _remember(bench.runtime, records)
    numbers = count()
    for session in range(_SESSIONS):
        task = f"mend the {_SUBJECTS[session % len(_SUBJECTS)]}"
        for ask in (
            Ask("", "session_start", {"task_description": task}),
            Ask("", "memory_search", {"query": f"zeppelin mooring mast number {next(numbers)}"}),
            Ask("", "read_file", {"path": next(iter(known[session].anchor.paths))}),
            Ask("", "session_end", {"outcome": "success"}),
        ):
            _call(bench, ask, bench.root, f"earlier-{session}")
        bench.host.work_off()
    for _ in range(_MISSES):
        bench.call("memory_search", query=f"altitude of balloon {next(numbers)}")
    bench.host.work_off()
    return known


def _remember(runtime: Runtime, count: int) -> list[Record]:
    """Store lessons about the files of the project; return the memories."""
    chance = random.Random(SEED)
    paths = sorted(str(path.relative_to(runtime.root)) for path in runtime.root.rglob("*.ts"))
    records: list[Record] = []
    for number in range(count):
        kind = ("memory", "discovery", "context")[number % 3]
        path = chance.choice(paths)
        text = (
            f"The {chance.choice(_SUBJECTS)} {chance.choice(_CLAIMS)}, see {path}, case {number}."
        )
        data: dict[str, Any] = {"outcome": chance.choice(("success", "failure"))}
        records.append(
            Record(
                kind=kind,
                scope=runtime.scope,
                title=" ".join(text.split()[1:4]),
                content=text,
                data={"memory": data, "discovery": {"type": "decision"}}.get(kind, {}),
                anchor=anchor_for(runtime, text),
            )
        )
    runtime.view.commit(
        Changes(
            actor="bench",
            knowledge=KnowledgeChanges(records=[Put(record, "create") for record in records]),
        )
    )
    return [record for record in records if record.kind == "memory"]


def _listed(verbs: Sequence[str]) -> str:
    return ", ".join(
        f"{verb} ×{times}" if times > 1 else verb for verb, times in Counter(verbs).items()
    )
