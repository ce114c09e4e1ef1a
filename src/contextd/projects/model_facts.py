"""Derive the facts of project.yaml from a scan."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from contextd.domain.result_display import text_form
from contextd.projects.project_lookup import is_of_another
from contextd.projects.project_model import project_model
from contextd.projects.project_yaml import ModuleFacts, ProjectFacts
from contextd.runtime.runtime import Runtime
from contextd_code.project.architecture import architecture
from contextd_code.project.commands import commands
from contextd_code.project.content_type import substance
from contextd_code.project.declared_builds import declared_builds
from contextd_code.project.manifests import Manifest, is_lock
from contextd_code.project.manifests.others import PACKED_AS_TOOL
from contextd_code.project.module_words import (
    Read,
    first_sentence,
    most_public,
    readme_sentence,
)
from contextd_code.project.modules import modules as find_modules
from contextd_code.project.project_model import KeyFile
from contextd_code.project.project_type import CODE, project_type
from contextd_code.project.stack import Stack, detect, language_shares
from contextd_code.project.stack_evidence import (
    Share,
    apart_from_root,
    private_beside_published,
    trial_folders,
)
from contextd_code.project.stack_languages import LANGUAGES_OF, RUNTIME_OF
from contextd_code.project.stack_row import Category
from contextd_code.project.support_code import is_beside, is_beside_name
from contextd_code.project.usage import uses, weighed_by_use
from contextd_code.tree.content import decode
from contextd_code.tree.paths import read_inside
from contextd_code.tree.walk import Walk
from contextd_code.values.source import Import, SourceFile, is_test
from contextd_common.errors import ContextdError
from contextd_common.text.regex import regex

_LARGEST_TEXT = 500_000
_KEY_FILES, _NEEDED, _LONG = 3, 20, 20
"""Key files and dependencies per module in project.yaml, and the maximum modules that list key files."""

_MOST_LISTED = 8
_LEAST_SHARE = 0.02
"""A language of fewer of the bytes is that of a helper script."""

_LONGEST_NAME = 60
_COMPILED = ".c", ".cc", ".cpp", ".cxx"
_PROGRAM = re.compile(
    r"\.(?:go|c|cc|cpp|cxx|dart|java)$|(?:^|/)main\.(?:rs|kt|swift|zig|d)$|/src/bin/\w+\.rs$"
)
"""Languages in which a function called main starts a program. In scripts it is an ordinary function."""

_SHOWN = re.compile(
    r"\{\{|(?:^|/)experimental/|(?:^|[/_.-])(?:examples?|samples?|demos?|tests?|bench\w*|fuzz\w*|tutorials?|build-?tools)(?:[/_.-]|$)",
    re.I,
)
"""Programs that show, try out or measure something."""

_RUN_BY_PYTHON = "Ansible", "Jupyter Notebook", "SQL"
"""Projects without a program of their own that Python runs; their tests may be in any language."""

_NO_RUNTIME = "C", "C++"
_SHOWS = re.compile(
    r"(?:^|/)\.|(?:^|/)(?:docs?|website|examples?|samples?|templates?|fixtures?|vendor(?:ed)?|third[_-]?party|externals?|deps|testdata|snapshots?|benchmarks?|data|resources)/",
    re.I,
)
"""Tests below these folders do not test the project."""

_TEST_OF_PYTHON = re.compile(
    r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests|conftest)\.py$|(?:^|/)tests?/[^/]*\.py$"
)
"""Where pytest and unittest look for tests, and what the tests share."""

_NOT_BUILT = re.compile(
    r"^//\s*(?:go:build|\+build)\s+(?:ignore|tools?)\b|^package (?!main\b)", re.MULTILINE
)
_TRIES = re.compile(r"(?:^|/)(?:unit)?tests?$|(?:^|/)test_|_test$")
_MAJOR = re.compile(r"/v\d+$")
_ANY_PROJECT = frozenset(
    """app my-app myapp my-project project root web www website site api server client backend frontend front
    back main core src package monorepo workspace workspaces repo all demo example template starter test
    tests repository untitled new-project nextjs next-app vite-project vite-react-typescript-starter create-react-app
    react-app vue-app angular-app svelte-app unnamed undefined placeholder parent pom build""".split()
)
_AROUND = "-monorepo", "-workspace", "-workspaces", "-root", "-parent"
"""Suffixes of template names and names of parts: the folder's name says more."""

_READMES = "readme.md", "readme.rst", "readme", "readme.txt", "readme.adoc", "readme.markdown"


class Essences:
    """The parts of files that `project_facts` reads: all data of 60,000 files would not fit into memory."""

    def __init__(self) -> None:
        self.files: list[SourceFile] = []
        self.parsed = 0
        self._imports: dict[Import, Import] = {}

    def add(self, file: SourceFile) -> None:
        """Add the relevant parts of a file."""
        self.parsed += bool(file.symbols or file.imports)
        starts = [s for s in file.symbols if s.name == "main" and s.kind == "function"][:1]
        symbols = dict.fromkeys((*most_public(file)[:2], *starts))
        self.files.append(
            replace(
                file,
                symbols=tuple(replace(symbol, signature="", parent="") for symbol in symbols),
                imports=tuple(map(self._shared, file.imports)),
                exports=(),
                chunks=(),
            )
        )

    def _shared(self, one: Import) -> Import:
        """The import as one object shared by all files that have it; only its target and the number of its
        names matter.
        """
        names = (("", ""),) * len(one.names) if one.target else one.names
        bare = replace(one, line=0, names=names)
        return self._imports.setdefault(bare, bare)


def project_facts(
    runtime: Runtime, walked: Walk, files: Sequence[SourceFile]
) -> tuple[ProjectFacts, str]:
    """The facts that a scan shows, and the reasons for type and architecture."""
    root = runtime.root
    paths = [file.path for file in walked.files]
    name = runtime.project.name if runtime.project else root.name
    left_out = {f.path for f in files if f.error and f.error != "syntax errors"}
    sizes = {file.path: file.size * (file.path not in left_out) for file in walked.files}
    declared = detect(root, paths, sizes=sizes, used=_standard_modules(files))
    stack, minor = weighed_by_use(_without_tools(declared, paths), uses(files), files, text_form)

    def text_of(path: str) -> str:
        try:
            return decode(read_inside(root, path, limit=_LARGEST_TEXT))
        except (OSError, ContextdError):
            return ""

    about = _about(stack.manifests, paths, text_of)
    known = set(paths)
    programs = [
        f.path
        for f in files
        if _starts(f)
        and not _is_part(f.path, known)
        and not _is_tool_of_go(f.path, text_of)
        and not _SHOWN.search(f.path)
    ]
    kind = project_type(
        paths,
        stack,
        public_names=_public_names(files, stack.manifests),
        programs=[f for f in programs if f.endswith((*_COMPILED, ".go"))],
        about=about,
    )
    trials = trial_folders(stack.manifests)
    shape = architecture([path for path in paths if not path.startswith(trials)], stack)
    inside = [file for file in files if not file.path.startswith(trials)]
    modules = _modules(inside, stack, text_of, name)
    facts = ProjectFacts(
        name=_own_name(_main_first(stack)) or name,
        id=_own_id(runtime),
        type=kind.value,
        about=about,
        stack=(*_stack(stack, paths), *minor),
        languages=_languages(language_shares(paths, sizes, trials)) if stack.languages else (),
        runtime="" if stack.runtime in _NO_RUNTIME else stack.runtime,
        package_manager=stack.package_manager,
        databases=_labels(stack, "database"),
        testing=_labels(stack, "test"),
        tools=(*_other_managers(stack), *_labels(stack, "build", "lint", "deploy", "docs")),
        ci=_labels(stack, "ci"),
        executables=_executables(stack.manifests, paths, programs),
        commands=commands(paths, stack.manifests, text_of),
        pattern=shape.value,
        description=shape.reason,
        modules=tuple(modules),
    )
    return facts, " ".join(filter(None, (kind.reason, shape.reason)))


def _modules(files: Sequence[SourceFile], stack: Stack, read: Read, name: str) -> list[ModuleFacts]:
    builds = declared_builds(stack.manifests)
    packages = {
        m.name: m.path.rpartition("/")[0]
        for m in stack.manifests
        if m.ecosystem == "npm" and m.name
    }
    found = find_modules(files, _packages(stack.manifests), read, name, builds, packages)
    return [
        ModuleFacts(
            name=module.name,
            description=module.description,
            paths=module.prefixes,
            key_files=tuple(
                KeyFile(file.path, file.role)
                for file in module.key_files[: _KEY_FILES * (n < _LONG)]
            ),
            dependencies=tuple(module.dependencies[:_NEEDED]),
        )
        for n, module in enumerate(found)
    ]


def _executables(
    manifests: Sequence[Manifest], paths: Sequence[str], programs: Sequence[str]
) -> tuple[str, ...]:
    """Executables and where they are declared: commands that manifests install, then files with a main
    function.
    """
    found: dict[str, str] = {}
    offered = any(m.ecosystem == "nuget" and m.publishes for m in manifests)
    apart = apart_from_root(manifests)
    for manifest in manifests:
        packed = manifest.ecosystem != "nuget" or PACKED_AS_TOOL in manifest.dependencies
        shown = _SHOWN.search(manifest.path) or any(
            is_beside_name(one) for one in manifest.path.split("/")[:-1]
        )
        if (offered and not packed) or shown or manifest.path in apart:
            # Beside packages for others, a program that is not packed only tries them out.
            continue
        for name in manifest.commands if not manifest.private else ():
            found.setdefault(name, f"{name} ({manifest.path})")
    if not found:
        own = [
            p for p in paths if p.endswith("/__main__.py") and not is_beside(p) and not is_test(p)
        ]
        own += [p for p in programs if _PROGRAM.search(p)]
        for path in sorted(dict.fromkeys(own), key=lambda p: (p.count("/"), p)):
            found[path] = path
    return tuple(found.values())[:_MOST_LISTED]


def _is_part(path: str, known: Collection[str]) -> bool:
    """Whether a file with a main function is no program of the project: it is in a tool's hidden folder,
    or has its own header and main only tests it.
    """
    folders = path.split("/")[:-1]
    stem, _, ending = path.rpartition(".")
    tried = f".{ending}" in _COMPILED and (f"{stem}.h" in known or _TRIES.search(stem) is not None)
    return tried or any(one.startswith(".") or one == "CMakeFiles" for one in folders)


def _is_tool_of_go(path: str, read: Read) -> bool:
    """Whether no build includes this file of Go, or its package is not main: it generates or tries out something."""
    return path.endswith(".go") and _NOT_BUILT.search(read(path)) is not None


def _starts(file: SourceFile) -> bool:
    # With `#ifdef` for two systems, a parser often does not see main as a function.
    path = PurePosixPath(file.path)
    # Firmware starts in a function that its framework calls, such as app_main.
    called = any(one.name.endswith("_main") for one in file.symbols)
    named = path.stem == "main" and path.suffix in _COMPILED and not called
    found = named or any(one.name == "main" and one.kind == "function" for one in file.symbols)
    return found and not is_test(file.path) and not is_beside(file.path)


def _without_tools(stack: Stack, paths: Sequence[str]) -> Stack:
    """The stack of a project without programs, without the language and runtime of its few helper scripts."""
    other = substance(paths, [path for path in paths if CODE.search(path) and not is_beside(path)])
    if other is None:
        return stack
    named = any(one.language == other[0].label for one in stack.languages)
    stack = replace(stack, languages=stack.languages if named else ())
    asked = "/" not in stack.runtime_evidence
    if asked and other[0].label in _RUN_BY_PYTHON and stack.runtime.startswith("Python"):
        return stack
    if asked and other[0].label in ("Markdown", "Shell"):
        return stack
    return replace(
        stack, runtime="", runtime_evidence="", package_manager="", package_manager_evidence=""
    )


def _stack(stack: Stack, paths: Sequence[str]) -> tuple[str, ...]:
    """The project's stack; first its main content if that is no program."""
    code = [path for path in paths if CODE.search(path) and not is_beside(path)]
    other = substance(paths, code)
    first = (other[0].label,) if other is not None else ()
    return tuple(dict.fromkeys((*first, *stack.labels)))


def _standard_modules(files: Sequence[SourceFile]) -> Iterator[tuple[str, str]]:
    """Imports of standard modules as (language, module); of tests, only test frameworks."""
    for file in files:
        beside = is_beside(file.path) or is_test(file.path)
        language = "typescript" if file.language == "tsx" else file.language
        for one in file.imports:
            if one.target:
                continue
            names = [name for name, _ in one.names if name != "*"]
            specifier = one.specifier.strip("<>")
            qualified_names = [f"{specifier}.{name}" for name in names] or [specifier]
            plain = language not in ("python",)
            for module in [specifier] if plain else qualified_names:
                if not beside or ("test" in module.lower() and _tests_itself(file)):
                    yield language, module


def _tests_itself(file: SourceFile) -> bool:
    """Whether a file among the tests is one of them, and no sample that they read."""
    if file.language == "python" and not _TEST_OF_PYTHON.search(file.path):
        return False
    return not _SHOWS.search(file.path.partition("src/")[0])


def _public_names(files: Sequence[SourceFile], manifests: Sequence[Manifest]) -> int:
    """How many names the main Python package exports from its own modules."""
    if not any(m.ecosystem == "pypi" for m in manifests):
        return 0
    tops = [
        file
        for file in files
        if PurePosixPath(file.path).name == "__init__.py"
        and file.path.count("/") == (2 if file.path.startswith("src/") else 1)
        and not is_beside(file.path)
    ]
    return max(
        (sum(max(1, len(one.names)) for one in top.imports if one.target) for top in tops),
        default=0,
    )


def _packages(manifests: Sequence[Manifest]) -> dict[str, str]:
    """Folder of each package → the facts in its manifest."""
    found: dict[str, str] = {}
    aside = private_beside_published(manifests)
    for manifest in manifests:
        if manifest.path in aside:
            continue
        real = manifest.ecosystem in RUNTIME_OF and not is_lock(manifest.path)
        if real and (manifest.name or manifest.manager) and not manifest.problem:
            folder = manifest.path.rpartition("/")[0]
            found[folder] = found.get(folder) or manifest.about
    root = found.get("")
    # A manifest with the same description as the whole was copied from it.
    return {folder: "" if folder and about == root else about for folder, about in found.items()}


def _main_first(stack: Stack) -> list[Manifest]:
    """The manifests, those of the main language's packages first."""
    main = stack.main_language
    return sorted(stack.manifests, key=lambda m: main not in LANGUAGES_OF.get(m.ecosystem, ()))


def _own_name(manifests: Sequence[Manifest]) -> str:
    """The project's name in its root manifest, without the owner: `shop` for `@acme/shop` and for
    `example.org/acme/shop/v2`. Empty for generic names.
    """
    for manifest in manifests:
        ours = manifest.ecosystem in RUNTIME_OF and not is_lock(manifest.path)
        if not ours or "/" in manifest.path or manifest.problem:
            continue
        name = _MAJOR.sub("", manifest.name.strip()).rpartition("/")[2]
        generic = name.casefold() in _ANY_PROJECT or name.endswith(_AROUND) or name.startswith("_")
        if name and not generic and len(name) <= _LONGEST_NAME:
            return name
    return ""


def _about(manifests: Sequence[Manifest], paths: Sequence[str], read: Read) -> str:
    """The project's own description: from its manifest, else the first sentence of its README."""
    at_root = [m for m in manifests if "/" not in m.path and m.about]
    readme = next((p for p in paths if p.lower() in _READMES), "")
    # The manifest of an unpublished workspace is rarely maintained.
    at_root = [m for m in at_root if not (m.private and m.members)] or at_root * (not readme)
    summary = next(filter(None, (first_sentence(m.about) for m in at_root)), "")
    summary = summary or (readme_sentence(read(readme)) if readme else "")
    # One package of several does not describe all of them.
    offered = [m for m in manifests if m.about]
    alone = len(offered) == 1 and offered[0].publishes
    return summary or (first_sentence(offered[0].about) if alone else "")


def _languages(shares: Sequence[Share]) -> tuple[str, ...]:
    shown = [one for one in shares if one.share >= _LEAST_SHARE][:_MOST_LISTED]
    return tuple(
        f"{one.language}: {one.files} file{'s' * (one.files != 1)}" for one in shown if one.files
    )


def language_of_entry(entry: str) -> str:
    """The language of an entry of `ProjectFacts.languages`: `Go` of `Go: 80 files`, and of `Go 80 %`, as models
    of earlier versions have it.
    """
    return _SIZE.sub("", entry)


_SIZE = regex(r"(?:\s+\d+ ?%|:\s.*)$")


def _labels(stack: Stack, *categories: Category) -> tuple[str, ...]:
    # A database used only to try a library out is not part of its stack.
    found = [one for one in stack.of(*categories) if one.category != "database" or not one.only_dev]
    return tuple(one.label for one in found)[: _MOST_LISTED * len(categories) // 2 + 4]


def _other_managers(stack: Stack) -> tuple[str, ...]:
    """Package managers of the root other than the main one."""
    found = {m.manager for m in stack.manifests if m.manager and "/" not in m.path}
    found -= {stack.package_manager}
    return tuple(sorted(found))


def _own_id(runtime: Runtime) -> str:
    """The id in project.yaml, for projects without git."""
    identity = runtime.project.identity if runtime.project else ""
    if identity.startswith("id:"):
        return identity.removeprefix("id:")
    if not identity.startswith("path:"):
        return ""
    # Before its first commit a repository is identified by its path: its given id stays.
    model = project_model(runtime)
    given = model.id if model else ""
    # A copied file has the id of its original.
    return given if given and not is_of_another(runtime, given) else str(uuid.uuid4())
