"""Synchronise USER.md and SOUL.md of the home with records of the person's layer."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from contextd.domain.changes import Put
from contextd.domain.confidence import START
from contextd.domain.records import STATUSES, Record, Source, digest
from contextd.domain.scope import PERSON
from contextd.knowledge.disagreements import note_disagreements
from contextd.knowledge.embedding import commit_file_records
from contextd.knowledge.writing import Changed, cleaned
from contextd.person.person import from_file, personal_records, persons_records, strength, told_by
from contextd.person.person_md import SOUL_MD, USER_MD, PersonLine, block_of, told_in
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.sessions.context_md import without_block, write
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError
from contextd_common.files.guarded import read_file
from contextd_common.text.encodings import text_in
from contextd_common.text.words import content_words

FILES = (USER_MD, SOUL_MD)

_LARGEST = 256 * 1024
"""Maximum bytes of a file: a person is described in a few pages."""

_EDITED = 0.5
"""Minimum share of common words in two versions of a line. Below it, the old line was removed and another
one added.
"""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Seen:
    """The files, and their state at the last import."""

    files: tuple[Path, ...]
    stamps: tuple[int, ...] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def follow_person_files(runtime: Runtime) -> None:
    """Import changes of the files since the last call; two stat calls if nothing changed.

    Never blocks the call: errors are logged, and the import is retried when a file changes.
    """
    if not runtime.has_person:
        return
    home = runtime.settings.home
    seen: _Seen = runtime.organisation.caches.of("person files", 1).made(
        "seen", lambda: _Seen(tuple(home / name for name in FILES))
    )
    stamps = tuple(map(_stamp, seen.files))
    if seen.stamps == stamps:
        return
    with seen.lock:
        if seen.stamps == stamps:
            return
        seen.stamps = stamps
        try:
            _take_in(runtime.aside().at_person(), home)
        except ContextdError as error:
            _log.warning("the person's files were not imported: %s", error.message)


def text_of(home: Path, name: str) -> str:
    """The person's own text in a file of the home, without contextd's block; empty if there is none."""
    return _read(home / name) or ""


def _read(path: Path) -> str | None:
    """The result of `text_of`; None for an unreadable file."""
    try:
        text = text_in(read_file(path, _LARGEST, cut=True))
    except FileNotFoundError:
        return ""
    except OSError as error:
        _log.warning("%s cannot be read: %s", path, error.strerror)
        return None
    if text is None:
        _log.warning("%s is not a readable text file: save it as UTF-8", path)
        return None
    return without_block(text.encode("utf-8", "replace")).decode("utf-8")


def write_user_md(runtime: Runtime) -> bool:
    """Write the records that are in no file into contextd's block of USER.md; the rest stays byte for byte.
    Returns whether the block changed.

    Raises what `sessions.context_md.write` raises.
    """
    records = [record for record in personal_records(runtime) if not from_file(record)]
    block = block_of([(strength(record), told_by(record)) for record in records])
    return write(runtime.settings.home / USER_MD, block, runtime.clock.now())


def _stamp(path: Path) -> int:
    try:
        about = path.stat()
    except OSError:
        return 0
    return about.st_mtime_ns ^ about.st_size << 1 ^ about.st_ino


def _take_in(runtime: Runtime, home: Path) -> None:
    known = persons_records(runtime, *STATUSES, kinds=("context",), ended=True)
    changes: list[Changed] = []
    fresh: list[Record] = []
    for name in FILES:
        text = _read(home / name)
        if text is None:
            continue
        file_lines = [_clean(runtime, one) for one in told_in(text)]
        mine = [record for record in known if from_file(record) == name]
        changed, new = _compared(runtime, name, file_lines, mine)
        changes += changed
        fresh += [_record(runtime, name, one, len(fresh)) for one in new]
    known_hashes = {record.content_hash for record in known if record.status in ("active", "inbox")}
    fresh = [record for record in fresh if record.content_hash not in known_hashes]
    puts = [_changed(runtime, one) for one in changes] + [Put(record, "create") for record in fresh]
    if not puts:
        return
    said_anew = commit_file_records(runtime, puts)
    _log.info("person's files: %d lines new, %d changed", len(fresh), len(changes))
    for record in said_anew:
        runtime.sinks.later("contradictions", partial(note_disagreements, runtime, record.id))


def _changed(runtime: Runtime, one: Changed) -> Put:
    record = one.after.with_(version=one.before.version, updated_at=runtime.clock.now())
    return Put(record, one.action, one.reason)


def _clean(runtime: Runtime, line: PersonLine) -> PersonLine:
    text, section = (redact(part, runtime.redaction_key).text for part in (line.text, line.section))
    return PersonLine(text, section)


def _ref(name: str, line: PersonLine) -> str:
    return f"{name}#{digest(f'{line.section} {line.text}')[:16]}"


def _compared(
    runtime: Runtime, name: str, file_lines: Sequence[PersonLine], mine: Sequence[Record]
) -> tuple[list[Changed], list[PersonLine]]:
    """Changes to the records of a file's lines, and the lines without a record.

    A record changed or deleted elsewhere stays that way while its line is unchanged.
    """
    lines = {_ref(name, one): one for one in file_lines}
    standing = {record.source.ref for record in mine}
    new = [one for ref, one in lines.items() if ref not in standing]
    orphans = [record for record in mine if record.source.ref not in lines]
    changes: list[Changed] = []
    words = {one: frozenset(content_words(one.text)) for one in new} if orphans else {}
    for record in orphans:
        after = _best(record, {one: words[one] for one in new})
        if after is not None and record.status in ("active", "inbox"):
            new.remove(after)
            source = replace(record.source, ref=_ref(name, after))
            edited = record.with_(content=after.text, title=after.section, source=source)
            changes.append(Changed(record, edited, "update", f"edited in {name}"))
        elif _brought_back(runtime, record):
            source = replace(record.source, ref="")
            changes.append(Changed(record, record.with_(source=source), "update", f"not in {name}"))
        else:
            # Without the reference to the file, the line may return as a new one.
            source = replace(record.source, ref="")
            out = record.with_(status="deleted", source=source)
            changes.append(Changed(record, out, "delete", f"removed from {name}"))
    return changes, new


def _brought_back(runtime: Runtime, record: Record) -> bool:
    """Whether the removal of a record was undone with its line: then it stays, detached."""
    history = runtime.view.records.history(record.id)
    return record.status == "active" and bool(history) and history[-1].action == "undo"


def _best(record: Record, new: Mapping[PersonLine, frozenset[str]]) -> PersonLine | None:
    """The new version of a record's line, if any; `new` has the words of each line."""
    before = frozenset(content_words(record.content))

    def alike(one: PersonLine) -> float:
        return len(new[one] & before) / max(1, len(new[one] | before))

    best = max(new, key=alike, default=None)
    return best if best is not None and alike(best) >= _EDITED else None


def _record(runtime: Runtime, name: str, line: PersonLine, place: int) -> Record:
    # In file order, which is the order of importance.
    now = runtime.clock.now() + timedelta(microseconds=place)
    made = Record(
        kind="context",
        scope=PERSON,
        title=line.section,
        content=line.text,
        source=Source(agent=name, client=runtime.client, operation="file", ref=_ref(name, line)),
        trust="human",
        confidence=START["human"],
        valid_from=runtime.clock.now(),
        created_at=now,
        updated_at=now,
    )
    return cleaned(runtime, made)[0]
