"""Policies as people keep them: listed, begun from a starter pack, written to files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Invalid, NotFound, nearest
from contextd.domain.limits import Id
from contextd.domain.records import Record
from contextd.domain.scope import Scope, slug
from contextd.files.disk import replace_file, target_inside
from contextd.policies.packs import StarterPack, packs
from contextd.policies.policy_files import (
    FILED,
    disagreeing,
    file_of,
    has_file,
    reconcile,
    reconciled,
    settle,
    to_new_file,
)
from contextd.policies.rule_authors import author_of
from contextd.policies.rule_folders import rule_folders
from contextd.policies.rules_in_force import Binding, in_force
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.finding import resolve


@dataclass(frozen=True, slots=True)
class PolicyView:
    """A policy that holds. `checked` says whether anything of it can be found without guessing; `file`
    is empty for a record of its own, `author` is who changed the file last.
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
        """A line."""
        how = self.enforce if self.checked else "in words only"
        stands = self.file or f"record {self.id[:8]}, no file"
        by = f", last changed by {self.author}" if self.author else ""
        return f"- {self.title} ({self.severity}, {how}): {self.requirement} [{stands}{by}]"


@dataclass(frozen=True, slots=True)
class Policies:
    """Every policy that holds, the nearest first, and what is wrong with files: mistakes, and records
    that were changed as well as their files. `done` is what was brought together just now.
    """

    policies: list[PolicyView]
    problems: list[str]
    done: list[str]

    def as_text(self) -> str:
        """A line each."""
        lines = [one.as_text() for one in self.policies] or [
            "no policies yet: `contextd policies init` writes some to start from"
        ]
        lines += [f"✓ {one}" for one in self.done]
        return "\n".join(lines + [f"! {problem}" for problem in self.problems])


@operation("GET /api/policies", audience="owner")
def list_policies(runtime: Runtime, scope: Literal["all", "org"] = "all") -> Policies:
    """List the policies that hold here, the project's before its team's and its organisation's, with
    anti-patterns that have a pattern, and say what is wrong with their files.

    Args:
        scope: All that hold here, or only the organisation's, which hold for each of its projects.
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
        # What is wrong in one project's files is nothing to the others.
        org = str(Scope(runtime.organisation.name))
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
    """A starter pack, and the files it has."""

    name: str
    about: str
    files: list[str]


@dataclass(frozen=True, slots=True)
class Begun:
    """The files that were written, those that were there and stay as they are, and the packs there are."""

    written: list[str]
    kept: list[str]
    packs: list[PackView]

    def as_text(self) -> str:
        """A line per file."""
        lines = [f"✓ wrote {path}" for path in self.written]
        lines += [f"! {path} is there already and stays as it is" for path in self.kept]
        if not lines:
            lines = ["name the packs to write:"]
            lines += [f"- {one.name}: {one.about}" for one in self.packs]
        return "\n".join(lines)


@operation("POST /api/policies/init", effect="write", audience="owner", idempotent=True)
def policy_init(
    runtime: Runtime,
    packs: list[str] | None = None,
    scope: Literal["project", "org"] = "project",
    dry_run: bool = False,
) -> Begun:
    """Write starter packs of policies as files to change as you like; files that are there stay.

    Args:
        packs: Their names; `all` for every one. None of them lists the packs there are.
        scope: Into .context/policies of the project, or into the organisation's folder in the home.
        dry_run: Say what would be written, and write nothing.
    """
    known = _by_name()
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


def _by_name() -> dict[str, StarterPack]:
    return {pack.name: pack for pack in packs()}


def _policies_folder(
    runtime: Runtime, scope: Literal["project", "org"]
) -> tuple[Path, str, Path | None]:
    for place in reversed(rule_folders(runtime)):
        if place.folder.path.name == "policies" and (place.root is None) == (scope == "org"):
            return place.folder.path, place.folder.shown, place.root
    raise NotFound(
        "this call stands in no checkout", "run it inside a repository, or with scope org"
    )


@dataclass(frozen=True, slots=True)
class PolicyWritten:
    """The file that says what the record says."""

    id: str
    file: str

    def as_text(self) -> str:
        """In a sentence."""
        return f"{self.file} and record {self.id[:8]} say the same"


_NAME = re.compile(r"[\w][\w.-]{0,99}")


@operation("POST /api/policies/{id}/write", effect="write", audience="owner", idempotent=True)
def policy_write(
    runtime: Runtime, id: Id, name: str = "", keep: Literal["", "file", "record"] = ""
) -> PolicyWritten:
    """Write a policy or a standard that was recorded to a file, which is its source from then on; or settle
    what to keep where file and record were both changed.

    Args:
        id: The record's id, or its first characters.
        name: The name of the new file, without .yaml; made from the title when empty.
        keep: Of a file and a record that differ, the one that is right.
    """
    record = resolve(runtime, id, *FILED)
    shown = file_of(record)
    if shown and record.status == "archived" and not has_file(runtime, record):
        # Its file was removed, and is written again.
        name, shown = name or Path(shown).stem, ""
    if not shown:
        wanted = name.removesuffix(".yaml").removesuffix(".yml") or slug(record.title)
        if not _NAME.fullmatch(wanted):
            raise Invalid(f"{name!r} cannot name a file", "use letters, digits, -, _ and .")
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
