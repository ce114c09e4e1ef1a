"""A later sentence ends a state of the work only if it is about the same thing."""

from __future__ import annotations

import pytest

from contextd.claims.work_states import commit_states, ends, ends_in, open_states

ENDED = [
    (
        "The retry patch in src/queue.ts is not committed yet.",
        "Committed the retry patch in src/queue.ts as 4be21aa.",
    ),
    (
        "My changes to the billing exporter are still uncommitted.",
        "The billing exporter changes are committed now.",
    ),
    (
        "Left the migration script uncommitted on purpose.",
        "I committed the migration script together with the tests.",
    ),
    (
        "The login form work sits in the working tree, nothing committed so far.",
        "Login form work committed in 91ce0d2.",
    ),
    ("The docs fix hasn't been pushed.", "Pushed the docs fix to origin/main."),
    ("Two local commits on feature/tax are not pushed yet.", "feature/tax is pushed."),
    ("PR #118 is still open and waits for review.", "PR #118 got merged this morning."),
    ("Pull request 42 is open.", "Merged pull request 42 into main."),
    ("MR !77 is in draft.", "MR !77 was merged."),
    ("PR 31 is awaiting review from the platform team.", "Closed PR 31 without merging."),
    ("Issue #240 is open: exports drop the last row.", "Issue #240 is fixed and closed."),
    ("The branch feature/ledger is not merged yet.", "feature/ledger is merged into develop."),
    ("Branch fix/timezone hasn't landed on main.", "fix/timezone landed on main yesterday."),
    (
        "The new rate limiter is not deployed yet.",
        "We deployed the new rate limiter to production.",
    ),
    ("The webhook service isn't live.", "The webhook service is live now."),
    (
        "The webhook service is deployed to staging only.",
        "The webhook service is deployed to production now.",
    ),
    ("CSV import has not been released yet.", "CSV import shipped in 2.4.0."),
    ("Dark mode is unreleased.", "Dark mode was released on Friday."),
    (
        "The image resizer is deployed.",
        "We rolled back the image resizer; it is no longer deployed.",
    ),
    (
        "The checkout redesign is blocked by the missing Stripe keys.",
        "The Stripe keys are here, so the checkout redesign is unblocked.",
    ),
    ("We are blocked on the DNS change from ops.", "The DNS change is done."),
    (
        "The iOS build is blocked on the expired certificate.",
        "The expired certificate has been renewed, the iOS build works again.",
    ),
    (
        "The pagination of the audit log is not implemented yet.",
        "The pagination of the audit log is implemented.",
    ),
    ("Tests in tests/api are failing on main.", "Tests in tests/api pass again."),
    ("The flaky test test_resume_twice is still broken.", "test_resume_twice is fixed."),
    ("TODO: rotate the signing key.", "The signing key was rotated."),
    ("The cleanup job is half done.", "The cleanup job is finished."),
    ("The tests for the parser are missing.", "Added the tests for the parser."),
    ("CI is red.", "CI is green again."),
    (
        "The e2e suite is broken since the Node upgrade.",
        "The e2e suite runs green since we pinned Playwright.",
    ),
    ("The feature flag new_pricing is off.", "The feature flag new_pricing is on now."),
    ("Telemetry is disabled in the desktop app.", "Telemetry is enabled again in the desktop app."),
    ("Maintenance mode is on.", "We turned maintenance mode off."),
    ("The current version is 1.2.", "Released version 1.3."),
    ("We are at v0.9.4.", "Bumped the version to 0.10.0."),
    ("The latest release is 3.1.0.", "Version 3.2.0 is out."),
    ("We are blocked on #31, the new signer.", "PR #31 was merged."),
    ("We are blocked on #31, the new signer.", "Issue #31 is closed."),
]
STILL_SO = [
    ("src/cache.py has uncommitted edits.", "Committed src/store.py."),
    ("The parser rewrite is not committed yet.", "The lexer rewrite has been committed."),
    ("The docs fix hasn't been pushed.", "Pushed the hotfix to production."),
    ("PR #118 is still open.", "PR #119 was merged."),
    ("Issue #240 is open.", "Issue #241 is closed."),
    ("PR #9 is open.", "Opened PR #10 as a follow-up to PR #9."),
    ("The branch feature/ledger is not merged yet.", "feature/ledger-export is merged."),
    ("Dark mode is unreleased.", "Offline mode was released on Friday."),
    ("The search API runs in staging.", "The search API is documented in docs/api.md."),
    ("We are blocked on the DNS change from ops.", "The DNS records are listed in ops/zones.txt."),
    ("The iOS build is blocked on the expired certificate.", "The Android build is done."),
    ("The cleanup job is not finished.", "The nightly job is finished."),
    ("The e2e suite is broken.", "The unit suite is green."),
    ("Telemetry is disabled in the desktop app.", "Telemetry is enabled in the web app."),
    ("The latest release is 3.1.0.", "Python 3.12 is supported."),
    ("The Postgres version is 14.", "Released version 15 of our CLI."),
    ("The latest release of the SDK is 3.1.0.", "Released the CLI 3.2.0."),
    ("Uncommitted changes are stashed before a rebase.", "Everything is committed."),
    ("If a PR is open, the bot comments on it.", "PR #12 was merged."),
    ("A job is blocked while another one holds the lease.", "The lease is released."),
    ("Never deploy on Fridays.", "We deployed on Friday."),
    ("The socket stays open until the client closes it.", "The socket is closed in stop()."),
    ("The file is opened in append mode.", "The file is closed after each write."),
    ("Requests are blocked by CORS in the dev server.", "CORS is done in the proxy."),
    ("The button is disabled while loading.", "The button is enabled when the form is valid."),
    ("Is PR 14 open?", "PR 14 was merged."),
    ("Was the cleanup job finished?", "The cleanup job is finished."),
    ("The queue is not empty.", "The queue is empty."),
    ("The default limit is 100.", "Requests above the limit are blocked."),
    ("Logging is disabled by default.", "Logging is enabled with --verbose."),
    ("The release is not signed.", "The tag is signed."),
    ("The tests are failing on main.", "The tests are fixed for the parser."),
    ("The user said the tables are broken again.", "The tables are fixed."),
    ("I have now broken down the plan into files.", "The plan is fixed."),
    ("We are blocked on #31, the new signer.", "PR #131 was merged."),
    ("We are blocked on #31, the new signer.", "The new signer is enabled."),
    ("Everything on this page is not implemented.", "Added pages that are updated nightly."),
]


def over(older: str, newer: str) -> bool:
    return any(ends(end, state) for state in open_states(older) for end in ends_in(newer))


@pytest.mark.parametrize(("older", "newer"), ENDED)
def test_the_event_ends_the_state(older: str, newer: str) -> None:
    assert over(older, newer)
    assert not over(newer, older)


@pytest.mark.parametrize(("older", "newer"), STILL_SO)
def test_anything_else_does_not(older: str, newer: str) -> None:
    assert not over(older, newer)


@pytest.mark.parametrize(
    ("older", "subject"),
    [
        ("The invoice mailer is broken.", "fix(mail): invoice mailer"),
        ("The export of invoices is not implemented yet.", "Implement the export of invoices"),
        ("Telemetry is disabled.", "Enable telemetry"),
    ],
)
def test_the_subject_of_a_commit_is_read_as_an_order(older: str, subject: str) -> None:
    assert any(ends(end, state) for state in open_states(older) for end in commit_states(subject))


@pytest.mark.parametrize(
    "text",
    [
        'outputHookResponse(false, "You have another session with uncommitted changes in the shop")',
        '"stopReason": "You have another active session with uncommitted changes in the shop"',
    ],
)
def test_the_words_of_a_program_state_nothing(text: str) -> None:
    assert open_states(text) == ()
    assert open_states("You have another session with uncommitted changes in the shop.") != ()
