from __future__ import annotations

import io
from pathlib import Path

import pytest

from contextd_bench import docstrings
from contextd_common.errors import NotFound

SHOP = '''
class Cart:
    def total(self, lines):
        """The price of all lines together, with tax.

        More about it.
        """
        price = sum(line.price for line in lines)
        return price * TAX

    def empty(self):
        """Take every line out of the cart again."""
        for line in list(self.lines):
            self.lines.remove(line)

    def close(self):
        """Short."""
        self.open = False
        self.lines = []
'''
QUEUE = '''
async def close(queue):
    """Wait until the workers have finished their jobs. Then stop."""
    for worker in queue.workers:
        await worker.finished()
    queue.stop()

def one(x):
    """This is too short a function to be asked for."""
    return x
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "cart.py").write_text(SHOP)
    (tmp_path / "queue.py").write_text(QUEUE)
    (tmp_path / "broken.py").write_text("def half(:\n")
    return tmp_path


def test_the_question_is_the_first_sentence_and_is_cut_out_of_the_function(folder: Path) -> None:
    found = {one.name: one for one in docstrings.read_functions(folder) if one.sentence}
    assert set(found) == {"total", "empty", "close"}
    assert found["total"].sentence == "The price of all lines together, with tax."
    assert found["total"].path == "shop/cart.py"
    assert "def total" in found["total"].text
    assert "price of all" not in found["total"].text
    assert found["close"].sentence == "Wait until the workers have finished their jobs."
    assert len(docstrings.read_functions(folder)) == 4


def test_a_sentence_of_two_functions_asks_for_neither(folder: Path) -> None:
    (folder / "copy.py").write_text(QUEUE)
    asked = [one.name for one in docstrings.read_functions(folder) if one.sentence]
    assert sorted(asked) == ["empty", "total"]


def test_the_described_function_is_found_and_a_folder_without_any_is_refused(folder: Path) -> None:
    figures = docstrings.run(folder, out=io.StringIO())
    assert figures["questions"] == 3
    assert figures["contextd, as codebase_search"]["recall@10"]["mean"] == 1.0
    (folder / "none").mkdir()
    with pytest.raises(NotFound, match="no documented function"):
        docstrings.run(folder / "none", out=io.StringIO())
