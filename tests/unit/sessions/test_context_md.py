from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.sessions.context_md import _BLOCK, Situation, is_stale, render, write
from contextd.sessions.time_sense import sense
from contextd_common.errors import Denied
from contextd_common.text.tokens import count_tokens
from support.examples import drawn

NOW = datetime(2026, 2, 12, 13, 49, tzinfo=UTC)
TIME = sense(
    NOW, NOW - timedelta(minutes=50), NOW - timedelta(hours=2, minutes=50),
    last_length=timedelta(minutes=45),
)  # fmt: skip
FULL = Situation(
    focus="Testing the small local model",
    task="Optimise context usage",
    time=TIME,
    last_session="testing the terminal",
    recent=("Terminal got labels", "Flash attention is on", "15k prompt was the slowness"),
    external=("2 new commits by Ana: Use zod; Fix refresh",),
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".context" / "CONTEXT.md"


def _block(path) -> str:
    """The block that was written last; empty if there is none."""
    found = _BLOCK.search(path.read_bytes())
    return found["body"].decode("utf-8", "replace").strip() if found else ""


def test_the_four_sections_stand_in_their_order():
    assert render(FULL) == (
        "# Context\n\n"
        "## Now\n- Focus: Testing the small local model\n- Task: Optimise context usage\n"
        "- Blocked: None\n\n"
        "## Time\n- Session started: 2026-02-12 12:59 UTC\n"
        "- Last session before it: until 2026-02-12 10:59 UTC (45 min, testing the terminal)\n"
        "- Pattern: deep work\n\n"
        "## Recent\n- Terminal got labels\n- Flash attention is on\n"
        "- 15k prompt was the slowness\n\n"
        "## External\n- 2 new commits by Ana: Use zod; Fix refresh"
    )


def test_an_empty_situation_still_says_where_we_stand():
    text = render(Situation())
    for line in ("Focus: Not known yet", "Blocked: None", "first session", "Nothing recorded yet",
                 "No changes since last session"):  # fmt: skip
        assert line in text


def test_at_most_five_outcomes_are_shown():
    text = render(Situation(recent=[f"Outcome {n}" for n in range(9)]))
    assert "Outcome 4" in text
    assert "Outcome 5" not in text


def test_external_changes_go_before_outcomes_and_outcomes_before_the_focus():
    long = " ".join(["reason"] * 40)
    text = render(
        Situation(
            focus="The focus", time=TIME, recent=[f"Outcome {n} {long}." for n in range(5)],
            external=[f"Change {n} {long}." for n in range(20)],
        )
    )  # fmt: skip
    assert "Focus: The focus" in text
    assert "Change 0" in text
    assert "Change 5" not in text
    assert text.count("Outcome") >= 3
    assert count_tokens(text) <= 500


def test_an_item_keeps_whole_sentences_or_goes():
    sentence = " ".join(["word"] * 60) + "."
    text = render(
        Situation(focus=f"First one. {sentence} {sentence}", recent=["word " * 300, "kept"])
    )
    assert "Focus: First one. word" in text
    assert text.count("word") == 60
    assert "- kept" in text


SENTENCES = st.lists(
    st.text(st.sampled_from("abc de\nü中.!#-<>"), min_size=0, max_size=300), max_size=12
)


@given(recent=SENTENCES, external=SENTENCES, focus=st.text(max_size=800), blocked=SENTENCES)
@settings(max_examples=drawn(60), deadline=None)
def test_any_situation_fits_the_budget(recent, external, focus, blocked):
    text = render(
        Situation(focus=focus, blocked=blocked, recent=recent, external=external, time=TIME)
    )
    assert count_tokens(text) <= 500
    assert text.startswith("# Context")
    assert "<!--" not in text


def test_the_written_file_fits_the_budget_with_its_markers(path):
    long = [f"Outcome {n} " + "of a long and careful session " * 8 for n in range(5)]
    write(path, render(Situation(focus="x", time=TIME, recent=long, external=long * 3)), NOW)
    assert count_tokens(path.read_text()) <= 500


def test_writing_makes_the_folder_and_can_be_read_back(path):
    block = render(FULL)
    assert write(path, block, NOW) is True
    assert _block(path) == block
    assert write(path, block, NOW + timedelta(hours=1)) is False


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"# Mine\r\nnotes\r\n\r\n", b"\r\nmore \xff bytes, no line end"),
        (b"", b"\n\n\nbelow\n"),
        (
            b"<!-- contextd:begin lost\n an orphan begin\n",
            b"\n<!-- contextd:end --> an orphan end\n",
        ),
        (b"<!-- contextd:end -->\n", b"<!-- mine -->\n"),
    ],
)
def test_a_persons_text_survives_byte_for_byte(path, before, after):
    path.parent.mkdir()
    path.write_bytes(
        before + b"<!-- contextd:begin 2026-01-01T00:00:00Z -->old<!-- contextd:end -->" + after
    )
    for focus in ("one", "two"):
        write(path, render(Situation(focus=focus)), NOW)
        data = path.read_bytes()
        assert data.startswith(before)
        assert data.endswith(after)
        assert b"old" not in data.removeprefix(before).removesuffix(after)
        assert data.count(b"Focus:") == 1
        assert f"Focus: {focus}" in _block(path)


def test_a_file_without_markers_gets_the_block_at_its_end(path):
    path.parent.mkdir()
    path.write_text("# My own notes")
    write(path, render(FULL), NOW)
    write(path, render(FULL), NOW)
    text = path.read_text()
    assert text.startswith("# My own notes\n\n<!-- contextd:begin 2026-02-12T13:49:00Z")
    assert text.count("contextd:begin") == 1


def test_text_cannot_forge_the_markers(path):
    write(
        path, render(Situation(focus="<!-- contextd:end --> ignore <!-- contextd:begin -->")), NOW
    )
    write(path, render(Situation(focus="clean")), NOW)
    assert path.read_text().count("contextd:") == 2
    assert "ignore" not in path.read_text()


def test_a_block_is_stale_after_a_day_by_its_own_date(path):
    assert is_stale(path, NOW)
    write(path, render(FULL), NOW)
    assert not is_stale(path, NOW + timedelta(hours=24))
    assert is_stale(path, NOW + timedelta(hours=24, seconds=1))
    path.write_text(path.read_text().replace("2026-02-12T13:49:00Z", "Z-Z"))
    assert is_stale(path, NOW)


def test_a_file_without_a_block_is_stale(path):
    path.parent.mkdir()
    path.write_text("# Notes")
    assert is_stale(path, NOW)
    assert _block(path) == ""


def test_a_link_out_of_the_project_is_refused(path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("other") / "file.md"
    outside.write_text("keep")
    path.parent.mkdir()
    path.symlink_to(outside)
    with pytest.raises(Denied, match="leads outside"):
        write(path, render(FULL), NOW)
    assert outside.read_text() == "keep"


def test_a_block_has_the_line_ends_of_its_file(path):
    path.parent.mkdir()
    path.write_bytes(b"# Mine\r\n\r\nAsk Ada.\r\n")
    assert write(path, "# Context\n\n- one", NOW)
    held = path.read_bytes()
    assert held.startswith(b"# Mine\r\n\r\nAsk Ada.\r\n")
    assert held.count(b"\n") == held.count(b"\r\n")
    assert not write(path, "# Context\n\n- one", NOW)
    assert write(path, "# Context\n\n- two", NOW)
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")
