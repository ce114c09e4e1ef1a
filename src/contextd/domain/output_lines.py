"""Which lines of a message programs wrote: logs, traces, consoles, diffs, tables, markup and code."""

from __future__ import annotations

import re

from contextd_common.text.regex import regex

_BEGINS = regex(
    r"\s*(?:diff --git |@@ |\+\+\+ |--- |index [0-9a-f]{7}|commit [0-9a-f]{7}|[+-]\s*[\w.]+\(|\+(?:\s|[^\W\d_]))"
    r"|.{0,40}?\b\d{1,2}:\d\d:\d\d\b|\s*\[[^\]\n]{3,}\] |\s*at (?:[\w.$<>]+ ?\(|\S+:\d+)|\s*File \"[^\"]+\", line \d+|\S+\.\w{1,5}(?:\?\S*)?:\d+(?::\d+)?:?\s|[\w./-]+\?\S*=\S*:\d+\s"
    r"|\s*(?:[─━_=*-]){4,}\s*$|\s*[\[\]{}()]+[,;]?\s*$|\s*\"[\w .-]+\"\s*:|\s*\|.*\|\s*$"
    r"|\s*[⏺⎿✓✗✔✘❯●⏭♻✨❌✅⨯⚠ℹ↯]|\s*[$%]\s+\S|\s*>|\S+@\S+[:~ ].*[$#%]"
    r"|\s*\S*(?:Error|Exception): |Traceback |\(\w+:\d+\) |\(Use `|Node\.js v\d|npm (?:ERR|WARN|error|warn)|\s*\d+\.\d+ \S|==> |(?:FAIL|PASS|ok|---)[\s:]"
    # The console and the network panel of a browser, and markup.
    r"|\s*\d{0,3}(?!localhost)(?=[A-Za-z0-9_.…/-]*[a-z])[A-Za-z0-9_.…/-]+:\d+(?::\d+)?\s+\S|\s*(?:\(anonymous\)|[A-Za-z0-9_.$<>]+(?: \w+)?)\s*@\s*\S+:\d+|\s*Uncaught\b"
    r"|\s*await in \S+\s*$|\s*Failed to load resource: |\s*(?:GET|POST|PUT|PATCH|DELETE) https?://\S+ (?:\d{3}\b|net::)|(?:Request (?:URL|Method)|Status Code|Remote Address|Referrer Policy)\b:?|[1-5]\d\d (?:OK|[A-Z][a-z]+(?: [A-Z][a-z]+)*)$"
    r"|\s*</?(?:!doctype|html|head|body|div|span|meta|link|script|style|title|ul|ol|table|tr|td|th|thead|tbody|input|button|form|label|img|svg|path|section|nav|header|footer|main|h[1-6])\b[^<>]*>?"
)
_CONTAINS = regex(
    r"\b(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE)\b[: ]|\b(?:level|msg|err|error)=|[│┌└├╭╰┃║═█░▓]|[;{}]\s*$|\s:=\s|=>|\[DEP\d+\]|\bexit (?:code|status) \d|\S\t+\S"
)
_ALSO_SAID = regex(
    r"^\s*[\u231a-\u23ff\u2600-\u27bf\u2b05-\u2bff\U0001f300-\U0001faff]|^\s*(?:/\*|\*/|//)|^\s*[A-Za-z_][A-Za-z0-9_.]*\([^()]*(?:\([^()]*\)[^()]*)*\)[;,]?\s*$"
    r"|^\s*(?:GET|POST|PUT|PATCH|DELETE) /\S*"
)
"""What a user may write in a list, too: it is output only beside lines that are surely output."""
_INDENTED = regex(r"^(?: {2,}|\t)\S")
_LETTER = regex(r"[^\W\d_]")
_BULLET = regex(r"^\s*(?:[-*+•]|\d{1,3}[.)]|\[[ xX]\])\s")

_MAY_EMBED = regex(r"Uncaught|Failed to load|Traceback|https?://|\w:\d|\d\d:\d\d|<!DOCTYPE", re.I)
_EMBEDDED = regex(
    r"(?<=\S)\s*(?=(?:\(?[A-Za-z0-9_.…-]+\)?:\d+\s+)?Uncaught (?:\(in promise\)\s*)?\w*(?:Error|Exception)\b|Failed to load resource: |Traceback \(most recent call last\)"
    r"|(?<!\w)(?:GET|POST|PUT|PATCH|DELETE) https?://\S+ (?:\d{3}\b|net::)|(?<=\s)[\w./-]+\.(?:jsx?|tsx?|mjs|vue|svelte):\d+(?::\d+)?\s+[^\s\w]"
    r"|(?<=\s)\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|<!DOCTYPE html)",
    re.I,
)
"""Where output begins in a line that begins with words: a paste right behind them."""

_WORDS = regex(
    r"^(?!\s*[\[(])[^|]*[^\W\d_]\S*[^\S\n]+[^|]*[^\W\d_][^|]*$|[\u3040-\u30ff\u4e00-\u9fff]"
)
"""Two words that no program writes before its output."""

_ALONE = 160
"""Characters of output behind words, in one line, that are a log rather than the error that the user names."""


def without_output(text: str) -> tuple[str, list[str]]:
    """The lines of prose in a text, and the runs of lines from programs or editors."""
    lines, tails = _lines(text)
    sure = [is_output(line) for line in lines]
    _mark_hunks(lines, sure)
    _mark_indented(lines, sure)
    _mark_terminal(lines, sure)
    if not any(sure):
        return text, []
    _mark_gaps(lines, sure)
    marks = [
        known or bool(_ALSO_SAID.search(line)) for known, line in zip(sure, lines, strict=True)
    ]
    prose: list[str] = []
    material: list[str] = []
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and (marks[end] or not lines[end].strip()):
            end += 1
        surely = sum(sure[start:end])
        alone = start in tails and len(lines[start]) >= _ALONE
        if surely >= 2 or (surely and (alone or sum(marks[start:end]) > 2)):
            material.append("\n".join(lines[start:end]).strip("\n"))
            prose.append("\n")
            start = end
        for n in range(start, min(end + 1, len(lines))):
            prose += [tails.get(n, "\n"), lines[n]]
        start = end + 1
    return "".join(prose[1:]), material


def _lines(text: str) -> tuple[list[str], dict[int, str]]:
    """The lines of a text, with output behind words as a line of its own; and the places of such lines, with what stood
    between.
    """
    lines: list[str] = []
    tails: dict[int, str] = {}
    for line in text.split("\n"):
        found = _EMBEDDED.search(line) if _MAY_EMBED.search(line) else None
        if found is None or not _WORDS.search(line[: found.start()]):
            lines.append(line)
            continue
        tails[len(lines) + 1] = found[0]
        lines += [line[: found.start()], line[found.end() :]]
    return lines, tails


def is_output(line: str) -> bool:
    """Whether a program wrote this line."""
    if not line.strip():
        return False
    if _BEGINS.match(line) or _CONTAINS.search(line):
        return True
    dense = line.replace(" ", "")
    if len(dense) < 24:
        return False
    # Prose in any script is mostly letters; hashes, listings and paths are less than half.
    return len(_LETTER.findall(dense)) < 0.5 * len(dense)


def _mark_hunks(lines: list[str], marks: list[bool]) -> None:
    """Mark the lines of a diff below the line that opens a part of it."""
    inside = False
    for n, line in enumerate(lines):
        inside = line.startswith("@@ ") or (inside and line[:1] in (" ", "+", "-"))
        marks[n] = marks[n] or inside


def _mark_indented(lines: list[str], marks: list[bool]) -> None:
    """Three consecutive indented lines outside a list were copied from a terminal or an editor."""
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and (_INDENTED.match(lines[end]) or not lines[end].strip()):
            end += 1
        filled = [i for i in range(start, end) if lines[i].strip()]
        if len(filled) >= 3 and not all(_BULLET.match(lines[i]) for i in filled):
            for i in filled:
                marks[i] = True
        start = end + 1


def _mark_terminal(lines: list[str], marks: list[bool]) -> None:
    """Mark what a shell printed: everything from its prompt on, but for a last paragraph that is prose, and single
    lines between lines of output.
    """
    opened = next((n for n, line in enumerate(lines) if _SHELL.match(line)), None)
    if opened is not None:
        last = max((n for n, line in enumerate(lines) if not line.strip()), default=-1)
        closing = [line for line in lines[last + 1 :] if line.strip()]
        spoken = last > opened and all(_SPOKEN.search(line) for line in closing)
        end = last if spoken else len(lines)
        if not any(line.strip() for line in lines[:opened]) and _SPOKEN.search(lines[end - 1]):
            end -= 1  # The user's only words.
        for n in range(opened, end):
            marks[n] = bool(lines[n].strip())
    for n in range(1, len(lines) - 1):
        marks[n] = marks[n] or bool(marks[n - 1] and marks[n + 1] and lines[n].strip())


_LISTING, _GAP = 8, 3
"""Lines of a text that are surely output, and filled lines between two of them that are output, too, if most lines are."""


def _mark_gaps(lines: list[str], marks: list[bool]) -> None:
    """Mark a few lines between lines of a long output: what a console folds, continues or prints without any sign."""
    filled = [n for n, line in enumerate(lines) if line.strip()]
    if not len(filled) < 2 * sum(marks) >= 2 * _LISTING:
        return
    last = -1
    for place, n in enumerate(filled):
        if marks[n]:
            between = filled[last + 1 : place]
            listed = any(_BULLET.match(lines[one]) for one in between)
            if last >= 0 and len(between) <= _GAP and not listed:
                for one in between:
                    marks[one] = True
            last = place


_SHELL = regex(r"^\s*(?:➜|❯|λ|PS [A-Z]:\\|\S+@[\w.-]+[:~ ][^#$%]{0,80}[#$%] |[$%] )\s*\S")
"""A line with the prompt of a shell."""

_SPOKEN = regex(
    r"^[^\W\d_][^{}<>|=]*(?:\s[^{}<>|=]*\s[^{}<>|=]*|[?？!！。.])$|[\u3040-\u30ff\u4e00-\u9fff]"
)
"""A sentence, or a line of three words or more without the signs of a program."""
