"""End the rules that the user's own words end or replace, resolved against the few in force (ADR 72)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from contextd.domain.changes import WorkChanges
from contextd.domain.directives import ENDING_ACTS, WORDED, directives_in, is_directive, sentences
from contextd.domain.ending_words import DENIAL
from contextd.domain.endings import Ending, ending_in, rule_meant
from contextd.domain.imported_records import IMPORT
from contextd.domain.kinds import area_of, kinds_that
from contextd.domain.records import Anchor, Record, Source, Status, Trust, said_at, short_id
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.domain.validity import ENDED_RULES, ENDINGS
from contextd.knowledge.told_here import holds_here
from contextd.knowledge.writing import Changed, change_all, cleaned
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import place_of
from contextd.sessions.turns import Turn
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict
from contextd_common.text.words import one_line

_NAMESPACE = uuid.UUID("5c5c0d4e-5a0f-5d0b-9a3e-7d6f6a1f2b90")

_MOST = 2_000
"""The latest notes, memories and lessons that are searched for rules; more would delay a call."""

_SESSIONS = 2_000
"""The latest sessions whose endings are held against a rule that is read late."""

QUOTED = 120
"""Characters of the words that ended a rule, as its history and its session keep them."""
_ACT = "retract"

_NEW = 0.65
"""Confidence of a rule that replaces another: that of every rule the user demands."""


@dataclass(frozen=True, slots=True)
class _EndingSentence:
    """A sentence of the user that ends a rule, in a turn with this begin and end; `after` is the last event before it."""

    sentence: str
    ending: Ending
    began: datetime
    ended: datetime
    after: int = 0


def end_rules(
    runtime: Runtime, session: Session, turns: Sequence[Turn], events: Sequence[Event]
) -> list[str]:
    """End each rule of the project that a sentence of these turns, the last ones of a session, ends; keep what replaces
    it as a rule. Returns the ids of the ended ones. Needs no embedder.

    A turn that was taken back ends nothing, and what it ended holds again. A rule stays if it is from a file or applies
    beyond the project, if it was stated later, and if an act such as an undo has changed it since.
    """
    _give_back(runtime, session, [turn for turn in turns if turn.taken_back])
    statements = list(_endings(turns, events))
    if not statements:
        return []
    rules, former = rules_to_end(runtime), rules_to_end(runtime, "superseded", "archived")
    entries = list((runtime.view.sessions.get(session.id) or session).data.get(ENDED_RULES, ()))
    ended: list[str] = []
    for one in statements:
        earlier = {
            id: record for id, record in rules.items() if _is_earlier(record, one, session, events)
        }
        id = rule_meant(one.ending, texts_of(earlier), texts_of(former))
        if id and _end(runtime, session, earlier[id], one, entries):
            ended.append(id)
            former[id] = rules.pop(id)
    return ended


def endings_said(turns: Sequence[Turn], events: Sequence[Event]) -> list[list[str]]:
    """The sentences of a session that end rules, each with its time, as the session keeps them for `end_late_rules`."""
    return [[one.sentence, one.began.isoformat()] for one in _endings(turns, events)]


def end_late_rules(runtime: Runtime, added: Sequence[Record]) -> list[str]:
    """End those of these new rules that a later statement ends although its session was read earlier. Returns the ids of the
    ended rules.
    """
    new = {one.id for one in added if one.status == "active" and is_directive(one)}
    if not new:
        return []
    here, former = rules_to_end(runtime), rules_to_end(runtime, "superseded", "archived")
    ended: list[str] = []
    for session in runtime.view.sessions.find(frozenset({runtime.scope}), limit=_SESSIONS):
        entries = list(session.data.get(ENDED_RULES, ()))
        spent = {words for _, words, *_ in entries}
        for sentence, at in session.data.get(ENDINGS, ()):
            ending = ending_in(sentence)
            if ending is None or one_line(sentence, QUOTED) in spent:
                continue
            moment = datetime.fromisoformat(at)
            rules = {id: one for id, one in here.items() if said_at(one) < moment}
            id = rule_meant(ending, texts_of(rules), texts_of(former))
            statement = _EndingSentence(sentence, ending, moment, moment)
            if id in new and _end(runtime, session, rules[id], statement, entries):
                ended.append(id)
                former[id] = here.pop(id)
    return ended


def _give_back(runtime: Runtime, session: Session, turns: Sequence[Turn]) -> None:
    """Bring back the rules that a turn ended which the user took back since."""
    ended = session.data.get(ENDED_RULES, ()) if turns else ()
    for id, words, *_ in ended:
        by = next((one.taken_back_by[1] for one in turns if words in _quoted_words(one)), "")
        record = next(iter(runtime.view.records.get([id])), None) if by else None
        last = runtime.view.records.history(id)[-1] if record is not None else None
        if record is None or last is None or last.action != _ACT or last.before is None:
            continue
        before = last.before
        after = record.with_(
            status=before.status, canonical_id=before.canonical_id, valid_to=before.valid_to
        )
        with suppress(Conflict):
            reason = f"what ended it was taken back: {by}"
            change_all(runtime, [Changed(record, after, "restore", reason)])


def _quoted_words(turn: Turn) -> list[str]:
    texts = (turn.prompt, *turn.answers)
    return [one_line(sentence, QUOTED) for text in texts for sentence in sentences(text)]


def texts_of(rules: Mapping[str, Record]) -> dict[str, str]:
    """What each rule demands, by id."""
    return {id: str(rule.data.get("requirement") or rule.content) for id, rule in rules.items()}


def _endings(turns: Sequence[Turn], events: Sequence[Event]) -> Iterator[_EndingSentence]:
    for place, turn in enumerate(turns):
        if turn.taken_back:
            continue
        after = turns[place - 1].last_seq if place else _before(turn, events)
        for text in (turn.prompt, *turn.answers):
            for sentence in sentences(text):
                ending = ending_in(sentence)
                if ending is not None:
                    yield _EndingSentence(sentence, ending, turn.began, turn.ended, after)


def _before(turn: Turn, events: Sequence[Event]) -> int:
    return max((one.seq for one in events if one.at < turn.began), default=0)


def rules_to_end(runtime: Runtime, *statuses: Status) -> dict[str, Record]:
    """The rules of this project that the user or an agent stated: those in force, or with one of these statuses."""
    kinds = tuple(dict.fromkeys((*kinds_that("directive"), *WORDED)))
    chosen = {"statuses": statuses} if statuses else {"valid_at": runtime.clock.now()}
    query = runtime.query(*kinds, level="project", limit=_MOST, **chosen)
    return {
        record.id: record
        for record in runtime.view.records.find(query).records
        if record.scope == runtime.scope
        and record.source.operation not in _FROM_FILES
        and runtime.caller.may("write", record.scope, area_of(record.kind))
        and is_directive(record)
        and holds_here(runtime, record)
    }


_FROM_FILES = ("file", IMPORT)
"""Operations that mirror a file: such a rule ends with its file."""


def _is_earlier(
    record: Record, statement: _EndingSentence, session: Session, events: Sequence[Event]
) -> bool:
    """Whether a rule was stated before a sentence."""
    seq = None
    if record.session == session.id:
        seq = next((one.seq for one in events if one.key == record.source.ref), None)
    return said_at(record) <= statement.began if seq is None else seq <= statement.after


def _end(
    runtime: Runtime,
    session: Session,
    rule: Record,
    statement: _EndingSentence,
    entries: list[list[str]],
) -> bool:
    """End a rule with its replacement in one commit; `entries`, what the next briefing tells, grow by it."""
    words = one_line(statement.sentence, QUOTED)
    reason = f"ended in session {short_id(session.id)}: {words}"
    history = runtime.view.records.history(rule.id)
    if any(one.action in ENDING_ACTS and one.at > statement.began for one in history):
        return False  # Decided anew since then: undone, or changed by hand.
    new = _replacement(runtime, session, statement) if statement.ending.replacing else None
    known = runtime.view.records.by_hash(new.content_hash, new.scope) if new else None
    by = known or new
    if by is not None and by.id == rule.id:
        return False
    entry = [rule.id, words, by.id if by is not None else ""]
    change = SessionChange(id=session.id, data={ENDED_RULES: [*entries, entry]})
    with suppress(Conflict):
        change_all(
            runtime,
            [ended_by(runtime, rule, by.id if by is not None else "", reason)],
            beside=[new] if new is not None and known is None else [],
            work=WorkChanges(sessions=[change]),
        )
        entries.append(entry)
        return True
    return False


def ended_by(runtime: Runtime, rule: Record, by: str, reason: str) -> Changed:
    """The end of a rule, with the id of the one in its place or nothing."""
    after = rule.with_(status="superseded", canonical_id=by, valid_to=runtime.clock.now())
    return Changed(rule, after, _ACT, reason)


def _replacement(runtime: Runtime, session: Session, statement: _EndingSentence) -> Record:
    """The rule that a sentence states in the place of another one, for as long as that one would have held."""
    stated = [one.text for one in directives_in(statement.sentence) if one.span == "always"]
    text = stated[0] if stated else DENIAL.sub("", statement.sentence)
    id = str(uuid.uuid5(_NAMESPACE, f"{session.id}:{text}"))
    anchor = Anchor(*place_of(session, statement.ended))
    rule = stated_rule(
        runtime, session, id, text, statement.began, trust="extracted", confidence=_NEW
    )
    return cleaned(runtime, rule.with_(anchor=anchor))[0]


def stated_rule(
    runtime: Runtime,
    session: Session,
    id: str,
    text: str,
    moment: datetime,
    *,
    trust: Trust,
    confidence: float,
) -> Record:
    """A rule that the user stated in a session at this moment, before it is cleaned and stored."""
    return Record(
        id=id,
        kind="discovery",
        scope=runtime.scope,
        content=text,
        data={"type": "rule", "origin": "prompt", "speaker": "user"},
        source=Source(agent=session.client, client=runtime.client, operation=runtime.surface),
        session=session.id,
        trust=trust,
        confidence=confidence,
        valid_from=moment,
        created_at=moment,
        updated_at=moment,
    )
