"""Every call of a Python tree with the definitions pyright finds for it, as a line of JSON per file.

Usage: python pyright_calls.py FOLDER ROOT < paths; FOLDER holds node_modules/pyright.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse


class Server:
    """A language server on a pipe, asked one question after the other."""

    def __init__(self, folder: Path, root: Path) -> None:
        script = folder / "node_modules" / "pyright" / "langserver.index.js"
        self.process = subprocess.Popen(
            ["node", str(script), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.last = 0
        here = {"uri": root.as_uri(), "name": root.name}
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "workspaceFolders": [here],
                "capabilities": {"textDocument": {"definition": {"linkSupport": False}}},
            },
        )
        self.tell("initialized", {})

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send what has no answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The answer to a question; what the server asks meanwhile gets none."""
        self.last += 1
        self._send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                items = message.get("params", {}).get("items", [])
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": [{} for _ in items]})
            elif message.get("id") == self.last:
                return message.get("result")

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, given = line.partition(b":")
            length = int(given) if name.lower() == b"content-length" else length
        return dict(json.loads(self.process.stdout.read(length)))


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
    server = Server(folder, root)
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
            place = {"line": line - 1, "character": column}
            locations = server.ask(
                "textDocument/definition", {"textDocument": {"uri": uri}, "position": place}
            )
            leading: list[tuple[str, int, str]] = []
            known = bool(locations)
            for one in locations or ():
                file = Path(unquote(urlparse(one["uri"]).path))
                if file.is_relative_to(root):
                    inside = str(file.relative_to(root))
                    start = one["range"]["start"]
                    at = start["line"] + 1
                    if defining := named_at(inside, at, start["character"]):
                        leading.append((inside, at, defining))
                    else:
                        known = False
            calls.append([line, name, leading, known])
        server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        print(json.dumps({"path": path, "calls": calls}), flush=True)
    server.process.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
