"""Extract functions, closures, parameters and type parameters."""

from __future__ import annotations

from tree_sitter import Node

from contextd_code.calls.call_facts import OWN_OBJECT, RECEIVER, SELF, UNKNOWN, CodeScope, Expr
from contextd_code.calls.expressions import typed, value
from contextd_code.calls.extract_ecmascript import is_nested
from contextd_code.calls.extract_rust import bind_pattern
from contextd_code.calls.file_scope import FileReading
from contextd_code.index.languages.outline import text_of

_WALKS = frozenset(
    """forEach map filter find findIndex some every flatMap findLast anyMatch allMatch noneMatch
    ifPresent removeIf peek sort mapToInt for_each any all filter_map flat_map find_map position
    max_by_key min_by_key sort_by_key inspect take_while skip_while partition retain and_then
    is_some_and""".split()
)
"""Methods that pass each element of an iteration to a function."""
_PAIRING = frozenset(("sort", "toSorted", "reduce", "reduceRight"))
"""Methods that do so with the function's second parameter."""
_TAKING = frozenset(("call_expression", "method_invocation", "new_expression"))
"""Nodes that receive functions as arguments."""
PATTERNS = frozenset(("identifier", "property_identifier", "field_identifier", "type_identifier"))
_PLACES = frozenset(
    """subscript subscript_expression index_expression attribute member_expression
    selector_expression field_access array_access field_expression""".split()
)
"""Targets whose assignment binds no name: `self.seen[key] = x` says nothing of `self`."""
_PROPERTIES = ("property", "cached_property", "computed_field")

_BOUND = frozenset(("identifier", "shorthand_property_identifier_pattern"))


def _name_of(node: Node) -> str:
    """The name of a function, or of the variable that holds it."""
    name = text_of(node.child_by_field_name("name"))
    parent = node.parent
    if not name and parent is not None and parent.type in ("variable_declarator", "pair"):
        name = text_of(parent.child_by_field_name("name") or parent.child_by_field_name("key"))
    if not name and parent is not None and parent.type.endswith("field_definition"):
        name = text_of(parent.child_by_field_name("name"))
    return name


def function(reading: FileReading, node: Node) -> None:
    """A function or method: its parameters, and its declared return type."""
    name = _name_of(node)
    above = reading.here
    in_class = reading.scopes[above].kind == "class"
    is_local = reading.scopes[above].kind in ("function", "block")
    if is_local and node.child_by_field_name("name") is not None:
        reading.bind(name, ("defined", node.start_byte))
    scope = reading.enter("function", name, node)
    type_parameters(reading, node)
    decorators = _decorators(node)
    scope.is_static = "staticmethod" in decorators
    scope.is_fixture = "fixture" in decorators
    scope.is_property = any(one in _PROPERTIES for one in decorators) or any(
        child.type == "get" for child in node.children
    )
    _parameters(reading, node, scope, decorators)
    scope.is_call = node.type == "call_signature"
    if node.type == "method_signature" and in_class and not is_nested(node):
        reading.bind(name, ("signature", node.start_byte), above)
    single = node.child_by_field_name("parameter")
    if single is not None:
        reading.bind(text_of(single), _handed(node, 0))
    if reading.family == "python" and (scope.is_fixture or name.startswith("test")):
        _fixtures(reading, node.child_by_field_name("parameters"))
    written = (
        node.child_by_field_name("return_type")
        or node.child_by_field_name("result")
        or (node.child_by_field_name("type") if reading.family == "java" else None)
    )
    if written is not None:
        scope.annotated = True
        several = written.type == "parameter_list"
        scope.returns.append(
            _predicate(written) or (_results(written) if several else typed(written))
        )
    body = node.child_by_field_name("body")
    if node.type == "arrow_function" and body is not None and body.type != "statement_block":
        scope.returns.append(returned(body))


def _parameters(reading: FileReading, node: Node, scope: CodeScope, decorators: list[str]) -> None:
    in_class = reading.scopes[scope.parent].kind == "class"
    receiver = node.child_by_field_name("receiver")
    for listed in (receiver, node.child_by_field_name("parameters")):
        for position, one in enumerate(listed.named_children if listed is not None else ()):
            _parameter(reading, one, node, position, decorators, in_class)
            written = one.child_by_field_name("type")
            if listed != receiver and one.type != "self_parameter":
                scope.parameters.append(typed(written) if written is not None else UNKNOWN)
            scope.is_variadic |= one.type == "spread_parameter"


def type_parameters(reading: FileReading, node: Node) -> None:
    """The bounds of type parameters."""
    listed = node.child_by_field_name("type_parameters")
    where = next((one for one in node.named_children if one.type == "where_clause"), None)
    for holder in (listed, where):
        for one in holder.named_children if holder is not None else ():
            named = one.child_by_field_name("name") or one.child_by_field_name("left")
            named = named or next(iter(one.named_children), None)
            if named is None or named.type not in PATTERNS:
                continue
            bounds = one.child_by_field_name("bounds") or one.child_by_field_name("constraint")
            if bounds is None and reading.family == "java":
                bounds = next((c for c in one.named_children if c.type == "type_bound"), None)
            if bounds is None and reading.family == "go":
                bounds = one.child_by_field_name("type")
            written = bounds.named_children if bounds is not None else []
            types = tuple(value(each) for each in written if each.type != "lifetime")
            reading.bind(f"<{text_of(named)}>", ("bounds", types))


def _handed(node: Node, number: int) -> Expr:
    """The parameter of a function without declared types, inferred from its position: passed to an iteration,
    such as `xs.map(x => …)`, to a function with a declared callback type, or assigned to a typed variable.
    """
    around = node.parent
    if around is None:
        return UNKNOWN
    if around.type in ("variable_declarator", "public_field_definition"):
        written = around.child_by_field_name("type")
        return ("declared", value(written), number) if written is not None else UNKNOWN
    around = around.parent
    if around is None or around.type not in _TAKING:
        return UNKNOWN
    listed = [
        one for one in around.children_by_field_name("arguments") if node in one.named_children
    ]
    called = value(around)
    if not listed or called[0] not in ("call", "new"):
        return UNKNOWN
    position = listed[0].named_children.index(node)
    inner = called[1]
    handed = ("handed", inner, position, number)
    if inner[0] != "attr" or position:
        return handed
    if number == 0 and inner[2] == "then":
        # A promise represents its result.
        return ("bounds", (inner[1], handed))
    if number == 0 and inner[2] == "forEach":
        # For a map it is the value, as in `at` of both.
        return ("bounds", (("call", ("attr", inner[1], "at")), handed))
    is_walk = inner[2] in (_WALKS if number == 0 else _PAIRING if number == 1 else ())
    return ("bounds", (("item", inner[1]), handed)) if is_walk else handed


def closure(reading: FileReading, node: Node) -> None:
    """A closure of Rust or a lambda of Java."""
    reading.enter("block", "", node)
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return
    if listed.type == "identifier":
        reading.bind(text_of(listed), _handed(node, 0))
        return
    for number, one in enumerate(listed.named_children):
        written = one.child_by_field_name("type")
        inner = one.child_by_field_name("pattern") or one.child_by_field_name("name") or one
        found = typed(written) if written is not None else _handed(node, number)
        if reading.family == "rust":
            bind_pattern(reading, inner, found)
        else:
            reading.bind(text_of(inner), found)


def _fixtures(reading: FileReading, parameters: Node | None) -> None:
    """Fixtures that pytest passes by parameter name."""
    for one in parameters.named_children if parameters is not None else ():
        bound = reading.scopes[reading.here].bindings.get(text_of(one))
        if one.type == "identifier" and bound == [(UNKNOWN, reading.here)]:
            fixture = ("fixture", text_of(one))
            reading.site("call", one, fixture)
            bound[:] = [(("given", fixture), reading.here)]


def _results(node: Node) -> Expr:
    """The return values of a Go function."""
    written = [
        one.child_by_field_name("type")
        for one in node.named_children
        for _ in one.children_by_field_name("name") or (one,)
    ]
    if len(written) == 1:
        return typed(written[0])
    return ("several", tuple(typed(one) for one in written))


def _predicate(written: Node) -> Expr | None:
    """The type guard `x is T` of the argument; None for an ordinary return type."""
    inner = written.named_children[0] if written.named_children else None
    if inner is None or inner.type != "type_predicate":
        return None
    return ("guard", value(inner.child_by_field_name("type")))


def _decorators(node: Node) -> list[str]:
    parent = node.parent
    if parent is None or parent.type != "decorated_definition":
        return []
    found = (
        value(child.named_children[0])
        for child in parent.named_children[:-1]
        if child.named_children
    )
    return [str((one[1] if one[0] == "call" else one)[-1]) for one in found]


def _parameter(
    reading: FileReading,
    node: Node,
    function: Node,
    position: int,
    decorators: list[str],
    in_class: bool,
) -> None:
    """Bind a parameter to its type."""
    if node.type == "self_parameter":
        reading.bind("self", SELF)
        return
    if node.type == "spread_parameter":
        declared = next((one for one in node.named_children if "declarator" in one.type), None)
        type_ = next((one for one in node.named_children if one.type != "modifiers"), None)
        if declared is not None:
            held = ("typed", ("of", UNKNOWN, (value(type_),)))
            reading.bind(text_of(declared.child_by_field_name("name")), held)
        return
    if reading.family == "rust":
        found = typed(node.child_by_field_name("type"))
        bind_pattern(reading, node.child_by_field_name("pattern"), found)
        return
    named = (
        node.child_by_field_name("pattern")
        or node.child_by_field_name("name")
        or (node.named_children[0] if node.type == "typed_parameter" else node)
    )
    name = text_of(named)
    bare = reading.family == "python" and position == 0 and in_class and node.type == "identifier"
    if bare and "staticmethod" not in decorators:
        is_class = "classmethod" in decorators or name == "cls"
        reading.bind(name, ("own_class",) if is_class else SELF)
        return
    written = node.child_by_field_name("type")
    if named.type not in PATTERNS:
        found = typed(written) if written is not None else _handed(function, position)
        bind_parts(reading, named, found, written)
        return
    found = typed(written) if written is not None else UNKNOWN
    if written is None and reading.family == "ecmascript":
        found = _handed(function, position)
    default = node.child_by_field_name("value")
    if written is None and default is not None:
        made = value(default)
        found = made if made[0] == "new" else UNKNOWN
    reading.bind(name, found)
    owner = reading.own_class()
    is_field = any(one.type in ("accessibility_modifier", "readonly") for one in node.children)
    if owner is not None and is_field:
        reading.bind(name, found, owner)


def bind_parts(
    reading: FileReading, pattern: Node, found: Expr, written: Node | None = None
) -> None:
    """Bind the names of a pattern to the parts of a value."""
    if pattern.type == "object_pattern":
        bind_properties(reading, pattern, found, written)
    elif pattern.type == "array_pattern":
        bind_elements(reading, pattern, found)
    else:
        for inner in bound_names(pattern):
            reading.bind(inner, UNKNOWN)


def bind_properties(
    reading: FileReading, pattern: Node, found: Expr, written: Node | None = None
) -> None:
    """Bind the names in `{ a, b: c, d = 1 }` to properties of an object, or to their declared types."""
    types = _property_types(written)
    for one in pattern.named_children:
        if one.type == "object_assignment_pattern":
            one = one.child_by_field_name("left") or one
        key = text_of(one.child_by_field_name("key") or one)
        bound = one.child_by_field_name("value") if one.type == "pair_pattern" else one
        of_key = types.get(key, ("attr", found, key) if found != UNKNOWN else UNKNOWN)
        if bound is not None and bound.type in _BOUND:
            reading.bind(text_of(bound), of_key)
        else:
            bind_parts(reading, bound or one, of_key)


def bind_elements(reading: FileReading, pattern: Node, found: Expr) -> None:
    """Bind the names in `[a, , { b }, c = 1]` to elements of an array."""
    number = 0
    for one in pattern.children:
        number += one.type == ","
        part = ("part", found, number) if found != UNKNOWN else UNKNOWN
        bound = one.child_by_field_name("left") if one.type == "assignment_pattern" else one
        if bound is None or not one.is_named:
            continue
        if bound.type == "identifier":
            reading.bind(text_of(bound), part)
        else:
            bind_parts(reading, bound, part)


def _property_types(written: Node | None) -> dict[str, Expr]:
    listed = written.named_children[0] if written is not None and written.named_children else None
    if listed is None or listed.type != "object_type":
        return {}
    return {
        text_of(one.child_by_field_name("name")): typed(one.child_by_field_name("type"))
        for one in listed.named_children
        if one.type == "property_signature"
    }


def bound_names(node: Node) -> list[str]:
    """The names that a pattern binds."""
    kinds = ("identifier", "shorthand_property_identifier_pattern")
    if node.type in kinds:
        return [text_of(node)]
    if node.type in _PLACES:
        return []
    return [name for child in node.named_children for name in bound_names(child)]


def returned(node: Node) -> Expr:
    """The return value of a function that returns this expression."""
    inner = node.named_children[0] if node.type == "parenthesized_expression" else node
    if inner.type == "this":
        return RECEIVER
    return OWN_OBJECT if inner.type == "object" else value(node)
