"""What USER.md says, line by line, and what is left of a long text in a lean prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.briefing.lean_prompt import Part, compose, condense
from contextd.person.person_md import name_in, strength_of, told_in
from contextd_common.text.tokens import count_tokens

FILE = """---
version: 2
---
# USER.md - About Your Human

- **Name:** Ana Kos
- **What to call them:**
- *Time zone:* Europe/Ljubljana
  _(optional)_

## Commits

Rules for commits:
- No emojis.
- Subject in the imperative,
  at most 72 characters.
    - of the whole line

## Code

Use `snake_case`, see __init__.py and src/*.py.
I never want mocks
of the store.

```
- not a line about anybody
```

<!-- - neither is this -->
| editor | vim |
|---|---|
1. First **bold** thing
---
No emojis.
"""


def test_every_bullet_and_paragraph_is_one_thing_with_what_it_needs_to_be_understood() -> None:
    assert [(one.section, one.text) for one in told_in(FILE)] == [
        ("", "Name: Ana Kos"),
        ("", "Time zone: Europe/Ljubljana"),
        ("Commits", "Rules for commits: No emojis."),
        ("Commits", "Rules for commits: Subject in the imperative, at most 72 characters."),
        ("Commits", "Rules for commits: of the whole line"),
        (
            "Code",
            "Use `snake_case`, see __init__.py and src/*.py. I never want mocks of the store.",
        ),
        ("Code", "editor | vim"),
        ("Code", "First bold thing"),
        ("Code", "No emojis."),
    ]


def test_a_file_of_another_system_says_the_same() -> None:
    assert told_in(FILE.replace("\n", "\r\n")) == told_in(FILE)


@given(st.text(alphabet="ab \n-*#`:|_.<!->()\t", max_size=200))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    told = told_in(text)
    assert len(set(told)) == len(told)
    assert all(one.text.strip() == one.text != "" and "\n" not in one.text for one in told)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No emojis in commits", "strong"),
        ("Commits: no emojis", "strong"),
        ("Never push to main", "strong"),
        ("I always review before lunch", "strong"),
        ("I like short answers", "mild"),
        ("Name: Ana", "mild"),
        ("Notes are kept in vim", "mild"),
        ("Ideally answer in Slovene", "flexible"),
        ("Never use tabs where possible", "flexible"),
        ("Tabs (strong)", "strong"),
        ("Never tabs [mild]", "mild"),
    ],
)
def test_how_much_a_text_insists(text: str, expected: str) -> None:
    assert strength_of(text) == expected


def test_a_section_named_for_it_says_how_much_its_lines_matter() -> None:
    assert strength_of("Never tabs", "Flexible") == "flexible"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Name: Ana Kos", "Ana Kos"),
        ("My name is Ana.", "Ana"),
        ("Full name: Ana Kos (she/her)", "Ana Kos"),
        ("Call me Ishmael, please", "Ishmael"),
        ("Name booleans with is or has", ""),
        ("Naming: names of tests say what they prove", ""),
        ("Name: <your name>", ""),
        ("The name of the service is otter", ""),
    ],
)
def test_only_a_line_that_gives_a_name_names_the_person(text: str, name: str) -> None:
    assert name_in(text) == name


SENTENCES = st.lists(
    st.sampled_from(
        ["I like tea.", "Never push to main.", "The cat is called Mao.", "Ideally rest on Sundays."]
    ),
    min_size=1,
    max_size=12,
)


@given(st.lists(SENTENCES, min_size=1, max_size=12), st.integers(0, 200))
def test_condensed_text_fits_its_budget_and_is_made_of_whole_sentences(
    paragraphs: list[list[str]], budget: int
) -> None:
    text = "# Me\n\n" + "\n\n".join(" ".join(sentences) for sentences in paragraphs)
    short = condense(text, budget)
    assert count_tokens(short) <= budget
    whole = [" ".join(sentences) for sentences in paragraphs]
    for line in short.splitlines():
        assert line == "# Me" or all(
            any(f"{sentence}." in one for one in whole)
            for sentence in line.removesuffix(".").split(". ")
        )


@pytest.mark.parametrize("budget", [50, 500, 1_990])
def test_a_text_of_many_sentences_fills_its_budget_and_no_more(budget: int) -> None:
    text = "\n\n".join(f"- Tea {n} is a tea I like in cup {n}. So it is." for n in range(400))
    assert 0.9 * budget <= count_tokens(condense(text, budget)) <= budget


def test_condensing_keeps_strong_preferences_longest() -> None:
    text = "I like tea. I drink much of it.\n\n- Coffee is fine.\n- Never push to main.\n"
    assert condense(text, 8) == "- Never push to main."
    assert (
        condense(text, 1_000)
        == "I like tea. I drink much of it.\n- Coffee is fine.\n- Never push to main."
    )


def test_a_wrapped_paragraph_is_one_text_and_a_code_block_stays_whole() -> None:
    text = (
        "I write tests\nbefore code. Never\npush to main.\n\n"
        "- Tea is\n  fine.\n- Coffee\n\n"
        "```\nmake publish\n\n# a comment\n```\n"
    )
    code = "```\nmake publish\n\n# a comment\n```"
    assert condense(text, 1_000) == (
        f"I write tests before code. Never push to main.\n- Tea is fine.\n- Coffee\n{code}"
    )
    assert condense(text, 8) == "Never push to main."


def test_a_short_part_leaves_its_room_to_a_long_one() -> None:
    long = " ".join(f"Story {n} is about a cat." for n in range(200))
    for first, second in (("a", "b"), ("b", "a")):
        parts = [Part(first, "A", "Be calm."), Part(second, "B", long), Part("c", "C", "")]
        made = compose(parts, 500)
        assert made.parts[first] < 10
        assert made.parts[second] > 400
        assert made.parts["c"] == 0
        assert made.tokens <= 500
        assert made.condensed == [second]


@pytest.mark.parametrize("budget", range(-60, 4))
def test_a_budget_of_nothing_condenses_to_nothing(budget: int) -> None:
    assert condense("# Rules\n\n- Never push to main. Say why.", budget) == ""


def test_fixed_parts_that_take_the_whole_budget_leave_the_others_out() -> None:
    fixed = Part("tools", "Tools", "tools_list " * 60, fixed=True)
    made = compose([Part("a", "A", "Be calm. Be kind. " * 20), fixed], 50)
    assert made.condensed == ["a", "tools"]
    assert "calm" not in made.text
