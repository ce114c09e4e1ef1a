"""SKILL.md and agent files as people write them, and what is said of those that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.domain.problems import FileProblem
from contextd.skills.skill_text import LARGEST, PLACES, SkillFile, read_skill_file

SKILL = (
    "---\nname: release\ndescription: Cut a release. Use when a version is to be published.\n"
    "allowed-tools: Bash(git *), Read\nlicense: MIT\n---\n\n# Release\n\n1. Tag it.\n"
)


def written(folder: Path, text: str | bytes, name: str = "release") -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path, sort: str = "skill") -> SkillFile | FileProblem:
    return read_skill_file("agent" if sort == "agent" else "skill", path, "release/SKILL.md")


def test_a_skill_is_read_with_the_files_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path, SKILL)
    (path.parent / "scripts").mkdir()
    (path.parent / "scripts" / "tag.sh").write_text("git tag")
    (path.parent / "notes.md").write_text("x")
    found = read(path)
    assert isinstance(found, SkillFile)
    assert (found.name, found.body) == ("release", "# Release\n\n1. Tag it.")
    assert found.files == ("notes.md", "scripts/tag.sh")
    assert found.data == {"required_tools": ["Bash(git *)", "Read"], "license": "MIT"}


def test_an_agent_says_what_it_may_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "reviewer.md"
    path.write_text(
        "---\nname: reviewer\ndescription: Reviews changes\nmodel: small\nskills: [release]\n"
        "collections_access:\n  - policies\ntools: Read, Grep\ntemperature: 0.3\n---\nYou review.\n"
    )
    found = read(path, "agent")
    assert isinstance(found, SkillFile)
    assert found.body == "You review."
    assert found.data == {
        "skills": ["release"], "collections_access": ["policies"], "model_preference": "small",
        "tools": ["Read", "Grep"], "temperature": 0.3,
    }  # fmt: skip


def test_without_a_name_the_folder_is_the_name_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    text = "\ufeff---\r\ndescription: Do it\r\n---\r\nBody\r\n"
    found = read(written(tmp_path, text, "mend-index"))
    assert isinstance(found, SkillFile)
    assert (found.name, found.body) == ("mend-index", "Body")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "no front matter"),
        ("# Release\n", 1, "no front matter"),
        ("---\nname: release\n", 1, "is not closed"),
        ("---\nname: [a\n---\n", 2, "YAML"),
        ("---\nname: a: b\ndescription: c\n---\n", 2, "YAML"),
        ("---\n- a\n- b\n---\n", 2, "no fields"),
        ("---\nname: release\n---\nBody\n", 1, "no description"),
        ("---\nname: release\ndescription:\n---\nBody\n", 3, "no description"),
        ("---\nname: ../../etc\ndescription: x\n---\n", 2, "is not a valid name"),
        ("---\nname: 7\ndescription: x\n---\n", 2, "is not a valid name"),
        (b"---\nname: a\ndescription: \xff\xfe\n---\n", 3, "UTF-8"),
        (b"---\nname: a\ndescription: b\n---\n\0\0", 5, "not text"),
        ("---\nname: a\ndescription: b\n---\n" + "x" * LARGEST, 1, "more than"),
        ("---\na: " + "[" * 500 + "\n---\n", 2, "YAML"),
    ],
)
def test_an_unreadable_skill_file_is_reported_with_its_line_and_a_hint(
    tmp_path: Path, text: str | bytes, line: int, says: str
) -> None:
    found = read(written(tmp_path, text))
    assert isinstance(found, FileProblem)
    assert says in found.message
    assert (found.file, found.line) == ("release/SKILL.md", line)
    assert found.hint


def test_a_description_with_a_colon_in_it_is_read_and_told_about(tmp_path: Path) -> None:
    found = read(written(tmp_path, "---\nname: a\ndescription: use when: asked\n---\nBody\n"))
    assert isinstance(found, SkillFile)
    assert (found.description, found.body) == ("use when: asked", "Body")
    assert found.problem is not None
    assert (found.problem.line, "quote" in found.problem.hint) == (3, True)


def test_an_agent_without_a_prompt_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\nname: a\ndescription: b\n---\n\n")
    assert isinstance(read(path, "agent"), FileProblem)


def test_a_file_that_is_gone_is_a_problem_and_no_error(tmp_path: Path) -> None:
    assert isinstance(read(tmp_path / "none" / "SKILL.md"), FileProblem)


def test_places_are_told_apart_by_sort_owner_and_folder() -> None:
    rows = {(place.sort, place.owner, place.folder) for place in PLACES}
    assert len(rows) == len(PLACES)
    assert not any(place.folder.startswith(("/", "~")) for place in PLACES)
