"""Where what a transcript says comes from, one small transcript for each origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.origins import ORIGINS, origin_of
from contextd.domain.sessions import Event
from contextd.domain.speech import set_apart
from contextd.imports.importers import ImportBatch
from contextd.imports.importers.claude_code import TypedAhead, read
from contextd.imports.importers.commits_and_prs import commits, pull_request
from contextd.imports.importers.injected_text import command_words

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a "
    "file edit, the new_string was NOT written to the file). "
)


def line(uuid: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid, "type": kind, "sessionId": "s1", "cwd": "/w/shop", "gitBranch": "main",
        "timestamp": "2026-03-01T10:00:00Z", "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip


def call(
    id: str, tool: str, given: dict[str, Any], result: Any, **more: Any
) -> list[dict[str, Any]]:
    """A tool call and what came back."""
    block = {"type": "tool_use", "id": id, "name": tool, "input": given}
    error = bool(more.pop("error", False))
    back = {"type": "tool_result", "tool_use_id": id, "content": result, "is_error": error}
    return [line(f"{id}-c", "assistant", [block]), line(f"{id}-r", "user", [back], **more)]


def queue(operation: str, at: int, text: str = "") -> dict[str, Any]:
    told = {"type": "queue-operation", "operation": operation, "sessionId": "s1"}
    return {
        **told,
        "timestamp": f"2026-03-01T10:00:{at:02}Z",
        **({"content": text} if text else {}),
    }


def write(folder: Path, *lines: dict[str, Any], name: str = "s1") -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    return path


def told(batch: ImportBatch, origin: str) -> list[Event]:
    return [event for event in batch.events if event.data.get("origin") == origin]


def texts(batch: ImportBatch, origin: str) -> list[str]:
    return [event.text for event in told(batch, origin)]


@pytest.mark.parametrize("row", ORIGINS.values(), ids=lambda row: row.name)
def test_an_origin_says_who_speaks_and_what_it_is_worth(row: Any) -> None:
    assert ORIGINS[row.name] is row
    assert 0 < row.worth < 1
    assert row.description


def test_prose_is_a_prompt_and_what_was_pasted_beside_it_is_material(tmp_path: Path) -> None:
    text = "Why does this fail?\n\n```\nTypeError: total is None\n```\nPlease keep the API."
    batch = read(write(tmp_path, line("a", "user", text)))
    (prompt,), (material,) = told(batch, "prompt"), told(batch, "material")
    assert "TypeError" not in prompt.text
    assert "keep the API" in prompt.text
    assert prompt.data["material"] is True
    assert (material.type, material.key) == ("note", "a:0:material")
    assert "TypeError" in material.text


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("2", "2"),
        ("カートの合計が間違っている。直して。", "カートの合計が間違っている。直して。"),
        ("1. no\n2. use the first\n3. yes", "1. no\n2. use the first\n3. yes"),
        (
            "Implement the following plan:\n\n# Plan\n\n## Steps\n\nDo it.",
            "Implement the following plan:",
        ),
        (
            "Sieh dir das an:\n\n$ make\n10:58:02 ERROR: no rule\n\nwarum?",
            "Sieh dir das an:\n\nwarum?",
        ),
        (
            "deploying fails:\n➜ api git:(main) ✗ fly launch\nAn existing fly.toml was found\nDeploying apps",
            "deploying fails:",
        ),
        ("$ make test\n... 3 of 4\nit hangs there, find out why", "it hangs there, find out why"),
        ("You are a wizard.\n\n# Rules\n\nAlways install it in the background.", ""),
        ("10:58:01 INFO scan\n10:58:02 ERROR leak\n10:58:03 INFO done", ""),
        ("# Review\n\n## Findings\n\n- one\n\nCan you fix these?", "Can you fix these?"),
        (
            "hat geklappt:\n  one line of a program\n  another line of it\n  a third",
            "hat geklappt:",
        ),
    ],
)
def test_prose_is_told_from_pasted_text_in_any_language(text: str, prose: str) -> None:
    own, material = set_apart(text)
    assert own == prose
    assert bool(material) is (own != text)


def test_a_long_document_is_material_but_for_the_line_that_leads_into_it() -> None:
    document = "\n\n".join(
        f"The {n}th part explains how a basket is priced and taxed." for n in range(60)
    )
    prose, material = set_apart(f"Please read this.\n\n{document}")
    assert prose == "Please read this."
    assert material.startswith("The 0th part")


def test_words_typed_behind_a_command_are_a_prompt_and_an_option_is_not(tmp_path: Path) -> None:
    typed = "<command-name>/fix</command-name> <command-args>round the tax once</command-args>"
    batch = read(write(tmp_path, line("a", "user", typed)))
    (prompt,) = told(batch, "prompt")
    assert (prompt.text, prompt.data["command"]) == ("round the tax once", "/fix")
    option = "<command-name>/model</command-name><command-args>opus</command-args>"
    assert command_words(option) is None


def test_a_reason_for_refusing_is_the_users_word(tmp_path: Path) -> None:
    said = (
        REFUSED
        + "To tell you how to proceed, the user said:\nno helper, inline it\n\nNote: The user's next message may contain a correction"
    )
    bare = REFUSED + "STOP what you are doing and wait for the user to tell you how to proceed."
    edit = {"file_path": "/w/shop/CLAUDE.md", "old_string": "", "new_string": "Use helpers."}
    lines = [
        *call("t1", "Edit", edit, said, error=True),
        *call("t2", "Bash", {"command": "rm x"}, bare, error=True),
    ]
    batch = read(write(tmp_path, *lines))
    (refusal,) = told(batch, "refusal")
    assert (refusal.type, refusal.role, refusal.text) == ("message", "user", "no helper, inline it")
    assert refusal.data["tool"] == "Edit"
    assert told(batch, "instructions") == []
    results = [event for event in batch.events if event.type == "tool_result"]
    assert all(event.data["rejected"] for event in results)


QUESTIONS = {
    "questions": [{"question": "Which store?"}, {"question": "Tests first?"}, {"question": "Name?"}]
}


def test_each_answer_stands_with_its_question(tmp_path: Path) -> None:
    given = {"answers": {"Which store?": "SQLite", "Tests first?": ["yes", "always"], "Name?": ""}}
    lines = call("t1", "AskUserQuestion", QUESTIONS, "answered", toolUseResult=given)
    batch = read(write(tmp_path, *lines))
    assert texts(batch, "answer") == ["Which store? → SQLite", "Tests first? → yes, always"]
    first = told(batch, "answer")[0]
    assert (first.type, first.role, first.data["answer"]) == ("message", "user", "SQLite")


def test_answers_printed_in_a_line_are_read_with_their_commas_and_quotes(tmp_path: Path) -> None:
    printed = 'User has answered your questions: "Which store?"="the "big" one, SQLite", "Tests first?"="(No answer provided)". You can now continue.'
    batch = read(write(tmp_path, *call("t1", "AskUserQuestion", QUESTIONS, printed)))
    assert texts(batch, "answer") == ['Which store? → the "big" one, SQLite']


def test_a_compaction_summary_is_kept_and_never_the_users_words(tmp_path: Path) -> None:
    text = "This session is being continued from a previous conversation that ran out. We price baskets."
    marked = line("a", "user", text, isCompactSummary=True)
    batch = read(write(tmp_path, marked, line("b", "user", text + " Again.")))
    assert [(event.type, event.role) for event in told(batch, "summary")] == [
        ("note", "assistant")
    ] * 2
    assert told(batch, "prompt") == []


def test_a_plan_counts_when_it_was_approved(tmp_path: Path) -> None:
    approved = "User has approved your plan. You can now start coding.\n\n## Approved Plan:\n# Round once\nAt the end."
    refused = REFUSED + "To tell you how to proceed, the user said:\nuse cents"
    lines = [
        *call("t1", "ExitPlanMode", {"plan": "Round often"}, refused, error=True),
        *call("t2", "ExitPlanMode", {"plan": "Round once"}, approved),
        *call("t3", "ExitPlanMode", {"plan": "Use cents"}, "User has approved your plan."),
    ]
    batch = read(write(tmp_path, *lines))
    assert texts(batch, "plan") == ["# Round once\nAt the end.", "Use cents"]
    assert texts(batch, "refusal") == ["use cents"]


def test_the_list_of_tasks_is_told_whole_with_its_states(tmp_path: Path) -> None:
    todos = [{"content": "round", "status": "completed"}, {"content": "test", "status": "pending"}]
    lines = [
        *call("t1", "TodoWrite", {"todos": todos}, "ok"),
        *call("t2", "TaskCreate", {"subject": "price"}, "Task #1 created successfully: price"),
        *call("t3", "TaskCreate", {"subject": "ship"}, "Task #2 created successfully: ship"),
        *call(
            "t4", "TaskUpdate", {"taskId": "1", "status": "in_progress"}, "Updated task #1 status"
        ),
    ]
    lists = [event.data["items"] for event in told(read(write(tmp_path, *lines)), "todo")]
    assert lists[0] == [
        {"text": "round", "state": "completed"},
        {"text": "test", "state": "pending"},
    ]
    assert lists[-1] == [
        {"text": "price", "state": "in_progress"},
        {"text": "ship", "state": "pending"},
    ]


HEREDOC = (
    "git add -A && git commit -m \"$(cat <<'EOF'\nRound the tax once\n\nTwo rounds lost a cent.\n\n"
    'Co-Authored-By: Someone <a@b.c>\nEOF\n)" && git push'
)


def test_a_commit_that_was_made_tells_its_message_and_its_hash(tmp_path: Path) -> None:
    made = "[main 4f2a9c1] Round the tax once\n 2 files changed"
    lines = [
        *call("t1", "Bash", {"command": HEREDOC}, made),
        *call(
            "t2", "Bash", {"command": "git commit -m 'never made'"}, "nothing to commit", error=True
        ),
    ]
    (commit,) = told(read(write(tmp_path, *lines)), "commit")
    assert commit.text == "Round the tax once\n\nTwo rounds lost a cent."
    assert (commit.data["sha"], commit.data["branch"]) == ("4f2a9c1", "main")


@pytest.mark.parametrize(
    ("command", "messages"),
    [
        ('git commit -m "Say \\"hi\\"" -m "Because."', ['Say "hi"\n\nBecause.']),
        ("git -C sub commit -qam 'One' && git commit --amend --no-edit", ["One"]),
        ("git commit -F - <<'EOF'\nFrom input\nEOF\n", ["From input"]),
        ("git commit -m one; git commit -m two", ["one", "two"]),
        ("git log --grep commit -m 3", []),
        ("git commit", []),
    ],
)
def test_messages_are_read_from_the_command(command: str, messages: list[str]) -> None:
    assert [commit.message for commit in commits(command, "")] == messages


def test_a_pull_request_tells_title_body_and_number(tmp_path: Path) -> None:
    command = 'gh pr create --title "Round once" --body "$(cat <<\'EOF\'\n## Why\nA cent was lost.\nEOF\n)"'
    url = "https://example.org/shop/pull/41"
    (pull,) = told(
        read(write(tmp_path, *call("t1", "Bash", {"command": command}, url))), "pull_request"
    )
    assert pull.text == "Round once\n\n## Why\nA cent was lost."
    assert (pull.data["number"], pull.data["url"]) == (41, url)
    assert pull_request("gh pr view 41", url) is None


def test_only_what_was_added_for_agents_is_told(tmp_path: Path) -> None:
    patch = {"structuredPatch": [{"lines": [" # Rules", "-Round.", "+Round once.", "+Use cents."]}]}
    edit = {
        "file_path": "/w/shop/CLAUDE.md",
        "old_string": "# Rules\nRound.",
        "new_string": "# Rules\nRound once.",
    }
    memory = {
        "file_path": "/home/me/.claude/projects/-w-shop/memory/tax.md",
        "content": "Tax is due.",
    }
    code = {"file_path": "/w/shop/tax.py", "content": "RATE = 1"}
    lines = [
        *call("t1", "Edit", edit, "ok"),
        *call("t2", "Edit", edit, "ok", toolUseResult=patch),
        *call("t3", "Write", memory, "ok"),
        *call("t4", "Write", code, "ok"),
    ]
    batch = read(write(tmp_path, *lines))
    assert texts(batch, "instructions") == ["Round once.", "Round once.\nUse cents."]
    assert told(batch, "instructions")[0].data["path"] == "CLAUDE.md"
    assert texts(batch, "memory_file") == ["Tax is due."]


def test_a_message_typed_ahead_is_told_once_and_what_programs_queue_is_not(tmp_path: Path) -> None:
    notice = "<task-notification><status>completed</status></task-notification>"
    attachment = {"type": "queued_command", "prompt": "use cents", "commandMode": "prompt"}
    lines = [
        queue("enqueue", 1, "use cents"),
        queue("enqueue", 2, notice),
        queue("remove", 3),
        queue("remove", 3),
        line("x", "user", "", type="attachment", attachment=attachment),
        queue("enqueue", 4, "now ship it"),
        queue("dequeue", 5),
        line("b", "user", "now ship it"),
    ]
    batch = read(write(tmp_path, *lines))
    assert texts(batch, "queued") == ["use cents"]
    assert texts(batch, "prompt") == ["now ship it"]


def test_an_attachment_that_comes_first_is_not_told_again_when_it_leaves_the_queue() -> None:
    ahead = TypedAhead()
    ahead.operate("enqueue", "one", "k1")
    ahead.operate("enqueue", "two", "k2")
    assert ahead.attached("one", "a1") == ("one", "k1")
    assert ahead.operate("remove", "", "r1") is None
    assert ahead.operate("remove", "", "r2") == ("two", "k2")


def everything() -> list[dict[str, Any]]:
    """A transcript with an open call, a queue and a list of tasks at almost every place."""
    return [
        line("p1", "user", "Round the tax.", entrypoint="cli"),
        queue("enqueue", 1, "use cents"),
        *call("t1", "TaskCreate", {"subject": "price"}, "Task #1 created successfully: price"),
        queue("remove", 2),
        *call("t2", "TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1"),
        *call("t3", "AskUserQuestion", QUESTIONS, 'answered: "Which store?"="SQLite".'),
        *call("t4", "Bash", {"command": HEREDOC}, "[main 4f2a9c1] Round the tax once"),
        line("a1", "assistant", [{"type": "text", "text": "The tax is rounded once."}]),
    ]


def test_reading_on_from_any_line_gives_the_same_events_with_the_same_keys(tmp_path: Path) -> None:
    path = write(tmp_path, *everything())
    whole = read(path)
    raw = path.read_bytes()
    for end in [place + 1 for place, byte in enumerate(raw) if byte == 10]:
        path.write_bytes(raw[:end])
        first = read(path)
        path.write_bytes(raw)
        rest = read(path, first.next_offset)
        assert (*first.events, *rest.events) == whole.events
    assert read(path).events == whole.events


def test_queued_prompts_of_one_transcript_do_not_appear_in_another(tmp_path: Path) -> None:
    mine = write(tmp_path, *everything())
    other = [{**one, "sessionId": "s2"} for one in everything()[2:]]
    neighbour = write(tmp_path, *other, name="s2")
    before, beside = read(mine), read(neighbour)
    assert texts(before, "queued") == ["use cents"]
    assert texts(beside, "queued") == []
    assert read(mine).events == before.events
    assert (before.external_id, beside.external_id) == ("s1", "s2")


@pytest.mark.parametrize(
    ("entrypoint", "headless"), [("cli", False), ("sdk-py", True), ("sdk-cli", True), ("", False)]
)
def test_a_batch_says_how_the_client_was_started(
    tmp_path: Path, entrypoint: str, headless: bool
) -> None:
    batch = read(write(tmp_path, line("a", "user", "hello there", entrypoint=entrypoint)))
    assert (batch.entrypoint, batch.headless) == (entrypoint, headless)


def test_an_event_of_a_hook_is_told_by_its_role(tmp_path: Path) -> None:
    (event,) = read(write(tmp_path, line("a", "user", "hello there"))).events
    bare = Event(type="query", key="k", at=event.at, role="user", text="hello")
    assert origin_of(bare) == "prompt"
    assert origin_of(Event(type="tool_result", key="k", at=event.at, role="tool", text="x")) == ""
