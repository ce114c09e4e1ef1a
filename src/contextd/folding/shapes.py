"""Messages in the two shapes that models take: their tool calls, their results, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from contextd.domain.tokens import count_tokens

Message = dict[str, Any]
Shape = Literal["anthropic", "openai"]

_FRAME = 4
"""Tokens around a message: its role and its borders."""


def shape_of(messages: Sequence[Mapping[str, Any]]) -> Shape:
    """The shape of a message list; that of Anthropic where nothing tells."""
    for message in messages:
        if message.get("role") in ("tool", "system", "developer") or "tool_calls" in message:
            return "openai"
    return "anthropic"


def calls_of(message: Mapping[str, Any]) -> list[str]:
    """The ids of the tool calls in a message, in order."""
    if message.get("role") != "assistant":
        return []
    found = [str(call.get("id", "")) for call in message.get("tool_calls") or ()]
    return found + [str(block.get("id", "")) for block in _blocks(message, "tool_use")]


def answered_by(message: Mapping[str, Any]) -> list[str]:
    """The ids of the tool calls that a message holds results of."""
    if message.get("role") == "tool":
        return [str(message.get("tool_call_id", ""))]
    return [str(block.get("tool_use_id", "")) for block in _blocks(message, "tool_result")]


def results(shape: Shape, answers: Sequence[tuple[str, str, bool]]) -> list[Message]:
    """The messages that hold these results: (call, text, whether it failed)."""
    if shape == "openai":
        return [{"role": "tool", "tool_call_id": id, "content": text} for id, text, _ in answers]
    content = [
        {"type": "tool_result", "tool_use_id": id, "content": text}
        | ({"is_error": True} if failed else {})
        for id, text, failed in answers
    ]
    return [{"role": "user", "content": content}]


def said(text: str) -> Message:
    """A message from the user, in either shape."""
    return {"role": "user", "content": text}


def is_standing(message: Mapping[str, Any]) -> bool:
    """Whether a message holds for the whole conversation, as instructions do."""
    return message.get("role") in ("system", "developer")


def tokens_of(message: Mapping[str, Any]) -> int:
    """What a message costs a model."""
    return _FRAME + sum(count_tokens(text) for text in texts_of(message))


def texts_of(message: Mapping[str, Any]) -> Iterator[str]:
    """Every text in a message: what is said, arguments of calls, results."""
    yield from _texts(message.get("content"))
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield f"{function.get('name', '')} {function.get('arguments', '')}"


def with_result_texts(message: Message, change: Mapping[str, str]) -> Message:
    """The message with other texts for the results of some calls."""
    if message.get("role") == "tool":
        id = str(message.get("tool_call_id", ""))
        return {**message, "content": change[id]} if id in change else message
    if not _blocks(message, "tool_result"):
        return message
    content = [
        {**block, "content": change[str(block["tool_use_id"])]}
        if block.get("type") == "tool_result" and str(block.get("tool_use_id")) in change
        else block
        for block in message["content"]
    ]
    return {**message, "content": content}


def result_texts(message: Mapping[str, Any]) -> dict[str, str]:
    """The text of each result in a message, by its call."""
    if message.get("role") == "tool":
        return {str(message.get("tool_call_id", "")): "\n".join(_texts(message.get("content")))}
    return {
        str(block.get("tool_use_id", "")): "\n".join(_texts(block.get("content")))
        for block in _blocks(message, "tool_result")
    }


def problems(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a model would refuse a message list for: calls without results where they must stand, and
    results without calls. Calls of the last message may still wait.
    """
    found: list[str] = []
    waiting: list[str] = []
    for number, message in enumerate(messages):
        answered = answered_by(message)
        unknown = [id for id in answered if id not in waiting]
        found += [f"message {number}: a result of {id!r}, which nobody called" for id in unknown]
        waiting = [id for id in waiting if id not in answered]
        if waiting and not (answered and message.get("role") == "tool"):
            found += [f"message {number}: {id!r} has no result before it" for id in waiting]
            waiting = []
        waiting += calls_of(message)
    return found


def _blocks(message: Mapping[str, Any], type: str) -> list[Mapping[str, Any]]:
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [one for one in content if isinstance(one, Mapping) and one.get("type") == type]


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        if content.get("type") == "tool_use":
            yield f"{content.get('name', '')} {json.dumps(content.get('input'), default=str)}"
        else:
            yield from _texts(content.get("text") or content.get("content") or "")
    elif isinstance(content, list):
        for part in content:
            yield from _texts(part)
