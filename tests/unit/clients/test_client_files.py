"""What stands in a client's files is what it reads, and every file comes back to the byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS
from contextd.clients.client import InstallScope
from support.client_machines import COMMAND, Machine, each


@pytest.fixture
def machine(tmp_path: Path, request: pytest.FixtureRequest) -> Machine:
    name, reach = request.param
    return Machine(tmp_path / "one", name, reach)


AS_DOCUMENTED: dict[str, tuple[InstallScope, str, tuple[str, ...], dict[str, Any]]] = {
    "vscode": ("project", ".vscode/mcp.json", ("servers",), {"type": "stdio"}),
    "cursor": ("project", ".cursor/mcp.json", ("mcpServers",), {"type": "stdio"}),
    "windsurf": ("user", ".codeium/windsurf/mcp_config.json", ("mcpServers",), {}),
    "zed": ("user", ".config/zed/settings.json", ("context_servers",), {"source": "custom", "env": {}}),
    "amp": ("user", ".config/amp/settings.json", ("amp.mcpServers",), {}),
    "crush": ("user", ".config/crush/crush.json", ("mcp",), {"type": "stdio", "timeout": 60}),
    "claude-desktop": (
        "user", ".config/Claude/claude_desktop_config.json", ("mcpServers",), {},
    ),
}  # fmt: skip
"""Where each editor looks for servers on Linux, below which key, and what an entry holds beside the command. Amp 0.0.1790142911
writes the same by `amp mcp add`; the others as their pages and schemas of autumn 2026 have it.
"""


@pytest.mark.parametrize("name", AS_DOCUMENTED)
def test_a_server_stands_where_the_client_documents_it(name: str, tmp_path: Path) -> None:
    reach, file, keys, more = AS_DOCUMENTED[name]
    machine = Machine(tmp_path / "one", name, reach)
    machine.connect()
    held: Any = json.loads(((machine.home if reach == "user" else machine.root) / file).read_text())
    for key in keys:
        held = held[key]
    command = {"command": COMMAND[0], "args": ["mcp", "--client", name]}
    hooked = ["--hooked"] if CLIENTS[name].configuration.hooked(reach) else []
    assert held == {"contextd": {**command, "args": [*command["args"], *hooked], **more}}


def test_hooks_of_cursor_stand_beside_those_of_others(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "cursor", "user")
    file = machine.home / ".cursor" / "hooks.json"
    file.parent.mkdir()
    theirs = {"command": "./audit.sh", "timeout": 30}
    before = json.dumps({"version": 1, "hooks": {"sessionStart": [theirs]}}, indent=2)
    file.write_text(before)
    machine.connect()
    hooks = json.loads(file.read_text())["hooks"]
    ours = {"command": "'/opt/my tools/bin/contextd' hook --client cursor", "timeout": 5}
    assert hooks["sessionStart"] == [theirs, ours]
    assert hooks["beforeSubmitPrompt"] == [ours]
    assert machine.connect().changed is False
    machine.disconnect()
    assert file.read_text() == before


@each
def test_a_file_with_a_mark_and_windows_lines_comes_back_to_the_byte(machine: Machine) -> None:
    made = {path: f"\ufeff{text}".replace("\n", "\r\n") for path, text in machine.theirs().items()}
    for path, text in made.items():
        path.write_bytes(text.encode())
    machine.connect()
    for path, text in made.items():
        changed = path.read_bytes()
        assert changed != text.encode()
        assert changed.count(b"\n") == changed.count(b"\r\n"), path
    machine.disconnect()
    assert {path: path.read_bytes().decode() for path in made} == made


@each
def test_a_linked_file_stays_a_link_to_a_file_that_comes_back_to_the_byte(machine: Machine) -> None:
    made = machine.theirs()
    for number, path in enumerate(made):
        target = machine.folder / machine.home.name / f"dotfiles-{number}"
        target = target if machine.reach == "user" else machine.root / f"dotfiles-{number}"
        path.rename(target)
        path.symlink_to(target)
    machine.connect()
    assert all(path.is_symlink() for path in made)
    assert all(path.read_text() != text for path, text in made.items())
    machine.disconnect()
    assert all(path.is_symlink() for path in made)
    assert {path: path.read_text() for path in made} == made


def test_a_hook_of_cursor_from_an_older_installation_is_updated_in_its_place(
    tmp_path: Path,
) -> None:
    machine = Machine(tmp_path / "one", "cursor", "user")
    machine.connect(["/old/contextd"])
    file = machine.home / ".cursor" / "hooks.json"
    before = json.loads(file.read_text())["hooks"]
    before["sessionStart"].append({"command": "./audit.sh"})
    file.write_text(json.dumps({"version": 1, "hooks": before}))

    report = machine.connect(["/new/contextd"])

    hooks = json.loads(file.read_text())["hooks"]
    assert hooks.keys() == before.keys()
    assert {each[0]["command"] for each in hooks.values()} == {"/new/contextd hook --client cursor"}
    assert hooks["sessionStart"][1:] == [{"command": "./audit.sh"}]
    assert "updated the hook on sessionStart" in str(report)
