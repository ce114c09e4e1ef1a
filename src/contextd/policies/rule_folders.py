"""Folders with rule files: in the checkout, and in the home for a team and an organisation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from contextd.domain.scope import Scope
from contextd.policies.rule_files import FORMATS, POLICIES, STANDARDS, folder_of
from contextd.policies.yaml_folder import FileFolder, ReadFile, read_folder
from contextd.runtime.runtime import Runtime
from contextd_code.git.git_queries import ask, here, printable
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

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
    home, org = runtime.settings.home, runtime.org
    found: list[RuleFolder] = []
    scope = runtime.project.scope if runtime.project and runtime.project.scope.project else None
    if runtime.checkout is not None:
        root, context = runtime.checkout.root, runtime.checkout.context
        closed = not runtime.checkout.trusted
        folders = [folder_of(name, context, ".context", root) for name in FORMATS]
        found += [RuleFolder(folder, scope, root, closed) for folder in folders]
    base, shown = home / "orgs" / org, f"orgs/{org}"
    if scope is not None:
        team = f"teams/{scope.team}"
        found += _in_home(base / team, f"{shown}/{team}", Scope(org, scope.team))
    return found + _in_home(base, shown, Scope(org))


def _in_home(base: Path, shown: str, scope: Scope) -> list[RuleFolder]:
    return [RuleFolder(folder_of(name, base, shown), scope) for name in FORMATS]


def files_of(runtime: Runtime, place: RuleFolder) -> list[ReadFile]:
    """The current files of a folder; empty for a closed one."""
    if place.closed:
        return []
    return read_folder(
        place.folder, runtime.organisation.caches.of("policy files read", _READ_FILES)
    )


_COMMITS = "1000"
_SECONDS = 1.0
_LONGEST = 40
_CHECKOUTS = 64


def author_of(runtime: Runtime, shown: str) -> str:
    """The author of the last commit that changed `.context/policies/NAME.yaml` or a standard; empty for
    uncommitted files and outside git.
    """
    if runtime.checkout is None or not shown.startswith(".context/"):
        return ""
    try:
        return _authors(runtime).get(shown, "")
    except ContextdError:
        return ""


def _authors(runtime: Runtime) -> dict[str, str]:
    root = runtime.root
    commit = here(root)[0]
    known = runtime.organisation.caches.of("authors of rules", _CHECKOUTS)
    remembered: tuple[str, dict[str, str]] | None = known.get(root)
    if remembered is None or remembered[0] != commit:
        folders = f".context/{POLICIES}", f".context/{STANDARDS}"
        remembered = (commit, last_authors(root, folders) if commit else {})
        known.put(root, remembered)
    return remembered[1]


def last_authors(root: Path, places: Sequence[str]) -> dict[str, str]:
    """Path → the author of the last commit that changed it, for files at or below `places`. Raises
    `Unavailable` if git is missing or too slow.
    """
    flags = ("-z", "--name-only", "--no-renames", "--relative", f"--max-count={_COMMITS}")
    printed = ask(
        root, "log", *flags, "--format=%x1e%an%x1f", "HEAD", "--", *places, timeout=_SECONDS
    )
    authors: dict[str, str] = {}
    for commit in (printed or "").split("\x1e")[1:]:
        name, _, files = commit.partition("\x1f")
        for path in files.strip("\0\n").split("\0"):
            authors.setdefault(path.strip("\n"), printable(name, _LONGEST))
    return authors
