"""Patterns of rules: RE2, so that no pattern and no text can make a search take more than linear time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import re2

from contextd.domain.errors import Invalid

LONGEST_PATTERN = 1_000
"""Characters of a pattern that a person writes. What is longer is a program."""

LONGEST_LINE = 4_000
"""Characters of a line that are looked at: what goes on beyond that was written by no person, and
minified code has no rules of style."""

_MEMORY = 8 << 20
"""Bytes one compiled pattern may take, RE2's own default. Repetitions of repetitions are refused."""


class Found(Protocol):
    """A match."""

    def group(self, index: int = 0, /) -> str | None:
        """The text of a group; None when it took no part."""
        ...

    def start(self) -> int:
        """Where it begins."""
        ...


class Pattern(Protocol):
    """A compiled pattern."""

    groups: int
    pattern: str

    def search(self, text: str, /) -> Found | None:
        """The first match anywhere in the text."""
        ...


def pattern_of(text: str) -> Pattern:
    """The pattern a person wrote. Raises `Invalid`, also for one that would match everything."""
    if not text.strip():
        raise Invalid("an empty pattern matches everything", "take it out")
    if len(text) > LONGEST_PATTERN:
        raise Invalid(
            f"a pattern of {len(text)} characters", f"at most {LONGEST_PATTERN} are taken"
        )
    made = compiled(text)
    if made.search("") is not None:
        raise Invalid(f"{text!r} matches every line", "write what must stand there")
    return made


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Pattern:
    """A pattern ready for searching. Raises `Invalid` saying what RE2 does not take."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        made: Pattern = re2.compile(pattern, options)
    except re2.error as error:
        message = error.args[0] if error.args else error
        why = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise Invalid(f"{pattern!r} is no RE2 pattern: {why}", _way_out(why)) from None
    return made


def _way_out(why: str) -> str:
    if "(?" in why or "escape sequence: \\" in why:
        return "RE2 has no lookaround and no backreferences; write what must match, and use except_paths"
    return "see the syntax of RE2, and quote the pattern in single quotes"


def may_match(pattern: Pattern, lines: str) -> bool:
    """Whether any of these lines could match: one search in place of one for each. A yes may be wrong."""
    if "\\A" in pattern.pattern or "\\z" in pattern.pattern:
        return True
    return compiled(f"(?m){pattern.pattern}").search(lines) is not None


_CLASS = re.compile(r"\[!?\]?[^\]/]*\]")


def glob_pattern(globs: Sequence[str]) -> Pattern:
    """A pattern that the paths of these globs match: `*` and `?` stay within a folder, `**` does not,
    `{a,b}` and `[abc]` choose. A glob without a slash is about names in any folder, and one that ends
    in a slash about everything below. Raises `Invalid`.
    """
    return compiled_globs(tuple(globs))


@lru_cache(maxsize=512)
def compiled_globs(globs: tuple[str, ...]) -> Pattern:
    """As `glob_pattern`, remembered."""
    parts = [_translated(glob) for glob in globs]
    options = re2.Options()
    options.log_errors = False
    try:
        made: Pattern = re2.compile(f"^(?:{'|'.join(parts)})$", options)
    except re2.error as error:
        shown = ", ".join(globs)
        raise Invalid(
            f"{shown} is no list of globs: {error}", "close brackets and braces"
        ) from None
    return made


def name_pattern(names: Sequence[str]) -> Pattern:
    """A pattern that these names match, whatever their case; `*` is anything. Raises `Invalid`."""
    if not all(name.strip() for name in names):
        raise Invalid("an empty name is nobody's", "take it out")
    parts = [".*".join(map(re.escape, name.strip().split("*"))) for name in names]
    return compiled(f"(?i)^(?:{'|'.join(parts)})$")


def _translated(glob: str) -> str:
    text = glob.strip().removeprefix("./").removeprefix("/")
    if not text:
        raise Invalid("an empty glob is about nothing", "take it out")
    if text.endswith("/"):
        text += "**"
    if "/" not in text and not glob.strip().startswith(("/", "./")):
        text = "**/" + text
    made, depth, at = [], 0, 0
    while at < len(text):
        char = text[at]
        if text.startswith("**/", at):
            made.append("(?:.*/)?")
            at += 3
            continue
        if text.startswith("**", at):
            made.append(".*")
            at += 2
            continue
        chosen = _CLASS.match(text, at) if char == "[" else None
        if chosen:
            inner = chosen.group()[1:-1]
            made.append("[" + ("^" + inner[1:] if inner.startswith("!") else inner) + "]")
            at = chosen.end()
            continue
        if char == "{":
            depth += 1
        made.append(_one(char, depth))
        if char == "}" and depth:
            depth -= 1
        at += 1
    if depth:
        raise Invalid(f"{glob!r} opens a brace and does not close it", "write {a,b}")
    return "".join(made)


def _one(char: str, depth: int) -> str:
    known = {"*": "[^/]*", "?": "[^/]"}
    if depth:
        known |= {"{": "(?:", "}": ")", ",": "|"}
    return known.get(char) or re.escape(char)
