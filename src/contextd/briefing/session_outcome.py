"""How the sessions that resemble a prompt ended: what was decided, corrected and refused from there on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from contextd.domain.kinds import EPISODE
from contextd.domain.quoting import inline_words
from contextd.domain.records import Record, short_id
from contextd.domain.time import age
from contextd.runtime.runtime import Runtime
from contextd.sessions.ledger import LedgerEntry, chosen, ledger_of
from contextd.sessions.retractions import takes_back
from contextd.sessions.turns import Turn
from contextd_code.dataclass import dataclass
from contextd_code.text.tokens import count_tokens

_MOST_TURNS = 40
"""The turns of one session that are looked at."""

_SAME_TOPIC, _AMENDS, _WITHDRAWS = 0.3, 0.52, 0.4
"""The lowest cosine between the matched turn and a later one of its session that goes on with its topic, between
an outcome and a turn of a later session that may amend it, and one that takes something back: saying nothing costs
less than telling what no longer holds.
"""

_LATER, _CONCLUSION = 0.8, 2.5
"""What being said last in a session adds to the worth of an entry, relative to what was said first, and what
standing in the agent's last report adds: sessions end with what holds.
"""

_SAYS, _REPORT = 120, 150
"""Characters of an answer below which it reports nothing (`Done.`), and of an agent's sentences that explain
something although none shows its sort.
"""

_READ, _LONGEST = 1_200, 700
"""Characters of an episode that are embedded, and of one entry: the rule that a session settles on is often one
long sentence.
"""


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """How a session ended on a topic: the last record of that topic, and the entries of its ledger."""

    record: Record
    entries: Sequence[LedgerEntry]

    @property
    def text(self) -> str:
        """Its entries as sentences, each speaker named once in a row."""
        rows = groupby(self.entries, key=lambda entry: entry.speaker)
        return " ".join(
            f"{speaker.capitalize()}: {' '.join(entry.text for entry in each)}"
            for speaker, each in rows
        )

    def line(self, runtime: Runtime) -> str:
        """One line of a prompt's context, with its source and age."""
        since = age(self.record.updated_at, runtime.clock.now())
        source = inline_words(str(self.record.source))
        mark = f"how session {short_id(self.record.session)} ended · {source} · {since}"
        return f"{inline_words(self.text)} [{mark}]"


def outcomes(runtime: Runtime, matched: Record, budget: int) -> list[SessionOutcome]:
    """How the session of the episode `matched` ended on its topic, and before it how a later session amended
    that, within `budget` tokens together; empty if nothing was decided, corrected or explained.
    """
    session = _read(runtime, matched)
    first = _within(session, budget)
    if first is None:
        return []
    amending = _amending(runtime, first)
    if amending is None:
        return [first]
    later = _within(_read(runtime, amending), budget // 2)
    if _takes_back(amending):
        # Without a word on what holds now, nothing is certain.
        return [later] if later is not None else []
    if later is None:
        return [first]
    earlier = _within(session, budget - budget // 2)
    return [later, earlier] if earlier is not None else [later]


def _takes_back(record: Record) -> bool:
    return takes_back(str(record.data.get("prompt") or record.title))


def _amending(runtime: Runtime, first: SessionOutcome) -> Record | None:
    """The episode of a later session that is most like an outcome."""
    vector = runtime.embedder.embed([first.text[:_READ]])[0]
    near = runtime.view.near(vector, runtime.embedder.model, runtime.query(EPISODE), 8)
    after = first.record.updated_at
    return next(
        (
            record
            for record, score in near
            if score >= (_WITHDRAWS if _takes_back(record) else _AMENDS)
            and record.session != first.record.session
            and record.created_at > after
        ),
        None,
    )


def _read(runtime: Runtime, matched: Record) -> SessionOutcome:
    """Everything that the session of the episode `matched` said on its topic from there on."""
    episodes = _on_topic(runtime, matched)
    turns = [_turn(record) for record in episodes]
    if len(turns) == 1 and len(turns[0].answer) < _REPORT:
        # A short answer that was taken back in other words later is not always recognised as such.
        return SessionOutcome(episodes[-1], ())
    last = max((n for n, turn in enumerate(turns) if len(turn.answer) >= _SAYS), default=0)
    entries = [
        replace(entry, worth=entry.worth + _bonus(entry, last, len(turns)))
        for entry in ledger_of(turns, _LONGEST)
        if entry.sort != "request"
    ]
    return SessionOutcome(episodes[-1], entries)


def _within(session: SessionOutcome, budget: int) -> SessionOutcome | None:
    """What is worth most of it within `budget` tokens; None if nothing was decided, corrected or explained."""
    found = chosen(session.entries, budget, lambda entry: count_tokens(entry.text) + 1)
    report = sum(len(entry.text) for entry in found if entry.speaker == "agent")
    if report < _REPORT and all(entry.sort == "remark" for entry in found):
        return None
    return replace(session, entries=found)


def _bonus(entry: LedgerEntry, last: int, turns: int) -> float:
    """What its place adds to the worth of an entry. The first turn repeats the problem that the prompt has."""
    if entry.turn == last and entry.speaker == "agent":
        return _CONCLUSION
    if entry.turn == 0 and turns > 1:
        return -_CONCLUSION
    return _LATER * entry.turn / max(1, turns - 1)


def _on_topic(runtime: Runtime, matched: Record) -> list[Record]:
    """The episodes of its session from `matched` on that are about the same, in order."""
    vector = runtime.embedder.embed([matched.text[:_READ]])[0]
    query = runtime.query(EPISODE, session=matched.session)
    near = runtime.view.near(vector, runtime.embedder.model, query, _MOST_TURNS)
    return sorted(
        (
            record
            for record, score in near
            if score >= _SAME_TOPIC and record.created_at >= matched.created_at
        ),
        key=lambda record: record.created_at,
    ) or [matched]


def _turn(record: Record) -> Turn:
    """The turn that an episode was made of, as far as it is stored."""
    data = record.data
    by = data.get("taken_back_by") or ("", "")
    return Turn(
        key=str(data.get("turn", "")),
        began=record.created_at,
        ended=record.updated_at,
        prompt=str(data.get("prompt") or record.title),
        answer=str(data.get("answer") or record.content),
        taken_back=bool(data.get("taken_back")),
        taken_back_by=(str(by[0]), str(by[1])),
    )
