"""List the known projects."""

from __future__ import annotations

from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_code.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project contextd knows."""

    name: str
    scope: str
    slug: str
    root: str


@dataclass(frozen=True, slots=True)
class ProjectRows:
    """Every project of this home, by scope; `current` is the scope of the call."""

    projects: list[ProjectRow]
    current: str = ""

    def as_text(self) -> str:
        """A line per project."""
        return "\n".join(f"{p.scope} {p.root}" for p in self.projects) or "no projects yet"


@operation("GET /api/projects", audience="owner")
def list_projects(runtime: Runtime) -> ProjectRows:
    """List the projects contextd knows."""
    rows = [
        ProjectRow(p.name, str(p.scope), p.scope.project, p.roots[-1] if p.roots else "")
        for p in runtime.projects()
    ]
    return ProjectRows(rows, str(runtime.scope) if runtime.project else "")
