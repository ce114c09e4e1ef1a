"""A server named `contextd` that the user wrote: an installation replaces it, and its removal brings it back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS
from contextd.clients.codec import Codec
from contextd.clients.config_entries import ServerEntry, starts_our_server
from support.client_machines import COMMAND, EACH, Machine

OWN = {
    "JSON": '{"a" : 1.50, "KEY" : { "contextd":{"url" : "http://x", "n": 1e5 , "headers":{}}, "z": {"b":1} } }\n',
    "JSON with comments": '{\n  // mine\n  "KEY": {\n\t"contextd": { // own\n      \'url\': 1}\n  }\n}\n'.replace(
        "'", '"'
    ),
    "TOML": '# mine\na = 1\n\n[KEY.contextd] # own\nurl = "http://x" # where\n\n[KEY.z]\nb = 1\n',
    "YAML": "# mine\na: 1\nKEY:\n  contextd: # own\n    url: http://x\n  z:\n    b: 1\n",
    "YAML list": "# mine\na: 1\nKEY:\n  - name: z\n  - name: contextd # own\n    url: http://x\n",
}
"""A file of a user in each format, with a server of that name that leads elsewhere."""

SERVERS = [
    (param.values[0], param.values[1])
    for param in EACH
    if any(
        isinstance(file.part, ServerEntry)
        for file in CLIENTS[str(param.values[0])].configuration.held(param.values[1])  # type: ignore[arg-type]
    )
]


@pytest.fixture(params=SERVERS, ids=lambda pair: "-".join(map(str, pair)))
def own(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Machine, Path, ServerEntry]:
    """A machine on which a client has its user's own server, the file, and our addition to it."""
    name, reach = request.param
    machine = Machine(tmp_path / "one", name, reach)
    path, part = next(
        (path, part)
        for path, parts in machine.parts().items()
        for part in parts
        if isinstance(part, ServerEntry)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    form = part.codec.name + (" list" if part.listed else "")
    path.write_text(OWN[form].replace("KEY", part.key))
    return machine, path, part


def server_in(text: str, part: ServerEntry) -> Any:
    servers = part.codec.members(text)[part.key]
    if part.listed:
        return next(one for one in servers if one["name"] == "contextd")
    return servers["contextd"]


def test_it_is_replaced_kept_in_the_backup_and_comes_back_to_the_byte(
    own: tuple[Machine, Path, ServerEntry],
) -> None:
    machine, path, part = own
    before = path.read_bytes()
    report = machine.connect()
    [file] = [one for one in report.files if one.path == path]
    said = "\n".join(file.changes)
    assert "replaced your own MCP server contextd" in said
    assert f"contextd uninstall {machine.name}" in said
    assert file.backup.read_bytes() == before
    assert starts_our_server(server_in(path.read_text(), part))
    assert machine.connect().files[0].changes == ()
    machine.connect(["/elsewhere/contextd"])
    assert file.backup.read_bytes() == before
    machine.disconnect()
    assert path.read_bytes() == before


def test_it_comes_back_into_a_file_that_the_client_wrote_meanwhile(
    own: tuple[Machine, Path, ServerEntry],
) -> None:
    machine, path, part = own
    codec: Codec = part.codec
    before = path.read_text()
    machine.connect()
    for number, command in enumerate([COMMAND, ["/elsewhere/contextd"]]):
        path.write_text(codec.put(path.read_text(), ("later",), 2 * number))
        machine.connect(command)
        path.write_text(codec.put(path.read_text(), ("later",), 2 * number + 1))
    report = machine.disconnect()
    [file] = [one for one in report.files if one.path == path]
    assert "restored your own MCP server contextd" in file.changes
    after = path.read_text()
    assert server_in(after, part) == server_in(before, part)
    assert codec.read(after) == {**codec.read(before), "later": 3}
    if codec.name != "YAML":
        # As it is written, too: with the user's spacing, numbers and comments.
        assert codec.remove(after, ("later",)).replace(" ", "") == before.replace(" ", "")


def test_a_removal_without_an_installation_leaves_it(
    own: tuple[Machine, Path, ServerEntry],
) -> None:
    machine, path, _ = own
    before = path.read_bytes()
    machine.disconnect()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "contextd", "args": ["mcp", "--client", "x"], "env": {"A": "b"}},
        {"command": "/opt/my tools/contextd", "args": ["mcp"]},
        {"command": "C:\\tools\\contextd.exe", "args": ["mcp"]},
        {"command": ["contextd", "mcp"], "type": "local"},
        {"cmd": "contextd", "args": ["mcp"]},
        {"transport": {"type": "stdio", "command": "contextd", "args": ["mcp"]}},
        {"command": "/usr/bin/python3", "args": ["-P", "-m", "contextd", "mcp"]},
        {"command": "contextd mcp --client x"},
        {"command": "contextd", "args": []},
    ],
)
def test_an_entry_that_starts_contextd_is_ours(entry: dict[str, Any]) -> None:
    assert starts_our_server(entry)


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "http://127.0.0.1:7777/mcp"},
        {"command": "docker", "args": ["run", "-i", "x", "contextd", "mcp"]},
        {"command": "env", "args": ["A=b", "contextd", "mcp"]},
        {"command": "ssh", "args": ["box", "contextd mcp"]},
        {"command": "/opt/my-contextd", "args": ["mcp"]},
        {"command": "contextd-wrapper", "args": []},
        {"command": "contextd", "args": ["serve"]},
        {"command": "sh", "args": ["-c", "exec contextd mcp"]},
        {},
        None,
        "contextd",
        [],
        {"command": {"path": "contextd"}},
    ],
)
def test_an_entry_that_leads_elsewhere_is_its_users(entry: Any) -> None:
    assert not starts_our_server(entry)


def test_an_entry_of_ours_is_no_servers_of_the_user(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "claude-code", "user")
    path = machine.home / ".claude.json"
    path.write_text('{"mcpServers": {"contextd": {"command": "contextd", "args": ["mcp"]}}}\n')
    report = machine.connect()
    assert "your own" not in "\n".join(change for file in report.files for change in file.changes)
    machine.disconnect()
    assert "contextd" not in (path.read_text() if path.exists() else "")


def test_a_dry_run_says_that_it_would_be_replaced(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "claude-code", "user")
    path = machine.home / ".claude.json"
    path.write_text(json.dumps({"mcpServers": {"contextd": {"url": "http://x"}}}))
    before = path.read_bytes()
    told = machine.connect(dry_run=True).as_text()
    assert "would replace your own MCP server contextd" in told
    assert path.read_bytes() == before
