"""Thin a large text: keep distinctive lines in place and replace the others by marks, so that line numbers
stay valid.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from contextd_common.text.words import words

_MARK = "⋯"
"""Replaces a skipped line; the number of an equivalent line may follow."""

_MARKED = re.compile(rf"{_MARK}(\d*)")

_READ_OF_A_LINE = 400
_ALIKE = b"0123456789abcdefABCDEF"
"""Lines that differ in numbers and hexadecimal ids are equivalent: deleting these characters still
distinguishes words, in a hundredth of the time of matching ids.
"""

_WRONG = re.compile(
    r"error|exception|panic|fatal|traceback|segfault|fail|critical|cannot|can't|could not|unable|refused|denied"
    r"|timed out|undefined|unexpected|not found|✗|✘|^e   "
)
"""Matches lower-case lines: ignoring case takes four times as long."""
_WRONG_OF_A_SORT = 50
"""Of an error repeated in thousands of lines, only the first ones are kept."""

_AROUND = 5
_ENDS = 500
_RARE = 1 / 50
"""Words of a question in more than this share of lines do not discriminate."""

_LONGEST = 4_000
"""Maximum characters stored per line, if there are many lines."""


def thinned(text: str, most: int, asked: Sequence[str] = ()) -> str:
    """About `most` characters of a text, plus marks: errors with context, lines with words of a question,
    both ends, then the first lines of each sort. The whole text if it fits. Thinned text may be thinned
    again.
    """
    if len(text) <= most or len(without_marks(text)) <= most:
        return text
    lines = text.split("\n")
    longest = max(_LONGEST, most // len(lines) - 1)
    lines = [_shortened(line, longest) if len(line) > longest else line for line in lines]
    sorts = [_sort(line) for line in lines]
    places = _chosen(lines, sorts, most, asked)
    first: dict[bytes, int] = {}
    for n in sorted(places):
        first.setdefault(sorts[n], n + 1)
    return "\n".join(
        line if n in places or line[:1] == _MARK else f"{_MARK}{first.get(sorts[n], '')}"
        for n, line in enumerate(lines)
    )


def _sort(line: str) -> bytes:
    return line[:_READ_OF_A_LINE].encode("utf-8", "surrogatepass").translate(None, _ALIKE)


def _shortened(line: str, longest: int) -> str:
    note = f" [… {len(line) - longest:,} characters were left out …] "
    end = longest // 4
    return f"{line[: longest - end - len(note)]}{note}{line[-end:]}"


def _chosen(
    lines: Sequence[str], sorts: Sequence[bytes], most: int, asked: Sequence[str]
) -> set[int]:
    """The indices of the kept lines."""
    telling = _wrong(lines, sorts) | _answering(lines, asked)
    close = {n + off for n in telling for off in range(-_AROUND, _AROUND + 1)}
    ends = [*range(_ENDS), *range(len(lines) - _ENDS, len(lines))]
    places: set[int] = set()
    room = most
    for some in (sorted(telling), sorted(close), ends):
        for n in some:
            if n in places or not 0 <= n < len(lines) or lines[n][:1] == _MARK:
                continue
            room -= len(lines[n]) + 1
            if room < 0:
                return places
            places.add(n)
    return places | _firsts(lines, sorts, places, room)


def _firsts(lines: Sequence[str], sorts: Sequence[bytes], chosen: set[int], room: int) -> set[int]:
    """Of the remaining lines the first of each sort, then the second ones, while there is room."""
    times: Counter[bytes] = Counter()
    places: list[tuple[int, int]] = []
    needed: Counter[int] = Counter()
    for n, sort in enumerate(sorts):
        if n not in chosen and lines[n][:1] != _MARK:
            turn = times[sort]
            times[sort] = turn + 1
            needed[turn] += len(lines[n]) + 1
            places.append((n, turn))
    last = 0
    while last in needed and needed[last] <= room:
        room -= needed[last]
        last += 1
    found = {n for n, turn in places if turn < last}
    for n in (n for n, turn in places if turn == last):
        room -= len(lines[n]) + 1
        if room < 0:
            break
        found.add(n)
    return found


def _wrong(lines: Sequence[str], sorts: Sequence[bytes]) -> set[int]:
    found: set[int] = set()
    times: dict[bytes, int] = {}
    for n, sort in enumerate(sorts):
        if sort not in times:
            # A sort that was harmless once is not examined again; "0 errors" does not reach this.
            times[sort] = (
                0 if _WRONG.search(lines[n][:_READ_OF_A_LINE].lower()) else _WRONG_OF_A_SORT
            )
        if times[sort] < _WRONG_OF_A_SORT:
            times[sort] += 1
            found.add(n)
    return found


def _answering(lines: Sequence[str], asked: Sequence[str]) -> set[int]:
    found: set[int] = set()
    most = max(20, int(_RARE * len(lines)))
    folded = [line.casefold() for line in lines] if asked else []
    for word in asked:
        having = [n for n, line in enumerate(folded) if word in line]
        having = [n for n in having if word in words(lines[n])] if len(having) <= most else []
        found.update(having)
    return found


def numbered(text: str) -> tuple[list[int], list[str], Counter[int]]:
    """The kept lines with their numbers, an empty one for each gap; and how many skipped lines are
    equivalent to each kept one.
    """
    lines = text.split("\n")
    if _MARK not in text:
        return list(range(1, len(lines) + 1)), lines, Counter()
    numbers: list[int] = []
    remaining: list[str] = []
    left_out: Counter[str] = Counter()
    for number, line in enumerate(lines, 1):
        if line[:1] != _MARK or _stands_for(line) is None:
            numbers.append(number)
            remaining.append(line)
        else:
            left_out[line] += 1
            if not remaining or remaining[-1]:
                numbers.append(number)
                remaining.append("")
    return numbers, remaining, Counter({_stands_for(mark) or 0: n for mark, n in left_out.items()})


def _stands_for(line: str) -> int | None:
    """The number of the line that a mark refers to, 0 if none; None for a kept line."""
    marked = _MARKED.fullmatch(line) if line.startswith(_MARK) else None
    return None if marked is None else int(marked[1] or 0)


def without_marks(text: str) -> str:
    """The lines that were kept."""
    return re.sub(rf"^{_MARK}\d*\n", "", text, flags=re.MULTILINE) if _MARK in text else text


def runs(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """The lines for display, each with the number of the last line it covers; consecutive marks become one
    summary line. `first` is the number of the first one.
    """
    begun = 0
    like: dict[int, None] = {}
    for number, line in enumerate([*lines, ""], first):
        marked = _stands_for(line) if number < first + len(lines) else None
        if marked is not None:
            begun = begun or number
            like[marked] = None
            continue
        if begun:
            yield number - 1, _left_out(begun, number - 1, [n for n in like if n])
            begun = 0
            like.clear()
        if number < first + len(lines):
            yield number, line


def _left_out(first: int, last: int, like: Sequence[int]) -> str:
    which = f"lines {first:,} to {last:,} were" if last > first else f"line {first:,} was"
    more = " and others" if len(like) > 3 else ""
    alike = ", ".join(f"{n:,}" for n in like[:3])
    what = f": as line{'s' * (len(like) > 1)} {alike}{more}, but for numbers" if like else ""
    return f"[{which} left out{what}]"
