"""What a benchmark says of a data set that is not what it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd_bench import contradictions, cosqa, locomo
from contextd_bench.data import data_file
from contextd_common.errors import Invalid, NotFound


def test_a_file_that_is_missing_is_told_with_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo-dev.json").write_text("[]")
    with pytest.raises(NotFound) as missing:
        data_file(tmp_path, "locomo", "locomo-test.json")
    assert missing.value.hint.endswith("has locomo-dev.json")
    with pytest.raises(NotFound) as nowhere:
        data_file(tmp_path / "gone", "locomo", "locomo-dev.json")
    assert nowhere.value.hint == "--data takes the folder that holds locomo/locomo-dev.json"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("{}", "holds no list of rows"),
        ("[]", "holds no list of rows"),
        ('[{"conversation": {}}]', "row 0 has no qa"),
        ("[3]", "row 0 has no conversation, qa"),
    ],
)
def test_conversations_of_another_form_are_refused_by_what_they_lack(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(Invalid, match=said):
        list(locomo.load(path))


def test_questions_of_another_form_are_refused_by_what_they_lack(tmp_path: Path) -> None:
    asked, functions = tmp_path / "asked.json", tmp_path / "functions.json"
    asked.write_text('[{"doc": "how"}]')
    functions.write_text("{}")
    with pytest.raises(Invalid, match="row 0 has no retrieval_idx"):
        cosqa.load(asked, functions)


@pytest.mark.parametrize("text", ["", "pair_ID\tsentence_A\n"])
def test_pairs_without_their_columns_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text(text)
    with pytest.raises(Invalid, match="entailment_judgment"):
        contradictions.read_sick(path)
