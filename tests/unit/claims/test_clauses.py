"""Which sentences state what holds now, and where one clause ends."""

from __future__ import annotations

import pytest

from contextd.claims.clauses import clauses, holds_now

STATED = [
    "The database is PostgreSQL.",
    "Deploys go to Fly.io on Fridays.",
    "The timeout was raised to 30 seconds.",
    "Redis was replaced by Valkey.",
    "It was slow and must stay below 50 ms.",
    "Sessions had three tables and are now in one.",
    "The cache is used to speed up reads.",
    "Python 3.12 is the oldest version.",
]
NOT_STATED = {
    "a question": ["Is the database PostgreSQL?", "(Is the database PostgreSQL?)", '"Is it?"'],
    "the past": [
        "We used to deploy with Ansible.",
        "Previously the queue ran on RabbitMQ.",
        "The queue originally ran on RabbitMQ.",
        "Until last spring we deploy to Heroku.",
        "In 2019 we moved to Go.",
        "Two years ago the API ran on Rails.",
        "The service was written in Perl.",
        "They had a nightly build.",
    ],
    "doubt": [
        "Maybe the database is PostgreSQL.",
        "Perhaps tokens live in Redis.",
        "We might use Kafka for events.",
        "The team is going to use Kafka.",
        "We plan to use Kafka.",
        "Kafka is planned for events.",
        "We will migrate to Kafka.",
        "In the future events go to Kafka.",
        "Next quarter events go to Kafka.",
        "Events eventually go to Kafka.",
        "It would be simpler with Kafka.",
        "I wish the builds are faster.",
        "Proposal: events go to Kafka.",
        "TODO: events go to Kafka.",
        "Consider Kafka for events.",
    ],
    "a report": [
        "Bug: the port is 8080.",
        "Fix: the port is 9090.",
        "Example: the port is 9090.",
        "Step 3: the port is 9090.",
        "Error: the port is taken.",
    ],
    "narration": ["Let me check the port.", "So the port is 9090.", "I'll use the port 9090."],
    "code": [
        "12\tthe port is 9090",
        "| port | 9090 |",
        "// the port is 9090",
        "port := 9090 is the default",
        "const port = 9090 is the default",
        "run(port) { is the default",
        "import contextd.port as it is",
        "ERROR: the port is taken",
    ],
    "no prose": ["9090 = 0x2382 / 3 * 4 is", "Regards, Ada"],
}


@pytest.mark.parametrize("sentence", STATED)
def test_a_fact_holds_now(sentence: str) -> None:
    assert holds_now(sentence)


@pytest.mark.parametrize(
    ("sort", "sentence"), [(sort, one) for sort, some in NOT_STATED.items() for one in some]
)
def test_nothing_is_stated_by(sort: str, sentence: str) -> None:
    assert not holds_now(sentence), sort


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The port is 9090. Is it? Use it", ["The port is 9090.", "Use it"]),
        ("The port is 9090; the host is local", ["The port is 9090;", "the host is local"]),
        ("The port is 9090\nThe host is local", ["The port is 9090", "The host is local"]),
        ("The port is 9090 because 8080 is taken", ["The port is 9090"]),
        ("The default port is 9090 (was 8080)", ["The default port is 9090"]),
        ("The port is 9090 (for tests)", ["The port is 9090 (for tests)"]),
        ("The port is 9090, so that tests run", ["The port is 9090"]),
        ("Use tabs, but never mix them", ["Use tabs", "never mix them"]),
        ("Use tabs - always in Makefiles", ["Use tabs", "always in Makefiles"]),
        ("The default port is 9090, not 8080", ["The default port is 9090, not 8080"]),
        ("In tests, use the port 9090", ["In tests, use the port 9090"]),
        ("Yes. The port is 9090", ["The port is 9090"]),
    ],
)
def test_a_text_falls_into_clauses_without_their_reasons(text: str, expected: list[str]) -> None:
    assert list(clauses(text)) == expected


def test_twenty_sentences_of_a_text_are_read() -> None:
    said = list(clauses(" ".join(f"Port number {n} is free." for n in range(25))))
    assert said == [f"Port number {n} is free." for n in range(20)]
