"""What a schema.yaml says, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from contextd.domain.dataclass import dataclass
from contextd.domain.kind import Field, Kind
from contextd.domain.problems import FileProblem

Origin = Literal["project", "home"]

VERSION = 1

TYPE, FIELDS, SAVED_AS = "contextType", "structuredData", "savedAs"
"""Where a record's data keeps its type, the fields of it, and the name of a type that was not declared."""


@dataclass(frozen=True, slots=True)
class ContextType:
    """A context type: its fields, and which file and line it stands in.

    A `partial` type lost fields to mistakes in the file. It checks the ones it has and lets others
    pass, so that a typing mistake in the file never costs an entry.
    """

    name: str
    description: str = ""
    fields: Mapping[str, Field] = field(default_factory=dict[str, Field])
    origin: Origin = "home"
    line: int = 0
    partial: bool = False

    def check(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """`data` with defaults filled in, in the order of the fields. Raises one `Invalid` naming
        every wrong field.
        """
        return self._kind(open=self.partial).check(data)

    def check_change(self, before: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
        """`before` with `changes` put over it; null takes a field out. What `before` already holds in
        fields the type no longer declares stays. Raises one `Invalid` naming every wrong field.
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
        """Names of fields in `data` that the type does not declare, or not any more."""
        return [name for name in data if name not in self.fields]

    def _kind(self, *, open: bool) -> Kind:
        return Kind(self.name, "contexts", self.description, self.fields, open=open)


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """One schema.yaml as read. `etag` changes with its bytes; empty when there is no file."""

    path: str
    origin: Origin
    text: str = ""
    etag: str = ""
    types: Mapping[str, ContextType] = field(default_factory=dict[str, ContextType])
    problems: tuple[FileProblem, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether the file is there."""
        return bool(self.etag)


@dataclass(frozen=True, slots=True)
class Schema:
    """The types in force where a call stands: the project's file first, then the home's."""

    files: tuple[SchemaFile, ...] = ()
    types: Mapping[str, ContextType] = field(default_factory=dict[str, ContextType])

    @property
    def problems(self) -> list[FileProblem]:
        """Everything wrong in any of the files."""
        return [problem for file in self.files for problem in file.problems]
