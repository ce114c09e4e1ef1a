"""Skills: written procedures, found by task and served as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated

from contextd.domain.context_items import Serving
from contextd.domain.details import DOCUMENT
from contextd.domain.limits import Range, Text
from contextd.domain.problems import FileProblem
from contextd.domain.quoting import unquoted
from contextd.domain.records import Record, short_id
from contextd.domain.result_display import text_form
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import find_records
from contextd.search.logged_queries import asked, unanswered
from contextd.skills.skill_files import follow_skill_files
from contextd.thin.home import user_directory
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound, nearest
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words

_MOST_LISTED, _MOST_SKILLS, _MOST_PROBLEMS = 50, 2_000, 10

TRIGGERED = 0.5
"""Share of a trigger's content words that a task must contain to match."""


@dataclass(frozen=True, slots=True)
class FoundSkill:
    """A skill that matches a task. `tokens` is its size when served whole."""

    id: str
    name: str
    description: str
    trigger: str = ""
    file: str = ""
    scope: str = ""
    tokens: int = 0
    used: int = 0
    helped: int = 0
    score: float = 0.0
    why: str = ""

    def as_text(self) -> str:
        """The name and purpose of a skill, then its token count and success counts."""
        trigger = f" Use it: {self.trigger}" if self.trigger else ""
        counts = f"{self.tokens} tokens, used {self.used}×, helped {self.helped}×"
        place = self.file or self.scope
        return f"{self.name}: {self.description}{trigger}\n  ({counts} · {place} · {self.why})"


@dataclass(frozen=True, slots=True)
class FoundSkills:
    """Skills, best first, and problems with skill files."""

    skills: list[FoundSkill]
    problems: list[str] = field(default_factory=list[str])
    note: str = ""

    def as_text(self) -> str:
        """One paragraph per skill."""
        lines = [one.as_text() for one in self.skills]
        lines += [self.note] if self.note else []
        return "\n".join([*lines, *(f"! {problem}" for problem in self.problems)])


@operation("GET /api/skills/search", profile="standard", where="person")
def skill_search(
    runtime: Runtime, query: Text, limit: Annotated[int, Range(1, _MOST_LISTED)] = 5
) -> FoundSkills:
    """Find skills (written procedures) for a task. skill_get returns one in full.

    Args:
        query: What you are about to do.
        limit: The most results.
    """
    problems = follow_skill_files(runtime)
    found = find_records(
        runtime, query, ("skill",), limit=limit, handed_out=False, strict=True, statuses=("active",)
    )
    hits = {hit.record.id: (hit.record, hit.score, hit.why) for hit in found.hits}
    words = set(content_words(query))
    for record in _skills(runtime):
        trigger = set(content_words(str(record.data.get("trigger") or "")))
        named = record.title.casefold() in query.casefold().split()
        if named or (trigger and len(trigger & words) >= TRIGGERED * len(trigger)):
            why = "its name" if named else "its trigger"
            hits[record.id] = (record, 1.0, why)
    ranked = sorted(hits.values(), key=lambda hit: (-hit[1], hit[0].title))[:limit]
    skills = [_found(record, score, why) for record, score, why in _nearest_scope(runtime, ranked)]
    runtime.trace.gave += [
        Serving("discovery", one.id, count_tokens(text_form(one))) for one in skills
    ]
    noted = asked(runtime, query, [one.id for one in skills], type="skill")
    nothing = unanswered(runtime, "no matching skill", noted=noted)
    return FoundSkills(skills, _told(problems), found.notice if skills else nothing)


def _skills(runtime: Runtime) -> Sequence[Record]:
    query = runtime.query("skill", valid_at=runtime.clock.now(), limit=_MOST_SKILLS)
    return runtime.view.records.find(query).records


def _nearest_scope(
    runtime: Runtime, hits: Sequence[tuple[Record, float, str]]
) -> list[tuple[Record, float, str]]:
    """Of skills with the same name, the nearest: a project's own takes precedence over the person's."""
    place = {scope: at for at, scope in enumerate(runtime.cascade)}
    best: dict[str, tuple[Record, float, str]] = {}
    for hit in hits:
        known = best.get(hit[0].title)
        if known is None or place[hit[0].scope] < place[known[0].scope]:
            best[hit[0].title] = hit
    return list(best.values())


def _found(record: Record, score: float, why: str) -> FoundSkill:
    description, _, _ = record.content.partition("\n")
    return FoundSkill(
        id=record.id,
        name=str(record.data.get("name", record.title)),
        description=description,
        trigger=str(record.data.get("trigger") or ""),
        file=str(record.data.get("file") or ""),
        scope=str(record.scope),
        tokens=count_tokens(body_of(record)),
        used=record.usage_count,
        helped=record.helpful,
        score=round(score, 4),
        why=why,
    )


def body_of(record: Record) -> str:
    """The instructions of a skill."""
    body = str(record.data.get("prompt_template") or "")
    steps = "\n".join(f"{at}. {step}" for at, step in enumerate(record.data.get("steps", ()), 1))
    return body or steps or record.content


def _told(problems: Sequence[FileProblem]) -> list[str]:
    return [str(problem) for problem in problems[:_MOST_PROBLEMS]]


@dataclass(frozen=True, slots=True)
class Skill:
    """A complete skill: its instructions, and the other files in its `folder`."""

    id: str
    name: str
    description: str
    content: Annotated[str, DOCUMENT]
    trigger: str = ""
    folder: str = ""
    files: list[str] = field(default_factory=list[str])
    required_tools: list[str] = field(default_factory=list[str])
    source: str = ""
    scope: str = ""
    tokens: int = 0
    used: int = 0
    helped: int = 0
    unhelped: int = 0
    problems: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The skill, then its files and its record of use."""
        lines = [f"# {unquoted(self.name)}", self.description, "", self.content]
        if self.files:
            lines += ["", f"Files in {self.folder}:", *(f"- {name}" for name in self.files)]
        counts = f"used {self.used}×, helped {self.helped}×, did not help {self.unhelped}×"
        lines.append(f"\n({short_id(self.id)} · {self.source} · {self.tokens} tokens · {counts})")
        return "\n".join([*lines, *(f"! {problem}" for problem in self.problems)])


@operation("GET /api/skills/{name}", profile="standard", where="person")
def skill_get(runtime: Runtime, name: str) -> Skill:
    """Read a complete skill with the list of its files. Report with memory_feedback whether it helped.

    Args:
        name: Its name.
    """
    problems = follow_skill_files(runtime)
    known = _skills(runtime)
    place = {scope: at for at, scope in enumerate(runtime.cascade)}
    named = [record for record in known if name.strip() in (record.data.get("name"), record.id)]
    if not named:
        broken = [problem for problem in problems if f"/{name}/" in f"/{problem.file}"]
        names = sorted({str(record.data.get("name", "")) for record in known})
        listed = "known skills: " + (", ".join(names[:10]) or "none")
        hint = str(broken[0]) if broken else nearest(name, names) or listed
        raise NotFound(f"no skill {name!r}", hint)
    record = min(named, key=lambda one: place[one.scope])
    body = body_of(record)
    tokens = count_tokens(body)
    runtime.trace.read([record.id], type="skill", query="")
    runtime.sinks.used([record])
    runtime.trace.own_texts.append(body)
    runtime.trace.gave.append(Serving("discovery", record.id, tokens))
    found = _found(record, 1.0, "")
    return Skill(
        id=record.id,
        name=found.name,
        description=found.description,
        content=body,
        trigger=found.trigger,
        folder=_folder(runtime, found.file),
        files=list(map(str, record.data.get("files", ()))),
        required_tools=list(map(str, record.data.get("required_tools", ()))),
        source=found.file or str(record.source),
        scope=found.scope,
        tokens=tokens,
        used=record.usage_count + 1,
        helped=record.helpful,
        unhelped=record.unhelpful,
        problems=[str(one) for one in problems if one.file == found.file],
    )


def _folder(runtime: Runtime, file: str) -> str:
    """The path of a skill's folder on this machine; empty if unknown."""
    if not file:
        return ""
    below = {"~": user_directory(), "$CONTEXTD_HOME": runtime.settings.home}
    first, _, rest = file.partition("/")
    if first in below:
        return str((below[first] / rest).parent)
    return str((runtime.checkout.root / Path(file)).parent) if runtime.checkout else ""
