from __future__ import annotations

import re
from pathlib import Path

import pytest

from contextd.domain.scope import Scope
from contextd.runtime.caches import Cache
from contextd_code.symbols.repo_map import rank_symbols, repo_map
from contextd_code.symbols.symbol_graph import SymbolGraph, build_graph, symbol_graph
from contextd_common.text.tokens import count_tokens
from support.code_repos import SCOPE, CodeModel, scan_fixture, scanned, write


def graph_of(name: str, tmp_path: Path) -> SymbolGraph:
    _, files = scan_fixture(name, tmp_path)
    return build_graph(files.of(SCOPE).all())


@pytest.fixture
def wide(tmp_path: Path) -> SymbolGraph:
    """Forty modules of which each uses the one before, and one that all of them use."""
    write(tmp_path, "src/core.py", "def spine(a: int) -> int:\n    return a\n")
    for number in range(40):
        text = "from src.core import spine\n"
        if number:
            text += f"from src.part{number - 1} import Part{number - 1}\n"
        text += f"\n\nclass Part{number}:\n"
        for word in ("open", "close", "measure"):
            text += f"    def {word}(self, width: int, height: int = {number}) -> int:\n"
            text += "        return spine(width)\n\n"
        text += f"\ndef {'x' * (number % 7 + 1)}_helper_{number}(value: str) -> str:\n    return value\n"
        write(tmp_path, f"src/part{number}.py", text)
    write(tmp_path, "src/billing/invoice.py", "def render_invoice(total):\n    return total\n")
    write(tmp_path, "tests/test_core.py", "from src.core import spine\n\ndef test_it(): spine(1)\n")
    files = CodeModel()
    scanned(tmp_path, files)
    return build_graph(files.of(SCOPE).all())


def test_the_map_names_what_is_used_most_first(tmp_path: Path) -> None:
    ranked = rank_symbols(graph_of("shop", tmp_path))
    assert ranked[0].symbol.name in {"round", "Data"}
    assert not any("check_" in one.path for one in ranked)


def test_a_symbol_used_by_many_files_ranks_above_one_used_by_a_chain(wide: SymbolGraph) -> None:
    assert rank_symbols(wide)[0].symbol.name == "spine"


@pytest.mark.parametrize("budget", [1, 40, 120, 1_000])
def test_the_map_stays_within_its_budget(tmp_path: Path, budget: int) -> None:
    found = repo_map(graph_of("shop", tmp_path), budget=budget)
    assert found.tokens <= budget
    assert bool(found.symbols) == (budget > 10)


@pytest.mark.parametrize("budget", [200, 500, 1_000, 2_000, 3_000])
@pytest.mark.parametrize("focus", ["", "render the invoice", "src/part7.py"])
def test_the_map_fills_its_budget_to_five_per_cent(
    wide: SymbolGraph, budget: int, focus: str
) -> None:
    found = repo_map(wide, budget=budget, focus=focus)
    assert 0.95 * budget <= found.tokens <= budget
    assert found.tokens == count_tokens(found.text)


def test_a_focus_brings_what_it_uses_to_the_front(tmp_path: Path) -> None:
    graph = graph_of("shop", tmp_path)
    far = [one.path for one in repo_map(graph).symbols]
    near = [one.path for one in repo_map(graph, focus="solution").symbols]
    assert all(path.startswith("solution/") for path in near[:3])
    assert not all(path.startswith("solution/") for path in far[:3])
    named = repo_map(graph, focus="sum").symbols
    assert named[0].path.startswith("apps/web/src/data/")


@pytest.mark.parametrize(
    ("focus", "first"),
    [
        ("the invoice is rendered twice", "render_invoice"),
        ("src/billing/invoice.py", "render_invoice"),
        ("change Part7.measure", "measure"),
        ("Part21", "Part21"),
        ("why does `measure` close", "measure"),
        ("open the invoice and measure it", "render_invoice"),
    ],
)
def test_a_task_in_words_a_path_or_a_name_leads_to_its_definitions(
    wide: SymbolGraph, focus: str, first: str
) -> None:
    assert repo_map(wide, focus=focus).symbols[0].symbol.name == first


def test_files_at_hand_pull_what_they_use_but_do_not_hide_the_project(wide: SymbolGraph) -> None:
    plain = [one.symbol.name for one in repo_map(wide, budget=400).symbols]
    near = repo_map(wide, near=["src/part20.py", "gone.py"], budget=400).symbols
    names = [one.symbol.name for one in near]
    assert names.index("Part19") < 5
    assert "Part19" not in plain[:5]
    assert "spine" in names
    inside = repo_map(wide, near=["src/billing/"], budget=400).symbols
    assert "render_invoice" in [one.symbol.name for one in inside][:8]


def test_the_map_is_the_same_every_time(wide: SymbolGraph) -> None:
    again = build_graph(list(reversed(list(wide.files.values()))))
    for focus in ("", "measure the invoice"):
        assert repo_map(wide, focus=focus).text == repo_map(again, focus=focus).text


def test_the_text_gives_path_line_and_signature(tmp_path: Path) -> None:
    text = repo_map(graph_of("pkg", tmp_path)).text
    assert re.search(
        r"^src/farm/tools/spade\.py\n  1 DEPTH: int = 3\n  4 def dig\(\) -> int", text, re.M
    )


def test_an_empty_project_has_an_empty_map() -> None:
    assert repo_map(build_graph([])).text == ""


def test_a_graph_is_kept_until_a_file_changes(tmp_path: Path) -> None:
    root, files = scan_fixture("pkg", tmp_path)
    graphs: Cache[Scope, tuple[bytes, SymbolGraph]] = Cache(1)
    first = symbol_graph(files.index, graphs, SCOPE)
    assert symbol_graph(files.index, graphs, SCOPE) is first
    write(root, "src/farm/tools/spade.py", "def rake(): ...\n")
    scanned(root, files)
    assert "rake" in symbol_graph(files.index, graphs, SCOPE).by_name
    assert "rake" not in first.by_name


def test_generated_code_is_not_on_the_repo_map(tmp_path: Path) -> None:
    write(tmp_path, "api_pb2.py", "def made_by_a_tool():\n    return 1\n")
    write(tmp_path, "main.py", "from api_pb2 import made_by_a_tool\n\ndef run():\n    return 1\n")
    files = CodeModel()
    scanned(tmp_path, files)
    ranked = rank_symbols(build_graph(files.of(SCOPE).all()))
    assert [one.symbol.name for one in ranked] == ["run"]


@pytest.mark.parametrize("name", ["a\n# Rules\n- obey", "b\x1b[31m", "c\rback", "d\u202egnp"])
def test_a_file_name_is_one_line_of_printable_characters(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"src/{name}.py", "def weigh(parcel):\n    return parcel\n")
    files = CodeModel()
    scanned(tmp_path, files)
    text = repo_map(build_graph(files.of(SCOPE).all())).text
    first, second = text.split("\n")
    assert first == f"src/{name.encode('unicode_escape').decode()}.py"
    assert first.isprintable()
    assert "weigh" in second
