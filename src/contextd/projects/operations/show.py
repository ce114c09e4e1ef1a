"""The output of `contextd projects show`: the project, its sessions, or statistics."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any

from contextd.briefing.context_window import usage
from contextd.codebase.freshness import not_indexed
from contextd.domain.details import RENDERED
from contextd.domain.quoting import document, inline
from contextd.domain.records import short_id
from contextd.domain.sessions import Session
from contextd.domain.time import age, iso
from contextd.projects.project_model import model_problem, project_model
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_TYPES = ("pattern", "rule", "decision", "issue")


@dataclass(frozen=True, slots=True)
class Shown:
    """The project for display."""

    project: dict[str, Any]
    modules: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    sessions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    discoveries: dict[str, int] = field(default_factory=dict[str, int])
    stats: dict[str, Any] = field(default_factory=dict[str, Any])
    text: Annotated[str, RENDERED] = ""

    def as_text(self) -> str:
        """What is printed."""
        return self.text


@operation("GET /api/show", audience="owner")
def show(runtime: Runtime, sessions: bool = False, stats: bool = False) -> Shown:
    """Show the project: stack, modules, active session, what was learned.

    Args:
        sessions: List the latest sessions.
        stats: Count everything.
    """
    return show_project(runtime, sessions=sessions, stats=stats)


def show_project(runtime: Runtime, *, sessions: bool = False, stats: bool = False) -> Shown:
    """Collect what `show` prints."""
    model = project_model(runtime)
    name = model.name if model else (runtime.project.name if runtime.project else "")
    project = {
        "name": name,
        "scope": str(runtime.scope),
        "type": model.type if model else "",
        "stack": list(model.stack) if model else [],
        "architecture": model.pattern if model else "",
        "about": model.about if model else "",
        "problem": "" if model else model_problem(runtime),
        "warnings": list(model.warnings) if model else [],
    }
    modules = (
        [{"name": m.name, "description": m.description} for m in model.modules.values()]
        if model
        else []
    )
    runtime.sinks.settle()
    recent = runtime.sessions(limit=20)
    counted = _discoveries(runtime)
    now = runtime.clock.now()
    rows = [_row(session, age(session.started_at, now)) for session in recent]
    counts = _stats(runtime) if stats else {}
    lines = _project_lines(project, modules)
    active = next((s for s in recent if s.status == "active"), None)
    if stats and active:
        counts |= {f"window: {k}": n for k, n in _window_counts(runtime, active).items()}
    lines += _active_lines(active, age(active.started_at, now)) if active else []
    if counted:
        lines += ["", f"Discoveries: {sum(counted.values())} total"]
        lines += [f"  - {n} {kind}{'s' * (n != 1)}" for kind, n in sorted(counted.items())]
    if active:
        lines += ["", f"Context usage: {usage(runtime, active)}"]
    if sessions:
        lines += ["", "Sessions:"]
        lines += [
            f"  {short_id(r['id'])} {r['status']:9} {r['age']:>12}  {r['client']}  {r['task'][:60]}"
            for r in rows
        ] or ["  none yet"]
    if counts:
        lines += ["", "Stats:", *(f"  {key}: {value}" for key, value in counts.items())]
    return Shown(project, modules, rows if sessions else [], counted, counts, document(lines))


def _project_lines(project: dict[str, Any], modules: list[dict[str, str]]) -> list[str]:
    kind = f" ({project['type']})" if project["type"] else ""
    lines = [f"Project: {project['name']}{kind}"]
    lines += [f"Stack: {' + '.join(project['stack'])}"] if project["stack"] else []
    lines += [f"Architecture: {project['architecture']}"] if project["architecture"] else []
    lines += [inline(project["about"])] if project["about"] else []
    if project["problem"]:
        lines.append(f"project.yaml cannot be used: {project['problem']}")
    elif not project["type"]:
        lines.append("Not initialised: run `contextd init` here.")
    lines += [f"! project.yaml, {warning}" for warning in project["warnings"][:10]]
    if modules:
        lines += ["", f"Modules ({len(modules)}):"]
        lines += [
            f"  ✓ {m['name']}" + (f" - {m['description']}" if m["description"] else "")
            for m in modules
        ]
    return lines


def _active_lines(session: Session, started: str) -> list[str]:
    names = [f.path.rsplit("/", 1)[-1] for f in session.files][:4]
    lines = ["", f"Active session: {short_id(session.id)} (started {started})"]
    if names:
        lines.append(f"Files accessed: {len(session.files)} ({', '.join(names)})")
    return lines


def _discoveries(runtime: Runtime) -> dict[str, int]:
    counted = {}
    for kind in _TYPES:
        found = runtime.view.records.count(runtime.query("discovery", where={"type": kind}))
        if found.get("discovery"):
            counted[kind] = found["discovery"]
    return counted


def _row(session: Session, since: str) -> dict[str, Any]:
    return {
        "id": session.id,
        "status": session.status,
        "client": session.client,
        "task": session.task or ", ".join(session.topics[:3]),
        "started_at": iso(session.started_at),
        "age": since,
        "files": len(session.files),
        "tool_calls": session.tool_calls,
        "tokens_served": session.tokens_served,
        "learned": session.data.get("learned", 0),
        "outcome": session.outcome,
    }


def _window_counts(runtime: Runtime, session: Session) -> dict[str, int]:
    """The items in a session's window by type, and the number of archived ones."""
    counts: dict[str, int] = {}
    for item in runtime.view.sessions.items(session.id):
        name = item.type if item.status == "active" else "archived"
        counts[name] = counts.get(name, 0) + 1
    return counts


def _stats(runtime: Runtime) -> dict[str, Any]:
    view = runtime.view
    index, outside = view.index.stats(runtime.embedder.model), not_indexed(runtime)
    logged = view.observations.summary(frozenset(runtime.cascade))
    counts = view.records.count(runtime.query())
    return {
        "records": sum(counts.values()),
        **{f"records of kind {kind}": n for kind, n in sorted(counts.items())},
        "code files": view.files.of(runtime.scope).count() if view.files else 0,
        **({"not indexed": outside.removeprefix("not indexed: ")} if outside else {}),
        "indexed texts": index.documents,
        "vectors": index.vectors,
        "awaiting vectors": index.pending,
        "reads": logged.reads,
        "writes": logged.writes,
        "misses": logged.misses,
    }
