"""Values and types of PHP in the form of call facts, from code and from doc comments."""

from __future__ import annotations

import re
from collections.abc import Callable
from sys import intern

from tree_sitter import Node

from contextd_code.calls.call_facts import NOTHING, PARENT, RECEIVER, SELF, UNKNOWN, Expr
from contextd_code.calls.expressions import either
from contextd_code.index.languages.outline import text_of

OWN_CLASS: Expr = ("own_class",)
_WORDS: dict[str, Expr] = {
    "self": OWN_CLASS,
    "static": OWN_CLASS,
    "parent": ("class_of", PARENT),
    "null": NOTHING,
    "void": NOTHING,
    "never": NOTHING,
}
_SCALARS = frozenset(
    """array bool boolean callable class-string false float int integer iterable key-of list mixed
    non-empty-string numeric object resource scalar string true value-of positive-int double
    non-empty-array non-empty-list array-key""".split()
)
_LISTS = frozenset(
    "array iterable list non-empty-array non-empty-list Traversable Iterator Generator".split()
)
_TAG = re.compile(r"@(?:phpstan-|psalm-)?(param|return|var)\s+([^\n]*)")
_FUNCTIONS = frozenset(
    ("anonymous_function", "arrow_function", "anonymous_function_creation_expression")
)


def class_named(node: Node | None) -> Expr:
    """The class that a name means where only a class is allowed."""
    written = text_of(node)
    return _class(written) if written else UNKNOWN


def _class(written: str) -> Expr:
    space, slash, plain = written.strip().rpartition("\\")
    if slash and plain:
        # The imports of the file determine the beginning of the path.
        return ("attr", ("types", f"{space}\\"), intern(plain))
    return _WORDS.get(plain.lower(), ("name", intern(plain))) if plain else UNKNOWN


def type_of(node: Node | None) -> Expr:
    """An instance of the type written in a node; scalars have no methods and are left out."""
    if node is None:
        return UNKNOWN
    kind = node.type
    if kind in ("union_type", "optional_type", "disjunctive_normal_form_type", "type_list"):
        return _either([type_of(one) for one in node.named_children])
    if kind == "intersection_type":
        return ("bounds", tuple(type_of(one) for one in node.named_children))
    if kind != "named_type":
        return UNKNOWN
    if text_of(node).lower() == "static":
        return RECEIVER
    found = class_named(node)
    return found if found in (UNKNOWN, NOTHING) else ("typed", found)


def _either(found: list[Expr]) -> Expr:
    known = [one for one in found if one != UNKNOWN]
    return either(known) if known else UNKNOWN


def documented(text: str) -> dict[str, Expr]:
    """The types in a comment, by `return`, `var` or the name of a parameter with its `$`."""
    found: dict[str, Expr] = {}
    for tag, rest in _TAG.findall(text) if "@" in text else ():
        written, after = _split(rest)
        name = re.match(r"\s*(?:&|\.\.\.)*(\$\w+)", after)
        key = name[1] if name and tag != "return" else tag
        if tag != "param" or name:
            known = type_written(written)
            if known != UNKNOWN:
                found[key] = known
    return found


def _split(text: str) -> tuple[str, str]:
    """A type and what follows it."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "<({[") - (letter in ">)}]")
        if letter.isspace() and not depth:
            return text[:at], text[at:]
    return text, ""


def type_written(text: str) -> Expr:
    """An instance of the type written in a comment."""
    return _either([_one_type(part) for part in _parts(text.removeprefix("?"), "|")])


def _one_type(written: str) -> Expr:
    written = written.strip().strip("()")
    if written.endswith("[]"):
        inner = type_written(written[:-2])
        return ("typed", ("of", UNKNOWN, (inner,))) if inner != UNKNOWN else UNKNOWN
    head, _, rest = written.partition("<")
    if head in ("static", "$this"):
        return RECEIVER
    if not re.fullmatch(r"[\\\w]+", head):
        return UNKNOWN
    given = tuple(type_written(one) for one in _parts(rest.rsplit(">", 1)[0], ",")) if rest else ()
    if head.lower() in _SCALARS or head in _LISTS:
        is_list = head in _LISTS and given and given[-1] != UNKNOWN
        return ("typed", ("of", UNKNOWN, given[-1:])) if is_list else UNKNOWN
    found = _class(head)
    return found if found in (UNKNOWN, NOTHING) else ("typed", found)


def _parts(text: str, between: str) -> list[str]:
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "<({[") - (letter in ">)}]")
        if letter == between and not depth:
            found.append("")
        else:
            found[-1] += letter
    return found


def value(node: Node | None) -> Expr:
    """The value of a node."""
    if node is None:
        return UNKNOWN
    read = _FORMS.get(node.type)
    return read(node) if read is not None else UNKNOWN


def variable(node: Node | None) -> str:
    """The name of a variable with its `$`."""
    written = text_of(node)
    return intern(written) if re.fullmatch(r"\$\w+", written) else ""


def _variable(node: Node) -> Expr:
    name = variable(node)
    return SELF if name == "$this" else ("name", name) if name else UNKNOWN


def _last(node: Node) -> str:
    named = node.child_by_field_name("name")
    plain = named is not None and named.type in ("name", "variable_name")
    return intern(text_of(named).removeprefix("$")) if plain else ""


def _property(node: Node) -> Expr:
    name = _last(node)
    return ("field", value(node.child_by_field_name("object")), name) if name else UNKNOWN


def _holder(node: Node | None) -> Expr:
    """The expression before `::`."""
    if node is None:
        return UNKNOWN
    if node.type in ("name", "qualified_name", "relative_scope", "relative_name"):
        written = text_of(node).lower()
        if written == "parent":
            return PARENT
        return SELF if written == "static" else class_named(node)
    return value(node)


def _static_property(node: Node) -> Expr:
    name = _last(node)
    return ("field", _holder(node.child_by_field_name("scope")), name) if name else UNKNOWN


def _constant(node: Node) -> Expr:
    children = node.named_children
    if len(children) != 2:
        return UNKNOWN
    around = _holder(children[0])
    return around if text_of(children[1]) == "class" else ("field", around, text_of(children[1]))


def called(node: Node) -> Expr:
    """The target of a call; unknown when the callee is not a name."""
    if node.type == "function_call_expression":
        return _function(node.child_by_field_name("function"))
    name = _last(node)
    if not name:
        return UNKNOWN
    if node.type == "scoped_call_expression":
        return ("attr", _holder(node.child_by_field_name("scope")), name)
    return ("attr", value(node.child_by_field_name("object")), name)


def _function(node: Node | None) -> Expr:
    if node is None or node.type not in ("name", "qualified_name", "relative_name"):
        return UNKNOWN
    written = text_of(node)
    space, _, name = written.rpartition("\\")
    if written.startswith("\\"):
        return ("attr", ("space", space.strip("\\")), intern(name))
    if space and not written.lower().startswith("namespace\\"):
        # The imports of the file determine the beginning of the path.
        return ("attr", ("space", f"{space}\\"), intern(name))
    return ("attr", ("space", None), intern(name))


def _call(node: Node) -> Expr:
    found = called(node)
    return found if found == UNKNOWN else ("call", found)


def made(node: Node) -> Node | None:
    """The node that names the class of `new`."""
    kinds = ("name", "qualified_name", "relative_name", "relative_scope")
    return next((one for one in node.named_children if one.type in kinds), None)


def _new(node: Node) -> Expr:
    named = made(node)
    found = class_named(named)
    if text_of(named).lower() == "static":
        return RECEIVER
    return found if found == UNKNOWN else ("new", found)


def _inner(node: Node) -> Expr:
    return value(node.named_children[0]) if node.named_children else UNKNOWN


def _choice(node: Node) -> Expr:
    body = node.child_by_field_name("body") or node.child_by_field_name("condition")
    return either([value(body), value(node.child_by_field_name("alternative"))])


def _operation(node: Node) -> Expr:
    if text_of(node.child_by_field_name("operator")) != "??":
        return UNKNOWN
    sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    return either([value(one) for one in sides])


def _matched(node: Node) -> Expr:
    body = node.child_by_field_name("body")
    arms = body.named_children if body is not None else []
    given = [one.child_by_field_name("return_expression") for one in arms]
    values = [one for one in given if one is not None and one.type != "throw_expression"]
    return either([value(one) for one in values] or [UNKNOWN])


def _listed(node: Node) -> Expr:
    elements = [one.named_children[-1] for one in node.named_children if one.named_children]
    found = [value(one) for one in elements]
    return ("of", UNKNOWN, (either(found),)) if found else UNKNOWN


_FORMS: dict[str, Callable[[Node], Expr]] = {
    "variable_name": _variable,
    "member_access_expression": _property,
    "nullsafe_member_access_expression": _property,
    "scoped_property_access_expression": _static_property,
    "class_constant_access_expression": _constant,
    "member_call_expression": _call,
    "nullsafe_member_call_expression": _call,
    "scoped_call_expression": _call,
    "function_call_expression": _call,
    "object_creation_expression": _new,
    "clone_expression": _inner,
    "parenthesized_expression": _inner,
    "error_suppression_expression": _inner,
    "assignment_expression": lambda node: value(node.child_by_field_name("right")),
    "augmented_assignment_expression": lambda node: value(node.child_by_field_name("right")),
    "conditional_expression": _choice,
    "binary_expression": _operation,
    "match_expression": _matched,
    "array_creation_expression": _listed,
    "subscript_expression": lambda node: ("item", _inner(node)),
    "null": lambda _: NOTHING,
}
