"""Messages in the three formats of model APIs: tool calls, results and token costs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from contextd.folding.responses_items import (
    answered_in,
    call_in,
    has_parts,
    is_item,
    is_said_by_model,
    item_texts,
    output_type,
    sealed_tokens,
)
from contextd_common.errors import Invalid
from contextd_common.text.tokens import count_tokens

Message = dict[str, Any]
Shape = Literal["anthropic", "openai", "responses"]
"""Anthropic's Messages, OpenAI's Chat Completions, OpenAI's Responses."""

_FRAME = 4
"""Token overhead of a message: its role and delimiters."""
_ATTACHED = 1_600
"""Tokens of an image or non-text file: about what a megapixel costs in either API."""


def as_message(value: Any) -> Message:
    """The message as plain values; vendors' objects are converted to what they would send. An item of the
    Responses API counts as a message. Raises `Invalid` for anything else.
    """
    message = _plain(value)
    if isinstance(message, dict) and is_item(message):
        return message
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise Invalid(
            f"not a message: {str(value)[:80]!r}",
            'pass {"role": …, "content": …} or an equivalent object',
        )
    if message.get("type") == "message" and not has_parts(message):
        return {key: message[key] for key in _SENT if key in message}
    return message


_SENT = ("role", "content", "tool_calls", "phase")
"""Fields of a received message that are sent again."""


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json", exclude_unset=True)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def shape_of(messages: Sequence[Mapping[str, Any]]) -> Shape:
    """The format of a message list; Anthropic's if ambiguous."""
    for message in messages:
        shape = shape_told_by(message)
        if shape is not None:
            return shape
    return "openai" if any(map(is_standing, messages)) else "anthropic"


def shape_told_by(message: Mapping[str, Any]) -> Shape | None:
    """The format shown by a message's tool calls, results or part types; None if it has none."""
    if is_item(message) or has_parts(message):
        return "responses"
    if message.get("role") == "tool" or "tool_calls" in message:
        return "openai"
    return "anthropic" if _blocks(message, "tool_use", "tool_result") else None


def calls_of(message: Mapping[str, Any]) -> list[str]:
    """The ids of the tool calls in a message, in order."""
    if is_item(message):
        call = call_in(message)
        return [call] if call else []
    if message.get("role") != "assistant":
        return []
    found = [str(call.get("id", "")) for call in message.get("tool_calls") or ()]
    return found + [str(block.get("id", "")) for block in _blocks(message, "tool_use")]


def answered_by(message: Mapping[str, Any]) -> list[str]:
    """The ids of the tool calls that a message answers."""
    if is_item(message):
        call = answered_in(message)
        return [call] if call else []
    if message.get("role") == "tool":
        return [str(message.get("tool_call_id", ""))]
    return [str(block.get("tool_use_id", "")) for block in _blocks(message, "tool_result")]


def results(
    shape: Shape, answers: Sequence[tuple[str, str, bool]], before: Sequence[Message]
) -> list[Message]:
    """The messages with these results: (call, text, whether it failed). `before` has the calls."""
    if shape == "responses":
        return [
            {"type": output_type(before, id), "call_id": id, "output": text}
            for id, text, _ in answers
        ]
    if shape == "openai":
        return [{"role": "tool", "tool_call_id": id, "content": text} for id, text, _ in answers]
    content = [
        {"type": "tool_result", "tool_use_id": id, "content": text}
        | ({"is_error": True} if failed else {})
        for id, text, failed in answers
    ]
    return [{"role": "user", "content": content}]


def with_more_results(message: Message, more: Message) -> Message:
    """Merge two result messages as Anthropic requires: results first, then other content."""
    blocks = [*message["content"], *more["content"]]
    return {**message, "content": sorted(blocks, key=lambda one: one.get("type") != "tool_result")}


def said(text: str) -> Message:
    """A user message, in any format."""
    return {"role": "user", "content": text}


def is_standing(message: Mapping[str, Any]) -> bool:
    """Whether a message applies to the whole conversation, like instructions."""
    return message.get("role") in ("system", "developer")


def tokens_of(message: Mapping[str, Any]) -> int:
    """The tokens of a message."""
    spoken = sum(count_tokens(text) for text in texts_of(message)) + sealed_tokens(message)
    held = message.get("output") if is_item(message) else message.get("content")
    return _FRAME + spoken + _ATTACHED * _attached(held)


def texts_of(message: Mapping[str, Any]) -> Iterator[str]:
    """Every text in a message: content, call arguments, results."""
    if is_item(message):
        yield from _texts(list(item_texts(message)))
        return
    yield from _texts(message.get("content"))
    for call in message.get("tool_calls") or ():
        called = call.get("function") or call.get("custom") or {}
        yield f"{called.get('name', '')} {called.get('arguments') or called.get('input', '')}"


def with_result_texts(message: Message, change: Mapping[str, str]) -> Message:
    """The message with the result texts of some calls replaced; images and files stay."""
    if is_item(message):
        id = answered_in(message)
        if id not in change:
            return message
        return {**message, "output": _with_text(message.get("output"), change[id], "input_text")}
    if message.get("role") == "tool":
        id = str(message.get("tool_call_id", ""))
        return {**message, "content": change[id]} if id in change else message
    if not _blocks(message, "tool_result"):
        return message
    content = [
        {**block, "content": _with_text(block.get("content"), change[str(block["tool_use_id"])])}
        if block.get("type") == "tool_result" and str(block.get("tool_use_id")) in change
        else block
        for block in message["content"]
    ]
    return {**message, "content": content}


def result_texts(message: Mapping[str, Any]) -> dict[str, str]:
    """The text of each result in a message, by call."""
    if is_item(message):
        id = answered_in(message)
        return {id: "\n".join(_texts(message.get("output")))} if id else {}
    if message.get("role") == "tool":
        return {str(message.get("tool_call_id", "")): "\n".join(_texts(message.get("content")))}
    return {
        str(block.get("tool_use_id", "")): "\n".join(_texts(block.get("content")))
        for block in _blocks(message, "tool_result")
    }


def problems(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Reasons why a model would reject a message list: calls without results, and results without calls.
    Calls of the last message may be pending.
    """
    found: list[str] = []
    waiting: list[str] = []
    for number, message in enumerate(messages):
        answered = answered_by(message)
        unknown = [id for id in answered if id not in waiting]
        found += [f"message {number}: result of unknown call {id!r}" for id in unknown]
        waiting = [id for id in waiting if id not in answered]
        alone = answered and message.get("role") == "tool"
        if waiting and not (alone or is_said_by_model(message)):
            found += [
                f"message {number}: {id!r} has no result before this message" for id in waiting
            ]
            waiting = []
        waiting += calls_of(message)
    return found


def _with_text(content: Any, text: str, type: str = "text") -> Any:
    attached = [one for one in content if _attached(one)] if isinstance(content, list) else []
    return [{"type": type, "text": text}, *attached] if attached else text


def _attached(content: Any) -> int:
    if isinstance(content, list):
        return sum(map(_attached, content))
    if not isinstance(content, Mapping):
        return 0
    if content.get("type") in _FILES:
        return 1
    if content.get("type") == "document":
        return int(not any(_texts(content)))
    return _attached(content.get("content"))


_FILES = frozenset(
    "image image_url file input_audio input_image input_file computer_screenshot".split()
)


def _blocks(message: Mapping[str, Any], *types: str) -> list[Mapping[str, Any]]:
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [one for one in content if isinstance(one, Mapping) and one.get("type") in types]


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        type, source = content.get("type"), content.get("source")
        if type in ("tool_use", "server_tool_use", "mcp_tool_use"):
            yield f"{content.get('name', '')} {json.dumps(content.get('input'), default=str)}"
        elif type == "document" and isinstance(source, Mapping):
            yield from _texts(source.get("data" if source.get("type") == "text" else "content"))
        else:
            yield from _texts(
                content.get("text") or content.get(str(type)) or content.get("content")
            )
    elif isinstance(content, list):
        for part in content:
            yield from _texts(part)
