"""The scripts in `.vue` and `.svelte` files."""

from __future__ import annotations

import re

from tree_sitter import Node

from contextd_code.index.languages import ecmascript
from contextd_code.index.languages.language import Embedded
from contextd_code.index.languages.outline import LooseDefinition, Outline, symbols_of, text_of
from contextd_code.values.source import Import

_SCRIPT = re.compile(
    rb"<!--.*?(?:-->|\Z)|(?:^|(?<=>))[ \t]*<script\b(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>"
    rb"(?P<code>.*?)</script\s*>",
    re.S | re.I | re.M,
)
_LANG = re.compile(rb"""\blang\s*=\s*["']?(\w+)""")
_SRC = re.compile(rb"""(?<![\w:-])src\s*=\s*["']([^"']+)["']""")
_MARKUP = frozenset((b"tsx", b"jsx"))
_VISIBLE = re.compile(rb"[^\r\n]")


def scripts(data: bytes) -> Embedded:
    """The contents of the `<script>` elements.

    With `lang="tsx"` or `jsx` they contain markup; others are parsed as TypeScript, which covers
    plain JavaScript.
    """
    found = [match for match in _SCRIPT.finditer(data) if match["code"] is not None]
    spans = tuple(match.span("code") for match in found if match["code"].strip())
    pieces: list[bytes] = []
    at = 0
    for start, end in spans:
        pieces += [_VISIBLE.sub(b" ", data[at:start]), data[start:end]]
        at = end
    pieces.append(_VISIBLE.sub(b" ", data[at:]))
    languages = {m[1].lower() for s in found for m in [_LANG.search(s["attributes"])] if m}
    load = ecmascript.tsx if languages & _MARKUP else ecmascript.typescript
    return Embedded(b"".join(pieces), load, spans)


def outline(root: Node, data: bytes, path: str) -> Outline:
    """As for a TypeScript file.

    The file in `<script src>` is imported; if no script exports a component, `defineProps` counts
    as the default export.
    """
    code = scripts(data)
    found = ecmascript.outline_with(code.grammar)(root, data, path)
    outside = [
        Import(specifier=source[1].decode("utf-8", "replace"), line=data.count(b"\n", 0, at) + 1)
        for at, source in _sources(data)
    ]
    symbols, exports = found.symbols, found.exports
    if not any(name == "default" for name, _, _ in exports):
        props = next((one for one in root.named_children if _is_component(one)), None)
        if props is not None:
            made = symbols_of([LooseDefinition("default", "component", props, 0, True)], data)
            symbols = tuple(sorted((*symbols, *made), key=lambda s: (s.start, -s.end)))
            exports = (*exports, ("default", "", "default"))
    imports = tuple(sorted((*outside, *found.imports), key=lambda one: one.line))
    return Outline(symbols, imports, exports)


def _sources(data: bytes) -> list[tuple[int, re.Match[bytes]]]:
    found = []
    for match in _SCRIPT.finditer(data):
        source = _SRC.search(match["attributes"]) if match["attributes"] is not None else None
        # A bare name is a file beside this one, as everywhere in markup; URLs are not
        # files.
        if source and source[1].startswith((b".", b"@/", b"~/")):
            found.append((match.start(), source))
    return found


def _is_component(statement: Node) -> bool:
    return statement.type in ("lexical_declaration", "expression_statement") and (
        "defineProps" in text_of(statement)
    )
