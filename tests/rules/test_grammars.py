"""A language is one module and one row. What else knows languages says so here by name."""

from __future__ import annotations

import ast
import re
import tomllib

from sources import ROOT, nodes, product_files

from contextd_code.index.languages.table import LANGUAGES
from contextd_code.index.languages.text_files import TEXT_EXTENSIONS
from contextd_code.project.stack_languages import LANGUAGES as SHOWN
from support.verdicts import none_of

TABLE = "src/contextd_code/index/languages/table.py"
TEXT = "TEXT_EXTENSIONS in src/contextd_code/index/languages/text_files.py"


def test_a_language_has_a_name_of_its_own() -> None:
    names = [row.name for row in LANGUAGES]
    none_of(
        sorted({name for name in names if names.count(name) > 1}),
        f"two rows of {TABLE} have it: rename one",
    )


def test_an_extension_belongs_to_one_language() -> None:
    rows: dict[str, list[str]] = {}
    for row in LANGUAGES:
        for extension in row.extensions:
            rows.setdefault(extension, []).append(row.name)
    none_of(
        [
            f"{TABLE}: .{one} stands in the rows {', '.join(names)}"
            for one, names in rows.items()
            if len(names) > 1
        ],
        "take it out of all but one",
    )
    none_of(
        [f".{one}" for one in rows if one in TEXT_EXTENSIONS],
        f"take it out of {TEXT}: a row of {TABLE} reads it now",
    )


def test_the_shares_of_a_project_name_each_language() -> None:
    none_of(
        [
            f"{TABLE}: {row.name}, .{row.extensions[0]}"
            for row in LANGUAGES
            if row.extensions[0] not in SHOWN
        ],
        "add how people write its name, with this extension, to LANGUAGES in "
        "src/contextd_code/project/stack_languages.py",
    )


def test_a_grammar_is_a_dependency_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {re.split(r"[>=<; ]", one)[0].replace("-", "_") for one in project["dependencies"]}
    none_of(
        [
            f"{path}:{node.lineno}: {one.name}"
            for path in product_files()
            for node in nodes(path)
            if isinstance(node, ast.Import)
            for one in node.names
            if one.name.startswith("tree_sitter") and one.name not in named
        ],
        "add its distribution to `dependencies` in pyproject.toml with a lower bound, and run tools/pin_versions.py",
    )
