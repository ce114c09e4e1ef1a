"""A run over recordings without labels writes a sheet; a filled one is read back, and a spoilt one refused."""

from __future__ import annotations

import gzip
import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contextd_bench.learning import command
from contextd_bench.learning.goals import own_words, print_counted, print_judged
from contextd_bench.learning.helping import ShownLine
from contextd_bench.learning.measure import OURS, JudgedLine, Measurements, ToldText
from contextd_bench.learning.planted import Transcript
from contextd_bench.learning.recordings import Recording, parsed
from contextd_bench.learning.replay import Replayed
from contextd_bench.learning.sheet import PARTS, read_sheet, rows_of_run, sheet_at, write_sheet
from contextd_common.errors import Invalid

BEGIN = datetime(2026, 2, 3, 8, 0, tzinfo=UTC)
RULE = "From now on always keep the windmill timestamps in UTC."


def recording(name: str = "one") -> Recording:
    lines = Transcript(name, BEGIN, "/home/dev/mill")
    lines.says("user", RULE)
    lines.says("assistant", "The gearbox temperature of the mill is drawn in degrees.")
    lines.says("user", "Is the chart an hour off?")
    one = parsed("mill", name, name, lines.lines)
    assert one is not None
    return one


def told(section: str, *texts: str, number: int = -1, tokens: int = 200) -> ToldText:
    lines = [ShownLine("mill", "one", number, section, text) for text in texts]
    return ToldText([JudgedLine(OURS, line, "", False) for line in lines], tokens)


def run_of(*injected: str, always: tuple[str, ...] = (RULE,), lines: int = 3) -> Measurements:
    done = Measurements(sessions=[Replayed(recording(), Path("/mill"))], prompts={OURS: 2})
    others = [f"Turn {number} drew the blades of the mill" for number in range(lines)]
    done.briefings[OURS] = [told("Always", *always), told("Recent", *others, "Now Tuesday, 2026-02-03 08:00 UTC")]  # fmt: skip
    done.injections[OURS] = [told("", *injected, number=1)] if injected else []
    return done


def filled(path: Path, verdicts: dict[str, str]) -> str:
    """The sheet with a judge, and each row of a sort with that verdict."""
    letters = {part.letter: verdicts.get(sort, "") for sort, part in PARTS.items()}
    text = re.sub(
        r"(?m)^([A-Z])(-\S+) \[\]", lambda row: f"{row[1]}{row[2]} [{letters[row[1]]}]", path.read_text("utf-8")
    )  # fmt: skip
    return text.replace("judge:", "judge: Ada").replace("date:", "date: 2026-02-04")


def test_the_sheet_has_each_told_thing_once_with_its_prompt_and_no_clock(tmp_path: Path) -> None:
    rows = rows_of_run(run_of("Agent: The chart reads local time.", always=(RULE, RULE)))
    assert [row.sort for row in rows] == ["always", "line", "line", "line", "injection"]
    text = write_sheet(tmp_path, rows).read_text("utf-8")
    assert 'prompt: "Is the chart an hour off?" — added: Agent: The chart' in text
    assert text.count(RULE) == 1
    assert "Now Tuesday" not in text


def test_the_sheet_draws_the_same_rows_again_and_says_of_how_many(tmp_path: Path) -> None:
    rows = rows_of_run(run_of(lines=60))
    text = write_sheet(tmp_path / "a", rows).read_text("utf-8")
    assert text == write_sheet(tmp_path / "b", rows).read_text("utf-8")
    assert f"{PARTS['line'].most} of 60" in text
    assert sum(part.most for part in PARTS.values()) <= 80


def test_a_filled_sheet_gives_figures_with_judge_date_and_goals(tmp_path: Path) -> None:
    rows = rows_of_run(run_of("Agent: The chart reads local time."))
    path = write_sheet(tmp_path, rows)
    path.write_text(filled(path, {"always": "right", "injection": "helps", "line": "right"}))
    assert sheet_at(tmp_path) == path
    out = io.StringIO()
    print_judged(out, rows, read_sheet(path))
    assert "judged by Ada, 2026-02-04" in out.getvalue()
    assert "| lines of *Always* that are right | 100 % (21–100), n=1 | ≥ 92 % |" in out.getvalue()
    assert "| misleading, of all rows | 0 % (0–43), n=5 | ≤ 2 % |" in out.getvalue()


def test_a_verdict_on_what_is_no_longer_told_counts_for_nothing(tmp_path: Path) -> None:
    path = write_sheet(tmp_path, rows_of_run(run_of(always=(RULE, "Draw the blades."))))
    path.write_text(filled(path, {"always": "misleading"}))
    out = io.StringIO()
    print_judged(out, rows_of_run(run_of()), read_sheet(path))
    assert "Judged: 1 of 1 lines of *always*" in out.getvalue()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[right]", "[correct]", "line 8: no verdict 'correct'"),
        ("in UTC.", "in CET.", "line 8: the text was changed"),
        ("A-", "- A", "line 8 is no row of a sheet"),
        ("judge: Ada", "judge:", "has no judge"),
    ],
)
def test_a_spoilt_sheet_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    path = write_sheet(tmp_path, rows_of_run(run_of()))
    path.write_text(filled(path, {"always": "right"}).replace(old, new, 1))
    with pytest.raises(Invalid, match=re.escape(says)):
        read_sheet(path)


def test_a_row_judged_twice_is_refused(tmp_path: Path) -> None:
    path = write_sheet(tmp_path, rows_of_run(run_of()))
    text = filled(path, {"always": "right"})
    path.write_text(text + text.splitlines()[7] + "\n")
    with pytest.raises(Invalid, match="judged twice"):
        read_sheet(path)


def test_words_that_the_session_itself_said_are_counted_without_a_judge() -> None:
    done = run_of("Agent: the gearbox temperature of the mill is drawn in degrees")
    assert len(own_words(done)) == 1
    assert own_words(run_of("Agent: The chart reads the local time of the browser.")) == []
    out = io.StringIO()
    print_counted(out, done, rows_of_run(done))
    assert "| prompts with an added text | 50 % (9–91), n=2 | 4–12 % |" in out.getvalue()


def test_an_order_for_one_turn_among_the_rules_is_counted() -> None:
    done = run_of(always=(RULE, "Run the tests again please."))
    out = io.StringIO()
    print_counted(out, done, rows_of_run(done))
    assert "| distinct lines of *Always* for one turn | 50 % (9–91), n=2 | 0 |" in out.getvalue()


def test_recordings_without_labels_are_measured_and_give_a_sheet(tmp_path: Path) -> None:
    folder = tmp_path / "transcripts" / "mill"
    folder.mkdir(parents=True)
    (folder / "order.json").write_text(json.dumps(["one.jsonl"]))
    with gzip.open(folder / "one.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.write("\n".join(recording().lines))
    out = io.StringIO()
    options = command.LearningOptions(out=tmp_path / "out")
    assert command.run(tmp_path, options, out=out)
    assert "not labelled" in out.getvalue()
    assert "What is told, counted without a judge" in out.getvalue()
    assert (tmp_path / "out" / "sheet.txt").is_file()
