"""Lines of the code files of a project that have one of some words, however many there are."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from contextd.code.git.program import git_environment
from contextd.code.tree.grep import grep
from contextd.code.tree.ripgrep import ripgrep
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import ContextdError

_LONGEST_LINE = "2000"
"""Bytes of a line that is looked at: longer ones nobody wrote."""


def lines_naming(
    root: Path, names: Collection[str], suffixes: Collection[str], seconds: float
) -> Iterator[tuple[str, str]]:
    """(path, line) of each line of the files that end in one of `suffixes` and have one of `names` as a
    whole word. Raises `TimeoutError` after so many seconds.
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
    for line in _output([*command, "--regexp", pattern, "--", "./"], root, seconds):
        path, _, text = line.partition(b"\0")
        yield _plain(path).removeprefix("./"), _plain(text).rstrip("\r\n")


@dataclass(frozen=True, slots=True)
class WordLines:
    """The lines of a project with a word, by (path, line), each with its text; `notice` says what is missing."""

    lines: Mapping[tuple[str, int], str]
    notice: str = ""


def word_lines(root: Path, word: str, seconds: float) -> WordLines:
    """Every line of the project's files that has a whole word, ignored files left out, in any sort of text."""
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
        for line in _output([*command, "--regexp", word, "--", "./"], root, seconds):
            path, _, rest = line.partition(b"\0")
            number, _, text = rest.partition(b":")
            if number.isdigit():
                place = _plain(path).removeprefix("./"), int(number)
                found[place] = _plain(text).rstrip("\r\n")
    except TimeoutError:
        return WordLines(found, f"the text search stopped after {seconds:g} seconds")
    return WordLines(found)


def _plain(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _output(command: Sequence[str], root: Path, seconds: float) -> Iterator[bytes]:
    """The lines that a search prints. Raises `TimeoutError` after so many seconds."""
    process = subprocess.Popen(
        command,
        cwd=root,
        env=git_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        assert process.stdout is not None
        yield from process.stdout
    finally:
        timer.cancel()
        process.kill()
        if process.stdout is not None:
            process.stdout.close()
        process.wait()
    if late.is_set():
        raise TimeoutError
