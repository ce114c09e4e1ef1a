"""When a search of the code has an answer, and when it says that nothing is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np
import pytest

from contextd.domain.query import CODE, Document, Query, Vector
from contextd.search.file_ranking import Past
from contextd.search.hits import ScorePart
from contextd.search.search import LOUD, SURE, SearchSource, find
from contextd_code.values.source import Chunk
from support.shop_store import SCOPE, view_of_documents

CODE_TEXTS = {
    "shop/support.py": "def open_ticket(customer): return queue(customer)",
    "shop/mysql.py": "def connect(user): return run(scripts)",
    "shop/cart.py": "def total(lines): return sum(lines)",
}
QUERY = Query(scopes=frozenset({SCOPE}), kinds=(CODE,))


class Near:
    """Gives each text the cosine to any question that it was made with; 0 to those not named."""

    model = "near"

    def __init__(self, cosines: Mapping[str, float]) -> None:
        self.cosines = cosines

    def embed(self, texts: Sequence[str]) -> Vector:
        rows = [[self.cosines.get(text, 1.0), 0.0] for text in texts]
        return np.array([[c, sqrt(1 - c * c)] for c, _ in rows], np.float32)


def answers(question: str, past: Past | None = None, **cosines: float) -> list[str]:
    """The files found, with these cosines of the files named."""
    texts = {f"shop/{name}.py": cosine for name, cosine in cosines.items()}
    near = Near({text: texts.get(path, 0.0) for path, text in CODE_TEXTS.items()})
    chunks = {
        path: Chunk(id=path, path=path, start_line=1, end_line=1, text=text)
        for path, text in CODE_TEXTS.items()
    }
    documents = [
        Document(id=path, kind=CODE, scope=SCOPE, text=text) for path, text in CODE_TEXTS.items()
    ]
    found = find(
        SearchSource(
            view_of_documents(documents, near).index,
            near,
            lambda ids: {id: chunks[id] for id in ids},
        ),
        question,
        QUERY,
        past=past or Past(),
    )
    return [hit.id for hit in found.hits]


def test_a_word_in_a_path_is_no_answer_to_a_question_about_something_else() -> None:
    assert answers("When did Caroline join the online support group?", support=0.18) == []


def test_code_whose_name_is_asked_for_is_an_answer_when_the_other_words_are_known_too() -> None:
    found = answers("run mysql scripts as customer user without root", mysql=0.18)
    assert found[0] == "shop/mysql.py"


@pytest.mark.parametrize(("cosine", "answered"), [(0.2, False), (0.35, True)])
def test_meaning_alone_must_be_near_when_none_of_the_words_are_known(
    cosine: float, answered: bool
) -> None:
    assert bool(answers("What inspired Melanie to paint?", cart=cosine)) == answered


def test_a_short_question_is_answered_from_farther_away_than_a_long_one() -> None:
    assert answers("tidy leftovers", cart=0.25)
    assert not answers("tidy leftovers everywhere, please, before Melanie paints", cart=0.25)


@pytest.mark.parametrize("cosine", [SURE - 0.02, SURE + 0.02])
def test_a_question_without_content_words_is_answered_by_what_is_near_alone(cosine: float) -> None:
    assert bool(answers("what is it about", cart=cosine)) == (cosine >= SURE)


@pytest.mark.parametrize("amount", [LOUD - 0.005, LOUD + 0.005])
def test_the_past_is_an_answer_only_where_it_speaks_up(amount: float) -> None:
    past = Past({"shop/cart.py": [ScorePart("records", amount, raw=amount, why="changed before")]})
    found = answers("tidy imports everywhere please", past, cart=0.1)
    assert ("shop/cart.py" in found) == (amount >= LOUD)
