"""Items of OpenAI's Responses API: calls and outputs are separate from messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contextd_common.errors import Invalid

_OTHERS = frozenset(
    "reasoning compaction compaction_trigger item_reference additional_tools mcp_list_tools"
    " mcp_approval_request mcp_approval_response program".split()
)
"""Item types other than messages, calls and outputs."""

_PARTS = frozenset(("input_text", "input_image", "input_file", "output_text", "refusal"))
"""Part types of a message in this API; others use different names."""

_TEXT_OUTPUTS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
}
"""Items that answer a call with text."""

_TOLD = "name arguments input output summary content action operation code".split()
"""Item fields that a model reads."""

_SEALED = 5
"""Characters of encrypted reasoning per token: four of text, and base64 adds a third."""


def is_item(value: Mapping[str, Any]) -> bool:
    """Whether this is an item without a role, such as a call or its output."""
    type = value.get("type")
    if not isinstance(type, str) or "role" in value:
        return False
    return type in _OTHERS or type.endswith(("_call", "_output"))


def has_parts(message: Mapping[str, Any]) -> bool:
    """Whether a message has parts with this API's types."""
    content = message.get("content")
    if not isinstance(content, list):
        return False
    return any(isinstance(part, Mapping) and part.get("type") in _PARTS for part in content)


def is_said_by_model(value: Mapping[str, Any]) -> bool:
    """Whether an item may appear between a call and its output, because it came in the same response."""
    return is_item(value) or (value.get("role") == "assistant" and has_parts(value))


def call_in(item: Mapping[str, Any]) -> str:
    """The id of a call that needs an answer; empty for other items and for calls run by the service."""
    made = is_item(item) and str(item["type"]).endswith("_call")
    return str(item.get("call_id") or "") if made else ""


def answered_in(item: Mapping[str, Any]) -> str:
    """The id of the call that an output item answers; empty for other items."""
    if not is_item(item) or not str(item["type"]).endswith("_output"):
        return ""
    if item["type"] == "program_output":
        return ""
    return str(item.get("call_id") or item.get("id") or "")


def output_type(items: Sequence[Mapping[str, Any]], call: str) -> str:
    """The type of the text item that answers this call.

    Raises `Invalid` for calls without text answers, such as shell or screen calls.
    """
    made = next((one for one in reversed(items) if call_in(one) == call), None)
    type = str(made["type"]) if made is not None else "no such call"
    found = _TEXT_OUTPUTS.get(type)
    if found is None:
        raise Invalid(
            f"the call {call!r} is a {type}, which cannot be answered with text",
            "use append() with its output item",
        )
    return found


def item_texts(item: Mapping[str, Any]) -> Iterator[Any]:
    """What a model reads of an item: texts, and lists of parts that may contain more than text."""
    for value in (item[name] for name in _TOLD if item.get(name)):
        typed = isinstance(value, list) and all(
            isinstance(o, Mapping) and "type" in o for o in value
        )
        attached = isinstance(value, Mapping) and value.get("type") == "computer_screenshot"
        if isinstance(value, str) or typed or attached:
            yield value
        else:
            yield json.dumps(value, default=str)


def sealed_tokens(item: Mapping[str, Any]) -> int:
    """Estimated tokens of encrypted reasoning."""
    sealed = item.get("encrypted_content")
    return len(sealed) // _SEALED if isinstance(sealed, str) else 0
