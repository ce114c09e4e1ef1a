"""The last resort of `grep`: Python's `re` in a process that can be killed.

    python -P -m contextd_code.tree.grep_python '{"pattern": …, "globs": […], …}'

Writes one JSON line per line found: [path, line, text, whether it matches].
"""

from __future__ import annotations

import json
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from contextd_code.tree.content import decode, is_binary
from contextd_code.tree.paths import read_listed
from contextd_code.tree.walk import walk
from contextd_common.errors import ContextdError


def wanted(path: str, globs: list[str]) -> bool:
    """Whether the globs match a path; those with `!` exclude."""
    includes = [glob for glob in globs if not glob.startswith("!")]
    out = [glob[1:] for glob in globs if glob.startswith("!")]
    return (not includes or any(_fits(path, g) for g in includes)) and not any(
        _fits(path, g) for g in out
    )


def _fits(path: str, glob: str) -> bool:
    subject = path if "/" in glob else path.rsplit("/", 1)[-1]
    return any(fnmatchcase(subject, one.replace("**/", "*")) for one in braces(glob))


def braces(glob: str) -> list[str]:
    """`a.{b,c}` as `a.b` and `a.c`."""
    start, end = glob.find("{"), glob.find("}")
    if not 0 <= start < end:
        return [glob]
    inner = glob[start + 1 : end].split(",")
    return [whole for one in inner for whole in braces(glob[:start] + one + glob[end + 1 :])]


def search(root: Path, request: dict[str, Any]) -> None:
    """Print matching lines."""
    flags = re.IGNORECASE if request["ignore_case"] else 0
    expression = re.compile(request["pattern"], flags)
    around = request["context"]
    for file in walk(root).files:
        if not wanted(file.path, request["globs"]):
            continue
        try:
            data = read_listed(root, file.path)
        except ContextdError:
            continue
        if is_binary(data):
            continue
        lines = decode(data).splitlines()
        hits = {n for n, line in enumerate(lines) if expression.search(line)}
        shown = {m for n in hits for m in range(n - around, n + around + 1)}
        for number in sorted(shown & set(range(len(lines)))):
            row = [file.path, number + 1, lines[number], number in hits]
            sys.stdout.write(json.dumps(row) + "\n")
        sys.stdout.flush()


def main() -> int:
    """Search the current folder with the parameters in the only argument."""
    try:
        search(Path.cwd(), json.loads(sys.argv[1]))
    except re.error as error:
        sys.stderr.write(f"regex parse error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
