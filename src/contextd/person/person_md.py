"""Parse and write USER.md and SOUL.md: the person's description, line by line.

The files belong to the person. contextd owns the part between its markers, writes preferences saved elsewhere
into it, and never reads it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from contextd_common.dataclass import dataclass
from contextd_common.text.languages import ByLanguage
from contextd_common.text.regex import regex
from contextd_common.text.tokens import trim_to_tokens

USER_MD, SOUL_MD = "USER.md", "SOUL.md"

Strength = Literal["strong", "mild", "flexible"]
STRENGTHS: tuple[Strength, ...] = ("strong", "mild", "flexible")
"""Strengths of a preference, strongest first."""

_MOST_LINES = 400
"""A longer file does not describe a person."""

_LINE_TOKENS = 400

_FRONT_MATTER = regex(r"\A---\n.*?\n---\n", re.DOTALL)
_COMMENT = regex(r"<!--.*?-->", re.DOTALL)
_FENCE = regex(r"^\s*(?:```|~~~)")
_HEADING = regex(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$")
_BULLET = regex(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_RULE = regex(r"^\s*(?:[-*_=]\s*){3,}$|^\s*\|?[\s:|-]+\|[\s:|-]*$")
_BOLD = regex(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_LEANING = regex(r"(?<![\w*/.`])([*_])(?=[\w(\"'])(.+?)(?<=[^\s_])\1(?![\w*])")
"""Emphasis, but no file-name pattern and no name with underscores."""

_HINT = regex(r"^[_*]?\(.*\)[_*]?$|^[_*]?\[.*\][_*]?$|^<[^>]*>$|^(?:\.{3}|…|TODO|TBD)$")
_SAID = regex(r"\w")

_GENERAL = frozenset(
    """about about-me about-you me user user-md usermd soul soul-md soulmd identity profile person human
    who-i-am who-you-are who-am-i preferences preference general notes note misc other context basics
    about-your-human about-the-user my-preferences personal info information""".split()
)
"""Headings that add nothing to their lines."""

_MARKED = regex(r"\s*[(\[](strong|mild|flexible)[)\]]\.?\s*$", re.I)
_FLEXIBLE = ByLanguage(
    {
        "en": r"\b(?:(?:when|where|if|whenever|wherever) (?:possible|you can|practical|it makes sense)|optional(?:ly)?"
        r"|flexible|nice to have|feel free|ideally|either (?:is|works)|not strict|no strong (?:opinion|preference))\b",
        "de": r"\b(?:wenn m(?:ö|oe)glich|nach m(?:ö|oe)glichkeit|wo es passt|optional|flexibel|gerne|idealerweise|muss nicht|egal)\b",
        "fr": r"\b(?:si possible|dans la mesure du possible|[ée]ventuellement|facultati\w+|optionnel\w*|flexible|id[ée]alement|peu importe)\b",
        "es": r"\b(?:si es posible|en lo posible|opcional\w*|flexible|idealmente|cuando se pueda|da igual)\b",
        "ja": r"できれば|可能(?:なら|であれば|な限り)|任意|なるべく|柔軟|どちらでも",
        "zh": r"尽量|如果可以|可能的话|可选|灵活|最好|都行|随意",
    }
)
_STRONG = ByLanguage(
    {
        "en": r"\b(?:always|never|must(?:n[’']t)?|do not|don[’']t|strictly|under no circumstances|non-negotiable|forbidden"
        r"|required|at all costs|without exception)\b|^(?:[^:.]{1,60}: )*no\s",
        "de": r"\b(?:immer|nie(?:mals)?|muss|m(?:ü|ue)ssen|darf|d(?:ü|ue)rfen|keinesfalls|auf keinen fall|verboten|unbedingt|ausnahmslos|zwingend|kein\w*)\b",
        "fr": r"\b(?:toujours|jamais|doit|doivent|ne \w+ pas|strictement|en aucun cas|interdit\w*|obligatoire\w*|sans exception|imp[ée]rativement)\b",
        "es": r"\b(?:siempre|nunca|jam[áa]s|debe|deben|no debes?|estrictamente|en ning[úu]n caso|prohibid[oa]s?|obligatori[oa]s?|sin excepci(?:[óo]n|ones))\b",
        "ja": r"必ず|絶対|常に|決して|禁止|厳禁|必須|ないこと|てはいけ|てはなら",
        "zh": r"必须|务必|始终|永远|绝不|禁止|严禁|不得|不要|一律|切勿",
    }
)

_NAME = regex(
    r"^(?:(?:my|full|first|preferred|user[’']?s?|human[’']?s?|your|the)\s+)*"
    r"(?:name(?:\s+is|\s*[:=–—-])|what to call (?:me|them|you)\s*[:=–—-]|call me)\s+(.+)$",
    re.I,
)
_NAME_ENDS = regex(r"\s*[(,;|/]|\.\s|\.$|\s[–—-]\s")
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class PersonLine:
    """One statement of a file. `section` is the heading needed to understand it, empty if none."""

    text: str
    section: str = ""


def told_in(content: str) -> list[PersonLine]:
    """The statements in a person's file, in order, without repeats: bullets and paragraphs.

    Skips headings, code, comments, contextd's own block and unanswered template questions.
    """
    text = _COMMENT.sub("", _FRONT_MATTER.sub("", content.replace("\r\n", "\n")))
    found = (PersonLine(_plain(passage), section) for passage, section in _items(text.split("\n")))
    lines = (one for one in found if _says_something(one.text))
    return list(dict.fromkeys(lines))[:_MOST_LINES]


def _items(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(text, section) of every bullet and paragraph. The introduction of bullets is added to each of them."""
    section, fenced = "", False
    held: list[str] = []
    leads: list[tuple[int, str]] = []

    def flush() -> Iterator[tuple[str, str]]:
        text = " ".join(held)
        held.clear()
        if text:
            before = " ".join(lead for _, lead in leads)
            yield (f"{before} {text}" if before else text), section

    for line in [*lines, ""]:
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        if heading or bullet or not line.strip() or _RULE.match(line):
            if bullet and held and held[-1].endswith(":"):
                leads.append((_depth_of(leads, bullet), _plain(" ".join(held))))
                held.clear()
            yield from flush()
        if heading:
            section, leads = _section(heading[1]), []
        elif bullet and not _RULE.match(line):
            depth = len(bullet[1].expandtabs(4))
            leads = [(at, lead) for at, lead in leads if at < depth]
            held.append(bullet[2].strip())
        elif line.strip() and not _RULE.match(line) and not _HINT.match(line.strip()):
            if not held and not line[:1].isspace():
                leads = []
            held.append(line.strip().strip("|").strip())
    yield from flush()


def _depth_of(leads: Sequence[tuple[int, str]], bullet: re.Match[str]) -> int:
    """The indentation of this bullet's introduction: less than the bullet's own."""
    return max((at for at, _ in leads), default=-2) + 1 if not bullet[1] else len(bullet[1]) - 1


def _section(heading: str) -> str:
    plain = _plain(heading).rstrip(":")
    slug = re.sub(r"[^a-z0-9]+", "-", plain.casefold()).strip("-")
    return "" if slug in _GENERAL or slug.startswith(("user-md", "soul-md")) else plain[:80]


def _plain(text: str) -> str:
    return trim_to_tokens(
        " ".join(_LEANING.sub(r"\2", _BOLD.sub(r"\1", text)).split()), _LINE_TOKENS
    )


def _says_something(text: str) -> bool:
    return bool(_SAID.search(text)) and not text.endswith(":") and not _HINT.match(text)


def strength_of(text: str, section: str = "") -> Strength:
    """How strong a text is: by a mark such as `(strong)` at its end or as the section's name, else by its
    wording; mild by default.
    """
    mark = _MARKED.search(text)
    named = (mark[1] if mark else section).casefold()
    for strength in STRENGTHS:
        if named == strength:
            return strength
    if _FLEXIBLE.search(text):
        return "flexible"
    return "strong" if _STRONG.search(text) else "mild"


def without_mark(text: str) -> str:
    """A text without its mark of strength."""
    return _MARKED.sub("", text)


def name_in(text: str) -> str:
    """The name in a line such as `Name: Ana Kos`; empty if none."""
    found = _NAME.match(text)
    if found is None or _HINT.match(found[1]):
        return ""
    name = _NAME_ENDS.split(found[1], maxsplit=1)[0].strip("\"'“”* ")
    return name if len(name) <= _LONGEST_NAME and len(name.split()) <= 5 else ""


def block_of(preferences: Sequence[tuple[Strength, str]]) -> str:
    """The Markdown block of preferences saved outside the file."""
    lines = [f"- {text}" + (f" ({how})" if how != "mild" else "") for how, text in preferences]
    return "\n".join(["## Told to contextd", "", *(lines or ["Nothing yet."])])
