"""Find calques in text that people read: docstring summaries, messages, pages and guides.

`python tools/plain_english.py` lists every finding and fails if there is one. The table below is the
whole rule: to ban another phrase, add a row.
"""

from __future__ import annotations

import ast
import html
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Calque:
    """A phrase that is not idiomatic, why, and what to write instead."""

    pattern: str
    why: str
    instead: str


CALQUES = (
    Calque(r"nobody(?:'s)?|somebody(?:'s)?|everybody(?:'s)?|whoever", "no real subject", "name who acts, or use the passive"),
    Calque(r"unasked", "calque", "injected; automatically"),
    Calque(r"in vain", "calque", "without use; failed; without results"),
    Calque(r"behind \S+ back", "calque", "in the background"),
    Calque(r"lately", "misused", "recently"),
    Calque(r"seldom", "dated", "rare; rarely"),
    Calque(r"anew", "dated", "again; a new one"),
    Calque(r"amiss", "dated", "wrong"),
    Calque(r"stands? (?:there|beside|behind|below|above|elsewhere)", "calque", "is; is written; exists"),
    Calque(r"what is (?:known|told|kept|asked|said|there)", "clause as a noun", "name the thing: records, the query, the text"),
    Calque(r"what (?:became|becomes|came|comes) of", "calque", "the result; the outcome"),
    Calque(r"what (?:waits|binds|holds|recurs) (?:for|is|in|here|lately)", "clause as a noun", "name the thing"),
    Calque(r"mend(?:s|ed|ing)?", "dated", "repair; fix"),
    Calque(r"(?:is|are|too|so) dear", "false friend", "expensive; slow"),
    Calque(r"so many (?:bytes|characters|seconds|days|sessions|tokens|files|words|times|records|documents)", "calque", "this many; at most N"),
    Calque(r"in little room", "calque", "compact; a hash"),
    Calque(r"in few words", "calque", "in a few words; condensed"),
    Calque(r"by heart", "calque", "cached"),
    Calque(r"(?:come|comes|coming) round", "calque", "recurs; runs on a schedule"),
    Calque(r"bears? on", "calque", "is relevant to"),
    Calque(r"(?:can|cannot|could) be told", "tell for distinguish", "can be determined; can be distinguished"),
    Calque(r"are told of|is told of|is told (?:to|unasked|in)|are told (?:to|unasked|in)", "tell for show", "see; is shown; is injected"),
    Calque(r"(?<!there )(?:is|are) (?-i:none)", "calque", "is not one; is invalid"),
    Calque(r"(?<!there )(?:is|are) no (?:text|number|JSON|YAML|list|filter|name|path|address|id|pattern|file|directory)", "calque", "is not a …"),
    Calque(r"as far as a look tells", "calque", "as far as a quick look shows"),
    Calque(r"whose it is", "clause as a noun", "its owner"),
    Calque(r"each once", "calque", "without duplicates; distinct"),
    Calque(r"waits? for \S+ (?:word|witness)|second witness", "calque", "awaits review; awaits confirmation"),
    Calque(r"the word is|hand back the word|hands back the word", "calque", "control; the turn"),
    Calque(r"leads? nowhere", "calque", "is broken; has no target"),
    Calque(r"standing nowhere|stands nowhere", "calque", "is in no project"),
)  # fmt: skip
"""Only phrases that are wrong wherever they occur: a false alarm teaches people to ignore the check."""

_ANY = re.compile("|".join(rf"(?P<c{i}>\b(?:{c.pattern})\b)" for i, c in enumerate(CALQUES)), re.I)
_CODE = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|https?://\S+")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_SQL = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA)\b")
_PATTERN = re.compile(r"\(\?|\\[bswWSd]|\)\||\|\(")
_TAGS = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", re.S)


@dataclass(frozen=True)
class Finding:
    """A calque in a text, where, and the row that bans it."""

    path: Path
    line: int
    phrase: str
    calque: Calque

    def __str__(self) -> str:
        """As an editor takes it."""
        return (
            f"{self.path}:{self.line}: “{self.phrase}” ({self.calque.why}): {self.calque.instead}"
        )


def calques_in(text: str) -> Iterator[tuple[int, str, Calque]]:
    """(offset, phrase, row) of each calque; code, quotations and addresses do not count."""
    prose = _CODE.sub(lambda match: " " * len(match[0]), text)
    for match in _ANY.finditer(prose):
        yield match.start(), match[0], CALQUES[int(match.lastgroup[1:])]  # type: ignore[index]


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each docstring's first paragraph, and of each message: a string of three words or more."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        text = node.value
        if id(node) in alone:
            yield node.lineno, text.strip().split("\n\n")[0]
        elif (
            " " in text.strip()
            and len(_WORDS.findall(text)) >= 3
            and not _SQL.match(text)
            and not _PATTERN.search(text)
        ):
            yield node.lineno, text


def template_texts(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each line of a page, without markup."""
    bare = _TAGS.sub(lambda match: "\n" * match[0].count("\n") or " · ", source)
    for number, line in enumerate(bare.splitlines(), 1):
        yield number, html.unescape(line)


def markdown_texts(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each line of a guide outside code blocks."""
    fenced = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


READERS = {".py": python_texts, ".html": template_texts, ".md": markdown_texts}
# Lists of words in other people's sentences, which these files search for, and texts written as samples.
SKIPPED = (
    "src/contextd/claims/",
    "src/contextd/data/",
    "src/contextd/domain/generic_texts.py",
    "src/contextd/sessions/retractions.py",
)


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of everything in a file that people read."""
    relative = path.relative_to(ROOT).as_posix()
    source = path.read_text("utf-8")
    if path.suffix == ".md" and "/adr/" in relative:
        yield 1, source.splitlines()[0]
    else:
        yield from READERS[path.suffix](source)


def checked_files() -> list[Path]:
    """The product's modules and pages, and the documentation that is written by hand."""
    found = [
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "src").rglob("*.html"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    found.append(ROOT / "README.md")
    return sorted(
        path
        for path in found
        if not path.relative_to(ROOT).as_posix().startswith((*SKIPPED, "docs/reference/"))
    )


def findings() -> list[Finding]:
    """Every calque, in the order of files and lines."""
    return [
        Finding(path.relative_to(ROOT), line + text.count("\n", 0, start), phrase, calque)
        for path in checked_files()
        for line, text in texts_of(path)
        for start, phrase, calque in calques_in(text)
    ]


if __name__ == "__main__":
    everything = findings()
    print(*everything, sep="\n")
    sys.exit(1 if everything else 0)
