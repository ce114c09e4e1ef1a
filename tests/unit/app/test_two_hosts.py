"""Two hosts of two homes over one database: what a caller finds the same whichever of them answers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from contextd.domain.scope import Scope
from contextd.knowledge.writing import Provenance, RecordText, Saved, save_new
from contextd.thin.home import LOCAL
from support.clocks import Shifted
from support.desks import Desk, opened
from support.repositories import committed


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[list[Desk]]:
    """One checkout, worked in through two hosts that share a database."""
    root = committed(tmp_path / "shop", {"a.py": "a = 1\n"})
    url = f"sqlite://{tmp_path / 'team.db'}"
    hosts = [
        opened(tmp_path / name, Shifted(), store_url=url, embedder_name="none")
        for name in ("one", "other")
    ]
    yield [Desk(host, root) for host in hosts]
    for host in hosts:
        host.close()


def test_a_secret_has_one_placeholder_whichever_host_stores_it(pair: list[Desk]) -> None:
    texts = []
    for number, desk in enumerate(pair):
        secret = "ghp_" + "Zk7Qw2Rt9" * 4
        desk("save_context", content=f"Deployment {number} of the depot uses {secret}.")
        records = desk.view.records.find(desk.runtime().query()).records
        [stored] = [one.content for one in records if f"Deployment {number}" in one.content]
        texts.append(stored.partition("uses")[2])
    assert texts[0] == texts[1]
    assert "ghp_" not in texts[0]


def test_the_job_that_learns_from_a_session_waits_for_the_machine_of_its_checkout(
    pair: list[Desk],
) -> None:
    places = [desk.host.organisation(LOCAL).place for desk in pair]
    assert places[0] != places[1]
    begun = pair[0].connected("c")("session_start", task="count parcels")
    pair[1]("session_end", session_id=begun["session_id"])
    [job] = [one for one in pair[1].view.jobs.list() if one.name == "learn_session"]
    assert job.place == places[0]


def test_a_host_learns_of_what_another_one_changed(pair: list[Desk]) -> None:
    pair[0]("save_context", content="The depot opens at six.")
    told: list[Scope] = []
    organisation = pair[1].host.organisation(LOCAL)
    pair[1].host.watch(told.append)
    organisation.replica_watch.look()
    assert told == []
    pair[0]("save_context", content="The depot closes at nine.")
    organisation.replica_watch.look()
    assert told == [pair[0].scope]


def test_two_first_calls_of_a_connection_open_one_session(pair: list[Desk]) -> None:
    pair[0]("save_context", content="The first note makes the folder a project.")
    for turn in range(4):
        barrier = Barrier(2)

        def call(desk: Desk, name: str = f"c{turn}", barrier: Barrier = barrier) -> None:
            barrier.wait()
            desk.connected(name)("save_context", content=f"The depot opens at {name}.")

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(call, pair))
        begun = [one for one in pair[0].sessions() if one.external_id == f"c{turn}"]
        assert len(begun) == 1


SAID = (
    "Parcels above thirty kilos leave the depot through the northern gate only."
    " Two people carry each of them down the ramp to the lorry."
)


def seat_of(desk: Desk) -> str:
    return str((desk("session_current")["session"] or {}).get("id", ""))


def test_a_connection_keeps_its_session_whichever_host_answers(pair: list[Desk]) -> None:
    one, other = (desk.connected("c") for desk in pair)
    first = one("session_start", task="count parcels")["session_id"]
    assert seat_of(other) == first
    other("save_context", content=SAID)
    second = other("session_start", task="weigh parcels")["session_id"]
    assert second != first
    assert seat_of(one) == seat_of(other) == second
    neighbour = pair[0].connected("d")
    third = neighbour("session_start", task="print labels")["session_id"]
    assert [seat_of(one), seat_of(pair[1].connected("d"))] == [second, third]
    # The connection ends at a host that never opened a session for it.
    assert one("connection_closed")["ended"] == [second]
    assert [seat_of(one), seat_of(other), seat_of(neighbour)] == ["", "", third]
    seats = [desk.view.sessions.seats(frozenset({desk.scope})) for desk in pair]
    assert [one.session for one in seats[0]] == [third]
    assert seats[0] == seats[1]


def test_a_note_shown_by_one_host_is_not_learned_by_the_other_as_the_users_own(
    pair: list[Desk],
) -> None:
    one, other = (desk.connected("c") for desk in pair)
    session = one("session_start", task="count parcels")["session_id"]
    elsewhere = pair[0].connected("d")("session_start", task="print labels")["session_id"]
    # Neither briefing has the note, which is written after them.
    note = one.on("cli")("save_context", content=SAID)["id"]
    shown = other("memory_search", query="northern gate")["memories"]
    assert note in [memory["id"] for memory in shown]
    # Nothing was flushed: the answer left after the sentences were stored.
    assert learned(one, session).outcome == "rejected"
    # The other session was shown nothing.
    assert learned(one, elsewhere).outcome != "rejected"


def learned(desk: Desk, session: str) -> Saved:
    """A statement taken from the transcript of a session."""
    text = RecordText("context", f"{SAID} The foreman signs for every one of them at the gate.")
    return save_new(desk.runtime(), text, Provenance(trust="extracted", session=session))
