"""Versions and tools that `init` states: ranges, catalogues, package managers, test suites."""

from __future__ import annotations

import pytest
from test_statements_of_init import look

from contextd_code.project.architecture import architecture
from contextd_code.project.commands import commands
from contextd_code.project.manifests import parse
from contextd_code.project.module_words import first_sentence
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import language_shares
from contextd_code.project.support_code import is_beside


@pytest.mark.parametrize(
    ("path", "text", "runtime"),
    [
        ("go.mod", "module a.org/b\n\ngo 1.23\n", "Go 1.23+"),
        ("Cargo.toml", "[package]\nname='a'\nrust-version='1.70'\n", "Rust 1.70+"),
        ("pyproject.toml", "[project]\nname='a'\nrequires-python='>=3.10,<3.13'\n", "Python 3.10–3.12"),
        ("pyproject.toml", "[tool.poetry]\nname='a'\n[tool.poetry.dependencies]\npython='^3.9'\n", "Python 3.9+"),
        ("mix.exs", 'def project, do: [elixir: "~> 1.14"]', "Elixir 1.14+"),
        ("composer.json", '{"name": "a/b", "require": {"php": "~8.2.0"}}', "PHP 8.2"),
        ("A.csproj", "<Project><TargetFrameworks>net8.0;net9.0</TargetFrameworks></Project>", ".NET 8+"),
        ("A.csproj", "<Project><TargetFrameworks>net9.0;netstandard2.0</TargetFrameworks></Project>", ".NET"),
        ("A.csproj", "<Project><TargetFramework>net8.0</TargetFramework></Project>", ".NET 8"),
    ],
)  # fmt: skip
def test_a_runtime_says_whether_later_versions_are_allowed(path, text, runtime):
    assert look({path: text, "a.py": ""}).runtime == runtime


def test_projects_for_different_versions_of_dotnet_agree_on_none():
    files = {f"{n}/{n}.csproj": f"<Project><TargetFramework>net{n}.0</TargetFramework></Project>"
             for n in (8, 10)}  # fmt: skip
    assert look(files).runtime == ".NET"
    del files["10/10.csproj"]
    # What a compiler loads says nothing about what the project runs on.
    files["g/g.csproj"] = "<Project><TargetFramework>netstandard2.0</TargetFramework></Project>"
    assert look(files).runtime == ".NET 8"


def test_a_pyproject_alone_does_not_say_that_pip_installs_it():
    files = {"pyproject.toml": "[project]\nname='a'\n", "a.py": ""}
    assert look(files).package_manager == ""
    assert look(files | {"requirements.txt": "click\n"}).package_manager == "pip"


CATALOGUE = """
[libraries]
junit-jupiter = "org.junit.jupiter:junit-jupiter:5.1"
ktor-server = { module = "io.ktor:ktor-server-core", version = "2.1" }
[plugins]
android-application = { id = "com.android.application", version = "8.1" }
"""


@pytest.mark.parametrize(
    ("script", "labels"),
    [
        ("dependencies { testImplementation(libs.junit.jupiter) }", ["JUnit 5"]),
        ("plugins { alias(libs.plugins.android.application) apply false }\napi(libs.ktor.server)", ["Ktor 2"]),
        ("plugins { alias(libs.plugins.android.application) }", ["Android"]),
    ],
)  # fmt: skip
def test_a_version_catalogue_counts_as_far_as_build_scripts_use_it(script, labels):
    files = {
        "gradle/libs.versions.toml": CATALOGUE,
        "build.gradle.kts": script,
        "src/main/A.kt": "",
    }
    found = [
        one.label for one in look(files).technologies if not one.only_dev or "JUnit" in one.name
    ]
    assert found == labels


def test_the_tests_of_a_folder_do_not_stand_beside_those_of_the_root():
    root = {"package.json": '{"name": "a", "devDependencies": {"@hapi/lab": "25"}}'}
    side = {"browser/package.json": '{"devDependencies": {"karma": "6", "mocha": "8"}}'}
    assert [one.label for one in look(root | side).of("test")] == ["lab 25"]
    assert [one.label for one in look(side).of("test")] == ["Karma 6", "Mocha 8"]


def test_a_gem_is_tested_with_what_its_gemspec_asks_for_in_development():
    text = "s.add_development_dependency 'rspec', '~> 3.12'\ns.add_dependency 'rack', '>= 2'\n"
    manifest = parse("shop.gemspec", text)
    assert (manifest.dev, manifest.dependencies["rspec"]) == ({"rspec"}, "~> 3.12")


def test_an_environment_of_conda_is_what_a_published_package_is_developed_in():
    files = {"environment.yml": "dependencies:\n- numpy\n- pytest\n", "a.py": ""}
    assert (look(files).labels, look(files).package_manager) == (("Python", "NumPy"), "conda")
    files["pyproject.toml"] = "[project]\nname='a'\n[build-system]\nrequires=['hatchling']\n"
    assert (look(files).labels, look(files).package_manager) == (("Python",), "")


@pytest.mark.parametrize(("written", "label"), [("js", "JavaScript"), ("ts", "TypeScript 5")])
def test_of_two_sisters_the_language_of_most_files_is_named(written: str, label: str):
    files = {"package.json": '{"devDependencies": {"typescript": "5"}}', "a.d.ts": "", "a.js": ""}
    files |= {f"{n}.{written}": "" for n in range(3)}
    assert look(files).labels == (label,)


@pytest.mark.parametrize(
    ("more", "said"),
    [({}, ("build: dotnet build", "test: dotnet test")), ({"ShopLite.sln": ""}, ()), ({"Shop.csproj": ""}, ())],
)  # fmt: skip
def test_dotnet_is_only_asked_to_build_where_one_thing_can_be_meant(more, said):
    files = {"Shop.sln": "", "tests/Shop.Tests.csproj": ""} | more
    assert commands(list(files), [], lambda path: files[path]) == said


def test_a_package_of_flutter_is_a_library_and_an_app_is_for_telephones():
    text = "name: shop\nversion: 1.0.0\ndependencies:\n  flutter:\n    sdk: flutter\n"
    package = {"pubspec.yaml": text, "lib/shop.dart": ""}
    app = {"pubspec.yaml": text + "publish_to: none\n", "lib/main.dart": ""}
    kinds = [project_type(list(files), look(files)).value for files in (package, app)]
    assert kinds == ["library", "mobile-app"]


def test_a_program_that_tries_out_the_package_beside_it_makes_no_monorepo():
    text = "<Project Sdk='Microsoft.NET.Sdk'></Project>"
    paths = ["Shop/Shop.csproj", "Trial/Trial.csproj", "Trial/Run.cs"]
    files = dict.fromkeys([*paths, *(f"Shop/{n}.cs" for n in range(40))], text)
    assert architecture(list(files), look(files)).value != "monorepo"
    files |= dict.fromkeys((f"Trial/{n}.cs" for n in range(40)), text)
    assert architecture(list(files), look(files)).value == "monorepo"


def test_steps_of_cucumber_are_no_features_of_the_project():
    assert is_beside("features/step_definitions/shop_steps.rb")
    assert is_beside("features/support/env.rb")
    assert not is_beside("src/features/cart/price.ts")


def test_a_package_that_asks_its_users_for_another_is_a_library():
    text = '{"name": "shop", "private": true, "main": "index.js", "devDependencies": {"redux": "5"}, "peerDependencies": {"react": ">=18"}}'
    files = {"package.json": text, "src/index.ts": "", "src/App.tsx": ""}
    stack = look(files)
    assert project_type(list(files), stack).value == "library"
    assert stack.labels == ("React 18+", "TypeScript")


def test_a_sentence_with_half_a_parenthesis_is_none():
    assert first_sentence("others `acme/shop-docs` module) and more of them") == ""
    assert first_sentence("A shop of apples (and pears) on a hill") != ""


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("spec.executables = spec.files.grep(%r{^exe/}) { |f| File.basename(f) }", ("cart", "rake")),
        ("spec.executables = `git ls-files -- bin/*`.grep(/^bin/) - ['console']", ("shop",)),
        ("spec.executables = spec.files.grep(%r{^bin/}) { |f| File.basename(f) }", ("shop",)),
        ("spec.executables = %w(shop cart)", ("shop", "cart")),
    ],
)  # fmt: skip
def test_a_gem_installs_the_files_of_the_folder_it_names(line: str, found: tuple[str, ...]):
    files = {
        "shop.gemspec": line,
        "exe/cart": "",
        "exe/rake": "",
        "bin/shop": "",
        "bin/console": "",
    }
    assert next(m.commands for m in look(files).manifests) == found


def test_a_notice_that_documentation_moved_describes_nothing():
    assert first_sentence("The shop docs were moved to docs.acme.example") == ""


def test_wrappers_of_builds_are_no_language_of_the_project():
    shares = language_shares(["a.kt", "gradlew.bat"])
    assert [one.language for one in shares] == ["Kotlin"]


def test_commented_out_or_platform_specific_requirements_are_ignored():
    gradle = "// sourceCompatibility = JavaVersion.VERSION_1_8\njvmToolchain(17)\n"
    assert parse("build.gradle.kts", gradle).runtimes == {"Java": "17"}
    gems = "gem 'rspec'\ngem 'test-unit' if RUBY_PLATFORM =~ /cygwin/\n"
    assert set(parse("Gemfile", gems).dependencies) == {"rspec"}


@pytest.mark.parametrize("path", ["src/Shop.Tests.Harness/A.cs", "src/Shop.Tests/A.cs"])
def test_projects_of_tests_are_beside_the_project(path: str):
    assert is_beside(path)


def test_a_project_of_elixir_is_tested_with_exunit():
    files = {"mix.exs": "", "lib/shop.ex": "", "test/test_helper.exs": "", "test/shop_test.exs": ""}
    assert [one.label for one in look(files).of("test")] == ["ExUnit"]
