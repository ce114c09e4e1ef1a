"""Handle hook events of coding clients: session start, prompt, compaction, end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any

from contextd.briefing.briefing import quoted_in, told_by, types_line
from contextd.briefing.context_file import refresh_context_md, write_context_md
from contextd.briefing.dead_end_injection import FAILED_BEFORE, ways_of_edit
from contextd.briefing.injected_records import LOST, held_again, holding
from contextd.briefing.injection_tiers import reasons_of, tiers_of
from contextd.briefing.late_memory import answered, is_given_up, late_memory, went_late
from contextd.briefing.limited_rules import ITS_FILES, limited_rules, touched_rules
from contextd.briefing.prompt_context import bearing_on
from contextd.briefing.recap import recapped
from contextd.briefing.remedy_injection import ITS_ERROR, remedied, remedy_for, tells_of_failure
from contextd.briefing.session_start import opening_for
from contextd.briefing.subagent_briefing import note_for
from contextd.clients import client_running
from contextd.clients.hook_event import ANSWERED, Moment
from contextd.domain.records import Record
from contextd.domain.sessions import Event, Session
from contextd.folding.client_folding import COMPACTED, measure_compactions, measure_subagent
from contextd.imports.importers.injected_text import own_words
from contextd.imports.transcripts import follow_agent, unread
from contextd.learning.episodes import read_along
from contextd.learning.hook_sessions import Arrival, Sitting, sitting_of, was_before_the_end
from contextd.learning.lessons import question
from contextd.policies.action_check import Ruling, judged_or_nothing
from contextd.policies.touched_paths import TouchedPaths, touched_by_call
from contextd.redaction.redact import redact
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.briefing_lines import BEARING, PackedBriefing
from contextd.sessions.duplicate_hooks import is_echo, one_at_a_time
from contextd.sessions.hook_events import prompt_events, statement
from contextd.sessions.session_binding import (
    BRIEFED,
    task_of,
)
from contextd.sessions.session_end import close_session
from contextd.skills.skill_files import follow_skill_files
from contextd.thin import ready
from contextd.thin.spool import LEFT_AT, UNKNOWN
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound
from contextd_common.text.tokens import count_tokens

_Why = Mapping[str, tuple[int, str]]
_TASK = 300
_AT_ONCE = 1_000_000
"""Bytes of a transcript read while the client waits: about a quarter of a second."""


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What the hook prints: `output` is JSON in the client's format, empty for nothing."""

    output: dict[str, Any] = field(default_factory=dict[str, Any])
    session_id: str = ""
    tokens: int = 0


@operation("POST /api/hooks/{event}", effect="write", audience="system", needs="machine")
@in_steps
def hook_event(
    runtime: Runtime,
    event: str,
    payload: dict[str, Any],
    client: str = "",
    marks: list[str] | None = None,
    ancestors: list[int] | None = None,
) -> HookAnswer:
    """Process one lifecycle event from a client's hook.

    Args:
        event: The client's name for the event.
        payload: What the client passed to the hook.
        client: The client's name in the hook's command.
        marks: Names of environment variables that identify clients.
        ancestors: Process ids above the hook, to find the client's connection.
    """
    try:
        row = client_running(client, marks or (), payload)
    except NotFound as error:
        raise NotFound(error.message, error.hint, {UNKNOWN: "client"}) from None
    if not row.payloads.knows(event):
        known = ", ".join(row.payloads.moments)
        raise NotFound(
            f"{row.title} has no known hook event {event!r}",
            f"events: {known}",
            {UNKNOWN: "event"},
        )
    occurrence = row.payloads.decode(event, payload)
    if runtime.project is None or occurrence is None:
        return HookAnswer()
    runtime = replace(runtime, client=row.name, ancestors=tuple(ancestors or ()))
    left_at = _moment(payload.get(LEFT_AT))
    ready_briefing = payload.get(ready.TOLD)
    arrival = Arrival(
        occurrence,
        row,
        left_at or runtime.clock.now(),
        left_at is not None,
        ready_briefing if isinstance(ready_briefing, Mapping) else {},
        marks or (),
    )
    if arrival.spooled and _is_learned_from(runtime, arrival):
        return HookAnswer()
    # Every action is checked, since the agent may retry a refused one.
    judged = occurrence.moment == "acting"
    if not (arrival.spooled or judged) and is_echo(runtime, occurrence, arrival.at):
        return HookAnswer()
    with one_at_a_time(runtime, occurrence):
        return _HANDLERS[occurrence.moment](runtime, arrival)


def _moment(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)) if text else None
    except ValueError:
        return None


def _is_learned_from(runtime: Runtime, arrival: Arrival) -> bool:
    """Whether the transcript of an ended session has been read and contains the event."""
    external = arrival.occurrence.session
    found = runtime.view.sessions.by_external(arrival.client.name, external) if external else None
    return found is not None and found.status != "active" and was_before_the_end(arrival, found)


def _started(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    sitting = sitting_of(runtime, arrival)
    if arrival.spooled and arrival.ready_briefing:
        return _told_already(runtime, arrival, sitting)
    if arrival.spooled:
        # Its briefing was not delivered: it comes with the next prompt.
        sitting.commit(runtime, data={**sitting.change.data, **_unseen(sitting.session)})
        return HookAnswer(session_id=sitting.session.id)
    refresh_context_md(runtime, sitting.session)
    follow_skill_files(runtime, personal=False)
    reason = arrival.occurrence.reason
    if sitting.session.data.get(BRIEFED) and reason not in _NEW_WINDOWS:
        if sitting.begins:
            # It begins with the first prompt: most sessions reopened for viewing are closed without one.
            return HookAnswer()
        sitting.commit(runtime)
        return HookAnswer(session_id=sitting.session.id)
    if reason == _COMPACTED and not sitting.opened:
        text, why = _recap(runtime, arrival, sitting)
        if text:
            data = {BRIEFED: True, _RECAP_DUE: False}
            return _briefed(runtime, arrival, sitting, text, why, data)
    packed = _briefing(runtime, arrival, sitting.session)
    data = {BRIEFED: True, **told_by(packed)}
    return _briefed(runtime, arrival, sitting, packed.text, packed.why, data)


def _briefed(
    runtime: Runtime, arrival: Arrival, sitting: Sitting, text: str, why: _Why, data: dict[str, Any]
) -> HookAnswer:
    """Inject a briefing, and behind it what a late prompt should have got."""
    window = holding(sitting.session, list(why))
    late = late_memory(runtime, window, runtime.settings.number("prompt.tokens"))
    runtime.trace.own_texts += [record.text for record in late.records]
    whole = "\n\n".join(filter(None, (text, late.text)))
    return _injecting(runtime, arrival, sitting, whole, {**late.why, **why}, {**data, **late.data})


def _told_already(runtime: Runtime, arrival: Arrival, sitting: Sitting) -> HookAnswer:
    """Record the prepared briefing that the hook showed the agent."""
    why = reasons_of(arrival.ready_briefing.get("why"))
    records = runtime.view.records.get(list(why))
    runtime.trace.own_texts += [record.text for record in records]
    known = {one.id: why[one.id] for one in records}
    text = str(arrival.ready_briefing.get("text", ""))
    briefing_data = told_by(PackedBriefing(text, 0))
    return _injecting(runtime, arrival, sitting, text, known, {BRIEFED: True, **briefing_data})


_COMPACTED = "compact"
"""The start reason of a running session whose window was compacted."""

_RECAP_DUE = "recap_due"
"""Session data: its window was compacted, and its agent has not got the session back since."""

_NEW_WINDOWS = ("startup", "clear", _COMPACTED)
"""Start reasons of a session with an empty window."""


def _recap(runtime: Runtime, arrival: Arrival, sitting: Sitting) -> tuple[str, _Why]:
    """The session so far and its directives; empty for an unknown session."""
    # Pending writes from before the compaction come first.
    runtime.sinks.settle()
    turns = read_along(runtime, sitting.session, arrival.occurrence.transcript)
    if not turns:
        return "", {}
    # A daemon that died during the compaction did not write it.
    runtime.sinks.later("handoff", lambda: write_context_md(runtime, sitting.session, turns))
    compacted = arrival.occurrence.reason == _COMPACTED
    asked = question(runtime, sitting.session, turns, "compaction") if compacted else ""
    return recapped(runtime, sitting.session, turns, asked)


def _prompted(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    sitting, prompt = sitting_of(runtime, arrival), own_words(arrival.occurrence.prompt)
    session = sitting.session
    if not prompt:
        sitting.commit(runtime)
        return HookAnswer(session_id=session.id)
    clean = redact(prompt, runtime.redaction_key).text
    sitting = replace(
        sitting,
        change=replace(
            sitting.change,
            first_task=task_of(runtime, " ".join(clean.split())[:_TASK]),
            events=prompt_events(arrival.occurrence, arrival.at, clean),
        ),
    )
    asked = sitting.change.events[0].key
    shows = "prompted" in arrival.client.shown
    if arrival.spooled:
        # If the daemon answered after the hook had given up, that briefing was not delivered either.
        unseen = _unseen(session) if session.data.get(BRIEFED) == asked else {}
        gave_up = _went_late(runtime, arrival, sitting, clean) if shows else {}
        sitting.commit(runtime, data={**sitting.change.data, **gave_up, **unseen})
        return HookAnswer(session_id=session.id)
    if not shows or is_given_up(session, asked, arrival.at):
        sitting.commit(runtime)
        return HookAnswer(session_id=session.id)
    due = not session.data.get(BRIEFED)
    packed = _briefing(runtime, arrival, session) if due else PackedBriefing("", 0)
    # Most clients begin no new start after a compaction: the session comes back with the next prompt.
    back, of_recap = _recap(runtime, arrival, sitting) if _is_recap_due(session) else ("", {})
    window = holding(session, packed.ids)
    text, why, records = bearing_on(runtime, window, clean, arrival.occurrence.prompt)
    remedy_data = remedied(session, [id for id, (_, reason) in why.items() if reason == ITS_ERROR])
    left = runtime.settings.number("prompt.tokens") - count_tokens(text)
    late = late_memory(runtime, holding(window, list(why)), left)
    shown = [*records, *late.records]
    runtime.trace.own_texts += [record.text for record in shown]
    parts = [part for part in (packed.text, back, text, late.text) if part]
    session_data = {**remedy_data, **late.data}
    if due or back:
        session_data[_RECAP_DUE] = False
    if due:
        session_data |= {BRIEFED: asked, **told_by(packed)}
    every = {**late.why, **why, **of_recap, **packed.why}
    return _injecting(runtime, arrival, sitting, "\n\n".join(parts), every, session_data)


def _went_late(
    runtime: Runtime, arrival: Arrival, sitting: Sitting, clean: str
) -> Mapping[str, Any]:
    """What the session stores of a prompt whose hook gave up: its context is searched for now, since nothing waits."""

    def find(session: Session) -> tuple[str, _Why]:
        text, why, _ = bearing_on(runtime, session, clean, arrival.occurrence.prompt)
        return text, why

    key, now = sitting.change.events[0].key, runtime.clock.now()
    return went_late(sitting.session, key, arrival.at, now, find)


def _is_recap_due(session: Session) -> bool:
    return bool(session.data.get(_RECAP_DUE) and session.data.get(BRIEFED))


def _unseen(session: Session) -> dict[str, Any]:
    """What a session stores when its briefing was not delivered."""
    return {BRIEFED: False, LOST: list(session.injected)}


def _briefing(runtime: Runtime, arrival: Arrival, session: Session) -> PackedBriefing:
    occurrence = arrival.occurrence
    return opening_for(runtime, session, arrival.marks, occurrence.transcript, occurrence.prompt)


def _acting(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    """Check the agent's next action against the policies, and show the rules for the files it touches and a way that
    failed before and that an edit brings up again. Usually the answer is empty and nothing is stored.
    """
    use, say = arrival.occurrence.tool, arrival.client.acting
    if say is None or arrival.spooled:
        return HookAnswer()
    judged = use if runtime.settings.flag("policies.hook") else None
    touched, rules = _rules_of_files(runtime, arrival)
    if judged is None and not rules:
        return HookAnswer()
    external = arrival.occurrence.session
    ruling = judged_or_nothing(runtime, judged, external) if judged else Ruling()
    found = runtime.view.sessions.by_external(arrival.client.name, external) if external else None
    denied = ruling.text and ruling.verdict == "deny"
    way, ways = ways_of_edit(runtime, found, judged) if judged and not denied else ("", [])
    own, of_files = ("", []) if denied else touched_rules(runtime, found, rules, touched)
    text = "\n\n".join(filter(None, (ruling.text, own, way)))
    if not text:
        return HookAnswer()
    why = dict.fromkeys(ruling.ids, (BEARING, "against a policy"))
    why |= {record.id: (BEARING, ITS_FILES) for record in of_files}
    why |= {record.id: (BEARING, FAILED_BEFORE) for record in ways}
    runtime.trace.own_texts += [record.text for record in (*of_files, *ways)]
    answer = _injecting(runtime, arrival, sitting_of(runtime, arrival), text, why, {})
    return replace(answer, output=say(ruling.verdict, text))


def _rules_of_files(runtime: Runtime, arrival: Arrival) -> tuple[TouchedPaths, Sequence[Record]]:
    """The files that a tool call names, and the rules for some files if it names any: the store is not asked after
    each call.
    """
    occurrence = arrival.occurrence
    touched = touched_by_call(runtime, occurrence.files, occurrence.command)
    return touched, limited_rules(runtime) if touched else ()


def _injecting(
    runtime: Runtime,
    arrival: Arrival,
    sitting: Sitting,
    text: str,
    why: _Why,
    data: dict[str, Any],
) -> HookAnswer:
    """Log an event with the context injected for it, and return that context."""
    session, tokens, ids = sitting.session, count_tokens(text), list(why)
    injected: tuple[Event, ...] = ()
    if text:
        digest = hashlib.blake2b(f"{arrival.at}{text}".encode(), digest_size=12).hexdigest()
        injected = (
            Event(
                type="injection",
                key=f"injection:{digest}",
                at=arrival.at,
                text=text,
                data={"records": ids, "why": tiers_of(why)},
            ),
        )
    if arrival.occurrence.moment == "prompted":
        key = injected[0].key if injected else ""
        data = {**data, **answered(sitting.change.events[0].key, arrival.at, ids, key)}
    # The commit stores the sentences that are injected as handed out in this session.
    runtime.trace.session = session.id
    sitting.commit(
        runtime,
        events=(*sitting.change.events, *injected),
        injected=tuple(ids),
        tokens=tokens,
        data={**sitting.change.data, **data, **held_again(session, ids)},
    )
    if not text:
        return HookAnswer(session_id=session.id)
    runtime.trace.gave += quoted_in(ids, tokens)
    runtime.trace.read(ids, type="injection")
    moment = arrival.occurrence.moment
    output = arrival.client.answer(moment, text) if moment in ANSWERED else {}
    return HookAnswer(output, session.id, tokens)


def _failed(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    """Show the known fix of an error when it first occurs in a session, and the rules for the files of the tool call.
    Unknown errors are not stored here, since the transcript has them.
    """
    occurrence = arrival.occurrence
    if arrival.spooled or occurrence.moment not in arrival.client.shown:
        return HookAnswer()
    has_failed = tells_of_failure(occurrence.output, occurrence.moment == "failed")
    touched, rules = _rules_of_files(runtime, arrival)
    if not (has_failed or rules):
        return HookAnswer()
    external = occurrence.session
    found = runtime.view.sessions.by_external(arrival.client.name, external) if external else None
    fix, fixed = "", list[Record]()
    if has_failed:
        clean = redact(occurrence.output, runtime.redaction_key).text
        fix, fixed = remedy_for(runtime, found, clean)
    own, of_files = touched_rules(runtime, found, rules, touched)
    text = "\n\n".join(filter(None, (fix, own)))
    if not text:
        return HookAnswer(session_id=found.id if found is not None else "")
    runtime.trace.own_texts += [record.text for record in (*fixed, *of_files)]
    why = {record.id: (BEARING, ITS_ERROR) for record in fixed}
    why |= {record.id: (BEARING, ITS_FILES) for record in of_files}
    sitting = sitting_of(runtime, arrival)
    remedy_data = remedied(sitting.session, [record.id for record in fixed])
    return _injecting(runtime, arrival, sitting, text, why, remedy_data)


def _compacting(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    """Mark earlier context as lost, and update the thread in the background: the transcript remains, and
    the next event of the session reads it too.
    """
    sitting = sitting_of(runtime, arrival)
    lost = {LOST: list(sitting.session.injected), COMPACTED: True, _RECAP_DUE: True}
    sitting.commit(runtime, data={**sitting.change.data, **lost})
    runtime.sinks.later("handoff", lambda: _hand_over(runtime, sitting.session, arrival))
    return HookAnswer(session_id=sitting.session.id)


def _hand_over(runtime: Runtime, session: Session, arrival: Arrival) -> None:
    turns = read_along(runtime, session, arrival.occurrence.transcript)
    write_context_md(runtime, session, turns)


def _compacted(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    """Store the client's summary after a compaction: an agent wrote it about the whole session."""
    sitting = sitting_of(runtime, arrival)
    summary = statement(runtime, arrival.occurrence, arrival.at, "summary")
    runtime.sinks.settle()
    sitting.commit(runtime, events=(*sitting.change.events, *summary))
    read_along(runtime, sitting.session, arrival.occurrence.transcript)
    return HookAnswer(session_id=sitting.session.id)


def _stopped(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    """Store the finished turn; once per session with some work, ask for lessons."""
    sitting = sitting_of(runtime, arrival)
    answer = statement(runtime, arrival.occurrence, arrival.at, "turn_end")
    sitting.commit(runtime, events=(*sitting.change.events, *answer))
    session = sitting.session
    _measure_later(runtime, session, arrival)
    if unread(session, arrival.occurrence.transcript) > _AT_ONCE:
        # The transcript is read at the end, when nothing waits.
        return HookAnswer(session_id=session.id)
    turns = read_along(runtime, session, arrival.occurrence.transcript)
    asking = arrival.client.asking
    if asking is None or arrival.spooled or arrival.occurrence.again:
        return HookAnswer(session_id=session.id)
    asked = question(runtime, session, turns, "end")
    if not asked:
        return HookAnswer(session_id=session.id)
    demand = " ".join(filter(None, (asked, types_line(runtime))))
    return HookAnswer(asking(arrival.occurrence, demand), session.id, count_tokens(demand))


def _measure_later(runtime: Runtime, session: Session, arrival: Arrival) -> None:
    """Measure a compaction in the background, after the client's next request."""
    if session.data.get(COMPACTED):
        path = arrival.occurrence.transcript
        runtime.sinks.later("saving", lambda: measure_compactions(runtime, session, path))


def _delegating(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    """Give a starting sub-agent the rules to respect: its window lacks what the session was given."""
    if arrival.spooled:
        return HookAnswer()
    sitting = sitting_of(runtime, arrival)
    asked = redact(own_words(arrival.occurrence.prompt), runtime.redaction_key).text
    text, rules = note_for(runtime, sitting.session, asked)
    runtime.trace.session = sitting.session.id
    runtime.trace.own_texts += [rule.text for rule in rules]
    if not sitting.opened:
        sitting.commit(runtime, tokens=count_tokens(text))
    if not text:
        return HookAnswer(session_id=sitting.session.id)
    runtime.trace.read([rule.id for rule in rules], type="injection")
    output = arrival.client.answer(arrival.occurrence.moment, text)
    return HookAnswer(output, sitting.session.id, count_tokens(text))


def _delegated(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    """A sub-agent stopped: count the tokens it kept out of its client's window."""
    sitting = sitting_of(runtime, arrival)
    if sitting.begins:
        # Unknown sessions cannot count anything, and an ended one stays ended.
        return HookAnswer()
    occurrence, session = arrival.occurrence, sitting.session
    follow_agent(runtime, session, occurrence.agent_transcript)
    runtime.sinks.later(
        "saving",
        lambda: measure_subagent(
            runtime, session, occurrence.agent, occurrence.agent_transcript, occurrence.answer
        ),
    )
    return HookAnswer(session_id=session.id)


def _ended(runtime: Runtime, arrival: Arrival) -> HookAnswer:
    sitting = sitting_of(runtime, arrival)
    transcript = arrival.occurrence.transcript or str(sitting.session.data.get("transcript") or "")
    if sitting.begins:
        known = not sitting.opened or "continues" in sitting.session.data
        if known and not unread(sitting.session, transcript):
            # A repeated end of a session that was learned from.
            return HookAnswer()
        sitting.commit(runtime)
    _measure_later(runtime, sitting.session, arrival)
    close_session(runtime, sitting.session, transcript=transcript, at=arrival.at)
    return HookAnswer(session_id=sitting.session.id)


_HANDLERS: dict[Moment, Callable[[Runtime, Arrival], HookAnswer]] = {
    "started": _started,
    "prompted": _prompted,
    "acting": _acting,
    "answered": _failed,
    "failed": _failed,
    "compacting": _compacting,
    "compacted": _compacted,
    "stopped": _stopped,
    "delegating": _delegating,
    "delegated": _delegated,
    "ended": _ended,
}
"""The handler of each moment."""
