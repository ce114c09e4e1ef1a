"""Codex CLI: the events of Claude Code, with its own names for turn events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from contextd.clients.claude_code import MOMENTS, answer_in_hook_output
from contextd.clients.client import (
    BRIEFED,
    Addition,
    Calling,
    Client,
    ConfigFile,
    Configuration,
    Edit,
    HookEvent,
    Location,
    Presence,
    Versions,
    hook_events,
)
from contextd.clients.codec import JSON, TOML
from contextd.clients.config_entries import HookEntries, ServerEntry, dropped
from contextd.clients.config_shapes import plain_server, shell_hook
from contextd.clients.folder_trust import CODEX
from contextd.clients.hook_event import PayloadReader, keeping_on
from contextd.clients.json_config import KeyPath
from contextd.clients.plugin_form import FOLDER, PluginForm
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid
from contextd_common.files.guarded import read_file

_EVENTS = (
    *hook_events(
        "SessionStart", "UserPromptSubmit", "Stop", "SubagentStart", "PreCompact", "PostCompact"
    ),
    # A longer wait is cut down to this with a warning on the screen.
    HookEvent("SessionEnd", timeout=3),
)


def _server(line: Sequence[str]) -> dict[str, Any]:
    # Servers get a few variables only; without this one a chosen home would not be found.
    return {**plain_server(line), "env_vars": ["CONTEXTD_HOME"]}


_SERVERS = Location("config.toml", below=".codex")
_HOOKS = Location("hooks.json", below=".codex")
_ENTRIES = HookEntries(JSON, "hooks", shell_hook, events=_EVENTS)
_LARGEST = 8 << 20
_WORD_BEGINS = re.compile(r"(?<!^)(?=[A-Z])")


def _text(file: Path) -> str:
    return read_file(file, _LARGEST).decode()


def _noted_under(file: Path) -> list[str]:
    """The key under which Codex records our hooks of a file: file, event and numbers."""
    places = _ENTRIES.places(_text(file), "codex")
    return [
        f"{file}:{_WORD_BEGINS.sub('_', str(place[1])).lower()}:{place[2]}:{place[4]}"
        for place in places
    ]


def _state_in(text: str) -> Mapping[str, Any]:
    hooks = TOML.read(text).get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    return state if isinstance(state, dict) else {}


def _trusts(home: Path, chosen: Path | None) -> bool | None:
    """Whether every hook of ours has been trusted."""
    try:
        state = _state_in(_text(_SERVERS.path(home, chosen)))
        keys = _noted_under(_HOOKS.path(home, chosen))
    except (OSError, UnicodeDecodeError, Invalid):
        return None
    return all(isinstance(state.get(key), dict) and "trusted_hash" in state[key] for key in keys)


@dataclass(frozen=True, slots=True)
class TrustNotes(Addition):
    """The trust records that Codex writes for the hooks of a file once the user trusts them; contextd only
    removes them.
    """

    holds = "hooks"
    keys: tuple[str, ...]

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` unchanged: only the user can trust hooks."""
        del calling
        return text, []

    def without(self, text: str, client: str, keep: frozenset[KeyPath] = frozenset()) -> Edit:
        """`text` without the trust records of our hooks."""
        del client
        state = _state_in(text)
        trusted_keys = [key for key in self.keys if key in state]
        for key in trusted_keys:
            text = dropped(TOML, text, ("hooks", "state", key), keep)
        return text, [f"removed the trust in {key}" for key in trusted_keys]

    def containers(self, text: str) -> frozenset[KeyPath]:
        """The tables with trust records, if any."""
        holders: list[KeyPath] = []
        if "hooks" in TOML.read(text):
            holders.append(("hooks",))
        if _state_in(text):
            holders.append(("hooks", "state"))
        return frozenset(holders)


def _notes(files: Iterable[Path], home: Path, chosen: Path | None) -> Mapping[Path, Addition]:
    """The trust records in the user's configuration, which also holds those for hooks of projects."""
    keys: list[str] = []
    for file in files:
        if file.name == _HOOKS.file:
            with suppress(OSError, UnicodeDecodeError, Invalid):
                keys += _noted_under(file)
    return {_SERVERS.path(home, chosen): TrustNotes(tuple(keys))} if keys else {}


CLIENT = Client(
    name="codex",
    title="Codex CLI",
    limits="`codex exec` is for programs: it gets the rules, and contextd does not learn from it",
    folder_trust=CODEX,
    fields=("turn_id",),
    payloads=PayloadReader(moments={**MOMENTS, "Interrupt": None}, prompt_id=("turn_id",)),
    answer=answer_in_hook_output,
    asking=keeping_on,
    transcripts="codex",
    own_instructions=(Location("AGENTS.override.md", below=".codex", others=("AGENTS.md",)),),
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(TOML, "mcp_servers", _server),
                user=_SERVERS,
                project=Location(".codex/config.toml"),
            ),
            ConfigFile(
                _ENTRIES,
                user=_HOOKS,
                project=Location(".codex/hooks.json"),
            ),
        ),
        variable="CODEX_HOME",
        trusts=_trusts,
        notes=_notes,
        afterwards="In Codex, run /hooks once and trust contextd's hooks.",
    ),
    plugin=PluginForm(
        manifest=".codex-plugin/plugin.json",
        root="$PLUGIN_ROOT",
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
    presence=Presence(programs=("codex",), made=(Location("", below=".codex"),)),
    versions=Versions(
        minimum="0.125.0",
        needs=BRIEFED,
        tried=("0.125.0", "0.171.0"),
        update="run `npm install -g @openai/codex`, or update it as you installed it",
    ),
)
