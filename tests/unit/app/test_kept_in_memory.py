"""What the daemon keeps stands in `status`, and an answer after its release is the one from before."""

from __future__ import annotations

from pathlib import Path

from support.desks import Desk
from support.repositories import committed

OTHER = {
    "src/auth/guard.ts": "import { open } from '../door';\nexport function guard() {\n  return open();\n}\n",
    "src/door.ts": "export function open() {\n  return 1;\n}\n",
}

CALLS = (
    ("impact", {"path": "src/auth/guard.ts"}),
    ("find_symbol", {"name": "guard"}),
    ("context_search", {"query": "who may publish a post"}),
    ("memory_search", {"query": "how many connections for the database"}),
)
LONG_AGO = -1e9


def release_everything(desk: Desk) -> set[str]:
    """Release all that is kept, as after a long idle time; return the names."""
    memory = desk.host.memory
    names = set(memory.use_of().by_name)
    clock, memory.clock = memory.clock, lambda: clock() - LONG_AGO
    memory.look()
    memory.clock = clock
    return names


def test_answers_after_a_release_are_those_from_before_in_two_projects(
    desk: Desk, tmp_path: Path
) -> None:
    desks = (desk, desk.at(committed(tmp_path / "other", OTHER)))
    for one in desks:
        one.as_owner("init")
        one("save_context", content="Give the database as many connections as there are workers.")
    desk.host.work_off()
    before = [[one(name, **given) for name, given in CALLS] for one in desks]
    desk.host.flush()
    released = release_everything(desk)
    assert {"call graphs", "symbol graphs", "vectors", "words", "records"} <= released
    assert desk.host.memory.use_of().by_name == {}
    assert [[one(name, **given) for name, given in CALLS] for one in desks] == before


def test_status_names_what_is_kept_and_the_budget(desk: Desk) -> None:
    use = desk.host.organisation("local").memory_use()
    said = desk.as_owner("status")["memory"]
    assert said.endswith(f" of {use.budget >> 20} MB")
    assert "kept_in_memory" in desk.host.health()
