"""A briefing names the files that the latest sessions changed, since the next one often begins with them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from contextd.briefing.recent_files import files_line, recent_files
from contextd.domain.sessions import Session
from contextd.sessions.thread import THREAD, Thread
from contextd_common.text.tokens import count_tokens
from support.clients import CodingClient
from support.desks import Desk


def sessions(desk: Desk, *files: tuple[str, ...]) -> list[Session]:
    """Sessions that changed these files, latest first."""
    now = desk.runtime().clock.now()
    return [
        Session(
            scope=desk.scope,
            client="x",
            external_id=f"s{age}",
            started_at=now - timedelta(hours=age),
            last_seen_at=now - timedelta(hours=age),
            data={THREAD: Thread(at=now.isoformat(), files=each).as_data()},
        )
        for age, each in enumerate(files)
    ]


def test_files_of_several_sessions_stand_above_those_of_the_last_alone(desk: Desk) -> None:
    for name in ("once.py", "often.py"):
        (desk.root / name).write_text("x = 1\n")
    worked = sessions(desk, ("once.py",), ("often.py",), ("often.py",))
    assert recent_files(desk.runtime(), worked) == ["often.py", "once.py"]


def test_a_file_that_is_gone_or_outside_is_not_named(desk: Desk) -> None:
    (desk.root / "here.py").write_text("x = 1\n")
    worked = sessions(desk, ("gone.py", "/etc/hosts", "~/notes.md", "here.py"))
    assert recent_files(desk.runtime(), worked) == ["here.py"]


def test_the_line_groups_a_folder_and_drops_the_last_files_for_its_budget() -> None:
    paths = ["src/a/one.py", "README.md", "src/a/two.py"]
    assert files_line(paths) == "Files changed recently: src/a/: one.py, two.py; README.md"
    long = [f"packages/part{n}/src/deeply/nested/module_of_part{n}.py" for n in range(8)]
    line = files_line(long)
    assert "module_of_part0.py" in line
    assert "module_of_part7.py" not in line
    assert count_tokens(line) <= 70
    assert files_line([]) == ""


def test_the_line_may_fill_its_budget_to_the_last_token(monkeypatch) -> None:
    paths = ["src/a/one.py", "README.md"]
    whole = files_line(paths)
    monkeypatch.setattr("contextd.briefing.recent_files._TOKENS", count_tokens(whole))
    assert files_line(paths) == whole
    monkeypatch.setattr("contextd.briefing.recent_files._TOKENS", count_tokens(whole) - 1)
    assert files_line(paths) == files_line(paths[:1])


def test_a_path_that_no_file_can_have_stops_no_briefing(desk: Desk, tmp_path: Path) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks("Round the total of the basket once")
    session.edits("src/" + "x" * 300 + ".ts")
    session.answers("The basket is rounded once, half even, and that is tested with seven baskets.")
    session.ends()
    assert "Round the total of the basket once" in CodingClient(desk, tmp_path).starts()
