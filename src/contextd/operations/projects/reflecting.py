"""Reflection: what sessions taught for good, with what speaks for it, and a handoff that is not stale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from contextd.domain.confidence import confidence_at
from contextd.domain.errors import Invalid
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record
from contextd.domain.tokens import count_tokens
from contextd.jobs.table import Task
from contextd.operations.core import operation
from contextd.runtime import Runtime
from contextd.sessions.context_md import write
from contextd.sessions.memory_md import BUDGET, Durable, render
from contextd.steps.briefing import titled
from contextd.steps.handoff import refresh_context_md
from contextd.steps.testimony import testimony_of
from contextd.steps.witnesses import FLOOR

_MOST = 100
_LEAST, _LARGEST = 100, 8_000

_SECTIONS = {
    "rule": "Rules",
    "correction": "Rules",
    "decision": "Decisions",
    "pattern": "How things are done",
    "fact": "Facts",
    "issue": "Known problems",
    "anti_pattern": "What failed",
    "failure": "What failed",
    "memory": "What worked",
    "remediation": "Errors and what ended them",
}
"""The section of a memory, by its type, its outcome or its kind."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """What MEMORY.md says, its tokens, and how many memories there are to choose from."""

    text: str
    tokens: int
    memories: int

    def as_text(self) -> str:
        """The file."""
        return self.text


@operation("GET /api/memories/file", profile="standard")
def memory_file(runtime: Runtime, budget: int = BUDGET) -> MemoryFile:
    """Show what this project's sessions taught for good, as a MEMORY.md with the evidence for each line.

    Args:
        budget: The most tokens.
    """
    if not _LEAST <= budget <= _LARGEST:
        raise Invalid(f"budget is {budget}", f"choose {_LEAST} to {_LARGEST:,} tokens")
    memories = _durable(runtime)
    name = runtime.project.name if runtime.project else str(runtime.scope)
    text = render(name, memories, budget)
    runtime.trace.said.append(text)
    runtime.trace.read([], type="memory")
    return MemoryFile(text, count_tokens(text), len(memories))


def reflect(runtime: Runtime, task: Task) -> Mapping[str, bool]:
    """Bring CONTEXT.md up to date when it is stale, and `.context/MEMORY.md` where that is wanted; daily."""
    if runtime.project is None or runtime.checkout is None:
        return {}
    refresh_context_md(runtime)
    path = runtime.checkout.context / "MEMORY.md"
    if not runtime.settings.flag("memory.file") or not runtime.checkout.context.is_dir():
        return {"memory_file": False}
    task.hold.check()
    text = render(runtime.project.name, _durable(runtime))
    return {"memory_file": write(path, text, runtime.clock.now())}


def _durable(runtime: Runtime) -> list[Durable]:
    """What is active and sure here and may leave the machine, with its evidence."""
    kinds = tuple(dict.fromkeys((*kinds_that("learned"), *kinds_that("strategy"))))
    query = runtime.query(*kinds, valid_at=runtime.clock.now(), limit=_MOST)
    records = runtime.leaving().view.records.find(query).records
    now = runtime.clock.now()
    sure = [r for r in records if r.kind != "episode" and confidence_at(r, now) >= FLOOR]
    durable = [_as_durable(runtime, record) for record in sure]
    order = list(dict.fromkeys(_SECTIONS.values()))
    return sorted(durable, key=lambda one: (order.index(one.section), -one.evidence))


def _as_durable(runtime: Runtime, record: Record) -> Durable:
    told = (str(record.data.get("type", "")), str(record.data.get("outcome", "")), record.kind)
    section = next((_SECTIONS[name] for name in told if name in _SECTIONS), "Facts")
    told_by = testimony_of(runtime, record)
    text = titled(record)
    solution = str(record.data.get("solution") or "")
    if solution and solution not in text:
        text += f" Fix: {solution}"
    return Durable(section, text, told_by.said, told_by.used, record.helpful)
