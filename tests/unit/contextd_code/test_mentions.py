"""Which files say most of what is asked."""

from __future__ import annotations

from pathlib import Path

from contextd_code.tree.mentions import mentioning


def test_files_with_more_of_the_words_and_rarer_ones_come_first(tmp_path: Path) -> None:
    texts = {
        "a.py": "heron = egret = 1",
        "b.py": "HERON = 2",
        "c.py": "heron = 3",
        "d.py": "stork = 4",
        "heron.py": "nothing",
        "e.py": "nothing",
    }
    for path, text in texts.items():
        (tmp_path / path).write_text(text)
    paths = [*sorted(texts), "gone.py"]
    assert mentioning(tmp_path, paths, ["heron", "egret", "stork"], 9) == [
        "a.py", "d.py", "b.py", "c.py", "heron.py",
    ]  # fmt: skip
    assert mentioning(tmp_path, paths, ["heron"], 2) == ["a.py", "b.py"]
    assert mentioning(tmp_path, paths, ["happi"], 2) == []
    assert mentioning(tmp_path, paths, [], 2) == []


def test_a_stem_finds_the_word_it_was_cut_from(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def is_happy(): ...")
    assert mentioning(tmp_path, ["a.py"], ["happi"], 1) == ["a.py"]


def test_links_out_of_the_checkout_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.py").write_text("heron")
    (root / "a.py").symlink_to(tmp_path / "secret.py")
    assert mentioning(root, ["a.py"], ["heron"], 1) == []
