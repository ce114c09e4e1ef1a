"""Items that stand inside macros: `cfg_net! { mod tcp; }`, `cfg_if! { if #[cfg(unix)] { … } }`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from contextd_code.index.languages.language import tree_of

_ATTRIBUTE = r"\#!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
_ITEMS = re.compile(
    rf"""(?:\s|//[^\n]*|/\*.*?\*/|{_ATTRIBUTE})*(?:pub(?:\s*\([^)]*\))?\s+)?
    (?:(?:mod|use|fn|struct|enum|union|impl|trait|const|static|type|unsafe|async|extern)\b
    |macro_rules!|\w+(?:::\w+)*!\s*\{{)""".encode(),
    re.S | re.X,
)
_HOLDERS = frozenset(("source_file", "declaration_list", "expression_statement"))
_DEEPEST = 4
_VISIBLE = re.compile(rb"[^\r\n]")

Span = tuple[int, int]


def unwrapped(root: Node, data: bytes, load: Callable[[], object]) -> bytes:
    """The text with the macros around items blanked, so that the items stand where they stood.

    Only a macro in the place of an item counts, with braces, and with nothing in them but items.
    """
    return _unwrapped(root, data, load, 0)


def _unwrapped(root: Node, data: bytes, load: Callable[[], object], depth: int) -> bytes:
    changed: bytearray | None = None
    for node in _macros(root) if depth < _DEEPEST else ():
        tokens = node.named_children[-1]
        spans = list(_blocks(node, tokens))
        inner = b"".join(_blank(data[node.start_byte : node.end_byte], node.start_byte, spans))
        if not spans or not all(_ITEMS.match(data[start:end]) for start, end in spans):
            continue
        tree = tree_of(load, inner)
        inner = _unwrapped(tree.root_node, inner, load, depth + 1)
        if not tree_of(load, inner).root_node.has_error:
            changed = changed or bytearray(data)
            changed[node.start_byte : node.end_byte] = inner
    return bytes(changed) if changed is not None else data


def _macros(root: Node) -> Iterator[Node]:
    """The macros in the place of items, with braces."""
    waiting = [root]
    while waiting:
        for child in waiting.pop().named_children:
            if child.type == "macro_invocation":
                tokens = child.named_children[-1]
                if tokens.type == "token_tree" and tokens.children[0].type == "{":
                    yield child
            elif child.type in _HOLDERS or child.type in ("mod_item", "impl_item", "trait_item"):
                waiting.append(child)


def _blocks(node: Node, tokens: Node) -> Iterator[Span]:
    """The insides of a macro that could be items; of `cfg_if!`, those of its branches."""
    name = node.child_by_field_name("macro")
    if name is not None and name.text is not None and name.text.endswith(b"cfg_if"):
        for child in tokens.named_children:
            if child.type == "token_tree" and child.children[0].type == "{":
                yield child.start_byte + 1, child.end_byte - 1
    else:
        yield tokens.start_byte + 1, tokens.end_byte - 1


def _blank(text: bytes, offset: int, spans: list[Span]) -> Iterator[bytes]:
    """The text with all but the spans blank."""
    at = 0
    for start, end in spans:
        yield _VISIBLE.sub(b" ", text[at : start - offset])
        yield text[start - offset : end - offset]
        at = end - offset
    yield _VISIBLE.sub(b" ", text[at:])
