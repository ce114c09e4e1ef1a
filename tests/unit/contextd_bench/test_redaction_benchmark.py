"""The redaction benchmark counts what is found, what is found wrongly, and what is planted."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from contextd_bench import redaction
from contextd_bench.run import main


def folder(root: Path) -> Path:
    (root / ".env").write_text("DB_PASSWORD=changeme\nDEBUG=true\nAPI_TOKEN=<token>\n")
    (root / "notes.md").write_text("The staging password is hunter2-" + "Stag1ng\n")
    (root / "picture.png").write_bytes(b"\x89PNG\0password=hunter2-Stag1ng")
    return root


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """What a run on a folder prints and gives."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        # The unit tests of redaction have every hostile line.
        patch.setattr(redaction, "HOSTILE", redaction.HOSTILE[:1])
        figures = redaction.run(folder(tmp_path_factory.mktemp("data")), out=out)
    return out.getvalue(), figures


@pytest.mark.long
def test_it_prints_recall_false_alarms_and_speed(measured: tuple[str, dict[str, Any]]) -> None:
    text, figures = measured
    for what in ("hardware:", "of providers, by shape", "passwords: sentences", "hostile line of"):
        assert what in text
    assert "false alarms on lines made to mislead: 0 of" in text
    assert figures["of providers, by shape"] >= 0.98
    assert figures["false alarms"] == 0


@pytest.mark.long
def test_files_of_other_people_are_counted_and_planted_into(
    measured: tuple[str, dict[str, Any]],
) -> None:
    text, figures = measured
    assert "data: 2 files" in text
    assert "password 1" in text
    assert "planted into its files of settings | 2 | 2 |" in text
    assert figures["planted"] == 1.0


@pytest.mark.long
def test_the_command_knows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(redaction, "HOSTILE", ())
    assert main(["redaction"]) == 0
    assert "## redaction" in capsys.readouterr().out
