"""OpenCode: sessions with messages and parts, in its database and in the output of `opencode export`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextd.imports.databases import ForeignDatabase, is_database, reading
from contextd.imports.importers.documents import document_reader
from contextd.imports.importers.importer import ImportBatch, Listed, Redact, unredacted
from contextd.imports.importers.json_lines import parsed
from contextd.imports.importers.transcript_builder import Transcript, mapping_of, text_of
from contextd_common.errors import NotFound

_ENDED = frozenset({"completed", "error"})

# Read as bytes, so that one damaged text does not prevent reading the others.
_PART = "SELECT CAST(data AS BLOB) AS data FROM part WHERE id = ?"
_MESSAGES = "SELECT id, CAST(data AS BLOB) AS data FROM message WHERE session_id = ? ORDER BY time_created, id"


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether a file is OpenCode's database."""
    return path.name.startswith("opencode") and path.suffix == ".db" and is_database(head)


def detects_export(path: Path, head: Sequence[str]) -> bool:
    """Whether a file is an exported session."""
    beginning = "".join(head)[:2_000]
    return path.suffix == ".json" and '"info"' in beginning and '"projectID"' in beginning


def sessions(path: Path) -> list[Listed]:
    """The sessions in the database, without those of sub-agents, which belong to their parents."""
    with reading(path) as rows:
        return [
            Listed(
                id=str(row["id"]),
                cwd=text_of(row.get("directory")),
                title=text_of(row.get("title")),
                started=datetime.fromtimestamp(row["time_created"] / 1000, UTC),
            )
            for row in rows.of("SELECT * FROM session ORDER BY time_created")
            if not row.get("parent_id")
        ]


def read(
    path: Path, offset: int = 0, *, redact: Redact = unredacted, session: str = ""
) -> ImportBatch:
    """The events of one session in the database, with its sub-agents. Raises `NotFound`, `Invalid`."""
    del offset
    transcript = Transcript(path=path, redact=redact, last=datetime.now(UTC))
    with reading(path) as rows:
        found = list(
            rows.of("SELECT * FROM session WHERE id = ? OR parent_id = ?", session, session)
        )
        main = next((row for row in found if row["id"] == session), None)
        if main is None:
            raise NotFound(
                f"{path.name} has no session {session!r}", "list its sessions to see them"
            )
        for row in sorted(found, key=lambda row: row["id"] != session):
            _begin(transcript, row, sidechain=row is not main)
            _rows(transcript, rows, str(row["id"]))
    transcript.session = session
    return transcript.batch(path.stat().st_size)


def _rows(transcript: Transcript, rows: ForeignDatabase, session: str) -> None:
    """The messages of one session. Parts are loaded one by one, since all of them may be large."""
    parts: dict[str, list[str]] = {}
    for row in rows.of("SELECT id, message_id FROM part WHERE session_id = ? ORDER BY id", session):
        parts.setdefault(str(row["message_id"]), []).append(str(row["id"]))
    for message in rows.of(_MESSAGES, session):
        info = {**mapping_of(parsed(message["data"])), "id": message["id"]}
        _message(transcript, info, _parts(transcript, rows, parts.get(str(message["id"]), [])))


def _parts(
    transcript: Transcript, rows: ForeignDatabase, ids: list[str]
) -> Iterator[Mapping[str, Any]]:
    for id in ids:
        for row in rows.of(_PART, id):
            transcript.counts["read"] += 1
            yield {**mapping_of(parsed(row["data"])), "id": id}


def _begin(transcript: Transcript, about: Mapping[str, Any], *, sidechain: bool) -> None:
    transcript.marks = {"sidechain": True, "agent": str(about.get("id"))} if sidechain else {}
    if sidechain:
        return
    transcript.session = text_of(about.get("id"))
    transcript.cwd = text_of(about.get("directory"))
    transcript.titled(text_of(about.get("title")))
    transcript.dated(about.get("time_created") or mapping_of(about.get("time")).get("created"))


def _message(transcript: Transcript, info: Mapping[str, Any], parts: Iterable[Any]) -> None:
    role, times = text_of(info.get("role")), mapping_of(info.get("time"))
    transcript.here = text_of(mapping_of(info.get("path")).get("cwd")) or transcript.here
    transcript.dated(times.get("created"))
    whole = role == "user" or "completed" in times
    for part in map(mapping_of, parts):
        transcript.key = (
            text_of(part.get("id")) or f"{text_of(info.get('id'))}-{transcript.counts['parts']}"
        )
        transcript.counts["parts"] += 1
        _part(transcript, role, info, part, whole=whole)
    tokens = mapping_of(info.get("tokens"))
    if whole and tokens:
        cached = mapping_of(tokens.get("cache")).get("read", 0)
        counted = {
            "input_tokens": tokens.get("input", 0),
            "output_tokens": tokens.get("output", 0),
            "cache_read_input_tokens": cached,
        }
        transcript.used(counted, text_of(info.get("id")))


def _part(
    transcript: Transcript,
    role: str,
    info: Mapping[str, Any],
    part: Mapping[str, Any],
    *,
    whole: bool,
) -> None:
    kind, text = text_of(part.get("type")), text_of(part.get("text"))
    times = mapping_of(part.get("time"))
    transcript.dated(times.get("start"))
    if kind == "tool":
        _tool(transcript, part)
    elif kind == "compaction":
        transcript.compacted()
    elif kind != "text":
        transcript.counts[f"part:{kind or 'none'}"] += 1
    elif part.get("synthetic") or part.get("ignored"):
        transcript.counts["injected"] += 1
    elif role == "user":
        transcript.by_user(_unquoted(text))
    elif info.get("summary") is True:
        transcript.summarised(text.strip() if whole else "")
    elif whole or "end" in times:
        # A text is written while the model is generating; it is read once complete.
        transcript.by_agent(text)


def _tool(transcript: Transcript, part: Mapping[str, Any]) -> None:
    id, state = text_of(part.get("callID")), mapping_of(part.get("state"))
    status, times = text_of(state.get("status")), mapping_of(state.get("time"))
    if status not in _ENDED:
        return
    transcript.dated(times.get("start"))
    transcript.called(id, text_of(part.get("tool")), state.get("input"))
    transcript.dated(times.get("end"))
    failed = status == "error"
    output = text_of(state.get("error") if failed else state.get("output"))
    code = mapping_of(state.get("metadata")).get("exit")
    if isinstance(code, int):
        transcript.answered(id, output, failed=failed, result={"exitCode": code}, index=1)
    else:
        transcript.ran(id, output, failed=failed, index=1)


def _unquoted(text: str) -> str:
    """A prompt from the command line, without the shell's quotation marks."""
    inner = text.strip()
    if len(inner) > 2 and inner[0] == inner[-1] == '"' and '"' not in inner[1:-1]:
        return inner[1:-1]
    return text


def _export(transcript: Transcript, document: Any) -> None:
    whole = mapping_of(document)
    about = mapping_of(whole.get("info"))
    _begin(transcript, about, sidechain=False)
    transcript.parent = text_of(about.get("parentID"))
    messages = whole.get("messages")
    for message in messages if isinstance(messages, list) else ():
        parts = mapping_of(message).get("parts")
        info = mapping_of(mapping_of(message).get("info"))
        _message(transcript, info, parts if isinstance(parts, list) else ())


read_export = document_reader(_export)
