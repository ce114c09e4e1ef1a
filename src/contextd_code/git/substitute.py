"""A stand-in for the shared part of a git directory, with a configuration that contextd wrote.

Git takes configuration, objects and references from `GIT_COMMON_DIR`. Here that is a folder of links to the real
objects and references, beside a `config` of our own: git never opens the repository's.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from contextd_common.files.guarded import read_file

CONFIG = "config"

_LINKED = "objects refs packed-refs reftable info shallow logs worktrees".split()
"""What git reads of a shared directory, present or not: a link to nothing is a missing file."""

_FORGOTTEN_SECONDS = 30 * 86_400
"""After this time without use a stand-in is removed."""

_NEW_SECONDS = 3_600
"""A stand-in without a repository is not removed before: its repository may be on its way to another place."""

_SWEEP_SECONDS = 3_600
"""At least this time lies between two looks for old stand-ins: each costs as much as there are stand-ins, and a
process that visits thousands of repositories would look through all of them at each.
"""


def stand_in(common_dir: Path, text: str) -> Path | None:
    """A folder to use as `GIT_COMMON_DIR`, with `text` as its configuration, the same for the same arguments. None
    where links cannot be made. It lies in the folder of `keep_stand_ins_in`, else in the directory for temporary
    files, and is made again when it is missing.
    """
    if os.name == "nt":
        return None
    named = os.fsencode(f"{common_dir}\0{text}")
    try:
        home = _own_folder()
        folder = home / hashlib.blake2b(named, digest_size=16).hexdigest()
        if not _is_whole(folder, common_dir, text):
            _make(folder, common_dir, text)
            _forget_old(home)
    except OSError:
        return None
    return folder


class _Kept:
    """Where the stand-ins of this process lie, None for the directory for temporary files; and when it looked for old
    ones in which folder, as `time.monotonic` tells it.
    """

    folder: Path | None = None
    swept: tuple[Path, float] | None = None


def keep_stand_ins_in(folder: Path) -> None:
    """Use a folder of the program's own from now on, so that nothing of it lies elsewhere. Any folder gives the same
    answers.
    """
    _Kept.folder = folder


def _own_folder() -> Path:
    """This user's folder of stand-ins. Raises `OSError` if it is not this user's alone."""
    folder = _Kept.folder
    if folder is None or not folder.parent.is_dir():
        folder = Path(tempfile.gettempdir()) / f"contextd-git-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise PermissionError(f"{folder} belongs to another user")
    return folder


def _is_whole(folder: Path, common_dir: Path, text: str) -> bool:
    """Whether a stand-in is as it was made: programs that clean up may have removed a part."""
    try:
        links = [str((folder / name).readlink()) for name in _LINKED]
        # Its age counts from its last use.
        os.utime(folder)
        return links == _targets(common_dir) and read_file(folder / CONFIG) == os.fsencode(text)
    except OSError:
        return False


def _targets(common_dir: Path) -> list[str]:
    return [str(common_dir / name) for name in _LINKED]


def _make(folder: Path, common_dir: Path, text: str) -> None:
    made = Path(tempfile.mkdtemp(prefix="new-", dir=folder.parent))
    for name, target in zip(_LINKED, _targets(common_dir), strict=True):
        (made / name).symlink_to(target)
    (made / CONFIG).write_bytes(os.fsencode(text))
    # Another process may have made it meanwhile, or a broken one is there: nothing in it is ever changed.
    for _ in range(3):
        with suppress(OSError):
            made.rename(folder)
            return
        with suppress(OSError):
            if _is_whole(folder, common_dir, text):
                break
        shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(made, ignore_errors=True)


def _forget_old(home: Path) -> None:
    """Remove stand-ins that were not used for long, or whose repository is gone."""
    if _Kept.swept is not None:
        place, at = _Kept.swept
        if place == home and time.monotonic() < at + _SWEEP_SECONDS:
            return
    _Kept.swept = home, time.monotonic()
    now = time.time()
    with suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            with suppress(OSError):
                old = now - entry.stat(follow_symlinks=False).st_mtime
                useless = old > _NEW_SECONDS and not (Path(entry) / "objects").exists()
                if useless or old > _FORGOTTEN_SECONDS:
                    shutil.rmtree(entry.path, ignore_errors=True)
