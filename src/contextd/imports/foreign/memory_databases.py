"""Memory tools with a SQLite file: claude-mem, engram, mem0, mcp-memory-service.

Columns differ between their versions, so every column is optional here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from contextd.imports.databases import ForeignDatabase, Row, has_columns, reading
from contextd.imports.foreign.format import ForeignFormat, Item, Note, Surroundings, Unread
from contextd.imports.foreign.safe_reading import listed, moment_of, plain_text
from contextd.redaction.cutting import beginning

_LONGEST_DISCOVERY = 1_000
"""Maximum characters of a discovery; longer text becomes a context entry."""

_TYPES = {
    "decision": "decision", "architecture": "decision", "bugfix": "issue", "pattern": "pattern",
    "preference": "rule", "policy": "rule", "rule": "rule",
}  # fmt: skip
"""The tools' observation types as types of discoveries. All others are facts."""

Rows = Callable[[ForeignDatabase], Iterator[Item]]


def _reader(rows: Rows) -> Callable[[Path, str], Iterator[Item]]:
    @wraps(rows)
    def read(path: Path, shown: str) -> Iterator[Item]:
        del shown
        with reading(path) as database:
            yield from rows(database)

    return read


def _observed(sort: str, title: str, content: str) -> dict[str, Any]:
    """The kind and fields of an observation."""
    text = content or title
    if len(text) <= _LONGEST_DISCOVERY:
        kind, fields = "discovery", {"type": _TYPES.get(sort, "fact"), "origin": "memory_file"}
    else:
        kind, fields = "context", {}
    return {"kind": kind, "data": fields, "title": title if content else "", "content": text}


def _claude_mem(database: ForeignDatabase) -> Iterator[Item]:
    wanted = (
        "id", "project", "merged_into_project", "type", "title", "subtitle", "narrative", "text",
        "facts", "concepts", "created_at", "created_at_epoch",
    )  # fmt: skip
    for row in database.rows("observations", wanted, "id"):
        title = plain_text(row["title"]) or plain_text(row["subtitle"])
        body = plain_text(row["narrative"]) or plain_text(row["text"])
        facts = "\n".join(f"- {fact}" for fact in listed(row["facts"]))
        content = "\n".join(part for part in (body, facts) if part)
        place = f"observations {row['id']}"
        if not (title or content):
            yield Unread(place, "it has no text")
            continue
        sort = plain_text(row["type"])
        yield Note(
            **_observed(sort, title, content),
            key=f"observation {row['id']} {row['created_at_epoch']}",
            tags=tuple(tag for tag in (sort, *listed(row["concepts"])[:10]) if tag),
            said_by="claude-mem",
            sure=False,
            created=moment_of(row["created_at_epoch"]) or moment_of(row["created_at"]),
            project=plain_text(row["merged_into_project"]) or plain_text(row["project"]),
        )
    yield from _claude_mem_summaries(database)


def _claude_mem_summaries(database: ForeignDatabase) -> Iterator[Item]:
    parts = ("learned", "completed", "next_steps", "notes")
    wanted = ("id", "project", "request", *parts, "created_at", "created_at_epoch")
    for row in database.rows("session_summaries", wanted, "id"):
        lines = [
            f"{n.replace('_', ' ').capitalize()}: {plain_text(row[n])}" for n in parts if row[n]
        ]
        if not lines:
            yield Unread(f"session_summaries {row['id']}", "it has no text")
            continue
        yield Note(
            **_observed("summary", beginning(plain_text(row["request"]), 200), "\n".join(lines)),
            key=f"summary {row['id']} {row['created_at_epoch']}",
            tags=("session-summary",),
            said_by="claude-mem",
            sure=False,
            created=moment_of(row["created_at_epoch"]) or moment_of(row["created_at"]),
            project=plain_text(row["project"]),
        )


def _engram(database: ForeignDatabase) -> Iterator[Item]:
    sessions = database.rows("sessions", ("id", "directory"), "id")
    directories = {row["id"]: plain_text(row["directory"]) for row in sessions}
    wanted = (
        "id", "sync_id", "session_id", "type", "title", "content", "project", "topic_key",
        "created_at", "updated_at", "deleted_at",
    )  # fmt: skip
    for row in database.rows("observations", wanted, "id"):
        content = plain_text(row["content"])
        if row["deleted_at"] or not content:
            why = "it was deleted there" if row["deleted_at"] else "it has no text"
            yield Unread(f"observations {row['id']}", why)
            continue
        sort, topic = plain_text(row["type"]), plain_text(row["topic_key"])
        yield Note(
            **_observed(sort, plain_text(row["title"]), content),
            key=str(row["sync_id"] or f"{row['id']} {row['created_at']}"),
            tags=tuple(tag for tag in (sort, topic) if tag),
            said_by="engram",
            created=moment_of(row["created_at"]),
            updated=moment_of(row["updated_at"]),
            cwd=directories.get(row["session_id"], ""),
            project=plain_text(row["project"]),
        )


def _mem0_history(database: ForeignDatabase) -> Iterator[Item]:
    """The last state of each memory: the table holds their histories."""
    wanted = ("memory_id", "new_memory", "event", "created_at", "updated_at", "is_deleted")
    latest: dict[str, Row] = {}
    for row in database.rows("history", wanted):
        latest[str(row["memory_id"])] = row
    for id, row in latest.items():
        text = plain_text(row["new_memory"])
        if row["is_deleted"] or plain_text(row["event"]).upper() == "DELETE" or not text:
            yield Unread(f"history of {id}", "it was deleted there")
            continue
        yield Note(
            key=id,
            content=text,
            said_by="mem0",
            sure=False,
            created=moment_of(row["created_at"]),
            updated=moment_of(row["updated_at"]),
        )


def _memory_service(database: ForeignDatabase) -> Iterator[Item]:
    wanted = (
        "content_hash", "content", "tags", "memory_type", "metadata", "created_at", "updated_at",
        "deleted_at",
    )  # fmt: skip
    for row in database.rows("memories", wanted):
        text = plain_text(row["content"])
        if row["deleted_at"] or not text:
            why = "it was deleted there" if row["deleted_at"] else "it has no text"
            yield Unread(f"memories {str(row['content_hash'])[:12]}", why)
            continue
        sort = plain_text(row["memory_type"])
        yield Note(
            key=str(row["content_hash"]),
            content=text,
            tags=tuple(dict.fromkeys(tag for tag in (sort, *listed(row["tags"])) if tag)),
            said_by="mcp-memory-service",
            created=moment_of(row["created_at"]),
            updated=moment_of(row["updated_at"]),
            project=_named_in(row["metadata"]),
        )


def _named_in(metadata: Any) -> str:
    try:
        fields = json.loads(metadata) if isinstance(metadata, str) and metadata else {}
    except (ValueError, RecursionError):
        return ""
    return plain_text(fields.get("project")) if isinstance(fields, dict) else ""


def _has(**columns: str) -> Callable[[Path, bytes], bool]:
    wanted = {table: frozenset(names.split()) for table, names in columns.items()}
    return lambda path, head: has_columns(path, head, wanted)


def _below(variable: str, directory: str, *names: str) -> Callable[[Surroundings], Iterable[Path]]:
    def places(around: Surroundings) -> Iterable[Path]:
        chosen = around.environment.get(variable, "")
        root = Path(chosen) if chosen else around.home / directory
        return [root / name for name in names if (root / name).is_file()]

    return places


_SERVICE = ".local/share/mcp-memory"

DATABASES = (
    ForeignFormat(
        name="claude-mem",
        title="claude-mem's database",
        detects=_has(observations="type created_at", sdk_sessions="project"),
        read=_reader(_claude_mem),
        places=_below("CLAUDE_MEM_DATA_DIR", ".claude-mem", "claude-mem.db"),
        belongs="named",
    ),
    ForeignFormat(
        name="engram",
        title="engram's database",
        detects=_has(observations="title content", sessions="directory"),
        read=_reader(_engram),
        places=_below("ENGRAM_DATA_DIR", ".engram", "engram.db"),
        belongs="named",
    ),
    ForeignFormat(
        name="mem0",
        title="mem0's history database",
        detects=_has(history="memory_id new_memory event"),
        read=_reader(_mem0_history),
        places=_below("MEM0_DIR", ".mem0", "history.db"),
    ),
    ForeignFormat(
        name="mcp-memory-service",
        title="mcp-memory-service's database",
        detects=_has(memories="content_hash content tags"),
        read=_reader(_memory_service),
        places=_below("MCP_MEMORY_BASE_DIR", _SERVICE, "sqlite_vec.db"),
    ),
)
