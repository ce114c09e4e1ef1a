"""The values contextd last wrote into project.yaml, its previous versions, and replacing it.

`.context/.generated.json` has a hash per generated value and per added learning. A value without a
matching hash belongs to a person.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from contextd.files.disk import replace_file, target_inside
from contextd_common.dataclass import dataclass
from contextd_common.files.guarded import read_file

GENERATED = ".generated.json"
BACKUPS = ".backups"
KEPT_BACKUPS = 5

Scrub = Callable[[str], str]
"""Redact a text."""


@dataclass(slots=True)
class Memory:
    """The last written hashes: `values` by place, `added` learnings by hash."""

    values: dict[str, str] = field(default_factory=dict[str, str])
    added: dict[str, str] = field(default_factory=dict[str, str])


def mark(value: Any) -> str:
    """A short hash, equal for equal values."""
    canonical_json = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.blake2b(canonical_json.encode("utf-8", "replace"), digest_size=6).hexdigest()


def recall(path: Path) -> Memory:
    """The stored hashes for this project.yaml; empty if lost or broken."""
    try:
        record = json.loads(read_file(path.parent / GENERATED, within=path.parent.parent))
        return Memory(dict(record["values"]), dict(record["added"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        # Without hashes no value counts as generated, so no person's value is
        # overwritten.
        return Memory()


def put(
    path: Path, before: str | None, after: str, memory: Memory, moment: str, scrub: Scrub = str
) -> bool:
    """Write `after` and its hashes; False if the file changed in between.

    The replaced content is kept as a backup, without the secrets that `scrub` finds: only a
    person's own file may contain one.
    """
    root = path.parent.parent
    real = target_inside(root, path)
    beside = target_inside(root, path.parent / GENERATED)
    if before != after:
        current = read_file(real) if real.exists() else None
        if current != (None if before is None else before.encode("utf-8")):
            return False
        if current is not None:
            _back_up(path, scrub(before or "").encode("utf-8"), moment)
        replace_file(real, after.encode("utf-8"))
    record = {"values": memory.values, "added": memory.added}
    noted = json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    if not beside.exists() or read_file(beside) != noted.encode():
        replace_file(beside, noted.encode("utf-8"))
    else:
        # The file's time is that of the last check of the project.
        os.utime(beside)
    return True


def _back_up(path: Path, data: bytes, moment: str) -> None:
    folder = target_inside(path.parent.parent, path.parent / BACKUPS)
    stem = f"{path.stem}-{moment.replace(':', '').replace('-', '')}"
    taken = sum(1 for _ in folder.glob(f"{stem}*")) if folder.exists() else 0
    replace_file(folder / f"{stem}-{taken:03}{path.suffix}", data)
    if not (folder / ".gitignore").exists():
        replace_file(folder / ".gitignore", b"*\n")
    for old in sorted(folder.glob(f"{path.stem}-*{path.suffix}"))[:-KEPT_BACKUPS]:
        with suppress(OSError):
            old.unlink()


def backups(path: Path) -> list[Path]:
    """Previous versions of project.yaml, newest first."""
    return sorted((path.parent / BACKUPS).glob(f"{path.stem}-*{path.suffix}"), reverse=True)
