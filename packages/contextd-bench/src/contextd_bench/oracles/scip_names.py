"""Every name of a Python tree with the definitions scip-python finds for it, as a line of JSON per file.

Usage: python scip_names.py FOLDER ROOT [--names] < paths; FOLDER holds node_modules/@sourcegraph/scip-python.
"""

from __future__ import annotations

import ast
import io
import json
import keyword
import re
import subprocess
import sys
import tempfile
import tokenize
from contextlib import suppress
from pathlib import Path
from typing import Any

from contextd_code.calls.scip import ScipDocument, read_scip

_DEFINITION = 1
_WORD = re.compile(r"\w+")
_FORMATTED = re.compile(r"(?i)\w*f")


def indexed(folder: Path, root: Path) -> list[ScipDocument]:
    """The index of a tree, made without looking for packages that are installed."""
    script = folder / "node_modules" / "@sourcegraph" / "scip-python" / "index.js"
    with tempfile.TemporaryDirectory() as scratch:
        environment, index = Path(scratch) / "environment.json", Path(scratch) / "index.scip"
        environment.write_text("[]")
        command = ["node", str(script), "index", "--project-name", "judged", "--quiet"]
        command += ["--environment", str(environment), "--output", str(index)]
        subprocess.run(command, cwd=root, stdout=sys.stderr, check=False)
        return read_scip(index.read_bytes())


def name_tokens(text: str) -> tuple[set[tuple[int, int]], set[int]]:
    """(line and column of the names in a file, lines with a formatted string); lines count from 1."""
    found: set[tuple[int, int]] = set()
    formatted: set[int] = set()
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                found.add(token.start)
            elif token.type == tokenize.STRING and _FORMATTED.match(token.string):
                formatted.update(range(token.start[0], token.end[0] + 1))
    return found, formatted


def injected(text: str) -> set[tuple[int, int]]:
    """Where parameters of tests and fixtures stand: what pytest hands in is named like its fixture."""
    with suppress(SyntaxError, ValueError):
        return {
            (one.lineno, one.col_offset)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (node.name.startswith("test") or node.decorator_list)
            for one in node.args.args
        }
    return set()


def slotted(text: str) -> set[str]:
    """The attributes that `__slots__` declares: scip-python takes each for the class itself."""
    with suppress(SyntaxError, ValueError):
        return {
            one.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Assign)
            and any(isinstance(one, ast.Name) and one.id == "__slots__" for one in node.targets)
            for one in ast.walk(node.value)
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        }
    return set()


def main(folder: Path, root: Path) -> None:
    """Answer for the files named on stdin."""
    documents = {one.path: one for one in indexed(folder, root)}
    lines = {
        path: (root / path).read_bytes().decode("utf-8", "replace").split("\n")
        for path in documents
    }

    def word(path: str, at: tuple[int, int]) -> str:
        known = lines[path]
        found = _WORD.match(known[at[0] - 1], at[1]) if at[0] <= len(known) else None
        return found[0] if found else ""

    defined = {
        one.symbol: (path, one.line + 1, word(path, (one.line + 1, one.column)))
        for path, document in documents.items()
        for one in document.occurrences
        if one.roles & _DEFINITION and not one.symbol.startswith("local ")
    }
    slots = {name for known in lines.values() for name in slotted("\n".join(known))}
    for path in sys.stdin.read().splitlines():
        if path not in documents:
            continue
        text = "\n".join(lines[path])
        places: dict[tuple[int, int], list[str]] = {}
        own: set[tuple[int, int]] = set()
        for one in documents[path].occurrences:
            at = one.line + 1, one.column
            (
                own.add(at)
                if one.roles & _DEFINITION
                else places.setdefault(at, []).append(one.symbol)
            )
        tokens, formatted = name_tokens(text)
        tokens |= {
            (number, found.start())
            for number in formatted
            for found in _WORD.finditer(lines[path][number - 1])
        }
        handed = injected(text)
        names: list[Any] = []
        for at in sorted(tokens | places.keys()):
            symbols = places.get(at, [])
            if at in own and not symbols and at not in handed:
                continue
            name = word(path, at)
            meant = [defined[one] for one in symbols if one in defined and defined[one][2]]
            is_slot = name in slots and any(one[2] != name for one in meant)
            names.append([at[0], name, [] if is_slot else meant, bool(symbols) and not is_slot])
        print(json.dumps({"path": path, "calls": names}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]).resolve())
