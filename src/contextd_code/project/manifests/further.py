"""R, Julia, Haskell, OCaml, Erlang, Zig, Perl, Lua, Clojure, Scala, Emacs Lisp, Nix and actions of pipelines."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import PurePosixPath

from contextd_code.project.manifests.model import Manifest, plain, table, texts, wanted
from contextd_common.files.yaml_text import load_plain

_FIELD = re.compile(r"^([A-Za-z][\w@/-]*):[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
_NAMED = re.compile(r"([A-Za-z][\w.-]*)\s*(?:\(([^)]*)\))?")


def _fields(text: str) -> dict[str, str]:
    return {name.lower(): " ".join(value.split()) for name, value in _FIELD.findall(text)}


def _program_first(manifest: Manifest) -> Manifest:
    """A package that installs a command of its own name is a program, whatever else it exports."""
    own = manifest.name.lower()
    commands = dict.fromkeys(sorted(manifest.commands, key=lambda one: one.lower() != own))
    publishes = manifest.publishes and own not in {one.lower() for one in commands}
    return replace(manifest, commands=tuple(commands), publishes=publishes)


def r_description(path: str, text: str) -> Manifest:
    """The DESCRIPTION of an R package."""
    found = _fields(text)
    needed = f"{found.get('imports', '')}, {found.get('depends', '')}"
    asked = dict(_NAMED.findall(needed))
    extra = dict(_NAMED.findall(found.get("suggests", "")))
    version = asked.pop("R", "")
    name = found.get("package", "")
    return Manifest(
        path, "cran", name, {**extra, **asked}, frozenset(extra) - frozenset(asked),
        runtimes={"R": version} if version else {}, publishes=bool(name),
        about=plain(found.get("title")),
    )  # fmt: skip


def julia_project(path: str, text: str) -> Manifest:
    """The Project.toml of a Julia package or environment."""
    data = table(tomllib.loads(text))
    name, compat = str(data.get("name") or ""), table(data.get("compat"))
    asked = {one: wanted(compat.get(one)) for one in table(data.get("deps"))}
    version = wanted(compat.get("julia"))
    return Manifest(
        path, "julia", name, asked, runtimes={"Julia": version} if version else {}, manager="Pkg",
        publishes=bool(name and data.get("uuid")),
    )  # fmt: skip


def cabal(path: str, text: str) -> Manifest:
    """A Haskell package."""
    found = _fields(text)
    commands = tuple(re.findall(r"^executable[ \t]+([\w-]+)", text, re.MULTILINE | re.IGNORECASE))
    needed = re.findall(r"build-depends:((?:[^\n:]*\n)+?)(?=\s*[\w-]+:|\s*\n|\Z)", text, re.I)
    asked = {
        name: "" for block in needed for name in re.findall(r"(?:^|,)\s*([a-zA-Z][\w-]*)", block)
    }
    return _program_first(Manifest(
        path, "hackage", found.get("name", PurePosixPath(path).stem), asked, manager="cabal",
        commands=commands, publishes=re.search(r"^library\b", text, re.M | re.I) is not None,
        about=plain(found.get("synopsis")),
    ))  # fmt: skip


def hpack(path: str, text: str) -> Manifest:
    """A Haskell package in YAML."""
    data = table(load_plain(text))
    commands = (*table(data.get("executables")), *("executable" in data) * (str(data.get("name")),))
    return _program_first(Manifest(
        path, "hackage", str(data.get("name") or ""), manager="stack", commands=commands,
        publishes="library" in data, about=plain(data.get("synopsis")),
    ))  # fmt: skip


def stack_yaml(path: str, text: str) -> Manifest:
    """The build configuration of a Haskell project."""
    return Manifest(path, "hackage", manager="stack")


def cabal_project(path: str, text: str) -> Manifest:
    """The packages of a Haskell workspace."""
    block = re.search(r"^packages:((?:[^\n]*\n)(?:[ \t]+[^\n]*\n?)*)", text, re.MULTILINE)
    members = tuple(re.split(r"[\s,]+", block[1].strip())) if block else ()
    return Manifest(path, "hackage", manager="cabal", members=members if len(members) > 1 else ())


def dune_project(path: str, text: str) -> Manifest:
    """An OCaml project."""
    name = re.search(r"^\(name\s+([\w.-]+)\)", text, re.MULTILINE)
    about = re.search(r"\(synopsis\s+\"([^\"]+)\"", text)
    return Manifest(
        path, "opam", name[1] if name else "", manager="dune",
        publishes="(package" in text, about=plain(about[1]) if about else "",
    )  # fmt: skip


def opam(path: str, text: str) -> Manifest:
    """A package for OCaml's package manager."""
    about = re.search(r"^synopsis:\s*\"([^\"]+)\"", text, re.MULTILINE)
    version = re.search(r"\"ocaml\"\s*\{[^}]*?>=?\s*\"([^\"]+)\"", text)
    block = re.search(r"^depends:\s*\[(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    asked = dict.fromkeys(
        re.findall(r"^\s*\"([\w-]+)\"", block[1], re.MULTILINE) if block else (), ""
    )
    return Manifest(
        path, "opam", PurePosixPath(path).stem, asked, manager="opam", publishes=True,
        runtimes={"OCaml": version[1]} if version else {}, about=plain(about[1]) if about else "",
    )  # fmt: skip


def rebar(path: str, text: str) -> Manifest:
    """An Erlang project."""
    block = re.search(r"\{deps,\s*\[(.*?)\]\s*\}\.", text, re.DOTALL)
    asked = dict.fromkeys(re.findall(r"\{\s*(\w+)\s*,", block[1]) if block else (), "")
    program = re.search(r"\{escript_name,\s*\"?(\w+)", text)
    return Manifest(
        path, "rebar", "", asked, manager="rebar3", commands=(program[1],) if program else (),
        publishes="{relx," not in text and program is None,
    )  # fmt: skip


def erlang_app(path: str, text: str) -> Manifest:
    """The application resource of an Erlang project."""
    name = re.search(r"\{application,\s*'?(\w+)", text)
    about = re.search(r"\{description,\s*\"([^\"]+)\"", text)
    return Manifest(path, "rebar", name[1] if name else "", about=plain(about[1]) if about else "")


def zig(path: str, text: str) -> Manifest:
    """The build script of a Zig project."""
    programs = re.findall(r"addExecutable\(\.\{\s*\.name\s*=\s*\"([\w-]+)\"", text)
    offered = re.findall(
        r"(?:addModule\(|addLibrary\(|addStaticLibrary\()[^\"]{0,80}\"([\w-]+)\"", text
    )
    return _program_first(Manifest(
        path, "zig", offered[0] if offered else "", manager="zig", commands=tuple(programs),
        publishes=bool(offered),
    ))  # fmt: skip


def zig_zon(path: str, text: str) -> Manifest:
    """The package of a Zig project."""
    name = re.search(r"\.name\s*=\s*(?:\.(\w+)|\"([^\"]+)\")", text)
    version = re.search(r"\.minimum_zig_version\s*=\s*\"([^\"]+)\"", text)
    return Manifest(
        path, "zig", (name[1] or name[2]) if name else "", manager="zig",
        runtimes={"Zig": version[1]} if version else {},
    )  # fmt: skip


def perl_make(path: str, text: str) -> Manifest:
    """The build and installation script of a Perl distribution."""
    name = re.search(r"(?:NAME|module_name|dist_name)\s*=>\s*['\"]([\w:-]+)", text)
    about = re.search(r"(?:ABSTRACT|dist_abstract)\s*=>\s*['\"]([^'\"]+)", text)
    scripts = re.search(r"(?:EXE_FILES|script_files)\s*=>\s*\[([^\]]*)\]", text)
    commands = (
        [PurePosixPath(one).name for one in re.findall(r"[\w./-]+", scripts[1])] if scripts else []
    )
    version = re.search(r"MIN_PERL_VERSION\s*=>\s*['\"]?([\d._]+)", text)
    return _program_first(Manifest(
        path, "cpan", name[1] if name else "", manager="cpan", publishes=True,
        commands=tuple(one for one in commands if one != "qw"), about=plain(about[1]) if about else "",
        runtimes={"Perl": version[1]} if version else {},
    ))  # fmt: skip


def cpanfile(path: str, text: str) -> Manifest:
    """The requirements of a Perl project."""
    asked = dict(
        re.findall(r"requires\s*\(?\s*['\"]([\w:]+)['\"](?:\s*(?:=>|,)\s*['\"]([^'\"]*))?", text)
    )
    version = asked.pop("perl", "")
    return Manifest(
        path, "cpan", "", asked, manager="cpan", runtimes={"Perl": version} if version else {}
    )


def dist_zilla(path: str, text: str) -> Manifest:
    """A Perl distribution made by Dist::Zilla."""
    name = re.search(r"^name\s*=\s*(\S+)", text, re.MULTILINE)
    return Manifest(path, "cpan", name[1] if name else "", manager="cpan", publishes=True)


def rockspec(path: str, text: str) -> Manifest:
    """A Lua package."""
    name = re.search(r"^package\s*=\s*['\"]([\w.-]+)", text, re.MULTILINE)
    about = re.search(r"summary\s*=\s*['\"]([^'\"]+)", text)
    block = re.search(r"\bbin\s*=\s*\{([^}]*)\}", text)
    version = re.search(r"['\"]lua\s*([^'\"]+)['\"]", text)
    return Manifest(
        path, "luarocks", name[1] if name else PurePosixPath(path).stem, manager="luarocks",
        publishes=True, about=plain(about[1]) if about else "",
        commands=tuple(re.findall(r"([\w-]+)['\"]?\]?\s*=", block[1])) if block else (),
        runtimes={"Lua": version[1]} if version else {},
    )  # fmt: skip


def leiningen(path: str, text: str) -> Manifest:
    """A Clojure project."""
    name = re.search(r"\(defproject\s+(\S+)", text)
    about = re.search(r":description\s+\"([^\"]+)\"", text)
    asked = dict(re.findall(r"\[([\w.-]+/?[\w.-]*)\s+\"([^\"]+)\"", text))
    members = re.search(r":sub\s+\[([^\]]*)\]", text)
    runs = re.search(r":main\s+(?:\^:?\S+\s+)?[a-z]|:uberjar", text) is not None
    return Manifest(
        path, "clojars", name[1] if name else "", asked, manager="leiningen",
        members=tuple(re.findall(r"\"([^\"]+)\"", members[1])) if members else (),
        publishes=name is not None and not runs, about=plain(about[1]) if about else "",
        commands=(name[1],) if name and runs else (),
    )  # fmt: skip


def deps_edn(path: str, text: str) -> Manifest:
    """The dependencies of a Clojure project."""
    asked = dict(re.findall(r"([\w.-]+/[\w.-]+)\s+\{:mvn/version\s+\"([^\"]+)\"", text))
    return Manifest(path, "clojars", "", asked, manager="clojure")


def sbt(path: str, text: str) -> Manifest:
    """A build of Scala by sbt or Mill."""
    asked = {
        f"{group}:{name}": version
        for group, name, version in re.findall(
            r"\"([\w.-]+)\"\s*%{1,3}\s*\"([\w.-]+)\"\s*%\s*\"?([\w.-]+)", text
        )
    }
    name = re.search(r"\bname\s*:=\s*\"([^\"]+)\"", text)
    version = re.search(r"scalaVersion\s*:=\s*\"([\d.]+)\"", text)
    offered = re.search(
        r"publishTo|PublishModule|pomSettings|\bpublish\._|sonatype|crossScalaVersions|tlBaseVersion|pomIncludeRepository"
        r"|licenses\s*(?::=|\+=)", text,
    )  # fmt: skip
    runs = re.search(r"JavaAppPackaging|PlayScala", text)
    return Manifest(
        path, "sbt", name[1] if name else "", asked,
        manager="mill" if path.endswith((".sc", ".mill")) else "sbt",
        runtimes={"Scala": version[1]} if version else {},
        publishes=offered is not None and runs is None,
    )  # fmt: skip


def emacs_package(path: str, text: str) -> Manifest:
    """The build configuration of an Emacs package."""
    name = re.search(r"\(define-package\s+\"([^\"]+)\"(?:\s+\"[^\"]*\"\s+\"([^\"]+)\")?", text)
    return Manifest(
        path, "melpa", name[1] if name else "", publishes=True,
        about=plain(name[2]) if name else "",
    )  # fmt: skip


def flake(path: str, text: str) -> Manifest:
    """The outputs of a Nix flake."""
    about = re.search(r"^\s*description\s*=\s*\"([^\"]+)\"", text, re.MULTILINE)
    return Manifest(path, "nix", manager="nix", about=plain(about[1]) if about else "")


def action(path: str, text: str) -> Manifest:
    """A step that pipelines of GitHub call."""
    data = table(load_plain(text))
    if not table(data.get("runs")):
        return Manifest(path, problem="no action")
    return Manifest(
        path, "actions", str(data.get("name") or ""), about=plain(data.get("description")),
        topics=texts(list(table(data.get("inputs")))),
    )  # fmt: skip
