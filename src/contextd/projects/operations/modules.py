"""Compare a project's modules: dependencies, records and gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

from contextd.awareness.gap_inputs import LATEST, changed_files, dismissed, silent_modules, surveyed
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record
from contextd.domain.time import age, iso
from contextd.projects.project_model import model_problem, project_model
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_code.git import git_queries as git
from contextd_code.project.file_module import Territory
from contextd_code.project.project_model import Module
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, Unavailable

_RECORDS, _PAGE = 2_000, 500
_COMMITS, _PATIENCE, _CHECKOUTS = 1_000, 2.0, 16
"""Commits examined for a module's last change, and the timeout for git in seconds."""


@dataclass(frozen=True, slots=True)
class ModuleChange:
    """The last commit that touched a module."""

    commit: str
    at: str
    age: str
    subject: str


@dataclass(frozen=True, slots=True)
class ModuleState:
    """A module with its dependencies and records. `unknown` are dependencies that are no modules,
    `outdated` counts its records about files changed since; `silent` means that it has no records.
    `last` is None without git.
    """

    name: str
    description: str
    paths: list[str]
    files: int
    depends_on: list[str]
    used_by: list[str]
    unknown: list[str]
    key_files: int
    patterns: int
    rules: int
    issues: int
    records: int
    outdated: int
    silent: bool
    last: ModuleChange | None = None

    def as_text(self) -> str:
        """One line."""
        known = [
            f"{n} {name if n != 1 else name.rstrip('s')}"
            for n, name in (
                (self.records, "records"),
                (self.patterns, "patterns"),
                (self.rules, "rules"),
                (self.issues, "issues"),
            )
            if n
        ]
        knowledge = ", ".join(known) or ("nothing known" if self.silent else "named only")
        needs = f"; needs {', '.join(self.depends_on)}" if self.depends_on else ""
        return f"{self.name}: {self.files} files, {knowledge}{needs}"


@dataclass(frozen=True, slots=True)
class ModuleStates:
    """The modules in the project's model. `looked_at` is the number of records counted, all of them if
    `complete`; `problem` says why the model cannot be used.
    """

    modules: list[ModuleState]
    looked_at: int = 0
    complete: bool = True
    initialised: bool = True
    problem: str = ""
    warnings: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """A line per module."""
        if self.problem:
            return f"project.yaml cannot be used: {self.problem}"
        if not self.initialised:
            return "Not initialised: run `contextd init` here."
        return "\n".join(one.as_text() for one in self.modules) or "the model has no modules"


@operation("GET /api/project/modules", audience="owner", needs="machine")
def list_modules(runtime: Runtime) -> ModuleStates:
    """List the project's modules with their dependencies, records, gaps and last code change."""
    model = project_model(runtime)
    if model is None:
        return ModuleStates([], initialised=False, problem=model_problem(runtime))
    territory = Territory(model.modules)
    records, complete = _records(runtime)
    about = {one.id: modules_of(one, territory, model.modules) for one in records}
    counts = Counter(name for names in about.values() for name in names)
    outdated, silent = _doubtful(runtime, about)
    indexed = runtime.view.files.of(runtime.scope).stamps() if runtime.view.files else {}
    files = territory.counted(indexed)
    last = _last_changes(runtime, territory)
    users: dict[str, list[str]] = {}
    for name, module in model.modules.items():
        for needed in module.dependencies:
            users.setdefault(needed, []).append(name)
    runtime.trace.read([], type="module")
    states = [
        ModuleState(
            name=name,
            description=one.description,
            paths=list(one.paths),
            files=files.get(name, 0),
            depends_on=[other for other in one.dependencies if other in model.modules],
            used_by=users.get(name, []),
            unknown=[other for other in one.dependencies if other not in model.modules],
            key_files=len(one.key_files),
            patterns=len(one.patterns),
            rules=len(one.business_rules),
            issues=len(one.common_issues),
            records=counts[name],
            outdated=outdated[name],
            silent=one.name in silent and not counts[name],
            last=last.get(name),
        )
        for name, one in model.modules.items()
    ]
    return ModuleStates(states, len(records), complete, warnings=list(model.warnings))


def _doubtful(
    runtime: Runtime, about: Mapping[str, Sequence[str]]
) -> tuple[Counter[str], set[str]]:
    """How many recent records of each module cite changed files, and the modules without records, unless
    dismissed as a gap.
    """
    query = surveyed(runtime, *kinds_that("entry"), limit=LATEST)
    latest = runtime.view.records.find(query).records
    outdated = Counter(
        name for record, _ in changed_files(runtime, latest) for name in about.get(record.id, ())
    )
    away = {
        str(subject)
        for one in dismissed(runtime)
        if one.data.get("gap") == "module"
        for subject in one.data.get("subjects", ())
    }
    return outdated, set(silent_modules(runtime, latest)) - away


def modules_of(record: Record, territory: Territory, modules: Mapping[str, Module]) -> list[str]:
    """The modules of a record: the one it names, and those of the files it cites."""
    named = str(record.data.get("module", ""))
    affected = record.data.get("affected_files") or ()
    cited = [str(record.data.get("file", "")), *map(str, affected), *record.anchor.paths]
    found = [named] if named in modules else []
    return list(dict.fromkeys([*found, *territory.holders(path for path in cited if path)]))


def _records(runtime: Runtime) -> tuple[list[Record], bool]:
    """The project's own records, latest first, and whether these are all."""
    query = runtime.query(*kinds_that("entry"), level="project", limit=_PAGE)
    found: list[Record] = []
    for page in runtime.pages(query):
        found += page
        if len(found) >= _RECORDS:
            return found[:_RECORDS], False
    return found, True


def _last_changes(runtime: Runtime, territory: Territory) -> dict[str, ModuleChange]:
    if runtime.checkout is None:
        return {}
    try:
        cache = runtime.organisation.caches.of("commits of modules", _CHECKOUTS)
        commits: Sequence[git.Commit] = cache.made(
            (runtime.root, git.head(runtime.root)),
            lambda: git.log(runtime.root, limit=_COMMITS, timeout=_PATIENCE),
        )
    except (Invalid, Unavailable):
        return {}
    now = runtime.clock.now()
    found: dict[str, ModuleChange] = {}
    for commit in commits:
        for name in territory.holders(commit.files):
            if name not in found:
                last_change = ModuleChange(
                    commit.sha, iso(commit.at), age(commit.at, now), commit.subject
                )
                found[name] = last_change
    return found
