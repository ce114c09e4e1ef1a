"""Requests made from the JSON schemas of operations: everything a schema allows, odd texts first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal

from hypothesis import strategies as st

ODD = (
    "", " ", "x", "vault door", "../x", "()", "[", "*", "HEAD", "A..B", "\0", "a\0b", "\n", "名", "--help", "{}", "null",
    "/etc/passwd", ".git/config", "2026-01-01", "\x1b[31m", "a:b", "'", '"', "\\", "\u202e", "memory", "decision", "a" * 5_000,
)  # fmt: skip
"""Texts that parsers, paths and shells stumble over."""

_NO_HALVES: Collection[Literal["Cs"]] = ("Cs",)
_SOUND = st.characters(exclude_categories=_NO_HALVES)
"""Half a surrogate pair is no text that JSON carries safely."""

_ANY_TEXT = st.sampled_from(ODD) | st.text(alphabet=_SOUND, max_size=20)
_ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _ANY_TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_ANY_TEXT, inner, max_size=2),
    max_leaves=4,
)


def requests(schema: dict[str, Any], known: Sequence[str] = ()) -> st.SearchStrategy[Any]:
    """Objects that a schema allows, where texts may also be of the `known` ones, such as ids."""
    required = set(schema.get("required", ()))
    parts = {name: _values(part, known) for name, part in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: part for name, part in parts.items() if name in required},
        optional={name: part for name, part in parts.items() if name not in required},
    )


def formats(schema: dict[str, Any]) -> Iterator[str]:
    """The formats that a schema names: languages whose texts no schema can describe."""
    if "format" in schema:
        yield schema["format"]
    inner = [schema["items"]] if "items" in schema else []
    of = schema.get("additionalProperties")
    inner += [of] if isinstance(of, dict) else []
    for option in (*schema.get("anyOf", ()), *inner):
        yield from formats(option)


def _values(part: dict[str, Any], known: Sequence[str]) -> st.SearchStrategy[Any]:
    if "enum" in part:
        return st.sampled_from(part["enum"])
    if "anyOf" in part:
        return st.one_of([_values(option, known) for option in part["anyOf"]])
    match part.get("type"):
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(part.get("minimum"), part.get("maximum"))
        case "number":
            return st.floats(part.get("minimum"), part.get("maximum"), allow_nan=False)
        case "array":
            items = _values(part["items"], known)
            return st.lists(items, min_size=part.get("minItems", 0), max_size=3)
        case "object":
            of = part.get("additionalProperties")
            values = _values(of, known) if isinstance(of, dict) else _ANY_JSON
            least = part.get("minProperties", 0)
            return st.dictionaries(_ANY_TEXT, values, min_size=least, max_size=3)
    return _texts(part, known)


def _texts(part: dict[str, Any], known: Sequence[str]) -> st.SearchStrategy[str]:
    pattern, longest = part.get("pattern", ""), part.get("maxLength", 10**6)
    fitting = [one for one in (*known, *ODD) if re.search(pattern, one) and len(one) <= longest]
    if not pattern:
        return st.sampled_from(fitting) | _ANY_TEXT.filter(lambda text: len(text) <= longest)
    return st.sampled_from(fitting) | st.from_regex(pattern, alphabet=_SOUND)
