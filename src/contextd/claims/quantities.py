"""The quantities in a sentence, normalised: durations in seconds, sizes in bytes."""

from __future__ import annotations

import re

from contextd.claims.phrases import Phrases

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), 1
    )
} | {
    "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60",
    "ninety": "90", "hundred": "100", "half": "0.5",
}  # fmt: skip
"""Number words, with their values."""

_UNIT = (
    r"%|percent|ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?"
    r"|[kmgt]i?b?|bytes?|kilobytes?|megabytes?|gigabytes?|px|characters?|chars?|columns?|spaces?|lines?"
)
_QUANTITY = re.compile(
    rf"(?<![\w.-])(?P<sign>[$€£])?v?(?P<number>\d[\d,_]*(?:\.\d+)*|{'|'.join(NUMBER_WORDS)})\+?\s?-?(?:an?\s)?"
    rf"(?P<unit>{_UNIT})?(?![\w])",
    re.I,
)
_RATES = {"hourly": "1 hour", "daily": "1 day", "weekly": "1 week", "monthly": "1 month"}
_RATE = Phrases(
    r"\b(?:(?:once|every)\s+(?:an?\s+)?(?P<unit>second|minute|hour|day|week|month|year)\b"
    r"|(?P<word>hourly|daily|weekly|monthly)\b(?=[\s.!]*$))",
    """once every hourly daily weekly monthly""",
)
_SECONDS = {"ms": 0.001, "mi": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_BYTES = {"b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


def quantities(text: str) -> tuple[frozenset[tuple[str, str]], tuple[str, ...], str]:
    """(dimension, value) of each figure, the figures as written, and the text without them.

    Dimensions are `time`, `size`, `money`, `%` and `number`.
    """
    found: dict[tuple[str, str], str] = {}
    wording = _RATE.sub(
        lambda m: _RATES[m["word"].casefold()] if m["word"] else f"1 {m['unit']}", text
    )
    for match in _QUANTITY.finditer(wording):
        number = NUMBER_WORDS.get(match["number"].casefold(), match["number"])
        number = number.replace(",", "").replace("_", "")
        value = _measured(number, (match["unit"] or "").casefold(), match["sign"] or "")
        found.setdefault(value, match[0].strip())
    return (
        frozenset(found),
        tuple(found.values()),
        _QUANTITY.sub(" ", wording) if found else wording,
    )


def _measured(number: str, unit: str, sign: str) -> tuple[str, str]:
    if sign:
        return "money", number
    if unit in ("%", "percent"):
        return "%", number
    if number.count(".") < 2:
        short = unit[:2] if unit.startswith(("ms", "mil")) else unit[:1]
        if unit.startswith("month"):
            return "time", str(float(number) * 30 * 86_400)
        if unit.startswith("year"):
            return "time", str(float(number) * 365 * 86_400)
        if re.fullmatch(r"[kmgt]i?b|[kmgt]i|(?:kilo|mega|giga)?bytes?", unit):
            return "size", str(float(number) * _BYTES[short])
        if short in _SECONDS and re.fullmatch(
            r"ms|milli.*|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?", unit
        ):
            return "time", str(float(number) * _SECONDS[short])
    return "number", number
