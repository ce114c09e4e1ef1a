"""What `init` states rests on evidence that holds for the whole project, or it is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tree_sitter import Language, Parser

from contextd_code.index.languages import csharp
from contextd_code.index.languages.csharp_resolver import CsharpResolver
from contextd_code.index.languages.ruby_resolver import RubyResolver
from contextd_code.index.languages.table import BY_NAME
from contextd_code.project.architecture import architecture
from contextd_code.project.commands import commands
from contextd_code.project.content_type import substance
from contextd_code.project.declared_builds import declared_builds
from contextd_code.project.manifests import parse
from contextd_code.project.module_words import (
    comment_sentence,
    first_sentence,
    readme_sentence,
)
from contextd_code.project.modules import modules, role_of
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import Stack, detect, language_shares
from contextd_code.project.stack_evidence import allows_more, short_version
from contextd_code.project.support_code import is_beside
from contextd_code.project.usage import uses
from contextd_code.values.source import Import, SourceFile

ROOT = Path("/nowhere")
LYING = "Without tests, examples and the like, most of the code lies side by side in {}."


def reading(files: Mapping[str, str]) -> Callable[[str], str]:
    return lambda path: files.get(path, "")


def look(files: Mapping[str, str]) -> Stack:
    return detect(ROOT, list(files), reading(files))


def source(path: str, language: str, *imports: tuple[str, str]) -> SourceFile:
    """A file with imports as (specifier, target)."""
    found = tuple(Import(specifier=one, line=1, target=target) for one, target in imports)
    return SourceFile(
        path=path, size=1, mtime_ns=0, digest="", lines=3, language=language, imports=found
    )


# A Go program may lie in a file of any name.


def test_a_go_file_with_a_main_function_is_a_program_whatever_its_name() -> None:
    files = {"go.mod": "module example.org/shop\n\ngo 1.22\n", "shop.go": "", "cart.go": ""}
    assert project_type(list(files), look(files)).value == "library"
    about = "Shop is a command-line tool for apples"
    found = project_type(list(files), look(files), programs=["shop.go"], about=about)
    assert (found.value, found.reason) == ("cli", "shop.go is a program.")


# Versions


@pytest.mark.parametrize(
    ("asked", "version"),
    [("< 6", ""), ("<=5", ""), ("!=2", ""), ("!=2.0,>=1.4", "1+"), ("<7,>=5", "5–6"), (">=5,<7", "5–6"), (">=5,<6", "5"), ("~> 8.1", "8"),
     ("=5", "5"), ("==5.1", "5"), ("<5 || ^6", "6")],
)  # fmt: skip
def test_an_upper_bound_is_no_version(asked: str, version: str) -> None:
    assert short_version(asked) == version


def test_the_order_of_bounds_does_not_matter() -> None:
    assert allows_more("<7,>=5", minors=False) is allows_more(">=5,<7", minors=False) is True
    assert allows_more("<6,>=5", minors=False) is False


def test_the_locked_version_is_stated_where_only_an_upper_bound_is_asked_for() -> None:
    files = {"Gemfile": 'gem "minitest", "< 6"\n', "Gemfile.lock": "GEM\n  specs:\n    minitest (5.27.0)\n", "a.rb": ""}  # fmt: skip
    assert [one.label for one in look(files).of("test")] == ["Minitest 5"]
    del files["Gemfile.lock"]
    assert [one.label for one in look(files).of("test")] == ["Minitest"]


@pytest.mark.parametrize(("second", "label"), [("9.1.0", "Sphinx"), ("8.2.0", "Sphinx 8")])
def test_locked_versions_that_differ_state_none(second: str, label: str) -> None:
    lock = "".join(
        f'[[package]]\nname = "sphinx"\nversion = "{one}"\n' for one in ("8.1.3", second)
    )
    files = {"uv.lock": lock, "pyproject.toml": '[project]\nname="a"\n[dependency-groups]\ndocs=["sphinx"]\n',
             "a.py": ""}  # fmt: skip
    assert [one.label for one in look(files).of("docs")] == [label]


def test_members_that_ask_for_different_versions_of_a_framework_state_none() -> None:
    files = {f"packages/{one}/package.json": f'{{"name": "{one}", "dependencies": {{"react": "^{n}"}}}}'
             for one, n in (("a", 18), ("b", 19))} | {"packages/a/x.tsx": "", "packages/b/x.tsx": ""}  # fmt: skip
    assert [one.label for one in look(files).of("frontend")] == ["React"]


def test_the_gemfile_of_a_gem_only_says_what_the_gem_is_developed_with() -> None:
    spec = 'Gem::Specification.new do |s|\n  s.add_dependency "railties", ">= 7.0"\nend\n'
    files = {"shop.gemspec": spec, "Gemfile": 'gem "mongoid"\ngem "sqlite3"\n', "lib/shop.rb": ""}
    assert all(one.only_dev for one in look(files).of("database"))
    del files["shop.gemspec"]
    assert not any(one.only_dev for one in look(files).of("database"))


# What others contributed lies beside a project.


def test_contributed_packages_say_nothing_about_the_stack_of_the_project() -> None:
    assert is_beside("contrib/pack/shop.csproj")
    assert not is_beside("django/contrib/admin/site.py")
    project = '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net6.0</TargetFramework><PackageId>shop</PackageId></PropertyGroup></Project>'
    files = {f"c{n}.c": "" for n in range(6)} | {"contrib/pack/shop.csproj": project}
    files |= {f"contrib/pack/{n}.cs": "" for n in range(4)} | {"shop.h": ""}
    stack = look(files)
    assert (stack.runtime, stack.package_manager) == ("C", "")
    assert "contrib" not in architecture(list(files), stack).reason


def test_a_package_deep_down_in_another_language_is_not_what_a_project_runs_on() -> None:
    files = {f"src/c{n}.cpp": "" for n in range(6)} | {f"src/l{n}.pas": "" for n in range(6)}
    files |= {"bindings/net/a.csproj": "<Project/>", "bindings/net/a.cs": ""}
    assert look(files).package_manager == ""


# Commands


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("all:\n\t-@echo \"Use ./configure first.\"\n", ()),
        ("all: shop\nshop: a.o\n\tcc -o shop a.o\n", ("build: make all",)),
        ("build: x\n\tgo build\nall: build release\n", ("build: make build",)),
        ("all: build release-linux\nrelease-linux:\n\ttar x\n", ()),
        ("all: lint test\nlint:\n\tgolangci-lint run\ntest: \n\tgo test ./...\n", ("lint: make lint", "test: make test")),
        (".PHONY: test\ntest:\n\t@echo none yet\n", ()),
        ("test:\n", ()),
        ("test: export A = 1\ntest:\n\tgo test\n", ("test: make test",)),
        ("all: ; cc a.c\n", ("build: make all",)),
    ],
)  # fmt: skip
def test_a_target_of_make_is_a_command_where_its_recipe_does_what_it_is_called(
    text: str, said: tuple[str, ...]
) -> None:
    assert commands(["Makefile"], [], reading({"Makefile": text})) == said


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["configure", "Makefile.in"], "build: ./configure && make"),
        (["configure.ac", "autogen.sh"], "build: ./autogen.sh && ./configure && make"),
        (["configure.ac"], "build: autoreconf -i && ./configure && make"),
    ],
)
def test_a_configure_script_is_made_first_where_it_is_not_there(
    paths: list[str], said: str
) -> None:
    assert commands(paths, [], reading({})) == (said,)


def test_a_configure_script_goes_before_a_makefile_that_only_names_it() -> None:
    files = {"Makefile": "all:\n\t@echo Use ./configure first.\n", "configure": ""}
    assert commands(list(files), [], reading(files)) == ("build: ./configure && make",)


def test_tox_tests_where_it_says_an_environment_and_dotnet_where_a_project_is_of_tests() -> None:
    assert (
        commands(["tox.ini"], [], reading({"tox.ini": "[flake8]\nmax-line-length = 100\n"})) == ()
    )
    assert commands(["tox.ini"], [], reading({"tox.ini": "[testenv]\n"})) == ("test: tox",)
    assert commands(["a.sln", "A/A.csproj"], [], reading({})) == ("build: dotnet build",)
    assert "test: dotnet test" in commands(["a.sln", "A.Tests/A.Tests.csproj"], [], reading({}))


def test_the_package_manager_of_scripts_is_the_one_the_manifest_names() -> None:
    files = {"package.json": '{"packageManager": "pnpm@9.1.0", "scripts": {"test": "vitest"}}'}
    assert commands(list(files), [], reading(files)) == ("test: pnpm test (vitest)",)


# Descriptions


@pytest.mark.parametrize(
    "line",
    [
        "Ada Bear ada@example.org", "Ada Bear MIT License 2015-2026", "Ada Bear of Town<br>2015-2026", "A simple shop 3 Mar 2003 Ada Bear",
        "by Ada Bear and friends", "Written by Ada Bear in spring", "Author: Ada Bear, Apple Town",
        "Version 1.2.3 of the shop", "This collection provides apples for", "The following parts are included:",
        "Copyright Ada Bear and others", "(c) 2019 by Ada Bear", "Maintainer: Ada Bear of Apple Town",
    ],
)  # fmt: skip
def test_who_wrote_it_and_a_sentence_that_breaks_off_describe_nothing(line: str) -> None:
    assert first_sentence(line) == ""
    text = f"# Shop\n\n{line}\n\nShop sells apples to bears.\n"
    assert readme_sentence(text) == "Shop sells apples to bears"


# Roles


def test_files_in_hidden_tool_folders_are_configuration_and_no_entry_point() -> None:
    assert role_of(".storybook/main.ts") == "config"
    assert role_of("apps/web/.storybook/preview.tsx") == "config"


@pytest.mark.parametrize(
    ("others", "test"),
    [
        ([], "test/cart_test.rb"),
        (["lib/shop/cart.rb"], ""),
        (["lib/shop/cart.rb", "test/cart/price_test.rb"], "test/cart/price_test.rb"),
    ],
)
def test_a_test_that_is_called_like_a_file_of_another_module_is_not_told_here(
    others: list[str], test: str
) -> None:
    paths = [f"lib/shop/{m}/{n}.rb" for m in ("cart", "pay") for n in ("one", "two")]
    found = modules([source(p, "ruby") for p in [*paths, "test/cart_test.rb", *others]])
    cart = next(one for one in found if one.name == "cart")
    assert [f.path for f in cart.key_files if f.role == "test"] == [test] * bool(test)


# Dependencies of packages


def test_a_workspace_package_is_needed_where_its_built_entry_is_not_there() -> None:
    files = [
        source("packages/core/src/a.ts", "typescript"),
        source("packages/core/src/b.ts", "typescript"),
        source("packages/web/src/a.ts", "typescript", ("@shop/core", ""), ("@shop/core/inner", "")),
        source("packages/web/src/b.ts", "typescript", ("left-pad", ""), ("@shop/web", "")),
    ]
    names = {"@shop/core": "packages/core", "@shop/web": "packages/web"}
    packages = dict.fromkeys(names.values(), "")
    needs = {m.name: m.dependencies for m in modules(files, packages, named=names)}
    assert needs == {"core": (), "web": ("core",)}


# Layout


def test_a_folder_without_a_package_file_is_no_package_and_no_count_is_stated() -> None:
    found = architecture([f"py/{n}.py" for n in "abcd"], Stack())
    assert (found.value, found.reason) == ("unknown", LYING.format("py/"))
    found = architecture([f"shop/{n}.py" for n in "abcd"] + ["x/y.py"], Stack())
    assert found.reason == LYING.format("shop/")
    assert architecture(["a.go", "b.go", "c.go"], Stack()).reason == LYING.format("the root")


def test_notebooks_that_outweigh_many_files_of_code_are_what_a_project_is() -> None:
    code = [f"py/{n}.py" for n in range(22)]
    notebooks = [f"ipynb/{n}.ipynb" for n in range(80)]
    found = substance([*code, *notebooks], code)
    assert found is not None
    assert found[0].label == "Jupyter Notebook"
    assert substance([*code, *notebooks[:40]], code) is None


@pytest.mark.parametrize(
    ("folders", "reason"),
    [
        (["a"], "a/ holds 4 notebooks side by side."),
        (["a/b"], "a/ holds 4 notebooks."),
        (["a", ""], "8 notebooks by folder: a, the root."),
        ([""], "The root holds 4 notebooks side by side."),
    ],
)
def test_material_is_side_by_side_only_in_one_folder(folders: list[str], reason: str) -> None:
    paths = [f"{folder}/{n}.ipynb".lstrip("/") for folder in folders for n in range(4)]
    assert architecture(paths, Stack()).reason == reason


def test_languages_of_shells_and_of_the_old_compilers_are_counted() -> None:
    paths = "a.fish a.elv a.nu a.adb a.ads a.pas a.asm a.f90 a.scss a.rs".split()
    found = {one.language for one in language_shares(paths)}
    assert found == set("Fish Elvish Nushell Ada Pascal Assembly Fortran SCSS Rust".split())


def test_a_use_names_the_languages_it_counts_and_how_many_files_lie_where() -> None:
    files = [source(f"src/a{n}.ts", "typescript") for n in range(3)]
    files += [source(f"src/core/{n}.ts", "typescript", ("svelte", "")) for n in "ab"]
    files += [source("web/c.svelte", "svelte", ("svelte", ""))]
    use = uses(files)["Svelte"]
    assert use.as_text() == (
        "imported by 3 of 6 TypeScript and Svelte files without tests and examples, 2 of them in src/core"
    )


def test_the_reason_without_a_type_states_what_was_looked_for() -> None:
    found = project_type(["one.py", "two.py"], look({"one.py": "", "two.py": ""}))
    assert (found.value, found.reason) == (
        "unknown",
        "No manifest names a package or a program.",
    )


def test_catalogues_with_different_versions_state_none() -> None:
    text = "packages: [a]\ncatalogs:\n  old:\n    vite: ^5.0.0\n    vitest: ^3.1\n  new:\n    vite: ^6.0.0\n    vitest: ^3.2\n"
    assert parse("pnpm-workspace.yaml", text).versions == {"vitest": "^3.1"}


# Evidence that speaks of something beside the project


def test_an_application_that_tries_out_a_published_package_is_not_its_stack() -> None:
    spec = 'Gem::Specification.new do |s|\n  s.add_dependency "rack", ">= 3"\nend\n'
    files = {"shop.gemspec": spec, "lib/shop.rb": "", "trial/Gemfile": 'gem "sqlite3"\n', "trial/a.rb": ""}  # fmt: skip
    files["trial/config/database.yml"] = "development:\n  adapter: sqlite3\n"
    assert all(one.only_dev for one in look(files).of("database"))


def test_hidden_folders_lie_beside_the_project() -> None:
    assert is_beside(".devcontainer/db/Dockerfile")
    assert not is_beside(".config/dotnet-tools.json")


@pytest.mark.parametrize(
    ("asked", "version"),
    [("^16 || ^17 || ^19", "16+"), ("^7.4|^8.0", "7+"), ("^5.1 || ^5.2", "5")],
)
def test_alternatives_come_down_to_the_lowest(asked: str, version: str) -> None:
    assert short_version(asked) == version


def test_alternatives_of_a_runtime_are_a_lower_bound() -> None:
    files = {
        "composer.json": '{"name": "a/b", "require": {"php": "~8.2.0 || ~8.3.0"}}',
        "src/a.php": "",
    }
    assert look(files).runtime == "PHP 8.2+"


def test_layers_that_hold_little_of_the_code_are_no_layout() -> None:
    layers = ["src/Entities/a.php", "src/Middleware/b.php", "src/Repositories/c.php"]
    assert architecture(layers, Stack()).value == "layered"
    others = [f"src/{one}/{n}.php" for one in ("Grant", "Response") for n in range(3)]
    assert architecture([*layers, *others], Stack()).value != "layered"


def test_code_in_the_root_is_stated_beside_that_of_its_folders() -> None:
    paths = [f"{one}{n}.go" for one in ("", "a/", "b/", "c/") for n in "xyz"]
    found = architecture(paths, Stack())
    assert found.reason == "The code lies in the root and in its folders: a, b, c."
    assert found.value == "unknown"


def test_a_server_that_installs_a_command_is_not_surely_a_library() -> None:
    text = '[project]\nname = "shop"\ndescription = "{}"\nclassifiers = ["Topic :: Software Development :: Libraries"]\n[project.scripts]\nshop = "a:b"\n'
    for about, kind in (("A server for apples", "unknown"), ("A library for servers", "library")):
        files = {"pyproject.toml": "[build-system]\nrequires = ['x']\n" + text.format(about), "shop/__init__.py": ""}  # fmt: skip
        assert project_type(list(files), look(files), about=about).value == kind


def test_a_target_that_only_sets_up_is_no_build() -> None:
    for recipe, said in (("virtualenv venv", ()), ("go build", ("build: make build",))):
        files = {"Makefile": f"build:\n\t{recipe}\n"}
        assert commands(list(files), [], reading(files)) == said


def test_an_example_inside_of_a_module_needs_nothing_for_it() -> None:
    files = [source(f"{one}/{n}.go", "go") for one in ("core", "cbor") for n in "ab"]
    files.append(source("cbor/examples/gen.go", "go", ("example.org/core", "core/a.go")))
    needs = {m.name: m.dependencies for m in modules(files)}
    assert needs["cbor"] == ()


def test_generated_files_count_but_give_no_names_and_a_copied_description_is_none() -> None:
    paths = [f"{one}/{n}.py" for one in ("cart", "pay") for n in ("x", "y")]
    files = [source(p, "python") for p in paths]
    files = [replace(f, error="generated") if f.path.endswith("y.py") else f for f in files]
    copied = {f"{one}/README.md": "# A\n\nShop sells apples to bears.\n" for one in ("cart", "pay")}
    found = modules([*files, *(source(p, "markdown") for p in copied)], read=reading(copied))
    assert {m.description for m in found} == {"2 Python files"}


def test_a_sentence_ends_after_a_name_in_capitals() -> None:
    assert first_sentence("It is a provider for PostgreSQL. It sells apples.") == (
        "It is a provider for PostgreSQL"
    )


def test_a_property_called_like_its_type_uses_the_type() -> None:
    text = b"namespace A;\nclass Cart { public Price? Price { get; } void Run() { Price.Add(); Other.Go(); } }\n"
    row = BY_NAME["csharp"]
    parser = Parser(Language(row.grammar()))
    found = csharp.outline(parser.parse(text).root_node, text, "a.cs")
    assert [[a for a, _ in one.names] for one in found.imports] == [["Price", "Other"]]


def test_the_text_of_a_sponsor_in_a_readme_does_not_describe_the_project() -> None:
    text = '<a href="https://ad.example.org">\n<img src="a.png">\n<b>Honey, the sweet terminal</b>\n</a>\n\nShop sells apples to bears.\n'
    assert readme_sentence(text) == "Shop sells apples to bears"


def test_a_heading_of_a_package_and_the_head_of_a_list_are_no_sentence() -> None:
    java = "/**\n * <h2>Shop Apples</h2>\n *\n * <p>Shop sells apples to bears.</p>\n */\npackage shop;\n"
    assert comment_sentence("a/package-info.java", java) == "Shop sells apples to bears"
    rust = "//! # Cookbook\n//!\n//! Typed arguments: with links\n//! - Topics\n"
    assert comment_sentence("src/mod.rs", rust) == ""


def test_commands_of_other_pipelines_are_read_from_their_scripts() -> None:
    files = {".circleci/config.yml": "jobs:\n  unit:\n    steps:\n      - run:\n          name: Run tests\n          command: |\n            go test ./...\n"}  # fmt: skip
    assert commands(list(files), [], reading(files)) == (
        "CI (.circleci/config.yml): go test ./...",
    )
    files = {".gitlab-ci.yml": "unit:\n  script:\n    - pytest -q\n"}
    assert commands(list(files), [], reading(files)) == ("CI (.gitlab-ci.yml): pytest -q",)


def test_vendored_dependencies_count_for_neither_languages_nor_stack() -> None:
    assert [one.language for one in language_shares(["a.cc", "deps/lint.py"])] == ["C++"]
    assert is_beside("deps/lint.py")
    assert not is_beside("shop/deps/apples.py")


def test_the_program_of_a_crate_is_named_by_the_file_that_is_there() -> None:
    files = {"Cargo.toml": '[package]\nname="shop"\n', "src/lib.rs": "", "src/bin/sell.rs": ""}
    assert project_type(list(files), look(files)).reason == "src/bin/sell.rs is a program."


def test_a_crate_needs_only_what_its_own_manifest_declares() -> None:
    texts = {
        "a/Cargo.toml": '[package]\nname="a"\n',
        "b/Cargo.toml": '[package]\nname="b"\n[dependencies]\na={path="../a"}\n',
        "c/Cargo.toml": '[package]\nname="c"\n[dependencies]\nother={package="b", path="../b"}\n',
    }
    builds = declared_builds([parse(path, text) for path, text in texts.items()])
    assert builds == {"a": {"a"}, "b": {"a", "b"}, "c": {"b", "c"}}


def test_versions_required_by_a_gem_or_dotnet_project_outrank_those_of_its_build_tools() -> None:
    spec = 'Gem::Specification.new do |s|\n  s.required_ruby_version = ">= 3.0.0"\nend\n'
    files = {"shop.gemspec": spec, ".ruby-version": "4.0.2\n", "lib/shop.rb": ""}
    assert look(files).runtime == "Ruby 3.0+"
    project = "<Project><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>"
    files = {"src/A/A.csproj": project, "global.json": '{"sdk": {"version": "10.0.1"}}', "src/A/a.cs": ""}  # fmt: skip
    assert look(files).runtime == ".NET 8"


def test_a_using_inside_of_a_namespace_is_relative_to_it() -> None:
    texts = {
        "A.cs": "namespace Shop.Carts;\nusing Prices;\nclass Cart { Price price; }\n",
        "B.cs": "namespace Shop.Prices;\npublic class Price { }\n",
    }
    resolver = CsharpResolver(list(texts), texts.__getitem__)
    imports = (
        Import(specifier="Prices", line=2),
        Import(specifier="", line=1, names=(("Price", "Price"),)),
    )
    found = resolver.resolve("A.cs", imports)
    assert [(one.specifier, one.target) for one in found] == [("Prices", "B.cs")]
    assert resolver.resolve("A.cs", found) == found


def test_a_target_that_only_makes_documents_is_no_build() -> None:
    files = {"Makefile": 'all: themes.json THEMES.md\n\t@echo "Running all"\n'}
    assert commands(list(files), [], reading(files)) == ()


def test_a_site_of_php_with_commands_beside_it_is_no_command() -> None:
    files = {"composer.json": '{"require": {"symfony/console": "^7"}}', "index.php": "", "src/a.php": ""}  # fmt: skip
    assert project_type(list(files), look(files)).value == "web-app"


def test_a_constant_in_capitals_is_no_file_called_alike() -> None:
    paths = ["lib/shop/unit_price.rb", "lib/shop/cart.rb"]
    resolver = RubyResolver(paths, lambda path: "")
    names = "UNIT_PRICE", "UnitPrice", "UnitPrice::MAX_SUM"
    asked = [Import(specifier=f"::Shop::{name}", line=1, names=((name, name),)) for name in names]
    found = [one.target for one in resolver.resolve("lib/shop/cart.rb", asked)]
    assert found == ["", "lib/shop/unit_price.rb", "lib/shop/unit_price.rb"]
