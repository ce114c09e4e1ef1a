"""The guard of `support/writes.py` fails a test whose commit does what takes long."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from contextd.domain.changes import NewJob
from contextd.stores import sql_view
from contextd_common.errors import ContextdError
from reference_store import store as reference
from support.desks import embedder
from support.stores import Whole, address, opened
from support.strategies import SCOPES
from support.writes import GUARD

MUTANTS: dict[str, tuple[Callable[[], object], str]] = {
    "embeds": (lambda: embedder().embed(["a text"]), "embedded"),
    "reads a file": (lambda: Path(__file__).read_bytes(), "opened a file"),
    "lists a folder": (lambda: list(Path(__file__).parent.iterdir()), "listed a folder"),
    "runs git": (
        lambda: subprocess.run(["git", "--version"], capture_output=True),
        "ran a program",
    ),
}


def written(store: Whole) -> None:
    """Commit something."""
    store.enqueue("x", scope=SCOPES[2])
    store.commit(jobs=[])


@pytest.mark.parametrize("scheme", ["sqlite", "memory"])
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_commit_that_does_something_slow_is_caught(tmp_path, monkeypatch, scheme, mutant):
    slow, what = MUTANTS[mutant]
    store = Whole(opened(address(scheme, tmp_path)))
    written(store)
    assert GUARD.take() == []
    slow()
    assert GUARD.take() == [], "outside of a write it may happen"
    owner, name = (sql_view, "write_job") if scheme == "sqlite" else (reference, "add_job")
    original = getattr(owner, name)

    def mutated(*arguments):
        slow()
        return original(*arguments)

    monkeypatch.setattr(owner, name, mutated)
    store.commit(jobs=[NewJob(name="x", scope=SCOPES[2])])
    breaches = GUARD.take()
    assert breaches
    assert any(what in breach for breach in breaches)
    assert "test_write_guard.py" in breaches[0]
    store.close()


def test_a_write_that_fails_is_over_for_the_guard_too(tmp_path):
    store = Whole(opened(address("sqlite", tmp_path)))
    with pytest.raises(ContextdError):
        store.change("no such session", task="x")
    embedder().embed(["a text"])
    assert GUARD.take() == []
    store.close()
