"""Reports by agents on whether records helped."""

from __future__ import annotations

from typing import Annotated

from contextd.domain.confidence import rated
from contextd.domain.limits import Count, Id
from contextd.domain.records import short_id
from contextd.knowledge.writing import Changed, change_all
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class UsefulnessScore:
    """The scores of a record after a report."""

    id: str
    confidence: float
    helpful: int
    unhelpful: int

    def as_text(self) -> str:
        """One line."""
        helped = f"helped {self.helpful}×, not {self.unhelpful}×"
        return f"{short_id(self.id)}: confidence {self.confidence:.2f}, {helped}"


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An accepted usefulness report, with the new scores."""

    acknowledged: bool
    scores: list[UsefulnessScore]

    def as_text(self) -> str:
        """One line per record."""
        return "\n".join(["noted", *(score.as_text() for score in self.scores)])


@operation(
    "POST /api/awareness/usefulness",
    effect="write",
    profile="standard",
)
def report_usefulness(
    runtime: Runtime, ids: Annotated[list[Id], Count(1)], useful: bool, note: str = ""
) -> Acknowledged:
    """Report whether records you were given helped. This changes their rank for all sessions.

    Args:
        ids: Ids of the records, or their first characters.
        useful: Whether they helped.
        note: Why, in a few words.
    """
    records = {r.id: r for r in (resolve(runtime, id) for id in ids)}
    signal = "helpful" if useful else "unhelpful"
    reason = f"{signal}: {note}" if note else signal
    changes = [
        Changed(record, rated(record, useful=useful), "feedback", reason)
        for record in records.values()
    ]
    after = change_all(runtime, changes)
    runtime.trace.wrote(list(records), type="feedback", action="update")
    return Acknowledged(
        True, [UsefulnessScore(r.id, r.confidence, r.helpful, r.unhelpful) for r in after]
    )
