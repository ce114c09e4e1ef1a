"""Merge new types into an existing schema.yaml, keeping comments, key order and quotes."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import yaml

from contextd.schema.load import parsed_file
from contextd.schema.text import tidy, to_yaml
from contextd_common.files.yaml_text import compose

_AS_WRITTEN = 10_000
"""A line width that is never reached, so that lines stay as written."""


def merged(before: str, types: Mapping[str, Any]) -> str:
    """`before` with its types replaced, changing only what differs.

    If the text is invalid, or its layout cannot be kept, returns a plain new one.
    """
    plain = to_yaml(types)
    try:
        compose(before)
    except (yaml.YAMLError, ValueError):
        return plain
    found = _round_trip(before, {name: tidy(kind) for name, kind in types.items()})
    if found is None:
        return plain
    wanted, got = parsed_file(plain, "", "home"), parsed_file(found, "", "home")
    same = [_told(t) for t in wanted.types.values()] == [_told(t) for t in got.types.values()]
    return found if same and len(wanted.problems) == len(got.problems) else plain


def _told(kind: Any) -> Any:
    return kind.name, kind.description, list(kind.fields.items())


def _round_trip(before: str, types: Mapping[str, Any]) -> str | None:
    # Imports take 60 ms, which only editing by form needs.
    from ruamel.yaml import YAML  # noqa: PLC0415
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    editor = YAML()
    editor.preserve_quotes = True
    editor.width = _AS_WRITTEN
    try:
        document = editor.load(before)
        if not isinstance(document, dict) or not isinstance(document.get("types"), dict):
            return None
        _bring(document["types"], types)
        out = io.StringIO()
        editor.dump(document, out)
    except (YAMLError, ValueError, RecursionError):
        return None
    return out.getvalue().rstrip() + "\n"


def _bring(present: Any, wanted: Mapping[str, Any]) -> None:
    """Update `present` to the wanted value, in that order, changing only what differs."""
    for name in [name for name in present if name not in wanted]:
        # Explicit default values are left as written.
        if present[name] not in (None, "", False):
            del present[name]
    for name, value in wanted.items():
        old = present.get(name)
        if isinstance(value, Mapping) and isinstance(old, dict):
            _bring(old, value)
        elif old != value:
            present[name] = value
    if [name for name in present if name in wanted] != list(wanted):
        for name in wanted:
            present.move_to_end(name)
