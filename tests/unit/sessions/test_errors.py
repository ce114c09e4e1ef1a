"""Errors by signature, and what ended them."""

from __future__ import annotations

import pytest

from contextd.sessions.errors import MOST, errors_met, kept, sightings, signature
from support.talks import Talk

DENIED = "Error: EACCES: permission denied, open '/w/shop/.cache/12/lock'"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (DENIED, "Error: EACCES: permission denied, open '/tmp/other/7/lock'"),
        ("ValueError: row 12 of 40 is empty", "ValueError: row 3 of 9 is empty"),
        ("fatal: bad object 1a2b3c4d5e", "fatal: bad object 99887766ab"),
        ("src/a/b.py:12: error: no such name", "lib/c.py:7: error: no such name"),
    ],
)
def test_the_same_error_has_one_signature_whatever_its_paths_and_numbers(
    one: str, other: str
) -> None:
    assert signature(one) == signature(other)


def test_other_errors_have_other_signatures() -> None:
    assert signature("ValueError: row 12 is empty") != signature("KeyError: row 12 is empty")
    assert signature(DENIED) != signature("Error: ENOENT: no such file, open '/w/shop/x'")


def test_an_error_tells_what_ended_it() -> None:
    talk = Talk().runs("npm test", DENIED, 1).runs("mkdir -p .cache/12")
    talk.writes("/w/shop/package.json").runs("npm test", "4 passed")
    [met] = errors_met(talk.events)
    assert (met.line, met.command, met.ended) == (DENIED, "npm test", True)
    assert (met.between, met.files) == (["mkdir -p .cache/12"], ["/w/shop/package.json"])


def test_an_error_that_nothing_ended_is_met_all_the_same() -> None:
    talk = Talk().runs("npm test", DENIED, 1).runs("npm run build", "ok")
    [met] = errors_met(talk.events)
    assert not met.ended


def test_an_error_that_comes_twice_in_a_session_is_one() -> None:
    talk = Talk().runs("npm test", DENIED, 1).runs("npm test", DENIED.replace("12", "13"), 1)
    assert len(errors_met(talk.events)) == 1


def test_success_and_refusals_are_no_errors() -> None:
    talk = Talk().runs("grep -r Error src", "src/a.ts: throw new Error('x')")
    talk.add("tool_call", "assistant", "rm -r src", tool="Bash", id="r")
    talk.add("tool_result", "", "Error: refused", tool="Bash", id="r", is_error=True, rejected=True)
    assert errors_met(talk.events) == []


def test_a_session_keeps_few_errors_in_little_room_and_counts_them_once() -> None:
    talk = Talk()
    for letter in "abcdefghijklmnopqrstuvwxyz":
        talk.runs(f"run {letter}", f"{letter}Error: {letter * 3} is wrong", 1)
    talk.runs("run a", "ok")
    errors = errors_met(talk.events)
    assert len(errors) == MOST
    mine = kept(errors)
    assert mine[0][1] is True
    assert sightings(signature("aError: aaa is wrong"), [mine, mine, None, [], "x", [[]]]) == 2
    assert sightings(signature("aError: other words"), [mine]) == 0


@pytest.mark.parametrize(
    "line",
    [
        "make: *** [Makefile:3: test] Error 2",
        "error: script failed with exit code 1",
        "npm ERR! code ELIFECYCLE",
        "Error",
        "KeyError: 'total'",
    ],
)
def test_a_line_that_only_says_that_something_failed_is_no_error_to_know_again(line: str) -> None:
    assert errors_met(Talk().runs("npm test", line, 1).events) == []


def test_the_first_line_that_says_what_went_wrong_is_the_error() -> None:
    output = f"npm ERR! code ELIFECYCLE\nerror: script failed with exit code 1\n{DENIED}"
    [met] = errors_met(Talk().runs("npm test", output, 1).events)
    assert met.line == DENIED
