"""A message list that folds: subtasks leave their message in it, and old outputs their digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from contextd.domain.errors import Conflict, Invalid, NotFound, TooLarge
from contextd.domain.subtasks import WARNED_FROM
from contextd.domain.tokens import count_tokens, trim_to_tokens
from contextd.domain.words import content_words
from contextd.folding.items import is_said_by_model, output_type
from contextd.folding.line_digest import digest_lines, plain_text
from contextd.folding.section_digest import piece
from contextd.folding.shapes import (
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

RETURN_NOW = "The budget of this subtask is used up. Nothing more is shown: return now."

_DESCRIPTIONS = {
    "branch": "Set a subtask apart. It sees its prompt and nothing else of this conversation, and "
    "only what it returns comes back.",
    "return": "End the subtask: outcome, files changed, findings, what is open.",
}
_ARGUMENTS = {"branch": ("description", "prompt"), "return": ("message",)}


@dataclass(slots=True)
class _Level:
    """A conversation: that of the agent, or of its subtask."""

    messages: list[Message]
    budget: int
    waiting: list[str] = field(default_factory=list[str])
    answers: dict[str, tuple[str, bool]] = field(default_factory=dict[str, tuple[str, bool]])

    @property
    def tokens(self) -> int:
        return sum(map(tokens_of, self.messages))


@dataclass(frozen=True, slots=True)
class FoldedSubtask:
    """A subtask that returned: `trace` is all of its conversation, of which `message` is left.

    `raw` tokens stood in it, `kept` are those of its message.
    """

    description: str
    prompt: str
    message: str
    trace: tuple[Message, ...]
    raw: int
    kept: int


class FoldingContext:
    """The messages of an agent, with subtasks one level deep that fold into what they return.

    Give it what the model and the tools say, and send `messages` to the model. Every call of a tool
    keeps its result: the call that opened a subtask gets the returned message as its own. A subtask has
    a budget of its own inside that of the whole; past four fifths of it results carry a warning, past
    all of it they are withheld. Nothing is written or sent anywhere.
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
        """What the model is to be sent now."""
        return list(self._here.messages)

    @property
    def tokens(self) -> int:
        """What `messages` costs."""
        return self._here.tokens

    @property
    def saved(self) -> int:
        """The tokens that are no longer in the conversation: of subtasks, and of outputs in digests."""
        return self._withheld + sum(max(0, one.raw - one.kept) for one in self.folded)

    @property
    def in_subtask(self) -> bool:
        """Whether a subtask is open."""
        return self._inner is not None

    @property
    def must_return(self) -> bool:
        """Whether the open subtask used its budget up."""
        return self._inner is not None and self._inner.tokens >= self._inner.budget

    @property
    def warning(self) -> str:
        """What a model should be told of the budget; empty while there is enough of it."""
        here = self._here
        if here.tokens < WARNED_FROM * here.budget:
            return ""
        what = "return soon" if self._inner is not None else "set subtasks apart with branch"
        return f"({here.tokens:,} of {here.budget:,} tokens used: {what})"

    @property
    def _here(self) -> _Level:
        return self._inner if self._inner is not None else self._parent

    def append(self, message: Any) -> None:
        """Add a message of the user or the model, or one that holds results of tools: a mapping, or an
        object of the vendors' packages. Results are given in the shape of the calls. Of a response that
        is a list of items each is added, before any of its calls is answered.

        Raises `Invalid` for what is no message, for results that nobody waits for, and for anything
        else while calls wait.
        """
        here, message = self._here, as_message(message)
        answered = answered_by(message)
        if answered:
            texts = result_texts(message)
            unknown = [id for id in answered if id not in here.waiting]
            if unknown:
                raise Invalid(f"no call {unknown[0]!r} waits for a result", "append the call first")
            _add_results(here, [message])
            here.waiting = [id for id in here.waiting if id not in texts]
            self._settle(here)
            return
        if here.waiting and not is_said_by_model(message):
            raise Invalid(
                f"the call {here.waiting[0]!r} has no result yet", "give it one with result()"
            )
        if not here.waiting:
            here.answers = {}
        here.messages.append(message)
        here.waiting = [*here.waiting, *calls_of(message)]
        self.shape = shape_told_by(message) or self.shape

    def result(self, call: str, text: str, *, failed: bool = False) -> None:
        """Answer a call of the last message; the answers are added once each call has one.

        Where the budget of a subtask is used up, the model is told so in place of the text. A result that
        is no text, such as an image, comes as a message, through `append`.
        """
        if not isinstance(text, str):
            raise Invalid("a result is a text", "append() takes a message that holds blocks")
        # What was called beside a subtask may be answered while that is open.
        here = self._here if call in self._here.waiting else self._parent
        if call not in here.waiting or (self._inner is not None and call == self._about[2]):
            raise Invalid(f"no call {call!r} waits for a result", "append the call first")
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
        asked for it, which gets the returned message as its result.

        Raises `Conflict` inside a subtask, `TooLarge` when there were as many as there may be or the
        conversation has no room for one, and `Invalid` for what names no task or no waiting call.
        """
        if self._inner is not None:
            raise Conflict("subtasks are one level deep", "do this inside the open one, or return")
        if not description.strip() or not prompt.strip():
            raise Invalid("a subtask needs a description and a prompt", "say what is to be done")
        if call and call not in self._parent.waiting:
            raise Invalid(f"no call {call!r} waits for a result", "append the call first")
        usual, most = self._limits
        if len(self.folded) >= most:
            raise TooLarge(f"there were {most} subtasks", "go on without one")
        left = self._parent.budget - self._parent.tokens
        wanted = budget if budget is not None else min(usual, left)
        if not 0 < wanted <= left:
            raise TooLarge(
                f"a subtask of {wanted:,} tokens has no room: {max(0, left):,} are left",
                "fold outputs with digest_outputs(), or go on without a subtask",
            )
        standing = [message for message in self._parent.messages if is_standing(message)]
        self._inner = _Level([*standing, said(prompt)], wanted)
        self._about = (description, prompt, call)

    def return_(self, message: str) -> FoldedSubtask:
        """Fold the open subtask into its message, cut to its budget.

        Raises `Conflict` when none is open, `Invalid` for an empty message.
        """
        inner = self._inner
        if inner is None:
            raise Conflict("no subtask is open", "branch() opens one")
        if not message.strip():
            raise Invalid("the message is empty", "say what came out of the subtask")
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
        """Replace the results of tools that are longer than `budget` tokens by digests, but for those of
        the latest `keep` messages with results; the handles by which they are expanded.
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
        """Lines of an output that was folded, such as `10-40`; all of them when the range is empty.

        Raises `NotFound` for an unknown handle, `Invalid` for lines that make no range.
        """
        if handle not in self._originals:
            known = ", ".join(list(self._originals)[-5:]) or "none yet"
            raise NotFound(f"nothing stands behind {handle!r}", f"known handles: {known}")
        return piece(self._originals[handle], range).text

    def tools(self) -> list[dict[str, Any]]:
        """The definition of the tool that can be called now, `branch` or `return`, in the shape of the
        messages.
        """
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
