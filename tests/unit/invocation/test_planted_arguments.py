"""A secret in any text of any argument of any operation is nowhere in the home afterwards, nor in an error.

A secret of a provider, bare, and a password beside its name are put in every place of every argument, names of
fields included, each made anew so that one that is found tells where it came in.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contextd.app import load_operations
from contextd.runtime.doors import Surface
from contextd.runtime.operation import OPERATIONS, PROJECT, Operation, slim_schema
from contextd_bench.secret_samples import fill
from contextd_common.errors import ContextdError, Invalid
from support.arguments import arguments
from support.desks import Desk, Listening, embedder
from support.homes_read import core, everything_in
from support.repositories import written
from support.tool_calls import CALLS, settled

load_operations()

FORMS = {
    "github": ("{}", "gh¦p_{A36}"),
    "aws": ("{}", "AKIA¦{U16}"),
    "npm": ("use {} now", "np¦m_{A36}"),
    "password": ("password={}", "Stag{A10}7x"),
    "sentence": ("the password is {} for now", "x9{A10}Q4"),
    "weak": ("password={} for now", "WORD{D4}"),
    "bare": ("{}", "x{A9}3{A9}7{A9}2x"),
    "weak JSON": ('curl -d \'{{"password": "{}"}}\' https://api.test/login', "WORD{D4}"),
}
"""What stands around a secret, and its shape."""


IN_FILE_NAMES = ("export.path as bare", "backup.path as bare")
"""A file that the user names has its name on the disk and in the index."""


class Planter:
    """Makes secrets, and remembers where each was put."""

    def __init__(self) -> None:
        self._chance = random.Random(8)
        self.places: dict[str, str] = {}
        """Where each secret was put, by its `core`."""

    def plant(self, form: str, place: str) -> str:
        frame, shape = FORMS[form]
        # A word with a number, another one each time.
        word = "".join(self._chance.choices("bdklmnrstv", k=6) + self._chance.choices("aeiou", k=4))
        secret = fill(shape.replace("WORD", word), self._chance)
        self.places[core(secret)] = f"{place} as {form}"
        return frame.format(secret)

    def found_in(self, text: str) -> set[str]:
        """Where the secrets came in that a text holds, in whatever case."""
        folded = text.casefold()
        return {place for secret, place in self.places.items() if secret in folded}


def variants(value: Any, plant: Callable[[], str]) -> Iterator[Any]:
    """The value with a secret in the place of each of its texts in turn, and of each name of a field."""
    if isinstance(value, str):
        yield plant()
    elif isinstance(value, list):
        for number, part in enumerate(value or [""]):
            for one in variants(part, plant):
                yield [*value[:number], one, *value[number + 1 :]]
    elif isinstance(value, dict):
        yield {**value, plant(): "a value"}
        yield {**value, "added": plant()}
        yield {**value, "nested": {plant(): [plant()]}}
        for name, part in value.items():
            for one in variants(part, plant):
                yield {**value, name: one}


def blanks(op: Operation) -> dict[str, Any]:
    """A value of the right sort for each argument that can hold text."""
    schema = slim_schema(op.arguments.model_json_schema())["properties"]
    sorts = {"string": "", "array": [""], "object": {}}
    return {
        name: sorts[part["type"]]
        for name, part in schema.items()
        if part.get("type") in sorts and "enum" not in part and name != PROJECT
    }


def call_everything(
    desk: Desk, planter: Planter, ids: dict[str, str], surface: Surface
) -> set[str]:
    """Call every operation with a secret in each place; the places whose secret an error repeats."""
    examples = dict(reversed(CALLS))
    repeated: set[str] = set()
    for name, op in OPERATIONS.items():
        try:
            base = (
                arguments(op) | dict(examples[name](desk, ids))
                if name in examples
                else arguments(op)
            )
        except (ContextdError, LookupError, StopIteration):
            base = arguments(op)
        for argument, blank in blanks(op).items():
            for form in FORMS:

                def plant(place: str = f"{name}.{argument}", form: str = form) -> str:
                    return planter.plant(form, place)

                for value in variants(base.get(argument, blank) or blank, plant):
                    repeated |= error_of(desk.on(surface), planter, name, {**base, argument: value})
    return repeated


def error_of(desk: Desk, planter: Planter, name: str, given: dict[str, Any]) -> set[str]:
    try:
        desk.answer(name, **given)
    except ContextdError as error:
        return planter.found_in(json.dumps(error.as_dict()))
    return set()


@pytest.mark.long
@pytest.mark.parametrize("surface", ["mcp", "cli"])
def test_no_argument_of_any_operation_leaves_a_secret_in_the_home(
    open_desk: Callable[..., Desk],
    surface: Surface,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Backups and exports are written where a path says, and these say nothing of a folder.
    monkeypatch.chdir(tmp_path)
    listening = Listening(embedder("none"))
    desk = open_desk(listening)
    ids = settled(desk)
    planter = Planter()
    repeated = call_everything(desk.connected("planted-1"), planter, ids, surface)
    desk.host.flush()
    desk.host.work_off()
    assert len(planter.places) > 1_000
    left = {
        f"{where}: {place}"
        for where, text in everything_in(desk.host.settings.home)
        for place in planter.found_in(text)
    }
    left -= {one for one in left if one.endswith(IN_FILE_NAMES)}
    left |= {f"embedder: {place}" for text in listening.texts for place in planter.found_in(text)}
    assert left == set()
    # An error names the id that it did not find, whatever the id looks like.
    assert {one for one in repeated if not one.endswith("as bare")} == set()


TOKENS = ("np¦m_{L36}", "gh¦p_{L36}")


def test_a_type_or_a_field_named_after_a_secret_is_refused_and_one_of_a_file_is_left_out(
    words_only: Desk,
) -> None:
    chance = random.Random(5)
    for shape in TOKENS:
        secret = fill(shape, chance)
        for types in (
            {secret: {"fields": {"what": {"type": "string"}}}},
            {"plan": {"fields": {secret: {"type": "string"}}}},
            {"plan": {"fields": {"how": {"type": "enum", "values": [secret, "b"]}}}},
        ):
            with pytest.raises(Invalid, match="contains a secret") as refused:
                words_only.as_owner("schema_put", types=types)
            assert core(secret) not in json.dumps(refused.value.as_dict())
        folder = words_only.root / ".context"
        folder.mkdir(exist_ok=True)
        text = f"types:\n  {secret}:\n    fields: {{a: {{type: string}}}}\n"
        (folder / "schema.yaml").write_text(text + "  plan:\n    fields: {b: {type: string}}\n")
        known = words_only("describe_schema")
        assert core(secret) not in json.dumps(known)
        assert [one["name"] for one in known["types"]] == ["plan"]
        (folder / "schema.yaml").unlink()


def test_a_schema_of_the_home_is_written_without_secrets(words_only: Desk) -> None:
    secret = fill(TOKENS[0], random.Random(6))
    types = {"plan": {"description": f"as {secret}", "fields": {"b": {"type": "string"}}}}
    words_only.as_owner("schema_put", types=types, scope="home")
    text = (words_only.host.settings.home / "schema.yaml").read_text("utf-8")
    assert "plan" in text
    assert secret not in text


def test_a_project_is_not_called_after_a_secret(words_only: Desk, tmp_path: Path) -> None:
    secret = fill(TOKENS[0], random.Random(7))
    root = written(tmp_path / "named", {"package.json": json.dumps({"name": secret})})
    words_only.at(root).as_owner("init")
    left = [
        where
        for where, text in everything_in(words_only.host.settings.home)
        if core(secret) in text
    ]
    assert left == []


def test_a_title_cut_from_a_text_holds_no_half_of_a_secret(words_only: Desk) -> None:
    secret = fill("xkey¦sib-{H64}-{A16}", random.Random(9))
    words_only("session_checkpoint", summary=f"deploys use {secret} since today")
    words_only.host.flush()
    home = words_only.host.settings.home
    assert [where for where, text in everything_in(home) if core(secret)[:40] in text] == []


@pytest.mark.parametrize("shape", ["gh¦p_{A36}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi{A30}.{A43}"])
@pytest.mark.parametrize(
    "line",
    [
        "    return {}(parcel)",
        "    return parcel.{}(1)",
        "    class Scale({}): pass",
        "    def inner(a={}): return weigh(a)",
        "    @{}\n    def inner(): return weigh(1)",
    ],
)
def test_a_secret_among_the_names_of_code_is_nowhere_in_the_home(
    words_only: Desk, tmp_path: Path, shape: str, line: str
) -> None:
    secret = fill(shape, random.Random(10))
    text = f"def weigh(parcel):\n    return parcel\n\n\ndef send(parcel):\n{line.format(secret)}\n"
    other = "from parcels import weigh\n\n\ndef main():\n    return weigh(2)\n"
    desk = words_only.at(written(tmp_path / "post", {"parcels.py": text, "main.py": other}))
    desk.as_owner("init")
    desk("codebase_index")
    assert "main.py" in desk.answer("find_references", name="weigh").text
    desk.host.flush()
    desk.host.work_off()
    home = desk.host.settings.home
    parts = [part for part in secret.split(".")[-2:] if len(part) > 20]
    assert parts
    left = [w for w, found in everything_in(home) if any(part in found for part in parts)]
    assert left == []
