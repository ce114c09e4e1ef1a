"""One meaning has one argument name in all operations, and the other words for it are accepted."""

from __future__ import annotations

import pytest

from contextd.app import load_operations
from contextd.domain.argument_names import NAMES, argument_meant
from contextd.runtime.operation import OPERATIONS, PROJECT, Operation, validate
from contextd_common.errors import Invalid
from support.verdicts import OPERATION, act, none_of

load_operations()

FORMER = """
agent_invoke agent_name name
branch description title
branch prompt task
briefing_get task_description task
codebase_search file_pattern path
codebase_search filePattern path
delete_bubble deleteContexts delete_contents
edit_record content text
edit_record data fields
expand handle id
export out path
grep_codebase filePattern path
grep_codebase file_pattern path
injection_tiers sessions limit
jobs state status
knowledge_promote item_id id
knowledge_promote item_type kind
knowledge_promote target_scope scope
list_contexts tag tags
list_contradictions state status
list_records session session_id
list_records tag tags
memory_feedback comment note
memory_feedback helpful useful
memory_feedback memory_id id
memory_record content text
read_file includeDeps include_deps
remediation_record affected_files paths
remediation_search error query
remember content text
remember level scope
repo_map focus query
report_usefulness context_ids ids
report_usefulness notes note
return message text
save_context bubbleId bubble_id
save_context content text
save_typed_context data fields
schema_put etag if_match
session_checkpoint summary text
session_resume checkpoint_id id
session_start task_description task
skill_search task query
status_line session client_session
update_context content text
update_context data fields
"""
"""Operation, a name its argument had before, the name it has now. The former names stay accepted."""


def every_operation() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("op", list(OPERATIONS.values()), ids=lambda op: op.name)


@act(OPERATION, "this is the operation with the parameter")
@every_operation()
def test_a_parameter_has_a_name_of_the_table(op: Operation) -> None:
    unknown = [name for name in op.arguments.model_fields if name not in NAMES]
    words = frozenset(word for row in NAMES.values() for word in row)
    banned = sorted(words.intersection(unknown))
    none_of(
        banned,
        "another word for a name in NAMES of src/contextd/domain/argument_names.py: use that name",
    )
    none_of(
        unknown,
        "no row in NAMES of src/contextd/domain/argument_names.py: use a name that means the same, or add a row with "
        "its other words",
    )


@act(
    "src/contextd/domain/argument_names.py",
    "callers still use the former name in `{row}`: keep it as another word for the one of today",
)
@pytest.mark.parametrize("row", FORMER.strip().splitlines())
def test_a_former_name_is_still_accepted(row: str) -> None:
    operation, former, now = row.split()
    op = OPERATIONS[operation]
    assert now in op.arguments.model_fields
    assert argument_meant(former, op.arguments.model_fields, op.aliases) == now


@act(
    "src/contextd/domain/argument_names.py",
    "a parameter of {op.name} is another word for a different one",
)
@every_operation()
def test_the_names_of_an_operation_are_taken_as_they_are(op: Operation) -> None:
    for name in op.arguments.model_fields:
        assert argument_meant(name, op.arguments.model_fields, op.aliases) == name


def test_a_word_of_the_table_is_spelled_as_python_spells_it() -> None:
    for name, words in NAMES.items():
        row = f"src/contextd/domain/argument_names.py: row {name!r} of NAMES"
        assert name not in words, f"{row} lists itself: take it out"
        assert len(words) == len(set(words)), f"{row} lists a word twice: take one out"
        assert all(word == word.lower() and "-" not in word for word in words), (
            f"{row} has a word with capitals or hyphens: write it in snake_case"
        )


@act("src/contextd/runtime/given_arguments.py", "the message no longer names the argument to give")
def test_an_alias_beside_its_argument_is_refused_with_the_name_to_give() -> None:
    with pytest.raises(Invalid) as caught:
        validate(OPERATIONS["context_search"], {"q": "a", "query": "b"})
    assert "'query' and 'q' are the same argument: give only 'query'" in caught.value.message


@act("src/contextd/runtime/given_arguments.py", "the message no longer names the argument to give")
def test_two_aliases_of_one_argument_are_refused() -> None:
    with pytest.raises(Invalid, match="are the same argument: give only 'text'"):
        validate(OPERATIONS["remember"], {"content": "a", "body": "a"})


@act("src/contextd/runtime/given_arguments.py", "the message no longer names the argument to give")
def test_an_unknown_argument_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(Invalid) as caught:
        validate(OPERATIONS["context_search"], {"query": "a", "limitt": 3})
    assert "unknown argument 'limitt' (did you mean 'limit'?)" in caught.value.message


@act(
    "src/contextd/runtime/given_arguments.py",
    "a given value is no longer read as the argument's type",
)
@pytest.mark.parametrize(
    ("given", "tags"),
    [("a", ["a"]), ("a, b", ["a", "b"]), (["a, b"], ["a, b"]), ("", [])],
)
def test_one_text_is_a_list_of_it_where_a_list_of_texts_is_taken(
    given: object, tags: list[str]
) -> None:
    assert validate(OPERATIONS["save_context"], {"text": "x", "tags": given})[0]["tags"] == tags


@act(
    "src/contextd/runtime/given_arguments.py",
    "a given value is no longer read as the argument's type",
)
def test_a_comma_splits_tags_alone() -> None:
    given = {"title": "t", "problem": "p", "root_cause": "r", "solution": "s", "symptoms": "a, b"}
    assert validate(OPERATIONS["remediation_record"], given)[0]["symptoms"] == ["a, b"]


@act(
    "src/contextd/runtime/given_arguments.py",
    "a given value is no longer read as the argument's type",
)
def test_a_text_stays_a_text_where_one_is_taken() -> None:
    assert validate(OPERATIONS["context_search"], {"query": "a, b"})[0]["query"] == "a, b"


def test_every_operation_in_a_project_takes_other_words_for_it() -> None:
    for op in OPERATIONS.values():
        fields = op.arguments.model_fields
        if PROJECT in fields and "repository" not in op.aliases:
            assert argument_meant("repository", fields, op.aliases) == PROJECT, (
                f"{op.name}: `repository` no longer means `project`: see its row in "
                "src/contextd/domain/argument_names.py"
            )
