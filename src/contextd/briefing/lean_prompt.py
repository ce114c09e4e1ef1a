"""The lean prompt: the agent's identity, its user, the project's status and the available tools.

Each part is condensed to its share of the budget by dropping whole sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from contextd.domain.quoting import harmless
from contextd.person.person_md import strength_of
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

MOST = 2_000
LEAST = 100

_HEADING = re.compile(r"^\s*#{1,6}\s")
_TOP_HEADING = re.compile(r"^\s{0,3}#(?:\s|$)")
_UNDERLINE = re.compile(r"^\s{0,3}=+\s*$")
_LEAD = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+|^\s*>\s*")
_SENTENCE = re.compile(r"(?<=[.!?。！？])[\"')\]*_]*\s+|(?<=[。！？])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_FENCE_MARK = re.compile(r"^\s{0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the prompt. `fixed` parts are taken whole before the others share the rest."""

    name: str
    title: str
    text: str
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class LeanPrompt:
    """A prompt, its tokens, the tokens of each part, and the names of condensed parts."""

    text: str
    tokens: int
    parts: Mapping[str, int] = field(default_factory=dict[str, int])
    condensed: Sequence[str] = ()


def compose(parts: Sequence[Part], budget: int) -> LeanPrompt:
    """Combine the parts under their titles within `budget` tokens. Parts that need less than an equal share
    leave the rest to the others; a part is dropped if nothing of it fits.
    """
    parts = [replace(part, text=_contained(part.text)) for part in parts]
    whole = {
        part.name: _under(part.title, tidied(part.text)) for part in parts if part.text.strip()
    }
    needs = {name: count_tokens(text) + 2 for name, text in whole.items()}
    fixed = {part.name for part in parts if part.fixed} & needs.keys()
    shares = _shares(needs, fixed, budget)
    made: dict[str, str] = {}
    condensed: list[str] = []
    for part in parts:
        if part.name not in whole:
            continue
        text = whole[part.name]
        if needs[part.name] > shares[part.name]:
            condensed.append(part.name)
            room = shares[part.name] - count_tokens(_under(part.title, "")) - 3
            body = condense(part.text, room)
            text = _under(part.title, body) if body else ""
        if text:
            made[part.name] = text
    text = "\n\n".join(made.values())
    counts = {part.name: count_tokens(made.get(part.name, "")) for part in parts}
    return LeanPrompt(text, count_tokens(text), counts, condensed)


def _shares(needs: Mapping[str, int], fixed: set[str], budget: int) -> dict[str, int]:
    shares = {name: min(needs[name], budget) for name in fixed}
    left = max(0, budget - sum(shares.values()))
    waiting = sorted((name for name in needs if name not in fixed), key=lambda name: needs[name])
    for index, name in enumerate(waiting):
        shares[name] = min(needs[name], left // (len(waiting) - index))
        left -= shares[name]
    return shares


def _contained(text: str) -> str:
    """Nest a file's text below the title of its part: its headings rank below the prompt's own, and an open
    code fence is closed.
    """
    lines: list[str] = []
    fence = ""
    for line in harmless("\n".join(_lines(text))).split("\n"):
        mark = _FENCE_MARK.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
        elif not fence and _UNDERLINE.match(line):
            continue
        top = not fence and _TOP_HEADING.match(line)
        lines.append(f"#{line.lstrip()}" if top else line)
    return "\n".join([*lines, fence] if fence else lines)


def _under(title: str, body: str) -> str:
    return f"# {title}\n{body}"


def tidied(text: str) -> str:
    """A text without front matter, comments and empty lines."""
    return "\n".join(line for line in _lines(text) if line)


def _lines(text: str) -> list[str]:
    body = _COMMENT.sub("", _FRONT_MATTER.sub("", text.replace("\r\n", "\n")))
    return [line.rstrip() for line in body.split("\n")]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence and its position: its line, its number in the line, and its rank for selection."""

    line: int
    number: int
    text: str
    rank: int


def condense(text: str, budget: int) -> str:
    """Select the most important sentences of `text` within `budget` tokens, in their order: emphatic ones
    first, then the first of each line, then the others. A heading stays with the text below it.
    """
    lines = _joined(_lines(text))
    room = budget
    while room > 0:
        short = _chosen(lines, room)
        over = count_tokens(short) - budget
        if over <= 0:
            return short
        # Tokens are counted per sentence, and rounding errors add up.
        room -= over
    return ""


def _chosen(lines: Sequence[str], budget: int) -> str:
    pieces = [piece for at, line in enumerate(lines) for piece in _pieces(at, line)]
    above = _headings(lines)
    chosen: dict[int, set[int]] = {}
    spent = 0
    for piece in sorted(pieces, key=lambda one: (one.rank, one.line, one.number)):
        heads = [at for at in above[piece.line] if at not in chosen]
        begun = f"\n- {piece.text}" if piece.line not in chosen else f" {piece.text}"
        cost = count_tokens(begun) + sum(count_tokens(f"{lines[at]}\n") for at in heads)
        if spent + cost > budget:
            continue
        spent += cost
        for at in heads:
            chosen[at] = {0}
        chosen.setdefault(piece.line, set()).add(piece.number)
    return "\n".join(_kept(lines[at], chosen[at]) for at in sorted(chosen))


def _joined(lines: Sequence[str]) -> list[str]:
    """Join the lines of each wrapped paragraph and code block to one."""
    made: list[str] = []
    fenced, ended = False, True
    for line in lines:
        fence = bool(_FENCE.match(line))
        if not line and not fenced:
            ended = True
            continue
        if fenced:
            made[-1] += "\n" + line
            fenced = not fence
        elif fence:
            made.append(line)
            fenced = True
        elif not ended and _goes_on(line, made[-1]):
            made[-1] += " " + line.strip()
        else:
            made.append(line)
        ended = False
    return made


def _goes_on(line: str, before: str) -> bool:
    """Whether a line continues the paragraph or bullet before it."""
    if _HEADING.match(line) or _LEAD.match(line) or _HEADING.match(before) or _FENCE.match(before):
        return False
    return not _LEAD.match(before) or line[:1].isspace()


def _sentences(line: str) -> list[str]:
    if _FENCE.match(line):
        return [line]
    lead = _LEAD.match(line)
    body = line[lead.end() :] if lead else line.strip()
    return [part for part in _SENTENCE.split(body) if part]


def _pieces(at: int, line: str) -> list[_Piece]:
    if _HEADING.match(line):
        return []
    ranks = {"strong": 0, "mild": 1, "flexible": 3}
    return [
        _Piece(
            at, number, text, 3 if _FENCE.match(text) else _rank(ranks[strength_of(text)], number)
        )
        for number, text in enumerate(_sentences(line))
    ]


def _rank(rank: int, number: int) -> int:
    return 2 if rank == 1 and number else rank


def _headings(lines: Sequence[str]) -> dict[int, list[int]]:
    """The headings above each line, outermost first."""
    open_: list[tuple[int, int]] = []
    above: dict[int, list[int]] = {}
    for at, line in enumerate(lines):
        if _HEADING.match(line):
            level = len(line.split()[0])
            open_ = [one for one in open_ if one[0] < level]
            open_.append((level, at))
        above[at] = [place for _, place in open_]
    return above


def _kept(line: str, numbers: set[int]) -> str:
    if _HEADING.match(line) or _FENCE.match(line):
        return line
    lead = _LEAD.match(line)
    sentences = _sentences(line)
    return (lead[0] if lead else "") + " ".join(sentences[number] for number in sorted(numbers))
