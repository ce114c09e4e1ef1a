"""Patterns of rules: RE2, so that a search takes linear time for any pattern and text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import re2

from contextd_common.errors import Invalid

LONGEST_PATTERN = 1_000
"""Maximum characters of a pattern; a longer one is not written by a person."""

LONGEST_LINE = 4_000
"""Maximum characters of a line to examine: longer lines are generated or minified, and no style rule
applies to them.
"""

_MEMORY = 8 << 20
"""Bytes one compiled pattern may take, RE2's own default. Nested repetitions are refused."""


class Found(Protocol):
    """A match."""

    def group(self, index: int = 0, /) -> str | None:
        """The text of a group; None if it did not participate."""
        ...

    def start(self) -> int:
        """The start of the match."""
        ...


class Pattern(Protocol):
    """A compiled pattern."""

    groups: int
    pattern: str

    def search(self, text: str, /) -> Found | None:
        """The first match in the text."""
        ...


def pattern_of(text: str) -> Pattern:
    """The pattern a person wrote. Raises `Invalid`, also for one that matches everything."""
    if not text.strip():
        raise Invalid("an empty pattern matches everything", "remove it")
    if len(text) > LONGEST_PATTERN:
        raise Invalid(f"a pattern of {len(text)} characters", f"the limit is {LONGEST_PATTERN}")
    made = compiled(text)
    if made.search("") is not None:
        raise Invalid(f"{text!r} matches every line", "write a more specific pattern")
    return made


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Pattern:
    """Compile a pattern. Raises `Invalid` saying what RE2 does not support."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        made: Pattern = re2.compile(pattern, options)
    except re2.error as error:
        message = error.args[0] if error.args else error
        why = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise Invalid(f"{pattern!r} is not a valid RE2 pattern: {why}", _way_out(why)) from None
    return made


def _way_out(why: str) -> str:
    if "(?" in why or "escape sequence: \\" in why:
        return "RE2 has no lookaround and no backreferences; write what must match, and use except_paths"
    return "see the RE2 syntax, and put the pattern in single quotes"


def may_match(pattern: Pattern, lines: str) -> bool:
    """Whether any of these lines could match, by one search instead of one per line. May return a false
    positive.
    """
    if "\\A" in pattern.pattern or "\\z" in pattern.pattern:
        return True
    return compiled(f"(?m){pattern.pattern}").search(lines) is not None


_CLASS = re.compile(r"\[!?\]?[^\]/]*\]")


def glob_pattern(globs: Sequence[str]) -> Pattern:
    """A pattern for the paths that these globs match: `*` and `?` stay within a folder, `**` does not,
    `{a,b}` and `[abc]` choose. A glob without a slash matches names in any folder, and one that ends in
    a slash everything below it. Raises `Invalid`.
    """
    return compiled_globs(tuple(globs))


@lru_cache(maxsize=512)
def compiled_globs(globs: tuple[str, ...], *, ignore_case: bool = False) -> Pattern:
    """Like `glob_pattern`, cached."""
    parts = [_translated(glob) for glob in globs]
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        made: Pattern = re2.compile(f"^(?:{'|'.join(parts)})$", options)
    except re2.error as error:
        shown = ", ".join(globs)
        raise Invalid(
            f"{shown} is not a valid list of globs: {error}", "close brackets and braces"
        ) from None
    return made


def name_pattern(names: Sequence[str]) -> Pattern:
    """A pattern for these names, ignoring case; `*` matches anything. Raises `Invalid`."""
    if not all(name.strip() for name in names):
        raise Invalid("name must not be empty", "remove it")
    parts = [".*".join(map(re.escape, name.strip().split("*"))) for name in names]
    return compiled(f"(?i)^(?:{'|'.join(parts)})$")


def _translated(glob: str) -> str:
    text = glob.strip().removeprefix("./").removeprefix("/")
    if not text:
        raise Invalid("glob must not be empty", "remove it")
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
        raise Invalid(f"{glob!r} has an unclosed brace", "write {a,b}")
    return "".join(made)


def _one(char: str, depth: int) -> str:
    known = {"*": "[^/]*", "?": "[^/]"}
    if depth:
        known |= {"{": "(?:", "}": ")", ",": "|"}
    return known.get(char) or re.escape(char)
