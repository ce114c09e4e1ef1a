"""Errors by signature, and what ended them."""

from __future__ import annotations

import pytest

from contextd.remedies.session_errors import MOST, errors_met, kept, sightings
from contextd.remedies.signatures import signature
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
    before = {"s1": mine, "s2": mine, "s3": None, "s4": [], "s5": "x", "s6": [[]]}
    assert sightings(signature("aError: aaa is wrong"), before).sessions == ["s1", "s2"]
    assert sightings(signature("aError: other words"), before).sessions == []


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


def test_a_replacement_in_a_file_is_a_fix_wherever_the_checkout_lies() -> None:
    def mended(root: str) -> dict[str, str]:
        path = f"{root}/tests/conftest.py"
        change = {"file_path": path, "old_string": "timeout=1", "new_string": "timeout=5"}
        talk = Talk().runs("npm test", DENIED, 1).runs("npm ci")
        talk.add("tool_call", "assistant", "Edit", tool="Edit", id="e", input=change).writes(path)
        [met] = errors_met(talk.runs("npm test", "4 passed").events)
        return met.fixes

    [(form, step)] = mended("/w/a").items()
    assert list(mended("/w/b")) == [form]
    assert step == 'in /w/a/tests/conftest.py, replace "timeout=1" with "timeout=5"'


def test_steps_before_an_error_that_came_back_count_as_tried_and_not_as_fixes() -> None:
    talk = Talk().runs("npm test", DENIED, 1).runs("npm ci").runs("npm test", DENIED, 1)
    talk.runs("chmod -R u+w .cache").runs("npm test", "4 passed")
    [met] = errors_met(talk.events)
    assert met.tried == ["run `npm ci`"]
    assert met.fixes == {"chmod -R": "run `chmod -R u+w .cache`"}


def test_a_step_that_ended_an_error_is_no_fix_once_the_error_returns() -> None:
    talk = Talk().runs("npm test", DENIED, 1).runs("rm -rf .cache").runs("npm test", "ok")
    [met] = errors_met(talk.events)
    assert (met.ended, met.steps) == (True, ["run `rm -rf .cache`"])
    [met] = errors_met(talk.runs("npm test", DENIED, 1).events)
    assert (met.ended, met.steps, met.tried) == (False, [], ["run `rm -rf .cache`"])


def test_a_variant_of_the_command_ends_an_error_too() -> None:
    talk = Talk().runs("ps aux | grep nginx", "ps: unrecognized option: a", 1)
    talk.runs("ps w | grep nginx", "12 nginx")
    [met] = errors_met(talk.events)
    assert (met.ended, met.instead) == (True, "ps w | grep nginx")
    other = Talk().runs("npm test", DENIED, 1).runs("cargo build", "ok")
    assert not errors_met(other.events)[0].ended


def test_a_word_that_had_to_go_is_named() -> None:
    talk = Talk().runs("rtk bun run test", "error: unrecognized subcommand 'bun'", 2)
    [met] = errors_met(talk.runs("bun run test", "4 passed").events)
    assert met.fixes == {"-rtk": "leave out `rtk`: run `bun run test` instead"}


def test_where_a_file_was_changed_no_command_is_what_ended_the_error() -> None:
    talk = Talk().runs("npm test", DENIED, 1).runs("npm run build").writes("/w/shop/a.ts")
    [met] = errors_met(talk.runs("npm test", "4 passed").events)
    assert met.ended
    assert met.fixes == {}


def test_looking_for_what_is_not_there_and_a_clients_own_tools_are_no_errors() -> None:
    talk = Talk().runs("ls docs", "ls: docs: No such file or directory", 1)
    talk.add("tool_call", "assistant", "Edit: a.py", tool="Edit", id="x")
    refusal = "File has not been read yet. Read it first before writing to it, it is unexpected."
    talk.add("tool_result", "", refusal, tool="Edit", id="x", is_error=True)
    assert errors_met(talk.events) == []
