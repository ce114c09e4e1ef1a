"""Export records as Markdown for people: one page per record, the turns of a session on one page."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contextd.domain.imported_records import FILE_DIFFERENCES
from contextd.domain.kinds import EPISODE, KINDS
from contextd.domain.records import Record, short_id
from contextd.domain.time import iso

INDEX = "README.md"
_LINKS = ("merged_from", "promoted_from", "promoted_to", "record_id", "bubbleId")
_LONGEST_NAME = 60

Named = Mapping[str, str]
"""The page of each record, by the record's id."""


def pages_of(project: str, records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    """(path, text) of each page; the index is last."""
    turns: dict[str, list[Record]] = defaultdict(list)
    single: list[Record] = []
    for record in sorted(records, key=lambda r: (r.created_at, r.id)):
        if record.kind == EPISODE:
            turns[record.session].append(record)
        else:
            single.append(record)
    paths = {record.id: _path(record) for record in single}
    for session, some in turns.items():
        page = f"episodes/{iso(some[0].created_at)[:10]}-{short_id(session) or 'none'}.md"
        paths |= {record.id: page for record in some}
        yield page, _session_page(session, some)
    for record in single:
        yield paths[record.id], _page(record, paths)
    yield INDEX, _index(project, single, turns, paths)


def _path(record: Record) -> str:
    folder = KINDS[record.kind].collection if record.kind in KINDS else record.kind
    name = record.title or record.content[:80]
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_NAME].strip("-")
    id = re.sub(r"[^A-Za-z0-9_-]", "-", short_id(record.id))[:64]
    return f"{folder}/{slug or 'record'}-{id}.md"


def _page(record: Record, paths: Named) -> str:
    fields = {name: value for name, value in record.data.items() if name != FILE_DIFFERENCES}
    plain = {n: v for n, v in fields.items() if n not in _LINKS and not _is_long(v)}
    long = {n: v for n, v in fields.items() if n not in _LINKS and _is_long(v)}
    parts = [_front(record, plain)]
    if record.title:
        parts.append(f"# {_line(record.title)}")
    parts.append(record.content)
    for name, value in long.items():
        text = (
            "\n".join(f"- {_line(str(one))}" for one in value) if isinstance(value, list) else value
        )
        parts.append(f"## {name.replace('_', ' ').capitalize()}\n\n{text}")
    links = list(_links(record, paths))
    if links:
        parts.append("## Links\n\n" + "\n".join(links))
    return "\n\n".join(parts).rstrip() + "\n"


def _front(record: Record, fields: Mapping[str, Any]) -> str:
    """A record's metadata as YAML front matter, written as JSON because JSON is valid YAML and quotes
    correctly.
    """
    about: dict[str, Any] = {
        "id": record.id,
        "kind": record.kind,
        "status": record.status,
        "trust": record.trust,
        "confidence": round(record.confidence, 2),
        "created": iso(record.created_at),
        "updated": iso(record.updated_at),
        "source": str(record.source),
        "session": record.session,
        "commit": record.anchor.commit,
        "files": sorted(record.anchor.paths),
        "tags": list(record.tags),
        **fields,
    }
    properties = {name: value for name, value in about.items() if value not in ("", None, [], {})}
    lines = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in properties.items()
    ]
    return "\n".join(["---", *lines, "---"])


def _links(record: Record, paths: Named) -> Iterator[str]:
    named = [(name, record.data.get(name)) for name in _LINKS]
    named.append(("replaced by", record.canonical_id))
    for name, value in named:
        for id in value if isinstance(value, list) else [value]:
            if isinstance(id, str) and id:
                where = paths.get(id)
                shown = f"[{short_id(id)}](../{where})" if where else short_id(id)
                yield f"- {name.replace('_', ' ')}: {shown}"


def _session_page(session: str, turns: Sequence[Record]) -> str:
    first = turns[0]
    about = {"session": session, "client": first.source.client, "branch": first.anchor.branch}
    lines = [f"{name}: {json.dumps(value)}" for name, value in about.items() if value]
    parts = ["\n".join(["---", *lines, f"began: {iso(first.created_at)}", "---"])]
    for turn in turns:
        parts.append(f"## {_line(turn.title) or 'A turn'}\n\n{turn.content}")
        files = turn.data.get("files")
        if isinstance(files, list) and files:
            parts.append("Files: " + ", ".join(f"`{path}`" for path in files))
    return "\n\n".join(parts).rstrip() + "\n"


def _index(
    project: str, single: Sequence[Record], turns: Mapping[str, Sequence[Record]], paths: Named
) -> str:
    parts = [f"# Knowledge of {project}", "Written by `contextd export --format markdown`."]
    by_kind: dict[str, list[Record]] = defaultdict(list)
    for record in single:
        by_kind[record.kind].append(record)
    for kind, some in sorted(by_kind.items()):
        lines = [f"- [{_line(r.title or r.content)[:100]}]({paths[r.id]})" for r in some]
        parts.append("\n".join([f"## {kind.replace('_', ' ').capitalize()}", "", *lines]))
    if turns:
        pages = dict.fromkeys(paths[some[0].id] for some in turns.values())
        parts.append(
            "\n".join(["## Sessions", "", *(f"- [{page[9:-3]}]({page})" for page in pages)])
        )
    return "\n\n".join(parts) + "\n"


def _is_long(value: Any) -> bool:
    return (isinstance(value, str) and ("\n" in value or len(value) > 120)) or isinstance(
        value, list
    )


def _line(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())
