"""Shell scripts: functions, and sourced scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace

from tree_sitter import Node

from contextd_code.index.languages.language import Read, captures
from contextd_code.index.languages.outline import (
    LooseDefinition,
    Outline,
    line_of,
    symbols_of,
    text_of,
)
from contextd_code.values.source import Import

_DEFINITIONS = """
(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @constant) @assignment)
(program (declaration_command (variable_assignment name: (variable_name) @constant)) @assignment)
"""
_COMMANDS = "(command name: (command_name (word) @name)) @command"
_READS_IN = frozenset(("source", "."))
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
_PLACE = re.compile(r"^[\"']?(?:\$\{?\w+\}?|\$\([^)]*\)|`[^`]*`)/")
"""Common prefixes of a sourced script's path: `$DIR/`, `$(dirname "$0")/`."""


def grammar() -> object:
    """The grammar of Bash, which also reads POSIX scripts and most of Zsh."""
    import tree_sitter_bash  # noqa: PLC0415 - loaded where a script is met

    return tree_sitter_bash.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Functions, top-level constants, and sourced scripts."""
    definitions: list[LooseDefinition] = []
    found = captures(grammar, _DEFINITIONS, root)
    for node in found.get("name", ()):
        around = node.parent
        if around is not None:
            body = around.child_by_field_name("body")
            head = body.start_byte if body is not None else 0
            definitions.append(LooseDefinition(text_of(node), "function", around, head, True))
    seen: set[str] = set()
    for node in found.get("constant", ()):
        name = text_of(node)
        around = node.parent
        if around is not None and _CONSTANT.fullmatch(name) and name not in seen:
            seen.add(name)
            definitions.append(LooseDefinition(name, "constant", around))
    return Outline(symbols_of(definitions, data), tuple(_read_in(root)))


def _read_in(root: Node) -> Iterator[Import]:
    for node in captures(grammar, _COMMANDS, root).get("command", ()):
        name = text_of(node.child_by_field_name("name"))
        argument = node.child_by_field_name("argument")
        if name in _READS_IN and argument is not None:
            script_path = _PLACE.sub("./", text_of(argument)).strip("\"'")
            if script_path and "$" not in script_path:
                yield Import(specifier=script_path, line=line_of(node), names=(("*", "*"),))


class ShellResolver:
    """Resolves sourced scripts: beside the file, or from the root."""

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._paths = paths

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with the sourced scripts as targets."""
        here = posixpath.dirname(path)
        return tuple(replace(one, target=self._target(here, one.specifier)) for one in imports)

    def _target(self, here: str, specifier: str) -> str:
        for base in (here, ""):
            path = posixpath.normpath(posixpath.join(base, specifier))
            if path in self._paths:
                return path
        return ""
