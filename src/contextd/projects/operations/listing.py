"""List the known projects."""

from __future__ import annotations

from contextd.projects.membership import places_of
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project contextd knows. `part_of` is the scope of the project that it was joined to, or that it is kept apart from
    while its checkout is not trusted (`apart`).
    """

    name: str
    scope: str
    slug: str
    root: str
    part_of: str = ""
    apart: bool = False

    def as_text(self) -> str:
        """The scope and the latest checkout."""
        how = "not trusted, kept apart from" if self.apart else "joined to"
        return f"{self.scope} {self.root}" + (f" ({how} {self.part_of})" if self.part_of else "")


@dataclass(frozen=True, slots=True)
class ProjectRows:
    """Every project of this home, by scope; `current` is the scope of the call."""

    projects: list[ProjectRow]
    current: str = ""

    def as_text(self) -> str:
        """A line per project."""
        return "\n".join(p.as_text() for p in self.projects) or "no projects yet"


@operation("GET /api/projects", audience="owner")
def list_projects(runtime: Runtime) -> ProjectRows:
    """List the projects contextd knows."""
    known = runtime.projects()
    joined = {scope for project in known for scope in project.parts}
    rows = [
        ProjectRow(
            p.name,
            str(p.scope),
            p.scope.project,
            places[-1] if (places := places_of(p)) else "",
            str(p.part_of or ""),
            p.part_of is not None and p.scope not in joined,
        )
        for p in known
    ]
    return ProjectRows(rows, str(runtime.scope) if runtime.project else "")
