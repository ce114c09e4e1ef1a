"""Claude Code transcripts: one JSON object per line, appended while a session runs.

The vendor calls the format internal, so everything is optional here: unknown entries are counted and skipped.
Lines form a tree by `parentUuid`. Every user and assistant text is kept, marked `sidechain` for a sub-agent's
and `branch` for what was said after a rewind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from contextd.imports.importers.claude_lines import ClaudeLines
from contextd.imports.importers.json_lines import line_reader, parsed

read = line_reader(ClaudeLines)


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether the first lines look like a Claude Code transcript."""
    if path.suffix != ".jsonl":
        return False
    for text in head:
        line = parsed(text)
        if isinstance(line, dict) and ("provenance" in line or "projectHash" in line):
            # Clients that adopted the envelope use other contents.
            return False
        if isinstance(line, dict) and "sessionId" in line and ("uuid" in line or "type" in line):
            return True
        if isinstance(line, dict) and line.get("type") in ("file-history-snapshot", "summary"):
            return True
    return False


def beside(path: Path) -> Iterable[Path]:
    """The transcripts of a session's sub-agents, including those of workflows: they are in a folder named
    after the session. Nested sub-agents' transcripts are found with their session.
    """
    return sorted(path.with_suffix("").glob("subagents/**/agent-*.jsonl"))
