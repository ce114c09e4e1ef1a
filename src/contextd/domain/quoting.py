"""Quote other people's text in contextd's output.

Agents and terminals read Markdown that contextd lays out: headings, lists, one line of provenance. The text
inside comes from records, repositories, transcripts and clients. It must not pass for contextd's own: quoted
text cannot start a line, close a tag that a client puts around it, or contain characters that steer a
terminal.

`domain/result_display.py` quotes results of operations as a whole. Documents laid out by hand use the functions
here. Quoting is idempotent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from contextd.domain.invisible_characters import visible_text

MARGIN = "> "
"""Prefix of the second and each further line of a quotation."""

GUARD = "\ufdd0"
"""Prefix of text that would open a Markdown block at the start of a line: see `settled`."""

_SPELLED = repr(GUARD)[1:-1]
_BREAK = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_OPENS = re.compile(
    r"\s*(?:\d{1,9}(?=[.)](?:\s|$))|(?=(?:#{1,6}|[-*+])(?:\s|$)|>|\||`{3}|~{3}|={2,}\s*$|[-_*]{3,}\s*$))"
)
_GUARDED = re.compile(rf"(?m)(^[ \t]*(?:(?:[-*+>]|\d+[.)])[ \t]+)*)?{GUARD}(\d*)")
_TAG = re.compile(
    r"<(?=/(?:[a-z]+[-_])*(?:system|assistant|human|user|reminder|instructions?|context|memory|rules|hook|query)\s*>"
    r"|/?(?:system|assistant|human|function_(?:calls?|results?)|tool_(?:use|result|call)s?|INSTRUCTIONS"
    r"|contextd|(?:system|contextd|antml)[:_-][\w-]+)[\s>/]"
    r"|!--\s*contextd\b|\|[\w-]+\|>)"
)
"""The tags by which clients and models tell whose words they read. `<user>` in an address is not one."""

_FENCE = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)
_PROVENANCE = re.compile(r"(?<=[^\s·]) · (?=[^\[\]()\n]*[\])])")
"""The separator in the bracket that says where a record comes from."""


def harmless(text: str) -> str:
    """The text without characters that steer a terminal and without closing client tags; line breaks stay."""
    return _TAG.sub("‹", visible_text(_BREAK.sub("\n", text)))


def harmless_data(value: Any) -> Any:
    """The JSON data with every text and key made `harmless`."""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, Mapping):
        return {harmless(str(key)): harmless_data(inner) for key, inner in value.items()}
    return [harmless_data(inner) for inner in value] if isinstance(value, list | tuple) else value


def quotation(text: str) -> str:
    """Quote text for use anywhere in a line: further lines get `MARGIN`, and a line that would open a
    Markdown block is guarded. Callers pass the finished document through `settled`.
    """
    lines = harmless(text).split("\n")
    first = lines[0]
    if _OPENS.match(first):
        first = GUARD + first.lstrip()
    if len(lines) == 1:
        return first
    further = (one if one.startswith(">") else (MARGIN + one).rstrip() for one in lines[1:])
    return "\n".join([first, *further])


def inline(text: str) -> str:
    """The text on one line that cannot open a block wherever it is placed."""
    line = " ".join(harmless(text).split())
    opens = _OPENS.match(line)
    return line if opens is None else f"{line[: opens.end()]}\\{line[opens.end() :]}"


def inline_words(text: str) -> str:
    """Like `inline`, for text followed by its bracket of provenance: the text cannot forge one."""
    return _PROVENANCE.sub(" • ", inline(text))


def fenced(text: str) -> str:
    """A document between fences that none of its lines can close; empty for an empty document."""
    body = harmless(text).rstrip("\n")
    if not body.strip():
        return ""
    longest = max((len(found[1]) for found in _FENCE.finditer(body)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{body}\n{fence}"


def document(lines: Iterable[str]) -> str:
    """Join lines to one text. A line break inside an item starts no new line."""
    return "\n".join(" ".join(harmless(line).split("\n")) for line in lines)


def indented(line: str) -> str:
    """Quote a line of other people's words and keep its indentation."""
    words = line.lstrip(" ")
    return " " * (len(line) - len(words)) + inline(words)


def settled(text: str) -> str:
    """Replace the guard with a backslash where a quotation starts a line, and remove all other guards."""
    # Python's `{title!r}` shows a guard as an escape.
    text = text.replace(_SPELLED, "")
    if GUARD not in text:
        return text
    return _GUARDED.sub(
        lambda found: f"{found[1]}{found[2]}\\" if found[1] is not None else found[2], text
    )


def unquoted(text: str) -> str:
    """A quotation on one line, for a renderer that shortens it."""
    return " ".join(line.removeprefix(MARGIN.rstrip()).strip() for line in text.split("\n")).strip()
