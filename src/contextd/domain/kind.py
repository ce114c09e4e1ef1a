"""What a kind of record is: its fields, what it takes part in, and whether data fits it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Invalid, nearest

FieldType = Literal["string", "string[]", "number", "boolean", "enum"]
Area = Literal["knowledge", "policies", "skills"]
"""The rows of the seed's permission matrix: what a role may touch at a level."""

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

* attached   shown with a file that they are about
* binding    to be respected: briefed before what is merely known
* briefed    may stand in a briefing or be added to a prompt
* compared   checked for contradictions with one another
* directive  holds until an act ends it: want of use takes nothing from it
* entry      counts as something the store knows, in its self-model
* learned    comes out of sessions: listed among the recent decisions and outcomes
* listed     counted in the overview of a project
* recalled   added to a prompt that it fits, and in no briefing
* stable     trusted more or less by what becomes of the code it cites
* strategy   found by `memory_search`
"""


@dataclass(frozen=True, slots=True)
class Field:
    """One typed field of a kind. What `identifies` an entry says which thing it is about: entries
    that differ in it are about other things.
    """

    type: FieldType = "string"
    required: bool = False
    description: str = ""
    values: tuple[str, ...] = ()
    default: Any = None
    identifies: bool = False


LINKS: Mapping[str, Field] = {
    "merged_from": Field("string[]", description="The records that were merged into this one"),
    "wordings": Field("string[]", description="What merged records say beyond this one"),
    "promoted_from": Field("string[]", description="The records a wider scope has this one from"),
    "promoted_to": Field("string[]", description="The copies of it in wider scopes"),
}
"""Fields of every kind: they say which other records a record comes from or went into."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of record is declared.

    `facets` are fields that searches filter by inside the index. `area` says who may read and write
    it. `weight` scales its rank in mixed searches. `searched_as` is the `type` under which
    `context_search` looks through it, empty for none but `all`. `traits` are what it takes part in.
    `near` is a field whose words are found too but count less, and are no part of what it means; so is
    `titled`, which has all of a title that was cut short.
    `created_by` names the operations and jobs that make records of it. An `open` kind takes further
    fields of any type.
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
        """What its records are told apart by, where a field `type` does that."""
        return self.fields["type"].values if "type" in self.fields else ()

    def check(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """`data` with defaults filled in. Raises `Invalid` naming every wrong field at once."""
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
