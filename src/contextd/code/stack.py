"""What a project is made of, found in its file names and manifests. Nothing is run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath

from contextd.code.content import decode
from contextd.code.manifests import Manifest, is_manifest, parse
from contextd.code.paths import read_inside
from contextd.code.stack_table import (
    LANGUAGES,
    LANGUAGES_OF,
    MARKUP,
    NOT_THE_STACK,
    RUNTIME_IMAGES,
    RUNTIME_OF,
    TECHNOLOGIES,
    Category,
    Technology,
)
from contextd.domain.errors import ContextdError

Read = Callable[[str], str]
"""The text of a file of the project by its path; raises OSError or ContextdError when it cannot."""

MOST_MANIFESTS = 400
LARGEST_MANIFEST = 8_000_000
MOST_LABELS = 12

_LABELLED: tuple[Category, ...] = (
    "fullstack", "backend", "frontend", "mobile", "desktop", "ui", "api", "orm", "database",
    "messaging", "ai", "data", "cli",
)  # fmt: skip
# A client library's version is not its server's, nor a protocol's.
_VERSION_OF_CLIENT = {"database", "messaging"}
_UNVERSIONED = {"GraphQL", "gRPC", "MCP"}
_WEAK = 0.15


@dataclass(frozen=True, slots=True)
class Share:
    """A language's part of the project's source files, 0 to 1."""

    language: str
    share: float
    files: int


@dataclass(frozen=True, slots=True)
class Found:
    """A technology in use. `version` is as short as it is sure: `14`, `4+`, or empty. `weight`
    falls with the distance from the root and rises with the number of places. `evidence` are
    lines like `apps/web/package.json: next ^14.1.0`. `only_dev` when nothing but development
    asks for it.
    """

    name: str
    category: Category
    version: str = ""
    weight: float = 0.0
    evidence: tuple[str, ...] = ()
    only_dev: bool = False

    @property
    def label(self) -> str:
        """Name and version: `Next.js 14`."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class Stack:
    """What a project is made of. `technologies` are sorted by weight."""

    languages: tuple[Share, ...] = ()
    technologies: tuple[Found, ...] = ()
    runtime: str = ""
    runtime_evidence: str = ""
    package_manager: str = ""
    package_manager_evidence: str = ""
    manifests: tuple[Manifest, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The few names that describe the project, frameworks first; at most 12."""
        best: dict[str, float] = defaultdict(float)
        for one in self.technologies:
            best[one.category] = max(best[one.category], one.weight)
        frameworks: list[Found] = []
        rest: list[Found] = []
        for category in _LABELLED:
            for one in self.technologies:
                if one.category == category and one.weight >= _WEAK * best[category]:
                    (frameworks if category in _LABELLED[:5] else rest).append(one)
        chosen = [one.label for one in frameworks if not one.only_dev][:6]
        chosen += self._language_labels()
        chosen += [one.label for one in rest if not one.only_dev]
        return tuple(dict.fromkeys(chosen))[:MOST_LABELS]

    def of(self, *categories: Category) -> tuple[Found, ...]:
        """The technologies of these categories, heaviest first."""
        return tuple(one for one in self.technologies if one.category in categories)

    def _language_labels(self) -> list[str]:
        main = [one.language for one in self.languages if one.share >= 0.2]
        real = [name for name in main if name not in MARKUP] or main[:1]
        if "TypeScript" in real and "JavaScript" in real:
            real.remove("JavaScript")
        named = {one.name for one in self.technologies}
        typescript = _typescript(self.manifests)
        return [
            f"TypeScript {typescript}".strip() if name == "TypeScript" else name
            for name in real
            if name not in named
        ]


def detect(
    root: Path,
    paths: Sequence[str],
    read: Read | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Stack:
    """The stack of the project in `root` with these files (relative POSIX paths).

    At most 400 manifests are read, the nearest to the root first. `sizes` weighs languages by
    bytes instead of by files. A broken manifest is named in `problems` and otherwise ignored.
    """
    own = [path for path in paths if not is_beside(path)]
    names = sorted((p for p in own if is_manifest(p)), key=lambda p: (p.count("/"), p))
    load = read or (lambda path: decode(read_inside(root, path, limit=LARGEST_MANIFEST)))
    manifests = [m for path in names[:MOST_MANIFESTS] if (m := _load(path, load)) is not None]
    languages = _languages(own, sizes)
    found = _technologies(manifests, own, paths)
    primary = _primary(manifests, languages)
    runtime, runtime_evidence = _runtime(manifests, primary)
    manager, manager_evidence = _manager(manifests, primary)
    return Stack(
        languages=languages,
        technologies=found,
        runtime=runtime,
        runtime_evidence=runtime_evidence,
        package_manager=manager,
        package_manager_evidence=manager_evidence,
        manifests=tuple(manifests),
        problems=tuple(f"{m.path}: {m.problem}" for m in manifests if m.problem),
    )


def is_beside(path: str) -> bool:
    """Whether a file lies in examples, tests, fixtures and the like, beside the project proper."""
    # Below src/main the folders are those of a Java package, which may well hold "samples".
    before, found, _ = path.partition("src/main/")
    folders = before.split("/") if found else path.split("/")[:-1]
    return not NOT_THE_STACK.isdisjoint(folders)


def short_version(asked: str) -> str:
    """What a requirement comes down to: `^14.1` is `14`, `>=4.2` is `4+`, `0.110.1` is `0.110`.

    Of alternatives (`^18 || ^20`) the highest counts. Empty when no version is named.
    """
    best: tuple[tuple[int, ...], str] = ((), "")
    for one in re.split(r"\|\|", asked):
        found = re.search(r"(?<![\w.])v?(\d+)(?:\.(\d+))?", one)
        if found is None or len(found[1]) > 4:
            continue
        major, minor = int(found[1]), int(found[2] or 0)
        text = f"0.{minor}" if major == 0 and found[2] else str(major)
        lower_only = re.match(r"\s*>=?", one) and not re.search(r"<|~|-\s", one)
        best = max(best, ((major, minor), text + "+" * bool(lower_only)))
    return best[1]


def _load(path: str, read: Read) -> Manifest | None:
    try:
        return parse(path, read(path))
    except (OSError, ContextdError) as error:
        return Manifest(path, problem=f"not read: {error}"[:200])


def _languages(paths: Iterable[str], sizes: Mapping[str, int] | None) -> tuple[Share, ...]:
    weight: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    for path in paths:
        language = LANGUAGES.get(path.rpartition(".")[2].lower()) if "." in path else None
        if language:
            weight[language] += sizes.get(path, 0) if sizes is not None else 1
            count[language] += 1
    total = sum(weight.values()) or 1.0
    shares = [Share(name, round(w / total, 4), count[name]) for name, w in weight.items()]
    return tuple(sorted(shares, key=lambda one: (-one.share, one.language)))


@cache
def _index() -> tuple[dict[str, list[Technology]], list[tuple[str, Technology]]]:
    exact: dict[str, list[Technology]] = defaultdict(list)
    prefixes = []
    for row in TECHNOLOGIES:
        for package in row.packages:
            if package.endswith("*"):
                prefixes.append((package[:-1], row))
            else:
                exact[package].append(row)
    return exact, prefixes


def _rows_for(package: str) -> list[Technology]:
    exact, prefixes = _index()
    starts = (row for prefix, row in prefixes if package.startswith(prefix))
    return exact.get(package) or list(dict.fromkeys(starts))


class _Tally:
    """Evidence for one technology."""

    def __init__(self) -> None:
        self.weight = 0.0
        self.lines: list[str] = []
        self.versions: list[tuple[float, str]] = []
        self.only_dev = True

    def add(self, weight: float, line: str, version: str = "", *, dev: bool = False) -> None:
        self.weight += weight * (0.4 if dev else 1.0)
        self.lines.append(line)
        if version:
            self.versions.append((weight, version))
        self.only_dev &= dev

    def as_found(self, row: Technology) -> Found:
        # The version nearest to the root; a sure one before an open one.
        versions = sorted(self.versions, key=lambda v: (v[1].endswith("+"), -v[0]))
        version = versions[0][1] if versions else ""
        lines = tuple(dict.fromkeys(self.lines))[:5]
        weight = round(self.weight, 3)
        return Found(row.name, row.category, version, weight, lines, self.only_dev)


def _technologies(
    manifests: Sequence[Manifest], own: Sequence[str], every: Sequence[str]
) -> tuple[Found, ...]:
    tallies: dict[Technology, _Tally] = defaultdict(_Tally)
    locked: dict[tuple[str, str], str] = {}
    own_names = {(manifest.ecosystem, manifest.name) for manifest in manifests}
    for manifest in reversed(manifests):
        locked |= {(manifest.ecosystem, name): v for name, v in manifest.versions.items()}
    for manifest in manifests:
        _from_packages(manifest, own_names, locked, tallies)
        _from_images(manifest, tallies)
    _from_files(own, every, tallies)
    found = [tally.as_found(row) for row, tally in tallies.items()]
    return tuple(sorted(found, key=lambda one: (-one.weight, one.name)))


def _from_packages(
    manifest: Manifest,
    own_names: Set[tuple[str, str]],
    locked: Mapping[tuple[str, str], str],
    tallies: dict[Technology, _Tally],
) -> None:
    for name, asked in manifest.dependencies.items():
        if (manifest.ecosystem, name) in own_names:
            continue
        for row in _rows_for(f"{manifest.ecosystem}/{name}"):
            version = short_version(asked)
            exact = locked.get((manifest.ecosystem, name), "")
            if exact and (not version or version.endswith("+")):
                version = short_version(exact)
            if row.category in _VERSION_OF_CLIENT or row.name in _UNVERSIONED:
                version = ""
            # Front ends are built, so their frameworks often stand among the tools.
            dev = name in manifest.dev and not (
                manifest.ecosystem == "npm" and row.category in ("frontend", "fullstack", "ui")
            )
            line = f"{manifest.path}: {name} {asked}".rstrip()
            tallies[row].add(_weight(manifest.path), line, version, dev=dev)


def _from_images(manifest: Manifest, tallies: dict[Technology, _Tally]) -> None:
    for image in manifest.images:
        name, tag = _image(image)
        for row in TECHNOLOGIES:
            if name in row.images:
                line = f"{manifest.path}: {image}"
                tallies[row].add(_weight(manifest.path), line, short_version(tag))


def _from_files(
    own: Sequence[str], every: Sequence[str], tallies: dict[Technology, _Tally]
) -> None:
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in own:
        by_name[path.rpartition("/")[2]].append(path)
    for row in TECHNOLOGIES:
        for pattern in row.files:
            if "/" in pattern or row.category == "ci":
                hits = [path for path in every if _same_place(path, pattern)]
            elif "*" in pattern:
                hits = [p for name, ps in by_name.items() if fnmatchcase(name, pattern) for p in ps]
            else:
                hits = by_name.get(pattern, [])
            for path in sorted(hits, key=lambda p: p.count("/"))[:3]:
                tallies[row].add(0.5 * _weight(path), path)


def _same_place(path: str, pattern: str) -> bool:
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)


def _weight(path: str) -> float:
    return 1.0 / (1 + path.count("/"))


def _image(image: str) -> tuple[str, str]:
    place, _, tag = image.partition("@")[0].rpartition(":")
    if not place or "/" in tag:
        place, tag = image, ""
    return PurePosixPath(place).name, tag


def _primary(manifests: Sequence[Manifest], languages: Sequence[Share]) -> str:
    """The ecosystem the project belongs to: the nearest manifest's, and among equals the one
    whose languages it is written in.
    """
    share = {one.language: one.share for one in languages}
    ranked: dict[str, float] = {}
    for manifest in manifests:
        system = manifest.ecosystem
        if system in RUNTIME_OF and not manifest.problem:
            written = sum(share.get(name, 0.0) for name in LANGUAGES_OF[system])
            score = _weight(manifest.path) * (0.1 + written)
            ranked[system] = max(ranked.get(system, 0.0), score)
    return max(ranked, key=lambda system: ranked[system], default="")


def _runtime(manifests: Sequence[Manifest], primary: str) -> tuple[str, str]:
    expected = {RUNTIME_OF.get(primary, "")}
    if primary == "npm":
        expected |= {"Bun", "Deno"}
        if _manager(manifests, primary)[0] != "bun":
            expected.discard("Bun")
    told: list[tuple[int, int, str, str, str]] = []
    for manifest in manifests:
        depth = manifest.path.count("/")
        for name, asked in manifest.runtimes.items():
            told.append((depth, len(manifest.dependencies) > 0, name, asked, manifest.path))
        for image, tag in map(_image, manifest.images):
            if image in RUNTIME_IMAGES:
                told.append((depth, 2, RUNTIME_IMAGES[image], tag, manifest.path))
    fitting = [one for one in told if not primary or one[2] in expected]
    rivals = {one[2] for one in fitting}
    # Something that names Bun or Deno means it; everybody names Node.js.
    if rivals & {"Bun", "Deno"}:
        fitting = [one for one in fitting if one[2] != "Node.js"]
    for _, _, name, asked, path in sorted(fitting, key=lambda one: one[:2]):
        if version := _runtime_version(name, asked):
            return f"{name} {version}", path
    name = next((one[2] for one in sorted(fitting)), RUNTIME_OF.get(primary, ""))
    return name, next((m.path for m in manifests if m.ecosystem == primary), "") if name else ""


def _runtime_version(name: str, asked: str) -> str:
    if name in ("Node.js", "Java", ".NET", "Deno"):
        return short_version(asked)
    found = re.search(r"\d+\.\d+", asked)
    if found is None:
        return short_version(asked)
    lower_only = re.match(r"\s*(?:>=?)", asked) and "<" not in asked
    return found[0] + "+" * bool(lower_only)


def _manager(manifests: Sequence[Manifest], primary: str) -> tuple[str, str]:
    fitting = [m for m in manifests if m.manager and m.ecosystem == primary]
    # `packageManager` first, then the nearest lock file.
    fitting.sort(key=lambda m: (not m.path.endswith("package.json"), m.path.count("/")))
    if fitting:
        return fitting[0].manager, fitting[0].path
    default = {"npm": "npm", "pypi": "pip"}.get(primary, "")
    path = next((m.path for m in manifests if m.ecosystem == primary), "")
    return default, path if default else ""


def _typescript(manifests: Sequence[Manifest]) -> str:
    for manifest in manifests:
        asked = manifest.dependencies.get("typescript") if manifest.ecosystem == "npm" else None
        if asked is not None:
            catalogue = (m.versions.get("typescript", "") for m in manifests)
            return short_version(asked) or short_version(next(filter(None, catalogue), ""))
    return ""
