"""The schema in force where a call stands."""

from __future__ import annotations

from pathlib import Path

from contextd.runtime import Runtime
from contextd.schema.load import load_schema, read_schema_file
from contextd.schema.model import Origin, Schema, SchemaFile
from contextd.steps.leftovers import expect_adoption

_SCHEMA_FILES = 64


def _trusted_root(runtime: Runtime) -> Path | None:
    checkout = runtime.checkout
    return checkout.root if checkout is not None and checkout.trusted else None


def schema_of(runtime: Runtime) -> Schema:
    """The types in force where the call stands."""
    root = _trusted_root(runtime)
    cache = runtime.organisation.caches.of("schema files", _SCHEMA_FILES)
    schema = load_schema(runtime.settings.home, root, cache)
    expect_adoption(runtime, schema)
    return schema


def schema_file(runtime: Runtime, origin: Origin) -> SchemaFile:
    """One of the schema files where the call stands, as it is now."""
    root = _trusted_root(runtime)
    cache = runtime.organisation.caches.of("schema files", _SCHEMA_FILES)
    return read_schema_file(origin, runtime.settings.home, root, cache)
