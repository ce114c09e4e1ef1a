"""Declares a kind of record: its fields, its traits, and the validation of its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, nearest

FieldType = Literal["string", "string[]", "number", "boolean", "enum"]
Area = Literal["knowledge", "policies", "skills"]
"""The rows of the permission matrix: what a role may touch at a level."""

AREAS: tuple[Area, ...] = ("knowledge", "policies", "skills")


Trait = Literal[
    "attached",
    "binding",
    "briefed",
    "compared",
    "directive",
    "entry",
    "learned",
    "listed",
    "recalled",
    "stable",
    "strategy",
]
"""What records of a kind take part in:

* attached   shown with the files they are about
* binding    rules to respect: placed before other records in a briefing
* briefed    may appear in a briefing or be added to a prompt
* compared   checked for contradictions with each other
* directive  holds until an explicit act ends it; disuse has no effect
* entry      counts as knowledge in the self-model
* learned    produced by sessions: listed among recent decisions and outcomes
* listed     counted in the overview of a project
* recalled   added to matching prompts, never to a briefing
* stable     gains or loses confidence with the code it cites
* strategy   found by `memory_search`
"""


@dataclass(frozen=True, slots=True)
class Field:
    """One typed field of a kind. A field that `identifies` says which thing an entry is about: entries
    that differ in it are about different things.
    """

    type: FieldType = "string"
    required: bool = False
    description: str = ""
    values: tuple[str, ...] = ()
    default: Any = None
    identifies: bool = False


LINKS: Mapping[str, Field] = {
    "merged_from": Field("string[]", description="The records that were merged into this one"),
    "wordings": Field("string[]", description="Text of merged records that this one lacks"),
    "promoted_from": Field("string[]", description="The records this one was promoted from"),
    "promoted_to": Field("string[]", description="The copies of this one in wider scopes"),
}
"""Fields of every kind that link a record to those it comes from or went into."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The declaration of a kind of record.

    `facets` are the fields that index searches can filter by. `area` decides who may read and write it.
    `weight` scales its rank in mixed searches. `searched_as` is the `type` by which `context_search` includes
    it; empty means only `all` does. `near` is a field that is indexed with less weight and left out of the
    vector; so is `titled`, which holds the full text of a shortened title. `created_by` names the operations
    and jobs that create such records. An `open` kind accepts further fields of any type.
    """

    name: str
    collection: str
    description: str
    fields: Mapping[str, Field] = field(default_factory=dict[str, Field])
    facets: tuple[str, ...] = ()
    area: Area = "knowledge"
    weight: float = 1.0
    searched_as: str = ""
    traits: frozenset[Trait] = frozenset()
    created_by: tuple[str, ...] = ("remember",)
    open: bool = False
    near: str = ""
    titled: str = ""

    @property
    def sorts(self) -> tuple[str, ...]:
        """The values of its `type` field, if it has one that distinguishes records."""
        return self.fields["type"].values if "type" in self.fields else ()

    def check(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return `data` with defaults filled in. Raise `Invalid` naming every wrong field at once."""
        problems: dict[str, str] = {}
        fields = {**LINKS, **self.fields}
        for name in data:
            if name not in fields and not self.open:
                hint = nearest(name, list(self.fields))
                known = "known fields: " + ", ".join(self.fields)
                problems[name] = f"unknown field; {hint or known}"
        checked = {name: value for name, value in data.items() if name not in fields}
        for name, spec in fields.items():
            value = data.get(name)
            if value is None:
                if spec.required:
                    problems[name] = "required"
                elif spec.default is not None:
                    checked[name] = spec.default
                continue
            problem = _mismatch(spec, value)
            if problem:
                problems[name] = problem
            else:
                checked[name] = list(value) if spec.type == "string[]" else value
        if problems:
            summary = "; ".join(f"{name}: {problem}" for name, problem in problems.items())
            raise Invalid(
                f"{self.name}: {summary}",
                "correct these fields and send it again",
                {"fields": problems},
            )
        return checked


def _mismatch(spec: Field, value: Any) -> str:
    match spec.type:
        case "string":
            return "" if isinstance(value, str) else "must be a string"
        case "string[]":
            listed = isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
            return "" if listed else "must be a list of strings"
        case "number":
            numeric = isinstance(value, int | float) and not isinstance(value, bool)
            return "" if numeric else "must be a number"
        case "boolean":
            return "" if isinstance(value, bool) else "must be true or false"
        case "enum":
            return "" if value in spec.values else "must be one of " + ", ".join(spec.values)
