"""Parse SKILL.md files and agent definitions, and report their problems."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from contextd.domain.problems import FileProblem
from contextd.domain.records import digest
from contextd.redaction.cutting import beginning, quoted
from contextd_common.dataclass import dataclass
from contextd_common.files.guarded import read_file
from contextd_common.files.yaml_text import explained, load_plain

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


LARGEST = 50_000
"""Maximum characters stored of a file, as for any record."""

MOST_FILES = 200
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_LONGEST_ABOUT = 2_000
_FENCE = "---"


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A parsed skill or agent. `files` are the other files in a skill's folder, by relative path; `data`
    are further fields of its kind; `problem` is a mistake that does not prevent reading.
    """

    sort: Sort
    name: str
    description: str
    body: str
    file: str
    digest: str
    files: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    problem: FileProblem | None = None


def read_skill_file(sort: Sort, path: Path, shown: str) -> SkillFile | FileProblem:
    """Parse a file; `shown` is its displayed name. Never raises for its content."""
    try:
        raw = read_file(path, 4 * LARGEST + 1, cut=True)
        text = raw.decode("utf-8-sig")
    except OSError as error:
        return FileProblem(shown, 1, f"cannot be read: {error.strerror}", "check its permissions")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return FileProblem(shown, line, "it is not UTF-8 text", "save it as UTF-8")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        return FileProblem(shown, line, "it is not text", "a skill is a Markdown file")
    if len(text) > LARGEST:
        message = f"it has more than {LARGEST:,} characters"
        return FileProblem(
            shown, 1, message, "move details into other files of the folder, and mention them"
        )
    beside = _beside(path.parent) if sort == "skill" else ()
    fallback = path.parent.name if sort == "skill" else path.name.split(".")[0]
    return _parsed(sort, text.replace("\r\n", "\n"), shown, fallback, beside)


def _parsed(
    sort: Sort, text: str, file: str, fallback: str, beside: Sequence[str]
) -> SkillFile | FileProblem:
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        hint = f"begin it with `{_FENCE}`, a `name:`, a `description:` and `{_FENCE}`"
        return FileProblem(file, 1, "it has no front matter", hint)
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), 0)
    if not end:
        return FileProblem(file, 1, "its front matter is not closed", f"close it with `{_FENCE}`")
    front = lines[1:end]
    try:
        fields = load_plain("\n".join(front))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line, what = explained(error)
        line = min(line + 1, end) if line else 2
        hint = "quote values that contain `: ` or `#`"
        problem = FileProblem(file, line, f"its front matter is not valid YAML: {what}", hint)
        # Clients accept a description with a colon, which is the most frequent mistake.
        found = _made(sort, _lines_as_fields(front), lines, end, file, fallback, beside)
        return replace(found, problem=problem) if isinstance(found, SkillFile) else problem
    if not isinstance(fields, dict):
        hint = "write one `name: value` per line"
        return FileProblem(file, 2, "its front matter has no fields", hint)
    return _made(sort, fields, lines, end, file, fallback, beside)


def _lines_as_fields(front: Sequence[str]) -> dict[str, str]:
    """Front matter with one field per line, split at the first colon."""
    found = (_FIELD.fullmatch(line) for line in front)
    return {match[1]: match[2].strip().strip("\"'") for match in found if match}


_FIELD = re.compile(r"([\w-]+):[ \t]+(\S.*)")


def _made(
    sort: Sort,
    front_matter: Mapping[str, Any],
    lines: Sequence[str],
    end: int,
    file: str,
    fallback: str,
    beside: Sequence[str],
) -> SkillFile | FileProblem:
    name, about = front_matter.get("name") or fallback, front_matter.get("description")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        hint = "use letters, digits, hyphens, dots and underscores, at most 64"
        return FileProblem(
            file, _line_of(lines, "name"), f"{quoted(name, 80)} is not a valid name", hint
        )
    if not isinstance(about, str) or not about.strip():
        hint = "say what it does and when to use it; search uses this text"
        return FileProblem(file, _line_of(lines, "description"), "it has no description", hint)
    body = "\n".join(lines[end + 1 :]).strip()
    if sort == "agent" and not body:
        hint = "write the agent's instructions below the front matter"
        return FileProblem(file, end + 1, "the agent has no prompt", hint)
    data = _SORTS[sort](front_matter)
    return SkillFile(
        sort=sort,
        name=name,
        description=beginning(" ".join(about.split()), _LONGEST_ABOUT),
        body=body,
        file=file,
        digest=digest("\n".join((*lines, *beside))),
        files=tuple(beside),
        data=data,
    )


def _line_of(lines: Sequence[str], name: str) -> int:
    return next((at for at, line in enumerate(lines, 1) if line.startswith(f"{name}:")), 1)


def _skill_data(front_matter: Mapping[str, Any]) -> dict[str, Any]:
    found = {
        "trigger": _text(front_matter.get("when_to_use") or front_matter.get("trigger")),
        "required_tools": _listed(
            front_matter.get("allowed-tools") or front_matter.get("required_tools")
        ),
        "license": _text(front_matter.get("license")),
    }
    return {name: value for name, value in found.items() if value}


def _agent_data(front_matter: Mapping[str, Any]) -> dict[str, Any]:
    temperature = front_matter.get("temperature")
    found: dict[str, Any] = {
        "skills": _listed(front_matter.get("skills")),
        "collections_access": _listed(front_matter.get("collections_access")),
        "model_preference": _text(
            front_matter.get("model") or front_matter.get("model_preference")
        ),
        "tools": _listed(front_matter.get("tools")),
    }
    if isinstance(temperature, int | float) and not isinstance(temperature, bool):
        found["temperature"] = temperature
    return {name: value for name, value in found.items() if value not in ("", [])}


_SORTS = {"skill": _skill_data, "agent": _agent_data}


def _text(value: Any) -> str:
    return (
        beginning(" ".join(str(value).split()), _LONGEST_ABOUT)
        if isinstance(value, str | int)
        else ""
    )


def _listed(value: Any) -> list[str]:
    """A list of names, also if written on one line."""
    if isinstance(value, str):
        value = re.split(r",\s*|\s+(?![^(]*\))", value.strip())
    if isinstance(value, Mapping):
        value = [name for name, wanted in value.items() if wanted]
    listed = value if isinstance(value, list) else []
    return [str(one) for one in listed if isinstance(one, str | int) and str(one).strip()][:100]


def _beside(folder: Path) -> list[str]:
    """The other files of a skill's folder, by relative path."""
    found: list[str] = []
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))[:50]
        below = Path(where).relative_to(folder)
        found += [(below / name).as_posix() for name in sorted(files)]
        if len(found) > MOST_FILES or len(below.parts) > 4:
            break
    return [name for name in found if name != SKILL_MD][:MOST_FILES]
