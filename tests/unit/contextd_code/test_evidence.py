"""What `init` states: how far a technology is used, what runs, how it is tested, and a type only where it is sure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextd.domain.result_display import text_form
from contextd_code.project.commands import commands
from contextd_code.project.manifests import Manifest, parse
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import Stack, detect
from contextd_code.project.usage import uses, weighed_by_use
from contextd_code.values.source import Import, SourceFile

GO_MOD = "module example.com/shop\nrequire (\n  github.com/go-chi/chi/v5 v5.1.0\n  github.com/spf13/cobra v1.8.0\n)\n"
ROOT = Path("/nowhere")


def reading(files: dict[str, str]) -> Callable[[str], str]:
    return lambda path: files.get(path, "")


def look(files: dict[str, str]) -> Stack:
    return detect(ROOT, list(files), reading(files))


def importing(path: str, language: str, *specifiers: str, target: str = "") -> SourceFile:
    found = tuple(Import(specifier=one, line=1, target=target) for one in specifiers)
    return SourceFile(path=path, size=1, mtime_ns=1, digest="d", language=language, imports=found)


def test_a_framework_in_one_file_of_many_is_evidence_and_no_label():
    files = [importing(f"shop/{n}.go", "go", "fmt") for n in range(99)]
    files.append(importing("pki/acme/server.go", "go", "github.com/go-chi/chi/v5/middleware"))
    files.append(importing("pki/acme/server_test.go", "go", "github.com/go-chi/chi/v5"))
    stack, minor = weighed_by_use(
        look({"go.mod": GO_MOD, "cmd/main.go": ""}), uses(files), files, text_form
    )
    assert [one.name for one in stack.of("backend", "cli")] == []
    assert minor == (
        "chi 5: imported by 1 of 100 Go files without tests and examples, in pki/acme",
        "Cobra 1: declared in go.mod",
    )


def test_the_framework_that_more_files_import_comes_first():
    text = '[project]\nname = "crawl"\ndependencies = ["aiohttp", "Twisted>=21"]\n'
    files = [importing(f"crawl/{n}.py", "python", "twisted.internet") for n in range(8)]
    files += [importing(f"crawl/x{n}.py", "python", "aiohttp") for n in range(2)]
    stack, minor = weighed_by_use(look({"pyproject.toml": text}), uses(files), files, text_form)
    assert [one.name for one in stack.of("backend")] == ["Twisted", "aiohttp"]
    assert not minor


def test_imports_within_the_project_are_no_use_of_a_package():
    files = [importing("click/core.py", "python", "click.types", target="click/types.py")]
    assert uses(files) == {}


def test_an_app_that_packs_a_library_makes_no_mobile_app_of_it():
    files = {
        "src/fmt.cc": "",
        "include/fmt.h": "",
        "support/AndroidManifest.xml": "",
        "lib/a.cc": "",
    }
    stack, _ = weighed_by_use(look(files), {}, [], text_form)
    assert "Android" not in stack.labels


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ("A command-line tool that counts sheep", "cli"),
        ("Counts sheep", "cli"),
        ("A web server that counts sheep", "unknown"),
        ("A terminal multiplexer", "unknown"),
        ("A command line for our server", "unknown"),
        ("A CLI for our server", "cli"),
    ],
)
def test_a_program_is_a_command_line_only_where_nothing_says_otherwise(about, kind):
    stack = look(
        {"go.mod": "module example.com/a\nrequire github.com/spf13/cobra v1.8.0\n", "main.go": ""}
    )
    assert project_type(["go.mod", "main.go"], stack, about=about).value == kind


def test_a_package_that_installs_a_command_is_one_of_both_until_it_says_which():
    text = '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "ccds"\nversion = "1"\n'
    text += 'description = "{}"\nscripts = {{ ccds = "ccds:main" }}\n'
    for about, kind in (("A project structure", "unknown"), ("A library of shapes", "library")):
        files = {"pyproject.toml": text.format(about), "ccds/__init__.py": ""}
        found = project_type(list(files), look(files), about=about)
        assert found.value == kind
        assert "installs the command ccds" in found.reason or kind == "library"


def test_commands_come_from_manifests_and_from_what_ci_runs():
    files = {
        "package.json": '{"scripts": {"build": "tsc", "test": "vitest run", "x": "y", "lint": 3}}',
        "pnpm-lock.yaml": "",
        "Makefile": "all: x\n\tcc\ntest:\n\tmake x\nTEST := 3\n",
        ".github/workflows/ci.yml": "steps:\n  - run: npm install vitest\n  - run: pnpm vitest --coverage\n"
        "  - run: |\n      tox -e ${{ matrix.env }}\n",
    }
    assert commands(list(files), [], reading(files)) == (
        "build: pnpm build (tsc)",
        "test: pnpm test (vitest run)",
        "CI (.github/workflows/ci.yml): pnpm vitest --coverage",
    )


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("Cargo.toml", "", "test: cargo test"),
        ("go.mod", "", "test: go test ./..."),
        ("pyproject.toml", "[tool.pytest.ini_options]", "test: pytest"),
        ("shop.sln", "", "build: dotnet build"),
        ("composer.json", '{"scripts": {"test": "phpunit"}}', "test: composer test"),
        ("package.json", "broken", None),
        ("package.json", '{"scripts": {"test": "echo no test specified && exit 1"}}', None),
    ],
)
def test_each_manifest_says_how_to_test(name, text, line):
    found = commands([name], [Manifest(name)], reading({name: text}))
    assert (line in found) if line else not found


def test_flutter_and_dart_are_run_by_their_own_tools():
    for needs, tool in (("  flutter:\n    sdk: flutter\n", "flutter"), ("  path: any\n", "dart")):
        text = f"name: shop\ndependencies:\n{needs}"
        paths = ["pubspec.yaml", "lib/main.dart", "test/shop_test.dart"]
        found = commands(paths, [parse("pubspec.yaml", text)], reading({}))
        assert f"test: {tool} test" in found


@pytest.mark.parametrize("name", ["package.json", "composer.json"])
def test_a_manifest_nested_too_deep_names_no_commands(name: str) -> None:
    assert commands([name], [], reading({name: "[" * 200_000})) == ()
