"""The rows of the tables of operations and jobs: found in the folder that holds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from contextd import operations
from contextd.jobs.table import JobRow, Task
from contextd.runtime import Runtime

Run = Callable[[Runtime, Task], Mapping[str, Any]]


@cache
def load_operations() -> None:
    """Fill the table of operations. Half a second of imports: nothing loads them before an operation
    is called by name.
    """
    prefix = f"{operations.__name__}."
    for module in sorted(walk_packages(operations.__path__, prefix), key=lambda row: row.name):
        if not module.ispkg:
            import_module(module.name)


def job_function(row: JobRow) -> Run:
    """The function of a job; its module is imported now."""
    module, _, name = row.run.partition(":")
    found: Run = getattr(import_module(f"{operations.__name__}.{module}"), name)
    return found
