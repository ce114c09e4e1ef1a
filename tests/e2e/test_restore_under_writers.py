"""Restoring a backup while agents go on writing, with a real daemon."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from homes import Home, temporary_home, wait_for

from contextd.thin.client import call
from contextd_common.errors import ContextdError


@pytest.fixture
def home() -> Iterator[Home]:
    with temporary_home() as made:
        made.environment["CONTEXTD_EMBEDDER_NAME"] = "none"
        made.settle()
        yield made


class Writer:
    """An agent that writes without a pause and counts what was acknowledged."""

    def __init__(self, home: Home, name: str) -> None:
        self.acknowledged: list[str] = []
        self._home, self._name = home, name
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def _write(self) -> None:
        while not self._over.is_set():
            content = f"Note {len(self.acknowledged)} of the writer {self._name}"
            try:
                call(
                    "save_context",
                    {"content": content},
                    home=self._home.path,
                    cwd=str(self._home.project),
                )
            except ContextdError:
                continue
            self.acknowledged.append(content)

    def stop(self) -> None:
        self._over.set()
        self._thread.join()


def stored(path: Path) -> set[str]:
    """The contents of the records in a database."""
    database = apsw.Connection(str(path))
    return {json.loads(body)["content"] for (body,) in database.execute("SELECT body FROM records")}


@pytest.mark.long
def test_every_acknowledged_write_is_in_the_store_or_in_the_file_that_restoring_names(
    home: Home,
) -> None:
    backup = home.path / "backups" / "kept.db"
    assert home.run("backup", "--path", str(backup)).returncode == 0
    writers = [Writer(home, name) for name in ("one", "two")]
    try:
        wait_for(lambda: all(len(writer.acknowledged) > 5 for writer in writers), "they write")
        done = home.run("restore", str(backup), "--yes", "--json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["daemon"] == "started again"
        count = [len(writer.acknowledged) for writer in writers]
        wait_for(
            lambda: all(len(w.acknowledged) > n for w, n in zip(writers, count, strict=True)),
            "they write again",
        )
    finally:
        for writer in writers:
            writer.stop()
    aside = stored(Path(told["kept"]))
    assert told["changes_set_aside"] == len(aside)
    assert home.run("daemon", "stop").returncode == 0
    here = stored(home.path / "orgs" / "local" / "contextd.db")
    acknowledged = {content for writer in writers for content in writer.acknowledged}
    assert acknowledged <= here | aside
