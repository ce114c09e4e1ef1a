"""Extract constraints and warnings from a project's commit messages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from contextd.claims.warnings import warns
from contextd.imports.foreign import ForeignFormat, Note
from contextd.imports.foreign.format import Item
from contextd_code.git.messages import CommitMessage, messages_with_body
from contextd_common.text.regex import regex

_COMMITS = 1_000
_MOST = 5
"""Maximum notes per history: each has to be confirmed by a person."""

_SHORTEST, _LONGEST = 40, 400
"""Characters of a sentence."""

_TRAILER = regex(
    r"(?m)^(?:[A-Z][\w-]+-by|Change-Id|Fixes|Closes|Refs?|See|Issue|PR|Cc|Link)\b:?.*$|^\(cherry picked.*$|^\* .*$",
)
_SENTENCE = regex(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|\n\s*\n|\n(?=\s*[-*+] )")


def _read(root: Path, shown: str) -> Iterator[Item]:
    del shown
    yield from islice(_warnings(messages_with_body(root, _COMMITS)), _MOST)


def _warnings(commits: list[CommitMessage]) -> Iterator[Note]:
    """At most one note per commit, newest first."""
    for commit in commits:
        sentences = (
            " ".join(one.split()) for one in _SENTENCE.split(_TRAILER.sub("", commit.body))
        )
        text = next((one for one in sentences if _is_warning(one)), "")
        if text:
            yield Note(
                key=f"{commit.sha} {text}",
                kind="discovery",
                title=commit.subject,
                content=text,
                data={"type": "decision", "origin": "commit"},
                said_by=commit.author,
                sure=False,
                created=commit.at,
            )


def _is_warning(sentence: str) -> bool:
    listed = sentence.startswith(("-", "*", "+"))
    return not listed and _SHORTEST <= len(sentence) <= _LONGEST and warns(sentence)


HISTORY = ForeignFormat(
    name="git-history",
    title="constraints and warnings in commit messages",
    read=_read,
    belongs="project",
)
