"""Judgements on the words of prompts and answers have a row for every language, or a reason why not.

A pattern of English words works for English alone and fails silently for everybody else. Such patterns are tables of
`contextd_common/text/languages.py`, with one row a language (ADR 62).
"""

from __future__ import annotations

import ast
import re
from importlib import import_module

import pytest
from sources import ROOT, module_path, parsed, product_file, product_files

from contextd_common.text.languages import FUNCTION_WORDS, LANGUAGES, ByLanguage
from support.verdicts import none_of

CONTRADICTIONS = "compares English statements; others are compared by meaning only"
FORMATS = "reads what programs print or write, in their own words"
OTHER_ROWS = "the English rows; `sessions/ledger_words.py` has the others"
ONE_PATTERN = "has the words of several languages in one pattern"
TRAINED = "a feature of a classifier that was trained with it"

ENGLISH_ONLY = {
    "awareness/missed_queries.py": ONE_PATTERN,
    "briefing/prompt_directives.py": ONE_PATTERN,
    "briefing/session_outcome.py": ONE_PATTERN,
    "claims/": CONTRADICTIONS,
    "domain/speech.py": ONE_PATTERN,
    "imports/importers/": FORMATS,
    "learning/command_outcomes.py": FORMATS,
    "learning/statement_worth.py": TRAINED,
    "sessions/statement_form.py": TRAINED,
    "person/person_md.py": "headings and labels of a file whose format is English",
    "remedies/signatures.py": FORMATS,
    "search/abbreviations.py": "abbreviations that developers of every language write",
    "sessions/dead_ends.py": ONE_PATTERN,
    "sessions/ledger.py": "has denials of several languages in one pattern; announcements in others stay quoted",
    "sessions/ledger_sorts.py": OTHER_ROWS,
    "sessions/thread.py": ONE_PATTERN,
    "sessions/topics.py": "other languages drop their function words only",
}
"""Modules and folders with patterns of English words that are no table, and why."""

ROOMS = frozenset(
    """awareness briefing claims consolidation domain imports knowledge learning person policies remedies search
    sessions""".split()
)
"""Rooms that read prompts, answers and records."""

MANY = 3
"""Function words of English in a constant that make it a judgement on English."""

_ENGLISH = frozenset(word for word in FUNCTION_WORDS["en"].split() if len(word) > 1) - frozenset(
    "in on up ve re ll".split()
)


def tables() -> list[tuple[str, ByLanguage]]:
    found = []
    for path in product_files():
        # By its text first: every worker collects this, and a tree of each file is 5 s of CPU.
        if "ByLanguage(" not in (ROOT / path).read_text("utf-8"):
            continue
        module = import_module(".".join(path.with_suffix("").parts[1:]))
        found += [
            (f"{module_path(path)}:{name}", value)
            for name, value in vars(module).items()
            if isinstance(value, ByLanguage)
        ]
    return found


def names_english(node: ast.Assign | ast.AnnAssign) -> bool:
    """Whether a constant is a pattern or a set of English words, outside a table."""
    value = node.value
    if value is None or "ByLanguage" in ast.dump(value):
        return False
    called = {
        getattr(call.func, "id", getattr(call.func, "attr", ""))
        for call in ast.walk(value)
        if isinstance(call, ast.Call)
    }
    if called.isdisjoint(("regex", "compile", "frozenset", "Phrases")):
        return False
    text = " ".join(
        part.value
        for part in ast.walk(value)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )
    words = re.findall(r"[a-z]+", re.sub(r"\\[a-zA-Z]|\(\?[a-zA-Z<!=:P]+", "  ", text.lower()))
    return len(_ENGLISH.intersection(words)) >= MANY


def test_each_judgement_has_a_row_for_every_language_or_says_why_not() -> None:
    found = tables()
    assert len(found) > 20, "tests/rules/test_rows_of_languages.py: `tables` finds too few"
    lacking = {
        f"src/contextd/{name}": missing
        for name, table in found
        if (missing := set(LANGUAGES) - set(table.languages) - set(table.without))
    }
    none_of(lacking, "add a row for each of these languages, or its reason to `without`")


def test_reasons_are_given_for_missing_rows_only() -> None:
    idle = [name for name, table in tables() if set(table.without) & set(table.languages)]
    none_of(idle, "it has a row for a language that is also in `without`: remove one of the two")


def test_patterns_of_english_words_are_tables_or_say_why_not() -> None:
    found = {
        module_path(path)
        for path in product_files()
        if module_path(path).partition("/")[0] in ROOMS
        for node in parsed(path).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and names_english(node)
    }
    listed = {name: {path for path in found if path.startswith(name)} for name in ENGLISH_ONLY}
    loose = found - {path for paths in listed.values() for path in paths}
    table = "ENGLISH_ONLY in tests/rules/test_rows_of_languages.py"
    none_of(
        [str(product_file(name)) for name in sorted(loose)],
        f"it has a pattern of English words: make it a `ByLanguage` table, or add it to {table} with the reason",
    )
    none_of(
        [name for name, paths in listed.items() if not paths],
        f"take it out of {table}: it has no such pattern any more",
    )


@pytest.mark.parametrize(
    ("name", "table"), tables(), ids=lambda one: one if isinstance(one, str) else ""
)
def test_every_row_compiles(name: str, table: ByLanguage) -> None:
    for language, pattern in table.rows.items():
        assert re.compile(pattern), f"src/contextd/{name}: the row {language} is no pattern"
