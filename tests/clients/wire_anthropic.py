"""The Messages API of Anthropic."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wire import USED, Called, Events, Tool, Wire


def offered(body: Mapping[str, Any]) -> Iterable[Tool]:
    return [Tool(tool["name"]) for tool in body.get("tools") or () if "name" in tool]


def reply(body: Mapping[str, Any], says: str, calls: Sequence[Called]) -> Mapping[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": says}]
    for call in calls:
        block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}"}
        content.append({**block, "name": call.tool.name, "input": dict(call.arguments)})
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": USED, "output_tokens": USED},
    }


def events(whole: Mapping[str, Any]) -> Events:
    empty = {**whole, "content": [], "stop_reason": None}
    yield _event("message_start", message=empty)
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            opened: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            opened = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=opened)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage={"output_tokens": USED})
    yield _event("message_stop")


def _event(name: str, **data: Any) -> tuple[str, Any]:
    return name, {"type": name, **data}


WIRE = Wire(offered, reply, events)
