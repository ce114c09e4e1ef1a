"""Overview of a project, and of one of its modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from contextd.domain.context_items import Serving
from contextd.domain.kinds import kinds_that
from contextd.domain.quoting import unquoted
from contextd.domain.result_display import text_form
from contextd.knowledge.record_views import Known, known
from contextd.projects.checkout_shape import follow_shape
from contextd.projects.project_model import model_problem, project_model
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.validity import validities
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound, nearest
from contextd_common.text.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Overview:
    """Overview of a project."""

    name: str
    scope: str
    type: str = ""
    stack: list[str] = field(default_factory=list[str])
    runtime: str = ""
    package_manager: str = ""
    architecture: str = ""
    description: str = ""
    modules: list[str] = field(default_factory=list[str])
    knowledge: dict[str, int] = field(default_factory=dict[str, int])
    indexed_files: int = 0
    initialised: bool = True
    about: str = ""
    languages: list[str] = field(default_factory=list[str])
    databases: list[str] = field(default_factory=list[str])
    testing: list[str] = field(default_factory=list[str])
    tools: list[str] = field(default_factory=list[str])
    ci: list[str] = field(default_factory=list[str])
    problem: str = ""
    notice: str = ""

    def as_text(self) -> str:
        """Markdown."""
        lines = [f"# {unquoted(self.name)}", f"Scope: {self.scope}"]
        lines += [f"project.yaml cannot be used: {self.problem}"] if self.problem else []
        if not self.initialised and not self.problem:
            lines.append("Not initialised: run `contextd init` here.")
        lines += [self.notice] if self.notice else []
        lines += [self.about] if self.about else []
        kind = " ".join(part for part in (self.type, self.architecture) if part)
        lines += [f"Type: {kind}"] if kind else []
        lines += [f"Stack: {', '.join(self.stack)}"] if self.stack else []
        tools = ", ".join(part for part in (self.runtime, self.package_manager) if part)
        lines += [f"Runtime: {tools}"] if tools else []
        for title in ("languages", "databases", "testing", "tools", "ci"):
            listed = getattr(self, title)
            shown = "CI" if title == "ci" else title.capitalize()
            lines += [f"{shown}: {', '.join(listed)}"] if listed else []
        lines += [self.description] if self.description else []
        if self.modules:
            lines += ["", "## Modules", *(f"- {module}" for module in self.modules)]
        if self.knowledge:
            counted = ", ".join(f"{n} {kind}" for kind, n in sorted(self.knowledge.items()))
            lines += ["", f"Knowledge: {counted}"]
        return "\n".join([*lines, f"Indexed files: {self.indexed_files}"])


@operation("GET /api/project", profile="standard")
def project_overview(runtime: Runtime) -> Overview:
    """Show the project: stack, architecture, modules, and how many records it has."""
    behind = follow_shape(runtime)
    model = project_model(runtime)
    counts = runtime.view.records.count(runtime.query(*kinds_that("listed")))
    runtime.trace.read([], type="project")
    files = runtime.view.files.of(runtime.scope).count() if runtime.view.files else 0
    name = runtime.project.name if runtime.project else ""
    if model is None:
        return Overview(
            name, str(runtime.scope), knowledge=counts, indexed_files=files, initialised=False,
            problem=model_problem(runtime),
        )  # fmt: skip
    return Overview(
        name=model.name,
        scope=str(runtime.scope),
        type=model.type,
        stack=list(model.stack),
        runtime=model.runtime,
        package_manager=model.package_manager,
        architecture=model.pattern,
        description=model.description,
        modules=[
            f"{m.name}: {m.description}" if m.description else m.name
            for m in model.modules.values()
        ],
        knowledge=counts,
        indexed_files=files,
        about=model.about,
        languages=list(model.languages),
        databases=list(model.databases),
        testing=list(model.testing),
        tools=list(model.tools),
        ci=list(model.ci),
        notice=behind,
    )


@dataclass(frozen=True, slots=True)
class ModuleName:
    """A module, by the name that `project_module` accepts."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class ProjectNames:
    """Names for completion. `project` and `scope` are empty outside any project."""

    organisation: str
    project: str
    scope: str
    modules: list[ModuleName]


@operation("GET /api/project/names", audience="system")
def project_names(runtime: Runtime) -> ProjectNames:
    """List the names of the project and its modules, for addresses and completion."""
    model = project_model(runtime)
    modules = model.modules.values() if model else ()
    return ProjectNames(
        runtime.org,
        str(runtime.project.scope.project) if runtime.project else "",
        str(runtime.project.scope) if runtime.project else "",
        [ModuleName(module.name, module.description) for module in modules],
    )


@dataclass(frozen=True, slots=True)
class ModuleOverview:
    """One module of a project with its records."""

    name: str
    description: str
    key_files: list[dict[str, str]]
    patterns: list[str]
    business_rules: list[str]
    common_issues: list[dict[str, Any]]
    dependencies: list[str]
    knowledge: list[Known]
    paths: list[str] = field(default_factory=list[str])
    notice: str = ""

    def as_text(self) -> str:
        """Markdown."""
        lines = [f"# Module {unquoted(self.name)}"]
        lines += [self.notice] if self.notice else []
        lines += [self.description] if self.description else []
        lines += ["In: " + ", ".join(self.paths[:12])] if self.paths else []
        if self.key_files:
            shown = [f"- {f['path']} ({f['role']})" for f in self.key_files]
            lines += ["", "## Key files", *shown]
        for title, entries in (("Patterns", self.patterns), ("Rules", self.business_rules)):
            if entries:
                lines += ["", f"## {title}", *(f"- {e}" for e in entries)]
        if self.common_issues:
            issues = [
                f"- {i['description']}" + (f" Fix: {i['solution']}" if i.get("solution") else "")
                for i in self.common_issues
            ]
            lines += ["", "## Known issues", *issues]
        if self.dependencies:
            lines += ["", "Depends on: " + ", ".join(self.dependencies)]
        if self.knowledge:
            lines += ["", "## Recorded", *("- " + k.as_text() for k in self.knowledge)]
        return "\n".join(lines)


@operation("GET /api/project/modules/{name}", profile="standard", needs="machine")
def project_module(runtime: Runtime, name: str) -> ModuleOverview:
    """Show one module: key files, patterns, rules, known issues, dependencies.

    Args:
        name: The module's name.
    """
    behind = follow_shape(runtime)
    model = project_model(runtime)
    modules = dict(model.modules) if model else {}
    if name not in modules:
        known_names: Sequence[str] = list(modules)
        hint = nearest(name, known_names) or "modules: " + (", ".join(known_names) or "none yet")
        hint = f"{hint}. {behind}" if behind else hint
        raise NotFound(f"no module {name!r}", hint if modules else "run `contextd init` first")
    module = modules[name]
    found = runtime.view.records.find(
        runtime.query("discovery", where={"module": name}, limit=10)
    ).records
    runtime.trace.read([record.id for record in found], type="module")
    now, valid = runtime.clock.now(), validities(runtime, found)
    shown = ModuleOverview(
        name=module.name,
        description=module.description,
        key_files=[{"path": f.path, "role": f.role} for f in module.key_files],
        patterns=list(module.patterns),
        business_rules=list(module.business_rules),
        common_issues=[
            {"description": i.description, "solution": i.solution} for i in module.common_issues
        ],
        dependencies=list(module.dependencies),
        knowledge=[known(record, now, valid[record.id]) for record in found],
        paths=list(module.paths),
        notice=behind,
    )
    runtime.trace.gave.append(Serving("module", name, count_tokens(text_form(shown))))
    return shown
