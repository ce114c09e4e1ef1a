"""A secret that one text of a record gives away is taken out of its other texts, above all out of its tags."""

from __future__ import annotations

import json

import pytest

from contextd.claims.write_gate import Draft, without_secrets
from contextd.redaction.bare_secrets import is_bare_secret
from contextd.redaction.redact import MARK, redact_bare, redact_json, redact_parts
from contextd.redaction.repeated_secrets import without_known

BARE = "vQW6rB00GIrk9CEXeUyEXfM"
SECRET = "Tr7wobbleQuince42"
LABELLED = f"The deploy password={SECRET} is kept by the operators."


@pytest.mark.parametrize("tag", [
    SECRET, SECRET.lower(), SECRET.upper(), f" {SECRET} ", SECRET[:12], SECRET[4:], SECRET[5:].lower(),
    f"old {SECRET}", f"key:{SECRET}",
])  # fmt: skip
def test_a_secret_that_the_content_gives_away_is_no_tag(tag: str) -> None:
    draft, findings = without_secrets(
        Draft(kind="memory", title="", content=LABELLED, tags=(tag,)), b"k"
    )
    assert findings
    assert SECRET[5:].lower() not in " ".join(draft.tags).lower()
    assert SECRET[:12].lower() not in " ".join(draft.tags).lower()
    assert draft.tags[0].count(MARK) == 1


PHRASE = "Otter-Raincoat-Violin-Harbour"


@pytest.mark.parametrize("tag", [PHRASE, PHRASE.lower(), PHRASE.upper(), f" {PHRASE.lower()} "])
def test_a_password_of_words_is_no_tag_in_any_case(tag: str) -> None:
    told = f"The deploy password is {PHRASE} since May."
    cleaned, _ = redact_parts({"content": told, "tags": [tag, "deploy"]}, b"k")
    assert cleaned["tags"][0].startswith(MARK)
    assert cleaned["tags"][1] == "deploy"


@pytest.mark.parametrize(
    "tag", ["deploy", "operators", "wobble", "quince", "password", "tr7", "kept by"]
)
def test_words_that_a_secret_happens_to_hold_stay_tags(tag: str) -> None:
    draft, _ = without_secrets(Draft(kind="memory", title="", content=LABELLED, tags=(tag,)), b"k")
    assert draft.tags == (tag,)


@pytest.mark.parametrize("tag", [
    "RNcfPnDnBz53UX4edze5en8c9ANY5J8gXJDPp3dMOc8=", "vQW6rB00GIrk9CEXeUyEXfM", "Gk3+xV9=tQ2bWz", "w7Lk-R2tPq94Zs",
    "5b1fe0aa93c24d7786e9b0c4d2f13a68", "Meadow1987#", "Copper-Wren42!",
])  # fmt: skip
def test_a_tag_that_only_a_generator_makes_is_replaced_without_a_label(tag: str) -> None:
    draft, findings = without_secrets(
        Draft(kind="memory", title="", content="How we deploy.", tags=("deploy", tag)), b"k"
    )
    assert len(findings) == 1
    assert draft.tags[0] == "deploy"
    assert draft.tags[1].startswith(MARK)


@pytest.mark.parametrize("tag", [
    "da39a3ee5e6b4b0d3255bfef95601890afd80709", "6040de41-c073-4d6f-bbf8-d89256ef31e1", "claude-opus-4-5-20251101",
    "iPhone15ProMaxA17", "ISO8601DateTimeUTC", "https://x.test/A1b2C3d4E5f6", "ProductBulkCreateV2", "X509CertificateV3Chain",
    "macOS-14-arm64-M1-runner", "src/app/Main2View3.swift", "sha256", "v2.14.0-rc.1", "@scope/pkg-Name2@1.4.0",
    "GHSA-7c6p-848j-wh5h", "App-Server_16x16x32", "convertFrameFromV7toV8", "X25519Kyber768Draft00", "C#12", "n8n",
    "Qwen3-30B-A3B", "RTX4090-Ti16GB", "pull-request-1234", "issue#1987", "K9MAIL_8_0b1", "Windows11", "C++20",
])  # fmt: skip
def test_digests_ids_versions_and_names_stay_tags(tag: str) -> None:
    draft, _ = without_secrets(Draft(kind="memory", title="", content="x y", tags=(tag,)), b"k")
    assert draft.tags == (tag,)


def test_a_word_used_as_a_password_is_replaced_only_where_it_is_the_whole_text() -> None:
    parts, _ = redact_parts(
        ("password=swordfish1x", "swordfish1x", "the swordfishing season"), b"k"
    )
    assert parts[1].startswith(MARK)
    assert parts[2] == "the swordfishing season"


@pytest.mark.parametrize(
    ("text", "secret", "gone"),
    [
        ("write marmalade on the label", "marmalade", False),
        ("  Marmalade ", "marmalade", True),
        ("log in with mar9, please", "mar9", False),
        ("log in with mar9-malade, please", "mar9-malade", True),
        ("the amar9-malades are ripe", "mar9-malade", False),
        ("mar9-mal", "mar9-malade", True),
        ("malade", "mar9-malade", False),
        ("log mar9-mal", "mar9-malade", False),
    ],
)
def test_a_known_secret_is_replaced_where_it_can_be_no_ordinary_word(text, secret, gone) -> None:
    assert ("[hidden]" in without_known(text, {secret: "[hidden]"})) is gone


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("vQWjrBgGIrkxCEXeUyEXfMzqHb7", True),
        ("vQWjrBgGIrkxCEXeUyEXfMz7", True),
        ("vQWjrBgGIrkxCEXeUyEXfM7", False),
        ("vQWj4BgGIrk6CEXeUyEX7M", True),
    ],
)
def test_a_generated_run_with_one_number_is_a_secret_from_24_characters_on(text, secret) -> None:
    assert is_bare_secret(text) is secret


def test_equal_secrets_of_one_record_keep_one_fingerprint() -> None:
    parts, _ = redact_parts({"content": LABELLED, "tags": [SECRET]}, b"k")
    assert parts["tags"][0] in parts["content"]


def test_a_secret_in_the_title_is_taken_out_of_data_and_names() -> None:
    given = {"title": LABELLED, "data": {"note": f"use {SECRET} there", SECRET: "old"}}
    told = json.dumps(redact_json(given, b"k"))
    assert SECRET not in told
    assert told.count(MARK) == 3


def test_a_record_without_a_secret_is_left_as_it_is() -> None:
    draft = Draft(kind="memory", title="Retry", content="Retry three times.", tags=("retry", "net"))
    assert without_secrets(draft, b"k") == (draft, ())


def test_a_secret_without_a_label_is_replaced_in_values_and_keys_at_any_depth() -> None:
    given = {"how": {"steps": [{BARE: "x"}, BARE]}, "source": BARE}
    cleaned, findings = redact_bare(given, b"k")
    assert BARE not in json.dumps(cleaned)
    assert len(findings) == 3
    assert cleaned["how"]["steps"][1] == cleaned["source"]


@pytest.mark.parametrize(
    "name", ["id", "session_id", "sessionId", "commit", "sha256", "etag", "cursor"]
)
def test_values_of_identifier_and_digest_fields_are_not_redacted(name: str) -> None:
    assert redact_bare({"fields": {name: BARE}}, b"k") == ({"fields": {name: BARE}}, ())


def test_a_digest_in_a_field_stays_and_one_alone_as_a_tag_is_taken_for_a_key() -> None:
    digest = "5b1fe0aa93c24d7786e9b0c4d2f13a68"
    cleaned, _ = redact_bare({"tags": [digest], "fields": {"layer": digest}}, b"k")
    assert cleaned["tags"][0].startswith(MARK)
    assert cleaned["fields"] == {"layer": digest}
