"""A mistake in the home's settings or in the environment: listed with its line, and in nobody's way."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.runtime.settings import load_settings
from contextd_common.errors import Invalid

MISTAKES = """\
briefing:
  tokens: 60
  tokns: 70
mcp:
  profile: huge
"""


def test_a_wrong_line_of_the_home_is_listed_and_the_others_are_in_force(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(MISTAKES, "utf-8")
    settings = load_settings(home=tmp_path)
    assert settings.number("briefing.tokens") == 60
    assert settings.text("mcp.profile") == "core"
    unknown, wrong = settings.problems
    assert (unknown.file, unknown.line) == (str(file), 3)
    assert unknown.message.startswith("unknown setting 'briefing.tokns'")
    assert unknown.hint == "did you mean 'briefing.tokens'?"
    assert wrong.line == 5
    assert wrong.message.startswith("mcp.profile")


def test_a_wrong_value_in_the_environment_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTEXTD_BRIEFING_TOKENS", "lots")
    settings = load_settings(home=tmp_path)
    assert settings.number("briefing.tokens") == 500
    [problem] = settings.problems
    assert (problem.file, problem.line) == ("environment", 0)
    assert problem.message.startswith("briefing.tokens")


def test_a_file_that_cannot_be_read_as_a_whole_stops_the_start_with_its_line(
    tmp_path: Path,
) -> None:
    """It may name another store: records must not go to the wrong one."""
    file = tmp_path / "config.yaml"
    file.write_text("store:\n  url: [\n", "utf-8")
    with pytest.raises(Invalid, match=rf"^{file}, line 3: not valid YAML: "):
        load_settings(home=tmp_path)


def test_a_wrong_flag_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="unknown setting"):
        load_settings(home=tmp_path, flags={"briefing.tokns": 60})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mcp: {profile: core\n", "line 2: not valid YAML"),
        ("\x00\x01", "contains the character U+0000"),
        ("briefing: \x1b[31m", "contains the character U+001B"),
        ("a: *nowhere\n", "line 1: not valid YAML: an alias"),
    ],
)
def test_a_file_that_is_no_yaml_is_named_with_the_reason_in_one_line(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "config.yaml").write_text(text, "utf-8")
    with pytest.raises(Invalid) as raised:
        load_settings(home=tmp_path)
    assert said in raised.value.message
    assert "\n" not in raised.value.message
    assert "<unicode string>" not in raised.value.message
