"""Candidates: records learned once that await confirmation or review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from contextd.claims.judgement import repeats
from contextd.domain.confidence import START
from contextd.domain.limits import Id, Statement
from contextd.domain.records import Record, Trust, short_id
from contextd.imports.transcripts import scrubbed
from contextd.knowledge.writing import Changed, change_all
from contextd.learning.changed_rules import RuleInQuestion, answered, as_work, asked_about
from contextd.learning.corroboration import DROPPED, as_rule
from contextd.learning.passages import SHORTEST
from contextd.projects.project_model import project_model
from contextd.projects.project_yaml import ModuleLearning, enrich
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd.sessions.module_mapping import Place, module_of
from contextd_code.project.project_model import ProjectModel
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Invalid, NotFound
from contextd_common.text.words import one_line, weight

_WAITING = ("candidate", "inbox")
Section = Literal["pattern", "rule", "issue"]
Verdict = Literal["keep", "drop", "merge"]


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
def settle_candidate(runtime: Runtime, id: Id, verdict: Verdict, into: str = "") -> Settled:
    """Review a learned record: accept it, drop it, or merge it into an equal one.

    Args:
        id: The candidate's id, or its first characters.
        verdict: What to do with it.
        into: For `merge`, the record to keep.
    """
    record = _waiting(runtime, id)
    if (verdict == "merge") != bool(into):
        raise Invalid(
            f"verdict {verdict} with into={into!r}", "`into` requires the verdict `merge`"
        )
    other = _other(runtime, record, into).id if verdict == "merge" else ""
    [after] = change_all(runtime, [_judged(runtime, record, verdict, into=other)])
    return _settled(runtime, after)


@dataclass(frozen=True, slots=True)
class SettledTogether:
    """The results for several records: first those that changed, in the order of the call, then rules that replace others, then
    rules that stay as they are.
    """

    settled: list[Settled]

    def as_text(self) -> str:
        """A line or two for each."""
        lines = [one.as_text() for one in self.settled]
        return "\n".join(lines) or "no candidate was named, so all stay candidates"


@operation("POST /api/candidates/settle", effect="write", profile="standard")
@in_steps
def settle_candidates(
    runtime: Runtime,
    keep_ids: list[Id] | None = None,
    drop_ids: list[Id] | None = None,
    reword: dict[str, Statement] | None = None,
) -> SettledTogether:
    """Review several learned records, and rules in force that a session was asked about, in one call: all of them, or none
    if an id is wrong.

    Args:
        keep_ids: Those that hold.
        drop_ids: Those that do not, or no longer.
        reword: The better text of some to keep, or what a rule in force says from now on; under the same key.
    """
    texts, keep = reword or {}, keep_ids or []
    if unknown := texts.keys() - set(keep):
        raise Invalid(
            f"reword names {', '.join(sorted(unknown))}, which is not in keep_ids",
            "add the id to keep_ids",
        )
    verdicts: list[tuple[str, Verdict]] = [(id, "keep") for id in keep]
    verdicts += [(id, "drop") for id in drop_ids or ()]
    changes: dict[str, Changed] = {}
    standing: dict[str, Record] = {}
    replacements: list[Record] = []
    ended: list[tuple[RuleInQuestion, str]] = []
    for id, verdict in verdicts:
        record, asked = _in_question(runtime, id)
        if record.id in changes or record.id in standing:
            raise Invalid(f"{short_id(record.id)} has two verdicts", "name each candidate once")
        text = _checked(id, texts[id]) if id in texts else ""
        if asked is None:
            changes[record.id] = _judged(runtime, record, verdict, text=text)
        elif verdict == "keep" and not text:
            standing[record.id] = record
        else:
            changes[record.id], new = answered(runtime, asked, text)
            replacements += [new] if new is not None else []
            ended.append((asked, new.id if new is not None else ""))
    after = change_all(runtime, list(changes.values()), beside=replacements, work=as_work(ended))
    settled = [*after, *replacements, *standing.values()]
    return SettledTogether([_settled(runtime, one) for one in settled])


def _checked(id: str, text: str) -> str:
    """The new words of a candidate. Raises `Invalid` for too few or too many."""
    words = one_line(text, _LONGEST + 1)
    if not weight(words) >= SHORTEST or len(words) > _LONGEST:
        raise Invalid(
            f"the new text of {id} has {len(words)} characters",
            f"say it in a sentence or two, at most {_LONGEST} characters",
        )
    return words


_LONGEST = 900
"""Characters of a reworded candidate, as of a learned one."""


def _in_question(runtime: Runtime, id: str) -> tuple[Record, RuleInQuestion | None]:
    """A record that awaits review, or a rule in force together with the question that was asked about it. Raises `NotFound` or
    `Conflict`.
    """
    record = resolve(runtime, id)
    asked = asked_about(runtime, record)
    return (record, asked) if asked is not None else (_awaiting(record), None)


def _waiting(runtime: Runtime, id: str) -> Record:
    """A record that awaits review. Raises `NotFound`, or `Conflict` for one that does not."""
    return _awaiting(resolve(runtime, id))


def _awaiting(record: Record) -> Record:
    if record.status not in _WAITING:
        raise Conflict(
            f"{short_id(record.id)} is {record.status}: it does not await review",
            "list_records with status=candidate lists those that do",
        )
    return record


def _judged(
    runtime: Runtime, record: Record, verdict: Verdict, *, into: str = "", text: str = ""
) -> Changed:
    """A record after a verdict, with its reason: in other words if there is `text`, merged `into` another one."""
    person = runtime.surface in ("cli", "web")
    by = "a person" if person else runtime.client or "an agent"
    trust: Trust = "human" if person else "agent"
    changes: dict[Verdict, Mapping[str, Any]] = {
        "keep": {
            "status": "active",
            "trust": trust,
            "confidence": max(record.confidence, START[trust]),
        },
        "drop": {"status": "archived"},
        "merge": {"status": "merged", "canonical_id": into},
    }
    reason = f"{DROPPED} {by}" if verdict == "drop" else f"{verdict} by {by}"
    settled = as_rule(record) if verdict == "keep" else record
    if text:
        settled, reason = settled.with_(content=text), f"reworded by {by}"
    return Changed(record, settled.with_(**changes[verdict]), "update", reason)


def _settled(runtime: Runtime, after: Record) -> Settled:
    """What a call says of a candidate after its verdict."""
    runtime.trace.wrote([after.id], type=after.kind, action="update")
    settled = Settled(after.id, after.status, after.confidence, str(after.version))
    return _enriched(runtime, after, settled) if after.status == "active" else settled


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


@operation("POST /api/records/{id}/place", effect="write", profile="standard", needs="machine")
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
