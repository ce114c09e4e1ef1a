"""Terraform and other HCL: top-level blocks by their labels, and local values."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace

from tree_sitter import Node

from contextd_code.index.languages.language import ImportReach, Read
from contextd_code.index.languages.outline import (
    LooseDefinition,
    Outline,
    line_of,
    symbols_of,
    text_of,
)
from contextd_code.values.imports import said_words
from contextd_code.values.source import Import

_ABOUT_VALUES = {"variable": "var", "output": "output", "module": "module", "provider": "provider"}
"""Blocks with one label, and the prefix by which expressions name their declarations."""

_ENTRIES = "main.tf", "variables.tf", "outputs.tf"


def grammar() -> object:
    """The grammar of HCL."""
    import tree_sitter_hcl  # noqa: PLC0415 - loaded where such a file is met

    return tree_sitter_hcl.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """The declarations of a file, named as in expressions: `aws_vpc.this`, `var.region`,
    `module.vpc`, `local.tags`.

    The sources of its modules are its imports.
    """
    definitions: list[LooseDefinition] = []
    imports: list[Import] = []
    for block in _blocks(root):
        kind, *labels = _head(block)
        body = next((one for one in block.named_children if one.type == "body"), None)
        start = next((one for one in block.children if one.type == "block_start"), None)
        head = start.start_byte if start is not None else 0
        if kind == "locals" and body is not None:
            definitions += [
                LooseDefinition(text_of(one.named_child(0)), "local", one, 0, True, "local")
                for one in body.named_children
                if one.type == "attribute"
            ]
            continue
        if not labels:
            continue
        within = ".".join(labels[:-1]) or _ABOUT_VALUES.get(kind, "")
        within = f"data.{within}" if kind == "data" else within
        definitions.append(LooseDefinition(labels[-1], kind, block, head, True, within))
        if kind == "module" and body is not None:
            imports += _sources(body)
    return Outline(symbols_of(definitions, data), tuple(imports))


def _blocks(root: Node) -> Iterator[Node]:
    for body in root.named_children:
        if body.type == "body":
            yield from (one for one in body.named_children if one.type == "block")
        elif body.type == "block":
            yield body


def _head(block: Node) -> list[str]:
    """The words before the brace: the block's type and labels."""
    found = []
    for node in block.named_children:
        if node.type == "identifier":
            found.append(text_of(node))
        elif node.type == "string_lit":
            found.append(text_of(node).strip('"'))
        else:
            break
    return found or [""]


def _sources(body: Node) -> Iterator[Import]:
    for one in body.named_children:
        if one.type == "attribute" and text_of(one.named_child(0)) == "source":
            source = text_of(one.named_child(1)).strip().strip('"')
            if source and "${" not in source:
                yield Import(specifier=source, line=line_of(one))


def reach(path: str) -> ImportReach:
    """See `Language.reach`: a module is its folder."""
    if not path.endswith(".tf"):
        return ImportReach()
    folder = posixpath.basename(posixpath.dirname(path))
    return ImportReach(frozenset(said_words(folder)), nameless=True)


class HclResolver:
    """Resolves the folder in `source` to the file of it that is read first."""

    def __init__(self, paths: Collection[str], read: Read) -> None:
        folders: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            if path.endswith(".tf"):
                folders[posixpath.dirname(path)].append(path)
        self._entry = {folder: _first(some) for folder, some in folders.items()}

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        return not any(path.endswith(".tf") for path in came | went)

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with the modules of this project as targets."""
        here = posixpath.dirname(path)
        return tuple(replace(one, target=self._target(here, one.specifier)) for one in imports)

    def _target(self, here: str, specifier: str) -> str:
        if not specifier.startswith("."):
            return ""
        folder = posixpath.normpath(posixpath.join(here, specifier))
        return self._entry.get("" if folder == "." else folder, "")


def _first(paths: Sequence[str]) -> str:
    order = {name: at for at, name in enumerate(_ENTRIES)}
    return min(paths, key=lambda p: (order.get(posixpath.basename(p), len(order)), p))
