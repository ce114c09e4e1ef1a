"""Update a session from its client's transcripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from contextd.clients import client_named
from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import HOOKED, Event, Session, SessionChange
from contextd.imports.importers import IMPORTERS, ImportBatch, Importer, recognised
from contextd.imports.importers.compressed import plain_or_compressed
from contextd.imports.importers.importer import Redact, the_only_session
from contextd.imports.importers.read_position import ReadMark, mark_at, start_of
from contextd.imports.shortened import shortened
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, TooLarge

HEADLESS = "headless"
"""Marks a session run by a program: it does not replace another session, and nothing is learned from it."""

UNREAD = "transcript_unread"
"""Session data: which client files could not be read, and why; empty after a successful read."""

_BESIDE, _AGENTS = "transcripts_beside", "agent_transcripts"
_JUST_BEGUN = 262_144
"""Bytes of a transcript with an agent's instructions and one prompt: read in some 10 ms."""

_NOTHING_UNDERSTOOD = 20
"""If this many entries yield nothing at all, the transcript's format must have changed."""

_POSITIONS = 16
"""Transcripts of an organisation that are read on without looking back, with some 100 kB each."""

_Onward = Callable[[Redact], ImportBatch]

_DEFECTS = (
    OSError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError,
    Invalid, NotFound, TooLarge,
)  # fmt: skip
"""Errors that reading another program's file may raise. None of them may prevent the session's end."""


@dataclass(frozen=True, slots=True)
class _Transcript:
    """A file to read: the session's own, or a sub-agent's."""

    path: Path
    importer: Importer
    mark: ReadMark
    agent: str = ""


@dataclass(frozen=True, slots=True)
class _Position:
    """How far a reader of a session's file has come; it can read on without looking back."""

    session: str
    path: str
    offset: int
    stamp: str


class _Unreadable(Exception):
    """A transcript that cannot be read; the message says why."""


def unread(session: Session, transcript: str = "") -> int:
    """Bytes left to read to bring a session up to date."""
    path = _path_of(session, transcript)
    if path is None:
        return 0
    marks = _marks_beside(session)
    beside = (
        _size(one) - ReadMark.of(marks.get(one.name)).offset for one in _beside(session, path)
    )
    return _unread_of(session, path) + sum(max(0, count) for count in beside)


def _unread_of(session: Session, path: Path) -> int:
    importer, mark = IMPORTERS.get(_reader_named(session)), _mark_of(session, path)
    if importer is None or importer.grows:
        return max(0, _size(path) - mark.offset)
    try:
        start = start_of(path, importer, mark)
    except OSError:
        return 0
    if start is None:
        return 0
    # From a file with all of a client's sessions, only this one is read.
    return _size(path) if importer.sessions is the_only_session else 1


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def read_so_far(session: Session) -> dict[str, Any]:
    """The read positions of a session's transcripts, for the session that continues it."""
    names = ("transcript_offset", "transcript_stamp", _BESIDE, _AGENTS)
    return {name: session.data[name] for name in names if name in session.data}


def catch_up(
    runtime: Runtime,
    session: Session,
    *,
    transcript: str = "",
    check: Callable[[], None] = lambda: None,
) -> dict[str, int]:
    """Import new transcript entries as events of the session; return counts. `check` is called between
    batches and may raise to postpone the rest.

    An unreadable file is noted in the session and skipped: the events of hooks are stored already.
    """
    path = _path_of(session, transcript)
    if path is None or not _size(path):
        return {}
    counts: Counter[str] = Counter()
    trouble = ""
    try:
        for one in _transcripts(runtime, session, path):
            try:
                counts.update(_follow(runtime, session, one, check))
            except _Unreadable as error:
                trouble = trouble or str(error)
    except _Unreadable as error:
        trouble = str(error)
    problem = {"path": str(path), "why": trouble} if trouble else {}
    # Until something of it is understood, the earlier problem still holds.
    if problem != (session.data.get(UNREAD) or {}) and (problem or counts["events"]):
        runtime.commit(
            work=WorkChanges(sessions=[SessionChange(id=session.id, data={UNREAD: problem})])
        )
    return dict(counts)


def transcript_is_headless(session: Session, transcript: Path | None) -> bool:
    """Whether a new transcript says that a program runs its session. A long one is not examined, so that a
    resumed session starts quickly.
    """
    path = _path_of(session, str(transcript or ""))
    if path is None or not 0 < _size(path) <= _JUST_BEGUN:
        return False
    try:
        with _somebody_elses():
            importer = recognised(path, _reader_named(session))
            return importer.read(path, 0, session=session.external_id).headless
    except _Unreadable:
        return False


def is_still_written(session: Session, events: Sequence[Event]) -> bool:
    """Whether a session's transcript lacks the answer to its last prompt, for a client that keeps writing
    after its last hook.
    """
    importer = IMPORTERS.get(_reader_named(session))
    if importer is None or not importer.late:
        return False
    prompted_at = max((event.at for event in events if is_prompt(event)), default=None)
    # A call that contextd itself logged may follow the last answer.
    written = [one for one in events if one.type in _WRITTEN and "operation" not in one.data]
    last = max(written, key=lambda event: event.at, default=None)
    if prompted_at is None or last is None:
        return prompted_at is not None
    return (last.type, last.role) != ("message", "assistant") or last.at < prompted_at


_WRITTEN = ("message", "tool_call", "tool_result")


def is_prompt(event: Event) -> bool:
    """Whether an event is a prompt reported by a hook, or what it passes on."""
    return event.role == "user" and (event.type == "query" or event.key.startswith(HOOKED))


def missing_transcript(session: Session) -> str:
    """The expected path of a missing transcript; empty if it exists or the client has none."""
    path = _path_of(session, "")
    if path is not None and _size(path):
        return ""
    location = str(path or session.data.get("transcript") or "")
    importer = IMPORTERS.get(_reader_named(session))
    return location or (importer.expected(Path.home(), session.external_id) if importer else "")


def note_missing(runtime: Runtime, session: Session) -> None:
    """Note in a session that its client never wrote its transcript."""
    problem = {"path": missing_transcript(session), "why": "file not found"}
    runtime.commit(
        work=WorkChanges(sessions=[SessionChange(id=session.id, data={UNREAD: problem})])
    )


def _path_of(session: Session, transcript: str) -> Path | None:
    """The session's transcript: the path from a hook, or the client's default."""
    location = transcript or str(session.data.get("transcript") or "")
    if location:
        path = plain_or_compressed(Path(location))
        return path if path.is_file() else None
    importer = IMPORTERS.get(_reader_named(session))
    return importer.located(Path.home(), session.external_id) if importer is not None else None


def _reader_named(session: Session) -> str:
    try:
        return client_named(session.client).transcripts
    except NotFound:
        return ""


def _transcripts(runtime: Runtime, session: Session, path: Path) -> Iterator[_Transcript]:
    """The session's transcript, then those of its sub-agents."""
    with _somebody_elses():
        importer = recognised(path, _reader_named(session))
    yield _Transcript(path, importer, _mark_of(session, path))
    with _somebody_elses():
        beside = list(importer.beside(path))
    for one in (*beside, *_agents(session)):
        current = runtime.view.sessions.get(session.id) or session
        mark = ReadMark.of(_marks_beside(current).get(one.name))
        if one.is_file():
            yield _Transcript(one, importer, mark, agent=one.stem)


def _beside(session: Session, path: Path) -> list[Path]:
    importer = IMPORTERS.get(_reader_named(session))
    try:
        found = list(importer.beside(path)) if importer is not None else []
    except OSError:
        found = []
    return [*found, *_agents(session)]


def _agents(session: Session) -> list[Path]:
    paths = session.data.get(_AGENTS)
    return [Path(str(one)) for one in paths] if isinstance(paths, list | tuple) else []


def follow_agent(runtime: Runtime, session: Session, transcript: str) -> None:
    """Add a sub-agent's transcript that is stored elsewhere to its session."""
    path = _path_of(session, "")
    if not transcript or path is None or transcript in (str(one) for one in _beside(session, path)):
        return
    agents = [*map(str, _agents(session)), transcript]
    runtime.commit(
        work=WorkChanges(sessions=[SessionChange(id=session.id, data={_AGENTS: agents})])
    )


def _mark_of(session: Session, path: Path) -> ReadMark:
    data = session.data
    if data.get("transcript") not in (None, "", str(path)):
        return ReadMark()
    offset, stamp = data.get("transcript_offset", 0), data.get("transcript_stamp", "")
    return ReadMark.of({"offset": offset, "stamp": stamp})


def _marks_beside(session: Session) -> Mapping[str, Any]:
    marks = session.data.get(_BESIDE)
    return marks if isinstance(marks, Mapping) else {}


def _follow(
    runtime: Runtime, session: Session, one: _Transcript, check: Callable[[], None]
) -> Counter[str]:
    """Read a file to its last complete entry."""
    counts: Counter[str] = Counter()
    with _somebody_elses():
        offset = start_of(one.path, one.importer, one.mark)
    if offset is None:
        return counts
    begun, positions = offset, runtime.organisation.caches.of("transcript positions", _POSITIONS)
    before = _Position(session.id, str(one.path), offset, one.mark.stamp)
    onward = positions.pop(before)
    told_before = _told_before(runtime, session) if offset == 0 else frozenset[str]()
    done = False
    while not done:
        with _somebody_elses():
            batch = _batch(runtime, session, one, offset, onward)
            mark = mark_at(one.path, one.importer, batch.next_offset)
        counts.update(batch.counts)
        offset, done, onward = batch.next_offset, batch.done, batch.onward
        check()
        events = tuple(event for event in _marked(batch, one) if event.key not in told_before)
        if not (one.importer.grows or one.agent or begun):
            events = (*shortened(_known(runtime, session), events), *events)
        current = runtime.view.sessions.get(session.id) or session
        data = _noted(current, one, mark, batch)
        change = SessionChange(id=session.id, events=events, data=data)
        stored = runtime.commit(work=WorkChanges(sessions=[change])).events.get(session.id, ())
        counts["new"] += len(stored)
    if onward is not None:
        positions.put(_Position(session.id, str(one.path), mark.offset, mark.stamp), onward)
    if not begun and not counts["events"] and counts["read"] >= _NOTHING_UNDERSTOOD:
        raise _Unreadable(f"none of its {counts['read']} entries was recognised")
    return counts


def _known(runtime: Runtime, session: Session) -> list[Event]:
    return runtime.view.sessions.events(session.id, types=("message", "note"))


def _batch(
    runtime: Runtime, session: Session, one: _Transcript, offset: int, onward: _Onward | None
) -> ImportBatch:
    def clean(text: str) -> tuple[str, int]:
        return scrubbed(runtime, text)

    if onward is not None:
        return onward(clean)
    return one.importer.read(one.path, offset, redact=clean, session=session.external_id)


def _marked(batch: ImportBatch, one: _Transcript) -> Iterator[Event]:
    """The events of a batch, marked if they come from a sub-agent's transcript."""
    for event in batch.events:
        if one.agent:
            yield replace(event, data={**event.data, "sidechain": True, "agent": one.agent})
        else:
            yield event


def _noted(
    session: Session, one: _Transcript, mark: ReadMark, batch: ImportBatch
) -> dict[str, Any]:
    """Session data about the file it was read from."""
    if one.agent:
        return {_BESIDE: {**_marks_beside(session), one.path.name: mark.kept()}}
    data: dict[str, Any] = {
        "transcript": str(one.path),
        "transcript_offset": mark.offset,
        "transcript_stamp": mark.stamp,
    }
    return {**data, HEADLESS: True} if batch.headless else data


def _told_before(runtime: Runtime, session: Session) -> frozenset[str]:
    """The event keys of the sessions that this one continues."""
    keys: set[str] = set()
    seen = {session.id}
    while (before := session.data.get("continues")) and before not in seen:
        seen.add(str(before))
        found = runtime.view.sessions.get(str(before))
        if found is None:
            break
        keys |= {event.key for event in runtime.view.sessions.events(found.id)}
        session = found
    return frozenset(keys)


@contextmanager
def _somebody_elses() -> Iterator[None]:
    """Wraps reading another program's file. Raises `_Unreadable` for any error."""
    try:
        yield
    except _DEFECTS as error:
        message = getattr(error, "message", "") or str(error) or type(error).__name__
        raise _Unreadable(beginning(message, 300)) from error


def scrubbed(runtime: Runtime, text: str) -> tuple[str, int]:
    """A redacted text, and the number of secrets."""
    redacted = redact(text, runtime.redaction_key)
    return redacted.text, len(redacted.findings)
