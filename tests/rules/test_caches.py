"""What a process remembers belongs to one organisation, but for what is the same for everybody.

Caches of an organisation are opened and closed with it (`contextd/runtime/caches.py`). State of a module is
shared by all organisations of a process, so each piece of it stands here with the reason why that
gives nothing away.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from sources import parsed, product_file, product_files

from support.verdicts import agrees, none_of, of_this_rule

CODE = "made from the source of contextd alone"
MODEL = "the model of the package, the same for everybody, as long as it is used"
MACHINE = "a program of this machine, the same for everybody"
FILES_OF_GIT = "the answer follows from the files it is remembered with; bounded"
STUCK = "whether git answers in a folder of this machine; bounded, for a minute"
WORD = "the answer follows from the argument alone; bounded"
PROGRAMS = "the programs that this process runs, which end with it"
GARBAGE = "how many threads of the process want no garbage to be looked for"

ALLOWED = {
    "app/tables.py": {"load_operations": CODE},
    "contextd_code/calls/stored_facts.py": {"reader": CODE},
    "contextd_code/git/identity.py": {"_beginning": WORD},
    "contextd_code/git/changes.py": {"_answers": FILES_OF_GIT},
    "contextd_code/git/programs.py": {"_absolute_path": WORD, "_program": WORD},
    "contextd_code/git/settings.py": {"_remembered": FILES_OF_GIT},
    "contextd_code/git/repository.py": {"first_line": FILES_OF_GIT},
    "contextd_code/git/git_queries.py": {
        "_branch": FILES_OF_GIT,
        "_hashes": FILES_OF_GIT,
        "_head": FILES_OF_GIT,
        "_here": FILES_OF_GIT,
        "_stuck": STUCK,
        "_tips": FILES_OF_GIT,
    },
    "contextd_code/processes.py": {"_guard": PROGRAMS},
    "contextd_code/index/languages/language.py": {
        "grammar": CODE,
        "parser": CODE,
        "_query": CODE,
        "reader_of": CODE,
    },
    "contextd_code/project/stack_evidence.py": {"_index": CODE},
    "contextd_code/tree/ripgrep.py": {"ripgrep": MACHINE},
    "domain/kinds.py": {"KINDS": CODE},
    "embedders/minilm.py": {"_loaded": MODEL},
    "domain/result_display.py": {"_fields": CODE},
    "contextd_common/text/languages.py": {"function_words": WORD, "languages_of": WORD},
    "contextd_common/text/words.py": {"_expand": WORD, "_stem": WORD, "_stem_in": WORD},
    "claims/claims.py": {"claim": WORD},
    "claims/contradiction_test.py": {"_claims": WORD},
    "claims/exchanged_names.py": {"_sentences": WORD},
    "claims/opposites.py": {"_places": WORD},
    "claims/phrases.py": {"tokens": WORD},
    "policies/starter_packs.py": {"packs": CODE},
    "policies/patterns.py": {"compiled": WORD, "compiled_globs": WORD},
    "redaction/secret_labels.py": {"label": WORD},
    "redaction/token_shapes.py": {"_pattern": CODE, "_companion": CODE},
    "claims/word_order.py": {"_parts": WORD},
    "claims/work_states.py": {"open_states": WORD},
    "claims/roles.py": {"_sentences": WORD, "_ordered": WORD},
    "stores/postgres_dialect.py": {"translated": WORD},
    "runtime/gc_pause.py": {"_building": GARBAGE},
    "runtime/operation.py": {
        "OPERATIONS": CODE,
        "_IN_STEPS": CODE,
        "_arguments": CODE,
        "_result": CODE,
    },
    "search/query_sanity.py": {"_vocabulary": CODE},
    "search/ranking_weights.py": {"weights": CODE},
    "schema/templates.py": {"templates": CODE},
    "learning/statement_worth.py": {"weights": CODE},
    "sessions/statement_form.py": {"form_weights": CODE},
    "stores/codec.py": {"parse_scope": WORD},
    "stores/scrub.py": {"_text_fields": CODE},
    "stores/index_parts.py": {"token": WORD},
    "surfaces/mcp.py": {"tool_rows": CODE},
    "surfaces/rest.py": {"_kinds": CODE, "_null_by_word": CODE},
    "surfaces/web/render.py": {"static_files": CODE, "_address": CODE, "_environment": CODE},
}
"""State of modules, by file and name, with the reason."""

CACHING = {"cache", "lru_cache", "cached"}
CHANGING = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem",
    "popleft", "remove", "setdefault", "update", "put", "made",
}  # fmt: skip
"""Methods by which a list, a set, a mapping or a `Cache` is changed."""

FILES = product_files()

Function = ast.FunctionDef | ast.AsyncFunctionDef


def state(module: ast.Module) -> set[str]:
    """The names in a module that hold what its functions computed before."""
    return {*_cached(module), *_written(module)}


def bounded(module: ast.Module) -> set[str]:
    """The cached functions of a module whose cache has a limit."""
    return {name for name, call in _caches(module) if isinstance(call, ast.Call) and call.keywords}


def _cached(module: ast.Module) -> set[str]:
    return {name for name, _ in _caches(module)}


def _caches(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Each cached function, and what caches it: as a decorator or by a call."""
    for node in ast.walk(module):
        if isinstance(node, Function):
            yield from ((node.name, one) for one in node.decorator_list if _called(one) in CACHING)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            cached = node.value.func if isinstance(node.value.func, ast.Call) else node.value
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if _called(cached) in CACHING:
                yield from ((name, cached) for name in names)


def _called(node: ast.expr) -> str:
    """The last part of the name of what is called or referred to."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _written(module: ast.Module) -> Iterator[str]:
    """Names of the module that its functions assign to, or change what is behind them."""
    globals_ = {name for node in module.body for name in _assigned(node)}
    for function in (node for node in ast.walk(module) if isinstance(node, Function)):
        inside = list(ast.walk(function))
        declared = {name for node in inside if isinstance(node, ast.Global) for name in node.names}
        local = {node.arg for node in inside if isinstance(node, ast.arg)}
        local |= {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        yield from declared
        for node in inside:
            changed = _changed(node)
            if changed in globals_ - (local - declared):
                yield changed


def _assigned(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def _changed(node: ast.AST) -> str:
    """The name whose contents a node changes; empty when it changes none."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        return getattr(node.value, "id", "")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return getattr(node.func.value, "id", "") if node.func.attr in CHANGING else ""
    return ""


def test_a_module_remembers_only_what_is_the_same_for_everybody() -> None:
    found = {f"{path}: {name}" for path in FILES for name in state(parsed(path))}
    allowed = {
        f"{product_file(name)}: {one}" for name, entries in ALLOWED.items() for one in entries
    }
    agrees(
        sorted(found),
        sorted(allowed),
        "ALLOWED in tests/rules/test_caches.py",
        "why it is the same for everybody; if it is not, use `organisation.caches.of`",
    )


def test_caches_that_grow_with_texts_have_a_limit() -> None:
    unlimited = [
        f"{product_file(name)}: {entry}"
        for name, entries in ALLOWED.items()
        for entry, reason in entries.items()
        if reason == WORD and entry not in bounded(parsed(product_file(name)))
    ]
    none_of(unlimited, "give its cache a limit, `lru_cache(maxsize=…)`: it grows with every text")


@of_this_rule
@pytest.mark.parametrize(
    "source",
    [
        "@cache\ndef kept(): ...",
        "@functools.lru_cache(maxsize=5)\ndef kept(): ...",
        "class A:\n    @cache\n    def kept(self): ...",
        "kept = lru_cache(maxsize=5)(parse)",
        "kept = cache(parse)",
        "kept = {}\ndef f(x):\n    kept[x] = 1",
        "kept: dict = {}\ndef f(x):\n    kept.setdefault(x, 1)",
        "kept = None\ndef f(x):\n    global kept\n    kept = x",
        "kept = []\nasync def f(x):\n    kept.append(x)",
        "kept = {}\nclass A:\n    def f(self, x):\n        del kept[x]",
    ],
)
def test_every_way_to_remember_is_noticed(source: str) -> None:
    assert state(ast.parse(source)) == {"kept"}


@of_this_rule
@pytest.mark.parametrize(
    "source",
    [
        "table = {}\ndef f(x):\n    return table[x]",
        "table = {}\ndef f():\n    table = {}\n    table['x'] = 1",
        "table = {}\ndef f(table):\n    table.clear()",
        "class A:\n    @cached_property\n    def x(self): ...",
        "table = {}\ntable['x'] = 1",
    ],
)
def test_tables_that_are_only_read_and_names_local_to_a_call_are_no_process_state(
    source: str,
) -> None:
    assert state(ast.parse(source)) == set()
