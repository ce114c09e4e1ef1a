"""Projects of languages and kinds whose manifests are read by lines: what they are, and what they run on."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd_code.project.architecture import architecture
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import Stack, detect


def look(files: dict[str, str]) -> Stack:
    return detect(Path(), list(files), lambda path: files[path])


def several(pattern: str, count: int = 3) -> dict[str, str]:
    return {pattern.format(n): "" for n in range(count)}


GRADLE_MEMBER = 'plugins { id("shop.publish-conventions") }'


@pytest.mark.parametrize(
    ("files", "kind", "runtime"),
    [
        ({"DESCRIPTION": "Package: shop\nTitle: A Shop\nDepends:\n    R (>= 4.1)\n", **several("R/part{}.R"),
          **several("man/{}.md", 30)}, "library", "R 4.1+"),
        ({"Project.toml": 'name = "Shop"\nuuid = "1"\n[compat]\njulia = "1.9"\n', **several("src/{}.jl")},
         "library", "Julia 1.9"),
        ({"shop.cabal": "Name: shop\nSynopsis: A shop\nlibrary\n  build-depends: base\n", **several("src/{}.hs")},
         "library", "Haskell"),
        ({"shop.cabal": "Name: Shop\nlibrary\n  exposed-modules: A\nexecutable shop\n  main-is: M.hs\n",
          **several("src/{}.hs")}, "cli", "Haskell"),
        ({"dune-project": "(lang dune 3.0)\n", "shop.opam": 'synopsis: "A shop"\n', **several("lib/{}.ml")},
         "library", "OCaml"),
        ({"rebar.config": "{deps, [{cowlib, \"2\"}]}.\n", **several("src/{}.erl")}, "library", "Erlang"),
        ({"build.zig": 'b.addExecutable(.{ .name = "shop" });\n_ = b.addModule("shop", .{});\n',
          **several("src/{}.zig")}, "cli", "Zig"),
        ({"Makefile.PL": "WriteMakefile(NAME => 'Shop', EXE_FILES => ['script/cart']);\n", **several("lib/{}.pm")},
         "library", "Perl"),
        ({"plugin/shop.lua": "", **several("lua/shop/{}.lua")}, "library", ""),
        ({"project.clj": '(defproject shop "1" :sub ["a" "b"])\n', **several("src/{}.clj")}, "library", "Clojure"),
        ({"build.sbt": 'name := "shop"\nlicenses := Seq()\n', **several("src/main/scala/{}.scala")}, "library", "Scala"),
        ({**several("lisp/shop-{}.el")}, "library", ""),
        ({"flake.nix": "{}", **several("modules/{}.nix", 9), "lib/a.py": ""}, "library", ""),
        ({"data/prices.csv": "", "data/shops.csv": "", "README.md": "", "scripts/get.py": ""}, "data", ""),
        ({"paper.tex": "", "shop.sty": "", "README.md": ""}, "documentation", ""),
        ({"zsh/zshrc.symlink": "", "git/gitconfig.symlink": "", **several("bin/{}.sh")}, "configuration", ""),
        ({"vimrc": "", "gitconfig": "", **several("vim/ftplugin/{}.vim"), **several("bin/{}.sh")}, "configuration", ""),
        ({"action.yml": "name: Shop\nruns:\n  using: node20\n", **several("src/{}.ts")}, "library", ""),
        ({"ProjectSettings/ProjectVersion.txt": "", **several("Assets/Scripts/{}.cs"),
          "Assets/Plugins/x/package.json": '{"name": "x"}'}, "desktop-app", ""),
        ({"package.json": '{"name": "shop", "dependencies": {"graphql": "16"}}', **several("src/{}.js")},
         "api", "Node.js"),
        ({"composer.json": '{"name": "a/shop", "require": {"symfony/console": "6"}}', **several("src/{}.php")},
         "library", "PHP"),
        # A family of libraries of which few are run, and an application of several members.
        ({"settings.gradle.kts": 'include(":a")\ninclude(":b")\ninclude(":c")\ninclude(":d")\ninclude(":app")\n',
          "build.gradle.kts": "", **{f"{m}/build.gradle.kts": GRADLE_MEMBER for m in "abcd"},
          "app/build.gradle.kts": 'plugins { id("com.android.application") }', "app/src/main/AndroidManifest.xml": "",
          **several("a/src/main/kotlin/{}.kt", 9)}, "library", "Java"),
        ({"settings.gradle.kts": 'pluginManagement { includeGroupByRegex("com.*") }\ninclude(":core")\ninclude(":app")\n',
          "build.gradle.kts": "", "core/build.gradle.kts": "",
          "app/build.gradle.kts": 'plugins { id("com.android.application") }', "app/src/main/AndroidManifest.xml": "",
          **several("core/src/main/kotlin/{}.kt", 9)}, "mobile-app", "Java"),
    ],
)  # fmt: skip
def test_type_and_runtime_are_found_for_projects_in_any_language(
    files: dict[str, str], kind: str, runtime: str
) -> None:
    stack = look(files)
    found = project_type(list(files), stack)
    assert (found.value, stack.runtime) == (kind, runtime), found.reason


@pytest.mark.parametrize(
    ("files", "language"),
    [
        ({"include/shop.h": "", "src/shop.cpp": "", "src/cart.cpp": ""}, "C++"),
        ({"include/shop.h": "", "src/shop.c": "", "src/cart.c": "", "tests.cpp": ""}, "C"),
    ],
)
def test_headers_are_of_the_language_most_sources_are_in(
    files: dict[str, str], language: str
) -> None:
    assert look(files).languages[0].language == language


def test_members_of_a_build_are_what_it_includes_and_not_what_it_resolves() -> None:
    files = {
        "settings.gradle.kts": 'repositories { includeGroupByRegex("com\\\\.google.*") }\ninclude(":core")\n',
        "core/build.gradle.kts": "dependencies {}",
    }
    assert look(files).manifests[0].members == ("core",)


def test_a_linter_of_documents_makes_no_program_of_node() -> None:
    files = {"package.json": '{"private": true, "devDependencies": {"doctoc": "2"}}', "package-lock.json": "{}",
             "shop.proto": ""}  # fmt: skip
    stack = look(files)
    assert (stack.runtime, stack.package_manager) == ("", "")


def test_the_program_of_c_with_a_header_of_its_own_speaks_for_the_others() -> None:
    files = dict.fromkeys(("sizes.c", "shop.c", "shop.h", "cart.h"), "")
    found = project_type(list(files), look(files), programs=["sizes.c", "shop.c"])
    assert found.reason.startswith("shop.c and 1 more")


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (several("include/shop/cart/{}.hpp") | several("include/shop/pay/{}.hpp") | several("include/shop/a/{}.hpp"),
         "include/shop/ is divided into packages: a, cart, pay."),
        ({"main.py": "", "shop/one.py": ""}, "The code lies in the root, shop/."),
        ({"a.toml": ""}, "What is here lies in the root."),
        ({}, ""),
    ],
)  # fmt: skip
def test_where_code_lies_is_said_of_every_project(files: dict[str, str], reason: str) -> None:
    assert architecture(list(files), look(files)).reason == reason
