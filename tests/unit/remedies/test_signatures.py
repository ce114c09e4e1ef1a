"""What an error says, whatever program said it and wherever it ran."""

from __future__ import annotations

import random

import pytest

from contextd.remedies.signatures import (
    LARGEST,
    ErrorLine,
    error_lines,
    plain,
    quotes,
    symptom_lines,
)
from contextd.skills.procedures import forms, instead_of

OUTPUTS = {
    "python": (
        'Traceback (most recent call last):\n  File "/w/a.py", line 3, in <module>\n    import yaml\n'
        "ModuleNotFoundError: No module named 'yaml'\n",
        "ModuleNotFoundError: No module named 'yaml'",
    ),
    "chained python": (
        "Traceback (most recent call last):\nKeyError: 'a b c' is not in the map\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\nRuntimeError: the pool is closed already\n",
        "RuntimeError: the pool is closed already",
    ),
    "java": (
        'Exception in thread "main" java.lang.IllegalStateException: pool is closed now\n\tat a.B.c(B.java:3)\n'
        "Caused by: java.sql.SQLException: Connection is not available, request timed out\n\tat x.Y.z(Y.java:1)\n",
        "Caused by: java.sql.SQLException: Connection is not available, request timed out",
    ),
    "rust": (
        "thread 'main' panicked at src/main.rs:2:3:\ncalled `Option::unwrap()` on a `None` value\n",
        "thread 'main' panicked at src/main.rs:2:3: called `Option::unwrap()` on a `None` value",
    ),
    "node": (
        "/w/x.js:3\nTypeError: Cannot read properties of undefined (reading 'map')\n    at f (/w/x.js:3:7)\n",
        "TypeError: Cannot read properties of undefined (reading 'map')",
    ),
    "go": ("# shop\n./cart.go:12:3: undefined: lineTotal in basket\n", "./cart.go:12:3: undefined: lineTotal in basket"),
    "typescript": (
        "src/a.ts(3,4): error TS2304: Cannot find name 'total'.\n",
        "src/a.ts(3,4): error TS2304: Cannot find name 'total'.",
    ),
    "pytest": (
        "F.  [100%]\n=== FAILURES ===\nE       AssertionError: expected 40 documents, got 8\n1 failed\n",
        "AssertionError: expected 40 documents, got 8",
    ),
    "shell": ("zsh: command not found: timeout\n", "zsh: command not found: timeout"),
    "colours": ("\x1b[1;31merror\x1b[0m: the lock file is \x1b[4mmalformed\x1b[0m\n", "error: the lock file is malformed"),
    "progress": ("10%\r50%\rError: the archive is not a valid zip\r\n", "Error: the archive is not a valid zip"),
}  # fmt: skip


@pytest.mark.parametrize("program", OUTPUTS)
def test_the_line_that_says_what_went_wrong_comes_first(program: str) -> None:
    output, line = OUTPUTS[program]
    assert error_lines(output)[0].line == line


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("open '/w/a b/12': permission denied here", "open 'C:\\Users\\ada\\x': permission denied here"),
        ("job 8f14e45f-ceea-467f-a1d2-0a1b2c3d4e5f timed out", "job 00000000-1111-4222-8333-444455556666 timed out"),
        ("2026-03-01T10:00:00Z upload of a file failed to start", "2027-11-12T01:02:03.5Z upload of a file failed to start"),
        ("connect ECONNREFUSED 127.0.0.1:5432 (refused)", "connect ECONNREFUSED 10.1.2.3:80 (refused)"),
        ("cart.go:12:3: cannot use total here", "pkg/shop/cart.go:7:1: cannot use total here"),
        ("GET https://a.example/x?y=1 was refused again", "GET http://b.example/ was refused again"),
        ("took 12.5 ms and could not finish", "took 3s and could not finish"),
    ],
)  # fmt: skip
def test_places_ids_times_and_numbers_make_no_other_error(one: str, other: str) -> None:
    assert ErrorLine(one).is_same(ErrorLine(other))


def test_another_name_makes_another_error_of_the_same_signature() -> None:
    yaml = ErrorLine("ModuleNotFoundError: No module named 'yaml'")
    other = ErrorLine("ModuleNotFoundError: No module named 'requests'")
    assert yaml.signature == other.signature
    assert not yaml.is_same(other)
    assert not yaml.is_in(other)


def test_an_error_is_known_inside_a_line_that_says_more() -> None:
    known = ErrorLine("undefined method `total' for nil:NilClass (NoMethodError)")
    line = "/app/cart.rb:14:in `sum': undefined method `total' for nil:NilClass (NoMethodError)"
    assert known.is_in(ErrorLine(line))
    assert not known.is_in(ErrorLine(line.replace("total", "price")))
    gpg = ErrorLine("error: gpg failed to sign the data")
    assert gpg.is_in(ErrorLine("error: gpg failed to sign the data:"))
    assert not gpg.is_in(ErrorLine("error: gpg failed to find the data"))


def test_where_something_is_missing_its_name_tells_errors_apart() -> None:
    known = ErrorLine("fatal error: openssl/ssl.h: No such file or directory")
    assert known.is_in(
        ErrorLine("src/net.c:3:10: fatal error: openssl/ssl.h: No such file or directory")
    )
    assert not known.is_in(
        ErrorLine("src/net.c:3:10: fatal error: zlib.h: No such file or directory")
    )
    denied = ErrorLine("EACCES: permission denied, open '/w/a/lock'")
    assert denied.is_same(ErrorLine("EACCES: permission denied, open '/tmp/b/other'"))


def test_an_error_is_known_in_the_middle_of_a_sentence() -> None:
    [known] = error_lines(OUTPUTS["pytest"][0])
    assert known.said == "expected documents got"
    assert quotes("Why did it say expected 40 documents, got 9?", [known])
    assert not quotes("How many documents are expected?", [known])
    named = ErrorLine("ModuleNotFoundError: No module named 'yaml'")
    assert quotes("it says no module named 'yaml' here", [named])
    assert not quotes("it says no module named 'redis' here", [named])


def test_symptoms_in_somebodys_own_words_count_as_they_are() -> None:
    [line] = symptom_lines(["pgx pool full"])
    assert line.signature == "pgx pool full"
    assert symptom_lines(["timeouts"]) == []


@pytest.mark.parametrize(
    "output",
    [
        "",
        "\0\1\2" * 1000,
        "".join(chr(code) for code in random.Random(1).choices(range(256), k=20_000)),
        "x" * LARGEST,
        "\r" * LARGEST,
        "'" * LARGEST,
        "/" * LARGEST,
        "\x1b[" * (LARGEST // 2),
        "All 12 tests passed",
        "0 errors, 0 warnings",
        "exit status 1",
        "$ biome check --error-on-warnings\n  × The imports and exports are not sorted.",
    ],
)
def test_output_without_an_error_gives_no_error_lines(output: str) -> None:
    assert error_lines(output) == []


def test_of_a_very_long_output_the_beginning_and_the_end_are_read() -> None:
    frames = '  File "/w/a.py", line 3, in walk\n    walk(child)\n' * 10_000
    output = f"Traceback (most recent call last):\n{frames}RecursionError: the tree is too deep to walk\n"
    assert len(output) > LARGEST
    assert len(plain(output)) <= LARGEST + 1
    assert error_lines(output)[0].line == "RecursionError: the tree is too deep to walk"


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        ("cd /w && git add -A && git commit -m 'a && b' && git push origin main", ["git add", "git commit", "git push"]),
        ("FOO=1 go test ./... 2>&1 | tail -3", ["go test"]),
        ("gofmt -w /w/a.go", ["gofmt -w"]),
        ("uv run pytest -q tests", ["uv run pytest"]),
        ("git commit -m \"$(cat <<'EOF'\nrun && hide\nEOF\n)\"", ["git commit"]),
        ("ls -la; git status; grep -rn x src", []),
        ("# only a note\n", []),
        ("rm -rf node_modules 2>/dev/null && npm ci", ["rm -rf node_modules", "npm ci"]),
        ("rm -rf /w/tmp/clone-a1/", ["rm -rf /w/tmp/clone-a1/"]),
    ],
)  # fmt: skip
def test_a_step_is_what_a_command_does_not_what_it_does_it_to(
    command: str, steps: list[str]
) -> None:
    forms_ = [form.replace(" -A", "").replace(" -m", "") for form in forms(command)]
    assert forms_ == steps


def test_a_variant_says_what_made_the_difference() -> None:
    assert instead_of("ps w | grep nginx", "ps aux | grep nginx") == "+w -aux"
    assert instead_of("npm test", "npm test") == ""
    assert instead_of("a b c d e", "v w x y z") == ""
