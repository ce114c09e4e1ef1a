"""YAML from strangers' files. libyaml's binding overruns the stack on deep nesting and dies with the
whole process, so depth is counted before anything is built.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

MOST_DEPTH = 60
MOST_NODES = 200_000

_TOO_DEEP = f"nested more than {MOST_DEPTH} levels deep"
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
    try:
        _refuse_deep(text)
    except yaml.MarkedYAMLError as error:
        # Newer releases of libyaml have a limit of their own, and its scanner, which reads ahead of
        # the events, may meet it first.
        if "nesting depth" in str(error):
            raise TooDeep(_TOO_DEEP) from None
        raise
    root: yaml.Node | None = yaml.compose(text, Loader=yaml.CSafeLoader)
    if root is not None and _expanded(root, {}) > MOST_NODES:
        raise TooDeep("aliases (*name) multiply it beyond all measure")
    return root


def _refuse_deep(text: str) -> None:
    depth = 0
    # Events come from a state machine: they do not recurse.
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, _OPENS):
            depth += 1
            if depth > MOST_DEPTH:
                raise TooDeep(_TOO_DEEP)
        elif isinstance(event, _CLOSES):
            depth -= 1


def explained(error: Exception) -> tuple[int, str]:
    """The line of a YAML error, counted from 1 and 0 if unknown, and what is wrong in one line."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if isinstance(error, yaml.reader.ReaderError):
        return 0, f"it contains the character U+{error.character:04X}"
    what = getattr(error, "problem", None) or str(error).partition("\n")[0] or "invalid YAML"
    return (mark.line + 1 if mark is not None else 0), " ".join(str(what).split())


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
