"""A turn with a bare answer is kept for what the user says in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.domain.kinds import EPISODE
from contextd.domain.records import Record
from support.clients import CodingClient
from support.desks import Desk


@pytest.fixture
def session(desk: Desk, tmp_path: Path) -> CodingClient:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    return CodingClient(desk, folder)


def episodes(desk: Desk) -> list[Record]:
    return list(desk.view.records.find(desk.runtime().query(EPISODE)).records)


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("We decided to use Postgres instead of MySQL because the team knows it", "Noted."),
        ("The staging cluster is called heron and lives in Frankfurt", "Ok, good to know."),
        ("I don't want the retry test in the nightly suite", "All tests pass, linter clean."),
        ("Der Staging-Cluster heißt Heron und steht in Frankfurt", "Danke."),
        ("ステージング環境のクラスタの名前はヘロンです", "了解しました。"),
    ],
    ids=["decided", "stated", "refused", "in German", "in Japanese"],
)
def test_a_statement_of_the_user_is_kept_however_short_the_answer(
    desk: Desk, session: CodingClient, prompt: str, answer: str
) -> None:
    session.starts()
    session.asks(prompt)
    session.answers(answer)
    [episode] = episodes(desk)
    assert episode.title == prompt
    [hit] = desk("context_search", query=prompt)["results"]
    assert hit["id"] == episode.id


@pytest.mark.parametrize(
    "prompt",
    [
        "Rename the header component to PageHeader",
        "Fix the linting of the billing module, please",
        "can you check the logs of the worker",
        "Why is ExpandTilde exported by the package?",
        "resume last session",
        "ok, proceed with the next phase",
        "it works now",
    ],
)
def test_a_request_with_a_bare_answer_leaves_nothing(
    desk: Desk, session: CodingClient, prompt: str
) -> None:
    session.starts()
    session.asks(prompt)
    session.answers("Done.")
    assert episodes(desk) == []
