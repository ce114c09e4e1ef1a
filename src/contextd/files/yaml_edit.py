"""Changing a YAML file the way a careful person would: every other byte stays as it was.

Edits are made in the text, at the places the parser names, and then checked: the result must parse
to exactly what was meant. Where that fails (aliases, unusual layouts) ruamel.yaml rewrites the file,
which keeps comments and order but may change spacing.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import yaml

from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid
from contextd_common.files.yaml_text import compose, load_plain

Keys = tuple[str, ...]

_FEW = 40


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


@dataclass(frozen=True, slots=True)
class _Splice:
    """Replace text[start:end]. Of two replacements at one position the `deeper` one is applied first."""

    start: int
    end: int
    text: str
    depth: int


def edited(text: str, edits: Sequence[Edit]) -> str:
    """`text` with the edits made. Raises `Invalid` if that cannot be done."""
    if not edits:
        return text
    wanted = load_plain(text) or {}
    for edit in edits:
        _apply(wanted, edit)
    return (
        _in_text(text, edits, wanted)
        or _one_by_one(text, edits, wanted)
        or _by_rewriting(text, edits, wanted)
    )


def source_of(text: str, path: Keys) -> str:
    """The lines of the key at `path`, with the comment lines right above it."""
    editor = _Editor(text)
    parent = editor.deepest(path[:-1])[0]
    pair = editor.pair(parent, path[-1])
    if pair is None:
        return ""
    start = editor.line_start(pair[0])
    while True:
        above = text.rfind("\n", 0, max(0, start - 1)) + 1
        if start == 0 or not text[above:start].lstrip(" ").startswith("#"):
            return text[start : editor.next_line(pair[1])]
        start = above


def dumped(value: Any, indent: int = 0) -> list[str]:
    """The lines of a mapping in block style, indented by `indent` spaces."""
    lines = []
    for key, item in value.items():
        lines += _entry(f"{' ' * indent}{scalar(key)}:", item, indent)
    return lines


def scalar(value: Any) -> str:
    """A scalar on one line, quoted when it must be."""
    text = yaml.dump(value, Dumper=yaml.CSafeDumper, allow_unicode=True, width=10**9)
    return str(text).removesuffix("\n").removesuffix("...").removesuffix("\n")


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
    """Apply the edit to plain data or to ruamel's."""
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


def _in_text(text: str, edits: Sequence[Edit], wanted: Any) -> str:
    """The edited text, or None when the result would differ from the intended data."""
    try:
        editor = _Editor(text)
        splices = [splice for edit in _united(edits) for splice in editor.splices(edit)]
        made, at = [], 0
        for splice in sorted(splices, key=lambda one: (one.start, -one.depth)):
            if splice.start < at:
                return ""
            made += [text[at : splice.start], splice.text]
            at = splice.end
        changed = "".join((*made, text[at:]))
        return changed if (load_plain(changed) or {}) == wanted else ""
    except (yaml.YAMLError, ValueError, _Unusual):
        return ""


def _one_by_one(text: str, edits: Sequence[Edit], wanted: Any) -> str:
    """For the few edits that build on one another; each costs three readings of the file."""
    if len(edits) > _FEW:
        return ""
    for edit in edits:
        step = load_plain(text) or {}
        _apply(step, edit)
        text = _in_text(text, [edit], step)
        if not text:
            return ""
    return text if load_plain(text) == wanted else ""


def _united(edits: Sequence[Edit]) -> list[Edit]:
    """The edits, with all items for one list in one of them."""
    lists: dict[Keys, tuple[Any, ...]] = {}
    for edit in edits:
        if isinstance(edit, Append):
            lists[edit.path] = lists.get(edit.path, ()) + edit.items
    appends: list[Edit] = [Append(path, items) for path, items in lists.items()]
    return [edit for edit in edits if not isinstance(edit, Append)] + appends


def _by_rewriting(text: str, edits: Sequence[Edit], wanted: Any) -> str:
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
        for edit in edits:
            _apply(data, edit)
        round_trip.dump(data, out)
        made = out.getvalue()
        right = load_plain(made) == wanted
    except (YAMLError, yaml.YAMLError, ValueError, TypeError, AttributeError) as error:
        raise _refused(edits) from error
    if not right:
        raise _refused(edits)
    return made


def _refused(edits: Sequence[Edit]) -> Invalid:
    where = ", ".join(".".join(edit.path) for edit in edits[:3])
    return Invalid(
        f"{where} could not be changed without touching more of the file",
        "write that part in plain block style, without anchors; nothing was changed",
    )


class _Unusual(Exception):
    """A layout that the text editor leaves to ruamel.yaml."""


class _Editor:
    """Finds the places in one text where edits belong."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.root = compose(text)

    def splices(self, edit: Edit) -> list[_Splice]:
        """What to replace for one edit. Raises `_Unusual`."""
        node, depth = self.deepest(edit.path)
        missing = edit.path[depth:]
        if isinstance(edit, Remove):
            return [] if missing else [self._without(edit.path)]
        if missing:
            value = edit.value if isinstance(edit, Set) else list(edit.items)
            for key in reversed(missing[1:]):
                value = {key: value}
            return [self._with_key(node, edit.path[:depth], missing[0], value)]
        if isinstance(edit, Append):
            return [self._with_items(node, edit)]
        return self._with_value(node, edit)

    def deepest(self, path: Keys) -> tuple[yaml.Node | None, int]:
        """The last node on the way to `path`, and how many keys lead to it."""
        node = self.root
        for depth, key in enumerate(path):
            pair = self.pair(node, key)
            if pair is None:
                return node, depth
            node = pair[1]
        return node, len(path)

    def pair(self, node: yaml.Node | None, key: str) -> tuple[yaml.Node, yaml.Node] | None:
        """The key and value nodes of `key` in a mapping."""
        if not isinstance(node, yaml.MappingNode):
            return None
        return next((pair for pair in node.value if pair[0].value == key), None)

    def _with_key(self, node: yaml.Node | None, path: Keys, key: str, value: Any) -> _Splice:
        end = len(self.text)
        if node is None:
            lead = "" if not self.text or self.text.endswith("\n") else self.newline
            return _Splice(end, end, lead + self._joined(dumped({key: value})) + self.newline, 0)
        if isinstance(node, yaml.MappingNode) and node.value:
            if node.flow_style:
                raise _Unusual
            indent = node.value[0][0].start_mark.column
            return self._after(node, dumped({key: value}, indent), len(path))
        return self._with_block(node, dumped({key: value}, self._indent_below(path)))

    def _with_items(self, node: yaml.Node | None, edit: Append) -> _Splice:
        if isinstance(node, yaml.SequenceNode) and node.value:
            if node.flow_style:
                raise _Unusual
            return self._after(node, _items(edit.items, node.start_mark.column), len(edit.path))
        return self._with_block(node, _items(edit.items, self._indent_below(edit.path)))

    def _with_value(self, node: yaml.Node | None, edit: Set) -> list[_Splice]:
        value = edit.value
        is_block = isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style
        if isinstance(node, yaml.SequenceNode) and is_block and isinstance(value, list) and value:
            return self._with_list(node, value, edit.path)
        if isinstance(value, dict | list) and value:
            if isinstance(node, yaml.ScalarNode) or (node is not None and not node.value):
                indent = self._indent_below(edit.path)
                block = dumped(value, indent) if isinstance(value, dict) else _items(value, indent)
                return [self._with_block(node, block)]
            raise _Unusual
        if isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
            text = scalar(value)
            if node.style == '"' and isinstance(value, str):
                text = _double_quoted(value)
            start, end = node.start_mark.index, node.end_mark.index
            space = " " if start == end and self.text[start - 1 : start] not in (" ", "") else ""
            return [_Splice(start, end, space + text, 0)]
        raise _Unusual

    def _with_list(self, node: yaml.SequenceNode, value: list[Any], path: Keys) -> list[_Splice]:
        """Change only the items that differ, so that the others keep their comments."""
        depth, present = len(path), load_plain(self.text)
        for key in path:
            present = present[key]
        old = [repr(item) for item in present]
        new = [repr(item) for item in value]
        splices = []
        steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        for tag, i1, i2, j1, j2 in steps:
            if tag == "equal":
                continue
            lines = _items(value[j1:j2], node.start_mark.column)
            if i1 == i2 == len(node.value):
                splices.append(self._after(node, lines, depth))
                continue
            block = self._joined(lines) + self.newline if lines else ""
            start = self.line_start(node.value[i1])
            end = self.next_line(node.value[i2 - 1]) if i2 > i1 else start
            splices.append(_Splice(start, end, block, depth))
        return splices

    def _without(self, path: Keys) -> _Splice:
        parent = self.deepest(path[:-1])[0]
        pair = self.pair(parent, path[-1])
        if pair is None or not isinstance(parent, yaml.MappingNode) or parent.flow_style:
            raise _Unusual
        if len(parent.value) < 2 and len(path) > 1:
            raise _Unusual
        return _Splice(self.line_start(pair[0]), self.next_line(pair[1]), "", len(path))

    def _with_block(self, node: yaml.Node | None, lines: list[str]) -> _Splice:
        """Put a block where an empty value (`[]`, `{}`, nothing) stands."""
        if node is None:
            raise _Unusual
        start, end = node.start_mark.index, node.end_mark.index
        while self.text[start - 1 : start] == " ":
            start -= 1
        rest = self.text.find("\n", end)
        comment = self.text[end : len(self.text) if rest < 0 else rest].rstrip("\r")
        block = comment + self.newline + self._joined(lines)
        return _Splice(start, end + len(comment), block, 0)

    def _after(self, node: yaml.Node, lines: list[str], depth: int) -> _Splice:
        at = self.next_line(node)
        lead = "" if self.text[:at].endswith("\n") else self.newline
        tail = self.newline if not lead or at < len(self.text) else ""
        return _Splice(at, at, lead + self._joined(lines) + tail, depth)

    def _indent_below(self, path: Keys) -> int:
        pair = self.pair(self.deepest(path[:-1])[0], path[-1]) if path else None
        return pair[0].start_mark.column + 2 if pair else 0

    def _joined(self, lines: Sequence[str]) -> str:
        return self.newline.join(lines)

    def line_start(self, node: yaml.Node) -> int:
        """Where the first line of `node` starts."""
        return self.text.rfind("\n", 0, node.start_mark.index) + 1

    def next_line(self, node: yaml.Node) -> int:
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
    text = yaml.dump(
        value, Dumper=yaml.CSafeDumper, allow_unicode=True, width=10**9, default_style='"'
    )
    return str(text).removesuffix("\n")
