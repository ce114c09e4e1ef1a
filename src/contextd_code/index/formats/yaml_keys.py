"""The keys of a YAML file with their positions, read by indentation: it tolerates broken files, templates and
anchors, and builds nothing that an alias could blow up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from contextd_code.index.formats.format_reader import SourceLines
from contextd_common.dataclass import dataclass

_KEY = re.compile(
    rb"(?P<indent>[ \t]*)(?P<dash>(?:-[ \t]+)*)"
    rb"(?P<key>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s#\"'{}\[\],&*!|>%@`:-][^:#\n]{0,200}?"
    rb"|-?[\w./$<][^:#\n\s]{0,200})[ \t]*:(?:[ \t]+(?P<value>[^\n]*?))?[ \t]*\r?(?:\n|\Z)"
)
_BLOCK = re.compile(
    rb"(?:^|:[ \t]+|-[ \t]+)(?:[&!]\S+[ \t]+)*[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n?\Z"
)
_COMMENT = re.compile(r"\s+#.*$")


@dataclass(slots=True)
class Key:
    """A key, where its line begins, its indentation (of a list item's first key, that of the item), whether it
    opens an item, its value on the same line, and its parent keys.
    """

    name: str
    start: int
    indent: int
    item: bool
    value: str
    around: tuple[str, ...]
    document: int
    end: int = 0


def keys_of(lines: SourceLines) -> list[Key]:
    """All keys in order, each with its parent keys; `end` is where the next key begins with the same or less
    indentation. Lines of a block scalar are not keys.
    """
    found: list[Key] = []
    open_: list[Key] = []
    text_below = -1
    document = 0
    for row, start in enumerate(lines.starts):
        line = lines.text(row)
        bare = line.strip()
        if not bare or bare.startswith(b"#"):
            continue
        margin = len(line) - len(line.lstrip())
        if text_below >= 0:
            if margin > text_below:
                continue
            text_below = -1
        if bare.startswith(b"---") and not margin:
            document += 1
            _close(open_, start, -1)
            continue
        match = _KEY.match(line)
        if match is not None:
            indent = match.start("key")
            # A new list item ends the previous one, although both have the same
            # indentation.
            _close(open_, start, margin if match["dash"] else indent - 1)
            value = (match["value"] or b"").decode("utf-8", "replace")
            around = tuple(one.name for one in open_[-8:])
            key = Key(
                name=match["key"].decode("utf-8", "replace").strip("\"'"),
                start=start,
                indent=indent,
                item=bool(match["dash"]),
                value=_COMMENT.sub("", value).strip().strip("\"'"),
                around=around,
                document=document,
            )
            found.append(key)
            open_.append(key)
        if _BLOCK.search(line):
            text_below = margin
    _close(open_, len(lines.data), -1)
    return found


def _close(open_: list[Key], at: int, indent: int) -> None:
    while open_ and open_[-1].indent > indent:
        open_.pop().end = at


def below(keys: Sequence[Key], name: str) -> list[Key]:
    """The direct children of a top-level key."""
    return [one for one in keys if one.around == (name,)]
