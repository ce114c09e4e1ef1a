"""What differs from a stored text in punctuation or case alone is the same knowledge."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.domain.records import Record
from support.desks import Desk

SAID = "Draw the sales chart in the zone of the shop, not in UTC, or its bars move by a day."
ALIKE = (
    "Draw the sales chart in the zone of the shop not in UTC, or its bars move by a day.",
    "draw the sales chart in the zone of the shop, not in UTC or its bars move by a day",
    "Draw the sales chart, in the zone of the shop, not in UTC; or its bars move by a day!",
    "  Draw the sales chart in the zone of the shop,  not in UTC, or its bars move by a day",
)
OTHER = (
    "Draw the sales chart in the zone of the shop, not in CET, or its bars move by a day.",
    "Draw the sales chart in UTC, not in the zone of the shop, or its bars move by a day.",
    "Draw the sales chart in the zone of the shop, not in UTC, or its bars move by 2 days.",
)
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "memory_record": (
        "content",
        {"title": "Zone of charts", "description": "drawing sales", "outcome": "success"},
    ),
    "save_context": ("content", {}),
    "remember": ("content", {"kind": "discovery", "fields": {"type": "fact"}}),
}


def stored(desk: Desk) -> list[str]:
    records = desk.view.records.find(desk.runtime().query(limit=50)).records
    return [one.content for one in records if "sales chart" in one.content]


@pytest.mark.parametrize("again", ALIKE)
@pytest.mark.parametrize("way", WAYS)
def test_it_is_stored_once_whoever_says_it_with_other_punctuation(desk, way, again):
    name, more = WAYS[way]
    for text in (SAID, again):
        desk(way, **{name: text}, **more)
    assert stored(desk) == [SAID]


@pytest.mark.parametrize("other", OTHER)
@pytest.mark.parametrize("way", WAYS)
def test_a_text_with_another_word_or_number_is_stored_beside_it(desk, way, other):
    name, more = WAYS[way]
    for text in (SAID, other):
        desk(way, **{name: text}, **more)
    assert sorted(stored(desk)) == sorted([SAID, other])


def test_without_vectors_it_is_stored_once_as_well(words_only):
    for text in (SAID, *ALIKE):
        words_only("save_context", content=text)
    assert stored(words_only) == [SAID]


def test_memories_that_came_past_the_gate_are_proposed_to_be_merged(desk):
    for number, text in enumerate((SAID, *ALIKE[:2])):
        data = {"outcome": "success", "description": "drawing sales"}
        made = Record(
            kind="memory", scope=desk.scope, title=f"Zone {number}", content=text, data=data
        )
        desk.put(made, "create")
    desk.as_owner("reindex")
    desk.host.work_off()
    proposed = desk.as_owner("consolidation_trigger", collection="memories", dry_run=True)
    [merge] = proposed["proposed_merges"]
    assert len(merge["merged"]) == 2


def test_a_file_that_says_it_twice_brings_it_once(desk):
    (desk.root / "CLAUDE.md").write_text("".join(f"- {text.strip()}\n" for text in (SAID, *ALIKE)))
    desk.as_owner("import", path=str(desk.root / "CLAUDE.md"))
    assert stored(desk) == [SAID]
    desk.as_owner("import", path=str(desk.root / "CLAUDE.md"))
    assert stored(desk) == [SAID]
