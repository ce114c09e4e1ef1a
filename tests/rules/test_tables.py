"""Rows that are whole: settings somebody reads, errors with a way out, jobs that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sources import ROOT, faults, nodes, python_files

from contextd.app import load_operations
from contextd.clients import CLIENTS
from contextd.clients.client import Client
from contextd.clients.text_files import OwnFile
from contextd.consolidation.collections import COLLECTIONS
from contextd.domain.confidence import SIGNALS, START, apply
from contextd.imports.importers import IMPORTERS
from contextd.jobs.table import JOBS
from contextd.runtime.settings import SETTINGS, Setting
from contextd_common import errors
from contextd_common.errors import ERRORS, ContextdError, error_from

load_operations()

OUR_CODE = [path for path in python_files() if path.parts[0] == "src"]


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in nodes(path) if isinstance(node, ast.Call))


@pytest.mark.parametrize("row", list(SETTINGS.values()), ids=lambda row: row.name)
def test_a_setting_accepts_its_default_and_says_what_it_means(row: Setting) -> None:
    assert SETTINGS[row.name] is row
    assert row.description
    assert row.parse(row.default, "a test") == row.default
    assert row.parse(str(row.default), "a test") == row.default


@pytest.mark.parametrize("row", list(SETTINGS.values()), ids=lambda row: row.name)
def test_a_setting_is_read_somewhere(row: Setting) -> None:
    readers = [path for path in OUR_CODE if path.name != "settings.py"]
    read_as = f'"{row.name}"'
    for collection in COLLECTIONS.values():
        what = row.name.rpartition(".")[2]
        if collection.setting(what) == row.name:
            read_as = f'.setting("{what}")'
    assert any(read_as in (ROOT / path).read_text("utf-8") for path in readers)


def test_settings_have_environment_variables_of_their_own() -> None:
    names = [row.environment for row in SETTINGS.values()]
    assert len(names) == len(set(names))
    assert "CONTEXTD_HOME" not in names


def test_every_error_is_in_the_table_under_a_code_of_its_own() -> None:
    defined = {
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, ContextdError)
        and kind is not ContextdError
        # A special case keeps the code of what it is a case of.
        and "code" in vars(kind)
    }
    assert set(ERRORS.values()) == defined
    for code, kind in ERRORS.items():
        assert kind.code == code
        assert 400 <= kind.status < 600


@pytest.mark.parametrize("kind", list(ERRORS.values()), ids=lambda kind: kind.code)
def test_an_error_survives_the_way_to_a_client(kind: type[ContextdError]) -> None:
    sent = kind("what is wrong", "what to do", {"fields": {"a": "b"}})
    received = error_from(sent.as_dict())
    assert type(received) is kind
    assert received.as_dict() == sent.as_dict()


def without_hint(path: Path) -> list[str]:
    """The errors that a file raises without saying what to do next, by line."""
    names = {kind.__name__ for kind in ERRORS.values()}
    return [
        f"line {call.lineno}: {call.func.id}"
        for call in calls(path)
        if isinstance(call.func, ast.Name)
        and call.func.id in names
        and len(call.args) < 2
        and not any(keyword.arg == "hint" for keyword in call.keywords)
        and not any(isinstance(argument, ast.Starred) for argument in call.args)
    ]


def test_an_error_that_is_raised_says_what_to_do_next() -> None:
    assert faults(OUR_CODE, without_hint) == {}


def test_every_job_that_is_queued_exists_and_says_what_it_does() -> None:
    queued = {
        call.args[0].value
        for path in OUR_CODE
        for call in calls(path)
        if isinstance(call.func, ast.Name)
        and call.func.id == "new_job"
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }
    assert queued
    assert queued <= set(JOBS)
    assert all(job.about.endswith(".") for job in JOBS.values())


@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("start", [0.0, *START.values(), 1.0])
def test_confidence_stays_between_nothing_and_certainty(signal: str, start: float) -> None:
    moved = apply(start, signal)
    assert 0.0 <= moved <= 1.0
    assert (moved - start) * SIGNALS[signal] >= 0


@pytest.mark.parametrize("row", list(CLIENTS.values()), ids=lambda row: row.name)
def test_a_client_waits_for_hooks_longer_than_they_may_take(row: Client) -> None:
    events = row.configuration.events
    deadline = int(SETTINGS["hooks.deadline_ms"].default)
    assert all(event.timeout * 1000 > deadline for event in events)
    assert len({event.name for event in events}) == len(events)
    assert all(row.payloads.moments[event.name] for event in events)
    assert row.configuration.held("user")
    assert row.presence.programs or row.presence.made


@pytest.mark.parametrize("row", list(CLIENTS.values()), ids=lambda row: row.name)
def test_a_client_is_briefed_by_its_hooks_or_doctor_says_what_works_instead(row: Client) -> None:
    starting = {name for name, moment in row.payloads.moments.items() if moment == "started"}
    own = {event.name for event in row.configuration.events} & starting
    by_module = any(isinstance(file.part, OwnFile) for file in row.configuration.files)
    briefed = "started" in row.shown and bool(own or (starting and by_module))
    assert briefed or row.limits
    # What it does not show at a prompt is said, too.
    if briefed and "prompted" not in row.shown:
        assert "prompt" in row.limits


@pytest.mark.parametrize("row", list(CLIENTS.values()), ids=lambda row: row.name)
def test_a_client_goes_by_names_of_its_own(row: Client) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9-]*", row.name)
    others = [
        n for other in CLIENTS.values() if other is not row for n in (other.name, *other.names)
    ]
    assert not {row.name, *row.names} & set(others)
    assert row.transcripts in ("", *IMPORTERS)
