"""Transcript formats of other programs. A new format is a row in `IMPORTERS`."""

from __future__ import annotations

from pathlib import Path

from contextd.imports.importers import (
    aider,
    claude_code,
    cline,
    codex,
    continue_dev,
    copilot,
    cursor,
    gemini,
    opencode,
    qwen,
    specstory,
    swe_agent,
)
from contextd.imports.importers.compressed import opened
from contextd.imports.importers.importer import ImportBatch, Importer, Listed, Redact, Whereabouts
from contextd_common.errors import Invalid, NotFound
from contextd_common.text.encodings import text_in

__all__ = [
    "IMPORTERS",
    "ImportBatch",
    "Importer",
    "Listed",
    "Redact",
    "Whereabouts",
    "importer_for",
    "recognised",
]

_HEAD_BYTES = 1_048_576
"""Enough for a first line with an agent's full instructions or a pasted file."""

_FIRST_BYTES, _HEAD_LINES = 32_768, 20
"""Bytes of a piece of the head, and how many lines of it are looked at. Pieces are read until there are twice as
many line ends, since in UTF-16 not every such byte is one.
"""

_EXTENSIONS = tuple(
    f"{editor}/globalStorage/{extension}"
    for editor in (".config/Code/User", "Library/Application Support/Code/User")
    for extension in ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
)
"""Where Cline and its forks store tasks."""

_CURSOR = (".config/Cursor/User", "Library/Application Support/Cursor/User")

IMPORTERS: dict[str, Importer] = {
    row.name: row
    for row in (
        Importer(
            name="codex",
            title="Codex rollout",
            detects=codex.detects,
            read=codex.read,
            places=(
                Whereabouts(
                    directory=".codex",
                    patterns=(
                        "sessions/*/*/*/rollout-*.jsonl",
                        "sessions/*/*/*/rollout-*.jsonl.zst",
                        "archived_sessions/rollout-*.jsonl",
                        "archived_sessions/rollout-*.jsonl.zst",
                    ),
                    variable="CODEX_HOME",
                ),
            ),
        ),
        Importer(
            name="gemini-cli",
            title="Gemini CLI chat",
            detects=gemini.detects,
            read=gemini.read,
            beside=gemini.beside,
            places=(Whereabouts(directory=".gemini", patterns=("tmp/*/chats/session-*.jsonl",)),),
        ),
        Importer(
            name="gemini-cli-json",
            title="Gemini CLI chat of an older version",
            detects=gemini.detects_json,
            read=gemini.read_json,
            client="gemini-cli",
            places=(Whereabouts(directory=".gemini", patterns=("tmp/*/chats/session-*.json",)),),
            grows=False,
        ),
        Importer(
            name="qwen-code",
            title="Qwen Code chat",
            detects=qwen.detects,
            read=qwen.read,
            places=(
                Whereabouts(
                    directory=".qwen", patterns=("projects/*/chats/*.jsonl",), variable="QWEN_HOME"
                ),
            ),
        ),
        Importer(
            name="copilot-cli",
            title="Copilot CLI events",
            detects=copilot.detects,
            read=copilot.read,
            places=(
                Whereabouts(
                    directory=".copilot",
                    patterns=("session-state/*/events.jsonl",),
                    variable="COPILOT_HOME",
                ),
            ),
            of_session=(".copilot/session-state/{session}/events.jsonl",),
            late=True,
        ),
        Importer(
            name="opencode",
            title="OpenCode database",
            detects=opencode.detects,
            read=opencode.read,
            sessions=opencode.sessions,
            places=(Whereabouts(directory=".local/share/opencode", patterns=("opencode*.db",)),),
            of_session=(".local/share/opencode/opencode.db",),
            grows=False,
        ),
        Importer(
            name="opencode-export",
            title="exported OpenCode session",
            detects=opencode.detects_export,
            read=opencode.read_export,
            client="opencode",
            grows=False,
        ),
        Importer(
            name="cline",
            title="Cline messages",
            detects=cline.detects,
            read=cline.read,
            places=(
                Whereabouts(directory=".cline", patterns=("data/sessions/*/*.messages.json",)),
                *(
                    Whereabouts(
                        directory=extension, patterns=("tasks/*/api_conversation_history.json",)
                    )
                    for extension in _EXTENSIONS
                ),
            ),
            of_session=(
                ".cline/data/sessions/{session}/{session}.messages.json",
                *(f"{one}/tasks/{{session}}/api_conversation_history.json" for one in _EXTENSIONS),
            ),
            grows=False,
        ),
        Importer(
            name="continue",
            title="Continue session",
            detects=continue_dev.detects,
            read=continue_dev.read,
            places=(Whereabouts(directory=".continue", patterns=("sessions/*-*.json",)),),
            of_session=(".continue/sessions/{session}.json",),
            grows=False,
        ),
        Importer(
            name="cursor",
            title="Cursor database",
            detects=cursor.detects,
            read=cursor.read,
            sessions=cursor.sessions,
            places=tuple(
                Whereabouts(directory=directory, patterns=("globalStorage/state.vscdb",))
                for directory in _CURSOR
            ),
            of_session=tuple(f"{one}/globalStorage/state.vscdb" for one in _CURSOR),
            grows=False,
        ),
        Importer(
            name="aider",
            title="Aider history",
            detects=aider.detects,
            read=aider.read,
            sessions=aider.sessions,
            in_project=(".aider.chat.history.md",),
            grows=False,
        ),
        Importer(
            name="specstory",
            title="SpecStory history",
            detects=specstory.detects,
            read=specstory.read,
            in_project=(".specstory/history/*.md",),
            grows=False,
        ),
        Importer(
            name="swe-agent",
            title="SWE-agent trajectory",
            detects=swe_agent.detects,
            read=swe_agent.read,
            in_project=("trajectories/**/*.traj", "trajectories/**/*.traj.json"),
            grows=False,
        ),
        Importer(
            name="claude-code",
            title="Claude Code transcript",
            detects=claude_code.detects,
            read=claude_code.read,
            beside=claude_code.beside,
            places=(
                Whereabouts(
                    directory=".claude",
                    patterns=("projects/*/*.jsonl",),
                    variable="CLAUDE_CONFIG_DIR",
                ),
            ),
        ),
    )
}
"""Every transcript format, by name."""


def importer_for(path: Path) -> Importer:
    """The importer of a file. Raises `NotFound` or `Invalid`."""
    lines = head_of(path)
    for importer in IMPORTERS.values():
        if importer.detects(path, lines):
            return importer
    known = ", ".join(importer.title for importer in IMPORTERS.values())
    raise Invalid(f"unsupported file format: {path.name}", f"it reads: {known}")


def recognised(path: Path, name: str) -> Importer:
    """The importer of a client's transcript: the client's own if the file matches it, else the detected
    one. Raises `NotFound` or `Invalid`.
    """
    expected = IMPORTERS.get(name)
    if expected is not None and expected.detects(path, head_of(path)):
        return expected
    return importer_for(path)


def head_of(path: Path) -> list[str]:
    """The first lines of a file. Raises `NotFound`."""
    try:
        with opened(path) as stream:
            head = stream.read(_FIRST_BYTES)
            while head.count(b"\n") < 2 * _HEAD_LINES and len(head) < _HEAD_BYTES:
                more = stream.read(_FIRST_BYTES)
                if not more:
                    break
                head += more
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
    # Not `splitlines`: texts contain other kinds of line ends.
    text = text_in(head)
    text = head.decode("utf-8", "replace") if text is None else text
    return text.replace("\r\n", "\n").split("\n")[:_HEAD_LINES]
