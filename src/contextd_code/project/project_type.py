"""Decide the type of a project, with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from contextd_code.project.content_type import (
    DOCUMENTS,
    OUTWEIGHED,
    Material,
    personal,
    purpose,
    substance,
)
from contextd_code.project.library_check import (
    INDEX,
    builds_program,
    file_matching,
    file_named,
    program_of_go,
    programs_of_crates,
    why_family,
    why_jvm,
    why_jvm_family,
    why_library,
    why_loaded,
)
from contextd_code.project.manifests import Manifest
from contextd_code.project.manifests.others import PACKED_AS_TOOL
from contextd_code.project.stack import Stack
from contextd_code.project.stack_evidence import (
    FoundTechnology,
    apart_from_root,
    private_beside_published,
)
from contextd_code.project.stack_languages import LANGUAGES_OF, MARKUP
from contextd_code.project.support_code import is_beside
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ReasonedValue:
    """A value of the project model, and a sentence with the reason."""

    value: str
    reason: str


CODE = re.compile(
    r"\.(?:[mc]?[jt]sx?|py|go|rs|java|kt|scala|cs|fs|vb|php|rb|exs?|swift|dart|vue|svelte|c|cc|cpp"
    r"|h|hpp|clj[cs]?|hs|mli?|zig|lua|erl|jl|p[lm]|nim|[rR]|el|sol|vim|mm?|cxx|hh|cr|f90|pas|cu|pyx|gd|hx|rkt|scm"
    r"|lisp|tcl|coffee|fnl|groovy|adb|vhd|sv)$"
)
"""Files that contain a program."""

_BUILT_ON, _INSTALLS, _SCRIPT = "It is built on", "installs the command", "is run by a shell"
_API_ROUTE = re.compile(r"(?:^|/)(?:app|pages|routes)/api/.*\.[jt]sx?$")
_PAGES = (
    ".html", ".erb", ".blade.php", ".twig", ".heex", ".jinja", ".ejs", ".pug", ".hbs", ".jsp",
    ".cshtml", ".jinja2", ".gohtml", ".tmpl", ".mustache", ".haml", ".slim", ".templ", ".razor",
)  # fmt: skip
_PAGE_FOLDERS = {"templates", "views", "pages", "resources", "webapp", "jinja2", "components"}
_GOOD_PART = 0.25
_COMPILED = ("C", "C++")
_STARTS = re.compile(r"(?:^|/)(?:main|server)\.\w+$")
_STATIC = {"static", "public", "dist", "webroot", "wwwroot", "www", "assets"}
_LISTENS = re.compile(
    r"^org\.springframework(?:\.boot)?:spring-(?:web(?:mvc|flux)|boot-starter-(?:web\w*|jersey|hateoas|thymeleaf|data-rest|graphql"
    r"|rsocket|tomcat|jetty|undertow|reactor-netty))$"
)
_SITES = ("Django", "Rails", "Laravel", "Symfony", "Phoenix", "Wagtail", "CodeIgniter", "CakePHP")
_FOR_OTHERS = re.compile(
    r"\b(?:library|framework|toolkit|sdk|client for|http client|bindings?|wrapper|parser|module for"
    r"|package for|utilities|components? for|implementation of|api client|middleware|runtime for"
    r"|building|content management system for)\b",
    re.IGNORECASE,
)
_SHOWN = {"mobile": "mobile-app", "desktop": "desktop-app", "frontend": "web-app"}
_FOR_SHELLS = re.compile(
    r"\b(?:command[- ]line (?:\w+ )?(?:tool|utility|program|processor|client|app\w*)|cli\b|terminal|multi-?tool|linter"
    r"|formatter|static site generator|search tool|build tool|package manager|tool (?:for|that|to))",
    re.IGNORECASE,
)


_NO_SHELL = re.compile(
    r"\b(?:server|proxy|daemon|database|broker|multiplexer|emulator|editor|game|engine|platform|kernel|shell"
    r"|compiler|browser|desktop|service|agent|workspace|framework)s?\b",
    re.IGNORECASE,
)


def project_type(
    paths: Sequence[str],
    stack: Stack,
    *,
    public_names: int = 0,
    programs: Sequence[str] = (),
    about: str = "",
) -> ReasonedValue:
    """One of `ProjectType`; `unknown` for a program without a clear type, and for no program.

    `public_names` is the number of names that the main package exports, `programs` are files of
    compiled languages with a main function, `about` is the project's own description.
    """
    found = _type_of(paths, stack, public_names, programs, about)
    if found.value == "cli" and not _is_for_shells(stack, about, found.reason):
        return ReasonedValue("unknown", found.reason)
    return found


def _is_for_shells(stack: Stack, about: str, reason: str) -> bool:
    """Whether a program is certainly used from a command line; servers, editors and games have
    commands too.
    """
    if _used(stack.of("mobile", "desktop")):
        return False
    own_words = f"{about} {_main(stack.manifests).about} {' '.join(_main(stack.manifests).topics)}"
    # A terminal program may be an editor or a multiplexer.
    if any(word.lower() != "terminal" for word in _FOR_SHELLS.findall(own_words)):
        return True
    if _NO_SHELL.search(own_words):
        return False
    return bool(_used(stack.of("cli"))) or _INSTALLS in reason or _SCRIPT in reason


def _type_of(
    paths: Sequence[str], stack: Stack, public_names: int, programs: Sequence[str], about: str
) -> ReasonedValue:
    own = [path for path in paths if not is_beside(path)]
    other = substance(paths, [path for path in own if CODE.search(path)])
    if other is not None and not any(m.publishes for m in stack.manifests):
        return _of_material(other, paths)
    full, back = _used(stack.of("fullstack")), _servers(stack)
    front, app = _used(stack.of("frontend")), _used(stack.of("mobile", "desktop"))
    data, api = _used(stack.of("orm", "database", "api")), _used(stack.of("api"))
    library = why_library(stack.manifests, own, programs) or why_jvm(stack, own)
    command = _command(stack, own, programs)
    alone = not (full or back or front)
    if offered := _made_for_others(stack, own, command, serves=bool(back), alone=alone):
        return ReasonedValue("library", offered)
    served = (full or back) and _serves(own, {one.name for one in full}, stack.manifests)
    if library and (not served or _for_sites(_main(stack.manifests))):
        return _library_or_command(stack, library, command, public_names, about)
    if full:
        return _of_fullstack(full[0], back, front, data, api, paths)
    if command and not front and not (back and _serves(own, frozenset(), stack.manifests)):
        return ReasonedValue("cli", command)
    if back:
        return _of_server(back[0].name, front + app, paths)
    if front and not app and (program := _program_behind(stack, own)):
        return ReasonedValue("fullstack", f"{program} serves and {front[0].name} shows.")
    if shown := app or front:
        # If an app renders pages, as in Electron, the app is installed and run.
        return ReasonedValue(_SHOWN[shown[0].category], f"It is built on {shown[0].name}.")
    if command:
        return ReasonedValue("cli", command)
    if library:
        return ReasonedValue("library", library)
    if other is not None and not (api and stack.main_language):
        return _of_material(other, paths)
    return _without_framework(stack, own, api, programs) or _nothing(paths)


def _made_for_others(
    stack: Stack, own: Sequence[str], command: str, *, serves: bool, alone: bool
) -> str:
    """Why nothing in the project runs by itself, whatever it is built on."""
    if made := why_jvm_family(stack.manifests) or ("" if command else why_jvm(stack, own)):
        return made
    if alone and (loaded := why_loaded(stack, own)):
        return loaded
    if (serves and _program_behind(stack, own)) or (command and _installs(stack)):
        return ""
    return why_family(stack.manifests, own)


def _installs(stack: Stack) -> bool:
    """Whether the root itself is a package with a command, with others beside it."""
    return any("/" not in m.path and m.commands and not m.private for m in stack.manifests)


def _servers(stack: Stack) -> list[FoundTechnology]:
    """The frameworks that serve. With a plain starter, Spring Boot only configures what something else serves."""
    asked = {name for manifest in stack.manifests for name in manifest.dependencies}
    plain = "org.springframework.boot:spring-boot-starter" in asked
    silent = plain and not any(_LISTENS.search(name) for name in asked)
    return [
        one for one in _used(stack.of("backend")) if not (silent and one.name.startswith("Spring"))
    ]


def _of_server(server: str, shown: list[FoundTechnology], paths: Sequence[str]) -> ReasonedValue:
    if shown:
        return ReasonedValue("fullstack", f"{server} serves and {shown[0].name} shows.")
    if _draws_pages(paths):
        return ReasonedValue("web-app", f"{server} serves pages from templates.")
    return ReasonedValue("api", f"{server} serves, and nothing in it draws pages.")


def _of_material(other: tuple[Material, list[str]], paths: Sequence[str]) -> ReasonedValue:
    value, reason = purpose(*other, paths)
    return ReasonedValue(value, reason)


def _without_framework(
    stack: Stack, own: Sequence[str], api: Sequence[FoundTechnology], programs: Sequence[str]
) -> ReasonedValue | None:
    if api and stack.main_language:
        return ReasonedValue("api", f"It answers by {api[0].name}.")
    if stack.main_language in _COMPILED:
        return _built(own, programs)
    index = file_matching(own, INDEX) if stack.main_language == "PHP" else ""
    return ReasonedValue("web-app", f"{index} answers requests.") if index else None


def _built(own: Sequence[str], programs: Sequence[str]) -> ReasonedValue | None:
    """The type of a C or C++ project: its programs, or a library if it has headers and no program."""
    known = set(own)
    starts = sorted(
        (path for path in programs if path in known),
        # Demos and converters rarely have a header of their own.
        key=lambda p: (
            p.count("/"),
            _STARTS.search(p) is None,
            f"{p.rpartition('.')[0]}.h" not in known,
            p,
        ),
    )
    if starts:
        more = f" and {len(starts) - 1} more" if len(starts) > 1 else ""
        verb = "are programs" if more else "is a program"
        return ReasonedValue("cli", f"{starts[0]}{more} {verb}: main is defined there.")
    headers = [path for path in own if path.endswith((".h", ".hpp", ".hh"))]
    if not headers:
        return None
    return ReasonedValue("library", "It has headers and no program of its own.")


def _program_behind(stack: Stack, own: Sequence[str]) -> str:
    """The program that a front end belongs to: in another language, with a manifest in the root and
    much of the code.
    """
    programs = [one for one in stack.languages if one.language not in MARKUP]
    total = sum(one.share for one in programs)
    for manifest in stack.manifests:
        system = manifest.ecosystem
        known = LANGUAGES_OF.get(system, set())
        share = sum(one.share for one in programs if one.language in known)
        if "/" in manifest.path or system == "npm" or share < _GOOD_PART * total or not known:
            continue
        if system == "go":
            return program_of_go(own, ())
        if system == "cargo":
            return next(filter(None, programs_of_crates(stack.manifests, own).values()), "")
        return manifest.path if _serves(own, frozenset(), stack.manifests) else ""
    return ""


def _nothing(paths: Sequence[str]) -> ReasonedValue:
    if not paths:
        return ReasonedValue("unknown", "There are no files yet.")
    code = sum(1 for path in paths if CODE.search(path))
    documents = sum(1 for path in paths if DOCUMENTS.files.search(path))
    if code and documents >= OUTWEIGHED * code:
        reason = f"It holds documents, {documents} of them, and a little code beside them."
        return ReasonedValue("documentation", reason)
    if why := personal(paths):
        return ReasonedValue("configuration", why)
    if code:
        return ReasonedValue("unknown", "No manifest names a package or a program.")
    kinds = {path.rpartition(".")[2].lower() for path in paths if "." in path}
    if "ipynb" in kinds:
        return ReasonedValue("notebooks", "It holds notebooks.")
    if kinds & {"md", "rst", "adoc", "txt", "tex"}:
        return ReasonedValue("documentation", "It holds documents and no code.")
    return ReasonedValue("configuration", "It holds no code.")


def _library_or_command(
    stack: Stack, library: str, command: str, public_names: int, about: str
) -> ReasonedValue:
    """One importable package, which may also install a command."""
    # Depending on a terminal library does not make a package a program.
    if not command or command.startswith(_BUILT_ON):
        return ReasonedValue("library", library)
    main = _main(stack.manifests)
    topics = " ".join(main.topics)
    for_others = (
        1.0
        + 2 * bool(_FOR_OTHERS.search(_FOR_SHELLS.sub("", main.about)))
        + ("Libraries" in topics)
        + 1.5 * (public_names >= 12)
    )
    needed = any(not one.only_dev for one in stack.of("cli"))
    for_shells = (
        1.0
        + 2 * bool(_FOR_SHELLS.search(main.about))
        + needed
        + ("Environment :: Console" in topics or "command-line-utilities" in topics)
    )
    if for_others >= for_shells:
        more = (
            f" It hands out {public_names} names or more to its importers."
            if public_names >= 12
            else ""
        )
        # Only its own description decides between the two.
        own_words = f"{main.about} {about}"
        sure = _FOR_OTHERS.search(own_words) or not (about or main.about)
        sure = sure or (for_others > 1 and not _NO_SHELL.search(own_words))
        return ReasonedValue("library" if sure else "unknown", f"{library}{more} {command}")
    return ReasonedValue("cli", command)


def _for_sites(main: Manifest) -> bool:
    """Whether the package extends a web framework; the site in it is only a demo."""
    topics = " ".join(main.topics)
    is_library = "Libraries" in topics or _FOR_OTHERS.search(main.about) is not None
    return "Framework :: " in topics and is_library


def _main(manifests: Sequence[Manifest]) -> Manifest:
    """The main manifest of the project."""
    named = [m for m in manifests if m.name and (m.publishes or m.commands)]
    return min(named, key=lambda m: m.path.count("/"), default=Manifest(""))


def _of_fullstack(
    main: FoundTechnology,
    back: list[FoundTechnology],
    front: list[FoundTechnology],
    data: list[FoundTechnology],
    api: list[FoundTechnology],
    paths: Sequence[str],
) -> ReasonedValue:
    routes = [p for p in paths if _API_ROUTE.search(p)]
    if main.name in _SITES:
        if front:
            return ReasonedValue("fullstack", f"{main.name} serves and {front[0].name} shows.")
        if _draws_pages(paths, few_count=not api):
            return ReasonedValue("web-app", f"{main.name} serves pages from templates.")
        return ReasonedValue("api", f"{main.name} serves, and hardly a template is in it.")
    if back:
        return ReasonedValue("fullstack", f"{main.name} shows and {back[0].name} serves.")
    if data:
        return ReasonedValue("fullstack", f"{main.name} with {data[0].name}.")
    if len(routes) >= 3:
        home = routes[0].partition("/api/")[0]
        return ReasonedValue("fullstack", f"{main.name} with {len(routes)} routes in {home}/api.")
    return ReasonedValue("web-app", f"{main.name} shows pages, and no data layer is behind it.")


def _used(found: Sequence[FoundTechnology]) -> list[FoundTechnology]:
    best = max((one.weight for one in found), default=0.0)
    return [one for one in found if not one.only_dev and one.weight >= 0.15 * best]


def _draws_pages(paths: Sequence[str], *, few_count: bool = True) -> bool:
    """Whether there are page templates, and, unless a few suffice, not only mail templates."""
    # They are in folders that otherwise do not indicate the project's type.
    pages = ready = 0
    for path in paths:
        folders = path.lower().split("/")[:-1]
        if path.endswith(_PAGES) and not _PAGE_FOLDERS.isdisjoint(folders):
            # Static files are sent unchanged, and were mostly built elsewhere.
            aside = not _STATIC.isdisjoint(folders)
            ready, pages = ready + aside, pages + (not aside)
    code = sum(1 for path in paths if CODE.search(path))
    return (pages > 0 and few_count) or (pages + ready > 0 and 20 * (pages + ready) >= code)


def _command(stack: Stack, own: Sequence[str], programs: Sequence[str]) -> str:
    libraries = _used(stack.of("cli"))
    aside = private_beside_published(stack.manifests) | apart_from_root(stack.manifests)
    for manifest in stack.manifests:
        named = manifest.commands and manifest.path.count("/") <= 2
        if named and manifest.path not in aside and not manifest.private:
            names = ", ".join(manifest.commands[:3])
            return f"{manifest.path} {_verb(manifest)} {names}."
    if any(m.ecosystem == "cargo" for m in stack.manifests):
        main = next(filter(None, programs_of_crates(stack.manifests, own).values()), "")
        if main:
            return f"{main} is a program."
    answers = stack.main_language == "PHP" and file_matching(own, INDEX)
    if libraries and not answers:
        return f"{_BUILT_ON} {libraries[0].name}."
    if any(m.ecosystem == "go" for m in stack.manifests):
        main = program_of_go(own, programs)
        return f"{main} is a program." if main else ""
    for manifest in stack.manifests:
        if manifest.commands and manifest.path not in aside and not manifest.private:
            return f"{manifest.path} {_verb(manifest)} {', '.join(manifest.commands[:3])}."
    return ""


def _verb(manifest: Manifest) -> str:
    """A .NET project that is not packed as a tool builds a program without installing it."""
    only_built = manifest.ecosystem == "nuget" and PACKED_AS_TOOL not in manifest.dependencies
    return "builds the program" if only_built else _INSTALLS


def _serves(own: Sequence[str], sites: Set[str], manifests: Sequence[Manifest]) -> bool:
    """Whether a file starts a server, rather than containing code for servers."""
    if not sites.isdisjoint(_SITES):
        near = [path for path in own if path.count("/") <= 2]
        starts = (
            r"(?:(?:manage|wsgi|asgi)\.py|artisan|bin/rails|config\.ru|bin/console|endpoint\.ex)"
        )
        return bool(file_named(near, starts))
    near = [path for path in own if path.count("/") <= 3]
    pattern = r"(?:main|app|server|wsgi|asgi|manage|Program|Application)\.\w+|index\.[cm]?[jt]sx?"
    config = r"(?:next|nuxt|svelte|astro|remix|vite|react-router)\.config\.\w+"
    if file_named(near, f"(?:{pattern}|{config})"):
        return True
    runs = any(builds_program(m) for m in manifests)
    return runs and bool(file_named(own, r"\w*Application\.(?:java|kt)"))
