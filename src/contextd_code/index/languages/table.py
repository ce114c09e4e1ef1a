"""The table of languages, and which of them a file is in."""

from __future__ import annotations

from contextd_code.index.languages import (
    c_family,
    c_mend,
    csharp,
    csharp_mend,
    ecmascript,
    embedded,
    go,
    hcl,
    java,
    kotlin,
    php,
    python,
    ruby,
    rust,
    shell,
    swift,
    swift_mend,
)
from contextd_code.index.languages.c_resolver import CResolver
from contextd_code.index.languages.cargo import decisive as rust_decisive
from contextd_code.index.languages.csharp_resolver import CsharpResolver
from contextd_code.index.languages.csharp_resolver import defines as csharp_defines
from contextd_code.index.languages.ecmascript_mend import mend
from contextd_code.index.languages.ecmascript_resolver import SETTINGS, EcmascriptResolver
from contextd_code.index.languages.ecmascript_resolver import decisive as ecmascript_decisive
from contextd_code.index.languages.ecmascript_resolver import reach as ecmascript_reach
from contextd_code.index.languages.go_resolver import SETTINGS as GO_SETTINGS
from contextd_code.index.languages.go_resolver import GoResolver
from contextd_code.index.languages.go_resolver import decisive as go_decisive
from contextd_code.index.languages.go_resolver import defines as go_defines
from contextd_code.index.languages.go_resolver import reach as go_reach
from contextd_code.index.languages.java_resolver import JavaResolver
from contextd_code.index.languages.java_resolver import defines as java_defines
from contextd_code.index.languages.kotlin_resolver import KotlinResolver
from contextd_code.index.languages.language import Language, no_reach, reach_by_name
from contextd_code.index.languages.namespaces import declared as namespace_defines
from contextd_code.index.languages.php_resolver import SETTINGS as PHP_SETTINGS
from contextd_code.index.languages.php_resolver import PhpResolver
from contextd_code.index.languages.php_resolver import decisive as php_decisive
from contextd_code.index.languages.python_resolver import SETTINGS as PYTHON_SETTINGS
from contextd_code.index.languages.python_resolver import PythonResolver
from contextd_code.index.languages.python_resolver import reach as python_reach
from contextd_code.index.languages.ruby_resolver import RubyResolver
from contextd_code.index.languages.rust_paths import defines as rust_defines
from contextd_code.index.languages.rust_resolver import SETTINGS as RUST_SETTINGS
from contextd_code.index.languages.rust_resolver import RustResolver
from contextd_code.index.languages.rust_resolver import reach as rust_reach
from contextd_code.index.languages.text_files import BASENAMES, TEXT_EXTENSIONS
from contextd_code.values.source import VALUES

LANGUAGES: tuple[Language, ...] = (
    Language(
        name="typescript",
        extensions=("ts", "mts", "cts"),
        family="ecmascript",
        grammar=ecmascript.typescript,
        mend=mend,
        outline=ecmascript.outline_with(ecmascript.typescript),
        resolver=EcmascriptResolver,
        reach=ecmascript_reach,
        decisive=ecmascript_decisive,
        settings=SETTINGS,
    ),
    Language(
        name="tsx",
        extensions=("tsx",),
        family="ecmascript",
        grammar=ecmascript.tsx,
        mend=mend,
        outline=ecmascript.outline_with(ecmascript.tsx),
        resolver=EcmascriptResolver,
        reach=ecmascript_reach,
        decisive=ecmascript_decisive,
        settings=SETTINGS,
    ),
    Language(
        name="javascript",
        extensions=("js", "jsx", "mjs", "cjs"),
        family="ecmascript",
        grammar=ecmascript.javascript,
        mend=mend,
        outline=ecmascript.outline_with(ecmascript.javascript),
        resolver=EcmascriptResolver,
        reach=ecmascript_reach,
        decisive=ecmascript_decisive,
        settings=SETTINGS,
    ),
    Language(
        name="python",
        extensions=("py", "pyi", "pyw"),
        family="python",
        grammar=python.grammar,
        outline=python.outline,
        resolver=PythonResolver,
        reach=python_reach,
        settings=PYTHON_SETTINGS,
    ),
    Language(
        name="vue",
        extensions=("vue",),
        family="ecmascript",
        grammar=ecmascript.typescript,
        outline=embedded.outline,
        resolver=EcmascriptResolver,
        reach=ecmascript_reach,
        decisive=ecmascript_decisive,
        settings=SETTINGS,
        embedded=embedded.scripts,
    ),
    Language(
        name="svelte",
        extensions=("svelte",),
        family="ecmascript",
        grammar=ecmascript.typescript,
        outline=embedded.outline,
        resolver=EcmascriptResolver,
        reach=ecmascript_reach,
        decisive=ecmascript_decisive,
        settings=SETTINGS,
        embedded=embedded.scripts,
    ),
    Language(
        name="go",
        extensions=("go",),
        family="go",
        grammar=go.grammar,
        outline=go.outline,
        resolver=GoResolver,
        reach=go_reach,
        decisive=go_decisive,
        defines=go_defines,
        settings=GO_SETTINGS,
    ),
    Language(
        name="rust",
        extensions=("rs",),
        family="rust",
        grammar=rust.grammar,
        outline=rust.outline,
        resolver=RustResolver,
        reach=rust_reach,
        decisive=rust_decisive,
        defines=rust_defines,
        settings=RUST_SETTINGS,
    ),
    Language(
        name="java",
        extensions=("java",),
        family="java",
        grammar=java.grammar,
        outline=java.outline,
        resolver=JavaResolver,
        reach=no_reach,
        defines=java_defines,
    ),
    Language(
        name="c",
        extensions=("c",),
        family="c",
        grammar=c_family.c,
        mend=c_mend.mend,
        outline=c_family.outline_with(c_family.c),
        resolver=CResolver,
        reach=reach_by_name,
    ),
    Language(
        # Of either language; the grammar of C++ reads both.
        name="c-header",
        extensions=("h",),
        family="c",
        grammar=c_family.cpp,
        mend=c_mend.mend,
        outline=c_family.outline_with(c_family.cpp),
        resolver=CResolver,
        reach=reach_by_name,
    ),
    Language(
        name="cpp",
        extensions=("cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp", "tpp", "cu", "cuh", "ino"),
        family="c",
        grammar=c_family.cpp,
        mend=c_mend.mend,
        outline=c_family.outline_with(c_family.cpp),
        resolver=CResolver,
        reach=reach_by_name,
    ),
    Language(
        name="csharp",
        extensions=("cs",),
        family="csharp",
        grammar=csharp.grammar,
        mend=csharp_mend.mend,
        outline=csharp.outline,
        resolver=CsharpResolver,
        reach=no_reach,
        defines=csharp_defines,
    ),
    Language(
        name="ruby",
        extensions=("rb", "rake", "gemspec", "ru"),
        family="ruby",
        grammar=ruby.grammar,
        outline=ruby.outline,
        resolver=RubyResolver,
        reach=reach_by_name,
    ),
    Language(
        name="php",
        extensions=("php", "phtml"),
        family="php",
        grammar=php.grammar,
        outline=php.outline,
        resolver=PhpResolver,
        reach=reach_by_name,
        decisive=php_decisive,
        settings=PHP_SETTINGS,
    ),
    Language(
        name="kotlin",
        extensions=("kt", "kts"),
        family="kotlin",
        grammar=kotlin.grammar,
        outline=kotlin.outline,
        resolver=KotlinResolver,
        reach=no_reach,
        seen=("java",),
        defines=namespace_defines,
    ),
    Language(
        name="shell",
        extensions=("sh", "bash", "zsh", "ksh", "bats"),
        family="shell",
        grammar=shell.grammar,
        outline=shell.outline,
        resolver=shell.ShellResolver,
        reach=reach_by_name,
    ),
    Language(
        name="terraform",
        extensions=("tf", "tofu", "hcl", "tfvars"),
        family="terraform",
        grammar=hcl.grammar,
        outline=hcl.outline,
        resolver=hcl.HclResolver,
        reach=hcl.reach,
    ),
    Language(
        name="swift",
        extensions=("swift",),
        family="swift",
        grammar=swift.grammar,
        mend=swift_mend.mend,
        outline=swift.outline,
        resolver=swift.SwiftResolver,
        reach=no_reach,
    ),
)
"""The supported languages. A new language needs only one row here."""

BY_NAME = {language.name: language for language in LANGUAGES}
_BY_EXTENSION = {e: language for language in LANGUAGES for e in language.extensions}

DATA = VALUES | {"html", "notebook"}


def language_name(path: str) -> str:
    """The language of a file by its name; empty if unknown."""
    basename = path.rsplit("/", 1)[-1].lower()
    known = BASENAMES.get(basename)
    if known or "." not in basename:
        return known or ""
    extension = basename.rsplit(".", 1)[-1]
    language = _BY_EXTENSION.get(extension)
    return language.name if language is not None else TEXT_EXTENSIONS.get(extension, "")


def language_of(path: str) -> Language | None:
    """The row of a file's language; None for plain text."""
    return BY_NAME.get(language_name(path))


def is_tsconfig(name: str, row: Language) -> bool:
    """Whether a file of this name configures TypeScript; the name may have additions."""
    return row.family == "ecmascript" and name.endswith(".json") and "tsconfig" in name
