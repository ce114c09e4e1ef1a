"""List, dismiss and reopen gaps."""

from __future__ import annotations

from dataclasses import field

from contextd.awareness.gap_inputs import dismissed, everywhere, gaps_of, stalest_of, tallies_of
from contextd.awareness.gaps import Gap
from contextd.domain.changes import KnowledgeChanges, Put, WorkChanges
from contextd.domain.limits import Id
from contextd.domain.records import short_id
from contextd.knowledge.embedding import embedding_jobs
from contextd.knowledge.writing import change, new_record
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A dismissed gap. `id` reopens it."""

    id: str
    description: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Gaps:
    """Gaps, warnings first, and dismissed gaps, latest first."""

    gaps: list[Gap]
    dismissed: list[Dismissal] = field(default_factory=list[Dismissal])

    def as_text(self) -> str:
        """Each gap with its suggestion."""
        listing = "\n".join(gap.as_text() for gap in self.gaps)
        return listing or "no gaps: every question had results, and nothing is old"


@operation("GET /api/awareness/gaps", profile="standard")
def get_gaps(runtime: Runtime) -> Gaps:
    """List knowledge gaps and outdated records, each with a suggested action. dismiss_gap closes a false one."""
    runtime.sinks.settle()
    runtime = everywhere(runtime)
    gaps = _gaps(runtime)
    runtime.trace.read([], type="awareness")
    away = [
        Dismissal(one.id, one.content, str(one.data.get("note", ""))) for one in dismissed(runtime)
    ]
    return Gaps(gaps, away)


@dataclass(frozen=True, slots=True)
class GapClosed:
    """The outcome for a gap. `id` names the dismissal."""

    id: str
    message: str

    def as_text(self) -> str:
        """The message."""
        return self.message


@operation("POST /api/awareness/gaps/{id}/dismiss", effect="write")
def dismiss_gap(runtime: Runtime, id: str, note: str = "") -> GapClosed:
    """Dismiss a gap when the user says it is not one: it is no longer listed.

    Args:
        id: The gap's id, as get_gaps shows it.
        note: Why, in a few words.
    """
    runtime.sinks.settle()
    gap = next((gap for gap in _gaps(runtime) if gap.id == id.strip()), None)
    if gap is None:
        raise NotFound(f"unknown gap {id!r}", "get_gaps lists all gaps with their ids")
    data = {"gap": gap.kind, "subjects": gap.subjects, **({"note": note} if note else {})}
    record = new_record(runtime, "dismissal", content=gap.description, data=data)
    put = Put(record.with_(status="archived"), "create", note)
    # Without its vector the index would stay incomplete, and no search would log a gap.
    runtime.commit(
        knowledge=KnowledgeChanges(records=[put]), work=WorkChanges(jobs=embedding_jobs(runtime))
    )
    runtime.trace.wrote([record.id], type="gap")
    return GapClosed(
        record.id,
        f"dismissed; `contextd projects reopen-gap {short_id(record.id)}` reopens it",
    )


@operation(
    "POST /api/awareness/gaps/{id}/reopen", effect="write", audience="owner", idempotent=True
)
def reopen_gap(runtime: Runtime, id: Id) -> GapClosed:
    """Reopen a dismissed gap: it is listed again until it is closed.

    Args:
        id: The dismissal's id, as get_gaps shows it, or its first characters.
    """
    record = resolve(runtime, id, "dismissal")
    change(runtime, record, record.with_(status="deleted"), action="delete", reason="opened again")
    runtime.trace.wrote([record.id], type="gap", action="update")
    return GapClosed(record.id, "reopened")


def _gaps(runtime: Runtime) -> list[Gap]:
    return gaps_of(runtime, tallies_of(runtime), stalest_of(runtime))
