"""List policies, create starter packs, write policies to files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from contextd.domain.limits import Id
from contextd.domain.records import Record
from contextd.domain.scope import Scope, slug
from contextd.files.disk import replace_file, target_inside
from contextd.policies.rule_file_sync import (
    FILED,
    disagreeing,
    file_of,
    has_file,
    reconcile,
    reconciled,
    settle,
    to_new_file,
)
from contextd.policies.rule_folders import author_of, rule_folders
from contextd.policies.rules_in_force import Binding, in_force
from contextd.policies.starter_packs import packs as starter_packs
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, nearest


@dataclass(frozen=True, slots=True)
class PolicyView:
    """A policy in force. `checked` says whether it can be checked automatically; `file` is empty for a
    record without a file, `author` last changed the file.
    """

    id: str
    kind: str
    title: str
    requirement: str
    category: str
    severity: str
    enforce: str
    way_out: str
    scope: str
    source: str
    file: str
    checked: bool
    author: str = ""

    def as_text(self) -> str:
        """One line."""
        how = self.enforce if self.checked else "in words only"
        stands = self.file or f"record {self.id[:8]}, no file"
        by = f", last changed by {self.author}" if self.author else ""
        return f"- {self.title} ({self.severity}, {how}): {self.requirement} [{stands}{by}]"


@dataclass(frozen=True, slots=True)
class Policies:
    """Every policy in force, the nearest first, and problems with files: mistakes, and conflicts with
    changed records. `done` lists what was just synchronised.
    """

    policies: list[PolicyView]
    problems: list[str]
    done: list[str]

    def as_text(self) -> str:
        """One line per policy."""
        lines = [one.as_text() for one in self.policies] or [
            "no policies yet: `contextd policies init` writes some to start from"
        ]
        lines += [f"✓ {one}" for one in self.done]
        return "\n".join(lines + [f"! {problem}" for problem in self.problems])


@operation("GET /api/policies", audience="owner")
def list_policies(runtime: Runtime, scope: Literal["all", "org"] = "all") -> Policies:
    """List the policies in force here, nearest first (project, team, organisation), including anti-patterns
    with a pattern, and the problems in their files.

    Args:
        scope: All in force here, or only the organisation's, which apply to every project.
    """
    done: list[str] = []
    problems: list[str] = []
    if runtime.project is not None:
        found = reconciled(runtime)
        done, problems = found.done, [str(problem) for problem in found.problems]
    holding = in_force(runtime, "policy", "anti_pattern")
    views = [_view(runtime, one) for one in holding.bindings if one.kind == "policy" or one.rule]
    problems = problems or [str(one) for one in holding.problems]
    if scope == "org":
        # Problems in one project's files do not concern other projects.
        org = str(Scope(runtime.org))
        return Policies([view for view in views if view.scope == org], [], [])
    return Policies(views, problems, done)


def _view(runtime: Runtime, one: Binding) -> PolicyView:
    text = one.fields.get
    return PolicyView(
        id=one.record.id if one.record else "",
        kind=one.kind,
        title=str(text("title") or ""),
        requirement=one.rule.requirement if one.rule else str(text("requirement") or ""),
        category=str(text("category") or ""),
        severity=str(text("severity") or "medium"),
        enforce=str(text("enforce") or "warn"),
        way_out=str(text("way_out") or text("instead") or ""),
        scope=one.scope,
        source=one.source,
        file=one.source if one.source.endswith((".yaml", ".yml")) else "",
        checked=one.rule is not None and one.rule.checkable,
        author=author_of(runtime, one.source),
    )


@dataclass(frozen=True, slots=True)
class PackView:
    """A starter pack and its files."""

    name: str
    about: str
    files: list[str]


@dataclass(frozen=True, slots=True)
class Begun:
    """The files written, existing files left unchanged, and the available packs."""

    written: list[str]
    kept: list[str]
    packs: list[PackView]

    def as_text(self) -> str:
        """One line per file."""
        lines = [f"✓ wrote {path}" for path in self.written]
        lines += [f"! {path} exists and was left unchanged" for path in self.kept]
        if not lines:
            lines = ["name the packs to write:"]
            lines += [f"- {one.name}: {one.about}" for one in self.packs]
        return "\n".join(lines)


@operation(
    "POST /api/policies/init", effect="write", audience="owner", idempotent=True, needs="machine"
)
@in_steps
def policy_init(
    runtime: Runtime,
    packs: list[str] | None = None,
    scope: Literal["project", "org"] = "project",
    dry_run: bool = False,
) -> Begun:
    """Write starter packs of policies as files for you to edit; existing files are kept.

    Args:
        packs: Their names; `all` for every one. Without any, lists the packs.
        scope: Into .context/policies of the project, or into the organisation's folder in the home.
        dry_run: Show what would be written; write nothing.
    """
    known = {pack.name: pack for pack in starter_packs()}
    chosen = list(known) if packs == ["all"] else packs or []
    for name in chosen:
        if name not in known:
            raise NotFound(
                f"no pack {name!r}", nearest(name, list(known)) or "packs: " + ", ".join(known)
            )
    folder, shown, root = _policies_folder(runtime, scope)
    written: list[str] = []
    existing_paths: list[str] = []
    for name in chosen:
        for file, text in known[name].files.items():
            path = target_inside(root, folder / file) if root else folder / file
            if path.exists():
                existing_paths.append(f"{shown}/{file}")
                continue
            written.append(f"{shown}/{file}")
            if not dry_run:
                replace_file(path, text.encode())
    if written and not dry_run and runtime.project is not None:
        reconcile(runtime)
    views = [PackView(one.name, one.about, list(one.files)) for one in known.values()]
    return Begun(written, existing_paths, views)


def _policies_folder(
    runtime: Runtime, scope: Literal["project", "org"]
) -> tuple[Path, str, Path | None]:
    for place in reversed(rule_folders(runtime)):
        if place.folder.path.name == "policies" and (place.root is None) == (scope == "org"):
            return place.folder.path, place.folder.shown, place.root
    raise NotFound(
        "this call is not in a checkout", "run it inside a repository, or with scope org"
    )


@dataclass(frozen=True, slots=True)
class PolicyWritten:
    """A file and record that now agree."""

    id: str
    file: str

    def as_text(self) -> str:
        """One sentence."""
        return f"{self.file} and record {self.id[:8]} are in sync"


_NAME = re.compile(r"[\w][\w.-]{0,99}")


@operation(
    "POST /api/policies/{id}/write",
    effect="write",
    audience="owner",
    idempotent=True,
    needs="machine",
)
@in_steps
def policy_write(
    runtime: Runtime, id: Id, name: str = "", keep: Literal["", "file", "record"] = ""
) -> PolicyWritten:
    """Write a recorded policy or standard to a file, which becomes its source; or resolve a conflict between
    a changed file and its changed record.

    Args:
        id: The record's id, or its first characters.
        name: The name of the new file, without .yaml; made from the title when empty.
        keep: The version to keep if file and record differ.
    """
    record = resolve(runtime, id, *FILED)
    shown = file_of(record)
    if shown and record.status == "archived" and not has_file(runtime, record):
        # Its file was removed and is written again.
        name, shown = name or Path(shown).stem, ""
    if not shown:
        wanted = name.removesuffix(".yaml").removesuffix(".yml") or slug(record.title)
        if not _NAME.fullmatch(wanted):
            raise Invalid(f"{name!r} is not a valid file name", "use letters, digits, -, _ and .")
        record, shown = to_new_file(runtime, record, wanted)
    elif keep:
        record = settle(runtime, record, keep)
    else:
        record = _brought_up_to_date(runtime, record)
    runtime.trace.wrote([record.id], type=record.kind, action="update")
    return PolicyWritten(record.id, shown)


def _brought_up_to_date(runtime: Runtime, record: Record) -> Record:
    reconcile(runtime)
    record = resolve(runtime, record.id)
    if problems := disagreeing(runtime, [record]):
        raise Invalid(problems[0].message, problems[0].hint)
    return record
