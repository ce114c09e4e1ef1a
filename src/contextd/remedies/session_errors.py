"""The errors of a session: failed attempts and fixes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from contextd.domain.quoting import inline_words
from contextd.domain.records import digest
from contextd.domain.sessions import Event
from contextd.remedies.signatures import ErrorLine, error_lines
from contextd.sessions.outcome_signals import command_of, failed, tests_told
from contextd.skills.procedures import forms, instead_of
from contextd_common.dataclass import dataclass
from contextd_common.text.words import one_line

ERRORS = "errors"
"""Session data: its errors and fixes."""

MOST = 20
_READ = 20_000
_MOST_TRIED, _MOST_STEPS = 3, 3
_LONGEST_COMMAND, _LONGEST_DIFF = 300, 800
_MOST_EDITS, _QUOTED = 5, 120
_VARIANT, _SOON = 0.5, 4
"""A command is a variant of the failed one if they share this fraction of words and it ran within this
many commands.
"""

_SHELLS = ("Bash", "Shell", "shell", "PowerShell", "run_shell_command", "exec_command")


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement in a file, made by a tool of the client."""

    path: str
    old: str
    new: str

    @property
    def form(self) -> str:
        """What identifies the same replacement in another checkout."""
        name = self.path.rpartition("/")[2]
        replaced = "\0".join((self.old.strip(), self.new.strip()))
        return f"edit {name} {digest(replaced)[:16]}"

    @property
    def step(self) -> str:
        """The replacement in words."""
        old, new = (inline_words(one_line(one, _QUOTED)) for one in (self.old, self.new))
        return f'in {self.path}, replace "{old}" with "{new}"'

    @property
    def diff(self) -> str:
        """The replaced lines and the new ones."""
        lines = [f"-{one}" for one in self.old.splitlines()]
        return "\n".join([*lines, *(f"+{one}" for one in self.new.splitlines())])[:_LONGEST_DIFF]


@dataclass(slots=True)
class Met:
    """An error of a session: its line and the command that showed it. Once that command or a variant
    succeeded, also the files written, the commands in between and the edits. `instead` is the
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
    edits: dict[str, Edit] = field(default_factory=dict[str, Edit])
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
        """Possible fixes, each with the concrete step: the replacements if a file was changed, otherwise the
        commands, independent of their targets.
        """
        if not self.ended:
            return {}
        if self.files:
            return {form: edit.step for form, edit in self.edits.items()}
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
    if failed(event) or tests_told(event, "") == "failed":
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
    met.files, met.between, met.instead, met.diff, met.edits = [], [], "", "", {}


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
        edit = Edit(str(given.get("file_path", "")), old, new)
        met.diff = edit.diff
        if len(met.edits) < _MOST_EDITS:
            met.edits[edit.form] = edit


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
    """The sessions that had an error, and those of them that each fix ended it in."""

    sessions: Sequence[str]
    fixes: Mapping[str, Sequence[str]]


def sightings(signature: str, kept_before: Mapping[str, object]) -> Sightings:
    """Find an error in the stored session data, by session."""
    wanted = digest(signature)[:16]
    met: list[str] = []
    fixes: dict[str, list[str]] = {}
    for session, errors in kept_before.items():
        row = _row(errors, wanted)
        if row is not None:
            met.append(session)
            given = row[2] if len(row) > 2 and isinstance(row[2], list) else ()
            for form in dict.fromkeys(map(str, given)):
                fixes.setdefault(form, []).append(session)
    return Sightings(met, fixes)


def _row(errors: object, wanted: str) -> list[object] | None:
    rows: Sequence[object] = errors if isinstance(errors, list) else ()
    return next((row for row in rows if isinstance(row, list) and row and row[0] == wanted), None)
