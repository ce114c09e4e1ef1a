"""PrintedLines of a project's code files that contain one of some words, without a limit."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Mapping
from pathlib import Path

from contextd_code.git.programs import git_environment
from contextd_code.processes import PrintedLines
from contextd_code.tree.grep import grep
from contextd_code.tree.ripgrep import odd_rules, ripgrep
from contextd_code.tree.walk import IGNORED_FOLDERS
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

_LONGEST_LINE = "2000"
"""Bytes; longer lines are generated and are skipped."""


def lines_naming(
    root: Path, names: Collection[str], suffixes: Collection[str], seconds: float
) -> Iterator[tuple[str, str]]:
    """(path, line) of each line with one of `names` as a whole word, in files that end in one of
    `suffixes`.

    Raises `TimeoutError` after this many seconds.
    """
    either = "|".join(re.escape(name) for name in sorted(names))
    pattern = rf"(?:^|\W)(?:{either})(?:\W|$)"
    globs = [f"*{suffix}" for suffix in sorted(suffixes)]
    program = ripgrep()
    if not program:
        try:
            found = grep(root, pattern, file_pattern=",".join(globs), limit=2_000, deadline=seconds)
        except ContextdError:
            return
        yield from ((one.path, one.text) for one in found.matches)
        return
    command = [program, "--no-config", "--hidden", "--no-require-git", "--null", "--no-heading"]
    command += ["--with-filename", "--no-line-number", "--color=never", "--no-messages"]
    command += ["--max-columns", _LONGEST_LINE]
    for glob in globs:
        command += ["--type-add", f"asked:{glob}", "--type", "asked"]
    for glob in ("!.git", "!**/.git/**", "!**/node_modules/**"):
        command += ["-g", glob]
    yield from _searched(root, [*command, "--regexp", pattern], seconds)


@dataclass(frozen=True, slots=True)
class WordLines:
    """The lines of a project with a word, by (path, line), each with its text; `notice` names
    missing parts.
    """

    lines: Mapping[tuple[str, int], str]
    notice: str = ""


def word_lines(root: Path, word: str, seconds: float) -> WordLines:
    """Every line of the project's files with a whole word, in any text file, without ignored files."""
    program = ripgrep()
    if not program:
        try:
            pattern = rf"(?:^|\W){re.escape(word)}(?:\W|$)"
            some = grep(root, pattern, limit=2_000, deadline=seconds)
        except ContextdError as error:
            return WordLines({}, error.message)
        return WordLines({(one.path, one.line): one.text for one in some.matches}, some.notice)
    command = [program, "--no-config", "--hidden", "--no-require-git", "--null", "--no-heading"]
    command += ["--with-filename", "--line-number", "--color=never", "--no-messages"]
    command += ["--max-columns", _LONGEST_LINE, "--word-regexp", "--fixed-strings"]
    for glob in ("!.git", "!**/.git/**", "!**/node_modules/**", "!.context/**"):
        command += ["-g", glob]
    found: dict[tuple[str, int], str] = {}
    try:
        for path, line in _searched(root, [*command, "--regexp", word], seconds):
            number, _, text = line.partition(":")
            if number.isdigit():
                found[path, int(number)] = text
    except TimeoutError:
        return WordLines(found, f"the text search stopped after {seconds:g} seconds")
    return WordLines(found)


def _searched(root: Path, command: list[str], seconds: float) -> Iterator[tuple[str, str]]:
    """(path, line) as ripgrep prints them, without ignore files. Raises `TimeoutError`."""
    if odd_rules(root, depth=1) or (yield from _printed(root, command, seconds)) < 0:
        # An ignore file is a device, or too large.
        without = (f"--glob=!**/{name}/**" for name in sorted(IGNORED_FOLDERS))
        yield from _printed(root, [*command, "--no-ignore", *without], seconds)


def _printed(
    root: Path, command: list[str], seconds: float
) -> Generator[tuple[str, str], None, int]:
    """(path, line) as ripgrep prints them; returns its exit code, negative after a signal.

    Raises `TimeoutError`.
    """
    with PrintedLines([*command, "--", "./"], root, git_environment(), seconds) as lines:
        before = b""
        for line in lines:
            path, end, text = line.partition(b"\0")
            if not end:
                # The name of a file has a newline.
                before += line
                continue
            yield (
                (before + path).decode("utf-8", "replace").removeprefix("./"),
                text.decode("utf-8", "replace").rstrip("\r\n"),
            )
            before = b""
    if lines.stopped:
        raise TimeoutError
    return lines.code
