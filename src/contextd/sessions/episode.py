"""Episodes: a turn as a record to recall, with the request and the most informative lines of the answer."""

from __future__ import annotations

import re

from contextd.sessions.turns import Turn
from contextd_common.dataclass import dataclass
from contextd_common.text.words import one_line

LONGEST = 900
"""Characters of an answer in a digest: 68 % of 896 real answers fit whole, and five such digests are about
what an agent reads per search (1,000 tokens).
"""

LONGEST_KEPT = 3_000
"""Characters of a prompt and of an answer that are stored beside the digest and searched with it: 98 % of
answers fit whole.
"""

_PROMPT = 300
_REPORT, _REPORTS = 300, 3
"""Only the beginning of what sub-agents reported: the agent answers from their reports."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.S | re.M)
_RULE = re.compile(r"^[\s|:*_=-]*$")
_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)]|>|#{1,6})\s+")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+\S|\*\*[^*]{1,80}\*\*:?\s*$)")
NAME = re.compile(
    r"`[^`\n]{2,80}`|\b[\w-]+/[\w./-]+|\b\w+\.\w{1,5}\b|\b[a-z]+[A-Z]\w+|\b\w+_\w+\b|\b\d{2,}\b"
)
_TICK = re.compile(r"[✅✓✔❌⚠🎉🚀📝🔧]")


@dataclass(frozen=True, slots=True)
class Digest:
    """The text of an episode: `asked` and `text` form its digest; `prompt` and `whole` are the full
    request and answer.
    """

    asked: str
    text: str
    prompt: str
    whole: str


def digest_of(turn: Turn) -> Digest:
    """The digest of a turn. Without an answer it has the user's words."""
    additions = [one_line(words, _PROMPT) for words in turn.answers]
    answer = plain(turn.answer or turn.plan or turn.summary)
    parts = [f"The user added: {words}" for words in additions if words]
    parts += best_lines(answer)
    reports = [plain(report) for report in turn.reports.values()]
    parts += [
        f"A sub-agent reported: {one_line(report, _REPORT)}"
        for report in reports[-_REPORTS:]
        if report
    ]
    if turn.commits:
        parts.append("Committed: " + "; ".join(one_line(c, 120) for c in turn.commits[-3:]))
    if turn.pull_requests:
        parts.append(
            "Pull request: " + "; ".join(one_line(p, 120) for p in turn.pull_requests[-2:])
        )
    if turn.failing:
        parts.append(f"Left failing: {one_line(turn.failing, 120)}")
    asked, prompt = one_line(turn.prompt, _PROMPT), turn.prompt[:LONGEST_KEPT]
    return Digest(asked, "\n".join(parts), prompt, answer[:LONGEST_KEPT])


def plain(text: str) -> str:
    """Markdown without code blocks, rules and empty lines."""
    lines = _FENCE.sub("\n", text).splitlines()
    return "\n".join(line.rstrip() for line in lines if not _RULE.match(line))


def best_lines(answer: str, longest: int = LONGEST) -> list[str]:
    """The most informative lines of an answer, in order; all of them if they are short enough.

    A heading stays with the first line below it. Lines that name files, identifiers or numbers come before
    others; the first line and the last two say what was done and what comes next.
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    if sum(len(line) + 1 for line in lines) <= longest:
        return lines
    units = _units(lines)
    ranked = sorted(range(len(units)), key=lambda n: (-_weight(units[n], n, len(units)), n))
    chosen: set[int] = set()
    room = longest
    for place in ranked:
        cost = sum(len(line) + 1 for line in units[place])
        if cost <= room:
            chosen.add(place)
            room -= cost
        elif not chosen:
            units[place] = [one_line(" ".join(units[place]), longest)]
            return units[place]
    return [line for n, unit in enumerate(units) if n in chosen for line in unit]


def _units(lines: list[str]) -> list[list[str]]:
    units: list[list[str]] = []
    heading: list[str] = []
    for line in lines:
        if _HEADING.match(line):
            heading = [line]
            continue
        units.append([*heading, one_line(line, 400)])
        heading = []
    return units or [heading]


def _weight(unit: list[str], place: int, count: int) -> float:
    text = _MARK.sub("", unit[-1])
    weight = min(4, len(NAME.findall(text))) * 0.5
    weight += 1.0 if 40 <= len(text) <= 350 else 0.0
    weight += 1.5 if place == 0 else 1.0 if place >= count - 2 else 0.0
    weight -= 1.0 if _TICK.search(text) and len(text) < 60 else 0.0
    return weight
