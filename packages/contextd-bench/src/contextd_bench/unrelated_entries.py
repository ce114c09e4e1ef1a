"""Typed entries none of which is about the same thing as another: nothing there contradicts anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

import yaml

from contextd.domain.kind import Field
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.schema.load import parsed_file
from contextd.schema.model import ContextType
from contextd.schema.templates import templates
from contextd.schema.text import content_of

MADE = 20
"""Entries of each type."""

Pools = Mapping[str, list[str]]

_SEED = """
version: 1
types:
  preference:
    fields:
      domain: {type: string, required: true}
      rule: {type: string, required: true}
      strength: {type: enum, values: [strong, mild, flexible]}
  decision:
    fields:
      what: {type: string, required: true}
      why: {type: string, required: true}
      alternatives: {type: "string[]"}
      date: {type: string}
      status: {type: enum, values: [proposed, accepted, superseded]}
  bug_pattern:
    fields:
      symptom: {type: string, required: true}
      cause: {type: string}
      fix: {type: string}
      occurrences: {type: number}
  person:
    fields:
      name: {type: string, required: true}
      role: {type: string}
      owner: {type: string}
  service:
    fields:
      name: {type: string, required: true}
      owner: {type: string}
      environment: {type: enum, values: [production, staging, development]}
      deadline: {type: string}
"""


def schemas() -> dict[str, Mapping[str, ContextType]]:
    """The types of each template, and of a schema as people write one, by its name."""
    texts = {template.name: template.text for template in templates()} | {"written": _SEED}
    return {name: parsed_file(text, "", "home").types for name, text in texts.items()}


def entries(types: Mapping[str, ContextType]) -> list[Record]:
    """Twenty entries of every type."""
    text = (files("contextd_bench") / "unrelated_entries.yaml").read_text(encoding="utf-8")
    pools = {name: list(map(str, values)) for name, values in yaml.safe_load(text).items()}
    return [
        Record(
            id=f"{kind.name}-{number:02}",
            kind="context",
            scope=Scope("bench"),
            content=content_of(kind.name, data),
            data={"contextType": kind.name, "structuredData": data},
        )
        for kind in types.values()
        for number, data in enumerate(_filled(kind, pools))
    ]


def _filled(kind: ContextType, pools: Pools) -> Iterator[dict[str, Any]]:
    for number in range(MADE):
        values = {
            name: _value(pools, kind.name, name, spec, number) for name, spec in kind.fields.items()
        }
        yield {name: value for name, value in values.items() if value is not None}


def _value(pools: Pools, type: str, name: str, spec: Field, number: int) -> Any:
    if spec.type == "enum":
        return spec.values[number % len(spec.values)]
    if spec.type == "number":
        return number + 1
    if spec.type == "boolean":
        return number % 3 == 0
    known = (f"{type}_{name}", type if name == "name" else name, name)
    pool = next((pools[one] for one in known if one in pools), None)
    if pool is None:
        return None
    return [pool[number], pool[(number + 7) % MADE]] if spec.type == "string[]" else pool[number]
