"""Parse schema.yaml. Each mistake becomes a problem with its line; the rest is loaded."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, get_args

import yaml

from contextd.domain.kind import Field, FieldType, Kind
from contextd.domain.problems import FileProblem
from contextd.schema.model import VERSION, ContextType, Origin
from contextd_common.errors import Invalid, nearest
from contextd_common.files.yaml_text import compose, explained

FIELD_TYPES: tuple[FieldType, ...] = get_args(FieldType)
MOST_TYPES, MOST_FIELDS = 200, 100

_NAME = re.compile(r"[^\W\d][\w-]{0,63}")
_SPELLED: dict[str, FieldType] = {
    "str": "string", "text": "string", "list": "string[]", "strings": "string[]",
    "array": "string[]", "list[string]": "string[]", "[string]": "string[]", "int": "number",
    "integer": "number", "float": "number", "bool": "boolean", "choice": "enum", "date": "string",
}  # fmt: skip
"""Common spellings of field types, and their canonical names."""


def parse_schema(
    text: str, file: str, origin: Origin
) -> tuple[dict[str, ContextType], list[FileProblem]]:
    """The valid types of a schema.yaml, and every problem in line order."""
    parser = _Parser(file, origin)
    try:
        parser.document(compose(text))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        parser.broken(text, error)
    return parser.types, sorted(parser.problems, key=lambda problem: problem.line)


class _Parser:
    """One pass over a file that collects types and problems."""

    def __init__(self, file: str, origin: Origin) -> None:
        self._file, self._origin = file, origin
        self.types: dict[str, ContextType] = {}
        self.problems: list[FileProblem] = []
        self._where = ""

    def document(self, root: yaml.Node | None) -> None:
        """Read a whole file."""
        if root is None or _is_null(root):
            return
        if not isinstance(root, yaml.MappingNode):
            self._say(root, "the file must be a mapping", "start with `version: 1` and `types:`")
            return
        for name, key, value in self._pairs(root, "the file"):
            if name == "version":
                self._version(value)
            elif name == "types":
                self._all_types(value)
            else:
                hint = nearest(name, ["version", "types"]) or "a schema has `version` and `types`"
                self._say(key, f"unknown key {name!r}", hint)

    def broken(self, text: str, error: Exception) -> None:
        """Parse the readable parts of a file with invalid YAML: each type separately."""
        for line, block in _blocks(text):
            try:
                node = compose("\n" * (line - 1) + block)
            except (yaml.YAMLError, ValueError, RecursionError) as wrong:
                self._syntax(wrong, line)
                continue
            if isinstance(node, yaml.MappingNode):
                self._all_types(node)
        if not any(problem.message.startswith("not YAML") for problem in self.problems):
            self._syntax(error, 0)

    def _syntax(self, error: Exception, line: int) -> None:
        at, what = explained(error)
        hint = "indent with spaces, and quote text that contains `: `, ` #` or, within braces, `[]`"
        self.problems.append(FileProblem(self._file, at or line, f"not YAML: {what}", hint))

    def _version(self, node: yaml.Node) -> None:
        if str(node.value) != str(VERSION):
            self._say(node, f"version {node.value!s:.20} is unknown", f"write `version: {VERSION}`")

    def _all_types(self, node: yaml.Node) -> None:
        if _is_null(node):
            return
        if not isinstance(node, yaml.MappingNode):
            self._say(
                node, "`types` must be a mapping", "write each type as `name:` with its fields"
            )
            return
        for name, key, value in self._pairs(node, "types"):
            self._where = name
            if not _NAME.fullmatch(name):
                self._say(key, f"{name!r} is not a valid type name", "use letters, digits, _ and -")
            elif len(self.types) >= MOST_TYPES:
                self._say(key, f"more than {MOST_TYPES} types", "remove some; this one is ignored")
                return
            elif not isinstance(value, yaml.MappingNode):
                hint = "give it `description:` and `fields:`"
                self._say(key, f"type {name!r} must be a mapping", hint)
            else:
                self.types[name] = self._type(name, key, value)

    def _type(self, name: str, key: yaml.Node, node: yaml.MappingNode) -> ContextType:
        description, fields, partial = "", dict[str, Field](), False
        for part, at, value in self._pairs(node, f"type {name!r}"):
            if part == "description":
                description = self._text(value, f"the description of {name!r}")
            elif part == "fields":
                fields, partial = self._fields(name, value)
            else:
                hint = nearest(part, ["description", "fields"])
                self._say(
                    at,
                    f"type {name!r}: unknown key {part!r}",
                    hint or "a type has `description` and `fields`; fields go below `fields:`",
                )
                partial = True
        line = key.start_mark.line + 1
        return ContextType(name, description, fields, self._origin, line, partial)

    def _fields(self, name: str, node: yaml.Node) -> tuple[dict[str, Field], bool]:
        found: dict[str, Field] = {}
        if _is_null(node):
            return found, False
        if not isinstance(node, yaml.MappingNode):
            self._say(
                node, f"the fields of {name!r} must be a mapping", "write `field: {type: string}`"
            )
            return found, True
        for field, key, value in self._pairs(node, f"the fields of {name!r}"):
            self._where = where = f"{name}.{field}"
            if not _NAME.fullmatch(field):
                self._say(
                    key, f"{field!r} is not a valid field name", "use letters, digits, _ and -"
                )
            elif len(found) >= MOST_FIELDS:
                self._say(
                    key, f"{name!r} has more than {MOST_FIELDS} fields", "split it into two types"
                )
                break
            elif isinstance(value, yaml.MappingNode):
                made = self._field(where, key, value)
                if made is not None:
                    found[field] = made
            else:
                word = _word(value)
                kind = word if word in FIELD_TYPES else _SPELLED.get(word.lower()) or "string"
                hint = f"write `{field}: {{type: {kind}}}`"
                self._say(key, f"field {where} must be a mapping", hint)
        return found, len(found) < len(node.value)

    def _field(self, where: str, key: yaml.Node, node: yaml.MappingNode) -> Field | None:
        parts = {part: (at, value) for part, at, value in self._pairs(node, f"field {where}")}
        known = ("type", "required", "identifies", "description", "values", "default")
        for part, (at, _) in parts.items():
            if part not in known:
                hint = nearest(part, known) or "known keys: " + ", ".join(known)
                self._say(at, f"field {where}: unknown key {part!r}", hint)
        kind = self._field_type(where, key, parts.get("type"))
        if kind is None:
            return None
        values = self._values(where, key, kind, parts.get("values"))
        if kind == "enum" and not values:
            return None
        required, identifies, description = False, False, ""
        if "required" in parts:
            required = self._flag(where, "required", parts["required"][1])
        if "identifies" in parts:
            identifies = self._flag(where, "identifies", parts["identifies"][1])
        if "description" in parts:
            description = self._text(parts["description"][1], f"the description of {where}")
        field = Field(kind, required, description, values, identifies=identifies)
        if "default" not in parts:
            return field
        default = self._default(where, field, parts["default"][1])
        return replace(field, default=default)

    def _field_type(
        self, where: str, key: yaml.Node, entry: tuple[yaml.Node, yaml.Node] | None
    ) -> FieldType | None:
        if entry is None:
            self._say(
                key, f"field {where} has no type", "add `type: string`, or another of " + _types
            )
            return None
        node = entry[1]
        # Unquoted `string[]` is text in YAML, but `[string]` is a list.
        listed = isinstance(node, yaml.SequenceNode)
        word = f"[{', '.join(map(_word, node.value))}]" if listed else _word(node)
        for kind in FIELD_TYPES:
            if word == kind:
                return kind
        meant = _SPELLED.get(word.lower()) or ""
        hint = f"did you mean {meant!r}?" if meant else nearest(word, FIELD_TYPES)
        self._say(node, f"field {where}: unknown type {word!r}", hint or "types: " + _types)
        return None

    def _values(
        self,
        where: str,
        key: yaml.Node,
        kind: FieldType,
        entry: tuple[yaml.Node, yaml.Node] | None,
    ) -> tuple[str, ...]:
        if kind != "enum":
            if entry is not None:
                self._say(
                    entry[0], f"field {where}: only an enum has `values`", "write `type: enum`"
                )
            return ()
        node = entry[1] if entry else key
        # The source text: YAML would read `[yes, no]` as booleans.
        words = [_word(part) for part in node.value] if isinstance(node, yaml.SequenceNode) else []
        if not words or not all(words):
            self._say(node, f"enum {where} has no values", "write `values: [one, two]`")
            return ()
        return tuple(dict.fromkeys(words))

    def _flag(self, where: str, name: str, node: yaml.Node) -> bool:
        value = _value(node)
        if not isinstance(value, bool):
            self._say(node, f"field {where}: `{name}` is {_word(node)!r}", "write true or false")
        return value is True

    def _default(self, where: str, field: Field, node: yaml.Node) -> Any:
        value = _word(node) if field.type == "enum" else _value(node)
        if field.type == "string" and isinstance(node, yaml.ScalarNode) and value is not None:
            value = node.value
        if isinstance(value, float) and not math.isfinite(value):
            value = str(value)
        try:
            Kind("", "", "", {"default": field}).check({"default": value})
        except Invalid as error:
            problem = error.details["fields"]["default"]
            if problem != "required":
                self._say(node, f"field {where}: the default {problem}", "fix it or remove it")
            return None
        return value

    def _text(self, node: yaml.Node, what: str) -> str:
        if isinstance(node, yaml.ScalarNode):
            return "" if _is_null(node) else " ".join(node.value.split())
        self._say(node, f"{what} must be text", "write it on one line, in quotes")
        return ""

    def _pairs(
        self, node: yaml.MappingNode, what: str
    ) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
        seen: set[str] = set()
        outer = self._where
        try:
            yaml.constructor.SafeConstructor().flatten_mapping(node)
        except yaml.YAMLError as error:
            self._syntax(error, node.start_mark.line + 1)
        for key, value in node.value:
            self._where = outer
            name = _word(key)
            if name in seen:
                self._say(key, f"duplicate {name!r} in {what}", "keep one; the first is used")
            elif not name:
                self._say(
                    key, f"a key of {what} is not a valid name", "use letters, digits, _ and -"
                )
            else:
                seen.add(name)
                yield name, key, value
        self._where = outer

    def _say(self, node: yaml.Node, message: str, hint: str) -> None:
        line = node.start_mark.line + 1
        self.problems.append(FileProblem(self._file, line, message, hint, self._where))


_types = ", ".join(FIELD_TYPES)


def _word(node: yaml.Node) -> str:
    return str(node.value)[:200] if isinstance(node, yaml.ScalarNode) else ""


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")


def _value(node: yaml.Node) -> Any:
    try:
        return yaml.constructor.SafeConstructor().construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError):
        return object()


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each type of a file, split by indentation only."""
    lines = text.splitlines()
    start = next((i + 1 for i, line in enumerate(lines) if re.match(r"types:\s*(#.*)?$", line)), 0)
    body: Sequence[str] = lines[start:] if start else ()
    first = next((line for line in body if line.strip() and not line.lstrip().startswith("#")), "")
    indent = len(first) - len(first.lstrip(" "))
    if not indent:
        return
    heads = [i for i, line in enumerate(body) if re.match(rf" {{{indent}}}[^\s#]", line)]
    for head, end in zip(heads, [*heads[1:], len(body)], strict=True):
        yield start + head + 1, textwrap.dedent("\n".join(body[head:end]))
