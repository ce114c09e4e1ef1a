from __future__ import annotations

import pytest

from contextd.codebase.freshness import INLINE
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.records import Record
from contextd.knowledge.writing import RecordText, save_new
from contextd_common.errors import Invalid, NotFound
from support.repositories import committed, written


@pytest.fixture
def coded(desk):
    desk.as_owner("init")
    return desk


def names(found):
    return [symbol["name"] for symbol in found["symbols"]]


def test_a_symbol_is_found_with_its_place_and_how_much_it_is_used(coded):
    [found] = coded("find_symbol", name="AuthService")["symbols"]
    assert (found["path"], found["line"], found["kind"]) == ("src/auth/service.ts", 3, "class")
    assert found["signature"].startswith("export class AuthService")
    assert found["exported"]
    assert found["used_by"] == 6


@pytest.mark.parametrize(
    ("asked", "first", "match"),
    [
        ("refreshToken", "refreshToken", "exact"),
        ("refreshtoken", "refreshToken", "case"),
        ("token refresh", "refreshToken", "words"),
        ("unused", "unusedThing", "words"),
        ("refreshT", "refreshToken", "prefix"),
        ("AuthService.renew", "AuthService.renew", "exact"),
        ("AuthService::renew()", "AuthService.renew", "exact"),
    ],
)
def test_a_name_is_found_exactly_by_case_by_parts_and_by_its_beginning(coded, asked, first, match):
    found = coded("find_symbol", name=asked)["symbols"][0]
    assert (found["name"], found["match"]) == (first, match)


def test_symbols_used_by_more_files_come_first_and_path_and_kind_narrow_the_search(coded):
    (coded.root / "src" / "billing" / "service2.ts").write_text(
        "export class AuthService {}\nexport function authService() {}\n"
    )
    coded("codebase_index")
    found = coded("find_symbol", name="AuthService")["symbols"]
    assert [s["path"] for s in found][:2] == ["src/auth/service.ts", "src/billing/service2.ts"]
    inside = coded("find_symbol", name="AuthService", path="src/billing", kind="class")
    assert [s["path"] for s in inside["symbols"]] == ["src/billing/service2.ts"]
    assert names(coded("find_symbol", name="AuthService", kind="function")) == ["authService"]


def test_a_folder_narrows_to_what_is_in_it_and_not_to_folders_whose_names_begin_alike(coded):
    due = "export function due() {}\n"
    written(coded.root, {"src/bill/due.ts": due, "src/billing/due.ts": due})
    coded("codebase_index")
    for folder in ("src/bill", "src/bill/", "./src/bill"):
        found = coded("find_symbol", name="due", path=folder)["symbols"]
        assert [one["path"] for one in found] == ["src/bill/due.ts"], folder
        meant = coded("find_references", name="due", path=folder)["definition"]
        assert meant["path"] == "src/bill/due.ts", folder


def test_an_unknown_name_names_the_nearest(coded):
    assert "refreshToken" in coded("find_symbol", name="refrshTokne")["notice"]
    with pytest.raises(NotFound) as caught:
        coded("find_references", name="refrshTokne")
    assert "refreshToken" in caught.value.hint
    with pytest.raises(Invalid):
        coded("find_symbol", name="  ")


def test_references_are_lines_of_files_that_import_the_definition(coded):
    (coded.root / "src" / "users" / "other.ts").write_text("export function guard() {}\nguard();\n")
    (coded.root / "src" / "users" / "real.ts").write_text(
        "import { guard as check } from '@/auth/guard';\ncheck();\n"
    )
    coded("codebase_index")
    found = coded("find_references", name="guard", path="src/auth/guard.ts")
    assert [(r["path"], r["line"], r["text"], r["role"]) for r in found["references"]] == [
        ("src/users/real.ts", 1, "import { guard as check } from '@/auth/guard';", "import"),
        ("src/users/real.ts", 2, "check();", "use"),
    ]
    assert found["files"] == 1


def test_an_ambiguous_name_lists_what_else_it_could_mean(coded):
    (coded.root / "src" / "users" / "other.ts").write_text("export function guard() {}\nguard();\n")
    coded("codebase_index")
    found = coded("find_references", name="guard")
    assert len(found["others"]) == 1
    assert "path" in found["notice"]
    text = coded.answer("find_references", name="guard").text
    assert "also defined at: " in text


def test_the_map_starts_from_what_was_changed_and_what_is_asked(coded):
    plain = coded("repo_map", budget=60)
    assert "AuthService" in plain["map"]
    assert plain["tokens"] <= 60
    focused = coded("repo_map", budget=60, focus="guard")
    assert focused["map"].startswith("src/auth/guard.ts")
    (coded.root / "src" / "auth" / "guard.ts").write_text("export function guard() { return 1; }\n")
    changed = coded("repo_map", budget=60)
    assert "src/auth/guard.ts" in changed["map"]
    assert "src/auth/guard.ts" not in plain["map"]


def test_the_map_of_a_project_of_documents_stays_within_its_budget(desk, tmp_path):
    chapter = "".join(f"# Chapter {n} of the harbour\n\nShips wait.\n\n" for n in range(9))
    pages = {f"docs/page{n}.md": chapter for n in range(20)}
    manual = desk.at(committed(tmp_path / "manual", {"README.md": "# Manual\n", **pages}))
    manual.as_owner("init")
    for budget in (60, 200):
        found = manual("repo_map", budget=budget)
        assert found["map"].startswith("README.md")
        assert budget / 2 < found["tokens"] <= budget


def test_the_map_knows_the_files_of_the_open_session(coded):
    agent = coded.connected("one")
    agent("session_start")
    before = agent("repo_map", budget=60)["map"]
    agent("read_file", path="src/auth/guard.ts")
    coded.host.flush()
    after = agent("repo_map", budget=60)["map"]
    assert "src/auth/guard.ts" not in before
    assert "src/auth/guard.ts" in after


def test_until_a_large_project_is_scanned_the_answers_say_what_to_do(desk):
    for n in range(INLINE):
        (desk.root / "src" / f"many{n}.ts").write_text(f"export const many{n} = {n};\n")
    assert "codebase_index" in desk("repo_map")["notice"]
    assert "codebase_index" in desk("find_symbol", name="nowhere")["notice"]


def test_while_many_files_differ_a_name_is_found_where_it_stands_now(coded):
    for n in range(2 * INLINE):
        (coded.root / "src" / f"many{n}.ts").write_text(f"export const badger{n} = {n};\n")
    coded("codebase_index")
    for n in range(2 * INLINE):
        (coded.root / "src" / f"many{n}.ts").write_text(f"export const heron{n} = {n};\n")
    assert coded("find_symbol", name="badger90")["symbols"] == []
    found = coded("find_symbol", name="heron90")
    assert [(one["name"], one["path"]) for one in found["symbols"]] == [
        ("heron90", "src/many90.ts")
    ]
    assert "follows in the background" in found["notice"]
    assert "follows in the background" in coded("repo_map", budget=60)["notice"]
    coded.host.work_off()
    found = coded("find_references", name="heron90")
    assert (found["definition"]["path"], found["notice"]) == ("src/many90.ts", "")


def test_an_outline_shows_definitions_instead_of_code(coded):
    found = coded("read_file", path="src/auth/token.ts", outline=True)
    assert found["content"].splitlines() == [
        "1-1 export const LIFETIME = 900;",
        "3-5 export function refreshToken(old: string): string",
        "7-9 export function unusedThing(): number",
    ]
    assert "return" not in found["content"]
    service = coded("read_file", path="src/auth/service.ts", outline=True)
    assert service["content"].startswith("imports src/auth/token.ts\n3-7 export class AuthService")
    some = coded("read_file", path="src/auth/token.ts", outline=True, start_line=2)
    assert 0 < len(some["content"]) < len(coded("read_file", path="src/auth/token.ts")["content"])
    whole = coded("read_file", path="package.json", outline=True)
    assert whole["content"].startswith("{")


def test_knowledge_that_names_a_definition_comes_with_its_file(coded):
    coded("save_context", content="refreshToken must be called before the clock is read")
    coded("save_context", content="The office guard has a dog")
    coded("save_context", content="Call `guard` in every route of the public interface")
    token = coded("read_file", path="src/auth/token.ts", outline=True)["knowledge"]
    assert [one["content"].split()[0] for one in token] == ["refreshToken"]
    guard = coded("read_file", path="src/auth/guard.ts")["knowledge"]
    assert [one["content"].split()[0] for one in guard] == ["Call"]
    assert coded("read_file", path="src/users/model.ts")["knowledge"] == []


@pytest.mark.long
def test_old_knowledge_is_found_behind_much_that_is_newer(coded):
    coded("save_context", content="refreshToken must be called before the clock is read")
    newer = [
        Record(kind="context", scope=coded.scope, content=f"other fact {number}")
        for number in range(510)
    ]
    coded.view.commit(
        Changes(knowledge=KnowledgeChanges(records=[Put(record, "create") for record in newer]))
    )
    found = coded("read_file", path="src/auth/token.ts")["knowledge"]
    assert [one["content"].split()[0] for one in found] == ["refreshToken"]


def test_a_hit_says_that_its_file_was_changed_for_something_alike(desk):
    desk.as_owner("init")
    desk.host.work_off()
    question = "auth service sessions expire too early after renewing"
    before = desk("codebase_search", query=question)["results"]
    save_new(
        desk.runtime(),
        RecordText(
            "remediation",
            title="Session expires too early when it is renewed",
            content="Users were logged out after renewing; add the lifetime to the old token",
            data={
                "problem": "users are logged out",
                "solution": "add the lifetime",
                "affected_files": ["src/billing/model.ts", "src/gone.ts"],
            },
        ),
    )
    after = desk("codebase_search", query=question)["results"]
    past = {hit["path"]: hit["past"] for hit in after if hit["past"]}
    assert list(past) == ["src/billing/model.ts"]
    assert past["src/billing/model.ts"].startswith("changed for “Session expires")
    without = [hit["path"] for hit in before]
    place = [hit["path"] for hit in after].index("src/billing/model.ts")
    # Of files that say the same, only the first is shown: before, that was another one.
    assert "src/billing/model.ts" not in without[: place + 1]
    other = desk("codebase_search", query="guard of the routes")["results"]
    assert not any(hit["past"] for hit in other)
