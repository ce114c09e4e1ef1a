"""Find how to build, test and run a project, from its manifests and CI."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from contextd_code.project.manifests import Manifest, is_manifest
from contextd_code.project.manifests.model import table
from contextd_common.files.yaml_text import load_plain

Read = Callable[[str], str]

_MANAGERS = {
    "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun",
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm",
}  # fmt: skip
_WANTED = "build", "dev", "start", "test", "lint"
_TARGET = re.compile(
    r"^(all|build|test|tests|check|run|lint|dev)[ \t]*::?(?![=:])([^\n;]*)(;[^\n]*)?((?:\n(?:\t[^\n]*|[ \t]*(?=\n\t)))*)",
    re.MULTILINE,
)
"""(target, prerequisites, recipe on the same line, recipe below) of a Makefile."""

_SETS_VARIABLE = re.compile(r"^\s*(?:export\s+|override\s+)?[\w.]+\s*[:+?]?=")
_IDLE = re.compile(
    r"(?:[@-]|\s)*(?:(?:echo|printf|awk|grep|sed|cat)\b|exit\b|true\b|false\b|:(?:\s|$)|#|$|\$\((?:error|info|warning)\b)"
)
"""A recipe line that builds and tests nothing."""

_SETS_UP = re.compile(
    r"\b(?:virtualenv|venv)\b|\b(?:pip3?|npm|yarn|pnpm|poetry|bundle) (?:ci\b|i\b|install\b)"
)
"""A recipe that installs development requirements and builds nothing."""

_WRITTEN = re.compile(r"\.(?:md|json|txt|html|ya?ml|csv|svg|png)$")
"""Documents and data that a target makes; not programs."""

_MORE_THAN_BUILT = re.compile(
    r"release|dist|install|clean|test|check|lint|fmt|format|deploy|publish|upload|docs?\b|help|push|docker"
)
"""Prerequisites of `make all` that do not build."""

_BY_FILE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Cargo.toml", ("build: cargo build", "test: cargo test")),
    ("go.mod", ("build: go build ./...", "test: go test ./...")),
    ("manage.py", ("run: python manage.py runserver", "test: python manage.py test")),
    ("noxfile.py", ("test: nox",)),
    ("gradlew", ("build: ./gradlew build", "test: ./gradlew test")),
    ("mvnw", ("build: ./mvnw package", "test: ./mvnw test")),
    ("pom.xml", ("build: mvn package", "test: mvn test")),
    ("meson.build", ("build: meson setup build && meson compile -C build",)),
    (".rspec", ("test: bundle exec rspec",)),
    ("Rakefile", ("tasks: rake -T",)),
    ("mix.exs", ("test: mix test",)),
    ("Package.swift", ("build: swift build", "test: swift test")),
    ("phpunit.xml.dist", ("test: vendor/bin/phpunit",)),
    ("phpunit.xml", ("test: vendor/bin/phpunit",)),
    ("dbt_project.yml", ("build: dbt build",)),
)
"""Commands implied by the existence of a file in the root."""

_BUILT_BY = re.compile(
    r"(?:readme|install|build|compil|contribut|hacking|develop)[^/]*$", re.IGNORECASE
)
_CMAKE = re.compile(
    r"\bcmake\s+(?:--build|-[BSGH]|-D\S+\s.*\.\.?(?:\s|$)|\.\.?(?:\s|$))", re.MULTILINE
)

_CI = re.compile(r"^\.github/workflows/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$|^\.circleci/config\.yml$")
_TESTS = re.compile(
    r"(?:^|[\s/:_.-])(?:tests?(?!/)|pytest|tox|nox|phpunit|rspec|molecule|ctest|vitest|jest)\b"
)
_NO_TEST = re.compile(
    r"^(?:if|for|while|case|set|echo|cd|mkdir|export|cat|git|rm|cp)\b|^test\s+[-!\[]|[{(|&]$|^[#!]|^[-*]\s|\binstall\b|\bupload|[$`\\]"
)
"""Skip commands that are empty or use variables that exist only inside the pipeline."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_SAYS_ONLY = re.compile(
    r"^(?:echo|exit|true|:)\b|^node -e\b.*console\.|no test specified|\bhas been removed\b"
)
"""A script that only prints a message."""

_LONGEST_SCRIPT = 60
_MOST, _MOST_CI, _LONGEST = 8, 2, 90


def commands(paths: Sequence[str], manifests: Sequence[Manifest], read: Read) -> tuple[str, ...]:
    """Lines such as `test: npm test (vitest run)`: from manifests in the root, then from CI."""
    top = {path for path in paths if "/" not in path}
    known = {manifest.path for manifest in manifests}
    found = [*_of_scripts(top, read), *_of_make(top, read), *_of_composer(top, read)]
    for name, lines in _BY_FILE:
        speaks = name in known or not is_manifest(name)
        if name in top and speaks and not (name == "pom.xml" and "mvnw" in top):
            bundled = name in ("Rakefile",) and "Gemfile" in top
            found += [
                line.replace("rake", "bundle exec rake") if bundled else line for line in lines
            ]
    found += _of_configure(top)
    found += _of_cmake(top, read)
    found += _of_others(paths, top, manifests, read)
    first: dict[str, str] = {}
    for line in found:
        first.setdefault(line.partition(":")[0], line)
    tests = [line for line in _of_ci(paths, read) if line not in first.values()]
    return (*list(first.values())[:_MOST], *tests)


def _of_scripts(top: set[str], read: Read) -> Iterator[str]:
    if "package.json" not in top:
        return
    try:
        manifest = table(json.loads(read("package.json")))
    except (ValueError, RecursionError):
        return
    scripts = table(manifest.get("scripts"))
    asked = str(manifest.get("packageManager") or "").partition("@")[0]
    locked = next((tool for lock, tool in _MANAGERS.items() if lock in top), "npm")
    manager = asked if asked in _MANAGERS.values() else locked
    for name in _WANTED:
        script = scripts.get(name)
        if isinstance(script, str) and script and not _SAYS_ONLY.search(script):
            plain = manager in ("pnpm", "yarn") or name in ("test", "start")
            yield f"{name}: {manager} {'' if plain and manager != 'bun' else 'run '}{name} ({_short(script)})"


def _short(script: str) -> str:
    line = " ".join(script.split())
    return line if len(line) <= _LONGEST_SCRIPT else f"{line[:_LONGEST_SCRIPT].rstrip()} …"


def _of_make(top: set[str], read: Read) -> Iterator[str]:
    """Makefile targets with a recipe for their name; `all` builds if it does nothing else."""
    name = next((name for name in ("GNUmakefile", "makefile", "Makefile") if name in top), "")
    found: dict[str, None] = {}
    for target, needs, beside, below in _TARGET.findall(
        read(name).replace("\\\n", " ") if name else ""
    ):
        recipe = [beside.removeprefix(";"), *below.split("\n")]
        works = any(not _IDLE.match(line) for line in recipe)
        only_set = _SETS_VARIABLE.match(needs) is not None
        sets_up = target == "build" and not needs.strip() and _SETS_UP.search(below) is not None
        if only_set or sets_up or not (works or needs.partition("#")[0].strip()):
            continue
        written = needs.split() and all(_WRITTEN.search(one) for one in needs.split())
        if target == "all" and written and not works:
            continue
        if target != "all" or not _MORE_THAN_BUILT.search(f"{needs} {below}"):
            found[target] = None
    for target in sorted(found, key=lambda one: one == "all"):
        yield f"{'build' if target == 'all' else target.removesuffix('s')}: make {target}"


def _of_configure(top: set[str]) -> Iterator[str]:
    """A build by Autoconf; `configure` often has to be generated first."""
    if "configure" in top and top & {"configure.ac", "Makefile.in", "Makefile", "configure.in"}:
        yield "build: ./configure && make"
    elif top & {"configure.ac", "configure.in"}:
        script = next(
            (one for one in ("autogen.sh", "bootstrap.sh", "bootstrap") if one in top), ""
        )
        first = f"./{script}" if script else "autoreconf -i"
        yield f"build: {first} && ./configure && make"


def _of_cmake(top: set[str], read: Read) -> Iterator[str]:
    """A build by CMake, if a document in the root mentions it, because many CMakeLists.txt are only
    for other projects.
    """
    if "CMakeLists.txt" in top:
        documents = sorted(name for name in top if _BUILT_BY.match(name))
        if any(_CMAKE.search(read(name)) for name in documents):
            yield "build: cmake -B build && cmake --build build"


def _of_composer(top: set[str], read: Read) -> Iterator[str]:
    if "composer.json" not in top:
        return
    try:
        scripts = table(table(json.loads(read("composer.json"))).get("scripts"))
    except (ValueError, RecursionError):
        return
    for name in ("test", "lint"):
        if name in scripts:
            yield f"{name}: composer {name}"


def _of_others(
    paths: Sequence[str], top: set[str], manifests: Sequence[Manifest], read: Read
) -> Iterator[str]:
    built = sorted(name for name in top if name.endswith((".sln", ".slnx", "proj")))
    # Where several could be meant, dotnet asks for the name of one.
    if len(built) == 1 and not built[0].endswith("proj"):
        yield "build: dotnet build"
        if any(re.search(r"test[^/]*\.(?:cs|fs|vb)proj$", path, re.I) for path in paths):
            yield "test: dotnet test"
    if "tox.ini" in top and "[testenv" in read("tox.ini"):
        yield "test: tox"
    if "pytest.ini" in top or "[tool.pytest" in (
        read("pyproject.toml") if "pyproject.toml" in top else ""
    ):
        yield "test: pytest"
    if "pubspec.yaml" in top:
        own = next((m for m in manifests if m.path == "pubspec.yaml"), None)
        tool = "flutter" if own is not None and "flutter" in own.dependencies else "dart"
        # The root of a workspace has neither a program nor tests.
        if (own is None or not own.members) and any(
            p.startswith(("bin/", "lib/main.")) for p in paths
        ):
            yield f"run: {tool} run"
        if any(path.startswith("test/") for path in paths):
            yield f"test: {tool} test"


def _of_ci(paths: Sequence[str], read: Read) -> list[str]:
    """The first test commands of CI, each with its folder."""
    found: dict[str, None] = {}
    for path in [path for path in paths if _CI.search(path)][:10]:
        for line, folder in _runs_of(path, read(path)):
            bare = _QUOTED.sub("", line)
            fits = _TESTS.search(bare) and len(line) <= _LONGEST and not set(bare) & set("'\"")
            if fits and not _NO_TEST.search(line):
                where = f" (in {folder})" if folder else ""
                found.setdefault(f"CI ({path}): {line}{where}")
    return list(found)[:_MOST_CI]


def _runs_of(path: str, text: str) -> Iterator[tuple[str, str]]:
    """(command, its folder, empty for the root) of a pipeline.

    Commands in a folder named by a variable are skipped. Folders are only read from GitHub's
    pipelines.
    """
    try:
        whole = table(load_plain(text)) if text else {}
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    if not path.startswith(".github/"):
        yield from ((line, "") for script in _scripts(whole) for line in _lines(script))
        return
    for job in map(table, [*table(whole.get("jobs")).values(), whole]):
        steps = job.get("steps")
        for step in map(table, steps if isinstance(steps, list) else ()):
            folder = _folder(step) or _folder_of_defaults(job) or _folder_of_defaults(whole)
            script = step.get("run")
            if not isinstance(script, str) or "$" in folder:
                continue
            for line in _lines(script):
                yield line, folder


def _scripts(node: object) -> Iterator[str]:
    """The scripts of a pipeline other than GitHub's, at any depth: below `run`, `command` or
    `script`.
    """
    if isinstance(node, list):
        for one in node:
            yield from _scripts(one)
        return
    for key, value in table(node).items():
        if key in ("run", "command", "script", "before_script"):
            yield from (
                one
                for one in (value if isinstance(value, list) else [value])
                if isinstance(one, str)
            )
        if not isinstance(value, str):
            yield from _scripts(value)


def _lines(script: str) -> Iterator[str]:
    for line in script.replace("\\\n", " ").splitlines():
        # From here on the script is in another folder.
        if line.strip().startswith(("cd ", "pushd ")):
            break
        yield " ".join(line.split())


def _folder(step: Mapping[str, Any]) -> str:
    named = step.get("working-directory")
    return (
        named.strip().removeprefix("./").strip("/").removeprefix(".")
        if isinstance(named, str)
        else ""
    )


def _folder_of_defaults(part: Mapping[str, Any]) -> str:
    return _folder(table(table(part.get("defaults")).get("run")))
