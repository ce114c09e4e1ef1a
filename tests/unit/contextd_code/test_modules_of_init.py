"""What `init` states of modules and servers: their way in, the names that stand for them, and what they are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from contextd_code.index.analyse import analyse
from contextd_code.project.architecture import architecture
from contextd_code.project.commands import commands
from contextd_code.project.module_words import (
    comment_sentence,
    counted,
    first_sentence,
    most_public,
)
from contextd_code.project.modules import DetectedModule, modules
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import Stack, detect, language_shares
from contextd_code.project.stack_evidence import trial_folders
from contextd_code.project.support_code import is_beside
from contextd_code.project.usage import uses, weighed_by_use
from contextd_code.values.source import Import, SourceFile

HEADER = """#ifndef ACME_TAG_H
#define ACME_TAG_H
namespace Acme { namespace Audio { class Tag { public: int year() const; }; } }
#endif
"""


def read(path: str, text: str = "x = 1\n") -> SourceFile:
    data = text.encode()
    return analyse(path, data, len(data), 0)


def look(files: dict[str, str]) -> Stack:
    return detect(Path("/nowhere"), list(files), lambda path: files.get(path, ""))


def entries(module: DetectedModule) -> list[str]:
    return [file.path for file in module.key_files if file.role == "entry"]


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("acme/net/__init__.py", True),
        ("acme/net/http/http1/__init__.py", False),
        ("acme/net/src/net/__init__.py", True),
        ("acme/net/vendored/click/__init__.py", False),
    ],
)
def test_the_way_into_a_folder_of_a_module_is_not_that_into_the_module(
    path: str, entry: bool
) -> None:
    others = [f"acme/net/part{n}.py" for n in range(3)] + [f"acme/tools/t{n}.py" for n in range(3)]
    files = [read(path, "from x import y\n"), *map(read, others)]
    net = next(module for module in modules(files) if module.name == "net")
    assert entries(net) == [path] * entry


def test_a_program_deeper_in_a_module_is_a_way_in() -> None:
    main = read("cmd/acme/deep/main.go", "package main\nfunc main() {}\n")
    files = [main, *(read(f"cmd/acme/a{n}.go", "package acme\n") for n in range(3))]
    files += [read(f"store/b{n}.go", "package store\n") for n in range(3)]
    found = [path for module in modules(files) for path in entries(module)]
    assert found == ["cmd/acme/deep/main.go"]


def test_neither_generated_files_nor_tests_of_a_crate_are_key_files() -> None:
    paths = [
        "store/generated/Tables.java",
        "store/Store.java",
        "store/Query.java",
        "book/src/tests.rs",
        "book/src/lib.rs",
        "book/src/book.rs",
    ]
    text = {"java": "class A {}\n", "rs": "pub struct A;\n"}
    files = [read(path, text[path.rpartition(".")[2]]) for path in paths]
    listed = {file.path for module in modules(files) for file in module.key_files}
    assert {"store/Store.java", "book/src/book.rs"} <= listed
    assert listed.isdisjoint(("store/generated/Tables.java", "book/src/tests.rs"))


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("tag.h", HEADER, ["Tag"]),
        (
            "lib/a.rb",
            "module Acme\n  module Cop\n    class Style\n    end\n  end\nend\n",
            ["Style"],
        ),
        ("lib/b.rb", "module Acme\n  module RangeOf\n    def of; end\n  end\nend\n", ["RangeOf"]),
        ("a.py", "class A:\n    class B:\n        pass\n", ["A"]),
    ],
)
def test_classes_inside_a_namespace_represent_a_file_and_not_the_namespace_or_a_guard(
    path: str, text: str, names: list[str]
) -> None:
    assert [symbol.name for symbol in most_public(read(path, text))] == names


def test_build_files_do_not_name_the_language_of_a_module() -> None:
    files = [read(f"c/{name}", "int f();\n") for name in ("tag.h", "tag.cpp")]
    builds = [
        read(f"{folder}CMakeLists.txt", "project(a)\n") for folder in ("c/", "c/a/", "c/b/", "c/d/")
    ]
    assert counted([*files, *builds], {}).startswith("2 C++ files")
    assert counted(builds, {}) == "4 CMake files"


def test_fixtures_are_no_module() -> None:
    paths = [f"{folder}/{n}.ts" for folder in ("__fixtures__", "core", "net") for n in "abc"]
    assert {module.name for module in modules(list(map(read, paths)))} == {"core", "net"}


@pytest.mark.parametrize("name", ["Web.Client.UsageExample", "ShopDemo", "AcmeSamples"])
def test_a_project_that_shows_another_one_is_beside_it(name: str) -> None:
    assert is_beside(f"{name}/{name}.csproj")


@pytest.mark.parametrize("text", ["Acme (Parent)", "Parent pom for all modules of Acme"])
def test_the_title_of_a_parent_build_describes_nothing(text: str) -> None:
    assert first_sentence(text) == ""


def test_a_toolkit_for_redux_does_not_tell_the_version_of_redux() -> None:
    package = '{"dependencies": {"@reduxjs/toolkit": "^2.8.1", "react": "^19.0.0"}}'
    assert set(look({"package.json": package}).labels) >= {"Redux", "React 19"}


POM = (
    "<project><artifactId>a</artifactId><dependencies><dependency><groupId>org.springframework.boot"
    "</groupId><artifactId>{}</artifactId></dependency></dependencies><build><plugins><plugin>"
    "<groupId>org.springframework.boot</groupId><artifactId>spring-boot-maven-plugin</artifactId>"
    "</plugin></plugins></build></project>"
)


@pytest.mark.parametrize(
    ("starter", "kind"), [("spring-boot-starter-web", "api"), ("spring-boot-starter", "unknown")]
)
def test_spring_boot_serves_where_a_server_comes_with_it(starter: str, kind: str) -> None:
    files = {"pom.xml": POM.format(starter), "src/main/java/a/ShopApplication.java": "class A {}"}
    assert project_type(list(files), look(files)).value == kind


def test_pages_in_a_folder_of_static_files_are_no_templates() -> None:
    web = '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>'
    files = {"Server/Server.csproj": web, "Server/Program.cs": "class Program {}"}
    files |= {f"Server/C{n}.cs": "class C {}" for n in range(60)}
    shown = {**files, "Server/templates/a.html": ""}
    fixed = {**files, "Server/webroot/templates/a.html": ""}
    assert project_type(list(shown), look(shown)).value == "web-app"
    assert project_type(list(fixed), look(fixed)).value == "api"


def test_an_interface_that_hardly_a_file_uses_is_stated_with_its_evidence() -> None:
    package = {"package.json": '{"dependencies": {"graphql": "16.0.0"}}'}
    files = [read(f"src/a{n}.ts", "export const a = 1;\n") for n in range(60)]
    using = SourceFile(
        path="src/g.ts", size=1, mtime_ns=0, digest="", lines=1, language="typescript",
        imports=(Import(specifier="graphql", line=1),),
    )  # fmt: skip
    stack, minor = weighed_by_use(
        look(package), uses([*files, using]), files, lambda use: use.as_text()
    )
    assert not stack.of("api")
    assert minor[0].startswith("GraphQL: imported by 1 of 61 TypeScript files")


def test_a_published_package_with_a_command_is_no_library_for_the_plugins_beside_it() -> None:
    plugin = '{{"name": "@acme/{}", "version": "1.0.0", "main": "index.js"}}'
    files = {f"packages/{n}/package.json": plugin.format(n) for n in "abc"}
    files["package.json"] = (
        '{"name": "acme", "version": "1.0.0", "bin": "./acme.js",'
        ' "description": "A command-line tool that tidies code"}'
    )
    assert project_type([*files, "acme.js"], look(files)).value == "cli"


def test_queries_of_a_parser_are_not_scheme() -> None:
    paths = ["src/a.rs", "runtime/queries/ada/folds.scm", "lisp/eval.scm"]
    assert {(one.language, one.files) for one in language_shares(paths)} == {
        ("Rust", 1),
        ("Scheme", 1),
    }


def test_a_line_of_a_comment_may_begin_with_a_name() -> None:
    text = "//! `acme-event` holds systems that allow\n//! parts to talk to each other.\n"
    assert comment_sentence("src/lib.rs", text) == (
        "`acme-event` holds systems that allow parts to talk to each other"
    )


@pytest.mark.parametrize(
    "text",
    ["Initialize the index package", "Import all submodules' main classes into the package space"],
)
def test_docstrings_about_importing_a_package_do_not_describe_a_module(text: str) -> None:
    assert first_sentence(text) == ""


def test_a_target_that_lists_the_targets_builds_nothing() -> None:
    makefile = ".PHONY: all\nall:\n\t@awk -F: '{print $$1}' Makefile\n"
    assert commands(["Makefile"], (), lambda _: makefile) == ()


def test_a_package_with_requirements_beside_it_is_part_of_the_project() -> None:
    files = {
        "setup.py": "from setuptools import setup\nsetup(name='acme', install_requires=['store'])\n",
        "store/setup.py": "from setuptools import setup\nsetup(name='store')\n",
        "store/requirements.txt": "window\n",
        "trial/requirements.txt": "acme\n",
    }
    assert trial_folders(look(files).manifests) == ("trial/",)


TOOL = '{"name": "acme-pr", "version": "1.0.0", "bin": "./pr.js"}'


@pytest.mark.parametrize(
    ("members", "kind"), [("", "unknown"), (', "workspaces": ["extra/*"]', "cli")]
)
def test_a_tool_beside_the_package_of_the_root_is_no_command_of_the_project(
    members: str, kind: str
) -> None:
    files = {
        "package.json": f'{{"name": "acme", "private": true{members}}}',
        "extra/pr/package.json": TOOL,
        "server/server.js": "",
    }
    assert project_type(list(files), look(files)).value == kind


def test_a_few_modules_of_others_are_no_features() -> None:
    files = [f"server/modules/{name}/a.js" for name in ("ntlm", "cache")]
    many = [f"server/model/m{n}.js" for n in range(30)]
    assert architecture([*files, *many], look({})).value != "feature-based"
    assert architecture([*files, *many[:4]], look({})).value == "feature-based"


def test_a_project_that_reaches_many_databases_keeps_its_data_in_none_of_them() -> None:
    asked = ("pg", "mysql2", "mongodb", "mssql", "redis")
    listed = ", ".join(f'"{name}": "1.0.0"' for name in asked)
    files = [read(f"src/a{n}.ts", "export const a = 1;\n") for n in range(60)]
    using = SourceFile(
        path="src/g.ts", size=1, mtime_ns=0, digest="", lines=1, language="typescript",
        imports=tuple(Import(specifier=name, line=1) for name in asked),
    )  # fmt: skip
    stack = look({"package.json": f'{{"dependencies": {{{listed}}}}}'})
    weighed, minor = weighed_by_use(
        stack, uses([*files, using]), [*files, using], lambda use: use.as_text()
    )
    assert not weighed.of("database")
    assert any(line.startswith("PostgreSQL: imported by 1 of 61") for line in minor)


def test_sources_at_the_root_of_a_package_are_a_module_with_its_name() -> None:
    paths = ["src/lib.rs", "src/a.rs", *(f"models/{n}/src/lib.rs" for n in ("af", "ar"))]
    packages = {"": "", "models/af": "", "models/ar": ""}
    found = modules([read(path, "pub struct A;\n") for path in paths], packages, name="acme")
    assert {module.name for module in found} == {"acme", "af", "ar"}


@pytest.mark.parametrize(
    ("members", "pattern"), [(':app"', "unknown"), (':app", ":player"', "monorepo")]
)
def test_a_build_with_one_part_is_no_monorepo(members: str, pattern: str) -> None:
    files = {"settings.gradle.kts": f'include("{members})', "app/src/main/java/a/A.java": ""}
    files["app/build.gradle.kts"] = files["player/build.gradle.kts"] = (
        'dependencies { implementation("a:b:1") }'
    )
    assert architecture(list(files), look(files)).value == pattern


def test_a_module_of_java_is_named_after_its_package_and_not_after_a_domain() -> None:
    home = "app/src/main/java"
    paths = [f"{home}/org/acme/player/{name}.java" for name in ("A", "B", "C", "ui/D", "ui/E")]
    paths += [f"{home}/us/giga/get/{name}.java" for name in ("F", "G", "H")]
    found = modules([read(path, "class A {}\n") for path in paths], {"app": ""}, name="acme")
    assert "org" not in {module.name for module in found}


def test_tests_do_not_bring_the_suites_of_packages_they_hold() -> None:
    package = '{"name": "ws", "devDependencies": {"mocha": "^8.4.0"}}'
    vendored = {"tests/Shop.Tests/node_modules/ws/package.json": package}
    assert [one.label for one in look({"tests/package.json": package}).of("test")] == ["Mocha 8"]
    assert not look(vendored).of("test")


def test_news_of_the_authors_describe_nothing() -> None:
    assert first_sentence("We are rewriting large chunks of the codebase") == ""


def test_neither_a_private_command_nor_a_native_part_says_what_a_project_is() -> None:
    files = {
        "package.json": '{"name": "acme", "private": true, "workspaces": ["packages/*"]}',
        "packages/server/package.json": '{"name": "server", "private": true, "bin": {"run-test": "./t.js"}}',
        "packages/native/Cargo.toml": '[package]\nname = "native"\nversion = "1.0.0"\npublish = false\n',
        "packages/native/src/lib.rs": "",
    }
    reason = project_type(list(files), look(files)).reason
    assert "run-test" not in reason
    assert "lib.rs" not in reason


def test_an_item_of_a_list_in_a_pipeline_is_no_command() -> None:
    pipeline = (
        "jobs:\n  a:\n    steps:\n      - run: |\n          - restates a docstring or test name\n"
        "          pytest -q\n"
    )
    path = ".github/workflows/a.yml"
    assert commands([path], (), lambda _: pipeline) == (f"CI ({path}): pytest -q",)


def test_imports_of_a_build_script_are_no_dependencies_of_its_module() -> None:
    texts = {
        "api/src/main/kotlin/a/api/Api.kt": "package a.api\nimport a.core.Core\nclass Api(val core: Core)\n",
        "api/build.gradle.kts": "import a.plugin.Task\n",
        "core/src/main/kotlin/a/core/Core.kt": "package a.core\nclass Core\n",
        "plugin/src/main/kotlin/a/plugin/Task.kt": "package a.plugin\nclass Task\n",
    }
    targets = {
        "api/src/main/kotlin/a/api/Api.kt": "core/src/main/kotlin/a/core/Core.kt",
        "api/build.gradle.kts": "plugin/src/main/kotlin/a/plugin/Task.kt",
    }
    files = [
        replace(
            read(path, text),
            imports=tuple(
                Import(specifier="a", line=1, target=t) for t in [targets.get(path)] if t
            ),
        )
        for path, text in texts.items()
    ]
    packages = {"api": "", "core": "", "plugin": ""}
    needs = {module.name: module.dependencies for module in modules(files, packages)}
    assert needs["api"] == ("core",)


def test_an_application_of_dotnet_with_pages_built_by_npm_runs_on_dotnet() -> None:
    web = (
        '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup><TargetFramework>net8.0'
        "</TargetFramework></PropertyGroup></Project>"
    )
    files = {"src/Shop/Shop.csproj": web, **{f"src/Shop/C{n}.cs": "" for n in range(60)}}
    files |= {"package.json": '{"name": "shop", "private": true, "dependencies": {"react": "18"}}'}
    files |= {"yarn.lock": "", **{f"frontend/src/p{n}.tsx": "" for n in range(40)}}
    assert look(files).runtime == ".NET 8"


def test_a_part_for_others_does_not_make_a_family_with_a_program_a_library() -> None:
    published = "plugins { id 'java-library'\n id 'maven-publish' }\ngroup = 'a'\n"
    files = {
        "settings.gradle": "include 'api', 'cli'",
        "api/build.gradle": published,
        "api/src/main/java/a/Api.java": "",
        "cli/build.gradle": "plugins { id 'application' }\n",
        "cli/src/main/java/a/Run.java": "",
    }
    assert project_type(list(files), look(files)).value != "library"
    files["cli/build.gradle"] = published
    assert project_type(list(files), look(files)).value == "library"
