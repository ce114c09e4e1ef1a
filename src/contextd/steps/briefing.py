"""The briefing of a project or a task, gathered from everything contextd knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from contextd.domain.errors import ContextdError
from contextd.domain.kinds import KINDS
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.domain.time import age
from contextd.domain.words import content_words
from contextd.operations.anchors import from_elsewhere, standings
from contextd.operations.core import operation
from contextd.operations.evidence import missed_gaps
from contextd.operations.finding import find_records, mark_served
from contextd.operations.handoff import changes_since, sessions_with_work
from contextd.operations.projects import described, in_project
from contextd.operations.views import label
from contextd.operations.window import hand_out, quoted_in
from contextd.runtime import Runtime
from contextd.sessions.briefing import Line, Packed, Section, pack_briefing

_DEPTHS = {"minimal": 0.4, "standard": 1.0, "comprehensive": 3.0}
_CANDIDATES = 60
_LONGEST = 300
_REPEATED = 0.7
_ASKED = 3


@dataclass(frozen=True, slots=True)
class Briefing:
    """A packed briefing. `items` are the ids of the records it quotes."""

    briefing: str
    token_count: int
    project: str
    items: list[str] = field(default_factory=list[str])
    left_out: int = 0

    def as_text(self) -> str:
        """The briefing itself."""
        return self.briefing


@operation("GET /api/briefing", profile="core", aliases={"task_description": "task"})
def briefing_get(
    runtime: Runtime,
    project: str | None = None,
    depth: Literal["minimal", "standard", "comprehensive"] = "standard",
    task: str = "",
) -> Briefing:
    """Get the project's briefing: what it is, what was going on, what to respect, what is missing.

    Args:
        project: Another project's name; this one when empty.
        depth: How much to include.
        task: What you are about to do.
    """
    runtime = in_project(runtime, project)
    budget = round(runtime.settings.number("briefing.tokens") * _DEPTHS[depth])
    packed = brief(runtime, budget=budget, task=task)
    runtime.trace.read(packed.ids, type="briefing")
    hand_out(runtime, quoted_in(packed.ids, packed.tokens))
    return Briefing(packed.text, packed.tokens, str(runtime.scope), packed.ids, packed.left_out)


def brief(
    runtime: Runtime,
    *,
    budget: int,
    task: str = "",
    session: Session | None = None,
    all_branches: bool = False,
) -> Packed:
    """Gather and pack a briefing; what it quotes is marked as served and counted as used. What only
    an unmerged branch knows is left out, unless `all_branches` asks for it.
    """
    last = _last_session(runtime, session)
    sections = [
        Section(
            "Project", [Line(text, weight=9.0 - i) for i, text in enumerate(described(runtime))]
        ),
        Section("Before", _before(runtime, last)),
        *_knowledge(runtime, task, all_branches=all_branches),
        Section("Changed outside since then", _changes(runtime, last)),
        Section("Not known yet", _gaps(runtime)),
    ]
    packed = pack_briefing([s for s in sections if s.lines], budget)
    records = runtime.store.records.get(packed.ids)
    mark_served(runtime, (record.text for record in records))
    runtime.sinks.used(packed.ids)
    return packed


def quoted(record: Record, runtime: Runtime, stale: str = "") -> str:
    """A record as a briefing quotes it: text, then kind, id, source, age, confidence, and what
    became of the code it cites.
    """
    text = " ".join(titled(record).split())
    if record.data.get("solution"):
        text += f" (fix: {' '.join(str(record.data['solution']).split())})"
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rsplit(" ", 1)[0] + " …"
    since = age(record.created_at, runtime.clock.now())
    kind = label(record.kind, dict(record.data))
    note = f" · {stale}" if stale else ""
    return f"{text} [{kind} {record.id[:8]} · {record.source} · {since} · {record.confidence:.2f}{note}]"


def titled(record: Record) -> str:
    """Title and content, without saying twice what the title takes from the content."""
    start = record.title.rstrip("… ").casefold()
    if not start or record.content.casefold().startswith(start):
        return record.content
    return f"{record.title}: {record.content}"


def _last_session(runtime: Runtime, current: Session | None) -> Session | None:
    others = (s for s in sessions_with_work(runtime) if current is None or s.id != current.id)
    return next(others, None)


def _before(runtime: Runtime, last: Session | None) -> list[Line]:
    if last is None:
        return [Line("No earlier session is recorded.", weight=1.0)]
    end = last.ended_at or last.last_seen_at
    minutes = max(0, round((end - last.started_at).total_seconds() / 60))
    told = f"Last session {age(end, runtime.clock.now())} ({minutes} min, {last.client or 'unknown client'})"
    about = last.task or ", ".join(last.topics[:4])
    lines = [Line(f"{told}: {about}" if about else told, weight=6.0)]
    if last.outcome:
        lines.append(Line(f"It ended as {last.outcome}.", weight=3.0))
    files = [f.path for f in sorted(last.files, key=lambda f: -f.count)][:5]
    if files:
        lines.append(Line("Files worked on: " + ", ".join(files), weight=3.5))
    return lines


def _knowledge(runtime: Runtime, task: str, *, all_branches: bool) -> list[Section]:
    injected = tuple(name for name, kind in KINDS.items() if kind.injected)
    page = runtime.store.records.find(
        runtime.query(*injected, valid_at=runtime.clock.now(), limit=_CANDIDATES)
    )
    weights = {record.id: _weight(runtime, record) for record in page.records}
    by_id = {record.id: record for record in page.records}
    if task.strip():
        for place, hit in enumerate(find_records(runtime, task, injected, limit=8).hits):
            by_id[hit.record.id] = hit.record
            weights[hit.record.id] = 5.0 - place * 0.2 + weights.get(hit.record.id, 0.5)
    found = standings(runtime, by_id.values())
    hidden = set[str]() if all_branches else from_elsewhere(runtime, found)
    shown = [record for record in by_id.values() if record.id not in hidden]
    stale = {id: standing.note for id, standing in found.items()}
    ranked = sorted(shown, key=lambda r: (-weights[r.id], r.id))
    sections: dict[str, list[Line]] = {"Respect": [], "Learned": []}
    told: list[set[str]] = []
    for record in ranked:
        if _repeats(record, told):
            continue
        title = "Respect" if _binding(record) else "Learned"
        sections[title].append(
            Line(quoted(record, runtime, stale.get(record.id, "")), record.id, weights[record.id])
        )
    return [Section(title, lines) for title, lines in sections.items()]


def _repeats(record: Record, told: list[set[str]]) -> bool:
    """Whether most of what a record says was told already; otherwise it counts as told now."""
    said = set(content_words(record.content))
    if said and any(len(said & before) >= _REPEATED * len(said) for before in told):
        return True
    told.append(said)
    return False


def _binding(record: Record) -> bool:
    return (
        record.kind in ("policy", "coding_standard")
        or record.data.get("type") in ("rule", "decision", "pattern")
        or record.data.get("outcome") == "failure"
        or record.kind == "anti_pattern"
    )


def _weight(runtime: Runtime, record: Record) -> float:
    days = (runtime.clock.now() - record.updated_at).total_seconds() / 86_400
    weight = 2.0 * record.confidence + max(0.0, 1.0 - days / 30)
    if record.kind == "policy" and record.data.get("severity") == "critical":
        weight += 5.0
    if record.trust == "human":
        weight += 0.5
    return weight + 0.1 * min(5, record.helpful - record.unhelpful)


def _changes(runtime: Runtime, last: Session | None) -> list[Line]:
    return [Line(text, weight=2.5 - i * 0.2) for i, text in enumerate(changes_since(runtime, last))]


def _gaps(runtime: Runtime) -> list[Line]:
    return [Line(gap.description, weight=1.5) for gap in missed_gaps(runtime)[:_ASKED]]


def brief_or_nothing(runtime: Runtime, **options: Any) -> Packed:
    """A briefing for a hook: an error gives an empty one, since a hook must never be in the way."""
    try:
        return brief(runtime, **options)
    except ContextdError as error:
        return Packed(f"contextd has no briefing: {error.message}", 0)
