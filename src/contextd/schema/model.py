"""The content of a schema.yaml, and its problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from contextd.domain.kind import Field, Kind
from contextd.domain.problems import FileProblem
from contextd_common.dataclass import dataclass

Origin = Literal["project", "home"]

VERSION = 1

TYPE, FIELDS, SAVED_AS = "contextType", "structuredData", "savedAs"
"""Keys in a record's data: its type, its fields, and the name of an undeclared type."""


@dataclass(frozen=True, slots=True)
class ContextType:
    """A context type: its fields, file and line.

    A `partial` type lost fields because of mistakes in the file. It validates the remaining fields and
    accepts others, so that a typing mistake never loses an entry.
    """

    name: str
    description: str = ""
    fields: Mapping[str, Field] = field(default_factory=dict[str, Field])
    origin: Origin = "home"
    line: int = 0
    partial: bool = False

    def check(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return `data` with defaults, in the order of the fields. Raises one `Invalid` naming every wrong
        field.
        """
        return Kind(self.name, "contexts", self.description, self.fields, open=self.partial).check(
            data
        )

    def check_change(self, before: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
        """Apply `changes` to `before`; null removes a field. Existing fields that the type no longer
        declares are kept. Raises one `Invalid` naming every wrong field.
        """
        undeclared_values = {
            name: before[name] for name in self.undeclared(before) if name not in changes
        }
        merged = {
            **{name: value for name, value in before.items() if name not in undeclared_values},
            **{n: v for n, v in changes.items() if v is not None or n in self.fields},
        }
        return {**self.check(merged), **undeclared_values}

    def undeclared(self, data: Mapping[str, Any]) -> list[str]:
        """Fields in `data` that the type does not declare."""
        return [name for name in data if name not in self.fields]


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A parsed schema.yaml. `etag` changes with its content; empty if there is no file."""

    path: str
    origin: Origin
    text: str = ""
    etag: str = ""
    types: Mapping[str, ContextType] = field(default_factory=dict[str, ContextType])
    problems: tuple[FileProblem, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether the file exists."""
        return bool(self.etag)


@dataclass(frozen=True, slots=True)
class Schema:
    """The types in force for a call: the project's file first, then the home's."""

    files: tuple[SchemaFile, ...] = ()
    types: Mapping[str, ContextType] = field(default_factory=dict[str, ContextType])

    @property
    def problems(self) -> list[FileProblem]:
        """All problems in the files."""
        return [problem for file in self.files for problem in file.problems]
