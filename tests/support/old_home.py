"""A home as contextd 0.1 left it, with two projects that stole each other's index.

In 0.1 a piece of code had the same id in every project, so that the later project took the row of the
earlier one; and whoever embedded first took the other project's pieces for deleted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw

from contextd.code.git.identity import identify
from contextd.stores.migrate import migrations
from contextd.thin.home import LOCAL, database_path, make_home
from support.repositories import committed

SCHEMA = 7
"""The last migration of 0.1."""

AT = 1_795_319_331_000_000
"""When everything was done: November 2026, in microseconds."""

SHARED = "def retry_upload(tenant):\n    '''Retry the upload of a tenant five times.'''\n"
"""What stands in both projects, at the same path."""


def own_code(project: str) -> str:
    """What only this project has."""
    return f"def {project}_invoice(tenant):\n    '''Print the {project} invoice.'''\n"


def write_old_home(home: Path, roots: Mapping[str, Path]) -> None:
    """Write a home of 0.1 that knows these projects by name: two records with their history, a session
    nobody learned from and one that is over, a dismissed contradiction and two files each. The first one's piece of the
    shared file is the second one's, and the second one's own file was taken out.
    """
    make_home(home)
    path = database_path(home, LOCAL)
    path.parent.mkdir(parents=True, mode=0o700)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode=WAL")
    for script in migrations()[:SCHEMA]:
        connection.execute(script)
    connection.execute(f"PRAGMA user_version={SCHEMA}")
    for project, root in roots.items():
        files = {"retry.py": SHARED, f"{project}.py": own_code(project)}
        committed(root, files)
        _write_project(connection, project, root)
        for file in files:
            _write_file(connection, project, root, file)
    last = list(roots)[-1]
    connection.execute("DELETE FROM docs WHERE facets LIKE ?", (f"%path={last}.py%",))
    connection.close()


def _write_project(connection: apsw.Connection, project: str, root: Path) -> None:
    scope = f"{LOCAL}/default/{project}"
    _insert(
        connection, "projects", identity=identify(root).identity, scope=scope, name=project,
        roots=json.dumps([str(root)]), aliases="[]", created_at=AT,
    )  # fmt: skip
    for number, text in enumerate(
        (f"The {project} exports run at night", "Invoices are immutable")
    ):
        _write_record(connection, f"{project}-{number}", scope, text)
    _insert(
        connection, "contradictions", a=f"{project}-0", b=f"{project}-1", kind="content",
        reason="they disagree", found_at=AT, dismissed=1, note="no, they do not",
    )  # fmt: skip
    waiting = f"session-{project}"
    said = f"Rule: {project} invoices must always carry a number."
    _write_session(connection, project, scope, root, id=waiting, status="active", said=said)
    _insert(
        connection, "jobs", id=f"job-{project}", name="learn_session",
        arguments=json.dumps({"session_id": waiting}), state="ready",
        unique_key=f"learn:{waiting}", max_attempts=5, run_at=AT, created_at=AT,
    )  # fmt: skip
    over, said = f"over-{project}", f"The printer of {project} stands in the basement."
    _write_session(connection, project, scope, root, id=over, status="completed", said=said)
    _insert(
        connection, "observations", at=AT, action="miss", operation="recall_context", type="context",
        record_ids="[]", query=f"who owns {project}", agent="cli", scope=scope,
    )  # fmt: skip
    _insert(
        connection, "observation_scopes", scope=scope, reads=4, writes=2, misses=1, last_activity=AT
    )


def _write_record(connection: apsw.Connection, id: str, scope: str, text: str) -> None:
    body: dict[str, Any] = {
        "title": "", "content": text, "data": {}, "tags": ["kept"], "source": ["", "cli", "cli", ""],
        "trust": "human", "canonical_id": "", "helpful": 2, "unhelpful": 0, "anchor": ["", "", {}],
    }  # fmt: skip
    columns = {
        "id": id, "kind": "context", "scope": scope, "status": "active", "session": "",
        "confidence": 0.8, "usage_count": 3, "last_used_at": None, "valid_from": AT,
        "valid_to": None, "created_at": AT, "updated_at": AT,
    }  # fmt: skip
    _insert(
        connection, "records", **columns,
        content_hash=hashlib.blake2b(text.encode(), digest_size=16).hexdigest(), body=json.dumps(body),
    )  # fmt: skip
    before = None
    for action, content in (("create", f"{text}, it was said"), ("update", text)):
        after = json.dumps({**columns, **body, "content": content})
        _insert(
            connection, "changes", record_id=id, at=AT, actor="owner", action=action, reason="",
            before=before, after=after,
        )  # fmt: skip
        before = after
    _write_document(connection, id, "context", scope, '["tag=kept"]', text)


def _write_session(
    connection: apsw.Connection,
    project: str,
    scope: str,
    root: Path,
    *,
    id: str,
    status: str,
    said: str,
) -> None:
    window = f"window-{id}"
    body: dict[str, Any] = {
        "id": id, "scope": scope, "client": "claude-code", "external_id": window,
        "cwd": str(root), "task": f"Print {project} invoices", "status": status, "outcome": "",
        "started_at": AT, "last_seen_at": AT, "ended_at": AT, "commit": "", "branch": "",
        "files": [], "topics": [], "tool_calls": 1, "tokens_served": 0, "injected": [], "data": {},
    }  # fmt: skip
    _insert(
        connection, "sessions", id=id, scope=scope, client="claude-code",
        external_id=window, status=status, started_at=AT, last_seen_at=AT,
        body=json.dumps(body),
    )  # fmt: skip
    event = {"type": "message", "key": "m1", "at": AT, "role": "user", "text": said, "data": {}}
    _insert(
        connection, "events", session_id=id, seq=1, key="m1", type="message", body=json.dumps(event)
    )


def _write_file(connection: apsw.Connection, project: str, root: Path, path: str) -> None:
    text, scope = (root / path).read_text(), f"{LOCAL}/default/{project}"
    about, count = (root / path).stat(), text.count("\n")
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    piece = hashlib.blake2b(f"{path}\0{text}".encode(), digest_size=16).hexdigest()
    facts = [
        path, about.st_size, about.st_mtime_ns, digest, "python", count, [], [], [],
        [[piece, 1, count, "", "python"]], "",
    ]  # fmt: skip
    _insert(
        connection, "files", scope=scope, path=path, size=about.st_size,
        mtime_ns=about.st_mtime_ns, digest=digest, facts=json.dumps(facts),
    )  # fmt: skip
    _insert(
        connection, "chunks", id=piece, file=connection.last_insert_rowid(), start_line=1,
        end_line=count, symbol="", language="python", text=text,
    )  # fmt: skip
    _write_document(connection, piece, "code", scope, json.dumps([f"path={path}"]), text)


def _write_document(
    connection: apsw.Connection, id: str, kind: str, scope: str, facets: str, text: str
) -> None:
    """Index something, in the place of whatever has its id: of whichever project that is."""
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    _insert(
        connection, "docs", id=id, kind=kind, scope=scope, status="active", facets=facets,
        confidence=1.0, digest=digest, seq=connection.total_changes(),
    )  # fmt: skip


def _insert(connection: apsw.Connection, table: str, **row: object) -> None:
    names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", row)
