"""Continue: a session with its history as one JSON document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from contextd.imports.importers.documents import document_reader, entry_key
from contextd.imports.importers.gemini_parts import parts_text
from contextd.imports.importers.json_lines import parsed
from contextd.imports.importers.transcript_builder import Transcript, list_of, mapping_of, text_of
from contextd_common.files.guarded import read_file

_RAN = frozenset({"done", "errored", "canceled"})


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether a file looks like a session of Continue."""
    beginning = "".join(head)[:4_000]
    return (
        path.suffix == ".json" and '"workspaceDirectory"' in beginning and '"history"' in beginning
    )


def _tell(transcript: Transcript, document: Any) -> None:
    session = mapping_of(document)
    transcript.session = text_of(session.get("sessionId")) or transcript.path.stem
    transcript.titled(text_of(session.get("title")))
    folder = text_of(session.get("workspaceDirectory"))
    transcript.cwd = unquote(urlsplit(folder).path) if folder.startswith("file:") else folder
    transcript.dated(_began(transcript.path, transcript.session))
    seen: Counter[str] = Counter()
    for item in list_of(session.get("history")):
        _item(transcript, mapping_of(item), seen)


def _began(path: Path, session: str) -> Any:
    """When the session began, from the session list beside it: entries have no times."""
    try:
        listed = parsed(read_file(path.parent / "sessions.json").decode())
    except (OSError, ValueError):
        return None
    rows = (mapping_of(row) for row in list_of(listed))
    created = next((r.get("dateCreated") for r in rows if r.get("sessionId") == session), None)
    return int(created) if isinstance(created, str) and created.isdigit() else created


def _item(transcript: Transcript, item: Mapping[str, Any], seen: Counter[str]) -> None:
    message = mapping_of(item.get("message"))
    role, text = text_of(message.get("role")), parts_text(message.get("content"))
    calls = [mapping_of(one) for one in list_of(message.get("toolCalls"))]
    transcript.key = text_of(message.get("id")) or entry_key(
        seen, {"role": role, "said": text, "c": calls}
    )
    if summary := text_of(item.get("conversationSummary")):
        key, transcript.key = transcript.key, f"{transcript.key}-summary"
        transcript.compacted()
        # A repeated key is ignored.
        transcript.key += "-text"
        transcript.summarised(summary)
        transcript.key = key
    if role == "user":
        transcript.by_user(text)
    elif role == "assistant":
        transcript.by_agent(text)
        for place, call in enumerate(calls, 1):
            asked = mapping_of(call.get("function"))
            transcript.called(
                text_of(call.get("id")), text_of(asked.get("name")), asked.get("arguments"), place
            )
        transcript.used(_tokens(mapping_of(message.get("usage"))))
    else:
        transcript.counts[f"type:{role or 'none'}"] += 1
    for place, state in enumerate(list_of(item.get("toolCallStates"))):
        _answered(transcript, mapping_of(state), place)


def _answered(transcript: Transcript, state: Mapping[str, Any], place: int) -> None:
    status = text_of(state.get("status"))
    if status not in _RAN:
        return
    texts = [text_of(mapping_of(one).get("content")) for one in list_of(state.get("output"))]
    output = "\n".join(map(_plain, texts))
    id = text_of(state.get("toolCallId"))
    transcript.ran(id, output, failed=status == "errored", index=1_000 + place)


def _plain(text: str) -> str:
    """The text of an output with the blocks of an MCP answer as JSON."""
    if not text.startswith('[{"type":"text"'):
        return text
    try:
        return parts_text(json.loads(text)) or text
    except ValueError:
        return text


def _tokens(usage: Mapping[str, Any]) -> dict[str, int]:
    names = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
    return {n: usage[key] for key, n in names.items() if isinstance(usage.get(key), int)}


read = document_reader(_tell)
