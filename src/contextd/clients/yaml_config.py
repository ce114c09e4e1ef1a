"""Editing YAML as text: comments, order and layout stay."""

from __future__ import annotations

import copy
from typing import Any

import yaml

from contextd.clients.json_config import KeyPath
from contextd.files.yaml_edit import Append, Edit, Keys, Remove, Set, edited
from contextd_common.errors import Invalid
from contextd_common.files.yaml_text import explained, load_plain


def read(text: str) -> Any:
    """The value of a YAML text, an empty mapping for an empty one. Raises `Invalid` with the position of the
    error.
    """
    try:
        value = load_plain(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line, what = explained(error)
        where = f" at line {line}" if line else ""
        raise Invalid(f"not valid YAML{where}: {what}", "correct it and try again") from error
    return {} if value is None else value


def put(text: str, place: KeyPath, value: Any) -> str:
    """`text` with `value` at `place`; missing parent mappings are created. A list index must be that of an
    item, or the next free one.
    """
    inside = next((i for i, step in enumerate(place[:-1], 1) if isinstance(step, int)), 0)
    if inside:
        # A list item is rewritten as a whole.
        item = copy.deepcopy(_at(read(text), list(place[:inside])))
        _at(item, list(place[inside:-1]))[place[-1]] = value
        return put(text, place[:inside], item)
    *way, last = place
    if isinstance(last, str):
        if _at_or_none(read(text), place) == value:
            return text
        return edited(text, _member_by_member(text, place, value) or [Set(_keys(place), value)])
    listed = list(_at(read(text), way) or ())
    if last == len(listed):
        return edited(text, [Append(_keys(way), (value,))])
    listed[last] = value
    return edited(text, [Set(_keys(way), listed)])


def copied(text: str, place: KeyPath, other: str, other_place: KeyPath) -> str:
    """`text` with the value at `place` as at a place of another text; its comments are lost."""
    return put(text, place, _at(read(other), list(other_place)))


def _member_by_member(text: str, place: KeyPath, value: Any) -> list[Edit]:
    """The edits that turn one mapping into another in place, keeping comments; empty where the current value is
    not a mapping.
    """
    present = _at_or_none(read(text), place)
    if not isinstance(present, dict) or not present or not isinstance(value, dict):
        return []
    keys = _keys(place)
    removals: list[Edit] = [Remove((*keys, name)) for name in present if name not in value]
    differ = [name for name in value if name not in present or present[name] != value[name]]
    return [*removals, *(Set((*keys, name), value[name]) for name in differ)]


def remove(text: str, place: KeyPath) -> str:
    """`text` without the value at `place`."""
    *way, last = place
    if isinstance(last, str):
        edit: Edit = Remove(_keys(place))
    else:
        listed = copy.copy(_at(read(text), way))
        del listed[last]
        edit = Set(_keys(way), listed)
    made = edited(text, [edit])
    return "" if made.strip() == "{}" else made


def _keys(place: KeyPath | list[str | int]) -> Keys:
    return tuple(map(str, place))


def _at(value: Any, way: list[str | int]) -> Any:
    for step in way:
        value = value.get(step) if isinstance(value, dict) else value[step]
    return value


def _at_or_none(value: Any, place: KeyPath) -> Any:
    for step in place:
        value = value.get(step) if isinstance(value, dict) else None
    return value
