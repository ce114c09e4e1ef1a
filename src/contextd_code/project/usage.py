"""How many files import a technology, and where: what a manifest declares may hardly be used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from contextd_code.project.stack import Stack
from contextd_code.project.stack_evidence import FoundTechnology
from contextd_code.project.stack_table import TECHNOLOGIES, Category
from contextd_code.project.support_code import is_beside
from contextd_code.values.source import SourceFile, is_test
from contextd_common.dataclass import dataclass

_ECOSYSTEMS = {
    "python": "pypi", "go": "go", "rust": "cargo", "javascript": "npm", "typescript": "npm",
    "tsx": "npm", "jsx": "npm", "vue": "npm", "svelte": "npm", "astro": "npm",
}  # fmt: skip
"""Languages whose imports name the package they come from."""

_SHOWN = {
    "python": "Python", "go": "Go", "rust": "Rust", "javascript": "JavaScript", "typescript": "TypeScript",
    "tsx": "TypeScript", "jsx": "JavaScript", "vue": "Vue", "svelte": "Svelte", "astro": "Astro",
}  # fmt: skip
_IMPORTED_AS = {
    "psycopg2-binary": "psycopg2", "psycopg-binary": "psycopg", "mysqlclient": "mysqldb",
    "mysql-connector-python": "mysql", "djangorestframework": "rest_framework",
    "django-ninja": "ninja", "strawberry-graphql": "strawberry", "grpcio": "grpc",
    "python-memcached": "memcache", "kafka-python": "kafka", "opensearch-py": "opensearchpy",
    "pyqt5": "pyqt5", "pyqt6": "pyqt6", "aio-pika": "aio_pika", "nats-py": "nats",
}  # fmt: skip
"""Packages of Python that are imported by another name."""

_BY_SHARE: frozenset[Category] = frozenset(("fullstack", "backend", "frontend", "api", "messaging"))
_BY_ANY: frozenset[Category] = frozenset(("cli", "orm", "database", "ai", "data"))
_LANGUAGE = {"Android": ("Java", "Kotlin"), "Jetpack Compose": ("Kotlin",)}
_LEAST_SHARE = 0.04
"""A framework that fewer files of its language import is a detail: of 21 projects every one built on a
framework had it in more.
"""

_ENOUGH_FILES = 20
"""With fewer files, an unused declared dependency may only mean that the code is not written yet."""

_MOST_MINOR = 4
_SEVERAL_STORES = 4
"""A project that connects to as many databases offers them to its users, and does not store its own data in each."""


@dataclass(frozen=True, slots=True)
class Use:
    """How many files import a technology, of how many in the `languages` of its ecosystem, and the folder that
    most of them lie in, with how many are `there`.
    """

    files: int
    total: int
    languages: tuple[str, ...]
    folder: str
    there: int = 0

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.files / max(1, self.total)

    def as_text(self) -> str:
        """`imported by 3 of 312 Go files without tests and examples, 2 of them in modules/acme`."""
        some = f"{self.there} of them in" if self.there < self.files else "in"
        where = f", {some} {self.folder}" if self.folder else ""
        *first, last = self.languages
        named = f"{', '.join(first)} and {last}" if first else last
        return f"imported by {self.files} of {self.total} {named} files without tests and examples{where}"


def uses(files: Iterable[SourceFile]) -> dict[str, Use]:
    """Technology → who imports it. Tests, examples and the like do not count."""
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    folders: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    known: dict[tuple[str, str], tuple[str, ...]] = {}
    for file in files:
        ecosystem = _ECOSYSTEMS.get(file.language)
        if ecosystem is None or is_test(file.path) or is_beside(file.path):
            continue
        totals[ecosystem][_SHOWN[file.language]] += 1
        found: set[str] = set()
        for one in file.imports:
            if not one.target:
                key = ecosystem, one.specifier
                if key not in known:
                    known[key] = tuple(_named(*key))
                found.update(known[key])
        for name in found:
            folders[name, ecosystem][file.path.rpartition("/")[0]] += 1
    made: dict[str, Use] = {}
    for (name, ecosystem), counted in folders.items():
        folder, most = counted.most_common(1)[0]
        count = sum(counted.values())
        languages = tuple(one for one, _ in totals[ecosystem].most_common())
        total = totals[ecosystem].total()
        use = Use(count, total, languages, folder if 2 * most > count else "", most)
        if name not in made or use.files > made[name].files:
            made[name] = use
    return made


def _names() -> tuple[dict[tuple[str, str], list[str]], list[tuple[str, str, str]]]:
    exact: dict[tuple[str, str], list[str]] = defaultdict(list)
    starts: list[tuple[str, str, str]] = []
    for row in TECHNOLOGIES:
        for package in row.packages:
            ecosystem, _, name = package.partition("/")
            if name.endswith("*"):
                starts.append((ecosystem, name[:-1], row.name))
                continue
            if ecosystem == "pypi":
                name = _IMPORTED_AS.get(name, name.replace("-", "_"))
            elif ecosystem == "cargo":
                name = name.replace("-", "_")
            exact[ecosystem, name].append(row.name)
    return exact, starts


_EXACT, _STARTS = _names()


def _named(ecosystem: str, specifier: str) -> Iterator[str]:
    """The technologies that an import is of."""
    parts = [specifier]
    if ecosystem == "pypi":
        parts = [specifier.partition(".")[0].lower()]
    elif ecosystem == "cargo":
        parts = [specifier.partition("::")[0]]
    else:
        steps = specifier.split("/")
        parts = ["/".join(steps[:n]) for n in range(1, min(len(steps), 6) + 1)]
    for part in parts:
        yield from _EXACT.get((ecosystem, part), ())
    for system, start, name in _STARTS:
        if system == ecosystem and specifier.startswith(start):
            yield name


def weighed_by_use(
    stack: Stack,
    found: dict[str, Use],
    files: Sequence[SourceFile],
    shown: Callable[[Use], str],
) -> tuple[Stack, tuple[str, ...]]:
    """The stack without what is hardly used, main frameworks by how many of the files import them; and a line for
    each technology that was left out, with the evidence for it.
    """
    has_enough = sum(file.language in _ECOSYSTEMS for file in files) >= _ENOUGH_FILES
    stores = [one for one in stack.technologies if one.category == "database" and not one.only_dev]
    many = len(stores) >= _SEVERAL_STORES
    major: list[FoundTechnology] = []
    minor: list[tuple[float, str]] = []
    for one in stack.technologies:
        if one.name in _LANGUAGE and stack.main_language not in ("", *_LANGUAGE[one.name]):
            # A folder that tries out or packs a library for telephones makes no app of it.
            continue
        use = found.get(one.name)
        if not _is_told_by_imports(one, stack) or (use is None and not has_enough):
            major.append(one)
        elif use is not None and (
            (one.category in _BY_ANY and not (many and one.category == "database"))
            or use.share >= _LEAST_SHARE
            or not has_enough
        ):
            major.append(replace(one, weight=one.weight * (0.1 + use.share)))
        elif not one.only_dev:
            evidence = shown(use) if use else f"declared in {one.evidence[0].partition(':')[0]}"
            minor.append((use.share if use else 0.0, f"{one.label}: {evidence}"))
    major.sort(key=lambda one: (-one.weight, one.name))
    lines = tuple(line for _, line in sorted(minor, reverse=True)[:_MOST_MINOR])
    return replace(stack, technologies=tuple(major)), lines


def _is_told_by_imports(one: FoundTechnology, stack: Stack) -> bool:
    """Whether a use of it would show among the imports: manifests of an ecosystem whose imports name packages
    are all that asks for it.
    """
    if one.category not in _BY_SHARE | _BY_ANY or not one.evidence:
        return False
    systems = {m.path: m.ecosystem for m in stack.manifests}
    places = [systems.get(line.partition(":")[0], "") for line in one.evidence]
    return all(place in _ECOSYSTEMS.values() for place in places)
