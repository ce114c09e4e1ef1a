"""The repository of plugins: one folder that several clients install contextd from, built from their rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from contextd import __version__
from contextd.clients import CLIENTS
from contextd.clients.client import Calling, Client
from contextd.clients.config_entries import SERVER, ServerEntry
from contextd.clients.config_shapes import OPEN
from contextd.clients.module_file import TELLING, events_of, plugin_text, rows_text
from contextd.clients.plugin_form import FOLDER, MISSING, PLUGIN, PROGRAM, ModuleForm, PluginForm
from contextd.clients.text_files import Block
from contextd.files.disk import replace_file, target_inside
from contextd_common.errors import Conflict
from contextd_common.files.guarded import read_file

ABOUT = "The memory of your project, the same in every agent: local, offline, no account"
SKILLS = ("recall", "remember")
PACKAGE = "contextd-plugin"
"""The name of the npm package."""

_LISTED = ".contextd-plugins"
"""Names the files of the last build in a folder."""

_WORDS = ["memory", "context", "mcp"]


def plugin_files(clients: Iterable[Client] = tuple(CLIENTS.values())) -> dict[str, str]:
    """Every file of the repository by its path, slashes in between."""
    taking = [client for client in clients if client.plugin is not None]
    readme = _readme(taking)
    made = {"README.md": readme, f"{FOLDER}/README.md": readme}
    for client in taking:
        if isinstance(client.plugin, PluginForm):
            made |= _plugin(client, client.plugin)
    return {**made, **_package(taking)}


def write_plugins(folder: Path, *, force: bool = False) -> list[str]:
    """Write the repository of plugins; return its files. Files of an older build that no longer exist are
    removed, other files stay. Raises `Conflict` for a folder with other content.
    """
    listed = folder / _LISTED
    others = folder.is_dir() and any(one.name != ".git" for one in folder.iterdir())
    if others and not listed.is_file() and not force:
        raise Conflict(f"{folder} is not empty", "choose another folder, or write into it: --force")
    before = read_file(listed).decode("utf-8", "replace").splitlines() if listed.is_file() else []
    made = plugin_files()
    for path, text in made.items():
        replace_file(target_inside(folder, folder / path), text.encode())
        if path.endswith(f"/{PROGRAM}") or path == PROGRAM:
            (folder / path).chmod(0o755)
    for path in set(before) - set(made):
        target_inside(folder, folder / path).unlink(missing_ok=True)
    replace_file(listed, "".join(f"{path}\n" for path in sorted(made)).encode())
    return sorted(made)


def _plugin(client: Client, form: PluginForm) -> dict[str, str]:
    """A client's own files, and the ones it shares with others in the same folder."""
    server = {"mcpServers": {SERVER: _server(client)}}
    hooks = form.hooks or f"hooks/{client.name}.json"
    manifest: dict[str, Any] = {"name": PLUGIN, "version": __version__, "description": ABOUT}
    own = {hooks: _hooks(client, form), PROGRAM: plugin_text(PROGRAM).replace("MISSING", MISSING)}
    own |= {f"skills/{name}/SKILL.md": plugin_text(f"skills/{name}/SKILL.md") for name in SKILLS}
    if form.catalogue:
        servers = f"mcp/{client.name}.json"
        own[servers] = _json(server)
        manifest |= {
            "author": {"name": PLUGIN},
            "license": "Apache-2.0",
            "keywords": _WORDS,
            "hooks": f"./{hooks}",
            "mcpServers": f"./{servers}",
        }
    else:
        manifest |= server
    own[form.manifest] = _json({**manifest, **form.members})
    made = {form.folder + path: text for path, text in own.items()}
    if form.catalogue:
        entry = {"name": PLUGIN, "source": f"./{FOLDER}", "description": ABOUT}
        listed = {"plugins": [{**entry, **form.entry_members}]}
        made[form.catalogue] = _json(
            {"name": PLUGIN, "description": ABOUT, **form.catalogue_members, **listed}
        )
    return made


def _package(clients: Iterable[Client]) -> dict[str, str]:
    """The npm package: the repository itself, with a module for each client that uses one."""
    members: dict[str, Any] = {}
    rows: dict[str, Mapping[str, Any]] = {}
    made: dict[str, str] = {}
    for client in clients:
        form = client.plugin
        if not isinstance(form, ModuleForm):
            continue
        members |= form.members
        rows[client.name] = _row(client)
        made[f"npm/{form.module}"] = plugin_text(f"npm/{form.module}")
    about = {
        "name": PACKAGE,
        "version": __version__,
        "description": ABOUT,
        "type": "module",
        "license": "Apache-2.0",
        "keywords": [*_WORDS, "opencode", "cline"],
        "files": ["npm", "skills"],
        **members,
    }
    return {
        **made,
        "package.json": _json(about),
        "npm/rows.js": rows_text(rows),
        TELLING: plugin_text(TELLING),
    }


def _row(client: Client) -> dict[str, Any]:
    """The values of its client's row that a module needs."""
    instructions = [
        file.part.text for file in client.configuration.files if isinstance(file.part, Block)
    ]
    return {
        "server": _server(client),
        "hook": _calling(client).hook,
        "events": events_of(client.payloads),
        "instructions": "\n".join(instructions),
        "skills": "../skills",
    }


def _server(client: Client) -> dict[str, Any]:
    return next(
        file.part.shape(_calling(client).server)
        for file in client.configuration.files
        if isinstance(file.part, ServerEntry)
    )


def _hooks(client: Client, form: PluginForm) -> str:
    # A shell whose script is gone ends with 2, by which clients refuse a prompt.
    line = f"sh {form.quoted(PROGRAM)} hook --client {client.name}{OPEN}"
    calling = replace(_calling(client), line=line)
    text = ""
    for file in client.configuration.files:
        if file.part.holds == "hooks":
            text, _ = file.part.add(text or file.part.empty, calling)
    return _json(json.loads(text))


def _calling(client: Client) -> Calling:
    """How a plugin calls contextd: its hooks start, brief and end every session like installed ones."""
    module = isinstance(client.plugin, ModuleForm) and client.plugin.hooked
    hooked = module or client.configuration.hooked("user")
    return Calling(client.name, (PLUGIN,), Path("~"), hooked=hooked, shared=client.shared)


def _readme(clients: Iterable[Client]) -> str:
    lines: list[str] = []
    for client in clients:
        if client.plugin is not None:
            lines += [
                "",
                f"{client.title}:",
                "",
                *(f"    {line}" for line in client.plugin.install),
            ]
    return plugin_text("README.md").replace("INSTALL", "\n".join(lines).strip("\n"))


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
