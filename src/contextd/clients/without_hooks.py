"""Clients in which contextd configures no hooks: MCP servers, instructions, or both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.clients.client import (
    Client,
    ConfigFile,
    Configuration,
    Location,
    Presence,
    Versions,
)
from contextd.clients.codec import JSON, JSONC, YAML
from contextd.clients.config_entries import ListedFile, ServerEntry
from contextd.clients.config_shapes import plain_server, stdio_server
from contextd.clients.text_files import BARE_TOOLS, COMMANDS, TOOLS, Block

_SERVERS = "MCP servers in its configuration"

_CONTINUE_RULE = Block(BARE_TOOLS, "---\nname: contextd\nalwaysApply: true\n---\n\n")

CONTINUE = Client(
    name="continue",
    title="Continue",
    limits="`cn -p` runs no hooks: a rule asks its agent to call session_start, which gives the briefing",
    instructions=".continue/rules",
    own_instructions=(Location(".continue/rules"),),
    bare=True,
    transcripts="continue",
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(
                    YAML,
                    "mcpServers",
                    lambda line: {"name": "contextd", **stdio_server(line)},
                    listed=True,
                ),
                user=Location(".continue/config.yaml"),
            ),
            ConfigFile(
                _CONTINUE_RULE,
                user=Location(".continue/rules/contextd.md"),
                project=Location(".continue/rules/contextd.md"),
            ),
        ),
    ),
    presence=Presence(programs=("cn",), made=(Location(".continue"),)),
    versions=Versions(
        minimum="1.5.11",
        needs="MCP servers and rules in `~/.continue`",
        tried=("1.5.11", "1.5.47"),
        update="run `npm install -g @continuedev/cli`, or update it as you installed it",
        asks=False,
    ),
)
"""Continue: a list of MCP servers, and rules; it does not pass servers' instructions to its agent."""

_WINDSURF_HEAD = "---\ntrigger: always_on\n---\n\n"

WINDSURF = Client(
    name="windsurf",
    title="Windsurf",
    limits="its hooks show its agent nothing: a rule asks it to call session_start, which gives the briefing",
    own_instructions=(Location(".codeium/windsurf/memories/global_rules.md"),),
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(JSON, "mcpServers", plain_server),
                user=Location(".codeium/windsurf/mcp_config.json"),
            ),
            ConfigFile(
                Block(TOOLS),
                user=Location(".codeium/windsurf/memories/global_rules.md"),
            ),
            ConfigFile(
                Block(TOOLS, _WINDSURF_HEAD),
                project=Location(".windsurf/rules/contextd.md"),
            ),
        ),
    ),
    presence=Presence(programs=("windsurf",), made=(Location(".codeium/windsurf"),)),
    versions=Versions(needs=_SERVERS),
)
"""Windsurf: MCP servers per user, and rules."""


ZED = Client(
    name="zed",
    title="Zed",
    limits="it runs no hooks: `contextd install zed --scope project` adds a rule that asks its agent to call"
    " session_start, which gives the briefing",
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(
                    JSONC,
                    "context_servers",
                    lambda line: {"source": "custom", **plain_server(line), "env": {}},
                ),
                user=Location(
                    "zed/settings.json",
                    below=".config",
                    elsewhere={"win32": "AppData/Roaming/Zed/settings.json"},
                ),
                project=Location(".zed/settings.json"),
            ),
            ConfigFile(Block(TOOLS), project=Location("AGENTS.md")),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(
        programs=("zed", "zeditor"),
        made=(Location("zed", below=".config", elsewhere={"win32": "AppData/Roaming/Zed"}),),
    ),
    versions=Versions(needs=_SERVERS),
)
"""Zed: MCP servers are its context servers."""

_CLAUDE_FOLDER = {"darwin": "Library/Application Support/Claude", "win32": "AppData/Roaming/Claude"}

CLAUDE_DESKTOP = Client(
    name="claude-desktop",
    title="Claude Desktop",
    limits="it starts in no project: its agent names one with the argument `project`",
    instructions="",
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(JSON, "mcpServers", plain_server),
                user=Location(
                    "Claude/claude_desktop_config.json",
                    below=".config",
                    elsewhere={
                        name: f"{folder}/claude_desktop_config.json"
                        for name, folder in _CLAUDE_FOLDER.items()
                    },
                ),
            ),
        ),
        variable="XDG_CONFIG_HOME",
        afterwards="Claude Desktop starts servers outside of any repository: name the project in what you ask.",
    ),
    presence=Presence(made=(Location("Claude", below=".config", elsewhere=_CLAUDE_FOLDER),)),
    versions=Versions(needs=_SERVERS),
)
"""Claude Desktop: MCP servers per user; it has no repository and reads no instructions."""


CRUSH = Client(
    name="crush",
    title="Crush",
    limits="its one hook comes before tools: the server's instructions ask its agent to call session_start, which"
    " gives the briefing",
    configuration=Configuration(
        files=(
            ConfigFile(
                # Its own limit of ten seconds is short for a daemon that starts on a busy machine.
                ServerEntry(JSONC, "mcp", lambda line: {**stdio_server(line), "timeout": 60}),
                user=Location("crush/crush.json", below=".config"),
                project=Location("crush.json", others=(".crush.json",)),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(programs=("crush",), made=(Location("crush", below=".config"),)),
    versions=Versions(minimum="0.1.0", needs=_SERVERS),
)
"""Crush: MCP servers below `mcp`; it passes their instructions to its agent."""


def _goose_server(line: Sequence[str]) -> dict[str, Any]:
    return {
        "enabled": True,
        "type": "stdio",
        "name": "contextd",
        "description": "What earlier sessions learned of this project",
        "cmd": line[0],
        "args": list(line[1:]),
        "timeout": 300,
    }


GOOSE = Client(
    name="goose",
    title="Goose",
    limits="its hooks show its agent nothing: the server's instructions ask it to call session_start, which gives the"
    " briefing",
    own_instructions=(Location("goose/.goosehints", below=".config"),),
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(YAML, "extensions", _goose_server),
                user=Location(
                    "goose/config.yaml",
                    below=".config",
                    elsewhere={"win32": "AppData/Roaming/Block/goose/config/config.yaml"},
                ),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(
        programs=("goose",),
        made=(
            Location("goose", below=".config", elsewhere={"win32": "AppData/Roaming/Block/goose"}),
        ),
    ),
    versions=Versions(minimum="1.0.0", needs=_SERVERS),
)
"""Goose: MCP servers are its extensions, per user; it passes their instructions to its agent."""

AMP = Client(
    name="amp",
    title="Amp",
    limits="it is not briefed by hooks: a rule asks its agent to call session_start, which gives the briefing",
    own_instructions=(Location("amp/AGENTS.md", below=".config"),),
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(JSONC, "amp.mcpServers", plain_server),
                user=Location("amp/settings.json", below=".config"),
                project=Location(".amp/settings.json"),
            ),
            ConfigFile(
                Block(TOOLS),
                user=Location("amp/AGENTS.md", below=".config"),
                project=Location("AGENTS.md"),
            ),
        ),
        variable="XDG_CONFIG_HOME",
        afterwards="With `--scope project` Amp asks for your approval first: `amp mcp approve contextd` in the project.",
    ),
    presence=Presence(programs=("amp",), made=(Location("amp", below=".config"),)),
    versions=Versions(needs=_SERVERS),
)
"""Amp: MCP servers in its settings, instructions in AGENTS.md."""

_AIDER_FILE = ".aider.contextd.md"

AIDER = Client(
    name="aider",
    title="Aider",
    limits="it supports neither MCP nor hooks: an instruction file lists the commands",
    instructions=_AIDER_FILE,
    transcripts="aider",
    configuration=Configuration(
        files=(
            ConfigFile(
                ListedFile(YAML, "read", _AIDER_FILE),
                user=Location(".aider.conf.yml"),
                project=Location(".aider.conf.yml"),
            ),
            ConfigFile(
                Block(COMMANDS),
                user=Location(_AIDER_FILE),
                project=Location(_AIDER_FILE),
            ),
        ),
    ),
    presence=Presence(programs=("aider",), made=(Location(".aider.conf.yml"), Location(".aider"))),
    versions=Versions(minimum="0.49.0", needs="files that it reads at the start"),
)
"""Aider: it has no MCP; an instruction file that it reads lists the commands."""
