"""MEMORY.md: what sessions taught for good, with the evidence, for this project alone."""

from __future__ import annotations

import pytest

from contextd.domain.changes import KnowledgeChanges, Put
from contextd.domain.records import Record
from contextd.jobs.table import new_job
from contextd_common.errors import Invalid
from contextd_common.text.tokens import count_tokens
from support.repositories import SHOP, committed


def learn(desk, content: str, kind: str = "memory", **data) -> str:
    record = Record(kind=kind, scope=desk.scope, content=content, data=data, trust="agent")
    desk.put(record, "create")
    return record.id


@pytest.fixture
def shop(desk):
    desk.as_owner("init")
    learn(desk, "Run the migrations before the tests", outcome="success")
    learn(desk, "Patching the lock file by hand breaks the next install", outcome="failure")
    learn(desk, "Amounts are stored in cents", kind="discovery", type="rule")
    return desk


def reflected(desk) -> None:
    desk.runtime().queue(
        new_job("reflect", desk.scope, desk.runtime().place, {"root": str(desk.root)})
    )
    desk.host.work_off()


def test_it_says_what_is_known_by_section_and_with_its_evidence(shop):
    again = learn(shop, "Prices come from the catalogue, never from the cart", outcome="success")
    record = shop.record(again)
    for session in ("aaaa1111", "bbbb2222"):
        record = shop.record(again)
        shop.runtime().commit(
            knowledge=KnowledgeChanges(
                records=[
                    Put(record.with_(confidence=0.7), "signal", f"said again in session {session}")
                ]
            )
        )
    text = shop("memory_file")["text"]
    assert text.index("## Rules") < text.index("## What failed") < text.index("## What worked")
    assert "(said in 3 sessions)" in text
    worked = text.partition("## What worked")[2]
    assert worked.index("Prices come") < worked.index("Run the migrations")


def test_the_memory_file_keeps_to_its_budget_and_counts_all_memories(shop):
    for number in range(60):
        learn(
            shop, f"Fact {number}: the worker of queue {number} must be restarted by hand at noon"
        )
    answer = shop("memory_file", budget=300)
    assert answer["tokens"] == count_tokens(answer["text"]) <= 300
    assert answer["memories"] == 63
    with pytest.raises(Invalid, match="budget"):
        shop.on("rest")("memory_file", budget=5)


def test_candidates_noise_and_a_neighbour_are_not_in_it(shop, tmp_path):
    other = shop.at(committed(tmp_path / "other", SHOP))
    other.as_owner("init")
    learn(other, "The oven is pre-heated at five")
    for status, confidence in (("candidate", 0.9), ("active", 0.1)):
        record = Record(
            kind="memory", scope=shop.scope, content=f"unsure {status}", status=status,
            confidence=confidence,
        )  # fmt: skip
        shop.put(record, "create")
    text = shop("memory_file")["text"]
    assert "oven" not in text
    assert "unsure" not in text


def test_the_file_is_written_where_it_is_wanted_and_keeps_what_a_person_wrote(shop):
    path = shop.root / ".context" / "MEMORY.md"
    reflected(shop)
    assert not path.exists()
    shop.configure("memory:\n  file: true\n")
    path.write_text("# Mine\n\nAsk Ada about the till.\n", "utf-8")
    reflected(shop)
    text = path.read_text("utf-8")
    assert text.startswith("# Mine\n\nAsk Ada about the till.\n")
    assert "Amounts are stored in cents" in text


def test_a_stale_handoff_is_written_anew(shop, home):
    path = shop.root / ".context" / "CONTEXT.md"
    before = path.read_text("utf-8")
    home.clock.move(days=2)
    reflected(shop)
    assert path.read_text("utf-8") != before


def test_nothing_is_written_into_a_folder_that_is_not_trusted(open_desk):
    # The home asks for the files: the settings of such a folder are not read.
    desk = open_desk(memory_file=True, memory_into="AGENTS.md")
    desk.as_owner("init")
    learn(desk, "Amounts are stored in cents")
    desk.as_owner("trust", revoke=True)
    before = {path: path.read_bytes() for path in desk.root.rglob("*.md")}
    reflected(desk)
    assert {path: path.read_bytes() for path in desk.root.rglob("*.md")} == before
    desk.as_owner("trust")
    reflected(desk)
    for file in (".context/MEMORY.md", "AGENTS.md"):
        assert "Amounts are stored in cents" in (desk.root / file).read_text("utf-8")
