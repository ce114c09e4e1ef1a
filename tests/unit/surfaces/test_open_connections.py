"""Which connection makes room for a new one."""

from __future__ import annotations

from contextd.surfaces.open_connections import OpenConnections


class Door:
    """A door for two connections at a time that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        self.aborted: list[str] = []
        self.connections = OpenConnections(2, lambda: self.now)

    def opened(self, name: str) -> bool:
        return self.connections.opened(name, lambda: self.aborted.append(name))


def test_a_new_connection_is_refused_where_all_are_served() -> None:
    door = Door()
    for name in ("a", "b"):
        assert door.opened(name)
        door.connections.serves(name)
    assert not door.opened("c")
    assert (len(door.connections), door.aborted) == (2, [])
    door.connections.waits("a")
    assert door.opened("c")
    assert (len(door.connections), door.aborted) == (2, ["a"])


def test_a_connection_that_was_served_waits_from_then_on() -> None:
    door = Door()
    door.opened("a")
    door.connections.serves("a")
    door.now = 60.0
    door.connections.waits("a")
    assert door.connections.close_older(30) == 0
    door.now = 90.0
    assert door.connections.close_older(30) == 1
    assert door.aborted == ["a"]
