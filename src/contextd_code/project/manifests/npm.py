"""package.json and the files that accompany it."""

from __future__ import annotations

import json
import re
from typing import Any

from contextd_code.project.manifests.model import Manifest, agreed, plain, table, texts, wanted
from contextd_common.files.yaml_text import load_plain

_MANAGERS = {"npm", "yarn", "pnpm", "bun"}
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def package_json(path: str, text: str) -> Manifest:
    """A package of npm, yarn, pnpm or Bun."""
    data = table(json.loads(text.lstrip("\ufeff")))
    groups = {
        group: {name: _asked(name, wanted(spec)) for name, spec in table(data.get(group)).items()}
        for group in (
            "devDependencies",
            "optionalDependencies",
            "peerDependencies",
            "dependencies",
        )
    }
    every: dict[str, str] = {}
    for group in groups.values():
        every.update(group)
    needed = {**groups["dependencies"], **groups["peerDependencies"]}
    manager, _, version = str(data.get("packageManager") or "").partition("@")
    runtimes = {}
    for engine, runtime in (("node", "Node.js"), ("bun", "Bun"), ("deno", "Deno")):
        if asked := table(data.get("engines")).get(engine):
            runtimes[runtime] = str(asked)
    if pinned := table(data.get("volta")).get("node"):
        runtimes["Node.js"] = str(pinned)
    if manager == "bun":
        runtimes.setdefault("Bun", version.partition("+")[0])
    spaces: Any = data.get("workspaces")
    members = texts(spaces["packages"] if isinstance(spaces, dict) else spaces)
    binaries = data.get("bin")
    commands = tuple(table(binaries)) or ((str(data.get("name")),) if binaries else ())
    exported = any(data.get(key) for key in ("main", "module", "exports", "types", "files"))
    # A package that exports its own sources is never built, so only this repository can use
    # it.
    inside = re.search(r"\.tsx?$", str(data.get("main") or "")) is not None
    inside = (
        inside and not str(data.get("main")).endswith(".d.ts") and not data.get("publishConfig")
    )
    # What asks its users for a package is for them, also where the root is kept from being published by mistake.
    private = bool(data.get("private")) and not (exported and groups["peerDependencies"])
    # An extension is loaded by VS Code; nobody depends on it.
    of_editor = "vscode" in table(data.get("engines")) or "contributes" in data
    return Manifest(
        path,
        "npm",
        str(data.get("name") or ""),
        every,
        frozenset(groups["devDependencies"]) - frozenset(needed),
        runtimes=runtimes,
        manager=manager if manager in _MANAGERS else "",
        members=members,
        commands=commands,
        publishes=exported and not inside and not private and not of_editor,
        private=private,
        about=plain(data.get("description")),
        topics=texts(data.get("keywords")),
    )


def _asked(name: str, spec: str) -> str:
    """The required version; empty for an alias, a folder or a repository."""
    if spec.startswith(f"npm:{name}@"):
        return spec.removeprefix(f"npm:{name}@")
    return "" if ":" in spec and not spec.startswith("workspace:") else spec


def pnpm_workspace(path: str, text: str) -> Manifest:
    """Members and catalogues of a pnpm workspace."""
    data = table(load_plain(text))
    catalogues = [table(data.get("catalog")), *map(table, table(data.get("catalogs")).values())]
    versions = agreed((name, str(spec)) for one in catalogues for name, spec in one.items())
    members = texts(data.get("packages"))
    return Manifest(path, "npm", versions=versions, manager="pnpm", members=members)


def lerna(path: str, text: str) -> Manifest:
    """Members of a Lerna repository."""
    return Manifest(path, "npm", members=texts(table(json.loads(text)).get("packages")))


def rush(path: str, text: str) -> Manifest:
    """Projects of a Rush repository, and its pinned package manager."""
    data = table(json.loads(_COMMENT.sub(lambda found: found[1] or "", text)))
    listed = data.get("projects")
    folders = [str(table(one).get("projectFolder") or "") for one in listed or ()]
    pinned = (name for name in ("pnpm", "yarn", "npm") if data.get(f"{name}Version"))
    return Manifest(
        path, "npm", manager=next(pinned, ""), members=tuple(filter(None, folders)),
        runtimes={"Node.js": str(data["nodeSupportedVersionRange"])}
        if data.get("nodeSupportedVersionRange") else {},
    )  # fmt: skip


def deno(path: str, text: str) -> Manifest:
    """Imports and workspace of a Deno project."""
    data = table(json.loads(_COMMENT.sub(lambda found: found[1] or "", text)))
    asked = {}
    for target in table(data.get("imports")).values():
        if found := re.match(r"(?:npm:|jsr:)(@?[^@]+)(?:@([^/]+))?", str(target)):
            asked[found[1].rstrip("/")] = found[2] or ""
    members = texts(data.get("workspace"))
    name = str(data.get("name") or "")
    return Manifest(
        path, "npm", name, asked, runtimes={"Deno": ""}, manager="deno", members=members,
        publishes=bool(name and data.get("exports")),
    )  # fmt: skip
