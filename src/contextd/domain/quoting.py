"""Quote other people's text in what contextd shows.

What agents and terminals read is Markdown that contextd lays out: headings, lists, one line of provenance. The
text in it comes from records, repositories, transcripts and clients. None of it may pass for contextd's own: it
cannot start a line, close a tag that a client puts around it, or carry characters that steer a terminal.

Results of operations are quoted as a whole by `domain/showing.py`. Documents that are laid out by hand use the
functions here. Quoting twice gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from contextd.domain.unseen import visible_text

MARGIN = "> "
"""Stands before the second and each further line of a quotation."""

GUARD = "\ufdd0"
"""Stands before text that would open a Markdown block at the start of a line: see `settled`."""

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
"""Where a tag begins or ends by which clients and models tell whose words they read. `<user>` in an address is
not one.
"""

_FENCE = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)
_PROVENANCE = re.compile(r"(?<=[^\s·]) · (?=[^\[\]()\n]*[\])])")
"""What stands between the parts of a bracket that says where a record comes from."""


def harmless(text: str) -> str:
    """The text without what steers a terminal or closes a client's tag; lines stay lines."""
    return _TAG.sub("‹", visible_text(_BREAK.sub("\n", text)))


def harmless_data(value: Any) -> Any:
    """Plain JSON data whose texts and keys are `harmless`."""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, Mapping):
        return {harmless(str(key)): harmless_data(inner) for key, inner in value.items()}
    return [harmless_data(inner) for inner in value] if isinstance(value, list | tuple) else value


def quotation(text: str) -> str:
    """The text for any place of a line: its further lines stand behind `MARGIN`, and one that would open a
    block is guarded. Whoever puts it into a document calls `settled` on that.
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
    """The text in one line, which opens no block wherever it stands."""
    line = " ".join(harmless(text).split())
    opens = _OPENS.match(line)
    return line if opens is None else f"{line[: opens.end()]}\\{line[opens.end() :]}"


def inline_words(text: str) -> str:
    """As `inline`, for text that a bracket with its provenance follows: it cannot bring its own."""
    return _PROVENANCE.sub(" • ", inline(text))


def fenced(text: str) -> str:
    """A document between fences that no line of it can close; empty for an empty one."""
    body = harmless(text).rstrip("\n")
    if not body.strip():
        return ""
    longest = max((len(found[1]) for found in _FENCE.finditer(body)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{body}\n{fence}"


def document(lines: Iterable[str]) -> str:
    """Lines as one text. A line break inside one of them begins no further line."""
    return "\n".join(" ".join(harmless(line).split("\n")) for line in lines)


def indented(line: str) -> str:
    """A line of a document whose words are other people's, at the indentation it has."""
    words = line.lstrip(" ")
    return " " * (len(line) - len(words)) + inline(words)


def settled(text: str) -> str:
    """The text with a backslash where a guarded quotation begins a line, and no other guards."""
    # Python's own quoting, `{title!r}`, spells a guard out.
    text = text.replace(_SPELLED, "")
    if GUARD not in text:
        return text
    return _GUARDED.sub(
        lambda found: f"{found[1]}{found[2]}\\" if found[1] is not None else found[2], text
    )


def unquoted(text: str) -> str:
    """A quotation as one line, for a renderer that shortens it."""
    return " ".join(line.removeprefix(MARGIN.rstrip()).strip() for line in text.split("\n")).strip()
