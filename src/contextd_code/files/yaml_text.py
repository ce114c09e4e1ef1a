"""YAML from strangers' files. libyaml's binding overruns the stack on deep nesting and dies with the
whole process, so depth is counted before anything is built.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

MOST_DEPTH = 60
MOST_NODES = 200_000

_OPENS = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSES = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


class TooDeep(yaml.YAMLError):
    """Nested, or multiplied by aliases, beyond what any honest file is."""


def load_plain(text: str) -> Any:
    """The value of a YAML document. Raises `yaml.YAMLError` or `ValueError`."""
    compose(text)
    return yaml.load(text, Loader=yaml.CSafeLoader)


def compose(text: str) -> yaml.Node | None:
    """The node tree of one YAML document. Raises `yaml.YAMLError` or `ValueError`."""
    depth = 0
    # Events come from a state machine: they do not recurse.
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, _OPENS):
            depth += 1
            if depth > MOST_DEPTH:
                raise TooDeep(f"nested more than {MOST_DEPTH} levels deep")
        elif isinstance(event, _CLOSES):
            depth -= 1
    root: yaml.Node | None = yaml.compose(text, Loader=yaml.CSafeLoader)
    if root is not None and _expanded(root, {}) > MOST_NODES:
        raise TooDeep("aliases (*name) multiply it beyond all measure")
    return root


def lines_of_names(root: yaml.Node | None, prefix: str = "") -> dict[str, int]:
    """The line, counted from 1, of each name in nested mappings, as `outer.inner`."""
    lines: dict[str, int] = {}
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        name = f"{prefix}{key.value}"
        lines[name] = key.start_mark.line + 1
        lines |= lines_of_names(value, f"{name}.")
    return lines


def _expanded(node: yaml.Node, known: dict[int, int]) -> int:
    if id(node) not in known:
        # A node that contains itself counts as endless.
        known[id(node)] = MOST_NODES + 1
        parts = node.value if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            parts = [part for pair in node.value for part in pair]
        known[id(node)] = 1 + sum(_expanded(part, known) for part in parts)
    return known[id(node)]


def flattened(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings as one, with dotted names."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat |= flattened(value, name + ".")
        else:
            flat[name] = value
    return flat
