"""LoCoMo: find the turns of a long conversation that answer a question.

Maharana et al. 2024, https://github.com/snap-research/locomo, CC BY-NC 4.0: `locomo/*.json` under
the data folder. Questions without evidence are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from contextd_bench.conversations import Conversation, Utterance, measured, with_evidence
from contextd_bench.data import checksum, data_file, rows_of

DEVELOPMENT = "locomo-dev.json"


def run(data: Path, *, out: TextIO, file: str = "", store: str = "sqlite") -> dict[str, Any]:
    """Measure what is found of these conversations; on another `file` than the development split when one
    is named.
    """
    path = data_file(data, "locomo", file or DEVELOPMENT)
    title, facts = "LoCoMo: turns that hold the evidence", {"data sha256": checksum(path)}
    return measured(
        title, path.name, list(load(path)), out=out, file=file, store=store, facts=facts
    )


def load(path: Path) -> Iterator[Conversation]:
    """The conversations of a LoCoMo file."""
    for number, sample in enumerate(rows_of(path, "conversation", "qa")):
        spoken = sample["conversation"]
        sessions = sorted(
            (key for key in spoken if isinstance(spoken[key], list)),
            key=lambda key: int(key.split("_")[1]),
        )
        turns = tuple(
            Utterance(
                turn["dia_id"],
                int(key.split("_")[1]),
                datetime.strptime(
                    spoken[f"{key}_date_time"] + " +0000", "%I:%M %p on %d %B, %Y %z"
                ),
                turn["speaker"],
                turn["text"],
            )
            for key in sessions
            for turn in spoken[key]
        )
        yield Conversation(f"conversation-{number}", turns, with_evidence(sample["qa"], turns))
