"""Start a subtask for a stored agent: its instructions, skills and visible collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Annotated

from contextd.domain.details import RENDERED
from contextd.domain.kinds import KINDS
from contextd.domain.limits import Text
from contextd.domain.query import CODE, EVENT
from contextd.domain.quoting import fenced, inline, quotation, settled
from contextd.domain.records import Record, short_id
from contextd.folding.session_subtasks import open_subtask, parent_session, room_for
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.skills.skill_files import follow_skill_files
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, nearest
from contextd_common.text.tokens import count_tokens, trim_to_tokens

_COLLECTIONS = {
    **{kind.collection: name for name, kind in KINDS.items()},
    **{name: name for name in KINDS},
    "codebase": CODE,
    "sessions": EVENT,
}
"""Names allowed in an agent's `collections_access`, and their kinds of document."""

_BRIEF_SHARE = 0.5
"""Maximum share of a subtask's budget for the agent's skills; the rest is for its work."""

_MOST = 200


@dataclass(frozen=True, slots=True)
class Invoked:
    """A subtask opened for an agent, and its brief. `collections` are those its searches include, all if
    empty.
    """

    subtask_id: str
    brief: Annotated[str, RENDERED]
    budget: int
    model_preference: str = ""
    collections: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The brief, and how to end the subtask."""
        head = (
            f"subtask {short_id(self.subtask_id)}: {self.budget:,} tokens; end it with return(text)"
        )
        return "\n".join([head, *self.notes, self.brief])


@operation("POST /api/agents/{name}/invoke", effect="write", profile="standard")
@in_steps
def agent_invoke(runtime: Runtime, name: Text, task: Text, context: str = "") -> Invoked:
    """Open a subtask for a stored agent, with its instructions, its skills, and searches limited to its
    collections.

    Give the brief to a sub-agent if you can, or follow it yourself until return.

    Args:
        name: The agent's name.
        task: Its task.
        context: Further information for it.
    """
    follow_skill_files(runtime)
    # In a subtask that may see no agents, the right error is to return first; it is raised below.
    agent = _agent(replace(runtime, among=None), name)
    kinds, collections, notes = _collections_of(agent)
    session = parent_session(runtime, "")
    room = room_for(runtime, session, None)
    skills, missing = _skills(runtime, agent)
    notes += [f"skill {name!r} not found" for name in missing]
    brief, left_out = _brief(agent, task.strip(), context.strip(), skills, room.budget)
    notes += [f"the skill {name!r} does not fit; it is stored" for name in left_out]
    cost = count_tokens(brief)
    if cost >= room.budget:
        raise Invalid(
            f"the brief has {cost:,} tokens, the subtask {room.budget:,}",
            "shorten the context, or raise folding.tokens",
        )
    opened = open_subtask(
        runtime,
        replace(
            room,
            description=f"{name.strip()}: {task}",
            prompt=brief,
            tokens_given=cost,
            agent=name.strip(),
            kinds=kinds,
        ),
    )
    runtime.trace.read([agent.id, *(skill.id for skill in skills)], type="agent")
    model = str(agent.data.get("model_preference") or "")
    return Invoked(opened.id, brief, opened.budget, model, collections, notes)


def _agent(runtime: Runtime, name: str) -> Record:
    """The agent with this name in the nearest scope. Raises `NotFound` with the nearest names."""
    wanted = name.strip()
    found = _named(runtime, "agent", [wanted])
    if found:
        return found[0]
    stored = runtime.view.records.find(runtime.query("agent", limit=_MOST)).records
    names = sorted({str(record.data.get("name", "")) for record in stored})
    listed = "stored agents: " + ", ".join(names[:10]) if names else "no agents stored yet"
    raise NotFound(f"no agent {wanted!r}", nearest(wanted, names) or listed)


def _named(runtime: Runtime, kind: str, names: Sequence[str]) -> list[Record]:
    """The records of a kind with these names, in this order, each from the nearest scope."""
    places = {scope: place for place, scope in enumerate(runtime.cascade)}
    found: list[Record] = []
    for name in names:
        query = runtime.query(kind, where={"name": name}, valid_at=runtime.clock.now())
        called = runtime.view.records.find(query).records
        found += sorted(called, key=lambda record: places[record.scope])[:1]
    return found


def _collections_of(agent: Record) -> tuple[tuple[str, ...] | None, list[str], list[str]]:
    """The kinds an agent's searches may return, None for all; the collections by name; and notes on
    unknown names. If all names are unknown the agent sees nothing.
    """
    given = [str(name) for name in agent.data.get("collections_access") or ()]
    if not given:
        return None, [], []
    known = [name for name in given if name in _COLLECTIONS]
    notes = [
        f"no collection {name!r}; {nearest(name, list(_COLLECTIONS)) or 'it is left out'}"
        for name in given
        if name not in known
    ]
    return tuple(dict.fromkeys(_COLLECTIONS[name] for name in known)), known, notes


def _skills(runtime: Runtime, agent: Record) -> tuple[list[Record], list[str]]:
    """The stored skills of an agent, and the names of missing ones."""
    names = [str(name) for name in agent.data.get("skills") or ()]
    found = _named(runtime, "skill", names)
    there = {str(record.data.get("name")) for record in found}
    return found, [name for name in names if name not in there]


def _brief(
    agent: Record, task: str, context: str, skills: Sequence[Record], budget: int
) -> tuple[str, list[str]]:
    """An agent's brief, and the names of skills that did not fit."""
    prompt = str(agent.data.get("system_prompt", "")).strip()
    # Fenced, as skills are: an agent's text may come from a repository and must open no heading.
    parts = [f"Instructions:\n{fenced(prompt)}"] if prompt else []
    parts.append(f"Task: {quotation(task)}")
    parts += [f"Context: {quotation(context)}"] if context else []
    room = int(budget * _BRIEF_SHARE) - count_tokens("\n\n".join(parts))
    left_out: list[str] = []
    for skill in skills:
        name = str(skill.data.get("name"))
        text = trim_to_tokens(_skill_text(skill), max(0, room - 12))
        if not text:
            left_out.append(name)
            continue
        parts.append(f"Skill {inline(name)}:\n{fenced(text)}")
        room -= count_tokens(parts[-1]) + 2
    return settled("\n\n".join(filter(None, parts))), left_out


def _skill_text(skill: Record) -> str:
    steps = [f"{n}. {step}" for n, step in enumerate(skill.data.get("steps") or (), 1)]
    body = str(skill.data.get("prompt_template") or "") or skill.content
    return "\n".join(filter(None, (body, *steps)))
