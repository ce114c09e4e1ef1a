"""Replay recorded sessions through the hooks of a contextd in this process, with their own clock."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from contextd_bench.learning.checkout import ReplayedCheckout, mapped
from contextd_bench.learning.recordings import HookMoment, Recording, moments
from contextd_bench.scratch import Bench, opened
from contextd_common.errors import ContextdError
from contextd_common.text.tokens import count_tokens

CLIENT = "claude-code"
_PAGE = 500
_LOOK = timedelta(microseconds=1)


class RecordedClock:
    """A clock set by the replay; each reading advances it by a microsecond, so that order shows."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        """That moment, in UTC."""
        self._at += _LOOK
        return self._at

    def move_to(self, at: datetime) -> None:
        """Stand at `at`, unless that is over."""
        self._at = max(self._at, at)


@dataclass(slots=True)
class ToldAtHook:
    """The text a hook injected: at the start, after a compaction, or with prompt `number`."""

    hook: str
    number: int
    at: datetime
    text: str
    tokens: int


@dataclass(slots=True)
class Replayed:
    """A recording that was run again. `records` are those of its project when it was learned from,
    where asked for; `cpu` seconds went into its hooks, `learning` ones into learning from it and
    `other_jobs` into what else waited, the vectors of the code above all; `handoffs` is CONTEXT.md as it stood at each compaction, `failed` the hooks without an answer.
    """

    recording: Recording
    root: Path
    told_at_hooks: list[ToldAtHook] = field(default_factory=list[ToldAtHook])
    prompts: int = 0
    cpu: float = 0.0
    learning: float = 0.0
    other_jobs: float = 0.0
    events: int = 0
    asked_to_record: int = 0
    records: list[Record] = field(default_factory=list[Record])
    found: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    transcript: Path = Path()
    handoffs: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])

    @property
    def briefing(self) -> ToldAtHook | None:
        """The text injected at the start; None if there was none."""
        return next((one for one in self.told_at_hooks if one.hook == "start"), None)

    @property
    def injections(self) -> list[ToldAtHook]:
        """The texts injected with prompts."""
        return [one for one in self.told_at_hooks if one.hook == "prompt"]


@dataclass(slots=True)
class ReplayedProject:
    """A project of a home after all of its recordings."""

    name: str
    bench: Bench
    sessions: list[Replayed]
    megabytes: float = 0.0

    def records(self) -> list[Record]:
        """Everything that was kept, whatever became of it."""
        return kept_records(self.bench)


AfterEnd = Callable[[Replayed, Bench], None]
"""Looks at a session that was just learned from."""


@dataclass(slots=True)
class _Seat:
    """One recording while it runs again: its checkout and its growing transcript."""

    done: Replayed
    bench: Bench
    checkout: ReplayedCheckout
    written: int = 0

    def write(self, upto: int) -> None:
        """Let the transcript grow to this many lines, and apply its edits."""
        one = self.done.recording
        if upto <= self.written:
            return
        fresh = "".join(f"{line}\n" for line in one.lines[self.written : upto])
        with self.done.transcript.open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(fresh)
        at = one.times[upto - 1].timestamp()
        os.utime(self.done.transcript, (at, at))
        for index in range(max(self.written, one.begins), upto):
            self.checkout.follow(one.lines[index], one.times[index])
        self.written = upto


@contextmanager
def replayed(
    projects: Mapping[str, Sequence[Recording]],
    *,
    repos: Path | None = None,
    embedder: str = "minilm",
    after_end: AfterEnd | None = None,
    before: Callable[[Mapping[str, Sequence[Recording]]], None] = lambda _: None,
    report: Callable[[str], None] = lambda _: None,
) -> Iterator[list[ReplayedProject]]:
    """Run the recordings of these projects again in one home, moment by moment in the order of time.
    `before` sees them first, as their agents would have said it in the checkouts here.
    """
    first = min(one.started for each in projects.values() for one in each)
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        clock = RecordedClock(first - timedelta(minutes=1))
        home = Path(folder) / "home"
        with opened(Path(folder), home, clock=clock, embedder_name=embedder) as bench:
            seats: list[_Seat] = []
            found: list[ReplayedProject] = []
            for name, each in projects.items():
                root = Path(folder).resolve() / "projects" / name
                root.parent.mkdir(exist_ok=True)
                clone = repos / name if repos is not None and (repos / name).is_dir() else None
                checkout = ReplayedCheckout(root, clone)
                checkout.opens(first, name)
                checkout.begins(each[0].started)
                here = Bench(bench.host, root)
                here.call(
                    "trust", by="init"
                )  # As `contextd init` does; without it CONTEXT.md is not written.
                here.call("init")
                own = _seats(each, here, checkout, Path(folder) / "transcripts" / name)
                seats += own
                found.append(ReplayedProject(name, here, [seat.done for seat in own]))
            before({one.name: [done.recording for done in one.sessions] for one in found})
            bench.host.work_off()
            _run(seats, clock, after_end, report)
            size = sum(file.stat().st_size for file in home.rglob("*") if file.is_file()) / 1e6
            for project in found:
                project.megabytes = size * len(project.sessions) / max(1, len(seats))
            yield found


def kept_records(bench: Bench) -> list[Record]:
    """The records of a project in every status."""
    runtime = bench.runtime
    query = Query(scopes=frozenset({runtime.scope}), statuses=STATUSES, limit=_PAGE)
    found: list[Record] = []
    while True:
        page = runtime.view.records.find(query)
        found += page.records
        if not page.cursor:
            return found
        query = replace(query, cursor=page.cursor)


@contextmanager
def copied(bench: Bench, at: datetime) -> Iterator[Bench]:
    """The same home once more, to be asked without leaving anything behind."""
    bench.host.flush()
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        home = Path(folder) / "home"
        shutil.copytree(bench.host.settings.home, home, ignore_dangling_symlinks=True)
        name = bench.host.settings.text("embedder.name")
        with opened(bench.root, home, clock=RecordedClock(at), embedder_name=name) as copy:
            yield copy


def _seats(
    each: Sequence[Recording], bench: Bench, checkout: ReplayedCheckout, transcripts: Path
) -> list[_Seat]:
    transcripts.mkdir(parents=True)
    seats = []
    for one in each:
        done = Replayed(mapped(one, bench.root), bench.root)
        done.transcript = transcripts / f"{one.external}.jsonl"
        seats.append(_Seat(done, bench, checkout, one.begins))
    return seats


def _run(
    seats: Sequence[_Seat],
    clock: RecordedClock,
    after_end: AfterEnd | None,
    report: Callable[[str], None],
) -> None:
    plan = [
        (moment.at, place, order, moment)
        for place, seat in enumerate(seats)
        for order, moment in enumerate(moments(seat.done.recording))
    ]
    for at, place, _, moment in sorted(plan, key=lambda row: row[:3]):
        seat = seats[place]
        clock.move_to(at)
        _HOOKS[moment.hook](seat, moment)
        if moment.hook == "end":
            seat.done.events = _events(seat)
            if after_end is not None:
                after_end(seat.done, seat.bench)
            one = seat.done
            report(
                f"{one.recording.project} {one.recording.name[:22]} {one.cpu + one.learning:.1f} s"
            )


def _started(seat: _Seat, moment: HookMoment) -> None:
    one = seat.done.recording
    if one.begins:
        seat.write(one.begins)
    seat.checkout.begins(moment.at)
    _call(seat, moment, "SessionStart", source="resume" if one.begins else "startup")


def _prompted(seat: _Seat, moment: HookMoment) -> None:
    seat.write(moment.written)
    seat.done.prompts += 1
    exchange = seat.done.recording.exchanges[moment.number]
    _call(seat, moment, "UserPromptSubmit", prompt=exchange.prompt, prompt_id=exchange.id)


def _stopped(seat: _Seat, moment: HookMoment) -> None:
    seat.write(moment.written)
    exchange = seat.done.recording.exchanges[moment.number]
    _call(seat, moment, "Stop", stop_hook_active=False, last_assistant_message=exchange.answer)


def _compacted(seat: _Seat, moment: HookMoment) -> None:
    seat.write(moment.written)
    cut = seat.done.recording.compactions[moment.number]
    _call(seat, moment, "PreCompact", trigger=cut.trigger, custom_instructions="")
    page = seat.done.root / ".context" / "CONTEXT.md"
    seat.done.handoffs.append(page.read_text("utf-8") if page.is_file() else "")
    seat.write(cut.last)
    # In Claude Code's order: the summary stands in the transcript before its own hook tells it.
    _call(seat, moment, "SessionStart", source="compact")
    _call(seat, moment, "PostCompact", trigger=cut.trigger, compact_summary=cut.summary)


def _ended(seat: _Seat, moment: HookMoment) -> None:
    seat.write(moment.written)
    _call(seat, moment, "SessionEnd", reason="other")


_HOOKS: dict[str, Callable[[_Seat, HookMoment], None]] = {
    "start": _started,
    "prompt": _prompted,
    "stop": _stopped,
    "compact": _compacted,
    "end": _ended,
}
"""What a client does at each moment."""


def _call(seat: _Seat, moment: HookMoment, event: str, **more: Any) -> None:
    """Run one hook, then the work that a daemon would do in the background."""
    one = seat.done
    payload = {
        "session_id": one.recording.external,
        "transcript_path": str(one.transcript),
        "cwd": str(one.root),
        "hook_event_name": event,
        **more,
    }
    request = replace(seat.bench.request, surface="hook", client=CLIENT)
    arguments = {"event": event, "client": CLIENT, "payload": payload}
    began = _cpu()
    output: Mapping[str, Any] = {}
    try:
        output = seat.bench.host.call("hook_event", request, arguments).value.get("output") or {}
    except ContextdError as error:  # A client goes on without an answer.
        one.failed.append(f"{event}: {error.message}")
    hooked = _cpu()
    seat.bench.host.work_off(("learning",))
    learned = _cpu()
    seat.bench.host.work_off()
    one.cpu += hooked - began
    one.learning += learned - hooked
    one.other_jobs += _cpu() - learned
    text = str((output.get("hookSpecificOutput") or {}).get("additionalContext") or "")
    if output.get("decision") == "block":
        one.asked_to_record += 1
        text = text or str(output.get("reason") or "")
    if text:
        hook = "compact" if more.get("source") == "compact" else _SHOWN.get(event, event)
        one.told_at_hooks.append(
            ToldAtHook(hook, moment.number, moment.at, text, count_tokens(text))
        )


def _cpu() -> float:
    """CPU seconds so far, with those of the programs that ran, git above all."""
    programs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + programs.ru_utime + programs.ru_stime


_SHOWN = {"SessionStart": "start", "UserPromptSubmit": "prompt", "Stop": "stop"}


def _events(seat: _Seat) -> int:
    runtime = seat.bench.runtime
    session = runtime.view.sessions.by_external(CLIENT, seat.done.recording.external)
    return len(runtime.view.sessions.events(session.id)) if session is not None else 0
