"""What an agent is told before it uses a tool, and when it is not let."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contextd.clients.hook_event import ToolUse, tool_use
from support.desks import Desk
from support.repositories import committed

POLICY = "requirement: No eval\npatterns: ['\\beval\\(']\nway_out: parse it\nenforce: {}\n"


@pytest.fixture
def watched(open_desk):
    """A desk whose project has the hook switched on."""
    desk = open_desk()
    desk.configure("policies:\n  hook: true\n")
    return desk


def rule(root: Path, enforce: str, text: str = POLICY) -> None:
    path = root / ".context/policies/no-eval.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(enforce))


def using(desk, tool: str, session: str = "s-1", client: str = "claude-code", **given: Any) -> Any:
    payload = {"session_id": session, "tool_name": tool, "tool_input": given}
    answer = desk.on("hook")("hook_event", event="PreToolUse", payload=payload, client=client)
    return answer["output"].get("hookSpecificOutput", {})


def sessions(desk) -> list[Any]:
    return desk.view.sessions.find(frozenset({desk.scope}))


def test_a_warning_is_told_once_in_a_session_and_stops_nobody(watched):
    rule(watched.root, "warn")
    path = str(watched.root / "a.py")
    told = using(watched, "Write", file_path=path, content="x = eval(y)\n")
    assert set(told) == {"hookEventName", "additionalContext"}
    assert "a.py:1: adds 'eval('" in told["additionalContext"]
    assert "parse it" in told["additionalContext"]
    assert using(watched, "Write", file_path=path, content="x = eval(y)\n") == {}
    assert using(watched, "Write", "s-2", file_path=path, content="eval(y)\n") != {}


def test_a_policy_that_denies_is_refused_every_time_with_the_way_out(watched):
    rule(watched.root, "deny")
    for _ in range(2):
        assert using(watched, "Bash", command="python -c 'eval(1)'") == {}
        told = using(watched, "Bash", command="cat > a.py <<EOF\nx = eval(y)\nEOF")
        assert "a.py: adds" in told["permissionDecisionReason"]
        (watched.root / "b.py").write_text("a = 1\nb = 2\n")
        told = using(
            watched, "Edit", file_path="b.py", old_string="b = 2", new_string="b = eval(2)"
        )
        assert told["permissionDecision"] == "deny"
        assert "b.py:2" in told["permissionDecisionReason"]
        assert "parse it" in told["permissionDecisionReason"]
    [session] = sessions(watched)
    events = watched.view.sessions.events(session.id, types=("injection",))
    assert "Refused by a policy" in events[0].text


def test_tool_calls_that_break_no_policy_get_no_answer_and_open_no_session(watched):
    rule(watched.root, "deny")
    assert using(watched, "Bash", command="ls") == {}
    assert using(watched, "Read", file_path="a.py") == {}
    assert using(watched, "Write", file_path="/elsewhere/a.py", content="eval(x)") == {}
    assert sessions(watched) == []


def test_without_the_setting_nobody_is_told_anything(desk):
    rule(desk.root, "deny")
    assert using(desk, "Write", file_path="a.py", content="eval(x)") == {}


def test_a_client_that_has_no_such_answer_is_told_nothing(watched):
    rule(watched.root, "deny")
    assert using(watched, "Bash", client="codex", command="eval(x)") == {}


def test_a_migration_that_is_still_being_written_may_be_changed(watched):
    text = "requirement: r\npaths: ['migrations/']\nchanges: [edit, delete]\nenforce: {}\n"
    rule(watched.root, "deny", text)
    root = committed(watched.root, {"migrations/1.sql": "a\n"})
    (root / "migrations/2.sql").write_text("b\n")
    assert (
        using(watched, "Edit", file_path="migrations/2.sql", old_string="b", new_string="c") == {}
    )
    told = using(watched, "Edit", file_path="migrations/1.sql", old_string="a", new_string="c")
    assert told["permissionDecision"] == "deny"
    told = using(watched, "Bash", command="git rm migrations/1.sql")
    assert told["permissionDecision"] == "deny"


def test_a_neighbours_policy_stops_nobody_here(watched, tmp_path):
    other = watched.at(committed(tmp_path / "other", {"a.py": "x\n"}))
    rule(other.root, "deny")
    assert using(watched, "Write", file_path="a.py", content="eval(x)") == {}


def test_bad_input_and_broken_files_stop_nobody(watched):
    rule(watched.root, "deny", "requirement: [")
    assert using(watched, "Write", file_path="a.py", content="eval(x)") == {}
    rule(watched.root, "deny")
    (watched.root / "bin").write_bytes(b"\0\xff" * 1000)
    (watched.root / "folder").mkdir()
    for given in (
        {},
        {"command": 3},
        {"file_path": "bin", "old_string": "a", "new_string": "b"},
        {"file_path": "folder", "content": "x"},
        {"file_path": "a/b\0c", "content": "x"},
        {"file_path": "a.py", "edits": ["x", {"old_string": "a"}]},
        {"file_path": "a.py", "content": "\ud800" + "y" * 1_000_000},
    ):
        assert using(watched, "Write", **given) == {}, given


def test_the_input_of_a_tool_is_read_whatever_the_tool_is_called():
    assert tool_use({"command": "ls"}) == ToolUse(command="ls")
    assert tool_use({"file_path": "a", "content": "b"}) == ToolUse(path="a", content="b")
    assert tool_use({"notebook_path": "a", "new_source": "b"}) == ToolUse(path="a", content="b")
    edits = [{"old_string": "x", "new_string": "y"}, {"old_string": "p", "new_string": "q"}]
    found = tool_use({"file_path": "a", "edits": edits})
    assert found == ToolUse(path="a", replacements=(("x", "y"), ("p", "q")))
    for other in (None, [], {}, {"file_path": "a"}, {"query": "x"}):
        assert tool_use(other) is None


def test_policy_checks_survive_a_restart_without_secrets_and_stay_in_their_project(
    watched, home, neighbour
):
    rule(watched.root, "deny")
    secret = "ghp_" + "a1B2" * 9
    watched("policy_check", action=f"ls {secret} \ud800")
    watched("policy_check", action=f"--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+eval('{secret}')\n")
    watched.host.close()
    again = Desk(home.host(), watched.root)
    last, first = again.as_owner("policy_checks")["checks"]
    assert [one["path"] for one in last["violations"]] == ["a.py"]
    assert (last["by"], last["denied"], first["violations"]) == ("test-client", True, [])
    assert secret not in str([last, first])
    assert neighbour.desk(again.host).as_owner("policy_checks")["checks"] == []
    again.host.close()
    kept = [one for one in Path(again.host.settings.home).rglob("*") if one.is_file()]
    assert not any(secret.encode() in one.read_bytes() for one in kept)


def test_a_denied_change_of_a_file_is_among_the_last_policy_checks(watched):
    rule(watched.root, "deny")
    using(watched, "Write", file_path="a.py", content="x = 1\n")
    using(watched, "Write", file_path="a.py", content="x = eval(y)\n")
    watched("policy_check", action="python a.py")
    kept, broken = watched.as_owner("policy_checks")["checks"]
    assert (kept["about"], kept["violations"]) == ("python a.py", [])
    assert (broken["about"], broken["denied"]) == ("a change of a.py", True)
    assert [(one["path"], one["line"]) for one in broken["violations"]] == [("a.py", 1)]
    assert "before it acted" in broken["by"]
