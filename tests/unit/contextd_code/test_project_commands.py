"""Which commands build, test and run a project: from its manifests, its documents and its pipelines."""

from __future__ import annotations

import json

import pytest

from contextd_code.project.commands import commands
from contextd_code.project.manifests import is_manifest, parse


def found(files: dict[str, str]) -> tuple[str, ...]:
    manifests = [parse(path, text) for path, text in files.items() if is_manifest(path)]
    return commands(list(files), manifests, lambda path: files.get(path, ""))


def scripts(*, manager: str = "", **given: str) -> str:
    return json.dumps({"packageManager": manager, "scripts": given})


def steps(*lines: str, **more: object) -> str:
    return json.dumps({"jobs": {"t": {"steps": [{"run": line, **more} for line in lines]}}})


CI = ".github/workflows/ci.yml"

ROWS: list[tuple[dict[str, str], tuple[str, ...]]] = [
    (
        {"package.json": scripts(test="vitest  run", build="tsc", start="node .", other="x")},
        ("build: npm run build (tsc)", "start: npm start (node .)", "test: npm test (vitest run)"),
    ),
    (
        {"package.json": scripts(test="jest", build="tsc"), "pnpm-lock.yaml": ""},
        ("build: pnpm build (tsc)", "test: pnpm test (jest)"),
    ),
    (
        {"package.json": scripts(test="jest", manager="bun@1"), "yarn.lock": ""},
        ("test: bun run test (jest)",),
    ),
    (
        {"package.json": scripts(lint="eslint", manager="other@1"), "yarn.lock": ""},
        ("lint: yarn lint (eslint)",),
    ),
    (
        {
            "package.json": scripts(
                test='echo "Error: no test specified" && exit 1', lint="x" * 61, build="y" * 60
            )
        },
        (f"build: npm run build ({'y' * 60})", f"lint: npm run lint ({'x' * 60} …)"),
    ),
    ({"package.json": "[broken"}, ()),
    ({"kit/package.json": scripts(test="jest")}, ()),
    (
        {
            "Makefile": "all: shop\nbuild:\n\tgcc x\ntests: build\n\t./t\nlint:\n\t@echo no\nrun ::\n\t./x\ndev: X = 1\n"
        },
        ("build: make build", "test: make tests", "run: make run"),
    ),
    ({"Makefile": "all: shop cart\ncheck: ; ./t\n"}, ("check: make check", "build: make all")),
    ({"Makefile": "all: release\n\tgcc x\n"}, ()),
    ({"Makefile": "all: README.md a.json\n"}, ()),
    ({"Makefile": "all: README.md\n\tgcc x\n"}, ("build: make all",)),
    ({"Makefile": "build:\n\tpip install -r x\n"}, ()),
    ({"Makefile": "build: x\n\tpip install -r x\n"}, ("build: make build",)),
    ({"Makefile": "test: # none\n"}, ()),
    ({"Makefile": "test:\n\t./a", "GNUmakefile": "build:\n\t./b"}, ("build: make build",)),
    (
        {"composer.json": '{"scripts": {"lint": "x", "test": "y", "other": "z"}}'},
        ("test: composer test", "lint: composer lint"),
    ),
    ({"composer.json": "[1"}, ()),
    ({"Cargo.toml": ""}, ("build: cargo build", "test: cargo test")),
    ({"go.mod": "module m"}, ("build: go build ./...", "test: go test ./...")),
    ({"a/go.mod": "module m"}, ()),
    ({"pom.xml": "<project/>"}, ("build: mvn package", "test: mvn test")),
    ({"pom.xml": "<project/>", "mvnw": ""}, ("build: ./mvnw package", "test: ./mvnw test")),
    ({"Rakefile": ""}, ("tasks: rake -T",)),
    ({"Rakefile": "", "Gemfile": ""}, ("tasks: bundle exec rake -T",)),
    ({"configure": "", "Makefile.in": ""}, ("build: ./configure && make",)),
    ({"configure": ""}, ()),
    ({"configure.ac": ""}, ("build: autoreconf -i && ./configure && make",)),
    (
        {"configure.in": "", "autogen.sh": "", "bootstrap": ""},
        ("build: ./autogen.sh && ./configure && make",),
    ),
    (
        {"CMakeLists.txt": "", "README.md": "Run `cmake --build x`"},
        ("build: cmake -B build && cmake --build build",),
    ),
    ({"CMakeLists.txt": "", "README.md": "It uses cmake."}, ()),
    ({"CMakeLists.txt": "", "NOTES.md": "Run cmake --build x"}, ()),
    ({"A.sln": "", "a/A.Tests.csproj": "<Project/>"}, ("build: dotnet build", "test: dotnet test")),
    ({"A.sln": "", "a/A.csproj": "<Project/>"}, ("build: dotnet build",)),
    ({"A.sln": "", "B.sln": ""}, ()),
    ({"A.csproj": "<Project/>"}, ()),
    ({"tox.ini": "[testenv]"}, ("test: tox",)),
    ({"tox.ini": "[flake8]"}, ()),
    ({"pyproject.toml": "[tool.pytest.ini_options]"}, ("test: pytest",)),
    ({"pyproject.toml": "[tool.ruff]"}, ()),
    ({"pytest.ini": ""}, ("test: pytest",)),
    (
        {"pubspec.yaml": "dependencies: {flutter: {sdk: flutter}}", "lib/main.dart": "", "test/a": ""},
        ("run: flutter run", "test: flutter test"),
    ),
    ({"pubspec.yaml": "name: a", "bin/a.dart": ""}, ("run: dart run",)),
    ({"pubspec.yaml": "name: a\nworkspace: [p]", "bin/a.dart": ""}, ()),
    ({CI: steps("pytest -q", "echo test", "npm test")}, (f"CI ({CI}): pytest -q", f"CI ({CI}): npm test")),
    ({CI: steps("tox", "nox", "jest")}, (f"CI ({CI}): tox", f"CI ({CI}): nox")),
    ({CI: steps("tox", **{"working-directory": "./api/"})}, (f"CI ({CI}): tox (in api)",)),
    ({CI: steps("tox", **{"working-directory": "$DIR"})}, ()),
    ({CI: steps("cd api\ntox", "npm install test", "pytest $ARGS", f"pytest {'x' * 90}")}, ()),
    ({CI: steps("pytest \\\n  -q 'a b'")}, (f"CI ({CI}): pytest -q 'a b'",)),
    (
        {CI: json.dumps({"defaults": {"run": {"working-directory": "web"}}, "jobs": {"t": {"steps": [{"run": "jest"}]}}})},
        (f"CI ({CI}): jest (in web)",),
    ),
    ({CI: "a: [broken"}, ()),
    (
        {".gitlab-ci.yml": "t:\n  script: [rspec]\n  before_script: tox\n  image: pytest\n"},
        ("CI (.gitlab-ci.yml): rspec", "CI (.gitlab-ci.yml): tox"),
    ),
    ({"Cargo.toml": "", CI: steps("cargo test")}, ("build: cargo build", "test: cargo test", f"CI ({CI}): cargo test")),
    ({"mix.exs": "", "Cargo.toml": ""}, ("build: cargo build", "test: cargo test")),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), ROWS, ids=[" ".join(files) for files, _ in ROWS])
def test_a_project_is_built_and_tested_by(files: dict[str, str], expected: tuple[str, ...]) -> None:
    assert found(files) == expected


def test_at_most_eight_commands_of_manifests_are_named() -> None:
    files = {
        "package.json": scripts(build="a", dev="b", start="c", test="d", lint="e"),
        "Makefile": "check:\n\tx\nrun:\n\tx\n",
        "Rakefile": "",
        "gradlew": "",
        CI: steps("tox"),
    }
    names = [line.partition(":")[0] for line in found({**files, "x/Makefile": "other:\n\tx"})]
    assert names == ["build", "dev", "start", "test", "lint", "check", "run", "tasks", f"CI ({CI})"]
