"""Each format of a configuration is edited in one place, and the rest of the text stays."""

from __future__ import annotations

import pytest

from contextd.clients.codec import JSON, JSONC, TOML, YAML, Codec
from contextd.clients.json_config import KeyPath, read_with_comments
from contextd_common.errors import Invalid

ENTRY = {"command": "contextd", "args": ["mcp", "--client", "x"]}
TEXTS: list[tuple[Codec, KeyPath, str]] = [
    (JSON, ("s", "c"), '{"a": 1, "s": {"o": {}}}'),
    (
        JSONC,
        ("s", "c"),
        '// top\n{\n  // a, b\n  "a": 1, // one, two\n  "s": {"o": {}, }, // end\n}\n',
    ),
    (JSONC, ("s", "c"), '{\n  "s": {\n    // theirs\n  },\n}\n'),
    (JSONC, ("s", "c"), '{\r\n\t"s": {\r\n\t\t"o": {} /* last */\r\n\t}\r\n}\r\n'),
    (JSONC, ("s", 0), '{"s": []}'),
    (TOML, ("s", "c"), '# top\na = 1 # one\n\n[s.o] # theirs\ncommand = "x"\n\n[z]\nb = 2\n'),
    (TOML, ("s", "c"), 's = {o = {command = "x"}} # on a line\n'),
    (TOML, ("s", "c"), "[s]\r\n[z]\r\nb = 2\r\n"),
    (YAML, ("s", "c"), "# top\na: 1 # one\ns:\n  o: # theirs\n    x: 1\n\n# end\nz: 2\n"),
    (YAML, ("s", 1), "s:\n  - name: o # theirs\n    x: 1\n# end\nz: 2\n"),
    (YAML, ("s", 1), "s:\n- o # theirs\n"),
]


@pytest.mark.parametrize(("codec", "place", "text"), TEXTS, ids=lambda v: getattr(v, "name", None))
def test_an_entry_put_into_a_configuration_is_read_and_removed_without_other_changes(
    codec: Codec, place: KeyPath, text: str
) -> None:
    added = codec.put(text, place, ENTRY)
    rest = iter(added)
    assert all(character in rest for character in text)
    expected = codec.read(text)
    held = expected[place[0]]
    if isinstance(held, list):
        held.append(ENTRY)
    else:
        held[place[1]] = ENTRY
    assert codec.read(added) == expected
    changed = codec.put(added, place, {**ENTRY, "command": "new"})
    rest = iter(changed)
    assert all(character in rest for character in text)
    assert codec.read(codec.put(changed, place, ENTRY)) == expected
    assert codec.remove(added, place) == text
    if "\r\n" in text:
        assert "\n" not in added.replace("\r\n", "")


@pytest.mark.parametrize("codec", [JSON, JSONC, TOML, YAML], ids=lambda codec: codec.name)
def test_a_text_without_anything_gets_its_first_entry(codec: Codec) -> None:
    added = codec.put(codec.empty, ("s", "c"), ENTRY)
    assert codec.read(added) == {"s": {"c": ENTRY}}
    assert codec.read(codec.remove(added, ("s",))) == {}


@pytest.mark.parametrize(
    ("codec", "text", "where"),
    [
        (JSON, '{\n  "a": ,\n}', "line 2"),
        (JSON, '{\n  // no\n}', "line 2"),
        (JSONC, '{\n  // yes\n  "a": ,\n}', "line 3"),
        (JSONC, "{,}", "line 1"),
        (JSONC, '{"a": 1,,}', "line 1"),
        (JSONC, "{ /* open", "line 1"),
        (TOML, "a = 1\nb = \n", "line 2"),
        (YAML, "a: 1\nb: [\n", "line"),
        (YAML, "a: *b\n", "line 1"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(codec: Codec, text: str, where: str) -> None:
    with pytest.raises(Invalid, match=where) as refused:
        codec.read(text)
    assert refused.value.hint


def test_marks_of_comments_within_a_text_are_no_comments() -> None:
    text = '{"a": "http://x, /* y */", "b": ["]", "//"], } // z'
    assert read_with_comments(text) == {"a": "http://x, /* y */", "b": ["]", "//"]}
    assert JSONC.remove(text, ("b",)) == '{"a": "http://x, /* y */", } // z'


def test_an_item_within_a_list_is_changed_in_its_place() -> None:
    text = "s:\n  - name: a # first\n  - name: c\n    args: [x]\n# end\n"
    changed = YAML.put(text, ("s", 1, "args"), ["y"])
    assert YAML.read(changed) == {"s": [{"name": "a"}, {"name": "c", "args": ["y"]}]}
    assert "# first" in changed
    assert "# end" in changed
