"""Every call of a PHP tree with the definitions Intelephense finds for it, as a line of JSON per file.

Usage: python php_calls.py FOLDER ROOT [--names] < paths; FOLDER holds node_modules/intelephense. With --names:
every name, called or not. Properties are no names there, as PHP writes them as variables.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from contextd_bench.oracles.language_server import Server

_NAMES = Path(__file__).with_name("php_names.php")


def named(path: Path) -> dict[str, list[tuple[int, int, str]]]:
    """(line, column, name) of the `calls` of a file and of what is `defined` in it, by PHP's own reader."""
    names = sys.argv[3:]
    done = subprocess.run(
        ["php", str(_NAMES), str(path), *names], stdout=subprocess.PIPE, check=False
    )
    found: dict[str, Any] = json.loads(done.stdout or b"{}")
    return {kind: [(line, at, name) for line, at, name in rows] for kind, rows in found.items()}


def main(folder: Path, root: Path, storage: str) -> None:
    """Answer for the files named on stdin."""
    script = folder / "node_modules" / "intelephense" / "lib" / "intelephense.js"
    options = {"storagePath": storage, "clearCache": True}
    server = Server(["node", str(script), "--stdio"], root, options)
    server.wait_for("indexingEnded")
    known: dict[str, dict[str, list[tuple[int, int, str]]]] = {}

    def names_of(path: str) -> dict[str, list[tuple[int, int, str]]]:
        if path not in known:
            known[path] = named(root / path)
        return known[path]

    for path in sys.stdin.read().splitlines():
        text = (root / path).read_text("utf-8", "replace")
        uri = (root / path).as_uri()
        document = {"uri": uri, "languageId": "php", "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": document})
        lines = text.split("\n")
        calls: list[list[Any]] = []
        for line, column, name in names_of(path).get("calls", ()):
            before = lines[line - 1].encode()[:column].decode("utf-8", "replace")
            locations = server.definitions(uri, line - 1, len(before))
            leading: list[tuple[str, int, str]] = []
            is_known = bool(locations)
            for file, start, end in locations:
                if file.is_relative_to(root):
                    inside = str(file.relative_to(root))
                    # A place begins with the comment before the definition; a variable has no name in it.
                    defined = [
                        (at, defining)
                        for at, column, defining in names_of(inside).get("defined", ())
                        if start <= (at - 1, column) < end
                    ]
                    leading += [(inside, at, defining) for at, defining in defined[:1]]
                    is_known &= bool(defined)
            calls.append([line, name, leading, is_known])
        server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        print(json.dumps({"path": path, "calls": calls}), flush=True)
    server.process.kill()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as storage_folder:
        main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), storage_folder)
