"""`contextd hook`: pass one client event from the client's hook to the daemon, and return the answer.

Fails open: in any case the exit code is 0, stdout holds the daemon's JSON or nothing, and the hook ends
before the deadline. If no daemon answers, the event goes to the spool. Standard library only.
"""

from __future__ import annotations

import os
import select
import sys
import time

from contextd.thin import ready, spool
from contextd.thin.channel import (
    Channel,
    ancestors,
    dial,
    is_full,
    last_words,
    preamble,
    read_endpoint,
    working_directory,
)
from contextd.thin.home import first_set, home_problem, plain_home
from contextd.thin.long_lines import LINE_LIMIT
from contextd.thin.plain_json import dumps, loads, object_in, text_in
from contextd.thin.spawn import has_exited, start_daemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Sequence
    from typing import Any

    from contextd.thin.home import PlainPath

DEADLINE_MS = 1000
"""Milliseconds a hook may take if neither the environment nor the daemon sets a limit."""
_LONGEST_MS = 600_000
"""No client waits longer for a hook, and the system would refuse an endless wait."""
_CONNECT_SECONDS = 0.05
_RESERVE_SECONDS = 0.03
_POLL_SECONDS = 0.02
_QUIET_SECONDS = 0.1
"""Seconds to wait for a client that does not close stdin once a whole object has arrived."""
_MISDIRECTED_SECONDS = 1.0
"""Seconds for the event of a hook without arguments: clients write it as soon as the program runs."""
_LARGEST = LINE_LIMIT - (1 << 20)
"""Maximum bytes of an event: a line of the daemon's, less the other fields."""
_PASSING = ("busy", "unavailable", "corrupt", "internal")
"""Errors after which the event may be recorded later, by another version if contextd failed."""
_BROKEN = ("unavailable", "corrupt")
"""Errors that last until a person acts, such as a full disk."""
_EVENT_FIELDS = ("hook_event_name", "hookEventName", "agent_action_name", "hookName")

_STARTING = ("SessionStart", "sessionStart", "TaskStart")
"""Events that wait for a daemon: without one the session starts without context."""

_PROMPTS = ("UserPromptSubmit", "userPromptSubmitted", "BeforeAgent", "beforeSubmitPrompt")
_WATCHED = (*_STARTING, *_PROMPTS)
"""Events at which the user is watching: warnings are shown then, not at every tool."""

_GOING_ON = ("compact", "resume")
"""Sources of a start that resumes a session: it needs its own context, not the project's briefing."""

_PATIENT = dict.fromkeys(
    (*_STARTING, "Stop", "agentStop", "AfterAgent", "PreCompact", "preCompact", "PostCompact"),
    4_500,
)
"""Milliseconds for events that clients wait for longer: the 5 s our installer allows them, less the time to
start and end a process on a busy machine."""

_MOST_SPOOLED = 1_000_000
"""Characters of a text that are spooled: more could not be redacted within a hook's deadline."""

_ONLY_NOW = ("PreToolUse", "SubagentStart", "subagentStart")
"""Events that are useless later: the tool was already used, the sub-agent is already working."""

_MARKS = ("CLAUDE", "CLINE_", "CODEX_", "COPILOT_", "CURSOR_", "GEMINI_", "QWEN_")
_MOST_MARKS = 50
_ENTRYPOINT = "CLAUDE_CODE_ENTRYPOINT"


def main(argv: Sequence[str] = ()) -> int:
    """Handle the event on stdin. `argv`: `[--client NAME] [EVENT]`. Always returns 0."""
    started, event = time.monotonic(), ""
    try:
        home = plain_home()
        client, event = _options(argv)
        payload = _payload(started + time_limit(home, event))
        event = event or next(filter(None, (text_in(payload, f) for f in _EVENT_FIELDS)), "")
        deadline = started + time_limit(home, event)
        output = _deliver(home, client, event, payload, deadline)
    except OSError as error:
        _say(f"event lost: {error}")
        output = _warning(f"{event or 'an event'} was not recorded: {error}")
    except Exception as error:  # noqa: BLE001  a hook that fails would stop the user's agent
        _say(f"event not recorded: {error}")
        return 0
    if output:
        sys.stdout.write(dumps(output))
        sys.stdout.flush()
    return 0


def is_misdirected() -> bool:
    """Whether this process is a hook that was started without its arguments: its stdin has a client's event.

    Clients that do not know a hook's `args` run the program alone, and take the exit code of its help for a
    refusal of the prompt. Says on stderr how to repair that.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return False
    import threading  # noqa: PLC0415 - not for hooks that are called rightly

    read: list[dict[str, Any]] = []

    def read_event() -> None:
        try:
            read.append(_payload(time.monotonic() + _MISDIRECTED_SECONDS))
        except (OSError, ValueError, TypeError):
            # Not an event's JSON: the help follows.
            return

    # On Windows a pipe cannot be waited for: a stdin that its owner leaves open must not hold up the help.
    thread = threading.Thread(target=read_event, daemon=True)
    thread.start()
    thread.join(_MISDIRECTED_SECONDS)
    event = next(filter(None, (text_in(one, f) for one in read for f in _EVENT_FIELDS)), "")
    if event:
        _say(
            f"{event} was not recorded: this client runs hooks without their arguments; "
            "to repair it: contextd install (`contextd doctor` says for which client)"
        )
    return bool(event)


def _deliver(
    home: PlainPath, client: str, event: str, payload: dict[str, Any], deadline: float
) -> dict[str, Any]:
    """The daemon's output for the client; empty if the event went to the spool."""
    cwd = _place(payload)
    if event in _STARTING and ready.was_told(home, text_in(payload, "session_id")):
        return {}
    line = {"event": event, "client": client, "marks": _marks(), "payload": payload}
    try:
        connection = dial(home, _CONNECT_SECONDS)
    except OSError:
        connection = None
    started = None
    if connection is None:
        lies_ready = _from_file(home, cwd, line)
        warning: dict[str, Any] = {}
        try:
            started = start_daemon(home)
            wanted = event in _STARTING and not lies_ready
        except OSError as error:
            # A full or read-only disk: without a daemon the event can still be spooled elsewhere.
            problem, advice = home_problem(home, error)
            _say(f"the daemon cannot be started: {problem or error}")
            warning = _warning(f"not recording for now: {problem}; {advice}") if problem else {}
            wanted = False
        if lies_ready:
            return _told(home, cwd, line, lies_ready)
        connection = _await_daemon(home, deadline) if wanted else None
    if connection is None:
        _leave(home, cwd, line)
        return warning if warning and event in _WATCHED else _why_ended(home, event, started)
    with Channel(connection) as channel:
        try:
            connection.settimeout(max(0.001, deadline - time.monotonic()))
            channel.send(preamble(home, "hook", cwd=cwd, client=client))
            channel.send(line)
            answer = channel.receive(deadline - time.monotonic() - _RESERVE_SECONDS)
        except (OSError, ValueError) as error:
            # Spooled before closing: a daemon that finds the connection closed leaves the event to
            # the spool.
            late = isinstance(error, TimeoutError)
            briefing = _unanswered(home, cwd, line, "no answer in time" if late else str(error))
            return briefing if briefing or late else _why_ended(home, event, started, deadline)
    refusal = answer.get("error")
    if isinstance(refusal, dict):
        _say(str(refusal.get("message", refusal)))
        if refusal.get("code") in _PASSING:
            _leave(home, cwd, line)
        if refusal.get("code") in _BROKEN and event in _WATCHED:
            return _warning(f"not recording for now: {refusal.get('message')}")
    output = answer.get("output")
    return output if isinstance(output, dict) else {}


def _unanswered(home: PlainPath, cwd: str, line: dict[str, Any], why: str) -> dict[str, Any]:
    """Spool an event that the daemon did not answer, and return the prepared briefing, if any."""
    lies_ready = _from_file(home, cwd, line)
    if lies_ready:
        return _told(home, cwd, line, lies_ready)
    _leave(home, cwd, line)
    _say(f"{why}; the event waits in the spool")
    return {}


def _why_ended(
    home: PlainPath, event: str, started: int | None, deadline: float = 0.0
) -> dict[str, Any]:
    """The warning that the daemon which this hook started could not run; empty if it still runs at the
    deadline, and for events that the user does not watch.
    """
    if event not in _WATCHED:
        return {}
    if is_full(home):
        return _warning(f"recording elsewhere for now: {last_words(home)}")
    while started is not None and has_exited(started) is None:
        if time.monotonic() > deadline - _RESERVE_SECONDS:
            return {}
        time.sleep(_POLL_SECONDS)
    # A daemon that another process started may have been stopped on purpose.
    return _warning(f"not recording for now: {last_words(home)}") if started is not None else {}


def _warning(text: str) -> dict[str, Any]:
    """A message that clients show to their user and not to the model."""
    return {"systemMessage": f"contextd: {' '.join(text.split())}"}


def _from_file(home: PlainPath, cwd: str, line: dict[str, Any]) -> dict[str, Any]:
    """The prepared briefing of a starting session, in the client's form; noted in the event, so that the
    daemon learns what was shown. Empty if there is none.
    """
    payload = line["payload"]
    if line["event"] not in _STARTING or payload.get("source") in _GOING_ON:
        return {}
    if any(mark.startswith(f"{_ENTRYPOINT}=sdk") for mark in line["marks"]):
        # A program runs the session: prepared briefings are for people.
        return {}
    from datetime import UTC, datetime  # noqa: PLC0415 - only without a daemon

    now = datetime.now(UTC)
    made = ready.find(home, cwd, now)
    if made is None:
        return {}
    text = ready.said(made, now)
    output = ready.answer(made, line["client"], line["marks"], text)
    if output:
        line["payload"] = {**payload, ready.TOLD: {"text": text, "why": made.get("why")}}
    return output or {}


def _told(
    home: PlainPath, cwd: str, line: dict[str, Any], output: dict[str, Any]
) -> dict[str, Any]:
    """The prepared briefing, after spooling the event for the daemon; empty if another hook of the session
    just did both.
    """
    session = text_in(line["payload"], "session_id")
    if session and not ready.note_told(home, session):
        return {}
    _leave(home, cwd, line)
    return output


def _await_daemon(home: PlainPath, deadline: float) -> socket | None:
    """A connection to a daemon that was just started; None if it does not answer in time."""
    while time.monotonic() < deadline - _RESERVE_SECONDS:
        try:
            connection = dial(home, _CONNECT_SECONDS)
        except OSError:
            connection = None
        if connection is not None:
            return connection
        time.sleep(_POLL_SECONDS)
    return None


def _leave(home: PlainPath, cwd: str, line: dict[str, Any]) -> None:
    if line["event"] in _ONLY_NOW:
        return
    now = time.time()
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
    at = f"{seconds}.{int(now % 1 * 1e6):06d}+00:00"
    # 0.15 s, and only if no daemon answers: spooled events must not contain secrets.
    from contextd.redaction.redact import redact_json  # noqa: PLC0415

    entry = {"at": at, "cwd": cwd, "ancestors": ancestors(), **_shortened(line, _MOST_SPOOLED)}
    spool.leave(home, redact_json(entry, os.urandom(32)))


def _shortened(value: Any, most: int) -> Any:
    """JSON data with its texts cut to `most` characters."""
    if isinstance(value, str):
        if len(value) <= most:
            return value
        # As the import above, and only for a text of a million characters.
        from contextd.redaction.cutting import beginning  # noqa: PLC0415

        return beginning(value, most) + "…"
    if isinstance(value, dict):
        return {name: _shortened(part, most) for name, part in value.items()}
    if isinstance(value, list):
        return [_shortened(part, most) for part in value]
    return value


def time_limit(home: PlainPath, event: str) -> float:
    """The seconds after which the hook of an event gives up, from the environment, the daemon's settings or the
    table of events.
    """
    chosen = first_set("CONTEXTD_HOOKS_DEADLINE_MS")
    if chosen.isdecimal():
        return min(int(chosen), _LONGEST_MS) / 1000
    published = read_endpoint(home).get("hooks_deadline_ms")
    if not isinstance(published, int) or isinstance(published, bool) or published <= 0:
        published = DEADLINE_MS
    return min(max(published, _PATIENT.get(event, 0)), _LONGEST_MS) / 1000


def _options(argv: Sequence[str]) -> tuple[str, str]:
    client, rest = "", list(argv)
    if "--client" in rest:
        at = rest.index("--client")
        client = rest[at + 1] if at + 1 < len(rest) else ""
        del rest[at : at + 2]
    return client, rest[0] if rest else ""


def _payload(deadline: float) -> dict[str, Any]:
    """The JSON object on stdin. If a client does not close stdin, wait briefly after a whole object has
    arrived, otherwise until the deadline. Raises `ValueError` for more than the daemon accepts in a line.
    """
    pieces: list[bytes] = []
    size = 0
    while True:
        left = max(0.0, deadline - time.monotonic() - _RESERVE_SECONDS)
        may_be_whole = bool(pieces) and pieces[-1].rstrip().endswith(b"}")
        pause = min(left, _QUIET_SECONDS) if may_be_whole and size <= _LARGEST else left
        if sys.platform != "win32" and not select.select([0], [], [], pause)[0]:
            if pause == left:
                break
            with_all = object_in(b"".join(pieces))
            if with_all is not None:
                return with_all
            # Incomplete: wait for the rest as if nothing had arrived yet.
            pieces = [b"".join(pieces), b""]
            continue
        piece = os.read(0, 1 << 16)
        if not piece:
            break
        size += len(piece)
        # Oversized input is read to its end, because its client keeps writing.
        if size <= _LARGEST:
            pieces.append(piece)
    if size > _LARGEST:
        raise ValueError(
            f"its input has {size >> 20} MB, more than the {_LARGEST >> 20} MB allowed"
        )
    text = b"".join(pieces)
    payload = loads(text) if text.strip() else {}
    if not isinstance(payload, dict):
        raise TypeError("the hook's input is not a JSON object")
    return payload


def _marks() -> list[str]:
    """The environment variables that identify the client of this hook, and the one, with its value, that
    shows whether a program runs the client.
    """
    names = sorted(name for name in os.environ if name.startswith(_MARKS))[:_MOST_MARKS]
    entrypoint = first_set(_ENTRYPOINT)
    return [*names, f"{_ENTRYPOINT}={entrypoint}"] if entrypoint else names


def _place(payload: dict[str, Any]) -> str:
    """The directory the client works in."""
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return text_in(payload, "cwd") or root or first_set("CLAUDE_PROJECT_DIR") or working_directory()


def _say(text: str) -> None:
    sys.stderr.write(f"contextd hook: {' '.join(text.split())}\n")
