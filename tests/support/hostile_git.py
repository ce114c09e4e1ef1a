"""A repository whose own configuration names programs wherever git takes one.

Each program leaves a mark when it runs, so a test can tell which option was obeyed.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from support.repositories import committed, git

_NAMES_A_PROGRAM = re.compile(
    r"(?i)(?:cmd|command|commands|program|helper|hook|hookspath|editor|pager|askpass|[.]textconv|driver|clean|smudge"
    r"|process|fsmonitor|proxy|external|uploadpack|receivepack|vcs|difffilter|browser|smtpserver"
    r"|tool\.<tool>\.path|browser\.<tool>\.path|man\.<tool>\.path)$|^alias\.|^pager\."
)

_UNDOCUMENTED = (
    "filter.evil.process", "core.alternateRefsCommand", "gpg.ssh.program", "gpg.x509.program", "gpg.openpgp.program",
    "trailer.evil.command", "trailer.evil.cmd", "hook.evil.command", "submodule.evil.update", "sendemail.sendmailCmd",
    "sendemail.headerCmd", "remote.origin.uploadpack", "remote.origin.vcs", "remote.origin.receivepack",
    "core.gitProxy", "uploadpack.packObjectsHook", "rebase.instructionFormat",
    "credential.https://example.invalid.helper", "lfs.extension.evil.clean", "lfs.customtransfer.evil.path",
    "filter..clean", "filter..process", "diff..textconv", "diff..command", "merge..driver", "filter.a=b.clean",
    "filter.a.b.clean", "filter.EVIL.clean", "filter.*.clean",
)  # fmt: skip
"""Options of newer versions, of other programs that git starts, and some that the help does not list."""

_ASKED = (
    "status diff log blame show rev-parse ls-files cat-file hash-object grep config remote".split()
)

_HOOKS = """fsmonitor-watchman post-index-change reference-transaction pre-commit post-checkout post-merge
    pre-auto-gc post-rewrite sendemail-validate update p4-pre-submit""".split()


@cache
def options_that_run() -> tuple[str, ...]:
    """Every option of the installed git that names a program, its placeholders filled in."""
    listed = subprocess.run(
        ["git", "help", "--config"], capture_output=True, text=True, check=True
    ).stdout.split()
    found = [
        name
        for name in listed
        if _NAMES_A_PROGRAM.search(name) and not name.startswith(("advice.", "color."))
    ]
    names = [re.sub(r"<[^>]*>", "evil", name) for name in found]
    filled = []
    for name in names:
        filled += [name.replace("*", command) for command in _ASKED] if "*" in name else [name]
    filled += [f"pager.{command}" for command in _ASKED]
    return tuple(dict.fromkeys((*filled, *_UNDOCUMENTED)))


def hostile_repository(root: Path, marks: Path, files: Mapping[str, str] | None = None) -> Path:
    """A repository in which each option of `options_that_run` names a program of its own, as do its hooks.
    One of its files was changed since it was committed, so that git has something to compare.
    """
    files = dict(files or {"src/a.py": "def f():\n    return 1\n"})
    every = "* filter=evil diff=evil merge=evil\n*.py filter=evil diff=evil\n"
    every += "*.rb filter= diff=\n*.go filter=a=b diff=a=b\n"
    # Committed before its configuration is hostile: the programs would run for the test's own git.
    committed(root, {**files, ".gitattributes": every})
    marks.mkdir(parents=True, exist_ok=True)
    config = root / ".git" / "config"
    planted = [planted_option(root, marks, option) for option in options_that_run()]
    config.write_text("".join((config.read_text(), *planted)))
    for name in _HOOKS:
        _program(root / ".git" / "hooks" / name, marks / f"hook {name}")
        _program(root / "hooks" / name, marks / f"hooksPath {name}")
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text(every)
    included = root / ".git" / "more"
    program = _program(root / ".git" / "included", marks / "include.path")
    section = f'[filter "included"]\n\tclean = {program}\n\tprocess = {program}\n'
    included.write_text(section)
    switched = '[log]\n\tshowSignature = true\n[filter "evil"]\n\trequired = true\n'
    switched += f'[include]\n\tpath = more\n[includeIf "gitdir:{root}/"]\n\tpath = more\n'
    switched += f"[core]\n\thooksPath = {root / 'hooks'}\n[status]\n\tsubmoduleSummary = true\n"
    switched += '[remote "origin"]\n\turl = ext::sh -c true\n\tpromisor = true\n'
    config.write_text(config.read_text() + switched)
    for path in files:
        with (root / path).open("a") as file:
            file.write("\n\n")
    return root


def hostile_submodule(root: Path, marks: Path) -> Path:
    """An ordinary repository with a submodule whose own configuration names programs."""
    marks.mkdir(parents=True, exist_ok=True)
    inner = committed(
        root.parent / f"{root.name}-inner",
        {"s.py": "x = 1\n", ".gitattributes": "* filter=evil diff=evil\n"},
    )
    committed(root, {"src/a.py": "def f():\n    return 1\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "inner")
    git(root, "commit", "-q", "-m", "with a submodule")
    # Whoever lets git look into submodules.
    with (root / ".git" / "config").open("a") as config:
        config.write('[submodule "inner"]\n\tignore = none\n[diff]\n\tignoreSubmodules = none\n')
        config.write("[status]\n\tsubmoduleSummary = true\n")
    own = root / ".git" / "modules" / "inner"
    planted = [planted_option(root, marks, option) for option in options_that_run()]
    (own / "config").write_text("".join(((own / "config").read_text(), *planted)))
    (root / "inner" / "s.py").write_text("x = 2\n")
    (root / "src" / "a.py").write_text("def f():\n    return 2\n")
    return root


def planted_option(root: Path, marks: Path, option: str) -> str:
    """Lines of a configuration that set one option to a program, which leaves a mark of the option's name."""
    plain = re.sub(r"[^A-Za-z0-9.-]", "_", option)
    program = str(_program(root / ".git" / "programs" / plain, marks / plain))
    shell = "!" if option.startswith(("alias.", "submodule.")) else ""
    section, _, rest = option.partition(".")
    subsection, _, name = rest.rpartition(".")
    head = f'[{section} "{subsection}"]' if "." in rest else f"[{section}]"
    return f"{head}\n\t{name} = {shell}{program}\n"


def embedded_bare(folder: Path, marks: Path) -> Path:
    """A repository without `.git` in a folder, as an ordinary clone brings it, with a filter of its own."""
    made = hostile_repository(folder.parent / f"{folder.name}-made", marks)
    folder.mkdir(parents=True, exist_ok=True)
    for entry in (made / ".git").iterdir():
        entry.rename(folder / entry.name)
    (folder / "config").write_text(
        (folder / "config").read_text() + f"[core]\n\tworktree = {folder}\n"
    )
    (folder / ".gitattributes").write_text("* filter=evil diff=evil\n")
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "a.py").write_text("def f():\n    return 2\n")
    return folder


def _program(path: Path, mark: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{mark}'\ncat 2>/dev/null\n")
    path.chmod(0o755)
    return path
