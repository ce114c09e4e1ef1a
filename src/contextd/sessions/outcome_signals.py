"""Hard signals about a session's outcome: exit codes, test results, corrections, reverts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from contextd.domain.sessions import Event
from contextd_common.dataclass import dataclass
from contextd_common.text.languages import ByLanguage
from contextd_common.text.regex import regex


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
CORRECTION = ByLanguage(
    {
        "en": r"^\s*(?:no\b(?! (?:problem|worries|need|idea|rush))|nope\b|wrong\b|stop\b|undo\b|revert\b|don'?t do\b|that'?s (?:not|wrong|incorrect)"
        r"|that is (?:not|wrong)|this is wrong|not (?:what i|like that|quite)|actually,? (?:no|use|don'?t|we)"
        r"|wait,? (?:no|that)|you (?:broke|missed|forgot|misunderstood|removed))"
        r"|\b(?:still (?:fails|failing|broken|not working|doesn'?t work)|doesn'?t work|did ?n[o']t work"
        r"|(?:undo|revert|roll back) (?:that|this|it|the|your)|that'?s wrong|not what i (?:asked|wanted|meant))\b",
        "de": r"^\W*(?:nein|nee|falsch|stopp?|halt)\b|\b(?:geht|funktioniert|klappt|l(?:ä|ae)uft) (?:\w+ ){0,3}nicht\b|\bimmer noch (?:kaputt|falsch|nicht|der|derselbe)|\bschl(?:ä|ae)gt (?:\w+ ){0,2}noch fehl\b"
        r"|\bdu hast (?:\w+ ){0,4}(?:vergessen|kaputt|(?:ü|ue)bersehen|missverstanden)|\br(?:ü|ue)ckg(?:ä|ae)ngig\b|\b(?:das|es) (?:ist|war) (?:falsch|nicht (?:richtig|das was))|\bnicht das,? was ich\b",
        "fr": r"^\W*(?:non|faux|stop|annule)\b(?! merci)|\b(?:ne (?:marche|fonctionne)|n[’']a) (?:\w+ )?(?:pas|plus)\b|\btoujours (?:pas|faux|cass[ée]|la m[êe]me erreur)|\b[ée]choue (?:encore|toujours)\b|\btu as (?:oubli[ée]|cass[ée]|mal compris)|\bce n[’']est pas ce que\b|\bc[’']est (?:faux|incorrect)\b",
        "es": r"^\W*(?:no\W*$|no[,.;]|falso|para\b,|deshaz)|\bno (?:funciona|va|sirve|compila)\b|\bsigue (?:fallando|mal|sin|igual)|\bolvidaste\b|\brompiste\b|\bno es lo que\b|\beso (?:est[áa] mal|no es)\b",
        "ja": r"^\W*(?:いや|いいえ|違)|(?:まだ|やっぱり?).{0,20}(?:動か|失敗|落ち|駄目|ダメ|だめ|違|直って(?:い)?(?:ない|ません))|動きません|動かない|直って(?:い)?(?:ない|ません)|元に戻して|(?:では|じゃ)なく|壊れ(?:た|まし|てい)|忘れて(?:い)?ます|頼んだのは",
        "zh": r"^\W*(?:不对|不是|错|不行|停)|(?:还是|仍然|依然).{0,12}(?:失败|报错|不行|不对|没|错)|(?:不|没)(?:能)?(?:工作|生效|起作用)|跑不通|撤销|回滚|你(?:忘|弄坏|改坏|漏|理解错)|不是我(?:要|想)",
    }
)  # fmt: skip
APPROVAL = ByLanguage(
    {
        "en": r"\b(?:perfect|works (?:now|great|well|fine)|it works|that works|that worked|looks good|lgtm|ship it|great(?: job)?"
        r"|well done|awesome|exactly(?: right)?|nice(?: work)?|thanks?|thank you|all good|merge it|commit (?:it|this|that))\b",
        "de": r"\b(?:perfekt|super|klasse|prima|passt|danke|l(?:ä|ae)uft(?! nicht)|klappt(?! nicht)|funktioniert(?! (?:\w+ ){0,2}nicht)|sieht gut aus|sehr gut|gut gemacht|genau(?: so)?|einwandfrei|committe? (?:es|das))\b",
        "fr": r"\b(?:parfait|super|g[ée]nial|merci|[çc]a (?:marche|fonctionne)(?! pas)|c[’']est (?:bon|bien|parfait)|tr[èe]s bien|bien jou[ée]|nickel|exactement|excellent)\b",
        "es": r"\b(?:perfecto|genial|gracias|(?<!no )funciona|muy bien|excelente|exacto|bien hecho|se ve bien|estupendo|listo|queda bien)\b",
        "ja": r"完璧|ありがと|いい感じ|(?:うまく|正しく|ちゃんと)?動(?:きました|いた|いてい)|うまくいきました|素晴らしい|良さそう|問題な(?:い|さ)|OKです|助かり|その通り|バッチリ|ばっちり",
        "zh": r"完美|谢谢|多谢|(?<!不)可以了|没问题|很好|太好了|好用|不错|棒|搞定|正常了|成功了|看起来(?:不错|很好)|就是这样|辛苦",
    }
)  # fmt: skip


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


_READER = regex(
    r"\s*(?:\w+=\S*\s+)*(?:(?:sudo|time|rtk|command|timeout \S+)\s+)*(?:git|gh|glab|cd|cat|head|tail|less|grep|rg|ag|find|ls|sed|awk|jq|ssh"
    r"|curl|wget|echo|printf|diff|wc|sleep|export|source|true|kubectl|journalctl|docker (?:logs|ps|compose logs)|python3? -(?:\s|$))"
)
_STEP = regex(r"&&|\|\||;")


def _only_reads(command: str) -> bool:
    """Whether a command only prints what other runs left: a log of CI, a file, a commit hook's verdict."""
    steps = _STEP.split(command.partition("<<")[0].partition("\n")[0])
    return bool(command) and all(_READER.match(step) or not step.strip() for step in steps)


def tests_told(event: Event, command: str) -> str:
    """`passed` or `failed` if a tool's answer reports a test run of this `command`; else empty."""
    if event.data.get("tool") in ("Read", "Grep", "Glob", "WebFetch", "Edit", "Write"):
        return ""
    if _FAILED.search(event.text):
        # An old failure is no failure; a hook of `git commit` that passes is a test run.
        return "" if _only_reads(command) else "failed"
    return "passed" if _PASSED.search(event.text) and not failed(event) else ""


def _answered(
    found: Signals, event: Event, commands: dict[str, str], failed_before: dict[str, int]
) -> Signals:
    command = commands.get(str(event.data.get("id", "")), "")
    if failed(event):
        failed_before[command] = failed_before.get(command, 0) + 1
        found = replace(found, failures=found.failures + 1)
    match tests_told(event, command.removeprefix(f"{event.data.get('tool', '')}: ")):
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
