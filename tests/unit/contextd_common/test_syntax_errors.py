"""What is wrong with a file is said in our words, whatever release of a parser reads it."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
import yaml

from contextd_common.files.yaml_text import explained, load_plain
from contextd_common.text.syntax_errors import json_problem, toml_problem


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: b: c", 1, "a `: ` where none may stand"),
        ("a:\n\tb: 1", 2, "a tab or a reserved character"),
        ("a: @x", 1, "a tab or a reserved character"),
        ("a: 'x", 1, "not closed"),
        ("a: [1, 2", 2, "a list `[…]` is not closed"),
        ("a: {x: 1", 2, "a mapping `{…}` is not closed"),
        ("- a\nb: 1", 2, "its indentation does not fit"),
        ("a: *x", 1, "an alias `*name`"),
        ('a: "\\q"', 1, "a backslash in double quotes"),
        ("a: !foo 1", 1, "a tag `!name`"),
        ("a: 1\n---\nb: 2", 2, "a second document"),
        ("a: \x01", 0, "the character U+0001"),
        ("a: 2001-99-99", 0, "a date that does not exist"),
        ("[" * 1_000, 0, "nested more than 60 levels deep"),
    ],
)
def test_a_mistake_in_yaml_is_said_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises((yaml.YAMLError, ValueError)) as raised:
        load_plain(text)
    at, problem = explained(raised.value)
    assert at == line
    assert words in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    "error",
    [
        yaml.scanner.ScannerError(problem="words of tomorrow's release"),
        yaml.parser.ParserError(problem="words of tomorrow's release"),
        yaml.composer.ComposerError(problem="words of tomorrow's release"),
        yaml.constructor.ConstructorError(problem="words of tomorrow's release"),
        ValueError("words of tomorrow's release"),
    ],
)
def test_words_that_no_release_used_before_do_not_reach_a_user(error: Exception) -> None:
    assert "tomorrow" not in explained(error)[1]
    assert "tomorrow" not in json_problem(error)
    assert "tomorrow" not in toml_problem(error)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": }', "line 1, column 7 is not JSON"),
        ('{\n"a": 1,\n}', r"line [23], column \d+ is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        (b'"\xff"', "byte 1 is not UTF-8"),
    ],
)
def test_a_mistake_in_json_is_said_with_its_place(text: str | bytes, words: str) -> None:
    with pytest.raises((ValueError, RecursionError)) as raised:
        json.loads(text)
    assert re.fullmatch(words, json_problem(raised.value))


@pytest.mark.parametrize(
    ("text", "words"),
    [("a = \n", "line 1, column 5 is not TOML"), ("a = [1,", "the text ends too early")],
)
def test_a_mistake_in_toml_is_said_with_its_place(text: str, words: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as raised:
        tomllib.loads(text)
    assert toml_problem(raised.value) == words
