"""Text that people read has no calques; `tools/plain_english.py` says what to write instead."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest
from sources import ROOT

from support.verdicts import act, none_of


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "plain_english", ROOT / "tools" / "plain_english.py"
    )
    assert spec, "tools/plain_english.py is gone"
    assert spec.loader, "tools/plain_english.py cannot be imported"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


def test_no_text_has_a_calque() -> None:
    none_of(
        map(str, TOOL.findings()), "write what tools/plain_english.py proposes, or say it otherwise"
    )


@act("tools/plain_english.py", "it no longer finds what it should, or reads what it should not")
@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Nobody sees it unasked.", ["Nobody", "unasked"]),
        ("What is known is mended behind everybody's back.", ["What is known", "mended", "behind everybody's back"]),
        ("the path is no file", ["is no file"]),
        ("what became of an import", ["what became of"]),
        ("Return the records with these ids, in order; skip unknown ids.", []),
        ("There is no file, and the value is None.", []),
        ("The reason if there is none; `nobody` is a user name.", []),
        ("recommended", []),
    ],
)  # fmt: skip
def test_calques_are_found_and_idiomatic_text_is_not(text: str, phrases: list[str]) -> None:
    assert [phrase for _, phrase, _ in TOOL.calques_in(text)] == phrases


@act("tools/plain_english.py", "it no longer finds what it should, or reads what it should not")
def test_messages_and_first_paragraphs_are_read_and_code_is_not() -> None:
    source = '"""First line.\n\nSecond paragraph."""\nNAME = "one-word"\nraise Error(f"no {x} in this file")\n'
    assert [text for _, text in TOOL.python_texts(source)] == ["First line.", " in this file"]


@act("tools/plain_english.py", "it no longer finds what it should, or reads what it should not")
def test_pages_are_read_without_markup() -> None:
    source = '<p class="nobody">Awaiting {{ nobody }} review</p>\n{# nobody #}'
    assert next(text for _, text in TOOL.template_texts(source)).split() == [
        "·",
        "Awaiting",
        "·",
        "review",
        "·",
    ]


@act("tools/plain_english.py", "it no longer finds what it should, or reads what it should not")
def test_guides_are_read_without_code_blocks() -> None:
    source = "Text.\n```\nnobody\n```\nMore."
    assert [text for _, text in TOOL.markdown_texts(source)] == ["Text.", "More."]
