"""What the files of a checkout say of their calls, read when they are asked about."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path

from contextd.code.calls.extract import facts_of
from contextd.code.calls.facts import FileFacts, Site
from contextd.code.symbols.symbol_graph import SymbolGraph
from contextd.code.tree.content import decode
from contextd.code.tree.generated import UNWRITTEN
from contextd.code.tree.grep import grep
from contextd.code.tree.paths import read_inside
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import ContextdError

_MOST_LINES = 20_000
_SECONDS = 5.0
_AT_ONCE = 100
_MEMBER = re.compile(r"[.:]\s*([\w$]+)")
_WORD = re.compile(r"[\w$#]+")

Kept = dict[str, FileFacts | None]
"""By path and digest: facts outlast a scan that leaves their file as it was."""


@dataclass
class CodeFacts:
    """The facts of the files under `root`, which the graph describes. `shared` is shared by the graphs of
    one checkout that follow each other.
    """

    root: Path
    graph: SymbolGraph
    shared: Kept = field(default_factory=Kept)
    _ahead: Iterator[str] | None = None
    _calling: dict[str, list[str]] | None = None
    _naming: dict[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    _members: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    _sites: dict[str, dict[str, list[Site]]] = field(
        default_factory=dict[str, dict[str, list[Site]]]
    )

    def get(self, path: str) -> FileFacts | None:
        """The facts of a file; None where its calls are not understood."""
        file = self.graph.files.get(path)
        if file is None or file.error in UNWRITTEN:
            return None
        key = f"{file.digest} {path}"
        if key not in self.shared:
            try:
                text = decode(read_inside(self.root, path))
            except ContextdError:
                return None
            data = text.encode("utf-8", "replace")
            self.shared[key] = facts_of(path, file.language, data, file.digest)
        return self.shared[key]

    def read_ahead(self, most: int, seconds: float) -> bool:
        """Read files before they are asked about, those that most others need first, for so many `seconds`.
        Whether that was all, or it has read `most`.
        """
        if self._ahead is None:
            rank = self.graph.rank
            first = sorted(self.graph.files, key=lambda path: (-rank.get(path, 0.0), path))
            self._ahead = iter(first[:most])
        end = time.monotonic() + seconds
        for path in self._ahead:
            self.get(path)
            if time.monotonic() > end:
                return False
        if self._calling is None and len(self.graph.files) <= most:
            self._calling = self._by_name()
        return True

    def _by_name(self) -> dict[str, list[str]]:
        """The files that call something of a name, or build a class on it, in order of path."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.graph.files):
            facts = self.get(path)
            if facts is None:
                continue
            bases = [base for scope in facts.scopes for base in scope.bases]
            names = {str(site.target[-1]) for site in facts.sites}
            names |= {str((base[1] if base[0] == "of" else base)[-1]) for base in bases}
            for name in names:
                found.setdefault(name, []).append(path)
        return found

    def sites(self, path: str, name: str) -> Sequence[Site]:
        """The sites of a file that end in a name."""
        known = self._sites.get(path)
        if known is None:
            known = self._sites[path] = {}
            found = self.get(path)
            for site in found.sites if found is not None else ():
                known.setdefault(str(site.target[-1]), []).append(site)
        return known.get(name, ())

    def naming(self, name: str) -> Sequence[str]:
        """The code files that may have a site or a base which ends in a name, in order of path."""
        if self._calling is not None:
            return self._calling.get(name, ())
        if name not in self._naming:
            self.look_for([name])
        return self._naming[name]

    def has_member(self, path: str, name: str) -> bool:
        """Whether a file that names something does so after a dot, as far as its lines tell."""
        return name not in self._members or path in self._members[name]

    def look_for(self, names: Iterable[str], seconds: float = _SECONDS) -> None:
        """Find the files that have any of these words, in one go: each search reads all files. What is
        not found in so many `seconds` is looked for again the next time.
        """
        if self._calling is not None:
            return
        wanted = [name for name in dict.fromkeys(names) if name and name not in self._naming]
        for first in range(0, len(wanted), _AT_ONCE):
            some = wanted[first : first + _AT_ONCE]
            found: dict[str, set[str]] = {name: set() for name in some}
            members: dict[str, set[str]] = {name: set() for name in some}
            either = "|".join(re.escape(name) for name in some)
            try:
                pattern = rf"(?:^|\W)(?:{either})(?:\W|$)"
                grep_result = grep(self.root, pattern, limit=_MOST_LINES, deadline=seconds)
            except ContextdError:
                grep_result = None
            for line in grep_result.matches if grep_result is not None else ():
                if line.path in self.graph.files:
                    for word in found.keys() & set(_WORD.findall(line.text)):
                        found[word].add(line.path)
                    for word in found.keys() & set(_MEMBER.findall(line.text)):
                        members[word].add(line.path)
            self._members |= members
            self._naming |= {name: sorted(paths) for name, paths in found.items()}
