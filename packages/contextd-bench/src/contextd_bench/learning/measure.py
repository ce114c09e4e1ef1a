"""All measurements of replayed sessions, for contextd and the baselines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contextd.domain.records import Record
from contextd_bench.bm25 import PlainBM25
from contextd_bench.learning.baselines import Baseline, baselines, until
from contextd_bench.learning.helping import (
    ShownLine,
    Vocabulary,
    guessed,
    key_of,
    shown_lines,
    vocabulary,
)
from contextd_bench.learning.keeping import (
    Gold,
    held,
    shown_of,
    standing_of,
    statement_of,
    texts_of_hits,
)
from contextd_bench.learning.recordings import Recording
from contextd_bench.learning.replay import (
    Replayed,
    ReplayedProject,
    copied,
    kept_records,
)
from contextd_bench.learning.unjudged import SaidAgain, falsely_told, foreseen, said_again
from contextd_bench.scratch import Bench
from contextd_common.text.tokens import count_tokens

OURS = "contextd"
SEARCHES = ("context_search", "memory_search")
_HITS, _WORDS, _EXCERPT = 5, 4, 600


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """A shown line, its label, and the proxy's verdict."""

    method: str
    shown: ShownLine
    label: str
    guess: bool

    @property
    def helped(self) -> bool:
        """By its label, and where there is none by the guess."""
        return self.label == "helps" if self.label else self.guess


@dataclass(frozen=True, slots=True)
class ToldText:
    """The text injected at once, with `tokens`; `continuing` if the session works on the previous
    one's files.
    """

    lines: Sequence[JudgedLine]
    tokens: int
    continuing: bool = False


@dataclass(frozen=True, slots=True)
class KeptStatement:
    """A stored statement. `standing` is `active`, `candidate`, `episode` or `gone`."""

    method: str
    project: str
    session: str
    kind: str
    standing: str
    text: str


@dataclass(slots=True)
class Recalled:
    """Where a piece of gold was found, by place: records of some standing, a search."""

    gold: Gold
    places: dict[str, bool] = field(default_factory=dict[str, bool])


@dataclass(slots=True)
class Measurements:
    """What a run gave: by method, except for what only contextd has."""

    briefings: dict[str, list[ToldText]] = field(default_factory=dict[str, list[ToldText]])
    injections: dict[str, list[ToldText]] = field(default_factory=dict[str, list[ToldText]])
    prompts: dict[str, int] = field(default_factory=dict[str, int])
    kept_statements: dict[str, list[KeptStatement]] = field(
        default_factory=dict[str, list[KeptStatement]]
    )
    recalled: list[Recalled] = field(default_factory=list[Recalled])
    said_again: dict[str, list[SaidAgain]] = field(default_factory=dict[str, list[SaidAgain]])
    falsely_told: dict[str, list[ShownLine]] = field(default_factory=dict[str, list[ShownLine]])
    foreseen: dict[str, list[tuple[int, int]]] = field(
        default_factory=dict[str, list[tuple[int, int]]]
    )
    sessions: list[Replayed] = field(default_factory=list[Replayed])
    megabytes: float = 0.0

    def judged(self, method: str) -> Iterator[JudgedLine]:
        """All lines of a method."""
        for each in (*self.briefings.get(method, ()), *self.injections.get(method, ())):
            yield from each.lines


class Measure:
    """Looks at sessions as they end, and at projects once all have."""

    def __init__(self, gold: Sequence[Gold], labels: Mapping[str, str]) -> None:
        self.done = Measurements()
        self._gold, self._labels = gold, labels
        self._words: dict[str, Vocabulary] = {}
        self._recalled: dict[tuple[str, str], Recalled] = {}

    def learn_words(self, projects: Mapping[str, Sequence[Recording]]) -> None:
        """Know what is rare in these projects."""
        self._words.update({name: vocabulary(each) for name, each in projects.items()})

    def after_end(self, done: Replayed, bench: Bench) -> None:
        """Look for the gold of a session that was just learned from."""
        own = [one for one in self._gold if _of(one, done.recording)]
        if not own:
            return
        records = kept_records(bench)
        with copied(bench, done.recording.ended) as copy:
            for one in own:
                found = self._recalled.setdefault((one.project, one.id), Recalled(one))
                found.places |= {f"{k}, after": v for k, v in self._places(one, records, copy)}

    def project(self, one: ReplayedProject) -> None:
        """Measure a project after its last session."""
        records = one.records()
        names = {done.recording.name for done in one.sessions}
        self.done.sessions += one.sessions
        self.done.megabytes += one.megabytes
        ours = self.done.kept_statements.setdefault(OURS, [])
        ours += [
            KeptStatement(OURS, one.name, r.session, r.kind, standing_of(r), statement_of(r))
            for r in records
        ]
        for gold in self._gold:
            if gold.project == one.name and gold.session in names:
                found = self._recalled.setdefault((gold.project, gold.id), Recalled(gold))
                found.places |= {
                    f"{k}, at the end": v for k, v in self._places(gold, records, one.bench)
                }
        self._told(one)
        for baseline in baselines():
            self._baseline(baseline, one)
        self._bm25(one)
        self.done.recalled = list(self._recalled.values())

    def _places(
        self, one: Gold, records: Sequence[Record], bench: Bench
    ) -> Iterator[tuple[str, bool]]:
        texts = [(standing_of(record), shown_of(record)) for record in records]
        yield "active records", held(one, [text for kind, text in texts if kind == "active"])
        records_only = [text for kind, text in texts if kind in ("active", "candidate")]
        yield "records with candidates", held(one, records_only)
        yield "all that is kept", held(one, [text for kind, text in texts if kind != "gone"])
        question = " ".join(self._words[one.project].rarest(one.keep, _WORDS))
        better = False
        for search in SEARCHES:
            answer = bench.call(search, query=question, limit=_HITS)
            found = held(one, texts_of_hits(answer.value)[:_HITS])
            better = better or found
            yield search, found
        yield "either search", better

    def _told(self, one: ReplayedProject) -> None:
        briefings = self.done.briefings.setdefault(OURS, [])
        injections = self.done.injections.setdefault(OURS, [])
        recordings = [done.recording for done in one.sessions]
        for done in one.sessions:
            self.done.prompts[OURS] = self.done.prompts.get(OURS, 0) + done.prompts
            goes_on = _continues(done.recording, recordings)
            text = done.briefing.text if done.briefing else ""
            briefings.append(self._text(OURS, done.recording, -1, text, done.root, goes_on))
            own = [
                self._text(OURS, done.recording, injection.number, injection.text, done.root)
                for injection in done.injections
            ]
            injections += own
            self._unjudged(OURS, done.recording, recordings, text, [briefings[-1], *own])

    def _baseline(self, baseline: Baseline, one: ReplayedProject) -> None:
        recordings = [done.recording for done in one.sessions]
        statements = self.done.kept_statements.setdefault(baseline.name, [])
        briefings = self.done.briefings.setdefault(baseline.name, [])
        for recording in recordings:
            texts = baseline.keeps(recording)
            statements += [
                KeptStatement(baseline.name, one.name, recording.name, "", "active", text)
                for text in texts
            ]
            for gold in self._gold:
                if _of(gold, recording):
                    self._recalled[gold.project, gold.id].places[baseline.name] = held(gold, texts)
            text = baseline.tells(_before(recording, recordings))
            goes_on = _continues(recording, recordings)
            briefings.append(
                self._text(baseline.name, recording, -1, text, one.sessions[0].root, goes_on)
            )
            self._unjudged(baseline.name, recording, recordings, text, briefings[-1:])

    def _unjudged(
        self,
        method: str,
        one: Recording,
        recordings: Sequence[Recording],
        briefing: str,
        texts: Sequence[ToldText],
    ) -> None:
        """Count what needs no judge, for a session that has one before it."""
        before = _before(one, recordings)
        if not before:
            return
        shown = [line.shown for text in texts for line in text.lines]
        self.done.said_again.setdefault(method, []).extend(said_again(one, before, shown))
        self.done.falsely_told.setdefault(method, []).extend(falsely_told(shown, before))
        self.done.foreseen.setdefault(method, []).append(foreseen(one, briefing))

    def _bm25(self, one: ReplayedProject) -> None:
        """A plain search as baseline of injections and of recall; it always answers."""
        name = "BM25"
        recordings = [done.recording for done in one.sessions]
        injections = self.done.injections.setdefault(name, [])
        for done in one.sessions:
            recording = done.recording
            answers = _answers(_before(recording, recordings))
            index = PlainBM25(answers)
            for number, each in enumerate(recording.exchanges[: done.prompts]):
                self.done.prompts[name] = self.done.prompts.get(name, 0) + 1
                best = [answers[place][:_EXCERPT] for place in index.ranking(each.prompt, 1)]
                if best:
                    injections.append(self._text(name, recording, number, best[0], done.root))
            for gold in self._gold:
                if _of(gold, recording):
                    known = [*answers, *_answers([recording])]
                    words = self._words[one.name].rarest(gold.keep, _WORDS)
                    places = PlainBM25(known).ranking(" ".join(words), _HITS)
                    texts = [known[place][:_EXCERPT] for place in places]
                    self._recalled[gold.project, gold.id].places[name] = held(gold, texts)

    def _text(
        self,
        method: str,
        recording: Recording,
        number: int,
        text: str,
        root: Path,
        continuing: bool = False,
    ) -> ToldText:
        words = self._words[recording.project]
        lines = [
            JudgedLine(method, x, self._labels.get(x.key, ""), guessed(x, recording, words))
            for x in shown_lines(recording.project, recording.name, number, text, root)
        ]
        return ToldText(lines, count_tokens(text), continuing)


def write_out(folder: Path, done: Measurements, labels: Mapping[str, str]) -> None:
    """Write every shown line and every stored statement to a file, to be judged."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, by_method in (("briefings", done.briefings), ("injections", done.injections)):
        rows = (_row(line) for each in by_method.values() for text in each for line in text.lines)
        _write(folder / f"{name}.jsonl", rows)
    statements = (
        {
            "method": one.method, "project": one.project, "session": one.session,
            "kind": one.kind, "standing": one.standing, "text": one.text,
            "key": key_of(one.project, "", one.text),
            "label": labels.get(f"{one.project}\n{one.text}", ""),
        }
        for each in done.kept_statements.values() for one in each
    )  # fmt: skip
    _write(folder / "kept.jsonl", statements)
    recalled = (
        {"gold": one.gold.id, "project": one.gold.project, **one.places} for one in done.recalled
    )
    _write(folder / "recalled.jsonl", recalled)


def _row(line: JudgedLine) -> dict[str, Any]:
    shown = line.shown
    return {
        "method": line.method, "project": shown.project, "session": shown.session,
        "number": shown.number, "section": shown.section, "text": shown.text, "key": shown.key,
        "label": line.label, "guess": line.guess,
    }  # fmt: skip


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def _of(gold: Gold, recording: Recording) -> bool:
    return gold.project == recording.project and gold.session == recording.name


def _before(one: Recording, recordings: Sequence[Recording]) -> list[Recording]:
    """What was said in other sessions before this one started, the latest last."""
    found = [until(other, one.started) for other in recordings if other is not one]
    earlier_sessions = [other for other in found if other.exchanges]
    return sorted(earlier_sessions, key=lambda other: other.exchanges[-1].ended or other.started)


def _continues(one: Recording, recordings: Sequence[Recording]) -> bool:
    before = _before(one, recordings)
    return bool(before and before[-1].edited & one.edited)


def _answers(recordings: Sequence[Recording]) -> list[str]:
    return [each.answer for one in recordings for each in one.exchanges if each.answer]
