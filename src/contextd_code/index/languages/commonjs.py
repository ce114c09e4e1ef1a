"""The exports of a CommonJS file: `module.exports = …`, `exports.name = …` and similar forms."""

from __future__ import annotations

from dataclasses import field, replace

from tree_sitter import Node

from contextd_code.index.languages.ecmascript_modules import Modules
from contextd_code.index.languages.outline import LooseDefinition, text_of, unquoted
from contextd_common.dataclass import dataclass

_FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function"))
_WHOLE = ("module.exports", "exports")


@dataclass(slots=True)
class AssignedExports:
    """Exports as in `SourceFile`, definitions named only by their export, and re-exported names by
    specifier.
    """

    exports: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    definitions: list[LooseDefinition] = field(default_factory=list)
    passed_on: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str, specifier: str, inner: str) -> None:
        """Add an export; the last assignment of a name wins."""
        self.exports[f"* {specifier}" if name == "*" else name] = name, specifier, inner
        if specifier:
            self.passed_on.append((specifier, inner))


def assigned_exports(root: Node) -> AssignedExports:
    """The exports by assignments at the top level of a file."""
    found = AssignedExports()
    for statement in root.named_children:
        if statement.type != "expression_statement" or not statement.named_children:
            continue
        left: list[str] = []
        value: Node | None = statement.named_children[0]
        # `exports = module.exports = …` assigns twice.
        while value is not None and value.type == "assignment_expression":
            left.append("".join(text_of(value.child_by_field_name("left")).split()))
            value = value.child_by_field_name("right")
        if value is None:
            continue
        if "module.exports" in left:
            _whole(found, statement, value)
            continue
        for target in left:
            holder, _, name = target.rpartition(".")
            if holder in _WHOLE and name.isidentifier() and name != "exports":
                _named(found, name, statement, value)
    return found


def _whole(found: AssignedExports, statement: Node, value: Node) -> None:
    """`module.exports = value`."""
    specifier = required(value)
    if specifier:
        found.add("default", specifier, "default")
        found.add("*", specifier, "*")
    elif value.type == "object":
        for child in value.named_children:
            _property(found, child)
    elif value.type == "identifier":
        found.add("default", "", text_of(value))
    else:
        name = text_of(value.child_by_field_name("name")) or "default"
        found.add("default", "", name)
        found.definitions.append(_definition(name, statement, value))


def _property(found: AssignedExports, child: Node) -> None:
    if child.type == "shorthand_property_identifier":
        found.add(text_of(child), "", text_of(child))
    elif child.type == "method_definition":
        name = text_of(child.child_by_field_name("name"))
        found.add(name, "", name)
    elif child.type == "pair":
        key = child.child_by_field_name("key")
        value = child.child_by_field_name("value")
        if key is not None and value is not None and key.type != "computed_property_name":
            name = unquoted(key) if key.type == "string" else text_of(key)
            _named(found, name, child, value)
    elif child.type == "spread_element":
        specifier = required(child.named_children[0]) if child.named_children else ""
        if specifier:
            found.add("*", specifier, "*")


def _named(found: AssignedExports, name: str, around: Node, value: Node) -> None:
    """`exports.name = value`, or a pair of an exported object."""
    specifier, inner = _member_of(value)
    if specifier:
        found.add(name, specifier, inner)
    elif value.type == "identifier":
        found.add(name, "", text_of(value))
    else:
        found.add(name, "", name)
        found.definitions.append(_definition(name, around, value))


def _definition(name: str, around: Node, value: Node) -> LooseDefinition:
    body = value.child_by_field_name("body")
    kind = "constant"
    if value.type in _FUNCTIONS:
        kind = "function"
    elif value.type == "class":
        kind = "class"
    long = value.end_byte - value.start_byte > 120
    head = body.start_byte if body is not None else value.start_byte if long else 0
    return LooseDefinition(name, kind, around, head, True)


def required(value: Node) -> str:
    """The specifier of `require("…")`; empty for anything else."""
    if (
        value.type != "call_expression"
        or text_of(value.child_by_field_name("function")) != "require"
    ):
        return ""
    arguments = value.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    return unquoted(first) if first is not None and first.type == "string" else ""


def _member_of(value: Node) -> tuple[str, str]:
    """(specifier, name) of `require("…").name`, or of all of it."""
    specifier = required(value)
    if specifier:
        return specifier, "*"
    if value.type == "member_expression":
        holder = value.child_by_field_name("object")
        specifier = required(holder) if holder is not None else ""
        if specifier:
            return specifier, text_of(value.child_by_field_name("property"))
    return "", ""


def with_assigned(modules: Modules, found: AssignedExports) -> Modules:
    """The imports and exports of a file including those of CommonJS; `export` statements take
    precedence.
    """
    if not found.exports:
        return modules
    passed: dict[str, dict[tuple[str, str], None]] = {}
    for specifier, inner in found.passed_on:
        passed.setdefault(specifier, {})[inner, ""] = None
    imports = []
    for one in modules.imports:
        # The re-exported call binds nothing here, but its names are needed to follow it.
        names = (
            tuple(passed.pop(one.specifier)) if not one.names and one.specifier in passed else ()
        )
        imports.append(replace(one, names=names) if names else one)
    exports = {
        name if name != "*" else f"* {spec}": (name, spec, inner)
        for name, spec, inner in modules.exports
    }
    for key, export in found.exports.items():
        exports.setdefault(key, export)
    return Modules(tuple(imports), tuple(exports.values()))
