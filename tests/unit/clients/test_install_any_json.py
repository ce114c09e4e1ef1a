"""For any JSON a user may have: only our entries come, and exactly they go."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.clients import CLIENTS
from contextd.clients.client import Addition, Calling, Edit
from contextd.clients.config_entries import HookEntries, ServerEntry
from contextd.clients.install import Launch, install, uninstall
from contextd.clients.json_config import locate, parts, put, read, remove, style_of
from contextd_common.errors import Invalid

unhurried = settings(deadline=None)

CLIENT = CLIENTS["claude-code"]
COMMAND = ["/opt/contextd"]
CALLING = Calling(CLIENT.name, tuple(COMMAND), Path("/home/ada"))
PARTS: list[Addition] = [file.part for file in CLIENT.configuration.files]
SERVERS, HOOKS, *_ = PARTS
assert isinstance(SERVERS, ServerEntry)
assert isinstance(HOOKS, HookEntries)
TOLD = [event for event in HOOKS.events if not event.setting]

names = st.text(max_size=6) | st.sampled_from(["a", 'q"', "b\\", "ключ", "{", "]", "a,b", "\n"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8) | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)  # fmt: skip
handlers = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)})
groups = st.fixed_dictionaries(
    {"hooks": st.lists(handlers, max_size=2)}, optional={"matcher": st.text(max_size=4)}
)
hooks = st.dictionaries(
    st.sampled_from(["SessionStart", "SessionEnd", "Stop"]), st.lists(groups, max_size=2)
)
documents = st.builds(
    lambda rest, known: {**rest, **known},
    st.dictionaries(names, values, max_size=4),
    st.fixed_dictionaries(
        {}, optional={"mcpServers": st.dictionaries(names, values, max_size=2), "hooks": hooks}
    ),
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
    text = json.dumps(
        draw(documents),
        indent=indent,
        separators=separators,
        ensure_ascii=draw(st.booleans()),
        sort_keys=draw(st.booleans()),
    )
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    around = draw(st.sampled_from(["", " ", "\n"]))
    return (around + text + around).replace("\n", newline)


def with_ours(text: str) -> str:
    return HOOKS.add(SERVERS.add(text, CALLING)[0], CALLING)[0]


def without_ours(text: str, before: str = "{}") -> Edit:
    keep = frozenset().union(*(part.containers(before) for part in PARTS))
    bare, servers = SERVERS.without(text, CLIENT.name, keep)
    bare, hooks_gone = HOOKS.without(bare, CLIENT.name, keep)
    return bare, [*servers, *hooks_gone]


@unhurried
@given(texts())
def test_installing_adds_our_entries_and_changes_no_other_value(text: str) -> None:
    added = read(with_ours(text))
    expected = copy.deepcopy(json.loads(text))
    expected.setdefault("mcpServers", {})["contextd"] = SERVERS.shape(CALLING.server)
    for event in TOLD:
        held = expected.setdefault("hooks", {}).setdefault(event.name, [])
        only = {"matcher": event.matcher} if event.matcher else {}
        held.append({**only, "hooks": [HOOKS.shape(CALLING, event)]})
    assert added == expected
    assert list(added) == list(expected)


@unhurried
@given(texts())
def test_installing_only_inserts_every_byte_of_the_user_is_still_there_in_order(text: str) -> None:
    rest = iter(with_ours(text))
    assert all(character in rest for character in text)


@unhurried
@given(texts())
def test_installing_twice_is_installing_once(text: str) -> None:
    once = with_ours(text)
    assert with_ours(once) == once


@unhurried
@given(texts())
def test_removing_gives_back_the_value_and_the_bytes_around_it(text: str) -> None:
    bare, _ = without_ours(with_ours(text), text)
    assert read(bare) == json.loads(text)
    document = json.loads(text)
    held = [document, document.get("mcpServers", {"-": 1}), document.get("hooks", {"-": 1})]
    held += document.get("hooks", {}).values()
    if all(held):
        assert bare == text


@unhurried
@given(texts(), texts(), st.booleans())
def test_files_come_back_to_the_byte_through_any_number_of_installations(
    servers: str, hooks_text: str, upgraded: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        held = {home / ".claude.json": servers, home / ".claude" / "settings.json": hooks_text}
        (home / ".claude").mkdir()
        for path, text in held.items():
            path.write_bytes(text.encode("utf-8"))
        for command in (["/old/contextd"], COMMAND) if upgraded else (COMMAND,):
            install(CLIENT.name, home, None, launch=Launch(command))
        uninstall(CLIENT.name, home, None)
        assert {path: path.read_bytes().decode("utf-8") for path in held} == held
        assert {path for path in home.rglob("*") if path.is_file()} == set(held)


@unhurried
@given(texts())
def test_removing_from_a_file_without_us_changes_nothing(text: str) -> None:
    assert without_ours(text) == (text, [])


@unhurried
@given(texts(), st.data())
def test_a_part_is_found_changed_and_removed_anywhere(text: str, data: st.DataObject) -> None:
    document: Any = json.loads(text)
    path: list[str | int] = []
    value = document
    while isinstance(value, dict | list) and value and (not path or data.draw(st.booleans())):
        step = data.draw(
            st.sampled_from(list(value) if isinstance(value, dict) else range(len(value)))
        )
        path.append(step)
        value = value[step]
    if not path:
        assert locate(text, ("missing",)) is None
        return
    found = locate(text, tuple(path))
    assert found is not None
    assert json.loads(text[found.value : found.end]) == value
    changed = read(put(text, tuple(path), {"new": [1]}))
    removed = read(remove(text, tuple(path)))
    holder, kept = changed, removed
    for step in path[:-1]:
        holder, kept, document = holder[step], kept[step], document[step]
    assert holder[path[-1]] == {"new": [1]}
    del document[path[-1]]
    assert kept == document


@unhurried
@given(st.text(alphabet='{}[]",:ab1\\ \n', max_size=30))
def test_text_is_read_exactly_when_it_is_json(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(Invalid):
            read(text)
    else:
        assert read(text) == expected


def test_of_equal_names_the_last_counts_and_all_of_them_go() -> None:
    text = '{"a": 1, "b": 2, "a": 3}'
    assert read(put(text, ("a",), 4)) == {"a": 4, "b": 2}
    assert put(text, ("a",), 4).startswith('{"a": 1')
    assert remove(text, ("a",)) == '{"b": 2}'


def test_missing_objects_on_the_way_are_made() -> None:
    assert put("{}", ("a", "b"), 1) == '{\n  "a": {\n    "b": 1\n  }\n}'
    assert put('{"x":1}', ("a", "b"), 1) == '{"x":1,"a":{"b":1}}'


def test_a_lists_items_are_parts_without_names() -> None:
    assert [part.name for part in parts('["a", {"b": 1}]', 0)] == [0, 1]
    assert style_of("[1]").indent == ""
    assert style_of("5").indent == "  "
