"""Print each name of a C# tree with the definitions Roslyn resolves it to, as a line of JSON per file.

Usage: python csharp_names.py FOLDER ROOT --names < paths; FOLDER as csharp_calls.py needs it. A constructor counts
as its class, each part of a partial type as the type. Not judged: names that Roslyn cannot resolve, namespaces,
and code that a condition excludes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contextd_bench.oracles.csharp_calls import Compilation, load

_WORD = re.compile(r"[A-Za-z_]\w*")
_NAMES = frozenset(("IdentifierNameSyntax", "GenericNameSyntax"))


class NameCompilation(Compilation):
    """The files of a repository as one compilation, asked for every name."""

    def names(self, path: str) -> Iterator[list[Any]]:
        """Yield [line, name, definitions, whether Roslyn resolved it] for each name of a file."""
        tree = self.trees[path]
        model = self.compilation.GetSemanticModel(tree)
        for node in tree.GetRoot().DescendantNodes():
            if type(node).__name__ not in _NAMES or node.IsVar:
                continue
            line = tree.GetLineSpan(node.Identifier.Span).StartLinePosition.Line + 1
            leading, known = self._resolved(model, node)
            yield [line, str(node.Identifier.ValueText), leading, known]
        if "#" in (self.root / path).read_text("utf-8-sig", "replace"):
            yield from self._excluded(tree)

    def _excluded(self, tree: Any) -> Iterator[list[Any]]:
        """The words of directives and of code that a condition excludes."""
        excluded = int(self.csharp.SyntaxKind.DisabledTextTrivia)
        for trivia in tree.GetRoot().DescendantTrivia():
            if trivia.IsDirective or trivia.RawKind == excluded:
                first = tree.GetLineSpan(trivia.Span).StartLinePosition.Line + 1
                for number, text in enumerate(str(trivia.ToFullString()).splitlines(), first):
                    for word in sorted(set(_WORD.findall(text))):
                        yield [number, word, [], False]

    def _resolved(self, model: Any, node: Any) -> tuple[list[tuple[str, int, str]], bool]:
        extensions, none = self.csharp.CSharpExtensions, self.system.Threading.CancellationToken
        found = extensions.GetSymbolInfo(model, node, getattr(none, "None"))
        symbols = [found.Symbol] if found.Symbol is not None else list(found.CandidateSymbols)
        leading = [place for one in symbols for place in self._places(one)]
        holders = {(path, name) for path, _, name in leading}
        if not symbols or str(symbols[0].Kind) == "Namespace":
            return [], False
        if found.Symbol is None and len(holders) != 1:
            return [], False
        return leading, True

    def _places(self, one: Any) -> Iterator[tuple[str, int, str]]:
        """Where a symbol is defined in the repository."""
        if str(one.Kind) == "Method":
            yield from self._defined(self.roslyn.IMethodSymbol(one))
            return
        original = one.OriginalDefinition
        name = str(original.Name).rpartition(".")[2]
        for place in original.Locations:
            if place.IsInSource:
                at = place.GetLineSpan().StartLinePosition.Line + 1
                yield str(place.SourceTree.FilePath), at, name


def main(folder: Path, root: Path) -> None:
    """Answer for the files named on stdin."""
    paths = sys.stdin.read().splitlines()
    judge = NameCompilation(load(folder), root, paths)
    for path in paths:
        print(json.dumps({"path": path, "calls": list(judge.names(path))}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
