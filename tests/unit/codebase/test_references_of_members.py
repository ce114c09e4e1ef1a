"""A name without a known definition, such as a field or a constant of an enum, still has its lines."""

from __future__ import annotations

import pytest

from contextd_common.errors import NotFound
from support.repositories import committed

FILES = {
    "src/Kinds.java": "class Kinds {\n  enum Kind { FIRST, SECOND }\n}\n",
    "src/Use.java": "class Use {\n  Kinds.Kind one() { return Kinds.Kind.FIRST; }\n}\n",
    "conf/app.toml": "retry_limit = 3\n",
    "app.py": "LIMIT = settings.retry_limit\n",
}


@pytest.fixture
def shop(desk, tmp_path):
    other = desk.at(committed(tmp_path / "kinds", FILES))
    other("init")
    return other


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("FIRST", {"src/Kinds.java", "src/Use.java"}),
        ("Kind.FIRST", {"src/Kinds.java", "src/Use.java"}),
        ("retry_limit", {"conf/app.toml", "app.py"}),
    ],
)
def test_a_name_that_stands_in_files_is_never_not_found(shop, name, files):
    found = shop("find_references", name=name)
    lines = {
        *(one["path"] for one in found["references"]),
        *(one["path"] for one in found["text_matches"]),
    }
    assert files <= lines | {(found["definition"] or {}).get("path")}


def test_lines_without_a_definition_are_said_to_be_text_and_counted(shop):
    answer = shop.answer("find_references", name="retry_limit", limit=1).text
    assert "no definition of this name is known; text matches: 2 lines in 2 files" in answer
    assert "… 1 more text matches" in answer


def test_a_name_that_no_file_has_is_not_found(shop):
    with pytest.raises(NotFound):
        shop("find_references", name="nowhere_at_all")
