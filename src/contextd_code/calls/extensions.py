"""Extension functions: declared outside a type and called like its methods."""

from __future__ import annotations

import re
from collections.abc import Collection

from contextd_code.calls.evaluator import Evaluator
from contextd_code.calls.interpretation import (
    NOT_KNOWN,
    OUTSIDE,
    Interpretation,
    Meant,
    joined,
)
from contextd_code.calls.members import takes
from contextd_code.calls.scope_layout import FUNCTIONS, CodeLayout
from contextd_common.dataclass import dataclass

_HIDDEN = re.compile(r"^(?:\[.*\]\s*)?(?:private|static)\b", re.S)
_EXTENDING = frozenset(("csharp",))
"""Families with extension functions."""
_USUAL = frozenset(
    """Add AddRange Append Aggregate All Any AsEnumerable Average Cast Clear Clone Close Compare CompareTo
    Concat Contains ContainsKey CopyTo Count Create Dispose DisposeAsync Distinct ElementAt EndsWith Equals
    Except Find First FirstOrDefault Flush ForEach Format Get GetAsync GetBytes GetEnumerator GetHashCode
    GetString GetType GetValue GroupBy IndexOf Insert Intersect Invoke Join Last LastOrDefault Load Max Min
    MoveNext OfType Open OrderBy Parse Peek Pop Push Read ReadAsync Remove Replace Reset Reverse Run Save
    Select SelectMany Send SendAsync SequenceEqual Set SetValue Single SingleOrDefault Skip Sort Split Start
    StartsWith Stop Substring Sum Take ThenBy ToArray ToDictionary ToList ToLower ToLookup ToString ToUpper
    Trim TryAdd TryGetValue TryParse Union Update Wait Where Write WriteAsync WriteLine Zip""".split()
)
"""Method names of .NET types: an extension of that name is ambiguous."""


@dataclass(frozen=True, slots=True)
class Extensions:
    """Finds the extensions of types, by name."""

    layout: CodeLayout
    evaluator: Evaluator

    def method(
        self, path: str, receiver: Interpretation, name: str, count: int, depth: int
    ) -> Interpretation:
        """An extension function."""
        family = self.layout.family(path)
        if family not in _EXTENDING:
            return OUTSIDE if receiver.outside or receiver.whole else NOT_KNOWN
        sure: list[Meant] = []
        possible: list[Meant] = []
        for one in self.layout.graph.by_name.get(name, ()):
            if self.layout.family(one.path) != family:
                continue
            for where, number in self.layout.scopes_of(one):
                scope = self.layout.scopes(where)[number]
                written = scope.bindings.get("<this>")
                is_near = where == path or not _HIDDEN.search(one.symbol.signature)
                if written is None or not is_near or not takes(scope, count):
                    continue
                extended = joined(
                    self.evaluator.evaluate(where, at, one_type, depth) for one_type, at in written
                )
                meant = Meant("function", one)
                if not extended.meanings:
                    possible.append(meant)
                elif self._extends(receiver, extended):
                    sure.append(meant)
                elif not receiver.meanings and not receiver.outside:
                    possible.append(meant)
        found = {
            (meant.one.path, meant.one.qualified): meant for meant in sure or possible if meant.one
        }
        if not found:
            return OUTSIDE if receiver.outside or receiver.whole else NOT_KNOWN
        whole = receiver.whole if sure else self._is_telling(name, found, family)
        return Interpretation(tuple(found.values()), whole=whole)

    def _is_telling(self, name: str, found: Collection[tuple[str, str]], family: str) -> bool:
        """Whether the name of an extension, and probably its extended type, are unique in the project."""
        return name not in _USUAL and all(
            (one.path, one.qualified) in found
            for one in self.layout.graph.by_name.get(name, ())
            if one.symbol.kind in FUNCTIONS and self.layout.family(one.path) == family
        )

    def _extends(self, receiver: Interpretation, extended: Interpretation) -> bool:
        """Whether the receiver is of the type that an extension extends."""
        types = {meant.one for meant in extended.meanings}
        return any(
            meant.one is not None and not types.isdisjoint(self.evaluator.lineage(meant.one))
            for meant in receiver.meanings
        )
