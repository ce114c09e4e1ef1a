"""Hard signals about a session's outcome: exit codes, test results, corrections, reverts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from contextd.domain.sessions import Event
from contextd_code.dataclass import dataclass
from contextd_code.text.regex import regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Counts over a session. `tests` is the result of the last test run: `passed`, `failed` or empty.
    `after` is the user's verdict after that run: `approved`, `corrected` or empty. A command's exit
    code alone says nothing about the work: a search without results exits with 1.
    """

    tests: str = ""
    test_runs_passed: int = 0
    test_runs_failed: int = 0
    failures: int = 0
    corrections: int = 0
    approvals: int = 0
    reverts: int = 0
    retries: int = 0
    interruptions: int = 0
    after: str = ""


_PASSED = regex(
    r"\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b|^ok\s+\S+\s+[\d.(]|^OK(?: \(|$)|test result: ok"
    r"|All tests passed|BUILD SUCCESS|✓ \d+ tests?|Tests:\s+\d+ passed",
    re.M,
)
_FAILED = regex(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors? in)\b|^FAILED\b|^--- FAIL|^FAIL\b"
    r"|test result: FAILED|BUILD FAIL(?:ED|URE)|Tests:\s+[1-9]\d* failed|^E\s{3,}\w*Error",
    re.M,
)
_REVERT = regex(
    r"\bgit (?:revert|reset --hard|checkout (?:HEAD )?-- |restore (?!--staged)|stash\b(?! (?:pop|list|apply|show)))"
)
CORRECTION = regex(
    r"^\s*(?:no\b(?! (?:problem|worries|need|idea|rush))|nope\b|wrong\b|stop\b|undo\b|revert\b|don'?t do\b|that'?s (?:not|wrong|incorrect)"
    r"|that is (?:not|wrong)|this is wrong|not (?:what i|like that|quite)|actually,? (?:no|use|don'?t|we)"
    r"|wait,? (?:no|that)|you (?:broke|missed|forgot|misunderstood|removed))"
    r"|\b(?:still (?:fails|failing|broken|not working|doesn'?t work)|doesn'?t work|did ?n[o']t work"
    r"|(?:undo|revert|roll back) (?:that|this|it|the|your)|that'?s wrong|not what i (?:asked|wanted|meant))\b",
    re.I,
)
APPROVAL = regex(
    r"\b(?:perfect|works (?:now|great|well|fine)|it works|that works|that worked|looks good|lgtm|ship it|great(?: job)?"
    r"|well done|awesome|exactly(?: right)?|nice(?: work)?|thanks?|thank you|all good|merge it|commit (?:it|this|that))\b",
    re.I,
)


def read_signals(events: Sequence[Event]) -> Signals:
    """Extract the signals from a session's events, in their order."""
    found, failed_before = Signals(), dict[str, int]()
    commands: dict[str, str] = {}
    for event in events:
        if event.type == "tool_call":
            commands[str(event.data.get("id", ""))] = event.text
            if _REVERT.search(event.text):
                found = replace(found, reverts=found.reverts + 1)
            if event.text in failed_before:
                found = replace(found, retries=found.retries + 1)
        elif event.type == "tool_result":
            found = _answered(found, event, commands, failed_before)
        elif event.type == "note" and event.data.get("interrupted"):
            found = replace(found, interruptions=found.interruptions + 1)
        elif event.type == "message" and event.role == "user" and not event.data.get("sidechain"):
            found = _judged(found, event.text)
    return found


def command_of(event: Event) -> str:
    """The command or target of a call, without the name of its tool."""
    return event.text.removeprefix(f"{event.data.get('tool', '')}: ")


def failed(event: Event) -> bool:
    """Whether a tool's answer reports a failure. A call that the user refused is no failure."""
    if event.data.get("rejected"):
        return False
    code = event.data.get("exit_code")
    return bool(event.data.get("is_error")) or (isinstance(code, int) and code != 0)


def reports_failure(output: str) -> bool:
    """Whether an output reports a failed test run or build."""
    return _FAILED.search(output) is not None


def tests_told(event: Event) -> str:
    """`passed` or `failed` if a tool's answer reports a test run; else empty."""
    if event.data.get("tool") in ("Read", "Grep", "Glob", "WebFetch", "Edit", "Write"):
        return ""
    if _FAILED.search(event.text):
        return "failed"
    return "passed" if _PASSED.search(event.text) and not failed(event) else ""


def _answered(
    found: Signals, event: Event, commands: dict[str, str], failed_before: dict[str, int]
) -> Signals:
    command = commands.get(str(event.data.get("id", "")), "")
    if failed(event):
        failed_before[command] = failed_before.get(command, 0) + 1
        found = replace(found, failures=found.failures + 1)
    match tests_told(event):
        case "passed":
            runs = found.test_runs_passed + 1
            return replace(found, tests="passed", test_runs_passed=runs, after="")
        case "failed":
            runs = found.test_runs_failed + 1
            return replace(found, tests="failed", test_runs_failed=runs, after="")
        case _:
            return found


def _judged(found: Signals, text: str) -> Signals:
    if CORRECTION.search(text[:400]):
        return replace(found, corrections=found.corrections + 1, after="corrected")
    if len(text) < 200 and APPROVAL.search(text):
        return replace(found, approvals=found.approvals + 1, after="approved")
    return found


def judge(signals: Signals, stated: str = "") -> str:
    """`success`, `failure`, `mixed`, or empty if unknown. Hard signals take precedence over `stated`, the
    caller's own verdict.
    """
    if signals.tests == "failed":
        return "mixed" if signals.after == "approved" else "failure"
    if signals.tests == "passed":
        spoiled = signals.after == "corrected" or stated == "failure"
        return "mixed" if spoiled else "success"
    if signals.after == "corrected":
        # An agent may have fixed the problem after a correction, and says so.
        return "mixed" if stated == "success" else "failure"
    if signals.reverts and signals.after != "approved":
        return "mixed" if stated == "success" else "failure"
    if signals.after == "approved":
        return "mixed" if stated == "failure" else "success"
    return stated if stated in ("success", "failure", "mixed") else ""
