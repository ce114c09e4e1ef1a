"""Who the person is and how they like things: theirs in every project of the home, and nobody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.domain.access import ROLES
from contextd.domain.query import Query
from contextd.domain.records import STATUSES
from contextd.domain.scope import PERSON, Scope, may_leave
from contextd.person.files import write_user_md
from contextd.person.person import personal
from contextd.thin.home import LOCAL
from contextd_common.errors import ContextdError, Denied, Invalid, NotFound
from contextd_common.text.tokens import count_tokens
from support.clocks import Shifted
from support.desks import Desk, opened
from support.repositories import committed
from support.roles import caller_with

EMOJIS = "No emojis in commits"


@pytest.fixture
def wiki(desk, tmp_path) -> Desk:
    """Another project of the same person."""
    return desk.at(committed(tmp_path / "wiki", {"a.py": "x = 1\n"}))


def layer(desk: Desk, *statuses: str):
    """What the person's layer holds."""
    view = desk.host.organisation(LOCAL).view(desk.nowhere().request().caller, [PERSON])
    query = Query(scopes=frozenset({PERSON}), statuses=statuses or ("active",), limit=1_000)
    return view.records.find(query).records


def user_md(desk: Desk, text: str, name: str = "USER.md") -> Path:
    """Write a file of the home."""
    path = desk.host.settings.home / name
    path.write_text(text)
    return path


def said(desk: Desk, *statuses: str) -> set[str]:
    """What the layer says once the next call has looked at the files."""
    desk.as_owner("user_profile")
    return {record.content for record in layer(desk, *statuses)}


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("save_context", {"content": EMOJIS}),
        ("save_typed_context", {"type": "preference", "data": {"rule": EMOJIS}}),
        ("remember", {"content": EMOJIS}),
        (
            "memory_record",
            {
                "title": "Commits",
                "description": "When committing",
                "content": EMOJIS,
                "outcome": "success",
            },
        ),
    ],
)
def test_a_preference_saved_for_the_person_in_one_project_is_found_in_another(
    desk, wiki, operation, arguments
):
    answer = desk.answer(operation, scope="person", **arguments)
    assert "person's layer" in answer.text
    assert [record.scope for record in layer(desk)] == [PERSON]
    assert EMOJIS in wiki.answer("context_search", query="emojis in commits").text
    recall = "memory_search" if operation == "memory_record" else "recall_context"
    assert EMOJIS in wiki.answer(recall, query="emojis in commits").text
    assert desk.view.records.find(Query(scopes=frozenset({desk.scope}))).records == []


def test_outside_of_any_project_a_save_goes_to_the_person_and_says_so(desk, tmp_path):
    outside = desk.at(tmp_path)
    answer = outside.answer("save_context", content=EMOJIS)
    assert "person's layer" in answer.text
    assert "not a git repository" in answer.text
    assert [entry["content"] for entry in outside("recall_context", query="emojis")["entries"]]
    assert desk("recall_context", query="emojis")["entries"][0]["id"] == answer.value["id"]
    outside("update_context", id=answer.value["id"], content="Never an emoji in a commit")
    assert "Never" in desk.answer("recall_context", query="emoji commit").text
    outside("delete_context", id=answer.value["id"])
    assert layer(desk) == []


def test_outside_of_any_project_nothing_is_kept_that_was_meant_for_one(desk, tmp_path):
    for scope in ("project", "team"):
        with pytest.raises(NotFound):
            desk.at(tmp_path).on("cli")("remember", content="The API listens on 8080", scope=scope)
    with pytest.raises(NotFound):
        desk.at(tmp_path)("session_start")
    assert layer(desk) == []


def test_one_project_knowing_it_does_not_keep_it_from_all_others(desk, wiki):
    desk("save_context", content=EMOJIS)
    desk("save_context", content=EMOJIS, scope="person")
    assert EMOJIS in wiki.answer("recall_context", query="emojis").text
    assert len(layer(desk)) == 1
    again = wiki("save_context", content=EMOJIS, scope="person")
    assert again["id"] == layer(desk)[0].id


@pytest.mark.parametrize("role", ROLES)
def test_who_is_let_into_a_project_neither_sees_nor_writes_the_person(desk, role):
    kept = desk("save_context", content=EMOJIS, scope="person")
    other = desk.by(role, desk.scope.project)
    with pytest.raises(Denied):
        other("save_context", content="Emojis in every commit", scope="person")
    for operation, arguments in (
        ("recall_context", {"query": "emojis commits"}),
        ("list_contexts", {}),
        ("briefing_get", {}),
        ("context_search", {"query": "emojis commits"}),
        ("prompt_build", {}),
    ):
        assert "emojis" not in other.answer(operation, **arguments).text.replace(
            "'emojis commits'", ""
        )
    for operation in ("user_profile", "write_profile"):
        with pytest.raises(ContextdError):
            other(operation)
    with pytest.raises(ContextdError):
        other.nowhere()("save_context", content="Emojis in every commit")
    with pytest.raises(ContextdError):
        other("update_context", id=kept["id"], content="Emojis in every commit")
    assert [record.content for record in layer(desk)] == [EMOJIS]


def test_another_organisation_of_the_home_has_no_person(desk):
    desk("save_context", content=EMOJIS, scope="person")
    user_md(desk, "- Name: Ana Kos\n")
    acme = Desk(desk.host, desk.root, caller_with("org_admin", "acme", name="ann"))
    with pytest.raises(Invalid):
        acme("save_context", content="We use emojis", scope="person")
    assert acme("recall_context", query="emojis in commits")["entries"] == []
    assert "Ana" not in acme.answer("prompt_build").text
    assert acme("introspect")["identity"]["owner"] != "Ana Kos"


def test_a_second_person_has_a_home_of_their_own(desk, tmp_path):
    desk("save_context", content=EMOJIS, scope="person")
    host = opened(tmp_path / "second", Shifted())
    try:
        second = Desk(host, desk.root)
        assert second("recall_context", query="emojis in commits")["entries"] == []
        assert second.as_owner("user_profile")["lines"] == []
    finally:
        host.close()


def test_nothing_of_the_person_may_leave_the_machine(desk):
    """What sends or publishes reads through `Runtime.leaving`."""
    kept = desk("save_context", content=EMOJIS, scope="person")
    own = desk("save_context", content="Deploys of commits happen on Fridays")
    runtime = desk.runtime().leaving()
    assert not may_leave(PERSON)
    assert may_leave(desk.scope)
    assert may_leave(Scope("acme"))
    everything = Query(scopes=frozenset({PERSON, desk.scope}), statuses=STATUSES)
    assert [r.id for r in runtime.view.records.find(everything).records] == [own["id"]]
    assert runtime.view.records.get([kept["id"]]) == []
    assert runtime.view.index.lexical(["emoji"], everything, 9) == []
    assert runtime.view.records.history(kept["id"]) == []
    assert EMOJIS not in desk.on("cli").answer("export").text


def test_nothing_of_the_person_is_written_into_the_repository(desk):
    desk.as_owner("init")
    desk(
        "memory_record",
        title="Commits",
        description="When committing",
        content=EMOJIS,
        outcome="success",
        scope="person",
    )
    session = desk("session_start", task_description="Write commits")["session_id"]
    desk("session_end", session_id=session)
    desk.host.work_off()
    written = "".join(p.read_text() for p in (desk.root / ".context").rglob("*") if p.is_file())
    assert "# Context" in written
    assert "emojis" not in written


FILE = """# About me

- **Name:** Ana Kos
- **What to call them:**

## Commits

- No emojis, ever.
- Subjects in the imperative

## Testing

I like tests that say what they prove.
"""


def test_user_md_is_read_line_by_line_and_again_without_change(desk):
    path = user_md(desk, FILE)
    assert said(desk) == {
        "Name: Ana Kos",
        "No emojis, ever.",
        "Subjects in the imperative",
        "I like tests that say what they prove.",
    }
    before = {record.id: record for record in layer(desk)}
    assert {r.title for r in before.values()} == {"", "Commits", "Testing"}
    assert {r.trust for r in before.values()} == {"human"}
    path.write_text(FILE + "\n")
    said(desk)
    assert {record.id: record for record in layer(desk)} == before


def test_a_line_that_is_edited_stays_its_record_and_one_taken_out_goes(desk, wiki):
    path = user_md(desk, FILE)
    said(desk)
    ids = {record.content: record.id for record in layer(desk)}
    path.write_text(FILE.replace("No emojis, ever.", "No emojis or exclamation marks, ever."))
    said(desk)
    now = {record.content: record.id for record in layer(desk)}
    assert now["No emojis or exclamation marks, ever."] == ids["No emojis, ever."]
    assert "No emojis, ever." not in now
    path.write_text(FILE.replace("- Subjects in the imperative\n", ""))
    assert "Subjects in the imperative" not in said(desk)
    assert "imperative" not in wiki.answer(
        "recall_context", query="imperative subjects"
    ).text.replace("'imperative subjects'", "")
    path.write_text(FILE)
    assert "Subjects in the imperative" in said(desk)
    path.unlink()
    assert said(desk) == set()


def test_a_line_that_was_taken_out_and_brought_back_stays_though_the_file_is_read_again(desk):
    path = user_md(desk, FILE)
    said(desk)
    ids = {record.content: record.id for record in layer(desk)}
    path.write_text(FILE.replace("- Subjects in the imperative\n", ""))
    said(desk)
    desk.as_owner("undo", id=ids["Subjects in the imperative"])
    path.write_text(FILE.replace("- Subjects in the imperative\n", "\n\n"))
    assert "Subjects in the imperative" in said(desk)
    path.write_text(FILE.replace("- Subjects in the imperative\n", "\n"))
    assert "Subjects in the imperative" in said(desk)


def test_a_long_file_is_found_by_words_at_once_and_embedded_behind_the_call(desk, tmp_path):
    user_md(desk, "".join(f"- Habit {n} of mine is to review chapter {n}\n" for n in range(60)))
    outside = desk.at(tmp_path)
    assert len(said(outside)) == 60
    assert outside("recall_context", query="habit review chapter")["entries"]
    desk.host.work_off()
    view = desk.host.organisation(LOCAL).view(desk.caller, [PERSON])
    model = desk.runtime().embedder.model
    assert view.index.pending(model, 100) == []


def test_a_line_of_user_md_deleted_or_edited_as_a_record_stays_so(desk):
    path = user_md(desk, FILE)
    said(desk)
    ids = {record.content: record.id for record in layer(desk)}
    desk.as_owner("delete_record", id=ids["No emojis, ever."])
    desk.as_owner(
        "edit_record", id=ids["Subjects in the imperative"], content="Subjects in the past tense"
    )
    path.write_text(FILE + "\n- I live in Ljubljana\n")
    found = said(desk)
    assert "No emojis, ever." not in found
    assert {"Subjects in the past tense", "I live in Ljubljana"} <= found
    assert "Subjects in the imperative" not in found


def test_a_file_of_another_encoding_or_none_at_all_is_in_nobodys_way(desk):
    (desk.host.settings.home / "USER.md").write_bytes(b"- caf\xe9 \xff\xfe\n" + b"x" * 10)
    assert len(said(desk)) == 1
    (desk.host.settings.home / "USER.md").unlink()
    (desk.host.settings.home / "USER.md").mkdir()
    assert desk("recall_context", query="anything")["entries"] == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_a_file_of_another_encoding_says_what_it_says(desk, encoding):
    path = desk.host.settings.home / "USER.md"
    path.write_bytes("- Antworte höflich und knapp\n- Größen in Zoll\n".encode(encoding))
    assert said(desk) == {"Antworte höflich und knapp", "Größen in Zoll"}
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 99)
    assert len(said(desk)) == 2


def test_a_file_in_utf_16_is_never_written_to(desk):
    path = desk.host.settings.home / "USER.md"
    path.write_bytes("- Antworte knapp\n".encode("utf-16"))
    before = path.read_bytes()
    with pytest.raises(Invalid, match="UTF-16"):
        write_user_md(desk.runtime())
    assert path.read_bytes() == before


def test_a_secret_in_user_md_is_never_stored(desk):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    user_md(desk, f"- My token is {secret}\n")
    assert len(said(desk)) == 1
    assert len(said(desk)) == 1
    assert secret not in str(layer(desk))
    assert secret not in desk.answer("prompt_build").text


def test_user_md_is_written_between_markers_and_the_rest_stays_byte_for_byte(desk):
    own = FILE.replace("\n", "\r\n").encode() + b"\r\nAnd a last line without an end"
    path = desk.host.settings.home / "USER.md"
    path.write_bytes(own)
    desk("save_context", content="I review in the morning", scope="person")
    assert desk.as_owner("write_profile")["changed"]
    after = path.read_bytes()
    assert after.startswith(own)
    assert b"## Told to contextd\n\n- I review in the morning" in after.replace(b"\r", b"")
    assert after.count(b"No emojis") == 1, "what stands in the file is not written into it again"
    assert not desk.as_owner("write_profile")["changed"]
    assert len([r for r in layer(desk) if "morning" in r.content]) == 1, "nothing is read back"
    outside = path.read_bytes().split(b"<!-- contextd:begin")
    assert outside[0].startswith(own)


def test_the_person_comes_first_in_a_briefing_and_what_they_insist_on_before_the_rest(desk):
    desk("save_context", content="Ideally answer in Slovene", scope="person")
    desk("save_context", content="I work from Ljubljana", scope="person")
    desk("save_context", content="Never push to main", scope="person")
    for number in ("one", "two", "three"):
        desk("save_context", content=f"The {number} service belongs to payments")
    text = desk.answer("briefing_get").text
    lines = [line for line in text.splitlines() if line.startswith(("- ", "## "))]
    assert lines[:4] == [
        "## The person",
        "- Never push to main",
        "- I work from Ljubljana",
        "- Ideally answer in Slovene",
    ]
    assert text.count("Never push to main") == 1


def test_the_persons_lines_stay_within_their_budget_and_whole(desk):
    user_md(
        desk, "".join(f"- I like thing number {n} in its own special way.\n" for n in range(40))
    )
    desk("save_context", content="Never use tabs. " + "It breaks the tables. " * 30, scope="person")
    runtime = desk.runtime()
    for budget in (0, 10, 30, 80, 300):
        lines = personal(runtime, budget).lines
        assert sum(count_tokens(f"- {line.text}\n") for line in lines) <= budget
        assert all(line.text.endswith(".") for line in lines)
    assert personal(runtime).lines[0].text.startswith("Never use tabs. ")
    assert len(desk.answer("briefing_get").text.split("## Project")[0]) < 600


def test_the_owner_of_the_store_is_who_user_md_names(desk, wiki):
    assert desk("introspect")["identity"]["owner"] != "Ana Kos"
    user_md(desk, FILE)
    assert desk("introspect")["identity"]["owner"] == "Ana Kos"
    assert wiki("introspect")["identity"]["owner"] == "Ana Kos"


def test_a_rule_on_names_is_nobodys_name(desk):
    desk("save_context", content="Name booleans with is or has", scope="person")
    desk("save_context", content="Naming: Name tests after what they prove", scope="person")
    assert desk.as_owner("user_profile")["owner"] == ""


def test_a_preference_of_two_projects_is_proposed_once_and_applies_only_when_accepted(desk, wiki):
    desk("save_context", content="Never commit generated files")
    wiki("save_context", content="never commit  generated file.")
    desk("save_context", content="The API of the shop listens on 8080")
    wiki("save_context", content="The API of the shop listens on 8080")
    desk("save_context", content="Always squash before merging")
    wiki("save_context", content="Never squash before merging")
    desk.work_on("propose_for_person")
    [proposal] = desk.as_owner("user_profile")["proposals"]
    assert proposal["text"].casefold().startswith("never commit")
    assert proposal["projects"] == sorted([str(desk.scope), str(wiki.scope)])
    assert (
        "wiki" in desk.as_owner("get_record", id=proposal["record"]["id"])["history"][0]["reason"]
    )
    assert layer(desk) == []
    assert "## The person" not in desk.answer("briefing_get").text
    desk.work_on("propose_for_person")
    assert len(layer(desk, "inbox")) == 1
    desk.as_owner("person_accept", id=proposal["record"]["id"])
    assert [r.trust for r in layer(desk)] == ["human"]
    assert "generated file" in desk.answer("briefing_get").text.split("## Project")[0]
    desk.work_on("propose_for_person")
    assert layer(desk, "inbox") == []


def test_a_rejected_or_already_known_preference_is_not_proposed(desk, wiki):
    for content in ("Never commit generated files", "Prefer small pull requests"):
        desk("save_context", content=content)
        wiki("save_context", content=content)
    desk("save_context", content="Prefer small pull requests", scope="person")
    desk.work_on("propose_for_person")
    [proposal] = desk.as_owner("user_profile")["proposals"]
    desk.as_owner("delete_record", id=proposal["record"]["id"])
    desk.work_on("propose_for_person")
    assert desk.as_owner("user_profile")["proposals"] == []


def test_two_organisations_that_agree_propose_nothing(desk, tmp_path):
    acme = Desk(
        desk.host,
        committed(tmp_path / "till", {"a.py": "x = 1\n"}),
        caller_with("org_admin", "acme", name="ann"),
    )
    desk("save_context", content="Never commit generated files")
    acme("save_context", content="Never commit generated files")
    desk.work_on("propose_for_person")
    assert layer(desk, "inbox") == []


def test_a_prompt_is_built_of_its_parts_within_its_budget(desk):
    desk.as_owner("init")
    user_md(desk, FILE)
    user_md(desk, "You are calm. You say what you do not know.\n", "SOUL.md")
    desk("save_context", content="I review in the morning", scope="person")
    desk.as_owner("save_context", content="Never deploy on a Friday")
    session = desk("session_start", task_description="Rotate tokens")["session_id"]
    desk("session_end", session_id=session, outcome="success")
    desk.host.work_off()
    built = desk("prompt_build")
    assert set(built["parts"]) == {"identity", "user", "rules", "time", "context", "tools"}
    assert all(built["parts"].values())
    assert built["tokens"] <= 2_000
    for text in (
        "You are calm.", "No emojis, ever.", "I review in the morning", "Never deploy on a Friday", "Focus:", "remember", "tools_list",
    ):  # fmt: skip
        assert text in built["prompt"], text
    assert "contextd:begin" not in built["prompt"]
    assert built["condensed"] == []


@pytest.mark.long
@pytest.mark.parametrize("budget", [100, 300, 2_000])
def test_a_long_file_is_condensed_by_whole_sentences(desk, budget):
    sentences = [
        f"I once told story number {n} to a friend of mine in the evening." for n in range(300)
    ]
    user_md(desk, "# Me\n\n" + "\n\n".join(sentences) + "\n\nNever delete a branch.\n")
    user_md(
        desk,
        "\n".join(f"- Trait {n} is a fine trait to have in an agent." for n in range(300)),
        "SOUL.md",
    )
    built = desk("prompt_build", budget=budget)
    assert built["tokens"] <= budget
    assert built["tokens"] > budget * 0.6
    assert {"identity", "user"} <= set(built["condensed"])
    assert "Never delete a branch." in built["prompt"]
    known = {*sentences, "Never delete a branch."}
    said = [line for line in built["prompt"].splitlines() if line.startswith(("I ", "Never"))]
    assert set(said) <= known
    with pytest.raises(Invalid):
        desk.on("rest")("prompt_build", budget=budget + 2_000)


def test_outside_of_any_project_a_prompt_has_no_context(desk):
    user_md(desk, FILE)
    built = desk.nowhere()("prompt_build")
    assert built["parts"]["context"] == 0
    assert "Ana Kos" in built["prompt"]
