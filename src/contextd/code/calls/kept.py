"""What files say of their calls, in the form that is kept of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from contextd.code.calls.facts import SLOT, CodeScope, FileFacts, Site
from contextd.domain.code import FileCalls

MEMBER, BASE, FIELD = ".", "<", ":"
"""How a word begins that stands behind a dot, one that a type is built on, and a field that a function is
put in.
"""

_MEMBERS = frozenset({"attr", "field"})

_READERS = (
    *("csharp_values", "expressions", "expressions_c", "extract", "extract_c", "extract_csharp"),
    *("extract_functions", "extract_java", "extract_php", "extract_rust", "php_values"),
    *("facts", "file_reading", "kept", "queries"),
)


@cache
def reader() -> str:
    """Which reading of calls this is: another one once a line of it differs."""
    state = hashlib.blake2b(digest_size=12)
    for name in _READERS:
        state.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return state.hexdigest()


def kept(path: str, digest: str, facts: FileFacts | None) -> FileCalls:
    """The facts of a file whose content has a digest; None where its calls are not understood."""
    names = "" if facts is None else " ".join(sorted(set(words_in(facts))))
    return FileCalls(
        path=path, digest=digest, reader=reader(), names=names, facts=_plain(facts) if facts else ()
    )


def words_in(facts: FileFacts) -> Iterator[str]:
    """The last names of the sites of a file and of what its classes are built on, marked. None has a
    space.
    """
    for site in facts.sites:
        yield f"{MEMBER if site.target[0] in _MEMBERS else ''}{site.target[-1]}"
    for scope in facts.scopes:
        yield from (f"{BASE}{name}" for name in base_names(scope) if " " not in name)
    for name in facts.scopes[0].bindings if facts.scopes else ():
        if name.startswith(SLOT):
            yield f"{FIELD}{name[len(SLOT) :]}"


def base_names(scope: CodeScope) -> Iterator[str]:
    """The last names of what a class is built on."""
    for base in scope.bases:
        yield str((base[1] if base[0] == "of" else base)[-1])


def facts_in(digest: str, kept_facts: tuple[Any, ...]) -> FileFacts | None:
    """What `kept` was given."""
    if not kept_facts:
        return None
    scopes, sites = kept_facts
    return FileFacts(digest, tuple(_scopes(scopes)), tuple(Site(*one) for one in sites))


_OF_SCOPE = tuple(one.name for one in fields(CodeScope))
_LISTS = frozenset(_OF_SCOPE).intersection(("bases", "returns", "parameters"))


def _plain(facts: FileFacts) -> tuple[Any, ...]:
    scopes = tuple(
        tuple(_plain_value(name, getattr(one, name)) for name in _OF_SCOPE) for one in facts.scopes
    )
    sites = tuple((one.kind, one.target, one.line, one.start, one.scope) for one in facts.sites)
    return scopes, sites


def _plain_value(name: str, value: Any) -> Any:
    if name == "bindings":
        return tuple((local, tuple(found)) for local, found in value.items())
    return tuple(value) if name in _LISTS else value


def _scopes(rows: Iterable[tuple[Any, ...]]) -> Iterator[CodeScope]:
    for row in rows:
        scope = dict(zip(_OF_SCOPE, row, strict=True))
        scope["bindings"] = {local: list(found) for local, found in scope["bindings"]}
        scope.update({name: list(scope[name]) for name in _LISTS})
        yield CodeScope(**scope)
