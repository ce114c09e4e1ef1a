"""What a coding client's hooks bring: the start of a session, a prompt, a compaction, the end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contextd.domain.errors import Invalid
from contextd.domain.kinds import KINDS
from contextd.domain.sessions import Event, Session
from contextd.domain.tokens import count_tokens
from contextd.governance.redact import redact
from contextd.interop.importers.injected import own_words
from contextd.operations.anchors import from_elsewhere, standings
from contextd.operations.briefing import brief_or_nothing, quoted
from contextd.operations.core import operation
from contextd.operations.finding import find_records
from contextd.operations.handoff import write_context_md
from contextd.operations.sessions import close_session, open_session
from contextd.operations.tracking import watch_idle
from contextd.operations.window import quoted_in, take
from contextd.runtime import Runtime

SPOOLED = "contextd_spooled_at"
"""Set in the payload of an event that a hook left in the spool."""

ANSWERED = ("SessionStart", "UserPromptSubmit")
"""Events whose answer the client shows to the agent."""

_PROMPT_HEADER = "Relevant Memory (from contextd; recorded facts, quoted with source and age):"


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What the hook prints: `output` is the client's own JSON, empty for nothing."""

    output: dict[str, Any] = field(default_factory=dict[str, Any])
    session_id: str = ""
    tokens: int = 0


@operation("POST /api/hooks/{event}", effect="write", audience="system")
def hook_event(
    runtime: Runtime,
    event: str,
    payload: dict[str, Any],
    client: str = "claude-code",
    ancestors: list[int] | None = None,
) -> HookAnswer:
    """Take one event of a client's lifecycle hooks.

    Args:
        event: The client's name for the event.
        payload: What the client gave the hook.
        client: The client's name.
        ancestors: Process ids above the hook, to find the client's connection by.
    """
    handle = HANDLERS.get(event)
    if handle is None:
        raise Invalid(f"no hook event {event!r}", "events: " + ", ".join(HANDLERS))
    if runtime.project is None:
        return HookAnswer()
    if payload.get(SPOOLED) and event in ANSWERED:
        # Nobody waits for the answer any more: what it would inject was never seen.
        session = _session(runtime, client, payload, tuple(ancestors or ()))
        return HookAnswer(session_id=session.id)
    return handle(runtime, client, payload, tuple(ancestors or ()))


def _session(
    runtime: Runtime, client: str, payload: Mapping[str, Any], ancestors: Sequence[int]
) -> Session:
    """The client's session, started now when it is new.

    One that a client resumes before it was learned from goes on; after that a new one continues it
    from where its transcript was read to, since a completed session never becomes active again.
    """
    external = _text(payload, "session_id")
    found = runtime.store.sessions.by_external(client, external) if external else None
    continued: dict[str, Any] = {}
    if found is not None and found.status == "active":
        if found.ended_at is None:
            return found
        data = {**found.data, "ancestors": list(ancestors)}
        again = found.with_(ended_at=None, last_seen_at=runtime.clock.now(), data=data)
        runtime.store.sessions.save(again)
        watch_idle(runtime)
        return again
    if found is not None:
        offset = found.data.get("transcript_offset", 0)
        continued = {"continues": found.id, "transcript_offset": offset}
    return open_session(
        runtime,
        external_id=external,
        client=client,
        data={
            "ancestors": list(ancestors),
            "transcript": _text(payload, "transcript_path"),
            "hooked": True,
            **continued,
        },
    )


def _started(
    runtime: Runtime, client: str, payload: Mapping[str, Any], ancestors: Sequence[int]
) -> HookAnswer:
    session = _session(runtime, client, payload, ancestors)
    packed = brief_or_nothing(
        runtime,
        budget=runtime.settings.number("briefing.tokens"),
        task=session.task,
        session=session,
    )
    _injected(runtime, session, packed.text, packed.ids)
    return _context("SessionStart", packed.text, session)


def _prompted(
    runtime: Runtime, client: str, payload: Mapping[str, Any], ancestors: Sequence[int]
) -> HookAnswer:
    session = _session(runtime, client, payload, ancestors)
    prompt = own_words(_text(payload, "prompt"))
    if not prompt:
        return HookAnswer(session_id=session.id)
    clean = redact(prompt, runtime.redaction_key).text
    key = _text(payload, "prompt_id") or hashlib.blake2b(clean.encode(), digest_size=12).hexdigest()
    now = runtime.clock.now()
    asked = Event(type="query", key=f"prompt:{key}", at=now, role="user", text=clean[:4000])
    runtime.store.sessions.append(session.id, [asked])
    task = session.task or " ".join(clean.split())[:300]
    session = session.with_(last_seen_at=now, task=task)
    runtime.store.sessions.save(session)
    text, ids = _relevant(runtime, session, clean)
    if not text:
        return HookAnswer(session_id=session.id)
    _injected(runtime, session, text, ids)
    return _context("UserPromptSubmit", text, session)


def _relevant(runtime: Runtime, session: Session, prompt: str) -> tuple[str, list[str]]:
    """What is known that bears on a prompt and was not injected before; nothing when in doubt."""
    budget = runtime.settings.number("prompt.tokens")
    most = runtime.settings.number("injection.experiences")
    if budget <= 0 or most <= 0 or len(prompt.split()) < 3:
        return "", []
    kinds = tuple(name for name, kind in KINDS.items() if kind.injected)
    found = find_records(runtime, prompt[:2000], kinds, limit=most * 3, strict=True)
    lines, spent = [_PROMPT_HEADER], count_tokens(_PROMPT_HEADER)
    ids: list[str] = []
    standing = standings(runtime, (hit.record for hit in found.hits))
    hidden = from_elsewhere(runtime, standing)
    stale = {id: one.note for id, one in standing.items()}
    for hit in found.hits:
        id = hit.record.id
        if id in hidden or id in session.injected or len(ids) == most:
            continue
        line = "- " + quoted(hit.record, runtime, stale.get(id, ""))
        cost = count_tokens(line + "\n")
        if spent + cost <= budget:
            lines.append(line)
            ids.append(hit.record.id)
            spent += cost
    return ("\n".join(lines), ids) if ids else ("", [])


def _compacting(
    runtime: Runtime, client: str, payload: Mapping[str, Any], ancestors: Sequence[int]
) -> HookAnswer:
    session = _session(runtime, client, payload, ancestors)
    write_context_md(runtime, session)
    return HookAnswer(session_id=session.id)


def _ended(
    runtime: Runtime, client: str, payload: Mapping[str, Any], ancestors: Sequence[int]
) -> HookAnswer:
    session = _session(runtime, client, payload, ancestors)
    transcript = _text(payload, "transcript_path") or str(session.data.get("transcript") or "")
    close_session(runtime, session, transcript=transcript)
    return HookAnswer(session_id=session.id)


def _injected(runtime: Runtime, session: Session, text: str, ids: Sequence[str]) -> None:
    now = runtime.clock.now()
    key = f"injection:{hashlib.blake2b(f'{now}{text}'.encode(), digest_size=12).hexdigest()}"
    event = Event(type="injection", key=key, at=now, text=text, data={"records": list(ids)})
    with runtime.store.transaction():
        runtime.store.sessions.append(session.id, [event])
        runtime.store.sessions.save(
            session.with_(
                injected=tuple(dict.fromkeys((*session.injected, *ids))),
                tokens_served=session.tokens_served + count_tokens(text),
                last_seen_at=now,
            )
        )
    take(runtime, session, quoted_in(ids, count_tokens(text)))
    runtime.trace.read(list(ids), type="injection")


def _text(payload: Mapping[str, Any], name: str) -> str:
    """A field of the client's as text that can be stored; empty when it is neither text nor a number."""
    value = payload.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    # A client that cuts a text between the halves of a character leaves one half.
    return str(value).encode("utf-8", "replace").decode()


def _context(event: str, text: str, session: Session) -> HookAnswer:
    output = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return HookAnswer(output, session.id, count_tokens(text))


HANDLERS: dict[str, Callable[[Runtime, str, Mapping[str, Any], Sequence[int]], HookAnswer]] = {
    "SessionStart": _started,
    "UserPromptSubmit": _prompted,
    "PreCompact": _compacting,
    "SessionEnd": _ended,
}
"""What is done for each event. A new event is a function and a row."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The sessions a closed connection ended."""

    ended: list[str]


@operation("POST /api/connections/closed", effect="write", audience="system", idempotent=True)
def connection_closed(runtime: Runtime, connection: str, session_id: str = "") -> Closed:
    """End the session a connection had, unless hooks will end it.

    Args:
        connection: The connection's hint.
        session_id: The session the connection started by itself.
    """
    sessions = runtime.store.sessions
    found = sessions.get(session_id) if session_id else None
    found = found or sessions.by_external(runtime.client, connection)
    if found is None or found.status != "active" or found.ended_at or found.data.get("hooked"):
        return Closed([])
    close_session(runtime, found)
    return Closed([found.id])


@dataclass(frozen=True, slots=True)
class Current:
    """The session of this connection."""

    session: dict[str, Any] | None

    def as_text(self) -> str:
        """Markdown."""
        if self.session is None:
            return "# Session\nNo session is active; session_start begins one."
        s = self.session
        lines = [
            f"# Session {s['id'][:8]}",
            f"Client: {s['client']}",
            f"Started: {s['started_at']}",
        ]
        lines += [f"Task: {s['task']}"] if s["task"] else []
        lines += [f"Topics: {', '.join(s['topics'])}"] if s["topics"] else []
        if s["files"]:
            lines += ["", "## Files", *(f"- {f['path']} ({f['count']}×)" for f in s["files"])]
        return "\n".join(
            [*lines, "", f"{s['tool_calls']} calls, {s['tokens_served']} tokens served"]
        )
