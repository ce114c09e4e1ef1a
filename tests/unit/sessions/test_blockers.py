"""What blocks the work, and what only sounds like it."""

from __future__ import annotations

import pytest

from contextd.claims.blockers import blockers

BLOCKED = [
    "We're blocked on the missing Stripe test keys.",
    "The migration is still blocked by the DBA review.",
    "Blocked: no access to the staging database.",
    "Blockers: the certificate from IT has not arrived.",
    "I can't continue without the production credentials.",
    "The release is on hold until legal signs off.",
    "We are waiting for Apple's review of build 41.",
    "PR #88 is waiting for review by the platform team.",
    "Waiting on the vendor to enable the webhook endpoint.",
    "Still waiting for DNS propagation of api.example.org.",
    "Deployment is blocked until the quota increase is approved.",
    "We cannot proceed until the upstream fix in libfoo is released.",
    "This is blocked by issue #214 in the compiler repository.",
    "The feature is stuck waiting for the design from Mia.",
    "I'm stuck on the missing license key for the PDF library.",
    "The rollout is held up by the security audit.",
    "Everything in phase 3 is blocked on the schema decision.",
    "We're waiting on the customer's answer about the tax rules.",
    "Blocker: the vendor has not sent the API key.",
    "Die Auslieferung ist blockiert, bis der Schlüssel da ist.",
    "次のリリースはレビュー待ちです。",
]
OTHERS = [
    "The worker is blocked on a mutex until the writer finishes.",
    "Requests from the dev server are blocked by CORS.",
    "If the queue is full, the producer is blocked until there is room.",
    "The script is waiting for connections on port 8080.",
    "Ready and waiting for whatever you want to do next.",
    "I'm waiting for your go-ahead before I touch the schema.",
    "It was blocked by the missing key, which I added.",
    "We are no longer blocked by the DBA review.",
    "The main thread is blocked waiting for I/O.",
    "Waiting for the tests to finish.",
    "Waiting for the CI run.",
    "The pods are waiting for the init container.",
    "Blocked: none",
    "Blockers: None.",
    "You can't continue without saving the form.",
    "The button is blocked by the overlay.",
    "The TODO is still waiting for you in setup.sh.",
    "Blocker: the failure path still writes after the cancellation was accepted.",
    'The form is stuck on "loading" after the login.',
    "Port 4100 is blocked by the other dev server.",
    "The second browser is stuck on the start page.",
    "Users are blocked by the admin after three failed logins.",
    "The dialog can't proceed without a selected file.",
    "That would be blocked by the sandbox.",
    "If the quota runs out, the deployment is blocked by the provider.",
    "Whenever a review is missing, we are blocked by the maintainer.",
    "Nothing in phase 3 is blocked on the schema decision.",
    "Previously we said that the release is blocked by legal.",
    "The connection is stuck waiting for a response from the server.",
    "Is the release blocked by anything?",
    "The PR is not blocked by anything.",
    "The command is still waiting for input.",
    "Both tasks are done. Waiting for the team lead's next instructions.",
    "| `verify` | 2/4 (VF-1 blocked by FQ-3) | running |",
    "Cleaned them up so future commits won't be blocked by this.",
]


@pytest.mark.parametrize("sentence", BLOCKED)
def test_sentences_about_blocked_or_waiting_work_are_blockers(sentence: str) -> None:
    assert list(blockers(sentence)) == [sentence]


@pytest.mark.parametrize("sentence", OTHERS)
def test_waits_of_programs_and_within_a_session_do_not(sentence: str) -> None:
    assert list(blockers(sentence)) == []


def test_a_long_prompt_is_pasted_text() -> None:
    words = "We're blocked on the missing test keys. "
    assert list(blockers(words, typed=True))
    assert not list(blockers(words + "An unrelated pasted line. " * 30, typed=True))
