"""What the benchmark of folding takes for used, and that it counts what is left."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from contextd_bench.folding import FOLDS, run
from contextd_bench.tool_outputs import outputs
from contextd_common.text.tokens import count_tokens

LINES = [f"checked module_{n:04} without a finding" for n in range(400)]
OUTPUT = "\n".join([*LINES[:200], "error: undefined name tax_rate in price_rules", *LINES[200:]])


def row(role: str, *blocks: dict[str, Any]) -> str:
    return json.dumps({"type": role, "message": {"role": role, "content": list(blocks)}})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "transcripts" / "shop"
    folder.mkdir(parents=True)
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "check price_total"}}
    back = {"type": "tool_result", "tool_use_id": "t", "content": OUTPUT + "\nprice_total ok"}
    edit = {"type": "tool_use", "id": "e", "name": "Edit", "input": {"new_string": "tax_rate = 1"}}
    usage = {"input_tokens": 10, "cache_read_input_tokens": 90_000, "output_tokens": 0}
    rows = [
        row("user", {"type": "text", "text": "What is wrong?"}),
        row("assistant", {"type": "text", "text": "I check it."}, use),
        row("user", back),
        row("assistant", {"type": "text", "text": "price_total lacks tax_rate."}, edit),
        json.dumps({"type": "system", "subtype": "compact_boundary", "uuid": "c",
                    "compactMetadata": {"preTokens": 150_000}}),
        json.dumps({"type": "assistant", "message": {"role": "assistant", "content": [], "usage": usage}}),
    ]  # fmt: skip
    (folder / "order.json").write_text(json.dumps(["one.jsonl"]))
    (folder / "one.jsonl.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    return tmp_path


def test_used_is_what_was_new_in_the_output_and_came_up_afterwards(data):
    [one] = outputs(data, 1_000)
    assert one.used == {"tax_rate"}
    assert one.tokens == count_tokens(one.text)
    assert "check price_total" in one.asked
    assert list(outputs(data, 100_000)) == []


@pytest.mark.parametrize("name", FOLDS)
def test_every_way_to_fold_keeps_to_its_budget(data, name):
    [one] = outputs(data, 1_000)
    folded = FOLDS[name](one, 300)
    assert count_tokens(folded) <= 310
    assert ("tax_rate" in folded) is (name in ("digest", "digest, asked"))


def test_it_prints_what_is_left_and_what_the_client_folded(data):
    out = io.StringIO()
    assert run(data, [], out=out)
    told = out.getvalue()
    assert "commands: n = 1" in told
    assert "n = 1, median window 150,000 → 90,010 tokens, 59,990 saved in total" in told
