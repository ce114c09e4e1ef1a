"""Codex CLI: the events of Claude Code, under names of its own where a turn is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contextd.domain.errors import Invalid
from contextd.interop.clients.claude_code import MOMENTS, answer_in_hook_output
from contextd.interop.clients.client import (
    Client,
    ConfigFile,
    Configuration,
    FilePlace,
    HookEvent,
    Presence,
)
from contextd.interop.clients.codec import JSON, TOML
from contextd.interop.clients.entries import HookEntries, ServerEntry
from contextd.interop.clients.occurrence import Reading, keeping_on
from contextd.interop.clients.plugin_form import FOLDER, PluginForm
from contextd.interop.clients.shapes import plain_server, shell_hook

_EVENTS = (
    HookEvent("SessionStart", timeout=5),
    HookEvent("UserPromptSubmit", timeout=2),
    HookEvent("Stop", timeout=5),
    HookEvent("SubagentStart", timeout=2),
    HookEvent("PreCompact", timeout=5),
    HookEvent("PostCompact", timeout=5),
    # A longer wait is cut down to this with a warning on the screen.
    HookEvent("SessionEnd", timeout=3),
)


def _server(line: Sequence[str]) -> dict[str, Any]:
    # Servers get a few variables only; without this one a chosen home would not be found.
    return {**plain_server(line), "env_vars": ["CONTEXTD_HOME"]}


_SERVERS = FilePlace("config.toml", below=".codex")
_HOOKS = FilePlace("hooks.json", below=".codex")
_ENTRIES = HookEntries(JSON, _EVENTS, shell_hook)
_WORD_BEGINS = re.compile(r"(?<!^)(?=[A-Z])")


def _trusts(home: Path, chosen: Path | None) -> bool | None:
    """Whether every hook of ours was trusted once: Codex notes that under file, event and numbers."""
    file = _HOOKS.path(home, chosen)
    try:
        noted = TOML.read(_SERVERS.path(home, chosen).read_text("utf-8"))
        places = _ENTRIES.places(file.read_text("utf-8"), "codex")
    except (OSError, UnicodeDecodeError, Invalid):
        return None
    hooks = noted.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    keys = [
        f"{file}:{_WORD_BEGINS.sub('_', str(place[1])).lower()}:{place[2]}:{place[4]}"
        for place in places
    ]
    trusted = state if isinstance(state, dict) else {}
    return all(
        isinstance(trusted.get(key), dict) and "trusted_hash" in trusted[key] for key in keys
    )


CLIENT = Client(
    name="codex",
    title="Codex CLI",
    fields=("turn_id",),
    reading=Reading(moments={**MOMENTS, "Interrupt": None}, prompt_id=("turn_id",)),
    answer=answer_in_hook_output,
    asking=keeping_on,
    transcripts="codex",
    own_instructions=(FilePlace("AGENTS.override.md", below=".codex", others=("AGENTS.md",)),),
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(TOML, "mcp_servers", _server),
                user=_SERVERS,
                project=FilePlace(".codex/config.toml"),
            ),
            ConfigFile(
                holds="hooks",
                part=_ENTRIES,
                user=_HOOKS,
                project=FilePlace(".codex/hooks.json"),
            ),
        ),
        variable="CODEX_HOME",
        trusts=_trusts,
        afterwards="Codex runs hooks that you trust: type /hooks in it once, and trust contextd's.",
    ),
    plugin=PluginForm(
        manifest=".codex-plugin/plugin.json",
        root="${PLUGIN_ROOT}",
        catalogue=".agents/plugins/marketplace.json",
        members={
            "skills": "./skills/",
            "interface": {
                "displayName": "contextd",
                "shortDescription": "What earlier sessions learned",
                "category": "Productivity",
            },
        },
        catalogue_members={"interface": {"displayName": "contextd"}},
        entry_members={
            "source": {"source": "local", "path": f"./{FOLDER}"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Productivity",
        },
        install=(
            "codex plugin marketplace add SOURCE",
            "codex plugin add contextd@contextd",
        ),
    ),
    presence=Presence(programs=("codex",), made=(FilePlace("", below=".codex"),)),
)
