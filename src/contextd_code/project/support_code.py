"""What lies beside a project: tests, examples, fixtures, tools. It says nothing about the project."""

from __future__ import annotations

import re

from contextd_code.project.stack_languages import NOT_THE_STACK
from contextd_code.values.source import is_test

_BY_NAME = re.compile(
    r"^(?i:docs?|tests?|examples?|samples?|demos?|bench(?:es|mark)?)[-_.]"
    r"|[a-z](?:Example|Sample|Demo|Benchmark)s?$|[-_. ](?i:tests?|specs?|examples?|samples?|demos?|benchmarks?|e2e|testsuite)$|[a-z]Tests?$|[.]docc$|[.]Test[A-Z]\w*$|[.]Tests?[.]"
    r"|^project_templates?$|^(?:Examples?|Samples?|Demos?|Tests?|Benchmarks?|Docs?|Fixtures?|Playgrounds?|Tutorials?)$"
)

_GIVEN = frozenset(
    "contrib contributed deps extern external externals 3rdparty thirdparty third-party submodules".split()
)
"""Folders of the root with what others gave to a project or what it took from them. Deeper down, as in `shop/contrib/`, they are a part of it."""


_BUILDS = re.compile(
    r"(?:^|/)(?:[\w.-]*\.gradle(?:\.kts)?|CMakeLists\.txt|[\w.-]*\.cmake|(?:GNU)?[Mm]akefile(?:\.(?:am|in))?|meson\.build|BUILD|WORKSPACE"
    r"|[\w.-]*\.bazel|Rakefile|Gemfile|[\w.-]*\.gemspec|Podfile|Fastfile|setup\.py|mix\.exs|Package\.swift|project\.clj|build\.sbt|premake\d*\.lua"
    r"|[\w.-]*\.config\.[cm]?[jt]s|[Gg]ulpfile\.\w+|Gruntfile\.\w+|[\w.-]*\.mk|configure)$"
)


def is_beside(path: str) -> bool:
    """Whether a file lies in examples, tests, fixtures and the like, beside the project proper."""
    # Below src/main the folders are those of a Java package, which may well hold "samples".
    before, found, _ = path.partition("src/main/")
    folders = before.split("/") if found else path.split("/")[:-1]
    if folders and folders[0].lower() in _GIVEN:
        return True
    if "features/support" in "/".join(folders):
        # What Cucumber's features are run with.
        return True
    return any(name in NOT_THE_STACK or is_beside_name(name) for name in folders)


def is_test_file(path: str) -> bool:
    """Whether a file is a test. Outside of the folders of tests, `test_shop` is one only in Python."""
    folder, _, name = path.rpartition("/")
    if name == "tests.rs":
        return True
    if name.startswith("test_") and not name.endswith(".py"):
        return is_test(f"{folder}/{name.removeprefix('test_')}")
    return is_test(path)


def is_beside_name(folder: str) -> bool:
    """Whether a folder's own name says so: `tests-integration`, `Shop.Tests`, `app-e2e`."""
    hidden = folder.startswith(".") and folder.strip(".") and folder != ".config"
    return bool(hidden) or _BY_NAME.search(folder) is not None


def is_build_file(path: str) -> bool:
    """Whether a file builds a project. A folder of nothing else is no module."""
    return _BUILDS.search(path) is not None
