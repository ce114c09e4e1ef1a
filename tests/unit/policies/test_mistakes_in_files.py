"""A mistake in the file of a rule is told with its line and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.policies.rule_files import policy_file, standard_file


@pytest.mark.parametrize(
    ("read", "text", "line", "told", "hint"),
    [
        (standard_file, "rule: Wrap errors.\nkind: law\n", 2, "no kind 'law'", "coding or repo"),
        (policy_file, "requirement: x\ntitle: [a]\n", 2, "title: must be a text", "`title: …`"),
        (
            policy_file,
            "requirement: x\ntags: ui\n",
            2,
            "tags: must be a list",
            "`tags: [one, two]`",
        ),
        (policy_file, "requirement: x\npaths: 5\n", 2, "paths: ", "`paths: [one, two]`"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_what_to_write(read, text, line, told, hint) -> None:
    file = read(Path("rule.yaml"), "policies/rule.yaml", text)
    [problem] = file.problems
    assert problem.line == line
    assert told in problem.message
    assert hint in problem.hint


def test_a_single_item_is_a_list_of_one_and_a_bare_off_is_the_word() -> None:
    file = policy_file(Path("no-tabs.yaml"), "x", "requirement: x\npatterns: '\\t'\nenforce: off\n")
    assert file.problems == ()
    assert (file.fields["patterns"], file.fields["enforce"]) == (["\\t"], "off")
    assert file.fields["title"] == "No tabs"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("rule: x\n", "coding_standard"),
        ("title: x\nrequired_dirs: [src]\n", "repo_standard"),
        ("kind: repo\ntitle: x\nrequired_dirs: [src]\n", "repo_standard"),
    ],
)
def test_a_standard_is_one_of_code_unless_it_speaks_of_folders(text: str, kind: str) -> None:
    file = standard_file(Path("s.yaml"), "s.yaml", text)
    assert (file.problems, file.kind) == ((), kind)
