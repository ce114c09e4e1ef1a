"""Resolve paths given by users and agents; nothing else may open them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from contextd_common.errors import Invalid, NotFound, TooLarge
from contextd_common.files.guarded import open_beneath, read_open

_OUTSIDE = "give a path relative to the project's root, inside it"
LARGEST_READ = 20_000_000


def inside(root: Path, path: str, known: Sequence[str] = ()) -> Path:
    """The real path of the regular file that `path` names inside `root`.

    `path` is relative to `root`, or absolute and inside it; `known` are relative paths for
    suggestions. Raises `Invalid` for a path outside the root (also through a link), folders,
    devices, pipes and git's own files, and `NotFound` with the most similar names.
    """
    base, real = _resolve(root, path)
    relative = real.relative_to(base)
    if ".git" in relative.parts:
        raise Invalid(f"{path!r} belongs to git itself", "read the files of the work tree")
    try:
        mode = real.lstat().st_mode
    except (OSError, ValueError):
        raise NotFound(f"there is no file {path!r}", _nearest(base, relative, known)) from None
    if stat.S_ISDIR(mode):
        raise Invalid(f"{path!r} is a folder", _nearest(base, relative / "*", known))
    if not stat.S_ISREG(mode):
        raise Invalid(f"{path!r} is not a regular file", "devices, pipes and sockets are not read")
    return real


def relative_inside(root: Path, path: str, known: Sequence[str] = ()) -> str:
    """The same file as `inside`, written as a POSIX path relative to `root`."""
    return inside(root, path, known).relative_to(_real(root)).as_posix()


def read_inside(
    root: Path, path: str, known: Sequence[str] = (), limit: int = LARGEST_READ
) -> bytes:
    """The bytes of the file that `inside` returns.

    A link swapped in meanwhile is not followed. Raises what `inside` raises, `TooLarge` above
    `limit` bytes, `NotFound` if it is not readable.
    """
    base = _real(root)
    real = inside(root, path, known)
    return _read_beneath(base, real.relative_to(base).parts, path, limit)


def read_listed(base: Path, path: str, limit: int = LARGEST_READ) -> bytes:
    """The bytes of a file that a walk of `base`, a real path, listed.

    As safe as `read_inside` and faster: only paths with a link are resolved. Raises the same.
    """
    try:
        return _read_beneath(base, path.split("/"), path, limit)
    except NotFound:
        return read_inside(base, path, limit=limit)


def _read_beneath(base: Path, parts: Sequence[str], path: str, limit: int) -> bytes:
    try:
        with ExitStack() as stack:
            descriptor = open_beneath(stack, base, parts)
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise Invalid(f"{path!r} is not a regular file", "name a file with text in it")
            if about.st_size > limit:
                raise TooLarge(
                    f"{path!r} has {about.st_size:,} bytes, more than {limit:,}",
                    "search in it with grep_codebase instead",
                )
            return read_open(descriptor, limit)
    except OSError as error:
        raise NotFound(
            f"{path!r} cannot be read: {error.strerror or error}", "check its permissions"
        ) from None


def _real(root: Path) -> Path:
    return Path(os.path.realpath(root))


def _resolve(root: Path, path: str) -> tuple[Path, Path]:
    if not path or "\0" in path:
        raise Invalid("the path is empty or contains a NUL character", _OUTSIDE)
    base = _real(root)
    try:
        os.fsencode(path)
        real = Path(os.path.realpath(base / path))
    except (OSError, ValueError):
        raise Invalid("the path cannot be resolved", _OUTSIDE) from None
    if real != base and base not in real.parents:
        raise Invalid(f"{path!r} leads out of the project", _OUTSIDE)
    return base, real


def _nearest(base: Path, relative: Path, known: Sequence[str]) -> str:
    wanted = PurePosixPath(relative.as_posix())
    near = [path for path in known if path.rsplit("/", 1)[-1] == wanted.name]
    if not near:
        near = get_close_matches(str(wanted), known, n=3, cutoff=0.6)
    if not near:
        near = _siblings(base, wanted)
    if not near:
        return "find its path with grep_codebase or codebase_search"
    return "did you mean " + " or ".join(repr(path) for path in near[:3]) + "?"


def _siblings(base: Path, wanted: PurePosixPath) -> list[str]:
    folder = base / wanted.parent
    # `Path.is_dir` raises for a name that is too long.
    while not os.path.isdir(folder) and folder != base:  # noqa: PTH112
        folder = folder.parent
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name != ".git")[:2_000]
    except OSError:
        return []
    if wanted.name == "*":
        close = names[:3]
    else:
        close = get_close_matches(wanted.name, names, n=3, cutoff=0.5)
    return [(folder / name).relative_to(base).as_posix() for name in close]
