"""`.context/CONTEXT.md`: what the next session should know, in at most 500 tokens.

contextd owns the part between its two markers; people own the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from contextd.domain.quoting import inline
from contextd.domain.time import iso, parse_instant
from contextd.files.disk import replace_file, target_inside
from contextd.sessions.time_sense import TimeSense, in_words, stamp
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, Unavailable
from contextd_common.files.guarded import read_file
from contextd_common.text.encodings import takes_ascii
from contextd_common.text.tokens import count_tokens, trim_to_tokens

BUDGET = 500
STALE_AFTER = timedelta(hours=24)
MOST_RECENT = 5

_ITEM_BUDGET = 90
_BEGIN = "<!-- contextd:begin {stamp}. Rewritten by contextd; write below or above. -->"
_END = "<!-- contextd:end -->"
_BLOCK = re.compile(
    rb"<!-- contextd:begin (?P<stamp>[0-9TZ:-]*)[^<>\n]*-->"
    rb"(?P<body>(?:(?!<!-- contextd:(?:begin|end)).)*)<!-- contextd:end -->",
    re.DOTALL,
)
_FORGED = re.compile(r"<!--|-->")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The content of CONTEXT.md. `project` describes the project, its build and its layout, most important
    first. `rules` are the directives in force, `statements` come from the current session, `recent` is
    newest first, `external` most important first.
    """

    project: Sequence[str] = ()
    focus: str = ""
    task: str = ""
    open: Sequence[str] = ()
    blocked: Sequence[str] = ()
    rules: Sequence[str] = ()
    time: TimeSense | None = None
    last_session: str = ""
    statements: Sequence[str] = ()
    recent: Sequence[str] = ()
    external: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    title: str
    lines: list[str]


def render(situation: Situation, budget: int = BUDGET) -> str:
    """Render the Markdown block within `budget` tokens; the markers of `write` count.

    Items that do not fit are dropped whole: external changes first, then the oldest outcomes, then the rest
    from the bottom up. Sentences are not cut; an item with several keeps the first ones.
    """
    project = _Part("Project", _items(situation.project))
    parts = [
        _Part("Now", _now_lines(situation)),
        _Part("Rules", _items(situation.rules)),
        _Part("Time", _time_lines(situation)),
        _Part("Session", _items(situation.statements)),
        _Part("Recent", _items(situation.recent)[:MOST_RECENT] or ["Nothing recorded yet"]),
        _Part("External", _items(situation.external) or ["No changes since last session"]),
    ]
    if project.lines and situation.time is None and not situation.recent:
        # Before the first session there is nothing else to show.
        blank = [_Part("", []) for _ in range(3)]
        external = _Part("External", _items(situation.external))
        parts = [_Part("", []), parts[1], *blank, external]
    parts.append(project)
    spent = count_tokens(_BEGIN.format(stamp=iso(datetime(2000, 1, 1, tzinfo=UTC))) + _END) + 4
    now, rules, time, session, recent, external, _ = parts
    for part, least in (
        (external, 1),
        (project, 0 if now.title else 1),
        (recent, 3),
        (external, 0),
        (recent, 0),
        (session, 0),
    ):
        while len(part.lines) > least and spent + count_tokens(_markdown(parts)) > budget:
            part.lines.pop()
    for part in (time, rules, now):
        while part.lines and spent + count_tokens(_markdown(parts)) > budget:
            part.lines.pop()
    return _markdown(parts)


def write(path: Path, block: str, now: datetime) -> bool:
    """Write `block` between contextd's markers; creates the file if missing.

    Text outside the markers stays byte for byte; a file without markers gets the block at its end. Returns
    whether the block changed. Raises `Denied` if the file is a link out of the project, `Invalid` for UTF-16
    or binary files, `Unavailable` if writing fails.
    """
    real = target_inside(path.parent.parent, path)
    before = _read(real)
    if not takes_ascii(before):
        raise Invalid(f"{path} is UTF-16 or binary, so nothing was written", "save it as UTF-8")
    body = f"\n{block.strip()}\n"
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    made = (_BEGIN.format(stamp=iso(now)) + body + _END).encode().replace(b"\n", newline)
    found = _BLOCK.search(before)
    if found:
        after = before[: found.start()] + made + before[found.end() :]
    else:
        gap = b"" if not before else newline if before.endswith(b"\n") else newline * 2
        after = before + gap + made + newline
    replace_file(real, after)
    old = found["body"].decode("utf-8", "replace").replace("\r\n", "\n") if found else ""
    return old != body


def without_block(content: bytes) -> bytes:
    """A file's content without contextd's block."""
    return _BLOCK.sub(b"", content)


def is_stale(path: Path, now: datetime) -> bool:
    """Whether the block is missing or older than 24 hours.

    The date inside the block counts, because a checkout resets every file's date.
    """
    found = _BLOCK.search(_read(path))
    if found is None:
        return True
    try:
        written = parse_instant(found["stamp"].decode())
    except ValueError:
        return True
    return now - written > STALE_AFTER


def _now_lines(situation: Situation) -> list[str]:
    blocked = "; ".join(_items(situation.blocked)) or "None"
    focus, task = (_item(text) for text in (situation.focus, situation.task))
    task = "" if task == focus else task
    still = "; ".join(_items(situation.open)[:3])
    entries = (
        ("Focus", focus or "Not known yet"),
        ("Task", task),
        ("Open", still),
        ("Blocked", blocked),
    )
    return [f"{name}: {text}" for name, text in entries if text]


def _time_lines(situation: Situation) -> list[str]:
    """When the session and the previous one began, as absolute times, because the file may be read much
    later.
    """
    time = situation.time
    before = _items([situation.last_session])
    if time is None:
        return [f"Last session: {before[0]}"] if before else ["Last session: first session"]
    length = [in_words(time.last_length)] if time.last_length is not None else []
    about = f" ({', '.join((*length, *before))})" if length or before else ""
    last = f"until {stamp(time.last_seen)}" if time.last_seen is not None else "first session"
    return [
        f"Session started: {stamp(time.started)}",
        f"Last session before it: {last}{about}",
        f"Pattern: {time.pattern}",
    ]


def _items(texts: Sequence[str]) -> list[str]:
    return [item for text in texts if (item := _item(text))]


def _item(text: str) -> str:
    """One line of whole sentences; empty if not even the first one fits."""
    line = _FORGED.sub("", inline(text))
    return trim_to_tokens(line, _ITEM_BUDGET) if line else ""


def _markdown(parts: Sequence[_Part]) -> str:
    sections = [
        f"## {part.title}\n" + "\n".join(f"- {line}" for line in part.lines)
        for part in parts
        if part.lines
    ]
    return "\n\n".join(["# Context", *sections])


def _read(path: Path) -> bytes:
    try:
        return read_file(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise Unavailable(
            f"{path} could not be read: {error.strerror or error}", "check its permissions"
        ) from error
