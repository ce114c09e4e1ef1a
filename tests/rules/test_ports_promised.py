"""Each verb of a port is called by a test that runs against every store."""

from __future__ import annotations

import ast
import re

from sources import ROOT, parsed, product_files

from support.verdicts import none_of

PROMISES = ("tests/promises", "tests/support/neighbours.py")
ELSEWHERE = {
    "Reranker.judge": "no store; tests/unit/search/test_rerank.py",
    "Upkeep.unbalanced": "a store that is damaged on purpose; tests/unit/app/test_balance.py",
    "Upkeep.recount_sessions": "a store that is damaged on purpose; tests/unit/app/test_balance.py",
    "Upkeep.backup": "a file of SQLite; tests/reliability and tests/unit/stores",
}
"""Verbs that other tests call, and which."""


def verbs() -> dict[str, str]:
    """Each verb of a port, as `Port.verb` → path and line; properties are none."""
    return {
        f"{port.name}.{node.name}": f"{path}:{node.lineno}"
        for path in product_files()
        if path.parts[:3] == ("src", "contextd", "ports")
        for port in parsed(path).body
        if isinstance(port, ast.ClassDef)
        for node in port.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }


def called() -> set[str]:
    """The names that the promises call, as in `store.records.find(…)`."""
    files = [
        path
        for place in PROMISES
        for path in sorted((ROOT / place).rglob("*.py")) or [ROOT / place]
    ]
    return {name for path in files for name in re.findall(r"\.(\w+)\(", path.read_text("utf-8"))}


def test_each_verb_of_a_port_is_called_by_a_promise() -> None:
    names = called()
    none_of(
        [
            f"{place}: {verb}"
            for verb, place in verbs().items()
            if verb not in ELSEWHERE and verb.partition(".")[2] not in names
        ],
        "add a test to tests/promises that calls it: src/contextd/stores and tests/reference_store must answer alike",
    )


def test_only_verbs_that_are_there_are_tested_elsewhere() -> None:
    none_of(
        sorted(ELSEWHERE.keys() - verbs().keys()),
        "take it out of ELSEWHERE in tests/rules/test_ports_promised.py: no port has it",
    )
