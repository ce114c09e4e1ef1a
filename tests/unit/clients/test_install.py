"""Connecting a client changes what it must and nothing else; disconnecting leaves no trace."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from contextd.clients import config_text
from contextd.clients import install as installing
from contextd.clients.install import InstallReport, Launch, install, uninstall
from contextd_common.errors import Conflict, Denied, Invalid, NotFound, TooLarge, Unavailable

COMMAND = ["/opt/my tools/bin/contextd"]
EVENTS = {
    "SessionStart": 5,
    "UserPromptSubmit": 5,
    "PostToolUseFailure": 5,
    "Stop": 5,
    "PreCompact": 5,
    "PostCompact": 5,
    "SubagentStart": 5,
    "SubagentStop": 5,
    "SessionEnd": 5,
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def put_in(home: Path, command: list[str] = COMMAND, **options: object) -> InstallReport:
    return install("claude-code", home, None, launch=Launch(command), **options)  # type: ignore[arg-type]


def take_out(home: Path, **options: object) -> InstallReport:
    return uninstall("claude-code", home, None, **options)  # type: ignore[arg-type]


def tree(root: Path) -> dict[str, bytes | str]:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else "directory"
        for path in sorted(root.rglob("*"))
    }


def handlers(settings: Path, event: str) -> list[dict[str, object]]:
    groups = json.loads(settings.read_text())["hooks"][event]
    return [handler for group in groups for handler in group["hooks"]]


def test_a_fresh_user_gets_the_server_and_one_hook_per_event(home: Path) -> None:
    report = put_in(home)
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["contextd"]
    assert server == {
        "type": "stdio",
        "command": COMMAND[0],
        "args": ["mcp", "--client", "claude-code", "--hooked"],
    }
    settings = home / ".claude" / "settings.json"
    for event, timeout in EVENTS.items():
        assert handlers(settings, event) == [
            {
                "type": "command",
                "command": "'/opt/my tools/bin/contextd' hook --client claude-code",
                "timeout": timeout,
            }
        ]
    assert [file.state for file in report.files] == ["created", "created"]
    assert report.files[0].changes == ("added the MCP server contextd",)
    assert len(report.files[1].changes) == len(EVENTS)


def test_a_project_gets_its_own_files_and_the_home_none(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    backups = tmp_path / "backups"
    install("claude-code", home, root, launch=Launch(COMMAND), scope="project", backups=backups)
    assert sorted(tree(root)) == [".claude", ".claude/settings.json", ".mcp.json"]
    assert tree(home) == {}
    uninstall("claude-code", home, root, scope="project", backups=backups)
    assert tree(root) == {}


def test_a_chosen_configuration_directory_holds_both_files(home: Path, tmp_path: Path) -> None:
    chosen = tmp_path / "elsewhere"
    put_in(home, config_dir=chosen, backups=tmp_path / "backups")
    assert sorted(tree(chosen)) == [".claude.json", "settings.json"]
    assert tree(home) == {}


def test_installing_again_changes_no_byte(home: Path) -> None:
    put_in(home)
    once = tree(home)
    report = put_in(home)
    assert tree(home) == once
    assert {file.state for file in report.files} == {"unchanged"}


def test_disconnecting_removes_the_files_and_directories_that_connecting_made(home: Path) -> None:
    put_in(home)
    report = take_out(home)
    assert tree(home) == {}
    assert {file.state for file in report.files} == {"removed"}


def test_a_dry_run_tells_the_same_and_writes_nothing(home: Path) -> None:
    told = put_in(home, dry_run=True)
    assert tree(home) == {}
    assert "what would happen" in told.as_text()
    done = put_in(home)
    assert told.files == done.files
    present = tree(home)
    take_out(home, dry_run=True)
    assert tree(home) == present


def test_everything_else_in_the_file_stays_to_the_byte(home: Path) -> None:
    original = (
        '{\r\n\t"größe": 1.50,\r\n\t"mcpServers" : { "other": {"command":"x"} },\r\n'
        '\t"n": 1e5, "n": "caf\\u00e9 \\ud83d\\ude00"\r\n}\r\n'
    )
    (home / ".claude.json").write_bytes(original.encode())
    put_in(home)
    text = (home / ".claude.json").read_bytes().decode()
    ours = text.index(', "contextd"')
    assert text[:ours] == original[:ours]
    assert "\r\n" not in text[ours : -len(original[ours:])]
    assert text.endswith(original[ours:])
    assert list(json.loads(text)["mcpServers"]) == ["other", "contextd"]
    take_out(home)
    assert (home / ".claude.json").read_bytes() == original.encode()


def test_new_lines_follow_the_files_own_layout(home: Path) -> None:
    (home / ".claude.json").write_bytes(b'{\r\n\t"a": 1\r\n}')
    put_in(home)
    assert (home / ".claude.json").read_bytes() == (
        b'{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"contextd": {\r\n\t\t\t"type": "stdio",\r\n'
        b'\t\t\t"command": "/opt/my tools/bin/contextd",\r\n\t\t\t"args": [\r\n\t\t\t\t"mcp",\r\n'
        b'\t\t\t\t"--client",\r\n\t\t\t\t"claude-code",\r\n\t\t\t\t"--hooked"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}'
    )


@pytest.mark.parametrize("original", [b"", b"\n", b"{}", b" { } ", b'{"a":1}', b"\xef\xbb\xbf{}\n"])
def test_small_and_marked_files_come_back_as_they_were(home: Path, original: bytes) -> None:
    (home / ".claude.json").write_bytes(original)
    put_in(home)
    edited = (home / ".claude.json").read_bytes()
    assert json.loads(edited.decode("utf-8-sig"))["mcpServers"]["contextd"]
    assert edited.startswith(b"\xef\xbb\xbf") == original.startswith(b"\xef\xbb\xbf")
    take_out(home)
    assert (home / ".claude.json").read_bytes() == original


def test_other_hooks_on_the_same_event_stay(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    theirs = {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hello"}]}
    settings.write_text(
        json.dumps({"hooks": {"SessionStart": [theirs], "Notification": []}}, indent=4)
    )
    put_in(home)
    hooks = json.loads(settings.read_text())["hooks"]
    assert hooks["SessionStart"][0] == theirs
    assert len(hooks["SessionStart"]) == 2
    assert hooks["Notification"] == []


def test_after_a_users_edit_only_our_entries_go(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "model": "opus",\n  "hooks": {}\n}\n')
    put_in(home)
    edited = settings.read_text().replace('"opus"', '"sonnet"')
    settings.write_text(edited)
    report = take_out(home)
    assert settings.read_text() == '{\n  "model": "sonnet",\n  "hooks": {}\n}\n'
    assert report.files[1].state == "changed"
    assert len(report.files[1].changes) == len(EVENTS)


def test_a_file_we_made_stays_when_its_user_added_to_it(home: Path) -> None:
    put_in(home)
    path = home / ".claude.json"
    document = {**json.loads(path.read_text()), "theme": "dark"}
    path.write_text(json.dumps(document))
    take_out(home)
    assert json.loads(path.read_text()) == {"theme": "dark"}


def test_a_file_we_made_goes_when_only_its_layout_was_changed(home: Path) -> None:
    put_in(home)
    path = home / ".claude.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    take_out(home)
    assert not path.exists()


def test_an_edit_between_two_installations_is_kept_by_the_uninstallation(home: Path) -> None:
    path = home / ".claude.json"
    path.write_text('{\n  "a": 1\n}\n')
    put_in(home, ["/old/contextd"])
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    put_in(home)
    take_out(home)
    assert path.read_text() == '{\n  "a": 2\n}\n'


def test_an_older_entry_of_ours_is_brought_up_to_date_in_its_place(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    old = {"type": "command", "command": "'/old/contextd' hook --client claude-code", "timeout": 60}
    theirs = {"type": "command", "command": "notify-send done"}
    doubled = {"hooks": [{"type": "command", "command": "contextd", "args": ["hook"]}]}
    settings.write_text(
        json.dumps(
            {
                "hooks": {
                    "SessionStart": [{"hooks": [old, theirs]}, doubled],
                    "SessionEnd": [{"matcher": "logout", "hooks": [old]}],
                    "Notification": [{"hooks": [old]}, {"hooks": [theirs]}],
                }
            }
        )
    )
    (home / ".claude.json").write_text(
        '{"mcpServers": {"contextd": {"command": "contextd", "args": [], "env": {"A": "b"}}}}'
    )
    put_in(home)
    hooks = json.loads(settings.read_text())["hooks"]
    (group,) = hooks["SessionStart"]
    assert group["hooks"][0]["command"].startswith(f"'{COMMAND[0]}' hook")
    assert group["hooks"][0]["timeout"] == 5
    assert group["hooks"][1] == theirs
    assert "matcher" not in hooks["SessionEnd"][0]
    assert hooks["Notification"] == [{"hooks": [theirs]}]
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["contextd"]
    assert server["args"] == ["mcp", "--client", "claude-code", "--hooked"]
    assert server["env"] == {"A": "b"}
    take_out(home)
    assert json.loads((home / ".claude.json").read_text()) == {}
    assert json.loads(settings.read_text())["hooks"] == {
        "SessionStart": [{"hooks": [theirs]}],
        "Notification": [{"hooks": [theirs]}],
    }


def test_an_entry_of_another_shape_under_our_name_is_replaced(home: Path) -> None:
    (home / ".claude.json").write_text('{"mcpServers": {"contextd": {"url": "http://x"}}}')
    report = put_in(home)
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["contextd"]
    assert "url" not in server
    [change] = report.files[0].changes
    assert change.startswith("replaced your own MCP server contextd")


@pytest.mark.parametrize(
    "content",
    [
        b'{"a": ',
        b"[]",
        b'{"hooks": []}',
        b'{"hooks": null}',
        b'{"hooks": {"SessionStart": {}}}',
        b'{"a": NaN}',
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"a": ' + b"9" * 10_000 + b"}",
        b'{/* comment */ "a": 1}',
    ],
    ids=lambda content: repr(content[:12]),
)
def test_a_file_that_is_not_as_expected_is_refused_and_no_file_is_touched(
    home: Path, content: bytes
) -> None:
    (home / ".claude.json").write_text("{}")
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(content)
    before = tree(home)
    with pytest.raises(Invalid) as refused:
        put_in(home)
    assert str(settings) in refused.value.message
    assert refused.value.hint
    assert tree(home) == before


def test_a_linked_file_stays_a_link_and_its_target_is_edited(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text("{}\n")
    (home / ".claude.json").symlink_to(target)
    put_in(home)
    assert (home / ".claude.json").is_symlink()
    assert "contextd" in target.read_text()
    take_out(home)
    assert (home / ".claude.json").is_symlink()
    assert target.read_text() == "{}\n"


def test_a_repositorys_link_leading_outside_is_refused(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    (root / ".mcp.json").symlink_to(secret)
    with pytest.raises(Denied):
        install("claude-code", home, root, launch=Launch(COMMAND), scope="project")
    assert secret.read_text() == "{}"


def test_a_link_in_a_circle_is_refused(home: Path) -> None:
    (home / ".claude.json").symlink_to(home / "b")
    (home / "b").symlink_to(home / ".claude.json")
    with pytest.raises(Invalid):
        put_in(home)


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
def test_connecting_refuses_a_configuration_that_is_a_named_pipe(home: Path) -> None:
    os.mkfifo(home / ".claude.json")
    with pytest.raises(Invalid):
        put_in(home)


def test_a_file_beyond_the_limit_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_text, "LARGEST", 10)
    (home / ".claude.json").write_text('{"a": "bcdefghijkl"}')
    with pytest.raises(TooLarge):
        put_in(home)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_permissions_stay_and_copies_are_private(home: Path, tmp_path: Path) -> None:
    path = home / ".claude.json"
    path.write_text('{"key": "secret"}')
    path.chmod(0o640)
    report = put_in(home, backups=tmp_path / "backups")
    assert path.stat().st_mode & 0o777 == 0o640
    backup = report.files[0].backup
    assert backup is not None
    assert backup.is_relative_to(tmp_path / "backups")
    assert backup.read_text() == '{"key": "secret"}'
    assert backup.stat().st_mode & 0o077 == 0
    take_out(home, backups=tmp_path / "backups")
    assert path.stat().st_mode & 0o777 == 0o640
    assert not backup.exists()


def test_a_copy_is_kept_beside_the_file_when_no_place_is_named(home: Path) -> None:
    (home / ".claude.json").write_text("{}")
    report = put_in(home)
    assert report.files[0].backup == home / ".claude.json.before-contextd-claude-code"
    assert report.files[0].backup.read_text() == "{}"
    assert str(report.files[0].backup) in report.as_text()


def test_a_damaged_receipt_still_lets_our_entries_go(home: Path) -> None:
    (home / ".claude.json").write_text('{"a": 1}')
    put_in(home)
    (home / ".claude.json.before-contextd-claude-code.json").write_text("nonsense")
    take_out(home)
    assert json.loads((home / ".claude.json").read_text()) == {"a": 1}


def test_removing_what_was_never_installed_changes_nothing(home: Path) -> None:
    (home / ".claude.json").write_text('{"mcpServers": {}}')
    report = take_out(home)
    assert {file.state for file in report.files} == {"unchanged"}
    assert tree(home) == {".claude.json": b'{"mcpServers": {}}'}


def test_a_write_by_the_client_in_between_is_not_overwritten(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / ".claude.json"
    path.write_text('{"a": 1}')
    carry_out = installing._carry_out

    def client_writes_first(*arguments: object) -> InstallReport:
        path.write_text('{"a": 2}')
        return carry_out(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(installing, "_carry_out", client_writes_first)
    with pytest.raises(Conflict):
        put_in(home)
    assert path.read_text() == '{"a": 2}'


def test_unknown_clients_and_commands_are_refused_with_the_nearest(home: Path) -> None:
    with pytest.raises(NotFound, match="claude-cod") as refused:
        install("claude-cod", home, None, launch=Launch(COMMAND))
    assert "claude-code" in refused.value.hint
    for command in ([], ["python"], ["/opt/contextd", "extra"]):
        with pytest.raises(Invalid):
            put_in(home, command)
    with pytest.raises(Invalid):
        install("claude-code", home, None, launch=Launch(COMMAND), scope="project")


@pytest.mark.parametrize(
    "command", [["python3", "-m", "contextd"], ["C:\\tools\\contextd.exe"], ["contextd"]]
)
def test_every_way_to_start_contextd_is_found_again(home: Path, command: list[str]) -> None:
    (home / ".claude.json").write_text('{"a": 1}')
    put_in(home, command)
    once = tree(home)
    put_in(home, command)
    assert tree(home) == once
    path = home / ".claude" / "settings.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "b": 1}))
    take_out(home)
    assert json.loads(path.read_text()) == {"b": 1}


def test_a_file_where_a_directory_belongs_is_told_and_nothing_is_written(home: Path) -> None:
    (home / ".claude").write_text("not a directory")
    before = tree(home)
    with pytest.raises(Unavailable) as refused:
        put_in(home)
    assert refused.value.hint
    assert tree(home) == before


def test_without_a_place_for_the_copy_nothing_is_edited(home: Path, tmp_path: Path) -> None:
    (home / ".claude.json").write_text("{}")
    (tmp_path / "backups").write_text("not a directory")
    with pytest.raises(Unavailable, match="no backup"):
        put_in(home, backups=tmp_path / "backups")
    assert (home / ".claude.json").read_text() == "{}"


def test_hooks_of_an_unknown_form_in_the_settings_of_a_client_are_left_alone(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    odd = {"Notification": ["text", {"hooks": ["text", {"command": 5}]}, {"hooks": 1}], "Other": 7}
    settings.write_text(json.dumps({"hooks": odd}))
    put_in(home)
    hooks = json.loads(settings.read_text())["hooks"]
    assert {name: hooks[name] for name in odd} == odd
    assert set(hooks) == {*odd, *EVENTS}
