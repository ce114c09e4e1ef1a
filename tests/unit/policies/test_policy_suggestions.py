"""Policies that resemble an action without being broken by it."""

from __future__ import annotations

from support.desks import Desk

POLICY = """\
title: Database access
requirement: Database queries go through the repository layer, never straight from a view
"""


def test_a_diff_suggests_by_its_paths_and_added_lines_not_by_what_it_removes(desk: Desk) -> None:
    path = desk.root / ".context" / "policies" / "db.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(POLICY)
    desk("standards_get")
    removed = "".join(f"-parrot {n} sits in the kitchen\n" for n in range(80))
    change = (
        "diff --git a/shop/view.py b/shop/view.py\n--- a/shop/view.py\n+++ b/shop/view.py\n"
        f"@@ -1,80 +1,1 @@\n{removed}+query the database straight from a view\n"
    )
    found = desk("policy_check", action=change)["suggestions"]
    assert any("Database access" in one for one in found)
    kept = change.replace("+query the database straight from a view", "+return parcels")
    assert desk("policy_check", action=kept)["suggestions"] == []
