"""A graph that follows changes knows the definitions that one made anew does."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from code_repos import SCOPE, CodeModel, scanned, write

from contextd.caches import Caches
from contextd.code.symbols.patched import named_graph
from contextd.code.symbols.references import using_files
from contextd.code.symbols.symbol_graph import SymbolGraph, build_graph, symbol_graph
from contextd.ports import Files
from contextd.stores import STORES
from support.stores import address, opened


def told(graph: object) -> object:
    by_name = graph.by_name  # type: ignore[attr-defined]
    names = {name: list(found) for name, found in by_name.items()}
    return (
        names,
        sorted(graph.words_of_names.items()),
        {  # type: ignore[attr-defined]
            key: sorted(found)
            for key, found in graph.by_folded_name.items()  # type: ignore[attr-defined]
            if found
        },
    )


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_definitions_are_those_of_a_graph_made_anew(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    files = CodeModel()
    graphs = Caches().of("graphs", 4)
    names = ["Cart", "cart", "addItem", "add_item", "Till", "Price"]
    paths = [f"{folder}/m{n}.py" for folder in ("a", "b") for n in range(5)]
    for path in paths:
        write(tmp_path, path, "class Cart: ...\n")
    scanned(tmp_path, files)
    named_graph(files, SCOPE, graphs)
    for _ in range(12):
        for path in chance.sample(paths, 3):
            some = chance.sample(names, chance.randint(0, 3))
            if some:
                write(tmp_path, path, "".join(f"def {name}(): ...\n\n" for name in some))
            else:
                (tmp_path / path).unlink(missing_ok=True)
        scanned(tmp_path, files)
        graph = named_graph(files, SCOPE, graphs)
        assert told(graph) == told(build_graph(files.all(SCOPE)))
        assert all(one.place in graph.scores for found in graph.by_name.values() for one in found)


def test_who_uses_a_definition_is_known_when_it_moves_and_when_a_user_comes_and_goes(
    tmp_path: Path,
) -> None:
    write(tmp_path, "cart.py", "def add(): ...\n")
    write(tmp_path, "one.py", "from cart import add\n")
    files = CodeModel()
    graphs = Caches().of("graphs", 4)
    scanned(tmp_path, files)
    named_graph(files, SCOPE, graphs)
    write(tmp_path, "cart.py", "X = 1\n\n\ndef add(): ...\n")
    write(tmp_path, "two.py", "from cart import add\n")
    scanned(tmp_path, files)
    assert users(files, graphs) == ("one.py", "two.py")
    (tmp_path / "one.py").unlink()
    scanned(tmp_path, files)
    assert users(files, graphs) == ("two.py",)


def users(files: Files, graphs: object) -> tuple[str, ...]:
    graph = named_graph(files, SCOPE, graphs)  # type: ignore[arg-type]
    return using_files(graph, graph.by_name["add"][0])


@pytest.mark.parametrize("store", list(STORES))
@pytest.mark.parametrize("between", [symbol_graph, named_graph])
def test_an_exact_graph_that_takes_in_changes_is_the_one_made_anew(
    store: str, between: Callable[..., SymbolGraph], tmp_path: Path
) -> None:
    """Files that change, come, go and are left without a definition, one in twenty at a time."""
    files = CodeModel(opened(address(store, tmp_path / "home")))
    graphs = Caches().of("graphs", 4)
    root = tmp_path / "project"
    for n in range(40):
        write(root, f"m{n}.py", f"from m{n + 1} import f{n + 1}\n\ndef f{n}(): ...\n")
    scanned(root, files)
    symbol_graph(files, SCOPE, graphs)
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
        between(files, SCOPE, graphs)
        graph, anew = symbol_graph(files, SCOPE, graphs), build_graph(files.all(SCOPE))
        assert list(graph.files.items()) == list(anew.files.items())
        assert (graph.uses, graph.users, graph.rank) == (anew.uses, anew.users, anew.rank)
        assert graph.by_name == anew.by_name
