"""What a call reveals besides its output: answers, refusals, plans, lists, commits, and text for the next agent."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.imports.importers.call_artefacts import (
    FinishedCall,
    Tasks,
    added_text,
    artefacts,
    refusal_reason,
)

REFUSED = "The user doesn't want to proceed with this tool use."


def call(
    tool: str, output: str = "", *, result: Any = None, failed: bool = False, **given: Any
) -> FinishedCall:
    return FinishedCall(
        tool=tool, arguments=given, content=output, result=result, failed=failed, cwd="/srv/shop"
    )


def told(one: FinishedCall, tasks: Tasks | None = None) -> list[tuple[str, str, str]]:
    """Suffix, role and text of each artefact."""
    return [(a.suffix, a.role, a.text) for a in artefacts(one, tasks or Tasks())]


def test_a_refusal_says_the_users_reason_and_nothing_else() -> None:
    said = f"{REFUSED} To tell you how to proceed, the user said:\nUse tabs.\n\nNote: The user's next message may follow."
    assert refusal_reason(said) == "Use tabs."
    assert refusal_reason(f"  {REFUSED}") == ""
    assert refusal_reason(f"x {REFUSED}") is None
    assert told(call("Bash", said, command="git commit -m 'x'")) == [(":said", "user", "Use tabs.")]
    assert told(call("Bash", REFUSED, command="git commit -m 'x'")) == []
    [one] = artefacts(call("Edit", said), Tasks())
    assert (one.type, one.data["origin"], one.data["tool"]) == ("message", "refusal", "Edit")


def test_answers_to_questions_are_the_users_and_empty_ones_are_none() -> None:
    answers = {
        "Tabs?": "Yes",
        "Which?": ["a", " ", "b"],
        "Why?": "",
        "When?": "(No answer provided)",
    }
    found = told(call("AskUserQuestion", result={"answers": answers}))
    assert found == [(":answer0", "user", "Tabs? → Yes"), (":answer1", "user", "Which? → a, b")]
    old = 'User has answered: "Tabs?"="Yes, "always"", "Why?"="So".'
    asked = [{"question": "Tabs?"}, {"question": "Why?"}, "odd"]
    assert [text for *_, text in told(call("AskUserQuestion", old, questions=asked))] == [
        'Tabs? → Yes, "always"',
        "Why? → So",
    ]
    assert [text for *_, text in told(call("AskUserQuestion", '"A?"="1", "B?"=""'))] == ["A? → 1"]
    clarify = (
        f"{REFUSED} the user said:\\nThe user wants to clarify these questions".replace("\\n", "\n")
        + '\n- "Tabs?"\n  Answer: Yes\n- "Why?"\n  Answer: (No answer provided)'
    )
    assert told(call("AskUserQuestion", clarify)) == [(":answer0", "user", "Tabs? → Yes")]


def test_a_plan_counts_once_it_is_approved_as_it_was_edited() -> None:
    assert told(call("ExitPlanMode", "User has approved your plan.", plan=" Do it. ")) == [
        (":plan", "assistant", "Do it.")
    ]
    edited = "User has approved your plan.\n\n## Approved Plan (edited by user):\nDo half.\n"
    assert [text for *_, text in told(call("ExitPlanMode", edited, plan="Do it."))] == ["Do half."]
    assert told(call("ExitPlanMode", "The plan waits.", plan="Do it.")) == []
    assert told(call("ExitPlanMode", "approved", plan="")) == []


def test_a_list_of_steps_shows_their_states() -> None:
    todos = [
        {"content": " One ", "status": "completed"},
        {"content": "Two"},
        {"content": ""},
        "odd",
    ]
    assert told(call("TodoWrite", todos=todos)) == [
        (":todo", "assistant", "[completed] One\n[pending] Two")
    ]
    plan = [{"step": "Three", "status": "in_progress"}]
    assert told(call("update_plan", plan=plan)) == [(":todo", "assistant", "[in_progress] Three")]
    assert told(call("TodoWrite", todos=todos, failed=True)) == []
    assert told(call("TodoWrite", todos=[])) == []


def test_numbered_tasks_are_followed_from_call_to_call() -> None:
    tasks = Tasks()
    assert (
        told(call("TaskCreate", "Task #1 created", subject="One"), tasks)[0][2] == "[pending] One"
    )
    assert told(call("TaskCreate", "Task #2 created", description="Two"), tasks)[0][2] == (
        "[pending] One\n[pending] Two"
    )
    assert told(call("TaskCreate", "created", subject="Three"), tasks) == []
    assert told(call("TaskCreate", "Task #3", subject=" "), tasks) == []
    done = told(call("TaskUpdate", taskId="1", status="completed"), tasks)
    assert done[0][2] == "[completed] One\n[pending] Two"
    renamed = told(call("TaskUpdate", taskId=2, subject="Deux"), tasks)
    assert renamed[0][2] == "[completed] One\n[pending] Deux"
    assert told(call("TaskUpdate", taskId="9", status="completed"), tasks) == []
    assert told(call("TaskUpdate", taskId="1", status="deleted"), tasks)[0][2] == "[pending] Deux"


def test_a_commit_and_a_pull_request_are_told_if_they_were_made() -> None:
    made = call("Bash", "[main 0a1b2c3] Fix it\n 1 file changed", command="git commit -m 'Fix it'")
    [one] = artefacts(made, Tasks())
    assert (one.suffix, one.text, one.data["sha"], one.data["branch"]) == (
        ":commit0", "Fix it", "0a1b2c3", "main",
    )  # fmt: skip
    nothing = "nothing to commit, working tree clean"
    assert told(call("Bash", nothing, command="git commit -m 'Fix it'")) == []
    assert told(call("Bash", "", failed=True, command="git commit -m 'Fix it'")) == []
    assert told(call("Bash", "ok", command="ls")) == []
    opened = call(
        "Bash",
        "https://github.com/a/b/pull/7\n",
        command="gh pr create --title 'Fix it' --body 'Why.'",
    )
    [pull] = artefacts(opened, Tasks())
    assert (pull.suffix, pull.text, pull.data["url"]) == (
        ":pull", "Fix it\n\nWhy.", "https://github.com/a/b/pull/7",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("/srv/shop/MEMORY.md", "memory_file"),
        ("/home/ana/.claude/projects/x/memory/tabs.md", "memory_file"),
        ("/srv/shop/CLAUDE.md", "instructions"),
        ("/srv/shop/sub/agents.md", "instructions"),
        ("/srv/shop/.github/copilot-instructions.md", "instructions"),
        ("/srv/shop/docs/HAND-OFF-2.txt", "instructions"),
        ("/srv/shop/.cursorrules", "instructions"),
        ("/srv/shop/.cursor/rules/a/b.mdc", "instructions"),
        ("/srv/shop/README.md", ""),
        ("/srv/shop/claude.md.txt", ""),
        ("/srv/shop/my-MEMORY.md", ""),
    ],
)
def test_text_for_the_next_agent_is_told_with_its_file(path: str, origin: str) -> None:
    found = list(artefacts(call("Write", file_path=path, content=" Use tabs. "), Tasks()))
    assert [(one.data["origin"], one.text) for one in found] == [(origin, "Use tabs.")] * bool(
        origin
    )
    if origin:
        assert found[0].data["path"] == path.removeprefix("/srv/shop/")


@pytest.mark.parametrize(
    ("given", "result", "added"),
    [
        ({"content": " a\n"}, None, "a"),
        ({"old_string": "a\nb", "new_string": "a\nc\n\nb"}, None, "c"),
        ({"old_string": "a", "new_string": "a\n\nb"}, None, "b"),
        ({"edits": [{"old_string": "", "new_string": "x"}, "odd", {"new_string": "y"}]}, None, "x\n\ny"),
        ({"content": "no"}, {"structuredPatch": [{"lines": [" k", "-a", "+a", "+b"]}, {"lines": ["+c"]}]}, "b\n\nc"),
        ({"content": "yes"}, {"structuredPatch": []}, "yes"),
        ({"old_string": "a", "new_string": "a"}, None, ""),
    ],
)  # fmt: skip
def test_only_added_lines_count(given: dict[str, Any], result: Any, added: str) -> None:
    assert added_text(given, result) == added
