"""A message list with folding: a finished subtask leaves its message, old outputs leave a digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from contextd.domain.subtasks import WARNED_FROM
from contextd.folding.line_digest import digest_lines, plain_text
from contextd.folding.message_formats import (
    Message,
    Shape,
    answered_by,
    as_message,
    calls_of,
    is_standing,
    result_texts,
    results,
    said,
    shape_of,
    shape_told_by,
    tokens_of,
    with_more_results,
    with_result_texts,
)
from contextd.folding.responses_items import is_said_by_model, output_type
from contextd.folding.section_digest import piece
from contextd_common.errors import Conflict, Invalid, NotFound, TooLarge
from contextd_common.text.tokens import count_tokens, trim_to_tokens
from contextd_common.text.words import content_words

RETURN_NOW = "The budget of this subtask is used up. Nothing more is shown: return now."

_DESCRIPTIONS = {
    "branch": "Start an isolated subtask. It sees only its prompt, and only what it returns comes back.",
    "return": "End the subtask: outcome, files changed, findings, what is open.",
}
_ARGUMENTS = {"branch": ("description", "prompt"), "return": ("message",)}


@dataclass(slots=True)
class _Level:
    """A conversation: the agent's, or its subtask's."""

    messages: list[Message]
    budget: int
    waiting: list[str] = field(default_factory=list[str])
    answers: dict[str, tuple[str, bool]] = field(default_factory=dict[str, tuple[str, bool]])

    @property
    def tokens(self) -> int:
        return sum(map(tokens_of, self.messages))


@dataclass(frozen=True, slots=True)
class FoldedSubtask:
    """A finished subtask: `trace` is its whole conversation, `message` what remains of it.

    `raw` are the tokens of the trace, `kept` those of the message.
    """

    description: str
    prompt: str
    message: str
    trace: tuple[Message, ...]
    raw: int
    kept: int


class FoldingContext:
    """An agent's messages, with subtasks one level deep that fold into what they return.

    Append what the model and the tools say, and send `messages` to the model. Every tool call keeps its
    result: the call that opened a subtask gets the returned message. A subtask has its own budget within the
    total; past 80% results carry a warning, past 100% they are withheld. Nothing is written or sent anywhere.
    """

    def __init__(
        self,
        messages: Sequence[Any] = (),
        *,
        shape: Shape | None = None,
        budget: int = 32_000,
        subtask_budget: int = 8_000,
        subtasks: int = 10,
    ) -> None:
        given = [as_message(message) for message in messages]
        self.shape: Shape = shape or shape_of(given)
        self.folded: list[FoldedSubtask] = []
        self._limits = (subtask_budget, subtasks)
        self._parent = _Level([], budget)
        self._inner: _Level | None = None
        self._about = ("", "", "")
        self._originals: dict[str, str] = {}
        self._withheld = 0
        for message in given:
            self.append(message)

    @property
    def messages(self) -> list[Message]:
        """The messages to send to the model now."""
        return list(self._here.messages)

    @property
    def tokens(self) -> int:
        """The tokens of `messages`."""
        return self._here.tokens

    @property
    def saved(self) -> int:
        """The tokens removed from the conversation, by subtasks and digests."""
        return self._withheld + sum(max(0, one.raw - one.kept) for one in self.folded)

    @property
    def in_subtask(self) -> bool:
        """Whether a subtask is open."""
        return self._inner is not None

    @property
    def must_return(self) -> bool:
        """Whether the open subtask has used its budget up."""
        return self._inner is not None and self._inner.tokens >= self._inner.budget

    @property
    def warning(self) -> str:
        """A budget warning for the model; empty while enough is left."""
        here = self._here
        if here.tokens < WARNED_FROM * here.budget:
            return ""
        what = "return soon" if self._inner is not None else "start subtasks with branch"
        return f"({here.tokens:,} of {here.budget:,} tokens used: {what})"

    @property
    def _here(self) -> _Level:
        return self._inner if self._inner is not None else self._parent

    def append(self, message: Any) -> None:
        """Add a message of the user or the model, or one with tool results: a mapping, or an object of the
        vendors' packages. Results have the shape of their calls. A list of response items is added item by
        item, before any of its calls is answered.

        Raises `Invalid` for invalid messages, for results without a pending call, and for other messages
        while calls are pending.
        """
        here, message = self._here, as_message(message)
        answered = answered_by(message)
        if answered:
            texts = result_texts(message)
            unknown = [id for id in answered if id not in here.waiting]
            if unknown:
                raise Invalid(f"no pending call {unknown[0]!r}", "append the call first")
            _add_results(here, [message])
            here.waiting = [id for id in here.waiting if id not in texts]
            self._settle(here)
            return
        if here.waiting and not is_said_by_model(message):
            raise Invalid(f"the call {here.waiting[0]!r} has no result yet", "add it with result()")
        if not here.waiting:
            here.answers = {}
        here.messages.append(message)
        here.waiting = [*here.waiting, *calls_of(message)]
        self.shape = shape_told_by(message) or self.shape

    def result(self, call: str, text: str, *, failed: bool = False) -> None:
        """Answer a call of the last message; answers are added once each call has one.

        If the subtask's budget is used up, the model gets a notice instead of the text. Non-text results,
        such as images, are added with `append`.
        """
        if not isinstance(text, str):
            raise Invalid("a result must be text", "append() accepts messages with blocks")
        # Calls made beside a subtask may be answered while it is open.
        here = self._here if call in self._here.waiting else self._parent
        if call not in here.waiting or (self._inner is not None and call == self._about[2]):
            raise Invalid(f"no pending call {call!r}", "append the call first")
        if self.shape == "responses":
            output_type(here.messages, call)
        if here is self._inner and self.must_return:
            text, failed = RETURN_NOW, True
        here.answers[call] = (text, failed)
        self._settle(here)

    def _settle(self, level: _Level) -> None:
        if not level.waiting or any(id not in level.answers for id in level.waiting):
            return
        answers = [(id, *level.answers[id]) for id in level.waiting]
        _add_results(level, results(self.shape, answers, level.messages))
        level.waiting, level.answers = [], {}
        if self.warning and not self.must_return:
            last = answers[-1][0]
            last_text = f"{answers[-1][1]}\n{self.warning}"
            level.messages[-1] = with_result_texts(level.messages[-1], {last: last_text})

    def branch(
        self, description: str, prompt: str, *, budget: int | None = None, call: str = ""
    ) -> None:
        """Open a subtask that sees the standing instructions and its prompt. `call` is the tool call that
        requested it; it gets the returned message as its result.

        Raises `Conflict` inside a subtask, `TooLarge` if the limit of subtasks is reached or the budget is
        too small, and `Invalid` without a task or pending call.
        """
        if self._inner is not None:
            raise Conflict("subtasks are one level deep", "do this inside the open one, or return")
        if not description.strip() or not prompt.strip():
            raise Invalid("a subtask needs a description and a prompt", "describe the task")
        if call and call not in self._parent.waiting:
            raise Invalid(f"no pending call {call!r}", "append the call first")
        usual, most = self._limits
        if len(self.folded) >= most:
            raise TooLarge(f"the limit of {most} subtasks is reached", "continue without one")
        left = self._parent.budget - self._parent.tokens
        wanted = budget if budget is not None else min(usual, left)
        if not 0 < wanted <= left:
            raise TooLarge(
                f"no room for a subtask of {wanted:,} tokens: {max(0, left):,} are left",
                "fold outputs with digest_outputs(), or continue without a subtask",
            )
        standing = [message for message in self._parent.messages if is_standing(message)]
        self._inner = _Level([*standing, said(prompt)], wanted)
        self._about = (description, prompt, call)

    def return_(self, message: str) -> FoldedSubtask:
        """Fold the open subtask into its message, shortened to its budget.

        Raises `Conflict` if none is open, `Invalid` for an empty message.
        """
        inner = self._inner
        if inner is None:
            raise Conflict("no subtask is open", "branch() opens one")
        if not message.strip():
            raise Invalid("the message is empty", "summarise the subtask's result")
        description, prompt, call = self._about
        outcome = trim_to_tokens(message, inner.budget) or message[: 3 * inner.budget]
        done = FoldedSubtask(
            description, prompt, outcome, tuple(inner.messages), inner.tokens, count_tokens(outcome)
        )
        self._inner = None
        self.folded.append(done)
        if call:
            self.result(call, outcome)
        else:
            self.append(said(f"Result of the subtask {description!r}: {outcome}"))
        return done

    def digest_outputs(self, *, keep: int = 2, budget: int = 400, query: str = "") -> list[str]:
        """Replace tool results longer than `budget` tokens by digests, except those in the latest `keep`
        messages with results; return the handles that expand them.
        """
        here = self._here
        handles: list[str] = []
        holding = [n for n, message in enumerate(here.messages) if answered_by(message)]
        for n in holding[: max(0, len(holding) - keep)]:
            change: dict[str, str] = {}
            for call, text in result_texts(here.messages[n]).items():
                cost = count_tokens(text)
                if cost <= budget or self._is_folded(text):
                    continue
                handle = self._handle_for(call)
                digest = digest_lines(plain_text(text), budget - 20, content_words(query))
                change[call] = f"{digest}\n(folded from {cost:,} tokens; handle {handle})"
                self._originals[handle] = plain_text(text)
                self._withheld += cost - count_tokens(change[call])
                handles.append(handle)
            if change:
                here.messages[n] = with_result_texts(here.messages[n], change)
        return handles

    def _is_folded(self, text: str) -> bool:
        return text.rpartition("; handle ")[2].removesuffix(")") in self._originals

    def _handle_for(self, call: str) -> str:
        """The call's id; some models give the same id in every turn."""
        later = (f"{call}-{number}" for number in count(2))
        return next(one for one in chain([call], later) if one not in self._originals)

    def expand(self, handle: str, range: str = "") -> str:
        """Lines of a folded output, such as `10-40`; all of them if the range is empty.

        Raises `NotFound` for an unknown handle, `Invalid` for an invalid range.
        """
        if handle not in self._originals:
            known = ", ".join(list(self._originals)[-5:]) or "none yet"
            raise NotFound(f"unknown handle {handle!r}", f"known handles: {known}")
        return piece(self._originals[handle], range).text

    def tools(self) -> list[dict[str, Any]]:
        """The definition of the currently available tool, `branch` or `return`, in the shape of the messages."""
        name = "return" if self._inner is not None else "branch"
        arguments = {argument: {"type": "string"} for argument in _ARGUMENTS[name]}
        schema = {"type": "object", "properties": arguments, "required": list(arguments)}
        if self.shape == "responses":
            closed = {**schema, "additionalProperties": False}
            about = {"name": name, "description": _DESCRIPTIONS[name], "parameters": closed}
            return [{"type": "function", **about, "strict": True}]
        if self.shape == "openai":
            about = {"name": name, "description": _DESCRIPTIONS[name], "parameters": schema}
            return [{"type": "function", "function": about}]
        return [{"name": name, "description": _DESCRIPTIONS[name], "input_schema": schema}]


def _add_results(level: _Level, added: Sequence[Message]) -> None:
    last = level.messages[-1]
    if last.get("role") == "user" and answered_by(last):
        level.messages[-1] = with_more_results(last, added[0])
    else:
        level.messages += added
