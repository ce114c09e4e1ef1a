"""The Python files of this repository, parsed once."""

from __future__ import annotations

import ast
import io
import os
import subprocess
import tokenize
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TypeVar

from contextd.runtime.gc_pause import building

ROOT = Path(__file__).parents[2]
Fault = TypeVar("Fault")
FOLDERS = ("src", "packages", "tests", "tools")


@cache
def python_files() -> tuple[Path, ...]:
    """Every Python file of the repository, relative to its root."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return tuple(sorted(path.relative_to(ROOT) for path in found))


@cache
def product_files() -> tuple[Path, ...]:
    """The Python files of the packages in the wheel: `contextd`, `contextd_code` and `contextd_common`."""
    return tuple(path for path in python_files() if path.parts[0] == "src")


def module_path(path: Path) -> str:
    """The path of a product file as tables name it: below `src/contextd`, or with its package, as `contextd_code/…`."""
    return path.relative_to("src").as_posix().removeprefix("contextd/")


def product_file(name: str) -> Path:
    """The file that a `module_path` names."""
    return Path("src") / (name if name.startswith("contextd_") else f"contextd/{name}")


def place_of(text: str, folder: str) -> str:
    """The path and line where a text stands first below a folder; the folder if it does not."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        before, found, _ = path.read_text("utf-8").partition(text)
        if found:
            return f"{path.relative_to(ROOT)}:{before.count(chr(10)) + 1}"
    return folder


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file. Those of the product, at which most rules look, are kept; all of them together
    are four hundred megabytes.
    """
    return _kept_tree(path) if path in _product() else _tree(path)


def nodes(path: Path) -> Iterable[ast.AST]:
    """Every node of a file."""
    return _kept_nodes(path) if path in _product() else ast.walk(_tree(path))


@cache
def code_lines(path: Path) -> frozenset[int]:
    """The numbers of lines that hold code: no blank line, comment or docstring."""
    text = (ROOT / path).read_text("utf-8")
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    silent |= {tokenize.ENCODING, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in silent:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in nodes(path):
        if isinstance(node, ast.Expr) and _stands_alone(node):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


@cache
def repository_files() -> tuple[Path, ...]:
    """Every file that is, or would be, part of the repository, relative to its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return tuple(Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file())


def forget() -> None:
    """Let go of all that was read of the files."""
    for known in (_kept_tree, _kept_nodes, code_lines):
        known.cache_clear()


def faults(paths: Iterable[Path], found_in: Callable[[Path], Fault]) -> dict[str, Fault]:
    """What a rule finds wrong with each of these files. A test for each file of the repository would cost
    thousands of tests more.
    """
    found = {str(path): found_in(path) for path in paths}
    return {name: fault for name, fault in found.items() if fault}


@cache
def _product() -> frozenset[Path]:
    return frozenset(product_files())


def _tree(path: Path) -> ast.Module:
    # Each tree is tens of thousands of objects that live for long: collecting garbage among them took half of the
    # time of parsing, and slowed every later test of the process.
    assert "PYTEST_CURRENT_TEST" in os.environ, (
        "read files in a test: every process collects all tests"
    )
    with building():
        return ast.parse((ROOT / path).read_text("utf-8"), str(path))


_kept_tree = cache(_tree)


@cache
def _kept_nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_kept_tree(path)))


def _stands_alone(node: ast.Expr) -> bool:
    # A string that stands alone documents what is above it, an assignment included.
    return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
