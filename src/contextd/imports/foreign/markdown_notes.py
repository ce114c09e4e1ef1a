"""basic-memory's notes: Markdown with observations `- [category] text #tag (context)` and relations
`- relates_to [[Other note]]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from contextd.domain.records import digest
from contextd.imports.foreign.format import ForeignFormat, Item, Note, Unread
from contextd.imports.foreign.markdown_parts import front_matter, parts_of
from contextd.imports.foreign.safe_reading import listed, moment_of, plain_text, text_of

_LARGEST = 4 * 1024 * 1024
_OBSERVATION = re.compile(r"^\[([^\[\]()]+)\]\s+(.+)$", re.S)
_CLOCK = re.compile(r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s+-\s+[\d:.,]+)?")
_RELATION = re.compile(r"^(?:\"([^\"]+)\"|'([^']+)'|(\S+))\s+\[\[([^\]]+)\]\]\s*(?:\([^()]*\))?$")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")


def _read(path: Path, shown: str) -> Iterator[Item]:
    about, body = front_matter(text_of(path, _LARGEST))
    title = plain_text(about.get("title")) or path.stem
    written = moment_of(about.get("created")) or moment_of(about.get("modified"))
    tags = listed(about.get("tags"))
    named = plain_text(about.get("permalink")) or shown
    prose: list[str] = []
    relations: list[str] = []
    for part in parts_of(body):
        relation = _RELATION.match(part.text)
        observation = _OBSERVATION.match(part.text)
        if relation:
            relations.append(f"{relation[1] or relation[2] or relation[3]} {relation[4]}")
        elif observation and not _is_mark(observation[1]):
            yield Note(
                key=f"{named} {digest(part.text)}",
                title=title,
                content=observation[2].strip(),
                tags=tuple(
                    dict.fromkeys((observation[1].strip(), *_TAG.findall(part.text), *tags))
                ),
                said_by=shown,
                created=written,
            )
        else:
            prose.append(part.text)
    if relations:
        prose.append("\n".join(f"{title} {one.replace('_', ' ')}" for one in relations))
    if prose:
        content = "\n\n".join(prose)
        yield Note(
            key=f"{named} {digest(content)}",
            title=title,
            content=content[:40_000],
            tags=tags,
            said_by=shown,
            created=written,
        )
    elif not body.strip():
        yield Unread(shown, "it is empty")


def _is_mark(category: str) -> bool:
    """A checkbox of a task list, or a timestamp of a transcript."""
    name = category.strip()
    return bool(_CLOCK.fullmatch(name)) or len(name) <= 1


def _is_note(path: Path, head: bytes) -> bool:
    if path.suffix != ".md" or not head.startswith(b"---"):
        return False
    about, body = front_matter(head.decode("utf-8", "replace"))
    typed = "permalink" in about and "title" in about
    return typed or bool(re.search(r"^- \[[\w -]{2,40}\] \S", body, re.M) and "title" in about)


NOTES = (
    ForeignFormat(
        name="basic-memory",
        title="basic-memory note",
        detects=_is_note,
        read=_read,
        followed=True,
    ),
)
