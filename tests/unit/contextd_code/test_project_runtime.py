"""What a project runs on and what installs its packages, out of all its manifests."""

from __future__ import annotations

from typing import Any

import pytest

from contextd_code.project.manifests import Manifest
from contextd_code.project.stack_evidence import Share
from contextd_code.project.stack_runtime import manager_of, primary_ecosystem, runtime_of


def made(
    path: str, ecosystem: str = "npm", needs: str = "", dev: str = "", **more: Any
) -> Manifest:
    asked = dict.fromkeys([*needs.split(), *dev.split()], "")
    return Manifest(path, ecosystem, dependencies=asked, dev=frozenset(dev.split()), **more)


def shares(**given: float) -> list[Share]:
    names = {"C_": "C", "Cpp": "C++"}
    return [Share(names.get(name, name), share, 1) for name, share in given.items()]


NPM, PIP = made("package.json", needs="react"), made("pyproject.toml", "pypi", "flask")


@pytest.mark.parametrize(
    ("manifests", "languages", "primary"),
    [
        ([NPM, PIP], {"TypeScript": 0.9, "Python": 0.1}, "npm"),
        ([NPM, PIP], {"TypeScript": 0.1, "Python": 0.9}, "pypi"),
        ([NPM, made("api/setup.py", "pypi", "flask")], {"TypeScript": 0.5, "Python": 0.5}, "npm"),
        ([made("package.json", dev="prettier"), PIP], {"Python": 0.9}, "pypi"),
        ([made("package.json", dev="prettier")], {"Markdown": 0.9}, ""),
        ([made("package.json", dev="prettier")], {"JavaScript": 0.9}, "npm"),
        ([made("tests/setup.py", "pypi", "x")], {"C_": 0.96, "Python": 0.04}, ""),
        ([made("tests/setup.py", "pypi", "x")], {"C_": 0.5, "Python": 0.5}, "pypi"),
        ([made("web/package.json", needs="x")], {"Python": 0.95, "TypeScript": 0.05}, ""),
        (
            [NPM, made("composer.json", "composer", "x")],
            {"PHP": 0.3, "JavaScript": 0.7},
            "composer",
        ),
        ([NPM, made("composer.json", "composer", "x")], {"PHP": 0.1, "JavaScript": 0.9}, "npm"),
        ([made("package.json", problem="broken")], {"JavaScript": 1.0}, ""),
        ([made("Dockerfile", "docker")], {"Python": 1.0}, ""),
        ([], {"Python": 1.0}, ""),
    ],
)
def test_a_project_belongs_to_the_ecosystem_that_it_is_written_in(
    manifests: list[Manifest], languages: dict[str, float], primary: str
) -> None:
    assert primary_ecosystem(manifests, shares(**languages)) == primary


def runs(path: str, ecosystem: str = "npm", **runtimes: str) -> Manifest:
    names = {"Node": "Node.js", "Net": ".NET"}
    asked = {names.get(name, name): version for name, version in runtimes.items()}
    return made(path, ecosystem, runtimes=asked)


@pytest.mark.parametrize(
    ("manifests", "primary", "runtime", "file"),
    [
        ([runs("package.json", Node=">=20")], "npm", "Node.js 20+", "package.json"),
        ([runs("package.json", Node="20.1.0")], "npm", "Node.js 20", "package.json"),
        ([runs("package.json"), runs(".nvmrc", "", Node="18")], "npm", "Node.js 18", ".nvmrc"),
        ([runs("package.json", Node="20"), runs("a/package.json", Node="18")], "npm", "Node.js 20", "package.json"),
        ([runs("a/package.json", Node="20"), runs("b/package.json", Node="18")], "npm", "Node.js", "a/package.json"),
        ([runs("a/package.json", Node="20"), runs("b/package.json", Node="20")], "npm", "Node.js 20", "a/package.json"),
        ([runs("pyproject.toml", "pypi", Python=">=3.10,<3.13")], "pypi", "Python 3.10–3.12", "pyproject.toml"),
        ([runs("pyproject.toml", "pypi", Python=">=3.10,<=3.12")], "pypi", "Python 3.10–3.12", "pyproject.toml"),
        ([runs("pyproject.toml", "pypi", Python=">=3.12,<3.13")], "pypi", "Python 3.12", "pyproject.toml"),
        ([runs("pyproject.toml", "pypi", Python=">=3.10,<4.0")], "pypi", "Python 3.10+", "pyproject.toml"),
        ([runs("pyproject.toml", "pypi", Python="^3.9")], "pypi", "Python 3.9+", "pyproject.toml"),
        ([runs("pyproject.toml", "pypi", Python="3.12")], "pypi", "Python 3.12", "pyproject.toml"),
        ([runs("Gemfile", "gem", Ruby="~> 3.1")], "gem", "Ruby 3.1+", "Gemfile"),
        ([runs("Gemfile", "gem", Ruby="~> 3.1.2")], "gem", "Ruby 3.1", "Gemfile"),
        ([runs("package.json", Node="20", Deno="")], "npm", "Deno", "package.json"),
        ([runs("package.json", Node="20", Python="3.12")], "npm", "Node.js 20", "package.json"),
        ([runs("global.json", "", Net="8.0"), runs("a.csproj", "nuget", Net="9")], "nuget", ".NET 9", "a.csproj"),
        ([runs("global.json", "", Net="8.0")], "nuget", ".NET 8", ""),
        ([runs("a.csproj", "nuget", Net="8"), runs("b.csproj", "nuget", Net="9")], "nuget", ".NET", "a.csproj"),
        ([made("package.json"), made("Dockerfile", "docker", images=("node:22-slim",))], "npm", "Node.js 22", "Dockerfile"),
        ([made("package.json"), made("a/b/Dockerfile", "docker", images=("node:22",))], "npm", "Node.js", "package.json"),
        ([made("Cargo.toml", "cargo")], "cargo", "Rust", "Cargo.toml"),
        ([], "", "", ""),
    ],
)  # fmt: skip
def test_a_project_runs_on(
    manifests: list[Manifest], primary: str, runtime: str, file: str
) -> None:
    found, said_in = runtime_of(manifests, primary)
    assert found == runtime
    assert not file or said_in == file


@pytest.mark.parametrize(
    ("manifests", "primary", "manager", "file"),
    [
        ([made("package.json", manager="pnpm"), made("yarn.lock", manager="yarn")], "npm", "pnpm", "package.json"),
        ([made("package.json"), made("a/yarn.lock", manager="yarn"), made("bun.lock", manager="bun")], "npm", "bun", "bun.lock"),
        ([made("package.json")], "npm", "npm", "package.json"),
        ([made("deno.json", manager="deno")], "npm", "deno", "deno.json"),
        ([made("requirements.txt", "pypi")], "pypi", "pip", "requirements.txt"),
        ([made("setup.py", "pypi")], "pypi", "pip", "setup.py"),
        ([made("pyproject.toml", "pypi")], "pypi", "", ""),
        ([made("environment.yml", "pypi", manager="conda")], "pypi", "conda", "environment.yml"),
        ([made("environment.yml", "pypi", manager="conda"), made("pyproject.toml", "pypi", publishes=True)], "pypi", "", ""),
        ([made("build.gradle", "maven", manager="gradle"), made("pom.xml", "maven", manager="maven")], "maven", "maven", "pom.xml"),
        ([made("package.json", manager="pnpm")], "pypi", "", ""),
        ([], "", "", ""),
    ],
)  # fmt: skip
def test_packages_are_installed_by(
    manifests: list[Manifest], primary: str, manager: str, file: str
) -> None:
    assert manager_of(manifests, primary) == (manager, file)
