from __future__ import annotations

import re
from pathlib import Path

import pytest
from code_repos import SCOPE, scan_fixture

from contextd.code.repo_map import rank_symbols, repo_map


def test_the_map_names_what_is_used_most_first(tmp_path: Path) -> None:
    _, files = scan_fixture("shop", tmp_path)
    ranked = rank_symbols(files.all(SCOPE))
    assert ranked[0].symbol.name in {"round", "Data"}
    assert sum(one.score for one in ranked) <= 1.0
    assert not any("check_" in one.path for one in ranked)


@pytest.mark.parametrize("budget", [1, 40, 120, 1_000])
def test_the_map_stays_within_its_budget(tmp_path: Path, budget: int) -> None:
    _, files = scan_fixture("shop", tmp_path)
    found = repo_map(files.all(SCOPE), budget=budget)
    assert found.tokens <= budget
    assert bool(found.symbols) == (budget > 10)


def test_a_focus_brings_what_it_uses_to_the_front(tmp_path: Path) -> None:
    _, files = scan_fixture("shop", tmp_path)
    everything = files.all(SCOPE)
    far = [one.path for one in repo_map(everything).symbols]
    near = [one.path for one in repo_map(everything, focus=["solution"]).symbols]
    assert all(path.startswith("solution/") for path in near[:3])
    assert not all(path.startswith("solution/") for path in far[:3])
    named = repo_map(everything, focus=["sum"]).symbols
    assert named[0].path.startswith("apps/web/src/data/")


def test_the_text_gives_path_line_and_signature(tmp_path: Path) -> None:
    _, files = scan_fixture("pkg", tmp_path)
    text = repo_map(files.all(SCOPE)).text
    assert re.search(
        r"^src/farm/tools/spade\.py\n  1 DEPTH: int = 3\n  4 def dig\(\) -> int", text, re.M
    )


def test_an_empty_project_has_an_empty_map() -> None:
    assert repo_map([]).text == ""
