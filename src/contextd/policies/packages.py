"""Find packages that a change or a command adds, by name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from contextd.policies.actions import FileChange
from contextd_code.index.shell_commands import shell_text
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex


@dataclass(frozen=True, slots=True)
class PackageName:
    """A package of an ecosystem, and the line that adds it; 0 for a command."""

    ecosystem: str
    name: str
    line: int = 0


_QUOTED = regex(
    r"""["']([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;@][^"']*)?["']\s*(?:,|\]|$)"""
)
_TOML_KEY = regex(r"^\s*\"?([A-Za-z0-9][\w.-]*)\"?\s*=\s*(?:[\"']\s*[\^~<>=*\d]|\{)")
_REQUIREMENT = regex(r"^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;@#]|$)")
_NPM = regex(
    r'^\s*"((?:@[\w.-]+/)?[\w.-]+)"\s*:\s*"(?:[\^~<>=v*]|\d|latest|next|workspace:|npm:|git|https?:|file:|x\b)'
)
_GO = regex(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+(?:/[\w.~-]+)+)\s+v\d")
_GEM = regex(r"""^\s*(?:gem|s\.add\w*_dependency|spec\.add\w*_dependency)[ (]+["']([\w.-]+)["']""")
_COMPOSER = regex(r'^\s*"([a-z0-9][\w.-]*/[\w.-]+)"\s*:\s*"')
_MAVEN = regex(r"<artifactId>\s*([\w.-]+)\s*</artifactId>")
_GRADLE = regex(
    r"""\b(?:implementation|api|compileOnly|runtimeOnly|testImplementation|kapt)\b[ (]+["']([\w.-]+:[\w.-]+)"""
)

_MANIFESTS: tuple[tuple[re.Pattern[str], str, tuple[re.Pattern[str], ...]], ...] = (
    (regex(r"(?:.*/)?requirements[\w.-]*\.(?:txt|in)|.*requirements/[\w.-]+\.(?:txt|in)"),
     "pypi", (_REQUIREMENT,)),
    (regex(r"(?:.*/)?(?:pyproject\.toml|Pipfile|setup\.py|setup\.cfg)"), "pypi", (_QUOTED, _TOML_KEY)),
    (regex(r"(?:.*/)?package\.json"), "npm", (_NPM,)),
    (regex(r"(?:.*/)?go\.mod"), "go", (_GO,)),
    (regex(r"(?:.*/)?Cargo\.toml"), "cargo", (_TOML_KEY,)),
    (regex(r"(?:.*/)?(?:Gemfile|[\w.-]+\.gemspec)"), "gem", (_GEM,)),
    (regex(r"(?:.*/)?composer\.json"), "composer", (_COMPOSER,)),
    (regex(r"(?:.*/)?pom\.xml"), "maven", (_MAVEN,)),
    (regex(r"(?:.*/)?build\.gradle(?:\.kts)?"), "maven", (_GRADLE,)),
)  # fmt: skip
"""Manifest files: their ecosystem, and the pattern of a line with a dependency."""

_NO_PACKAGES = frozenset(
    """authors build-backend classifiers description edition homepage include keywords license name python
    readme repository requires-python rust-version version""".split()
)
"""Keys of manifests that look like a package with a version but are not."""

_INSTALLERS: Mapping[tuple[str, ...], str] = {
    ("npm", "install"): "npm", ("npm", "i"): "npm", ("npm", "add"): "npm", ("yarn", "add"): "npm",
    ("pnpm", "add"): "npm", ("pnpm", "install"): "npm", ("pnpm", "i"): "npm", ("bun", "add"): "npm",
    ("pip", "install"): "pypi", ("pip3", "install"): "pypi", ("uv", "add"): "pypi",
    ("uv", "pip", "install"): "pypi", ("poetry", "add"): "pypi", ("pipenv", "install"): "pypi",
    ("python", "-m", "pip", "install"): "pypi", ("python3", "-m", "pip", "install"): "pypi",
    ("cargo", "add"): "cargo", ("go", "get"): "go", ("gem", "install"): "gem",
    ("bundle", "add"): "gem", ("composer", "require"): "composer",
}  # fmt: skip
_WITH_VALUE = frozenset(
    "-r -c -e -i -t --requirement --constraint --editable --index-url --target".split()
)
_READ = 4_000
"""Characters of a command that are searched."""

_END = regex(r"&&|\|\||[;|\n]")
_VERSION = regex(r"(?<=.)(?:@|[<>=!~\[;]).*$")


def packages_in(change: FileChange) -> Iterator[PackageName]:
    """The packages that new lines of a manifest name; empty for other files."""
    for path, ecosystem, readers in _MANIFESTS:
        if not path.fullmatch(change.path):
            continue
        before = {name for _, line in change.removed for name in _names(line, readers, ecosystem)}
        for number, line in change.added:
            for name in _names(line, readers, ecosystem):
                # A new version of an existing package is not a new package.
                if name not in before:
                    yield PackageName(ecosystem, name, number)


def _names(line: str, readers: Sequence[re.Pattern[str]], ecosystem: str) -> Iterator[str]:
    if len(line) > 1_000 or line.lstrip().startswith("#"):
        return
    for reader in readers:
        for found in reader.finditer(line):
            name = normal(ecosystem, found.group(1))
            if name not in _NO_PACKAGES:
                yield name


def packages_installed_by(command: str) -> Iterator[PackageName]:
    """The packages that a command line installs by name, without duplicates."""
    yield from dict.fromkeys(_installed(command))


def _installed(command: str) -> Iterator[PackageName]:
    lines = "\n".join(shell_text(command[:_READ]).lines)
    for part in dict.fromkeys(_END.split(lines)):
        try:
            words = shlex.split(part, comments=True)
        except ValueError:
            words = part.split()
        words = [word for word in words if word != "sudo"]
        for start, ecosystem in _INSTALLERS.items():
            if tuple(words[: len(start)]) == start:
                for name in _arguments(words[len(start) :]):
                    yield PackageName(ecosystem, normal(ecosystem, name))
                break


def _arguments(words: Sequence[str]) -> Iterator[str]:
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = word in _WITH_VALUE
            continue
        name = _VERSION.sub("", word)
        if _FIRST.match(name) and "://" not in name:
            yield name


_FIRST = regex(r"[@\w]")
"""What a name begins with: no path, no variable of the shell, and no `…` in the place of a comment or a long text."""


def normal(ecosystem: str, name: str) -> str:
    """A name in its ecosystem's normal form."""
    name = name.strip().lower() if ecosystem in ("pypi", "npm", "composer") else name.strip()
    return re.sub(r"[-_.]+", "-", name) if ecosystem == "pypi" else name
