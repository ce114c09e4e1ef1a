from __future__ import annotations

import pytest

from contextd.domain.code import Chunk
from contextd.domain.records import Anchor, Record
from contextd.domain.scope import Scope
from contextd.retrieval.hits import Hit, Part
from contextd.retrieval.votes import FLOOR, WEIGHT, by_file, file_votes

SCOPE = Scope("local", "default", "shop")


def record(*files: str, title: str = "Retry the upload", **fields: object) -> Record:
    data = {"affected_files": list(files)}
    return Record(kind="remediation", scope=SCOPE, title=title, content="x", data=data, **fields)  # type: ignore[arg-type]


def hit(path: str, score: float, line: int = 1) -> Hit:
    chunk = Chunk(id=f"{path}:{line}", path=path, start_line=line, end_line=line, text=path)
    return Hit(chunk.id, "code", (Part("words", score, 1),), chunk)


def paths(hits: list[Hit]) -> list[str]:
    return [one.id for one in hits]


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


def test_what_comes_from_outside_does_not_steer() -> None:
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


def test_a_vote_lifts_the_best_piece_of_its_file_only() -> None:
    hits = [hit("a.py", 0.9), hit("b.py", 0.6), hit("b.py", 0.2, 9)]
    votes = {"b.py": Part("memory", 0.4, why="because"), "gone.py": Part("memory", 0.4)}
    found = by_file(hits, votes)
    assert paths(found) == ["b.py:1", "a.py:1", "b.py:9"]
    assert [any(p.name == "memory" for p in one.parts) for one in found] == [True, False, False]
    assert "because" in found[0].why


def test_a_file_that_matches_in_several_places_comes_first() -> None:
    hits = [hit("a.py", 0.9), *(hit("b.py", 0.8, n) for n in range(1, 8))]
    found = by_file(hits, {})
    assert found[0].content.path == "b.py"  # type: ignore[attr-defined]
    assert found[0].score == pytest.approx(0.8 + 4 * 0.3 * 0.8)
    assert len(found) == len(hits)
