"""Paths and module statements of Rust, read from text: what both the outline and the resolver say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd_common.dataclass import dataclass

Segments = tuple[str, ...]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_PART = re.compile(r"(?:r#)?(\w+)|[{},*]")
_PLACE = re.compile(r'\bpath\s*=\s*"([^"]+)"')
_TOKEN = re.compile(
    r'''//[^\n]*|/\*.*?\*/|\bb?r(?P<hashes>\#+)".*?"(?P=hashes)|\bb?r"[^"]*"|"(?:\\.|[^"\\])*"'''
    r"""|'(?:\\[^\n']+|[^'\\\n])'"""
    r"|\#!?\[(?P<attribute>[^\]\n]*\bpath\s*=\s*\"[^\"]+\"[^\]\n]*)\]"
    r"|\bmod\s+(?:r\#)?(?P<module>\w+)\s*(?P<end>[;{])"
    r"|(?:^|(?<=[\s;{}]))use\s(?P<use>[^;]*);"
    r"|\bextern\s+crate\s+(?P<crate>\w+(?:\s+as\s+\w+)?)\s*;"
    r"|\b(?!macro_rules\b)\w+!\s*(?P<macro>\{)|(?P<brace>[{}])",
    re.S | re.M,
)


@dataclass(frozen=True, slots=True)
class UseStatement:
    """A statement about modules. `nest` are the inline modules around it; `kind` is `file` for
    `mod name;`, `inline` for `mod name { … }`, `use` for a tree of names. `places` are what
    `#[path]` gives.
    """

    kind: str
    nest: Segments
    text: str
    places: tuple[str, ...] = ()


def leaves(tree: str) -> Iterator[tuple[Segments, str]]:
    """(path, local name) of each name a `use` binds; a path that ends in `*` binds all names."""
    around: list[Segments] = []
    here: Segments = ()
    local = ""
    aliased = False
    for part in _PART.finditer(_COMMENT.sub(" ", tree) + ","):
        word = part[1] or part[0]
        if word == "{":
            around.append(here)
        elif word in (",", "}"):
            start = around[-1] if around else ()
            if len(here) > len(start):
                yield _leaf(here, local)
            if word == "}" and around:
                around.pop()
                here = ()
            else:
                here = start
            local, aliased = "", False
        elif word == "as" and part[1]:
            aliased = True
        elif aliased:
            local = word
        else:
            here = (*here, word)


def _leaf(path: Segments, local: str) -> tuple[Segments, str]:
    if path[-1] == "self" and len(path) > 1:
        path = path[:-1]
    return path, local or path[-1]


def seen_from_file(path: Segments, nest: Segments) -> Segments:
    """A path written inside the inline modules `nest` as the file's own module would write it."""
    if path[0] == "self":
        return ("self", *nest, *path[1:])
    if path[0] != "super":
        return path
    ups = next((n for n, word in enumerate(path) if word != "super"), len(path))
    rest = path[ups:]
    if ups <= len(nest):
        return ("self", *nest[: len(nest) - ups], *rest)
    return (*("super",) * (ups - len(nest)), *rest)


def places_of(attribute: str) -> tuple[str, ...]:
    """The files a `#[path = "…"]` names, behind `cfg_attr` too."""
    return tuple(_PLACE.findall(attribute))


def statements(text: str) -> Iterator[UseStatement]:
    """The module statements of a file outside functions; macros that wrap items are looked into."""
    open_: list[str | None] = []
    places: tuple[str, ...] = ()
    for token in _TOKEN.finditer(text):
        if token["attribute"]:
            places += places_of(token["attribute"])
            continue
        nest = tuple(name for name in open_ if name)
        plain = None not in open_
        if token["module"]:
            if plain and token["end"] == ";":
                yield UseStatement("file", nest, token["module"], places)
            elif plain:
                yield UseStatement("inline", nest, token["module"], places)
            if token["end"] == "{":
                open_.append(token["module"])
            places = ()
        elif token["use"] and plain:
            yield UseStatement("use", nest, token["use"])
        elif token["crate"] and plain:
            yield UseStatement("use", nest, token["crate"])
        elif token["macro"]:
            # `cfg_net! { mod tcp; }` wraps items that are there all the same.
            open_.append("")
        elif token["brace"] == "{":
            open_.append(None)
            places = ()
        elif token["brace"] == "}" and open_:
            open_.pop()


def defines(text: str) -> Iterator[tuple[str, ...]]:
    """What a file says of modules and names, each as (kind, modules around it, places, text)."""
    for one in statements(text):
        yield one.kind, "::".join(one.nest), " ".join(one.places), one.text
