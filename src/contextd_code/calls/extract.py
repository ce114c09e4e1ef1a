"""Extract the scopes, names and calls of one file from its syntax tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from contextd_code.calls import extract_csharp, extract_go, extract_php, extract_python
from contextd_code.calls.call_facts import (
    NOTHING,
    SELF,
    UNKNOWN,
    CodeScope,
    Expr,
    FileFacts,
    by_name,
)
from contextd_code.calls.expressions import name_node, typed, value, with_type_arguments
from contextd_code.calls.extract_c import STEPS as C_STEPS
from contextd_code.calls.extract_ecmascript import (
    caught,
    default_export,
    is_nested,
    lexical,
    narrow,
)
from contextd_code.calls.extract_functions import (
    PATTERNS,
    bind_parts,
    closure,
    function,
    returned,
    type_parameters,
)
from contextd_code.calls.extract_java import anonymous, components, construct, pattern, reference
from contextd_code.calls.extract_rust import (
    arm,
    implementation,
    let,
    macros,
    variants,
    walk,
)
from contextd_code.calls.file_scope import FileReading
from contextd_code.calls.queries import QUERIES
from contextd_code.index.languages.language import captures, parsed
from contextd_code.index.languages.outline import text_of
from contextd_code.index.languages.table import BY_NAME, language_of

_NAMED = frozenset(
    """identifier attribute member_expression selector_expression field_access
    scoped_identifier""".split()
)
"""The name of a definition represents it."""
_BARE = frozenset(("ClassVar", "Final"))
"""Annotations of Python that leave the type to the value."""
_SEVERAL = frozenset(("expression_list", "pattern_list", "tuple_pattern"))


def facts_of(path: str, language_name: str, data: bytes, digest: str) -> FileFacts | None:
    """Extract the call facts of a file; None for an unsupported language."""
    language = language_of(path)
    row = BY_NAME.get(language_name)
    query = QUERIES.get(row.family if row is not None else "")
    if language is None or row is None or query is None or language.embedded is not None:
        return None
    root = parsed(language, data).root_node
    wanted = query.get(language_name, query[""])
    found = captures(language.grammar, wanted, root)
    every = [(node, name) for name, listed in found.items() for node in listed]
    if row.family == "rust":
        every += macros(language, wanted, data, root)
    steps = _STEPS_OF.get(row.family, _STEPS)
    order = {name: number for number, name in enumerate(steps)}
    nodes = sorted(
        every,
        key=lambda pair: (pair[0].start_byte, -pair[0].end_byte, order[pair[1]]),
    )
    reading = FileReading(row.family)
    reading.scopes.append(CodeScope("module", "", 0, len(data), -1))
    reading.open_.append(0)
    try:
        for node, name in nodes:
            reading.leave_before(node.start_byte)
            steps[name](reading, node)
    except RecursionError:
        # A generated chain of a thousand calls and fields.
        return None
    reading.sites.sort(key=lambda site: site.start)
    return FileFacts(digest, tuple(reading.scopes), by_name(reading.sites))


def _class(reading: FileReading, node: Node) -> None:
    name = text_of(node.child_by_field_name("name"))
    if reading.scopes[reading.here].kind in ("function", "block"):
        reading.bind(name, ("defined", node.start_byte))
    scope = reading.enter("class", name, node)
    type_parameters(reading, node)
    listed = node.child_by_field_name("superclasses")
    bases = list(listed.named_children) if listed is not None else []
    for child in node.named_children:
        if child.type in ("class_heritage", "superclass", "super_interfaces", "extends_interfaces"):
            bases += _heritage(child)
        elif child.type == "trait_bounds":
            bases += [one for one in child.named_children if one.type != "lifetime"]
        elif child.type == "extends_type_clause":
            bases += child.children_by_field_name("type")
    for base in bases:
        found = with_type_arguments(base, base.parent or base)
        if base.type != "keyword_argument" and found != UNKNOWN:
            scope.bases.append(found)
            head = found[1] if found[0] == "of" else found
            reading.site("extends", name_node(base), head)


def _impl(reading: FileReading, node: Node) -> None:
    implementation(reading, node)
    type_parameters(reading, node)


def _heritage(node: Node) -> list[Node]:
    """The types that a class extends or implements."""
    if node.type in ("extends_clause",):
        return node.children_by_field_name("value")
    clauses = ("extends_clause", "implements_clause", "type_list")
    found: list[Node] = []
    for child in node.named_children:
        found += _heritage(child) if child.type in clauses else [child]
    return found


def _block(reading: FileReading, node: Node) -> None:
    reading.enter("block", "", node)


def _alias(reading: FileReading, node: Node) -> None:
    """`type Name = …`."""
    name = text_of(node.child_by_field_name("name"))
    found = value(node.child_by_field_name("type") or node.child_by_field_name("value"))
    # The type of an object is read as a class.
    if found[0] not in ("unknown", "object"):
        reading.bind(f"={name}", found)


def _assign(reading: FileReading, node: Node) -> None:
    """Bind the left side to the value on the right, or to the declared type."""
    left = (
        node.child_by_field_name("left")
        or node.child_by_field_name("name")
        or node.child_by_field_name("pattern")
        or node.child_by_field_name("property")
        or node.child_by_field_name("declarator")
    )
    if left is None:
        return
    right = node.child_by_field_name("right") or node.child_by_field_name("value")
    written = node.child_by_field_name("type")
    if left.type == "variable_declarator":
        right = left.child_by_field_name("value")
        left = left.child_by_field_name("name") or left
        if text_of(written) == "var":
            written = None
    if right is not None and text_of(written).rpartition(".")[2] in _BARE:
        written = None
    found = typed(written) if written is not None else value(right) if right else UNKNOWN
    if right is not None and right.type in _NAMED:
        reading.site("use", right)
    if node.type == "variable_declarator" and right is None and written is None:
        # `let x;` gets its type from a later assignment.
        found = NOTHING
    lefts = [left]
    if node.type == "assignment_expression" and _is_declared(reading, left):
        return
    if left.type in _SEVERAL:
        _bind_each(reading, left.named_children, value(right))
        return
    if reading.family == "go" and node.type == "var_spec":
        lefts = node.children_by_field_name("name")
    for one in lefts:
        if node.type == "assignment_expression" and one.type == "identifier":
            # It declares nothing, except in Python.
            reading.bind(text_of(one), found, reading.declaring(text_of(one)))
        else:
            _bind_left(reading, one, found)


def _is_declared(reading: FileReading, left: Node) -> bool:
    """Whether the target's type was declared before: the declaration then wins."""
    if reading.family == "java":
        return True
    for number in reversed(reading.open_):
        known = reading.scopes[number].bindings.get(text_of(left))
        if known is not None and reading.scopes[number].kind != "class":
            return bool(known) and all(found[0] == "typed" for found, _ in known)
    return False


def _bind_each(reading: FileReading, lefts: Sequence[Node], found: Expr) -> None:
    """Bind several names to the parts of a value."""
    is_starred = any(one.type == "list_splat_pattern" for one in lefts)
    for number, left in enumerate(lefts):
        part = found if len(lefts) == 1 else ("part", found, number)
        _bind_left(reading, left, UNKNOWN if is_starred else part)


def _bind_left(reading: FileReading, left: Node, found: Expr) -> None:
    if left.type in PATTERNS or left.type == "private_property_identifier":
        reading.bind(text_of(left), found)
        return
    target = value(left)
    if target[0] == "attr":
        owner = reading.own_class()
        if owner is not None and _is_self(reading, target[1]):
            reading.bind(str(target[2]), found, owner)
        return
    bind_parts(reading, left, found)


def _is_self(reading: FileReading, found: Expr) -> bool:
    if found == SELF:
        return True
    if found[0] != "name":
        return False
    for number in reversed(reading.open_):
        bound = reading.scopes[number].bindings.get(str(found[1]))
        if bound is not None:
            return [one for one, _ in bound] == [SELF]
    return False


def _field(reading: FileReading, node: Node) -> None:
    """A field that a class, struct or interface declares."""
    owner = reading.own_class()
    if owner is None or reading.here != owner or is_nested(node):
        return
    if reading.family == "go" and node.child_by_field_name("name") is None:
        base = value(node.child_by_field_name("type") or node.named_children[0])
        reading.scopes[owner].bases.append(base)
        # An embedded type is also a field, with the name of its type.
        if base[0] in ("name", "attr"):
            reading.bind(str(base[-1]), ("typed", base))
        return
    _assign(reading, node)


def _loop(reading: FileReading, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    found = ("item", value(right))
    if reading.family == "go":
        # The first one is a number or a key.
        for one in left.named_children[1:]:
            _bind_left(reading, one, found)
    elif left.type in _SEVERAL:
        _bind_each(reading, left.named_children, found)
    else:
        _bind_left(reading, left, found)


def _with(reading: FileReading, node: Node) -> None:
    pattern = node.child_by_field_name("value")
    if pattern is None or pattern.type != "as_pattern":
        return
    alias = pattern.child_by_field_name("alias")
    target = alias.named_children[0] if alias is not None and alias.named_children else None
    if target is not None:
        _bind_left(reading, target, ("entered", value(pattern.named_children[0])))


def _call(reading: FileReading, node: Node) -> None:
    if node.type == "method_invocation":
        called = value(node)[1]
        name = node.child_by_field_name("name")
        if name is not None:
            reading.site("call", name, called)
    else:
        callee = (
            node.child_by_field_name("function")
            or node.child_by_field_name("constructor")
            or node.child_by_field_name("type")
            or node.child_by_field_name("name")
        )
        if callee is not None and callee.type in ("generic_type", "index_expression"):
            callee = callee.child_by_field_name("type") or callee.named_children[0]
        if callee is None:
            return
        found = value(callee)
        if found[0] == "of":
            found = found[1]
        if callee.type == "super":
            found = ("attr", ("super",), "constructor")
        reading.site("call", callee, found)
    given = node.child_by_field_name("arguments")
    for one in given.named_children if given is not None else ():
        passed = one.child_by_field_name("value") if one.type == "keyword_argument" else one
        if passed is not None and passed.type in _NAMED:
            reading.site("use", passed)


def _return(reading: FileReading, node: Node) -> None:
    scope = reading.scopes[reading.function]
    given = next((one for one in node.named_children if one.type != "comment"), None)
    if given is None:
        return
    if given.type in _NAMED:
        reading.site("use", given)
    if scope.kind == "function" and not scope.annotated:
        scope.returns.append(returned(given))


def _yield(reading: FileReading, node: Node) -> None:
    scope = reading.scopes[reading.function]
    scope.is_generator = True
    if scope.kind == "function" and not scope.annotated and node.named_children:
        scope.returns.append(("of", UNKNOWN, (value(node.named_children[0]),)))


def _decorator(reading: FileReading, node: Node) -> None:
    inner = node.named_children[0] if node.named_children else None
    if inner is not None and inner.type in _NAMED:
        reading.site("call", inner)


def _element(reading: FileReading, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None and (name.type != "identifier" or text_of(name)[:1].isupper()):
        reading.site("call", name)


def _annotation(reading: FileReading, node: Node) -> None:
    """The types that are written: a change of one of them affects everything typed with it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        found = value(one) if one.type != "string" else UNKNOWN
        if one.type in _NAMED or one.type in ("type_identifier", "nested_type_identifier"):
            if found != NOTHING:
                reading.site("use", one)
        else:
            waiting += one.named_children


def _pair(reading: FileReading, node: Node) -> None:
    given = node.child_by_field_name("value")
    if given is not None and given.type in _NAMED:
        reading.site("use", given)


def _mention(reading: FileReading, node: Node) -> None:
    """A member that is named and not called: passed on, compared, assigned, or a property that is read."""
    if name_node(node).start_byte not in reading.named:
        reading.site("use", node)


_STEPS: dict[str, Callable[[FileReading, Node], None]] = {
    # First, so that nodes at the same offset belong to the block.
    "lexical": lexical,
    "caught": caught,
    "narrow": narrow,
    "case": extract_go.case,
    "default": default_export,
    "class": _class,
    "impl": _impl,
    "anonymous": anonymous,
    "components": components,
    "variants": variants,
    "function": function,
    "lambda": closure,
    "arm": arm,
    "walk": walk,
    "block": _block,
    "alias": _alias,
    "let": let,
    "pattern": pattern,
    "construct": construct,
    "reference": reference,
    "decorator": _decorator,
    "field": _field,
    "assign": _assign,
    "loop": _loop,
    "with": _with,
    "call": _call,
    "return": _return,
    "yield": _yield,
    "element": _element,
    "annotation": _annotation,
    "pair": _pair,
    "mention": _mention,
    **C_STEPS,
}
_STEPS_OF = {
    "csharp": extract_csharp.STEPS,
    "php": extract_php.STEPS,
    "python": {
        "rest": extract_python.narrow_rest,
        **_STEPS,
        "narrow": extract_python.narrow,
        "import": extract_python.imported,
    },
}
"""Families with extraction steps of their own."""
