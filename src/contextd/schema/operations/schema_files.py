"""Read and replace schema files: the API of the type editor."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import TypeAdapter

from contextd.domain.details import RAW
from contextd.domain.limits import Grammar
from contextd.files.disk import replace_file, target_inside
from contextd.redaction.redact import redact
from contextd.runtime.operation import ExtraArguments, operation
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_file, schema_of, without_secret_names
from contextd.schema.load import parsed_file, schema_path
from contextd.schema.merge import merged
from contextd.schema.model import FIELDS, TYPE, SchemaFile
from contextd.schema.templates import templates
from contextd.schema.text import to_yaml
from contextd.schema.type_views import ProblemView, TypeView, problem_views, type_views
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Invalid, NotFound, nearest
from contextd_common.files.guarded import read_file

Place = Literal["project", "home"]

_writing = threading.Lock()
"""Prevents concurrent writes between reading and replacing the file."""


@dataclass(frozen=True, slots=True)
class SchemaState:
    """One schema file, and the types in force with the other one.

    `types` and `problems` are those of this file. `etag` changes with the file; empty if there is none.
    """

    version: int
    scope: str
    path: str
    exists: bool
    etag: str
    text: Annotated[str, RAW]
    types: list[TypeView]
    problems: list[ProblemView]
    in_force: list[TypeView]

    def as_text(self) -> str:
        """The file's text and its problems."""
        head = f"{self.path}" + ("" if self.exists else " (does not exist yet)")
        lines = [head, self.text.rstrip(), *(f"! {p.as_text()}" for p in self.problems)]
        return "\n".join(line for line in lines if line)


@operation("GET /api/schema", audience="owner", needs="machine")
def schema_get(runtime: Runtime, scope: Place | None = None) -> SchemaState:
    """Show a schema file: its text, types and problems.

    Args:
        scope: The project's file or the home's; where this call would save types when empty.
    """
    place = _place(runtime, scope)
    file = schema_file(runtime, place)
    return SchemaState(
        version=1,
        scope=place,
        path=str(_path(runtime, place)),
        exists=file.exists,
        etag=file.etag,
        text=file.text,
        types=type_views(file.types.values()),
        problems=problem_views(file.problems),
        in_force=type_views(schema_of(runtime).types.values()),
    )


@dataclass(frozen=True, slots=True)
class SchemaSaved:
    """The result of saving a schema file. `changes` are described in words; `warnings` name entries whose
    type or field is no longer declared (they are kept). `written` is false for a dry run.
    """

    written: bool
    scope: str
    path: str
    etag: str
    text: str
    backup: str
    types: list[TypeView]
    changes: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The changes, one line each."""
        done = "saved" if self.written else "would save"
        lines = [f"{done} {self.path}", *(f"- {change}" for change in self.changes)]
        lines += [f"! {warning}" for warning in self.warnings]
        return "\n".join([*lines, *([f"before: {self.backup}"] if self.backup else [])])


_SCHEMA = Grammar("schema", "types with fields")


@operation(
    "PUT /api/schema",
    effect="write",
    audience="owner",
    idempotent=True,
    needs="machine",
    extra=ExtraArguments(
        aliases={"etag": "if_match"}, ignores=("version", "path", "exists", "problems", "in_force")
    ),
)
def schema_put(
    runtime: Runtime,
    text: Annotated[str, _SCHEMA] | None = None,
    types: Annotated[dict[str, Any] | list[dict[str, Any]], _SCHEMA] | None = None,
    scope: Place | None = None,
    if_match: str = "",
    dry_run: bool = False,
    base: Annotated[str, _SCHEMA] | None = None,
    template: str | None = None,
) -> SchemaSaved:
    """Replace a schema file. It is validated first, and nothing is written if there is a mistake; the old
    file is backed up. The answer of `GET` may be sent back with changes: if its text and types disagree,
    the types win, in the layout of the text.

    Args:
        text: The whole new file, as YAML.
        types: The types instead: name to description and fields, or a list of types with their names.
        scope: The project's file or the home's; where this call would save types when empty.
        if_match: The etag that was read; refused when the file changed since.
        dry_run: Validate and show the YAML, write nothing.
        base: With types, the YAML whose comments and layout to keep; the present file when empty.
        template: The name of a ready-made schema instead; schema_templates lists them.
    """
    wanted = _by_name(types)
    if text is not None and wanted is not None:
        text, wanted, base = _changed_half(text, wanted, base)
    if template is not None:
        if text is not None or wanted is not None:
            raise Invalid(
                "a template beside a text or types", "give one of text, types and template"
            )
        text = _template(template)
    place = _place(runtime, scope)
    path = _path(runtime, place)
    if text is None and wanted is None:
        text = schema_file(runtime, place).text
    elif text is None:
        layout = schema_file(runtime, place).text if base is None else base
        text = merged(layout, wanted or {}) if layout.strip() else to_yaml(wanted or {})
    fresh = without_secret_names(parsed_file(_clean(runtime, text, place), path.name, place))
    _require_sound(fresh)
    with _writing:
        before = schema_file(runtime, place)
        _require_unchanged(before, if_match)
        backup = ""
        if not dry_run and not (before.exists and before.text == fresh.text):
            backup = _keep(runtime, path, place)
            replace_file(path, fresh.text.encode())
    return SchemaSaved(
        written=not dry_run,
        scope=place,
        path=str(path),
        etag=before.etag if dry_run else fresh.etag,
        text=fresh.text,
        backup=backup,
        types=type_views(fresh.types.values()),
        changes=_changes(before, fresh),
        warnings=_warnings(runtime, before, fresh),
    )


def _clean(runtime: Runtime, text: str, place: Place) -> str:
    """The text, redacted if it is stored in the home; a checkout's file is not changed."""
    return redact(text, runtime.redaction_key).text if place == "home" else text


def _by_name(
    types: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
) -> dict[str, Any] | None:
    """Types by their names. Raises `Invalid` for a missing or duplicate name."""
    if types is None or isinstance(types, Mapping):
        return None if types is None else dict(types)
    named: dict[str, Any] = {}
    for one in types:
        name = one.get("name")
        if not isinstance(name, str) or name in named:
            problem = "two types are called" if name in named else "a type has no name, but"
            raise Invalid(f"types: {problem} {name!r}", "give every type a name of its own")
        named[name] = {part: one[part] for part in ("description", "fields") if part in one}
    return named


def _changed_half(
    text: str, types: dict[str, Any], base: str | None
) -> tuple[str | None, dict[str, Any] | None, str | None]:
    """Which of a text and types that were read together changed: returns text, types and base."""
    text_types = parsed_file(text, "schema.yaml", "home").types
    views = TypeAdapter(list[TypeView]).dump_python(type_views(text_types.values()))
    if to_yaml(_by_name(views) or {}) == to_yaml(types):
        return text, None, base
    return None, types, text if base is None else base


def _template(name: str) -> str:
    texts = {one.name: one.text for one in templates()}
    if name not in texts:
        hint = nearest(name, list(texts)) or "templates: " + ", ".join(texts)
        raise NotFound(f"no template {name!r}", hint)
    return texts[name]


@dataclass(frozen=True, slots=True)
class TemplateView:
    """A ready-made schema."""

    name: str
    title: str
    description: str
    text: str
    types: list[TypeView]

    def as_text(self) -> str:
        """Its name, its audience, and its types."""
        return f"{self.name}: {self.description}\n  {', '.join(t.name for t in self.types)}"


@dataclass(frozen=True, slots=True)
class TemplateViews:
    """All ready-made schemas."""

    templates: list[TemplateView]

    def as_text(self) -> str:
        """A few lines per template."""
        return "\n".join(template.as_text() for template in self.templates)


@operation("GET /api/schema/templates", audience="owner")
def schema_templates(runtime: Runtime) -> TemplateViews:
    """List ready-made schemas, with their text."""
    views = []
    for one in templates():
        types = parsed_file(one.text, one.name, "home").types
        views.append(
            TemplateView(one.name, one.title, one.description, one.text, type_views(types.values()))
        )
    return TemplateViews(views)


def _place(runtime: Runtime, scope: Place | None) -> Place:
    if scope == "project" and runtime.checkout is None:
        raise NotFound("this call is not in a checkout", "choose the scope `home`")
    return scope or ("project" if runtime.checkout else "home")


def _path(runtime: Runtime, place: Place) -> Path:
    root = runtime.checkout.root if runtime.checkout else None
    path = schema_path(place, runtime.settings.home, root)
    if path is None:
        raise NotFound("this call is not in a checkout", "choose the scope `home`")
    return target_inside(runtime.root, path) if place == "project" else path


def _require_sound(file: SchemaFile) -> None:
    try:
        file.text.encode()
    except UnicodeEncodeError:
        raise Invalid("the text is not valid Unicode", "replace lone surrogates") from None
    if file.problems:
        raise Invalid(
            "the schema has mistakes: " + "; ".join(map(str, file.problems)),
            "fix them and save again; nothing was written",
            {
                "problems": [
                    {
                        "file": p.file,
                        "line": p.line,
                        "where": p.where,
                        "message": p.message,
                        "hint": p.hint,
                    }
                    for p in file.problems
                ]
            },
        )


def _require_unchanged(before: SchemaFile, if_match: str) -> None:
    wanted = [tag.strip().removeprefix("W/").strip('"') for tag in if_match.split(",")]
    if not if_match or before.etag in wanted or ("*" in wanted and before.exists):
        return
    raise Conflict(
        "the schema file changed after it was read",
        "read it again, apply your changes, and save",
        {"etag": before.etag},
    )


def _keep(runtime: Runtime, path: Path, place: Place) -> str:
    """Copy the present file to the backups, redacted; returns its path, empty if there is no file."""
    try:
        content = read_file(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}", "move it away first") from error
    stamp = runtime.clock.now().strftime("%Y%m%dT%H%M%S%fZ")
    whose = runtime.scope.project if place == "project" and runtime.project else place
    backup = runtime.settings.home / "backups" / "schema" / f"{whose}-{stamp}.yaml"
    text = content.decode("utf-8", "surrogateescape")
    clean = redact(text, runtime.redaction_key).text
    replace_file(backup, clean.encode("utf-8", "surrogateescape"))
    return str(backup)


def _changes(before: SchemaFile, after: SchemaFile) -> list[str]:
    changes = [f"added type {name}" for name in after.types if name not in before.types]
    changes += [f"removed type {name}" for name in before.types if name not in after.types]
    for name, kind in after.types.items():
        old = before.types.get(name)
        if old is None:
            continue
        changes += [f"added field {name}.{f}" for f in kind.fields if f not in old.fields]
        changes += [f"removed field {name}.{f}" for f in old.fields if f not in kind.fields]
        changes += [
            f"changed field {name}.{f}"
            for f in kind.fields
            if f in old.fields and kind.fields[f] != old.fields[f]
        ]
        if kind.description != old.description:
            changes.append(f"changed the description of {name}")
    return changes


def _warnings(runtime: Runtime, before: SchemaFile, after: SchemaFile) -> list[str]:
    """Types and fields that entries use and the new file lacks."""
    if runtime.project is None:
        return []
    warnings = []
    for name, kind in before.types.items():
        new = after.types.get(name)
        lost: Mapping[str, Any] = {} if new is None else new.fields
        if new is not None and all(f in lost for f in kind.fields):
            continue
        query = runtime.query("context", where={TYPE: name}, limit=1000)
        entries = runtime.view.records.find(query).records
        if new is None:
            count = len(entries)
            if count:
                more = " or more" if count == query.limit else ""
                warnings.append(
                    f"{count}{more} entries of type {name} are kept without a declared type"
                )
            continue
        for field_name in (f for f in kind.fields if f not in new.fields):
            count = sum(field_name in (r.data.get(FIELDS) or {}) for r in entries)
            if count:
                warnings.append(f"{count} entries of {name} keep {field_name}, shown as undeclared")
    return warnings
