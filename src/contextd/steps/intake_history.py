"""Why things were done, as the commits of a project say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from contextd.code.git.messages import messages_with_body
from contextd.domain.origins import marked
from contextd.domain.sessions import Event
from contextd.interop.foreign import ForeignFormat, Note
from contextd.interop.foreign.format import Item
from contextd.sessions.statements import statements
from contextd.sessions.worth import worth

_COMMITS = 1_000
_MOST = 40
"""Statements of a history: the best of them, for each waits for somebody's word."""

_SHORTEST = 40
"""Characters beside the subject that say something."""

_FROM = 0.4
"""How likely a statement must be useful and true: what is sure of its source starts there as well."""

_TRAILER = re.compile(
    r"^(?:[A-Z][\w-]+-by|Change-Id|Fixes|Closes|Refs?|See|Issue|PR|Cc|Link)\b:?.*$|^\(cherry picked.*$|^\* .*$",
    re.M,
)


def _read(root: Path, shown: str) -> Iterator[Item]:
    del shown
    commits = {one.sha: one for one in messages_with_body(root, _COMMITS)}
    events = [
        Event(
            type="note",
            key=one.sha,
            at=one.at,
            role="assistant",
            text=f"{one.subject}\n\n{_TRAILER.sub('', one.body).strip()}",
            data=marked("commit"),
        )
        for one in commits.values()
        if _TRAILER.sub("", one.body).strip()
    ]
    found = statements(events)
    values = worth(found, None) if found else []
    ranked = sorted(
        zip(values, range(len(found)), strict=True), key=lambda pair: (-pair[0], pair[1])
    )
    for value, place in ranked[:_MOST]:
        statement = found[place]
        commit = commits[statement.event_key]
        text = statement.text.removeprefix(commit.subject).strip()
        if value < _FROM or len(text) < _SHORTEST:
            continue
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


def _never(path: Path, head: bytes) -> bool:
    del path, head
    return False


HISTORY = ForeignFormat(
    name="git-history",
    title="what commits say beyond their subject",
    detects=_never,
    read=_read,
    belongs="project",
)
