"""The programs that contextd starts in a repository: where they are, their environment, and git's own options."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from contextd_common.errors import Unavailable

_OPTIONS = (
    "--no-optional-locks", "--no-pager",
    "-c", "core.quotepath=off", "-c", "color.ui=false",
    # Programs, by the option that names them. An empty program is none; `false` is one that does nothing.
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.pager=",
    "-c", "core.editor=false", "-c", "sequence.editor=false", "-c", "core.askPass=false",
    "-c", "core.sshCommand=false", "-c", "core.gitProxy=false", "-c", "core.alternateRefsCommand=false",
    "-c", "credential.helper=", "-c", "diff.external=", "-c", "interactive.diffFilter=",
    "-c", "gpg.program=false", "-c", "gpg.ssh.program=false", "-c", "gpg.x509.program=false",
    "-c", "gpg.ssh.defaultKeyCommand=false", "-c", "log.showSignature=false",
    "-c", "uploadpack.packObjectsHook=false", "-c", "protocol.allow=never",
    # Commands of git that others start inside of submodules, or because of them.
    "-c", "submodule.recurse=false", "-c", "diff.submodule=short", "-c", "status.submoduleSummary=false",
    # A repository inside of a repository, without `.git`, arrives with an ordinary clone.
    "-c", "safe.bareRepository=explicit",
    # The form of the output, which contextd parses: a person's own settings may change it as well.
    "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.showRoot=true", "-c", "log.follow=false",
    "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "diff.srcPrefix=a/",
    "-c", "diff.dstPrefix=b/", "-c", "diff.relative=false", "-c", "core.abbrev=auto",
    # Each thread counts with its whole stack for the limit of memory.
    "-c", "grep.threads=4",
)  # fmt: skip
"""What git is told for each command. Its configuration is contextd's as well (`settings.py`), so most of these are a
second lock: an option on the command line overrides every file.
"""

_INHERITED = frozenset(
    """GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CEILING_DIRECTORIES
    GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_EXEC_PATH""".split()
)
"""Git's variables that locate the user's own settings. The others come from a running hook, and would redirect
each command to another repository, or name a program.
"""

_NEVER_INHERITED = frozenset("SSH_ASKPASS PAGER EDITOR VISUAL RIPGREP_CONFIG_PATH".split())

# An empty GIT_ALLOW_PROTOCOL allows none: a partial clone must not fetch what it lacks.
_OURS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PROTOCOL_FROM_USER": "0",
    # A stranger could let a commit show another one's content.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


def git_line(arguments: Sequence[str]) -> list[str]:
    """The command line of `git ARGUMENTS`. Raises `Unavailable` when git is missing."""
    return [program("git"), *_OPTIONS, *arguments]


def git_environment() -> dict[str, str]:
    """The environment of every program that contextd starts in a repository: without variables of a hook,
    locks, network or translations, and without relative program paths.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in _NEVER_INHERITED and (not name.startswith("GIT_") or name in _INHERITED)
    }
    return {**inherited, "PATH": _absolute_path(os.environ.get("PATH", os.defpath)), **_OURS}


def program(name: str) -> str:
    """The absolute path of a program. Raises `Unavailable` when no absolute folder of `PATH` has it.

    A relative entry of `PATH` would be resolved in the repository, where the process starts.
    """
    found = _program(name, os.environ.get("PATH", os.defpath))
    if not found:
        raise Unavailable(f"{name} is not installed", f"install {name} to use history")
    return found


@lru_cache(maxsize=32)
def _program(name: str, path: str) -> str:
    return shutil.which(name, path=_absolute_path(path)) or ""


@lru_cache(maxsize=32)
def _absolute_path(path: str) -> str:
    return os.pathsep.join(one for one in path.split(os.pathsep) if Path(one).is_absolute())
