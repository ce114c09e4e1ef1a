"""The schema in force where a call stands."""

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
    """The types in force where the call stands."""
    root = _trusted_root(runtime)
    cache = runtime.organisation.caches.of("schema files", _SCHEMA_FILES)
    schema = load_schema(runtime.settings.home, root, cache)
    if any(map(_names_a_secret, schema.types.values())):
        files = tuple(map(without_secret_names, schema.files))
        # The nearer file comes first, and wins.
        schema = Schema(files, {n: t for file in reversed(files) for n, t in file.types.items()})
    expect_adoption(runtime, schema)
    return schema


def schema_file(runtime: Runtime, origin: Origin) -> SchemaFile:
    """One of the schema files where the call stands, as it is now."""
    root = _trusted_root(runtime)
    cache = runtime.organisation.caches.of("schema files", _SCHEMA_FILES)
    return read_schema_file(origin, runtime.settings.home, root, cache)


def without_secret_names(file: SchemaFile) -> SchemaFile:
    """The file without the types whose name, or the name of one of whose fields, holds a secret; each is a
    problem. Names become kinds, columns and words of an index, where nothing could be replaced.
    """
    found = {name: kind for name, kind in file.types.items() if _names_a_secret(kind)}
    if not found:
        return file
    problems = [
        FileProblem(
            file.path,
            kind.line,
            "the name of a type or of one of its fields holds a secret",
            "give it another name, and change the secret",
        )
        for kind in found.values()
    ]
    types = {name: kind for name, kind in file.types.items() if name not in found}
    return replace(file, types=types, problems=(*file.problems, *problems))


def _names_a_secret(kind: ContextType) -> bool:
    values = (value for one in kind.fields.values() for value in one.values)
    return bool(redact("\n".join((kind.name, *kind.fields, *map(str, values)))).findings)
