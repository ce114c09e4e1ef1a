"""Changing a YAML file the way a careful person would: every other byte stays as it was.

Edits are made in the text, at the places the parser names, and then checked: the result must parse
to exactly what was meant. Where that fails (aliases, unusual layouts) ruamel.yaml rewrites the file,
which keeps comments and order but may change spacing.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import yaml

from contextd.code.yaml_text import compose, load_plain
from contextd.domain.errors import Invalid

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Set:
    """Give the key at `path` this value; missing parents are made."""

    path: Keys
    value: Any


@dataclass(frozen=True, slots=True)
class Append:
    """Add items at the end of the list at `path`, which is made when missing."""

    path: Keys
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Take out the key at `path`."""

    path: Keys


Edit = Set | Append | Remove


def edited(text: str, edits: Sequence[Edit]) -> str:
    """`text` with the edits made, one after the other. Raises `Invalid` if that cannot be done."""
    for edit in edits:
        wanted = load_plain(text) or {}
        _apply(wanted, edit)
        text = _in_text(text, edit, wanted) or _by_rewriting(text, edit, wanted)
    return text


def dumped(value: Any, indent: int = 0) -> list[str]:
    """The lines of a mapping in block style, indented by `indent` spaces."""
    lines = []
    for key, item in value.items():
        lines += _entry(f"{' ' * indent}{scalar(key)}:", item, indent)
    return lines


def scalar(value: Any) -> str:
    """A scalar on one line, quoted when it must be."""
    said = yaml.dump(value, Dumper=yaml.CSafeDumper, allow_unicode=True, width=10**9)
    return str(said).removesuffix("\n").removesuffix("...").removesuffix("\n")


def _entry(head: str, item: Any, indent: int) -> list[str]:
    if isinstance(item, dict):
        return [head, *dumped(item, indent + 2)] if item else [f"{head} {{}}"]
    if isinstance(item, list):
        return [head, *_items(item, indent + 2)] if item else [f"{head} []"]
    return [f"{head} {scalar(item)}"]


def _items(items: Sequence[Any], indent: int) -> list[str]:
    lines = []
    for item in items:
        if isinstance(item, dict) and item:
            inner = dumped(item, indent + 2)
            lines += [" " * indent + "- " + inner[0].lstrip(" "), *inner[1:]]
        else:
            lines.append(" " * indent + "- " + scalar(item))
    return lines


def _apply(data: Any, edit: Edit) -> None:
    """Make the edit in plain or in ruamel's data."""
    for key in edit.path[:-1]:
        if data.get(key) is None:
            data[key] = {}
        data = data[key]
    last = edit.path[-1]
    if isinstance(edit, Remove):
        data.pop(last, None)
    elif isinstance(edit, Set):
        data[last] = copy.deepcopy(edit.value)
    else:
        if data.get(last) is None:
            data[last] = []
        data[last].extend(copy.deepcopy(edit.items))


def _in_text(text: str, edit: Edit, wanted: Any) -> str:
    """The edited text, or nothing when the result would not be what was meant."""
    try:
        made = _Editor(text).make(edit)
        return made if load_plain(made) == wanted else ""
    except (yaml.YAMLError, ValueError, _Unusual):
        return ""


def _by_rewriting(text: str, edit: Edit, wanted: Any) -> str:
    # 120 ms to import, and hardly ever needed.
    from ruamel.yaml import YAML  # noqa: PLC0415
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    round_trip = YAML()
    round_trip.preserve_quotes = True
    round_trip.width = 10**6
    round_trip.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    try:
        data = round_trip.load(text)
        _apply(data, edit)
        round_trip.dump(data, out)
        made = out.getvalue()
        right = load_plain(made) == wanted
    except (YAMLError, yaml.YAMLError, ValueError, TypeError, AttributeError) as error:
        raise _refused(edit) from error
    if not right:
        raise _refused(edit)
    return made


def _refused(edit: Edit) -> Invalid:
    where = ".".join(edit.path)
    return Invalid(
        f"{where} could not be changed without touching more of the file",
        "write that part in plain block style, without anchors; nothing was changed",
    )


class _Unusual(Exception):
    """A layout that is left to the rewriting."""


class _Editor:
    """One edit in one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.root = compose(text)

    def make(self, edit: Edit) -> str:
        node, depth = self._deepest(edit.path)
        missing = edit.path[depth:]
        if isinstance(edit, Remove):
            return self._without(edit.path) if not missing else self.text
        if missing:
            value = edit.value if isinstance(edit, Set) else list(edit.items)
            for key in reversed(missing[1:]):
                value = {key: value}
            return self._with_key(node, edit.path[:depth], missing[0], value)
        if isinstance(edit, Append):
            return self._with_items(node, edit)
        return self._with_value(node, edit)

    def _deepest(self, path: Keys) -> tuple[yaml.Node | None, int]:
        node = self.root
        for depth, key in enumerate(path):
            pair = self._pair(node, key)
            if pair is None:
                return node, depth
            node = pair[1]
        return node, len(path)

    def _pair(self, node: yaml.Node | None, key: str) -> tuple[yaml.Node, yaml.Node] | None:
        if not isinstance(node, yaml.MappingNode):
            return None
        return next((pair for pair in node.value if pair[0].value == key), None)

    def _with_key(self, node: yaml.Node | None, path: Keys, key: str, value: Any) -> str:
        if node is None:
            end = "" if not self.text or self.text.endswith("\n") else self.newline
            return self.text + end + self._joined(dumped({key: value})) + self.newline
        if not isinstance(node, yaml.MappingNode) or not node.value or node.flow_style:
            if isinstance(node, yaml.MappingNode) and node.value:
                raise _Unusual
            return self._with_block(node, dumped({key: value}, self._indent_below(path)))
        indent = node.value[0][0].start_mark.column
        return self._after(node, dumped({key: value}, indent))

    def _with_items(self, node: yaml.Node | None, edit: Append) -> str:
        if isinstance(node, yaml.SequenceNode) and node.value:
            if node.flow_style:
                raise _Unusual
            return self._after(node, _items(edit.items, node.start_mark.column))
        return self._with_block(node, _items(edit.items, self._indent_below(edit.path)))

    def _with_value(self, node: yaml.Node | None, edit: Set) -> str:
        value = edit.value
        is_block = isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style
        if isinstance(node, yaml.SequenceNode) and is_block and isinstance(value, list) and value:
            return self._with_list(node, value)
        if isinstance(value, dict | list) and value:
            if isinstance(node, yaml.ScalarNode) or (node is not None and not node.value):
                indent = self._indent_below(edit.path)
                block = dumped(value, indent) if isinstance(value, dict) else _items(value, indent)
                return self._with_block(node, block)
            raise _Unusual
        if isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
            said = scalar(value)
            if node.style == '"' and isinstance(value, str):
                said = _double_quoted(value)
            start, end = node.start_mark.index, node.end_mark.index
            space = " " if start == end and self.text[start - 1 : start] not in (" ", "") else ""
            return self.text[:start] + space + said + self.text[end:]
        raise _Unusual

    def _with_list(self, node: yaml.SequenceNode, value: list[Any]) -> str:
        """Change only the items that differ, so that the others keep their comments."""
        old = [repr(self._plain(item)) for item in node.value]
        new = [repr(item) for item in value]
        column, text = node.start_mark.column, self.text
        steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        for tag, i1, i2, j1, j2 in reversed(steps):
            if tag == "equal":
                continue
            block = self._joined(_items(value[j1:j2], column)) + self.newline if j2 > j1 else ""
            if i2 > i1:
                start, end = self._line_start(node.value[i1]), self._next_line(node.value[i2 - 1])
            elif i1 < len(node.value):
                start = end = self._line_start(node.value[i1])
            else:
                start = end = self._next_line(node.value[-1])
                if not text[:start].endswith("\n"):
                    block = self.newline + block
            text = text[:start] + block + text[end:]
        return text

    def _plain(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.MappingNode):
            return {key.value: self._plain(value) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item) for item in node.value]
        return node.value

    def _without(self, path: Keys) -> str:
        parent = self._deepest(path[:-1])[0]
        pair = self._pair(parent, path[-1])
        if pair is None or not isinstance(parent, yaml.MappingNode) or len(parent.value) < 2:
            raise _Unusual
        return self.text[: self._line_start(pair[0])] + self.text[self._next_line(pair[1]) :]

    def _with_block(self, node: yaml.Node | None, lines: list[str]) -> str:
        """Put a block where an empty value (`[]`, `{}`, nothing) stands."""
        if node is None:
            raise _Unusual
        start, end = node.start_mark.index, node.end_mark.index
        while self.text[start - 1 : start] == " ":
            start -= 1
        rest = self.text.find("\n", end)
        rest = len(self.text) if rest < 0 else rest
        comment = self.text[end:rest].rstrip("\r")
        before, after = self.text[:start] + comment, self.text[end + len(comment) :]
        return before + self.newline + self._joined(lines) + after

    def _after(self, node: yaml.Node, lines: list[str]) -> str:
        at = self._next_line(node)
        lead = "" if self.text[:at].endswith("\n") else self.newline
        tail = self.newline if not lead or at < len(self.text) else ""
        return self.text[:at] + lead + self._joined(lines) + tail + self.text[at:]

    def _indent_below(self, path: Keys) -> int:
        pair = self._pair(self._deepest(path[:-1])[0], path[-1]) if path else None
        return pair[0].start_mark.column + 2 if pair else 0

    def _joined(self, lines: Sequence[str]) -> str:
        return self.newline.join(lines)

    def _line_start(self, node: yaml.Node) -> int:
        return self.text.rfind("\n", 0, node.start_mark.index) + 1

    def _next_line(self, node: yaml.Node) -> int:
        """Where the line after the last one of `node` starts."""
        while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
            last = node.value[-1]
            node = last[1] if isinstance(last, tuple) else last
        end = node.end_mark.index
        while end > node.start_mark.index and self.text[end - 1] in " \t\r\n":
            end -= 1
        found = self.text.find("\n", end)
        return len(self.text) if found < 0 else found + 1


def _double_quoted(value: str) -> str:
    said = yaml.dump(
        value, Dumper=yaml.CSafeDumper, allow_unicode=True, width=10**9, default_style='"'
    )
    return str(said).removesuffix("\n")
