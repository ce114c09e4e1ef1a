"""Jupyter notebooks: the text of their cells, without outputs.

A notebook is converted to a plain text of its cells, and positions in that text are mapped to the lines of the
file. Each code cell is parsed separately: a broken cell does not affect the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import field, replace
from itertools import islice
from typing import Any

from contextd_code.index.formats.format_reader import FileSection
from contextd_code.index.formats.markdown import markdown
from contextd_code.index.languages.language import Language, parsed
from contextd_code.index.languages.outline import Outline
from contextd_code.values.source import Import, Symbol
from contextd_common.dataclass import dataclass

_CELLS = re.compile(r'"cells"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_SOURCE = re.compile(r'"(?:source|input)"\s*:\s*')
_MOST_PLACES = 20
_MAGIC = re.compile(rb"^([ \t]*)[%!?](?=[^\n])", re.M)
_WHOLE_CELL = re.compile(rb"\s*%%(?!time\b|timeit\b|capture\b)")
LARGEST_SOURCE = 1_000_000
"""Bytes of cells; the rest of a notebook is left out."""


@dataclass(slots=True)
class Notebook:
    """The cells as one text, with the line in the file of each of its lines. `in_text` are the definitions with
    positions in the text, those of `outline` with positions in the file.
    """

    text: bytes = b""
    rows: list[int] = field(default_factory=list[int])
    outline: Outline = field(default_factory=Outline)
    sections: tuple[FileSection, ...] = ()
    in_text: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cell:
    kind: str
    source: str
    row: int
    spread: bool


def notebook(data: bytes, languages: dict[str, Language]) -> Notebook:
    """Read a notebook. Raises `ValueError` for a file that is not a notebook, which is then read as plain text."""
    text = data.decode("utf-8", "replace")
    read = _Reader(languages.get(_language(text)))
    for cell in _cells(text):
        if read.size > LARGEST_SOURCE:
            break
        read.take(cell)
    if not read.size:
        raise ValueError("no cells with text in them")
    return read.done(data)


def _language(text: str) -> str:
    """The language of the code, from the metadata, mostly at the end of the file."""
    found = re.search(
        r'"language_info"\s*:\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)?"name"\s*:\s*"(\w+)"', text
    )
    match = found or re.search(r'"kernelspec"\s*:\s*\{[^{}]*"language"\s*:\s*"(\w+)"', text)
    return match[1].lower() if match else "python"


def _cells(text: str) -> Iterator[_Cell]:
    """The cells of a notebook, up to the first broken one."""
    begin = _CELLS.search(text)
    if begin is None:
        raise ValueError("no list of cells")
    decoder = json.JSONDecoder()
    at, row, counted = begin.end(), 0, 0
    while True:
        space = _BETWEEN.match(text, at)
        at = space.end() if space else at
        if text[at : at + 1] != "{":
            return
        try:
            cell, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        source = _source(cell)
        if source.strip():
            start = _place_of(text, at, end, cell, decoder)
            row += text.count("\n", counted, start)
            counted = start
            # In the usual layout every line of a source has a line of the file.
            spread = re.match(r"\[[ \t]*\r?\n", text[start : start + 80]) is not None
            yield _Cell(str(cell.get("cell_type", "")), source, row + spread, spread)
        at = end


def _place_of(text: str, at: int, end: int, cell: Any, decoder: json.JSONDecoder) -> int:
    """Where the source of a cell begins: its outputs may have a key of this name too."""
    wanted = cell.get("source", cell.get("input"))
    for place in islice(_SOURCE.finditer(text, at, end), _MOST_PLACES):
        try:
            if decoder.raw_decode(text, place.end())[0] == wanted:
                return place.end()
        except (ValueError, RecursionError):
            continue
    return at


def _source(cell: Any) -> str:
    source = cell.get("source", cell.get("input", "")) if isinstance(cell, dict) else ""
    if isinstance(source, list):
        return "".join(one for one in source if isinstance(one, str))
    return source if isinstance(source, str) else ""


class _Reader:
    """A notebook during reading."""

    def __init__(self, language: Language | None) -> None:
        self.language = language
        self.size = 0
        self.pieces: list[bytes] = []
        self.rows: list[int] = []
        self.symbols: list[Symbol] = []
        self.imports: list[Import] = []
        self.sections: list[FileSection] = []
        self.title = ""

    def take(self, cell: _Cell) -> None:
        source = cell.source.encode("utf-8", "replace").rstrip() + b"\n"
        if cell.kind == "markdown":
            found = markdown(source, "").sections
            if not found or found[0].start:
                self.sections.append(FileSection(self.size, self.title))
            for one in found:
                # A title continues under the heading of an earlier cell.
                self.title = one.title
                self.sections.append(FileSection(self.size + one.start, one.title))
        else:
            self.sections.append(FileSection(self.size, self.title))
            if cell.kind == "code" and self.language and not _WHOLE_CELL.match(source):
                self._understand(self.language, source)
        count = source.count(b"\n")
        rows = [cell.row + n * cell.spread for n in range(count)]
        self.rows += [*rows, rows[-1]]
        self.pieces += [source, b"\n"]
        self.size += len(source) + 1

    def _understand(self, language: Language, source: bytes) -> None:
        plain = _MAGIC.sub(rb"\1#", source)
        found = language.outline(parsed(language, plain).root_node, plain, "")
        first = len(self.rows)
        self.symbols += [
            replace(
                one,
                start=one.start + self.size,
                end=one.end + self.size,
                start_line=one.start_line + first,
                end_line=one.end_line + first,
            )
            for one in found.symbols
            # Every name that a cell binds is a constant to the parser.
            if one.kind != "constant" or one.name.isupper()
        ]
        self.imports += [replace(one, line=one.line + first) for one in found.imports]

    def done(self, data: bytes) -> Notebook:
        """The notebook, with positions of definitions and imports in the file."""
        starts = [0]
        at = data.find(b"\n")
        while at >= 0:
            starts.append(at + 1)
            at = data.find(b"\n", at + 1)
        starts.append(len(data))

        def row_of(line: int) -> int:
            return self.rows[min(line, len(self.rows)) - 1] + 1

        placed = []
        for one in self.symbols:
            first, last = row_of(one.start_line), row_of(one.end_line)
            start, end = starts[min(first, len(starts) - 1) - 1], starts[min(last, len(starts) - 1)]
            placed.append(
                replace(one, start_line=first, end_line=last, start=start, end=end, exported=False)
            )
        imports = tuple(replace(one, line=row_of(one.line)) for one in self.imports)
        return Notebook(
            text=b"".join(self.pieces),
            rows=self.rows,
            outline=Outline(tuple(placed), imports),
            sections=tuple(self.sections),
            in_text=tuple(self.symbols),
        )


def led_back(rows: list[int], first: int, last: int) -> tuple[int, int]:
    """The lines of the file for lines of the text."""
    start = rows[min(first, len(rows)) - 1] + 1
    return start, max(start, rows[min(last, len(rows)) - 1] + 1)
