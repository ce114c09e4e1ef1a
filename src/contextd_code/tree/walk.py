"""List a project's files. Never fails on an unusual tree: it reports skipped paths with the reason."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from contextd_code.git.git_queries import Running
from contextd_code.git.programs import git_environment
from contextd_code.processes import Child
from contextd_code.tree.build_outputs import Outputs
from contextd_code.tree.ripgrep import odd_rules, ripgrep
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, Unavailable

IGNORED_FOLDERS = frozenset(
    """.git .hg .svn .jj .context node_modules bower_components jspm_packages dist build out target
    .next .nuxt .output .svelte-kit .astro .turbo .cache .parcel-cache .angular .vercel .netlify
    .gradle .terraform .idea __pycache__ .venv venv .tox .nox .eggs .mypy_cache .ruff_cache
    .pytest_cache .hypothesis .ipynb_checkpoints site-packages coverage .nyc_output .coverage
    .yarn .pnpm-store .dart_tool Pods DerivedData""".split()
)
"""Folders without hand-written files.

Files that git tracks in them are listed anyway, except build output (see `Outputs`).
"""

_OURS = (".context/", ".git/")
_TIMEOUT = 120
_MOST_LISTED = 512 << 20
"""Bytes of a list of files: five million paths of ordinary length."""

_STALLED = 5.0
"""Seconds after which to check whether a program waits for a pipe or reads a device."""


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file of the project: POSIX path relative to the root, bytes, and `changed_ns`."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Walk:
    """The files sorted by path, skipped paths with the reason, and the lister.

    `source` is `git`, `rg` or `python`; `note` says why a better one was not used.
    """

    files: tuple[WalkedFile, ...]
    skipped: tuple[tuple[str, str], ...]
    source: str
    note: str = ""


def walk(root: Path) -> Walk:
    """Every file below `root` that is not ignored; empty if `root` is not a folder."""
    base = Path(os.path.realpath(root))
    skipped: dict[str, str] = {}
    if not base.is_dir():
        return Walk((), (("", "not a folder"),), "python")
    odd = odd_rules(base, depth=0)
    listed, note = (None, f"{odd} is not an ordinary file") if odd else _git(base, skipped)
    source = "git"
    odd = odd or (odd_rules(base) if listed is None else "")
    # An ignored folder of an outer repository has no files for git, but it is the project.
    if not listed and not odd:
        listed, problem = _rg(base, skipped)
        source, note = "rg", note or problem
    if listed is None:
        listed, source = list(_python(base, skipped)), "python"
    files = tuple(_stat(base, listed, skipped))
    return Walk(files, tuple(sorted(skipped.items())), source, note)


def _run(command: list[str], base: Path) -> tuple[int, bytes, str]:
    try:
        child = Child(command, base, git_environment(), most=_MOST_LISTED)
    except Unavailable as error:
        return -1, b"", error.message
    finished = child.finish(_STALLED)
    odd = odd_rules(base) if finished is None else ""
    if finished is None and not odd:
        finished = child.finish(_TIMEOUT)
    child.stop()
    if finished is None:
        why = f"{odd} is not an ordinary file" if odd else f"no list of files in {_TIMEOUT} s"
        return -1, b"", why
    if finished.cut:
        return -1, b"", "the list of files is too long"
    return finished.code, finished.output, finished.problem.decode("utf-8", "replace").strip()


def _git(base: Path, skipped: dict[str, str]) -> tuple[list[str] | None, str]:
    listing = ("ls-files", "-c", "-o", "-t", "-z", "--exclude-standard")
    try:
        code, out, err = Running(base, listing, most=_MOST_LISTED).collect_bytes(_TIMEOUT)
    except (Invalid, Unavailable) as error:
        return None, error.message
    if code != 0:
        problem = err.decode("utf-8", "replace").splitlines()
        return None, (problem or ["git could not list the files"])[0]
    paths: dict[str, None] = {}
    entries = [(entry[:1], os.fsdecode(entry[2:])) for entry in out.split(b"\0") if entry]
    outputs = Outputs(base, {path for state, path in entries if state != b"?"})
    for state, path in entries:
        if state == b"S":
            skipped[path.split("/", 1)[0] + ("/" if "/" in path else "")] = "sparse checkout"
            continue
        if state == b"?":
            if path.endswith("/"):
                skipped[path] = "another repository"
                continue
            folder = _ignored_folder(path)
            if folder:
                skipped[folder] = "ignored folder"
                continue
        elif folder := outputs.folder_of(path):
            skipped[folder] = "written by a build"
            continue
        paths[path] = None
    return list(paths), ""


def _ignored_folder(path: str) -> str:
    parts = path.split("/")
    for depth, part in enumerate(parts[:-1]):
        if part in IGNORED_FOLDERS or part.endswith(".egg-info"):
            return "/".join(parts[: depth + 1]) + "/"
    return ""


def _rg(base: Path, skipped: dict[str, str]) -> tuple[list[str] | None, str]:
    binary = ripgrep()
    if not binary:
        return None, "ripgrep is missing"
    command = [binary, "--files", "--hidden", "--no-require-git", "--no-ignore-parent", "--null"]
    for folder in sorted(IGNORED_FOLDERS):
        command += ["-g", f"!**/{folder}/**"]
    code, out, problem = _run([*command, "--no-config"], base)
    if code not in (0, 1, 2):
        return None, problem
    for line in problem.splitlines()[:1_000]:
        path, separator, reason = line.removeprefix("rg: ").removeprefix("./").rpartition(": ")
        if separator:
            skipped[path] = reason
    return [os.fsdecode(entry) for entry in out.split(b"\0") if entry], problem


def _python(base: Path, skipped: dict[str, str]) -> Iterator[str]:
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(base / folder), key=lambda entry: entry.name)
        except OSError as error:
            skipped[folder + "/"] = error.strerror or str(error)
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif entry.name in IGNORED_FOLDERS or entry.name.endswith(".egg-info"):
                skipped[path + "/"] = "ignored folder"
            else:
                folders.append(path)


def _stat(base: Path, listed: Iterable[str], skipped: dict[str, str]) -> Iterator[WalkedFile]:
    prefix = str(base) + os.sep
    names = sorted(listed)
    known = set(names)
    for path in names:
        if path.startswith(_OURS):
            skipped[path.split("/", 1)[0] + "/"] = "contextd's or git's own files"
            continue
        try:
            path.encode("utf-8")
            about = os.lstat(prefix + path)
            if stat.S_ISLNK(about.st_mode):
                reason = _link(base, prefix + path, known)
                about = os.stat(prefix + path)  # noqa: PTH116 – one object less per file
            else:
                reason = _kind(about.st_mode)
        except UnicodeEncodeError:
            skipped[path.encode("utf-8", "backslashreplace").decode()] = "its name is not UTF-8"
            continue
        except (OSError, ValueError) as error:
            skipped[path] = getattr(error, "strerror", "") or str(error)
            continue
        if reason:
            skipped[path] = reason
        else:
            yield WalkedFile(path, about.st_size, changed_ns(about))


def changed_ns(about: os.stat_result) -> int:
    """When a file or its inode changed last, in nanoseconds.

    An edit that restores the modification time cannot restore the inode's. Windows has none, and a
    few mounts report it wrong.
    """
    return about.st_mtime_ns if os.name == "nt" else max(about.st_mtime_ns, about.st_ctime_ns)


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return ""
    return "submodule" if stat.S_ISDIR(mode) else "not a regular file"


def _link(base: Path, path: str, known: set[str]) -> str:
    target = Path(os.path.realpath(path))
    if target != base and base not in target.parents:
        return "link that leaves the project"
    if not target.is_file():
        return "link to something that is not a file"
    relative = target.relative_to(base)
    if relative.as_posix() in known:
        return "link to a file that is listed"
    return "link to git's own files" if ".git" in relative.parts else ""
