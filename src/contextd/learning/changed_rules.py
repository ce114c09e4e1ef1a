"""Rules in force that the user may have ended or changed: which ones to ask the agent about, and what its answer does."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from contextd.domain.changed_rules import ComparedRules, InQuestion, rule_in_question
from contextd.domain.changes import WorkChanges
from contextd.domain.confidence import START
from contextd.domain.records import Record, said_at, short_id
from contextd.domain.sessions import Session, SessionChange
from contextd.domain.time import iso, parse_instant
from contextd.domain.validity import ENDED_RULES
from contextd.knowledge.writing import Changed, cleaned
from contextd.learning.ended_rules import (
    QUOTED,
    ended_by,
    rules_to_end,
    stated_rule,
    texts_of,
)
from contextd.runtime.runtime import Runtime
from contextd.sessions.turns import Turn
from contextd_common.dataclass import dataclass
from contextd_common.text.words import one_line

IN_QUESTION = "rules_in_question"
"""Session data: the rules in force that the agent was asked about, each with the user's words and their time."""

_NAMESPACE = uuid.UUID("0b4a4bd6-0c35-5b43-9a54-3b5f0a8f6c11")


def changed_rules(
    runtime: Runtime, session: Session, turns: Sequence[Turn], most: int
) -> list[tuple[Record, str, datetime]]:
    """Up to `most` rules of earlier sessions that the user may have ended or changed in these turns, the likeliest first,
    each with the user's words and their time.
    """
    rules = {id: one for id, one in rules_to_end(runtime).items() if one.session != session.id}
    spent = {words for _, words, *_ in session.data.get(ENDED_RULES, ())}
    compared = ComparedRules(texts_of(rules))
    found: dict[str, tuple[InQuestion, datetime]] = {}
    for turn in turns if rules else ():
        earlier = {id for id, one in rules.items() if said_at(one) <= turn.began}
        for text in () if turn.taken_back else (turn.prompt, *turn.answers):
            one = rule_in_question(text, compared, earlier)
            if one is None or one_line(one.sentence, QUOTED) in spent:
                continue
            if one.id not in found or found[one.id][0].score < one.score:
                found[one.id] = (one, turn.began)
    best = sorted(found.values(), key=lambda pair: -pair[0].score)[:most]
    return [(rules[one.id], one_line(one.sentence, QUOTED), at) for one, at in best]


def as_data(found: Sequence[tuple[Record, str, datetime]]) -> Mapping[str, object]:
    """The rules in question as their session keeps them."""
    return {IN_QUESTION: [[rule.id, words, iso(at)] for rule, words, at in found]}


@dataclass(frozen=True, slots=True)
class RuleInQuestion:
    """A rule in force that an agent was asked about, the session in which it was asked, and the user's words that may have
    changed the rule.
    """

    rule: Record
    session: Session
    words: str
    at: datetime


def asked_about(runtime: Runtime, record: Record) -> RuleInQuestion | None:
    """The latest question about a rule in force; None if no session was asked about it."""
    if record.status != "active":
        return None
    for session in runtime.sessions():
        for id, words, at in session.data.get(IN_QUESTION, ()):
            if id == record.id:
                return RuleInQuestion(record, session, words, parse_instant(str(at)))
    return None


def answered(runtime: Runtime, asked: RuleInQuestion, text: str) -> tuple[Changed, Record | None]:
    """The end of a rule as an agent judged it, and the rule with this `text` in its place if there is any."""
    new = _in_its_place(runtime, asked, text) if text else None
    by = runtime.client or "an agent"
    reason = f"ended in session {short_id(asked.session.id)}, as {by} judged: {asked.words}"
    return ended_by(runtime, asked.rule, new.id if new is not None else "", reason), new


def _in_its_place(runtime: Runtime, asked: RuleInQuestion, text: str) -> Record:
    """The rule that holds instead, in an agent's words."""
    id = str(uuid.uuid5(_NAMESPACE, f"{asked.session.id}:{asked.rule.id}:{text}"))
    rule = stated_rule(
        runtime, asked.session, id, text, asked.at, trust="agent", confidence=START["agent"]
    )
    return cleaned(runtime, rule)[0]


def as_work(ended: Sequence[tuple[RuleInQuestion, str]]) -> WorkChanges:
    """The session data of rules that an answer ended, each with the id of its replacement or nothing. The next briefing
    mentions them once.
    """
    data: dict[str, list[object]] = {}
    for asked, new in ended:
        before = asked.session.data.get(ENDED_RULES, ())
        entries = data.setdefault(asked.session.id, list(before))
        entries.append([asked.rule.id, asked.words, new])
    return WorkChanges(
        sessions=[SessionChange(id=id, data={ENDED_RULES: some}) for id, some in data.items()]
    )
