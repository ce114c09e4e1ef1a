"""Limits of arguments, declared in the signature of an operation.

`days: Annotated[int, Range(1, 90)]` is enough: validation, the error message, OpenAPI, the tool schema,
command-line help and the reference page all read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, get_args

from contextd.domain.scope import SLUG
from contextd_common.dataclass import dataclass

CoreSchema = Any
"""A core schema of pydantic: a dictionary whose `type` names the check."""
Handler = Callable[[Any], CoreSchema]


@dataclass(frozen=True, slots=True)
class Range:
    """A number from `least` to `most`, both included; without `most` there is no upper bound."""

    least: float
    most: float | None = None

    @property
    def words(self) -> str:
        """The limit as shown in errors and help."""
        return (
            f"{self.least:,} or more" if self.most is None else f"{self.least:,} to {self.most:,}"
        )

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> CoreSchema:
        """Add the bounds to the schema of a number."""
        upper = {} if self.most is None else {"le": self.most}
        return _limited(handler(source), ("int", "float"), {"ge": self.least, **upper})


@dataclass(frozen=True, slots=True)
class Count:
    """A list or an object of `least` to `most` items."""

    least: int
    most: int | None = None
    of: str = "a list"

    @property
    def words(self) -> str:
        """The limit as shown in errors and help."""
        return f"{self.of} of {Range(self.least, self.most).words}"

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> CoreSchema:
        """Add the bounds to the schema of a list."""
        upper = {} if self.most is None else {"max_length": self.most}
        return _limited(handler(source), ("list", "dict"), {"min_length": self.least, **upper})


@dataclass(frozen=True, slots=True)
class AtMost:
    """A text of at most this many characters."""

    most: int

    @property
    def words(self) -> str:
        """The limit as shown in errors and help."""
        return f"a text of at most {self.most:,} characters"

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> CoreSchema:
        """Add the bound to the schema of a text."""
        return _limited(handler(source), ("str",), {"max_length": self.most})


@dataclass(frozen=True, slots=True)
class Matching:
    """A text that matches `pattern`; `words` describe the pattern."""

    pattern: str
    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> CoreSchema:
        """Add the pattern to the schema of a text."""
        inner = _limited(handler(source), ("str",), {})
        # Checked in Python and not in pydantic's core, which rejects texts with half a surrogate pair; a
        # command that contains one must still be checked. Python also treats the same characters as blank as
        # `str.strip`.
        return {
            "type": "function-after",
            "function": {"type": "no-info", "function": self._check},
            "schema": inner,
            "metadata": {"pydantic_js_updates": {"pattern": self.pattern}},
        }

    def _check(self, text: str) -> str:
        if re.search(self.pattern, text) is None:
            raise ValueError(self.words)
        return text


@dataclass(frozen=True, slots=True)
class Grammar:
    """A text in a language of its own, such as a regular expression. Schemas name it as the `format`; the
    operation that reads it says what is wrong with it. `words` describe it in help texts.
    """

    format: str
    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> CoreSchema:
        """Name the language in the JSON schema."""
        inner = handler(source)
        updates = {
            **inner.get("metadata", {}).get("pydantic_js_updates", {}),
            "format": self.format,
        }
        return {**inner, "metadata": {"pydantic_js_updates": updates}}


Limit = Range | Count | AtMost | Matching | Grammar

# JavaScript's `$` matches at the end alone, Python's before a last line break too.
_SLUG = rf"^{SLUG}$(?!\s)"
Slug = Annotated[str, Matching(_SLUG, "lower-case letters, digits and hyphens")]
"""A name in a scope."""
OptionalSlug = Annotated[
    str, Matching(rf"^$|{_SLUG}", "lower-case letters, digits and hyphens, or empty")
]
NOT_EMPTY = Matching(r"\S", "a text that is not empty")
Text = Annotated[str, NOT_EMPTY]
"""A text that is not blank."""
SHORTEST_ID = 4
# Printable ASCII: beyond it, regular-expression engines disagree on what is blank.
_AN_ID = f"an id, or at least {SHORTEST_ID} characters of it"
Id = Annotated[str, Matching(rf"[!-~]{{{SHORTEST_ID}}}", _AN_ID)]
"""The id of a record, or a prefix of it."""
OptionalId = Annotated[str, Matching(rf"^$|[!-~]{{{SHORTEST_ID}}}", f"{_AN_ID}, or empty")]
"""The same, or empty."""
# The empty text, written so that Python and JavaScript agree about a final line break.
_NO_TEXT = r"^(?![\s\S])"
Cursor = Annotated[
    str, Matching(rf"{_NO_TEXT}|^-?[0-9]{{1,18}}:[\s\S]", "the cursor of a page, or empty")
]
"""The start of the next page, from the previous page; empty for the first."""
PROJECT_PATH = Grammar("path", "a path inside the project")
ProjectPath = Annotated[str, PROJECT_PATH]
"""A path from the root of the project."""
Glob = Annotated[str, Grammar("glob", "a pattern of paths")]
REGEX = Grammar("regex", "a regular expression")
STATEMENT = Grammar(
    "statement", "a fact in a sentence: no greeting, no hash, ten characters or more"
)
Statement = Annotated[Text, STATEMENT]
"""The text of a record. The write gate refuses one without content."""
PageSize = Annotated[int, Range(1, 1000)]
"""How many rows one answer may have."""

_BROKEN: dict[type[Limit], tuple[str, ...]] = {
    Range: ("greater_than_equal", "less_than_equal"),
    Count: ("too_short", "too_long"),
    AtMost: ("string_too_long",),
    Matching: ("value_error",),
    Grammar: (),
}
"""Pydantic's error types, by the limit that they report."""


def limits_in(*parts: Any) -> Iterator[Limit]:
    """The limits in an annotation and in the metadata beside it, outermost first."""
    for part in parts:
        if isinstance(part, Limit):
            yield part
        else:
            yield from limits_in(*get_args(part))


def broken_limit(problem: str, *parts: Any) -> Limit | None:
    """The limit in these parts of an annotation that a pydantic error of this type reports."""
    return next((one for one in limits_in(*parts) if problem in _BROKEN[type(one)]), None)


def stated(*parts: Any) -> str:
    """The limits in these parts of an annotation as shown in help: `1 to 90`. Non-blank texts and ids are
    not mentioned.
    """
    return ", ".join(
        one.words for one in limits_in(*parts) if not isinstance(one, Matching | Grammar)
    )


def _limited(schema: CoreSchema, types: tuple[str, ...], bounds: dict[str, Any]) -> CoreSchema:
    if schema["type"] not in types:
        raise TypeError(f"a limit for {types[0]} stands beside a {schema['type']}")
    return {**schema, **bounds}
