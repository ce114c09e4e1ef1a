"""Recurring errors: replay recorded sessions in order of time and look up each error in earlier
sessions.

An error counts once per session. An answer is right if it names the step that then ended the error.
The error had a known fix if an earlier session ended it by that step.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol, TextIO

from contextd.briefing.remedy_injection import remedied, remedy_for, tells_of_failure
from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.imports.importers import IMPORTERS
from contextd.knowledge.writing import change
from contextd.remedies.learned_fixes import keep_remedies
from contextd.remedies.session_errors import ERRORS, Met, errors_met, kept
from contextd.remedies.signatures import error_lines
from contextd.runtime.runtime import Runtime
from contextd.sessions.outcome_signals import failed
from contextd.skills.procedures import forms
from contextd_bench.bm25 import PlainBM25
from contextd_bench.data import hardware
from contextd_bench.learning.recordings import Recording, recordings
from contextd_bench.remedies_planted import PLANTED
from contextd_bench.scratch import opened
from contextd_common.errors import NotFound
from contextd_common.text.tokens import count_tokens

_CLIENT = "claude-code"
_QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class MetAgain:
    """An error as a session met it first, the command that met it last, what ended it there, and whether an
    earlier session of the project met it (`again`) and ended it by the same step (`fixable`).
    """

    project: str
    session: str
    output: str
    line: str
    fixes: tuple[str, ...]
    again: bool
    fixable: bool
    command: str = ""


class System(Protocol):
    """Returns a fix for an error, or nothing."""

    def tell(self, session: Session, output: str) -> str:
        """The text to inject for a tool's answer; empty for none."""
        ...

    def learn(self, session: Session, events: Sequence[Event], errors: Sequence[Met]) -> None:
        """Learn from a finished session."""
        ...


@dataclass(slots=True)
class ToldRemedy:
    """A system's answer to one error, and whether it names the step that then ended it."""

    system: str
    met: MetAgain
    text: str
    right: bool


@dataclass(slots=True)
class _Contextd:
    """The answer of the hook, from a store with this project alone."""

    runtime: Runtime
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])

    def tell(self, session: Session, output: str) -> str:
        if session.id not in self.sessions:
            self.runtime.commit(work=WorkChanges(open=[session]))
            self.sessions[session.id] = session
        here = self.sessions[session.id]
        text, records = remedy_for(self.runtime, here, output)
        if text:
            data = {**here.data, **remedied(here, [record.id for record in records])}
            self.sessions[session.id] = here.with_(data=data)
        return text

    def learn(self, session: Session, events: Sequence[Event], errors: Sequence[Met]) -> None:
        if session.id not in self.sessions:
            self.runtime.commit(work=WorkChanges(open=[session]))
        keep_remedies(self.runtime, session, errors)
        self._accept()
        change = SessionChange(id=session.id, data={ERRORS: kept(errors)}, ended_at=events[-1].at)
        self.runtime.commit(work=WorkChanges(sessions=[change]))

    def _accept(self) -> None:
        """Say yes to each proposed fix that two sessions confirm, as a person would at best."""
        query = self.runtime.query("remediation", statuses=("candidate",))
        for record in self.runtime.view.records.find(query).records:
            if record.data.get("verified"):
                accepted = record.with_(status="active")
                change(self.runtime, record, accepted, action="update", reason="accepted")


@dataclass(slots=True)
class _LastLine:
    """Baseline: the step after the last output with exactly the same last line, in an earlier
    session.
    """

    followed: dict[str, str] = field(default_factory=dict[str, str])

    def tell(self, session: Session, output: str) -> str:
        return self.followed.get(_last_line(output), "")

    def learn(self, session: Session, events: Sequence[Event], errors: Sequence[Met]) -> None:
        commands = {
            str(event.data.get("id")): event.text for event in events if event.type == "tool_call"
        }
        waiting: list[str] = []
        for event in events:
            if event.type != "tool_result":
                continue
            if failed(event):
                waiting.append(_last_line(event.text))
            elif waiting:
                ran = commands.get(str(event.data.get("id")), "").partition(": ")[2]
                for line in filter(None, waiting):
                    self.followed[line] = f"run `{ran}`"
                waiting = []


@dataclass(slots=True)
class _Messages:
    """Baseline: the best agent message of earlier sessions, by plain BM25."""

    texts: list[str] = field(default_factory=list[str])
    index: PlainBM25 | None = None

    def tell(self, session: Session, output: str) -> str:
        if not self.texts:
            return ""
        self.index = self.index or PlainBM25(self.texts)
        best = self.index.ranking("\n".join(one.line for one in error_lines(output)[:2]), 1)
        return self.texts[best[0]] if best else ""

    def learn(self, session: Session, events: Sequence[Event], errors: Sequence[Met]) -> None:
        answers = [e.text for e in events if e.type == "message" and e.role == "assistant"]
        self.texts += [text for text in answers if text.strip()]
        self.index = None


def run(data: Path, *, project: str = "", kept_in: Path | None = None, out: TextIO) -> bool:
    """Print how many errors that came back get their fix, and how many others get noise, of contextd and
    of two baselines; write everything that was told to `kept_in`, to be read.
    """
    data = data / "learning" if (data / "learning").is_dir() else data
    known = sorted(path.parent.name for path in data.glob("transcripts/*/order.json"))
    names = [name for name in known if not project or name == project]
    if not names:
        raise NotFound(
            f"no recorded project {project!r} under {data}", f"there are: {', '.join(known)}"
        )
    print("\n## remedies: errors that come back, and what is told then", file=out)
    print(f"{hardware()}; an error counts once per session", file=out)
    every: list[ToldRemedy] = []
    met: list[MetAgain] = []
    for name in names:
        mine, remedies = _replayed(name, recordings(data, name))
        met += mine
        every += remedies
        _print(out, name, mine, remedies)
    if len(names) > 1:
        _print(out, "all", met, every)
    _print_planted(out, [one.output for one in met])
    if kept_in is not None:
        kept_in.mkdir(parents=True, exist_ok=True)
        rows = [{**asdict(one), "met": asdict(one.met)} for one in every]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (kept_in / "remedies.jsonl").write_text(text, "utf-8")
    return True


def _replayed(name: str, each: Sequence[Recording]) -> tuple[list[MetAgain], list[ToldRemedy]]:
    met: list[MetAgain] = []
    remedies: list[ToldRemedy] = []
    before: dict[tuple[str, frozenset[str]], set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        root = Path(folder).resolve() / name
        root.mkdir()
        with opened(root, Path(folder) / "home", embedder_name="none") as bench:
            bench.call("init")
            runtime = bench.runtime
            systems: dict[str, System] = {
                "contextd": _Contextd(runtime),
                "same last line": _LastLine(),
                "BM25 over messages": _Messages(),
            }
            for one in each:
                events = _events(one, Path(folder) / "transcript.jsonl")
                if not events:
                    continue
                session = Session(
                    scope=runtime.scope, client=_CLIENT, external_id=one.name,
                    started_at=one.started, last_seen_at=one.ended,
                )  # fmt: skip
                errors = errors_met(events)
                for again in _errors(name, one, events, errors, before):
                    met.append(again)
                    for system, teller in systems.items():
                        text = teller.tell(session, again.output)
                        if text:
                            remedies.append(ToldRemedy(system, again, text, _is_right(text, again)))
                for ended in errors:
                    line = next(iter(error_lines(ended.line)), None)
                    if line is not None:
                        before[line.signature, line.names] |= {"", *ended.fixes}
                for teller in systems.values():
                    teller.learn(session, events, errors)
    return met, remedies


def _errors(
    name: str,
    one: Recording,
    events: Sequence[Event],
    errors: Sequence[Met],
    before: dict[tuple[str, frozenset[str]], set[str]],
) -> Iterator[MetAgain]:
    """The errors of a session, each where it came first."""
    seen: set[tuple[str, frozenset[str]]] = set()
    ends = {met.signature: met for met in errors}
    for event in events:
        if event.type != "tool_result" or event.data.get("rejected"):
            continue
        lines = error_lines(event.text) if tells_of_failure(event.text, failed(event)) else []
        if not lines:
            continue
        key = lines[0].signature, lines[0].names
        if key in seen:
            continue
        seen.add(key)
        ended = ends.get(lines[0].signature)
        fixes = tuple(ended.fixes) if ended is not None else ()
        known = before.get(key, set[str]())
        yield MetAgain(
            project=name, session=one.name, output=event.text, line=lines[0].line, fixes=fixes,
            again=bool(known), fixable=bool(known.intersection(fixes)),
            command=ended.command if ended is not None else "",
        )  # fmt: skip


def _is_right(text: str, met: MetAgain) -> bool:
    """Whether a text tells a step that then ended the error: by its form, or in the same words; of another
    way to say the command that failed, one with the words that made the difference.
    """
    commands = _QUOTED.findall(text)
    command_forms = {form for command in commands for form in forms(command)}
    return any(
        fix in command_forms
        or (
            any(_says(one, fix, met.command) for one in commands) if fix[0] in "+-" else fix in text
        )
        for fix in met.fixes
    )


def _says(command: str, difference: str, failing: str) -> bool:
    words, named = set(command.split()), difference.split()
    more = {one[1:] for one in named if one[0] == "+"}
    less = {one[1:] for one in named if one[0] == "-"}
    return more <= words and not less & words and bool(words & set(failing.split()))


def _events(one: Recording, file: Path) -> list[Event]:
    file.write_text("".join(line + "\n" for line in one.lines[one.begins :]), "utf-8")
    found: list[Event] = []
    offset = 0
    while True:
        batch = IMPORTERS[_CLIENT].read(file, offset, redact=lambda text: (text, 0))
        found += batch.events
        offset = batch.next_offset
        if batch.done:
            return found


def _last_line(output: str) -> str:
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")


def _print_planted(out: TextIO, real: Sequence[str]) -> None:
    """What is told of errors with a recorded fix, of others that look like them, and of all the real ones
    above, which none of those fixes is for.
    """
    asked = {
        "known": [one.again for one in PLANTED],
        "look-alikes": [one.other for one in PLANTED],
        "real, unrelated": list(real),
    }
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        root = Path(folder).resolve() / "planted"
        root.mkdir()
        with opened(root, Path(folder) / "home") as bench:
            bench.call("init")
            ids: list[str] = []
            for place, one in enumerate(PLANTED):
                saved = bench.call(
                    "remediation_record", title=f"Case {place}", problem=one.known,
                    root_cause="", solution=f"Do what case {place} says",
                )  # fmt: skip
                ids.append(saved.value["id"])
            runtime = bench.runtime
            index = PlainBM25([one.known for one in PLANTED])
            lines = {_last_line(one.known): id for one, id in zip(PLANTED, ids, strict=True)}

            def hooked(output: str) -> str:
                found = remedy_for(runtime, None, output)[1]
                return found[0].id if found else ""

            def searched(output: str) -> str:
                found = bench.call("remediation_search", error=output, limit=1).value
                return found["remediations"][0]["id"] if found["remediations"] else ""

            def ranked(output: str) -> str:
                best = index.ranking(output, 1)
                return ids[best[0]] if best else ""

            systems: dict[str, Callable[[str], str]] = {
                "contextd, told by a hook": hooked,
                "contextd, searched": searched,
                "same last line": lambda output: lines.get(_last_line(output), ""),
                "BM25": ranked,
            }
            print(
                f"\nplanted: {len(PLANTED)} recorded fixes; {len(real)} real errors of others\n\n"
                "| system | known, right | known, another's fix | look-alikes told | unrelated told |\n"
                "|---|---|---|---|---|",
                file=out,
            )
            for name, system in systems.items():
                given = {sort: [system(output) for output in each] for sort, each in asked.items()}
                right = sum(a == b for a, b in zip(given["known"], ids, strict=True))
                wrong = sum(bool(a) and a != b for a, b in zip(given["known"], ids, strict=True))
                alike = sum(a == b for a, b in zip(given["look-alikes"], ids, strict=True))
                print(
                    f"| {name} | {right} of {len(ids)} | {wrong} | {alike} of {len(ids)} "
                    f"| {sum(map(bool, given['real, unrelated']))} of {len(real)} |",
                    file=out,
                )


def _print(
    out: TextIO, name: str, met: Sequence[MetAgain], told_remedies: Sequence[ToldRemedy]
) -> None:
    again, fixable = sum(one.again for one in met), sum(one.fixable for one in met)
    sessions = len({one.session for one in met})
    print(
        f"\n{name}: {len(met)} errors in {sessions} sessions; {again} of them met in an earlier one, "
        f"{fixable} ended by a step that had ended them before\n",
        file=out,
    )
    print(
        "| system | told | right | of those that had a fix | others told | tokens each |", file=out
    )
    print("|---|---|---|---|---|---|", file=out)
    for system in ("contextd", "same last line", "BM25 over messages"):
        mine = [one for one in told_remedies if one.system == system]
        right = sum(one.right for one in mine)
        had = sum(one.right and one.met.fixable for one in mine)
        others = sum(not one.right for one in mine)
        tokens = round(sum(count_tokens(one.text) for one in mine) / len(mine)) if mine else 0
        print(
            f"| {system} | {len(mine)} | {right} | {had} of {fixable} "
            f"| {others} of {len(met) - right} | {tokens} |",
            file=out,
        )
