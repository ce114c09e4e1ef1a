"""The repository of plugins: what stands in it follows from the rows of the clients, and it does no harm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from contextd import __version__
from contextd.clients import CLIENTS
from contextd.clients.client import Client, HookEvent
from contextd.clients.config_entries import HookEntries
from contextd.clients.hook_event import as_context
from contextd.clients.plugin_form import FOLDER, PROGRAM, ModuleForm, PluginForm
from contextd.clients.plugins import MISSING, SKILLS, plugin_files, write_plugins
from contextd.skills.skill_text import SkillFile, read_skill_file
from contextd.thin.shim_options import parse
from contextd_common.errors import Conflict

FILES = plugin_files()
WITH_HOOKS = [row for row in CLIENTS.values() if isinstance(row.plugin, PluginForm)]
MODULES = [row for row in CLIENTS.values() if isinstance(row.plugin, ModuleForm)]


def form_of(client: Client) -> PluginForm:
    assert isinstance(client.plugin, PluginForm)
    return client.plugin


def hooks_of(files: dict[str, str], client: Client) -> dict[str, Any]:
    form = form_of(client)
    path = form.folder + (form.hooks or f"hooks/{client.name}.json")
    hooks: dict[str, Any] = json.loads(files[path])["hooks"]
    return hooks


def handlers(value: Any) -> Iterator[dict[str, Any]]:
    """Every hook, however deep its client wants it."""
    if isinstance(value, dict) and value.get("type") == "command":
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from handlers(part)


def line_of(handler: dict[str, Any]) -> str:
    """The one command line that every version of a client runs."""
    assert "args" not in handler
    line = handler.get("command") or handler["bash"]
    assert isinstance(line, str)
    return line


@pytest.mark.parametrize("client", WITH_HOOKS, ids=lambda row: row.name)
def test_a_plugin_tells_what_an_installation_tells(client: Client) -> None:
    hooks = hooks_of(FILES, client)
    told = [event for event in client.configuration.events if not event.setting]
    assert list(hooks) == [event.name for event in told]
    for event in told:
        [handler] = handlers(hooks[event.name])
        assert f"{form_of(client).root}/{PROGRAM}" in line_of(handler)
        assert line_of(handler).endswith(f" hook --client {client.name} || exit 1")
        waits = handler.get("timeout") or handler["timeoutSec"]
        assert waits in (event.timeout, event.timeout * 1000)


ODD = 'a b; $HOME `x` & "q" (1)'
"""A folder that a shell would take apart."""


@pytest.mark.skipif(os.name == "nt", reason="a script for a POSIX shell")
@pytest.mark.parametrize("client", WITH_HOOKS, ids=lambda row: row.name)
def test_a_plugins_hook_runs_in_any_folder_and_is_no_refusal_when_the_folder_is_gone(
    client: Client, tmp_path: Path
) -> None:
    form, folder = form_of(client), tmp_path / ODD
    folder.mkdir()
    (folder / PROGRAM).write_text('#!/bin/sh\necho "$@"\ncat\n')
    [handler] = handlers(hooks_of(FILES, client)[client.configuration.events[0].name])
    line = line_of(handler)
    if form.pasted:
        line = line.replace(form.root, str(folder))

    def run() -> subprocess.CompletedProcess[str]:
        # Clients take 2 for a refusal of the prompt.
        return subprocess.run(
            ["/bin/sh", "-c", line], input="{}", capture_output=True, text=True, check=False,
            env={"PATH": os.environ["PATH"], form.root.strip("${}"): str(folder)},
        )  # fmt: skip

    done = run()
    assert (done.returncode, done.stdout) == (0, f"hook --client {client.name}\n{{}}"), done.stderr
    shutil.rmtree(folder)
    assert run().returncode == 1


def test_a_new_event_of_a_row_is_in_its_plugin() -> None:
    client = CLIENTS["codex"]
    files = tuple(
        replace(file, part=replace(file.part, events=(HookEvent("Interrupt", timeout=3),)))
        if isinstance(file.part, HookEntries)
        else file
        for file in client.configuration.files
    )
    changed = replace(client, configuration=replace(client.configuration, files=files))
    assert list(hooks_of(plugin_files([changed]), changed)) == ["Interrupt"]


@pytest.mark.parametrize("client", WITH_HOOKS, ids=lambda row: row.name)
def test_a_manifest_names_files_that_are_there(client: Client) -> None:
    form = form_of(client)
    manifest = json.loads(FILES[form.folder + form.manifest])
    assert (manifest["name"], manifest["version"]) == ("contextd", __version__)
    for member in ("hooks", "mcpServers", "skills"):
        if isinstance(manifest.get(member), str):
            path = form.folder + str(PurePosixPath(manifest[member]))
            assert any(name == path or name.startswith(f"{path}/") for name in FILES), path
    servers = manifest["mcpServers"]
    if isinstance(servers, str):
        servers = json.loads(FILES[form.folder + str(PurePosixPath(servers))])["mcpServers"]
    server = servers["contextd"]
    assert server["command"] == "contextd"
    assert server["args"][:3] == ["mcp", "--client", client.name]
    assert ("--hooked" in server["args"]) == client.configuration.hooked("user")
    if form.catalogue:
        [entry] = json.loads(FILES[form.catalogue])["plugins"]
        source = entry["source"]
        assert (source if isinstance(source, str) else source["path"]) == f"./{FOLDER}"


def test_no_client_finds_the_hooks_or_the_server_of_another_where_it_looks_by_itself() -> None:
    assert f"{FOLDER}/hooks/hooks.json" not in FILES
    assert f"{FOLDER}/.mcp.json" not in FILES


COMMANDS = {"recall": "records search"}
"""The command a skill names where it is not called like the skill."""


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_is_one_and_says_when_to_use_it(name: str, tmp_path: Path) -> None:
    texts = {text for path, text in FILES.items() if path.endswith(f"{name}/SKILL.md")}
    path = tmp_path / name / "SKILL.md"
    path.parent.mkdir()
    path.write_text(texts.pop())
    assert texts == set()
    skill = read_skill_file("skill", path, "SKILL.md")
    assert isinstance(skill, SkillFile)
    assert (skill.name, skill.problem) == (name, None)
    assert "Use " in skill.description
    assert len(skill.description) <= 1_024
    assert f"contextd {COMMANDS.get(name, name)} " in skill.body


@pytest.mark.parametrize("client", MODULES, ids=lambda row: row.name)
def test_a_module_knows_its_client_from_the_row(client: Client) -> None:
    assert isinstance(client.plugin, ModuleForm)
    assert client.answer is as_context
    rows = FILES["npm/rows.js"].split(f"export const {client.name} = ")[1]
    row, _ = json.JSONDecoder().raw_decode(rows)
    assert row["hook"] == ["contextd", "hook", "--client", client.name]
    module = FILES[f"npm/{client.plugin.module}"]
    for moment, event in row["events"].items():
        assert client.payloads.moments[event] == moment
    assert all(f'"{moment}"' in module for moment in ("started", "ended"))


def test_the_package_holds_what_it_names() -> None:
    package = json.loads(FILES["package.json"])
    named = [package["main"], *package["exports"].values(), *package["cline"]["plugins"]]
    assert all(path.removeprefix("./") in FILES for path in named)
    assert {path.split("/")[0] for path in package["files"]} <= {p.split("/")[0] for p in FILES}


def test_writing_plugins_keeps_foreign_files_and_removes_outdated_ones_of_contextd(
    tmp_path: Path,
) -> None:
    folder, mine = tmp_path / "out", tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    with pytest.raises(Conflict, match="is not empty"):
        write_plugins(mine)
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]
    written = write_plugins(folder)
    assert all((folder / path).is_file() for path in written)
    assert os.access(folder / PROGRAM, os.X_OK)
    (folder / "LICENSE").write_text("mine")
    (folder / "hooks" / "older.json").write_text("{}")
    listed = folder / ".contextd-plugins"
    listed.write_text(listed.read_text() + "hooks/older.json\n../mine/notes.txt\n")
    with pytest.raises(Exception, match="leads outside"):
        write_plugins(folder)
    listed.write_text(listed.read_text().replace("../mine/notes.txt\n", ""))
    assert write_plugins(folder) == written
    assert (folder / "LICENSE").read_text() == "mine"
    assert not (folder / "hooks" / "older.json").exists()
    assert (mine / "notes.txt").exists()
    write_plugins(mine, force=True)
    assert (mine / "notes.txt").read_text() == "mine"


@pytest.mark.skipif(os.name == "nt", reason="a script for a POSIX shell")
def test_where_contextd_is_missing_it_is_said_once_and_the_client_goes_on(tmp_path: Path) -> None:
    program = tmp_path / PROGRAM
    program.write_text(FILES[PROGRAM])
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("cat", "mkdir"):
        (tools / tool).symlink_to(str(shutil.which(tool)))

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(shutil.which("sh")), str(program), "hook", "--client", "codex"],
            input='{"a": 1}', capture_output=True, text=True, check=False,
            env={"PATH": str(tools), "HOME": str(tmp_path)},
        )  # fmt: skip

    first, second = run(), run()
    assert json.loads(first.stdout) == {"systemMessage": MISSING}
    assert [(one.returncode, one.stderr) for one in (first, second)] == [(0, ""), (0, "")]
    assert second.stdout == ""
    there = tools / "contextd"
    there.write_text('#!/bin/sh\necho "$@"\ncat\n')
    there.chmod(0o755)
    assert run().stdout == 'hook --client codex\n{"a": 1}'


def test_a_server_that_is_started_in_its_plugin_stands_where_the_client_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, shop = tmp_path / "plugin", tmp_path / "shop"
    folder.mkdir()
    shop.mkdir()
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.setenv("PLUGIN_ROOT", str(folder))
    monkeypatch.setenv("PWD", str(shop))

    def place() -> str:
        options = parse(["--client", "copilot-cli"])
        assert options is not None
        return options.cwd

    monkeypatch.chdir(tmp_path)
    assert place() == ""
    monkeypatch.chdir(folder)
    assert place() == str(shop)
    monkeypatch.setenv("PWD", str(tmp_path / "gone"))
    assert place() == ""
