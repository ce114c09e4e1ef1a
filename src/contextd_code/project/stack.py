"""Detect a project's stack from file names and manifests. Runs nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from contextd_code.project.manifests import Manifest, is_lock, is_manifest, jvm, parse
from contextd_code.project.stack_evidence import FoundTechnology, Share, short_version, technologies
from contextd_code.project.stack_languages import LANGUAGES, LANGUAGES_OF, MARKUP
from contextd_code.project.stack_row import Category
from contextd_code.project.stack_runtime import manager_of, primary_ecosystem, runtime_of
from contextd_code.project.support_code import is_beside, is_beside_name
from contextd_code.tree.content import decode
from contextd_code.tree.paths import read_inside
from contextd_code.values.source import is_test
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

Read = Callable[[str], str]
"""Return the text of a project file by its path; raises OSError or ContextdError."""

MOST_MANIFESTS, MOST_OF_TESTS = 400, 20
LARGEST_MANIFEST, LARGEST_LOCK = 1_000_000, 8_000_000
MOST_LABELS = 12

_LABELLED: tuple[Category, ...] = (
    "fullstack", "backend", "frontend", "mobile", "desktop", "ui", "api", "orm", "database",
    "messaging", "ai", "data", "cli",
)  # fmt: skip
_OF_OTHERS = re.compile(
    r"^(?:deps|extern|externals?|contrib|3rdparty)/|(?:^|/)(?:thirdparty|node_modules|bower_components|vendor|vendored"
    r"|third[_-]party|submodules|site-packages|\.?venv|\.yarn|\.git|dist|target)/|\{\{|(?:^|/)(?:gradlew\.bat|mvnw\.cmd)$",
    re.IGNORECASE,
)
"""Vendored and built code, and templates of projects."""

_NOT_COUNTED = re.compile(
    r"(?:^|/)(?:website|javadoc|apidocs|docs?|documentation|examples?|samples?|demos?|tutorials?|fixtures|testdata|testing"
    r"|mocks|__mocks__|__snapshots__|snapshots|benchmarks?|bench|benches|playgrounds?|grammars|syntaxes)/",
    re.IGNORECASE,
)
"""Folders whose languages are not the project's: a highlighter has sample files in a hundred of them."""

_HELPERS = {"console", "setup", "rake", "rspec", "test", "release"}
"""Programs in the folder of a gem that help to develop it."""

_WEAK = 0.15
_MOSTLY, _HARDLY = 0.8, 0.05
"""Shares of the bytes: below them, the remaining program is secondary to the project."""
_LARGE_FILE, _LARGEST_COUNTED = 40_000, 1_000_000
"""The most bytes of one file that count, for a project's type and for its languages."""


@dataclass(frozen=True, slots=True)
class Stack:
    """The stack of a project. `technologies` are sorted by weight."""

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
        """The main names that describe the project, frameworks first; at most 12."""
        best: dict[str, float] = defaultdict(float)
        for one in self.technologies:
            best[one.category] = max(best[one.category], one.weight)
        frameworks: list[FoundTechnology] = []
        rest: list[FoundTechnology] = []
        # A family of front-end libraries with one adapter for Next.js is not a Next.js
        # application.
        minor = 3 * best["fullstack"] < best["frontend"]
        # A front end in a folder of a program in another language ranks below that
        # language.
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
        """The language of most programs; empty if none has half of them."""
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
            # Types that are declared for a program in JavaScript are not what it is written in.
            real.remove(max("TypeScript", "JavaScript", key=real.index))
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

    Reads at most 400 manifests, the nearest to the root first. `sizes` weighs languages by bytes
    instead of by files. `used` are pairs of a language and an imported module, for modules that
    come with a language and are in no manifest. A broken manifest is named in `problems` and
    otherwise ignored.
    """
    own = [path for path in paths if not is_beside(path)]
    load = read or _reader(root)
    names = sorted((p for p in own if is_manifest(p)), key=lambda p: (p.count("/"), p))
    manifests = [_load(path, load) for path in names[:MOST_MANIFESTS]]
    manifests = [_with_programs(m, paths) for m in manifests]
    scripts = [m for m in manifests if m.path.endswith((".gradle", ".kts"))]
    manifests = [jvm.as_used(m, scripts) if m.path.endswith(".toml") else m for m in manifests]
    languages = _languages(own, sizes)
    manifests = [one for one in manifests if not _is_aside(one, languages)]
    of_tests = sorted(
        (p for p in paths if _is_of_tests(p) and not _OF_OTHERS.search(p)),
        key=lambda p: (p.count("/"), p),
    )
    trials = [_load(path, load) for path in of_tests[:MOST_OF_TESTS]]
    found = technologies(manifests, own, paths, used, trials)
    primary = primary_ecosystem(manifests, languages)
    runtime, runtime_evidence = runtime_of(manifests, primary)
    if not runtime and languages and languages[0].language in ("C", "C++"):
        # A compiled language needs no separate runtime name.
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


def _with_programs(manifest: Manifest, paths: Sequence[str]) -> Manifest:
    """The manifest with the names of the files where it names a folder of programs, as `bin/*`."""
    folder = manifest.path.rpartition("/")[0]
    found: list[str] = []
    for command in manifest.commands:
        place = f"{folder}/{command[:-1]}".lstrip("/")
        inside = [p.removeprefix(place) for p in paths if p.startswith(place)]
        known = _HELPERS - {manifest.name} if command.startswith("bin/") else set[str]()
        names = (one for one in inside if "/" not in one and one not in known)
        found += names if command.endswith("/*") else [command]
    return replace(manifest, commands=tuple(found)) if found or manifest.commands else manifest


def _is_aside(manifest: Manifest, languages: Sequence[Share]) -> bool:
    """Whether a package manifest is irrelevant in a project of C or C++, because hardly any file is
    in its language.
    """
    share = {one.language: one.share for one in languages}
    known = LANGUAGES_OF.get(manifest.ecosystem)
    if known is None or share.get("C", 0.0) + share.get("C++", 0.0) <= _MOSTLY:
        return False
    return sum(share.get(name, 0.0) for name in known) < _HARDLY


def _is_of_tests(path: str) -> bool:
    """Whether this manifest only lists test dependencies."""
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


_QUERY = re.compile(r"(?:queries/.*|(?:highlights|injections|locals|tags|indents|folds))\.scm$")
"""Queries of Tree-sitter, which are not Scheme."""


def language_shares(
    paths: Iterable[str], sizes: Mapping[str, int] | None = None, aside: tuple[str, ...] = ()
) -> tuple[Share, ...]:
    """The languages that the project itself is written in, by bytes where `sizes` are given. Folders `aside`,
    each with a slash at its end, are no part of it.

    `files` counts every file of a language in the repository, tests and examples included, without
    vendored and built code.
    """
    whole = [path for path in paths if not _OF_OTHERS.search(path)]
    own = [path for path in whole if not path.startswith(aside)]
    counted = [path for path in own if not _NOT_COUNTED.search(path) and not _is_trial(path)]
    shares = _languages(counted or whole, sizes, _LARGEST_COUNTED)
    every = {one.language: one.files for one in _languages(whole, None)}
    return tuple(replace(one, files=every.get(one.language, one.files)) for one in shares)


def _is_trial(path: str) -> bool:
    return is_test(path) or any(is_beside_name(one) for one in path.split("/")[:-1])


def _languages(
    paths: Iterable[str], sizes: Mapping[str, int] | None, largest: int = _LARGE_FILE
) -> tuple[Share, ...]:
    weight: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    endings: dict[str, int] = defaultdict(int)
    for path in paths:
        language = LANGUAGES.get(path.rpartition(".")[2].lower()) if "." in path else None
        if language and not _QUERY.search(path):
            # One huge file, mostly generated, must not dominate.
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
    """Count headers called `.h` where their sources are: C++ where more files are of that than of C. Without any
    source of C they are of the other language that has headers, or of none.
    """
    headers = endings.get("h", 0)
    if not headers:
        return
    sources = count["C"] - headers
    others = [one for one in ("C++", "Objective-C", "CUDA") if count.get(one, 0) > sources]
    bridged = not sources and count.get("Swift", 0) > 0
    if not others and not bridged:
        return
    part = weight["C"] * headers / count["C"]
    weight["C"] -= part
    count["C"] -= headers
    if others:
        weight[others[0]] += part
        count[others[0]] += headers
    if not count["C"]:
        del weight["C"], count["C"]


def _typescript(manifests: Sequence[Manifest]) -> str:
    for manifest in manifests:
        asked = manifest.dependencies.get("typescript") if manifest.ecosystem == "npm" else None
        if asked is not None:
            catalogue = (m.versions.get("typescript", "") for m in manifests)
            return short_version(asked) or short_version(next(filter(None, catalogue), ""))
    return ""
