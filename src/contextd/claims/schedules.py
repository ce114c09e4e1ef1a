"""Normalise schedules: cron expressions and words in one form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd.claims.phrases import DIGIT, Phrases
from contextd.claims.quantities import NUMBER_WORDS
from contextd.claims.stems import stems
from contextd_common.text.regex import regex
from contextd_common.text.words import words

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_CRON = regex(
    r"(?<!\S)[`'\"]?(?P<m>\*(?:/\d+)?|\d{1,2}) (?P<h>\*(?:/\d+)?|\d{1,2}) (?P<dom>\*|\d{1,2}) \* "
    r"(?P<dow>\*|[0-7]|sun|mon|tue|wed|thu|fri|sat)(?!\S?[\w*])[`'\"]?",
    re.I,
)
_CLOCK = regex(
    r"\b(?:at|from|starts?|by|@)?\s*\b(?P<h>[01]?\d|2[0-3])(?::(?P<m>[0-5]\d)(?!\d)(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"|\s?(?P<only>[ap])\.?m\b\.?)|\b(?P<name>midnight|noon)\b",
    re.I,
)
_NUMBER = rf"(?P<n>\d+|{'|'.join(NUMBER_WORDS)}|other)"
_EVERY = regex(
    rf"\b(?:every|each|once (?:per|an?|every)|per)\s+(?:{_NUMBER}\s+)?(?P<unit>second|minute|hour|night|day|morning|evening"
    rf"|week(?!day)|month|quarter|year)s?\b|\b(?P<word>hourly|nightly|daily|weekly|monthly|quarterly|yearly)\b",
    re.I,
)
_ON = regex(rf"\b(?:on|every|each|on the)\s+(?P<day>{_DAY})s?\b", re.I)
_OF_MONTH = regex(
    r"\bon the (?P<n>first|last|\d{1,2}(?:st|nd|rd|th)?)(?: day)?(?: of (?:the|each|every) month)",
    re.I,
)
_MAY = Phrases(
    r".",
    f"""every each once per hourly nightly daily weekly monthly quarterly yearly midnight noon am pm
    a p monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays
    thursdays fridays saturdays sundays month {DIGIT}""",
    re.S,
)
_UNITS = {
    "second": 1, "minute": 60, "hour": 3600, "night": 86_400, "day": 86_400, "morning": 86_400,
    "evening": 86_400, "week": 604_800, "month": 2_592_000, "quarter": 7_776_000,
    "year": 31_536_000, "hourly": 3600, "nightly": 86_400, "daily": 86_400, "weekly": 604_800,
    "monthly": 2_592_000, "quarterly": 7_776_000, "yearly": 31_536_000,
}  # fmt: skip
_BESIDE = frozenset(
    words(
        "job schedule scheduled run runs cron start starts started happen execute take taken night kick fire trigger"
        " triggered time utc once once again it"
    )
) | {"expression", "utc"}
_RUNS = frozenset(
    words("job jobs schedule scheduled run runs cron start starts happen execute kick fire trigger triggered")
)  # fmt: skip


def scheduled(text: str) -> Iterator[tuple[str, str, frozenset[str]]]:
    """(part, value, subject) for each part of a schedule: `every` in seconds, `at` a time of the day, `on` a
    day.
    """
    if not _MAY.possible(text):
        return
    parts: dict[str, set[str]] = {}
    rest = text

    def take(match: re.Match[str], found: dict[str, str]) -> str:
        for part, value in found.items():
            parts.setdefault(part, set()).add(value)
        return " "

    rest = _CRON.sub(lambda m: take(m, _cron(m)), rest)
    rest = _OF_MONTH.sub(lambda m: take(m, {"every": "2592000", "on": _place(m["n"])}), rest)
    rest = _ON.sub(lambda m: take(m, {"every": "604800", "on": m["day"][:3].casefold()}), rest)
    rest = _EVERY.sub(lambda m: take(m, _rate(m)), rest)
    rest = _CLOCK.sub(lambda m: take(m, {"at": _clock(m)}), rest)
    if not parts or (parts.keys() == {"at"} and _RUNS.isdisjoint(words(rest))):
        return
    subject = frozenset(stems(rest)) - _BESIDE
    for part, values in parts.items():
        if len(values) == 1 and subject:
            yield part, next(iter(values)), subject


def _cron(match: re.Match[str]) -> dict[str, str]:
    minute, hour, of_month, of_week = (match[name].casefold() for name in ("m", "h", "dom", "dow"))
    for field, unit in ((minute, 60), (hour, 3600)):
        if field.startswith("*"):
            return {"every": str(unit * int(field[2:] or 1))}
    found = {"at": f"{int(hour):02}:{int(minute):02}", "every": "86400"}
    if of_week != "*":
        day = _DAYS[int(of_week) % 7] if of_week.isdigit() else of_week
        return found | {"every": "604800", "on": day}
    return found | ({"every": "2592000", "on": _place(of_month)} if of_month != "*" else {})


def _place(words: str) -> str:
    figure = re.sub(r"\D", "", words)
    return figure or {"first": "1"}.get(words.casefold(), words.casefold())


def _rate(match: re.Match[str]) -> dict[str, str]:
    unit = (match["word"] or match["unit"]).casefold()
    count = (match["n"] or "1").casefold()
    number = float({"other": "2"}.get(count) or NUMBER_WORDS.get(count, count))
    return {"every": f"{number * _UNITS[unit]:.0f}"}


def _clock(match: re.Match[str]) -> str:
    if match["name"]:
        return {"midnight": "00:00", "noon": "12:00"}[match["name"].casefold()]
    hour, half = int(match["h"]), (match["half"] or match["only"] or "").casefold()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02}:{int(match['m'] or 0):02}"
