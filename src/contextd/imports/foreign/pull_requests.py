"""Pull requests in the file written by `gh pr list --state merged --json number,title,body,…`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from contextd.imports.foreign.format import ForeignFormat, Item, Note, Unread
from contextd.imports.foreign.safe_reading import json_items, moment_of, plain_text, text_of

_LONGEST = 1_000
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_CHECKBOX = re.compile(r"^\s*[-*] \[[ xX]\].*$", re.M)


def _read(path: Path, shown: str) -> Iterator[Item]:
    del shown
    for place, row in json_items(text_of(path)):
        if isinstance(row, Unread):
            yield row
            continue
        title = plain_text(row.get("title")) if isinstance(row, Mapping) else ""
        if not title:
            yield Unread(place, "not a pull request")
            continue
        if "mergedAt" in row and not row.get("mergedAt"):
            yield Unread(place, "it was not merged")
            continue
        body = _CHECKBOX.sub("", _COMMENT.sub("", plain_text(row.get("body")))).strip()
        if len(body) < 40:
            yield Unread(place, "it has no text beyond its title")
            continue
        author = row.get("author")
        said_by = plain_text(author.get("login")) if isinstance(author, Mapping) else ""
        number = row.get("number")
        yield Note(
            key=plain_text(row.get("url")) or f"{number} {title}",
            kind="discovery",
            title=f"#{number} {title}" if number else title,
            content=body
            if len(body) <= _LONGEST
            else body[: _LONGEST - 2].rsplit(" ", 1)[0] + " …",
            data={"type": "decision", "origin": "pull_request"},
            tags=("pull-request",),
            said_by=said_by,
            sure=False,
            created=moment_of(row.get("mergedAt")) or moment_of(row.get("createdAt")),
        )


def _is_list(path: Path, head: bytes) -> bool:
    start = head.lstrip()[:1] == b"["
    return path.suffix == ".json" and start and b'"title"' in head and b'"body"' in head


PULL_REQUESTS = (
    ForeignFormat(
        name="pull-requests",
        title="pull requests of `gh pr list --json`",
        detects=_is_list,
        read=_read,
    ),
)
