"""The Python API: a home opened in this process, through the same door as every other caller."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

import contextd
from contextd_common.errors import NotFound, Unavailable
from support.repositories import BLOG, SHOP, committed

ROOT = Path(__file__).parents[3]
PAGES = (ROOT / "README.md", ROOT / "docs" / "howto" / "python-api.md")
EXAMPLES = [
    example
    for page in PAGES
    for example in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
]
SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[contextd.OpenHome]:
    with contextd.open(tmp_path / "home", project=committed(tmp_path / "shop", SHOP)) as opened:
        yield opened


def test_a_recorded_rule_is_searched_and_briefed_with_its_source(
    shop: contextd.OpenHome,
) -> None:
    stored = shop.record("Amounts are stored in cents, as integers", kind="rule", tags=["money"])
    found = shop.search("how are amounts stored?")
    briefing = shop.brief("Add refunds")
    assert stored.outcome == "added"
    assert (found[0].id, found[0].source, found[0].validity) == (stored.id, "python", "")
    assert found[0].why
    assert "stored in cents" in briefing.text
    assert stored.id in briefing.ids
    assert 0 < briefing.tokens < 600


def test_a_record_stays_after_the_home_is_closed_and_is_stored_once(tmp_path: Path) -> None:
    root = committed(tmp_path / "shop", SHOP)
    outcomes = []
    for _ in range(2):
        with contextd.open(tmp_path / "home", project=root) as opened:
            outcomes.append(opened.record("Refunds need an approval", kind="rule"))
    assert [one.outcome for one in outcomes] == ["added", "duplicate"]
    assert outcomes[0].id == outcomes[1].id


def test_a_record_of_one_project_is_not_found_from_another(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with contextd.open(home, project=committed(tmp_path / "shop", SHOP)) as shop:
        shop.record("The warehouse closes at noon on Fridays", kind="fact")
    with contextd.open(home, project=committed(tmp_path / "blog", BLOG)) as blog:
        assert blog.search("when does the warehouse close") == []


def test_a_secret_is_redacted_before_it_is_stored(shop: contextd.OpenHome) -> None:
    shop.record(f"The deploy token is {SECRET}", kind="note")
    found = shop.search("deploy token")
    assert found
    assert SECRET not in repr(found)
    assert all(SECRET.encode() not in path.read_bytes() for path in shop.path.rglob("*.db*"))


def test_a_folded_text_is_short_keeps_the_error_and_expands_to_the_original(
    shop: contextd.OpenHome,
) -> None:
    log = "\n".join(f"GET /orders/{n} 200" for n in range(3_000)) + "\nERROR: the disk is full"
    digest = shop.fold(log, query="why did it fail?", budget=200)
    assert "the disk is full" in digest.text
    assert digest.tokens <= 200 < digest.original_tokens
    assert shop.expand(digest.handle, "2-2") == "GET /orders/1 200"


def test_files_of_the_project_are_folded_by_path(shop: contextd.OpenHome) -> None:
    digest = shop.fold(paths=["src/auth/token.ts"])
    assert digest.parts == ("src/auth/token.ts",)


def test_any_operation_can_be_called_and_fails_with_its_own_error(
    shop: contextd.OpenHome,
) -> None:
    assert shop.call("project_overview")["scope"] == "local/default/shop"
    with pytest.raises(NotFound, match="'ruel'") as caught:
        shop.record("Pin every version", kind="ruel")
    assert caught.value.hint


def test_a_closed_home_says_so(tmp_path: Path) -> None:
    opened = contextd.open(tmp_path / "home", project=committed(tmp_path / "shop", SHOP))
    opened.close()
    with pytest.raises(Unavailable, match="closed") as caught:
        opened.search("anything")
    assert "contextd.open()" in caught.value.hint
    opened.close()


def test_threads_share_an_open_home(shop: contextd.OpenHome) -> None:
    written: list[str] = []

    def write(number: int) -> None:
        written.append(shop.record(f"Shelf {number} holds parcels number {number}00").id)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(written)) == 4


def test_every_public_name_is_typed() -> None:
    assert sorted(contextd.__all__) == sorted(set(contextd.__all__))
    for name in ("record", "search", "brief", "fold", "expand", "call", "close"):
        hints = get_type_hints(getattr(contextd.OpenHome, name))
        assert "return" in hints, name
    assert get_type_hints(contextd.open)["return"] is contextd.OpenHome


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="opne"):
        contextd.opne  # noqa: B018


def test_importing_the_package_loads_nothing_of_the_runtime() -> None:
    code = "import sys, contextd; print(*[m for m in sys.modules if m.startswith(('contextd.', 'contextd_code'))])"
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert printed.split() == []


def test_the_pages_have_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_pages_runs(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(committed(tmp_path / "shop", SHOP))
    exec(compile(example, "example", "exec"), {"__name__": "example"})
    assert (tmp_path / "home" / "orgs" / "local" / "contextd.db").is_file()
