"""How a write is acknowledged."""

from __future__ import annotations

from contextd.domain.records import short_id
from contextd.knowledge.writing import Saved
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Recorded:
    """The id of the stored record, or of the existing duplicate; `note` adds a remark.

    `operation` is the effect on the store: ADD, UPDATE or SKIP.
    """

    id: str
    outcome: str
    message: str
    note: str = ""
    redacted: int = 0
    operation: str = ""

    def as_text(self) -> str:
        """The message."""
        return self.message


_WORDS = {"added": "recorded", "inbox": "kept for review", "duplicate": "already known"}


def recorded(saved: Saved, note: str = "") -> Recorded:
    """Acknowledge a write in words, with `note` at the end."""
    id = saved.record.id
    if saved.outcome == "updated":
        return Recorded(id, saved.outcome, saved.reason, saved.reason, operation=saved.operation)
    message = f"{_WORDS[saved.outcome]} as {short_id(id)}" + (
        f" ({saved.reason})" if saved.reason else ""
    )
    if saved.redacted:
        secrets = "1 secret" if saved.redacted == 1 else f"{saved.redacted} secrets"
        message += f"; {secrets} removed before storing"
    message += f"; {note}" if note else ""
    besides = message.replace(f" as {short_id(id)}", "", 1)
    return Recorded(
        id,
        saved.outcome,
        message,
        "" if besides == _WORDS["added"] else besides,
        saved.redacted,
        saved.operation,
    )


def fate(saved: Saved) -> str:
    """What a caller should know about a saved note."""
    if saved.outcome == "duplicate":
        return f"{saved.reason}; that entry is returned"
    reason = "it waits in the inbox: " + saved.reason if saved.outcome == "inbox" else saved.reason
    redacted = f"{saved.redacted} secrets taken out" if saved.redacted else ""
    return "; ".join(filter(None, (reason, redacted)))
