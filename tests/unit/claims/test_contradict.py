"""What contradicts what, and what only looks like it."""

from __future__ import annotations

import pytest

from contextd.claims.contradiction_test import contradiction, differs, outline
from contextd_bench.contradiction_pairs import half, pairs, written
from contextd_bench.contradictions import judged, merges, ours_says

CONTRADICTIONS = [
    ("choice", "prefer composition over inheritance", "chose class-based inheritance"),
    ("choice", "Use Prisma over Drizzle", "Use Drizzle over Prisma"),
    ("choice", "We use Redux for state management", "We use Zustand for state management"),
    ("choice", "The project uses npm as package manager", "The project uses pnpm as package manager"),
    ("polarity", "Always squash commits before merging", "Never squash commits before merging"),
    ("polarity", "Rate limiting is enabled in production", "Rate limiting is disabled in production"),
    ("polarity", "Avoid using ORMs", "Use ORMs for queries"),
    ("polarity", "The old client works", "The old client no longer works"),
    ("value", "The session timeout is 15 minutes", "The session timeout is 30 minutes"),
    ("value", "Tokens expire after 15 minutes", "Tokens expire after one hour"),
    ("value", "Requires Python >= 3.9", "Requires Python >= 3.11"),
    ("value", "The API listens on port 8080", "The API runs on port 3000"),
    ("value", "The auth module lives in src/auth", "The auth module lives in lib/auth"),
    ("value", "The default branch is main", "The default branch is master"),
    ("value", "Deploy to AWS", "Deploy to GCP"),
    ("value", "We hash passwords with argon2id", "Passwords are hashed with bcrypt, cost 12"),
    ("value", "Order ids are ULIDs", "Order ids are UUIDv4"),
    ("value", "The cleanup job's schedule is 0 3 * * *", "The cleanup job runs every six hours"),
    ("value", "The cleanup job runs at 12 am", "The cleanup job runs at noon"),
    ("choice", "All timestamps are stored in UTC", "Timestamps are stored in Europe/Berlin time"),
    ("value", "The request body may be 1 MiB at most", "The maximum request body is 512 KB"),
    ("value", "The build targets ES2017", "The build target is ES2022"),
    ("value", "The minimum Rust version is now 1.77.2", "The minimum Rust version was increased to 1.90.0"),
    ("value", "The gateway timeout is 30 seconds", "The gateway timeout has been raised from 30 to 60 seconds"),
    ("value", "The pool size was lowered to 10", "The pool size was lowered from 10 to 5"),
]  # fmt: skip
BOTH_HOLD = [
    ("Tokens expire after 60 minutes", "Tokens expire after 1 hour"),
    ("Tokens expire after 15 minutes", "Refresh tokens expire after 30 days"),
    ("The minimum password length is 12", "The maximum password length is 64"),
    ("Use Redis for caching", "Use Postgres for storage"),
    ("Use Redis for caching", "Use Redis for rate limiting"),
    ("Use pnpm, not npm", "Do not use npm"),
    ("Never log personal data", "Personal data must not be logged"),
    ("Don't edit generated files", "Generated files live in dist/"),
    ("The frontend uses React", "The frontend uses Tailwind"),
    ("Step 1: install the dependencies", "Step 2: run the migrations"),
    ("The rate limit is mandatory", "The rate limit is documented"),
    ("The staging pool has 5 connections", "The production pool has 50 connections"),
    ("Deploy to staging", "Deploy to production"),
    ("The hash helper lives in strategy/common.go", "The hash helper lives in common.go"),
    ("The archive may hold 1 GB", "The archive may hold 1000 MB"),
    ("The cleanup job runs at 3 am", "The cleanup job's schedule is 0 3 * * *"),
    ("The cleanup job runs at 12 pm", "The cleanup job runs at noon"),
    ("The cleanup job runs at 12:30 am", "The cleanup job's schedule is 30 0 * * *"),
    ("The gateway times out after 90 s", "The gateway gives up after 1.5 minutes"),
    ("Hash passwords with bcrypt", "Hash API keys with SHA-256"),
    ("The timeout is 60 seconds", "The timeout was raised from 30 to 60 seconds"),
    ("The staging timeout is 30 seconds", "The production timeout was raised to 60 seconds"),
    ("The upload limit is 10 MB", "The download limit was raised to 20 MB"),
    ("The timeout is 60 seconds", "The timeout was 30 seconds"),
    ("The minimum Rust version is 1.77.2", "The Rust toolchain was upgraded to 1.90.0"),
    ("Coverage is 80 percent", "Coverage of the parser was increased to 85 percent"),
    ("The level of gzip is 6 for assets", "The level of brotli is 5 for assets"),
]


@pytest.mark.parametrize(("kind", "one", "other"), CONTRADICTIONS)
def test_a_contradiction_is_seen_whichever_way_round_and_said_in_words(kind, one, other):
    found = contradiction(one, other)
    assert found is not None
    assert (found.kind, contradiction(other, one) is not None) == (kind, True)
    assert found.reason


@pytest.mark.parametrize(("one", "other"), BOTH_HOLD)
def test_statements_that_can_both_hold_are_no_contradiction(one, other):
    assert contradiction(one, other) is None
    assert contradiction(other, one) is None


@pytest.mark.parametrize(("kind", "one", "other"), CONTRADICTIONS)
def test_texts_that_contradict_each_other_are_worth_comparing_by_their_outlines(kind, one, other):
    a, b = outline(one), outline(other)
    opposed = any((name, 1 - side) in b.poles for name, side in a.poles)
    assert (a.keys & b.keys) or (opposed and a.words & b.words)


def test_a_contradiction_in_one_sentence_of_many_is_seen():
    one = "The gateway is written in Go. The session timeout is 15 minutes. It has two replicas."
    assert contradiction(one, "Ask Ada first. The session timeout is 30 minutes.") is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Retry uploads 3 times", "Retry uploads 5 times"),
        ("Tests live in tests/unit", "Tests live in tests/e2e"),
        ("The dog is not running and is not barking", "The dog is running and is barking"),
        ("The cat chases the dog", "The dog chases the cat"),
        ("The worker reads the queue quickly", "The worker writes the queue quickly"),
    ],
)
def test_like_texts_with_another_detail_are_not_the_same(one, other):
    assert differs(one, other)


def test_the_same_in_other_spacing_case_and_small_words_is_the_same():
    assert differs("Retry the uploads 3 times", "retry  uploads three times") == ""


@pytest.mark.parametrize("part", [0, 1])
def test_templates_are_told_apart_with_high_precision_and_recall(part):
    told = judged([pair for pair in pairs() if half(pair) == part], ours_says)
    assert told.precision >= 0.95
    assert told.recall >= 0.7


def test_hardly_any_contradiction_of_the_templates_would_be_merged_away():
    opposed = [pair for pair in pairs() if pair.contradictory]
    assert sum(merges(pair) for pair in opposed) <= 0.01 * len(opposed)


@pytest.mark.parametrize("part", [0, 1])
def test_contradictions_in_sentences_by_people_are_found_with_high_precision_and_recall(part):
    told = judged([pair for pair in written() if pair.template == part], ours_says)
    assert told.precision >= 0.95
    assert told.recall >= 0.7


def test_hardly_any_contradiction_people_wrote_would_be_merged_away():
    opposed = [pair for pair in written() if pair.contradictory]
    assert sum(merges(pair) for pair in opposed) <= 0.01 * len(opposed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We used to deploy with Jenkins.", "We deploy with GitHub Actions."),
        ("The limit was 10 until June", "The limit is 20"),
        ("Should we use tabs or spaces?", "Use spaces."),
        ("Consider switching from REST to gRPC", "Services talk REST to each other"),
        ("We migrated from Heroku to Fly.io", "We deploy to Fly.io"),
        ("core must not import web", "web imports core"),
        ("src/auth/login.py uses bcrypt", "src/auth/legacy.py uses md5"),
        ("584    if err != nil {", "1060    if err != nil {"),
        ("Start the server before the tests", "Stop the server after the tests"),
        ("It is not sent until the queue is ready", "It is sent once the queue is ready"),
    ],
)
def test_the_past_plans_questions_code_and_other_files_contradict_nothing(one, other):
    assert contradiction(one, other) is None
    assert contradiction(other, one) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use Celery for jobs", "Celery has been replaced by Dramatiq for jobs"),
        ("Travis runs the builds", "We migrated the builds from Travis to Buildkite"),
        ("Anna owns the billing module.", "Tom owns the billing module."),
        ("The search team is responsible for ranking", "The core team is responsible for ranking"),
        ("region: eu-central-1", "region: us-east-1"),
        ("Cookies are encrypted", "Cookies are unencrypted"),
        ("Webhooks time out after 5s", "Webhooks time out after half a minute"),
        ("Never retry payments, the bank counts them twice", "Always retry payments"),
    ],
)
def test_replacements_owners_settings_and_states_are_compared(one, other):
    assert contradiction(one, other) is not None
    assert contradiction(other, one) is not None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Bump MSRV to 1.62", "The minimum supported Rust version has been increased to 1.74"),
        ("Updated `ash` to `0.37`", "Upgrade `ash` to `0.38`"),
        ("Bump setup-uv from 4 to 5", "Bump setup-uv from 5 to 6"),
        ("Updated vendored packaging version to 20.4.", "Bump vendored packaging to 21.3."),
    ],
)
def test_reports_of_a_change_in_other_words_are_about_one_value(older: str, newer: str) -> None:
    assert contradiction(older, newer)
    assert outline(older).keys & outline(newer).keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Merge pull request from ann/patch", "Merge pull request from ben/travis"),
        ("Bump the minimum Node version to 18", "Bump the minimum npm version to 9"),
        ("Bump `ash` to 0.38", "Bump `naga` to 0.20"),
    ],
)
def test_reports_of_other_things_are_not(one: str, other: str) -> None:
    assert contradiction(one, other) is None
