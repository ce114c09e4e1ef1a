"""Messages in the form of Gemini's API: lists of parts, as used by Gemini CLI and Qwen Code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from contextd.imports.importers.tool_calls import exit_told
from contextd.imports.importers.transcript_builder import Transcript, list_of, mapping_of, text_of

_UNTRUSTED = re.compile(r"\A\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*\Z", re.S)
_TOKENS = {
    "promptTokenCount": "input_tokens",
    "candidatesTokenCount": "output_tokens",
    "cachedContentTokenCount": "cache_read_input_tokens",
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cache_read_input_tokens",
}


def parts_text(content: Any) -> str:
    """The text of a content: a string, or the texts among its parts."""
    if isinstance(content, str):
        return content
    parts = [mapping_of(part) for part in list_of(content)]
    return "\n".join(
        text_of(p.get("text")) for p in parts if p.get("text") and not p.get("thought")
    )


def answered_part(
    transcript: Transcript,
    answer: Mapping[str, Any],
    *,
    failed: bool,
    result: Mapping[str, Any],
    index: int,
) -> None:
    """The answer to a call, from its `functionResponse`."""
    response = mapping_of(answer.get("response"))
    output, error = response.get("output"), response.get("error")
    told_of = output if output is not None else error
    text = told_of if isinstance(told_of, str) else json.dumps(response, ensure_ascii=False)
    wrapped = _UNTRUSTED.match(text)
    text = wrapped[1] if wrapped else text
    id = text_of(answer.get("id"))
    code = result.get("exitCode")
    if isinstance(code, int):
        transcript.answered(id, exit_told(text)[0], failed=failed, result=result, index=index)
    else:
        transcript.ran(
            id, text, failed=failed or (error is not None and output is None), index=index
        )


def tokens_of(usage: Mapping[str, Any]) -> dict[str, int]:
    """The token counts of an answer under the common names."""
    return {
        name: value
        for key, name in _TOKENS.items()
        if isinstance(value := usage.get(key), int) and not isinstance(value, bool)
    }
