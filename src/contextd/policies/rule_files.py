"""Policies and standards as YAML files: one rule per file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contextd.domain.kind import Kind
from contextd.domain.kinds import KINDS
from contextd.domain.problems import FileProblem
from contextd.policies.rules import problems_in
from contextd.policies.yaml_folder import FileFolder, ReadFile, YamlFields, yaml_fields
from contextd_common.errors import Invalid, nearest

SUFFIXES = (".yaml", ".yml")

BESIDE = ("title", "tags", "content", "kind")
"""Keys of a file that are no fields of its kind: name, labels, additional text, and the kind of standard."""

POLICIES, STANDARDS = "policies", "standards"

_KINDS_OF_STANDARD = {"coding": "coding_standard", "repo": "repo_standard"}
_ONLY_REPO = ("required_dirs", "forbidden_dirs", "template_repo", "standard")


def policy_file(path: Path, shown: str, text: str) -> ReadFile:
    """A policy's file."""
    return _rule_file(path, shown, text, standard=False)


def standard_file(path: Path, shown: str, text: str) -> ReadFile:
    """A code or repository standard's file."""
    return _rule_file(path, shown, text, standard=True)


FORMATS = {POLICIES: policy_file, STANDARDS: standard_file}
"""The folders of rules by name, with the format of their files."""


def folder_of(name: str, above: Path, shown: str, inside: Path | None = None) -> FileFolder:
    """The folder of policies or of standards in a directory, inside a checkout if `inside` is given."""
    return FileFolder(above / name, f"{shown}/{name}", SUFFIXES, FORMATS[name], inside)


def _rule_file(path: Path, shown: str, text: str, *, standard: bool) -> ReadFile:
    fields = yaml_fields(shown, text)
    if not fields.values:
        empty = FileProblem(shown, 0, "the file is empty", "see docs/howto/policies.md")
        return ReadFile(path, shown, problems=fields.problems or (empty,))
    if not standard:
        return _checked(path, shown, fields, KINDS["policy"])
    named = fields.raw.get("kind", "")
    if named and named not in _KINDS_OF_STANDARD:
        known = " or ".join(_KINDS_OF_STANDARD)
        problem = FileProblem(shown, fields.lines["kind"], f"no kind {named!r}", f"write {known}")
        return ReadFile(path, shown, problems=(*fields.problems, problem))
    guessed = "repo" if any(key in fields.values for key in _ONLY_REPO) else "coding"
    return _checked(path, shown, fields, KINDS[_KINDS_OF_STANDARD[named or guessed]])


def _checked(path: Path, shown: str, yaml: YamlFields, kind: Kind) -> ReadFile:
    problems = list(yaml.problems)
    given = {
        name: _as_meant(yaml, name, value, kind)
        for name, value in yaml.values.items()
        if name not in BESIDE
    }
    try:
        fields = kind.check(given)
    except Invalid as error:
        fields = {}
        for name, problem in error.details["fields"].items():
            line = yaml.lines.get(name, 0)
            unknown = problem.startswith("unknown field")
            message = f"{name}: {'unknown key' if unknown else problem}"
            problems.append(FileProblem(shown, line, message, _correct(name, problem, kind)))
    for place, wrong in problems_in(_lists(given)) if kind.name == "policy" else ():
        line = yaml.lines.get(place) or yaml.lines.get(place.split(".")[0], 0)
        message = f"{place.split('.')[0]}: {wrong.message}"
        problems.append(FileProblem(shown, line, message, wrong.hint))
    beside = _beside(yaml, shown, problems)
    beside.setdefault("title", _title(path))
    problems.sort(key=lambda problem: problem.line)
    return ReadFile(path, shown, kind.name, {**beside, **fields}, yaml.lines, tuple(problems))


def _lists(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are lists of text; reports others without looking inside them."""
    return {
        name: value
        for name, value in fields.items()
        if isinstance(value, list) and all(isinstance(one, str) for one in value)
    }


def _correct(name: str, problem: str, kind: Kind) -> str:
    known = [*kind.fields, *BESIDE]
    if problem.startswith("unknown field"):
        return nearest(name, known) or f"a {kind.name.replace('_', ' ')} has " + ", ".join(known)
    if problem == "required":
        return f"write `{name}: …`"
    spec = kind.fields[name]
    if spec.type == "enum":
        return f"write `{name}: {spec.default or spec.values[0]}`"
    return {"string[]": f"write `{name}: [one, two]`", "boolean": "write true or false"}.get(
        spec.type, spec.description or "correct it"
    )


def _as_meant(yaml: YamlFields, name: str, value: Any, kind: Kind) -> Any:
    """Convert a value to its field's type: a date or number to text, a single item to a list."""
    spec = kind.fields.get(name)
    if spec is None or value is None:
        return value
    if spec.type == "string" and name in yaml.raw:
        return yaml.raw[name]
    if spec.type == "string[]":
        if isinstance(value, str):
            return [value]
        if isinstance(value, list):
            return [yaml.raw.get(f"{name}.{n}", one) for n, one in enumerate(value)]
    # YAML reads a bare `off` as false.
    if spec.type == "enum" and value is False and "off" in spec.values:
        return "off"
    return value


def _beside(yaml: YamlFields, shown: str, problems: list[FileProblem]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("title", "content"):
        if name in yaml.raw and yaml.raw[name].strip():
            found[name] = yaml.raw[name].strip()
        elif name in yaml.values:
            message = f"{name}: must be a text"
            problems.append(FileProblem(shown, yaml.lines[name], message, f"write `{name}: …`"))
    tags = yaml.values.get("tags")
    if tags is not None and not isinstance(tags, list):
        message = "tags: must be a list"
        problems.append(FileProblem(shown, yaml.lines["tags"], message, "write `tags: [one, two]`"))
    elif tags:
        found["tags"] = [yaml.raw.get(f"tags.{n}", str(one)) for n, one in enumerate(tags)]
    return found


def _title(path: Path) -> str:
    words = re.sub(r"[-_.]+", " ", path.stem).strip()
    return words[:1].upper() + words[1:]


def ordered(fields: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """Fields in the order of a new file: the rule first, then how it is checked."""
    names = ["title", "kind", "tags", "content", *kind.fields]
    return {name: fields[name] for name in names if name in fields}
