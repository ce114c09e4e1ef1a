"""Folding a list of items of OpenAI's Responses API."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from contextd.folding import FoldingContext, problems
from contextd_common.errors import Conflict, Invalid, TooLarge
from contextd_common.text.tokens import count_tokens

LONG = "\n".join(f"line {n} of a long output" for n in range(2_000)) + "\nError: it broke"
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AA", "detail": "auto"}


class Received:
    """An item as OpenAI's package gives it."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def model_dump(self, *, mode: str, exclude_unset: bool) -> dict[str, Any]:
        assert (mode, exclude_unset) == ("json", True)
        return self._values


def called(call: str, type: str = "function_call") -> dict[str, Any]:
    """An item that calls a tool."""
    said = {"input": "{}"} if type == "custom_tool_call" else {"arguments": "{}"}
    return {"type": type, "id": f"fc_{call}", "call_id": call, "name": "run", **said}


def answered(call: str, output: Any) -> dict[str, Any]:
    """An item with the output of a call."""
    return {"type": "function_call_output", "call_id": call, "output": output}


def reply(text: str) -> dict[str, Any]:
    """A message of the model as it is received."""
    part = {"type": "output_text", "text": text, "annotations": []}
    about = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    return {**about, "content": [part]}


def reasoned(sealed: str = "") -> dict[str, Any]:
    """Reasoning that goes before a call."""
    summary = [{"type": "summary_text", "text": "Look at the log first."}]
    return {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": sealed}


@pytest.fixture
def context() -> FoldingContext:
    question = {"role": "user", "content": [{"type": "input_text", "text": "Find the bug."}]}
    return FoldingContext([{"role": "developer", "content": "Be brief."}, question])


def test_a_response_of_several_items_is_taken_and_answered(context):
    for item in (reasoned(), reply("I read both."), called("a"), called("b", "custom_tool_call")):
        context.append(Received(item))
    context.result("b", "second")
    context.result("a", "first")
    assert problems(context.messages) == []
    assert context.messages[2:4] == [reasoned(), reply("I read both.")]
    assert context.messages[-2:] == [
        answered("a", "first"),
        {"type": "custom_tool_call_output", "call_id": "b", "output": "second"},
    ]
    [tool] = context.tools()
    assert tool["name"] == "branch"
    assert tool["strict"] is True
    assert tool["parameters"]["additionalProperties"] is False


def test_a_subtask_folds_into_the_output_of_its_call(context):
    context.append(called("t1"))
    context.append(called("b1"))
    context.branch("explore", "Read everything.", call="b1")
    context.result("t1", "beside")
    assert [one.get("role") for one in context.messages] == ["developer", "user"]
    context.append(called("r1"))
    context.result("r1", LONG)
    context.append(called("r2"))
    folded = context.return_("It is in a.py.")
    assert problems(context.messages) == []
    assert context.messages[-2:] == [answered("t1", "beside"), answered("b1", "It is in a.py.")]
    assert folded.raw - folded.kept == context.saved > 10_000


def test_older_outputs_become_digests_and_images_stay_in_them(context):
    context.append(called("a"))
    context.append(answered("a", [{"type": "input_text", "text": LONG}, IMAGE]))
    context.append(called("b"))
    context.result("b", LONG)
    before = context.tokens
    assert context.digest_outputs(keep=0) == ["a", "b"]
    texts = [one["output"] for one in context.messages if "output" in one]
    assert [part["type"] for part in texts[0]] == ["input_text", "input_image"]
    assert "Error: it broke" in texts[1]
    assert before - context.tokens == context.saved > 2 * (count_tokens(LONG) - 500)
    assert context.expand("a", "2-2") == "line 1 of a long output"


def test_calls_that_the_service_runs_by_itself_need_no_result(context):
    context.append({"type": "web_search_call", "id": "ws_1", "status": "completed"})
    context.append({"role": "user", "content": "go on"})
    before = context.tokens
    context.append(reasoned("x" * 5_000))
    assert context.tokens - before > 1_000
    assert problems(context.messages) == []


def test_a_screenshot_costs_what_an_image_costs_and_comes_as_its_item(context):
    context.append(
        {"type": "computer_call", "id": "cu_1", "call_id": "c", "action": {"type": "screenshot"}}
    )
    with pytest.raises(Invalid) as refused:
        context.result("c", "a text")
    assert "append()" in refused.value.hint
    before = context.tokens
    shot = {"type": "computer_screenshot", "image_url": "data:image/png;base64," + "A" * 90_000}
    context.append({"type": "computer_call_output", "call_id": "c", "output": shot})
    assert 1_000 < context.tokens - before < 2_000
    assert problems(context.messages) == []


def test_items_that_would_make_the_list_invalid_are_refused(context):
    with pytest.raises(Invalid):
        context.append(answered("nobody", "x"))
    with pytest.raises(Invalid):
        context.append({"type": "input_text", "text": "a part is no item"})
    context.append(called("a"))
    with pytest.raises(Invalid):
        context.append({"role": "user", "content": "x"})
    question = {"role": "user", "content": "x"}
    assert problems([question, called("a"), question])
    assert problems([question, answered("a", "x")])
    assert (
        problems([question, called("a"), called("b"), answered("b", ""), answered("a", "")]) == []
    )


def test_whatever_happens_the_list_stays_valid():
    rng = random.Random(7)
    context = FoldingContext(shape="responses", budget=4_000, subtask_budget=800)
    context.append({"role": "user", "content": "Begin."})
    waiting: list[str] = []
    for number in range(300):
        try:
            if waiting:
                call = waiting.pop()
                if rng.random() < 0.2:
                    context.branch("explore", "Read.", call=call)
                else:
                    context.result(call, "word " * rng.randint(1, 200))
            elif context.in_subtask and rng.random() < 0.3:
                context.return_("word " * rng.randint(1, 30))
            elif rng.random() < 0.2:
                context.digest_outputs(keep=rng.randint(0, 3), budget=100)
            else:
                waiting = [f"c{number}-{n}" for n in range(rng.randint(1, 2))]
                for item in (reasoned(), *map(called, waiting)):
                    context.append(item)
        except (TooLarge, Conflict):
            context.result(call, "refused", failed=True)
        except Invalid:
            # The call that opened a subtask waits for its message.
            waiting = []
            if context.in_subtask:
                context.return_("so far")
        assert problems(context.messages) == []
    assert json.dumps(context.messages)
