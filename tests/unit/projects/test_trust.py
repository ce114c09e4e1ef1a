"""A folder is untrusted until its owner says otherwise, and an agent is not its owner."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from contextd.app.trust import TrustBook
from contextd.clients import CLIENTS
from contextd.domain.trust import UNTRUSTED, agent_of, require_person
from contextd_code.tree import limits
from contextd_common.errors import Denied, NotFound
from support.desks import Desk
from support.hostile_repositories import canaries, that_says_what_holds
from support.repositories import committed, git, written
from support.verdicts import agrees

ASKED = (
    ("briefing_get", {}),
    ("session_start", {"task_description": "work on src"}),
    ("project_overview", {}),
    ("prompt_build", {}),
    ("describe_schema", {}),
    ("standards_get", {}),
    ("policy_check", {"action": "rm -rf /tmp/x"}),
    ("introspect", {}),
    ("get_gaps", {}),
    ("context_search", {"query": "CANARYPOLICY rules and skills"}),
)
"""What an agent asks at the beginning of its work."""


@pytest.fixture
def stranger(words_only: Desk, tmp_path: Path) -> Desk:
    """An agent in a repository that was just cloned."""
    return replace(words_only, root=that_says_what_holds(tmp_path / "cloned"), stranger=True)


def all_answers(desk: Desk) -> Iterator[tuple[str, str]]:
    """What an agent is shown, by the operation that says it."""
    for name, arguments in ASKED:
        answer = desk.answer(name, **arguments)
        yield name, answer.text + json.dumps(answer.value)


def test_nothing_of_an_untrusted_folder_is_a_rule_a_heading_or_a_setting(stranger: Desk) -> None:
    told = dict(all_answers(stranger))
    asked = told.pop("context_search")

    assert {name: canaries(text) for name, text in told.items() if "CANARY" in text} == {}
    # The repository's own text is found where somebody searches for it, as a file of the repository.
    assert stranger("list_records", status="any")["records"] == []
    assert "[policy" not in asked
    assert stranger.runtime().settings.problems == ()
    assert stranger.runtime().settings.number("briefing.tokens") != 450
    assert not (stranger.root / "CANARYINTO.md").exists()


def test_each_surface_says_that_a_folder_is_not_trusted_once(stranger: Desk) -> None:
    briefing = stranger.answer("briefing_get").text
    checked = stranger.answer("policy_check", action="ls")
    owner = stranger.on("cli")

    assert briefing.count(UNTRUSTED) == 1
    assert checked.text.count(UNTRUSTED) == 1
    assert owner.answer("status").text.count(UNTRUSTED) == 1
    assert owner.answer("doctor").text.count(UNTRUSTED) == 1
    assert stranger.answer("project_overview").value["problem"] == UNTRUSTED


def test_importing_what_is_found_takes_no_instructions_of_an_untrusted_folder(
    stranger: Desk,
) -> None:
    stranger("codebase_index")
    owner = stranger.on("cli")
    found = owner("import_sources")

    assert "instructions" not in {one["name"] for one in found["formats"]}
    owner("trust")
    trusted = owner("import_sources")["formats"]
    assert {one["name"]: one["files"] for one in trusted}["instructions"] == 3


def test_a_trusted_folder_says_what_holds_and_who_wrote_it(stranger: Desk) -> None:
    stranger("briefing_get")
    (stranger.root / "src/b.py").write_text("x = 1\n")

    stranger.on("cli")("trust")
    briefing = stranger.answer("briefing_get").text

    assert "CANARYREQUIRED" in briefing
    assert "p.yaml, last changed by t" in briefing
    assert "CANARYNAME" in briefing
    assert stranger("list_records", status="any")["records"] != []


def test_trusting_a_clone_lists_what_applies_from_then_on_and_who_wrote_it_once(
    stranger: Desk,
) -> None:
    stranger("codebase_index")
    (stranger.root / ".context" / "policies" / "mine.yaml").write_text("title: Mine\n")

    trusted = stranger.on("cli").answer("trust")
    again = stranger.on("cli").answer("trust")

    listed = {one["path"]: one for one in trusted.value["applies"]}
    assert {".context/policies/p.yaml", ".context/config.yaml", ".context/project.yaml"} <= set(
        listed
    )
    assert listed[".context/policies/p.yaml"]["brings"].startswith("policy ")
    assert listed[".context/policies/p.yaml"]["author"] == "t"
    assert "briefing.tokens" in listed[".context/config.yaml"]["brings"]
    assert ".context/policies/mine.yaml: policy Mine (not committed)" in trusted.text
    assert ".context/policies/p.yaml: policy" in trusted.text
    assert again.value["applies"] == []


def test_doctor_speaks_of_trust_only_where_there_is_something_to_trust(
    words_only: Desk, tmp_path: Path
) -> None:
    plain = committed(tmp_path / "plain", {"a.py": "x = 1\n"})
    with_skill = committed(
        tmp_path / "skilled",
        {".claude/skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\nc\n"},
    )
    told = []
    for root in (plain, with_skill):
        desk = replace(words_only, root=root, stranger=True)
        desk("codebase_index")
        checks = desk.on("cli")("doctor")["checks"]
        told += [one["detail"] for one in checks if one["name"] == "trust"]

    assert told == ["this folder has no rules, settings or skills to trust", UNTRUSTED]


def test_trust_that_is_taken_back_takes_back_what_it_brought(stranger: Desk) -> None:
    owner = stranger.on("cli")
    owner("trust")
    assert "CANARYREQUIRED" in stranger.answer("briefing_get").text

    owner("trust", revoke=True)

    told = dict(all_answers(stranger))
    told.pop("context_search")
    assert {name: canaries(text) for name, text in told.items() if "CANARY" in text} == {}
    owner("trust")
    assert "CANARYREQUIRED" in stranger.answer("briefing_get").text


def test_an_agent_can_neither_trust_a_folder_nor_see_that_it_could(stranger: Desk) -> None:
    with pytest.raises(Denied):
        stranger("trust")
    with pytest.raises(Denied):
        stranger.by("viewer")("trust")
    offered = stranger.answer("tools_list").text

    assert "trust" not in offered
    assert not stranger.host.organisation("local").trusted_folders.of(stranger.root).trusted


def test_initialising_a_folder_as_an_agent_does_not_trust_it(stranger: Desk) -> None:
    before = (stranger.root / ".context" / "project.yaml").read_text()

    answer = stranger.answer("init")

    assert UNTRUSTED in answer.text
    assert (stranger.root / ".context" / "project.yaml").read_text() == before


def test_a_shell_of_an_agent_is_told_from_one_of_a_person() -> None:
    assert agent_of({"CLAUDECODE": "1"}) == "Claude Code"
    assert agent_of({"TERM": "xterm"}) == ""
    with pytest.raises(Denied, match="Claude Code"):
        require_person({"CLAUDECODE": "1"})


@pytest.mark.parametrize(
    "variable",
    ["CLAUDECODE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "GEMINI_CLI", "QWEN_CODE", "COPILOT_CLI",
     "CURSOR_AGENT", "OPENCODE", "CLINE_ACTIVE", "GOOSE_TERMINAL"],
)  # fmt: skip
def test_no_agents_shell_can_trust_a_folder(variable: str) -> None:
    with pytest.raises(Denied, match="an agent cannot trust a folder"):
        require_person({"TERM": "xterm", variable: "1"})


def book(home: Path) -> TrustBook:
    home.mkdir(exist_ok=True)
    made = TrustBook(home)
    made.begin(())
    return made


def test_another_repository_in_the_same_place_is_not_trusted(tmp_path: Path) -> None:
    trusted = book(tmp_path / "home")
    root = committed(tmp_path / "repository", {"a.py": "x = 1\n"})
    trusted.grant(root, "you")
    kept = root.rename(tmp_path / "moved")
    committed(root, {"a.py": "x = 1\n", "b.py": "another history\n"})

    assert not trusted.of(root).trusted
    assert "another folder" in trusted.of(root).note
    assert not trusted.of(kept).trusted
    shutil.rmtree(root)
    kept.rename(root)
    assert trusted.of(root).trusted


def test_a_repository_inside_or_cloned_from_a_trusted_folder_is_not_trusted(
    tmp_path: Path,
) -> None:
    trusted = book(tmp_path / "home")
    root = committed(tmp_path / "repository", {"a.py": "x = 1\n"})
    trusted.grant(root, "you")
    inner = committed(root / "vendor" / "inner", {"a.py": "x = 1\n"})
    git(tmp_path, "clone", "-q", str(root), "clone")
    (tmp_path / "link").symlink_to(root)

    assert not trusted.of(inner).trusted
    assert not trusted.of(tmp_path / "clone").trusted
    assert not trusted.of(root.parent).trusted
    assert trusted.of(tmp_path / "link").trusted


def test_a_linked_work_tree_is_trusted_with_its_repository_and_a_forged_one_is_not(
    tmp_path: Path,
) -> None:
    trusted = book(tmp_path / "home")
    root = committed(tmp_path / "repository", {"a.py": "x = 1\n"})
    trusted.grant(root, "you")
    git(root, "worktree", "add", "-q", str(tmp_path / "task"))
    forged = written(tmp_path / "forged", {"a.py": "x = 1\n"})
    (forged / ".git").write_text((tmp_path / "task" / ".git").read_text())

    assert trusted.of(tmp_path / "task").trusted
    assert not trusted.of(forged).trusted


def test_a_folder_stays_trusted_when_it_becomes_a_repository_and_when_it_is_published(
    tmp_path: Path,
) -> None:
    trusted = book(tmp_path / "home")
    root = written(tmp_path / "young", {"a.py": "x = 1\n"})
    trusted.grant(root, "init")
    committed(root, {})
    assert trusted.of(root).trusted

    git(root, "remote", "add", "origin", "https://example.invalid/a/b.git")
    assert trusted.of(root).trusted


def test_the_file_of_trusted_folders_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    trusted = book(tmp_path / "home")
    trusted.grant(written(tmp_path / "folder", {"a": "x"}), "you")

    assert (tmp_path / "home" / "trust.json").stat().st_mode & 0o777 == 0o600
    assert TrustBook(tmp_path / "home").of(tmp_path / "folder").trusted


def test_a_damaged_file_of_trusted_folders_trusts_none(tmp_path: Path) -> None:
    trusted = book(tmp_path / "home")
    root = written(tmp_path / "folder", {".context/.generated.json": "{}"})
    (tmp_path / "home" / "trust.json").write_text("{")
    trusted.begin([root])

    assert not trusted.of(root).trusted


def test_a_home_from_before_trusts_what_was_initialised_in_it(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    initialised = written(tmp_path / "one", {".context/.generated.json": "{}"})
    met = written(tmp_path / "two", {".context/policies/p.yaml": "title: x\n"})
    trusted = TrustBook(tmp_path / "home")
    trusted.begin([initialised, met])
    later = written(tmp_path / "three", {".context/.generated.json": "{}"})
    trusted.begin([later])

    assert trusted.of(initialised).by == "earlier"
    assert not trusted.of(met).trusted
    assert not trusted.of(later).trusted


WRITTEN_BY = {
    "claude-code": (".claude.json", '{{"projects": {{"{yes}": {{"hasTrustDialogAccepted": true}}, "{no}": {{"hasTrustDialogAccepted": false}}}}}}'),
    "codex": (".codex/config.toml", '[projects."{yes}"]\ntrust_level = "trusted"\n[projects."{no}"]\ntrust_level = "untrusted"\n'),
    "gemini-cli": (".gemini/trustedFolders.json", '{{"{yes}": "TRUST_FOLDER", "{no}": "DO_NOT_TRUST"}}'),
    "qwen-code": (".qwen/trustedFolders.json", '{{"{yes}": "TRUST_FOLDER", "{no}": "DO_NOT_TRUST"}}'),
    "copilot-cli": (".copilot/config.json", '{{"trusted_folders": ["{yes}"]}}'),
}  # fmt: skip
"""What each client writes when its user trusts one folder and not another."""


def test_every_client_with_a_trust_of_its_own_is_tried() -> None:
    agrees(
        {row.name for row in CLIENTS.values() if row.folder_trust},
        WRITTEN_BY,
        "WRITTEN_BY in tests/unit/projects/test_trust.py",
        "the file in which it stores trusted folders, with one folder trusted",
    )


@pytest.mark.parametrize("client", WRITTEN_BY)
def test_the_trust_of_a_client_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    user = tmp_path / "user"
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.delenv(CLIENTS[client].configuration.variable or "NONE", raising=False)
    yes, no = written(tmp_path / "yes", {"a": "x"}), written(tmp_path / "no", {"a": "x"})
    file, text = WRITTEN_BY[client]
    written(user, {file: text.format(yes=yes, no=no)})
    trusted = book(tmp_path / "home")

    assert trusted.of(yes).by == CLIENTS[client].title
    assert not trusted.of(no).trusted
    assert not trusted.of(written(yes / "below", {"a": "x"})).trusted
    trusted.revoke(yes)
    assert not trusted.of(yes).trusted
    (user / file).write_text("not of this sort: [")
    os.utime(user / file, ns=(1, 1))
    assert not book(tmp_path / "other").of(yes).trusted


def test_a_repository_is_not_indexed_unasked_when_its_files_are_too_many_or_too_large(
    stranger: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", 100)

    with pytest.raises(NotFound, match="was not initialised"):
        stranger("codebase_index")

    stranger.on("cli")("init")
    assert stranger("codebase_index")["files"] > 0


def two_clones(desk: Desk, folder: Path, named: str) -> tuple[Desk, Desk]:
    """Two trusted clones of one repository whose `.context/project.yaml` says its name."""
    said = {".context/project.yaml": f"project:\n  name: {named}\n", "a.py": "def run(): ...\n"}
    first = desk.at(committed(folder / "first", said))
    git(folder, "clone", "-q", str(first.root), "second")
    second = desk.at(folder / "second")
    for one in (first, second):
        one("codebase_index")
    return first, second


def name_of(desk: Desk) -> str:
    project = desk.runtime().project
    assert project is not None
    return project.name


def test_taking_trust_back_from_one_clone_leaves_the_other_as_it_was(
    words_only: Desk, tmp_path: Path
) -> None:
    first, second = two_clones(words_only, tmp_path, "Billing engine")
    second.as_owner("save_context", content="Invoices are immutable once sent")
    shown = second("project_overview")

    first.as_owner("trust", revoke=True)

    assert name_of(second) == "Billing engine"
    assert second("project_overview") == shown
    assert "Invoices are immutable" in second.answer("recall_context", query="invoices").text


def test_a_project_takes_the_name_that_its_trusted_clone_gives(
    words_only: Desk, tmp_path: Path
) -> None:
    first, second = two_clones(words_only, tmp_path, "Billing engine")
    (second.root / ".context" / "project.yaml").write_text("project:\n  name: Ledger\n")

    first.as_owner("trust", revoke=True)
    assert name_of(second) == "Ledger"

    second.as_owner("trust", revoke=True)
    assert name_of(second) == "second"
    assert name_of(first) == "first (apart)"
