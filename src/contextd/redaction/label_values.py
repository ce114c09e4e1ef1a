"""Locate the value that belongs to a label, and its end.

Values follow their label in assignments, calls, tags, options, headers and sentences of a few
languages: plain, quoted, escaped or encoded. Other modules decide whether a value is a secret.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from contextd.redaction.secret_values import LONGEST, SHORTEST, Form
from contextd_common.text.regex import regex


class FoundValue(NamedTuple):
    """A value at `[start, end)` of a text, and how it is written."""

    start: int
    end: int
    form: Form


WINDOW = 160
"""The largest distance in characters between a label and its value."""

_EMPHASIS = r"(?:\*\*|__|<code>|<b>)?"
_TYPE = (
    r"[ \t]?\??:[ \t]?(?:&'?\w*[ \t]?|const[ \t])?(?:str|[Ss]tring|SecretStr|char|text|varchar|bytes|any"
    r"|\w{1,20}\[\w{1,20}\])[\[\]?*]{0,2}(?:\(\d+\))?(?:[ \t]?\|[ \t]?(?:None|null|undefined))?(?=[ \t]{0,4}=)"
    r"|[ \t]{1,4}(?:\*?string|\[\]byte)(?=[ \t]{0,4}=)"
)
"""The type between a name and its sign; the last is Go's, which has no colon."""

_ASSIGNED = regex(
    rf"(?:\\{{0,4}}[\"'`*_]{{0,3}}|&quot;)(?:</[a-z]+>)?[ \t]?\]?(?:\[\d{{0,4}}\])?\)?(?:{_TYPE})?[ \t]{{0,24}}"
    r"(?:[?|+:.]{0,3}={1,3}(?!>)|!={1,2}|=>|::?|->|→|：|＝|%3[ADad]|%253[ADad]|\\u003[aAdD]|=3D|&#x3[dD];|&#61;|(?<=[ \t])\|(?=[ \t]))"
    rf"[ \t]{{0,16}}(?:{_EMPHASIS}[ \t]{{0,2}})?(?:[|>][-+]?\d?[ \t]{{0,4}}\r?\n[ \t]{{1,40}})?"
)
_CALLED = regex(
    r"\\{0,4}[\"'`]?[ \t]?[,(]\s{0,24}(?=[@bru]?\\{0,4}[\"'`])"
    r"|\.(?:equals|assign|compareTo|is)\((?=[\"'])"
    r"|[\"')\]]{0,3}[ \t]+(?:(?:or|\|\||\?\?)[ \t]+)?(?=\\{0,4}[\"'`])"
    r"|(?P<bracket>\()(?=[^\s()\"'`]{8,60}\))"
)
_BELOW = regex(
    r"(?:\*\*|__)?:(?:\*\*|__)?[ \t]{0,4}(?:\r?\n[ \t]{0,16}){1,2}(?:```\w{0,10}\r?\n[ \t]{0,16})?`?"
    r"(?=[^\s:`]{8,200}`?[ \t]*(?:\r?\n|$))"
)
"""From a name to the value that fills one of the next lines, as in a message: "API key:" and a blank line."""

_VALUE_OF_NAME = regex(
    r"\\{0,4}[\"'`]?[ \t]{0,4}(?:,|\{(?:\s{0,20}(?:type|description|sensitive|nullable)[ \t]{0,8}=[^\n]{0,100}){0,4})?"
    r"\s{0,40}(?:-[ \t])?\\{0,4}[\"'`]?(?:value|content|default|defaultValue)"
    r"\\{0,4}[\"'`]?[ \t]{0,4}[:=][ \t]{0,4}",
    re.I,
)
_DECLARED = regex(
    r"(?:\b(?:const|let|var|val|final|static|public|private|protected|internal|[Ss]tring|char|auto)[ \t]"
    r"(?:[\w<>*&?]{1,30}(?:\[\])?[ \t]+){0,4}[*&$]{0,2}|\b(?:self|this)\.|->|::|@|(?<![{\\])\$)$"
)
"""The keywords before the name in an assignment of a program."""

_ASSIGNS_IN_CODE = regex(r".*?(?::=|[!=]==?|=>|['?][ \t]?:|\+=)[ \t]*$", re.DOTALL)
_OPENED = regex(r"(?:[\w$\])>]\(|[{\[])[^(){}\[\]\n]*$")
_STATEMENT_ENDS = regex(r"[ \t]*(?:[,;]|\)+;?)[ \t]*(?://|#|/\*|\r?\n|\\r|\\n|\"|$)")
_ARGUMENT_ENDS = regex(r"[ \t]*[,)\]}]")
_SPACED_SIGN = regex(r"[ \t]|[^=]*:[ \t]")
_CODE_REACH = 160
"""How far before its name the bracket of a call or the keyword of a declaration may be."""

_CLOSES_NAME = frozenset("\"'`,\\\r\n")
_TAGGED = regex(r"(?:[ \t][^<>\n]{0,60})?>\s{0,8}(?:<!\[CDATA\[)?")
_ATTRIBUTE = regex(r"<[\w:.-]{1,40}[ \t][^<>\n]{0,80}?\b(?:key|name|id)=[\"']$")
_ELEMENTS = regex(r"</(?:key|name)>\s{0,40}<(?:value|string)>\s{0,8}(?:<!\[CDATA\[)?")
"""From a name to its value in a property list or a configuration of Hadoop."""

_TAG_ENDS = regex(r"(?P<rest>[.,;:!?)}*_|]{0,4})\s{0,8}(?:<|\]\]>)")
_OPTION = regex(r"[ \t]{1,4}(?!-)")
_VERB = (
    r"\s(?:(?:(?:is|was|has been|wurde|a été|fue)\s)?(?:now\s)?"
    r"(?:changed|set|reset|updated|rotated|geändert|changé|cambiada)\s(?:to|auf|en|a|à)"
    r"|is|was|are|be|ist|war|lautet|heißt|est|était|es|era|é|è|equals)"
    r"(?:\s(?:now|still|currently|just|actually|again|jetzt|maintenant|ahora|simply|this|as follows))?\s?:?"
    r"|\s?[:=]|\s?[-–—]|\s?(?:→|->|=>)"
)
_SENTENCE = regex(
    r"[\"'”’`)]{0,2}(?:[ \t]?\([^()\n]{1,40}\))?"
    r"(?:(?:\s(?:for|of|to|on|in|at|from|für|auf|im|von|vom|der|des|zum|zur|pour|du|de|la|del|para|en|da|do)\s"
    rf"[^\n,;:=()]{{1,40}}?)(?:{_VERB})|(?:{_VERB}|[ \t]to)?)[ \t]{{1,2}}{_EMPHASIS}"
)
_SENTENCE_BEFORE = regex(
    r"(?:^|[\s(\"'“`])(?:/[/*]|[#;])?(?P<secret>[^\s\"'“”`\\]{8,100})[\"'”`]?\s(?:is|as|ist|als|est|comme|es|como)"
    r"(?:\s(?:the|our|my|your|a|das|unser|mein|le|notre|mon|la|nuestra|mi)(?:\s[\w'’.-]{1,20}){0,3})?\s$"
)
_DECORATION = regex(r"(?:[bBrRuUfF@L]{1,2}|new String\()?(?=\\{0,6}[\"'`“„«‘「]|&quot;|&#3[49];)")
_OPENING = regex(r"&quot;|&#3[49];|\\{0,6}(?:\"\"\"|'''|[\"'`“„«‘「])")
_CLOSING = {"“": "”", "„": "“", "«": "»", "‘": "’", "「": "」"}
_BARE = regex(rf"(?:[^\s\"'`“”«»<>\\]|\\(?![nrtu\"'`\\])){{{SHORTEST},{LONGEST}}}")
_NEXT_FIELD = regex(
    r"(?:[&;,|]|&amp;|%26)\s?[A-Za-z_][\w.\-]{0,40}(?:\[\w*\])?(?:[=:]|%3D)|&amp;|%26|%22|%7D|[;,&]$"
)
_STARTS_LINE = regex(
    r"(?:^|\n|\\n|\")[ \t]{0,60}(?:\d{1,6}[→|:\t]|[+>#*|-]|//|export|set|SET|ENV|ARG|local|readonly"
    r"|declare -x|-e|--env|\$env:|[ \t])*[\"']?(?:[\w-]+\.)*$"
)
_ENDS_LINE = regex(r"[ \t]*(?:$|\n|\r|\\n|\\r|#|//|\"|')")
_REST = regex(r"[A-Za-z0-9+/=_.\-]*")
_LONGEST_RUN = 20_000
_TRAILING = ".,;:!?)]}>*_|"
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def assigned(text: str, start: int, end: int) -> FoundValue | None:
    """The value assigned to the name at `[start, end)`, or passed beside it."""
    named = _VALUE_OF_NAME.match(text, end, end + WINDOW) if text[end] in _CLOSES_NAME else None
    if named:
        return _value(text, named.end(), start)
    below = _BELOW.match(text, end, end + WINDOW)
    if below:
        return _bare(text, below.end(), "spoken")
    sign = _ASSIGNED.match(text, end, end + WINDOW)
    if sign:
        found = _value(text, sign.end(), start)
        if found and found.form == "quoted" and _in_code(text, start, sign, found.end):
            return FoundValue(found.start, found.end, "literal")
        return found
    call = _CALLED.match(text, end, end + WINDOW)
    if call:
        found = _value(text, call.end(), call.end(), bare=bool(call["bracket"]))
        if found is None or found.form != "quoted":
            return found
        first = call[0].lstrip("\\\"'`)] \t")[:1]
        if text[end] == ",":
            return FoundValue(found.start, found.end, "argument")
        # What `define("DB_PASSWORD", …)` sets is a setting.
        passed = first in ("(", ".") or (first == "," and not text[start:end].isupper())
        return FoundValue(found.start, found.end, "literal") if passed else found
    return None


def _in_code(text: str, start: int, sign: re.Match[str], end: int) -> bool:
    """Whether a program assigns the quoted value that ends at `end`, rather than a settings file, a shell or
    JSON. A name in double quotes is a JSON key, so it never counts.
    """
    if sign[0].lstrip("\\")[:1] == '"':
        return False
    before = text[max(0, start - _CODE_REACH) : start].rpartition("\n")[2].rpartition("\\n")[2]
    if _DECLARED.search(before) or _ASSIGNS_IN_CODE.match(sign[0]):
        return True
    closed = end + len(text[end : end + 7]) - len(text[end : end + 7].lstrip("\\"))
    opened = _OPENED.search(before)
    # An odd quote is that of a text of JSON: a sentence, which the bracket does not hold.
    if (
        opened
        and opened[0].count('"') % 2 == 0
        and _ARGUMENT_ENDS.match(text, closed + 1, closed + 16)
    ):
        return True
    ended = _STATEMENT_ENDS.match(text, closed + 1, closed + 40)
    return bool(ended and _SPACED_SIGN.match(sign[0]))


def tagged(text: str, start: int, end: int) -> FoundValue | None:
    """The content of the element whose tag, key or name is at `[start, end)`, or of the element after it."""
    sign = _ELEMENTS.match(text, end, end + WINDOW)
    if sign is None:
        if not start or text[start - 1] not in "<:.\"'":
            return None
        if text[start - 1] in "\"'":
            if not _ATTRIBUTE.search(text[max(0, start - WINDOW) : start]):
                return None
            end += 1
        sign = _TAGGED.match(text, end, end + WINDOW)
    found = _bare(text, sign.end(), "quoted") if sign else None
    # The name of a placeholder stands between brackets, too, and is followed by anything.
    ends = _TAG_ENDS.match(text, found.end, found.end + 20) if found else None
    return FoundValue(found.start, ends.end("rest"), found.form) if found and ends else None


def optional(text: str, end: int) -> FoundValue | None:
    """The argument of a command line option that ends at `end`."""
    sign = _OPTION.match(text, end, end + 8)
    return _value(text, sign.end(), sign.end()) if sign else None


def stated(text: str, end: int) -> FoundValue | None:
    """The value that a sentence gives for the name that ends at `end`."""
    sign = _SENTENCE.match(text, end, end + WINDOW)
    found = _value(text, sign.end(), sign.end()) if sign else None
    if found is None or found.form == "quoted":
        return found
    return FoundValue(found.start, found.end, "spoken")


def stated_before(text: str, start: int) -> FoundValue | None:
    """The value that a sentence assigns to the name at `start` from the front: "use X as the password"."""
    low = max(0, start - WINDOW)
    match = _SENTENCE_BEFORE.search(text[low:start])
    return (
        FoundValue(low + match.start("secret"), low + match.end("secret"), "spoken")
        if match
        else None
    )


def _value(text: str, at: int, start: int, *, bare: bool = True) -> FoundValue | None:
    """The value at `at` of a name that begins at `start`."""
    decoration = _DECORATION.match(text, at, at + 24)
    opening = _OPENING.match(text, decoration.end() if decoration else at, at + 32)
    if opening:
        found = _quoted(text, opening)
        if found:
            return found
        at = opening.end()
    elif not bare:
        return None
    alone = start < at and _STARTS_LINE.search(text[max(0, start - 80) : start])
    return _bare(text, at, "line" if alone else "inline")


def _quoted(text: str, opening: re.Match[str]) -> FoundValue | None:
    mark = opening[0]
    closing = _CLOSING.get(mark, mark)
    limit = opening.end() + LONGEST
    end = text.find(closing, opening.end(), limit)
    while end > 0 and text[end - 1] == "\\" and mark[0] != "\\":
        end = text.find(closing, end + 1, limit)
    if end < 0 or (len(mark) < 3 and text.find("\n", opening.end(), end) >= 0):
        return None
    return FoundValue(opening.end(), end, "quoted")


def _bare(text: str, at: int, form: Form) -> FoundValue | None:
    match = _BARE.match(text, at, at + LONGEST + 8)
    if match is None:
        return None
    end = match.end()
    following = _NEXT_FIELD.search(text, at, end)
    if following:
        end = following.start()
    elif form == "line" and _ENDS_LINE.match(text, end, end + 24):
        return FoundValue(at, end, "line")
    return FoundValue(at, _trimmed(text, at, end), "inline" if form == "line" else form)


def _trimmed(text: str, at: int, end: int) -> int:
    """Where a value ends without trailing punctuation; a value that was cut off stays as it is."""
    while end > at and text[end - 1] in _TRAILING and not text.endswith("...", at, end):
        opened = _BRACKETS.get(text[end - 1])
        if opened and text.find(opened, at, end) >= 0:
            break
        end -= 1
    return end


def whole_run(text: str, found: FoundValue) -> int:
    """Where a value ends that was cut off because of its length."""
    if found.end - found.start < LONGEST:
        return found.end
    rest = _REST.match(text, found.end, found.end + _LONGEST_RUN)
    return rest.end() if rest else found.end
