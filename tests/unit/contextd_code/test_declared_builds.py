"""Builds that declare their parts, and what `init` must not conclude where one part speaks for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from contextd_code.project.architecture import architecture
from contextd_code.project.declared_builds import declared_builds, within_builds
from contextd_code.project.manifests import Manifest, parse
from contextd_code.project.module_words import counted, readme_sentence
from contextd_code.project.modules import modules
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import Stack, detect
from contextd_code.project.stack_evidence import allows_more
from contextd_code.values.source import SourceFile, Symbol, is_test

ROOT = Path("/nowhere")


def reading(files: dict[str, str]) -> Callable[[str], str]:
    return lambda path: files.get(path, "")


def look(files: dict[str, str]) -> Stack:
    return detect(ROOT, list(files), reading(files))


def test_members_of_a_gradle_build_are_read_over_several_lines():
    text = "include 'clients',\n    'connect:api', // the interface\n    'core'\ninclude ':tools'\n"
    assert parse("settings.gradle", text).members == ("clients", "connect/api", "core", "tools")
    text = 'include(\n    ":app",\n    ":wear",\n)\n'
    assert parse("settings.gradle.kts", text).members == ("app", "wear")


@pytest.mark.parametrize(
    ("path", "text", "built_with"),
    [
        ("app/build.gradle", "implementation project(':net:sync')\napi project(path: ':model')", ("net/sync", "model")),
        ("app/build.gradle.kts", "implementation(projects.wearData)\napi(projects.net.sync)",
         ("wearData", "net/sync")),
        ("app/build.gradle.kts", "plugins { `java-library` }", ()),
        ("src/Shop/Shop.csproj", '<Project><ItemGroup><ProjectReference Include="..\\Core\\Core.csproj" />'
         "</ItemGroup></Project>", ("src/Core",)),
        ("package.json", "{}", None),
    ],
)  # fmt: skip
def test_a_build_declares_which_packages_it_is_built_with(path, text, built_with):
    assert parse(path, text).references == built_with


def test_a_file_depends_on_no_package_that_its_build_does_not_know():
    builds = declared_builds([
        Manifest("app/build.gradle", "maven", references=("wearData",)),
        Manifest("wear-data/build.gradle", "maven", references=("core",)),
        Manifest("core/build.gradle", "maven", references=()),
        Manifest("web/package.json", "npm"),
    ])  # fmt: skip
    edges = dict.fromkeys(
        [("app/src/A.kt", "wear-data/src/B.kt"), ("app/src/A.kt", "core/C.kt"), ("core/C.kt", "app/src/A.kt"),
         ("core/C.kt", "core/D.kt"), ("web/a.ts", "core/C.kt"), ("build.kt", "core/C.kt")], 1
    )  # fmt: skip
    assert edges.keys() - within_builds(edges, builds).keys() == {("core/C.kt", "app/src/A.kt")}


@pytest.mark.parametrize(
    "manifests",
    [
        [Manifest("build.gradle", "maven", references=("core",)), Manifest("app/build.gradle", "maven", references=())],
        [Manifest("app/build.gradle", "maven", references=()), Manifest("core/build.gradle", "maven", references=())],
    ],
)  # fmt: skip
def test_builds_that_declare_nothing_themselves_rule_nothing_out(manifests):
    assert not declared_builds(manifests)


def test_packages_of_one_name_are_modules_of_their_own():
    places = ["net/download/service", "playback/service"]
    files = [SourceFile(path=f"{place}/src/{name}.java", size=1, mtime_ns=1, digest="d", language="java")
             for place in places for name in ("A", "B", "C")]  # fmt: skip
    found = modules(files, dict.fromkeys(places, ""))
    assert {one.name: one.prefixes for one in found} == {
        "download-service": ("net/download/service",),
        "playback-service": ("playback/service",),
    }


def test_the_description_of_one_folder_does_not_describe_a_module_of_several_folders():
    files = [SourceFile(path=f"{place}/orders/{name}.ts", size=1, mtime_ns=1, digest="d", language="typescript")
             for place in ("src/pages", "src/routes") for name in "abc"]  # fmt: skip
    files += [replace(one, path=one.path.replace("orders", "users")) for one in files]
    texts = {"src/pages/orders/index.ts": "/** Pages that show orders to clerks. */\n"}
    files.append(replace(files[0], path="src/pages/orders/index.ts"))
    orders = next(m for m in modules(files, read=reading(texts)) if m.name == "orders")
    assert (len(orders.prefixes), orders.description) == (2, "7 TypeScript files")


def test_services_with_layers_of_their_own_make_no_layers_of_the_whole():
    services = [f"src/{name}/{n}.cs" for n in "abc" for name in
                ("Basket.API", "Catalog.API", "Orders.API", "Orders.Domain", "Orders.Infrastructure")]  # fmt: skip
    assert architecture(services, Stack()).value != "layered"
    layers = [f"src/Shop.{name}/a.cs" for name in ("API", "Domain", "Infrastructure")]
    assert architecture(layers, Stack()).value == "layered"
    part = [f"src/Small/{name}/a.cs" for name in ("Models", "Services", "Infrastructure")]
    assert architecture([*part, *(f"lib/a{n}.cs" for n in range(20))], Stack()).value != "layered"


def test_a_readme_sentence_about_another_product_does_not_describe_the_project():
    text = "Apples was a popular shop that was discontinued in 2013.\n\nBears sells what it sold.\n"
    assert readme_sentence(text) == "Bears sells what it sold"


def test_tables_are_counted_and_pictures_beside_them_are_not():
    files = [SourceFile(path=f"data/{name}", size=1, mtime_ns=1, digest="d", language=language)
             for name, language in (("a.csv", "csv"), ("b.csv", "csv"), ("c.json", "json"), ("d.png", ""))]  # fmt: skip
    (found,) = modules(files)
    assert found.description == "2 CSV files"
    assert "data/d.png" not in found.files


def test_an_image_deep_in_a_project_does_not_tell_what_it_runs_on():
    files = {"pom.xml": "<project><artifactId>shop</artifactId></project>", "src/main/java/A.java": "class A {}",
             "docker/jvm/Dockerfile": "FROM eclipse-temurin:21-jre\n"}  # fmt: skip
    assert look(files).runtime == "Java"
    files["Dockerfile"] = "FROM eclipse-temurin:17-jre\n"
    assert look(files).runtime == "Java 17"


@pytest.mark.parametrize(
    ("path", "test"),
    [("app/src/androidTestPlay/java/A.kt", True), ("app/src/testDebug/java/A.kt", True),
     ("app/src/testing/A.kt", False), ("app/src/main/java/Test.kt", False)],
)  # fmt: skip
def test_every_source_set_of_tests_holds_tests(path, test):
    assert is_test(path) is test


def test_a_member_that_is_listed_twice_is_one():
    assert parse("settings.gradle", "include ':app'\ninclude ':app', ':core'\n").members == (
        "app",
        "core",
    )


@pytest.mark.parametrize(
    ("asked", "majors", "minors"),
    [(">=5.0,<7", True, True), (">=9.0,<10", False, True), (">=3.10, <3.15", False, True),
     (">=3.10,<3.11", False, False), (">=3.9", True, True), ("^3.9", False, False), (">=5,<=6", True, True),
     (">= 18.0.0 < 21", True, True), ("", False, False)],
)  # fmt: skip
def test_a_range_is_open_where_it_allows_later_versions(asked, majors, minors):
    assert allows_more(asked, minors=False) is majors
    assert allows_more(asked, minors=True) is minors


def test_the_lock_tells_the_version_of_a_range_and_python_shows_that_later_ones_do():
    files = {"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.10,<3.15"\n'
             'dependencies = ["tornado>=5.0,<7"]\n', "shop/__init__.py": "import tornado\n",
             "uv.lock": '[[package]]\nname = "tornado"\nversion = "6.4.2"\n'}  # fmt: skip
    found = look(files)
    assert (found.runtime, found.labels) == ("Python 3.10–3.14", ("Tornado 6", "Python"))


def test_a_module_is_named_after_definitions_in_the_files_it_counts():
    def file(path: str, language: str, name: str) -> SourceFile:
        symbol = Symbol(
            name=name, kind="class", start_line=1, end_line=1, start=0, end=9, exported=True
        )
        return SourceFile(
            path=path, size=1, mtime_ns=1, digest="d", language=language, symbols=(symbol,)
        )

    files = [
        file("a.php", "php", "Reader"),
        file("b.js", "javascript", "Shown"),
        file("c.js", "javascript", "Menu"),
    ]
    assert counted(files, {}) == "2 JavaScript files: Shown, Menu"
    headers = [file("a.cpp", "cpp", "Apple"), file("a.h", "c-header", "Pear")]
    assert counted(headers, {}) == "2 C++ files: Apple, Pear"


def test_files_sent_as_they_are_make_no_package():
    paths = [f"shop/{name}/{n}.{ending}" for name, ending in
             (("orders", "py"), ("users", "py"), ("static", "js")) for n in "abc"]  # fmt: skip
    assert "static" not in architecture(paths, Stack()).reason


def test_how_to_run_a_part_does_not_describe_it():
    assert readme_sentence("# Site\n\nRun the site for development with yarn.\n") == ""
    assert readme_sentence("# Site\n\nPreview all that is built: `yarn start`\n") == ""


@pytest.mark.parametrize("ending", ["vim", "m", "f90", "pas", "rkt", "sv"])
def test_a_program_in_a_language_without_a_parser_is_no_documentation(ending):
    paths = ["README.md", "CONTRIBUTING.md", f"plugin/shop.{ending}", f"autoload/shop.{ending}"]
    assert project_type(paths, Stack()).value != "documentation"
