"""Policies and standards through the operations: files and records, checks, neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.domain.query import Query
from contextd.domain.records import STATUSES
from contextd_common.errors import Conflict, Invalid, NotFound, TooLarge
from support.repositories import committed, git

NO_PRINT = """\
# Why we have this: the log of 3 May.
requirement: Nothing is printed, everything is logged   # a comment of ours
severity: high
patterns: ['\\bprint\\(']
paths: ["*.py"]
way_out: use the logger
"""


def write(root: Path, text: str, name: str = "policies/no-print.yaml") -> Path:
    path = root / ".context" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def records(desk, *kinds: str):
    query = Query(
        scopes=frozenset(desk.scope.cascade), kinds=kinds or ("policy",), statuses=STATUSES
    )
    return desk.view.records.find(query).records


@pytest.fixture
def other(desk, tmp_path):
    """Another project of the same organisation."""
    return desk.at(committed(tmp_path / "other", {"main.py": "x = 1\n"}))


def diff(path: str, *added: str) -> str:
    body = "".join(f"+{line}\n" for line in added)
    return (
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -0,0 +1,{len(added)} @@\n{body}"
    )


def test_a_file_is_in_force_and_becomes_a_record(desk):
    write(desk.root, NO_PRINT)
    found = desk("policy_check", action=diff("shop/cart.py", "total = 1", "print(total)"))
    assert not found["compliant"]
    assert not found["denied"]
    [broken] = found["violations"]
    assert (broken["path"], broken["line"]) == ("shop/cart.py", 2)
    assert broken["way_out"] == "use the logger"
    assert broken["source"] == ".context/policies/no-print.yaml"
    [record] = records(desk)
    assert record.id == broken["id"]
    assert (record.title, record.trust, record.data["severity"]) == ("No print", "human", "high")
    assert record.content == "Nothing is printed, everything is logged. Instead: use the logger."
    assert desk("policy_check", action=diff("shop/cart.md", "print(total)"))["compliant"]


def test_a_file_that_is_edited_changes_its_record_and_one_that_is_removed_archives_it(desk):
    path = write(desk.root, NO_PRINT)
    desk("standards_get")
    path.write_text(NO_PRINT.replace("high", "low"))
    desk("standards_get")
    [record] = records(desk)
    assert (record.data["severity"], record.version) == ("low", 2)
    path.unlink()
    desk("standards_get")
    [gone] = records(desk)
    assert (gone.id, gone.status) == (record.id, "archived")
    assert desk("policy_check", action=diff("a.py", "print(1)"))["compliant"]
    path.write_text(NO_PRINT)
    desk("standards_get")
    [back] = records(desk)
    assert (back.id, back.status, back.data["severity"]) == (record.id, "active", "high")


def test_nothing_happens_to_files_that_nobody_changed(desk):
    path = write(desk.root, NO_PRINT)
    desk("standards_get")
    before = path.stat().st_mtime_ns
    assert desk.as_owner("list_policies")["done"] == [".context/policies/no-print.yaml is new"]
    for _ in range(3):
        assert desk.as_owner("list_policies")["done"] == []
    assert path.stat().st_mtime_ns == before
    [record] = records(desk)
    assert record.version == 1


def test_an_edit_of_the_record_goes_into_its_file_and_leaves_the_rest_of_it(desk):
    path = write(desk.root, NO_PRINT)
    desk("standards_get")
    [record] = records(desk)
    data = {**record.data, "severity": "critical", "way_out": "log.info"}
    desk.as_owner("edit_record", id=record.id, data=data)
    wanted = NO_PRINT.replace("high", "critical").replace("use the logger", "log.info")
    assert path.read_text() == wanted
    assert desk.as_owner("list_policies")["problems"] == []
    assert records(desk)[0].content.endswith("log.info.")
    desk.as_owner("undo", id=record.id)
    assert path.read_text() == NO_PRINT
    assert desk.as_owner("list_policies")["problems"] == []
    assert records(desk)[0].data["severity"] == "high"
    desk.as_owner("edit_record", id=record.id, data=data)
    desk.as_owner("edit_record", id=record.id, content="Log it: the incident of May")
    assert path.read_text() == wanted + "content: 'Log it: the incident of May'\n"


def test_lists_and_new_keys_reach_the_file_without_losing_a_comment(desk):
    path = write(desk.root, NO_PRINT)
    desk("standards_get")
    [record] = records(desk)
    data = {**record.data, "patterns": [r"\bprint\(", r"\bpprint\("], "except_paths": ["cli/"]}
    del data["paths"]
    desk.as_owner("edit_record", id=record.id, data=data, title="Log", tags=["output"])
    text = path.read_text()
    assert text.startswith("# Why we have this: the log of 3 May.\n")
    assert "# a comment of ours" in text
    assert 'paths: ["*.py"]' not in text
    found = desk("policy_check", action=diff("a.txt", "pprint(x)"))
    assert [one["policy"] for one in found["violations"]] == ["Log"]
    assert desk("policy_check", action=diff("cli/a.py", "pprint(x)"))["compliant"]
    assert desk.as_owner("list_policies")["problems"] == []
    assert records(desk)[0].tags == ("output",)


def test_where_both_were_changed_neither_is_lost_and_it_is_told(desk):
    path = write(desk.root, NO_PRINT)
    desk("standards_get")
    [record] = records(desk)
    path.write_text(NO_PRINT.replace("high", "low"))
    # The edit comes before anybody looked at the file again.
    from contextd.knowledge.writing import change

    runtime = desk.runtime()
    after = record.with_(data={**record.data, "severity": "critical"})
    change(runtime, record, after, action="update", reason="by hand")
    [problem] = desk.as_owner("list_policies")["problems"]
    assert "both changed" in problem
    assert "--keep" in problem
    assert "severity: low" in path.read_text()
    assert records(desk)[0].data["severity"] == "critical"
    assert "both changed" in next(
        c["detail"] for c in desk.as_owner("doctor")["checks"] if c["name"] == "policies"
    )
    with pytest.raises(Invalid, match="both changed"):
        desk.as_owner("policy_write", id=record.id)
    desk.as_owner("policy_write", id=record.id, keep="record")
    assert path.read_text() == NO_PRINT.replace("high", "critical")
    assert desk.as_owner("list_policies")["problems"] == []


def test_the_file_can_be_kept_where_both_were_changed(desk):
    from contextd.knowledge.writing import change

    path = write(desk.root, NO_PRINT)
    desk("standards_get")
    [record] = records(desk)
    path.write_text(NO_PRINT.replace("high", "low"))
    after = record.with_(data={**record.data, "severity": "critical"})
    change(desk.runtime(), record, after, action="update", reason="by hand")
    desk.as_owner("policy_write", id=record.id, keep="file")
    assert records(desk)[0].data["severity"] == "low"
    assert desk.as_owner("list_policies")["problems"] == []


def test_a_record_that_was_changed_outlives_the_removal_of_its_file(desk):
    from contextd.knowledge.writing import change

    path = write(desk.root, NO_PRINT)
    desk("standards_get")
    [record] = records(desk)
    path.unlink()
    after = record.with_(data={**record.data, "severity": "critical"})
    change(desk.runtime(), record, after, action="update", reason="by hand")
    told = desk.as_owner("list_policies")["done"][-1]
    assert "no longer has a file" in told
    [kept] = records(desk)
    assert (kept.status, kept.data["severity"]) == ("active", "critical")
    assert not desk("policy_check", action=diff("a.py", "print(1)"))["compliant"]


def test_a_policy_that_was_recorded_is_written_to_a_file_on_request(desk):
    made = desk.as_owner(
        "remember",
        kind="policy",
        title="No eval",
        content="We never call eval: see the incident of March.",
        fields={"requirement": "eval is not called", "patterns": [r"\beval\("], "enforce": "deny"},
    )
    found = desk("policy_check", action=diff("a.py", "eval(x)"))
    assert found["denied"]
    written = desk.as_owner("policy_write", id=made["id"])
    assert written["file"] == ".context/policies/no-eval.yaml"
    text = (desk.root / written["file"]).read_text()
    assert "the incident of March" in text
    assert text.index("title:") < text.index("requirement:")
    [record] = records(desk)
    assert record.id == made["id"]
    assert desk.as_owner("list_policies")["problems"] == []
    fields = {"requirement": "something else altogether"}
    other = desk.as_owner("remember", kind="policy", title="No eval", fields=fields)
    with pytest.raises(Conflict, match="already exists"):
        desk.as_owner("policy_write", id=other["id"])


def test_a_deleted_record_of_a_file_that_stands_comes_back(desk):
    write(desk.root, NO_PRINT)
    desk("standards_get")
    [record] = records(desk)
    message = desk.as_owner("delete_record", id=record.id)["message"]
    assert ".context/policies/no-print.yaml is in force" in message
    assert not desk("policy_check", action=diff("a.py", "print(1)"))["compliant"]
    desk.as_owner("list_policies")
    assert records(desk)[0].status == "active"


BROKEN = {
    "broken.yaml": ("requirement: [x\n", 2, "not YAML"),
    "enum.yaml": ("requirement: x\nseverity: grave\n", 2, "must be one of critical"),
    "regex.yaml": (
        "requirement: x\npatterns:\n  - 'ok'\n  - '(?=x)'\n",
        4,
        "not a valid RE2 pattern",
    ),
    "all.yaml": ("requirement: x\npatterns: ['x*']\n", 2, "matches every line"),
    "typo.yaml": ("requirement: x\npattern: ['x']\n", 2, "unknown key"),
    "twice.yaml": ("requirement: x\nrequirement: y\n", 2, "duplicate key"),
    "missing.yaml": ("severity: low\n", 0, "required"),
    "list.yaml": ("- requirement: x\n", 1, "not a mapping"),
    "empty.yaml": ("", 0, "empty"),
    "glob.yaml": ("requirement: x\npaths: ['{a']\n", 2, "unclosed brace"),
    "change.yaml": ("requirement: x\nchanges: [touch]\n", 2, "not a kind of change"),
    "deep.yaml": ("requirement: " + "[" * 500 + "\n", 0, "nested"),
}


def test_mistakes_are_told_with_file_line_and_way_out_and_the_others_hold(desk):
    write(desk.root, NO_PRINT)
    for name, (text, _, _) in BROKEN.items():
        write(desk.root, text, f"policies/{name}")
    (desk.root / ".context/policies/binary.yaml").write_bytes(b"\xff\xfe\0\1")
    (desk.root / ".context/policies/large.yaml").write_text("# x\n" * 100_000)
    (desk.root / ".context/policies/folder.yaml").mkdir()
    found = desk("policy_check", action=diff("a.py", "print(1)"))
    assert len(found["violations"]) == 1
    assert len(found["problems"]) == len(BROKEN) + 3
    for name, (_, line, message) in BROKEN.items():
        place = f".context/policies/{name}" + (f":{line}:" if line else ":")
        [told] = [problem for problem in found["problems"] if problem.startswith(place)]
        assert message in told, told
        assert told.endswith(")")
    described = [one["file"] for one in desk("describe_schema")["problems"]]
    assert ".context/policies/enum.yaml" in described
    health = {check["name"]: check for check in desk.as_owner("doctor")["checks"]}
    assert not health["policies"]["ok"]
    assert "enum.yaml:2" in health["policies"]["detail"]
    assert any("regex.yaml:4" in one for one in desk.as_owner("scan")["broken"])
    assert len(records(desk)) == 1


def test_a_file_that_is_spoilt_holds_as_it_was(desk):
    path = write(desk.root, NO_PRINT)
    desk("standards_get")
    path.write_text("requirement: [")
    found = desk("policy_check", action=diff("a.py", "print(1)"))
    assert len(found["violations"]) == len(found["problems"]) == 1
    assert records(desk)[0].status == "active"


def test_a_link_that_leads_out_of_the_repository_is_not_read(desk, tmp_path):
    outside = tmp_path / "outside.yaml"
    outside.write_text(NO_PRINT)
    write(desk.root, NO_PRINT, "policies/ours.yaml")
    (desk.root / ".context/policies/theirs.yaml").symlink_to(outside)
    found = desk("policy_check", action="ls")
    assert found["checked"] == 1
    assert "leaves the repository" in found["problems"][0]


def test_a_project_has_its_policies_and_the_organisation_has_them_for_both(desk, other):
    write(desk.root, NO_PRINT)
    write(other.root, "requirement: No tabs\npatterns: ['\\t']\n", "policies/no-tabs.yaml")
    org = desk.host.settings.home / "orgs" / "local" / "policies"
    org.mkdir(parents=True, exist_ok=True)
    (org / "no-eval.yaml").write_text("requirement: No eval\npatterns: ['\\beval\\(']\n")
    change = diff("a.py", "print(1)", "\tx", "eval(y)")
    here = desk("policy_check", action=change)
    there = other("policy_check", action=change)
    assert {one["policy"] for one in here["violations"]} == {"No print", "No eval"}
    assert {one["policy"] for one in there["violations"]} == {"No tabs", "No eval"}
    assert {one["source"] for one in here["violations"]} == {
        ".context/policies/no-print.yaml", "orgs/local/policies/no-eval.yaml",
    }  # fmt: skip
    assert {r.title for r in records(desk)} == {"No print", "No eval"}
    assert {r.title for r in records(other)} == {"No tabs", "No eval"}
    assert [r["policy"] for r in here["violations"] if not r["id"]] == []


def test_commands_dependencies_licences_and_secrets_are_checked(desk):
    write(
        desk.root,
        "requirement: r\ncommands: ['git push.*(--force|-f)\\b']\n"
        "dependencies: [left-pad, 'evil-*']\nlicences: ['GPL-*']\nsecrets: true\nenforce: deny\n",
        "policies/all.yaml",
    )

    def what(action: str, context: str = ""):
        return [
            v["what"] for v in desk("policy_check", action=action, context=context)["violations"]
        ]

    assert what("git push --force origin main") == ["runs 'git push --force'"]
    assert what("git push origin main") == []
    assert what("npm install left-pad@1.3.0 react") == ["brings in left-pad"]
    assert what(diff("package.json", '  "left-pad": "^1.3.0",')) == ["brings in left-pad"]
    assert what(diff("requirements.txt", "Evil_Thing==1.0", "requests>=2")) == [
        "brings in evil-thing"
    ]
    assert what(diff("src/x.c", "// SPDX-License-Identifier: GPL-2.0-only")) == [
        "is under GPL-2.0-only"
    ]
    assert what(diff("src/x.c", "// SPDX-License-Identifier: MIT OR GPL-2.0-only")) == []
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    [told] = what(diff("a.py", f'key = "{key}"'))
    assert told.startswith("holds a ")
    assert key not in told
    node = desk.root / "node_modules" / "bound" / "package.json"
    node.parent.mkdir(parents=True)
    node.write_text('{"name": "bound", "license": "GPL-3.0"}')
    assert what("npm install bound") == ["adds bound, licensed under GPL-3.0"]


def test_meaning_alone_only_suggests(desk):
    write(
        desk.root,
        "title: Database access\nrequirement: Database queries go through the repository layer, "
        "never straight from a view\n",
        "policies/db.yaml",
    )
    desk("standards_get")
    found = desk("policy_check", action="query the database straight from a view")
    assert any("Database access" in one for one in found["suggestions"])
    assert found["compliant"] is None


def test_an_anti_pattern_with_a_detection_takes_part(desk):
    desk.as_owner(
        "remember",
        kind="anti_pattern",
        title="Sleeping in tests",
        content="Tests that sleep are slow and flaky",
        fields={"detection": r"time\.sleep\(", "instead": "wait for the condition"},
    )
    [broken] = desk("policy_check", action=diff("test_a.py", "time.sleep(3)"))["violations"]
    assert (broken["kind"], broken["way_out"]) == ("anti_pattern", "wait for the condition")


def test_bad_actions_are_refused_or_passed_over(desk):
    write(desk.root, NO_PRINT)
    with pytest.raises(Invalid, match="empty"):
        desk("policy_check", action="  ")
    with pytest.raises(TooLarge):
        desk("policy_check", action="x" * 8_000_001)
    assert desk("policy_check", action=diff("a.py", "x" * 1_000_000 + "print("))["compliant"]
    assert desk("policy_check", action="edit a.py", context="\0\1\2" * 1000)["compliant"]
    assert desk("policy_check", action="a" * 1_000_000)["compliant"]


def test_standards_come_nearest_first_with_examples_and_what_the_tree_has(desk, other):
    write(
        desk.root,
        "title: Errors\nlanguage: go\ncategory: errors\nrule: Wrap errors with %w\n"
        "good_example: 'return fmt.Errorf(\"open: %w\", err)'\nbad_example: return err\n",
        "standards/errors.yaml",
    )
    write(
        desk.root,
        "title: Layout\nrequired_dirs: [cmd/, shop/]\nforbidden_dirs: [lib/]\nrationale: as in Go\n",
        "standards/layout.yaml",
    )
    org = desk.host.settings.home / "orgs" / "local" / "standards"
    org.mkdir(parents=True, exist_ok=True)
    (org / "errors.yaml").write_text("title: Errors\nlanguage: go\nrule: Return errors\n")
    (org / "names.yaml").write_text("title: Names\nlanguage: python\nrule: snake_case\n")
    (desk.root / "lib").mkdir()
    found = desk("standards_get")["standards"]
    assert [one["title"] for one in found] == ["Errors", "Layout", "Names"]
    assert found[0]["rule"] == "Wrap errors with %w"
    assert found[0]["good_example"]
    assert "cmd/" in found[1]["missing"]
    assert found[1]["misplaced"] == ["lib/"]
    assert [
        s["title"] for s in desk("standards_get", type="coding", language="Go")["standards"]
    ] == ["Errors"]
    assert [s["title"] for s in desk("standards_get", category="errors")["standards"]] == ["Errors"]
    assert [s["title"] for s in desk("standards_get", type="repo")["standards"]] == ["Layout"]
    there = [s["rule"] for s in other("standards_get")["standards"]]
    assert there == ["Return errors", "snake_case"]
    made = diff("lib/x.go", "package lib").replace("--- a/lib/x.go", "--- /dev/null")
    [broken] = desk("policy_check", action=made)["violations"]
    assert broken["kind"] == "repo_standard"


def test_starter_packs_are_written_once_and_are_sound(desk):
    assert {one["name"] for one in desk.as_owner("policy_init")["packs"]} == {
        "secrets", "licences", "migrations", "public-api",
    }  # fmt: skip
    would = desk.as_owner("policy_init", packs=["all"], dry_run=True)["written"]
    assert not (desk.root / ".context/policies").exists()
    done = desk.as_owner("policy_init", packs=["all"])
    assert done["written"] == would
    again = desk.as_owner("policy_init", packs=["all"])
    assert (again["written"], again["kept"]) == ([], would)
    listed = desk.as_owner("list_policies")
    assert listed["problems"] == []
    assert len(listed["policies"]) == len(would)
    assert all(one["checked"] for one in listed["policies"])
    with pytest.raises(NotFound, match="secret"):
        desk.as_owner("policy_init", packs=["secret"])


def test_who_may_not_write_policies_is_bound_by_the_files_all_the_same(desk):
    write(desk.root, NO_PRINT)
    dev = desk.by("project_dev", desk.scope.project)
    assert not dev("policy_check", action=diff("a.py", "print(1)"))["compliant"]
    assert records(desk) == []


def test_the_organisations_policies_are_the_same_wherever_they_are_read(desk, other):
    other.as_owner("init")
    desk.as_owner("policy_init", packs=["secrets"], scope="org")
    desk.as_owner("policy_init", packs=["migrations"])
    write(desk.root, "severity: nonsense\n")
    here = desk.as_owner("list_policies", scope="org")
    assert len(here["policies"]) == 2
    assert here["problems"] == []
    assert here["policies"] == other.as_owner("list_policies", scope="org")["policies"]
    assert len(desk.as_owner("list_policies")["policies"]) > 2


def test_a_policy_of_both_project_and_organisation_is_reported_once(desk):
    desk.as_owner("policy_init", packs=["secrets"])
    desk.as_owner("policy_init", packs=["secrets"], scope="org")
    made = diff("server.pem", "x").replace("--- a/server.pem", "--- /dev/null")
    [broken] = desk("policy_check", action=made)["violations"]
    assert broken["source"] == ".context/policies/no-key-files.yaml"


def test_a_branch_without_the_file_is_not_bound_and_archives_nothing(desk, tmp_path):
    write(desk.root, NO_PRINT)
    desk("standards_get")
    git(desk.root, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "before")
    branch = desk.at(tmp_path / "tree")
    write(branch.root, "requirement: No tabs\npatterns: ['\\t']\n", "policies/no-tabs.yaml")
    found = branch("policy_check", action=diff("a.py", "print(1)", "\tx"))
    assert [one["policy"] for one in found["violations"]] == ["No tabs"]
    assert {(r.title, r.status) for r in records(desk)} == {
        ("No print", "active"), ("No tabs", "active"),
    }  # fmt: skip
    here = desk("policy_check", action=diff("a.py", "print(1)", "\tx"))
    assert [one["policy"] for one in here["violations"]] == ["No print"]
