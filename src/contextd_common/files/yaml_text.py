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


_PROBLEMS: tuple[tuple[str, str], ...] = (
    (
        "mapping values are not allowed",
        "a `: ` where none may stand: quote the text, or correct the indentation",
    ),
    ("tab character", "a tab: indent with spaces"),
    (
        "cannot start any token",
        "a tab or a reserved character: indent with spaces, and quote the value",
    ),
    ("could not find expected ':'", "a name without `: ` after it"),
    ("end of stream", "a quote or bracket is not closed"),
    ("end of document", "a quote or bracket is not closed"),
    ("expected ',' or ']'", "a list `[…]` is not closed, or lacks a comma"),
    ("expected ',' or '}'", "a mapping `{…}` is not closed, or lacks a comma"),
    ("expected key", "its indentation does not fit the lines above"),
    ("block end", "its indentation does not fit the lines above"),
    ("'-' indicator", "its indentation does not fit the lines above"),
    ("undefined alias", "an alias `*name` that no anchor `&name` precedes"),
    ("duplicate anchor", "an anchor `&name` that is there twice"),
    ("unknown escape character", "a backslash in double quotes: double it, or use single quotes"),
    ("could not determine a constructor", "a tag `!name`, which contextd does not read"),
    ("single document", "a second document after `---`"),
    ("document start", "text after the end of the document"),
)
"""What libyaml says of a mistake, and what we say. Where its next release finds other words, the kind of the
error is named instead.
"""

_KINDS: tuple[tuple[type[Exception], str], ...] = (
    (yaml.scanner.ScannerError, "the line cannot be split into names and values"),
    (yaml.parser.ParserError, "the line does not fit the structure above it"),
    (yaml.composer.ComposerError, "an anchor or alias cannot be followed"),
    (yaml.constructor.ConstructorError, "a value that contextd does not read"),
)


def explained(error: Exception) -> tuple[int, str]:
    """The line of a YAML error, counted from 1 and 0 if unknown, and what is wrong in one phrase of ours."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else 0
    if isinstance(error, TooDeep):
        return line, str(error)
    if isinstance(error, yaml.reader.ReaderError):
        return 0, f"it contains the character U+{error.character:04X}"
    if isinstance(error, RecursionError):
        return line, _TOO_DEEP
    wording = f"{getattr(error, 'context', '')} {getattr(error, 'problem', '')}"
    ours = next((ours for theirs, ours in _PROBLEMS if theirs in wording), "")
    kind = next(
        (ours for kind, ours in _KINDS if isinstance(error, kind)),
        "a value cannot be read, such as a date that does not exist",
    )
    return line, ours or kind


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
