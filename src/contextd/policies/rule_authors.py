"""Who last changed a rule file, according to git: a pull can bring a rule that the owner never read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from contextd.policies.rule_files import POLICIES, STANDARDS
from contextd.runtime.runtime import Runtime
from contextd_code.errors import ContextdError
from contextd_code.git.git_queries import ask, here, printable

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
