"""Read folders of small text files that each define one thing. Mistakes in a file become problems with
line numbers; the other files are in force. A format parses the text.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

import yaml

from contextd.domain.problems import FileProblem
from contextd.runtime.caches import Cache
from contextd_common.dataclass import dataclass
from contextd_common.files.guarded import read_file
from contextd_common.files.yaml_text import compose, explained, load_plain

LARGEST = 256 * 1024
"""Maximum bytes of a file: rules are read by people."""

MOST_FILES = 300
"""Maximum files per folder. Every call that reads rules stats each one."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A parsed file: its displayed name `shown`, the `kind` of its record and the record's `fields`. `lines`
    are the lines of these fields. A file with problems has no effect.
    """

    path: Path
    shown: str
    kind: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    lines: Mapping[str, int] = field(default_factory=dict[str, int])
    problems: tuple[FileProblem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether it is valid."""
        return not self.problems


Format = Callable[[Path, str, str], ReadFile]
"""Parses (path, displayed name, text)."""

Stamp = tuple[int, int, int]
Known = Cache[Path, tuple[Stamp, ReadFile]]
"""The parsed files with the stamps they were read at."""


@dataclass(frozen=True, slots=True)
class FileFolder:
    """A folder of files in one format. `shown` is its displayed name. A link out of `inside` is not
    followed: a repository provides only its own rules.
    """

    path: Path
    shown: str
    suffixes: tuple[str, ...]
    read: Format
    inside: Path | None = None


def stamps_of(folder: FileFolder) -> tuple[tuple[str, int, int, int], ...]:
    """Stamps that change with the folder's content; empty if it is empty or missing."""
    found = []
    with suppress(OSError), os.scandir(folder.path) as entries:
        for entry in entries:
            if _is_ours(entry.name, folder.suffixes):
                about = entry.stat()
                found.append((entry.name, about.st_mtime_ns, about.st_size, about.st_ino))
    return tuple(sorted(found))


def read_folder(folder: FileFolder, known: Known | None = None) -> list[ReadFile]:
    """The files of a folder by name, parsed again only if changed. Never raises for their content; empty
    for a missing folder.
    """
    try:
        with os.scandir(folder.path) as entries:
            names = sorted(e.name for e in entries if _is_ours(e.name, folder.suffixes))
    except OSError:
        return []
    found = [_read(folder, name, known) for name in names[:MOST_FILES]]
    if len(names) > MOST_FILES:
        why = f"{len(names)} files; only the first {MOST_FILES} are read"
        problem = FileProblem(
            folder.shown, 0, why, "combine several rules in one file, or remove some"
        )
        found.append(ReadFile(folder.path, folder.shown, problems=(problem,)))
    return found


def _is_ours(name: str, suffixes: tuple[str, ...]) -> bool:
    return name.endswith(suffixes) and not name.startswith((".", "_"))


def _read(folder: FileFolder, name: str, known: Known | None) -> ReadFile:
    path, shown = folder.path / name, f"{folder.shown}/{name}"
    try:
        if folder.inside is not None and _leads_out(folder.inside, path):
            return unreadable(path, shown, "it is a link that leaves the repository")
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            return unreadable(path, shown, "it is not a file")
        if about.st_size > LARGEST:
            return unreadable(path, shown, f"it is larger than {LARGEST:,} bytes")
        # The inode too: a file replaced within the clock's resolution has another one.
        stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
        before = known.get(path) if known is not None else None
        if before is not None and before[0] == stamp and before[1].shown == shown:
            return before[1]
        text = read_file(path, LARGEST, within=folder.inside).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return unreadable(path, shown, f"byte {error.start} is not valid UTF-8")
    except OSError as error:
        return unreadable(path, shown, f"cannot be read: {error.strerror}")
    read = folder.read(path, shown, text)
    if known is not None:
        known.put(path, (stamp, read))
    return read


def _leads_out(root: Path, path: Path) -> bool:
    if not (path.is_symlink() or path.parent.is_symlink() or path.parent.parent.is_symlink()):
        return False
    return Path(os.path.realpath(root)) not in Path(os.path.realpath(path)).parents


def unreadable(path: Path, shown: str, why: str) -> ReadFile:
    """A file ignored because of `why`."""
    problem = FileProblem(shown, 0, why, "replace it with a text file, or remove it")
    return ReadFile(path, shown, problems=(problem,))


@dataclass(frozen=True, slots=True)
class YamlFields:
    """The top level of a YAML file: the value and line of each key, and the lines of list items as
    `key.place`. `raw` is a scalar as written, which a date needs to stay text.
    """

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    raw: Mapping[str, str]
    problems: tuple[FileProblem, ...] = ()


def yaml_fields(shown: str, text: str) -> YamlFields:
    """Parse the keys of a YAML file. Raises nothing; mistakes are listed as problems."""
    try:
        root = compose(text)
        if root is None:
            return _wrong(shown, 0, "the file is empty", "see docs/howto/policies.md")
        if not isinstance(root, yaml.MappingNode):
            line = root.start_mark.line + 1
            return _wrong(shown, line, "the file is not a mapping", "write `requirement: …`")
        values = load_plain(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line, what = explained(error)
        hint = "indent with spaces, and quote text that has `: `, ` #` or a backslash in it"
        return _wrong(shown, line, f"not YAML: {what}", hint)
    lines: dict[str, int] = {}
    raw: dict[str, str] = {}
    problems: list[FileProblem] = []
    for key, value in root.value:
        name, at = str(key.value), key.start_mark.line + 1
        if name in lines:
            message = f"duplicate key {name!r}; first used in line {lines[name]}"
            problems.append(FileProblem(shown, at, message, "keep one of them"))
        lines[name] = at
        if isinstance(value, yaml.ScalarNode):
            raw[name] = str(value.value)
        elif isinstance(value, yaml.SequenceNode):
            for place, item in enumerate(value.value):
                lines[f"{name}.{place}"] = item.start_mark.line + 1
                if isinstance(item, yaml.ScalarNode):
                    raw[f"{name}.{place}"] = str(item.value)
    named = {str(name): value for name, value in values.items()}
    return YamlFields(named, lines, raw, tuple(problems))


def _wrong(shown: str, line: int, message: str, hint: str) -> YamlFields:
    return YamlFields({}, {}, {}, (FileProblem(shown, line, message, hint),))
