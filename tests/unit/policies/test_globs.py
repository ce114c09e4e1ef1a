"""Whether a rule for some files is for this one."""

from __future__ import annotations

import pytest

from contextd.policies.globs import matches, say_something_of


@pytest.mark.parametrize(
    ("globs", "path", "taken"),
    [
        (("web/**/*.css",), "web/a.css", True),
        (("web/**/*.css",), "web/deep/er/a.css", True),
        (("web/**/*.css",), "other/web/a.css", False),
        (("web/**/*.css",), "web/a.css.bak", False),
        (("*.go",), "main.go", True),
        (("*.go",), "cmd/tool/main.go", True),
        (("**/*.{ts,tsx}",), "src/a.tsx", True),
        (("{src,lib}/**",), "lib/a.py", True),
        (("{src,lib}/**",), "libs/a.py", False),
        (("src/*.ts",), "src/deep/a.ts", False),
        (("src/components",), "src/components/a.ts", True),
        (("src/components",), "src/components2/a.ts", False),
        (("docs/",), "docs/a/b.md", True),
        (("/docs/**",), "docs/a.md", True),
        (("./docs/**",), "docs/a.md", True),
        (("Makefile",), "sub/Makefile", True),
        (("test_?.py",), "test_a.py", True),
        (("[ab].py",), "c.py", False),
        (("web\\**\\*.css",), "web/x/a.css", True),
        (("WEB/**",), "web/a.css", True),
        (("**/*.SQL",), "db/a.sql", True),
        (("**/*.ts", "!**/*.d.ts"), "a/b.d.ts", False),
        (("!**/*.d.ts", "**/*.ts"), "a/b.d.ts", False),
        (("!dist/**",), "src/a.py", True),
        (("!dist/**",), "dist/a.py", False),
        (("!**",), "src/a.py", False),
        ((), "src/a.py", False),
    ],
)
def test_globs_take_what_their_writer_means(globs, path, taken):
    assert matches(globs, path) is taken


@pytest.mark.parametrize(
    "glob",
    [
        "{" * 200,
        "[" * 200,
        "[z-a]",
        "{a,b",
        "*a" * 100 + "b",
        "**/" * 66 + "b",
        "(a+)+$",
        "{a,{a,{a,{a,{a,{a,b}}}}}}" * 8,
        "x" * 100_000,
        "\\",
    ],
)
def test_a_hostile_glob_takes_nothing_and_costs_nothing(glob):
    assert not matches((glob,), "a" * 4_000)
    assert matches((glob, "*.py"), "a.py")


def test_a_folder_is_meant_by_globs_that_name_it_or_one_above():
    assert say_something_of(("web/**/*.css",), "web")
    assert say_something_of(("web/**/*.css",), "Web/styles")
    assert say_something_of(("src/api",), "src/api/v1")
    assert not say_something_of(("web/**/*.css",), "api")
    assert not say_something_of(("**/*.sql",), "web")
    assert not say_something_of(("src/api/**",), "src")
    assert not say_something_of(("src/*.ts",), "src/deep")
    assert not say_something_of(("web/**", "!web/vendor/**"), "web/vendor")
