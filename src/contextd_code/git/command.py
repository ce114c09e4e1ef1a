"""The only module that builds git commands for a repository, so that nothing in it can name a program or a file.

A repository may come from anywhere. Git gets its place (`repository.py`), files that are ordinary ones
(`ordinary_files.py`), and a configuration that contextd wrote (`settings.py`); its commands are those of a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from contextd_code.git.ordinary_files import require_ordinary
from contextd_code.git.programs import git_environment, git_line
from contextd_code.git.repository import Repository, repository_around
from contextd_code.git.settings import settings_for
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

_SHOWS = "--no-ext-diff", "--no-textconv"

# To tell whether a submodule has uncommitted changes, git starts another git in it, with a configuration of its own.
_OWN_FILES = "--ignore-submodules=dirty"

_FLAGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("cat-file hash-object ls-files grep for-each-ref".split(), ()),
    "blame": ("--no-textconv",),
    "diff": (*_SHOWS, _OWN_FILES),
    "log": _SHOWS,
    "show": _SHOWS,
    "status": (_OWN_FILES,),
}
"""The commands that contextd runs, with the flags that each gets."""

_WITHOUT_CONTENT = frozenset(
    "rev-parse rev-list symbolic-ref show-ref merge-base ls-tree config for-each-ref".split()
)
"""Commands that read no file of the work tree."""

_ANYWHERE = frozenset(("config", "grep"))
"""Commands that need no repository."""


@dataclass(frozen=True, slots=True)
class GitCommand:
    """A command line, where to run it, and its environment."""

    line: list[str]
    cwd: Path
    environment: dict[str, str]
    repository: Repository | None


def git_command(
    root: Path, arguments: Sequence[str], of: Repository | None = None
) -> GitCommand | None:
    """`git ARGUMENTS` in the folder `root`, in the repository around it or in `of`; None for a command that needs a
    repository outside of any. Raises `Unavailable` when git is missing, or where its files are not ordinary ones.
    """
    name = next((one for one in arguments if not one.startswith("-")), "")
    if name not in _FLAGS and name not in _WITHOUT_CONTENT:
        raise ContextdError(f"git {name} is not among the commands that are safe", "report this")
    # Whether git is there comes first: without it there is nothing to look for.
    at = arguments.index(name) + 1
    line = git_line([*arguments[:at], *_FLAGS.get(name, ()), *arguments[at:]])
    repository = of or repository_around(root)
    if repository is None and name not in _ANYWHERE:
        return None
    if repository is not None:
        require_ordinary(repository, rules=name not in _WITHOUT_CONTENT)
    environment = {**git_environment(), **settings_for(repository).environment}
    return GitCommand(line, root, environment, repository)
