"""What a call read, showed and wrote, and what it will write at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Literal

from contextd.domain.changes import Changes
from contextd.domain.context_items import Serving
from contextd.domain.notices import Notice
from contextd.domain.records import Record
from contextd.ports.store import View
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """What a call will write through its view once its answer is known."""

    view: View
    changes: Changes
    commit: Callable[[Changes, str], object]


@dataclass(slots=True)
class Trace:
    """What a call read and wrote. `invoke` logs it as one observation, and what it served to an agent is
    tracked in the agent's session.

    `gave` are items that entered the agent's window, `own_texts` contextd's own texts among them, `used` the
    records that answer a query. `notices` are added to the answer; `injected` are the records in them. `by_words` says why
    some texts were only searched by words, so that an empty answer proves nothing. `session` is the session
    they were served in, if not the call's own. `committed` says that the call wrote something durably, `keyed` that it
    was more than the code index, so that the call must not run again.
    While the call `concludes`, it writes nothing before its answer is known: `pending` will write it,
    and `after` are the small tasks that follow. `answered` says that the answer is stored.
    """

    action: Literal["read", "write", "update", "delete", "miss"] | None = None
    type: str = ""
    record_ids: tuple[str, ...] = ()
    query: str = ""
    gave: list[Serving] = field(default_factory=list[Serving])
    own_texts: list[str] = field(default_factory=list[str])
    used: list[Record] = field(default_factory=list[Record])
    notices: list[Notice] = field(default_factory=list[Notice])
    injected: list[str] = field(default_factory=list[str])
    by_words: str = ""
    session: str = ""
    committed: bool = False
    keyed: bool = False
    answered: bool = False
    concludes: bool = False
    pending: PendingWrite | None = None
    after: list[tuple[str, Callable[[], object]]] = field(
        default_factory=list[tuple[str, Callable[[], object]]]
    )

    def read(
        self, ids: Sequence[str], *, type: str = "", query: str = "", narrowed: bool = False
    ) -> None:
        """Log a read. A query without results is a miss, unless filters `narrowed` it: the knowledge may
        exist outside them.
        """
        self.action = "miss" if query and not ids and not narrowed else "read"
        self.type, self.record_ids, self.query = type, tuple(ids), query

    def wrote(
        self,
        ids: Sequence[str],
        *,
        type: str = "",
        action: Literal["write", "update", "delete"] = "write",
    ) -> None:
        """Log a write."""
        self.action, self.type, self.record_ids = action, type, tuple(ids)
