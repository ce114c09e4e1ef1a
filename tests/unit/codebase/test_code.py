from __future__ import annotations

import pytest

from contextd_common.errors import Invalid, NotFound
from contextd_common.text.tokens import count_tokens


def test_init_writes_the_model_and_makes_code_searchable(desk):
    made = desk.as_owner("init")
    assert "Express 4" in made["stack"]
    assert (desk.root / ".context" / "project.yaml").is_file()
    found = desk("codebase_search", query="refreshToken")["results"]
    assert found[0]["path"] in ("src/auth/token.ts", "src/auth/service.ts")


def test_a_second_init_changes_nothing(desk):
    desk.as_owner("init")
    before = (desk.root / ".context" / "project.yaml").read_bytes()
    again = desk.as_owner("init")
    assert again["changed"] == 0 or ".context" in str(again["written"])
    assert (desk.root / ".context" / "project.yaml").read_bytes() == before


def test_reading_a_file_brings_used_definitions_and_attached_knowledge(desk):
    desk.as_owner("init")
    desk("save_context", content="Never shorten the lifetime in src/auth/service.ts without asking")
    read = desk("read_file", path="src/auth/service.ts", includeDeps=True)
    assert [d["path"] for d in read["dependencies"]] == ["src/auth/token.ts"]
    used = read["dependencies"][0]["text"]
    assert "refreshToken" in used
    assert "unusedThing" not in used
    assert "Never shorten" in read["knowledge"][0]["content"]


def test_reading_outside_the_root_is_refused(desk, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    (desk.root / "link.txt").symlink_to(tmp_path / "secret.txt")
    for path in ("../secret.txt", str(tmp_path / "secret.txt"), "link.txt", "/etc/passwd"):
        with pytest.raises((Invalid, NotFound)):
            desk("read_file", path=path)


def test_a_missing_file_names_the_nearest(desk):
    desk.as_owner("init")
    with pytest.raises(NotFound) as caught:
        desk("read_file", path="src/auth/tokn.ts")
    assert "token.ts" in caught.value.hint


def test_grep_finds_lines_and_a_bad_expression_is_explained(desk):
    found = desk("grep_codebase", pattern="export class \\w+", file_pattern="*.ts")["matches"]
    assert [(m["path"], m["line"]) for m in found] == [("src/auth/service.ts", 3)]
    with pytest.raises(Invalid):
        desk("grep_codebase", pattern="(unclosed")


def test_a_changed_file_is_found_by_its_new_words_after_indexing(desk):
    desk.as_owner("init")
    (desk.root / "src" / "auth" / "service.ts").write_text("export const zebraCrossing = 1;\n")
    desk("codebase_index")
    found = desk("codebase_search", query="zebraCrossing")["results"]
    assert found[0]["path"] == "src/auth/service.ts"
    kept = desk("codebase_search", query="class AuthService renew")["results"]
    assert all("class AuthService" not in hit["text"] for hit in kept)


def test_module_and_overview_speak_of_the_project(desk):
    desk.as_owner("init")
    overview = desk.answer("project_overview")
    assert overview.value["initialised"]
    assert overview.text.startswith("# shop")
    with pytest.raises(NotFound):
        desk("project_module", name="nonsense")


def test_learned_knowledge_reaches_project_yaml_by_consent_and_survives_a_rescan(desk):
    desk.as_owner("init")
    session = desk("session_start")["session_id"]
    text = "Convention: AuthService in auth must rotate refresh tokens on every use."
    desk("session_log", session_id=session, role="user", text=text)
    desk("session_end", session_id=session)
    desk.host.work_off()
    [learned] = desk.as_owner("list_records", kind="discovery")["records"]
    assert "rotate refresh" not in (desk.root / ".context" / "project.yaml").read_text()
    placed = desk("place_in_model", id=learned["id"])
    assert placed["module"] == "auth"
    written = (desk.root / ".context" / "project.yaml").read_text()
    desk.as_owner("init")
    after = (desk.root / ".context" / "project.yaml").read_text()
    assert "rotate refresh tokens" in written
    assert "rotate refresh tokens" in after
    assert "## Now" in (desk.root / ".context" / "CONTEXT.md").read_text()


def test_reindex_rebuilds_the_same_answers(desk):
    desk.as_owner("init")
    saved = desk("save_context", content="Payments retry three times with a growing pause")
    before = [r["id"] for r in desk("context_search", query="payments retry pause")["results"]]
    desk.as_owner("reindex")
    after = [r["id"] for r in desk("context_search", query="payments retry pause")["results"]]
    assert before == after
    assert saved["id"] in after


def test_a_file_with_all_that_is_known_about_it_stays_within_its_budget(desk):
    desk.as_owner("init")
    for number in range(12):
        desk(
            "save_context",
            content=f"src/auth/service.ts keeps rule {number}: "
            + "renew a token before it ends. " * 9,
        )
    for budget in (100, 150, 300, 800, 3_000):
        for options in ({"include_deps": True, "depth": 3}, {}, {"outline": True}):
            answer = desk.answer("read_file", path="src/auth/service.ts", budget=budget, **options)
            assert answer.value["tokens"] == count_tokens(answer.text)
            assert answer.value["tokens"] <= budget, (budget, options)
    assert answer.value["knowledge"]
    few = desk("read_file", path="src/auth/service.ts", budget=500)
    assert 0 < len(few["knowledge"]) < len(answer.value["knowledge"])
    assert "more pieces of knowledge" in few["notice"]


def test_a_file_is_read_with_the_tree_of_its_imports(desk):
    desk.as_owner("init")
    read = desk("read_file", path="src/users/model.ts", include_deps=True, depth=2)
    assert read["tree"] == [
        {"path": "src/auth/service.ts", "dependencies": [{"path": "src/auth/token.ts"}]}
    ]
    assert desk("read_file", path="src/users/model.ts")["tree"] == []


def test_code_found_by_a_search_of_everything_begins_with_where_it_is(desk):
    desk("codebase_index")
    [hit, *_] = desk("context_search", query="refreshToken", type="code")["results"]
    assert (hit["symbol"], hit["source"]) == ("refreshToken", "src/auth/token.ts:1-9")
    text = desk.answer("context_search", query="refreshToken", type="code").text
    assert text.startswith("1. src/auth/token.ts:1-9 refreshToken\nexport const LIFETIME")


@pytest.mark.parametrize(
    ("text", "attached"),
    [
        ("refreshToken must rotate", True),
        ("Call `renew` first", True),
        ("Call renew() first", True),
        ("Call `AuthService.renew` first", True),
        ("Call `AuthService#renew()` first", True),
        ("Renew the contract and renew the lease", False),
        ("See src/auth/service.ts", True),
        ("See service.ts", True),
        ("See src/auth/token.ts", False),
        ("AuthServices are many", False),
    ],
)
def test_a_record_that_names_a_definition_as_code_does_is_attached_to_its_file(
    desk, text, attached
):
    desk.as_owner("init")
    (desk.root / "src/auth/service.ts").write_text(
        "export class AuthService { renew() {} }\nexport function refreshToken() {}\n"
    )
    desk("codebase_index")
    desk("save_context", content=f"In this shop, remember what ends at noon: {text}.")
    known = desk("read_file", path="src/auth/service.ts")["knowledge"]
    assert bool(known) is attached


def test_only_records_that_an_answer_had_room_for_were_read(desk):
    desk.as_owner("init")
    texts = [
        f"Rule {n} of src/auth/service.ts: {'rotate every token at noon ' * 8}" for n in range(6)
    ]
    ids = {desk("save_context", content=text)["id"] for text in texts}
    answer = desk("read_file", path="src/auth/service.ts", budget=700)
    shown = {one["id"] for one in answer["knowledge"]}
    assert 0 < len(shown) < len(ids)
    assert answer["tokens"] <= 700
    assert f"{len(ids) - len(shown)} more pieces of knowledge" in answer["notice"]
    [read] = [one for one in desk.observed() if one.operation == "read_file"]
    assert set(read.record_ids) == shown


def test_an_unknown_module_is_answered_with_the_ones_there_are(desk):
    with pytest.raises(NotFound) as caught:
        desk("project_module", name="auth")
    assert caught.value.hint == "run `contextd init` first"
    desk.as_owner("init")
    [name, *_] = desk("project_overview")["modules"]
    with pytest.raises(NotFound) as caught:
        desk("project_module", name="quantum")
    assert caught.value.hint.startswith("modules: ")
    named = str(name).partition(":")[0]
    assert named in caught.value.hint
    with pytest.raises(NotFound) as caught:
        desk("project_module", name=f"{named}x")
    assert named in caught.value.hint
