"""A call that fails anywhere and is repeated with its key is done once, and has one answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from contextd.runtime.operation import Answer
from contextd.thin.home import LOCAL
from contextd_common.errors import ContextdError
from support.desks import Desk


def asked(desk: Desk, key: str, operation: str, *, again: bool = True, **arguments: Any) -> Answer:
    request = desk.request(key=key, repeated=again)
    return desk.host.call(operation, request, arguments)


@contextmanager
def failing_write(desk: Desk, place: int, first: str = "BEGIN IMMEDIATE") -> Iterator[list[str]]:
    """Fail a statement: at this place, counted from 0, after the `first` one that begins so; what ran from there on."""
    store: Any = desk.host.organisation(LOCAL)
    connection = store._store.queue._database.connection
    ran: list[str] = []

    def run(cursor: object, sql: str, bindings: object) -> bool:
        if not (ran or sql.strip().startswith(first)):
            return True
        ran.append(sql)
        return len(ran) != place + 1

    connection.exec_trace = run
    try:
        yield ran
    finally:
        connection.exec_trace = None


def test_a_failure_at_any_statement_of_its_commit_leaves_a_call_to_be_done_anew(words_only):
    desk = words_only
    for place in range(60):
        text = f"Invoice number {place} is archived in the cellar for ten years."
        with failing_write(desk, place) as ran:
            try:
                asked(desk, f"k{place}", "remember", text=text, again=False)
                failed = False
            except ContextdError:
                failed = True
        if not failed:
            break
        assert desk.view.answered(f"k{place}") is None, ran[-1]
        answer = asked(desk, f"k{place}", "remember", text=text)
        assert asked(desk, f"k{place}", "remember", text=text) == answer
        assert len(desk.view.records.history(answer.value["id"])) == 1
    assert place > 10
    assert len(desk("list_records", kind="context", limit=100)["records"]) == place + 1


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("create_bubble", {"name": "taxes"}),
    ("save_context", {"text": "The tax office asks for invoices in December."}),
    ("memory_record", {"title": "Taxes", "description": "d", "text": "Pay early.", "outcome": "success"}),
    ("session_start", {"task": "pay taxes"}),
    ("session_checkpoint", {"text": "Half of the invoices are sorted by date."}),
    ("remediation_record", {"title": "t", "problem": "OSError: no space", "root_cause": "c", "solution": "Empty the bin."}),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "arguments"), CALLS, ids=[one[0] for one in CALLS])
def test_the_answer_is_in_the_commit_and_a_lost_one_is_given_again(
    words_only, operation, arguments
):
    desk = words_only
    with failing_write(desk, 0, "INSERT INTO calls"), pytest.raises(ContextdError):
        asked(desk, "k", operation, again=False, **arguments)
    assert desk.view.answered("k") is None
    first = asked(desk, "k", operation, again=False, **arguments)
    # Nothing was left to be written later.
    assert desk.view.answered("k") not in (None, "")
    again = asked(desk, "k", operation, **arguments)
    assert (again.value, again.text) == (first.value, first.text)
