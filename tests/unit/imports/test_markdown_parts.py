"""Markdown notes are split into items and paragraphs, each under the headings it belongs to."""

from __future__ import annotations

import pytest

from contextd.imports.foreign.markdown_parts import front_matter, parts_of


def told(text: str) -> list[tuple[tuple[str, ...], str]]:
    return [(part.headings, part.text) for part in parts_of(text)]


def test_a_heading_replaces_those_of_its_level_and_below() -> None:
    text = "# Shop\n\n## Build\n\n### Linux\n\nUse make.\n\n## Deploy\n\nOn Fridays.\n\n# Blog\n\nPosts.\n"
    assert told(text) == [
        (("Shop", "Build", "Linux"), "Use make."),
        (("Shop", "Deploy"), "On Fridays."),
        (("Blog",), "Posts."),
    ]


def test_each_item_is_a_part_and_keeps_its_indented_lines() -> None:
    text = "- one\n  more of one\n\n  its second paragraph\n- two\n12. twelve\n"
    assert told(text) == [
        ((), "one\n  more of one\n\n  its second paragraph"),
        ((), "two"),
        ((), "twelve"),
    ]


def test_a_code_block_stays_with_the_paragraph_before_it_whatever_it_contains() -> None:
    text = "Run this:\n```\n# no heading\n\n- no item\n```\n\nThen wait.\n"
    assert told(text) == [
        ((), "Run this:\n```\n# no heading\n\n- no item\n```"),
        ((), "Then wait."),
    ]


def test_a_block_ends_at_the_fence_that_opened_it() -> None:
    assert told("~~~\n```\na\n\nb\n~~~\n\nafter\n") == [
        ((), "~~~\n```\na\n\nb\n~~~"),
        ((), "after"),
    ]


def test_lines_are_counted_in_the_file_past_comments() -> None:
    text = "<!-- a comment\n- of two lines -->\nfirst\n\n- second\n"
    assert [(part.text, part.line) for part in parts_of(text)] == [("first", 3), ("second", 5)]


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("---\nname: deploy\n---\nbody\n", {"name": "deploy"}),
        ("---\n- a list\n---\nbody\n", {}),
        ("---\nname: [\n---\nbody\n", {}),
    ],
)
def test_front_matter_is_read_apart_and_the_body_keeps_its_line_numbers(
    text: str, about: dict[str, str]
) -> None:
    found, body = front_matter(text)
    assert found == about
    assert body == "\n\n\nbody\n"


def test_a_text_without_front_matter_is_its_own_body() -> None:
    assert front_matter("body\n---\n") == ({}, "body\n---\n")
