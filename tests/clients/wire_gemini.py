"""The generateContent API of Gemini."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wire import USED, Called, Events, Tool, Wire


def offered(body: Mapping[str, Any]) -> Iterable[Tool]:
    for group in body.get("tools") or ():
        yield from (Tool(one["name"]) for one in group.get("functionDeclarations") or ())


def reply(body: Mapping[str, Any], says: str, calls: Sequence[Called]) -> Mapping[str, Any]:
    parts: list[dict[str, Any]] = [{"text": says}]
    for call in calls:
        asked = {"id": uuid.uuid4().hex[:8], "name": call.tool.name, "args": dict(call.arguments)}
        parts.append({"functionCall": asked})
    content = {"role": "model", "parts": parts}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": USED,
            "candidatesTokenCount": USED,
            "totalTokenCount": 2 * USED,
        },
        "modelVersion": "scripted",
        "responseId": uuid.uuid4().hex,
    }


def events(whole: Mapping[str, Any]) -> Events:
    yield "", whole


WIRE = Wire(offered, reply, events)
