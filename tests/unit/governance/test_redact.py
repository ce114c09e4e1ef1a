from __future__ import annotations

import random

import pytest
import secret_samples as samples
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.governance.redact import redact
from contextd.governance.redact_rules import TOKENS


def _rng() -> random.Random:
    return random.Random(20)


def test_every_token_rule_has_a_sample_shape() -> None:
    assert {rule.type for rule in TOKENS} == set(samples.SHAPES)
    assert len(samples.SHAPES) >= 40


@pytest.mark.parametrize("kind", sorted(samples.SHAPES))
def test_a_provider_token_is_replaced_whole_wherever_it_stands(kind: str) -> None:
    rng, missed, tried = _rng(), [], 0
    for shape in samples.SHAPES[kind]:
        for context in samples.CONTEXTS:
            for _ in range(5):
                secret = samples.fill(shape, rng)
                text = context.format(secret)
                found = redact(text)
                tried += 1
                if secret in found.text or not found.findings:
                    missed.append(text)
    assert len(missed) <= 0.05 * tried, missed[:3]


@pytest.mark.parametrize(("context", "kind", "shape"), samples.KEYED)
def test_a_secret_beside_its_keyword_is_replaced(context: str, kind: str, shape: str) -> None:
    rng, missed = _rng(), []
    for _ in range(40):
        secret = samples.fill(shape, rng)
        found = redact(context.format(secret))
        if secret in found.text or kind not in {f.type for f in found.findings}:
            missed.append(context.format(secret))
    assert len(missed) <= 2, missed[:3]


def test_what_is_no_secret_is_left_alone() -> None:
    rng = _rng()
    wrong = [
        (line, redact(line).text)
        for _ in range(25)
        for line in samples.negatives(rng)
        if redact(line).findings
    ]
    assert not wrong, wrong[:5]


def test_a_private_key_goes_with_its_body_even_when_it_is_cut_off() -> None:
    block = samples.pem(_rng())
    whole = redact(f"before\n{block}\nafter")
    assert whole.text.startswith("before\n[REDACTED:private-key:")
    assert whole.text.endswith("]\nafter")
    escaped = redact('"key": "' + block.replace("\n", "\\n") + '"')
    cut = redact(block[:400])
    assert block[100:160].split("\n")[0] not in escaped.text + cut.text


def test_the_keyed_stamp_tells_equal_secrets_apart_only_under_one_key() -> None:
    rng = _rng()
    one, two = (samples.fill("gh|p_{A36}", rng) for _ in range(2))
    stamps = [f.fingerprint for f in redact(f"{one} {two} {one}", b"home").findings]
    assert stamps[0] == stamps[2] != stamps[1]
    assert redact(one, b"other").findings[0].fingerprint != stamps[0]


def test_findings_point_at_the_secret_in_the_original_text() -> None:
    secret = samples.fill("np|m_{A36}", _rng())
    text = f"ключ 🔑 İ {secret} конец"
    (finding,) = redact(text).findings
    assert text[finding.start : finding.end] == secret
    assert redact(text).text.startswith("ключ 🔑 İ [REDACTED:npm-token:")


def test_redacting_twice_changes_nothing() -> None:
    rng = _rng()
    for context, _, shape in samples.KEYED:
        once = redact(context.format(samples.fill(shape, rng))).text
        assert redact(once).text == once


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_survives_and_ordinary_text_is_unchanged(text: str) -> None:
    found = redact(text)
    assert redact(found.text).text == found.text
    assert found.findings or found.text == text


@pytest.mark.parametrize(
    "piece",
    ["token=", "://a:", "-----BEGIN PRIVATE KEY-----", "a", "-eyJaaaaaaaaaaaaaaaaa", "pass='1a"],
)
def test_the_scan_ends_on_long_hostile_lines(piece: str) -> None:
    line = piece * (400_000 // len(piece))
    assert len(redact(line).text) > 0
