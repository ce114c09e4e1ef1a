"""Every client of the table is connected and disconnected without a trace, in all four formats."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS
from contextd.clients.client import InstallScope
from contextd.clients.codec import JSON, JSONC, TOML, YAML, Codec
from contextd.clients.config_entries import ListedFile, ServerEntry
from contextd.clients.text_files import Block
from contextd.imports.foreign import FOREIGN
from contextd_common.errors import Invalid
from support.client_machines import COMMAND, THEIRS, Machine, each


@pytest.fixture
def machine(tmp_path: Path, request: pytest.FixtureRequest) -> Machine:
    name, reach = request.param
    return Machine(tmp_path / "one", name, reach)


@each
def test_a_client_is_connected_by_our_command_and_left_without_a_trace(machine: Machine) -> None:
    report = machine.connect(profile="full")
    told = "\n".join(machine.tree().values())
    if any(isinstance(part, ServerEntry) for parts in machine.parts().values() for part in parts):
        for word in (COMMAND[0], "mcp", "--profile", "full", "--client", machine.name):
            assert word in told
    assert {file.state for file in report.files} == {"created"}
    assert {file.state for file in machine.connect(profile="full").files} == {"unchanged"}
    machine.disconnect()
    assert machine.tree() == {}
    assert [path for path in machine.home.rglob("*") if path.is_dir()] == []


@each
def test_passages_written_for_a_client_are_not_read_as_instructions_of_a_person(
    machine: Machine,
) -> None:
    machine.connect()
    read = FOREIGN["instructions"].read
    written = [
        path
        for path, parts in machine.parts().items()
        if any(isinstance(part, Block) for part in parts)
    ]
    assert [note for path in written for note in read(path, path.name)] == []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("opencode", ".config/opencode/plugin/contextd.js"),
        ("cline", ".cline/plugins/contextd.js"),
    ],
)
def test_a_module_of_hooks_is_one_file_that_runs_the_chosen_command(
    tmp_path: Path, name: str, path: str
) -> None:
    machine = Machine(tmp_path / "one", name, "user")
    machine.connect(["/old/contextd"])
    machine.connect()
    text = (machine.home / path).read_text()
    assert json.dumps(COMMAND[0]) in text
    assert "/old/contextd" not in text
    assert 'from "./' not in text
    # The server stands in the client's own file: a second one would start it twice.
    assert '"server"' not in text


@each
def test_a_users_file_comes_back_to_the_byte_with_its_permissions(machine: Machine) -> None:
    theirs = machine.theirs()
    machine.connect(["/old/contextd"])
    machine.connect()
    for path, text in theirs.items():
        rest = iter(path.read_text())
        assert all(character in rest for character in text), path
        assert path.stat().st_mode & 0o777 == 0o640
    machine.disconnect()
    assert {path: path.read_text() for path in theirs} == theirs
    assert all(path.stat().st_mode & 0o777 == 0o640 for path in theirs)
    assert set(machine.tree()) == {str(path.relative_to(machine.folder)) for path in theirs}


@each
def test_of_a_file_that_was_written_since_only_our_entries_go(machine: Machine) -> None:
    theirs = machine.theirs()
    machine.connect()
    for path, text in theirs.items():
        # The client keeps what there is and adds a line of its own.
        more = text.replace("[1, 2", "[1, 2, 3").replace("  - 2", "  - 2\n  - 3")
        more = more.replace("Be kind.", "Be very kind.")
        assert more != text
        edited = path.read_text().replace("[1, 2", "[1, 2, 3").replace("  - 2", "  - 2\n  - 3")
        path.write_text(edited.replace("Be kind.", "Be very kind."))
        theirs[path] = more
    machine.disconnect()
    assert {path: path.read_text() for path in theirs} == theirs


@pytest.mark.parametrize(
    "machine",
    [(name, "user") for name in ("claude-code", "codex", "amp", "continue", "aider")],
    ids=lambda given: given[0],
    indirect=True,
)
def test_another_home_and_project_are_not_touched(machine: Machine) -> None:
    other = Machine(machine.folder.with_name("two"), machine.name, machine.reach)
    other.theirs()
    other.connect()
    before = other.tree()
    machine.connect()
    across: InstallScope = "project" if machine.reach == "user" else "user"
    if CLIENTS[machine.name].configuration.held(across):
        # The other reach of the same client, in the same home and project.
        beside = Machine(machine.folder, machine.name, across)
        beside.connect()
        both = beside.tree()
        machine.disconnect()
        assert set() < set(beside.tree()) < set(both)
        beside.disconnect()
    else:
        machine.disconnect()
    assert machine.tree() == {}
    assert other.tree() == before


@each
def test_a_malformed_file_is_named_with_its_line_and_nothing_is_touched(machine: Machine) -> None:
    broken = {"TOML": "a = 1\nb = \n", "YAML": "a: 1\nb: [\n"}
    edited = [
        (path, parts[0].codec)
        for path, parts in machine.parts().items()
        if isinstance(parts[0], ServerEntry | ListedFile)
    ]
    for path, codec in edited:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(broken.get(codec.name, '{\n  "a": ,\n}\n'))
        before = machine.tree()
        with pytest.raises(Invalid, match=r"line [23]") as refused:
            machine.connect()
        assert str(path) in refused.value.message
        assert "nothing was changed" in refused.value.hint
        assert machine.tree() == before


SERVERS = [
    (codec, key, listed)
    for codec, key, listed in (
        (JSON, "mcpServers", False),
        (JSONC, "mcpServers", False),
        (TOML, "mcp_servers", False),
        (YAML, "extensions", False),
        (YAML, "mcpServers", True),
    )
]
OTHERS = {
    ("JSON", "mcpServers"): '{"mcpServers": {"other": {"command": "x"}}}',
    ("JSON with comments", "mcpServers"): (
        '{\n  "mcpServers": {\n    // theirs\n    "other": {"command": "x"}, // keep\n  },\n}\n'
    ),
    ("TOML", "mcp_servers"): '[mcp_servers.other] # theirs\ncommand = "x"\n\n[tui]\ntheme = "y"\n',
    ("YAML", "extensions"): "extensions:\n  other: # theirs\n    cmd: x\n# end\nb: 2\n",
    ("YAML", "mcpServers"): "mcpServers:\n  - name: other # theirs\n    command: x\n# end\nb: 2\n",
}


@pytest.mark.parametrize(
    ("codec", "key", "listed"), SERVERS, ids=lambda v: str(getattr(v, "name", v))
)
def test_a_server_of_another_stays_beside_ours(
    codec: Codec, key: str, listed: bool, tmp_path: Path
) -> None:
    from contextd.clients.client import Calling

    def shape(line: list[str]) -> dict[str, Any]:
        return {"name": "contextd", "command": line[0], "args": line[1:]}

    part = ServerEntry(codec, key, shape, listed=listed)  # type: ignore[arg-type]
    text = OTHERS[codec.name, key]
    once, _ = part.add(text, Calling("zed", ("contextd",), tmp_path))
    assert "theirs" not in text or "theirs" in once
    assert codec.read(once)["mcpServers" if listed else key]
    assert part.add(once, Calling("zed", ("contextd",), tmp_path)) == (once, [])
    newer, changes = part.add(once, Calling("zed", ("/new/contextd",), tmp_path))
    assert changes == ["updated the MCP server contextd"]
    assert "/new/contextd" in newer
    assert part.without(newer, "zed", part.containers(text))[0] == text


def test_a_passage_stands_once_for_all_who_read_the_file(tmp_path: Path) -> None:
    zed = Machine(tmp_path / "one", "zed", "project")
    amp = Machine(tmp_path / "one", "amp", "project")
    agents = zed.root / "AGENTS.md"
    for first, second in ((zed, amp), (amp, zed)):
        zed.connect()
        amp.connect()
        assert agents.read_text().count("begin -->") == 1
        assert "contextd for amp, zed" in agents.read_text()
        first.disconnect()
        assert f"contextd for {second.name}:" in agents.read_text()
        second.disconnect()
        assert not agents.exists()


def test_a_passage_is_brought_up_to_date_where_it_stands(tmp_path: Path) -> None:
    from contextd.clients.client import Calling

    calling = Calling("amp", ("contextd",), tmp_path)
    text, _ = Block("old\n").add("# Mine\n", calling)
    newer, changes = Block("new\n").add(text + "\nMore of mine.\n", calling)
    assert changes == ["updated the passage on contextd"]
    assert newer == text.replace("old", "new") + "\nMore of mine.\n"
    assert Block("new\n").without(newer, "amp") == (
        "# Mine\n\nMore of mine.\n",
        ["removed the passage on contextd"],
    )
    windows, _ = Block("new\n").add("# Mine\r\n", calling)
    assert "\n" not in windows.replace("\r\n", "")


def test_somebody_elses_hook_program_stays_and_is_told_of(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "cline", "user")
    theirs = machine.home / ".cline" / "hooks" / "TaskStart"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("#!/bin/sh\necho mine\n")
    report = machine.connect()
    (told,) = [file for file in report.files if file.path == theirs]
    assert told.state == "unchanged"
    assert "not from contextd" in told.changes[0]
    assert theirs.read_text() == "#!/bin/sh\necho mine\n"
    ours = theirs.with_name("TaskComplete")
    assert os.access(ours, os.X_OK)
    machine.disconnect()
    assert set(machine.tree()) == {"home/.cline/hooks/TaskStart"}


def test_a_list_of_files_to_read_keeps_its_others(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "aider", "project")
    conf = machine.root / ".aider.conf.yml"
    for text in ("read: MINE.md # one\n", "read: [MINE.md]\n", "read:\n  - MINE.md # one\n"):
        conf.write_text(text)
        machine.connect()
        assert YAML.read(conf.read_text())["read"] == ["MINE.md", ".aider.contextd.md"]
        machine.disconnect()
        assert conf.read_text() == text


def test_a_file_under_its_other_name_is_used_where_it_is_the_one(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "opencode", "user")
    other = machine.home / ".config" / "opencode" / "opencode.jsonc"
    other.parent.mkdir(parents=True)
    other.write_text('{\n  // mine\n  "theme": "x",\n}\n')
    machine.connect()
    assert set(machine.tree()) == {
        "home/.config/opencode/opencode.jsonc",
        "home/.config/opencode/plugin/contextd.js",
    }
    assert JSONC.read(other.read_text())["mcp"]["contextd"]["command"][0] == COMMAND[0]
    usual = other.with_suffix(".json")
    usual.write_text("{}")
    machine.disconnect()
    assert "contextd" not in other.read_text()
    assert usual.read_text() == "{}"


def test_an_entry_that_is_switched_off_by_another_sort_is_replaced(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "opencode", "project")
    path = machine.root / "opencode.json"
    path.write_text('{"mcp": {"contextd": {"type": "remote", "url": "http://x"}}}')
    report = machine.connect()
    assert "url" not in json.loads(path.read_text())["mcp"]["contextd"]
    [change] = report.files[0].changes
    assert change.endswith("`contextd uninstall opencode --scope project` restores it")


def test_connecting_a_client_without_project_configuration_hints_at_user_scope(
    tmp_path: Path,
) -> None:
    machine = Machine(tmp_path / "one", "goose", "project")
    with pytest.raises(Invalid) as refused:
        machine.connect()
    assert "--scope user" in refused.value.hint


@pytest.mark.parametrize(
    ("name", "reach", "path", "theirs"),
    [
        ("cursor", "project", ".cursor/rules/contextd.mdc", "Be kind.\n"),
        ("cline", "user", ".cline/hooks/TaskStart", "echo mine\n"),
    ],
)
def test_text_that_a_person_added_to_a_file_of_contextd_stays(
    name: str, reach: InstallScope, path: str, theirs: str, tmp_path: Path
) -> None:
    machine = Machine(tmp_path / "one", name, reach)
    machine.connect()
    file = (machine.root if reach == "project" else machine.home) / path
    ours = file.read_text()
    file.write_text(ours + theirs)
    machine.connect(["/new/contextd"])
    assert theirs in file.read_text()
    machine.disconnect()
    assert theirs in file.read_text()
    assert "contextd for" not in file.read_text()
    assert "contextd hook" not in file.read_text()


def test_hooks_that_somebody_put_beside_ours_stay(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "copilot-cli", "user")
    machine.connect()
    file = machine.home / ".copilot" / "hooks" / "contextd.json"
    hooks = json.loads(file.read_text())
    hooks["hooks"]["Stop"].append({"type": "command", "bash": "bell"})
    file.write_text(json.dumps(hooks))
    machine.disconnect()
    assert [one["bash"] for one in json.loads(file.read_text())["hooks"]["Stop"]] == ["bell"]


def test_an_older_wording_of_ours_is_brought_up_to_date(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "continue", "project")
    machine.connect()
    file = machine.root / ".continue" / "rules" / "contextd.md"
    wanted = file.read_text()
    file.write_text(wanted.replace("session_start", "begin_session"))
    machine.connect()
    assert file.read_text() == wanted
    machine.disconnect()
    assert machine.tree() == {}


def test_a_folder_that_several_clients_needed_goes_with_the_last_of_them(tmp_path: Path) -> None:
    copilot = Machine(tmp_path / "one", "copilot-cli", "project")
    vscode = Machine(tmp_path / "one", "vscode", "project")
    copilot.connect()
    vscode.connect()
    copilot.disconnect()
    assert (copilot.root / ".github").is_dir()
    vscode.disconnect()
    assert list(copilot.root.iterdir()) == []


def test_a_server_that_serves_several_projects_stands_in_none(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "cline", "user")
    machine.connect()
    [kept] = machine.home.glob(".cline/data/settings/*.json")
    server = json.loads(kept.read_text())["mcpServers"]["contextd"]["transport"]
    assert server["args"][-2:] == ["--project-root", str(machine.home)]
    [told] = machine.home.glob("Documents/Cline/Rules/*.md")
    assert "`project`: the folder you work in" in told.read_text()


def trusted(hooks: Path, *places: str) -> str:
    """What Codex adds to its configuration when somebody trusts hooks."""
    return "".join(
        f'\n[hooks.state."{hooks}:{place}"]\ntrusted_hash = "sha256:x"\n' for place in places
    )


@pytest.mark.parametrize(
    "theirs", ["", "# mine\na = 1 # one\n", '[hooks.state."/x:stop:0:0"]\nb = 1\n']
)
@pytest.mark.parametrize("reach", ["user", "project"])
def test_trust_that_codex_recorded_for_our_hooks_is_removed_with_them(
    tmp_path: Path, theirs: str, reach: InstallScope
) -> None:
    machine = Machine(tmp_path, "codex", reach)
    config = machine.home / ".codex" / "config.toml"
    if theirs:
        config.parent.mkdir()
        config.write_text(theirs)
    hooks = (machine.root if reach == "project" else machine.home) / ".codex" / "hooks.json"
    hooks.parent.mkdir(exist_ok=True)
    own = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}
    hooks.write_text(json.dumps(own))
    machine.connect()
    config.parent.mkdir(exist_ok=True)
    before = config.read_text() if config.exists() else ""
    config.write_text(before + trusted(hooks, "session_start:0:0", "stop:0:0", "stop:1:0"))
    machine.disconnect()
    assert json.loads(hooks.read_text()) == own
    left = theirs + trusted(hooks, "stop:0:0")
    assert config.read_text() == (left if theirs or reach == "project" else left.lstrip("\n"))


@pytest.mark.parametrize(
    ("reach", "theirs"), [("user", ""), ("user", THEIRS["TOML"]), ("project", THEIRS["TOML"])]
)
def test_codex_is_left_to_the_byte_though_its_user_trusted_every_hook(
    tmp_path: Path, theirs: str, reach: InstallScope
) -> None:
    machine = Machine(tmp_path, "codex", reach)
    config = machine.home / ".codex" / "config.toml"
    config.parent.mkdir()
    if theirs:
        config.write_text(theirs)
    machine.connect()
    hooks = (machine.root if reach == "project" else machine.home) / ".codex" / "hooks.json"
    before = config.read_text() if config.exists() else ""
    config.write_text(before + trusted(hooks, "session_start:0:0", "stop:0:0", "session_end:0:0"))
    machine.disconnect()
    assert machine.tree() == ({"home/.codex/config.toml": theirs} if theirs else {})
