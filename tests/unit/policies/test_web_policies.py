"""The page of policies over a store in this process: rules, their files, and checks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.browsers import Browser
from support.clocks import Shifted
from support.desks import Desk, opened
from support.repositories import committed

TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
DIFF = f"""--- a/config.py
+++ b/config.py
@@ -1 +1,2 @@
 # settings
+TOKEN = "{TOKEN}"
"""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Desk]:
    host = opened(tmp_path / "home", Shifted(), embedder_name="none")
    desk = Desk(host, committed(tmp_path / "shop", {"config.py": "# settings\n"}))
    desk.as_owner("init")
    yield desk
    host.close()


def test_a_starter_pack_is_written_and_its_rules_are_shown_with_their_files(shop: Desk) -> None:
    browser = Browser(shop.host, shop.root)

    async def visit() -> None:
        page = await browser.page("/policies")
        assert "No policies yet" in page
        _, checked = await browser.send("/policies/check", page, action="git push")
        assert "No rules in force" in checked
        assert (await browser.send("/policies/begin", page, pack="secrets"))[0] == 303
        page = await browser.page("/policies")
        assert "No secrets in the repository" in page
        assert ".context/policies/no-secrets.yaml" in page
        folder = shop.root / ".context" / "policies"
        (folder / "broken.yaml").write_text("title: [oops\n")
        page = await browser.page("/policies")
        assert "Files that are not in force" in page
        assert ".context/policies/broken.yaml:" in page, "with its line"

    asyncio.run(visit())


def test_a_check_says_what_is_broken_and_is_listed_without_the_secret(
    shop: Desk, tmp_path: Path
) -> None:
    shop.as_owner("policy_init", packs=["secrets"])
    neighbour = shop.at(committed(tmp_path / "blog", {"b.py": "b = 2\n"}))
    neighbour.as_owner("init")
    browser = Browser(shop.host, shop.root)

    async def visit() -> None:
        page = await browser.page("/policies")
        status, told = await browser.send("/policies/check", page, action=" ")
        assert (status, "the action is empty" in told.lower()) == (422, True)
        shop("policy_check", action=DIFF)
        shop("policy_check", action=f"export GH={TOKEN} && ls")
        page = await browser.page("/policies")
        assert "a change of config.py" in page
        assert "config.py:2" in page
        assert TOKEN not in page

    asyncio.run(visit())
    checks = shop.as_owner("policy_checks")["checks"]
    assert [len(one["violations"]) for one in checks] == [1, 1]
    assert TOKEN not in str(checks)
    assert neighbour.as_owner("policy_checks")["checks"] == []


def test_a_policy_record_can_be_written_to_a_file_from_the_page(shop: Desk) -> None:
    made = shop.as_owner(
        "remember",
        kind="policy",
        title="Two reviewers",
        content="Two people review each change.",
        fields={"requirement": "Two people review each change."},
    )["id"]
    browser = Browser(shop.host, shop.root)

    async def visit() -> None:
        page = await browser.page("/policies")
        assert (await browser.send(f"/policies/{made}/write", page))[0] == 303
        assert ".context/policies/two-reviewers.yaml" in await browser.page("/policies")

    asyncio.run(visit())
    assert (shop.root / ".context/policies/two-reviewers.yaml").exists()
