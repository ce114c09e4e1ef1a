"""Makefiles: their targets, the commands of a project."""

from __future__ import annotations

import re

from contextd_code.index.formats.format_reader import (
    FileSection,
    FormatReading,
    SourceLines,
    ordered,
)
from contextd_code.index.languages.outline import Outline

_TARGET = re.compile(
    rb"^([A-Za-z0-9][\w./-]*(?:[ \t]+[A-Za-z0-9][\w./-]*)*)[ \t]*::?(?![=:])", re.M
)


def make(data: bytes, path: str) -> FormatReading:
    """The targets of a Makefile that have a plain name, each up to the next one."""
    lines = SourceLines(data)
    starts = list(_TARGET.finditer(data))
    symbols, sections = [], []
    seen: set[str] = set()
    for number, match in enumerate(starts):
        follows = starts[number + 1].start() if number + 1 < len(starts) else len(data)
        body = data[match.start() : follows].split(b"\n\n", 1)[0].rstrip()
        names = match[1].decode("utf-8", "replace").split()
        head = lines.text(lines.row_of(match.start())).decode("utf-8", "replace").strip()
        for name in names[:8]:
            if name not in seen:
                end = match.start() + len(body)
                symbols.append(
                    lines.symbol(name, "target", match.start(), end, signature=head[:240])
                )
            seen.add(name)
        sections.append(FileSection(lines.with_comment(match.start(), (b"#",)), names[0]))
    return FormatReading(Outline(tuple(symbols)), ordered(sections))
