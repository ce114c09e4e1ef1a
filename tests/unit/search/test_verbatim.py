"""A message that is asked for word for word is found where the code says it."""

from __future__ import annotations

import pytest

from contextd.search.exact_phrases import runs_of, verbatim_share
from contextd.search.file_ranking import VERBATIM, Past, by_file
from contextd.search.hits import DENSE, LEXICAL, Hit, ScorePart
from contextd_code.values.source import Chunk

MESSAGE = "the server closed the connection for host shop.test"
RAISES = 'raise Closed(f"the server closed\n    the connection for host {name}")'
NEAR = "# connection, server, closed, host: the connection of the host to the server is closed"


def hit(path: str, text: str, cosine: float) -> Hit:
    piece = Chunk(id=path, path=path, start_line=1, end_line=1, text=text, language="python")
    parts = (ScorePart(LEXICAL, 0.5, 1, 3.0), ScorePart(DENSE, 0.5, 1, cosine))
    return Hit(path, "code", parts, piece)


def test_the_code_that_raises_an_error_comes_before_code_with_the_same_words() -> None:
    found = by_file([hit("near.py", NEAR, 0.6), hit("raises.py", RAISES, 0.45)], MESSAGE, Past())

    assert [one.id for one in found] == ["raises.py", "near.py"]
    assert found[0].part("verbatim").amount == pytest.approx(VERBATIM * 3 / 4)
    assert found[1].part("verbatim").amount == 0


def test_questions_of_fewer_words_than_a_run_are_ranked_as_before() -> None:
    assert runs_of("server closed") == ()
    assert verbatim_share(runs_of("server closed"), "server closed the connection") == 0


def test_case_and_line_breaks_do_not_matter() -> None:
    runs = runs_of("The Server closed\nthe connection")

    assert verbatim_share(runs, RAISES) == 1
    assert verbatim_share(runs, NEAR) == 0
