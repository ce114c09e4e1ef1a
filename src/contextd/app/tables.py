"""Load the tables of operations and jobs from the `operations` folders of the rooms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

import contextd
from contextd.jobs.table import JobRow, Task
from contextd.runtime.runtime import Runtime

Run = Callable[[Runtime, Task], Mapping[str, Any]]


@cache
def load_operations() -> None:
    """Fill the table of operations. This imports for half a second, so it happens only when an operation is
    called by name.
    """
    for room in sorted(row.name for row in iter_modules(contextd.__path__) if row.ispkg):
        if find_spec(f"contextd.{room}.operations") is None:
            continue
        package = import_module(f"contextd.{room}.operations")
        for module in sorted(row.name for row in iter_modules(package.__path__)):
            import_module(f"{package.__name__}.{module}")


def job_function(row: JobRow) -> Run:
    """The function of a job; imports its module."""
    module, _, name = row.run.partition(":")
    found: Run = getattr(import_module(f"contextd.{module}"), name)
    return found
