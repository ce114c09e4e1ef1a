"""Rows of what is kept that no contextd wrote: each is left out and named, and nothing else stops."""

from __future__ import annotations

import apsw
import pytest

from contextd.thin.home import LOCAL, database_path

MINE = "scope = (SELECT scope FROM projects WHERE name = 'shop')"
GARBAGE = {
    "a record of another shape": f"UPDATE records SET body = '[1]' WHERE {MINE}",
    "a record beyond all calendars": f"UPDATE records SET created_at = 1 << 62 WHERE {MINE}",
    "a session cut off": f"UPDATE sessions SET body = '{{' WHERE {MINE}",
    "an observation cut off": f"UPDATE observations SET record_ids = '{{' WHERE {MINE}",
    "a file cut off": f"UPDATE contents SET facts = '[' WHERE {MINE}",
    "an event that is none": "UPDATE events SET body = 'nonsense' WHERE session IN"
    f" (SELECT no FROM sessions WHERE {MINE})",
    "another project without roots": "UPDATE projects SET roots = '{' WHERE name = 'blog'",
    "another project without a scope": "UPDATE projects SET scope = 'a//b' WHERE name = 'blog'",
    "another project beyond all calendars": "UPDATE projects SET created_at = 1 << 62"
    " WHERE name = 'blog'",
}
NAMED = {name for name in GARBAGE if "event" not in name and "without a scope" not in name}
ASKED = (
    ("memory_search", {"query": "how often are exports retried"}),
    ("context_search", {"query": "how often are exports retried"}),
    ("save_context", {"content": "Parcels are weighed twice"}),
    ("session_start", {"task_description": "retry exports"}),
    ("introspect", {}),
    ("get_gaps", {}),
)


@pytest.mark.parametrize("name", GARBAGE)
def test_a_row_nobody_can_read_is_left_out_and_told(open_desk, home, name):
    desk = open_desk(embedder_name="none")
    desk.as_owner("init")
    desk("memory_record", title="Exports", description="d", content="Exports are retried five times.",
         outcome="success")  # fmt: skip
    session = desk("session_start", task_description="retry exports")["session_id"]
    desk("session_log", session_id=session, role="user", text="Exports must always be retried.")
    desk("session_end", session_id=session)
    desk.host.work_off()
    home.close()
    connection = apsw.Connection(str(database_path(home.path, LOCAL)))
    projects = connection.execute("SELECT * FROM projects").fetchall()
    connection.execute(GARBAGE[name])
    assert connection.changes()
    home.broken = True
    desk = open_desk(embedder_name="none")
    for operation, arguments in ASKED:
        desk(operation, **arguments)
    for operation in ("status", "list_sessions", "list_projects"):
        desk.as_owner(operation)
    desk.host.work_off()
    [store] = [one for one in desk.as_owner("doctor")["checks"] if one["name"] == "store"]
    assert ("are unreadable" in store["detail"]) == (name in NAMED), store["detail"]
    for row in projects if "project" in name else ():
        connection.execute("DELETE FROM projects WHERE identity = ?", row[:1])
        connection.execute(f"INSERT INTO projects VALUES ({','.join('?' * len(row))})", row)
    connection.close()
