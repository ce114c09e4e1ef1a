"""REALTALK: which messages of real people's chats answer a question about them.

Lee et al. 2025, https://github.com/danny911kr/REALTALK: files `Chat_*.json` as that repository lays them out,
in folders under `realtalk/` in the data folder. Ten pairs of people in three circles of friends wrote each
other for three weeks; chats 1 to 4, one circle, are for development. Pictures are left out.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from contextd_bench.conversations import Conversation, Utterance, measured, with_evidence
from contextd_common.errors import NotFound

DEVELOPMENT = "dev"
"""The folder that weights may be fitted on."""

_NUMBER = re.compile(r"\d+")
_SESSION = re.compile(r"session_(\d+)")


def run(data: Path, *, out: TextIO, file: str = "", store: str = "sqlite") -> dict[str, Any]:
    """Measure what is found of these chats; of those in another folder `file` than the development split
    when one is named.
    """
    folder = data / "realtalk" / (file or DEVELOPMENT)
    title = "REALTALK: what real people wrote, and found again"
    return measured(title, folder.name, load(folder), out=out, file=file, store=store)


def load(folder: Path) -> list[Conversation]:
    """The chats of a folder, by number. Raises `NotFound` when it has none."""
    chats = sorted(folder.glob("Chat_*.json"), key=_number)
    if not chats:
        raise NotFound(f"there are no chats in {folder}", "put REALTALK's data/Chat_*.json there")
    return [_conversation(path) for path in chats]


def _number(path: Path) -> int:
    found = _NUMBER.search(path.name)
    return int(found[0]) if found else 0


def _conversation(path: Path) -> Conversation:
    chat = json.loads(path.read_text("utf-8"))
    sessions = sorted(int(found[1]) for key in chat if (found := _SESSION.fullmatch(key)))
    turns = tuple(
        Utterance(
            message["dia_id"],
            number,
            datetime.strptime(message["date_time"], "%d.%m.%Y, %H:%M:%S").replace(tzinfo=UTC),
            message["speaker"],
            message["clean_text"],
        )
        for number in sessions
        for message in chat[f"session_{number}"]
    )
    return Conversation(f"chat-{_number(path)}", turns, with_evidence(chat["qa"], turns))
