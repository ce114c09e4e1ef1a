"""Whether a session ran a command that a record names, and whether it came out as the record says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from contextd.claims.stems import NEGATION
from contextd.domain.sessions import Event
from contextd.sessions.outcome_signals import command_of, failed, tests_told
from contextd_common.text.regex import regex

CommandOutcome = Literal["proved", "refuted", "used", ""]

_QUOTED = regex(r"`([^`\n]+ [^`\n]+)`")
"""A command of two words and more. One word alone names many things."""

_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_FAILS = regex(r"\b(?:fail|break|broke|hang|crash|instead of|rather than|wrong|error)", re.I)
_STEP = regex(r"&&|\|\||;|\n|\|")
_UNKNOWN = regex(
    r"command not found|no such (?:file|target|script|command)|unknown (?:command|option|argument)|missing script"
    r"|no rule to make target|unrecognized (?:option|argument)|is not recognized",
    re.I,
)
"""The command itself does not exist. A test run that fails refutes no record about how tests are run."""


def command_outcome(text: str, events: Sequence[Event], since: datetime) -> CommandOutcome:
    """`proved` if a command that the text recommends ran without a failure since then, `refuted` if there is no such
    command, `used` if it failed for another reason; empty if it never ran. The last run decides.
    """
    named = [
        " ".join(command.split())
        for sentence in _SENTENCE.split(text)
        if not (NEGATION.search(sentence) or _FAILS.search(sentence))
        for command in _QUOTED.findall(sentence)
    ]
    if not named:
        return ""
    found: CommandOutcome = ""
    commands: dict[str, str] = {}
    for event in events:
        id = str(event.data.get("id", ""))
        if event.type == "tool_call":
            commands[id] = command_of(event)
        elif (
            event.type == "tool_result" and event.at >= since and _runs(commands.get(id, ""), named)
        ):
            if not failed(event) and tests_told(event, commands[id]) != "failed":
                found = "proved"
            else:
                found = "refuted" if _UNKNOWN.search(event.text) else "used"
    return found


def _runs(command: str, named: Sequence[str]) -> bool:
    steps = [" ".join(step.split()) for step in _STEP.split(command)]
    return any(step == one or step.startswith(f"{one} ") for step in steps for one in named)
