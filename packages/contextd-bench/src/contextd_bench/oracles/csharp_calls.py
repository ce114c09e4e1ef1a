"""Every call of a C# tree with what Roslyn says it calls, as a line of JSON per file.

Usage: python csharp_calls.py FOLDER ROOT < paths; FOLDER/python holds pythonnet and dotnetcore2, FOLDER/node_modules
@autorest/csharp, which brings Roslyn for C# 10. All files are one compilation against the runtime of dotnetcore2.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SEEN_EVERYWHERE = (
    *("System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http"),
    *("System.Threading", "System.Threading.Tasks"),
)
"""What projects with implicit usings name without saying so."""
_SYMBOLS = (
    "NET",
    "NETCOREAPP",
    "NETCOREAPP3_1",
    "NETSTANDARD2_0",
    "NET5_0_OR_GREATER",
    "NET6_0_OR_GREATER",
)


def load(folder: Path) -> Path:
    """Start the runtime with Roslyn in it; the folder of the runtime's own assemblies."""
    sys.path.insert(0, str(folder / "python"))
    os.environ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] = "1"
    # Only where the judge of C# runs; neither is a dependency.
    import clr_loader  # type: ignore[import-not-found]  # noqa: PLC0415
    import pythonnet  # type: ignore[import-not-found]  # noqa: PLC0415

    home = folder / "python" / "dotnetcore2" / "bin"
    framework = {"name": "Microsoft.NETCore.App", "version": "3.1.0"}
    options = {"runtimeOptions": {"tfm": "netcoreapp3.1", "framework": framework}}
    with tempfile.TemporaryDirectory() as folder_of_settings:
        config = Path(folder_of_settings) / "runtimeconfig.json"
        config.write_text(json.dumps(options))
        pythonnet.load(clr_loader.get_coreclr(runtime_config=str(config), dotnet_root=str(home)))
    import clr  # type: ignore[import-not-found]  # noqa: PLC0415

    roslyn = folder / "node_modules" / "@autorest" / "csharp"
    for name in ("Microsoft.CodeAnalysis", "Microsoft.CodeAnalysis.CSharp"):
        clr.AddReference(str(roslyn / f"{name}.dll"))
    return next((home / "shared" / "Microsoft.NETCore.App").iterdir())


class Compilation:
    """All files of a repository, as Roslyn understands them."""

    def __init__(self, runtime: Path, root: Path, paths: list[str]) -> None:
        import Microsoft.CodeAnalysis as roslyn  # type: ignore[import-not-found]  # noqa: PLC0415, N813
        import System  # type: ignore[import-not-found]  # noqa: PLC0415
        from Microsoft.CodeAnalysis import CSharp  # noqa: PLC0415

        self.roslyn, self.csharp, self.system = roslyn, CSharp, System
        self.root = root
        options = CSharp.CSharpParseOptions(CSharp.LanguageVersion.Preview)
        options = options.WithPreprocessorSymbols(System.Array[System.String](_SYMBOLS))
        usings = "".join(f"global using {name};" for name in _SEEN_EVERYWHERE)
        texts = [("", usings)]
        texts += [(path, (root / path).read_text("utf-8-sig", "replace")) for path in paths]
        self.trees = {
            path: CSharp.CSharpSyntaxTree.ParseText(text, options, path) for path, text in texts
        }
        references = [
            roslyn.MetadataReference.CreateFromFile(str(one))
            for one in sorted(runtime.glob("*.dll"))
            if one.name.startswith(("System.", "Microsoft.", "mscorlib", "netstandard"))
            and not one.name.endswith(".Native.dll")
            and "DiaSymReader" not in one.name
        ]
        self.compilation = CSharp.CSharpCompilation.Create(
            "judged",
            System.Array[roslyn.SyntaxTree](list(self.trees.values())),
            System.Array[roslyn.MetadataReference](references),
            CSharp.CSharpCompilationOptions(roslyn.OutputKind.DynamicallyLinkedLibrary),
        )

    def calls(self, path: str) -> Iterator[list[Any]]:
        """[line, name, what is called, whether that is known] of every call of a file."""
        tree = self.trees[path]
        model = self.compilation.GetSemanticModel(tree)
        for node in tree.GetRoot().DescendantNodes():
            named = self._named(node)
            if named is not None:
                line = tree.GetLineSpan(named.Span).StartLinePosition.Line + 1
                leading, known = self._leading(model, node)
                yield [line, str(named.ValueText), leading, known]

    def _named(self, node: Any) -> Any:
        """The token a call names what it calls with."""
        kind = type(node).__name__
        if kind == "ConstructorInitializerSyntax":
            return node.ThisOrBaseKeyword
        if kind == "InvocationExpressionSyntax":
            inner = node.Expression
        elif kind == "ObjectCreationExpressionSyntax":
            inner = node.Type
        else:
            return None
        while not hasattr(inner, "Identifier"):
            following = getattr(inner, "Name", None) or getattr(inner, "Right", None)
            if following is None:
                return None
            inner = following
        return inner.Identifier

    def _leading(self, model: Any, node: Any) -> tuple[list[tuple[str, int, str]], bool]:
        extensions, none = self.csharp.CSharpExtensions, self.system.Threading.CancellationToken
        found = extensions.GetSymbolInfo(model, node, getattr(none, "None"))
        symbols = [found.Symbol] if found.Symbol is not None else list(found.CandidateSymbols)
        leading: list[tuple[str, int, str]] = []
        for one in symbols:
            if str(one.Kind) != "Method":
                return [], False
            method = self.roslyn.IMethodSymbol(one)
            if str(method.MethodKind) == "DelegateInvoke":
                return [], False
            leading += self._defined(method)
        holders = {(path, name) for path, _, name in leading}
        if found.Symbol is None and len(holders) != 1:
            return [], False
        return leading, True

    def _defined(self, method: Any) -> Iterator[tuple[str, int, str]]:
        method = self.roslyn.IMethodSymbol((method.ReducedFrom or method).OriginalDefinition)
        several = [method, method.PartialImplementationPart, method.PartialDefinitionPart]
        places = [p for one in several if one for p in one.Locations if p.IsInSource]
        name = str(method.Name)
        if str(method.MethodKind) == "Constructor":
            name = str(method.ContainingType.Name)
            # A constructor counts as its class, and a class may have several parts.
            places += [p for p in method.ContainingType.Locations if p.IsInSource]
        for place in places:
            at = place.GetLineSpan().StartLinePosition.Line + 1
            yield str(place.SourceTree.FilePath), at, name


def main(folder: Path, root: Path) -> None:
    """Answer for the files named on stdin."""
    paths = sys.stdin.read().splitlines()
    judge = Compilation(load(folder), root, paths)
    for path in paths:
        print(json.dumps({"path": path, "calls": list(judge.calls(path))}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
