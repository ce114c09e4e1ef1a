"""Uses of a definition, only in files whose imports reach it, never by name alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Literal

from tree_sitter import Node

from contextd_code.index.languages.go import package_names
from contextd_code.index.languages.table import language_of
from contextd_code.symbols.reference_names import Names, holder_of, names_by_file
from contextd_code.symbols.sources import Sources, SourceText
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

Role = Literal["use", "import"]

_LONGEST_LINE = 200
_QUALIFIER = re.compile(
    r"([\w$]+(?:\s*(?:\?\.|\.|::|->)\s*[\w$]+)*)\s*(?:\?\.|(?<!\.)\.|::|->)\s*\Z"
)
_ARROWS = frozenset(("c", "php"))
"""Families in which a member follows `->`; in others a type or an expression does."""
_SEGMENTS = re.compile(r"\?\.|->|[./:\\]+")
_SPREAD = re.compile(r"\.\.\s*\Z")
_DOTTED = re.compile(r"(?:\?\.|\.|::|->)\s*\Z")
_RETURNS = re.compile(r"->\s*\Z")
_CALLED = re.compile(rb"\s*(?:<[^<>()\n]*>)?\s*[({]")
_ATTRIBUTES = frozenset(
    "attribute_list attribute_item decorator annotation marker_annotation comment".split()
)
_IMPORTING = re.compile(r"import|^use_|^using_|namespace_use")
_NO_CODE = re.compile(r"comment|string|text|regex|char|template_chars")
_TYPE = "type_identifier"
"""Nodes whose parameters do not hide types: `impl Fn(Order)`."""
_FIELD = "field_identifier"
_VALUES = frozenset(("constant", "variable"))
_KEYS = frozenset(("property_identifier", "shorthand_property_identifier_pattern"))
_PATTERN_KEYS = frozenset(("shorthand_property_identifier_pattern",))
_PATTERNS = frozenset(("object_pattern", "array_pattern", "list_splat_pattern"))


@dataclass(frozen=True, slots=True)
class Reference:
    """A line that names the definition.

    Lines count from 1; `text` has no indentation. `start` is the offset of `name`, which an import
    may have renamed.
    """

    path: str
    line: int
    text: str
    role: Role
    start: int = -1
    name: str = ""


def word_uses(
    graph: SymbolGraph,
    sources: Sources,
    definition: Definition,
    among: Callable[[str], bool] | None = None,
    unbound_in: Iterable[str] = (),
) -> Iterator[Reference]:
    """Every line that uses `definition` according to imports, in order of path; optionally in some
    files only.

    Follows aliases, namespaces, re-exports and attribute access on modules. Skips comments, strings
    and parameters of the same name. Types are unknown here, so a method is searched by its name
    after a dot, in the files that use its class. Files of `unbound_in` name it without an import.
    Missing files raise nothing.
    """
    named = names_by_file(graph, definition)
    for path in unbound_in:
        if among is None or among(path):
            names = named.setdefault(path, Names())
            names.plain.add(definition.symbol.name)
            if definition.symbol.parent:
                names.members.add(definition.symbol.name)
    for path, names in sorted(named.items()):
        if among is None or among(path):
            with suppress(ContextdError):
                yield from _in_file(sources, sources.current(path), names, definition)


def using_files(graph: SymbolGraph, definition: Definition) -> tuple[str, ...]:
    """The files that import the definition, or the class of a member, by name."""
    holder = holder_of(graph, definition)
    found = {path for path, _ in graph.users.get(holder.place, ())} if holder else set[str]()
    return tuple(sorted(found))


def _in_file(
    sources: Sources, source: SourceText, names: Names, definition: Definition
) -> list[Reference]:
    wanted = names.all()
    language = language_of(source.file.path)
    present = [name for name in wanted if name.encode() in source.data]
    if language is None or not present or source.unparsed:
        return []
    root = sources.tree(source, language)
    either = "|".join(re.escape(name) for name in sorted(present, key=len, reverse=True))
    word = re.compile(rb"(?<![\w$\x80-\xff])(?:%s)(?![\w$\x80-\xff])" % either.encode())
    # A C definition separate from its declaration names it.
    apart = language.family == "c" and source.file.path != definition.path
    own = set[int]() if apart else _defined_names(root, source, present)
    packages = _package_names(source, names.packages, language.family)
    lines: list[bytes] | None = None
    found: list[Reference] = []
    rows: set[int] = set()
    for match in word.finditer(source.data):
        node = root.descendant_for_byte_range(match.start(), match.end())
        if node is None or (match.start(), match.end()) != (node.start_byte, node.end_byte):
            continue
        row = node.start_point[0]
        # `Two(generic::Two::new())` of Rust names two types on one line.
        is_known = row in rows and language.family != "rust"
        if is_known or match.start() in own or _NO_CODE.search(node.type):
            continue
        if definition.symbol.kind not in _VALUES and _is_key_of_go(node):
            continue
        before = source.data[max(0, node.start_byte - 200) : node.start_byte].decode(
            "utf-8", "replace"
        )
        if language.family not in _ARROWS:
            before = _RETURNS.sub(" ", before)
        role = _role(source.data, node, names, match[0].decode(), packages, before)
        if role:
            lines = source.data.split(b"\n") if lines is None else lines
            text = lines[row].decode("utf-8", "replace").strip()[:_LONGEST_LINE]
            name = match[0].decode()
            rows.add(row)
            found.append(Reference(source.file.path, row + 1, text, role, node.start_byte, name))
    return found


def node_of(sources: Sources, line: Reference) -> Node | None:
    """The node of the name in a line; None where its language has no grammar."""
    language = language_of(line.path)
    if language is None:
        return None
    root = sources.tree(sources.current(line.path), language)
    end = line.start + len(line.name.encode())
    return root.descendant_for_byte_range(line.start, end)


def named_nodes(
    sources: Sources, source: SourceText, name: str, kind: str = ""
) -> Iterator[tuple[Node, Reference]]:
    """Each word of a file that is a name, also in the text of C macros.

    A word that was blanked before parsing comes with the enclosing node. Definitions of the name
    are skipped, optionally those of one kind only.
    """
    language = language_of(source.file.path)
    if language is None or name.encode() not in source.data or source.unparsed:
        return
    root = sources.tree(source, language)
    own = _defined_names(root, source, [name], kind)
    parsed = root.text or b""
    lines = source.data.split(b"\n")
    word = re.compile(rb"(?<![\w$\x80-\xff\"'])%s(?![\w$\x80-\xff\"'])" % re.escape(name.encode()))
    for match in word.finditer(source.data):
        node = root.descendant_for_byte_range(match.start(), match.end())
        if node is None or match.start() in own or _NO_CODE.search(node.type):
            continue
        is_whole = (match.start(), match.end()) == (node.start_byte, node.end_byte)
        # Macros that the grammar does not know are replaced before parsing.
        is_blank = parsed[match.start() : match.end()] != match[0]
        if is_whole or is_blank or node.type == "preproc_arg":
            row = node.start_point[0] if is_whole else source.data.count(b"\n", 0, match.start())
            text = lines[row].decode("utf-8", "replace").strip()[:_LONGEST_LINE]
            yield node, Reference(source.file.path, row + 1, text, "use", match.start(), name)


def _defined_names(
    root: Node, source: SourceText, names: Sequence[str], kind: str = ""
) -> set[int]:
    """Offsets at which the definitions of a file bear one of these names."""
    own: set[int] = set()
    for name in names:
        word = re.compile(rb"(?<![\w$])%s(?![\w$])" % re.escape(name).encode())
        for symbol in source.file.symbols:
            if symbol.name == name and kind in ("", symbol.kind):
                match = word.search(source.data, symbol.start, symbol.end)
                # In `Cart::Cart() {` the first one names the class, in `@value.setter def value` an attribute.
                while match is not None and (
                    source.data.startswith(b"::", match.end())
                    or _is_attribute(root, match.start(), symbol.start)
                ):
                    match = word.search(source.data, match.end(), symbol.end)
                if match is not None:
                    own.add(match.start())
    return own


def _is_attribute(root: Node, at: int, start: int) -> bool:
    """Whether an offset of a definition that starts at `start` belongs to its attributes."""
    node = root.descendant_for_byte_range(at, at + 1)
    while node is not None and node.start_byte >= start:
        if node.type in _ATTRIBUTES:
            return True
        node = node.parent
    return False


def _package_names(source: SourceText, specifiers: set[str], family: str) -> set[str]:
    """The local names of packages: the last part (in Go the last that is not a version), or an
    alias.
    """
    found: set[str] = set()
    for one in specifiers:
        aliases = set(re.findall(rf'(\w+)\s+"{re.escape(one)}"', source.text)) - {"import"}
        if family != "go" or not aliases:
            # Beside `own "m/slog"`, the name `slog` is another package.
            found.add(_SEGMENTS.split(one)[-1])
            found.update(package_names(one) if family == "go" else ())
        found |= aliases
    return found


def _role(
    data: bytes, node: Node, names: Names, name: str, packages: set[str], before: str
) -> Role | None:
    statement = _importing(node)
    if statement is not None:
        first, last = statement.start_point[0] + 1, statement.end_point[0] + 1
        led = any(first <= line <= last for line in names.lines)
        return "import" if led and name in names.imported else None
    if _DOTTED.search(before) and not _SPREAD.search(before):
        if name in names.members:
            return "use"
        found = _QUALIFIER.search(before)
        qualifier = re.sub(r"\s+", "", found[1]) if found else ""
        if name in names.seen and _SEGMENTS.split(qualifier)[-1] in packages:
            return "use"
        return "use" if (qualifier, name) in names.qualified else None
    if name in names.called and _CALLED.match(data, node.end_byte):
        return "use"
    if (
        name not in (names.plain | names.seen) - names.behind
        or node.type in _KEYS
        or _is_keyword(node)
        or _is_set_in_class(node)
        or _is_field_of_go(node)
    ):
        return None
    is_hidden = node.type != _TYPE and _is_shadowed(node, name)
    return None if is_hidden else "use"


def _importing(node: Node) -> Node | None:
    """The outermost import statement around a node."""
    found, around = None, node.parent
    while around is not None and around.parent is not None:
        passes_on = around.type == "export_statement" and around.child_by_field_name("source")
        if passes_on or _IMPORTING.search(around.type):
            found = around
        around = around.parent
    return found


def _is_keyword(node: Node) -> bool:
    """Whether it names a parameter of the called function: `f(name=1)`."""
    parent = node.parent
    if parent is None or parent.type not in ("keyword_argument", "named_argument"):
        return False
    name = parent.child_by_field_name("name")
    return name is not None and name.id == node.id


def _is_set_in_class(node: Node) -> bool:
    """Whether the body of a Python class gives it a value: a member, whatever has the name outside."""
    parent = node.parent
    if parent is None or parent.type != "assignment" or parent.child_by_field_name("left") != node:
        return False
    body = parent.parent.parent if parent.parent is not None else None
    return body is not None and body.parent is not None and body.parent.type == "class_definition"


def _is_field_of_go(node: Node) -> bool:
    """Whether it names a field of a struct type without a name: `[]struct{ size int }`."""
    parent = node.parent
    return parent is not None and parent.type == "field_declaration" and node.type == _FIELD


def _is_key_of_go(node: Node) -> bool:
    """Whether it is a key in a literal: a field, as functions and types are no keys of maps."""
    element = (
        node.parent if node.parent is not None and node.parent.type == "literal_element" else None
    )
    pair = element.parent if element is not None else None
    return pair is not None and pair.type == "keyed_element" and pair.named_children[0] == element


def _is_shadowed(node: Node, name: str) -> bool:
    """Whether an enclosing function has a parameter of this name."""
    around: Node | None = node.parent
    while around is not None:
        listed = around.child_by_field_name("parameters") or around.child_by_field_name("parameter")
        if listed is not None and _binds(listed, name.encode()):
            return True
        around = around.parent
    return False


def _binds(parameters: Node, name: bytes) -> bool:
    if parameters.text is None or name not in parameters.text:
        return False
    if parameters.type == "identifier":
        return parameters.text == name
    for one in parameters.named_children:
        bound = one
        for field_name in ("pattern", "name", "left"):
            bound = one.child_by_field_name(field_name) or bound
        if one.type.startswith("typed_parameter") and one.named_children:
            bound = one.named_children[0]
        inner = bound.named_children if bound.type in _PATTERNS else []
        if any(each.text == name for each in [bound, *inner]):
            return True
    return False
