"""Whether records and messages are still valid. All readers use this module.

A text is invalid if the user took it back, if another record replaced it or was merged with it, if it was
archived or deleted, or if an event ended the state that it reports (`state_events.py`). Of two contradicting texts the later one comes first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from contextd.claims.exchanged_names import exchanged_name
from contextd.claims.replacements import Swap, swaps, uses_old_name
from contextd.claims.states import State, state, succeeds
from contextd.domain.documents import message_place
from contextd.domain.kinds import EPISODE, kinds_that
from contextd.domain.records import FOUND, Record, headed, said_at, short_id
from contextd.domain.sessions import Event
from contextd.domain.validity import CURRENT, TAKEN_BACK, Validity
from contextd.knowledge.disagreements import conflicting
from contextd.runtime.runtime import Runtime
from contextd.search.hits import Hit, Result, Texted
from contextd.search.state_events import StatedText, ended, ended_states
from contextd_common.dataclass import dataclass
from contextd_common.text.words import one_line

_QUOTED = 100
"""Characters quoted of the replacing text."""

_COMPARED, _EVIDENCE, _READ = 20, 10, 3_000
"""Limits: hits compared with each other, further hits examined for renamings, characters of each."""

_AT_ONCE = timedelta(minutes=1)
"""Texts written within this time count as simultaneous."""

_AGAIN = timedelta(days=1)
"""Time after which a sentence with another name in it is an update. Lists are written at one sitting."""


def validities(runtime: Runtime, records: Sequence[Record]) -> dict[str, Validity]:
    """The validity of each record, by id."""
    against = conflicting(runtime, records)
    named = [id for record in records if (id := _replacing(record))]
    others = [other for found in against.values() for other in found]
    known = {one.id: one for one in records}
    missing = list(dict.fromkeys(id for id in (*named, *others) if id not in known))
    if missing:
        known |= {one.id: one for one in runtime.view.records.get(missing)}
    ended = ended_states(runtime, records)
    return {
        one.id: _taken_back(one)
        or _replaced(one, known)
        or ended.get(one.id)
        or _opposed(one, against, known)
        for one in records
    }


def in_force(runtime: Runtime, result: Result) -> Result:
    """The search result with the validity of each hit: the later of two contradicting texts first, invalid
    ones last.
    """
    records = {hit.id: hit.record for hit in result.hits if hit.record is not None}
    found = validities(runtime, list(records.values())) | _messages(runtime, result.hits)
    hits = [replace(hit, validity=found.get(hit.id, CURRENT)) for hit in result.hits]
    evidence = [hit for hit in result.lost.beaten if isinstance(hit, Hit)][:_EVIDENCE]
    hits = _outdated(hits, evidence)
    ordered = [hit for hit in hits if not hit.validity.replaced]
    ordered = _later_first(ordered, records)
    ordered += [hit for hit in hits if hit.validity.replaced]
    return replace(result, hits=tuple(_falling(ordered)))


def _replacing(record: Record) -> str:
    """The id of the replacing record."""
    by = record.data.get("taken_back_by") if record.data.get("taken_back") else None
    return str(by[0]) if by else record.canonical_id


def _taken_back(record: Record) -> Validity | None:
    if not record.data.get("taken_back"):
        return None
    source = [str(one) for one in record.data.get("taken_back_by") or ("", "")]
    return _withdrawn(*source[:2])


def _withdrawn(by: str, words: str) -> Validity:
    quoted = f": “{one_line(words, _QUOTED)}”" if words else ""
    source = f" (episode {short_id(by)})" if by else ""
    return Validity(f"taken back by the user{quoted}{source}", by, replaced=True)


def _replaced(record: Record, known: Mapping[str, Record]) -> Validity | None:
    if record.status in (*FOUND, "inbox"):
        return None
    by = known.get(record.canonical_id)
    if by is None or record.status not in _BY:
        return Validity(record.status, record.canonical_id, replaced=True)
    quoted = one_line(headed(by.title, by.content), _QUOTED)
    return Validity(f"{_BY[record.status]} {short_id(by.id)}: “{quoted}”", by.id, replaced=True)


_BY = {"superseded": "superseded by", "merged": "merged into"}


def _opposed(
    record: Record, against: Mapping[str, Sequence[str]], known: Mapping[str, Record]
) -> Validity:
    others = [known[id] for id in against.get(record.id, ()) if id in known]
    if not others:
        return CURRENT
    later = [one for one in others if _is_later(one, record)]
    notes = [f"contradicts {short_id(one.id)}{_which(one, record)}" for one in others]
    return Validity(
        note="; ".join(notes),
        contradicts=", ".join(short_id(one.id) for one in others),
        newer=tuple(one.id for one in later),
    )


def _which(other: Record, record: Record) -> str:
    if _is_later(other, record):
        return f", which is newer: “{one_line(headed(other.title, other.content), _QUOTED)}”"
    return ", which is older" if _is_later(record, other) else ""


def _is_later(one: Record, other: Record) -> bool:
    """Whether a record was stated later than another one, and may outdate it."""
    return _may_outdate(one, other) and _since(one) - _since(other) > _AT_ONCE


def _may_outdate(one: Texted, other: Texted) -> bool:
    """Whether a text may outdate another one if it is later: no note and no message outdates a rule."""
    rules = kinds_that("binding")
    is_rule = isinstance(other, Record) and other.kind in rules
    return not is_rule or (isinstance(one, Record) and one.kind in rules)


def _since(record: Record) -> datetime:
    """When a record was stated. Marking an episode changes it without making it newer."""
    return record.created_at if record.kind == EPISODE else said_at(record)


def _messages(runtime: Runtime, hits: Sequence[Hit]) -> dict[str, Validity]:
    """The validity of messages that the user took back, or that report a state which has ended."""
    places = {hit.id: place for hit in hits if (place := message_place(hit.id)) is not None}
    texts = [(hit.id, hit.content) for hit in hits if hit.id in places]
    found = ended(
        runtime, [StatedText(id, one.text, one.at) for id, one in texts if isinstance(one, Event)]
    )
    for id in dict.fromkeys(session for session, _ in places.values()):
        session = runtime.view.sessions.get(id)
        for after, last, by, words in session.data.get(TAKEN_BACK, ()) if session else ():
            for hit, (where, seq) in places.items():
                if where == id and after < seq <= last:
                    found[hit] = _withdrawn(str(by), str(words))
    return found


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a hit, its time, the renamings or replacements it states, and the states it gives."""

    hit: Hit
    text: str
    at: datetime
    swaps: tuple[Swap, ...]
    states: tuple[State, ...]


def _outdated(hits: Sequence[Hit], evidence: Sequence[Hit]) -> list[Hit]:
    """The hits; those that use a name which a later hit declares obsolete are marked as replaced."""
    texts = [one for hit in (*hits[:_COMPARED], *evidence) if (one := _text_of(hit)) is not None]
    telling = [one for one in texts if one.swaps or any(state.now for state in one.states)]
    found = _stated_again(texts)
    for older in texts:
        for newer in telling:
            if newer.at - older.at <= _AT_ONCE or newer.hit.validity.replaced:
                continue
            if not _may_outdate(newer.hit.content, older.hit.content):
                continue
            swapped = next((one for one in newer.swaps if uses_old_name(older.text, one)), None)
            changed = _successor(newer, older)
            if swapped is not None:
                found[older.hit.id] = _renamed(swapped, newer.hit)
            elif changed is not None:
                found[older.hit.id] = _outdated_by(changed, newer.hit)
    return [
        replace(hit, validity=found[hit.id])
        if hit.id in found and not hit.validity.replaced
        else hit
        for hit in hits
    ]


def _stated_again(texts: Sequence[_Text]) -> dict[str, Validity]:
    """The texts that a later one repeats with another name. Three and more such texts are a list."""
    partners: dict[str, list[tuple[_Text, str]]] = {}
    for older in texts:
        for newer in texts:
            if not _may_outdate(newer.hit.content, older.hit.content):
                continue
            if newer.at - older.at > _AGAIN and (name := exchanged_name(newer.text, older.text)):
                partners.setdefault(older.hit.id, []).append((newer, name))
                partners.setdefault(newer.hit.id, []).append((newer, ""))
    return {
        id: Validity(
            f"older: {one_line(name, _QUOTED)} since {_name_of(newer.hit)}",
            newer.hit.id,
            replaced=True,
        )
        for id, [(newer, name), *others] in partners.items()
        if name and not others and len(partners[newer.hit.id]) == 1
    }


def _successor(newer: _Text, older: _Text) -> State | None:
    """The state in a later text that replaces one of an older text."""
    return next(
        (one for one in newer.states for before in older.states if succeeds(one, before)), None
    )


def _outdated_by(now: State, by: Hit) -> Validity:
    note = f"older: {now.name} is {now.value} since {_name_of(by)}"
    return Validity(note, by.id, replaced=True)


def _name_of(hit: Hit) -> str:
    place = message_place(hit.id)
    return short_id(hit.id if place is None else place[0])


def _renamed(swapped: Swap, by: Hit) -> Validity:
    name = _name_of(by)
    now = f"is {swapped.better} since" if swapped.better else "is gone since"
    return Validity(f"older: {swapped.worse} {now} {name}", by.id, replaced=True)


_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def _text_of(hit: Hit) -> _Text | None:
    content = hit.content
    if isinstance(content, Record):
        text, at = headed(content.title, content.content), _since(content)
    elif isinstance(content, Event):
        text, at = content.text, content.at
    else:
        return None
    sentences = _SENTENCE.split(text[:_READ])
    replaced = tuple(one for s in sentences for one in swaps(s))
    states = tuple(one for s in sentences if (one := state(s)) is not None)
    return _Text(hit, text, at, replaced, states)


def _later_first(hits: Sequence[Hit], records: Mapping[str, Record]) -> list[Hit]:
    """The hits, each moved behind the later ones that contradict it."""
    ordered = list(hits)
    for hit in hits:
        later = {id for id in hit.validity.newer if id in records}
        places = [place for place, other in enumerate(ordered) if other.id in later]
        here = ordered.index(hit)
        if places and here < max(places):
            ordered.insert(max(places), ordered.pop(here))
    return ordered


def _falling(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with decreasing relevance, so that sorting by it keeps this order."""
    least, found = 1.0, list[Hit]()
    for hit in hits:
        least = min(least, hit.relevance)
        found.append(hit if hit.relevance == least else hit.with_relevance(least))
    return found
