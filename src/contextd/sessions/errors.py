"""Errors by signature: the same error in another session, whatever its paths, numbers and times."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from contextd.domain.records import digest
from contextd.domain.sessions import Event
from contextd.sessions.signals import command_of, failed, tests_told

ERRORS = "errors"
"""Where a session keeps the errors it met, and what ended them."""

MOST = 20
_LINE = re.compile(
    r"^.{0,200}(?:\b\w*(?:Error|Exception)\b|\berror(?:\[\w+\])?:|\bfatal:|\bpanic:|\bcannot |\bcan't |\bnot found\b|\bfailed to\b"
    r"|\bdenied\b|\bundefined\b|\bunauthori[sz]ed\b|\brefused\b).{0,300}$",
    re.M | re.I,
)
_LITERALS = (
    (re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`"), "'…'"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\w.@~-]*/)+[\w.@-]+"), "…/…"),
    (re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{7,64}\b", re.I), "#"),
    (re.compile(r"\d+"), "#"),
)
_READ = 20_000


@dataclass(slots=True)
class Met:
    """An error a session met: its line, the command that showed it, and, once that command succeeded,
    the files written and the command run in between.
    """

    signature: str
    line: str
    command: str
    ended: bool = False
    files: list[str] = field(default_factory=list[str])
    between: list[str] = field(default_factory=list[str])


def signature(line: str) -> str:
    """What is the same whenever an error comes back: its words, without paths, names and numbers."""
    for pattern, instead in _LITERALS:
        line = pattern.sub(instead, line)
    return " ".join(line.casefold().split())[:200]


def errors_met(events: Iterable[Event]) -> list[Met]:
    """The errors of a session, each once, with what ended them."""
    found: dict[str, Met] = {}
    commands: dict[str, str] = {}
    for event in events:
        if event.type == "tool_call":
            command = command_of(event)[:300]
            commands[str(event.data.get("id", ""))] = command
            for met in found.values():
                if not met.ended and event.data.get("tool") == "Bash" and command != met.command:
                    met.between = [*met.between, command][-3:]
        elif event.type == "file_access" and event.data.get("mode") == "write":
            for met in found.values():
                if not met.ended:
                    met.files = list(dict.fromkeys([*met.files, str(event.data.get("path", ""))]))[
                        -5:
                    ]
        elif event.type == "tool_result" and not event.data.get("rejected"):
            _answered(event, commands.get(str(event.data.get("id", "")), ""), found)
    return list(found.values())[:MOST]


def _answered(event: Event, command: str, found: dict[str, Met]) -> None:
    if failed(event) or tests_told(event) == "failed":
        line = _telling_line(event.text[:_READ])
        if line:
            found.setdefault(signature(line), Met(signature(line), line, command))
        return
    for met in found.values():
        if not met.ended and met.command == command:
            met.ended = True


def _telling_line(output: str) -> str:
    """The first line that says what went wrong, not merely that something did."""
    for told in _LINE.finditer(output):
        line = " ".join(told[0].split())[:300]
        words = [word for word in signature(line).split() if word.strip(".,;()").isalpha()]
        if len(words) >= _FEWEST_WORDS and not _HEADLINE.search(line):
            return line
    return ""


_FEWEST_WORDS = 3
_HEADLINE = re.compile(
    r"\b(?:task|recipe|command|script|process|job|target|step|build|lifecycle|subprocess|tests?)\b.{0,60}\bfailed\b"
    r"|\bfailed with\b.{0,40}\b(?:code|status)\b|\bexit(?:ed)?(?: with)? (?:code|status)\b|\bmake(?:\[\d+\])?: \*\*\*"
    r"|\bnpm (?:ERR!|error) (?:code|errno|path|command)\b|\berror(?:s)? found\b|^\W*error\W*$",
    re.I,
)


def kept(errors: Iterable[Met]) -> list[list[object]]:
    """Errors as a session keeps them, in little room."""
    return [[digest(met.signature)[:16], met.ended] for met in errors]


def sightings(signature: str, kept_before: Iterable[object]) -> int:
    """In how many sessions an error was met, by what they kept."""
    wanted = digest(signature)[:16]
    return sum(
        isinstance(errors, list)
        and any(isinstance(e, list) and e and e[0] == wanted for e in errors)
        for errors in kept_before
    )
