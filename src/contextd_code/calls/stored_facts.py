"""The storage format of call facts."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextd_code.calls.call_facts import SLOT, CodeScope, FileFacts, Site
from contextd_code.values.source import FileCalls

MEMBER, BASE, FIELD = ".", "<", ":"
"""Prefixes of stored words: a member after a dot, a base type, and a field to which a function is assigned."""

_MEMBERS = frozenset({"attr", "field"})

_READERS = (
    *(
        "conditions_c",
        "csharp_values",
        "expressions",
        "expressions_c",
        "extract",
        "extract_c",
        "extract_csharp",
    ),
    *(
        "extract_ecmascript",
        "extract_functions",
        "extract_java",
        "extract_php",
        "extract_rust",
        "php_values",
    ),
    *("call_facts", "file_scope", "queries", "stored_facts"),
)


@cache
def reader() -> str:
    """The version of the extraction: it changes with every line of the code below."""
    state = hashlib.blake2b(digest_size=12)
    for name in _READERS:
        state.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return state.hexdigest()


def kept(path: str, digest: str, facts: FileFacts | None) -> FileCalls:
    """The facts of a file whose content has a digest; None for an unsupported language."""
    names = "" if facts is None else " ".join(sorted(set(words_in(facts))))
    return FileCalls(
        path=path, digest=digest, reader=reader(), names=names, facts=_plain(facts) if facts else ()
    )


def words_in(facts: FileFacts) -> Iterator[str]:
    """The last names of a file's sites and of its base classes, with their prefixes. No word contains a space."""
    for name, sites in facts.by_name.items():
        yield from {f"{MEMBER if site.target[0] in _MEMBERS else ''}{name}" for site in sites}
    for scope in facts.scopes:
        yield from (f"{BASE}{name}" for name in base_names(scope) if " " not in name)
    for name in facts.scopes[0].bindings if facts.scopes else ():
        if name.startswith(SLOT):
            yield f"{FIELD}{name[len(SLOT) :]}"


def base_names(scope: CodeScope) -> Iterator[str]:
    """The last names of a class's bases."""
    for base in scope.bases:
        yield str((base[1] if base[0] == "of" else base)[-1])


def facts_in(digest: str, kept_facts: tuple[Any, ...]) -> FileFacts | None:
    """Load stored facts. The sites of a name, and the contents of a scope, are unpacked on request: most
    queries need one name and few scopes of a file.
    """
    if not kept_facts:
        return None
    scopes, sites = kept_facts
    return FileFacts(digest, tuple(_PackedScope(*row) for row in scopes), _PackedSites(sites))


_INNER = ("bindings", "bases", "returns", "parameters")
_OUTER = tuple(one.name for one in fields(CodeScope) if one.name not in _INNER)


class _PackedScope(CodeScope):
    """A scope whose lists are unpacked on first access."""

    __slots__ = ("_packed",)

    def __init__(self, packed: bytes, *outer: Any) -> None:
        # The lists stay unset, so that Python calls `__getattr__` below.
        self._packed = packed
        for name, value in zip(_OUTER, outer, strict=True):
            setattr(self, name, value)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in _INNER:
                raise AttributeError(name)
            for inner, value in zip(_INNER, marshal.loads(self._packed), strict=True):
                setattr(self, inner, value)
            return getattr(self, name)


class _PackedSites(Mapping[str, Sequence[Site]]):
    """Sites by name, unpacked per name on first access."""

    def __init__(self, packed: Mapping[str, bytes]) -> None:
        self._packed = packed
        self._known: dict[str, list[Site]] = {}

    def __getitem__(self, name: str) -> Sequence[Site]:
        known = self._known.get(name)
        if known is None:
            rows = marshal.loads(self._packed[name])
            known = self._known[name] = [Site(*row) for row in rows]
        return known

    def __contains__(self, name: object) -> bool:
        return name in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


def _plain(facts: FileFacts) -> tuple[Any, ...]:
    """Text, numbers and bytes. The bytes are marshalled too: the store that keeps them vouches for them, see
    `calls_row` of the store.
    """
    scopes = tuple(
        (
            marshal.dumps(tuple(getattr(one, name) for name in _INNER)),
            *(getattr(one, name) for name in _OUTER),
        )
        for one in facts.scopes
    )
    sites = {
        name: marshal.dumps([(s.kind, s.target, s.line, s.start, s.scope) for s in some])
        for name, some in facts.by_name.items()
    }
    return scopes, sites
