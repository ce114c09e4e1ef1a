"""Which module of the project a text belongs to."""

from __future__ import annotations

import pytest

from contextd.sessions.module_mapping import Place, module_of

PLACES = (
    Place("billing", ("src/billing/invoice.py", "src/billing/tax.py"), "Invoices and payments"),
    Place("search", ("src/search/",), "Full text search over products"),
    Place("user-accounts", ("src/accounts/login.py",), "Login and profiles"),
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
    assert module_of(content, file, PLACES) == module


def test_of_two_folders_that_hold_a_file_the_inner_one_decides() -> None:
    places = [Place("shop", ("src/shop",)), Place("tax", ("src/shop/tax",)), Place("a", ("src",))]
    for some in (places, places[::-1]):
        assert module_of("Never round twice.", "src/shop/tax/eu.py", some) == "tax"
        assert module_of("Never round twice.", "src/shop/cart.py", some) == "shop"


def test_meaning_is_asked_last_and_must_be_close() -> None:
    text = "Cents only."
    assert module_of(text, "", PLACES, lambda a, b: 0.9 if "Invoices" in b else 0.1) == "billing"
    assert module_of(text, "", PLACES, lambda a, b: 0.2) == ""
    assert module_of(text, "", ()) == ""


def test_the_only_module_takes_what_fits_nowhere_else() -> None:
    assert module_of("Cents only.", "", PLACES[:1]) == "billing"
