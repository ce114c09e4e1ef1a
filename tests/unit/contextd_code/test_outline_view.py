from __future__ import annotations

import pytest

from contextd_code.index.analyse import analyse
from contextd_code.symbols.outline_view import outline_for, outline_text
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words

SOURCE = """import os
from json import loads


class Store:
    def read(self, key: str) -> bytes:
        return b""

    def write(self, key: str, value: bytes) -> None:
        pass


def open_store(path: str) -> Store:
    return Store()
"""


def file_of(text: str):
    return analyse("store.py", text.encode(), len(text), 0)


def test_an_outline_has_imports_and_definitions_with_their_lines() -> None:
    text, whole = outline_text(file_of(SOURCE), 1_000)
    assert whole
    assert text.splitlines() == [
        "imports os, json",
        "5-10 class Store",
        "6-7   def read(self, key: str) -> bytes",
        "9-10   def write(self, key: str, value: bytes) -> None",
        "13-14 def open_store(path: str) -> Store",
    ]


@pytest.mark.parametrize("budget", [0, 10, 30, 45, 50])
def test_an_outline_keeps_its_budget_and_lets_inner_definitions_go_first(budget: int) -> None:
    text, whole = outline_text(file_of(SOURCE), budget)
    assert count_tokens(text) <= budget
    assert not whole
    if budget >= 45:
        assert "class Store" in text
        assert "open_store" in text
        assert "read" not in text


def test_with_a_question_the_definitions_that_have_its_words_come_first() -> None:
    file = file_of(SOURCE)
    asked = content_words("who calls open_store with a path")
    assert outline_for(file, 15, asked) == "13-14 def open_store(path: str) -> Store"
    assert outline_for(file, 1_000, ["write", "store"]).splitlines() == [
        "5-10 class Store",
        "9-10   def write(self, key: str, value: bytes) -> None",
        "13-14 def open_store(path: str) -> Store",
    ]
    assert outline_for(file, 1_000, ["zebra"]) == outline_text(file, 1_000)[0]
    assert outline_for(file, 0, asked) == ""
    many = ", ".join(f"option{n}: str" for n in range(40))
    long = file_of(f"def link_for({many}):\n    return 1\n")
    assert outline_for(long, 40, content_words("link_for")).startswith("1-2 def link_for(option0")
