"""Instruction files that an import follows: of a project, and of the person."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from contextd.domain.query import Query
from contextd.domain.records import STATUSES
from contextd.domain.scope import PERSON
from contextd.jobs.table import JOBS, new_job
from support.imported import counts, everything


def test_undoing_an_import_keeps_a_record_that_a_person_edited_since(desk, person):
    desk.as_owner("init")
    (desk.root / "CLAUDE.md").write_text(
        "# Shop\n\n## Money\n\n- Amounts are kept in cents, never as floats\n- Totals are rounded once\n"
    )
    report = desk.as_owner("import_found")
    assert counts(report) == (1, 1, 0, 0, 0)
    [cents] = everything(desk)
    assert (cents.title, cents.content) == (
        "Shop › Money",
        "- Amounts are kept in cents, never as floats\n- Totals are rounded once",
    )
    assert (cents.trust, cents.source.agent, cents.tags) == (
        "human",
        "CLAUDE.md",
        ("shop", "money"),
    )
    desk.as_owner("edit_record", id=cents.id, content="Amounts are kept in cents as integers")
    undone = desk.as_owner("undo_import")
    assert undone["records"] == 0
    assert "was changed here since" in undone["kept"][0]
    assert desk.record(cents.id).status == "active"


def test_a_section_follows_its_file(desk, person):
    desk.as_owner("init")
    file = desk.root / "AGENTS.md"
    ours = "<!-- contextd:begin 2025-01-01T00:00:00Z. Rewritten by contextd; write below or above. -->\n- The store says this itself\n<!-- contextd:end -->\n"
    whole = (
        "# Rules\n\n- Run the linter before a commit\n- Never push to the main branch\n\n"
        + ours
        + "# Deploy\n\nThe shop is deployed with the blue pipeline.\n"
    )
    file.write_text(whole)
    assert desk.as_owner("import_found")["new"] == 2
    assert not [one for one in everything(desk) if "store says this" in one.content]
    [rules, deploy] = sorted(everything(desk), key=lambda one: one.title, reverse=True)
    assert (deploy.title, deploy.content) == (
        "Deploy",
        "The shop is deployed with the blue pipeline.",
    )
    file.write_text("# Rules\n\n- Never push to the main branch\n")
    report = desk.as_owner("import_found")
    assert (report["updated"], report["archived"]) == (1, 1)
    assert desk.record(rules.id).content == "Never push to the main branch"
    assert desk.record(deploy.id).status == "archived"
    file.write_text(whole)
    assert desk.as_owner("import_found")["new"] == 1
    assert desk.record(deploy.id).status == "active"
    file.unlink()
    assert desk.as_owner("import_found")["archived"] == 2


def test_an_edit_of_a_followed_file_is_seen_within_the_hour(desk, person):
    desk.as_owner("init")
    file = desk.root / "AGENTS.md"
    file.write_text("# Deploy\n\nThe shop is deployed with the blue pipeline.\n")
    hourly = JOBS["follow_files"]
    assert hourly.every == timedelta(hours=1)

    def follows():
        desk.runtime().queue(new_job("follow_files", desk.scope, desk.runtime().place, once=""))
        desk.host.work_off()

    follows()
    [deploy] = everything(desk)
    assert (deploy.title, deploy.status) == ("Deploy", "active")
    imports = len(desk.as_owner("list_imports")["imports"])
    follows()
    assert len(desk.as_owner("list_imports")["imports"]) == imports
    file.write_text("# Deploy\n\nThe shop is deployed with the green pipeline.\n")
    follows()
    assert desk.record(deploy.id).content == "The shop is deployed with the green pipeline."
    file.unlink()
    follows()
    assert desk.record(deploy.id).status == "archived"


def test_an_undone_import_does_not_return_until_a_person_imports_again(desk, person):
    desk.as_owner("init")
    (desk.root / "AGENTS.md").write_text(
        "# Deploy\n\nThe shop is deployed with the blue pipeline.\n"
    )
    desk.as_owner("import_found")
    [deploy] = everything(desk)
    desk.as_owner("undo_import")
    desk.runtime().queue(new_job("follow_files", desk.scope, desk.runtime().place, once=""))
    desk.host.work_off()
    assert desk.record(deploy.id).status == "deleted"
    desk.as_owner("import_found")
    assert desk.record(deploy.id).status == "active"


def persons(desk) -> list:
    query = Query(scopes=frozenset({PERSON}), statuses=STATUSES, limit=500)
    kept = desk.runtime().at_person().view.records.find(query).records
    return [one for one in kept if one.kind != "import"]


def test_instructions_of_the_person_go_to_the_person_and_come_back_out(desk, person, neighbour):
    desk.as_owner("init")
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    for name, text in (
        (
            ".claude/CLAUDE.md",
            f"- Always answer in British English\n- The mail server is reached with {token} from all machines\n",
        ),
        (".codex/AGENTS.md", "- Always answer in British English\n- Keep commits small\n"),
        (".claude/rules/tests.md", "- Name tests as sentences\n"),
    ):
        (person / name).parent.mkdir(parents=True, exist_ok=True)
        (person / name).write_text(f"# Mine\n\n{text}")
    (desk.root / "CLAUDE.md").write_text("# Shop\n\n- Amounts are kept in cents\n")
    trial = desk.as_owner("import_found", dry_run=True)
    report = desk.as_owner("import_found")
    assert (report["new"], report["duplicate"], report["redacted"]) == (4, 0, 1)
    assert (trial["new"], trial["duplicate"], trial["redacted"]) == (4, 0, 1)
    assert [one.content for one in everything(desk)] == ["Amounts are kept in cents"]
    mine = persons(desk)
    assert {one.trust for one in mine} == {"human"}
    assert len(mine) == 3
    assert not any(token in one.content for one in mine)
    again = neighbour.desk(desk.host).as_owner("import_found", dry_run=True)
    assert (again["new"], again["duplicate"]) == (0, 3)
    file = person / ".codex/AGENTS.md"
    assert desk.as_owner("import", path=str(file))["new"] == 0
    assert len(everything(desk)) == 1
    file.unlink()
    assert desk.as_owner("import_found")["archived"] == 1
    file.write_text("- Keep commits small\n")
    desk.as_owner("import_found")
    desk.as_owner("undo_import", id=report["id"])
    assert everything(desk)[0].status == "deleted"
    left = [one.content for one in persons(desk) if one.status == "active"]
    assert left == ["Keep commits small"]


def test_a_client_is_not_told_what_it_reads_of_the_person(desk, person):
    desk.as_owner("init")
    (person / ".claude").mkdir()
    (person / ".claude/CLAUDE.md").write_text("- Always answer in British English\n")
    desk.as_owner("import_found")
    told = {
        client: replace(desk, client=client).answer("briefing_get").text
        for client in ("claude-code", "codex")
    }
    assert "British" not in told["claude-code"]
    assert "British" in told["codex"]
    rows = desk.as_owner("list_imports")["imports"]
    assert sorted(row["counts"]["new"] for row in rows) == [0, 1]
    assert desk.as_owner("undo_import")["records"] == 1
    assert [one.status for one in persons(desk)] == ["deleted"]
