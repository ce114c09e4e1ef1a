"""Folders with rule files: in the checkout, and in the home for a team and an organisation."""

from __future__ import annotations

from pathlib import Path

from contextd.domain.scope import Scope
from contextd.policies.rule_files import POLICIES, STANDARDS, policies_folder, standards_folder
from contextd.policies.yaml_folder import FileFolder, ReadFile, read_folder
from contextd.runtime.runtime import Runtime
from contextd_code.dataclass import dataclass

_FOLDERS = {POLICIES: policies_folder, STANDARDS: standards_folder}
_READ_FILES = 2_000


@dataclass(frozen=True, slots=True)
class RuleFolder:
    """A folder of rules and their scope. `root` is its checkout. A `closed` one belongs to an untrusted
    checkout and is ignored.
    """

    folder: FileFolder
    scope: Scope | None
    root: Path | None = None
    closed: bool = False


def rule_folders(runtime: Runtime) -> list[RuleFolder]:
    """The rule folders of a call, nearest first: in its checkout, and in the home for its team and
    organisation.
    """
    home, org = runtime.settings.home, runtime.organisation.name
    found: list[RuleFolder] = []
    scope = runtime.project.scope if runtime.project and runtime.project.scope.project else None
    if runtime.checkout is not None:
        root, context = runtime.checkout.root, runtime.checkout.context
        found += [
            RuleFolder(
                make(context / name, f".context/{name}", root),
                scope,
                root,
                closed=not runtime.checkout.trusted,
            )
            for name, make in _FOLDERS.items()
        ]
    base, shown = home / "orgs" / org, f"orgs/{org}"
    if scope is not None:
        team = f"teams/{scope.team}"
        found += _in_home(base / team, f"{shown}/{team}", Scope(org, scope.team))
    return found + _in_home(base, shown, Scope(org))


def _in_home(base: Path, shown: str, scope: Scope) -> list[RuleFolder]:
    return [
        RuleFolder(make(base / name, f"{shown}/{name}"), scope) for name, make in _FOLDERS.items()
    ]


def files_of(runtime: Runtime, place: RuleFolder) -> list[ReadFile]:
    """The current files of a folder; empty for a closed one."""
    if place.closed:
        return []
    return read_folder(
        place.folder, runtime.organisation.caches.of("policy files read", _READ_FILES)
    )
