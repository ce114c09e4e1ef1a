"""Search the project's files by regular expression: ripgrep, else git grep, else Python's `re`."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from contextd_code.git.command import git_command
from contextd_code.git.programs import git_environment
from contextd_code.processes import LINE, PrintedLines
from contextd_code.tree.content import decode
from contextd_code.tree.grep_python import braces
from contextd_code.tree.paths import read_inside
from contextd_code.tree.ripgrep import odd_rules, ripgrep
from contextd_code.tree.walk import IGNORED_FOLDERS
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid, Unavailable
from contextd_common.text.remainder import cut_note

Engine = Literal["", "rg", "git", "python"]

_GIT_OUT = (":(glob,exclude)**/node_modules/**", ":(glob,exclude).context/**")
_LONGEST_LINE = 400
_GATHERED = 2_000
# Files that contextd itself wrote are not searched.
_ALWAYS_OUT = ("!.git", "!**/.git/**", "!**/node_modules/**", "!.context/**")


@dataclass(frozen=True, slots=True)
class GrepMatch:
    """A line, counted from 1, without its line end; a long one is cut around the match."""

    path: str
    line: int
    text: str
    is_match: bool = True


@dataclass(frozen=True, slots=True)
class GrepResult:
    """Matching lines and their context, by path and line.

    `truncated`: more matches exist. `notice` says why and what to do, or what could not be
    searched. `engine` names the engine used.
    """

    matches: tuple[GrepMatch, ...]
    truncated: bool = False
    notice: str = ""
    engine: str = "rg"


def grep(
    root: Path,
    pattern: str,
    *,
    file_pattern: str | None = None,
    ignore_case: bool = False,
    context: int = 0,
    limit: int = 100,
    deadline: float = 10.0,
    engine: Engine = "",
) -> GrepResult:
    """PrintedLines of the project's files that match `pattern`, without ignored files.

    `file_pattern` is a list of globs separated by commas, or a folder; a glob without a slash
    matches file names. `limit` counts matching lines, `deadline` is in seconds. `engine` selects an
    engine. Raises `Invalid` with the engine's message for an invalid expression or glob.
    """
    if "\0" in pattern or "\0" in (file_pattern or ""):
        raise Invalid("a pattern holds a NUL character", "leave it out")
    globs = _globs(root, file_pattern)
    search = _Search(root, pattern, globs, ignore_case, context, deadline)
    chosen: Engine = engine or ("rg" if ripgrep() else _without_ripgrep(root))
    if chosen == "rg":
        odd = bool(odd_rules(root, depth=1))
        stream = search.stream(_rg_command(search, odd), git_environment(), _rg_line)
        if stream.code < 0 and not stream.stopped and not odd:
            # ripgrep failed on an ignore file in a subfolder that is a device or too
            # large.
            stream = search.stream(_rg_command(search, True), git_environment(), _rg_line)
    elif chosen == "git":
        stream = search.stream(*_git_command(search), _git_line)
        if stream.code not in (0, 1) and not stream.stopped and not engine:
            chosen = "python"
        elif context:
            # git does not distinguish matches from context lines.
            stream.lines += list(_around(root, stream.lines, context))
    if chosen == "python":
        stream = search.stream(_python_command(search), git_environment(), _python_line)
    return _result(stream, chosen, limit, deadline)


def _without_ripgrep(root: Path) -> Engine:
    try:
        git_command(root, ["grep"])
    except Unavailable:
        return "python"
    return "git"


@dataclass(slots=True)
class _Stream:
    """The output of one engine until it ended or was stopped."""

    lines: list[GrepMatch]
    stopped: Literal["", "time", "cap"]
    code: int
    problem: str
    whole: bool
    skipped: int


@dataclass(frozen=True, slots=True)
class _Search:
    root: Path
    pattern: str
    globs: tuple[str, ...]
    ignore_case: bool
    context: int
    deadline: float

    def stream(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        parse: Callable[[bytes], Iterator[GrepMatch]],
    ) -> _Stream:
        """Run an engine, parse its output as it arrives, and stop it at the limit or deadline."""
        found: list[GrepMatch] = []
        count, last, capped = 0, b"", False
        with PrintedLines(command, self.root, environment, self.deadline) as lines:
            for last in lines:
                for one in parse(last):
                    found.append(one)
                    count += one.is_match
                if count > _GATHERED:
                    capped = True
                    break
        stopped: Literal["", "time", "cap"] = "time" if lines.stopped == "time" else ""
        if not stopped and (capped or lines.stopped):
            stopped = "cap"
        whole = b'"summary"' in last
        return _Stream(found, stopped, lines.code, lines.problem, whole, lines.skipped)


def _result(stream: _Stream, engine: str, limit: int, deadline: float) -> GrepResult:
    failed = stream.code == 2 if engine == "rg" else stream.code not in (0, 1)
    if failed and not stream.stopped and not (engine == "rg" and stream.whole):
        raise Invalid(
            f"the search failed: {_message(stream.problem)}",
            "escape characters such as ( [ { . * + ? to search for them as they are",
        )
    ordered = sorted(set(stream.lines), key=lambda m: (m.path, m.line, not m.is_match))
    lines, matches, seen = [], 0, set()
    for found in ordered:
        # A line can be both a match and the context of another match.
        if (found.path, found.line) in seen:
            continue
        seen.add((found.path, found.line))
        matches += found.is_match
        if matches <= limit:
            lines.append(found)
    notice = ""
    if stream.stopped == "time":
        notice = f"stopped after {deadline:g} seconds: narrow the pattern or the files"
    elif matches > limit:
        act, at_least = "narrow the pattern or raise the limit", bool(stream.stopped)
        notice = cut_note(limit, matches, "matches", act, at_least=at_least)
    elif failed and stream.problem:
        notice = f"not everything could be searched: {stream.problem.splitlines()[0]}"
    elif stream.skipped:
        notice = f"{stream.skipped} lines of more than {LINE >> 20} MB are left out"
    return GrepResult(tuple(lines), bool(stream.stopped) or matches > limit, notice, engine)


def _message(problem: str) -> str:
    lines = [line.strip() for line in problem.removeprefix("rg: ").splitlines() if line.strip()]
    # ripgrep marks the position of the error over several lines before its message.
    named = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return (named[0] if named else " ".join(lines))[:400] or "no reason was given"


def _globs(root: Path, file_pattern: str | None) -> tuple[str, ...]:
    globs = []
    for part in _split(file_pattern or ""):
        glob = part.strip().removeprefix("./")
        if glob and not glob.startswith(("!", "/")) and ".." not in glob.split("/"):
            folder = root / glob
            try:
                if "*" not in glob and folder.is_dir():
                    glob = glob.rstrip("/") + "/**"
            except OSError:
                pass
        if glob:
            globs.append(glob)
    return tuple(globs)


def _split(text: str) -> Iterator[str]:
    """The parts between commas that are not inside braces."""
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth <= 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]


def _rg_command(search: _Search, odd: bool) -> list[str]:
    command = [ripgrep(), "--no-config", "--json", "--hidden", "--no-require-git"]
    if odd:
        # An ignore file cannot be read.
        command += ["--no-ignore", *(f"--glob=!**/{name}/**" for name in sorted(IGNORED_FOLDERS))]
    # The default engine takes linear time; look-around and back-references need the other
    # one.
    command += ["--engine=auto"]
    names = [glob for glob in search.globs if "/" not in glob and not glob.startswith("!")]
    for glob in names:
        # A plain `-g` would also include files that .gitignore excludes.
        command += ["--type-add", f"asked:{glob}", "--type", "asked"]
    for glob in search.globs:
        if glob not in names:
            command += ["-g", glob]
    for glob in _ALWAYS_OUT:
        command += ["-g", glob]
    if search.ignore_case:
        command.append("--ignore-case")
    if search.context:
        command += ["--context", str(search.context)]
    for pattern in (search.pattern, _in_latin_1(search.pattern, ignore_case=search.ignore_case)):
        command += ["--regexp", pattern] if pattern else []
    return [*command, "--", "./"]


def _in_latin_1(pattern: str, *, ignore_case: bool) -> str:
    """The pattern encoded for files in Latin-1, because ripgrep matches bytes.

    Empty if it is the same, and for a character class, which cannot contain a byte.
    """
    if pattern.isascii() or "[" in pattern or ord(max(pattern)) > 255:
        return ""

    def byte(found: re.Match[str]) -> str:
        cases = {found[0], *((found[0].lower(), found[0].upper()) if ignore_case else ())}
        written = "".join(
            rf"\x{ord(one):02x}" for one in sorted(cases) if len(one) == 1 and ord(one) < 256
        )
        return f"(?-u:[{written}])"

    return re.sub(r"[\x80-\xff]", byte, pattern)


def _rg_line(line: bytes) -> Iterator[GrepMatch]:
    # Most messages are matches; the others need no parsing.
    if not line.startswith((b'{"type":"match"', b'{"type":"context"')):
        return
    message = json.loads(line)
    data = message["data"]
    text = _text(data["lines"]).rstrip("\r\n")
    submatches = data.get("submatches") or [{"start": 0}]
    # Offsets are in UTF-8 bytes, which is precise enough for the position of a cut.
    yield GrepMatch(
        path=_text(data["path"]).removeprefix("./").replace("\\", "/"),
        line=data["line_number"],
        text=_cut(text, submatches[0]["start"]),
        is_match=message["type"] == "match",
    )


def _text(value: dict[str, Any]) -> str:
    if "text" in value:
        return str(value["text"])
    return base64.b64decode(value["bytes"]).decode("latin-1")


def _cut(text: str, at: int = 0) -> str:
    if len(text) <= _LONGEST_LINE:
        return text
    start = max(0, min(at, len(text)) - 100)
    end = start + _LONGEST_LINE
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _git_command(search: _Search) -> tuple[list[str], Mapping[str, str]]:
    arguments = ["grep", "--no-index", "--exclude-standard", "-I", "-n", "-z", "-P", "--no-color"]
    arguments += ["--no-textconv", *(["-i"] if search.ignore_case else [])]
    specs = []
    for glob in search.globs:
        exclude = ",exclude" if glob.startswith("!") else ""
        for plain in braces(glob.lstrip("!")):
            specs.append(f":(glob{exclude}){plain if '/' in plain else '**/' + plain}")
    arguments += ["-e", search.pattern, "--", *specs, *_GIT_OUT]
    command = git_command(search.root, arguments)
    # It needs no repository.
    assert command is not None
    return command.line, command.environment


def _git_line(line: bytes) -> Iterator[GrepMatch]:
    path, separator, rest = line.partition(b"\0")
    number, separator_2, text = rest.partition(b"\0")
    if separator and separator_2 and number.isdigit():
        plain = text.decode("utf-8", "replace").rstrip("\r\n")
        yield GrepMatch(path.decode("utf-8", "replace"), int(number), _cut(plain))


def _around(root: Path, lines: Sequence[GrepMatch], context: int) -> Iterator[GrepMatch]:
    for path in {found.path for found in lines}:
        try:
            text = decode(read_inside(root, path)).splitlines()
        except ContextdError:
            continue
        for found in lines:
            low, high = max(1, found.line - context), found.line + context
            for number in range(low, min(high, len(text)) + 1) if found.path == path else ():
                yield GrepMatch(path, number, _cut(text[number - 1]), False)


def _python_command(search: _Search) -> list[str]:
    request = {
        "pattern": search.pattern,
        "globs": search.globs,
        "ignore_case": search.ignore_case,
        "context": search.context,
    }
    # A separate process, because `re` can take forever and cannot be interrupted. `-P`,
    # because it starts in the project folder, whose modules must not be imported.
    return [sys.executable, "-P", "-m", "contextd_code.tree.grep_python", json.dumps(request)]


def _python_line(line: bytes) -> Iterator[GrepMatch]:
    path, number, text, is_match = json.loads(line)
    yield GrepMatch(path, number, _cut(text), is_match)
