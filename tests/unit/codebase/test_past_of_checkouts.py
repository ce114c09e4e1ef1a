"""What the commits of a checkout say is known in the end, however busy the machine is."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.thin.home import LOCAL
from contextd_code.git import history
from contextd_code.git.history import CommitLog
from support.desks import Desk
from support.repositories import SHOP, committed, git


def known(desk: Desk) -> CommitLog | None:
    found = desk.host.organisation(LOCAL).caches.of("git history", 24).get(desk.root)
    assert found is None or isinstance(found, CommitLog)
    return found


@pytest.mark.parametrize(("enough", "tried"), [(100.0, [30, 60, 120]), (1e9, [30, 60, 120])])
def test_a_history_is_read_with_more_patience_until_it_is_known_or_given_up(
    words_only: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enough: float, tried: list
) -> None:
    (words_only.root / "src/auth/token.ts").write_text("export const token = 1;\n")
    git(words_only.root, "commit", "-qam", "Renew the token before it expires")
    beside = words_only.at(committed(tmp_path / "beside", SHOP))
    read, patiences = history.past, list[float]()

    def slow(root: Path, before: CommitLog, *, patience: float) -> CommitLog | None:
        if root != words_only.root or before.head:
            return read(root, before, patience=60.0)
        patiences.append(patience)
        return read(root, before, patience=60.0) if patience >= enough else None

    monkeypatch.setattr(history, "past", slow)
    for desk in (words_only, beside, words_only):
        desk("codebase_search", query="renew the token")
        desk.host.work_off()
    assert [one for one in patiences if one >= 1] == tried
    mine, other = known(words_only), known(beside)
    assert mine is not None
    assert other is not None
    read_on = ["Renew the token before it expires"] if enough < 1e9 else []
    assert [commit.subject for commit in mine.commits][:1] == read_on
    assert len(other.commits) == 1
