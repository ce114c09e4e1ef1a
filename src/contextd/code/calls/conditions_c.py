"""Preprocessor conditions around definitions of C and C++: which system they name, and which alternatives they leave."""

from __future__ import annotations

from contextlib import suppress

from tree_sitter import Node

from contextd.code.calls.linkage import MACRO
from contextd.code.index.languages.outline import text_of
from contextd.code.index.languages.table import language_of
from contextd.code.symbols.sources import Sources
from contextd.code.symbols.symbol_graph import Definition
from contextd.domain.errors import ContextdError
from contextd.domain.regex import regex

_SYSTEMS = regex(
    r"\b(?:_?_?WIN(?:32|64|NT)?|_?_?WIN(?:32|64)_?_?|WINDOWS|_MSC_VER|__MINGW\w+|__CYGWIN__|__APPLE__|__sun|_AIX"
    r"|__hpux|__HAIKU__|__BEOS__|__OS2__|__VMS|VMS|MSDOS|__DJGPP__|_?_?AMIGA\w*|_?_?riscos|UNDER_CE|_WIN32_WCE"
    r"|__MWERKS__|__BORLANDC__|__TURBOC__|__WATCOMC__|__MVS__|__QNX\w*)\b"
)
_ALWAYS = regex(r"!?\s*(?:defined)?\s*\(?\s*__GNUC__\s*\)?")
"""What compilers of the systems that are left define."""
_CONDITIONS = frozenset(("preproc_ifdef", "preproc_if", "preproc_elif"))


def is_for_other_system(node: Node | None) -> bool | None:
    """Tell whether a condition around a node names a system: one that is hardly this one, or that it is not one
    of those (False). None without such a condition.
    """
    here = node
    is_else = False
    marks: set[bool] = set()
    while here is not None:
        if here.type in _CONDITIONS:
            condition = here.child_by_field_name("name") or here.child_by_field_name("condition")
            text = text_of(condition)
            is_not = text.lstrip().startswith("!") or here.children[0].type.endswith("ndef")
            if _SYSTEMS.search(text):
                marks.add(is_not == is_else)
            elif _ALWAYS.fullmatch(text.strip()) and is_not != is_else:
                marks.add(True)
        is_else = here.type in ("preproc_else", "preproc_elif")
        here = here.parent
    return (True in marks) if marks else None


def is_defined_elsewhere(sources: Sources, one: Definition) -> bool:
    """Tell whether a file defines a name for some other system alone."""
    marks = [is_for_other_system(node) for node in _nodes(sources, one)]
    return bool(marks) and all(mark is True for mark in marks)


def is_alternative(sources: Sources, one: Definition) -> bool:
    """Tell whether every definition of a name in its file depends on a condition other than the include guard."""
    nodes = _nodes(sources, one)
    return bool(nodes) and all(_is_conditional(node) for node in nodes)


def _nodes(sources: Sources, one: Definition) -> list[Node]:
    """Where a file defines a name, each time it does."""
    language = language_of(one.path)
    found: list[Node] = []
    with suppress(ContextdError):
        source = sources.current(one.path)
        for each in source.file.symbols if language is not None else ():
            same_home = each.parent == one.symbol.parent or each.kind == MACRO
            if each.name == one.symbol.name and same_home and language is not None:
                tree = sources.tree(source, language)
                node = tree.descendant_for_byte_range(each.start, each.start)
                if node is not None:
                    found.append(node)
    return found


def _is_conditional(node: Node) -> bool:
    here: Node | None = node
    while here is not None:
        if here.type in _CONDITIONS and not _is_guard(here):
            return True
        here = here.parent
    return False


def _is_guard(condition: Node) -> bool:
    """`#ifndef X_H` before `#define X_H`, or `#ifdef __cplusplus`."""
    name = text_of(condition.child_by_field_name("name"))
    if name == "__cplusplus":
        return True
    if condition.type != "preproc_ifdef" or not condition.children[0].type.endswith("ndef"):
        return False
    inner = next((one for one in condition.named_children[1:] if one.type != "comment"), None)
    is_set = inner is not None and inner.type == "preproc_def"
    return is_set and inner is not None and text_of(inner.child_by_field_name("name")) == name
