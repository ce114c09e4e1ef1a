"""A message list that folds: what a model is sent stays valid, and what was folded is accounted for."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contextd.folding import FoldingContext, problems
from contextd.folding.message_formats import shape_of
from contextd_common.errors import Conflict, ContextdError, Invalid, NotFound, TooLarge
from contextd_common.text.tokens import count_tokens

GUIDE = Path(__file__).parents[3] / "docs" / "howto" / "folding.md"
LONG = "\n".join(f"line {n} of a long output" for n in range(2_000)) + "\nError: it broke"

TEXT = {"type": "text", "text": "two"}


class Sent:
    """What the vendors' packages give: values with a dump, as pydantic makes it."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def model_dump(self, *, mode: str, exclude_unset: bool) -> dict[str, Any]:
        assert (mode, exclude_unset) == ("json", True)
        return self._values


def holding(shape: str, call: str, content: Any) -> dict[str, Any]:
    """A message with the result of one call."""
    if shape == "openai":
        return {"role": "tool", "tool_call_id": call, "content": content}
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {"role": "user", "content": [block]}


def calling(shape: str, *calls: str) -> dict[str, Any]:
    """A message of the assistant that calls a tool under each of these ids."""
    if shape == "openai":
        made = [
            {"id": id, "type": "function", "function": {"name": "run", "arguments": "{}"}}
            for id in calls
        ]
        return {"role": "assistant", "content": None, "tool_calls": made}
    blocks = [{"type": "tool_use", "id": id, "name": "run", "input": {"n": 1}} for id in calls]
    return {"role": "assistant", "content": [{"type": "text", "text": "let me see"}, *blocks]}


@pytest.fixture(params=["anthropic", "openai"])
def shape(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def context(shape: Any) -> FoldingContext:
    made = FoldingContext(shape=shape)
    if shape == "openai":
        made.append({"role": "system", "content": "Be brief."})
    made.append({"role": "user", "content": "Find the bug."})
    return made


def test_a_subtask_leaves_its_message_as_the_result_of_its_call(context, shape):
    context.append(calling(shape, "b1"))
    context.branch("explore", "Read everything.", call="b1")
    assert [m["role"] for m in context.messages if m["role"] == "user"] == ["user"]
    assert context.messages[-1]["content"] == "Read everything."
    context.append(calling(shape, "t1", "t2"))
    context.result("t2", LONG[:4_000])
    assert context.messages[-1]["role"] == "assistant"
    context.result("t1", "short")
    assert problems(context.messages) == []
    context.append(calling(shape, "r1"))
    folded = context.return_("It is in a.py.")
    assert problems(context.messages) == []
    assert "It is in a.py." in json.dumps(context.messages[-1])
    assert LONG[:200] not in json.dumps(context.messages)
    assert folded.raw - folded.kept == context.saved > 0
    assert LONG[:200] in "".join(map(str, folded.trace[-2:])) or len(folded.trace) > 3


def test_a_subtask_nobody_called_for_leaves_a_message(context):
    context.branch("explore", "Read everything.")
    context.return_("It is in a.py.")
    assert context.messages[-1] == {
        "role": "user",
        "content": "Result of the subtask 'explore': It is in a.py.",
    }


def test_near_the_budget_results_carry_a_warning_and_past_it_they_are_withheld(context, shape):
    context.branch("explore", "Read.", budget=600)
    context.append(calling(shape, "t1"))
    context.result("t1", "word " * 480)
    assert "return soon" in json.dumps(context.messages[-1])
    assert not context.must_return
    context.append(calling(shape, "t2"))
    context.result("t2", "word " * 480)
    assert context.must_return
    context.append(calling(shape, "t3"))
    context.result("t3", "what nobody sees")
    assert "return now" in json.dumps(context.messages[-1])
    assert "what nobody sees" not in json.dumps(context.messages)
    assert problems(context.messages) == []
    context.return_("enough")
    assert not context.in_subtask


def test_subtasks_are_one_level_deep_and_counted(context):
    context.branch("one", "Do it.")
    with pytest.raises(Conflict):
        context.branch("two", "Do it.")
    context.return_("done")
    for number in range(9):
        context.branch(f"more {number}", "Do it.")
        context.return_("done")
    with pytest.raises(TooLarge):
        context.branch("eleventh", "Do it.")
    with pytest.raises(Conflict):
        context.return_("done")


def test_a_subtask_needs_room_in_the_conversation(shape):
    context = FoldingContext(shape=shape, budget=1_000)
    context.append({"role": "user", "content": "word " * 700})
    with pytest.raises(TooLarge):
        context.branch("large", "Do it.", budget=500)
    context.branch("as much as there is", "Do it.")
    context.return_("word " * 2_000)
    assert context.folded[0].kept < 400


def test_tool_calls_beside_a_subtask_keep_their_results(context, shape):
    context.append(calling(shape, "t1", "b1"))
    context.branch("explore", "Read.", call="b1")
    context.result("t1", "beside")
    with pytest.raises(Invalid):
        context.result("b1", "not so")
    context.return_("folded")
    assert problems(context.messages) == []
    assert "beside" in json.dumps(context.messages[-2:])
    assert "folded" in json.dumps(context.messages[-1])


@pytest.mark.parametrize(
    "step",
    [
        lambda c, s: c.result("t9", "x"),
        lambda c, s: (c.append(calling(s, "t1")), c.append({"role": "user", "content": "x"})),
        lambda c, s: c.branch("", "x"),
        lambda c, s: c.branch("x", "y", call="t9"),
        lambda c, s: (c.branch("x", "y"), c.return_(" ")),
    ],
)
def test_steps_that_would_make_the_message_list_invalid_are_refused(context, shape, step):
    with pytest.raises(ContextdError) as refused:
        step(context, shape)
    assert refused.value.hint


def test_older_outputs_become_digests_and_can_be_expanded(context, shape):
    for number in range(4):
        context.append(calling(shape, f"t{number}"))
        context.result(f"t{number}", LONG if number < 3 else "short")
    before = context.tokens
    assert context.digest_outputs(keep=2) == ["t0", "t1"]
    assert context.digest_outputs(keep=2) == []
    assert problems(context.messages) == []
    assert before - context.tokens == context.saved > 2 * (count_tokens(LONG) - 500)
    assert json.dumps(context.messages).count("Error: it broke") == 3
    assert context.expand("t0", "2-3") == "line 1 of a long output\nline 2 of a long output"
    with pytest.raises(NotFound):
        context.expand("t2")


def test_results_follow_the_shape_of_their_calls(shape):
    """The first messages tell nothing, or what both APIs may begin with."""
    for begin in ({"role": "user", "content": "x"}, {"role": "system", "content": [TEXT]}):
        context = FoldingContext([begin])
        context.append(calling(shape, "t1"))
        context.result("t1", "x")
        assert context.messages[-1]["role"] == ("tool" if shape == "openai" else "user")
        assert ("function" in context.tools()[0]) is (shape == "openai")


def test_parallel_calls_are_answered_one_by_one_in_either_way(context, shape):
    own = FoldingContext(shape=shape)
    own.append(calling(shape, "t1", "t2", "t3"))
    context.append(calling(shape, "t1", "t2", "t3"))
    context.append(holding(shape, "t2", [TEXT]))
    context.result("t1", "one")
    with pytest.raises(Invalid):
        context.append({"role": "user", "content": "go on"})
    context.append(holding(shape, "t3", [TEXT]))
    assert problems(context.messages) == []
    context.append({"role": "assistant", "content": "done"})
    with pytest.raises(Invalid):
        own.result("t1", [TEXT])


def test_an_image_stays_when_the_text_beside_it_is_folded():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
    context = FoldingContext([{"role": "user", "content": [image, TEXT]}])
    assert context.tokens > 1_000
    context.append(calling("anthropic", "t1"))
    context.append(holding("anthropic", "t1", [{"type": "text", "text": LONG}, image]))
    before = context.tokens
    assert context.digest_outputs(keep=0) == ["t1"]
    [result] = context.messages[-1]["content"]
    assert [part["type"] for part in result["content"]] == ["text", "image"]
    assert before - context.tokens == context.saved > 1_000
    assert context.digest_outputs(keep=0, budget=50) == []


def test_ids_that_come_again_each_turn_have_handles_of_their_own(context, shape):
    for turn in range(3):
        context.append(calling(shape, "call_0"))
        context.result("call_0", f"turn {turn}\n{LONG}")
    handles = context.digest_outputs(keep=0)
    assert [context.expand(one, "1-1") for one in handles] == ["turn 0", "turn 1", "turn 2"]


def test_objects_of_the_vendors_packages_are_taken(shape):
    given = calling(shape, "t1")
    within = given["tool_calls"] if shape == "openai" else given["content"]
    objects = [Sent(one) for one in within]
    beside = Sent({"type": "message", "id": "m1", **given})
    for message in (given | {"tool_calls" if shape == "openai" else "content": objects}, beside):
        context = FoldingContext([{"role": "user", "content": "x"}])
        context.append(message)
        context.result("t1", "x")
        assert problems(context.messages) == []
        assert json.dumps(context.messages)
    with pytest.raises(Invalid):
        FoldingContext(["x"])


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_the_list_stays_valid(shape, seed):
    rng = random.Random(seed)
    context = FoldingContext(shape=shape, budget=4_000, subtask_budget=800)
    context.append({"role": "user", "content": "Begin."})
    waiting: list[str] = []
    for number in range(120):
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
                context.append(calling(shape, *waiting))
        except (TooLarge, Conflict):
            context.result(call, "refused", failed=True)
        except Invalid:
            # The call that opened a subtask waits for its message.
            waiting = []
            if context.in_subtask:
                context.return_("so far")
        assert problems(context.messages) == []


def test_the_shape_is_seen_from_the_messages():
    assert shape_of([{"role": "system", "content": "x"}]) == "openai"
    assert shape_of([{"role": "user", "content": [{"type": "text", "text": "x"}]}]) == "anthropic"
    assert "function" in FoldingContext(shape="openai").tools()[0]
    assert FoldingContext().tools()[0]["name"] == "branch"


def test_a_broken_list_is_recognised(shape):
    begin = {"role": "user", "content": "x"}
    assert problems([begin, calling(shape, "t1")]) == []
    assert problems([begin, calling(shape, "t1"), begin])
    context = FoldingContext([begin], shape=shape)  # type: ignore[arg-type]
    context.append(calling(shape, "t1"))
    context.result("t1", "x")
    assert problems([context.messages[-1]])


def test_the_loop_of_the_guide_runs_as_it_stands():
    [code] = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    tokens, saved = map(int, re.findall(r"\d+", done.stdout))
    assert tokens < 200 < 5_000 < saved


def test_importing_it_loads_no_server_and_no_model():
    code = "import sys, contextd.folding; print([m for m in ('mcp', 'pydantic', 'numpy', 'apsw', 'anyio', 'onnxruntime') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
