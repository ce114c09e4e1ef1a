"""Editing JSON as text: one member is added, changed or removed and every other byte stays.

A configuration file belongs to its user. Parsing and dumping it again would lose the order, the
spacing, the way a number or a character is written, repeated names, and comments where they are allowed.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid
from contextd_common.text.syntax_errors import json_problem

KeyPath = tuple[str | int, ...]
"""The path to a value: names of members and indexes in lists, from the outermost."""

_COMMENT = r"//[^\r\n]*|/\*.*?\*/"
_STRING_FORM = r'"(?:[^"\\]|\\.)*"'
_SPACE = re.compile(rf"(?:[ \t\r\n]+|{_COMMENT})*", re.DOTALL)
_STRING = re.compile(_STRING_FORM, re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}/]+")
_TOKEN = re.compile(rf"{_STRING_FORM}|{_COMMENT}|[\[\]{{}}]", re.DOTALL)
_PIECE = re.compile(rf"({_STRING_FORM})|({_COMMENT})|[ \t\r\n]+|[^\s\"/]|.", re.DOTALL)
_BESIDE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=\r?\n))")
"""A comment after a value, on its line."""


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A member of an object or an item of a list, by offsets into the text.

    `start` is where the name or the item begins, `value` where the value does, `end` the offset after it.
    """

    name: str | int
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class Style:
    """The layout of a document. An empty `indent` means everything on one line; `comma` is the separator on one
    line.
    """

    indent: str
    newline: str
    colon: str
    comma: str


def read(text: str) -> Any:
    """The value of a JSON text. Raises `Invalid` with the position of the error."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Invalid(
            f"not valid JSON: {json_problem(error)}", "correct it and try again"
        ) from error


def read_with_comments(text: str) -> Any:
    """The value of a JSON text that may hold comments and trailing commas, as editors accept them in settings.
    Raises `Invalid` with the position of the error.
    """
    plain: list[str] = []
    last, comma = "", 0
    for piece in _PIECE.finditer(text):
        token = piece[0]
        if piece[2]:
            token = re.sub(r"[^\r\n]", " ", token)
        elif not token.isspace():
            if token in "]}" and last == ",":
                plain[comma] = " "
            # A comma without a preceding value is not a trailing comma.
            if token == "," and last not in ("", "[", "{", ",", ":"):
                comma = len(plain)
                last = token
            else:
                last = token if token != "," else ""
        plain.append(token)
    return read("".join(plain))


def parts(text: str, at: int) -> list[JsonPart]:
    """The contents of the object or list that begins at offset `at` of a valid text, in order."""
    named = text[at] == "{"
    found: list[JsonPart] = []
    here = _skip(text, at + 1)
    while text[here] not in "]}":
        start = here
        name: str | int = len(found)
        if named:
            after = _value_end(text, here)
            name = json.loads(text[here:after])
            here = _skip(text, _skip(text, after) + 1)
        end = _value_end(text, here)
        found.append(JsonPart(name, start, here, end))
        here = _skip(text, end)
        if text[here] == ",":
            here = _skip(text, here + 1)
    return found


def locate(text: str, path: KeyPath) -> JsonPart | None:
    """The part at `path`, or None. Of members with one name the last counts, as in JSON parsers."""
    begin = _skip(text, 0)
    found = JsonPart("", begin, begin, _value_end(text, begin))
    for step in path:
        if text[found.value] != ("[" if isinstance(step, int) else "{"):
            return None
        named = [part for part in parts(text, found.value) if part.name == step]
        if not named:
            return None
        found = named[-1]
    return found


def put(text: str, path: KeyPath, value: Any) -> str:
    """`text` with `value` at `path`; missing parent objects are created.

    A list index must be that of an item, or the next free one.
    """
    style = style_of(text)
    there = locate(text, path)
    if there is not None:
        shown = _render(value, style, len(path))
        return text[: there.value] + shown + text[there.end :]
    known = len(path) - 1
    while locate(text, path[:known]) is None:
        known -= 1
    for step in reversed(path[known + 1 :]):
        value = {step: value}
    return _insert(text, path[:known], path[known], value, style)


def copied(text: str, path: KeyPath, other: str, other_path: KeyPath) -> str:
    """`text` with the value at `path` written as at a path of another text. Both paths must exist."""
    there, meant = locate(text, path), locate(other, other_path)
    assert there is not None
    assert meant is not None
    return text[: there.value] + other[meant.value : meant.end] + text[there.end :]


def remove(text: str, path: KeyPath) -> str:
    """`text` without the part at `path` and its comma; members of equal name are all removed. Comments around
    it stay.
    """
    while (there := locate(text, path)) is not None:
        holder = locate(text, path[:-1])
        assert holder is not None
        text = _cut(text, holder, there)
        if isinstance(path[-1], int):
            break
    return text


def _cut(text: str, holder: JsonPart, there: JsonPart) -> str:
    around = parts(text, holder.value)
    position = around.index(there)
    start, end = holder.value + 1, holder.end - 1
    if position:
        start, end = around[position - 1].end, there.end
    elif len(around) > 1:
        start, end = there.start, around[1].start
    if not _says_more(text[start : there.start]) and not _says_more(text[there.end : end]):
        return text[:start] + text[end:]
    # There are comments: remove the part and one comma.
    start, end = there.start, there.end
    comma = _skip(text, end)
    if text[comma] == ",":
        text, end = text[:comma] + text[comma + 1 :], end
    elif position:
        before = _skip(text, around[position - 1].end)
        text, start, end = text[:before] + text[before + 1 :], start - 1, end - 1
    while text[start - 1] in " \t\r\n":
        start -= 1
    return text[:start] + text[end:]


def _says_more(text: str) -> bool:
    """Whether there is more than whitespace and a comma between two parts."""
    return bool(text.replace(",", "", 1).strip())


def style_of(text: str) -> Style:
    """The layout of `text`, inferred from its first member; two spaces by default."""
    newline = "\r\n" if "\r\n" in text else "\n"
    begin = _skip(text, 0)
    inside = parts(text, begin) if text[begin] in "[{" else []
    if not inside:
        return Style("  ", newline, ": ", ", ")
    first = inside[0]
    before = text[begin + 1 : first.start]
    tight = text[begin] == "{" and text[_value_end(text, first.start) : first.value] == ":"
    colon, comma = (":", ",") if tight else (": ", ", ")
    if "\n" in before:
        outer = text[:begin].rpartition("\n")[2]
        spaces = re.match(r"[ \t]*", before.rpartition("\n")[2])
        inner = spaces[0].removeprefix(outer) if spaces else ""
        return Style(inner or "  ", newline, colon, comma)
    return Style("", newline, colon, comma)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value_end(text: str, at: int) -> int:
    if text[at] not in "[{":
        found = (_STRING if text[at] == '"' else _SCALAR).match(text, at)
        assert found is not None
        return found.end()
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[0] in ("{", "["):
            depth += 1
        elif token[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return token.end()
    raise AssertionError("the text was not checked with read()")


def _render(value: Any, style: Style, depth: int) -> str:
    if not style.indent:
        return json.dumps(value, ensure_ascii=False, separators=(style.comma, style.colon))
    shown = json.dumps(
        value, ensure_ascii=False, indent=style.indent, separators=(",", style.colon)
    )
    return shown.replace("\n", style.newline + style.indent * depth)


def _insert(text: str, holder_path: KeyPath, step: str | int, value: Any, style: Style) -> str:
    holder = locate(text, holder_path)
    assert holder is not None
    around = parts(text, holder.value)
    named = json.dumps(step, ensure_ascii=False) + style.colon if isinstance(step, str) else ""
    depth = len(holder_path) + 1
    if not around:
        return _fill(text, holder, named, value, style, depth)
    last = around[-1]
    before = _skip(text, around[-2].end) if len(around) > 1 else holder.value
    gap = text[before + 1 : last.start]
    if "\n" not in gap:
        style = Style("", style.newline, style.colon, style.comma)
        gap = gap if len(around) > 1 else style.comma[1:]
    if gap.strip():
        gap = style.newline + re.split(r"[\r\n]", gap)[-1] if "\n" in gap else " "
        gap = gap if not gap.strip() else style.newline + style.indent * depth
    addition = gap + named + _render(value, style, depth)
    comma = _skip(text, last.end)
    closed = text[comma] == ","
    at = comma + 1 if closed else last.end
    beside = _BESIDE.match(text, at) if "\n" in gap else None
    end = beside.end() if beside else at
    if closed:
        return text[:end] + addition + "," + text[end:]
    return text[:at] + "," + text[at:end] + addition + text[end:]


def _fill(text: str, holder: JsonPart, named: str, value: Any, style: Style, depth: int) -> str:
    """Insert the first part into an empty object or list, after any comments."""
    inside = text[holder.value + 1 : holder.end - 1].rstrip()
    if inside and not style.indent:
        style = Style("  ", style.newline, style.colon, style.comma)
    inner = named + _render(value, style, depth)
    if style.indent:
        inner = style.newline + style.indent * depth + inner
        inner += style.newline + style.indent * (depth - 1)
    return text[: holder.value + 1] + inside + inner + text[holder.end - 1 :]
