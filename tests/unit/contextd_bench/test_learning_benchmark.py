"""The learning benchmark replays what was recorded, and counts what helped, what stayed and what went."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd_bench.learning.baselines import baselines, textrank
from contextd_bench.learning.checkout import ReplayedCheckout
from contextd_bench.learning.figures import by_session, kappa, wilson
from contextd_bench.learning.helping import ShownLine, guessed, shown_lines, vocabulary
from contextd_bench.learning.keeping import StatementLabels, gold
from contextd_bench.learning.measure import OURS, JudgedLine, Measure
from contextd_bench.learning.planted import Transcript, survival
from contextd_bench.learning.planted_facts import FACTS, SortedFact
from contextd_bench.learning.recordings import Recording, moments, parsed, recordings
from contextd_bench.learning.replay import kept_records, replayed
from contextd_bench.learning.tables import unused_lines
from contextd_bench.learning.taken_back import TAKEN_BACK

BEGIN = datetime(2026, 2, 3, 8, 0, tzinfo=UTC)
RULE = "We must always keep the windmill timestamps in UTC, because the charts break otherwise."


def script(session: str, day: int = 0) -> Transcript:
    return Transcript(session, BEGIN + timedelta(days=day), "/home/dev/mill")


def first(session: str = "one") -> Transcript:
    """A session of two prompts with an edit, compacted after them."""
    lines = script(session)
    lines.says("user", "Why is the windmill chart an hour off?")
    edit = {"file_path": "/home/dev/mill/chart.py", "content": "ZONE = 'UTC'\n"}
    lines.calls("Write", edit, "created")
    lines.says("assistant", "The chart read local time.")
    lines.says("user", RULE)
    lines.says("assistant", "I changed chart.py; every windmill timestamp is UTC now.")
    lines.compacts()
    return lines


def second() -> Transcript:
    lines = script("two", day=1)
    lines.says("user", "Add the gearbox temperature to the chart.")
    lines.says("assistant", "The gearbox temperature is drawn.")
    return lines


def read(lines: Transcript, project: str = "mill", name: str = "one") -> Recording:
    one = parsed(project, name, name, lines.lines)
    assert one is not None
    return one


def test_hooks_run_where_the_client_would_have_run_them() -> None:
    found = [(moment.hook, moment.written) for moment in moments(read(first()))]
    assert found == [
        ("start", 0),
        ("prompt", 0),
        ("stop", 4),
        ("prompt", 4),
        ("stop", 6),
        ("compact", 6),
        ("end", 8),
    ]


def test_an_interrupted_turn_has_no_stop_and_programs_do_not_prompt() -> None:
    lines = script("one")
    lines.says("user", "Draw the blades.")
    lines.says("assistant", "I start with")
    lines.says("user", "[Request interrupted by user]")
    lines.says("user", "<command-name>/clear</command-name>")
    assert [moment.hook for moment in moments(read(lines))] == ["start", "prompt", "end"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of data: a session, and its copy that goes on."""
    folder = tmp_path / "transcripts" / "mill"
    folder.mkdir(parents=True)
    name = "00000000-0000-0000-0000-000000000001"
    longer = first(name)
    whole = list(longer.lines)
    longer.says("user", "And the night shift?")
    longer.says("assistant", "It uses the same chart.")
    names = [f"2026-02-04-{name}.jsonl", f"2026-02-03-{name}.jsonl"]
    for file, lines in zip(names, (longer.lines, whole), strict=True):
        with gzip.open(folder / f"{file}.gz", "wt", encoding="utf-8") as stream:
            stream.write("\n".join(lines))
    (folder / "order.json").write_text(json.dumps(names))
    rows: dict[str, list[dict[str, Any]]] = {
        "records-dev.jsonl": [{"project": "mill", "text": RULE, "label": "U"}],
        "sentences-dev.jsonl": [{"project": "mill", "sentence": "The chart is blue.", "label": "drop"}],
        "gold-dev.jsonl": [
            {
                "project": "mill", "session": f"2026-02-03-{name}", "id": "M1", "type": "rule",
                "keep": "windmill timestamps are kept in UTC", "match_all": ["utc", "timestamp"],
            }
        ],
    }  # fmt: skip
    for file, each in rows.items():
        (tmp_path / file).write_text("".join(json.dumps(row) + "\n" for row in each))
    return tmp_path


def test_a_session_that_was_resumed_is_told_in_two_parts(data: Path) -> None:
    one, other = recordings(data, "mill")
    assert one.external == other.external
    assert [turn.prompt for turn in other.exchanges] == ["And the night shift?"]
    assert other.begins == len(one.lines)
    assert recordings(data, "mill", 1)[0].name == one.name


def test_labels_are_found_by_near_equal_text_of_the_same_project(data: Path) -> None:
    labels = StatementLabels(data)
    assert labels.of("mill", RULE.replace(" the charts", " charts")) == "U"
    assert labels.of("mill", "the chart is blue") == "drop"
    assert labels.of("mill", "The windmill has four blades of oak.") == ""
    assert labels.of("neighbour", RULE) == ""


def test_a_clone_is_checked_out_as_it_was_and_then_edited(tmp_path: Path) -> None:
    source = tmp_path / "source"
    origin = ReplayedCheckout(source)
    origin.opens(BEGIN - timedelta(days=2), "mill")
    (source / "late.py").write_text("later = 1\n")
    commit = {"command": 'git add -A && git commit -q -m "Add what came later"'}
    lines = script("one")
    lines.calls("Bash", commit, "done")
    origin.follow(lines.lines[0], BEGIN + timedelta(days=2))
    checkout = ReplayedCheckout(tmp_path / "copy", source)
    checkout.begins(BEGIN)
    assert not (tmp_path / "copy" / "late.py").exists()
    edit = {
        "file_path": str(tmp_path / "copy" / "README.md"),
        "old_string": "mill",
        "new_string": "Mill",
    }
    elsewhere = {"file_path": str(tmp_path / "elsewhere.py"), "content": "no"}
    for given in (edit, elsewhere):
        lines.calls("Edit", given, "done")
        checkout.follow(lines.lines[-2], BEGIN)
    assert (tmp_path / "copy" / "README.md").read_text() == "# Mill\n"
    assert not (tmp_path / "elsewhere.py").exists()
    checkout.begins(BEGIN + timedelta(days=3))
    assert (tmp_path / "copy" / "late.py").is_file()


def test_a_commit_is_repeated_with_the_message_of_its_here_document(tmp_path: Path) -> None:
    checkout = ReplayedCheckout(tmp_path / "mill")
    checkout.opens(BEGIN, "mill")
    command = "git commit -m \"$(cat <<'EOF'\nTurn the mill\n\nIt stood still.\nEOF\n)\""
    lines = script("one")
    lines.calls("Bash", {"command": command}, "done")
    checkout.follow(lines.lines[0], BEGIN + timedelta(days=1))
    log = subprocess.run(
        ["git", "-C", str(tmp_path / "mill"), "log", "-1", "--format=%s"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert log.stdout == "Turn the mill\n"


def test_a_line_helps_by_a_file_that_is_edited_or_by_rare_words() -> None:
    one = read(first())
    words = vocabulary([one, read(second(), name="two"), *(read(script_of(n)) for n in range(30))])

    def helps(text: str, number: int = -1) -> bool:
        return guessed(ShownLine("mill", "one", number, "", text), one, words)

    assert helps("Files worked on: src/chart.py")
    assert not helps("Files worked on: src/engine.py")
    assert helps("Windmill timestamps were wrong before.")
    assert not helps("Timestamps of the gearbox.")
    # What a prompt brings up itself is no help to it.
    assert not helps("The windmill is an hour ahead.", number=0)


def script_of(number: int) -> Transcript:
    lines = script(f"other-{number}")
    lines.says("user", f"Read page {number} of the manual.")
    lines.says("assistant", "I read it.")
    return lines


def test_lines_of_a_briefing_leave_out_headings_and_notes() -> None:
    text = "Project briefing from contextd (facts).\n\n## Learned\n- Use UTC. [rule ab12 · agent · 2 h ago · 0.60]\n"
    other = "Known:\n* Use UTC. [rule cd34 · agent · 9 h ago · 0.70]"
    (line,), (same,) = (shown_lines("mill", "one", -1, each) for each in (text, other))
    assert (line.text, line.section) == ("Use UTC.", "Learned")
    assert line.key == same.key
    assert line.key != shown_lines("mill", "two", -1, text)[0].key


def test_a_line_shown_four_times_in_a_row_without_use_is_counted() -> None:
    def shown(session: int, helped: bool) -> JudgedLine:
        return JudgedLine(OURS, ShownLine("mill", str(session), -1, "", "Use UTC."), "", helped)

    assert unused_lines(shown(n, False) for n in range(3)) == []
    assert unused_lines(shown(n, n == 2) for n in range(6)) == []
    assert unused_lines(shown(n, False) for n in range(4)) == [(4, "Use UTC.")]


def test_shares_have_intervals() -> None:
    assert str(wilson(0, 40)) == "0 % (0–9), n=40"
    assert (by_session([(1, 2), (2, 2), (0, 3)]).hits, by_session([(0, 0)]).n) == (3, 0)
    assert kappa([(True, True), (False, False)]) == 1.0
    assert kappa([(True, False), (False, True)]) == -1.0


def test_textrank_prefers_what_others_speak_of() -> None:
    texts = [
        "The pump feeds the tank",
        "The pump feeds the tank and the heater",
        "Birds sing",
        "The heater warms the tank",
    ]
    assert "Birds sing" not in textrank(texts, 3)
    kept = {each.name: each.keeps(read(first())) for each in baselines()}
    assert kept["nothing"] == []
    assert kept["handoff"][0] == RULE


def test_planted_statements_keep_their_own_marks() -> None:
    for fact in FACTS:
        assert stands(fact.marks, fact.sentence), fact
    for each in TAKEN_BACK:
        assert stands((each.wrong,), each.sentence)
        assert not stands((each.right,), each.sentence)


def stands(marks: tuple[str, ...], text: str) -> bool:
    return all(re.search(mark, text, re.IGNORECASE) for mark in marks)


def test_a_replay_learns_under_its_own_clock_and_a_neighbour_learns_nothing(data: Path) -> None:
    neighbour = script("three")
    neighbour.says("user", "What does the beehive weigh?")
    neighbour.says("assistant", "It weighs 31 kg.")
    projects = {
        "mill": [read(first()), read(second(), name="two")],
        "bees": [read(neighbour, "bees", "three")],
    }
    measure = Measure(gold(data), {})
    with replayed(
        projects, after_end=measure.after_end, before=measure.learn_words, embedder="none"
    ) as found:
        mill, bees = found
        one, two = mill.sessions
        records = kept_records(mill.bench)
        kept = [record.content for record in records]
        assert any("windmill timestamps in UTC" in text for text in kept)
        assert all(BEGIN <= record.created_at < BEGIN + timedelta(days=2) for record in records)
        assert [record for record in kept_records(bees.bench) if "windmill" in record.content] == []
        assert "ZONE" in (mill.bench.root / "chart.py").read_text()
        assert one.briefing is not None
        assert two.briefing is not None
        assert {told.hook for told in one.told_at_hooks} >= {"start", "compact"}
        assert not any(
            "windmill" in told.text for done in bees.sessions for told in done.told_at_hooks
        )
        for project in found:
            measure.project(project)
    assert {text.tokens > 0 for text in measure.done.briefings[OURS]} == {True}
    assert measure.done.prompts[OURS] == 4


def test_facts_are_planted_over_long_sessions_and_looked_for_after_their_compaction() -> None:
    lines = script("long")
    for number in range(20):
        lines.says("user", f"Please describe sail {number} of the windmill for the visitors")
        lines.says("assistant", f"Sail {number} is made of linen and turns with the others.")
    facts = [
        SortedFact("rule", "user", "From now on every speed is in knots.", ("knots",)),
        SortedFact("cause", "agent", "The root cause was a worn bearing.", ("worn bearing",)),
    ]
    short = survival({"mill": [read(first())]}, facts)
    assert short.handed_back.n == 0
    found = survival({"mill": [read(first()), read(lines, name="long")]}, facts)
    assert found.handed_back.hits == found.handed_back.n == 2
    assert set(found.by_sort) == {"rule", "cause"}


def test_the_facts_to_plant_have_ten_sorts() -> None:
    assert len({fact.sort for fact in FACTS}) == 10
