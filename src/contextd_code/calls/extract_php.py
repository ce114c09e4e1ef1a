"""Extract the scopes, names and calls of a PHP file. Variables keep their `$`, to distinguish them from
classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from contextd_code.calls.call_facts import NOTHING, RECEIVER, SELF, UNKNOWN, CodeScope, Expr
from contextd_code.calls.file_scope import FileReading
from contextd_code.calls.php_values import (
    called,
    class_named,
    documented,
    made,
    type_of,
    value,
    variable,
)
from contextd_code.index.languages.outline import text_of

_NAMES = frozenset(("name", "qualified_name", "relative_name"))
_NAMED = frozenset(("name", "attr"))
"""The written form of a class: its name alone or after its namespace."""
_PLACES = frozenset(("member_access_expression", "scoped_property_access_expression"))


def _space(reading: FileReading, node: Node) -> None:
    """Bind the namespace from here on: a file may have several."""
    name = text_of(node.child_by_field_name("name"))
    reading.bind("<space>", ("space", name, node.start_byte), 0)


def _import(reading: FileReading, node: Node) -> None:
    """Bind the names of `use`: functions by name, the rest as the first segment of a path."""
    group = node.child_by_field_name("body")
    space = next((one for one in node.named_children if one.type == "namespace_name"), None)
    prefix = text_of(space).strip("\\") + "\\" if group is not None else ""
    whole = any(child.type == "function" for child in node.children)
    for clause in (group or node).named_children:
        if clause.type != "namespace_use_clause":
            continue
        alias = clause.child_by_field_name("alias")
        names = [one for one in clause.named_children if one.type in _NAMES and one != alias]
        if not names:
            continue
        full = prefix + text_of(names[0]).strip("\\")
        around, _, last = full.rpartition("\\")
        if whole or any(child.type == "function" for child in clause.children):
            reading.bind(f"{text_of(alias) or last}()", ("attr", ("space", around), last), 0)
        else:
            reading.bind(f"{text_of(alias) or last}\\", ("space", full), 0)


def _class(reading: FileReading, node: Node) -> None:
    scope = reading.enter("class", text_of(node.child_by_field_name("name")), node)
    body = node.child_by_field_name("body")
    members = body.named_children if body is not None else []
    # A trait precedes the parent class, as in PHP.
    listed = [one for one in members if one.type == "use_declaration"]
    listed += [one for one in node.named_children if one.type.endswith("_clause")]
    for holder in listed:
        for one in holder.named_children:
            if one.type in _NAMES:
                base = class_named(one)
                scope.bases.append(base)
                if base[0] in _NAMED:
                    reading.site("extends", one, base)


def _comment(node: Node) -> dict[str, Expr]:
    """The types in the comment before a node."""
    before = node.prev_sibling
    while before is not None and before.type == "attribute_list":
        before = before.prev_sibling
    text = text_of(before) if before is not None and before.type == "comment" else ""
    return documented(text) if text.startswith("/**") else {}


def _function(reading: FileReading, node: Node) -> None:
    """A function, method or closure: its parameters and return type."""
    scope = reading.enter("function", text_of(node.child_by_field_name("name")), node)
    comment_types = _comment(node)
    owner = reading.own_class()
    listed = node.child_by_field_name("parameters")
    for one in listed.named_children if listed is not None else ():
        _parameter(reading, one, scope, comment_types, owner)
    written = node.child_by_field_name("return_type")
    given = _told(type_of(written), comment_types.get("return", UNKNOWN))
    if given != UNKNOWN or (written is not None and text_of(written) not in ("array", "iterable")):
        scope.annotated = True
        scope.returns.append(given)
    body = node.child_by_field_name("body")
    if node.type == "arrow_function" and not scope.annotated:
        scope.returns.append(value(body))


def _told(written: Expr, comment: Expr) -> Expr:
    """The type in the code, else the one in the comment."""
    return (
        written if written not in (UNKNOWN, NOTHING) else comment if comment != UNKNOWN else written
    )


def _parameter(
    reading: FileReading,
    node: Node,
    scope: CodeScope,
    comment_types: dict[str, Expr],
    owner: int | None,
) -> None:
    name = variable(node.child_by_field_name("name"))
    if not name:
        return
    found = _told(type_of(node.child_by_field_name("type")), comment_types.get(name, UNKNOWN))
    scope.parameters.append(found)
    if node.type == "variadic_parameter":
        scope.is_variadic = True
        found = ("typed", ("of", UNKNOWN, (found,)))
    reading.bind(name, found)
    if node.type == "property_promotion_parameter" and owner is not None:
        reading.bind(name[1:], found, owner)


def _field(reading: FileReading, node: Node) -> None:
    """The properties that a class declares."""
    owner = reading.own_class()
    if owner is None:
        return
    written = type_of(node.child_by_field_name("type"))
    found = _told(written, _comment(node).get("var", UNKNOWN))
    for one in node.named_children:
        name = variable(one.child_by_field_name("name")) if one.type == "property_element" else ""
        if name and (found != UNKNOWN or node.child_by_field_name("type") is not None):
            reading.bind(name[1:], found, owner)


def _case(reading: FileReading, node: Node) -> None:
    owner = reading.own_class()
    if owner is not None:
        reading.bind(text_of(node.child_by_field_name("name")), SELF, owner)


def _assign(reading: FileReading, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    around = node.parent
    comment_types = (
        _comment(around) if around is not None and around.type == "expression_statement" else {}
    )
    name = variable(left) if left.type == "variable_name" else ""
    found = comment_types.get(name, comment_types.get("var", UNKNOWN)) if comment_types else UNKNOWN
    found = found if found != UNKNOWN else value(right)
    if left.type == "list_literal":
        _take_apart(reading, left, found)
    else:
        _set(reading, left, found)


def _take_apart(reading: FileReading, left: Node, found: Expr) -> None:
    """`[$a, $b] = …`."""
    for one in left.named_children:
        for name in _variables(one):
            _bind(reading, name, ("item", found) if found[0] == "of" else UNKNOWN)


def _variables(node: Node) -> Iterator[str]:
    if node.type == "variable_name":
        yield variable(node)
    elif node.type not in _PLACES:
        for one in node.named_children:
            yield from _variables(one)


def _set(reading: FileReading, left: Node, found: Expr) -> None:
    if left.type == "variable_name":
        _bind(reading, variable(left), found)
    elif left.type in _PLACES:
        target = value(left)
        owner = reading.own_class()
        is_own = target[0] == "field" and target[1] in (SELF, ("own_class",))
        if owner is not None and is_own and not _is_declared(reading, owner, str(target[2])):
            reading.bind(str(target[2]), found, owner)


def _bind(reading: FileReading, name: str, found: Expr) -> None:
    """Set a variable: it belongs to the whole function, not to a block."""
    reading.bind(name, found, reading.function)
    for number in reversed(reading.open_):
        if reading.scopes[number].kind != "block":
            return
        if name in reading.scopes[number].bindings:
            reading.bind(name, found, number)


def _is_declared(reading: FileReading, owner: int, name: str) -> bool:
    """Whether the type of a field was declared: the declaration then wins."""
    known = reading.scopes[owner].bindings.get(name, ())
    return any(scope == owner for _, scope in known)


def _loop(reading: FileReading, node: Node) -> None:
    """`foreach ($xs as $k => $x)`."""
    walked, *targets = [one for one in node.named_children if one.type != "comment"]
    given = targets[0] if targets else None
    if given is not None and given.type == "pair":
        _set(reading, given.named_children[0], UNKNOWN)
        given = given.named_children[-1]
    if given is not None and given.type == "by_ref":
        given = given.named_children[0]
    if given is not None and given.type == "list_literal":
        _take_apart(reading, given, UNKNOWN)
    elif given is not None:
        comment_types = _comment(node)
        found = comment_types.get(variable(given), UNKNOWN)
        _set(reading, given, found if found != UNKNOWN else ("item", value(walked)))


def _catch(reading: FileReading, node: Node) -> None:
    name = variable(node.child_by_field_name("name"))
    if name:
        _bind(reading, name, type_of(node.child_by_field_name("type")))


def _narrow(reading: FileReading, node: Node) -> None:
    """The narrowing of a variable by `instanceof` in an `if`, which holds in its block, and after `&&`."""
    around = node.parent
    side = "left" if around is not None and around.type == "binary_expression" else "condition"
    condition = around.child_by_field_name(side) if around is not None else None
    known = dict(_instances(condition))
    if known:
        scope = reading.enter("block", "", node)
        for name, found in known.items():
            scope.bindings[name] = [(found, reading.here)]


def _instances(node: Node | None) -> Iterator[tuple[str, Expr]]:
    if node is None:
        return
    if node.type == "parenthesized_expression":
        yield from _instances(node.named_children[0] if node.named_children else None)
    elif node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = text_of(node.child_by_field_name("operator"))
        if operator in ("&&", "and"):
            yield from _instances(left)
            yield from _instances(right)
        name = variable(left) if operator == "instanceof" else ""
        if name and right is not None and right.type in _NAMES:
            yield name, ("typed", class_named(right))


def _call(reading: FileReading, node: Node) -> None:
    found = called(node)
    named = node.child_by_field_name("name") or node.child_by_field_name("function")
    if found == UNKNOWN or named is None:
        return
    if named.type in ("qualified_name", "relative_name"):
        named = named.named_children[-1]
    listed = node.child_by_field_name("arguments")
    given = listed.named_children if listed is not None else []
    # `f(...)` hands the function on.
    is_handed = any(text_of(one) == "..." for one in given)
    reading.site("use" if is_handed else "call", named, found)


def _new(reading: FileReading, node: Node) -> None:
    named = made(node)
    found = class_named(named)
    if named is None:
        return
    last = named.named_children[-1] if named.type == "qualified_name" else named
    if found[0] in _NAMED:
        reading.site("call", last, found)
    elif found == ("own_class",):
        reading.site("call", last, ("attr", found, "__construct"))


def _constant(reading: FileReading, node: Node) -> None:
    """`Order::class`, which passes a class as a value."""
    first = node.named_children[0] if node.named_children else None
    if first is not None and first.type in _NAMES and text_of(node).endswith("::class"):
        found = class_named(first)
        if found[0] in _NAMED:
            reading.site("use", first, found)


def _listed(reading: FileReading, node: Node) -> None:
    """`[$this, 'method']`, a method reference."""
    elements = [one.named_children[0] for one in node.named_children if one.named_children]
    if len(elements) == 2 and elements[1].type == "string":
        around, name = value(elements[0]), text_of(elements[1])[1:-1]
        if around != UNKNOWN and name.isidentifier():
            reading.site("use", elements[1], ("attr", around, name))


def _return(reading: FileReading, node: Node) -> None:
    scope = reading.scopes[reading.function]
    given = next((one for one in node.named_children if one.type != "comment"), None)
    if given is None or scope.kind != "function" or scope.annotated:
        return
    found = value(given)
    scope.returns.append(RECEIVER if found == SELF else found)


STEPS: dict[str, Callable[[FileReading, Node], None]] = {
    "space": _space,
    "import": _import,
    "class": _class,
    "function": _function,
    "narrow": _narrow,
    "field": _field,
    "case": _case,
    "assign": _assign,
    "loop": _loop,
    "catch": _catch,
    "call": _call,
    "new": _new,
    "constant": _constant,
    "listed": _listed,
    "return": _return,
}
