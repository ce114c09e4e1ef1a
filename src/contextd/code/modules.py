"""The modules of a project: its folders by subject, what is important in them, and which needs
which, from real imports.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from contextd.code.graph import edges, page_rank
from contextd.code.languages.table import BY_NAME, DATA, PROSE
from contextd.code.project_model import KeyFile
from contextd.domain.code import SourceFile

Role = Literal["entry", "config", "core", "test"]

MOST = 30
_KEY_FILES = 6
_DOMINANT = 0.8

_WORKSPACES = frozenset("packages apps services libs plugins crates extensions projects".split())
_CONTAINERS = _WORKSPACES | frozenset(
    """src app lib source sources server client backend frontend web api features feature modules
    module domains domain bounded contexts pkg internal cmd python js main java kotlin pages routes
    views""".split()
)
_FEATURES = _WORKSPACES | frozenset("features feature modules domains server internal cmd".split())
_NO_MODULE = frozenset(
    """test tests __tests__ spec specs e2e __mocks__ mocks fixtures testdata testing example
    examples samples demo docs doc documentation scripts script bin assets static public images
    styles css locales i18n types typings constants utils util helpers migrations templates
    benchmarks benchmark vendor third_party stories storybook .storybook .github""".split()
)
_UPKEEP = frozenset("tools tool ci build config configs".split())
"""Folders of the root that keep the project going and are no part of it."""

_NO_CODE = DATA | PROSE | frozenset(["", "css", "scss", "sass", "less", "shell", "dockerfile"])
_TEST = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?|e2e)/|[._-](?:test|spec)\.|(?:^|/)test_")
_TEST_NAME = re.compile(r"(?:[._-](?:test|spec)s?|/test_[^/]*|^test_[^/]*|[a-z]Test)\.[a-z]+$")
_ENTRY = re.compile(
    r"(?:^|/)(?:index|main|__init__|__main__|mod|lib|app|server|cli|page|route|urls)\.[a-z]+$", re.I
)
_CONFIG = re.compile(
    r"(?:^|/)(?:config|settings|constants|env|[^/]*\.config|[^/]*\.settings|[^/]*rc)\.[a-z]+$", re.I
)
_NAMES = {
    "tsx": "TypeScript",
    "typescript": "TypeScript",
    "javascript": "JavaScript",
    "csharp": "C#",
    "cpp": "C++",
    "c-header": "C",
    "php": "PHP",
}


@dataclass(frozen=True, slots=True)
class Module:
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


@dataclass(slots=True)
class _Folder:
    """A folder of the tree of code files. `count` includes what lies deeper."""

    path: str
    count: int = 0
    direct: int = 0
    inner: dict[str, _Folder] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


def modules(files: Sequence[SourceFile]) -> list[Module]:
    """The modules, largest first, at most 30; a small flat project may have one or none."""
    code = [file for file in files if file.language not in _NO_CODE and not is_test(file.path)]
    folders = list(_candidates(_tree(code), False))
    if len(folders) == 1 and folders[0].inner:
        folders = [*_candidates(folders[0], True)] or folders
    named = _named(folders)
    largest = sorted(named, key=lambda n: (-sum(f.count for f in named[n]), n))[:MOST]
    prefixes = {name: tuple(sorted(f.path for f in named[name])) for name in largest}
    members = _members(code, prefixes)
    weighted = edges(files)
    rank = page_rank([file.path for file in files], weighted)
    needs = _needs(members, weighted)
    tests = [f.path for f in files if _TEST_NAME.search(f.path) and f.language not in _NO_CODE]
    return [
        Module(
            name=name,
            prefixes=prefixes[name],
            files=tuple(file.path for file in members[name]),
            key_files=_key_files(name, prefixes[name], members[name], tests, rank),
            dependencies=needs[name],
            languages=dict(Counter(file.language for file in members[name]).most_common()),
            description=_description(members[name], rank),
        )
        for name in largest
        if members[name]
    ]


def is_test(path: str) -> bool:
    """Whether a path is a test's, by its name or folder."""
    return _TEST.search(path) is not None


def role_of(path: str) -> Role:
    """The role of a file by its name."""
    if is_test(path):
        return "test"
    if _CONFIG.search(path):
        return "config"
    return "entry" if _ENTRY.search(path) else "core"


def _tree(code: Sequence[SourceFile]) -> _Folder:
    root = _Folder("")
    for file in code:
        here = root
        here.count += 1
        for part in file.path.split("/")[:-1]:
            path = f"{here.path}/{part}" if here.path else part
            here = here.inner.setdefault(part, _Folder(path))
            here.count += 1
        here.direct += 1
    return root


def _candidates(folder: _Folder, opened: bool) -> Iterator[_Folder]:
    """The folders to call modules below `folder`, which is opened because it only holds others."""
    least = 1 if folder.name in _CONTAINERS or opened else 2
    for name, inner in folder.inner.items():
        if name in _NO_MODULE or name.startswith(".") or inner.path in _UPKEEP:
            continue
        deeper = [f for n, f in inner.inner.items() if n not in _NO_MODULE and f.count > 1]
        holds = name in _CONTAINERS and folder.name not in _WORKSPACES
        main = inner.count >= _DOMINANT * folder.count and folder.direct <= 3
        features = name in _FEATURES and inner.inner and inner.direct <= 2
        if (
            features
            or (inner.inner and holds and deeper)
            or (main and len(deeper) > 1)
            or (_only(inner) is not None and holds)
        ):
            yield from _candidates(inner, False)
        elif inner.count >= least:
            yield inner


def _only(folder: _Folder) -> _Folder | None:
    """The one folder in a folder that holds nothing else."""
    return (
        next(iter(folder.inner.values())) if len(folder.inner) == 1 and not folder.direct else None
    )


def _named(folders: Sequence[_Folder]) -> dict[str, list[_Folder]]:
    """Folders by module name. Equal names are one subject, unless they are packages."""
    named: dict[str, list[_Folder]] = {}
    plain = Counter(_plain(folder) for folder in folders)
    for folder in folders:
        name = _plain(folder)
        parts = folder.path.split("/")
        if plain[name] > 1 and len(parts) > 1 and parts[-2] in _WORKSPACES:
            name = f"{parts[-2]}-{name}"
        named.setdefault(name, []).append(folder)
    return named


def _plain(folder: _Folder) -> str:
    return re.sub(r"[^\w.-]+", "", folder.name).strip("._-") or folder.name


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
    counts: dict[str, Counter[str]] = {name: Counter() for name in members}
    for (start, end), weight in weighted.items():
        one, other = module_of.get(start), module_of.get(end)
        if one is not None and other is not None and one != other:
            counts[one][other] += weight
    return {
        name: tuple(sorted(found, key=lambda other: (-found[other], other)))
        for name, found in counts.items()
    }


def _key_files(
    name: str,
    prefixes: Sequence[str],
    members: Sequence[SourceFile],
    tests: Sequence[str],
    rank: Mapping[str, float],
) -> tuple[KeyFile, ...]:
    """One way in, the most imported files, one configuration and one test."""
    by_role: dict[Role, list[str]] = {"entry": [], "core": [], "config": [], "test": []}
    for file in sorted(members, key=lambda f: (-rank.get(f.path, 0), f.path.count("/"), f.path)):
        # A package file with nothing but a sentence in it leads nowhere.
        if file.language not in BY_NAME or file.symbols or file.imports or file.exports:
            by_role[role_of(file.path)].append(file.path)
    own = [path for path in tests if path.startswith(tuple(p + "/" for p in prefixes))]
    about = [path for path in tests if re.search(rf"(?:^|[/_.-]){re.escape(name)}[/_.-]", path)]
    by_role["test"] = own or about
    by_role["entry"].sort(key=lambda path: path.count("/"))
    cores = _KEY_FILES - 1 - bool(by_role["config"]) - bool(by_role["test"])
    chosen = (
        ("entry", by_role["entry"][:1]),
        ("core", by_role["core"][:cores]),
        ("config", by_role["config"][:1]),
        ("test", by_role["test"][:1]),
    )
    return tuple(KeyFile(path=path, role=role) for role, paths in chosen for path in paths)


def _description(members: Sequence[SourceFile], rank: Mapping[str, float]) -> str:
    """How much of what, and the names that stand for it."""
    main = Counter(_NAMES.get(f.language, f.language.capitalize()) for f in members)
    language = main.most_common(1)[0][0] if main else ""
    names: dict[str, None] = {}
    for file in sorted(members, key=lambda f: (-rank.get(f.path, 0), f.path)):
        public = [s for s in file.symbols if s.exported and not s.parent and s.name != "default"]
        public.sort(key=lambda s: (s.kind not in ("class", "function"), s.start - s.end))
        for symbol in public[:2]:
            names.setdefault(symbol.name)
    listed = ", ".join(list(names)[:5])
    count = f"{len(members)} {language} file{'s' * (len(members) != 1)}"
    return f"{count}: {listed}" if listed else count
