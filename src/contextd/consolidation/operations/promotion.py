"""Promote knowledge of several projects to the team or the organisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, Literal

from contextd.consolidation.promotion import KNOWN, copy_for, particulars, promoted
from contextd.consolidation.promotion_proposals import propose_wider
from contextd.domain.details import RENDERED
from contextd.domain.kinds import area_of
from contextd.domain.limits import Id
from contextd.domain.records import Record, short_id
from contextd.domain.scope import PERSON, Scope
from contextd.jobs.table import Task
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Denied

ItemType = Literal["memory", "remediation", "anti_pattern", "standard"]

_KINDS: dict[str, tuple[str, ...]] = {
    "memory": ("memory",),
    "remediation": ("remediation",),
    "anti_pattern": ("anti_pattern",),
    "standard": ("coding_standard", "repo_standard"),
}
_PEOPLE = ("cli", "web")


@dataclass(frozen=True, slots=True)
class Promotion:
    """The result of a promotion: `promoted` or `known` with the id there, or a `proposal` with the new
    text, its differences, and the token that confirms it.
    """

    new_id: str
    status: Literal["promoted", "known", "proposal"]
    scope: str
    message: str
    title: str = ""
    content: str = ""
    diff: Annotated[list[str], RENDERED] = field(default_factory=list[str])
    confirm: str = ""

    def as_text(self) -> str:
        """The message; for a proposal also the differences."""
        return "\n".join([*self.diff, self.message])


@operation("POST /api/records/{id}/promote", effect="write", profile="full")
def knowledge_promote(
    runtime: Runtime,
    id: Id,
    kind: ItemType,
    scope: Literal["team", "org"],
    generalize: bool = False,
    confirm: str = "",
) -> Promotion:
    """Copy a record to its team or organisation, where all their projects see it. With `generalize` the first
    call only shows the text without names, paths and ids; the second one, with `confirm`, stores it.

    Args:
        id: The record's id, or its first characters.
        kind: Its type.
        scope: The scope to copy it to.
        generalize: Remove the project's names, paths and identifiers.
        confirm: The token from the first call, to accept its text.
    """
    record = resolve(runtime, id, *_KINDS[kind])
    target = _target(runtime, record, scope)
    runtime.caller.require("write", target, area_of(record.kind))
    _require_promotable(runtime, record)
    own = particulars(runtime, record.scope) if generalize else None
    wider = copy_for(runtime, record, target, own)
    if generalize and not confirm:
        for known in runtime.view.records.get([wider.copy.id]):
            if known.status == "active":
                return Promotion(known.id, KNOWN, str(target), _told(known, target, KNOWN))
        runtime.trace.read([record.id], type=record.kind)
        return Promotion(
            "",
            "proposal",
            str(target),
            f"nothing is stored yet; call again with confirm={wider.token} to store this text",
            wider.copy.title,
            wider.copy.content,
            list(wider.diff) or ["the text contains no project names"],
            wider.token,
        )
    if confirm and confirm != wider.token:
        raise Conflict(
            "the text differs from the confirmed one",
            "call without confirm to see the proposal again",
        )
    there, became = promoted(runtime, record, wider.copy)
    runtime.trace.wrote([there.id], type=there.kind)
    return Promotion(there.id, became, str(target), _told(there, target, became))  # type: ignore[arg-type]


def _told(there: Record, target: Scope, became: str) -> str:
    if became == KNOWN:
        knows = "your own layer" if target == PERSON else str(target)
        return f"{knows} has it already as {short_id(there.id)}; both are linked"
    seen = "every project of yours" if target == PERSON else f"every project of {target}"
    return f"stored as {short_id(there.id)} for {seen}; `undo {short_id(there.id)}` undoes it"


def _target(runtime: Runtime, record: Record, level: Literal["team", "org"]) -> Scope:
    is_own = runtime.project is not None and record.scope in runtime.own_scopes
    # What a project wrote before it came to its team belongs to the team that it is in now.
    whose = runtime.scope if is_own else record.scope
    for scope in whose.cascade[1:]:
        if scope.level == level:
            return scope
    raise Conflict(
        f"{short_id(record.id)} is in {record.scope}, which is not narrower than the {level}",
        "choose a record of a project, or of a team for target_scope=org",
    )


def _require_promotable(runtime: Runtime, record: Record) -> None:
    if record.status != "active":
        stayed = f"promote {short_id(record.canonical_id)} instead" if record.canonical_id else ""
        raise Conflict(
            f"{short_id(record.id)} is {record.status}: only active records can be promoted",
            stayed or "settle_candidate accepts candidates, undo restores archived records",
        )
    if record.trust in ("external", "imported") and runtime.surface not in _PEOPLE:
        raise Denied(
            f"{short_id(record.id)} comes from outside ({record.trust}): an agent must not promote it",
            "a person may, with `contextd dev call knowledge_promote`",
        )


@dataclass(frozen=True, slots=True)
class ProposedPromotions:
    """What was proposed to teams and organisations."""

    proposed: int
    ids: list[str]

    def as_text(self) -> str:
        """One sentence."""
        if not self.proposed:
            return "no new knowledge is shared by two projects or two teams"
        ids = ", ".join(map(short_id, self.ids))
        return f"{self.proposed} proposed: {ids}; settle_candidate keeps or drops each"


@operation("POST /api/promotions/proposals", effect="write", audience="owner", idempotent=True)
@in_steps
def promotions_propose(runtime: Runtime) -> ProposedPromotions:
    """Find knowledge that two projects of a team or two teams share, and propose it in the inbox there.
    This also runs daily.
    """
    found = propose_wider(runtime, lambda: None)
    return ProposedPromotions(len(found), [record.id for record in found])


def propose_promotions(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Propose knowledge shared by two projects to their team, and by two teams to the organisation."""
    return {"proposed": len(propose_wider(runtime, task.hold.check))}
