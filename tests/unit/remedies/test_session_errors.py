"""What a session did about each of its errors: what it tried, what ended it, and what is no error at all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

from contextd.domain.sessions import Event
from contextd.remedies.session_errors import MOST, Met, errors_met, kept, sightings

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ERROR = "TypeError: cannot read loaf of undefined"
_ids: Iterator[int] = count()


def event(type: Any, text: str = "", **data: Any) -> Event:
    return Event(type=type, key=f"e{next(_ids)}", at=NOON, text=text, data=data)


def ran(command: str, output: str = "", tool: str = "Bash", **marks: Any) -> list[Event]:
    """A command and its answer: a failure if it has an output."""
    id = f"c{next(_ids)}"
    call = event("tool_call", f"{tool}: {command}", tool=tool, id=id)
    return [call, event("tool_result", output, tool=tool, id=id, is_error=bool(output), **marks)]


def edited(path: str, old: str, new: str) -> list[Event]:
    given = {"file_path": path, "old_string": old, "new_string": new}
    return [event("tool_call", f"Edit: {path}", tool="Edit", input=given), wrote(path)]


def wrote(path: str, mode: str = "write") -> Event:
    return event("file_access", path=path, mode=mode)


def met(*events: Event) -> Met:
    [found] = errors_met(events)
    return found


def test_a_command_that_succeeds_after_an_edit_was_fixed_by_the_edit() -> None:
    found = met(
        *ran("npm test", ERROR),
        wrote("src/read.ts", "read"),
        *edited("src/loaf.ts", "a.loaf", "a?.loaf"),
        *ran("npm test"),
    )
    assert (found.ended, found.command, found.line) == (True, "npm test", ERROR)
    assert found.steps == ["change src/loaf.ts"]
    assert list(found.fixes.values()) == ['in src/loaf.ts, replace "a.loaf" with "a?.loaf"']
    assert found.diff == "-a.loaf\n+a?.loaf"
    assert not found.tried


def test_an_edit_that_changes_nothing_and_one_after_the_end_are_no_fix() -> None:
    found = met(
        *ran("npm test", ERROR),
        *edited("src/loaf.ts", "same", "same"),
        *ran("npm test"),
        *edited("src/late.ts", "x", "y"),
    )
    assert (found.files, found.fixes, found.diff) == (["src/loaf.ts"], {}, "")


def test_the_same_replacement_in_another_checkout_has_the_same_form() -> None:
    def form(path: str, old: str) -> list[str]:
        return list(met(*ran("make", ERROR), *edited(path, old, "new"), *ran("make")).fixes)

    assert form("/a/src/loaf.ts", "old") == form("lib/loaf.ts", " old\n")
    assert form("src/loaf.ts", "old") != form("src/roll.ts", "old")
    assert form("src/loaf.ts", "old") != form("src/loaf.ts", "other")


def test_commands_in_between_are_the_fix_where_no_file_was_changed() -> None:
    found = met(*ran("npm test", ERROR), *ran("npm install left-pad"), *ran("npm test"))
    assert found.steps == ["run `npm install left-pad`"]
    assert list(found.fixes.values()) == ["run `npm install left-pad`"]
    pushed = met(*ran("npm test", ERROR), *ran("git push"), *ran("npm test"))
    assert (pushed.steps, pushed.fixes) == (["run `git push`"], {})
    gits = met(*ran("git merge main", ERROR), *ran("git pull"), *ran("git merge main"))
    assert list(gits.fixes.values()) == ["run `git pull`"]


def test_the_last_three_commands_are_kept_and_one_that_fails_is_none_of_them() -> None:
    between = [one for n in range(5) for one in ran(f"tool{n} run")]
    found = met(*ran("npm test", ERROR), *between, *ran("npm test"))
    assert found.between == ["tool2 run", "tool3 run", "tool4 run"]
    failing = errors_met(
        [*ran("npm test", ERROR), *ran("other", "KeyError: 'corn' is missing"), *ran("npm test")]
    )
    assert [one.between for one in failing] == [[], ["npm test"]]


def test_a_variant_of_the_command_ends_the_error_if_it_comes_soon() -> None:
    found = met(*ran("pip install loaf --user now", ERROR), *ran("pip install loaf now"))
    assert (found.ended, found.instead) == (True, "pip install loaf now")
    assert found.steps == ["run `pip install loaf now` instead"]
    far = [one for n in range(4) for one in ran(f"tool{n}")]
    late = met(*ran("pip install loaf --user now", ERROR), *far, *ran("pip install loaf now"))
    assert not late.ended
    other = met(*ran("pip install loaf --user now", ERROR), *ran("pip freeze all of it"))
    assert (other.ended, other.fixes) == (False, {})


def test_what_did_not_help_is_tried_and_the_last_three_are_kept() -> None:
    attempts = [one for n in range(4) for one in (*ran(f"tool{n} run"), *ran("npm test", ERROR))]
    found = met(*ran("npm test", ERROR), *attempts)
    assert found.tried == [f"run `tool{n} run`" for n in (1, 2, 3)]
    assert (found.ended, found.steps) == (False, [])
    again = met(*ran("npm test", ERROR), *ran("npm ci"), *ran("npm test"), *ran("npm test", ERROR))
    assert (again.tried, again.ended) == (["run `npm ci`"], False)


def test_sub_agents_refused_calls_other_tools_and_a_look_for_a_file_meet_no_error() -> None:
    assert errors_met(ran("npm test", ERROR, rejected=True)) == []
    assert errors_met(ran("src/a.ts", ERROR, tool="Edit")) == []
    assert errors_met(ran("ls x", "ls: cannot access 'x': No such file or directory")) == []
    aside = [
        event(one.type, one.text, **one.data, sidechain=True) for one in ran("npm test", ERROR)
    ]
    assert errors_met(aside) == []
    fixed_aside = event("file_access", path="src/a.ts", mode="write", sidechain=True)
    assert met(*ran("npm test", ERROR), fixed_aside).files == []


def test_the_last_five_files_and_the_first_errors_of_a_session_are_kept() -> None:
    found = met(*ran("npm test", ERROR), *(wrote(f"f{n}") for n in (0, 1, 2, 3, 4, 5, 2)))
    assert found.files == ["f1", "f2", "f3", "f4", "f5"]
    many = [
        one for n in range(MOST + 5) for one in ran("make", f"TypeError: no{'x' * n} loaf here")
    ]
    assert len(errors_met(many)) == MOST


def test_other_sessions_with_an_error_are_counted_with_the_fix_that_ended_it() -> None:
    fixed = errors_met([*ran("npm test", ERROR), *ran("npm ci"), *ran("npm test")])
    [form] = fixed[0].fixes
    before = {
        "s1": kept(fixed),
        "s2": kept(errors_met(ran("npm test", ERROR))),
        "s3": [],
        "s4": None,
    }
    seen = sightings(fixed[0].signature, before)
    assert (list(seen.sessions), seen.fixes) == (["s1", "s2"], {form: ["s1"]})
    assert sightings("another", before).sessions == []
