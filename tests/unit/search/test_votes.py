from __future__ import annotations

import pytest

from contextd.domain.records import Anchor, Record
from contextd.domain.scope import Scope
from contextd.search.file_votes import BY_WORDS, FLOOR, commit_votes, file_votes
from contextd.search.ranking_weights import FILES_WITH_PAST, MEANING, weights

SCOPE = Scope("local", "default", "shop")
WEIGHT, OF_COMMITS = (MEANING * weights(FILES_WITH_PAST)[name] for name in ("records", "commits"))


def record(*files: str, title: str = "Retry the upload", **fields: object) -> Record:
    data = {"affected_files": list(files)}
    return Record(kind="remediation", scope=SCOPE, title=title, content="x", data=data, **fields)  # type: ignore[arg-type]


def test_a_record_that_is_not_close_does_not_vote() -> None:
    assert file_votes([(record("a.py"), FLOOR)]) == {}
    assert file_votes([(record("a.py"), FLOOR + 0.01)])["a.py"].amount < 0.02


def test_a_vote_is_shared_among_the_files_of_a_record() -> None:
    alone = file_votes([(record("a.py"), 0.7)])["a.py"].amount
    shared = file_votes([(record(*(f"{n}.py" for n in range(4))), 0.7)])["0.py"].amount
    assert alone == pytest.approx(WEIGHT * 0.5)
    assert shared == pytest.approx(alone / 2)


def test_votes_for_a_file_add_up_to_a_limit() -> None:
    many = [(record("a.py"), 0.9) for _ in range(10)]
    assert file_votes(many[:1])["a.py"].amount < file_votes(many)["a.py"].amount == WEIGHT


def test_only_the_nearest_vote_and_none_that_is_about_everything() -> None:
    crowd = [(record(f"{n}.py"), 0.9) for n in range(30)]
    assert len(file_votes(crowd)) == 20
    assert file_votes([(record(*(f"{n}.py" for n in range(21))), 0.9)]) == {}


def test_external_records_do_not_steer_the_ranking_of_files() -> None:
    assert file_votes([(record("a.py", trust="external"), 0.9)]) == {}


def test_the_reason_names_what_was_done() -> None:
    assert file_votes([(record("a.py"), 0.9)])["a.py"].why == (
        "changed for “Retry the upload” before"
    )
    noted = Record(
        kind="discovery", scope=SCOPE, content="Uploads are retried", data={"file": "a.py"}
    )
    assert file_votes([(noted, 0.9)])["a.py"].why == "“Uploads are retried” is about it"
    anchored = noted.with_(data={}, anchor=Anchor(commit="abc123", paths={"a.py": "f00"}))
    assert file_votes([(anchored, 0.9)])["a.py"].why.startswith("changed for")


def test_commits_vote_with_their_subject_and_more_softly_than_records() -> None:
    part = commit_votes({"a.py": (1.0, "fix: retry the upload")})["a.py"]
    assert part.amount == pytest.approx(OF_COMMITS * BY_WORDS)
    assert part.raw == BY_WORDS < file_votes([(record("a.py"), 1.0)])["a.py"].raw == 1
    assert part.why == "changed for “fix: retry the upload” before"
