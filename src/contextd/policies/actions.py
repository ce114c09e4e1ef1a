"""An action to check: commands and changes of files."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from contextd_code.index.shell_commands import shell_text
from contextd_common.dataclass import dataclass

ChangeOf = Literal["create", "edit", "delete"]

CHANGES_OF: tuple[ChangeOf, ...] = ("create", "edit", "delete")

Line = tuple[int, str]
"""A line with its number; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change of one file: its added and removed lines. A `binary` one has neither."""

    path: str
    change: ChangeOf
    added: Sequence[Line] = ()
    removed: Sequence[Line] = ()
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """What is checked. `statement` is a description that is neither a command nor a recognisable file change."""

    commands: Sequence[str] = ()
    files: Sequence[FileChange] = ()
    statement: str = ""


def rewritten(path: str, before: str | None, after: str, first: int = 1) -> FileChange:
    """The change from one text of a file to another; `before` is None for a new file. Moved lines count as
    neither added nor removed. `first` is the number of the first line.
    """
    if "\0" in after[:8_000]:
        return FileChange(path, "create" if before is None else "edit", binary=True)
    new = after.splitlines()
    if before is None:
        return FileChange(path, "create", tuple(enumerate(new, first)))
    old = before.splitlines()
    return FileChange(path, "edit", _more(new, old, first), _more(old, new, first))


def _more(these: Sequence[str], those: Sequence[str], first: int) -> tuple[Line, ...]:
    """The lines that occur more often in `these` than in `those`."""
    left = Counter(those)
    found = []
    for number, line in enumerate(these, first):
        if left[line] > 0:
            left[line] -= 1
        else:
            found.append((number, line))
    return tuple(found)


_VERB = re.compile(
    r"(?i)\b(add|chang|creat|delet|drop|edit|fix|mov|modif|overwrit|patch|put|remov|renam|replac|rewrit"
    r"|tak|touch|updat|writ)(?:e|es|ed|ing|ify|ifies|s|y|te|ting)?\b"
)
_CREATES, _DELETES = frozenset(("add", "creat")), frozenset(("delet", "remov", "drop"))
_PATH = re.compile(r"[\w.@~+-]*(?:/[\w.@+-]+)+/?|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}\b")
_PROGRAMS = frozenset(
    """awk bash bundle cargo cat cd cmake composer cp curl diff docker echo find gem git go gradle grep head java
    less ls make mv mvn node npm npx pip pip3 pipx pnpm poetry psql pytest python python3 rg rm ruby sed sh
    sudo tail tee touch uv wc wget yarn""".split()
)
_READ = 4_000
"""Characters of a sentence or a command that are searched for file names."""

_SPLIT = re.compile(r"&&|\|\||[;|\n]")
_REDIRECT = re.compile(r"(?:^|[^0-9&<>])>{1,2}\s*([^\s;|&<>()]+)")


def told(action: str, context: str = "") -> Action:
    """Parse a described action. Diffs are read as diffs, lines that begin with a program are commands, and
    files after a verb of changing are changed files with `context` as the new content.
    """
    if is_diff(action):
        return Action(files=tuple(changes_in(action)), statement=context)
    if is_diff(context):
        more = tuple(changes_in(context))
        return Action(commands=_commands(action), files=more, statement=action)
    commands = _commands(action)
    files = [] if commands else list(_named(action, context))
    statement = "" if commands else action
    statement = "\n".join(filter(None, (statement, context if not files else "")))
    touched = [change for command in commands for change in touched_by(command)]
    return Action(commands=commands, files=(*files, *touched), statement=statement)


def _commands(action: str) -> tuple[str, ...]:
    lines = [line.strip().removeprefix("$ ") for line in action.strip().splitlines()]
    first = lines[0].split(" ")[0] if lines else ""
    if first.rpartition("/")[2] not in _PROGRAMS and not first.startswith("./"):
        return ()
    return (action.strip(),)


def _named(action: str, context: str) -> Iterator[FileChange]:
    verb = _VERB.search(action[:_READ])
    if verb is None:
        return
    word = verb.group(1).lower()
    change: ChangeOf = "create" if word in _CREATES else "delete" if word in _DELETES else "edit"
    lines = tuple((0, line) for line in context.splitlines())
    for path in dict.fromkeys(m.group() for m in _PATH.finditer(action[:_READ], verb.end())):
        yield FileChange(path.removeprefix("./"), change, lines if change != "delete" else ())


def touched_by(command: str) -> list[FileChange]:
    """The files that a command line writes or removes; not those it reads. What it writes is part of the
    command: a here document, the argument of an `echo`.
    """
    written = tuple((0, line) for line in command.splitlines())
    runs = "\n".join(shell_text(command[:_READ]).lines)
    found = [
        FileChange(_plain(path), "edit", written)
        for path in _REDIRECT.findall(runs)
        if not path.startswith(("/dev/", "&"))
    ]
    for part in _SPLIT.split(runs):
        found += _by_program(part.strip(), written)
    return list({(one.path, one.change): one for one in found}.values())


def _by_program(part: str, written: tuple[Line, ...]) -> list[FileChange]:
    try:
        words = shlex.split(part, comments=True)
    except ValueError:
        words = part.split()
    while words and (words[0] == "sudo" or "=" in words[0]):
        words.pop(0)
    if words[:1] == ["git"]:
        words.pop(0)
        if words[:1] not in (["rm"], ["mv"]):
            return []
    if not words:
        return []
    program = words[0].rpartition("/")[2]
    paths = [word for word in words[1:] if not word.startswith("-")]
    if program in ("rm", "unlink"):
        return [FileChange(_plain(path), "delete") for path in paths]
    if program == "mv" and len(paths) > 1:
        deletions = [FileChange(_plain(path), "delete") for path in paths[:-1]]
        return [*deletions, FileChange(_plain(paths[-1]), "create")]
    if program == "tee":
        return [FileChange(_plain(path), "edit", written) for path in paths]
    if program == "sed" and any(word.startswith(("-i", "--in-place")) for word in words):
        return [FileChange(_plain(path), "edit", written) for path in paths[1:]]
    return []


def _plain(path: str) -> str:
    return path.strip("'\"").removeprefix("./")


_DIFF = re.compile(r"(?m)^(?:diff --git |--- (?:.*\n)\+\+\+ )")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def is_diff(text: str) -> bool:
    """Whether a text is a unified diff."""
    return bool(_DIFF.search(text))


def changes_in(diff: str) -> Iterator[FileChange]:
    """The files a unified diff changes, in order."""
    file: _Reading | None = None
    for line in diff.split("\n"):
        line = line.removesuffix("\r")
        if file is not None and file.takes(line):
            continue
        if line.startswith("diff --git ") or (
            line.startswith("--- ") and (file is None or file.named)
        ):
            if file is not None:
                yield from file.changes()
            file = _Reading()
        if file is not None:
            file.head(line)
    if file is not None:
        yield from file.changes()


class _Reading:
    """The parser's state for one file of a diff."""

    def __init__(self) -> None:
        self.old = self.new = self.moved = ""
        self.change: ChangeOf = "edit"
        self.named = self.binary = False
        self._left = [0, 0]
        self._at = [0, 0]
        self._added: list[Line] = []
        self._removed: list[Line] = []

    def takes(self, line: str) -> bool:
        """Read a line of a hunk; False for any other line."""
        if self._left == [0, 0]:
            return False
        mark = line[:1]
        if mark == "\\":
            return True
        if mark not in ("+", "-", " ", ""):
            self._left = [0, 0]
            return False
        if mark == "+":
            self._added.append((self._at[1], line[1:]))
        elif mark == "-":
            self._removed.append((self._at[0], line[1:]))
        for side in (0, 1):
            # An added line is not in the old file, a removed one not in the new.
            if mark != "+-"[side]:
                self._left[side] = max(0, self._left[side] - 1)
                self._at[side] += 1
        return True

    def head(self, line: str) -> None:
        """Read a line between hunks."""
        if line.startswith("diff --git "):
            self.old, self.new = _both(line.removeprefix("diff --git "))
        elif line.startswith("new file mode"):
            self.change = "create"
        elif line.startswith("deleted file mode"):
            self.change = "delete"
        elif line.startswith("rename from "):
            self.moved = _unquoted(line.removeprefix("rename from "))
        elif line.startswith(("Binary files ", "GIT binary patch")):
            self.binary = True
        elif line.startswith("--- "):
            self.named = True
            self._side(line[4:], "old", "create")
        elif line.startswith("+++ "):
            self._side(line[4:], "new", "delete")
        elif hunk := _HUNK.match(line):
            first, lines, second, more = hunk.groups()
            self._left = [int(lines or 1), int(more or 1)]
            self._at = [int(first), int(second)]

    def _side(self, header: str, side: Literal["old", "new"], without: ChangeOf) -> None:
        path = header.split("\t")[0]
        if path == "/dev/null":
            self.change = without
        else:
            setattr(self, side, _unquoted(path, side="a" if side == "old" else "b"))

    def changes(self) -> Iterator[FileChange]:
        """The changes of the file; a move is a removal and a creation."""
        path = self.old if self.change == "delete" else self.new or self.old
        if not path:
            return
        if self.moved:
            yield FileChange(self.moved, "delete", removed=tuple(self._removed))
            yield FileChange(path, "create", tuple(self._added))
            return
        yield FileChange(path, self.change, tuple(self._added), tuple(self._removed), self.binary)


def _both(header: str) -> tuple[str, str]:
    """The two names of `a/x b/x`; names with spaces are split where both halves are equal."""
    if header.startswith('"'):
        parts = re.findall(r'"(?:[^"\\]|\\.)*"|\S+', header)
        return _unquoted(parts[0], side="a"), _unquoted(parts[-1], side="b")
    half = (len(header) - 1) // 2
    if header[:half].removeprefix("a/") == header[half + 1 :].removeprefix("b/"):
        return header[:half].removeprefix("a/"), header[half + 1 :].removeprefix("b/")
    old, _, new = header.partition(" b/")
    return old.removeprefix("a/"), new


def _unquoted(path: str, side: str = "") -> str:
    if path.startswith('"') and path.endswith('"') and len(path) > 1:
        raw = path[1:-1].encode("utf-8", "surrogateescape").decode("unicode_escape")
        path = raw.encode("latin-1", "replace").decode("utf-8", "replace")
    return path.removeprefix(f"{side}/") if side else path
