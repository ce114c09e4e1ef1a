"""The schema in force for a call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from contextd.domain.problems import FileProblem
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.schema.load import load_schema, read_schema_file
from contextd.schema.model import ContextType, Origin, Schema, SchemaFile
from contextd.schema.undeclared import expect_adoption

_SCHEMA_FILES = 64


def _trusted_root(runtime: Runtime) -> Path | None:
    checkout = runtime.checkout
    return checkout.root if checkout is not None and checkout.trusted else None


def schema_of(runtime: Runtime) -> Schema:
    """The types in force for the call."""
    root = _trusted_root(runtime)
    cache = runtime.organisation.caches.of("schema files", _SCHEMA_FILES)
    schema = load_schema(runtime.settings.home, root, cache)
    if any(map(_names_a_secret, schema.types.values())):
        files = tuple(map(without_secret_names, schema.files))
        # The nearer file comes first and takes precedence.
        schema = Schema(files, {n: t for file in reversed(files) for n, t in file.types.items()})
    expect_adoption(runtime, schema)
    return schema


def schema_file(runtime: Runtime, origin: Origin) -> SchemaFile:
    """One schema file for the call, in its current state."""
    root = _trusted_root(runtime)
    cache = runtime.organisation.caches.of("schema files", _SCHEMA_FILES)
    return read_schema_file(origin, runtime.settings.home, root, cache)


def without_secret_names(file: SchemaFile) -> SchemaFile:
    """The file without types whose name or field names contain a secret; each is a problem. Names become
    kinds, columns and index words, where they cannot be redacted.
    """
    found = {name: kind for name, kind in file.types.items() if _names_a_secret(kind)}
    if not found:
        return file
    problems = [
        FileProblem(
            file.path,
            kind.line,
            "the name of a type or field contains a secret",
            "rename it, and change the secret",
        )
        for kind in found.values()
    ]
    types = {name: kind for name, kind in file.types.items() if name not in found}
    return replace(file, types=types, problems=(*file.problems, *problems))


def _names_a_secret(kind: ContextType) -> bool:
    values = (value for one in kind.fields.values() for value in one.values)
    return bool(redact("\n".join((kind.name, *kind.fields, *map(str, values)))).findings)
