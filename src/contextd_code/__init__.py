"""Understand source code: scan a directory, then find definitions, their uses, and what a change may break.

    project = contextd_code.scan("path/to/project")
    project.symbols("Invoice.total")
    project.references("charge")
    project.impact("src/billing.py:charge")

Independent of contextd, which builds on it: no daemon, no store. Imports point down: api, then queries and project,
calls, symbols, index, tree, git, files, values, text, `processes.py`, and `dataclass.py` and `errors.py` at the bottom.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextd_code.api import ChangeImpact, CodeProject, ScanSummary, scan
    from contextd_code.errors import ContextdError, Invalid, NotFound
    from contextd_code.queries.impact import DependentPlace, TestOfCode
    from contextd_code.queries.references import ReferenceLine, References
    from contextd_code.queries.symbols import SymbolHit

__all__ = [
    "ChangeImpact",
    "CodeProject",
    "ContextdError",
    "DependentPlace",
    "Invalid",
    "NotFound",
    "ReferenceLine",
    "References",
    "ScanSummary",
    "SymbolHit",
    "TestOfCode",
    "scan",
]

_MODULES = {
    "ContextdError": "errors", "Invalid": "errors", "NotFound": "errors",
    "DependentPlace": "queries.impact", "TestOfCode": "queries.impact",
    "ReferenceLine": "queries.references", "References": "queries.references",
    "SymbolHit": "queries.symbols",
}  # fmt: skip


def __getattr__(name: str) -> object:
    # The thin clients of contextd import this package on every prompt; the API brings every parser.
    if name not in __all__:
        raise AttributeError(f"module 'contextd_code' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - the same

    return getattr(import_module(f"contextd_code.{_MODULES.get(name, 'api')}"), name)
