"""Sequences of steps that ended well, the same in one session and another."""

from __future__ import annotations

from contextd.sessions.turns import turns_of
from contextd.skills.procedures import Procedure, procedures_of, returned
from support.talks import Talk


def release(*commands: str, code: int = 0) -> list[Procedure]:
    talk = Talk().asks("Cut the release")
    for command in commands:
        talk.runs(command, "ok")
    talk.runs("npm publish", "ok" if not code else "Error: it was refused by the host", code)
    return procedures_of(turns_of(talk.answers("Done.").events))


ROUTINE = ("npm run lint", "npm test", "git tag v1.2.3")


def test_a_sequence_is_the_steps_and_not_what_they_are_done_to() -> None:
    [one] = [each for each in release(*ROUTINE) if len(each.steps) == 4]
    assert one.steps == ("npm run lint", "npm test", "git tag", "npm publish")
    [other] = [
        each for each in release("npm run lint", "npm test", "git tag v2") if len(each.steps) == 4
    ]
    assert one.key == other.key


def test_steps_that_failed_are_no_procedure() -> None:
    assert release(*ROUTINE, code=1) == []
    talk = Talk().asks("x").runs("npm test", "1 failed", 1).runs("npm run lint").runs("npm publish")
    assert procedures_of(turns_of(talk.events)) == []


def test_looking_git_alone_and_trying_again_are_no_sequences() -> None:
    talk = Talk().asks("x")
    for command in ("git add -A", "git commit -m x", "git push", "ls", "git status"):
        talk.runs(command)
    assert procedures_of(turns_of(talk.events)) == []
    tried = Talk().asks("x").runs("npm test").runs("npm run lint").runs("npm test")
    assert procedures_of(turns_of(tried.events)) == []


def test_the_longest_sequence_of_three_sessions_stands_for_its_parts() -> None:
    found = release(*ROUTINE)
    keys = [one.key for one in found]
    assert returned(found, [keys], 3) == []
    [(one, times)] = returned(found, [keys, keys, None, "x"], 3)
    assert (len(one.steps), times) == (4, 3)
