"""Understand source code: scan a directory, then find definitions, their uses, and what a change may break.

    project = contextd_code.scan("path/to/project")
    project.symbols("Invoice.total")
    project.references("charge")
    project.impact("src/billing.py:charge")

Independent of contextd, which builds on it: no daemon, no store. Imports point down: api, then queries and project,
calls, symbols, index, tree, git, values, and `processes.py` at the bottom. `contextd_common` is below all of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextd_code.api import ChangeImpact, CodeProject, ScanSummary, scan
    from contextd_code.queries.impact import DependentPlace, TestOfCode
    from contextd_code.queries.references import ReferenceLine, References
    from contextd_code.queries.symbols import SymbolHit
    from contextd_common.errors import ContextdError, Invalid, NotFound

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
    **dict.fromkeys(("ContextdError", "Invalid", "NotFound"), "contextd_common.errors"),
    **dict.fromkeys(("DependentPlace", "TestOfCode"), "contextd_code.queries.impact"),
    **dict.fromkeys(("ReferenceLine", "References"), "contextd_code.queries.references"),
    "SymbolHit": "contextd_code.queries.symbols",
}


def __getattr__(name: str) -> object:
    # The thin clients of contextd import this package on every prompt; the API brings every parser.
    if name not in __all__:
        raise AttributeError(f"module 'contextd_code' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - the same

    return getattr(import_module(_MODULES.get(name, "contextd_code.api")), name)
