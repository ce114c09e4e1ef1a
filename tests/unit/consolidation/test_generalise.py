"""What is taken out of a text that leaves its project, and what must not be."""

from __future__ import annotations

import pytest

from contextd.consolidation.generalise import Particulars, differences, generalised

OWN = Particulars(
    names=frozenset({"my-shop", "Shop API", "shop"}),
    files=frozenset({"src/auth/guard.ts", "src/db/pool.py", "package.json"}),
    symbols=frozenset({"TokenManager", "refreshToken", "retry_upload", "conn", "list", "Errorf"}),
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("In my-shop wrap errors", "In <project> wrap errors"),
        ("MyShop and MY_SHOP use Redis", "<project> and <project> use Redis"),
        ("The Shop API retries", "The <project> retries"),
        ("See src/auth/guard.ts.", "See <file>."),
        ("pool.py opens it", "<file> opens it"),
        ("/home/lena/code/x.py fails", "<file> fails"),
        (r"C:\Users\lena\x.py fails", "<file> fails"),
        ("TokenManager.refresh is slow", "<name> is slow"),
        ("call retry_upload(path)", "call <name>(path)"),
        ("PROJ-123 and #45 and PR 7", "<id> and <id> and <id>"),
        ("since commit 3ab85a4", "since commit <id>"),
        ("session 0b6f0f3d-8c7b-5a39-9a43-6f5c6a1d2e88", "session <id>"),
        ("ask @lena or lena@acme.io", "ask <person> or <person>"),
        ("https://ci.acme.internal/job/4 is red", "<address> is red"),
        ("db.acme.internal:5432 and 10.0.0.5", "<address> and <address>"),
    ],
)
def test_particulars_of_a_project_are_replaced_by_placeholders(text: str, told: str) -> None:
    assert generalised(text, OWN) == told
    assert generalised(told, OWN) == told


@pytest.mark.parametrize(
    "text",
    [
        "Add defer conn.Release() after Acquire()",
        "Wrap errors with fmt.Errorf and %w",
        "Use UTF-8, SHA-256 and ISO-8601",
        "Run `npm ci` with package.json and the lock file",
        "Node.js 20, Next.js and socket.io over TCP/IP and/or UDP",
        "Set NODE_OPTIONS=--max-old-space-size=4096",
        "Read the list in 3 chunks of 1.5 MB",
        "The workshop is on Friday",
        "pytest -n 0 --maxfail=1",
    ],
)
def test_names_and_terms_in_general_use_stay_in_a_generalised_text(text: str) -> None:
    assert generalised(text, OWN) == text


def test_the_difference_is_shown_line_by_line() -> None:
    before = {"title": "Same", "content": "one\nshop two"}
    after = {"title": "Same", "content": "one\n<project> two"}
    assert differences(before, after) == ["content:", "- shop two", "+ <project> two"]
