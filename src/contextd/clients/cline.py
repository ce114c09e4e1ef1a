"""Cline: one executable per event, and a payload with a member named after the event."""

from __future__ import annotations

from contextd.clients.client import (
    Client,
    ConfigFile,
    Configuration,
    HookEvent,
    Location,
    Presence,
    Versions,
    hook_events,
)
from contextd.clients.codec import JSON
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import plain_server
from contextd.clients.hook_event import PayloadReader, as_context
from contextd.clients.module_file import module_file
from contextd.clients.plugin_form import ModuleForm
from contextd.clients.text_files import TOOLS_OF_SEVERAL, Block, hook_program

_EVENTS = hook_events(
    "TaskStart", "TaskResume", "UserPromptSubmit", "PreCompact", "TaskComplete", "TaskCancel"
)


def _hook(event: HookEvent) -> ConfigFile:
    """A program named after the event: there is one per event, so a user's own program stays."""
    return ConfigFile(
        hook_program(event, "cline"),
        user=Location(f".cline/hooks/{event.name}"),
    )


_PAYLOADS = PayloadReader(
    moments={
        "TaskStart": "started",
        "agent_start": "started",
        "TaskResume": "started",
        "UserPromptSubmit": "prompted",
        "PreCompact": "compacting",
        "TaskComplete": "ended",
        "TaskCancel": "ended",
        "agent_end": "ended",
        "SessionShutdown": "ended",
        "TaskError": None,
        "PreToolUse": None,
        "PostToolUse": "answered",
        "tool_call": None,
        "tool_result": "answered",
    },
    # This id names its files; the other one identifies the conversation.
    session=("sessionContext.rootSessionId", "taskId"),
    prompt=("userPromptSubmit.prompt", "taskStart.taskMetadata.initialTask"),
    prompt_id=(),
    output=("postToolUse.result",),
    reason=(),
)

CLIENT = Client(
    name="cline",
    title="Cline",
    limits="`cline --json` is for programs, and contextd does not learn from it; prompts trigger no hook",
    fields=("clineVersion",),
    transcripts="cline",
    payloads=_PAYLOADS,
    answer=as_context,
    # Seen in version 3.0.65: its hub starts a server in the project of its first agent, and keeps it.
    shared=True,
    instructions=".clinerules",
    own_instructions=(Location("Documents/Cline/Rules", others=("Cline/Rules",)),),
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(
                    JSON,
                    "mcpServers",
                    lambda line: {"transport": {"type": "stdio", **plain_server(line)}},
                ),
                user=Location(".cline/data/settings/cline_mcp_settings.json"),
            ),
            *map(_hook, _EVENTS),
            ConfigFile(
                # Cline ignores what a hook program prints at the start.
                module_file("cline", "npm/cline.js", _PAYLOADS),
                user=Location(".cline/plugins/contextd.js"),
            ),
            ConfigFile(
                Block(TOOLS_OF_SEVERAL),
                user=Location("Documents/Cline/Rules/contextd.md"),
                project=Location(".clinerules/contextd.md"),
            ),
        ),
    ),
    plugin=ModuleForm(
        module="cline.js",
        members={"cline": {"plugins": ["./npm/cline.js"]}},
        install=("cline plugin install SOURCE",),
    ),
    versions=Versions(
        minimum="3.0.57",
        needs="a plugin that can show its agent the briefing",
        tried=("3.0.57", "3.0.65"),
        update="run `npm install -g cline`, or update it as you installed it",
        asks=False,
    ),
    presence=Presence(
        programs=("cline",),
        made=(
            Location(".cline/data"),
            Location(
                "Code/User/globalStorage/saoudrizwan.claude-dev",
                below=".config",
                elsewhere={
                    "darwin": "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev",
                    "win32": "AppData/Roaming/Code/User/globalStorage/saoudrizwan.claude-dev",
                },
            ),
        ),
    ),
)
