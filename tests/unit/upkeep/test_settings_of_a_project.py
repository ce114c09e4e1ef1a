"""A mistake in a project's own settings: told where it is, and in nobody's way."""

from __future__ import annotations

from support.desks import Desk, Neighbour

MISTAKES = """\
briefing:
  tokens: 60
  tokns: 70
lessons:
  per_day: many
daemon: {port: 7000}
"""
TOLD = (
    ".context/config.yaml:3: unknown setting 'briefing.tokns' in .context/config.yaml"
    " (did you mean 'briefing.tokens'?)"
)


def test_valid_settings_apply_and_invalid_ones_are_reported_with_their_line(words_only: Desk):
    words_only.configure(MISTAKES)
    settings = words_only.runtime().settings
    assert settings.number("briefing.tokens") == 60
    assert settings.number("lessons.per_day") == 10, "a value that cannot be is left out"
    assert [(p.line, p.message.split(" in ")[0]) for p in settings.problems] == [
        (3, "unknown setting 'briefing.tokns'"),
        (5, "lessons.per_day"),
        (6, "daemon.port"),
    ]
    assert TOLD in words_only.as_owner("status")["problems"]
    [check] = [c for c in words_only.as_owner("doctor")["checks"] if c["name"] == "settings"]
    assert not check["ok"]
    assert TOLD in check["detail"]
    assert TOLD in words_only.as_owner("config")["problems"]


def test_every_call_goes_on_and_each_conversation_is_told_once(
    words_only: Desk, neighbour: Neighbour
):
    words_only.configure(MISTAKES)
    first, second = words_only.connected("first"), words_only.connected("second")
    answer = first.answer("save_context", content="Parcels are weighed twice")
    assert [(n.name, TOLD in n.text) for n in answer.notices] == [("settings_warning", True)]
    assert first.answer("list_contexts").notices == ()
    assert len(second.answer("list_contexts").notices) == 1
    beside = neighbour.desk(words_only.host)
    assert beside.as_owner("status")["problems"] == [], "it is not the neighbour's mistake"
    words_only.configure("briefing: {tokens: 60}\n")
    assert words_only.as_owner("status")["problems"] == []


def test_a_file_that_is_no_yaml_sets_nothing_and_stops_nothing(words_only: Desk):
    words_only.configure("briefing: [\n  tokens: 60\n")
    assert words_only("save_context", content="Parcels are weighed twice")["id"]
    [problem] = words_only.as_owner("status")["problems"]
    assert problem.startswith(".context/config.yaml:3: not valid YAML: ")
    assert "\n" not in problem
    assert words_only.runtime().settings.number("briefing.tokens") == 500


def test_a_notice_about_project_settings_is_short_and_contains_no_secret(words_only: Desk):
    secret = "gh" + "p_" + "k3JdQm29fLxVzR7tYb0NcWs8HpGu4EaXoi5T"
    words_only.configure(f"briefing:\n  tokens: {secret}\n  {'x' * 900}: 1\n")
    [notice] = words_only.answer("list_contexts").notices
    assert secret not in f"{notice.text}{notice.facts}"
    assert len(notice.text) < 700
