"""The Chat Completions API of OpenAI, which many programs speak to any model."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wire import USED, Called, Events, Tool, Wire

_USAGE = {"prompt_tokens": USED, "completion_tokens": USED, "total_tokens": 2 * USED}


def offered(body: Mapping[str, Any]) -> Iterable[Tool]:
    return [
        Tool(tool["function"]["name"]) for tool in body.get("tools") or () if "function" in tool
    ]


def reply(body: Mapping[str, Any], says: str, calls: Sequence[Called]) -> Mapping[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": says}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{uuid.uuid4().hex[:16]}",
                "type": "function",
                "function": {
                    "name": call.tool.name,
                    "arguments": json.dumps(dict(call.arguments)),
                },
            }
            for call in calls
        ]
    finish = "tool_calls" if calls else "stop"
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex[:12]}",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _USAGE,
    }


def events(whole: Mapping[str, Any]) -> Events:
    choice = whole["choices"][0]
    message = choice["message"]
    calls = [{"index": index, **call} for index, call in enumerate(message.get("tool_calls", ()))]

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> tuple[str, Any]:
        part = {"index": 0, "delta": delta, "finish_reason": finish}
        return "", {**whole, "object": "chat.completion.chunk", "choices": [part], "usage": None}

    yield chunk({"role": "assistant", "content": message["content"]})
    for call in calls:
        yield chunk({"tool_calls": [call]})
    yield chunk({}, choice["finish_reason"])
    yield "", {**whole, "object": "chat.completion.chunk", "choices": []}
    yield "", "[DONE]"


WIRE = Wire(offered, reply, events)
