"""Extract C and C++: declarators, methods outside of their class, namespaces, macros and tables of functions."""

from __future__ import annotations

from sys import intern

from tree_sitter import Node

from contextd_code.calls.call_facts import SLOT, UNKNOWN, CodeScope, Expr, Site
from contextd_code.calls.conditions_c import conditions_around, is_for_other_system
from contextd_code.calls.expressions_c import (
    c_typed,
    c_value,
    declared,
    function_declarator,
    last_name,
    parts,
)
from contextd_code.calls.file_scope import FileReading
from contextd_code.index.languages.outline import text_of
from contextd_common.text.regex import regex

NAMESPACE, USING = "<namespace>", "<using>"

ALIASED = "@"
"""Prefix in the bindings of a scope for other names of namespaces."""
ELSEWHERE, HERE = "?", "!"
"""Prefixes in the bindings of a file for names it defines for another platform, and for non-functions."""

_CALLED = regex(rb"(?<![\w.>#])((?:[A-Za-z_]\w*+::)*+)([A-Za-z_]\w*+)[ \t]*+\(")
_ALONE = regex(rb"\s*+([A-Za-z_]\w*+)\s*+")
_WORDS = frozenset(
    """if while for switch sizeof return defined alignof typeof __typeof__ do else case decltype
    noexcept static_assert _Static_assert __attribute__ __asm__ asm catch""".split()
)
_PARAMETERS = frozenset(("parameter_declaration", "optional_parameter_declaration"))
_PLAIN = frozenset(("identifier", "qualified_identifier"))
_BUILT_IN = frozenset(("primitive_type", "sized_type_specifier"))
_LONGEST_MACRO = 20_000


def function(reading: FileReading, node: Node) -> None:
    """A function with a body: its parameters and return type. One defined outside of its class or namespace
    gets a scope for that.
    """
    declarator = function_declarator(node.child_by_field_name("declarator"))
    if declarator is None:
        reading.enter("block", "", node)
        return
    named = declarator.child_by_field_name("declarator")
    before, last = parts(named) if named is not None else ((), None)
    if before:
        reading.enter("class", before[-1], node)
        outer: Expr = ("scoped", before[:-1], before[-1]) if before[1:] else ("name", before[-1])
        reading.bind("<impl>", outer)
    scope = reading.enter("function", text_of(last) if last is not None else "", node)
    _template(reading, node)
    if last is not None and scope.parent == 0:
        _note_system(reading, node, scope.name)
    scope.annotated = True
    _signature(reading, scope, node.child_by_field_name("type"), declarator)


def _note_system(reading: FileReading, node: Node, name: str) -> None:
    """Record a definition under a condition that names a platform."""
    is_elsewhere = is_for_other_system(conditions_around(node))
    if is_elsewhere is not None:
        reading.bind(f"{ELSEWHERE if is_elsewhere else HERE}{name}", ("name", name), 0)


def _signature(
    reading: FileReading, scope: CodeScope, type_: Node | None, declarator: Node
) -> None:
    trailing = next(
        (one for one in declarator.named_children if one.type == "trailing_return_type"), None
    )
    written = next(iter(trailing.named_children), None) if trailing is not None else type_
    if written is not None and written.type == "placeholder_type_specifier":
        scope.annotated = False
    elif (found := c_typed(written)) != UNKNOWN:
        scope.returns.append(found)
    listed = declarator.child_by_field_name("parameters")
    for one in listed.named_children if listed is not None else ():
        if one.type in _PARAMETERS:
            _bind_declared(reading, one, one.child_by_field_name("declarator"), None)
            scope.parameters.append(c_typed(one.child_by_field_name("type")))


def _template(reading: FileReading, node: Node) -> None:
    """The type parameters of a template: they hide types of that name."""
    around = node.parent
    if around is None or around.type != "template_declaration":
        return
    listed = around.child_by_field_name("parameters")
    for one in listed.named_children if listed is not None else ():
        named = next((c for c in one.named_children if c.type.endswith("identifier")), None)
        if named is not None and "type_parameter" in one.type:
            reading.bind(f"<{text_of(named)}>", UNKNOWN)


def class_(reading: FileReading, node: Node) -> None:
    """A class, struct or union with its bases."""
    named = node.child_by_field_name("name")
    if named is None:
        reading.enter("block", "", node)
        return
    _, last = parts(named)
    last = last_name(last) if last is not None else named
    scope = reading.enter("class", text_of(last), node)
    _template(reading, node)
    clause = next((one for one in node.named_children if one.type == "base_class_clause"), None)
    for one in clause.named_children if clause is not None else ():
        found = c_value(one) if one.type != "access_specifier" else UNKNOWN
        if found != UNKNOWN:
            scope.bases.append(found)
            head = found[1] if found[0] == "of" else found
            reading.site("extends", last_name(one), head)


def namespace(reading: FileReading, node: Node) -> None:
    """A namespace, which is a scope with a name."""
    name = text_of(node.child_by_field_name("name")).replace("::", ".")
    reading.enter("block", name, node)
    reading.bind(NAMESPACE, ("name", intern(name)))


def using(reading: FileReading, node: Node) -> None:
    """`using namespace a::b`, `using a::f` and `namespace b = a::b`."""
    at = reading.here
    while reading.scopes[at].parent >= 0 and _is_unnamed(reading.scopes[at]):
        # What stands in a namespace without a name is known around it.
        at = reading.scopes[at].parent
    if node.type == "namespace_alias_definition":
        named = node.child_by_field_name("name")
        *before, last = text_of(node.named_children[-1]).replace(" ", "").split("::")
        reading.bind(f"{ALIASED}{text_of(named)}", ("scoped", tuple(before), last), at)
        return
    found = c_value(next(iter(node.named_children), None))
    if any(one.type == "namespace" for one in node.children):
        reading.bind(USING, found, at)
    elif found[0] == "scoped":
        reading.bind(str(found[2]), found, at)


def _is_unnamed(scope: CodeScope) -> bool:
    return NAMESPACE in scope.bindings and not scope.name


def alias(reading: FileReading, node: Node) -> None:
    """`using T = …` and `typedef … T`."""
    found = c_value(node.child_by_field_name("type"))
    if found == UNKNOWN:
        return
    named = node.child_by_field_name("name")
    declarators = [named] if named is not None else node.children_by_field_name("declarator")
    for one in declarators:
        name, is_function = declared(one)
        if name and not is_function and found != ("name", name):
            reading.bind(f"={name}", found)


def block(reading: FileReading, node: Node) -> None:
    """A block with its own names, including caught exceptions."""
    around = node.parent
    if around is not None and around.type in ("function_definition", "lambda_expression"):
        return
    reading.enter("block", "", node)
    if around is not None and around.type == "catch_clause":
        _parameters(reading, around.child_by_field_name("parameters"))


def lambda_(reading: FileReading, node: Node) -> None:
    """A lambda, whose names are its own."""
    reading.enter("block", "", node)
    declarator = node.child_by_field_name("declarator")
    if declarator is not None:
        _parameters(reading, declarator.child_by_field_name("parameters"))


def _parameters(reading: FileReading, listed: Node | None) -> None:
    for one in listed.named_children if listed is not None else ():
        if one.type in _PARAMETERS:
            _bind_declared(reading, one, one.child_by_field_name("declarator"), None)


def walk(reading: FileReading, node: Node) -> None:
    """`for (auto& x : xs)`."""
    reading.enter("block", "", node)
    walked = c_value(node.child_by_field_name("right"))
    found: Expr = walked if walked == UNKNOWN else ("walked", walked)
    _bind_declared(reading, node, node.child_by_field_name("declarator"), found)


def _bind_declared(
    reading: FileReading, node: Node, declarator: Node | None, value: Expr | None
) -> None:
    """Bind the name of a declarator to its type, or to its initial value with `auto`."""
    if declarator is not None and declarator.type == "structured_binding_declarator":
        for one in declarator.named_children:
            reading.bind(text_of(one), UNKNOWN)
        return
    name, is_function = declared(declarator)
    type_ = node.child_by_field_name("type")
    is_open = type_ is not None and type_.type == "placeholder_type_specifier"
    found = UNKNOWN if is_function else (value or UNKNOWN) if is_open else c_typed(type_)
    # Without a binding, the name would resolve to a function of that name elsewhere.
    reading.bind(name, found if found[0] != "nothing" else UNKNOWN)


def declaration(reading: FileReading, node: Node) -> None:
    """Variables, and the methods of a class that are defined elsewhere."""
    type_ = node.child_by_field_name("type")
    for one in node.children_by_field_name("declarator"):
        inner = function_declarator(one)
        if inner is not None:
            here = reading.scopes[reading.here]
            if here.kind == "class":
                _method(reading, type_, inner)
            elif reading.scopes[reading.function].kind == "function" and not _is_function(
                node, type_, inner
            ):
                # `Reader reader(file);` inside a function declares a variable, not a function.
                reading.bind(declared(inner)[0], c_typed(type_))
                if type_ is not None and type_.type.endswith(("identifier", "template_type")):
                    _called(reading, type_)
            continue
        value = one.child_by_field_name("value") or node.child_by_field_name("value")
        _bind_declared(reading, node, one, c_value(value))
        if value is not None:
            _handed(reading, [value])
        if value is not None and value.type in ("argument_list", "initializer_list") and type_:
            if value.type == "argument_list":
                _handed(reading, value.named_children)
            if type_.type.endswith(("identifier", "template_type")):
                _called(reading, type_)
    field_value = node.child_by_field_name("default_value")
    if field_value is not None:
        _handed(reading, [field_value])


def _is_function(node: Node, type_: Node | None, declarator: Node) -> bool:
    """Whether a declaration inside a function declares a function, as `void run();` does and `Reader reader(file);`
    may not.
    """
    listed = declarator.child_by_field_name("parameters")
    types = [one.child_by_field_name("type") for one in (listed.named_children if listed else ())]
    return (
        not types
        or text_of(type_) == "void"
        or any(one.type == "storage_class_specifier" for one in node.named_children)
        or any(one is not None and one.type in _BUILT_IN for one in types)
    )


def _method(reading: FileReading, type_: Node | None, declarator: Node) -> None:
    named = declarator.child_by_field_name("declarator")
    scope = reading.enter("function", text_of(named), declarator)
    scope.annotated = True
    _signature(reading, scope, type_, declarator)
    reading.open_.pop()


def call(reading: FileReading, node: Node) -> None:
    """`f(x)`, `x.f()`, `new T(x)` and `T{x}`."""
    callee = node.child_by_field_name("function") or node.child_by_field_name("type")
    given = node.child_by_field_name("arguments") or node.child_by_field_name("value")
    if callee is not None:
        _called(reading, callee)
    if given is not None:
        _handed(reading, given.named_children)


def _called(reading: FileReading, callee: Node) -> None:
    found = c_value(callee)
    if found[0] == "of":
        found = found[1]
    reading.site("call", last_name(callee), found)


def initialised(reading: FileReading, node: Node) -> None:
    """The base class constructors called before a constructor's body."""
    named = next(iter(node.named_children), None)
    if named is None:
        return
    found = c_value(named)
    found = found[1] if found[0] == "of" else found
    reading.site("call", last_name(named), found)


def _handed(reading: FileReading, nodes: list[Node]) -> None:
    """Functions that are passed by name."""
    for node in nodes:
        one = node
        if one.type == "pointer_expression" and one.children[0].type == "&":
            one = one.child_by_field_name("argument") or one
        if one.type in _PLAIN and not _is_local(reading, text_of(one)):
            reading.site("use", last_name(one), c_value(one))


def _is_local(reading: FileReading, name: str) -> bool:
    return any(name in reading.scopes[number].bindings for number in reading.open_[1:])


def pair(reading: FileReading, node: Node) -> None:
    """`.open = my_open` in a table of functions."""
    value = node.child_by_field_name("value")
    designator = next(iter(node.children_by_field_name("designator")), None)
    if value is None:
        return
    _handed(reading, [value])
    if designator is not None and designator.type == "field_designator":
        _slot(reading, text_of(designator).lstrip("."), value)


def _slot(reading: FileReading, name: str, value: Node) -> None:
    """Record that a field holds a possible function."""
    if value.type == "pointer_expression":
        value = value.child_by_field_name("argument") or value
    if name and value.type == "identifier" and not _is_local(reading, text_of(value)):
        found = c_value(value)
        if found[0] == "name" and not str(found[1]).isupper():
            reading.bind(f"{SLOT}{name}", found, 0)


def listed(reading: FileReading, node: Node) -> None:
    """`{"name", my_command}` in a table of functions."""
    _handed(reading, node.named_children)


def assign(reading: FileReading, node: Node) -> None:
    """`ops->open = my_open`."""
    right, left = node.child_by_field_name("right"), node.child_by_field_name("left")
    if right is None or left is None:
        return
    _handed(reading, [right])
    if left.type == "field_expression":
        _slot(reading, text_of(last_name(left)), right)


def returned(reading: FileReading, node: Node) -> None:
    """The return value of a function with a deduced type, and functions that are returned."""
    _handed(reading, node.named_children)
    scope = reading.scopes[reading.function]
    if scope.kind == "function" and not scope.annotated and node.named_children:
        scope.returns.append(c_value(node.named_children[0]))


def macro(reading: FileReading, node: Node) -> None:
    """The calls in the text of a macro, which has no tree of its own."""
    value = node.child_by_field_name("value")
    _note_system(reading, node, text_of(node.child_by_field_name("name")))
    if value is None or value.text is None or len(value.text) > _LONGEST_MACRO:
        return
    text = value.text
    listed_ = node.child_by_field_name("parameters")
    own = {text_of(one) for one in listed_.named_children} if listed_ is not None else set()
    row = value.start_point[0] + 1
    if node.type == "preproc_def" and (alone := _ALONE.fullmatch(text)) is not None:
        name = intern(alone[1].decode())
        start = value.start_byte + alone.start(1)
        reading.sites.append(Site("use", ("name", name), row, start, reading.here))
        return
    for found in _CALLED.finditer(text):
        name = intern(found[2].decode())
        if name in own or name in _WORDS:
            continue
        before = tuple(one for one in found[1].decode().split("::") if one)
        target: Expr = ("scoped", before, name) if before else ("name", name)
        line = row + text.count(b"\n", 0, found.start(2))
        start = value.start_byte + found.start(2)
        reading.sites.append(Site("call", target, line, start, reading.here))


STEPS = {
    "c_class": class_,
    "namespace": namespace,
    "c_function": function,
    "c_lambda": lambda_,
    "c_walk": walk,
    "c_block": block,
    "c_alias": alias,
    "using": using,
    "c_declaration": declaration,
    "initialised": initialised,
    "c_assign": assign,
    "c_pair": pair,
    "c_listed": listed,
    "c_call": call,
    "c_return": returned,
    "c_macro": macro,
}
"""The handler of each kind of node, in the order for nodes at the same offset."""
