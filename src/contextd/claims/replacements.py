"""Recognise replacements and owners, each stated in a few fixed phrases."""

from __future__ import annotations

import re
from typing import NamedTuple

from contextd.claims.phrases import has
from contextd_common.text.regex import regex
from contextd_common.text.words import content_words

_NAME = r"(?:the\s+|our\s+|an?\s+)?(?P<{}>[\w.+#@/-]+(?:\s+(?!for\b|in\b|by\b|with\b|to\b|as\b|from\b)[\w.+#-]+){{0,2}}?)"
_WORSE, _BETTER = _NAME.format("worse"), _NAME.format("better")
_END = r"(?=\s*(?:[,.;)]|$)|\s+(?:for|as|in|on|when|to|because|since|last|this|everywhere|some)\b)"
_SWAPPED = frozenset(
    """replaced replace replaces replacing superseded supersedes migrated moved switched ported
    changed converted""".split()
)
_LOST = frozenset(
    """deprecated removed remove removes drop drops delete deletes deleted dropped retired gone obsolete discontinued decommissioned abandoned got
    stopped ditched no""".split()
)
_SWAPS = tuple(
    regex(pattern, re.I)
    for pattern in (
        rf"^{_WORSE}\s+(?:(?:has|have)\s+been|is|are|was|were|got)\s+(?:now\s+)?(?:replaced|superseded)\s+(?:by|with)\s+{_BETTER}{_END}",
        rf"\breplac(?:ed|es?|ing)\s+{_WORSE}\s+(?:with|by)\s+{_BETTER}{_END}",
        rf"^{_BETTER}\s+(?:has\s+)?(?:replaced|replaces|supersedes|superseded)\s+{_WORSE}{_END}",
        rf"\b(?:migrated|moved|switched|ported|changed|converted)\b[^,.;]*?\bfrom\s+{_WORSE}\s+to\s+{_BETTER}{_END}",
    )
)
_GONE = tuple(
    regex(pattern, re.I)
    for pattern in (
        rf"^{_WORSE}\s+(?:(?:has|have)\s+been|is|are|was|were)\s+(?:now\s+)?"
        rf"(?:deprecated|removed|dropped|retired|gone|obsolete|discontinued|decommissioned|abandoned)\b",
        rf"^(?:we(?:['’]ve)?\s+(?:have\s+)?)?(?:removed|dropped|got rid of|retired|abandoned|stopped using|ditched)\s+{_WORSE}{_END}",
        rf"^{_WORSE}\s+is\s+no\s+longer\s+(?:used|needed|in use)\b",
        rf"\bno\s+longer\s+uses?\s+{_WORSE}{_END}",
        # "Removed the `--develop` option"; not "Removed the cache of `--develop`".
        r"^(?:[\w-]+:\s+)?(?:remove|drop|delete|retire)e?[ds]?\s+(?:(?!(?:from|of|in|for|to|by|with|on)\b)[\w-]+\s+){0,3}?"
        r"`{1,2}(?P<worse>[^`\s]+)`{1,2}",
    )
)


class Swap(NamedTuple):
    """The replacement (empty for a removal), the replaced thing, and the rest of the sentence."""

    better: str
    worse: str
    rest: str


def swap(sentence: str) -> Swap | None:
    """Parse a replacement or removal from a sentence."""
    swapped, lost = has(sentence, _SWAPPED), has(sentence, _LOST)
    for pattern in (*(_SWAPS if swapped else ()), *(_GONE if lost else ())):
        found = pattern.search(sentence)
        if found:
            named = found.groupdict()
            rest = sentence[: found.start()] + " " + sentence[found.end() :]
            return Swap(named.get("better") or "", named["worse"], rest)
    return None


_TOKEN = r"[`'\"]?(?P<{}>[\w][\w.+#@/-]*[\w+#])[`'\"]?"
_RENAMES = tuple(
    regex(pattern, re.I)
    for pattern in (
        rf"\brenam(?:ed?|es|ing)\b(?:\s+(?:it|this|that))?(?:\s+[\w-]+){{0,4}}?\s+{_TOKEN.format('worse')}\s+(?:in)?to\s+(?:be\s+)?{_TOKEN.format('better')}",
        rf"{_TOKEN.format('worse')}\s+(?:(?:is|are)\s+now\s+(?:called|named)|(?:(?:is|was|has\s+been|will\s+be)\s+)?renamed\s+(?:in)?to)\s+{_TOKEN.format('better')}",
    )
)


def renamed(sentence: str) -> Swap | None:
    """The new and the old name in a sentence about a renaming."""
    if not has(sentence, _NAMED):
        return None
    for pattern in _RENAMES:
        found = pattern.search(sentence)
        if found:
            rest = sentence[: found.start("worse")] + " " + sentence[found.end() :]
            return Swap(found["better"], found["worse"], rest)
    return None


def swaps(sentence: str) -> tuple[Swap, ...]:
    """The replacements and renamings in a sentence whose old name is one word."""
    found = (renamed(sentence), swap(sentence))
    return tuple(one for one in found if one is not None and _ONE_NAME.fullmatch(one.worse))


def uses_old_name(text: str, swapped: Swap) -> bool:
    """Whether a text uses the old name of a thing and not the new one. If the name may be a plain word, the text
    must also share a word with the context of the renaming.
    """
    if not _has(text, swapped.worse) or (swapped.better and _has(text, swapped.better)):
        return False
    if _TELLING.search(swapped.worse):
        return True
    return not set(content_words(swapped.rest)).isdisjoint(content_words(text))


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.I) is not None


_TELLING = re.compile(r"[a-z0-9][A-Z]|\w[-_.#/]\w|[A-Za-z]\d|^[A-Z]|^-")
_ONE_NAME = re.compile(r"[\w.+#@/-]{3,}")
_NAMED = frozenset("rename renamed renames renaming called named".split())


_WHO = r"(?P<who>[A-Z][\w-]+|(?:the\s+)?(?:[\w-]+\s+){1,2}(?:team|group|squad|guild)|team\s+[\w-]+|(?:the\s+)?[\w-]+(?:\s+owner|\s+lead)?)"
_OWNED = frozenset(
    """owns maintains responsible charge owner on look looks leads owned maintained signed approved
    reviewed looked ask contact ping maintainer reviewer reviewers""".split()
)
_OWNERS = tuple(
    regex(pattern)
    for pattern in (
        rf"^(?:{_WHO})\s+(?:owns|maintains|is\s+(?:responsible\s+for|in\s+charge\s+of|the\s+owner\s+of|on[ -]call\s+for)"
        r"|looks?\s+after|leads)\s+(?P<what>.+)$",
        r"^(?P<what>.+?)\s+(?:is|are)\s+(?:owned|maintained|signed\s+off|approved|reviewed|looked\s+after)\s+by\s+"
        rf"{_WHO}\W*$",
        rf"^(?:[Aa]sk|[Cc]ontact|[Pp]ing)\s+{_WHO}\s+(?:for|about|when|if)\s+(?P<what>.+)$",
        rf"^(?P<what>(?:[Oo]n[ -]call|[Oo]wner|[Mm]aintainer|[Cc]ontact|[Rr]eviewers?)\b.*?)(?::|\s+is|\s+are)\s+{_WHO}\W*$",
    )
)


def owner(sentence: str) -> tuple[str, str] | None:
    """(subject, owner) when a sentence names who is responsible for something."""
    for pattern in _OWNERS if has(sentence, _OWNED) else ():
        found = pattern.search(sentence)
        if found and found["who"].lower() not in ("it", "he", "she", "this", "that", "who"):
            return found["what"], found["who"]
    return None
