"""A file belongs to the module with the nearest folder around it."""

from __future__ import annotations

from contextd_code.project.file_module import Territory
from contextd_code.project.project_model import KeyFile, Module

MODULES = {
    "shop": Module("shop", paths=("src",)),
    "auth": Module("auth", paths=("src/auth", "tests/auth_test.py")),
    "cli": Module("cli", key_files=(KeyFile("tools/cli/main.py"), KeyFile("setup.py"))),
}


def test_the_nearest_folder_holds_a_file_and_a_named_file_goes_before() -> None:
    held = Territory(MODULES)
    assert held.holder("src/auth/deep/token.ts") == "auth"
    assert held.holder("src/authority.ts") == "shop"
    assert held.holder("tests/auth_test.py") == "auth"
    assert held.holder("tests/other_test.py") == ""
    assert held.holder("README.md") == ""


def test_without_folders_those_of_the_key_files_stand_for_them() -> None:
    held = Territory(MODULES)
    assert held.holder("tools/cli/colours.py") == "cli"
    assert held.holder("setup.py") == "cli"
    assert held.holder("setup.cfg") == "", "a key file of the root does not make the root its own"


def test_it_says_the_same_as_the_model_does_for_one_file() -> None:
    held = Territory(MODULES)
    for path in ("src/a.ts", "src/auth/a.ts", "tools/cli/x.py", "setup.py", "docs/x.md", "src"):
        best = max(MODULES.values(), key=lambda module: module.holds(path))
        assert held.holder(path) == (best.name if best.holds(path) else "")


def test_files_are_counted_and_modules_named_once() -> None:
    held = Territory(MODULES)
    paths = ("src/a.ts", "src/auth/a.ts", "src/auth/b.ts", "LICENSE")
    assert held.counted(paths) == {"shop": 1, "auth": 2}
    assert held.holders(reversed(paths)) == ["auth", "shop"]
