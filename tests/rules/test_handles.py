"""Handles are resolved in the call's view, in one module; few places widen a view, and none for an id."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sources import ROOT, parsed, python_files

from support.verdicts import agrees

WIDENED = {
    "src/contextd/upkeep/operations/doctor.py": "the home's vectors, counted",
    "src/contextd/upkeep/operations/jobs.py": "the owner's background work, outside of any project",
    "src/contextd/upkeep/operations/status.py": "the owner's home, outside of any project",
    "src/contextd/upkeep/operations/mending.py": "the index of every record, made again by the owner",
    "src/contextd/upkeep/connected_clients.py": "which clients were heard from lately, for doctor",
    "src/contextd/sessions/session_binding.py": "the seats of a connection that ends, in every project it was used in",
    "src/contextd/awareness/gap_inputs.py": "the self-model, outside of any project",
    "src/contextd/person/proposals.py": "what several projects know of the person, a proposal the person confirms",
    "src/contextd/consolidation/promotion_proposals.py": "what several projects know, a proposal somebody confirms",
}
"""Modules that look at every project of the caller, and what for."""

RESOLVER = "src/contextd/sessions/handles.py"


def modules() -> dict[str, ast.Module]:
    """What serves calls: path → syntax tree."""
    return {
        path.as_posix(): parsed(path)
        for path in python_files()
        if path.parts[:2] == ("src", "contextd")
        and (
            path.parts[2] == "invocation"
            or (ROOT / "src/contextd" / path.parts[2] / "operations").is_dir()
        )
    }


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The dotted end of what is called, `sessions.find`, and the call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            before = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            yield f"{before}.{node.func.attr}", node


def lookups(tree: ast.AST) -> Iterator[str]:
    """Calls that resolve a handle or part of one: a prefix, or the text behind a digest."""
    for name, call in calls(tree):
        prefixed = any(keyword.arg == "prefix" for keyword in call.keywords)
        if (prefixed and name.endswith((".find", ".list"))) or name == "originals.get":
            yield name


def test_handles_are_looked_up_in_one_module() -> None:
    found = {path for path, tree in modules().items() if any(lookups(tree))}
    # An answer shortens ids to what names nothing else in the call's view.
    agrees(
        found,
        [RESOLVER, "src/contextd/invocation/shown_ids.py"],
        "test_handles_are_looked_up_in_one_module in tests/rules/test_handles.py",
        f"or better, resolve the handle by {RESOLVER}",
    )


def test_only_listed_modules_widen_a_view_to_every_project() -> None:
    widening = {
        path
        for path, tree in modules().items()
        if any(name.endswith(".everywhere") for name, _ in calls(tree))
    }
    agrees(
        widening,
        WIDENED,
        "WIDENED in tests/rules/test_handles.py",
        "what it looks at every project for",
    )


def test_no_operation_takes_the_project_from_what_it_looked_up() -> None:
    """A call stands in another project because its caller named that, never because a row is there."""
    moved = {
        path
        for path, tree in modules().items()
        for name, call in calls(tree)
        if name.endswith((".at", ".standing_in"))
        and call.args
        and "session" in ast.unparse(call.args[0])
    }
    # The job that ends idle sessions of every project; no caller passes it an id.
    agrees(
        moved,
        ["src/contextd/sessions/operations/idle.py"],
        "test_no_operation_takes_the_project_from_what_it_looked_up in tests/rules/test_handles.py",
        "or better, work in the project that the caller named",
    )
