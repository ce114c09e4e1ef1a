"""The prepared briefing: a small file per checkout, which the hook prints if no daemon answers at once.
Standard library only.

`briefing/prepared_briefings.py` writes it after something was learned or recorded. Besides the text it
contains the form for each client and the quoted records, so that the daemon learns later what was shown.
"""

from __future__ import annotations

import os
import time
import zlib

from contextd.thin.home import read_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from contextd.thin.home import AnyPath, Home

VERSION = 1
TOLD = "contextd_told"
"""Extra field of a spooled event: what the hook showed the agent from the file."""

NOW, SINCE, TEXT = "{contextd:now}", "{contextd:since}", "{contextd:text}"
"""Placeholders in the text and in the forms of an answer: the current time, the time since the last session, and the text."""

AGO = "{contextd:ago:"
"""The start of a placeholder for an elapsed time: seconds since 1970 and a brace follow."""

_OLDEST_DAYS = 14
"""As long as a thread of work can be continued."""

_MARK, _AT_ONCE = "told-", 10.0
"""The name of the file that marks a session as briefed, and for how many seconds it is valid."""

_LARGEST = 64 * 1024
_DEEPEST = 64


def ready_path(home: Home, root: AnyPath) -> Home:
    """The path of a checkout's prepared briefing."""
    return home / "ready" / f"{_digest(os.fsencode(root))}.json"


def check_of(text: str) -> str:
    """A checksum that detects a truncated or edited text."""
    return _digest(text.encode("utf-8", "replace"))


def find(home: Home, cwd: str, now: datetime) -> dict[str, Any] | None:
    """The prepared briefing of a directory or its nearest parent; None if there is none that is complete, of
    this version and recent enough.
    """
    if not cwd:
        return None
    root = os.path.realpath(cwd)
    for _ in range(_DEEPEST):
        made = read_object(ready_path(home, root), _LARGEST)
        if made is not None:
            return made if _holds(made, root, now) else None
        root, below = os.path.dirname(root), root
        if root == below:
            break
    return None


def mark_of(seconds: float) -> str:
    """The placeholder for an instant."""
    return f"{AGO}{seconds:.0f}}}"


def said(made: Mapping[str, Any], now: datetime) -> str:
    """The text, with the current time and all elapsed times filled in."""
    at = _instant(made.get("last_at"))
    here = now.astimezone()
    present = f"Now {here:%A, %Y-%m-%d %H:%M} {here.tzname() or ''}".rstrip() + ". "
    since = f"Last worked here {_in_words((now - at).total_seconds() / 60)}." if at else ""
    text = _aged(str(made["text"]), now).replace(NOW, present).replace(SINCE, since)
    lines = text.split("\n")
    briefing = "\n".join(line for line in lines if line.strip() != "-")
    changed = _changed_rules(made)
    return f"{briefing}\n\n{CHANGED_RULES.format(changed)}" if changed else briefing


CHANGED_RULES = (
    "Rule files changed after this was written: {}. `standards_get` lists the rules in force."
)
"""Rules of a pull are not in the prepared text. Their files are counted and not named: a repository chooses names."""


def _changed_rules(made: Mapping[str, Any]) -> int:
    at, folders = _instant(made.get("made_at")), made.get("rule_folders")
    if at is None or not isinstance(folders, list):
        return 0
    since, count = at.timestamp(), 0
    for folder in folders:
        try:
            with os.scandir(str(folder)) as entries:
                count += sum(one.stat().st_mtime > since for one in entries)
        except OSError:
            continue
    return count


def note_told(home: Home, session: str) -> bool:
    """Mark a session as briefed. False if another hook did so just now: a client runs the hooks of its
    settings and those of a plugin at once.
    """
    mark = _mark(home, session)
    try:
        for old in os.scandir(os.path.dirname(mark)):
            if old.name.startswith(_MARK) and not _is_fresh(old.path):
                os.unlink(old.path)
    except OSError:
        pass
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def was_told(home: Home, session: str) -> bool:
    """Whether a hook just briefed a session from the file."""
    return _is_fresh(_mark(home, session))


def _mark(home: Home, session: str) -> Home:
    # Every session start calls this, and importing hashlib would take longer than all the rest; the client
    # chose the name itself, so it may contain any character.
    return home / "ready" / f"{_MARK}{zlib.crc32(session.encode('utf-8', 'replace')):08x}"


def _is_fresh(mark: AnyPath) -> bool:
    try:
        return time.time() - os.stat(mark).st_mtime <= _AT_ONCE
    except OSError:
        return False


def answer(
    made: Mapping[str, Any], client: str, marks: list[str], text: str
) -> dict[str, Any] | None:
    """The text in the client's form; None for a client that accepts none at this event."""
    forms = made.get("forms")
    for form in forms if isinstance(forms, list) else ():
        known = client in form["names"] if client else set(form["marks"]) & set(marks)
        if known:
            filled = _filled(form["answer"], text)
            return filled if isinstance(filled, dict) else None
    return None


def _filled(form: Any, text: str) -> Any:
    if isinstance(form, dict):
        return {name: _filled(value, text) for name, value in form.items()}
    return text if form == TEXT else form


def _holds(made: Mapping[str, Any], root: str, now: datetime) -> bool:
    at = _instant(made.get("made_at"))
    text = made.get("text")
    return (
        made.get("v") == VERSION
        and made.get("root") == root
        and isinstance(text, str)
        and made.get("check") == check_of(text)
        and at is not None
        and (now - at).days < _OLDEST_DAYS
    )


def _digest(data: bytes) -> str:
    # Only a session that starts without a daemon needs it; `hashlib` would load OpenSSL first, for 10 ms.
    try:
        from _blake2 import blake2b  # noqa: PLC0415
    except ImportError:
        from hashlib import blake2b  # noqa: PLC0415

    return blake2b(data, digest_size=12).hexdigest()


def _instant(text: Any) -> datetime | None:
    from datetime import UTC, datetime  # noqa: PLC0415 - likewise

    try:
        at = datetime.fromisoformat(str(text)) if text else None
    except ValueError:
        return None
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


def _aged(text: str, now: datetime) -> str:
    """A text with its placeholders replaced."""
    first, *rest = text.split(AGO)
    for part in rest:
        seconds, brace, after = part.partition("}")
        known = brace and seconds.isdigit()
        first += _in_words((now.timestamp() - int(seconds)) / 60) + after if known else AGO + part
    return first


def _in_words(minutes: float) -> str:
    """Like `domain.time.age`, whose import takes a hook longer than all the rest."""
    for unit, length in (("days", 1_440), ("h", 60), ("min", 1)):
        if minutes >= 1.5 * length:
            return f"{round(minutes / length)} {unit} ago"
    return "just now"
