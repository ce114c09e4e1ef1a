"""Two teams of one organisation: what one of them takes further, and what the other is told of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contextd.domain.projects import Project
from contextd.domain.scope import Scope
from contextd.thin.home import LOCAL
from contextd_code.git.identity import identify
from support.clients import CodingClient
from support.desks import Desk
from support.repositories import committed

ERROR = "FATAL: remaining connection slots are reserved for superusers"
FIX = {
    "title": "No connection is left",
    "problem": ERROR,
    "root_cause": "A request that fails keeps its client.",
    "solution": "Release the client in a finally block.",
}
SECRET = 'key = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"'


@pytest.fixture
def bakery(desk: Desk, tmp_path: Path) -> Desk:
    """A project of the team beta, beside the shop of the team default."""
    desk.as_owner("init")
    root = committed(tmp_path / "bakery", {"oven.py": "HEAT = 1\n"})
    project = Project(
        identity=identify(root).identity,
        scope=Scope(LOCAL, "beta", "bakery"),
        name="bakery",
        roots=(str(root),),
        created_at=desk.runtime().clock.now(),
    )
    desk.host.organisation(LOCAL).directory.register(project)
    found = desk.at(root)
    found.as_owner("init")
    assert str(found.scope) == "local/beta/bakery"
    return found


def promote(desk: Desk, id: str, target: str) -> str:
    given = {"item_id": id, "item_type": "remediation", "target_scope": target}
    return str(desk("knowledge_promote", **given)["new_id"])


def told(desk: Desk, folder: Path) -> str:
    """What an agent here is told when the error comes up."""
    error = f"Exit code 1\n{ERROR}"
    return CodingClient(desk, folder).told("PostToolUseFailure", tool_name="Bash", error=error)


def found(desk: Desk) -> list[Any]:
    return [one["id"] for one in desk("remediation_search", error=ERROR)["remediations"]]


def test_a_fix_reaches_the_other_team_only_through_the_organisation(desk, bakery, tmp_path):
    mine = desk("remediation_record", **FIX)["id"]
    team = promote(desk, mine, "team")
    member = bakery.by("team_member", "bakery", team="beta")
    assert told(bakery, tmp_path) == ""
    assert found(bakery) == found(member) == []
    whole = promote(desk, mine, "org")
    assert FIX["solution"] in told(bakery, tmp_path)
    assert found(bakery) == [whole]
    # On one machine the organisation is its person's: who is let into one project does not see it.
    assert found(member) == []
    assert told(desk, tmp_path).count(FIX["solution"]) == 1
    desk.as_owner("undo", id=whole)
    assert told(bakery, tmp_path) == ""
    assert found(bakery) == []
    assert set(found(desk)) <= {mine, team}


def test_a_team_that_knows_the_opposite_is_not_told_both(desk, bakery, tmp_path):
    own = "Never release the client in a finally block."
    bakery("remediation_record", **{**FIX, "solution": own})
    promote(desk, desk("remediation_record", **FIX)["id"], "org")
    said = told(bakery, tmp_path)
    assert own in said
    assert "says otherwise" in said
    assert FIX["solution"] not in said
    assert own not in told(desk, tmp_path)


def test_a_policy_of_the_organisation_holds_in_both_and_one_of_a_project_there(desk, bakery):
    desk.as_owner("policy_init", packs=["secrets"], scope="org")
    bakery.as_owner("policy_init", packs=["migrations"])
    secret = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+" + SECRET + "\n"
    drop = secret.replace("a.py", "migrations/2.sql").replace(SECRET, "DROP TABLE orders;")
    for one, lost in ((desk, True), (bakery, False)):
        assert not one("policy_check", action=secret)["compliant"]
        assert one("policy_check", action=drop)["compliant"] is lost
    mine, theirs = (
        {view["title"] for view in one.as_owner("list_policies")["policies"]}
        for one in (desk, bakery)
    )
    assert mine < theirs
