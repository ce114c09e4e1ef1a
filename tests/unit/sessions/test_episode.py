"""The digest of a turn: what was asked, and the best of what was answered."""

from __future__ import annotations

from contextd.sessions.episode import LONGEST, LONGEST_KEPT, best_lines, digest_of, plain
from contextd.sessions.turns import turns_of
from support.talks import Talk


def digest(answer: str, prompt: str = "Why are totals off by a cent?"):
    return digest_of(turns_of(Talk().asks(prompt).answers(answer).events)[0])


def test_a_short_answer_is_kept_whole() -> None:
    answer = "Each line was rounded in `price.py`.\nNow only the basket is."
    assert digest(answer).text == answer
    assert digest(answer).asked == "Why are totals off by a cent?"


def test_a_long_prompt_is_kept_beside_its_first_line() -> None:
    prompt = "Build the importer.\n" + "It reads files. " * 30 + "\nThe limit is 400 rows a batch."
    found = digest("Done, it is in `importer.py` and has tests.", prompt)
    assert "400 rows" not in found.asked
    assert found.prompt == prompt
    assert len(digest("Done.", "word " * 5_000).prompt) == LONGEST_KEPT


def test_code_blocks_and_rules_are_left_out_even_when_never_closed() -> None:
    assert plain("Before\n```python\nx = 1\n```\n---\nAfter") == "Before\nAfter"
    assert plain("Before\n~~~\nx = 1") == "Before"


def test_a_long_answer_is_bounded_and_keeps_what_names_things() -> None:
    filler = [
        f"This sentence says next to nothing of any use, number {'x' * n}." for n in range(40)
    ]
    fact = "The rounding lives in `src/price.py` and uses half_even since version 12."
    found = digest("\n".join(["It was the rounding.", *filler[:20], fact, *filler[20:]]))
    assert len(found.text) <= LONGEST + 10
    assert fact in found.text
    assert found.text.startswith("It was the rounding.")
    assert len(found.whole) <= LONGEST_KEPT


def test_one_endless_line_is_cut_between_words() -> None:
    [line] = best_lines("word " * 1_000)
    assert len(line) <= LONGEST
    assert line.endswith("word …")


def test_a_heading_stays_with_its_first_line() -> None:
    lines = [f"Filler line number {'y' * n} that is long enough to be weighed." for n in range(30)]
    answer = "\n".join(["Start.", *lines, "## Cause", "`price.py` rounds in `line_total` twice."])
    text = best_lines(answer)
    assert text[text.index("## Cause") + 1].startswith("`price.py`")


def test_a_digest_includes_added_words_commits_pull_requests_and_failing_commands() -> None:
    talk = Talk().asks("Round the tax once").told("queued", "use cents, not floats")
    talk.told("commit", "Round once", "assistant", sha="1a2b3c4d5e")
    talk.told("pull_request", "Round the tax", "assistant", number=12)
    talk.runs("pytest -q", "1 failed", 1)
    text = digest_of(turns_of(talk.events)[0]).text.splitlines()
    assert text == [
        "The user added: use cents, not floats",
        "Committed: 1a2b3c4d Round once",
        "Pull request: 12 Round the tax",
        "Left failing: pytest -q",
    ]
