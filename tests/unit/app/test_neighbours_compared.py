"""What the benchmark of neighbours takes for the same answer, and what for another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from contextd_bench.neighbours import comparable, final_questions
from support.desks import Desk
from support.repositories import SHOP, committed

CODE = {"ledger.py": "def ledger_7(value):\n    return value\n"}


def answers(desk: Desk) -> list[Any]:
    given = [comparable(desk(name, **asked)) for name, asked in final_questions("shop")]
    return json.loads(json.dumps(given).replace(desk.root.name, "shop"))


def test_the_same_notes_and_files_give_the_same_answers_and_others_do_not(
    words_only: Desk, tmp_path: Path
) -> None:
    beside = words_only.at(committed(tmp_path / "beside", SHOP | CODE))
    (words_only.root / "ledger.py").write_text(CODE["ledger.py"])
    notes = [f"The {name} is written by the night job" for name in ("ledger", "docket", "tariff")]
    for desk in (words_only, beside):
        for number, note in enumerate(notes):
            desk("save_context", content=f"{note} {'only ' * number}")
        desk.host.work_off()
    mine = answers(words_only)
    assert mine == answers(beside)
    told = json.dumps(mine)
    assert "ledger_7" in told
    assert "night job" in told
    beside("save_context", content="The ledger is written by the night job and by hand")
    assert answers(beside) != mine
