"""Tokenization. All lexical code indexes and queries with these functions, so all stores agree.

Identifiers are kept whole and also split at case humps, digits and underscores. Text is folded with NFKC and
case folding; Latin words are stemmed; runs of Chinese, Japanese and Korean become bigrams.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import pairwise

import Stemmer

from contextd_common.text.languages import function_words
from contextd_common.text.regex import regex

_RUN = regex(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]+"
    r"|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]+"
)
_ASCII_RUN = regex(r"[A-Za-z0-9_]+")
"""The same for ASCII text, in half the time."""
_PART = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WIDE = regex(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_LONGEST = 64

_KEPT = 20_000
"""Cache size for runs and for stems of their parts: 9 MB when full. Over 5,000 files, 50,000 took 26 MB
and saved no time.
"""

STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing don down during each few for from further had
    has have having he her here hers him his how i if in into is it its itself just me more most my
    no nor not now of off on once only or other our ours out over own same she should so some such
    than that the their theirs them then there these they this those through to too under until up
    us very was we were what when where which while who whom why will with would you your
    yours""".split()
)
"""Words a query drops if it has others; the index keeps them."""


_ENDS, _QUOTES = ",.;:!?…", "\"'“”‘’()"


IDEOGRAPH = regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A character of a script that needs about half as many characters as letters do."""


def weight(text: str) -> int:
    """The length of a text in characters. Ideographs count twice, because they carry more meaning."""
    return len(text) + len(IDEOGRAPH.findall(text))


def unpunctuated(text: str) -> str:
    """A lower-case text without punctuation around its words. Other marks stay, as in `1.5`, `C++`, `!flag`."""
    found = (w.rstrip(_ENDS).strip(_QUOTES).rstrip(_ENDS) for w in text.casefold().split())
    return " ".join(filter(None, found))


@lru_cache(maxsize=_KEPT)
def _expand(run: str) -> str:
    """The words of a run, separated by spaces."""
    if run.isascii():
        if run.isalpha() and run.islower():
            return _stem(run)
        if run.isdigit():
            return run
        parts = _PART.findall(run)
    elif _WIDE.match(run):
        return run if len(run) == 1 else " ".join(a + b for a, b in pairwise(run))
    else:
        parts = [part for part in run.split("_") if part]
    whole = run.strip("_").casefold()
    folded = [part.casefold() for part in parts]
    if len(folded) == 1 and folded[0] == whole:
        return _stem(whole)
    return " ".join(dict.fromkeys((whole, *map(_stem, folded)))) if whole else ""


# PyStemmer objects have a cache that is not thread-safe, so each lru_cache miss creates a fresh stemmer
# without a cache, which is affordable.
@lru_cache(maxsize=_KEPT)
def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    stemmed: str = Stemmer.Stemmer("english", 0).stemWord(word)
    return stemmed


def words(text: str) -> list[str]:
    """The words of `text`, in order, with repeats. An identifier yields itself and its parts."""
    return spaced_words(text).split()


def spaced_words(text: str) -> str:
    """The same, joined by spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(filter(None, map(_expand, _runs(text))))


def query_words(text: str) -> list[str]:
    """The distinct words of a query, without stop words unless there are no others."""
    return content_words(text) or list(dict.fromkeys(words(text)))


def content_words(text: str) -> list[str]:
    """The distinct words of `text` that are not stop words of its language."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    idle = function_words(text)
    if not idle:
        runs = [run for run in _runs(text) if run.casefold() not in STOP_WORDS]
        return list(dict.fromkeys(word for run in runs for word in _expand(run).split()))
    found = dict.fromkeys(
        word for run in _runs(text) if run.casefold() not in idle for word in _expand(run).split()
    )
    return [word for word in found if not _WIDE.match(word) or not idle.issuperset(word)]


_STEMMERS = {
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
}


def comparable_words(text: str, language: str) -> frozenset[str]:
    """The content words of a text as they are compared with those of another: stemmed in `language` and without
    accents. The index knows English stems only.
    """
    found = content_words(text)
    if language not in _STEMMERS:
        return frozenset(found)
    return frozenset(_stem_in(language, word) for word in found)


@lru_cache(maxsize=_KEPT)
def _stem_in(language: str, word: str) -> str:
    if not word.isalpha() or _WIDE.match(word):
        return word
    stemmed: str = Stemmer.Stemmer(_STEMMERS[language], 0).stemWord(word)
    plain = unicodedata.normalize("NFD", stemmed)
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _runs(text: str) -> list[str]:
    pattern = _ASCII_RUN if text.isascii() else _RUN
    return [run for run in pattern.findall(text) if len(run) <= _LONGEST]


def printable(name: str) -> str:
    """A name on one line: what a terminal or a reader would take for something else is escaped as in Python."""
    if name.isprintable():
        return name
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in name)


def one_line(text: str, longest: int) -> str:
    """A text on one line of at most this many characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    return line[:longest].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"
