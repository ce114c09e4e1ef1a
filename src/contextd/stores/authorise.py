"""Whether a grant covers a unit of work."""

from __future__ import annotations

from contextd.domain.access import Grant
from contextd.domain.changes import Changes
from contextd.stores.granted_rows import GrantedRows
from contextd_common.errors import Denied


def authorise(granted: GrantedRows, changes: Changes) -> None:
    """Raise `Denied` for the first change outside the grant."""
    knowledge, work = changes.knowledge, changes.work
    for change in knowledge.records:
        granted.require("write", change.record.scope, change.record.kind)
    scopes = {code.scope for code in changes.code}
    scopes |= {session.scope for session in work.open} | {seat.scope for seat in work.seats}
    scopes |= {*knowledge.vectors, *knowledge.forget}
    scopes |= {original.scope for original in knowledge.originals}
    scopes |= {job.scope for job in work.jobs if job.scope is not None}
    for scope in sorted(scopes):
        granted.require("write", scope)
    for document in knowledge.documents:
        granted.require("write", document.scope, document.kind)
    for scope in sorted(changes.beside.scopes):
        granted.require("read", scope)
    if any(job.scope is None for job in work.jobs) and not _writes_for_all(granted.grant):
        raise Denied("jobs of the whole organisation cannot be queued here", "name the project")


def _writes_for_all(grant: Grant) -> bool:
    # Skills of the whole organisation have more authors than its knowledge.
    return any(cell.scope.level == "org" for cell in grant.write if cell.area == "knowledge")


def writable(grant: Grant) -> list[str]:
    """The scopes with write access to knowledge, in order."""
    return sorted(str(cell.scope) for cell in grant.write if cell.area == "knowledge")
