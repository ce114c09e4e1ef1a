"""The configuration that git gets from contextd, the only one it reads.

Git has more than a hundred options that name a program or a file, and a repository may come from anywhere. So an
option reaches git only if it is known to name neither, by its name and by the form of its value. The user's own
options are treated alike: a stranger's `.gitattributes` chooses among the programs they name.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from contextd_code.git.config_text import GitOption, text_of
from contextd_code.git.option_sources import (
    INCLUDES,
    options_of_repository,
    options_of_user,
    path_in,
)
from contextd_code.git.ordinary_files import is_small_file
from contextd_code.git.repository import Repository, state_of
from contextd_code.git.substitute import CONFIG, stand_in
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, Unreadable

_WORD = re.compile(r"[\w.-]{0,64}", re.ASCII)
_NAME = re.compile(r"[\w./-]{0,200}")
_REFSPEC = re.compile(r"\+?refs/[^\s:]+:refs/[^\s:]+")

ALLOWED: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(
        """core.autocrlf core.bigfilethreshold core.checkstat core.commitgraph core.eol core.filemode core.fscache
        core.ignorecase core.longpaths core.multipackindex core.precomposeunicode core.protecthfs core.protectntfs
        core.repositoryformatversion core.sparsecheckout core.sparsecheckoutcone core.symlinks core.trustctime
        extensions.compatobjectformat extensions.noop extensions.noop-v1 extensions.objectformat
        extensions.preciousobjects extensions.refstorage extensions.relativeworktrees""".split(),
        _WORD,
    ),
    "branch.*.remote": _NAME,
    "branch.*.merge": _NAME,
    "remote.*.fetch": _REFSPEC,
    "user.name": re.compile(r"[^\x00-\x1f]{0,200}"),
}
"""The options that reach git, with the form of their values: words, numbers and names of references, for which git
runs nothing and opens nothing. Addresses are left out, since they may contain passwords.
"""

FILES = frozenset("core.attributesfile core.excludesfile mailmap.file blame.ignorerevsfile".split())
"""Options that name a file which git reads. They reach git if it is an ordinary one."""

_DRIVERS = ("diff", "filter", "merge")
"""Sections with drivers, each of which a repository names itself."""

_LONGEST_ENVIRONMENT = 20_000
"""Characters that may be spent on options: all variables of a process have 32,767 on Windows."""

_PERIOD = 600.0
"""Seconds after which options are read again in any case: they may include files from anywhere."""

_REMEMBERED = 200


@dataclass(frozen=True, slots=True)
class GitSettings:
    """What git is given: the variables of its environment that stand for every configuration. `options` are all
    that are set, the user's and then the repository's; `safe` are the folders that the user trusts with another
    owner, and `claimed` is the work tree that the repository claims. `stamp` is the state of `files`, from which all
    was read.
    """

    environment: dict[str, str]
    options: tuple[GitOption, ...]
    safe: tuple[str, ...]
    claimed: str
    files: tuple[Path, ...]
    stamp: tuple[object, ...]


_remembered: dict[Repository | None, GitSettings] = {}


def settings_for(repository: Repository | None) -> GitSettings:
    """What git is given in a repository, or with None outside of any. Raises `Unavailable`, also where another
    user owns the repository.
    """
    found = _remembered.get(repository)
    if found is None or found.stamp != _stamp(found.files):
        found = _outside() if repository is None else _inside(repository)
        if len(_remembered) >= _REMEMBERED:
            _remembered.clear()
        _remembered[repository] = found
    if repository is not None:
        _require_owner(repository, found.safe)
    return found


def _outside() -> GitSettings:
    place = {"GIT_DIR": os.devnull}
    users = options_of_user(place, Path("/"))
    named, named_files = _named_files(users.options, Path("/"))
    passed = [*filter(_is_allowed, users.options), *named]
    environment = {**place, **_nothing_else(os.devnull), **_variables(passed)}
    files = (*users.files, *named_files)
    return GitSettings(environment, users.options, (), "", files, _stamp(files))


def _inside(repository: Repository) -> GitSettings:
    own = options_of_repository(repository)
    place = {"GIT_DIR": str(repository.git_dir), "GIT_WORK_TREE": str(repository.root)}
    let_through = list(filter(_is_allowed, own.options))
    substitute = stand_in(repository.common_dir, text_of(let_through))
    if substitute is not None:
        place["GIT_COMMON_DIR"] = str(substitute)
        # Without the file with which an older git replaces the parents of commits.
        place["GIT_GRAFT_FILE"] = str(substitute / "grafts")
    users = options_of_user(place, repository.root)
    # The repository's own come later, and so they win.
    named, named_files = _named_files([*users.options, *own.options], repository.root)
    set_there = {option.name for option in let_through}
    of_user = [one for one in users.options if _is_allowed(one) and one.name not in set_there]
    emptied = [] if substitute is not None else _emptied([*own.options, *own.conditional])
    environment = {
        **place,
        **_nothing_else(str(substitute or "")),
        **_variables([*emptied, *of_user, *named]),
    }
    files = (*own.files, *users.files, *named_files)
    files += (substitute / CONFIG,) if substitute is not None else ()
    safe = tuple(one.value for one in users.options if one.name == "safe.directory")
    options = (*users.options, *own.options)
    claims = [one.value for one in own.options if one.name == "core.worktree"]
    claimed = claims[-1] if claims else ""
    return GitSettings(environment, options, safe, claimed, files, _stamp(files))


def _nothing_else(nowhere: str) -> dict[str, str]:
    """Variables with which git reads no configuration of the user or the machine; `nowhere` has no files of theirs."""
    homes = {"HOME": nowhere, "XDG_CONFIG_HOME": nowhere} if nowhere else {}
    return {
        # Versions before 2.32 heed these alone.
        **homes,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


def _is_allowed(option: GitOption) -> bool:
    form = ALLOWED.get(option.generic)
    return form is not None and form.fullmatch(option.value) is not None


def _emptied(options: Sequence[GitOption]) -> list[GitOption]:
    """Where git reads the repository's configuration, since there is no stand-in: options that empty those of its
    drivers, and all others whose value could be a command or a path.
    """
    if any("%(" in one.value for one in options if one.generic in INCLUDES):
        raise Unreadable("the git configuration includes a file of git's own", "name its path")
    emptied = dict.fromkeys(one.name for one in options if _may_name_something(one))
    if sum(len(name) + 50 for name in emptied) > _LONGEST_ENVIRONMENT:
        raise Unreadable(
            f"the git configuration sets {len(emptied)} options that contextd does not know",
            "remove some of them: `git config --list --show-origin` lists them",
        )
    return [GitOption(name, "") for name in emptied]


def _may_name_something(option: GitOption) -> bool:
    if option.generic.startswith(tuple(f"{name}.*." for name in _DRIVERS)):
        return True
    known = _is_allowed(option) or option.generic in INCLUDES
    return not known and _WORD.fullmatch(option.value) is None


def _variables(options: Sequence[GitOption]) -> dict[str, str]:
    """Variables that set options. Git knows them from version 2.31 on; before, the user's are missing."""
    found = {"GIT_CONFIG_COUNT": str(len(options))}
    for number, option in enumerate(options):
        found[f"GIT_CONFIG_KEY_{number}"] = option.name
        found[f"GIT_CONFIG_VALUE_{number}"] = option.value
    return found


def _named_files(
    options: Sequence[GitOption], base: Path
) -> tuple[list[GitOption], tuple[Path, ...]]:
    """The options that name an ordinary file, with its path, and all files that options name."""
    found: list[GitOption] = []
    paths: list[Path] = []
    for option in options:
        path = path_in(option, base) if option.name in FILES else None
        if path is not None:
            paths.append(path)
            if is_small_file(path):
                found.append(GitOption(option.name, str(path)))
    return found, tuple(paths)


def require_own(repository: Repository) -> None:
    """Raise `Invalid` when a repository claims a work tree other than the folder in which it was found.
    `core.worktree` can name any folder of the machine.
    """
    claimed = settings_for(repository).claimed
    if not claimed or repository.is_linked:
        return
    root = Path(os.path.realpath(repository.git_dir / claimed))
    if root != repository.root:
        raise Invalid(
            f"the repository in {repository.git_dir} claims the work tree {root}, which is not its own",
            "remove `core.worktree` from its configuration",
        )


def _require_owner(repository: Repository, safe: Sequence[str]) -> None:
    """Raise `Unavailable` when another user owns the repository, unless the user said it is safe, as git does."""
    if os.name == "nt" or repository.root == repository.git_dir:
        return
    mine = {os.geteuid(), *_behind_root()}
    places = (repository.root, repository.root / ".git", repository.git_dir)
    if all(_owner(place) in mine for place in places):
        return
    is_safe = False
    for value in safe:
        # An empty value forgets those before it.
        is_safe = bool(value) and (is_safe or _names(value, repository.root))
    if not is_safe:
        raise Unreadable(
            "git refuses this repository because another user owns it; "
            "allow it with `git config --global --add safe.directory <path>`",
            "or clone it yourself",
        )


def _names(value: str, root: Path) -> bool:
    """Whether a value of `safe.directory` names a folder."""
    if value == "*":
        return True
    path = Path(value).expanduser()
    return path.parent in root.parents if path.name == "*" else path == root


def _owner(place: Path) -> int | None:
    try:
        return place.stat().st_uid
    except OSError:
        return None


def _behind_root() -> list[int]:
    """The user for whom `sudo` runs this process."""
    number = os.environ.get("SUDO_UID", "")
    return [int(number)] if os.geteuid() == 0 and number.isdecimal() else []


def _stamp(files: Sequence[Path]) -> tuple[object, ...]:
    named = (os.environ.get(name) for name in ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"))
    return (*(state_of(str(one)) for one in files), *named, int(time.monotonic() // _PERIOD))
