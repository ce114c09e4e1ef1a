"""A graph that takes in what changed is the one made of all files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from contextd.runtime.caches import Caches
from contextd_code.symbols.symbol_graph import SymbolGraph, build_graph, symbol_graph
from contextd_code.values.source import SourceFile
from support.code_repos import SCOPE, CodeModel, scanned, write
from support.stores import WITH_CODE, address, opened


@pytest.mark.parametrize("store", WITH_CODE)
def test_an_exact_graph_that_takes_in_changes_is_the_one_made_anew(
    store: str, tmp_path: Path
) -> None:
    """Files that change, come, go and are left without a definition, one in twenty at a time. Times are not
    compared: a file that was read again and says what it said gets a new one in the store, and is nothing that
    a graph has to take in.
    """
    files = CodeModel(opened(address(store, tmp_path / "home")))
    graphs = Caches().of("graphs", 4)
    root = tmp_path / "project"
    for n in range(40):
        write(root, f"m{n}.py", f"from m{n + 1} import f{n + 1}\n\ndef f{n}(): ...\n")
    scanned(root, files)
    symbol_graph(files.index, graphs, SCOPE)
    edits: list[dict[str, str]] = [
        {"m3.py": "def f3(): ...\n\ndef more(): ...\n"},
        {"late.py": "from m3 import more\n"},
        {"m3.py": ""},
        {"m7.py": "", "m8.py": "def f8(): ...\n"},
        {"m7.py": "def again(): ...\n", "late.py": ""},
        {"m3.py": "def more(): ...\n", "m9.py": "# nothing\n"},
    ]
    for edit in edits:
        for path, text in edit.items():
            if text:
                write(root, path, text)
            else:
                (root / path).unlink()
        scanned(root, files)
        graph, anew = symbol_graph(files.index, graphs, SCOPE), build_graph(files.of(SCOPE).all())
        assert list(unstamped(graph).items()) == list(unstamped(anew).items())
        assert (graph.uses, graph.users, graph.rank) == (anew.uses, anew.users, anew.rank)
        assert graph.by_name == anew.by_name


def unstamped(graph: SymbolGraph) -> dict[str, SourceFile]:
    return {path: replace(file, mtime_ns=0) for path, file in graph.files.items()}
