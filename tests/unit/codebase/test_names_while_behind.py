"""What is said of a name that the index does not have: it follows, it never had it, or it leaves it out."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.codebase.freshness import INLINE
from contextd.thin.home import LOCAL
from contextd_common.errors import Unavailable
from support.desks import Desk
from support.repositories import git


@pytest.fixture
def scanned(desk: Any) -> Any:
    desk("codebase_index")
    return desk


def look_now(desk: Desk) -> None:
    """As if the rest between two looks were over."""
    for tree in desk.host.organisation(LOCAL).caches.of("checkouts", 16).values():
        tree.looked_at = 0.0


def many_named(desk: Desk, name: str) -> None:
    """Commit so many files that an index of others is behind, one of which defines a name."""
    for n in range(INLINE + 30):
        (desk.root / "src" / f"use{n}.ts").write_text(f"new replacer; {name}();\n" * 2)
    (desk.root / "src/zebra.ts").write_text(f"export function {name}() {{ return 1; }}\n")


def test_after_a_distant_switch_the_file_that_defines_a_name_is_indexed_before_those_that_use_it(
    scanned,
):
    many_named(scanned, "newReplacer")
    look_now(scanned)
    found = scanned("find_symbol", name="newReplacer")
    assert [hit["path"] for hit in found["symbols"]] == ["src/zebra.ts"]
    assert "follows in the background" in found["notice"]


def test_while_the_index_follows_a_name_is_looked_for_in_the_text_and_not_denied(scanned):
    many_named(scanned, "newReplacer")
    look_now(scanned)
    with pytest.raises(Unavailable) as refused:
        scanned("find_references", name="replacer")
    assert "does not know" in refused.value.message
    assert "text matches now: src/use" in refused.value.hint
    assert "did you mean" not in refused.value.hint


def test_a_name_that_is_gone_or_was_asked_for_is_not_suggested(scanned):
    (scanned.root / "src/otter.ts").write_text("export function otterTrot() {}\n")
    assert scanned("find_symbol", name="otterTrot")["symbols"]
    (scanned.root / "src/otter.ts").unlink()
    look_now(scanned)
    for name in ("otterTrot", "otterTro"):
        assert (
            "otterTrot" not in scanned("find_symbol", name=name)["notice"].partition("did you")[2]
        )


def test_an_empty_answer_names_what_is_not_indexed(scanned):
    (scanned.root / "vendor").mkdir()
    for n in range(3):
        (scanned.root / f"vendor/lib{n}.js").write_text(f"function vended{n}() {{}}\n")
    (scanned.root / "model.ts").write_text("version https://git-lfs.github.com/spec/v1\noid 1\n")
    other = scanned.root / "nested"
    other.mkdir()
    git(other, "init", "-q")
    (other / "a.ts").write_text("export const nestedOne = 1;\n")
    look_now(scanned)
    asked = {
        "find_symbol": {"name": "vended1"},
        "codebase_search": {"query": "vended1", "file_pattern": "*.zig"},
    }
    for operation, arguments in asked.items():
        notice = scanned(operation, **arguments)["notice"]
        assert "not indexed: vendor/ (3 files, vendored)" in notice
        assert "1 file Git LFS pointer: model.ts" in notice
        assert "nested/ (another repository)" in notice
    assert "vendor/ (3 files, vendored)" in scanned.on("cli")("status")["not_indexed"]
