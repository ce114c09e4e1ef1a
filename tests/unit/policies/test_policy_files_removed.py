"""What becomes of a policy whose file was removed, when somebody wants it back."""

from __future__ import annotations

from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from support.desks import Desk

FILE = ".context/policies/no-print.yaml"
TEXT = "title: No print\nrequirement: Nothing is printed\npatterns: ['\\bprint\\(']\n"
PRINTS = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+print(1)\n"


def removed(desk: Desk) -> Record:
    """The record of a policy whose file is not there any more."""
    path = desk.root / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT)
    desk("standards_get")
    path.unlink()
    desk.as_owner("list_policies")
    return policy(desk)


def policy(desk: Desk) -> Record:
    query = Query(scopes=frozenset({desk.scope}), kinds=("policy",), statuses=STATUSES)
    [found] = desk.view.records.find(query).records
    return found


def test_a_policy_that_is_brought_back_stays_without_its_file(desk: Desk) -> None:
    for operation in ("undo", "restore_record"):
        record = removed(desk)
        assert record.status == "archived"
        desk.as_owner(operation, id=record.id)
        assert "no longer has a file" in desk.as_owner("list_policies")["done"][-1]
        assert not desk("policy_check", action=PRINTS)["compliant"]
        assert policy(desk).status == "active"
        desk.as_owner("delete_record", id=record.id)


def test_a_file_that_comes_back_beside_what_stood_for_itself_holds_with_all_others(
    desk: Desk,
) -> None:
    record = removed(desk)
    desk.as_owner("undo", id=record.id)
    desk.as_owner("list_policies")
    fields = {**desk.record(record.id).data, "severity": "critical"}
    desk.as_owner("edit_record", id=record.id, data=fields)
    (desk.root / FILE).write_text(TEXT)
    (desk.root / FILE).with_name("other.yaml").write_text("requirement: Something else holds\n")
    listed = desk.as_owner("list_policies")["policies"]
    severities = sorted(one["severity"] for one in listed if one["title"] == "No print")
    assert severities == ["critical", "medium"]
    assert "Other" in [one["title"] for one in listed]
    assert desk.as_owner("list_policies")["problems"] == []


def test_a_file_that_was_removed_is_written_again_on_request(desk: Desk) -> None:
    record = removed(desk)
    assert desk.as_owner("policy_write", id=record.id)["file"] == FILE
    assert "Nothing is printed" in (desk.root / FILE).read_text()
    assert desk.as_owner("list_policies")["done"] == []
    assert (policy(desk).id, policy(desk).status) == (record.id, "active")
    (desk.root / FILE).unlink()
    desk("standards_get")
    other = ".context/policies/prints.yaml"
    assert desk.as_owner("policy_write", id=record.id, name="prints")["file"] == other
    assert (desk.root / other).is_file()


def test_where_no_rule_is_in_force_nothing_is_called_kept(desk):
    answer = desk.answer("policy_check", action="git push --force origin main")
    assert answer.value["compliant"] is True
    assert "✓" not in answer.text
    assert "no rules in force" in answer.text
