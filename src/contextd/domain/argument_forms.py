"""The forms in which callers give lines and places of code, beside the one that an operation takes.

Agents learned them from other programs: `offset` with `limit`, `view_range`, `lines="10-40"`, and a file with a
symbol or a line in an argument of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from contextd.domain.argument_names import NAMES, snake

START, END = "start_line", "end_line"

_RANGES = frozenset("lines line_range range view_range line_numbers rows span selection".split())
"""Words for an argument with both ends of a range; of a number alone, the count."""
_COUNTS = frozenset(
    "limit count n head max_lines num_lines number_of_lines line_count line_limit lines_count".split()
)
"""Words for a number of lines, where an operation takes two ends."""
_STARTS = frozenset({START, *NAMES[START]})
_FILES = frozenset(
    "path file file_path filepath filename file_name relative_path absolute_path target_file"
    " file_uri uri paths files".split()
)
_MARKS = ("name", *(word for word in NAMES["name"] if word not in ("path", "query", "title")))
_LINES = ("line", "line_number", "lineno", "line_no", "row", *NAMES[START])


def with_line_ends(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with `start_line` and `end_line` in place of a range, or of a number of lines.

    A value that is neither stays as it is.
    """
    given = dict(raw)
    plain = {snake(name): name for name in given}
    start = next((_number(given[plain[word]]) for word in plain if word in _STARTS), None)
    for word, name in plain.items():
        if word in _RANGES and (ends := _ends(given[name])) is not None:
            del given[name]
            return given | {START: ends[0], END: ends[1]}
        count = _number(given[name]) if word in _COUNTS | _RANGES else None
        if count is not None and count > 0:
            del given[name]
            first = max(start or 1, 1)
            return given | {END: first + count - 1} | ({} if start else {START: first})
    return given


def _ends(value: Any) -> tuple[int, int] | None:
    """Both ends of `10-40`, `[10, 40]` or `{"start": 10, "end": 40}`."""
    parts = list(value.values()) if isinstance(value, Mapping) else value
    if isinstance(parts, str):
        parts = re.findall(r"\d+", parts) if _RANGE.fullmatch(parts.strip()) else []
    if not isinstance(parts, list | tuple) or len(parts) != _BOTH:
        return None
    first, last = map(_number, parts)
    return (first, last) if first is not None and last is not None and last >= first else None


_BOTH = 2
_RANGE = re.compile(r"\[?\s*L?\d+\s*(?:[-:,–]|\.\.\.?|to)\s*L?\d+\s*\]?", re.IGNORECASE)


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def with_code_place(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with `file:symbol` or `file:line` in place of a file and a symbol or a line beside it."""
    given = dict(raw)
    plain = {snake(name): name for name in given}
    file = next((plain[word] for word in plain if word in _FILES), None)
    mark = next((plain[word] for word in (*_MARKS, *_LINES) if word in plain), None)
    if file is None or mark is None:
        return given
    path = (
        given[file][0] if isinstance(given[file], list) and len(given[file]) == 1 else given[file]
    )
    if not isinstance(path, str) or not path or not isinstance(given[mark], str | int):
        return given
    where = str(given.pop(mark)).strip().strip("/").replace("/", ".")
    given[file] = f"{path}:{where}" if where and where not in path.split(":") else path
    return given
