"""Instruction files for agents, memory files of agents, and architecture decisions in a repository."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from contextd.clients import CLIENTS
from contextd.domain.applies_to import FIELD
from contextd.domain.own_passages import without_own_passages
from contextd.domain.records import Trust, digest
from contextd.files.disk import target_inside
from contextd.imports.foreign.format import ForeignFormat, Item, Note, Surroundings, Unread
from contextd.imports.foreign.markdown_parts import MarkdownPart, front_matter, parts_of
from contextd.imports.foreign.rule_limits import NESTED, limits_of
from contextd.imports.foreign.safe_reading import plain_text, text_of
from contextd.redaction.cutting import beginning
from contextd_code.tree.named_files import files_named
from contextd_common.errors import Denied
from contextd_common.text.words import unpunctuated

_LARGEST = 1024 * 1024
_LONGEST = 1_000
"""Maximum characters of a discovery; longer text becomes a context entry."""

_LONGEST_TITLE = 200
_MOST_FILES = 300
_AT_THE_ROOT = (
    "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md",
    "GEMINI.md", "QWEN.md", ".cursorrules", ".windsurfrules", ".clinerules", ".rules",
    ".github/copilot-instructions.md",
)  # fmt: skip
_IN_FOLDERS = (
    ".cursor/rules/**/*.mdc", ".github/instructions/*.instructions.md", ".windsurf/rules/*.md",
    ".clinerules/*.md", ".claude/rules/**/*.md",
)  # fmt: skip
_BELOW = (
    *(f"**/{name}" for name in NESTED),
    "**/.cursor/rules/**/*.mdc",
    "**/.claude/rules/**/*.md",
)
"""Files in folders below the root, whose clients read them for the work in that folder."""

_DECISIONS = (
    "docs/adr",
    "docs/adrs",
    "adr",
    "doc/adr",
    "docs/decisions",
    "docs/architecture/decisions",
)
_MEMORIES = ("MEMORY.md", ".claude/MEMORY.md", "memory-bank/*.md", ".serena/memories/*.md")

_INSTRUCTION_NAMES = frozenset(Path(name).name for name in _AT_THE_ROOT)
_ADR_NAME = re.compile(r"(?:adr[-_]?)?\d{1,5}[-_.].*\.md", re.I)


def read_sections(kind: str, trust: Trust) -> Callable[[Path, str], Iterator[Item]]:
    """A reader that makes what stands under each heading a note of type `kind`, with the trust of its file. A note
    keeps its key while its headings stay, so that a rewritten section updates its record. Each note applies to
    the files that the whole file is for.
    """

    def read(path: Path, shown: str) -> Iterator[Item]:
        written = _written(path)
        about, body = front_matter(without_own_passages(text_of(path, _LARGEST)))
        limits = limits_of(shown, about)
        limited = {FIELD: list(limits)} if limits else {}
        name = plain_text(about.get("description")) or plain_text(about.get("name"))
        sections: dict[tuple[str, ...], list[MarkdownPart]] = {}
        for part in parts_of(body):
            if not _says_nothing(part.text):
                sections.setdefault(part.headings, []).append(part)
        for headings, parts in sections.items():
            text = _section(parts)
            short = len(text) <= _LONGEST
            yield Note(
                key=digest("\n".join((*headings, "discovery" if short else "context")).casefold()),
                kind="discovery" if short else "context",
                title=beginning(" › ".join(headings) or name, _LONGEST_TITLE),
                content=text,
                tags=tuple(filter(None, (beginning(one, 60) for one in headings[-2:] or (name,)))),
                data={**_filed(kind, shown), **limited} if short else limited,
                said_by=shown,
                trust=trust,
                created=written,
            )

    return read


def _filed(kind: str, shown: str) -> dict[str, Any]:
    """The fields of a discovery of this type from a file."""
    return {"type": kind, "origin": "instructions", "file": shown}


def _section(parts: Sequence[MarkdownPart]) -> str:
    """The text under a heading; nothing is said twice. A single item needs no mark."""
    by_words: dict[str, MarkdownPart] = {}
    for part in parts:
        by_words.setdefault(unpunctuated(part.text), part)
    distinct = list(by_words.values())
    if len(distinct) == 1:
        return distinct[0].text
    return "\n".join(f"- {part.text}" if part.listed else part.text for part in distinct)


def _decision(path: Path, shown: str) -> Iterator[Item]:
    """An architecture decision as one note: the decision and its reason."""
    written = without_own_passages(text_of(path, _LARGEST))
    _, body = front_matter(written)
    parts = [part for part in parts_of(body) if not _says_nothing(part.text)]
    title = next((part.headings[0] for part in parts if part.headings), path.stem)
    texts_by_section: dict[str, list[str]] = {}
    for part in parts:
        section = part.headings[-1].lower() if len(part.headings) > 1 else ""
        texts_by_section.setdefault(section, []).append(part.text)
    wanted = [name for name in texts_by_section if re.search(r"decision|outcome|entscheid", name)]
    chosen = [text for name in wanted for text in texts_by_section[name]] or [
        part.text for part in parts
    ]
    if not chosen:
        yield Unread(shown, "no decision found")
        return
    # "Rejected alternatives" may begin a line, too.
    if re.search(r"^\W*status\W+(?:superseded|deprecated|rejected)\b", written, re.I | re.M):
        yield Unread(shown, "the decision is no longer in force")
        return
    content = "\n".join(chosen)
    content = (
        content if len(content) <= _LONGEST else content[: _LONGEST - 2].rsplit(" ", 1)[0] + " …"
    )
    yield Note(
        key=digest(f"{title} {content}".casefold()),
        kind="discovery",
        title=beginning(title, 200),
        content=content,
        data=_filed("decision", shown),
        said_by=shown,
        trust="human",
        created=_written(path),
    )


def _says_nothing(text: str) -> bool:
    """A line that only includes another file, or is a link, a picture or a horizontal rule."""
    return bool(re.fullmatch(r"@\S+|[-*_=\s]{3,}|!?\[[^\]]*\]\([^)]*\)|\|.*\|", text, re.S))


def _written(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None


def _of_instructions(around: Surroundings) -> Iterator[Path]:
    for root in around.roots:
        yield from _inside(root, (root / name for name in _AT_THE_ROOT))
        for pattern in _IN_FOLDERS:
            yield from _inside(root, sorted(root.glob(pattern)))
        # Those at the root were found above, whether git ignores them or not.
        below = [path for path in files_named(root, _BELOW) if limits_of(path, {})]
        yield from _inside(root, (root / path for path in below))


def _of_memories(around: Surroundings) -> Iterator[Path]:
    for root in around.roots:
        for pattern in _MEMORIES:
            yield from _inside(root, sorted(root.glob(pattern)))
        yield from sorted(claude_memory(around, root).glob("*.md"))


def claude_memory(around: Surroundings, root: Path) -> Path:
    """The folder with Claude Code's memory of a checkout: its name is the path with dashes for everything
    but letters and digits.
    """
    chosen = around.environment.get("CLAUDE_CONFIG_DIR", "")
    config = Path(chosen) if chosen else around.home / ".claude"
    return config / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root)) / "memory"


def _of_decisions(around: Surroundings) -> Iterator[Path]:
    for root in around.roots:
        for folder in _DECISIONS:
            found = (
                one for one in sorted((root / folder).glob("*.md")) if _ADR_NAME.fullmatch(one.name)
            )
            yield from _inside(root, found)


def _of_the_person(around: Surroundings) -> Iterator[Path]:
    for client in CLIENTS.values():
        chosen = around.environment.get(client.configuration.variable, "")
        for place in client.own_instructions:
            paths = place.paths(around.home, Path(chosen).expanduser() if chosen else None)
            found = next((path for path in paths if path.exists()), None)
            if found is not None and found.is_dir():
                yield from islice(sorted(found.glob("**/*.md")), _MOST_FILES)
            elif found is not None:
                yield found


def _inside(root: Path, paths: Iterable[Path]) -> Iterator[Path]:
    """The existing files inside the checkout; skips links that leave it."""
    for path in islice((one for one in paths if one.is_file()), _MOST_FILES):
        try:
            target_inside(root, path)
        except Denied:
            continue
        yield path


def _is_instructions(path: Path, head: bytes) -> bool:
    del head
    return (
        path.name in _INSTRUCTION_NAMES
        or path.suffix == ".mdc"
        or path.name.endswith(".instructions.md")
    )


def _is_memory(path: Path, head: bytes) -> bool:
    del head
    return path.suffix == ".md" and (
        path.name == "MEMORY.md" or path.parent.name in ("memory", "memories", "memory-bank")
    )


def _is_decision(path: Path, head: bytes) -> bool:
    del head
    folder = path.parent.as_posix()
    return bool(_ADR_NAME.fullmatch(path.name)) and any(folder.endswith(one) for one in _DECISIONS)


INSTRUCTIONS = (
    ForeignFormat(
        name="own-instructions",
        title="a person's own instructions for agents",
        read=read_sections("rule", "human"),
        places=_of_the_person,
        belongs="person",
        followed=True,
    ),
    ForeignFormat(
        name="instructions",
        title="instructions for agents",
        detects=_is_instructions,
        read=read_sections("rule", "human"),
        places=_of_instructions,
        belongs="project",
        followed=True,
    ),
    ForeignFormat(
        name="memory-files",
        title="an agent's memory files",
        detects=_is_memory,
        read=read_sections("fact", "agent"),
        places=_of_memories,
        belongs="project",
        followed=True,
    ),
    ForeignFormat(
        name="decisions",
        title="architecture decision records",
        detects=_is_decision,
        read=_decision,
        places=_of_decisions,
        belongs="project",
        followed=True,
    ),
)
