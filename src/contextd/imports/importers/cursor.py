"""Cursor: composers and their bubbles, in the key-value tables of its databases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from contextd.imports.databases import ForeignDatabase, is_database, reading
from contextd.imports.importers.importer import ImportBatch, Listed, Redact, unredacted
from contextd.imports.importers.json_lines import parsed
from contextd.imports.importers.transcript_builder import Transcript, list_of, mapping_of, text_of
from contextd_common.errors import NotFound
from contextd_common.files.guarded import read_file

_USER, _AGENT = 1, 2
_ENDED = frozenset({"completed", "error", "cancelled", "rejected"})
_LARGEST = 16 * 1024 * 1024
"""Maximum bytes of a value to examine: bubbles can contain whole files."""

_TABLES = ("cursorDiskKV", "ItemTable")


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether a file is a Cursor database."""
    return path.suffix == ".vscdb" and is_database(head)


def sessions(path: Path) -> list[Listed]:
    """The non-empty composers of a database."""
    folders = _folders(path)
    found = []
    with reading(path) as rows:
        for id, composer in _composers(rows):
            if not (composer.get("fullConversationHeadersOnly") or composer.get("conversation")):
                continue
            created = composer.get("createdAt")
            at = datetime.fromtimestamp(created / 1000, UTC) if isinstance(created, int) else None
            title = text_of(composer.get("name"))
            found.append(Listed(id=id, cwd=folders.get(id, ""), title=title, started=at))
    return sorted(found, key=lambda one: (str(one.started), one.id))


def read(
    path: Path, offset: int = 0, *, redact: Redact = unredacted, session: str = ""
) -> ImportBatch:
    """The events of one composer. Raises `NotFound` or `Invalid`."""
    del offset
    transcript = Transcript(path=path, redact=redact, last=datetime.now(UTC), session=session)
    with reading(path) as rows:
        composer = _value(rows, f"composerData:{session}") if session else None
        if composer is None:
            raise NotFound(
                f"{path.name} has no composer {session!r}", "list its sessions to see them"
            )
        transcript.cwd = _folders(path).get(session, "")
        transcript.titled(text_of(composer.get("name")))
        transcript.dated(composer.get("createdAt"))
        for place, bubble in enumerate(_bubbles(rows, session, composer)):
            transcript.counts["read"] += 1
            _bubble(transcript, bubble, place)
    return transcript.batch(path.stat().st_size)


def _composers(rows: ForeignDatabase) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for table in _present(rows):
        query = f"SELECT key, CAST(value AS BLOB) AS value FROM {table} WHERE key >= 'composerData:' AND key < 'composerData;'"
        for row in rows.of(query):
            value = mapping_of(_decoded(row["value"]))
            if value:
                yield str(row["key"]).partition(":")[2], value


def _present(rows: ForeignDatabase) -> list[str]:
    there = rows.tables()
    return [table for table in _TABLES if table in there]


def _value(rows: ForeignDatabase, key: str) -> Mapping[str, Any] | None:
    for table in _present(rows):
        for row in rows.of(f"SELECT CAST(value AS BLOB) AS value FROM {table} WHERE key = ?", key):
            value = _decoded(row["value"])
            if isinstance(value, dict):
                return value
    return None


def _decoded(value: Any) -> Any:
    if isinstance(value, str | bytes) and len(value) <= _LARGEST:
        return parsed(value)
    return None


def _bubbles(
    rows: ForeignDatabase, session: str, composer: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """The bubbles in order; older composers contain them."""
    for one in list_of(composer.get("conversation")):
        yield mapping_of(one)
    for header in map(mapping_of, list_of(composer.get("fullConversationHeadersOnly"))):
        id = text_of(header.get("bubbleId"))
        bubble = _value(rows, f"bubbleId:{session}:{id}")
        if bubble is not None:
            yield {"bubbleId": id, "type": header.get("type"), **bubble}


def _bubble(transcript: Transcript, bubble: Mapping[str, Any], place: int) -> None:
    transcript.key = text_of(bubble.get("bubbleId")) or f"{place}"
    transcript.dated(
        bubble.get("createdAt") or mapping_of(bubble.get("timingInfo")).get("clientStartTime")
    )
    text = text_of(bubble.get("text"))
    if bubble.get("type") == _USER:
        transcript.by_user(text)
    elif bubble.get("type") == _AGENT:
        transcript.by_agent(text)
        _called(transcript, mapping_of(bubble.get("toolFormerData")))
        counted = mapping_of(bubble.get("tokenCount"))
        names = {"inputTokens": "input_tokens", "outputTokens": "output_tokens"}
        transcript.used({name: counted.get(known, 0) for known, name in names.items()})
    else:
        transcript.counts[f"bubble:{bubble.get('type')}"] += 1


def _called(transcript: Transcript, call: Mapping[str, Any]) -> None:
    name, status = text_of(call.get("name")), text_of(call.get("status"))
    if not name or status not in _ENDED:
        return
    id = text_of(call.get("toolCallId")) or transcript.key
    given = parsed(text_of(call.get("rawArgs"))) or parsed(text_of(call.get("params")))
    transcript.called(id, name, given, 1)
    result = call.get("result")
    answer = parsed(result) if isinstance(result, str) else result
    shown = mapping_of(answer)
    output = text_of(shown.get("output")) or text_of(shown.get("contents"))
    output = output or (result if isinstance(result, str) else "")
    code = shown.get("exitCodeV2", shown.get("exitCode"))
    failed = status == "error"
    if status == "rejected" or shown.get("rejected") is True:
        # Nothing was run.
        transcript.counts["rejected"] += 1
    elif isinstance(code, int):
        transcript.answered(id, output, failed=failed, result={"exitCode": code}, index=2)
    else:
        transcript.ran(id, output, failed=failed, index=2)


def _folders(path: Path) -> dict[str, str]:
    """The directory of each composer, from the workspace databases."""
    found: dict[str, str] = {}
    own = path.with_name("workspace.json")
    places = (
        [own]
        if own.is_file()
        else sorted(path.parents[1].glob("workspaceStorage/*/workspace.json"))
    )
    for place in places:
        try:
            folder = text_of(mapping_of(parsed(read_file(place, _LARGEST).decode())).get("folder"))
            with reading(place.with_name("state.vscdb")) as rows:
                listed = _value(rows, "composer.composerData") or {}
        except (OSError, ValueError, NotFound):
            continue
        directory = unquote(urlsplit(folder).path) if folder.startswith("file:") else ""
        for one in list_of(listed.get("allComposers")):
            found[text_of(mapping_of(one).get("composerId"))] = directory
    return found
