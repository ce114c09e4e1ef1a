"""Global names of TypeScript, visible without an import: `declare global`, and scripts of declarations."""

from __future__ import annotations

import posixpath
import re
from contextlib import suppress

from tree_sitter import Node

from contextd_code.calls.scope_layout import CodeLayout
from contextd_code.index.languages.table import language_of
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.tree.word_lines import lines_naming
from contextd_common.errors import ContextdError

_SECONDS = 3.0
_GLOBAL = re.compile(rb"declare\s+global\b")
_SCRIPTS = (".d.ts", ".d.mts", ".d.cts")
_MODULE = frozenset(("import_statement", "export_statement"))
_NAME = re.compile(r"[\w$]+")


def files_seeing(layout: CodeLayout, sources: Sources, one: Definition) -> list[str]:
    """The other files that refer to a definition by its bare name, in order of path; empty when it needs an
    import. A file that imports or defines the name itself refers to its own.
    """
    name = one.symbol.name
    if not _NAME.fullmatch(name) or not is_ambient(layout, sources, one):
        return []
    files = [path for path in layout.graph.files if layout.family(path) == "ecmascript"]
    suffixes = {posixpath.splitext(path)[1] for path in files}
    found: set[str] = set()
    with suppress(OSError, TimeoutError):
        for path, _ in lines_naming(sources.root, [name], suffixes, _SECONDS):
            found.add(path)
    return sorted(
        path for path in found.intersection(files) if not _is_bound(layout, sources, path, name)
    )


def is_ambient(layout: CodeLayout, sources: Sources, one: Definition) -> bool:
    """Whether a definition is visible in every file of the program."""
    language = language_of(one.path)
    if language is None or one.symbol.parent or layout.family(one.path) != "ecmascript":
        return False
    try:
        source = sources.current(one.path)
    except ContextdError:
        return False
    is_script = one.path.endswith(_SCRIPTS)
    if source.unparsed or not (is_script or _GLOBAL.search(source.data)):
        return False
    root = sources.tree(source, language)
    if is_script and not any(child.type in _MODULE for child in root.named_children):
        return True
    node: Node | None = root.descendant_for_byte_range(one.symbol.start, one.symbol.start + 1)
    while node is not None:
        if node.type == "ambient_declaration" and _GLOBAL.match(node.text or b""):
            return True
        node = node.parent
    return False


def _is_bound(layout: CodeLayout, sources: Sources, path: str, name: str) -> bool:
    imports = layout.graph.files[path].imports
    if any((local or inner) == name for one in imports for inner, local in one.names):
        return True
    own = layout.held(path, "").get(name)
    return own is not None and not is_ambient(layout, sources, own)
