"""The Responses API of OpenAI."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wire import USED, Called, Events, Tool, Wire

_USAGE = {
    "input_tokens": USED,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": USED,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 2 * USED,
}


def offered(body: Mapping[str, Any]) -> Iterable[Tool]:
    for tool in body.get("tools") or ():
        if "tools" in tool:
            yield from (Tool(one["name"], tool["name"]) for one in tool["tools"] if "name" in one)
        elif "name" in tool:
            yield Tool(tool["name"])


def reply(body: Mapping[str, Any], says: str, calls: Sequence[Called]) -> Mapping[str, Any]:
    text = {"type": "output_text", "text": says, "annotations": []}
    items: list[dict[str, Any]] = [
        {
            "type": "message",
            "id": f"msg_{uuid.uuid4().hex[:12]}",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
    ]
    for call in calls:
        number = uuid.uuid4().hex[:16]
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": call.tool.name,
                **({"namespace": call.tool.group} if call.tool.group else {}),
                "arguments": json.dumps(dict(call.arguments)),
                "status": "completed",
            }
        )
    return {
        "id": f"resp_{uuid.uuid4().hex[:16]}",
        "object": "response",
        "created_at": 1,
        "model": body.get("model"),
        "status": "completed",
        "output": items,
        "usage": _USAGE,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
    }


def events(whole: Mapping[str, Any]) -> Events:
    numbers = iter(range(1_000))

    def event(name: str, **data: Any) -> tuple[str, Any]:
        return name, {"type": name, "sequence_number": next(numbers), **data}

    opened = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield event("response.created", response=opened)
    for index, item in enumerate(whole["output"]):
        place = {"item_id": item["id"], "output_index": index}
        begun = {**item, "status": "in_progress"}
        if item["type"] == "message":
            begun["content"] = []
        yield event("response.output_item.added", output_index=index, item=begun)
        if item["type"] == "message":
            (part,) = item["content"]
            within = {**place, "content_index": 0}
            empty = {**part, "text": ""}
            yield event("response.content_part.added", **within, part=empty)
            yield event("response.output_text.delta", **within, delta=part["text"])
            yield event("response.output_text.done", **within, text=part["text"])
            yield event("response.content_part.done", **within, part=part)
        else:
            arguments = item["arguments"]
            yield event("response.function_call_arguments.delta", **place, delta=arguments)
            yield event("response.function_call_arguments.done", **place, arguments=arguments)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=whole)


WIRE = Wire(offered, reply, events)
