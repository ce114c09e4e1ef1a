"""Views of user-defined types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from contextd.domain.kind import Field
from contextd.domain.problems import FileProblem
from contextd.schema.model import ContextType
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of a type."""

    type: str
    required: bool
    description: str
    values: list[str]
    default: Any = None
    identifies: bool = False

    def as_text(self) -> str:
        """Type and description, such as `enum strong|mild, default mild: how much it matters`."""
        kind = self.type + (" " + "|".join(self.values) if self.values else "")
        parts = [kind, *(["required"] if self.required else [])]
        if self.identifies:
            parts.append("identifies the entry")
        if self.default is not None:
            parts.append(f"default {self.default}")
        return ", ".join(parts) + (f": {self.description}" if self.description else "")


@dataclass(frozen=True, slots=True)
class TypeView:
    """A type with its fields. `origin` is `project`, `home` or `built-in`; a `partial` type has mistakes
    in its file and accepts other fields.
    """

    name: str
    description: str
    fields: dict[str, FieldView]
    origin: str
    built_in: bool = False
    partial: bool = False
    line: int = 0

    def as_text(self) -> str:
        """The type, and one line per field."""
        lines = [f"{self.name}: {self.description}".rstrip(": ")]
        return "\n".join(lines + [f"  {n}: {f.as_text()}" for n, f in self.fields.items()])


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A problem in a schema file or rule file."""

    file: str
    line: int
    message: str
    hint: str

    def as_text(self) -> str:
        """One line."""
        return str(FileProblem(self.file, self.line, self.message, self.hint))


def type_views(types: Iterable[ContextType]) -> list[TypeView]:
    """Views of types."""
    return [
        TypeView(
            name=kind.name,
            description=kind.description,
            fields=field_views(kind.fields),
            origin=kind.origin,
            partial=kind.partial,
            line=kind.line,
        )
        for kind in types
    ]


def problem_views(problems: Iterable[FileProblem]) -> list[ProblemView]:
    """Views of problems."""
    return [ProblemView(p.file, p.line, p.message, p.hint) for p in problems]


def field_views(fields: Mapping[str, Field]) -> dict[str, FieldView]:
    """Views of fields."""
    return {
        name: FieldView(f.type, f.required, f.description, list(f.values), f.default, f.identifies)
        for name, f in fields.items()
    }
