"""What a person types is taken for the command that is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.app import load_operations
from contextd.surfaces.cli import main as cli


def never() -> None:
    pytest.fail("a contextd was opened")


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cli.Commands:
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path))
    return cli.Commands(load_operations, never, {})


def test_schema_shows_the_types(commands: cli.Commands) -> None:
    with commands.make_context("contextd", ["schema"]) as context:
        found = commands.get_command(context, "schema")
    assert found is not None
    assert found.name == "describe-schema"


def test_a_command_cut_short_names_those_that_start_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path))
    code = cli.main(["memory"], load=load_operations, standalone=never, extras={})
    told = capsys.readouterr().err
    assert code == cli.USAGE
    assert "there is memory-search, memory-record" in told
