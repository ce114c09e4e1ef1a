"""Find the modules of a project: folders by subject, their key files, and their dependencies by
imports.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from contextd_code.index.languages.table import BY_NAME, DATA
from contextd_code.project.content_type import substance
from contextd_code.project.declared_builds import Builds, within_builds
from contextd_code.project.module_folders import Unit, by_name, prefixes_of, tree_of, units_of
from contextd_code.project.module_words import Read, counted, description
from contextd_code.project.project_model import ROOT, KeyFile
from contextd_code.project.project_type import CODE
from contextd_code.project.support_code import is_beside, is_build_file, is_test_file
from contextd_code.symbols.graph import edges, page_rank
from contextd_code.tree.generated import UNWRITTEN
from contextd_code.values.source import DOCUMENTS, SourceFile
from contextd_common.dataclass import dataclass

Role = Literal["entry", "config", "core", "test"]

MOST, MOST_PACKAGES = 30, 200
_KEY_FILES = 6

_VAGUE = re.compile(
    r"(?:^|/)_*(?:utils?|helpers?|common|base|types?|const(?:ants)?|exceptions?|errors?|compat"
    r"|__init__|index|main|mod|lib|misc|internal\w*)\.\w+$"
)
"""Files that do not indicate the subject of the files around them."""

_SHOWN_IN = frozenset(
    """example examples sample samples demo demos tutorial tutorials fixtures testdata benches
    playground integration_test test_driver""".split()
)
"""Folders of a module whose files only show, try out or measure it."""

_NO_CODE = DATA | DOCUMENTS | frozenset(["", "css", "scss", "sass", "less", "shell", "dockerfile"])
_TEST_NAME = re.compile(
    r"(?:[._-](?:test|spec)s?|(?:^|/)test_[^/]*(?=\.py$)|(?:^|/)tests?/(?:.*/)?test_[^/]*|[a-z]Test)\.[a-z]+$"
)
_ROOT_PACKAGES = frozenset(("go", "python", "c", "c-header", "cpp", "lua", "ruby"))
"""Languages in which files in the root are a package, and not settings of tools."""

_BARE = re.compile(r"@[\w.-]+/[\w.-]+|[A-Za-z][\w.-]*(?:/|$)")
"""Prefixes of package imports that are not paths."""

_SET_UP = re.compile(r"^(?:setup|conftest|noxfile|tasks|fabfile|manage|conf)\.py$|^[Rr]akefile")
_ENTRY = re.compile(
    r"(?:^|/)(?:index\.[cm]?[jt]sx?|(?:__init__|__main__)\.py|(?:mod|lib)\.rs|main\.\w+)$", re.I
)
"""Entry files by language or tool convention. Files named `server` or `urls` are often just one
part among several.
"""

_STARTS = re.compile(r"(?:^|/)main\.(?:go|rs|c|cc|cpp|cxx|java|kt|swift|dart|zig)$")
_ON_THE_WAY = frozenset("src source sources lib main js ts cmd bin".split())
"""Folders between a module and its entry file."""

_GENERATED = re.compile(r"(?:^|/)generated/|\.designer\.(?:cs|vb)$", re.I)

_CONFIG = re.compile(
    r"(?:^|/)(?:config|settings|[^/]*\.config|[^/]*\.settings|[^/]*rc)\.[a-z]+$", re.I
)


@dataclass(frozen=True, slots=True)
class DetectedModule:
    """A part of the project.

    `prefixes` are its folders, `files` its paths (without tests in other folders), `dependencies` the
    modules it imports, most used first; `languages` maps a language to its number of files.
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
    """The modules, largest first: every package, and at most 30 others.

    A small flat project may have one or none. `packages` are the folders with a manifest of their
    own, each with its description; `read` returns a file's text for descriptions; `name` is the
    project's; `builds` lists the packages visible to each; `named` maps import names of packages to
    their folders.
    """
    code = _with_subject(files)
    known = packages or {}
    written = [file for file in code if not is_build_file(file.path)] or code
    units = units_of(tree_of([file.path for file in written]), known)
    prefixes = prefixes_of(_largest(by_name(units, name), known))
    members = _members(code, prefixes)
    weighted = within_builds(edges(files), builds or {})
    rank = page_rank([file.path for file in files], weighted)
    _with_root(code, members, prefixes, name)
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
                paths,
                read,
                next((known[p] for p in prefixes[one] if known.get(p)), ""),
            )
            or counted(members[one], rank, _left_out(one, prefixes, files)),
        )
        for one in sorted(members, key=lambda one: (-len(members[one]), one))
        if members[one]
    ]
    shared = Counter(module.description for module in found)
    # A description shared by several modules was copied and describes none of them.
    return [
        replace(
            module,
            description=counted(
                members[module.name], rank, _left_out(module.name, prefixes, files)
            ),
        )
        if shared[module.description] > 1
        else module
        for module in found
    ]


def _left_out(name: str, prefixes: Mapping[str, Sequence[str]], files: Sequence[SourceFile]) -> str:
    """What lies in the folders of a module and is not among its files: `tests`, `the modules in it`."""
    own = tuple(f"{one}/" for one in prefixes[name])
    others = tuple(p for one, listed in prefixes.items() if one != name for p in listed)
    inner = tuple(f"{p}/" for p in others if p.startswith(own))
    at_root = prefixes[name] == (ROOT,)
    tests = any(
        ("/" not in f.path if at_root else f.path.startswith(own))
        and not f.path.startswith(inner)
        and is_test_file(f.path)
        and f.language not in _NO_CODE
        for f in files
    )
    shown = any(
        f.path.startswith(own)
        and not f.path.startswith(inner)
        and _is_shown(f.path.removeprefix(max((o for o in own if f.path.startswith(o)), key=len)))
        and f.language not in _NO_CODE
        for f in files
    )
    parts = ["tests"] * tests + ["examples"] * shown + ["the modules in it"] * bool(inner)
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def _is_shown(path: str) -> bool:
    return not _SHOWN_IN.isdisjoint(path.split("/")[:-1])


def _with_subject(files: Sequence[SourceFile]) -> list[SourceFile]:
    """The files that modules are made of: those of code, or what the project is about instead."""
    code = [file for file in files if file.language not in _NO_CODE and not is_test_file(file.path)]
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
        and not is_test_file(f.path)
        and f.error not in UNWRITTEN
    ]


def _largest(listed: dict[str, list[Unit]], packages: Collection[str]) -> dict[str, list[Unit]]:
    order = sorted(listed, key=lambda one: (-sum(u.count for u in listed[one]), one))
    whole = [one for one in order if any(u.path in packages for u in listed[one])][:MOST_PACKAGES]
    others = [one for one in order if one not in whole][: max(0, MOST - len(whole) // 3)]
    chosen = {*whole, *others}
    return {one: listed[one] for one in order if one in chosen}


def _with_root(
    code: Sequence[SourceFile],
    members: dict[str, list[SourceFile]],
    prefixes: dict[str, tuple[str, ...]],
    name: str,
) -> None:
    """A module for the files of the root, which no folder divides."""
    loose = [file for file in code if "/" not in file.path]
    package = sum(
        file.language in _ROOT_PACKAGES
        and not _SET_UP.search(file.path)
        and not is_build_file(file.path)
        for file in loose
    )
    if (
        name
        and name not in members
        and len(loose) >= 3
        and (package >= 3 or 3 * len(loose) >= len(code))
    ):
        members[name], prefixes[name] = loose, (ROOT,)


def role_of(path: str) -> Role:
    """The role of a file by its name."""
    if is_test_file(path):
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
                if _SHOWN_IN.isdisjoint(parts[length:-1]):
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
        helps = role_of(start) == "config" or is_build_file(start)
        if helps or (is_beside(start) and one not in shows):
            # A tool's configuration, a build script, or an example in a folder, does not
            # show what the code needs.
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
    """Edges to packages of this repository whose entry file is build output: they lead to a file of
    the package's module instead.
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
    """Module → the names, without suffixes, of files outside of it."""
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
    """Tests elsewhere with the name of a module.

    First tests in a folder of its name, then tests named like one of its files, if no file outside
    the module has that name too.
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
    """One entry file, the most imported files, one configuration and one test.

    `others` are file names, without suffixes, that occur in several modules.
    """
    by_role: dict[Role, list[str]] = {"entry": [], "core": [], "config": [], "test": []}
    written = [f for f in members if not _GENERATED.search(f.path)] or members
    for file in sorted(
        [f for f in written if not is_build_file(f.path)] or written,
        key=lambda f: (f.error in UNWRITTEN, -rank.get(f.path, 0), f.path.count("/"), f.path),
    ):
        # A package file with only a docstring is no useful entry.
        if file.language not in BY_NAME or file.symbols or file.imports or file.exports:
            role = role_of(file.path)
            inner = role == "entry" and not _enters(file.path, name, prefixes)
            by_role["core" if inner else role].append(file.path)
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


def _enters(path: str, name: str, prefixes: Sequence[str]) -> bool:
    """Whether an entry file is the module's own, and not that of a folder in it."""
    for prefix in prefixes:
        own = "" if prefix == ROOT else f"{prefix}/"
        if path.startswith(own) and not _STARTS.search(path):
            between = path.removeprefix(own).split("/")[:-1]
            return {one.lower().replace("-", "_") for one in between} <= {
                *_ON_THE_WAY,
                name.lower().replace("-", "_"),
            }
    return True
