"""Projects whose substance is no program: infrastructure, models of data, schemas, notebooks, scripts,
documents. What they are for and how they are laid out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from contextd.code.project.beside import is_beside
from contextd.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Material:
    """One sort. `names` are what one and several of its files are called, `says` what a project of
    them is.
    """

    languages: tuple[str, ...]
    files: re.Pattern[str]
    names: tuple[str, str]
    says: str
    label: str


SORTS: tuple[Material, ...] = (
    Material(("terraform",), re.compile(r"\.(?:tf|tofu|hcl)$"), ("Terraform file", "Terraform files"),
             "It describes infrastructure", "Terraform"),
    Material(("sql",), re.compile(r"\.sql$"), ("SQL file", "SQL files"), "It describes data", "SQL"),
    Material(("protobuf",), re.compile(r"\.proto$"), ("Protocol Buffers file", "Protocol Buffers files"),
             "It describes messages and services", "Protocol Buffers"),
    Material(("graphql",), re.compile(r"\.(?:graphqls?|gql)$"), ("GraphQL file", "GraphQL files"),
             "It describes an interface", "GraphQL"),
    Material(("notebook",), re.compile(r"\.ipynb$"), ("notebook", "notebooks"),
             "It holds notebooks and no program", "Jupyter Notebook"),
    Material(("shell",), re.compile(r"\.(?:sh|bash|zsh|ksh)$"), ("shell script", "shell scripts"),
             "It holds scripts", "Shell"),
)  # fmt: skip
DOCUMENTS = Material(
    ("markdown", "restructuredtext"),
    re.compile(r"\.(?:md|mdx|markdown|rst|adoc)$"),
    ("document", "documents"),
    "It holds documents and no code",
    "Markdown",
)
_FEW, _OUTWEIGHED = 10, 3
"""So few files of code, outweighed so many times, are what helps the rest along."""


def substance(paths: Sequence[str], code: Sequence[str]) -> tuple[Material, list[str]] | None:
    """What a project is made of, and those files, where it is not the `code`: notebooks and the like
    that outweigh a few files of code, or documents where there is nothing else.
    """
    own = [path for path in paths if not is_beside(path) and not path.startswith(".")]
    best = max(
        ((one, [path for path in own if one.files.search(path)]) for one in SORTS),
        key=lambda found: len(found[1]),
    )
    if best[1] and (not code or (len(code) < _FEW and len(best[1]) >= _OUTWEIGHED * len(code))):
        return best
    documents = [path for path in own if DOCUMENTS.files.search(path)]
    return (DOCUMENTS, documents) if documents and not code else None


def layout(material: Material, own: Sequence[str]) -> str:
    """How these files lie: in which folders, or side by side."""
    homes = Counter(path.partition("/")[0] if "/" in path else "" for path in own)
    folders = [name for name, _ in homes.most_common() if name]
    if len(folders) == 1 and homes[folders[0]] > len(own) / 2:
        top = f"{folders[0]}/"
        inner = Counter(
            p.removeprefix(top).partition("/")[0]
            for p in own
            if p.startswith(top) and p.count("/") > 1
        )
        if len(inner) > 1:
            return f"{top} has {_counted(material, len(own))} by folder: {_listed(inner)}."
    if folders and len(own) - homes[""] >= max(2, homes[""]):
        del homes[""]
        return f"{_counted(material, len(own))} by folder: {_listed(homes)}."
    where = "The root" if homes[""] or not folders else f"{folders[0]}/"
    return f"{where} holds {_counted(material, len(own))} side by side."


def purpose(material: Material, own: Sequence[str], paths: Sequence[str]) -> tuple[str, str]:
    """(`library`, `cli` or `unknown`, a sentence saying why)."""
    present = set(paths)
    count = _counted(material, len(own))
    if material.label == "Terraform" and {"main.tf", "variables.tf"} <= present:
        return "library", "main.tf and variables.tf in the root are a module for others to call."
    if "dbt_project.yml" in present:
        return "unknown", f"dbt_project.yml describes models of data: {count}."
    if material.label in ("Protocol Buffers", "GraphQL"):
        return "library", f"It describes an interface for others to build on: {count}."
    scripts = [path for path in own if "/" not in path]
    if material.label == "Shell" and scripts:
        return (
            "cli",
            f"{min(scripts, key=lambda p: (p.startswith('install'), p))} is run by a shell.",
        )
    return "unknown", f"{material.says}." if len(own) < 2 else f"{material.says}: {count}."


def _counted(material: Material, count: int) -> str:
    return f"{count} {material.names[count != 1]}"


def _listed(folders: Counter[str]) -> str:
    named = [name for name, _ in folders.most_common(5) if name]
    return ", ".join(named[:4]) + (", …" if len(named) > 4 else "")
