"""OpenAPI 3.1 of the operations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from contextd import __version__
from contextd.runtime.operation import Operation
from contextd_common.errors import ERRORS, ContextdError

_REFERENCE = "#/components/schemas/{model}"
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "message"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "message": {"type": "string"},
        "hint": {"type": "string"},
        "details": {"type": "object"},
    },
}


def _problems() -> dict[int, str]:
    """The meaning of each error status: those of the errors, and those of the port itself."""
    meanings: dict[int, list[str]] = {}
    kinds: tuple[type[ContextdError], ...] = (*ERRORS.values(), ContextdError)
    for kind in kinds:
        about = (kind.__doc__ or "").split("\n")[0] if kind is not ContextdError else "A defect."
        meanings.setdefault(kind.status, []).append(about)
    described = {status: " Or: ".join(texts) for status, texts in meanings.items()}
    return {
        400: "The body is not a JSON object.",
        401: "The token is missing or wrong.",
        408: "The request did not arrive in time.",
        412: "The record no longer has the version in `If-Match`.",
        421: "The port does not answer under this host name.",
        429: "A server got too many requests of this caller: `Retry-After` says when to come back.",
        **described,
    }


_PROBLEMS = _problems()


def openapi(operations: Sequence[Operation]) -> dict[str, Any]:
    """The whole document. Schemas with the same name but different content get names of their own."""
    schemas, shared = TypeAdapter.json_schemas(
        [
            *((op.name, "validation", TypeAdapter(op.arguments)) for op in operations),
            *((op.name, "serialization", op.result) for op in operations),
        ],
        ref_template=_REFERENCE,
    )
    components = {name: untitled(part) for name, part in shared.get("$defs", {}).items()}
    paths: dict[str, dict[str, Any]] = {}
    for op in operations:
        arguments = untitled(_resolved(schemas[op.name, "validation"], components))
        result = untitled(schemas[op.name, "serialization"])
        paths.setdefault(op.path, {})[op.method.lower()] = _entry(op, arguments, result)
    return {
        "openapi": "3.1.0",
        "info": {"title": "contextd", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {**components, "Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def untitled(schema: Any) -> Any:
    """A JSON schema without titles; all validation rules stay."""
    if isinstance(schema, list):
        return [untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: untitled(part) for name, part in value.items()}
        if key in ("properties", "$defs")
        else untitled(value)
        for key, value in schema.items()
        if key != "title" or not isinstance(value, str)
    }


def _entry(op: Operation, arguments: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    in_path = re.findall(r"\{(\w+)\}", op.path)
    fields: dict[str, Any] = dict(arguments.get("properties", {}))
    required = set(arguments.get("required", ()))
    parameters = [_parameter(name, fields.pop(name, {}), "path", True) for name in in_path]
    entry: dict[str, Any] = {
        "operationId": op.name,
        "summary": op.summary,
        "tags": [op.audience],
        "responses": {
            "200": {
                "description": "The result",
                "content": {"application/json": {"schema": result}},
            },
            **{
                str(status): {
                    "description": description,
                    "content": {
                        "application/problem+json": {
                            "schema": {"$ref": "#/components/schemas/Problem"}
                        }
                    },
                }
                for status, description in sorted(_PROBLEMS.items())
            },
        },
    }
    if op.method in ("GET", "DELETE"):
        parameters += [_parameter(n, part, "query", n in required) for n, part in fields.items()]
    elif fields:
        body = {"type": "object", "properties": fields, "additionalProperties": False}
        if wanted := sorted(required & set(fields)):
            body["required"] = wanted
        entry["requestBody"] = {
            "required": bool(wanted),
            "content": {"application/json": {"schema": body}},
        }
    if parameters:
        entry["parameters"] = parameters
    return entry


def _parameter(name: str, schema: dict[str, Any], place: str, required: bool) -> dict[str, Any]:
    schema = _json_object(schema)
    about = {"name": name, "in": place, "required": required, "schema": schema}
    if schema.get("type") == "object":
        del about["schema"]
        about["content"] = {"application/json": {"schema": schema}}
    return about


def _json_object(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a parameter, without null for objects: a query contains their JSON or omits them."""
    options = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(options) != 1 or options[0].get("type") != "object":
        return schema
    rest = {key: part for key, part in schema.items() if key != "anyOf"}
    if rest.get("default", "") is None:
        del rest["default"]
    return {**options[0], **rest}


def _resolved(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    reference = str(schema.get("$ref", ""))
    found: dict[str, Any] = components[reference.rpartition("/")[2]] if reference else schema
    return found
