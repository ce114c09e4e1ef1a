"""Folders with skill and agent files: contextd's own and those of clients. One row per folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from contextd_code.dataclass import dataclass

Sort = Literal["skill", "agent"]
Owner = Literal["project", "user", "home"]
"""The owner of a folder, which decides its root: the project's root, the user's directory, contextd's home.
"""


@dataclass(frozen=True, slots=True)
class SkillPlace:
    """A folder of skills, each in its own folder with a `SKILL.md`, or of agents, each a Markdown file."""

    sort: Sort
    owner: Owner
    folder: str

    def files(self, below: Path) -> Iterator[Path]:
        """Its files, by name."""
        try:
            entries = sorted((below / self.folder).iterdir(), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries[:MOST_ENTRIES]:
            file = entry / SKILL_MD if self.sort == "skill" else entry
            if (self.sort == "skill" or entry.suffix == ".md") and file.is_file():
                yield file


SKILL_MD = "SKILL.md"
MOST_ENTRIES = 500

PLACES: tuple[SkillPlace, ...] = (
    *(
        SkillPlace("skill", "project", folder)
        for folder in (
            ".context/skills", ".claude/skills", ".agents/skills", ".github/skills", ".codex/skills",
            ".gemini/skills", ".qwen/skills", ".cursor/skills", ".opencode/skills", ".opencode/skill",
        )
    ),
    *(
        SkillPlace("agent", "project", folder)
        for folder in (
            ".context/agents", ".claude/agents", ".github/agents", ".gemini/agents", ".qwen/agents",
            ".cursor/agents", ".opencode/agents", ".opencode/agent",
        )
    ),
    SkillPlace("skill", "home", "skills"),
    SkillPlace("agent", "home", "agents"),
    *(
        SkillPlace("skill", "user", folder)
        for folder in (
            ".claude/skills", ".agents/skills", ".codex/skills", ".gemini/skills", ".qwen/skills",
            ".copilot/skills", ".cursor/skills", ".config/opencode/skills",
        )
    ),
    *(
        SkillPlace("agent", "user", folder)
        for folder in (
            ".claude/agents", ".gemini/agents", ".qwen/agents", ".copilot/agents", ".cursor/agents",
            ".config/opencode/agents",
        )
    ),
)  # fmt: skip
"""Every folder; for files with the same name, the earlier folder takes precedence."""
