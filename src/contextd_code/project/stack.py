"""What a project is made of, found in its file names and manifests. Nothing is run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from contextd_code.dataclass import dataclass
from contextd_code.errors import ContextdError
from contextd_code.project.manifests import Manifest, is_lock, is_manifest, parse
from contextd_code.project.stack_evidence import FoundTechnology, Share, short_version, technologies
from contextd_code.project.stack_languages import LANGUAGES, LANGUAGES_OF, MARKUP
from contextd_code.project.stack_row import Category
from contextd_code.project.stack_runtime import manager_of, primary_ecosystem, runtime_of
from contextd_code.project.support_code import is_beside
from contextd_code.tree.content import decode
from contextd_code.tree.paths import read_inside

Read = Callable[[str], str]
"""The text of a file of the project by its path; raises OSError or ContextdError when it cannot."""

MOST_MANIFESTS, MOST_OF_TESTS = 400, 20
LARGEST_MANIFEST, LARGEST_LOCK = 1_000_000, 8_000_000
MOST_LABELS = 12

_LABELLED: tuple[Category, ...] = (
    "fullstack", "backend", "frontend", "mobile", "desktop", "ui", "api", "orm", "database",
    "messaging", "ai", "data", "cli",
)  # fmt: skip
_NOT_COUNTED = re.compile(
    r"^(?:deps|extern|externals?|contrib|3rdparty)/|(?:^|/)(?:thirdparty|node_modules|bower_components|vendor|vendored|third[_-]party|site-packages|\.?venv|\.yarn|\.git"
    r"|dist|target|website|javadoc|apidocs|docs?|documentation|examples?|samples?|demos?|fixtures|testdata|__snapshots__)/|\{\{",
    re.IGNORECASE,
)
_WEAK = 0.15
_MOSTLY, _HARDLY = 0.8, 0.05
"""Shares of the bytes; the program that is left is at most one beside the project."""
_LARGE_FILE, _LARGEST_COUNTED = 40_000, 1_000_000
"""Bytes of one file that count: for what a project is, and for what its files are written in."""


@dataclass(frozen=True, slots=True)
class Stack:
    """What a project is made of. `technologies` are sorted by weight."""

    languages: tuple[Share, ...] = ()
    technologies: tuple[FoundTechnology, ...] = ()
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
        frameworks: list[FoundTechnology] = []
        rest: list[FoundTechnology] = []
        # A family of front end libraries with one adapter for Next.js is no Next.js application.
        minor = 3 * best["fullstack"] < best["frontend"]
        # A front end in a folder of a program in another language comes behind that language.
        behind = self.main_language not in ("", *LANGUAGES_OF["npm"])
        order = sorted(_LABELLED, key=lambda one: minor and not behind and one != "frontend")
        for category in order:
            for one in self.technologies:
                if one.category == category and one.weight >= _WEAK * best[category]:
                    (frameworks if category in _LABELLED[:5] else rest).append(one)
        leading = [one for one in frameworks if not (behind and one.category == "frontend")]
        chosen = [one.label for one in leading if not one.only_dev][:6]
        chosen += self._language_labels()
        chosen += [one.label for one in frameworks if not one.only_dev][:6]
        chosen += [one.label for one in rest if not one.only_dev]
        return tuple(dict.fromkeys(chosen))[:MOST_LABELS]

    @property
    def main_language(self) -> str:
        """The language of most of the programs; empty when none has half of them."""
        programs = [one for one in self.languages if one.language not in MARKUP]
        half = sum(one.share for one in programs) / 2
        return programs[0].language if programs and programs[0].share > half else ""

    def of(self, *categories: Category) -> tuple[FoundTechnology, ...]:
        """The technologies of these categories, heaviest first."""
        return tuple(one for one in self.technologies if one.category in categories)

    def _language_labels(self) -> list[str]:
        programs = [one for one in self.languages if one.language not in MARKUP]
        total = sum(one.share for one in programs)
        real = [one.language for one in programs if one.share >= 0.2 * total]
        real = real or [one.language for one in self.languages[:1]]
        if "TypeScript" in real and "JavaScript" in real:
            real.remove("JavaScript")
        named = {one.name for one in self.technologies if one.category in _LABELLED}
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
    used: Iterable[tuple[str, str]] = (),
) -> Stack:
    """The stack of the project in `root` with these files (relative POSIX paths).

    At most 400 manifests are read, the nearest to the root first. `sizes` weighs languages by
    bytes instead of by files. `used` are pairs of a language and a module that its files import,
    for what comes with a language and stands in no manifest. A broken manifest is named in
    `problems` and otherwise ignored.
    """
    own = [path for path in paths if not is_beside(path)]
    load = read or _reader(root)
    names = sorted((p for p in own if is_manifest(p)), key=lambda p: (p.count("/"), p))
    manifests = [_load(path, load) for path in names[:MOST_MANIFESTS]]
    languages = _languages(own, sizes)
    manifests = [one for one in manifests if not _is_aside(one, languages)]
    of_tests = sorted((p for p in paths if _is_of_tests(p)), key=lambda p: (p.count("/"), p))
    trials = [_load(path, load) for path in of_tests[:MOST_OF_TESTS]]
    found = technologies(manifests, own, paths, used, trials)
    primary = primary_ecosystem(manifests, languages)
    runtime, runtime_evidence = runtime_of(manifests, primary)
    if not runtime and languages and languages[0].language in ("C", "C++"):
        # What is compiled to the machine needs no other name for what it runs on.
        runtime = languages[0].language
    manager, manager_evidence = manager_of(manifests, primary)
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


def _is_aside(manifest: Manifest, languages: Sequence[Share]) -> bool:
    """Whether a manifest of packages says nothing about a project of C or C++: hardly anything in it is written
    in a language of theirs.
    """
    share = {one.language: one.share for one in languages}
    known = LANGUAGES_OF.get(manifest.ecosystem)
    if known is None or share.get("C", 0.0) + share.get("C++", 0.0) <= _MOSTLY:
        return False
    return sum(share.get(name, 0.0) for name in known) < _HARDLY


def _is_of_tests(path: str) -> bool:
    """Whether this manifest tells what tests are run with, and nothing else."""
    folders = path.split("/")[:-1]
    named = any(
        re.search(r"(?:^|[._-])(?:tests?|specs?|e2e)$|[a-z]Tests$", f, re.I) for f in folders
    )
    return (
        named and len(folders) <= 4 and is_beside(path) and is_manifest(path) and not is_lock(path)
    )


def _reader(root: Path) -> Read:
    def read(path: str) -> str:
        limit = LARGEST_LOCK if is_lock(path) else LARGEST_MANIFEST
        return decode(read_inside(root, path, limit=limit))

    return read


def _load(path: str, read: Read) -> Manifest:
    try:
        return parse(path, read(path))
    except (OSError, ContextdError) as error:
        return Manifest(path, problem=f"not read: {error}"[:200])


def language_shares(
    paths: Iterable[str], sizes: Mapping[str, int] | None = None
) -> tuple[Share, ...]:
    """The languages of a whole repository, tests and scripts included, by bytes where `sizes` are given. Left out
    is what others wrote, and what shows or documents: examples, templates of projects, built files.
    """
    counted = [path for path in paths if not _NOT_COUNTED.search(path)]
    return _languages(counted, sizes, _LARGEST_COUNTED)


def _languages(
    paths: Iterable[str], sizes: Mapping[str, int] | None, largest: int = _LARGE_FILE
) -> tuple[Share, ...]:
    weight: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    endings: dict[str, int] = defaultdict(int)
    for path in paths:
        language = LANGUAGES.get(path.rpartition(".")[2].lower()) if "." in path else None
        if language:
            # One huge file, mostly a generated one, must not stand for the project.
            weight[language] += max(1, min(sizes.get(path, 0), largest)) if sizes is not None else 1
            count[language] += 1
            endings[path.rpartition(".")[2].lower()] += 1
    _with_headers(weight, count, endings)
    total = sum(weight.values()) or 1.0
    shares = [Share(name, round(w / total, 4), count[name]) for name, w in weight.items()]
    return tuple(sorted(shares, key=lambda one: (-one.share, one.language)))


def _with_headers(
    weight: dict[str, float], count: dict[str, int], endings: Mapping[str, int]
) -> None:
    """Headers called `.h` are of C++ where more files are of that than of C."""
    sources = count.get("C", 0) - endings.get("h", 0)
    if count.get("C++", 0) > sources and endings.get("h", 0):
        part = weight["C"] * endings["h"] / count["C"]
        for tally, moved in ((weight, part), (count, endings["h"])):
            tally["C++"] += moved  # type: ignore[assignment]
            tally["C"] -= moved  # type: ignore[assignment]
        if not count["C"]:
            del weight["C"], count["C"]


def _typescript(manifests: Sequence[Manifest]) -> str:
    for manifest in manifests:
        asked = manifest.dependencies.get("typescript") if manifest.ecosystem == "npm" else None
        if asked is not None:
            catalogue = (m.versions.get("typescript", "") for m in manifests)
            return short_version(asked) or short_version(next(filter(None, catalogue), ""))
    return ""
