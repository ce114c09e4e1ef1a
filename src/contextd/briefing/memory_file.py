"""MEMORY.md: lasting lessons of the sessions, with their evidence."""

from __future__ import annotations

from pathlib import Path

from contextd.briefing.briefing import titled
from contextd.domain.applies_to import limit_in_words
from contextd.domain.confidence import is_sure
from contextd.domain.imported_records import IMPORT
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record
from contextd.files.disk import target_inside
from contextd.knowledge.machine_neutral import portable_text
from contextd.learning.evidence_counts import testimony_of
from contextd.runtime.runtime import Runtime
from contextd.sessions.context_md import write
from contextd.sessions.memory_md import Durable, render

_MOST = 100
BLOCK_BUDGET = 800
"""Tokens of a block in a file that every session reads in full: half of MEMORY.md's budget."""

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


def durable_memories(runtime: Runtime) -> list[Durable]:
    """Active, high-confidence records of the project that may be exported, with their evidence."""
    kinds = tuple(dict.fromkeys((*kinds_that("learned"), *kinds_that("strategy"))))
    query = runtime.query(*kinds, valid_at=runtime.clock.now(), limit=_MOST)
    records = runtime.leaving().view.records.find(query).records
    now = runtime.clock.now()
    sure = [
        record
        for record in records
        if record.kind != "episode" and not _is_filed(record) and is_sure(record, now)
    ]
    durable = [_as_durable(runtime, record) for record in sure]
    order = list(dict.fromkeys(_SECTIONS.values()))
    return sorted(durable, key=lambda one: (order.index(one.section), -one.evidence))


def _is_filed(record: Record) -> bool:
    """Whether a record was taken from a file of the repository, which contains it already."""
    return record.source.operation == IMPORT and record.data.get("origin") == "instructions"


def _as_durable(runtime: Runtime, record: Record) -> Durable:
    labels = (str(record.data.get("type", "")), str(record.data.get("outcome", "")), record.kind)
    section = next((_SECTIONS[name] for name in labels if name in _SECTIONS), "Facts")
    told_by = testimony_of(runtime, record)
    text = titled(record)
    solution = str(record.data.get("solution") or "")
    if solution and solution not in text:
        text += f" Fix: {solution}"
    limit = limit_in_words(record)
    text += f" ({limit})" if limit else ""
    return Durable(section, text, told_by.times_said, told_by.used, record.helpful)


def write_block(runtime: Runtime, path: Path) -> bool:
    """Write a block of lessons between contextd's markers in a file for agents; return whether it changed.
    The rest of the file stays byte for byte. Raises `Denied` for a file outside the checkout.
    """
    real = target_inside(runtime.root, path)
    name = runtime.project.name if runtime.project is not None else str(runtime.scope)
    text = portable_text(runtime)(render(name, durable_memories(runtime), BLOCK_BUDGET))
    # One level down, because the file has a heading of its own.
    text = "\n".join(f"#{line}" if line.startswith("#") else line for line in text.splitlines())
    return write(real, text, runtime.clock.now())
