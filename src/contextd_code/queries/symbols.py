"""Definitions by name, as they are listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch

from contextd_code.queries.use_counts import UseCount, most_used_first
from contextd_code.symbols.definitions import use_counts
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.values.code_index import CodeIndex
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SymbolHit:
    """A definition. `name` is qualified; `used_by` counts the files that certainly use it, or, where `counted`
    is `imports`, those that import it or its class. `match` says how it was found.
    """

    name: str
    kind: str
    path: str
    line: int
    end_line: int
    signature: str
    exported: bool
    used_by: int
    match: str = "exact"
    counted: str = "uses"

    def as_text(self) -> str:
        """Location, signature and use."""
        files = f"{self.used_by} file{'s' * (self.used_by != 1)}"
        whole = "its type is imported by" if "." in self.name else "imported by"
        used = (
            f" · {'used by' if self.counted == 'uses' else whole} {files}" if self.used_by else ""
        )
        hidden = "" if self.exported or "." in self.name else " · not exported"
        return f"{self.path}:{self.line}-{self.end_line} {self.kind} {self.name}{hidden}{used}\n  {self.signature}"


def in_case(
    found: Sequence[tuple[Definition, str]],
) -> tuple[Sequence[tuple[Definition, str]], int]:
    """Definitions that match, without names in another case if some match exactly; and how many were dropped."""
    if not any(how == "exact" for _, how in found):
        return found, 0
    fitting = [pair for pair in found if pair[1] != "case"]
    return fitting, len(found) - len(fitting)


def asked_name(name: str) -> str:
    """A name as queried, with dots between its parts."""
    asked = name.strip().replace("::", ".").replace("#", ".")
    return asked.removesuffix("()") or asked


def names_asked(name: str) -> list[str]:
    """The names to look for, in order: as queried, then with dots for the slashes of `Class/method`."""
    asked = asked_name(name)
    return list(dict.fromkeys((asked, asked.strip("/").replace("/", "."))))


def is_inside(path: str, wanted: str | None) -> bool:
    """Whether a path is this file, in this folder, or fits this glob."""
    if not wanted:
        return True
    plain = wanted.removeprefix("./").rstrip("/")
    return path == plain or path.startswith(plain + "/") or fnmatch(path, plain)


def symbol_hit(one: Definition, how: str, used_by: int) -> SymbolHit:
    """A definition as it is shown."""
    symbol = one.symbol
    return SymbolHit(
        name=one.qualified,
        kind=symbol.kind,
        path=one.path,
        line=symbol.start_line,
        end_line=symbol.end_line,
        signature=symbol.signature or symbol.name,
        exported=symbol.exported,
        used_by=used_by,
        match=how,
    )


def symbol_hits(
    index: CodeIndex,
    fitting: Sequence[tuple[Definition, str]],
    used: Mapping[Definition, UseCount],
    limit: int,
) -> list[SymbolHit]:
    """The first `limit` definitions, those of the exact name by use. Where uses were not counted, the files that
    import a definition are.
    """
    exact = [one for one, how in fitting if how == "exact"]
    ordered = [
        *((one, "exact") for one in most_used_first(exact, used)),
        *(pair for pair in fitting if pair[1] != "exact"),
    ]
    some = ordered[:limit]
    imported = use_counts(index, [one for one, _ in some if one not in used])
    return [
        symbol_hit(one, how, used[one].files)
        if one in used
        else replace(symbol_hit(one, how, imported.get(one, 0)), counted="imports")
        for one, how in some
    ]
