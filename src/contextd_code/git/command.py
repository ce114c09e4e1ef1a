"""The only module that builds git commands, so that no repository's configuration can run a program.

A repository may come from anywhere, with its own `.git/config`. Git has more than eighty options that name a
program. Single-valued ones get a fixed harmless value on the command line, which overrides every file. Drivers
have repository-specific names, so they are listed first and then switched off one by one.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from contextd_code.dataclass import dataclass
from contextd_code.errors import Invalid, Unavailable
from contextd_code.files.guarded import read_file
from contextd_code.processes import run

OPTIONS = (
    "--no-optional-locks", "--no-pager",
    "-c", "core.quotepath=off", "-c", "color.ui=false",
    # Programs, by the option that names them. An empty program is none; `false` is one that does nothing.
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.pager=",
    "-c", "core.editor=false", "-c", "sequence.editor=false", "-c", "core.askPass=false",
    "-c", "core.sshCommand=false", "-c", "core.gitProxy=false", "-c", "core.alternateRefsCommand=false",
    "-c", "credential.helper=", "-c", "diff.external=", "-c", "interactive.diffFilter=",
    "-c", "gpg.program=false", "-c", "gpg.ssh.program=false", "-c", "gpg.x509.program=false",
    "-c", "gpg.ssh.defaultKeyCommand=false", "-c", "log.showSignature=false",
    "-c", "uploadpack.packObjectsHook=false", "-c", "protocol.allow=never",
    # Commands of git that others start inside of submodules, or because of them.
    "-c", "submodule.recurse=false", "-c", "diff.submodule=short", "-c", "status.submoduleSummary=false",
    # A repository inside of a repository, without `.git`, arrives with an ordinary clone.
    "-c", "safe.bareRepository=explicit",
    # The form of the output, which contextd parses: a person's own settings may change it as well.
    "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.showRoot=true", "-c", "log.follow=false",
    "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "diff.srcPrefix=a/",
    "-c", "diff.dstPrefix=b/", "-c", "diff.relative=false", "-c", "core.abbrev=auto",
)  # fmt: skip

_INHERITED = frozenset(
    """GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CEILING_DIRECTORIES
    GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_EXEC_PATH""".split()
)
"""Git's variables that locate the user's own settings. The others come from a running hook, and would redirect
each command to another repository, or name a program.
"""

_NEVER_INHERITED = frozenset("SSH_ASKPASS PAGER EDITOR VISUAL RIPGREP_CONFIG_PATH".split())

# An empty GIT_ALLOW_PROTOCOL allows none: a partial clone must not fetch what it lacks.
_OURS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PROTOCOL_FROM_USER": "0",
    "LC_ALL": "C",
}

_WITHOUT_CONTENT = frozenset(
    "rev-parse rev-list symbolic-ref show-ref merge-base ls-tree remote config".split()
)
"""Commands that have no flag for reading file contents: no driver can run."""

_SHOWS_DIFFERENCES = frozenset("diff log show blame".split())

_MOST_DRIVERS = 500
_SECONDS = 3.0
_REMEMBERED = 200

_GIT_FILES = (
    "HEAD config config.worktree commondir index packed-refs shallow info/exclude info/attributes "
    "info/sparse-checkout objects/info/alternates objects/info/commit-graph"
).split()
"""Files below `.git` that git opens by name. It blocks forever on a pipe, and reads a device to its end."""

RULES = (".gitignore", ".gitattributes", ".gitmodules", ".mailmap")
"""Files of a work tree that git opens by name."""

_WRITTEN_BY_HAND = (*RULES, "config", "config.worktree", "exclude", "attributes")

_NAMING_A_FILE = frozenset(
    "core.attributesfile core.excludesfile mailmap.file diff.orderfile blame.ignorerevsfile".split()
)
"""Options, in lower case, that name a file which git opens while it reads, wherever it is."""

_MOST_INCLUDED = 100
"""Configuration files that a configuration may include."""

_LARGEST = 4 << 20
"""Bytes of a settings or rules file: git reads each of them whole, for every command."""

NO_WORK_TREE = "this repository has no work tree"


def git_environment() -> dict[str, str]:
    """The environment of every program that contextd starts in a repository: without variables of a hook,
    locks, network or translations, and without relative program paths.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in _NEVER_INHERITED and (not name.startswith("GIT_") or name in _INHERITED)
    }
    return {**inherited, "PATH": _absolute_path(os.environ.get("PATH", os.defpath)), **_OURS}


def git_command(root: Path, arguments: Sequence[str]) -> list[str]:
    """The command line of `git ARGUMENTS` in `root`, with every program of the repository switched off. Raises
    `Unavailable` when git is missing, when the repository's own files are not ordinary ones, or when a driver
    cannot be switched off.
    """
    named = naming(root) if tuple(arguments[:2]) == naming(root) else ()
    if named:
        _require_files(root)
    else:
        _require_ordinary(root)
    name = _name(arguments)
    fixed = [program("git"), *OPTIONS]
    if name not in _WITHOUT_CONTENT:
        for rules in RULES:
            _require_file(root / rules)
        fixed += _drivers_off(root, named)
    elif named or os.path.lexists(around(root) / ".git"):
        _checked_configuration(root, named)
    if name in _SHOWS_DIFFERENCES:
        at = arguments.index(name) + 1
        quiet = ["--no-textconv"] if name == "blame" else ["--no-ext-diff", "--no-textconv"]
        return [*fixed, *arguments[:at], *quiet, *arguments[at:]]
    return [*fixed, *arguments]


def naming(git_dir: Path) -> tuple[str, str]:
    """The options before a command that name its git directory, for a repository that the user named and
    contextd did not discover. They include the work tree, so that its configuration cannot set one.
    """
    return f"--git-dir={git_dir}", f"--work-tree={git_dir}"


def _name(arguments: Sequence[str]) -> str:
    """The name of the command, after git's own options; only `-c` has a separate value."""
    waiting = iter(arguments)
    for one in waiting:
        if one == "-c":
            next(waiting, "")
        elif not one.startswith("-"):
            return one
    return ""


def program(name: str) -> str:
    """The absolute path of a program. Raises `Unavailable` when no absolute folder of `PATH` has it.

    A relative entry of `PATH` would be resolved in the repository, where the process starts.
    """
    found = _program(name, os.environ.get("PATH", os.defpath))
    if not found:
        raise Unavailable(f"{name} is not installed", f"install {name} to use history")
    return found


@lru_cache(maxsize=32)
def _program(name: str, path: str) -> str:
    return shutil.which(name, path=_absolute_path(path)) or ""


@lru_cache(maxsize=32)
def _absolute_path(path: str) -> str:
    return os.pathsep.join(one for one in path.split(os.pathsep) if Path(one).is_absolute())


def around(place: Path) -> Path:
    """The nearest folder above `place` with a `.git`, in which to run git; `place` without one.

    Below it there may be a repository without `.git`, which git would take for the nearest one.
    """
    for folder in (place, *place.parents):
        if os.path.lexists(folder / ".git"):
            return place if ".git" in place.relative_to(folder).parts else folder
    return place


def _require_ordinary(root: Path) -> None:
    """Raise `Unavailable` for a repository whose files git could not read in an ordinary way."""
    for folder in (root, *root.parents):
        own = folder / ".git"
        if os.path.lexists(own):
            _require_files(own)
            return
        if is_bare(folder):
            raise Unavailable(NO_WORK_TREE, "clone it, or go to one of its work trees")


def is_bare(folder: Path) -> bool:
    """Whether a folder is the inside of a repository: a bare one on a server, or one planted there."""
    # As git decides it: `.git` comes first. Only versions from 2.38 on know `safe.bareRepository`.
    return (
        not os.path.lexists(folder / ".git")
        and os.path.lexists(folder / "HEAD")
        and all((folder / name).is_dir() for name in ("objects", "refs"))
    )


def _require_files(own: Path) -> None:
    try:
        mode = own.stat().st_mode
        if stat.S_ISDIR(mode):
            for name in _GIT_FILES:
                _require_file(own / name)
        elif not stat.S_ISREG(mode):
            raise Unavailable(f"{own} is not a file or folder", "remove it, or clone again")
    except OSError:
        return


def _require_file(path: Path) -> None:
    try:
        about = path.stat()
    except OSError:
        return
    if not stat.S_ISREG(about.st_mode):
        raise Unavailable(f"{path} is not an ordinary file", "remove it, or clone again")
    if path.name in _WRITTEN_BY_HAND and about.st_size > _LARGEST:
        raise Unavailable(f"{path} has {about.st_size:,} bytes", f"keep it under {_LARGEST:,}")


def _drivers_off(root: Path, named: Sequence[str]) -> list[str]:
    """Options that switch off each filter and diff driver that any configuration names."""
    names, included = _checked_configuration(root, named)
    if included:
        # Included files may be anywhere, so no stamp covers them.
        names = tuple(one.name for one in _configured(root, named, "--includes"))
    found = tuple(dict.fromkeys(_switched_off(names)))
    if len(found) > _MOST_DRIVERS:
        raise Unavailable(
            f"the git configuration of {root} names {len(found)} drivers", "remove some of them"
        )
    return [part for one in found for part in ("-c", one)]


def _checked_configuration(
    root: Path, named: Sequence[str]
) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """The names of the options that are set without included files, and the included files. Raises
    `Unavailable` when git would open a file that is not an ordinary one.
    """
    stamp = (object(),) if named else _config_stamp(root)
    names, files, included = _configured_as_of(root, tuple(named), stamp)
    for path in (*files, *_files_of_included(included)):
        _require_named(path)
    return names, included


def _require_named(path: Path) -> None:
    """Raise `Unavailable` for a file of a configuration that git could not read in an ordinary way."""
    if path == Path(os.devnull):
        return
    try:
        _require_file(path)
    except Unavailable as error:
        raise Unavailable(
            f"git's configuration names a file that git cannot read: {error.message}",
            "remove the option: `git config --list --show-origin` lists them",
        ) from None


@dataclass(frozen=True, slots=True)
class _Option:
    """An option that is set. `folder` is that of its file: a path in it is relative to there."""

    name: str
    value: str
    folder: Path

    @property
    def is_include(self) -> bool:
        return self.name.startswith(("include.", "includeif."))

    def path(self, base: Path) -> Path:
        """Its value as a path."""
        return base / Path(self.value.removeprefix(":(optional)")).expanduser()


@lru_cache(maxsize=_REMEMBERED)
def _configured_as_of(
    root: Path, named: tuple[str, ...], stamp: tuple[object, ...]
) -> tuple[tuple[str, ...], tuple[Path, ...], tuple[Path, ...]]:
    """What the configuration sets without the files it includes: the names of its options, the files that
    they name, and the files it includes.
    """
    options = _configured(root, named, "--no-includes")
    files = tuple(one.path(root) for one in options if one.name in _NAMING_A_FILE and one.value)
    included = tuple(one.path(one.folder) for one in options if one.is_include)
    return tuple(one.name for one in options), files, included


def _files_of_included(first: Sequence[Path]) -> Iterator[Path]:
    """The files that included files name. Raises `Unavailable` for an included file that is not ordinary."""
    waiting, seen = list(first), set(first)
    while waiting:
        path = waiting.pop()
        _require_named(path)
        options = _configured_in(path, _state(path))
        yield from (one.path(path.parent) for one in options if one.name in _NAMING_A_FILE)
        further = {one.path(path.parent) for one in options if one.is_include} - seen
        seen |= further
        waiting += further
        if len(seen) > _MOST_INCLUDED:
            raise Unavailable(
                f"a git configuration includes more than {_MOST_INCLUDED} files", f"see {path}"
            )


@lru_cache(maxsize=_REMEMBERED)
def _configured_in(path: Path, state: object) -> tuple[_Option, ...]:
    if state is None:
        return ()
    return tuple(_configured(path.parent, (), "--no-includes", "--file", str(path)))


def _config_stamp(root: Path) -> tuple[object, ...]:
    """A stamp of the configuration; always new where it is in another place."""
    own = root / ".git"
    folders: tuple[Path, ...] = (own,)
    if own.is_file():
        folders = _folders_of_linked(own)
    elif not own.is_dir():
        folders = ()
    if not folders:
        return (object(),)
    home = os.environ.get("HOME", "")
    other = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    given = os.environ.get("GIT_CONFIG_GLOBAL", "")
    files = [folder / name for folder in folders for name in ("config", "config.worktree")]
    files += [Path(home, ".gitconfig"), Path(other, "git", "config"), Path(given)]
    return tuple(_state(one) for one in (own, *files))


def _folders_of_linked(file: Path) -> tuple[Path, ...]:
    """The git directory that a `.git` file names, and the one it shares; none if it cannot be read."""
    try:
        git_dir = file.parent / _line_in(file).removeprefix("gitdir:").strip()
        shared = git_dir / "commondir"
        common = git_dir / _line_in(shared) if shared.is_file() else git_dir
    except (OSError, ValueError):
        return ()
    return git_dir, common


def _line_in(file: Path) -> str:
    return read_file(file, 8_192).decode("utf-8", "surrogateescape").strip()


def _state(path: Path) -> object:
    try:
        about = path.stat()
    except OSError:
        return None
    # The time of the last change as well: an archive that is unpacked sets the others as it likes.
    return about.st_ino, about.st_mtime_ns, about.st_ctime_ns, about.st_size


def _configured(root: Path, named: Sequence[str], *how: str) -> list[_Option]:
    """The set options, of the repository, the user or the machine."""
    command = [program("git"), *OPTIONS, *named, "config", *how, "--list", "--show-origin", "-z"]
    done = run(command, root, git_environment(), _SECONDS)
    if done.code or done.cut:
        raise Unavailable(f"git cannot read its configuration in {root}", "check `git config -l`")
    parts = os.fsdecode(done.output).split("\0")
    found = []
    for origin, setting in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = setting.partition("\n")
        folder = root / Path(origin.removeprefix("file:")).parent
        found.append(_Option(name, value, folder))
    return found


def _switched_off(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        section, _, rest = name.partition(".")
        driver = rest.rpartition(".")[0]
        if section not in ("filter", "diff") or not driver:
            continue
        if "=" in driver or "\n" in driver:
            raise Unavailable(
                f"the git configuration names a driver {driver!r}, which cannot be switched off",
                "rename it",
            )
        if section == "filter":
            yield from (f"filter.{driver}.{what}=" for what in ("clean", "smudge", "process"))
            yield f"filter.{driver}.required=false"
        else:
            yield from (f"diff.{driver}.{what}=" for what in ("command", "textconv"))


def require_own(root: Path, git_dir: Path) -> None:
    """Raise `Invalid` when a repository claims a work tree that does not name it as its own.

    `core.worktree` can name any folder of the machine; its `.git` has to point back.
    """
    own = root / ".git"
    try:
        if own.is_dir() and own.samefile(git_dir):
            return
        if own.is_file() and _leads_to(own, git_dir):
            return
    except OSError:
        pass
    raise Invalid(
        f"the repository in {git_dir} claims the work tree {root}, which is not its own",
        "remove `core.worktree` from its configuration",
    )


def _leads_to(file: Path, git_dir: Path) -> bool:
    named = _line_in(file).removeprefix("gitdir:").strip()
    return (file.parent / named).samefile(git_dir)
