"""What one file may cost the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contextd_code.index.analyse import analyse, parse
from contextd_code.index.languages import table


def test_a_file_that_a_reader_fails_on_stays_searchable_as_plain_text_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: Any) -> Any:
        raise IndexError("list index out of range")

    row = replace(table.BY_NAME["typescript"], outline=fails)
    monkeypatch.setitem(table.BY_NAME, "typescript", row)
    text = b"export const answer = 42;\nexport function ask() { return answer; }\n"
    file = analyse("src/answer.ts", text, len(text), 1)
    assert file.error == "not understood (IndexError: list index out of range)"
    assert file.symbols == ()
    assert [(chunk.start_line, chunk.end_line) for chunk in file.chunks] == [(1, 2)]
    assert parse("src/answer.ts", text.decode()).tree is None


def test_syntax_errors_are_told_and_the_rest_is_understood() -> None:
    text = b"export function ask() { return 1; }\nconst = ;\n"
    file = analyse("src/answer.ts", text, len(text), 1)
    assert file.error == "syntax errors"
    assert [symbol.name for symbol in file.symbols] == ["ask"]
