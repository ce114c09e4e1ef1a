"""Reading schema.yaml: what is valid loads, and everything else is named with its line."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.runtime.caches import Cache
from contextd.schema.load import LARGEST, Parsed, load_schema, parsed_file
from contextd.schema.templates import templates
from contextd.schema.text import to_yaml
from contextd_common.errors import Invalid
from support.examples import drawn


def parsed(text: str):
    return parsed_file(text, "schema.yaml", "home")


def field(lines: str):
    """A type `t` with a field `f` of these lines, from line 5 on."""
    below = "".join(f"        {line}\n" for line in lines.splitlines())
    return parsed(f"version: 1\ntypes:\n  t:\n    fields:\n      f:\n{below}")


def load(home: Path, root: Path | None = None):
    """The types in force, from files that nobody read before."""
    return load_schema(home, root, Cache(1))


def told(file) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in file.problems]


def test_every_part_of_a_type_is_read():
    file = parsed(
        "version: 1\ntypes:\n  bug:\n    description: Bugs that come back\n    fields:\n"
        "      symptom:\n        type: string\n        required: true\n"
        "        description: What one sees\n"
        "      seen:\n        type: number\n        default: 1\n"
        "      how:\n        type: enum\n        values: [yes, no, 3]\n        default: no\n"
        "      tags:\n        type: string[]\n        default: [a]\n"
        "      open:\n        type: boolean\n        default: false\n"
    )
    assert file.problems == ()
    bug = file.types["bug"]
    assert (bug.description, bug.line, bug.partial) == ("Bugs that come back", 3, False)
    assert bug.fields["symptom"].required
    assert bug.fields["how"].values == ("yes", "no", "3")
    assert bug.check({"symptom": "crash"}) == {
        "symptom": "crash", "seen": 1, "how": "no", "tags": ["a"], "open": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ("type: strng", 6, "unknown type 'strng'"),
        ("type: int", 6, "unknown type 'int'"),
        ("required: true", 5, "has no type"),
        ("type: enum", 5, "has no values"),
        ("type: enum\nvalues: []", 7, "has no values"),
        ("type: string\nvalues: [a]", 7, "only an enum has `values`"),
        ("type: string\nrequired: maybe", 7, "`required` is 'maybe'"),
        ("type: number\ndefault: many", 7, "the default must be a number"),
        ("type: enum\nvalues: [a, b]\ndefault: c", 8, "the default must be one of a, b"),
        ("type: string\nrequried: true", 7, "unknown key 'requried'"),
        ("type: string\ntype: number", 7, "duplicate 'type'"),
        ("type: string\ndescription: [a]", 7, "must be text"),
    ],
)
def test_a_mistake_in_a_field_is_named_with_line_and_hint(lines, line, message):
    [problem] = field(lines).problems
    assert problem.line == line
    assert message in problem.message
    assert problem.hint


def test_a_mistake_in_one_place_leaves_the_rest_in_force():
    file = parsed(
        "verzion: 1\ntypes:\n  good:\n    fields:\n      a:\n        type: string\n"
        "  half:\n    fields:\n      a:\n        type: nothing\n      b:\n        type: number\n"
        "  flat: text\n  2bad: {}\n  empty:\n"
    )
    assert list(file.types) == ["good", "half"]
    assert list(file.types["half"].fields) == ["b"]
    assert [line for line, _ in told(file)] == [1, 10, 13, 14, 15]


def test_a_type_that_lost_a_field_to_a_mistake_refuses_no_entry_for_it():
    file = field("type: nothing")
    assert file.types["t"].partial
    assert file.types["t"].check({"f": "kept"}) == {"f": "kept"}
    with pytest.raises(Invalid):
        field("type: number").types["t"].check({"f": "no", "g": 1})


def test_types_around_a_syntax_error_still_load():
    text = (
        "version: 1\ntypes:\n  one:\n    fields:\n      a:\n        type: string\n"
        "  two:\n    description: bad: colon\n"
        "  three:\n    fields:\n      a:\n        type: number\n"
    )
    file = parsed(text)
    assert list(file.types) == ["one", "three"]
    assert [p.line for p in file.problems] == [8]
    assert file.types["three"].line == 9


@pytest.mark.parametrize(
    "text",
    ["", "# nothing yet\n", "null", "version: 1", "version: 1\ntypes:\n", "types: {}"],
)
def test_an_empty_schema_is_no_mistake(text):
    file = parsed(text)
    assert (dict(file.types), file.problems) == ({}, ())


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "a: &a [*a]",
        "types: &t\n  x: *t",
        "x: &a [1,2]\n" + "y: [" + "*a," * 50_000 + "]",
        "\x00",
        "- 1",
        "types: [a]",
        "types:\n  a: !!python/object/apply:os.system [x]",
        "types:\n  <<: 3\n  a: {}\n",
        "{{{{",
        "types:\n  ? [a, b]\n  : {}\n",
    ],
)
def test_no_text_is_too_strange_to_be_answered_with_a_problem(text):
    file = parsed(text)
    assert file.problems
    assert all(problem.hint and problem.message for problem in file.problems)


@settings(max_examples=drawn(300), deadline=None, derandomize=True)
@given(
    cut=st.integers(0, 400),
    length=st.integers(0, 40),
    put=st.text(st.sampled_from(list(" \n\t:-[]{}#&*!|>'\"%@`abty0")), max_size=12),
)
def test_any_damage_to_a_schema_gives_types_and_problems_never_an_error(cut, length, put):
    text = templates()[0].text
    file = parsed(text[:cut] + put + text[cut + length :])
    assert all(p.line >= 0 and p.hint for p in file.problems)
    assert all(kind.name == name for name, kind in file.types.items())


names = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,10}", fullmatch=True)
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)
typed_fields = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "string[]", "number", "boolean"])},
        optional={"required": st.booleans(), "description": words},
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("enum"),
            "values": st.lists(words.filter(str.strip), min_size=1, max_size=3, unique=True),
        }
    ),
)


@settings(max_examples=drawn(150), deadline=None, derandomize=True)
@given(
    types=st.dictionaries(
        names,
        st.fixed_dictionaries(
            {"description": words, "fields": st.dictionaries(names, typed_fields, max_size=3)}
        ),
        max_size=3,
    )
)
def test_types_written_as_yaml_are_read_back_the_same(types):
    file = parsed(to_yaml(types))
    assert file.problems == ()
    assert list(file.types) == list(types)
    for name, kind in types.items():
        fields = file.types[name].fields
        assert {n: (f.type, f.required, list(f.values)) for n, f in fields.items()} == {
            n: (f["type"], f.get("required", False), f.get("values", []))
            for n, f in kind["fields"].items()
        }


def test_the_nearer_file_wins_per_type(tmp_path: Path):
    home, root = tmp_path / "home", tmp_path / "root"
    home.mkdir()
    (root / ".context").mkdir(parents=True)
    (home / "schema.yaml").write_text(
        "types:\n  a:\n    description: far\n  b:\n    description: far\n"
    )
    (root / ".context" / "schema.yaml").write_text("types:\n  a:\n    description: near\n")
    schema = load(home, root)
    assert {n: t.description for n, t in schema.types.items()} == {"a": "near", "b": "far"}
    assert load(home).types["a"].description == "far"


def test_a_change_is_seen_at_the_next_look_even_with_equal_size_and_time(tmp_path: Path):
    path = tmp_path / "schema.yaml"
    parsed_before: Parsed = Cache(1)
    path.write_text("types:\n  a:\n    description: one\n")
    assert load_schema(tmp_path, None, parsed_before).types["a"].description == "one"
    before = path.stat()
    fresh = tmp_path / "fresh"
    fresh.write_text("types:\n  a:\n    description: two\n")
    os.utime(fresh, ns=(before.st_atime_ns, before.st_mtime_ns))
    fresh.replace(path)
    assert load_schema(tmp_path, None, parsed_before).types["a"].description == "two"
    time.sleep(0.01)
    path.write_text("types: {}\n")
    assert load_schema(tmp_path, None, parsed_before).types == {}
    path.unlink()
    assert not load_schema(tmp_path, None, parsed_before).files[-1].exists


def test_an_unreadable_schema_file_is_a_problem_and_not_an_error(tmp_path: Path):
    path = tmp_path / "schema.yaml"
    path.mkdir()
    assert "not a file" in load(tmp_path).problems[0].message
    path.rmdir()
    path.write_bytes(b"types: \xff\n")
    assert "not valid UTF-8" in load(tmp_path).problems[0].message
    path.write_bytes(b"#" * (LARGEST + 1))
    assert "larger than" in load(tmp_path).problems[0].message
    path.write_bytes(b"\xef\xbb\xbftypes:\n  a:\n    description: with a mark\n")
    assert list(load(tmp_path).types) == ["a"]
