"""Pairs of statements are read from a repository by rule, and asked for."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest

from contextd_bench import updates
from contextd_bench.changed_lines import StatedPair, read_pairs
from contextd_common.errors import NotFound

LOG = """# Changes

## 2.0.0

- Minimum Rust version has been bumped to 1.60.0
- Removed the `--harvest` option from the install command

## 1.0.0

- Minimum Rust version has been bumped to 1.53.0
- Added a `--harvest` option to the install command
- The orders of the shop are exported every night to the bank
- The orders of the shop are exported as tables for the bank
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    _git(root, "init", "-q")
    for port in (8080, 9090):
        (root / "README.md").write_text(
            f"# Shop\n\nThe server listens on port {port} for the orders.\n"
        )
        (root / "CHANGELOG.md").write_text(LOG)
        _git(root, "add", ".")
        _git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "x")
    return root


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True)


def test_pairs_are_labelled_by_rule(repository: Path) -> None:
    assert set(read_pairs(repository)) == {
        StatedPair(
            "rewritten",
            "The server listens on port 8080 for the orders.",
            "The server listens on port 9090 for the orders.",
        ),
        StatedPair(
            "released",
            "Minimum Rust version has been bumped to 1.53.0",
            "Minimum Rust version has been bumped to 1.60.0",
        ),
        StatedPair(
            "withdrawn",
            "Added a `--harvest` option to the install command",
            "Removed the `--harvest` option from the install command",
        ),
        StatedPair(
            "compatible",
            "The orders of the shop are exported every night to the bank",
            "The orders of the shop are exported as tables for the bank",
        ),
    }


def test_the_newer_ones_are_found_first(repository: Path) -> None:
    out = io.StringIO()
    figures = updates.run([repository], out=out)
    assert (figures["update_first"], figures["update_noted"], figures["compatible_first"]) == (
        3,
        3,
        1,
    )
    assert "| update | 3 | 3 | 3 |" in out.getvalue()


def test_a_folder_without_git_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_pairs(tmp_path)
