"""Rows that are whole: settings somebody reads, errors with a way out, jobs that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sources import ROOT, faults, nodes, place_of, python_files

from contextd.app import load_operations
from contextd.clients import CLIENTS
from contextd.clients.client import Client
from contextd.clients.text_files import OwnFile
from contextd.consolidation.collections import COLLECTIONS
from contextd.domain.confidence import SIGNALS, START, apply
from contextd.imports.importers import IMPORTERS
from contextd.jobs.table import JOBS
from contextd.runtime.setting import Setting
from contextd.runtime.setting_table import SETTINGS
from contextd_common import errors
from contextd_common.errors import ERRORS, ContextdError, error_from
from support.verdicts import act, agrees, none_of

load_operations()

OUR_CODE = [path for path in python_files() if path.parts[0] == "src"]


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in nodes(path) if isinstance(node, ast.Call))


def setting_place(row: Setting) -> str:
    """Where the row of a setting stands; the module of settings if its name is put together."""
    found = place_of(f'"{row.name}"', "src/contextd/runtime")
    return found if ":" in found else "src/contextd/runtime/setting_table.py"


@pytest.mark.parametrize("row", list(SETTINGS.values()), ids=lambda row: row.name)
def test_a_setting_accepts_its_default_and_says_what_it_means(row: Setting) -> None:
    place = f"{setting_place(row)}: the row {row.name!r}"
    assert SETTINGS[row.name] is row, f"{place} stands twice: remove one"
    assert row.description, f"{place}: describe what the setting does"
    assert row.parse(row.default, "a test") == row.default, f"{place} refuses its own default"
    assert row.parse(str(row.default), "a test") == row.default, (
        f"{place} refuses its default as a text"
    )


@pytest.mark.parametrize("row", list(SETTINGS.values()), ids=lambda row: row.name)
def test_a_setting_is_read_somewhere(row: Setting) -> None:
    readers = [path for path in OUR_CODE if path.name != "setting_table.py"]
    read_as = f'"{row.name}"'
    for collection in COLLECTIONS.values():
        what = row.name.rpartition(".")[2]
        if collection.setting(what) == row.name:
            read_as = f'.setting("{what}")'
    assert any(read_as in (ROOT / path).read_text("utf-8") for path in readers), (
        f"{setting_place(row)}: nothing below src reads {read_as}: read it by `settings.text`, `number`, "
        "`fraction` or `flag`, or remove its row"
    )


def test_settings_have_environment_variables_of_their_own() -> None:
    names = [row.environment for row in SETTINGS.values()]
    twice = [row for row in SETTINGS.values() if names.count(row.environment) > 1]
    twice += [row for row in SETTINGS.values() if row.environment == "CONTEXTD_HOME"]
    none_of(
        [f"{setting_place(row)}: {row.environment}" for row in twice],
        "rename the setting: this environment variable means something else, too",
    )


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
    here = "src/contextd_common/errors.py"
    names = [kind.__name__ for kind in ERRORS.values()]
    agrees(sorted(kind.__name__ for kind in defined), sorted(names), f"ERRORS in {here}")
    for code, kind in ERRORS.items():
        assert kind.code == code, (
            f"{here}: ERRORS has {kind.__name__} under {code!r}, its code is {kind.code!r}"
        )
        assert 400 <= kind.status < 600, (
            f"{here}: the status of {kind.__name__} is an HTTP error, 400 to 599"
        )


@act(
    "src/contextd_common/errors.py",
    "{kind.__name__} does not come back as it was sent: see `as_dict`, `error_from`",
)
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
    none_of(
        faults(OUR_CODE, without_hint),
        "give the error a second argument: a hint that says what to do next",
    )


def test_every_job_that_is_queued_exists_and_says_what_it_does() -> None:
    queued = {
        call.args[0].value: f"{path}:{call.lineno}"
        for path in OUR_CODE
        for call in calls(path)
        if isinstance(call.func, ast.Name)
        and call.func.id == "new_job"
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }
    assert queued, "tests/rules/test_tables.py: no call of `new_job` is found"
    none_of(
        [f"{place}: {name}" for name, place in queued.items() if name not in JOBS],
        "add a row for this job to src/contextd/jobs/table.py",
    )
    none_of(
        [name for name, job in JOBS.items() if not job.about.endswith(".")],
        "end `about` of this row of src/contextd/jobs/table.py with a full stop",
    )


@act(
    "src/contextd/domain/confidence.py",
    "the signal {signal} moves confidence out of 0 to 1, or the wrong way",
)
@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("start", [0.0, *START.values(), 1.0])
def test_confidence_stays_between_nothing_and_certainty(signal: str, start: float) -> None:
    moved = apply(start, signal)
    assert 0.0 <= moved <= 1.0
    assert (moved - start) * SIGNALS[signal] >= 0


def client_place(row: Client) -> str:
    return place_of(f'name="{row.name}"', "src/contextd/clients")


@pytest.mark.parametrize("row", list(CLIENTS.values()), ids=lambda row: row.name)
def test_a_client_waits_for_hooks_longer_than_they_may_take(row: Client) -> None:
    events = row.configuration.events
    place = client_place(row)
    deadline = int(SETTINGS["hooks.deadline_ms"].default)
    hasty = [f"{place}: {event.name}" for event in events if event.timeout * 1000 <= deadline]
    none_of(hasty, f"give it a `timeout` above the {deadline} ms that a hook may take")
    names = [event.name for event in events]
    twice = sorted({name for name in names if names.count(name) > 1})
    none_of([f"{place}: {name}" for name in twice], "two files hook this event: take it out of one")
    ignored = [
        f"{place}: {event.name}" for event in events if not row.payloads.moments.get(event.name)
    ]
    none_of(ignored, "name its moment in `moments` of `payloads`, or do not hook it")
    assert row.configuration.held("user"), (
        f"{place}: add a file with a `user` path to `configuration`"
    )
    assert row.presence.programs or row.presence.made, (
        f"{place}: `presence` names no program and no file"
    )


@pytest.mark.parametrize("row", list(CLIENTS.values()), ids=lambda row: row.name)
def test_a_client_is_briefed_by_its_hooks_or_doctor_says_what_works_instead(row: Client) -> None:
    starting = {name for name, moment in row.payloads.moments.items() if moment == "started"}
    own = {event.name for event in row.configuration.events} & starting
    by_module = any(isinstance(file.part, OwnFile) for file in row.configuration.files)
    briefed = "started" in row.shown and bool(own or (starting and by_module))
    place = client_place(row)
    assert briefed or row.limits, (
        f"{place}: no hook briefs its agent: say in `limits` what works instead"
    )
    # What it does not show at a prompt is said, too.
    if briefed and "prompted" not in row.shown:
        assert "prompt" in row.limits, f"{place}: say in `limits` that prompts trigger no hook"


@pytest.mark.parametrize("row", list(CLIENTS.values()), ids=lambda row: row.name)
def test_a_client_goes_by_names_of_its_own(row: Client) -> None:
    place = client_place(row)
    assert re.fullmatch(r"[a-z][a-z0-9-]*", row.name), (
        f"{place}: use lower-case letters and hyphens"
    )
    others = [
        n for other in CLIENTS.values() if other is not row for n in (other.name, *other.names)
    ]
    shared = sorted({row.name, *row.names} & set(others))
    none_of(
        [f"{place}: {name}" for name in shared], "another client has this name: choose another one"
    )
    assert row.transcripts in ("", *IMPORTERS), (
        f"{place}: {row.transcripts!r} has no row in IMPORTERS of src/contextd/imports/importers/__init__.py"
    )
