"""A project's complete data as JSON lines: records with their histories, sessions with their events.
Reading a bundle restores exactly what was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from contextd.domain.imported_records import IMPORT
from contextd.domain.kinds import kind_named
from contextd.domain.records import STATUSES, TRUSTS, Anchor, Change, Record, Source
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, EventType, FileAccess, Session, SessionStatus
from contextd.domain.time import parse_instant
from contextd.imports.foreign.format import Unread
from contextd.imports.foreign.safe_reading import json_lines
from contextd.redaction.cutting import beginning, quoted
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound
from contextd_common.files.guarded import read_file

VERSION = 1
_MARK = b'{"contextd":"bundle"'
_EVENTS_A_LINE = 200

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BundleFormat:
    """The only bundle format."""

    name: str = "bundle"
    title: str = "contextd bundle"

    def detects(self, path: Path) -> bool:
        """Whether a file is a bundle."""
        try:
            return read_file(path, len(_MARK), cut=True) == _MARK
        except OSError:
            return False


BUNDLE = BundleFormat()


@dataclass(frozen=True, slots=True)
class RecordStates:
    """A record with its complete history, oldest first: the action, reason and resulting state of each
    change.
    """

    record: Record
    states: Sequence[tuple[str, str, Record]]


@dataclass(frozen=True, slots=True)
class SomeEvents:
    """Consecutive events of a session."""

    session: str
    events: tuple[Event, ...]


def heading(scope: Scope, name: str, now: datetime) -> str:
    """The first line of a bundle."""
    about = {"contextd": "bundle", "version": VERSION, "scope": str(scope), "project": name}
    return _line({**about, "written": now.isoformat()})


def record_line(record: Record, history: Sequence[Change]) -> str:
    """A record with its history, as one line."""
    states = [
        [one.action, one.reason, one.at.isoformat(), one.actor, _record(one.after)]
        for one in history
        if one.after is not None
    ]
    return _line({"record": _record(record), "states": states})


def session_lines(session: Session, events: Sequence[Event]) -> Iterator[str]:
    """A session and its events, as lines."""
    yield _line({"session": _session(session)})
    for start in range(0, len(events), _EVENTS_A_LINE):
        some = [_event(event) for event in events[start : start + _EVENTS_A_LINE]]
        yield _line({"events": some, "of": session.id})


BundleItem = RecordStates | Session | SomeEvents | Unread


def read_bundle(path: Path, scope: Scope) -> Iterator[tuple[str, BundleItem]]:
    """Parse a bundle, placing everything in `scope`: the line of each item, and the item. Raises `Invalid` for
    other files.
    """
    first = True
    for place, line in json_lines(path):
        if first:
            first = False
            if not isinstance(line, dict) or line.get("contextd") != "bundle":
                raise Invalid(
                    f"{path} is not a bundle", "choose a file written by `contextd export`"
                )
            if line.get("version") != VERSION:
                version = line.get("version")
                raise Invalid(f"{path}: unknown version {quoted(version, 20)}", "update contextd")
            continue
        yield place, line if isinstance(line, Unread) else _item(place, line, scope)


def _item(place: str, line: Any, scope: Scope) -> BundleItem:
    if not isinstance(line, dict):
        return Unread(place, "neither a record nor a session")
    try:
        if "record" in line:
            states = [(_text(s[0]), _text(s[1]), _to_record(s[4], scope)) for s in line["states"]]
            return RecordStates(_to_record(line["record"], scope), states)
        if "session" in line:
            return _to_session(line["session"], scope)
        if "events" in line:
            return SomeEvents(_text(line["of"]), tuple(_to_event(one) for one in line["events"]))
    except KeyError as error:
        return Unread(place, f"it has no {beginning(str(error.args[0]), 40)}")
    except (Invalid, NotFound) as error:
        return Unread(place, beginning(error.message, 200))
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        return Unread(place, beginning(str(error), 200))
    return Unread(place, "neither a record nor a session")


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _moment(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat()


def _instant(value: Any) -> datetime | None:
    return None if value is None else parse_instant(value)


_TEXTS = ("id", "kind", "title", "content", "session", "trust", "status", "canonical_id")
_COUNTS = ("usage_count", "helpful", "unhelpful", "version")
_NUMBERS = ("confidence", *_COUNTS)
_ID = re.compile(r"[^\s\x00-\x1f]{1,200}")
_MOST = 1 << 53
"""The largest count: the largest whole number that every JSON parser reads exactly."""
_TIMES = ("last_used_at", "valid_from", "valid_to", "created_at", "updated_at", "arrived_at")


def _record(record: Record | None) -> Json | None:
    if record is None:
        return None
    found: Json = {name: getattr(record, name) for name in (*_TEXTS, *_NUMBERS)}
    found |= {name: _moment(getattr(record, name)) for name in _TIMES}
    source, anchor = record.source, record.anchor
    found["data"], found["tags"] = dict(record.data), list(record.tags)
    found["source"] = [source.agent, source.client, source.operation, source.ref]
    found["anchor"] = [anchor.commit, anchor.branch, dict(anchor.paths)]
    return found


def _to_record(body: Any, scope: Scope) -> Record:
    if body["status"] not in STATUSES or body["trust"] not in TRUSTS:
        raise Invalid("unknown status or trust", "export it again")
    texts = {name: _text(body[name]) for name in _TEXTS}
    kind_named(texts["kind"])
    if texts["kind"] == IMPORT:
        raise Invalid("a record of an import belongs where it was made", "leave it out")
    _identified(texts["id"])
    counts = {name: _count(body[name]) for name in _COUNTS}
    share = body["confidence"]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise Invalid(f"confidence {quoted(share, 40)} is not between 0 and 1", "export it again")
    # Bundles of older versions have no time of arrival.
    times = {name: _instant(body[name]) for name in _TIMES if name in body or name != "arrived_at"}
    made: dict[str, Any] = {**texts, **times, **counts, "confidence": float(share)}
    return Record(
        scope=scope,
        data=dict(body["data"]),
        tags=tuple(map(_text, body["tags"])),
        source=Source(*map(_text, body["source"])),
        anchor=Anchor(_text(body["anchor"][0]), _text(body["anchor"][1]), dict(body["anchor"][2])),
        **made,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{quoted(value, 40)} is not text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{quoted(value, 40)} is not valid Unicode") from None
    return value


def _identified(id: str) -> None:
    if not _ID.fullmatch(id):
        raise Invalid(f"{quoted(id, 40)} is not an id", "export it again")


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise TypeError(f"{quoted(value, 40)} is not a count")
    return value


_OF_SESSION = (
    "id", "client", "external_id", "cwd", "task", "status", "outcome", "commit", "branch",
)  # fmt: skip


def _session(session: Session) -> Json:
    found: Json = {name: getattr(session, name) for name in _OF_SESSION}
    for name in ("started_at", "last_seen_at", "ended_at"):
        found[name] = _moment(getattr(session, name))
    found["files"] = [
        [one.path, one.count, _moment(one.first_at), _moment(one.last_at)] for one in session.files
    ]
    found["topics"], found["injected"] = list(session.topics), list(session.injected)
    found["tool_calls"], found["tokens_served"] = session.tool_calls, session.tokens_served
    return {**found, "data": dict(session.data)}


def _to_session(body: Any, scope: Scope) -> Session:
    if body["status"] not in get_args(SessionStatus):
        raise Invalid("unknown status", "export it again")
    texts: dict[str, Any] = {name: _text(body[name]) for name in _OF_SESSION}
    _identified(texts["id"])
    return Session(
        scope=scope,
        started_at=parse_instant(body["started_at"]),
        last_seen_at=parse_instant(body["last_seen_at"]),
        ended_at=_instant(body["ended_at"]),
        files=tuple(
            FileAccess(
                path=_text(p), count=_count(n), first_at=parse_instant(a), last_at=parse_instant(b)
            )
            for p, n, a, b in body["files"]
        ),
        topics=tuple(map(_text, body["topics"])),
        injected=tuple(map(_text, body["injected"])),
        tool_calls=_count(body["tool_calls"]),
        tokens_served=_count(body["tokens_served"]),
        data=dict(body["data"]),
        **texts,
    )


def _event(event: Event) -> list[Any]:
    return [event.type, event.key, _moment(event.at), event.role, event.text, dict(event.data)]


def _to_event(body: Any) -> Event:
    sort, key, at, role, text, data = body
    if sort not in get_args(EventType):
        raise Invalid(f"{quoted(sort, 40)} is not a type of event", "export it again")
    return Event(
        type=sort,
        key=_text(key),
        at=parse_instant(at),
        role=_text(role),
        text=_text(text),
        data=dict(data),
    )


def unmarked(session: Session, *names: str) -> Session:
    """A session without some of its data."""
    remaining = {name: value for name, value in session.data.items() if name not in names}
    return replace(session, data=remaining)
