"""Show the person's preferences, write them into USER.md, and propose recurring ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from contextd.domain.confidence import START
from contextd.domain.limits import Id
from contextd.domain.quoting import unquoted
from contextd.domain.records import Record, short_id
from contextd.domain.scope import PERSON
from contextd.jobs.table import Task
from contextd.knowledge.record_lists import RecordRow, row_of
from contextd.knowledge.writing import change
from contextd.person.files import FILES, text_of, write_user_md
from contextd.person.person import from_file, owner_name, personal_records, strength, told_by
from contextd.person.person_md import STRENGTHS, Strength
from contextd.person.proposals import PROPOSED_FROM, propose
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd.search.validity import validities
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """One line of the layer. `file` is its file in the home, `projects` the origins of a proposal."""

    text: str
    strength: Strength
    record: RecordRow
    file: str = ""
    projects: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class PersonFile:
    """A file of the home in the person's own words."""

    name: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Profile:
    """The person's layer: what is in force, what is proposed, and the files of the home."""

    owner: str
    lines: list[ProfileLine]
    proposals: list[ProfileLine]
    files: list[PersonFile]

    def as_text(self) -> str:
        """Markdown, strongest preferences first."""
        parts = [f"# {unquoted(self.owner) or 'The person'}"]
        for level in STRENGTHS:
            level_lines = [line for line in self.lines if line.strength == level]
            if level_lines:
                parts.append(f"\n## {level.capitalize()}")
                parts += [f"- {line.text} [{short_id(line.record.id)}]" for line in level_lines]
        if not self.lines:
            parts.append('nothing yet; add with `contextd remember --about-me "…"` or in USER.md')
        if self.proposals:
            parts.append("\n## Proposed, accept with `contextd records person-accept`")
        for line in self.proposals:
            stands = ", ".join(line.projects)
            parts.append(f"- {line.text} [{short_id(line.record.id)}] (stands in {stands})")
        return "\n".join(parts)


@operation("GET /api/person", audience="person", where="person")
def user_profile(runtime: Runtime) -> Profile:
    """Show the person's layer: USER.md, SOUL.md, saved preferences, and proposals from several projects
    that await acceptance.
    """
    home = runtime.settings.home
    proposed = (r for r in personal_records(runtime, "inbox") if r.data.get(PROPOSED_FROM))
    return Profile(
        owner=owner_name(runtime),
        lines=[_line(runtime, record) for record in personal_records(runtime)],
        proposals=[_line(runtime, record) for record in proposed],
        files=[PersonFile(name, str(home / name), text_of(home, name)) for name in FILES],
    )


def _line(runtime: Runtime, record: Record) -> ProfileLine:
    return ProfileLine(
        text=told_by(record),
        strength=strength(record),
        record=row_of(record, runtime.clock.now(), validities(runtime, [record])[record.id]),
        file=from_file(record),
        projects=[str(name) for name in record.data.get(PROPOSED_FROM, ())],
    )


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was updated, and whether it changed."""

    path: str
    changed: bool

    def as_text(self) -> str:
        """One sentence."""
        return f"{self.path} is up to date" + ("" if self.changed else "; no changes")


@operation(
    "POST /api/person/user-md", effect="write", audience="person", idempotent=True, where="person"
)
def write_profile(runtime: Runtime) -> Written:
    """Write saved preferences into contextd's block of USER.md. Your own text there stays byte for byte."""
    changed = write_user_md(runtime)
    return Written(str(Path(runtime.settings.home) / FILES[0]), changed)


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted proposal."""

    id: str
    text: str

    def as_text(self) -> str:
        """One sentence."""
        return f"{short_id(self.id)} now applies in every project: {self.text}"


@operation(
    "POST /api/person/{id}/accept",
    effect="write",
    audience="person",
    idempotent=True,
    where="person",
)
def person_accept(runtime: Runtime, id: Id) -> Accepted:
    """Accept a proposed preference: from now on it applies in every project.

    Args:
        id: The record's id, or its first characters.
    """
    record = resolve(runtime, id)
    if record.scope != PERSON:
        raise NotFound(f"{id} is not a proposal for the person", "user_profile lists the proposals")
    if record.status == "inbox":
        certain = max(record.confidence, START["human"])
        after = record.with_(status="active", trust="human", confidence=certain)
        record = change(runtime, record, after, action="update", reason="accepted by the person")
        runtime.trace.wrote([record.id], type=record.kind, action="update")
    return Accepted(record.id, told_by(record))


@dataclass(frozen=True, slots=True)
class Proposed:
    """The number of proposals to the person."""

    proposed: int

    def as_text(self) -> str:
        """One sentence."""
        if not self.proposed:
            return "no new preference recurs in several projects"
        return f"{self.proposed} proposed; user_profile lists them"


@operation(
    "POST /api/person/proposals", effect="write", audience="person", idempotent=True, where="person"
)
@in_steps
def person_propose(runtime: Runtime) -> Proposed:
    """Find preferences repeated in several projects and propose them to the person. This also runs daily."""
    return Proposed(len(propose(runtime, lambda: None)))


def propose_for_person(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Propose to the person what two of their projects share in the same words. Proposals take effect on
    acceptance, and rejected ones are not repeated.
    """
    if not runtime.has_person:
        return {"skipped": "this home has no person's layer"}
    return {"proposed": len(propose(runtime, task.hold.check))}
