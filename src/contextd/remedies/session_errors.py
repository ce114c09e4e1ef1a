"""The errors of a session: failed attempts and fixes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field

from contextd.domain.records import digest
from contextd.domain.sessions import Event
from contextd.remedies.signatures import ErrorLine, error_lines
from contextd.sessions.outcome_signals import command_of, failed, tests_told
from contextd.skills.command_steps import forms, instead_of
from contextd_code.dataclass import dataclass

ERRORS = "errors"
"""Session data: its errors and fixes."""

MOST = 20
_READ = 20_000
_MOST_TRIED, _MOST_STEPS = 3, 3
_LONGEST_COMMAND, _LONGEST_DIFF = 300, 800
_VARIANT, _SOON = 0.5, 4
"""A command is a variant of the failed one if they share this fraction of words and it ran within this
many commands.
"""

_SHELLS = ("Bash", "Shell", "shell", "PowerShell", "run_shell_command", "exec_command")


@dataclass(slots=True)
class Met:
    """An error of a session: its line and the command that showed it. Once that command or a variant
    succeeded, also the files written, the commands in between and the last edit. `instead` is the
    variant, if any; `tried` are the steps before the error recurred.
    """

    signature: str
    line: str
    command: str
    ended: bool = False
    files: list[str] = field(default_factory=list[str])
    between: list[str] = field(default_factory=list[str])
    instead: str = ""
    diff: str = ""
    tried: list[str] = field(default_factory=list[str])
    after: int = 0

    @property
    def steps(self) -> list[str]:
        """The steps taken, in words; empty if none."""
        actions = [f"run `{command}`" for command in self.between]
        actions += ["change " + ", ".join(self.files)] if self.files else []
        return actions + ([f"run `{self.instead}` instead"] if self.instead else [])

    @property
    def fixes(self) -> dict[str, str]:
        """Possible fixes, independent of their targets, each with the concrete step; empty if a file was
        changed, since then the change is the fix.
        """
        if not self.ended or self.files:
            return {}
        failing = set(forms(self.command))
        if not any(form.startswith("git ") for form in failing):
            failing |= _ALWAYS_RUN
        found = {
            form: f"run `{command}`"
            for command in self.between
            for form in forms(command)
            if form not in failing
        }
        other = instead_of(self.instead, self.command) if self.instead else ""
        if not other:
            return found
        left_out = [word[1:] for word in other.split()] if "+" not in other else []
        without = f"leave out `{' '.join(left_out)}`: " if left_out else ""
        return found | {other: f"{without}run `{self.instead}` instead"}


_ALWAYS_RUN = frozenset(
    {"git add", "git commit", "git push", "git checkout", "git pull", "git stash"}
)
"""Commands that sessions run anyway and that only fix git's own errors."""


def errors_met(events: Iterable[Event]) -> list[Met]:
    """The distinct errors of a session, with their fixes."""
    found: dict[str, Met] = {}
    commands: dict[str, str] = {}
    for event in events:
        if event.data.get("sidechain"):
            continue
        if event.type == "tool_call":
            commands[str(event.data.get("id", ""))] = command_of(event)[:_LONGEST_COMMAND]
            for met in found.values():
                if not met.ended:
                    _edited(met, event)
        elif event.type == "file_access" and event.data.get("mode") == "write":
            for met in found.values():
                if not met.ended:
                    path = str(event.data.get("path", ""))
                    met.files = list(dict.fromkeys([*met.files, path]))[-5:]
        elif event.type == "tool_result" and not event.data.get("rejected"):
            _answered(event, commands.get(str(event.data.get("id", "")), ""), found)
    return list(found.values())[:MOST]


def _answered(event: Event, command: str, found: dict[str, Met]) -> None:
    if event.data.get("tool") not in _SHELLS:
        # Clients explain refusals of their own tools.
        return
    if failed(event) or tests_told(event) == "failed":
        lines = error_lines(event.text[:_READ])
        for one in lines[:1]:
            _came(one, command, found)
        _ran(command, found, {one.signature for one in lines})
        return
    for met in found.values():
        if met.ended:
            continue
        met.after += 1
        if met.command == command:
            met.ended = True
        elif met.after <= _SOON and _is_variant(command, met.command):
            met.ended, met.instead = True, command
    _ran(command, found, set())


def _came(one: ErrorLine, command: str, found: dict[str, Met]) -> None:
    """Record an error. Steps since its first occurrence were failed attempts."""
    if _LOOKED.match(one.line):
        return
    met = found.setdefault(one.signature, Met(one.signature, one.line[:300], command))
    if met.steps and not met.ended:
        met.tried = [*met.tried, "; ".join(met.steps)][-_MOST_TRIED:]
    if met.ended:
        # It recurred: the supposed fix failed.
        met.tried = [*met.tried, "; ".join(met.steps)][-_MOST_TRIED:] if met.steps else met.tried
    met.command, met.ended, met.after = command, False, 0
    met.files, met.between, met.instead, met.diff = [], [], "", ""


def _ran(command: str, found: dict[str, Met], failing: set[str]) -> None:
    for met in found.values():
        if not met.ended and met.signature not in failing and command != met.command:
            met.between = [*met.between, command][-_MOST_STEPS:] if not failing else met.between


def _edited(met: Met, event: Event) -> None:
    given = event.data.get("input")
    if not isinstance(given, dict) or event.data.get("tool") not in ("Edit", "MultiEdit"):
        return
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(old, str) and isinstance(new, str) and old != new:
        lines = [*("-" + one for one in old.splitlines()), *("+" + one for one in new.splitlines())]
        met.diff = "\n".join(lines)[:_LONGEST_DIFF]


def _is_variant(command: str, other: str) -> bool:
    mine, theirs = (set(_TOKEN.findall(text)) for text in (command, other))
    together = len(mine | theirs)
    return bool(together) and _VARIANT <= len(mine & theirs) / together < 1


_TOKEN = re.compile(r"[^\s'\"|;&()]+")
_LOOKED = re.compile(r"\S*\b(?:ls|cat|head|tail|stat|find|wc|cd)\b\S*: ", re.I)
"""Looking for a file that does not exist is a question, and the error is its answer."""


def kept(errors: Iterable[Met]) -> list[list[object]]:
    """Errors in the compact form of session data."""
    return [[digest(met.signature)[:16], met.ended, list(met.fixes)] for met in errors]


@dataclass(frozen=True, slots=True)
class Sightings:
    """How many sessions had an error, and how many of those each fix ended."""

    sessions: int
    fixes: Counter[str]


def sightings(signature: str, kept_before: Iterable[object]) -> Sightings:
    """Count an error's occurrences in the stored session data."""
    wanted = digest(signature)[:16]
    met, fixes = 0, Counter[str]()
    for errors in kept_before:
        row = _row(errors, wanted)
        if row is not None:
            met += 1
            fixes.update(set(map(str, row[2])) if len(row) > 2 and isinstance(row[2], list) else ())
    return Sightings(met, fixes)


def _row(errors: object, wanted: str) -> list[object] | None:
    rows: Sequence[object] = errors if isinstance(errors, list) else ()
    return next((row for row in rows if isinstance(row, list) and row and row[0] == wanted), None)
