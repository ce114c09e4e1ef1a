"""Every call of a Python tree with the definitions pyright finds for it, as a line of JSON per file.

Usage: python pyright_calls.py FOLDER ROOT < paths; FOLDER holds node_modules/pyright.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

from contextd_bench.oracles.language_server import Server


def called_names(tree: ast.AST, lines: list[str]) -> list[tuple[int, int, str]]:
    """(line, column, name) of what each call calls by a name."""
    found: list[tuple[int, int, str]] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        one = node.func
        if isinstance(one, ast.Name):
            found.append((one.lineno, one.col_offset, one.id))
        elif isinstance(one, ast.Attribute) and one.end_lineno and one.end_col_offset:
            end = len(lines[one.end_lineno - 1].encode()[: one.end_col_offset].decode())
            found.append((one.end_lineno, end - len(one.attr), one.attr))
    return found


def defined_names(tree: ast.AST) -> dict[tuple[int, int], str]:
    """The functions and classes of a file by the line and column of their names. What pyright finds
    elsewhere is a parameter or a variable: what is called through it, it does not say.
    """
    words = {ast.FunctionDef: "def ", ast.AsyncFunctionDef: "async def ", ast.ClassDef: "class "}
    return {
        (node.lineno, node.col_offset + len(words[type(node)])): node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def main(folder: Path, root: Path) -> None:
    """Answer for the files named on stdin."""
    script = folder / "node_modules" / "pyright" / "langserver.index.js"
    server = Server(["node", str(script), "--stdio"], root)
    defined: dict[str, dict[tuple[int, int], str]] = {}

    def named_at(path: str, line: int, column: int) -> str:
        if path not in defined:
            defined[path] = defined_names(ast.parse((root / path).read_bytes()))
        return defined[path].get((line, column), "")

    for path in sys.stdin.read().splitlines():
        text = (root / path).read_text("utf-8", "replace")
        try:
            names = called_names(ast.parse(text), text.splitlines())
        except (SyntaxError, ValueError):
            continue
        uri = (root / path).as_uri()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": document})
        calls: list[list[Any]] = []
        for line, column, name in names:
            locations = server.definitions(uri, line - 1, column)
            leading: list[tuple[str, int, str]] = []
            known = bool(locations)
            for file, (at, start), _ in locations:
                if file.is_relative_to(root):
                    inside = str(file.relative_to(root))
                    if defining := named_at(inside, at + 1, start):
                        leading.append((inside, at + 1, defining))
                    else:
                        known = False
            calls.append([line, name, leading, known])
        server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        print(json.dumps({"path": path, "calls": calls}), flush=True)
    server.process.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
