from __future__ import annotations

from datetime import UTC, datetime

import pytest

from contextd.sessions.enrich import Addition, Place, additions, module_of
from contextd.sessions.extract import Finding

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLACES = (
    Place("billing", ("src/billing/invoice.py", "src/billing/tax.py"), "Invoices and payments"),
    Place("search", ("src/search/",), "Full text search over products"),
    Place("user-accounts", ("src/accounts/login.py",), "Login and profiles"),
)


def _finding(content: str, type: str = "rule", file: str = "", solution: str = "") -> Finding:
    return Finding(
        type=type,
        content=content,
        sentence=content,
        speaker="user",
        confidence=0.7,
        file=file,
        solution=solution,
    )


@pytest.mark.parametrize(
    ("content", "file", "module"),
    [
        ("Never round twice.", "src/billing/tax.py", "billing"),
        ("Never round twice.", "src/billing/rates/eu.py", "billing"),
        ("Never scan the table.", "src/search/index/build.py", "search"),
        ("The search index is rebuilt at night.", "", "search"),
        ("Invoices and payments are kept for ten years.", "README.md", "billing"),
        ("Amounts are in cents.", "scripts/deploy.py", ""),
        ("The search index is rebuilt at night.", "src/billing/tax.py", "billing"),
        ("Never lock an account.", "packages/user-accounts/lock.py", "user-accounts"),
    ],
)
def test_the_file_decides_first_and_words_next(content: str, file: str, module: str) -> None:
    assert module_of(_finding(content, file=file), PLACES) == module


def test_meaning_is_asked_last_and_must_be_close() -> None:
    finding = _finding("Cents only.")
    assert module_of(finding, PLACES, lambda a, b: 0.9 if "Invoices" in b else 0.1) == "billing"
    assert module_of(finding, PLACES, lambda a, b: 0.2) == ""
    assert module_of(finding, ()) == ""


def test_the_only_module_takes_what_fits_nowhere_else() -> None:
    assert module_of(_finding("Cents only."), PLACES[:1]) == "billing"


def test_each_type_goes_to_its_section_and_issues_carry_their_solution() -> None:
    file = "src/billing/tax.py"
    findings = [
        _finding("We keep rates in one table.", "pattern", file),
        _finding("Cents only.", "rule", file),
        _finding("We chose cents.", "decision", file),
        _finding("Books had no rate.", "issue", file, "Fall back to zero."),
        _finding("Cents only.", "rule", file),
    ]
    assert additions(findings, PLACES, session_id="s1", now=NOW) == [
        Addition(module="billing", section="pattern", text="We keep rates in one table."),
        Addition(module="billing", section="rule", text="Cents only."),
        Addition(
            module="billing",
            section="issue",
            text="Books had no rate.",
            solution="Fall back to zero.",
            session_id="s1",
            discovered_at=NOW,
        ),
    ]
