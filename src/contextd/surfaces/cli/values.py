"""Parse typed values: lists, JSON, and fields according to their declared type."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from contextd.surfaces.cli.guidance import closest, one_of
from contextd.surfaces.cli.output import ask
from contextd.surfaces.cli.signatures import Parameter
from contextd.surfaces.cli.terminal import own_process, working_directory
from contextd_common.errors import Invalid
from contextd_common.text.syntax_errors import json_problem

_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
"""Words for true and false."""


def switch(text: str, option: str) -> bool:
    """Parse the value of a switch. Raises `Invalid`."""
    if text.lower() not in _TRUTH:
        raise Invalid(
            f"{option} must be yes or no, not {text!r}", f"{option}, or --no-{option[2:]}"
        )
    return _TRUTH[text.lower()]


def is_switched(word: str) -> bool:
    """Whether the word after a switch is its value."""
    return word.lower() in _TRUTH


def value_of(one: Parameter, text: Any) -> Any:
    """Convert the text of an option or word to the type of an argument; for a list, from several texts. Raises
    `Invalid`.
    """
    match one.kind:
        case "integer" | "number":
            try:
                return int(text) if one.kind == "integer" else float(text)
            except ValueError:
                number = "a whole number" if one.kind == "integer" else "a number"
                raise Invalid(f"{one.flag} must be {number}, not {text!r}", one.help) from None
        case "choice":
            return one_of(text, one.choices, one.flag)
        case "list":
            return text_list([text] if isinstance(text, str) else text)
        case "object":
            return json_object(text, one.flag)
        case "text" if one.path and text:
            # The daemon runs in another directory.
            return str(working_directory() / Path(text).expanduser())
        case "text" if text == "-":
            own_process()
            # JSON from a program may contain any value.
            return sys.stdin.buffer.read().decode("utf-8", "replace")
        case _:
            return text


def json_object(text: str, option: str) -> dict[str, Any]:
    """Parse a JSON object: as typed, from a file as `@PATH`, or from stdin as `-`. Raises `Invalid`."""
    if text == "-" or text.startswith("@"):
        own_process()
    if text == "-":
        text = sys.stdin.read()
    elif text.startswith("@"):
        try:
            text = Path(text[1:]).expanduser().read_text("utf-8")
        except (OSError, ValueError) as error:
            raise Invalid(f"{option}: {text[1:]} cannot be read: {error}", "name a file") from error
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = json_problem(error)
        raise Invalid(f"{option} is not valid JSON: {problem}", _as_json(option)) from error
    if not isinstance(value, dict):
        raise Invalid(f"{option} must be a JSON object", _as_json(option))
    return value


def _as_json(option: str) -> str:
    return f"""write {option} '{{"name": "value"}}', or {option} @FILE"""


def text_list(texts: Sequence[str]) -> list[Any]:
    """A list from repeated options, each with one value, several with commas between, or a JSON list."""
    values: list[Any] = []
    for part in texts:
        if part[:1] == "[" and part[-1:] == "]":
            try:
                values += json.loads(part)
                continue
            except ValueError:
                pass
        values += [value for value in (one.strip() for one in part.split(",")) if value]
    return values


def typed_fields(
    parameter: Parameter, pairs: Sequence[str], arguments: dict[str, Any], default: str
) -> dict[str, Any]:
    """Parse `name=value` pairs as fields of the kind, type or record that `arguments` name; `default` is the
    kind if they name none. An update that replaces all fields of a record keeps its other fields, and carries
    the version they were read at. Raises one `Invalid` that lists all errors.
    """
    project = arguments.get("project", "")
    named = str(arguments.get(parameter.fields_of) or default)
    before: dict[str, Any] = {}
    if parameter.fields_of == "id":
        whole = ask("get_record", {"id": named}, project=project).value
        record = whole["record"]
        named = record["type"] if record["kind"] == "context" and record["type"] else record["kind"]
        if parameter.replaces:
            before = whole["data"]
            arguments.setdefault("version", whole["version"])
    fields, further = _declared(named, project)
    read: dict[str, Any] = {}
    problems: list[str] = []
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        spec = fields.get(_known_name(name, fields))
        if not equals:
            problems.append(f"{pair!r} is not name=value")
        elif spec is None and not further:
            near = closest(name, fields)
            problems.append(
                f"{named} has no field {name!r}" + (f", did you mean {near!r}?" if near else "")
            )
        else:
            try:
                _add(read, _known_name(name, fields), value, spec or {"type": "string"})
            except ValueError as error:
                problems.append(f"{name} {error}, not {value!r}")
    if problems:
        raise Invalid("--field: " + "; ".join(problems), _fields_hint(named, fields))
    return {**before, **read}


def _declared(named: str, project: str) -> tuple[dict[str, dict[str, Any]], bool]:
    """The fields of a kind or type, and whether it allows others; an undeclared type allows any."""
    # This import takes 5 ms, which only typed fields need.
    from contextd.domain.kinds import KINDS  # noqa: PLC0415

    view = ask("describe_schema", {}, project=project).value
    for row in (*view["types"], *view["built_in"]):
        if row["name"] == named:
            kind = KINDS.get(named) if row.get("built_in") else None
            return row["fields"], kind.open if kind else bool(row.get("partial"))
    return {}, True


def _known_name(name: str, fields: Mapping[str, Any]) -> str:
    plain = name.replace("-", "_")
    return plain if name not in fields and plain in fields else name


def _add(read: dict[str, Any], name: str, text: str, spec: Mapping[str, Any]) -> None:
    """Store a parsed field value; values of a list are appended. Raises `ValueError` with the expected type."""
    value = _of_type(text, spec)
    if isinstance(value, list):
        value = [*read.get(name, []), *value]
    read[name] = value


def _of_type(text: str, spec: Mapping[str, Any]) -> Any:
    match spec["type"]:
        case "string[]":
            return [str(value) for value in text_list([text])]
        case "boolean":
            if not is_switched(text):
                raise ValueError("must be true or false")
            return _TRUTH[text.lower()]
        case "number":
            try:
                number = float(text)
            except ValueError:
                raise ValueError("must be a number") from None
            return int(number) if number.is_integer() else number
        case "enum":
            if text not in spec["values"]:
                near = closest(text, spec["values"])
                listed = "must be one of " + ", ".join(spec["values"])
                raise ValueError(listed + (f" (did you mean {near!r}?)" if near else ""))
            return text
        case _:
            return text


def _fields_hint(named: str, fields: Mapping[str, Mapping[str, Any]]) -> str:
    shown = [
        f"{name} ({'|'.join(spec['values']) if spec['values'] else spec['type']}"
        f"{', required' if spec['required'] else ''})"
        for name, spec in fields.items()
    ]
    return f"fields of {named}: {', '.join(shown)}" if shown else f"{named} has no fields"
