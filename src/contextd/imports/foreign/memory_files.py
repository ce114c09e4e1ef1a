"""Memory tools with a JSON file: mem0's export, the reference MCP memory server, Letta's agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from contextd.domain.records import digest
from contextd.imports.foreign.format import ForeignFormat, Item, Note, Surroundings, Unread
from contextd.imports.foreign.safe_reading import (
    json_lines,
    json_of,
    listed,
    moment_of,
    plain_text,
    text_of,
)
from contextd.imports.importers.transcript_builder import list_of, mapping_of
from contextd_common.errors import Invalid


def _mem0(path: Path, shown: str) -> Iterator[Item]:
    del shown
    document = json_of(path, text_of(path))
    found = document
    if isinstance(document, Mapping):
        found = next((document[n] for n in ("results", "memories") if n in document), None)
    if not isinstance(found, list):
        raise Invalid(f"{path} has no list of memories", "export mem0's memories as JSON")
    for number, row in enumerate(found):
        row = mapping_of(row)
        text = plain_text(row.get("memory"))
        if not text:
            yield Unread(f"[{number}]", "no memory")
            continue
        about = mapping_of(row.get("metadata"))
        yield Note(
            key=plain_text(row.get("id")) or digest(text),
            content=text,
            tags=(*listed(row.get("categories")), *listed(about.get("tags"))),
            said_by="mem0",
            sure=False,
            created=moment_of(row.get("created_at")),
            updated=moment_of(row.get("updated_at")),
        )


def _is_mem0(path: Path, head: bytes) -> bool:
    return path.suffix == ".json" and b'"memory"' in head and b'"id"' in head


def _graph(path: Path, shown: str) -> Iterator[Item]:
    """One note per entity, with its observations and relations."""
    del shown
    entities: dict[str, tuple[str, list[str]]] = {}
    relations: dict[str, list[str]] = defaultdict(list)
    for place, line in json_lines(path):
        if isinstance(line, Unread):
            yield line
            continue
        line = mapping_of(line)
        name, sort = plain_text(line.get("name")), line.get("type")
        if sort == "entity" and name:
            known = entities.get(name, (plain_text(line.get("entityType")), []))
            entities[name] = (known[0], [*known[1], *listed(line.get("observations"))])
        elif sort == "relation" and line.get("from") and line.get("to"):
            how = plain_text(line.get("relationType")) or "relates to"
            relations[str(line["from"])].append(f"{how} {line['to']}")
        else:
            yield Unread(place, "neither entity nor relation")
    for name, (sort, observations) in entities.items():
        statements = [*dict.fromkeys(observations), *(f"{name} {how}" for how in relations[name])]
        if not statements:
            yield Unread(name, "the entity has no observations")
            continue
        yield Note(
            key=name,
            title=name,
            content="\n".join(f"- {one}" for one in statements),
            tags=(sort.lower(),) if sort else (),
            said_by="memory",
            sure=False,
        )


def _is_graph(path: Path, head: bytes) -> bool:
    first = head.lstrip().partition(b"\n")[0]
    typed = b'"type":"entity"' in first.replace(b" ", b"") or b'"type":"relation"' in first.replace(
        b" ", b""
    )
    return path.suffix in (".json", ".jsonl") and typed


def _graph_places(around: Surroundings) -> Iterator[Path]:
    chosen = around.environment.get("MEMORY_FILE_PATH", "")
    if chosen and Path(chosen).is_file():
        yield Path(chosen)


def _letta(path: Path, shown: str) -> Iterator[Item]:
    del shown
    document = json_of(path, text_of(path))
    blocks = document.get("blocks") if isinstance(document, Mapping) else None
    if not isinstance(blocks, list):
        raise Invalid(f"{path} has no memory blocks", "export the agent as an agent file (.af)")
    for number, block in enumerate(blocks):
        block = mapping_of(block)
        value = plain_text(block.get("value"))
        if not value:
            yield Unread(f"blocks[{number}]", "it is empty")
            continue
        label = plain_text(block.get("label"))
        yield Note(
            key=f"{label} {digest(value)}",
            title=label,
            content=value,
            tags=(label.lower(),) if label else (),
            said_by="letta",
            sure=False,
            created=moment_of(document.get("created_at")),
        )
    agents = map(mapping_of, document.get("agents") or ())
    messages = sum(len(list_of(agent.get("messages"))) for agent in agents)
    if messages:
        yield Unread("agents", f"{messages} messages skipped: only the agent's memory is read")


def _is_letta(path: Path, head: bytes) -> bool:
    return path.suffix == ".af" or (
        path.suffix == ".json" and b'"agents"' in head and b'"blocks"' in head
    )


FILES = (
    ForeignFormat(
        name="mcp-memory",
        title="memory.json of the reference MCP memory server",
        detects=_is_graph,
        read=_graph,
        places=_graph_places,
    ),
    ForeignFormat(name="letta", title="Letta agent file", detects=_is_letta, read=_letta),
    ForeignFormat(name="mem0-export", title="mem0 export", detects=_is_mem0, read=_mem0),
)
