from __future__ import annotations

import pytest

from contextd.search.file_ranking import (
    DATA,
    FAINT,
    PAST_SIGNALS,
    PLAIN,
    PROSE,
    Past,
    added_signals,
    by_file,
    signals,
)
from contextd.search.hits import DENSE, LEXICAL, Hit, ScorePart
from contextd.search.ranking_weights import CODE, FILES_WITH_PAST, MEANING, weights
from contextd_code.values.source import Chunk

NOTHING = Past()
WORDS, FURTHER, PATH = (MEANING * weights(CODE)[name] for name in ("words", "further", "path"))


def hit(
    path: str, text: str = "x", *, cosine: float = 0.0, line: int = 1, language: str = ""
) -> Hit:
    chunk = Chunk(
        id=f"{path}:{line}",
        path=path,
        start_line=line,
        end_line=line,
        text=text,
        language=language or path.rsplit(".", 1)[-1],
    )
    parts = (ScorePart(LEXICAL, 0.5, 1, 3.0), ScorePart(DENSE, 0.5, 1 if cosine else 0, cosine))
    return Hit(chunk.id, "code", parts, chunk)


def ids(hits: list[Hit]) -> list[str]:
    return [one.id for one in hits]


def test_a_file_that_matches_in_several_places_comes_before_one_that_matches_once() -> None:
    text = "retry the upload when the line drops"
    hits = [hit("a.py", text), *(hit("b.py", text, line=n) for n in range(1, 5))]
    found = by_file(hits, "retry the upload", NOTHING)
    assert found[0].id == "b.py:1"
    assert found[0].score == pytest.approx(WORDS + 3 / 4 * FURTHER)
    assert sorted(ids(found)) == sorted(ids(hits))


def test_the_words_of_a_lone_piece_count_once() -> None:
    hits = [hit("a.py", "retry the upload"), hit("b.py", "the upload"), hit("b.py", "x", line=9)]
    assert signals(hits, "retry the upload")["a.py"] == {
        "meaning": 0,
        "words": 1,
        "further": 0,
        "path": 0,
    }
    found = by_file(hits, "retry the upload", NOTHING)[0]
    assert found.score - found.part("length").amount == pytest.approx(WORDS)


def test_a_long_file_comes_before_a_short_one_that_says_as_much() -> None:
    hits = [hit("a.py", cosine=0.5, line=12), hit("b.py", cosine=0.5, line=900)]
    found = by_file(hits, "retry the upload", NOTHING)
    assert ids(found) == ["b.py:900", "a.py:12"]
    assert found[1].part("length").amount < found[0].part("length").amount == 0


def test_the_length_of_data_says_nothing() -> None:
    code = [hit("a.py", line=10), hit("b.py", line=1_000)]
    data = [hit("c.json", line=1), hit("d.json", line=50_000)]
    told = added_signals([*code, *data], "upload", NOTHING)
    assert told["c.json"]["length"] == told["d.json"]["length"]
    assert told["a.py"]["length"] < told["d.json"]["length"] < told["b.py"]["length"] == 0


def test_a_penalty_of_a_file_applies_to_all_its_chunks() -> None:
    hits = [hit("examples/a.py", cosine=0.4), hit("examples/a.py", cosine=0.37, line=9)]
    found = by_file([*hits, hit("b.py", cosine=0.37)], "retry the upload", NOTHING)
    assert ids(found) == ["b.py:1", "examples/a.py:1", "examples/a.py:9"]
    assert found[1].part("aside").amount == found[2].part("aside").amount < 0


def test_only_the_best_piece_speaks_for_its_file() -> None:
    found = by_file(
        [hit("a.py", cosine=0.6), hit("a.py", cosine=0.4, line=9), hit("b.py", cosine=0.5)],
        "retry the upload",
        NOTHING,
    )
    assert ids(found) == ["a.py:1", "b.py:1", "a.py:9"]


def test_a_file_named_by_the_question_comes_first_when_the_text_is_alike() -> None:
    hits = [hit(f"src/{name}.py", cosine=0.5) for name in ("alpha", "router", "zeta")]
    found = by_file(hits, "fix the router when a path is empty", NOTHING)
    assert found[0].id == "src/router.py:1"
    assert found[0].part("path").amount == pytest.approx(PATH)


def test_a_test_comes_behind_what_it_tests() -> None:
    found = by_file(
        [hit("tests/test_cart.py", cosine=0.5), hit("shop/cart.py", cosine=0.5)], "empty", NOTHING
    )
    assert found[0].id == "shop/cart.py:1"


def test_the_past_lifts_only_what_the_code_proposes() -> None:
    past = Past(
        {"b.py": [ScorePart("memory", 0.15, why="because")], "gone.py": [ScorePart("memory", 0.2)]}
    )
    found = by_file([hit("a.py", cosine=0.55), hit("b.py", cosine=0.5)], "empty", past)
    assert ids(found) == ["b.py:1", "a.py:1"]
    assert "because" in found[0].why


def test_the_past_is_told_without_its_weights() -> None:
    votes = [ScorePart("records", 0.1, raw=0.5), ScorePart("commits", 0.2, raw=0.25)]
    past = Past({"b.py": votes}, {"a.py": 3.0})
    told = added_signals([hit("a.py"), hit("b.py")], "upload", past)
    assert [told["b.py"][name] for name in PAST_SIGNALS] == [0.5, 0.25, 0]
    assert [told["a.py"][name] for name in PAST_SIGNALS] == [0, 0, 1]


def test_files_changed_lately_gain_a_little() -> None:
    hits = [hit("a.py", cosine=0.5), hit("b.py", cosine=0.3), hit("c.py", cosine=0.3)]
    past = Past(recent={"c.py": 3.0})
    found = by_file(hits, "retry the upload", past)
    assert ids(found) == ["a.py:1", "c.py:1", "b.py:1"]
    gain = MEANING * weights(FILES_WITH_PAST)["recent"] * (PLAIN - 0.5) / (PLAIN - FAINT)
    assert found[1].part("recent").amount == pytest.approx(gain)
    # Whoever asks for a name wants that, whatever was worked on.
    assert not by_file(hits, "upload", past)[1].part("recent").amount


@pytest.mark.parametrize("cosine", [FAINT, PLAIN])
def test_customs_decide_only_where_the_code_says_little(cosine: float) -> None:
    hits = [hit("tests/a.py", cosine=cosine, line=9), hit("b.py", cosine=cosine)]
    told = added_signals(hits, "retry the upload", Past(recent={"b.py": 1.0}))
    assert told["tests/a.py"]["test"] == told["b.py"]["recent"] == (cosine == FAINT)
    assert bool(told["b.py"]["length"]) == (cosine == FAINT)


def test_a_score_is_the_sum_of_what_it_says() -> None:
    hits = [hit("a.py", "what a does", cosine=0.2), hit("a.py", cosine=0.5, line=4)]
    past = Past({"a.py": [ScorePart("memory", 0.1)]}, {"a.py": 1.0})
    for one in by_file(hits, "what a does", past):
        assert one.score == pytest.approx(sum(part.amount for part in one.parts))
        assert all(part.amount or part.rank for part in one.parts)


def test_without_vectors_words_and_paths_order_the_files() -> None:
    found = by_file([hit("a.py", "cart"), hit("cart.py", "cart")], "empty cart", NOTHING)
    assert ids(found) == ["cart.py:1", "a.py:1"]


TRANSLATION = '"upload": "Upload attachments", "stored": "Where attachments are stored"'


def translated(question: str) -> list[str]:
    hits = [
        hit("web/src/locales/en.json", TRANSLATION, cosine=0.5),
        hit("web/src/locales/en.json", TRANSLATION, cosine=0.45, line=9),
        hit("server/attachment.py", "def save(blob): put(blob)", cosine=0.45),
    ]
    return [one.id for one in by_file(hits, question, NOTHING)]


def test_translations_come_behind_the_code_they_are_shown_by() -> None:
    found = translated("where are attachments kept")
    assert found[0] == "server/attachment.py:1"
    pieces = by_file([hit("a.json", line=1), hit("a.json", line=2)], "where is it kept", NOTHING)
    assert [one.part("data").amount for one in pieces] == [DATA, DATA]


@pytest.mark.parametrize(
    "question",
    [
        "translation of attachments upload",
        "which json holds upload attachments stored",
        "en locale upload attachments",
        "upload.stored attachments label",
        "stored",
    ],
)
def test_a_question_for_data_finds_it_first(question: str) -> None:
    assert translated(question)[0] == "web/src/locales/en.json:1"


def test_documents_stand_behind_code_unless_they_are_asked_for() -> None:
    told = hit("docs/cookies.md", "sign cookies", cosine=0.6, language="markdown")
    hits = [told, hit("src/sign.ts", "sign cookies", cosine=0.5)]
    found = by_file(hits, "sign the cookies", NOTHING)
    assert ids(found) == ["src/sign.ts:1", "docs/cookies.md:1"]
    assert found[1].part("document").amount == PROSE
    assert ids(by_file(hits, "document how to sign cookies", NOTHING))[0] == told.id
