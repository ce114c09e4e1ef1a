"""Store a session's statements as records: candidates, unless their source is reliable."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from contextd.claims.warnings import warns
from contextd.domain.applies_to import BRANCHES, branches_of
from contextd.domain.directives import (
    LASTING,
    directives_in,
    force_of,
    sentences,
    without_directives,
)
from contextd.domain.origins import ORIGINS
from contextd.domain.records import Anchor, Record
from contextd.domain.sessions import Event, Session
from contextd.domain.validity import ENDED_RULES
from contextd.knowledge.superseding import supersede_older
from contextd.knowledge.writing import Provenance, RecordText, Saved, change, save_new
from contextd.learning.corroboration import DROPPED, seen_again
from contextd.learning.ended_rules import QUOTED
from contextd.learning.known_rules import said_again, users_rules
from contextd.learning.passages import SHORTEST, Statement, statements
from contextd.learning.statement_worth import weights, worth
from contextd.runtime.runtime import Runtime
from contextd.sessions.ledger_sorts import agents_sort, users_sort
from contextd.sessions.session_binding import place_of
from contextd.sessions.turns import Turn
from contextd_code.git.git_queries import blobs, branch, head
from contextd_common.errors import Stale, Unavailable
from contextd_common.text.words import one_line, weight

_NAMESPACE = uuid.UUID("6f3f6f0e-6a53-5d4c-9d1e-0c0f3a1b7c55")

_SURE = frozenset({"answer", "refusal"})
"""Reliable origins: the user was asked and answered. Useful statements from them need no confirmation."""

_LATEST = 3
"""Turns whose last messages may become records: findings of earlier ones were built on, corrected or
dropped since, and are in their episodes.
"""

_LONGEST = 900
_MOST_READ, _READ = 8, 300
"""Statements that are embedded, and characters of each. Embedding is the main cost of learning, and the
form alone ranks most useful ones among the first.
"""

_MOST_DROPPED = 200
_TYPES = {"refusal": "correction", "answer": "decision", "queued": "correction"}


def keep_statements(
    runtime: Runtime,
    session: Session,
    turns: Sequence[Turn],
    events: Sequence[Event],
    *,
    check: Callable[[], None] = lambda: None,
) -> list[Saved]:
    """Store the user's directives from a session and its most promising other statements. A statement
    repeated from another session becomes known.
    """
    most = runtime.settings.number("sessions.discoveries")
    eligible = _eligible(turns, events)
    stated = [one for one in eligible if _force(one) == "stated"]
    found = _promising([one for one in eligible if one not in stated])
    if not (found or stated) or not most:
        return []
    anchor = anchor_of(runtime, session)
    dropped = _dropped(runtime)
    rules: dict[str, Record] | None = None  # Read once a rule is stated; most sessions state none.
    saved: list[Saved] = []
    sure: list[tuple[Record, datetime]] = []

    def keep(statement: Statement, value: float) -> None:
        nonlocal rules
        check()
        if rules is None and _force(statement):
            rules = users_rules(runtime)
        saved.append(_keep(runtime, session, statement, value, anchor, rules or {}))
        if rules is not None and saved[-1].outcome == "added" and _force(statement):
            rules[saved[-1].record.id] = saved[-1].record
        if saved[-1].outcome == "added" and saved[-1].record.status == "active":
            sure.append((saved[-1].record, statement.at))

    lifting = {words for _, words, new in session.data.get(ENDED_RULES, ()) if not new}
    for statement in stated:
        if one_line(statement.text, QUOTED) in lifting:
            continue  # It ended a rule and states none.
        # A dropped record returns when the user states it again.
        if dropped.get(_plain(statement.text), _EVER) < statement.at:
            keep(statement, _FORCE["stated"])
    values = _values(runtime, found)
    for place in sorted(range(len(found)), key=lambda place: (-values[place], place)):
        if len(saved) >= most:
            break
        few = len(saved) < _FEWEST and _says_what_holds(found[place])
        if (few or values[place] >= _FROM) and _plain(found[place].text) not in dropped:
            keep(found[place], values[place])
    supersede_older(runtime, sure)
    return saved


_EVER = datetime.min.replace(tzinfo=UTC)


def _force(statement: Statement) -> str:
    """The force of a user's statement as a directive; empty for other statements."""
    return force_of(statement.text) if statement.origin in _OF_THE_USER else ""


def _values(runtime: Runtime, found: Sequence[Statement]) -> list[float]:
    """The estimated worth of each statement."""
    if not found:
        return []
    texts = [statement.text[:_READ] for statement in found]
    try:
        trained = runtime.embedder.model == weights().model
        vectors = runtime.embedder.embed(texts) if trained else None
    except Unavailable:
        vectors = None
    return [
        max(value, _FORCE[_force(one)])
        for value, one in zip(worth(found, vectors), found, strict=True)
    ]


def _says_what_holds(statement: Statement) -> bool:
    """Whether a sentence of a statement directs, decides, limits, explains or measures."""
    sort = users_sort if statement.origin in _OF_THE_USER else agents_sort
    return any(sort(sentence) in _HOLDS for sentence in sentences(statement.text))


_FEWEST = 5
"""Statements of a session that are kept if so many say what holds, whatever their estimated worth."""

_HOLDS = frozenset("rule constraint preference correction decision cause number refused".split())
"""Sorts of sentences. Of 405 sentences that a reader judged, 9 of 35 of these sorts are worth keeping, 30 of 370 others."""

_FROM, _SURE_FROM = 0.25, 0.4
"""Minimum worth of a candidate, which is not injected, and of a record that is known at once because its
source is reliable. One statement in five is useful and true.
"""


def _promising(found: Sequence[Statement]) -> list[Statement]:
    """The statements that score best by form, in their order."""
    if len(found) <= _MOST_READ:
        return list(found)
    by_form = [
        max(value, _FORCE[_force(one)])
        for value, one in zip(worth(found, None), found, strict=True)
    ]
    if sum(value > _FROM for value in by_form) < _MOST_READ:
        # Only the rest of the places goes by sorts, which cost more than all else here.
        by_form = [
            _FROM if value < _FROM and _says_what_holds(one) else value
            for value, one in zip(by_form, found, strict=True)
        ]
    best = sorted(range(len(found)), key=lambda place: (-by_form[place], place))[:_MOST_READ]
    return [found[place] for place in sorted(best)]


_OF_THE_USER = frozenset({"prompt", "queued"})
_FORCE = {"stated": 0.7, "standing": 0.3, "": 0.0}
"""A rule that the user demands is known at once. A rule in passing is a candidate: a reader judged 28% of
those in real sessions useful and true.
"""


def _eligible(turns: Sequence[Turn], events: Sequence[Event]) -> list[Statement]:
    """Statements that may become records: not taken back, and no passing findings of earlier turns."""
    since = turns[-_LATEST].began if len(turns) >= _LATEST else None
    found: list[Statement] = []
    for statement in statements(events):
        turn = next((one for one in reversed(turns) if one.began <= statement.at), None)
        if statement.origin in _NEVER or (turn is not None and turn.taken_back):
            continue
        if statement.origin in _OF_COMMITS and not warns(statement.text):
            continue
        if statement.origin == "turn_end" and since is not None and statement.at < since:
            continue
        found += _parts(statement) if statement.origin in _OF_THE_USER else [statement]
    return found


def _parts(statement: Statement) -> Iterator[Statement]:
    """The user's words split into directives and the rest: a rule is separate from the task beside it. An order for the
    turn or the session is in the session's ledger alone.
    """
    directives = directives_in(statement.text)
    if not directives:
        yield statement
        return
    for one in directives:
        if one.span in LASTING:
            yield replace(statement, text=one.text)
    rest = without_directives(statement.text)
    if weight(rest) >= SHORTEST:
        yield replace(statement, text=rest)


_NEVER = frozenset({"assistant", "material", "todo", "plan", "instructions", "memory_file"})
"""Origins that make no records. Files for agents are mirrored as documents (the job `follow_files`), and a plan belongs
to its session: of 14 statements of plans none was useful later.
"""

_OF_COMMITS = frozenset({"commit", "pull_request"})
"""Texts that describe their change. Only their constraints and warnings hold later."""


def keep_in_passing(
    runtime: Runtime, session: Session, turns: Sequence[Turn], events: Sequence[Event], most: int
) -> list[Record]:
    """Store up to `most` rules that the user stated in passing as candidates: first those with a word such as `must`,
    then preferences. Returns the candidates of this session.
    """
    passing = [one for one in _eligible(turns, events) if one.origin in _OF_THE_USER]
    insisting = [one for one in passing if _force(one) == "standing"]
    preferring = [
        replace(one, text=sentence)
        for one in passing
        if not _force(one)
        for sentence in sentences(one.text)
        if weight(sentence) >= SHORTEST and users_sort(sentence) == "preference"
    ]
    dropped = _dropped(runtime)
    found = [one for one in (*insisting, *preferring) if _plain(one.text) not in dropped][:most]
    anchor = anchor_of(runtime, session) if found else Anchor()
    rules = users_rules(runtime) if found else {}
    value = _FORCE["standing"]
    saved = [_keep(runtime, session, one, value, anchor, rules, rule=True) for one in found]
    records = [one.record for one in saved if one.record is not None]
    return [one for one in records if one.status == "candidate" and one.session == session.id]


def _keep(
    runtime: Runtime,
    session: Session,
    statement: Statement,
    value: float,
    anchor: Anchor,
    rules: Mapping[str, Record],
    *,
    rule: bool = False,
) -> Saved:
    origin = ORIGINS[statement.origin]
    force = _force(statement)
    branches = _branches(session, statement) if force else []
    if "" in branches:
        return Saved("rejected", "it is for a branch that is not known", None)
    asked = force == "stated"
    sure = asked or (statement.origin in _SURE and value >= _SURE_FROM)
    rules = {id: one for id, one in rules.items() if branches_of(one.data) == tuple(branches)}
    known = _known_directive(runtime, statement, rules) if force else None
    if known is not None:
        if branches and not set(branches) <= set(branches_of(known.data)):
            known = _on_more_branches(runtime, known, branches)
        # Injected text would otherwise count as its own confirmation.
        again = seen_again(
            runtime, known, session, at=statement.at, ref=statement.event_key, words=statement.text
        )
        # What was said in passing is a rule once the same session demands it.
        if again or known.status != "candidate" or not asked:
            return Saved("duplicate", "said again", known, changed=again)
    saved = save_new(
        runtime,
        RecordText(
            "discovery",
            content=statement.text[:_LONGEST],
            data={
                "type": "rule" if asked or rule else _TYPES.get(statement.origin, "fact"),
                "origin": statement.origin,
                "speaker": origin.speaker,
                **({BRANCHES: branches} if branches else {}),
            },
        ),
        Provenance(
            source=session.client,
            trust="extracted",
            session=session.id,
            confidence=0.65 if asked else round(0.4 + 0.2 * value, 2),
            anchor=anchor,
            ref=statement.event_key,
            said_at=statement.at,
        ),
        id=str(uuid.uuid5(_NAMESPACE, f"{session.id}:{statement.origin}:{statement.text}")),
        candidate=not sure,
    )
    passing = statement.origin in _OF_THE_USER and not force
    if saved.outcome == "duplicate" and not passing:
        # A repeated request is a recurring task, not a rule.
        seen_again(runtime, saved.record, session, at=statement.at, ref=statement.event_key)
    return saved


def _branches(session: Session, statement: Statement) -> list[str]:
    """The branch that a rule of the user is for, or an empty name if that is not known; no branch for a rule that always
    holds.
    """
    spans = {one.span for one in directives_in(statement.text)}
    if "branch" not in spans or "always" in spans:
        return []
    return [place_of(session, statement.at)[1]]


def _on_more_branches(runtime: Runtime, known: Record, branches: Sequence[str]) -> Record:
    """The rule extended to the branches on which it was said again."""
    united = [*branches_of(known.data), *branches]
    after = known.with_(data={**known.data, BRANCHES: united})
    with suppress(Stale):
        return change(runtime, known, after, action="signal", reason=f"for {branches[-1]} too")
    return known


def _known_directive(
    runtime: Runtime, statement: Statement, rules: Mapping[str, Record]
) -> Record | None:
    """The record of a directive in the same words, or one of these rules in other words; None if it is new."""
    draft = Record(kind="discovery", scope=runtime.scope, content=statement.text[:_LONGEST])
    same = runtime.view.records.by_hash(draft.content_hash, runtime.scope)
    return same or said_again(runtime, draft.content, rules)


def _dropped(runtime: Runtime) -> Mapping[str, datetime]:
    """What a person dropped, and when: repeating it does not restore it."""
    query = runtime.query("discovery", level="project", statuses=("archived",), limit=_MOST_DROPPED)
    history = runtime.view.records.history
    return {
        _plain(record.content): one.at
        for record in runtime.view.records.find(query).records
        for one in history(record.id)
        if one.reason.startswith(DROPPED)
    }


def _plain(text: str) -> str:
    return " ".join(text[:_LONGEST].casefold().split())


def anchor_of(runtime: Runtime, session: Session, files: Sequence[str] = ()) -> Anchor:
    """The git state in which something was learned: the end of the session, if it still exists."""
    if runtime.checkout is None:
        return Anchor(*place_of(session))
    begun, branch_then = place_of(session)
    here = branch(runtime.root) == branch_then
    commit = (head(runtime.root) if here else "") or begun
    return Anchor(commit, branch_then, blobs(runtime.root, files) if files else {})
