"""Projects that are not programs: infrastructure, data models, schemas, notebooks, scripts,
documents. Detects their type and layout.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from contextd_code.project.support_code import is_beside
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Material:
    """One type of content.

    `names` are the singular and plural of its files, `says` describes such a project and `type` is
    its name in the project model. `needs` is a file that distinguishes it from similar types.
    """

    languages: tuple[str, ...]
    files: re.Pattern[str]
    names: tuple[str, str]
    says: str
    label: str
    type: str
    needs: re.Pattern[str] | None = None


SORTS: tuple[Material, ...] = (
    Material(("terraform",), re.compile(r"\.(?:tf|tofu|hcl)$"), ("Terraform file", "Terraform files"),
             "It describes infrastructure", "Terraform", "infrastructure"),
    Material(("yaml",), re.compile(r"(?:^|/)(?:tasks|handlers|defaults|vars|meta|group_vars|host_vars|playbooks?)/"
                                   r".*\.ya?ml$|(?:^|/)(?:playbook[\w-]*|site)\.ya?ml$"),
             ("Ansible file", "Ansible files"), "It sets up machines", "Ansible", "infrastructure",
             re.compile(r"(?:^|/)(?:ansible\.cfg|galaxy\.ya?ml|tasks/main\.ya?ml|(?:playbook[\w-]*|site)\.ya?ml)$")),
    Material(("yaml",), re.compile(r"(?:^|/)(?:Chart|values)\.ya?ml$|(?:^|/)templates/.*\.(?:ya?ml|tpl|txt)$"),
             ("Helm file", "Helm files"), "It packages programs for Kubernetes", "Helm", "infrastructure",
             re.compile(r"(?:^|/)Chart\.ya?ml$")),
    Material(("yaml",), re.compile(r"(?:^|/)(?:base|bases|overlays|manifests|components|deploy|apps|k8s|kubernetes)"
                                   r"/.*\.ya?ml$|(?:^|/)kustomization\.ya?ml$"),
             ("Kubernetes manifest", "Kubernetes manifests"), "It describes what runs in a cluster", "Kubernetes",
             "infrastructure", re.compile(r"(?:^|/)kustomization\.ya?ml$")),
    Material(("yaml", "json"), re.compile(r"(?:^|/)[\w.-]*(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)$"
                                          r"|(?:^|/)(?:openapi|swagger)/.*\.(?:ya?ml|json)$"),
             ("OpenAPI file", "OpenAPI files"), "It describes an interface", "OpenAPI", "library"),
    Material(("sql",), re.compile(r"\.sql$"), ("SQL file", "SQL files"), "It describes data", "SQL", "data"),
    Material(("protobuf",), re.compile(r"\.proto$"), ("Protocol Buffers file", "Protocol Buffers files"),
             "It describes messages and services", "Protocol Buffers", "library"),
    Material(("graphql",), re.compile(r"\.(?:graphqls?|gql)$"), ("GraphQL file", "GraphQL files"),
             "It describes an interface", "GraphQL", "library"),
    Material(("notebook",), re.compile(r"\.ipynb$"), ("notebook", "notebooks"),
             "It holds notebooks", "Jupyter Notebook", "notebooks"),
    Material(("nix",), re.compile(r"\.nix$"), ("Nix file", "Nix files"), "It describes systems and packages",
             "Nix", "configuration"),
    Material(("latex",), re.compile(r"\.(?:tex|cls|sty|ltx)$"), ("LaTeX file", "LaTeX files"),
             "It holds a document to be set", "LaTeX", "documentation"),
    Material(("csv", "json", "text", ""), re.compile(r"\.(?:csv|tsv|psv|parquet|geojson|jsonl|ndjson|arff|xlsx?)$"),
             ("table", "tables"), "It holds data", "Tables of data", "data"),
    Material(("shell",), re.compile(r"\.(?:sh|bash|zsh|ksh)$"), ("shell script", "shell scripts"),
             "It holds scripts", "Shell", "cli"),
)  # fmt: skip
DOCUMENTS = Material(
    ("markdown", "restructuredtext"),
    re.compile(r"\.(?:md|mdx|markdown|rst|adoc)$"),
    ("document", "documents"),
    "It holds documents",
    "Markdown",
    "documentation",
)
_SEVERAL = 2
_PERSONAL = re.compile(
    r"(?:^|/)[._]?(?:zshrc|bashrc|bash_profile|zprofile|zshenv|vimrc|gvimrc|gitconfig|tmux\.conf|inputrc|gemrc|Brewfile"
    r"|alacritty\.\w+|init\.vim|wezterm\.lua|hushlogin)(?:\.symlink)?$"
)
"""Configuration files of a person's machine."""

_FEW, OUTWEIGHED = 10, 3
"""At most this many code files, outnumbered by this factor, are helper scripts."""

_CODE_AS_WELL = "Jupyter Notebook"
"""Notebooks contain code themselves: with any number of code files, the larger share decides."""

_CRATE = {"src/lib.rs", "src/main.rs"}
"""A book beside a crate is about the crate; a book alone is the project."""

_DROWNED = 10
"""Every program has documentation: only from this ratio on is a project about documents."""


def substance(paths: Sequence[str], code: Sequence[str]) -> tuple[Material, list[str]] | None:
    """The content type of a project and its files, if it is not `code`.

    That is: notebooks and similar files that outweigh a few code files, or documents in a project
    with hardly anything else.
    """
    own = [path for path in paths if not is_beside(path) and not path.startswith(".")]
    there = [one for one in SORTS if one.needs is None or any(map(one.needs.search, paths))]
    best = max(
        ((one, [p for p in _of_charts(one, paths) or own if one.files.search(p)]) for one in there),
        key=lambda found: len(found[1]),
    )
    few = len(code) < _FEW or best[0].label == _CODE_AS_WELL
    if best[1] and (not code or (few and len(best[1]) >= OUTWEIGHED * len(code))):
        return best
    documents = [path for path in own if DOCUMENTS.files.search(path)]
    if {"book.toml", "src/SUMMARY.md"} <= set(paths) and not _CRATE & set(paths):
        return DOCUMENTS, documents
    mostly = len(documents) >= _DROWNED * len(code) and len(code) < _FEW
    return (DOCUMENTS, documents) if documents and mostly else None


def _of_charts(material: Material, paths: Sequence[str]) -> list[str]:
    """The relevant paths of a Helm chart, which consists of templates; empty for other types."""
    if material.label != "Helm":
        return []
    plain = ((path, path.replace("/templates/", "/")) for path in paths)
    return [path for path, bare in plain if not is_beside(bare) and not path.startswith(".")]


def layout(material: Material, own: Sequence[str], paths: Sequence[str]) -> str:
    """The layout of these files: by folders, or flat."""
    what = _counted(material, own, paths)
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
            return f"{top} has {what} by folder: {_listed(inner)}."
    if len(homes) > 1:
        return f"{what[:1].upper()}{what[1:]} by folder: {_listed(homes)}."
    where = f"{folders[0]}/" if folders else "The root"
    deeper = any(path.count("/") > 1 for path in own)
    return f"{where} holds {what}{' side by side' * (not deeper)}."


def personal(paths: Sequence[str]) -> str:
    """Why these paths are dotfiles or other machine setup; empty if they are not."""
    rows = sorted(path for path in paths if _PERSONAL.search(path))
    return f"It sets up a machine: {', '.join(rows[:3])}." if len(rows) >= _SEVERAL else ""


def purpose(material: Material, own: Sequence[str], paths: Sequence[str]) -> tuple[str, str]:
    """(the project type for this content, a sentence with the reason)."""
    present = set(paths)
    count = _counted(material, own, paths)
    if material.label == "Terraform" and {"main.tf", "variables.tf"} <= present:
        return "library", "main.tf and variables.tf in the root are a module for others to call."
    if "dbt_project.yml" in present:
        return "data", f"dbt_project.yml describes models of data: {count}."
    if material.label == "Nix" and "flake.nix" in present:
        return "library", f"flake.nix offers what it describes to other systems: {count}."
    if material.label == "Shell" and (why := personal(paths)):
        return "configuration", why
    role = {"meta/main.yml", "galaxy.yml"} & present
    # Playbooks run from a clone set up machines, even if packaged as a collection.
    if material.label == "Ansible" and role and not {"ansible.cfg", "site.yml"} & present:
        return "library", f"{role.pop()} describes what others set machines up with: {count}."
    if material.label in ("Protocol Buffers", "GraphQL", "OpenAPI"):
        return "library", f"It describes an interface for others to build on: {count}."
    scripts = [path for path in own if "/" not in path]
    if material.label == "Shell" and scripts:
        return (
            "cli",
            f"{min(scripts, key=lambda p: (p.startswith('install'), p))} is run by a shell.",
        )
    counted = len(own) < 2 or material.says.endswith(count)
    return material.type, f"{material.says}." if counted else f"{material.says}: {count}."


def _counted(material: Material, own: Sequence[str], paths: Sequence[str]) -> str:
    """The number and names of the files; only names if these are ambiguous, or if some are examples
    and the like.
    """
    one, several = material.names
    every = sum(1 for path in paths if material.files.search(path))
    if material.needs is None and every == len(own):
        return f"{every} {several if every != 1 else one}"
    return several


def _listed(folders: Counter[str]) -> str:
    named = [name or "the root" for name, _ in folders.most_common(5)]
    return ", ".join(named[:4]) + (", …" if len(named) > 4 else "")
