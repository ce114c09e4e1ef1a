"""Which PHP type or function a name means where namespaces share it."""

from __future__ import annotations

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.scope_layout import FUNCTIONS
from contextd_code.index.languages.outline import text_of
from contextd_code.symbols.references import Reference, node_of
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition

_PATHS = frozenset(("qualified_name", "relative_name"))
_PREFIX = "namespace_name"


def is_other_in_php(calls: CallGraph, sources: Sources, one: Definition, line: Reference) -> bool:
    """Whether a word that imports connect to the definition means something else."""
    if one.symbol.kind in FUNCTIONS:
        # The call graph resolves every call. Nothing but a call names a function.
        return True
    node = node_of(sources, line)
    path = node.parent if node is not None else None
    if path is None:
        return False
    if path.type == _PREFIX:
        return True
    if path.type not in _PATHS or one.symbol.parent:
        return False
    written = calls.layout.full_name(line.path, line.start, text_of(path))
    space = calls.layout.space(one.path, one.symbol.start)
    return written.lower() != f"{space}\\{one.symbol.name}".strip("\\").lower()
