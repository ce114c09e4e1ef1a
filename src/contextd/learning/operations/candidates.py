"""Candidates: records learned once that await confirmation or review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from contextd.claims.judgement import repeats
from contextd.domain.confidence import START
from contextd.domain.limits import Id
from contextd.domain.records import Record, short_id
from contextd.imports.transcripts import scrubbed
from contextd.knowledge.writing import change
from contextd.learning.corroboration import DROPPED, as_rule
from contextd.projects.project_model import project_model
from contextd.projects.project_yaml import ModuleLearning, enrich
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd.sessions.module_mapping import Place, module_of
from contextd_code.dataclass import dataclass
from contextd_code.errors import Conflict, Invalid, NotFound
from contextd_code.project.project_model import ProjectModel

_WAITING = ("candidate", "inbox")
Section = Literal["pattern", "rule", "issue"]


@dataclass(frozen=True, slots=True)
class Settled:
    """The result for a candidate: its status and version, and the module of project.yaml that it belongs to. `placed`
    are the lines added there.
    """

    id: str
    status: str
    confidence: float
    version: str = ""
    module: str = ""
    placed: tuple[str, ...] = ()

    def as_text(self) -> str:
        """The new status, and what to do about the module."""
        settled = f"{short_id(self.id)} is now {self.status} (confidence {self.confidence:.2f})"
        if self.placed:
            return "\n".join((settled, *self.placed))
        if not self.module:
            return settled
        return f"{settled}\nit belongs to the module {self.module}: place_in_model with this id writes it into project.yaml"


@operation("POST /api/candidates/{id}/settle", effect="write", profile="standard")
@in_steps
def settle_candidate(
    runtime: Runtime, id: Id, verdict: Literal["keep", "drop", "merge"], into: str = ""
) -> Settled:
    """Review a learned record: accept it, drop it, or merge it into an equal one.

    Args:
        id: The candidate's id, or its first characters.
        verdict: What to do with it.
        into: For `merge`, the record to keep.
    """
    record = resolve(runtime, id)
    if record.status not in _WAITING:
        raise Conflict(
            f"{short_id(record.id)} is {record.status}: it does not await review",
            "list_records with status=candidate lists those that do",
        )
    if (verdict == "merge") != bool(into):
        raise Invalid(
            f"verdict {verdict} with into={into!r}", "`into` requires the verdict `merge`"
        )
    person = runtime.surface in ("cli", "web")
    by = "a person" if person else runtime.client or "an agent"
    changes: dict[str, Mapping[str, Any]] = {
        "keep": {
            "status": "active",
            "trust": "human" if person else "agent",
            "confidence": max(record.confidence, START["human" if person else "agent"]),
        },
        "drop": {"status": "archived"},
        "merge": {"status": "merged"},
    }
    wanted = dict(changes[verdict])
    if verdict == "merge":
        wanted["canonical_id"] = _other(runtime, record, into).id
    reason = f"{DROPPED} {by}" if verdict == "drop" else f"{verdict} by {by}"
    settled = as_rule(record) if verdict == "keep" else record
    after = change(runtime, record, settled.with_(**wanted), action="update", reason=reason)
    runtime.trace.wrote([after.id], type=after.kind, action="update")
    settled_as = Settled(after.id, after.status, after.confidence, str(after.version))
    return _enriched(runtime, after, settled_as) if verdict == "keep" else settled_as


def _enriched(runtime: Runtime, record: Record, settled: Settled) -> Settled:
    """The result, with the module of a confirmed record: proposed, or written if the settings say so."""
    how = runtime.settings.text("project.enrich")
    model = project_model(runtime) if how != "off" else None
    if model is None or runtime.checkout is None:
        return settled
    module = _module_for(record, model)
    if module not in model.modules:
        return settled
    if how == "ask":
        return replace(settled, module=module)
    section: Section = "rule" if record.data.get("type") == "rule" else "pattern"
    return replace(settled, module=module, placed=tuple(_place(runtime, record, module, section)))


def _other(runtime: Runtime, record: Record, into: str) -> Record:
    other = resolve(runtime, into)
    if other.id == record.id or other.scope != record.scope:
        raise Conflict(
            f"{short_id(record.id)} cannot be merged into {short_id(other.id)}",
            "choose another record of the same project",
        )
    return other


@dataclass(frozen=True, slots=True)
class Placed:
    """What was added to project.yaml."""

    module: str
    changes: list[str]

    def as_text(self) -> str:
        """The changes."""
        return "\n".join(self.changes) or "project.yaml has this already"


@operation("POST /api/records/{id}/place", effect="write", profile="standard")
@in_steps
def place_in_model(
    runtime: Runtime,
    id: Id,
    module: str = "",
    section: Section = "rule",
) -> Placed:
    """Write a record into project.yaml, which people read and commit.

    Args:
        id: The record's id, or its first characters.
        module: Its module; found by its words and files when empty.
        section: Where in the module.
    """
    record = resolve(runtime, id)
    model = project_model(runtime)
    if model is None or runtime.checkout is None:
        raise NotFound("this project has no model", "run `contextd init` in its checkout")
    name = module or _module_for(record, model)
    if name not in model.modules:
        known = ", ".join(model.modules) or "none"
        problem = f"no module {name!r}" if name else "no module matches"
        raise NotFound(problem, f"name one: {known}")
    done = _place(runtime, record, name, section)
    # The store is unchanged, but a repeated call must find that this one was carried out.
    runtime.commit()
    runtime.trace.wrote([record.id], type="project", action="update")
    return Placed(name, list(done))


def _module_for(record: Record, model: ProjectModel) -> str:
    """The module that a record belongs to, by its words and files; empty if none matches."""
    places = [
        Place(one.name, (*one.paths, *(f.path for f in one.key_files)), one.description)
        for one in model.modules.values()
    ]
    file = str(record.data.get("file", "")) or next(iter(record.anchor.paths), "")
    return module_of(record.text, file, places)


def _place(runtime: Runtime, record: Record, module: str, section: Section) -> list[str]:
    """Write a record into a module of project.yaml; the lines that were added."""
    assert runtime.checkout is not None
    issue = section == "issue"
    learned = ModuleLearning(
        module=module,
        section=section,
        text=record.content,
        solution=str(record.data.get("solution", "")) if issue else "",
        session_id=record.session if issue else "",
        discovered_at=record.created_at if issue else None,
    )
    return enrich(
        runtime.checkout.project_yaml,
        [learned],
        same=repeats,
        now=runtime.clock.now(),
        scrub=lambda text: scrubbed(runtime, text)[0],
    )
