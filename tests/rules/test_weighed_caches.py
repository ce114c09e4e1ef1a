"""Every cache of an organisation weighs its values, or stands here with the reason why that is not worth it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache

from sources import parsed, product_files

from support.verdicts import none_of

MARKS = "a flag, a number, a time or a lock for each"
SMALL = "texts of some hundred bytes each"
FEW = "a few hundred small values for each checkout"
OPEN = "watches files and must be closed by its owner; 0.3 kB a file, of few checkouts"

UNWEIGHED = {
    "authors of rules": SMALL,
    "changed along": FEW,
    "checkouts": OPEN,
    "citations": FEW,
    "commits of modules": FEW,
    "commits that end states": FEW,
    "dead ends": SMALL,
    "described trees": MARKS,
    "git author names": SMALL,
    "git timeouts": MARKS,
    "graphs ahead": MARKS,
    "handed out": MARKS,
    "heard": MARKS,
    "hook_turns": MARKS,
    "ledgers of turns": SMALL,
    "models behind": MARKS,
    "past fixes": FEW,
    "person files": MARKS,
    "places": SMALL,
    "policies told": MARKS,
    "policy files": SMALL,
    "policy files read": SMALL,
    "project models": FEW,
    "schema files": SMALL,
    "schemas checked for leftovers": MARKS,
    "shapes": SMALL,
    "skill files": MARKS,
    "told of settings": MARKS,
    "transcript positions": MARKS,
    "turns: *": MARKS,
    "usual texts": SMALL,
    "writers of lines": FEW,
}
"""Caches that are bounded by their number of values alone, by name."""


def caches(module: ast.Module) -> Iterator[tuple[str, bool]]:
    """The name of each cache that a module opens, and whether it weighs its values."""
    for node in ast.walk(module):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if (
            node.func.attr == "of"
            and len(node.args) >= 2
            and ast.unparse(node.func.value).endswith("caches")
        ):
            yield name_of(node.args[0]), any(one.arg == "weigh" for one in node.keywords)


def name_of(node: ast.expr) -> str:
    """The name, with a star for the parts that are known at run time only."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(one.value) if isinstance(one, ast.Constant) else "*" for one in node.values
        )
    return str(node.value) if isinstance(node, ast.Constant) else f"*{ast.unparse(node)}"


@cache
def found() -> list[tuple[str, bool]]:
    """All caches of the product."""
    return [one for path in product_files() for one in caches(parsed(path))]


def places(names: Iterable[str]) -> list[str]:
    """These caches, each with the file that opens it."""
    wanted = set(names)
    return sorted(
        f"{path}: {name!r}"
        for path in product_files()
        for name, _ in caches(parsed(path))
        if name in wanted
    )


def test_a_cache_weighs_its_values_or_is_known_to_be_small() -> None:
    none_of(
        places({name for name, is_weighed in found() if not is_weighed} - set(UNWEIGHED)),
        "give this cache `weigh`, or add its name to UNWEIGHED in tests/rules/test_weighed_caches.py with the "
        "size of its values",
    )


def test_no_cache_is_opened_here_with_a_weight_and_there_without() -> None:
    weighed = {name for name, is_weighed in found() if is_weighed}
    none_of(
        places(weighed & {name for name, is_weighed in found() if not is_weighed}),
        "this cache is opened with and without `weigh`: give it at each place",
    )
    large = {"symbol graphs", "call graphs", "use counts", "scip indexes", "query vectors"}
    none_of(places(large - weighed), "give this cache `weigh`: its values are large")


def test_only_caches_that_are_there_are_listed() -> None:
    none_of(
        sorted(set(UNWEIGHED) - {name for name, _ in found()}),
        "take it out of UNWEIGHED in tests/rules/test_weighed_caches.py: no cache has this name",
    )
