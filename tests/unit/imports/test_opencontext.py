"""contexts.json in and out again: nothing lost, nothing doubled."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.domain.imported_records import FILE_DIFFERENCES
from contextd.domain.scope import Scope
from contextd.imports.exporters.opencontext import entry_of, same_json, write
from contextd.imports.importers.opencontext import read, records_of, rest_record
from contextd.redaction.redact import redact_parts
from contextd.stores.codec import record_from_json, record_to_json
from contextd_common.errors import Invalid
from support.examples import drawn

SHOP = Scope("acme", "web", "shop")
NOW = datetime(2026, 3, 1, tzinfo=UTC)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
plain = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**20), st.sampled_from([0.5, 1.0, -0.0]), texts
)
values = st.recursive(
    plain,
    lambda part: st.lists(part, max_size=2) | st.dictionaries(texts, part, max_size=2),
    max_leaves=4,
)
ids = st.one_of(
    st.uuids().map(str), st.sampled_from(["dec-12", "abc", "a b c d", "x#y-z", "", "ähm-1"])
)
times = st.one_of(
    st.datetimes().map(lambda d: d.isoformat(timespec="milliseconds") + "Z"),
    st.sampled_from(["2026-02-17T10:00:00Z", "2026-02-17T10:00:00.123456+02:00", "yesterday", ""]),
)


def some(shape: dict, optional: dict) -> st.SearchStrategy[dict]:
    unknown = st.dictionaries(
        texts.filter(lambda n: n not in {*shape, *optional}), values, max_size=2
    )
    known = st.fixed_dictionaries(shape, optional=optional)
    return st.builds(lambda a, b: {**a, **b}, unknown, known)


def odd(usual: st.SearchStrategy) -> st.SearchStrategy:
    """Mostly what belongs there, now and then anything."""
    return st.one_of(usual, usual, usual, values)


entries = some(
    {"content": texts.filter(str.strip)},
    {
        "id": odd(ids),
        "tags": odd(st.lists(st.sampled_from(["a", "Code Style", "a", " x "]), max_size=3)),
        "source": odd(st.sampled_from(["chat", "claude-code", ""])),
        "bubbleId": odd(ids),
        "contextType": odd(st.sampled_from(["decision", "preference"])),
        "structuredData": odd(st.dictionaries(texts, values, max_size=3)),
        "createdAt": odd(times),
        "updatedAt": odd(times),
    },
)
bubbles = some(
    {"id": ids},
    {
        "name": odd(texts),
        "description": odd(texts),
        "createdAt": odd(times),
        "updatedAt": odd(times),
    },
)
documents = some(
    {"entries": st.lists(entries, max_size=4)},
    {"version": st.sampled_from([1, 2]), "bubbles": st.lists(bubbles, max_size=3)},
)


def as_it_is(item):
    return dict(item), 0


def brought_in(document: dict, now: datetime = NOW):
    file = read(json.dumps(document), as_it_is)
    records = records_of(file, SHOP, now, lambda id, kind: False)
    # As a store hands them back.
    kept = [record_from_json(json.loads(json.dumps(record_to_json(r)))) for r in records]
    return file, list({record.id: record for record in kept}.values())


def exported(document: dict) -> dict:
    file, records = brought_in(document)
    rest = rest_record(file, SHOP, NOW)
    return json.loads(write(records, rest.data[FILE_DIFFERENCES] if rest else {}))


def unordered(items: list) -> list[str]:
    return sorted({json.dumps(item, sort_keys=True) for item in items})


@settings(max_examples=drawn(100), deadline=None, derandomize=True)
@given(document=documents)
def test_an_imported_opencontext_document_is_exported_unchanged(document):
    out = exported(document)
    assert out["version"] == 2
    for key in ("entries", "bubbles"):
        assert unordered(out[key]) == unordered(document.get(key, []))
    further = {k: v for k, v in document.items() if k not in ("version", "entries", "bubbles")}
    assert same_json({k: v for k, v in out.items() if k not in ("version", "entries", "bubbles")}, further)  # fmt: skip


@settings(max_examples=drawn(100), deadline=None, derandomize=True)
@given(document=documents)
def test_an_export_imports_back_as_the_same_records(document):
    _, first = brought_in(document)
    _, again = brought_in(exported(document), datetime(2027, 1, 1, tzinfo=UTC))
    assert {r.id for r in again} == {r.id for r in first}
    assert unordered([entry_of(r) for r in again if r.kind == "context"]) == unordered(
        [entry_of(r) for r in first if r.kind == "context"]
    )


def test_the_fields_of_an_entry_are_where_records_have_them():
    entry = {
        "id": "abc-123",
        "content": "Use Drizzle ORM over Prisma",
        "tags": ["Architecture", "database"],
        "source": "claude-code",
        "bubbleId": "bubble-1",
        "contextType": "decision",
        "structuredData": {"what": "Use Drizzle", "alternatives": ["Prisma"]},
        "createdAt": "2026-02-17T10:00:00Z",
        "updatedAt": "2026-02-18T10:00:00.250Z",
        "mood": {"good": True},
    }
    _, [record] = brought_in({"version": 2, "entries": [entry]})
    assert record.id == "abc-123"
    assert record.tags == ("architecture", "database")
    assert record.source.agent == "claude-code"
    assert record.trust == "imported"
    assert record.data["bubbleId"] == "bubble-1"
    assert record.data["contextType"] == "decision"
    assert record.data["structuredData"] == entry["structuredData"]
    assert record.created_at == datetime(2026, 2, 17, 10, tzinfo=UTC)
    assert record.updated_at.microsecond == 250_000
    assert entry_of(record) == entry


def test_a_change_here_goes_out_and_what_did_not_change_stays_as_it_came():
    entry = {"id": "abc-123", "content": "Old", "tags": ["Code Style"], "createdAt": "2026-02-17"}
    _, [record] = brought_in({"entries": [entry]})
    changed = entry_of(record.with_(content="New", updated_at=NOW))
    assert changed["content"] == "New"
    assert changed["tags"] == ["Code Style"]
    assert changed["createdAt"] == "2026-02-17"
    assert changed["updatedAt"] == "2026-03-01T00:00:00.000Z"
    assert entry_of(record.with_(tags=("other",)))["tags"] == ["other"]


def test_entries_of_a_bubble_whose_id_had_to_change_stay_in_it():
    document = {
        "bubbles": [{"id": "b 1", "name": "Billing"}],
        "entries": [{"id": "note-1", "content": "Invoices are sent monthly", "bubbleId": "b 1"}],
    }
    _, [bubble, entry] = brought_in(document)
    assert entry.data["bubbleId"] == bubble.id != "b 1"
    assert entry_of(entry)["bubbleId"] == "b 1"


def test_secrets_are_taken_out_of_every_field_and_counted():
    def redact(item):
        cleaned, findings = redact_parts(item)
        return cleaned, len(findings)

    entry = {
        "id": "abc-123", "content": "password=Rk7wobbleQuince42", "tags": ["Rk7wobbleQuince42"],
        "note": ["Rk7wobble"], "structuredData": {"a": {"b": "as Rk7wobbleQuince42 says"}},
    }  # fmt: skip
    file = read(json.dumps({"entries": [entry]}), redact)
    assert file.redacted == 1
    [record] = records_of(file, SHOP, NOW, lambda id, kind: False)
    assert "Rk7wobble" not in json.dumps(record_to_json(record))
    assert "as [REDACTED:password:" in json.dumps(record_to_json(record))


def test_invalid_opencontext_entries_are_left_out_with_the_reason():
    deep: object = "x"
    for _ in range(80):
        deep = [deep]
    bad = [
        3,
        {"id": "no-content"},
        {"content": " "},
        {"content": "x\ud800"},
        {"content": "y", "z": deep},
    ]
    file = read(json.dumps({"entries": [*bad, {"content": "good"}]}), as_it_is)
    assert [e["content"] for e in file.entries] == ["good"]
    assert [why.split(": ")[1] for why in file.junk] == [
        "not an object", "no content", "empty content", "not valid Unicode",
        "nested more than 60 levels deep",
    ]  # fmt: skip
    assert file.read == 6


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a": 1}', '{"entries": 3}', '{"entries": [NaN]}', "[" * 100_000,
             '{"entries": [], "version": "two"}'],
)  # fmt: skip
def test_a_file_that_is_none_is_refused_with_a_hint(text):
    with pytest.raises(Invalid) as refusal:
        read(text, as_it_is)
    assert refusal.value.hint


def test_a_file_whose_entries_have_another_name_is_refused_with_that_name():
    text = json.dumps({"version": 1, "contexts": [{"content": "one"}], "bubbles": []})
    with pytest.raises(Invalid, match="`contexts` is a list of 1 objects") as refusal:
        read(text, as_it_is)
    assert "`entries`" in refusal.value.hint


def test_two_different_entries_with_one_id_are_both_kept():
    twice = [{"id": "same-1", "content": "one"}, {"id": "same-1", "content": "two"}]
    _, records = brought_in({"entries": twice})
    assert sorted(r.content for r in records) == ["one", "two"]
    assert unordered([entry_of(r) for r in records]) == unordered(twice)
