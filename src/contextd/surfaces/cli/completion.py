"""Shell completion: names from the tables, and names from the running daemon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from contextd.domain.quoting import inline
from contextd.surfaces.cli.guidance import one_of
from contextd.surfaces.cli.signatures import Parameter, Signature
from contextd_common.errors import ContextdError

if TYPE_CHECKING:
    # `CompletionItem` is not generic at run time in every allowed version of click.
    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]

SHELLS = ("bash", "zsh", "fish")

_PATIENCE_SECONDS = 0.5
"""How long completion waits for names. It never starts a daemon, and without one it does not wait."""

Names = Callable[[Mapping[str, Any]], Sequence[tuple[str, str]]]
"""Returns names and their descriptions for a typed prefix."""


@click.command("completion", epilog='Example: eval "$(contextd completion bash)"')
@click.argument("shell", metavar="|".join(SHELLS), shell_complete=lambda *_: list(SHELLS))
def completion(shell: str) -> int:
    """Print the script that completes commands in a shell.

    To install it, put `eval "$(contextd completion bash)"` into ~/.bashrc, `eval "$(contextd completion
    zsh)"` into ~/.zshrc after compinit, or run `contextd completion fish >
    ~/.config/fish/completions/contextd.fish`.
    """
    script = get_completion_class(one_of(shell, SHELLS, "the shell"))
    root = click.get_current_context().find_root()
    if script is not None:
        click.echo(script(root.command, {}, "contextd", "_CONTEXTD_COMPLETE").source(), nl=False)
    return 0


def project_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The projects with this name prefix."""
    return [name for name, _ in _projects(ctx.params) if name.startswith(incomplete)]


def completes(op: Signature, parameters: Sequence[Parameter]) -> Completer:
    """The completer for an option of this operation, or for its words if there are several parameters."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        words = (ctx.params.get("words") or ()) if isinstance(param, click.Argument) else ()
        open_ = [one for one in parameters if len(parameters) == 1 or not ctx.params.get(one.name)]
        if not open_:
            return []
        return _items(op, open_[min(len(words), len(open_) - 1)], ctx, param, incomplete)

    return complete


def _items(
    op: Signature, one: Parameter, ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    if one.path or (op.room == "codebase" and one.name == "path"):
        return [CompletionItem(incomplete, type="file")]
    typed = {name: value for name, value in ctx.params.items() if value}
    found: Sequence[tuple[str, str]] = ()
    if one.fields_of:
        typed |= {"of": typed.get(one.fields_of) or next(iter(typed.get("words", ())), "")}
        found = _fields(typed) if param.name == "field" else found
    elif one.choices:
        found = [(choice, "") for choice in one.choices]
    else:
        source = _SOURCES.get(f"{op.name}.{one.name}") or _SOURCES.get(f"{op.room}.{one.name}")
        source = source or _SOURCES.get(one.name)
        found = source(typed) if source else found
    return [
        CompletionItem(name, help=inline(about) or None)
        for name, about in found
        if name.startswith(incomplete)
    ]


def _ask(operation: str, typed: Mapping[str, Any], **arguments: Any) -> Any:
    """The answer of the running daemon, or None."""
    # Imports sockets in 10 ms, which names from the tables do not need.
    from contextd.thin import client  # noqa: PLC0415

    project = typed.get("project") or ""
    try:
        reply = client.call(
            operation,
            arguments,
            project=project,
            cwd=str(Path.cwd()),
            client="cli",
            start=False,
            timeout=_PATIENCE_SECONDS,
        )
    except ContextdError:
        return None
    return reply.value


def _projects(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = _ask("list_projects", {})
    return [(row["slug"], row["root"]) for row in found["projects"]] if found else []


def _kinds(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    # This import takes 10 ms, which other completions do not need.
    from contextd.domain.kinds import KINDS  # noqa: PLC0415

    return [(kind.name, kind.description) for kind in KINDS.values()]


def _described(operation: str, list_of: str, typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The rows of a list in an operation's result, by name and description."""
    found = _ask(operation, typed)
    return [(row["name"], row["description"]) for row in found[list_of]] if found else []


_types = partial(_described, "describe_schema", "types")
_modules = partial(_described, "project_names", "modules")


def _kinds_and_types(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [*_types(typed), *_kinds(typed)]


def _fields(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = _ask("describe_schema", typed)
    rows = [*found["types"], *found["built_in"]] if found else []
    return [
        (f"{name}=", spec["description"] or spec["type"])
        for row in rows
        if row["name"] == typed["of"]
        for name, spec in row["fields"].items()
    ]


def _tools(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = _ask("tools_list", {})
    return list(found["tools"].items()) if found else []


def _records(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = _ask("list_records", typed, status="any", limit=50)
    rows = found["records"] if found else []
    return [
        (row["id"][:8], f"{row['label']}: {row['title'] or row['content'][:60]}") for row in rows
    ]


def _sessions(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = _ask("list_sessions", typed)
    rows = found["sessions"] if found else []
    return [(row["id"][:8], f"{row['age']}: {row['task'][:60]}") for row in rows]


def _statuses(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    # This import takes 10 ms, which other completions do not need.
    from contextd.domain.records import STATUSES  # noqa: PLC0415

    return [(status, "") for status in (*STATUSES, "waiting", "any")]


_OF_RECORDS: dict[str, Names] = {
    "kind": _kinds, "status": _statuses, "id": _records,
}  # fmt: skip
_ROOMS_OF_RECORDS = (
    "knowledge", "search", "schema", "person", "consolidation", "learning", "remedies", "skills",
)  # fmt: skip

_SOURCES: dict[str, Names] = {
    **{f"{room}.{name}": of for room in _ROOMS_OF_RECORDS for name, of in _OF_RECORDS.items()},
    "project": _projects,
    "type": _types,
    "remember.kind": _kinds_and_types,
    "get_bubble.id": lambda typed: (),
    "update_bubble.id": lambda typed: (),
    "delete_bubble.id": lambda typed: (),
    "session_id": _sessions,
    "tools.name": _tools,
    "project_module.name": _modules,
}
"""The completer of an argument: by operation and argument, by room and argument, or by the argument alone."""
