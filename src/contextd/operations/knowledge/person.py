"""Who the person is and how they like things: shown, written into USER.md, and proposed by what recurs."""

from __future__ import annotations

import re
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contextd.domain.changes import Put
from contextd.domain.confidence import START
from contextd.domain.documents import record_document
from contextd.domain.errors import Invalid
from contextd.domain.projects import Project
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record, Source
from contextd.domain.scope import PERSON
from contextd.domain.words import content_words
from contextd.governance.gate import RANK, Draft, GateLookup, admit
from contextd.jobs.table import Task
from contextd.operations.core import operation
from contextd.runtime import Runtime
from contextd.sessions.person_md import STRENGTHS, Strength, strength_of
from contextd.steps.finding import resolve
from contextd.steps.person import (
    from_file,
    owner_name,
    personal_records,
    persons_records,
    strength,
    told_by,
)
from contextd.steps.person_files import FILES, text_of, write_user_md
from contextd.steps.rows import RecordRow, row_of
from contextd.steps.writing import change, embed_documents

_PAGE, _MOST_PER_PROJECT = 500, 2_000
PROPOSED_FROM = "proposed_from"
"""The field of a proposal that says in which projects it stands."""

_WISHED_TYPES = re.compile(r"preference|rule|convention|style|standard|guideline", re.I)
_WISH = re.compile(
    r"(?:prefer|avoid|use|keep|write|stick to|please|i (?:like|want|prefer))\b", re.I
)
_WISHED_KINDS = ("coding_standard", "context", "discovery")


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """One thing the layer says. `file` is the one of the home it stands in, `projects` those that a
    proposal comes from.
    """

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
    """The person's layer: what holds, what is proposed, and the files of the home."""

    owner: str
    lines: list[ProfileLine]
    proposals: list[ProfileLine]
    files: list[PersonFile]

    def as_text(self) -> str:
        """As Markdown: what they insist on first."""
        parts = [f"# {self.owner or 'The person'}"]
        for level in STRENGTHS:
            said = [line for line in self.lines if line.strength == level]
            if said:
                parts.append(f"\n## {level.capitalize()}")
                parts += [f"- {line.text} [{line.record.id[:8]}]" for line in said]
        if not self.lines:
            parts.append(
                'nothing yet; `contextd remember --about-me "…"` or USER.md adds something'
            )
        if self.proposals:
            parts.append("\n## Proposed, accept with `contextd person-accept`")
        for line in self.proposals:
            stands = ", ".join(line.projects)
            parts.append(f"- {line.text} [{line.record.id[:8]}] (stands in {stands})")
        return "\n".join(parts)


@operation("GET /api/person", audience="owner", personal=True)
def user_profile(runtime: Runtime) -> Profile:
    """Show who the person is and how they like things: what USER.md and SOUL.md say, what was told since,
    and what recurs in several projects and waits for a yes.
    """
    _require_layer(runtime)
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
        record=row_of(record, runtime.clock.now()),
        file=from_file(record),
        projects=[str(name) for name in record.data.get(PROPOSED_FROM, ())],
    )


def _require_layer(runtime: Runtime) -> None:
    runtime.caller.require("read", PERSON)
    if not runtime.has_person:
        raise Invalid(
            f"{runtime.organisation.name} keeps nothing of a person",
            "ask from a project of this machine's own, or from no project",
        )


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was brought up to date, and whether it says something new."""

    path: str
    changed: bool

    def as_text(self) -> str:
        """In a sentence."""
        return f"{self.path} is up to date" + ("" if self.changed else "; nothing was new")


@operation(
    "POST /api/person/user-md", effect="write", audience="owner", idempotent=True, personal=True
)
def write_profile(runtime: Runtime) -> Written:
    """Write what was told to contextd into its own block of USER.md. Your own text there stays byte for
    byte.
    """
    _require_layer(runtime)
    runtime.caller.require("write", PERSON)
    changed = write_user_md(runtime)
    return Written(str(Path(runtime.settings.home) / FILES[0]), changed)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A proposal that holds from now on."""

    id: str
    text: str

    def as_text(self) -> str:
        """In a sentence."""
        return f"{self.id[:8]} holds in every project from now on: {self.text}"


@operation(
    "POST /api/person/{id}/accept",
    effect="write",
    audience="owner",
    idempotent=True,
    personal=True,
)
def person_accept(runtime: Runtime, id: str) -> Accepted:
    """Say yes to what was proposed because it recurs: from now on it is the person's word everywhere.

    Args:
        id: The record's id, or its first characters.
    """
    record = resolve(runtime, id)
    if record.scope != PERSON:
        raise Invalid(f"{id} is no proposal for the person", "user_profile lists the proposals")
    if record.status == "inbox":
        certain = max(record.confidence, START["human"])
        after = record.with_(status="active", trust="human", confidence=certain)
        record = change(runtime, record, after, action="update", reason="accepted by the person")
        runtime.trace.wrote([record.id], type=record.kind, action="update")
    return Accepted(record.id, told_by(record))


def propose_for_person(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Propose to the person what two projects of theirs ask for in the same words. Nothing is in force
    before they say yes, and what they turned down is not proposed again.
    """
    if not runtime.has_person:
        return {"skipped": "no person works here"}
    everywhere = runtime.everywhere()
    standing: dict[frozenset[str], list[tuple[Project, Record]]] = defaultdict(list)
    for project in everywhere.projects():
        for record in _wishes(everywhere, project):
            standing[_key(record)].append((project, record))
        task.hold.check()
    here = runtime.aside().at_person()
    known = [_plain(r) for r in persons_records(here, *STATUSES, ended=True)]
    proposals: list[Put] = []
    for found in standing.values():
        best, projects = _agreed(found)
        if len(projects) < 2 or any(_same(best, other) for other in known):
            continue
        names = sorted(str(project.scope) for project in projects)
        labels = " and ".join(sorted(project.name for project in projects))
        proposals.append(Put(_proposal(here, best, names), "create", f"stands in {labels}"))
    task.hold.check()
    documents = [record_document(put.record) for put in proposals]
    if proposals:
        vectors = {PERSON: embed_documents(here, documents)}
        here.commit(records=proposals, vectors=vectors, model=here.embedder.model)
    return {"proposed": len(proposals)}


def _wishes(runtime: Runtime, project: Project) -> Iterator[Record]:
    """What a project asks for, latest first: preferences and rules that hold there."""
    cursor, left = "", _MOST_PER_PROJECT
    while left > 0:
        query = Query(
            scopes=frozenset({project.scope}),
            kinds=_WISHED_KINDS,
            valid_at=runtime.clock.now(),
            limit=min(_PAGE, left),
            cursor=cursor,
        )
        page = runtime.view.records.find(query)
        yield from (record for record in page.records if _is_wish(record))
        left -= len(page.records)
        cursor = page.cursor
        if not cursor:
            return


def _is_wish(record: Record) -> bool:
    if record.kind == "coding_standard":
        return True
    if record.kind == "discovery":
        return record.data.get("type") == "rule"
    type = str(record.data.get("contextType") or "")
    if type:
        return bool(_WISHED_TYPES.search(type))
    tagged = any(_WISHED_TYPES.search(tag) for tag in record.tags)
    return tagged or bool(_WISH.match(record.content)) or strength_of(record.content) == "strong"


def _key(record: Record) -> frozenset[str]:
    """Equal for what may say the same in the same words."""
    return frozenset(content_words(told_by(record)))


def _agreed(found: Sequence[tuple[Project, Record]]) -> tuple[Record, list[Project]]:
    """The record that says it best, and the projects in which the same stands."""
    best = max((r for _, r in found), key=lambda r: (RANK[r.trust], r.confidence, r.updated_at))
    same = {p.scope: p for p, record in found if record is best or _same(best, _plain(record))}
    return best, list(same.values())


def _plain(record: Record) -> Record:
    """What a record says, without what its kind and type add to it."""
    return record.with_(kind="context", title="", content=told_by(record), data={}, status="active")


def _same(one: Record, other: Record) -> bool:
    """Whether the gate takes one record for a repetition of another plain one."""
    draft = Draft(kind="context", content=told_by(one), trust="human")
    look = GateLookup(
        served=lambda digests: set(), by_hash=lambda hash: None, similar=lambda text: [(other, 1.0)]
    )
    return admit(draft, look).outcome == "duplicate"


def _proposal(runtime: Runtime, best: Record, projects: Sequence[str]) -> Record:
    now = runtime.clock.now()
    words = " ".join(sorted(_key(best)))
    typed = ("contextType", "structuredData", "strength")
    kept = {name: best.data[name] for name in typed if name in best.data}
    return Record(
        id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"person {words}")),
        kind="context",
        scope=PERSON,
        content=best.content,
        data={**kept, PROPOSED_FROM: list(projects)},
        tags=best.tags,
        source=Source(agent="contextd", operation="propose_for_person"),
        trust="extracted",
        status="inbox",
        confidence=START["extracted"],
        created_at=now,
        updated_at=now,
        valid_from=now,
    )
