"""How the sessions that resemble a prompt ended: what was decided, corrected and refused from there on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Protocol

from contextd.domain.kinds import EPISODE
from contextd.domain.language_bias import without_bias
from contextd.domain.quoting import inline_words
from contextd.domain.records import Record, short_id
from contextd.domain.time import age
from contextd.domain.validity import Validity
from contextd.runtime.runtime import Runtime
from contextd.search.state_events import rest_of
from contextd.sessions.dead_ends import reports_issue
from contextd.sessions.ledger import LedgerEntry, chosen, ledger_of
from contextd.sessions.retractions import takes_back
from contextd.sessions.turns import Turn
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words

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

_LEAST = 1.0
"""The least worth of an entry that is quoted: below it are remarks, requests, and the problem that the prompt repeats."""

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
    """How a session ended on a topic: the last record of that topic, and the entries of its ledger. `turns` are the ids
    of the episodes that these are counted by. `amended` by the outcome of a later session.
    """

    record: Record
    entries: Sequence[LedgerEntry]
    amended: bool = False
    turns: Sequence[str] = ()

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
        since = age(self.record.created_at, runtime.clock.now())
        source = inline_words(str(self.record.source))
        ended = "ended, before that was amended" if self.amended else "ended"
        mark = f"how session {short_id(self.record.session)} {ended} · {source} · {since}"
        return f"{inline_words(self.text)} [{mark}]"


def standing_matches(
    runtime: Runtime, records: Sequence[Record], valid: Mapping[str, Validity]
) -> list[Record]:
    """These records without those that were replaced. A turn that its own session took back stays, since its
    outcome says what was settled instead; one that a later session took back gives way to the turn that did.
    """
    ids = [id for one in records if valid[one.id].replaced and (id := _retracting(one))]
    retracting = {one.id: one for one in runtime.view.records.get(ids)} if ids else {}
    found: dict[str, Record] = {}
    for record in records:
        by = retracting.get(_retracting(record))
        if not valid[record.id].replaced or (by is not None and by.session == record.session):
            found[record.id] = record
        elif by is not None and not by.data.get("taken_back"):
            found[by.id] = by
    return list(found.values())


def _retracting(record: Record) -> str:
    """The id of the turn that took back an episode; empty for none."""
    by = record.data.get("taken_back_by") if record.kind == EPISODE else None
    return str(by[0]) if by else ""


class EntryTest(Protocol):
    """Chooses the entries of an outcome that are told; `amends` is the outcome that it replaces."""

    def __call__(
        self, outcome: SessionOutcome, amends: SessionOutcome | None = None
    ) -> SessionOutcome:
        """The outcome with these entries alone."""
        ...


def outcomes(
    runtime: Runtime,
    matched: Record,
    budget: int,
    running: str = "",
    passing: EntryTest = lambda outcome, amends=None: outcome,
) -> list[SessionOutcome]:
    """How the session of the episode `matched` ended on its topic, and before it how a later session amended
    that, within `budget` tokens together; empty if nothing was decided, corrected or explained, or if no entry is
    `passing`.

    The session `running` asks, and knows its own words: none are told, and what they take back is not either.
    """
    session = passing(_read(runtime, matched))
    first = _within(session, budget)
    if first is None:
        return []
    amending = _amending(runtime, first, running)
    if amending is None:
        return [first]
    if amending.session == running:
        return []
    amended = passing(_read(runtime, amending), first)
    later = _within(amended, min(budget, max(budget // 2, _recap_cost(amended))))
    if _takes_back(amending):
        # Without a word on what holds now, nothing is certain.
        return [later] if later is not None else []
    if later is None:
        return [first]
    earlier = _within(session, budget - sum(map(_cost, later.entries)))
    return [later, replace(earlier, amended=True)] if earlier is not None else [later]


def _takes_back(record: Record) -> bool:
    return takes_back(str(record.data.get("prompt") or record.title))


def _amending(runtime: Runtime, first: SessionOutcome, running: str) -> Record | None:
    """The episode of a later session that is most like an outcome, or like the turn that settled it: a long outcome
    is like less. One of the session `running` counts only if it takes back: it goes on with the topic anyway.
    """
    texts = [first.text[:_READ], first.record.text[:_READ]]
    near = [
        match
        for text, vector in zip(texts, runtime.embedder.embed(texts), strict=True)
        for match in without_bias(
            runtime.embedder.model,
            text,
            runtime.view.near(vector, runtime.embedder.model, runtime.query(EPISODE), 8),
        )
    ]
    near.sort(key=lambda match: -match[1])
    # Whoever reads a transcript again dates its episodes anew.
    after = first.record.created_at
    return next(
        (
            record
            for record, score in near
            if score >= (_WITHDRAWS if _takes_back(record) else _AMENDS)
            and record.session != first.record.session
            and (record.session != running or _takes_back(record))
            and record.created_at > after
        ),
        None,
    )


def _read(runtime: Runtime, matched: Record) -> SessionOutcome:
    """Everything that the session of the episode `matched` said on its topic from there on."""
    episodes = _on_topic(runtime, matched)
    turns = [turn_of(record) for record in episodes]
    last = max((n for n, turn in enumerate(turns) if len(turn.answer) >= _SAYS), default=0)
    stated = ledger_of(turns, _LONGEST)
    recaps = _recaps(stated)
    entries = [
        replace(entry, worth=entry.worth + _bonus(entry, last, len(turns), recaps))
        for entry in stated
        if entry.sort != "request"
    ]
    at = episodes[-1].created_at
    rest = [replace(entry, text=rest_of(runtime, entry.text, at)) for entry in entries]
    entries = [entry for entry in rest if entry.text]
    if len(turns) == 1 and len(turns[0].answer) < _REPORT and not any(map(_binds, entries)):
        # A short answer that was taken back in other words later is not always recognised as such.
        entries = []
    return SessionOutcome(episodes[-1], entries, turns=[one.id for one in episodes])


def _binds(entry: LedgerEntry) -> bool:
    """Whether an entry settles something: words of the user that direct, correct or refuse, or words of the agent
    that say what was settled.
    """
    if entry.speaker == "agent":
        return bool(_SETTLES.search(entry.text)) and not is_idle(entry)
    return entry.sort in _BINDING and not is_idle(entry)


def settling(entries: Sequence[LedgerEntry]) -> list[bool]:
    """For each entry of an outcome, whether it settles something, belongs to a recap that does, or says again what the
    user settled in its turn.
    """
    recaps, settled = _recaps(entries), defaultdict[int, list[frozenset[str]]](list)
    for entry in entries:
        if entry.speaker == "user" and _binds(entry):
            settled[entry.turn].append(frozenset(content_words(entry.text)))
    return [
        _binds(entry)
        or (entry.text in recaps and not is_idle(entry))
        or _says_again(entry, settled[entry.turn])
        for entry in entries
    ]


def asks(entry: LedgerEntry) -> bool:
    """Whether an entry is a question."""
    return entry.text.rstrip().endswith(("?", "？"))


def _says_again(entry: LedgerEntry, settled: Sequence[frozenset[str]]) -> bool:
    """Whether an agent's sentence confirms what the user settled: it repeats half of the words of one of these sentences."""
    if entry.speaker != "agent" or is_idle(entry) or asks(entry):
        return False
    words = frozenset(content_words(entry.text))
    return any(2 * len(words & one) >= len(one) and len(words & one) > 1 for one in settled)


_BINDING = frozenset(("rule", "constraint", "correction", "decision", "preference", "refused"))


def _within(session: SessionOutcome, budget: int) -> SessionOutcome | None:
    """What is worth most of it within `budget` tokens; None if nothing was decided, explained or refused."""
    worth_it = [entry for entry in session.entries if entry.worth >= _LEAST]
    found = chosen(worth_it or session.entries, budget, lambda entry, _: _cost(entry))
    report = sum(len(one.text) for one in found if one.speaker == "agent" and not is_idle(one))
    if report < _REPORT and not any(map(_binds, found)):
        return None
    return replace(session, entries=found)


def _cost(entry: LedgerEntry) -> int:
    return count_tokens(entry.text) + 1


def _recap_cost(session: SessionOutcome) -> int:
    """The tokens of the sentences that say what was settled, which are told whole even at the cost of what they amend."""
    recaps = _recaps(session.entries)
    return sum(_cost(entry) for entry in session.entries if entry.text in recaps)


def _recaps(entries: Sequence[LedgerEntry]) -> frozenset[str]:
    """The agent's sentences that say what was settled: one with such words, and those after it in its turn. A recap
    of several sentences is told whole or misleads.
    """
    found: set[str] = set()
    began = -1
    for entry in entries:
        if entry.speaker == "agent" and (entry.turn == began or _SETTLES.search(entry.text)):
            began = entry.turn
            found.add(entry.text)
    return frozenset(found)


def _bonus(entry: LedgerEntry, last: int, turns: int, recaps: frozenset[str]) -> float:
    """What its place and its words add to the worth of an entry. The first turn repeats the problem that the prompt
    has, and how something was tested is no decision.
    """
    idle = is_idle(entry)
    settles = bool(_SETTLES.search(entry.text)) or (entry.text in recaps and not idle)
    words = _CONCLUSION * (settles - 2 * idle)
    return words + _place(entry, last, turns)


def is_idle(entry: LedgerEntry) -> bool:
    """Whether an entry tells of tests, of work under way, or of what goes wrong."""
    other = _NARRATES.search(entry.text) if entry.speaker == "agent" else reports_issue(entry.text)
    return bool(other or _TESTS.search(entry.text))


_SETTLES = regex(
    r"\b(?:settled|agreed|recap|final(?:ised|ized|(?=\W{0,3}:)| (?:\w+ )?(?:rule|policy|contract|decision|mapping|map|answer))|summary|to sum up|(?:the|our) (?:definitive |final )?(?:rule|policy|contract|decision|mapping|map)|decided|from now on|amend\w*|supersed\w*|beschlossen|endgültig|décidé|acordado)\b|決定|最终",
    re.I,
)
_TESTS = regex(
    r"\b(?:tests?|pytest|suite|build|lint\w*|ci)\b.{0,60}\b(?:pass\w*|green|succe\w+|run|fail\w*)\b|\b(?:run|ran|running|pass\w*)\b.{0,40}\b(?:tests?|pytest|suite)\b|^\W*(?:excellent|perfect|great|done)\b\W",
    re.I,
)


_NARRATES = regex(
    r"^\W*(?:(?:now|first|next|then|also|and|so|good|ok(?:ay)?|right|perfect|great|excellent|ah|oh|actually|you[’']re (?:absolutely )?right)\b\W*)*(?:let me|let[’']s|i(?:[’']ll| will| need to| should| can see| see|[’']m going to))\b"
    r"|:\s*$|^\W*to-?do list\b|\b(?:i(?:[’']ll| will)|let[’']s|let me|we(?:[’']ll| will)?) now\b|^\W*now,? (?:i|we|let)\b"
    r"|[✅✔🎉🚀🎯📊📅]|\b(?:should|will) now\b|\byou can now\b|\bplease (?:test|try|run|refresh|restart|reload|check|clear)\b|\bthis (?:should|will) (?:now|help|fix|resolve|give|ensure|show)\b"
    r"|</?(?:details|summary)\b|\b(?:let me know|should we|would you like|do you want|which (?:of|one))\b",
    re.I,
)
"""What an agent says while it works, what it ticks off or promises of an edit, and what it asks."""


def _place(entry: LedgerEntry, last: int, turns: int) -> float:
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
    near = without_bias(runtime.embedder.model, matched.text, near)
    return sorted(
        (
            record
            for record, score in near
            if score >= _SAME_TOPIC and record.created_at >= matched.created_at
        ),
        key=lambda record: record.created_at,
    ) or [matched]


def turn_of(record: Record) -> Turn:
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
