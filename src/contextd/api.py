"""The Python API: open a home, record, search, brief and fold, in this process.

Programs import these names from `contextd` itself. Every call goes through the same operations as a tool of an agent, with
the same checks and the same redaction. No daemon is needed; one may run on the same home.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any, Literal

from contextd.app import Host
from contextd.runtime.runtime import Request
from contextd.runtime.settings import load_settings
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable

Depth = Literal["minimal", "standard", "comprehensive"]


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A stored record. `outcome` is `added`, `duplicate` (`id` is the older record's) or `inbox` (it awaits review)."""

    id: str
    outcome: str
    message: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One search result. `source` says who recorded it, or the file and lines of code; `why` explains its rank.

    `date` is empty or a short phrase such as "3 days ago"; `score` compares hits of one search only. `validity` is empty
    while the record holds, else it says why not.
    """

    id: str
    type: str
    text: str
    source: str
    date: str
    score: float
    why: str
    validity: str


@dataclass(frozen=True, slots=True)
class ProjectBriefing:
    """What an agent should know at the start of a session: `tokens` long, quoting the records `ids`."""

    text: str
    tokens: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A short form of a large text. `handle` stands for the original, which `OpenHome.expand` reads.

    `tokens` and `original_tokens` count the digest and the original. `parts` names the files in it.
    """

    text: str
    handle: str
    tokens: int
    original_tokens: int
    parts: tuple[str, ...]


class OpenHome:
    """A home that this process has open, and the project its calls work in. Safe to use from any thread."""

    def __init__(self, host: Host, project: Path, client: str) -> None:
        self._host, self._open = host, True
        # The interpreter may hold other threads that call this home, so the process is not `alone`.
        self._request = Request(
            surface="python", caller=host.door.caller("python"), cwd=str(project), client=client
        )

    @property
    def path(self) -> Path:
        """The directory of the home."""
        return self._host.settings.home

    def record(
        self,
        content: str,
        *,
        kind: str = "note",
        title: str = "",
        tags: Sequence[str] = (),
        fields: Mapping[str, Any] | None = None,
    ) -> StoredRecord:
        """Store a record of any kind: a note, a rule, a decision, a type of your own with its `fields`.

        Secrets in it are redacted. Raises `Invalid` for an unknown kind or a field that does not fit.
        """
        given: dict[str, Any] = {"content": content, "kind": kind, "title": title}
        if tags:
            given |= {"tags": list(tags)}
        if fields:
            given |= {"fields": dict(fields)}
        value = self.call("remember", **given)
        return StoredRecord(value["id"], value["outcome"], value["message"])

    def search(self, query: str, *, type: str = "all", limit: int = 5) -> list[SearchResult]:
        """Search records, past sessions and code by words and meaning, best first, at most `limit` (1 to 100).

        Returns nothing when nothing is relevant; contextd then logs a knowledge gap.
        """
        found = self.call("context_search", query=query, type=type, limit=limit)
        names = [one.name for one in dataclass_fields(SearchResult)]
        return [SearchResult(**{name: hit[name] for name in names}) for hit in found["results"]]

    def brief(self, task: str = "", *, depth: Depth = "standard") -> ProjectBriefing:
        """Pack the briefing of the project, for a `task` where one is given, within the budget of `depth`."""
        value = self.call("briefing_get", task=task, depth=depth)
        return ProjectBriefing(value["briefing"], value["token_count"], tuple(value["items"]))

    def fold(
        self, text: str = "", *, paths: Sequence[str] = (), query: str = "", budget: int = 800
    ) -> FoldedText:
        """Fold a text, or files below the project's root, into a digest of at most `budget` tokens.

        With a `query` the digest keeps the lines that answer it; alone, a query folds the records that answer it.
        """
        given: dict[str, Any] = {"query": query, "text": text, "budget": budget}
        if paths:
            given |= {"paths": list(paths)}
        value = self.call("digest", **given)
        return FoldedText(
            text=value["digest"],
            handle=value["handle"],
            tokens=value["tokens"],
            original_tokens=value["raw_tokens"],
            parts=tuple(value["parts"]),
        )

    def expand(self, handle: str, range: str = "") -> str:
        """Read a range of lines of a folded original, such as "1-40" or "build.log:120-180"."""
        return str(self.call("expand", handle=handle, range=range)["text"])

    def call(self, operation: str, **arguments: Any) -> Any:
        """Call any operation of the reference by name; returns its result as plain JSON data.

        Raises the errors of `contextd_common.errors`, each with a `code`, a `message` and a `hint`.
        """
        if not self._open:
            raise Unavailable(
                "this home is closed", "open it again with contextd.open(), or call before close()"
            )
        return self._host.call(operation, self._request, arguments).value

    def close(self) -> None:
        """Write what is still in memory and close the store. Later calls raise `Unavailable`."""
        self._open = False
        self._host.close()

    def __enter__(self) -> OpenHome:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open(
    home: str | os.PathLike[str] | None = None,
    *,
    project: str | os.PathLike[str] = ".",
    client: str = "python",
) -> OpenHome:
    """Open a home and work in the project around a folder, as its owner; make the home where there is none.

    Args:
        home: The directory of the home; `$CONTEXTD_HOME` or the user's own home when omitted.
        project: A folder of the project: a git repository, or a folder in which `contextd init` was run.
        client: The name that records and logs show as their source.

    Raises `Invalid` for a configuration that cannot be read, and `Unavailable` for a store that cannot be opened. The
    embedding model is loaded by the first call that needs it. Background jobs wait until a daemon runs on this home.
    """
    root = Path(project).resolve()
    settings = load_settings(root, home=Path(home).resolve() if home is not None else None)
    return OpenHome(Host.open(settings, work=False), root, client)
