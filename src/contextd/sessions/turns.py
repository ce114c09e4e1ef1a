"""The turns of a session: the request, the work, and the last answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta

from contextd.domain.origins import origin_of
from contextd.domain.records import digest
from contextd.domain.rewinds import entry_of, left_entries
from contextd.domain.sessions import HOOKED, Event
from contextd.sessions.outcome_signals import command_of, failed, tests_told
from contextd_common.dataclass import dataclass

_ASKING = frozenset({"prompt", "material"})
_SAID = frozenset({"queued", "refusal", "answer"})
_PROMPT_KEY = 400
_TOLD_AGAIN = timedelta(minutes=2)
"""How far apart a hook and the transcript may date the same prompt."""

_SHA = re.compile(r"^\[[\w./ -]{1,120}?\s([0-9a-f]{7,40})\]", re.M)


@dataclass(slots=True)
class Turn:
    """One turn: a prompt and everything until the next. `answers` are the user's further words during the turn:
    queued messages, refusals, answers to questions. `answer` is the agent's last message, `earlier` its
    other messages, `files` the files it wrote, `commands` its last commands and whether they succeeded. `delegated`
    are the commands of its sub-agents, `reports` their last messages; their writes and commits count as
    the turn's own. `taken_back_by` is the key of the turn that takes it back, and the words. `left` says that the
    user rewound it.
    """

    key: str
    began: datetime
    ended: datetime
    prompt: str
    answers: list[str] = field(default_factory=list[str])
    answer: str = ""
    earlier: list[str] = field(default_factory=list[str])
    files: dict[str, None] = field(default_factory=dict[str, None])
    commands: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    delegated: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    reports: dict[str, str] = field(default_factory=dict[str, str])
    commits: list[str] = field(default_factory=list[str])
    pull_requests: list[str] = field(default_factory=list[str])
    plan: str = ""
    summary: str = ""
    todo: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    open: list[str] = field(default_factory=list[str])
    failing: str = ""
    taken_back: bool = False
    taken_back_by: tuple[str, str] = ("", "")
    left: bool = False
    last_seq: int = 0


def turns_of(events: Iterable[Event]) -> list[Turn]:
    """The turns on the live line of a session, in order. The work of sub-agents counts in the turn it happened in;
    their prompts and messages are no turns.

    A prompt reported by both a hook and the transcript opens one turn with a stable key.
    """
    return [turn for turn in all_turns(events) if not turn.left]


def all_turns(events: Iterable[Event]) -> list[Turn]:
    """The turns of a session in order, with those that the user rewound."""
    history = list(events)
    reading = _Reading(left_entries(history))
    for event in _in_order(history):
        reading.take(event)
    return reading.turns


def live_line(events: Sequence[Event]) -> list[Event]:
    """The events of a session without the turns that the user rewound: these stand in its history alone. All that
    learns from a session, or tells of it, reads this line.
    """
    left = left_entries(events)
    if not left:
        return list(events)
    reading = _Reading(left)
    turn_of: dict[str, int] = {}
    for event in _in_order(events):
        reading.take(event)
        turn_of[event.key] = len(reading.turns) - 1
    asked = [
        {_asked_for(turn.prompt) for turn in reading.turns if turn.left is on}
        for on in (True, False)
    ]
    # A hook's prompt can arrive with a time of its own.
    only_left = asked[0] - asked[1]
    return [
        event
        for event in events
        if (place := turn_of[event.key]) < 0 or not reading.turns[place].left
        if _teller(event) != "hook" or _asked_for(event.text) not in only_left
    ]


def _in_order(events: Iterable[Event]) -> list[Event]:
    # Events from hooks are stored before those read later from the transcript.
    return sorted(events, key=lambda event: (event.at, event.seq))


def opens_turn(event: Event) -> bool:
    """Whether this event starts a turn by passing control to the agent.

    Messages typed ahead, answers and refusals reach the agent within its turn.
    """
    if event.data.get("sidechain") or event.role != "user":
        return False
    return origin_of(event) in _ASKING


def turn_ends(events: Sequence[Event]) -> set[str]:
    """The keys of the agent's last message before each prompt and before the end."""
    ends: set[str] = set()
    last = ""
    for event in events:
        if opens_turn(event):
            ends.add(last)
            last = ""
        elif origin_of(event) == "assistant" and not event.data.get("sidechain"):
            last = event.key
    ends.add(last)
    ends.discard("")
    return ends


class _Reading:
    def __init__(self, left: frozenset[str]) -> None:
        self.turns: list[Turn] = []
        self._left = left
        self._seen: Counter[str] = Counter()
        self._commands: dict[str, str] = {}
        self._from_transcript = False
        self._told_by: dict[str, str] = {}
        self._not_hooked: Counter[str] = Counter()
        self._asked_at, self._words = datetime.min.replace(tzinfo=UTC), ""

    def take(self, event: Event) -> None:
        """Add an event to its turn."""
        origin = origin_of(event)
        if opens_turn(event):
            self._asked(event)
            return
        if origin == "summary" and not event.data.get("sidechain"):
            self._begun(event).summary = event.text
            return
        if not self.turns:
            return
        turn = self.turns[-1]
        turn.ended = max(turn.ended, event.at)
        turn.last_seq = max(turn.last_seq, event.seq)
        if event.type == "tool_call":
            self._commands[str(event.data.get("id", ""))] = command_of(event)
        elif event.type == "file_access" and event.data.get("mode") == "write":
            turn.files[str(event.data.get("path", ""))] = None
        elif event.type == "tool_result":
            self._ran(turn, event)
        elif event.data.get("sidechain"):
            _report(turn, event, origin)
        else:
            _say(turn, event, origin)

    def _asked(self, event: Event) -> None:
        last = self.turns[-1] if self.turns else None
        asked = _asked_for(event.text)
        if last is not None and self._is_told_again(last, event, asked):
            if event.type == "message" and not self._from_transcript:
                last.prompt = event.text
                self._from_transcript = True
            # A hook reports what a prompt passes on in an event of its own.
            self._not_hooked[self._words] -= (
                _teller(event) == "hook" and "hook" not in self._told_by
            )
            last.left = last.left or entry_of(event.key) in self._left
            self._told_by[_teller(event)] = event.key
            last.last_seq = max(last.last_seq, event.seq)
            return
        if _teller(event) == "hook" and self._not_hooked[asked] > 0:
            # A copied or replayed transcript has its own times.
            self._not_hooked[asked] -= 1
            return
        self._not_hooked[asked] += _teller(event) != "hook"
        self._from_transcript = event.type == "message"
        self._told_by = {_teller(event): event.key}
        self._asked_at, self._words = event.at, asked
        self._seen[asked] += 1
        turn = Turn(
            key=digest(f"{asked}\n{self._seen[asked]}"),
            began=event.at,
            ended=event.at,
            prompt=event.text,
            left=entry_of(event.key) in self._left,
            last_seq=event.seq,
        )
        before = next((one for one in reversed(self.turns) if not one.left), None)
        if before is not None:
            turn.todo = list(before.todo)
            turn.failing = before.failing
        self.turns.append(turn)

    def _is_told_again(self, last: Turn, event: Event, asked: str) -> bool:
        """Whether a prompt is the one that opened the last turn: reported by both hook and transcript, or
        its pasted part.
        """
        before = self._told_by.get(_teller(event))
        if before is not None:
            return entry_of(before) == entry_of(event.key)
        if not self._told_by or event.at - self._asked_at > _TOLD_AGAIN:
            return False
        # A transcript with times in whole seconds may have the answer before the hook's prompt.
        return asked == self._words or not (last.answer or last.commands)

    def _begun(self, event: Event) -> Turn:
        """The open turn; one without a prompt if a session continues from a summary."""
        if not self.turns:
            key = digest(f"summary {event.text[:_PROMPT_KEY]}")
            self.turns.append(Turn(key=key, began=event.at, ended=event.at, prompt=""))
        self.turns[-1].last_seq = max(self.turns[-1].last_seq, event.seq)
        return self.turns[-1]

    def _ran(self, turn: Turn, event: Event) -> None:
        command = self._commands.get(str(event.data.get("id", "")), "")
        if event.data.get("tool") != "Bash" and "exit_code" not in event.data:
            return
        outcome = tests_told(event, command)
        wrong = failed(event) or outcome == "failed"
        if command and event.data.get("sidechain"):
            turn.delegated = [*turn.delegated, (command, not wrong)][-12:]
        elif command:
            turn.commands = [*turn.commands, (command, not wrong)][-12:]
        if outcome == "failed":
            turn.failing = command
        elif outcome == "passed":
            turn.failing = ""
        if not wrong and "git commit" in command:
            turn.commits += _SHA.findall(event.text)


def _teller(event: Event) -> str:
    return "hook" if event.key.startswith(HOOKED) or event.type == "query" else "transcript"


def _asked_for(prompt: str) -> str:
    return " ".join(prompt[:_PROMPT_KEY].split())


def _say(turn: Turn, event: Event, origin: str) -> None:
    if origin in _SAID:
        turn.answers.append(event.text)
    elif origin == "plan":
        turn.plan = event.text
    elif origin == "todo":
        items: Sequence[object] = event.data.get("items", ())
        turn.todo = [pair for item in items if (pair := _todo(item)) is not None]
    elif origin == "commit":
        named = str(event.data.get("sha", ""))
        title = f"{event.text.splitlines()[0] if event.text else ''}"
        turn.commits = [c for c in turn.commits if not named or not c.startswith(named[:7])]
        turn.commits.append(f"{named[:8]} {title}".strip())
    elif origin == "pull_request":
        named = str(event.data.get("url") or event.data.get("number") or "")
        title = event.text.splitlines()[0] if event.text else ""
        turn.pull_requests.append(f"{named} {title}".strip())
    elif event.role == "assistant" and event.type in ("message", "note") and event.text.strip():
        _answer(turn, event.text.strip())


def _report(turn: Turn, event: Event, origin: str) -> None:
    """Add a sub-agent's work and last message. Its instructions are not the user's words."""
    if origin in ("commit", "pull_request"):
        _say(turn, event, origin)
    elif event.role == "assistant" and event.type == "message" and event.text.strip():
        turn.reports[str(event.data.get("agent", ""))] = event.text.strip()


def _answer(turn: Turn, text: str) -> None:
    """Take the agent's message as the answer, unless it only closes a longer one."""
    open_line = _OPEN.search(text)
    if open_line is not None and len(text) < _CLOSING:
        turn.open = [*turn.open, open_line[1].strip()]
        text = text[: open_line.start()].strip()
    if not text or text == turn.answer:
        return
    if len(text) >= _SAYS or len(turn.answer) < _SAYS:
        text, turn.answer = turn.answer, text
    if text:
        turn.earlier.append(text)


_OPEN = re.compile(r"^Open: *(.+)$", re.M)
_CLOSING, _SAYS = 600, 60
"""Character limits: a message up to the first with a line `Open:` responds to contextd's request at the
end of a turn; one below the second does not replace the earlier answer (`Noted.`, `Done.`).
"""


def _todo(item: object) -> tuple[str, str] | None:
    if isinstance(item, dict):
        text = str(item.get("content") or item.get("text") or "").strip()
        return (text, str(item.get("status") or item.get("state") or "pending")) if text else None
    return None
