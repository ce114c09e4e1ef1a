"""Where the lines are drawn between a denial and something else, a secret and a word."""

from __future__ import annotations

import pytest

from contextd.claims.contradiction_test import contradiction
from contextd.redaction.redact import redact

KEY = b"k" * 32


@pytest.mark.parametrize(
    ("denial", "other"),
    [
        ("Never cache user sessions in redis", "Cache user sessions in memory"),
        ("Do not retry failed payment webhooks", "Retry failed payment uploads"),
        (
            "Never deploy the payment service on Friday evening",
            "Deploy the payment service on Monday evening",
        ),
    ],
)
def test_a_denial_of_which_a_quarter_is_missing_denies_something_else(denial, other):
    assert contradiction(denial, other) is None
    assert contradiction(other, denial) is None


def test_a_denial_of_all_that_the_other_says_contradicts_it():
    found = contradiction("Never cache tenant invoices", "Cache tenant invoices")
    assert found is not None
    assert found.kind == "polarity"


@pytest.mark.parametrize(
    "text",
    [
        "api_key = Zq8Lw3Rt7Yp1",
        "token: Zq8Lw3Rt7Yp1Kd",
        "client_secret=Zq8Lw3Rt7Yp1KdXw",
        "secret_key: 'Zq8Lw3Rt7Yp1'",
        "SECRET=zq8lw3rt7yp1",
    ],
)
def test_twelve_random_characters_beside_their_name_are_a_secret(text):
    value = text.replace(":", "=").split("=")[1].strip(" '")
    assert value not in redact(text, KEY).text


@pytest.mark.parametrize(
    "text", ["--- PASS: TestUpload (0.00s)", "token: refreshToken", "key: shift"]
)
def test_names_and_results_are_no_secrets(text):
    assert redact(text, KEY).text == text
