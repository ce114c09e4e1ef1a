"""The modules of a project: its folders by subject, what is important in them, and which needs
which, from real imports.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from contextd_code.dataclass import dataclass
from contextd_code.index.languages.table import BY_NAME, DATA
from contextd_code.project.content_type import substance
from contextd_code.project.declared_builds import Builds, within_builds
from contextd_code.project.module_clusters import clusters
from contextd_code.project.module_folders import Unit, by_name, prefixes_of, tree_of, units_of
from contextd_code.project.module_words import Read, counted, description
from contextd_code.project.project_model import ROOT, KeyFile
from contextd_code.project.project_type import CODE
from contextd_code.project.support_code import is_beside
from contextd_code.symbols.graph import edges, page_rank
from contextd_code.tree.generated import UNWRITTEN
from contextd_code.values.source import DOCUMENTS, SourceFile, is_test

Role = Literal["entry", "config", "core", "test"]

MOST, MOST_PACKAGES = 30, 200
_KEY_FILES = 6

_VAGUE = re.compile(
    r"(?:^|/)_*(?:utils?|helpers?|common|base|types?|const(?:ants)?|exceptions?|errors?|compat"
    r"|__init__|index|main|mod|lib|misc|internal\w*)\.\w+$"
)
"""Files that say nothing about what the others around them are for."""

_NO_CODE = DATA | DOCUMENTS | frozenset(["", "css", "scss", "sass", "less", "shell", "dockerfile"])
_TEST_NAME = re.compile(r"(?:[._-](?:test|spec)s?|/test_[^/]*|^test_[^/]*|[a-z]Test)\.[a-z]+$")
_ROOT_PACKAGES = frozenset(("go", "python", "c", "c-header", "cpp", "lua", "ruby"))
"""Languages whose files in the root are a package of their own, and not settings of tools."""

_BARE = re.compile(r"@[\w.-]+/[\w.-]+|[A-Za-z][\w.-]*(?:/|$)")
"""What an import of a package begins with, and no path."""

_SET_UP = re.compile(r"^(?:setup|conftest|noxfile|tasks|fabfile|manage|conf)\.py$|^[Rr]akefile")
_ENTRY = re.compile(
    r"(?:^|/)(?:index\.[cm]?[jt]sx?|(?:__init__|__main__)\.py|(?:mod|lib)\.rs|main\.\w+)$", re.I
)
"""Where a language or a tool begins to read a folder. Files called `server` or `urls` are as often one part
among several.
"""

_CONFIG = re.compile(
    r"(?:^|/)(?:config|settings|constants|env|[^/]*\.config|[^/]*\.settings|[^/]*rc)\.[a-z]+$", re.I
)


@dataclass(frozen=True, slots=True)
class DetectedModule:
    """A part of the project. `prefixes` are its folders, `files` its paths (tests elsewhere left
    out), `dependencies` the modules it imports, most used first, `languages` counts files.
    """

    name: str
    prefixes: tuple[str, ...]
    files: tuple[str, ...]
    key_files: tuple[KeyFile, ...] = ()
    dependencies: tuple[str, ...] = ()
    languages: Mapping[str, int] = field(default_factory=dict[str, int])
    description: str = ""


def _unread(path: str) -> str:
    return ""


def modules(
    files: Sequence[SourceFile],
    packages: Mapping[str, str] | None = None,
    read: Read = _unread,
    name: str = "",
    builds: Builds | None = None,
    named: Mapping[str, str] | None = None,
) -> list[DetectedModule]:
    """The modules, largest first: every package, and at most 30 others. A small flat project may
    have one or none.

    `packages` are the folders with a manifest of their own, each with what it says of itself; `read`
    gives a file's text for descriptions; `name` is the project's; `builds` says what packages can see; `named` are the
    folders of packages by the name that others import them by.
    """
    code = _with_subject(files)
    known = packages or {}
    units = units_of(tree_of([file.path for file in code]), known)
    prefixes = prefixes_of(_largest(by_name(units, name), known))
    members = _members(code, prefixes)
    weighted = within_builds(edges(files), builds or {})
    rank = page_rank([file.path for file in files], weighted)
    _with_flat(code, members, prefixes, weighted, rank, name)
    needs = _needs(members, {**weighted, **_by_package(code, members, prefixes, named or {})})
    tests = [f.path for f in files if _TEST_NAME.search(f.path) and f.language not in _NO_CODE]
    paths = {file.path for file in files}
    outside = _stems_outside(code, members)
    found = [
        DetectedModule(
            name=one,
            prefixes=prefixes[one],
            files=tuple(file.path for file in members[one]),
            key_files=_key_files(one, prefixes[one], members[one], tests, outside[one], rank),
            dependencies=needs[one],
            languages=dict(Counter(file.language for file in members[one]).most_common()),
            description=description(
                prefixes[one],
                members[one],
                rank,
                paths,
                read,
                next((known[p] for p in prefixes[one] if known.get(p)), ""),
            ),
        )
        for one in sorted(members, key=lambda one: (-len(members[one]), one))
        if members[one]
    ]
    shared = Counter(module.description for module in found)
    # What several say of themselves was copied, and tells nothing of one of them.
    return [
        replace(module, description=counted(members[module.name], rank))
        if shared[module.description] > 1
        else module
        for module in found
    ]


def _with_subject(files: Sequence[SourceFile]) -> list[SourceFile]:
    """The files that modules are made of: those of code, or what the project is about instead."""
    code = [file for file in files if file.language not in _NO_CODE and not is_test(file.path)]
    own = [file.path for file in code if CODE.search(file.path) and not is_beside(file.path)]
    other = substance([file.path for file in files], own)
    if other is None:
        return code
    languages = other[0].languages
    return [
        f
        for f in files
        if f.language in languages
        and (f.language or other[0].files.search(f.path))
        and not is_test(f.path)
        and f.error not in UNWRITTEN
    ]


def _largest(listed: dict[str, list[Unit]], packages: Collection[str]) -> dict[str, list[Unit]]:
    order = sorted(listed, key=lambda one: (-sum(u.count for u in listed[one]), one))
    whole = [one for one in order if any(u.path in packages for u in listed[one])][:MOST_PACKAGES]
    others = [one for one in order if one not in whole][: max(0, MOST - len(whole) // 3)]
    chosen = {*whole, *others}
    return {one: listed[one] for one in order if one in chosen}


def _with_flat(
    code: Sequence[SourceFile],
    members: dict[str, list[SourceFile]],
    prefixes: dict[str, tuple[str, ...]],
    weighted: Mapping[tuple[str, str], int],
    rank: Mapping[str, float],
    name: str,
) -> None:
    """Modules for what no folder divides: the files of the root, and groups of files that import one
    another in a folder that holds most of the project.
    """
    loose = [file for file in code if "/" not in file.path]
    package = sum(
        file.language in _ROOT_PACKAGES and not _SET_UP.search(file.path) for file in loose
    )
    if (
        name
        and name not in members
        and len(loose) >= 3
        and (package >= 3 or 3 * len(loose) >= len(code))
    ):
        members[name], prefixes[name] = loose, (ROOT,)
    largest = max(members, key=lambda one: len(members[one]), default="")
    if not largest or 2 * len(members[largest]) < len(code):
        return
    folders = Counter(file.path.rpartition("/")[0] for file in members[largest])
    flat, direct = folders.most_common(1)[0]
    if 2 * direct < len(members[largest]):
        return
    by_path = {f.path: f for f in members[largest] if f.path.rpartition("/")[0] == flat}
    for group in clusters(list(by_path), weighted):
        head = max(group, key=lambda p: (not _VAGUE.search(p), rank.get(p, 0), p))
        called = re.sub(r"\W+", "-", head.rpartition("/")[2].split(".")[0]).strip("_-")
        if not called or called in members or len(members[largest]) - len(group) < 2:
            continue
        members[called] = [by_path[path] for path in group]
        prefixes[called] = tuple(group)
        members[largest] = [f for f in members[largest] if f.path not in set(group)]


def role_of(path: str) -> Role:
    """The role of a file by its name."""
    if is_test(path):
        return "test"
    if _CONFIG.search(path) or any(one.startswith(".") for one in path.split("/")[:-1]):
        return "config"
    return "entry" if _ENTRY.search(path) and CODE.search(path) else "core"


def _members(
    code: Sequence[SourceFile], prefixes: Mapping[str, Sequence[str]]
) -> dict[str, list[SourceFile]]:
    members: dict[str, list[SourceFile]] = {name: [] for name in prefixes}
    by_prefix = {prefix: name for name, listed in prefixes.items() for prefix in listed}
    for file in code:
        parts = file.path.split("/")
        for length in range(len(parts) - 1, 0, -1):
            name = by_prefix.get("/".join(parts[:length]))
            if name is not None:
                members[name].append(file)
                break
    return members


def _needs(
    members: Mapping[str, Sequence[SourceFile]], weighted: Mapping[tuple[str, str], int]
) -> dict[str, tuple[str, ...]]:
    module_of = {file.path: name for name, files in members.items() for file in files}
    shows = {name for name, files in members.items() if all(is_beside(f.path) for f in files)}
    counts: dict[str, Counter[str]] = {name: Counter() for name in members}
    for (start, end), weight in weighted.items():
        one, other = module_of.get(start), module_of.get(end)
        if role_of(start) == "config" or (is_beside(start) and one not in shows):
            # What a tool is set up with, or an example in a folder, says nothing about what the code needs.
            continue
        if one is not None and other is not None and one != other:
            counts[one][other] += weight
    return {
        name: tuple(sorted(found, key=lambda other: (-found[other], other)))
        for name, found in counts.items()
    }


def _by_package(
    code: Sequence[SourceFile],
    members: Mapping[str, Sequence[SourceFile]],
    prefixes: Mapping[str, Sequence[str]],
    named: Mapping[str, str],
) -> dict[tuple[str, str], int]:
    """Edges to packages of this repository whose entry is built, so that no file stands for the import: they lead
    to a file of the module that is the package.
    """
    whole = {folder: members[one] for one, listed in prefixes.items() for folder in listed}
    found: Counter[tuple[str, str]] = Counter()
    for file in code:
        for one in file.imports if named else ():
            if one.target or not _BARE.match(one.specifier):
                continue
            parts = one.specifier.split("/")
            package = "/".join(parts[: 2 if one.specifier.startswith("@") else 1])
            inside = whole.get(named.get(package, ""))
            if inside:
                found[file.path, inside[0].path] += max(1, len(one.names))
    return dict(found)


def _stems_outside(
    code: Sequence[SourceFile], members: Mapping[str, Sequence[SourceFile]]
) -> dict[str, frozenset[str]]:
    """Module → the names, without endings, of the files that are not in it."""
    every = Counter(_stem(file.path) for file in code)
    return {
        one: frozenset((every - Counter(_stem(file.path) for file in inside)).keys())
        for one, inside in members.items()
    }


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _tests_about(
    name: str, members: Sequence[SourceFile], tests: Sequence[str], others: Collection[str]
) -> list[str]:
    """Tests elsewhere that are called like a module: those in a folder of its name, then files of its name where no
    file outside of the module has that name too, so that it is sure which of them is tested.
    """
    folder = re.compile(rf"(?:^|/){re.escape(name)}/")
    within = [path for path in tests if folder.search(path)]
    if within or name.lower() in others:
        return within
    file = re.compile(
        rf"(?:^|/)(?:test_{re.escape(name)}|{re.escape(name)}[._-](?:test|spec)s?)\.[^/]*$"
    )
    return [path for path in tests if file.search(path)]


def _key_files(
    name: str,
    prefixes: Sequence[str],
    members: Sequence[SourceFile],
    tests: Sequence[str],
    others: Collection[str],
    rank: Mapping[str, float],
) -> tuple[KeyFile, ...]:
    """One way in, the most imported files, one configuration and one test.

    `others` are the names, without endings, of files that several modules may have.
    """
    by_role: dict[Role, list[str]] = {"entry": [], "core": [], "config": [], "test": []}
    for file in sorted(
        members,
        key=lambda f: (f.error in UNWRITTEN, -rank.get(f.path, 0), f.path.count("/"), f.path),
    ):
        # A package file with nothing but a sentence in it leads nowhere.
        if file.language not in BY_NAME or file.symbols or file.imports or file.exports:
            by_role[role_of(file.path)].append(file.path)
    own = [path for path in tests if path.startswith(tuple(p + "/" for p in prefixes))]
    by_role["test"] = own or _tests_about(name, members, tests, others)
    unwritten = {file.path for file in members if file.error in UNWRITTEN}
    by_role["entry"].sort(key=lambda path: (path in unwritten, path.count("/")))
    cores = _KEY_FILES - 1 - bool(by_role["config"]) - bool(by_role["test"])
    chosen = (
        ("entry", by_role["entry"][:1]),
        ("core", by_role["core"][:cores]),
        ("config", by_role["config"][:1]),
        ("test", by_role["test"][:1]),
    )
    return tuple(KeyFile(path=path, role=role) for role, paths in chosen for path in paths)
