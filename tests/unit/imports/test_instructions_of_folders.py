"""Instruction files in folders below the root are imported for their folder."""

from __future__ import annotations

import shutil

from contextd.domain.applies_to import FIELD
from support.desks import Desk
from support.imported import everything

BELOW = {
    "api/AGENTS.md": ["api/**"],
    "api/v1/CLAUDE.md": ["api/v1/**"],
    "jobs/.claude/CLAUDE.md": ["jobs/**"],
    "infra/GEMINI.md": ["infra/**"],
    "shop/.cursor/rules/style.mdc": ["shop/**"],
    "shop/.claude/rules/deep/style.md": ["shop/**"],
}


def written(desk: Desk, name: str, rule: str) -> None:
    path = desk.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"- {rule}.\n")


def found(desk: Desk) -> dict[str, object]:
    return {
        one.source.agent: one.data.get(FIELD) for one in everything(desk) if one.status == "active"
    }


def test_each_is_for_its_folder_and_those_at_the_root_are_for_all(words_only, person):
    for name in BELOW:
        written(words_only, name, f"The rule of {name}")
    written(words_only, "AGENTS.md", "The rule of the root")
    words_only.as_owner("init")
    words_only.as_owner("import_found")
    assert found(words_only) == {**BELOW, "AGENTS.md": None}


def test_they_are_found_without_git_as_well(words_only, person):
    written(words_only, "api/AGENTS.md", "Handlers return problem documents")
    words_only.as_owner("init")
    shutil.rmtree(words_only.root / ".git")
    words_only.as_owner("import_found")
    assert found(words_only) == {"api/AGENTS.md": ["api/**"]}


def test_files_for_agents_that_git_ignores_or_others_wrote_are_not_read(words_only, person):
    (words_only.root / ".gitignore").write_text("vendored/\n")
    for folder in ("vendored", "node_modules/left", "real"):
        written(words_only, f"{folder}/AGENTS.md", f"Rule of {folder}")
    words_only.as_owner("init")
    words_only.as_owner("import_found")
    assert [one.content for one in everything(words_only)] == ["Rule of real."]


def test_one_that_is_deleted_takes_its_rules_along(words_only, person):
    written(words_only, "api/AGENTS.md", "Handlers return problem documents")
    words_only.as_owner("init")
    words_only.as_owner("import_found")
    (words_only.root / "api/AGENTS.md").unlink()
    assert words_only.as_owner("import_found")["archived"] == 1
    assert found(words_only) == {}


def test_a_link_that_leads_out_of_the_checkout_is_not_followed(words_only, person):
    outside = person / "secret.md"
    outside.write_text("- A rule of somebody else.\n")
    (words_only.root / "api").mkdir()
    (words_only.root / "api/AGENTS.md").symlink_to(outside)
    words_only.as_owner("init")
    words_only.as_owner("import_found")
    assert found(words_only) == {}
