"""Chunk a file at its boundaries: split large nodes, merge small ones.

After cAST (Zhang et al. 2025): a node that fits stays whole, one that does not is replaced by its children, and
neighbours are merged up to the limit. The chunks cover every byte once.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from tree_sitter import Node

from contextd_code.index.formats.format_reader import FileSection
from contextd_code.values.source import Chunk, Symbol

LIMIT = 1_500
"""Characters of a chunk that are not white space, counted in bytes."""

_SMALL = 250
_WEIGHTS = bytes(0 if byte in b" \t\r\n\f\v" else 1 for byte in range(256))
_SEAM = re.compile(rb"\n(?:[ \t]*\r?\n)+|\n(?=#{1,6} )")
_HEADING = re.compile(rb"(?:\A|\n)#{1,6} [^\n]*\s*\Z")
_REST_OF_LINE = re.compile(rb"[ \t;,]*\r?\n")
_LEADING = frozenset(
    "comment line_comment block_comment decorator attribute_item hash_bang_line".split()
)


def chunks(
    path: str,
    language: str,
    data: bytes,
    root: Node | None,
    symbols: Sequence[Symbol],
    spans: Sequence[tuple[int, int]] | None = None,
    sections: Sequence[FileSection] = (),
) -> tuple[Chunk, ...]:
    """The chunks of a file, given as UTF-8. Without a tree, it is cut at its `sections`, at blank lines and
    headings, then at lines. Where only the `spans` of it were parsed, the rest is cut like text. A chunk is
    named after its section, or else after its main definition. A file of white space only has none.
    """
    if not data.strip():
        return ()
    weights = [0, *accumulate(data.translate(_WEIGHTS))]
    if root is None and sections:
        ends = _section_ends(data, weights, sections)
    elif root is None:
        ends = _text_ends(data, weights)
    elif spans is None:
        ends = _tree_ends(data, [root], weights, 0, len(data))
    else:
        ends = _mixed_ends(data, root, weights, spans)
    ends = _merged(_at_line_ends(data, ends), weights)
    titles = _Titles(sections, len(data)) if sections else None
    starts = [symbol.start for symbol in symbols]

    def title(start: int, end: int) -> str:
        section_title = titles.of(start, end) if titles is not None else ""
        return section_title or _main_symbol(symbols, starts, start, end)

    return tuple(_made(path, language, data, ends, title))


def _made(
    path: str, language: str, data: bytes, ends: Sequence[int], title: Callable[[int, int], str]
) -> Iterator[Chunk]:
    seen: dict[bytes, int] = {}
    start, line = 0, 1
    for end in ends:
        piece = data[start:end]
        # Equal chunks of one file need different ids; they share a vector by their text.
        count = seen[piece] = seen.get(piece, -1) + 1
        last = line + piece.count(b"\n")
        yield Chunk(
            id=_chunk_id(path, language, piece, count),
            path=path,
            start_line=line,
            end_line=max(line, last - piece.endswith(b"\n")),
            text=piece.decode("utf-8", "replace"),
            symbol=title(start, end),
            language=language,
        )
        start, line = end, last


def _chunk_id(path: str, language: str, piece: bytes, count: int) -> str:
    free = hashlib.blake2b(piece, digest_size=16)
    # The number is not needed, but other ids would need new vectors.
    free.update(f"\0{language}\0001".encode())
    return hashlib.blake2b(
        free.digest() + f"\0{count}\0{path}".encode("utf-8", "surrogateescape"), digest_size=16
    ).hexdigest()


def owned_id(piece: Chunk, owner: str) -> str:
    """The id of a chunk in an index: equal files of two owners are two documents."""
    return hashlib.blake2b(f"{owner}\0{piece.id}".encode(), digest_size=16).hexdigest()


def _main_symbol(symbols: Sequence[Symbol], starts: Sequence[int], start: int, end: int) -> str:
    """The main definition of a chunk: the largest that starts in it, or the innermost around it."""
    low, high = bisect_right(starts, start - 1), bisect_right(starts, end - 1)
    best: Symbol | None = None
    for symbol in symbols[low:high]:
        if best is None or min(symbol.end, end) - symbol.start > min(best.end, end) - best.start:
            best = symbol
    if best is None:
        # Further back only the enclosing definitions remain, which are few: stop after a
        # limit.
        for symbol in reversed(symbols[max(0, low - 500) : low]):
            if symbol.end >= end or symbol.end > (start + end) // 2:
                best = symbol
                break
    if best is None:
        return ""
    return f"{best.parent}.{best.name}" if best.parent else best.name


class _Titles:
    """The titles of chunks: each that of the section with its largest part."""

    def __init__(self, sections: Sequence[FileSection], size: int) -> None:
        self._titles = ["", *(one.title for one in sections)]
        self._starts = [0, *(one.start for one in sections)]
        self._ends = [*self._starts[1:], size]

    def of(self, start: int, end: int) -> str:
        """The title of the chunk between two offsets."""
        low = max(0, bisect_right(self._starts, start) - 1)
        high = max(low + 1, bisect_right(self._starts, end - 1))
        return self._titles[
            max(
                range(low, high),
                key=lambda n: min(self._ends[n], end) - max(self._starts[n], start),
            )
        ]


def _section_ends(
    data: bytes, weights: Sequence[int], sections: Sequence[FileSection]
) -> list[int]:
    """Chunk ends of a file with sections: each section by itself, a long one like text."""
    ends: list[int] = []
    starts = sorted({0, *(one.start for one in sections if one.start < len(data))})
    for start, stop in zip(starts, [*starts[1:], len(data)], strict=True):
        if weights[stop] - weights[start] <= LIMIT:
            ends.append(stop)
        else:
            ends += [start + e for e in _text_ends(data[start:stop], weights[start : stop + 1])]
    return ends


def _mixed_ends(
    data: bytes, root: Node, weights: Sequence[int], spans: Sequence[tuple[int, int]]
) -> list[int]:
    """Chunk ends of a file that is parsed in `spans` only."""
    ends: list[int] = []
    at = 0
    for start, stop in [*spans, (len(data), len(data))]:
        if start > at:
            ends += [at + end for end in _text_ends(data[at:start], weights[at : start + 1])]
        nodes = [n for n in root.children if start <= n.start_byte < stop]
        if nodes and nodes[-1].end_byte <= stop:
            ends += _tree_ends(data, nodes, weights, start, stop)
        elif stop > start:
            # Broken code, parsed beyond the end of its script.
            ends += [start + e for e in _text_ends(data[start:stop], weights[start : stop + 1])]
        at = stop
    return ends


def _tree_ends(
    data: bytes, nodes: Sequence[Node], weights: Sequence[int], start: int, stop: int
) -> list[int]:
    """Chunk ends between `start` and `stop`, merging siblings only. The tree may have any depth: no recursion."""
    ends: list[int] = []
    reached = start
    waiting: list[Node | None] = list(reversed(nodes))
    pending = -1
    while waiting:
        node = waiting.pop()
        if node is None:
            if reached > start:
                ends.append(reached)
                start = reached
            continue
        end = node.end_byte
        if end <= reached:
            continue
        if weights[end] - weights[start] <= LIMIT:
            # A comment belongs to the definition after it, so remember where a run of
            # comments began.
            pending = (pending if pending >= 0 else reached) if node.type in _LEADING else -1
            reached = end
            continue
        if pending >= 0 and pending > start:
            ends.append(pending)
            start = pending
        elif pending < 0 and reached > start:
            ends.append(reached)
            start = reached
        pending = -1
        if weights[end] - weights[start] <= LIMIT:
            reached = end
        elif node.child_count:
            waiting.append(None)
            waiting.extend(reversed(node.children))
        else:
            ends += _line_ends(data, start, end, weights)
            start = reached = end
    return [*ends, stop]


def _text_ends(data: bytes, weights: Sequence[int]) -> list[int]:
    """Chunk ends in plain text: paragraphs and sections, merged up to the limit."""
    ends: list[int] = []
    start = reached = 0
    for stop in [*(seam.end() for seam in _SEAM.finditer(data)), len(data)]:
        if _HEADING.search(data, max(reached - 1, stop - 200, 0), stop) and stop < len(data):
            # A heading belongs to the text below it.
            continue
        if weights[stop] - weights[start] > LIMIT and reached > start:
            ends.append(reached)
            start = reached
        if weights[stop] - weights[start] > LIMIT:
            lines = _line_ends(data, start, stop, weights)
            ends += lines
            start = lines[-1]
        reached = stop
    return [*ends, len(data)]


def _line_ends(data: bytes, start: int, end: int, weights: Sequence[int]) -> list[int]:
    """Cuts of one long stretch, at line ends if possible; the last one is `end`."""
    ends: list[int] = []
    while weights[end] - weights[start] > LIMIT:
        stop = bisect_right(weights, weights[start] + LIMIT, start, end + 1) - 1
        line = data.rfind(b"\n", start, stop) + 1
        cut = line if line > start else stop
        # Never inside a character of several bytes.
        while cut > start + 1 and data[cut] & 0xC0 == 0x80:
            cut -= 1
        ends.append(cut)
        start = cut
    return [*ends, end]


def _at_line_ends(data: bytes, ends: Sequence[int]) -> list[int]:
    """The same cuts, moved past the rest of a blank line."""
    moved: list[int] = []
    for end in ends:
        rest = _REST_OF_LINE.match(data, end)
        cut = rest.end() if rest is not None else end
        if not moved or cut > moved[-1]:
            moved.append(cut)
    return moved


def _merged(ends: Sequence[int], weights: Sequence[int]) -> list[int]:
    """The cuts left after small chunks are merged with the previous or next one."""
    cuts: list[int] = []
    start = before = 0
    for end in ends:
        weight = weights[end] - weights[start]
        together = weights[end] - weights[before]
        last = weights[start] - weights[before]
        small = weight <= _SMALL or last <= _SMALL
        if cuts and ((small and together <= LIMIT) or weight == 0):
            cuts[-1] = end
        else:
            before = start
            cuts.append(end)
        start = end
    return cuts
