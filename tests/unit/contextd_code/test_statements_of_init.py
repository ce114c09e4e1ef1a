"""What `init` must not state: what only stands beside a project, or what a file says to people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextd_code.git.identity import identify
from contextd_code.project.architecture import architecture
from contextd_code.project.commands import commands
from contextd_code.project.manifests import parse
from contextd_code.project.module_words import (
    comment_sentence,
    counted,
    first_sentence,
    readme_sentence,
)
from contextd_code.project.modules import role_of
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import Stack, detect, language_shares
from contextd_code.project.support_code import is_beside
from contextd_code.values.source import SourceFile, Symbol

ROOT = Path("/nowhere")
EXE = '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>{}</PropertyGroup></Project>'


def reading(files: dict[str, str]) -> Callable[[str], str]:
    return lambda path: files.get(path, "")


def look(files: dict[str, str]) -> Stack:
    return detect(ROOT, list(files), reading(files))


def test_a_clone_of_a_bare_repository_on_this_machine_is_a_project(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "kept.git"))
    repo.git("clone", "-q", str(tmp_path / "kept.git"), str(tmp_path / "work"))
    assert (
        identify(tmp_path / "work").identity.partition("/")[0]
        == identify(repo.root).identity.partition("/")[0]
    )


@pytest.mark.parametrize(
    ("more", "said", "kind"),
    [
        ("", "App/App.csproj builds the program App.", "unknown"),
        ("<PackAsTool>true</PackAsTool><ToolCommandName>app</ToolCommandName>",
         "App/App.csproj installs the command app.", "cli"),
    ],
)  # fmt: skip
def test_a_dotnet_program_is_a_command_only_when_it_is_packed_as_a_tool(more, said, kind):
    files = {"App/App.csproj": EXE.format(more), "App/Run.cs": "class Run {}"}
    found = project_type(list(files), look(files))
    assert (found.reason, found.value) == (said, kind)


@pytest.mark.parametrize(
    ("path", "beside"),
    [("src/Benchmarks/A.cs", True), ("Samples/A.cs", True), ("Assets/Scripts/A.cs", False)],
)
def test_folders_of_trials_are_beside_the_project_in_either_case(path, beside):
    assert is_beside(path) is beside


@pytest.mark.parametrize(
    "step",
    ['cargo test "${FEATURES}"', "# test only units", "! ./tool -n 'a | test(1)'", "./tool -n 'test(1)'",
     'helm test "$chart"', "it's a test"],
)  # fmt: skip
def test_a_line_of_ci_that_nobody_else_can_run_is_no_command(step):
    files = {".github/workflows/ci.yml": f"steps:\n  - run: {step}\n"}
    assert commands(list(files), [], reading(files)) == ()


def test_quotes_of_a_ci_command_are_kept_whole():
    files = {
        ".github/workflows/ci.yml": "steps:\n  - run: pytest -k 'not slow'\n  - run: \"tox -e py\"\n"
    }
    assert [one.partition(": ")[2] for one in commands(list(files), [], reading(files))] == [
        "pytest -k 'not slow'",
        "tox -e py",
    ]


def test_a_script_that_only_tells_something_is_no_command_and_a_cut_one_shows_it():
    text = (
        '{"scripts": {"dev": "node -e \\"console.warn(1)\\"", "start": "echo gone", "test": "%s"}}'
    )
    files = {"package.json": text % ("vitest " + "x" * 80)}
    assert commands(list(files), [], reading(files)) == (f"test: npm test (vitest {'x' * 53} …)",)


@pytest.mark.parametrize(
    ("spec", "version"),
    [("^5.1", "^5.1"), ("npm:vite@^5", "^5"), ("npm:@acme/vite-next@^0.1", ""), ("github:vitejs/vite#7", ""),
     ("file:../vite-3", "")],
)  # fmt: skip
def test_an_npm_alias_for_another_package_or_a_link_states_no_version(spec, version):
    found = parse("package.json", f'{{"dependencies": {{"vite": "{spec}"}}}}')
    assert found.dependencies["vite"] == version


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Shop\n\n## Getting started\n\nPlease follow the manual at home.\n", ""),
        ("# Shop\n\nThis functionality is in beta and may change.\n", ""),
        ("# Shop\n\n## Sponsors\n\nShop is free thanks to all of these people.\n", ""),
        ("# Shop\n\n## About Shop\n\nShop sells apples to bears.\n", "Shop sells apples to bears"),
    ],
)
def test_a_readme_describes_the_project_before_it_says_how_to_use_it(text, said):
    assert readme_sentence(text) == said


def test_an_underline_is_no_part_of_a_sentence():
    text = '"""\nShop HTTP Library\n~~~~~~~~~~~~~~~~~\n"""\n'
    assert comment_sentence("shop/__init__.py", text) == "Shop HTTP Library"


def test_files_of_several_languages_are_not_counted_as_one():
    files = [SourceFile(path=f"a{n}", size=1, mtime_ns=1, digest="d", language=name)
             for n, name in enumerate(["vue", "vue", "typescript"])]  # fmt: skip
    assert counted(files, {}) == "2 Vue files"
    assert counted([*files, files[2]], {}) == "2 Vue and 2 TypeScript files"
    assert counted(files[:2], {}) == "2 Vue files"


def test_settings_are_no_way_in():
    assert role_of("charts/shop/templates/route.yaml") == "core"
    assert role_of("src/main.rs") == "entry"


def test_a_folder_of_services_has_no_folder_per_feature():
    paths = [f"app/Services/{name}/{name}Service.php" for name in ("Auth", "License", "Radio")]
    assert architecture(paths, Stack()).value != "feature-based"
    paths = [path.replace("Services", "Shop") for path in paths]
    assert architecture(paths, Stack()).value == "feature-based"


def test_a_program_for_command_lines_says_so_in_other_words_as_well():
    stack = look({"src/main.c": "int x;"})
    about = "A lightweight command-line JSON processor"
    assert project_type(["src/main.c"], stack, programs=["src/main.c"], about=about).value == "cli"


def test_a_site_runs_on_what_serves_it_and_not_on_what_builds_its_pages():
    files = {
        "composer.json": '{"require": {"laravel/framework": "^13", "php": ">=8.3"}}',
        "package.json": '{"engines": {"node": ">=22"}, "dependencies": {"vue": "^3"}}',
        **{f"app/{n}.php": "" for n in range(4)},
        **{f"resources/{n}.vue": "" for n in range(6)},
    }
    stack = look(files)
    assert (stack.runtime, stack.package_manager) == ("PHP 8.3+", "composer")


def test_transitive_requirements_of_pip_compile_are_no_dependencies_of_the_project():
    text = "click==8.1\n    # via typer\nnumpy==1.26\n    # via\n    #   pandas\n    #   shop\n"
    text += "pandas==2\n    # via -r requirements.in\nrich==1\n    # via\n    #   -r requirements.in\n    #   typer\nidna==3\n"
    assert list(parse("requirements.txt", text).dependencies) == ["pandas", "rich", "idna"]


def test_packages_of_an_app_of_xcode_are_no_library():
    text = '// swift-tools-version: 6.0\nlet package = Package(name: "Feed", products: [.library(name: "Feed", targets: [])])'
    files = {"Packages/Feed/Package.swift": text, "Packages/Feed/Sources/Feed.swift": ""}
    assert project_type(list(files), look(files)).value == "library"
    assert project_type([*files, "Shop.xcodeproj/project.pbxproj"], look(files)).value != "library"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A description of this package.", ""),
        ("Learn how this app was designed and built.", ""),
        ("This folder has files such as", ""),
        ("[ci][a] ][b] and ][c]", ""),
        ("**{shop}** is a library of apples", "{shop} is a library of apples"),
    ],
)
def test_words_of_a_template_an_invitation_or_a_badge_describe_nothing(text, said):
    assert first_sentence(text) == said


def test_client_and_server_apart_are_told_near_the_root_only():
    deep = ["internal/http/server/a.go", "internal/http/client/b.go"]
    assert "Client-server" not in architecture(deep, Stack()).reason
    assert "Client-server" in architecture(["server/a.go", "client/b.go"], Stack()).reason


def test_a_file_is_a_way_in_only_by_the_name_its_language_looks_for():
    assert role_of("src/server.go") == "core"
    ways_in = "main.py", "shop/__init__.py", "src/index.tsx", "crates/a/src/lib.rs", "cart/mod.rs"
    assert [role_of(path) for path in ways_in] == ["entry"] * 5
    parts = (
        "server.py",
        "shop/lib/urls.py",
        "src/mods/mod.js",
        "src/cli.rs",
        "app/page.tsx",
        "lib.py",
    )
    assert [role_of(path) for path in parts] == ["core"] * 6


def workflow(steps: str, top: str = "") -> dict[str, str]:
    return {".github/workflows/ci.yml": f"{top}jobs:\n  unit:\n    steps:\n{steps}"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (workflow("      - run: go test ./...\n        working-directory: ./service\n"), "go test ./... (in service)"),
        (workflow("      - run: npm test\n", "defaults:\n  run:\n    working-directory: web/\n"), "npm test (in web)"),
        (workflow("      - run: npm test\n        working-directory: .\n"), "npm test"),
        (workflow("      - run: |\n          tox \\\n            -e py\n"), "tox -e py"),
    ],
)  # fmt: skip
def test_a_command_of_ci_names_the_folder_it_runs_in(files, said):
    assert commands(list(files), [], reading(files)) == (f"CI (.github/workflows/ci.yml): {said}",)


@pytest.mark.parametrize(
    "steps",
    ["      - run: npm test\n        working-directory: ${{ matrix.folder }}\n",
     "      - run: |\n          cd service\n          go test ./...\n", "      - run: [npm test\n"],
)  # fmt: skip
def test_a_command_of_ci_in_a_folder_nobody_can_tell_is_left_out(steps):
    files = workflow(steps)
    assert commands(list(files), [], reading(files)) == ()


def test_the_root_of_a_dart_workspace_is_not_run_or_tested():
    files = {"pubspec.yaml": "name: shop_workspace\n", "packages/cart/test/cart_test.dart": ""}
    manifests = [parse("pubspec.yaml", files["pubspec.yaml"])]
    assert commands(list(files), manifests, reading(files)) == ()


@pytest.mark.parametrize(
    "about",
    ["A sample command-line application with an entrypoint in bin/.", "A new Flutter project.",
     "A starting point for Dart libraries or applications.", "Add your description here", "My new package of code"],
)  # fmt: skip
def test_the_description_that_a_template_gives_is_none(about):
    assert first_sentence(about) == ""


def test_playbooks_that_are_also_packed_as_a_collection_set_up_machines():
    roles = {f"roles/{one}/tasks/main.yml": "" for one in ("web", "db", "cache")}
    packed = roles | {"galaxy.yml": ""}
    cloned = packed | {"ansible.cfg": "", "site.yml": ""}
    kinds = [project_type(list(files), look(files)).value for files in (packed, cloned)]
    assert kinds == ["library", "infrastructure"]


def test_languages_are_those_of_scripts_and_sources_not_of_tests_and_other_peoples_code():
    sizes = {"src/a.go": 700, "scripts/b.mjs": 300, "tests/c_test.go": 100, "node_modules/d.js": 9_000,
             "docs/e.html": 5_000, "templates/f.html": 1_000, "tests/data/g.f90": 800}  # fmt: skip
    found = {one.language: (one.share, one.files) for one in language_shares(sizes, sizes)}
    assert found == {"Go": (0.35, 2), "HTML": (0.5, 2), "JavaScript": (0.15, 1)}


def test_samples_of_a_highlighter_are_no_languages_of_the_project():
    samples = [f"tests/syntax-tests/source/a.{one}" for one in ("adb", "coffee", "f90", "py")]
    grammars = [f"assets/syntaxes/b{n}.lua" for n in range(9)]
    snapshots = [f"shop_complete/snapshots/{n}.ps1" for n in range(9)]
    paths = ["src/main.rs", "src/lib.rs", *samples, *grammars, *snapshots]
    assert [(one.language, one.files) for one in language_shares(paths)] == [("Rust", 2)]


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a.cpp", "a.h", "b.h"], {"C++": 3}),
        (["a.c", "a.h"], {"C": 2}),
        (["a.swift", "Shop.h"], {"Swift": 1}),
        (["a.m", "a.h", "b.swift"], {"Objective-C": 2, "Swift": 1}),
        (["only.h"], {"C": 1}),
    ],
)
def test_headers_are_of_the_language_of_their_sources(paths, found):
    assert {one.language: one.files for one in language_shares(paths)} == found


def test_jupyterlab_is_not_jupyter():
    files = {"requirements.txt": "jupyterlab~=4.0\n", "a.py": ""}
    assert [one.label for one in look(files).of("data")] == ["JupyterLab 4"]


def test_headers_are_files_of_their_language():
    files = [SourceFile(path=f"a{n}", size=1, mtime_ns=1, digest="d", language=name)
             for n, name in enumerate(["c", "c-header", "c-header", "assembly"])]  # fmt: skip
    assert counted(files, {}) == "3 C files"
    files.append(SourceFile(path="b", size=1, mtime_ns=1, digest="d", language="cpp"))
    assert counted(files[1:], {}) == "3 C++ files"


def test_a_crate_inside_of_a_project_of_cpp_says_nothing_about_the_whole():
    files = {
        "Cargo.toml": "[package]\nname='a'\n[dependencies]\nwarp='0.3'\n",
        "src/lib.rs": "",
        "README.md": "",
    }
    files |= {f"src/{n}.cpp": "" for n in range(30)}
    stack = look(files)
    assert (stack.labels, stack.runtime) == (("C++",), "C++")
    assert project_type(list(files), stack).value == "unknown"
    assert commands(list(files), stack.manifests, reading(files)) == ()


@pytest.mark.parametrize(
    ("readme", "said"),
    [("Run `cmake -B build`.", 1), ("mkdir build\ncd build\ncmake ..\n", 1), ("Add it with cmake's FetchContent.", 0)],
)  # fmt: skip
def test_a_build_by_cmake_is_stated_where_a_document_says_so(readme, said):
    files = {"CMakeLists.txt": "project(a)\n", "README.md": readme}
    assert len(commands(list(files), [], reading(files))) == said


def test_entry_points_in_one_text_of_setup_py_are_commands():
    text = 'from setuptools import setup\nsetup(name="a", entry_points="""\n[console_scripts]\nshop=a.b:main\n[x]\ny=z\n""")\n'
    assert parse("setup.py", text).commands == ("shop",)


def test_members_that_ask_for_different_versions_state_none():
    files = {
        f"{one}/Cargo.toml": f'[package]\nname="{one}"\nrust-version="1.{n}"\n'
        for n, one in enumerate("ab", 56)
    }
    files |= {
        "Cargo.toml": '[workspace]\nmembers=["a", "b"]\n',
        "a/src/lib.rs": "",
        "b/src/lib.rs": "",
    }
    assert look(files).runtime == "Rust"


def test_the_python_version_a_package_requires_outranks_the_development_version():
    files = {"pyproject.toml": '[build-system]\nrequires=["x"]\n[project]\nname="a"\nrequires-python=">=3.10"\n', ".python-version": "3.14\n",
             "a.py": ""}  # fmt: skip
    assert look(files).runtime == "Python 3.10+"


def test_a_package_with_numbers_of_its_own_gives_no_version():
    files = {"Gemfile": 'gem "github-pages", "~> 232"\n', "a.rb": ""}
    assert [one.label for one in look(files).of("frontend")] == ["Jekyll"]


def test_names_that_a_language_hides_do_not_stand_for_a_module():
    names = "_Painter", "_", "Cart", "tests", "main", "preview"
    symbols = tuple(
        Symbol(name=name, kind="class", start_line=1, end_line=1, start=0, end=1, exported=True)
        for name in names
    )
    file = SourceFile(
        path="a.dart", size=1, mtime_ns=1, digest="d", language="dart", symbols=symbols
    )
    assert counted([file], {}) == "1 Dart file: Cart"


def test_an_extension_of_an_editor_is_no_library():
    for key in ('"engines": {"vscode": "^1.90.0"}', '"contributes": {}'):
        files = {
            "package.json": f'{{"name": "lens", "main": "dist/a.js", {key}}}',
            "src/extension.ts": "",
        }
        assert project_type(list(files), look(files)).value != "library"


def test_a_book_with_listings_of_code_is_documentation():
    files = {"book.toml": "", "src/SUMMARY.md": "", "src/ch01.md": "", "Cargo.toml": '[workspace]\nmembers=["packages/a"]\n',
             "packages/a/Cargo.toml": '[package]\nname="a"\n', "packages/a/src/main.rs": ""}  # fmt: skip
    files |= {f"listings/ch01/l{n}/src/main.rs": "" for n in range(30)}
    assert project_type(list(files), look(files)).value == "documentation"
    crate = files | {"src/main.rs": "", "Cargo.toml": '[package]\nname="b"\n'}
    assert project_type(list(crate), look(crate)).value != "documentation"


def test_folders_named_after_what_is_in_them_are_no_features():
    kinds = [
        f"app/{one}/A{role}.php"
        for one, role in (("Exceptions", "Handler"), ("Logging", "Handler"))
    ]
    assert architecture(kinds, Stack()).value != "feature-based"
    few = [f"app/{one}/{one}Controller.php" for one in ("Cart", "Pay")]
    assert architecture(few, Stack()).value == "feature-based"
    others = [f"app/{one}/a.php" for one in ("Views", "Texts", "Forms")]
    assert architecture([*few, *others], Stack()).value != "feature-based"


def test_a_client_for_the_command_line_is_no_library():
    text = "[metadata]\nname = shop\ndescription = A friendly command-line HTTP client for the API era\n"
    files = {
        "setup.cfg": text + "[options.entry_points]\nconsole_scripts =\n  shop = shop:main\n",
        "shop/__init__.py": "",
    }
    assert project_type(list(files), look(files)).value == "cli"


def test_a_lower_bound_is_marked_once():
    for asked, said in (
        (">= 18", "Node.js 18+"),
        (">=20.1 <21", "Node.js 20"),
        ("^22", "Node.js 22"),
    ):
        files = {
            "package.json": f'{{"name": "a", "main": "a.js", "engines": {{"node": "{asked}"}}}}',
            "a.js": "",
        }
        assert look(files).runtime == said


def test_rake_is_run_by_bundler_only_where_a_gemfile_is():
    assert commands(["Rakefile"], [], reading({})) == ("tasks: rake -T",)
    assert commands(["Rakefile", "Gemfile"], [], reading({})) == ("tasks: bundle exec rake -T",)


def test_a_condition_of_a_shell_is_no_test():
    files = workflow("      - run: |\n          test -d out || {\n          make test-docs ||\n")
    assert commands(list(files), [], reading(files)) == ()


def test_one_long_file_counts_as_a_whole_among_the_languages():
    sizes = {"a.c": 300_000, "scripts/b.py": 100_000}
    assert [(one.language, one.share) for one in language_shares(sizes, sizes)] == [
        ("C", 0.75),
        ("Python", 0.25),
    ]


def test_the_features_of_one_part_do_not_stand_for_the_whole():
    part = [f"src/Users/Quickstart/{one}/{one}Controller.cs" for one in ("Account", "Consent")]
    others = [f"src/Shop{n}/a{n}.cs" for n in range(9)]
    assert architecture(part, Stack()).value == "feature-based"
    assert architecture([*part, *others], Stack()).value != "feature-based"
