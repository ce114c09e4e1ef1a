"""What a change may break and which tests are named for it, on a history whose answers are known."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from contextd_bench.impact import run
from contextd_bench.run import main
from support.repositories import git

PRICE = "def price(items):\n    return sum(items)\n"
CART = "from shop.price import price\n\n\ndef total(items):\n    return price(items)\n"
TEST_PRICE = "from shop.price import price\n\n\ndef test_price():\n    assert price([1]) == 1\n"
TEST_TOTAL = "from shop.cart import total\n\n\ndef test_total():\n    assert total([2]) == 2\n"


def commit(root: Path, subject: str, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path = path.with_name(f"{path.name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", subject)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    begun = {"shop__price": PRICE, "shop__cart": CART}
    begun |= {"tests__test_price": TEST_PRICE, "tests__test_total": TEST_TOTAL}
    commit(root, "Begin", **begun)
    commit(root, "Take no items", shop__price=f"{PRICE}\n# 1\n")
    commit(root, "Round", shop__price=f"{PRICE}\n# 2\n", tests__test_price=f"{TEST_PRICE}\n# 2\n")
    commit(root, "Add up", shop__cart=f"{CART}\n# 3\n", tests__test_total=f"{TEST_TOTAL}\n# 3\n")
    commit(root, "Add a file", shop__late="x = 1\n", tests__test_late="y = 1\n")
    return root


def table(text: str, name: str) -> list[str]:
    [row] = [line for line in text.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in row.strip("|").split("|")][1:]


def test_tests_named_are_compared_with_those_that_changed_beside_two_plainer_ways(
    repository: Path,
) -> None:
    out = io.StringIO()
    run(repository, out=out, commits=5)
    told = out.getvalue()
    # Two commits change source and test files that were there before.
    assert table(told, "impact")[:2] == ["2", "1.000 / 1.000 / 1.000"]
    # A test of the cart is named after no file, and imports what it is for.
    assert table(told, "of the same stem")[:2] == ["2", "0.500 / 0.500 / 0.500"]
    assert table(told, "that import the file")[:2] == ["2", "1.000 / 1.000 / 1.000"]
    for row in ("nothing read before", "a process that starts, calls kept", "again"):
        assert int(table(told, row)[0]) == 3


def test_no_more_commits_are_asked_about_than_are_wanted_and_how_many_is_said(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    run(repository, out=out, commits=1)
    assert table(out.getvalue(), "impact")[0] == "1"
    assert main(["impact", str(repository)]) == 0
    assert table(capsys.readouterr().out, "impact")[0] == "2"


@pytest.mark.parametrize("name", ["impact", "scale", "story"])
def test_a_folder_that_is_no_repository_is_refused_in_words(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert main([name, str(plain), *([str(plain)] if name == "story" else [])]) == 1
    told = capsys.readouterr().err
    assert f"unavailable: {plain} cannot be cloned" in told
    assert "hint: give the path of a git repository" in told
