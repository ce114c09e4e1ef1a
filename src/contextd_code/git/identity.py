"""Which project a directory belongs to. The name is a label; the identity is what counts.

A directory shows one of

* `git:<root>/<remote>`: the first commit of the main line (16 digits of it) and a hash of the
  normalised remote URL; either side is `-` while it is unknown,
* `id:<uuid>`: without git, the id kept in `.context/project.yaml`,
* `path:<hash>`: a directory that has nothing better yet.

A project has all that was ever seen of it; `same_project.py` compares the two.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import yaml

from contextd_code.git import git_queries as git
from contextd_code.git.config_text import options_in
from contextd_code.git.remotes import remote_urls
from contextd_code.git.repository import NO_WORK_TREE, Repository, is_bare
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound
from contextd_common.files.guarded import read_file
from contextd_common.files.yaml_text import load_plain

IdentityKind = Literal["git", "remote", "id", "path"]

PROJECT_FILE = ".context/project.yaml"
_LARGEST_FILE = 2_000_000
_MOST_HOPS = 3
_LONGEST_LINK = 4_096
"""Bytes of the file with which git names a work tree."""

_TIPS = 1_000
_MAIN_LINES = (
    "refs/remotes/origin/HEAD",
    "refs/heads/main",
    "refs/heads/master",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
)
_SCP = re.compile(r"(?:[^/@:\s]+@)?(\[[^\]]+\]|[^/@:\s]{2,}):(?!//)(.*)", re.DOTALL)
_PORTS = {22, 80, 443, 9418}
_SAME_HOST = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
    "vs-ssh.visualstudio.com": "dev.azure.com",
}
_FOLDS_PATHS = {"github.com", "gitlab.com", "bitbucket.org", "dev.azure.com", "codeberg.org"}


@dataclass(frozen=True, slots=True)
class ProjectIdentity:
    """A project as seen from one directory.

    `kind` is the basis of the identity: `git` (root commit, and remote if there is one), `remote` (URL only: a
    shallow clone, or no commit yet), `id` or `path`. `id` is the one in `.context/project.yaml`, if the folder is
    trusted. `sources` are other places on this machine that have the same history: the main work tree, and the
    repositories it was cloned from. `note` is one sentence when something could not be used, else empty.
    """

    identity: str
    root: Path
    name: str
    kind: IdentityKind
    id: str = ""
    sources: tuple[str, ...] = ()
    note: str = ""

    @property
    def evidence(self) -> tuple[str, ...]:
        """What is worth remembering of this sighting, besides the place: identities, and sources as `from:<path>`."""
        by_id = f"id:{self.id}" if self.id else ""
        own = "" if self.kind == "path" else self.identity
        sources = (f"from:{source}" for source in self.sources)
        return tuple(dict.fromkeys(filter(None, (own, by_id, *sources))))


def _nobody(root: Path) -> bool:
    return False


def identify(path: Path, trusts: Callable[[Path], bool] = _nobody) -> ProjectIdentity:
    """The project around `path`, which need not be its root. `.context/project.yaml` counts only in folders
    that `trusts` accepts: a stranger's could name another project.

    All clones and work trees of a repository give one identity. Raises `NotFound` for a missing directory, and
    `Invalid` for the home directory and the file system's root, which are not projects by default;
    `.context/project.yaml` in the home directory makes it one.
    """
    try:
        start = path.expanduser()
        exists = start.exists()
    except (OSError, RuntimeError):  # a name too long for the system, the home of an unknown user
        exists = False
    if not exists:
        raise NotFound(f"{path} does not exist", "give a directory of the project")
    start = start.resolve() if start.is_dir() else start.resolve().parent
    repository, why = git.find(start)
    if repository is not None and not _is_nobodys(repository.root, trusts):
        return _of_repository(repository, trusts)
    for place in (start, *start.parents) if why == NO_WORK_TREE else ():
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            raise Invalid(
                f"{place} is the inside of a git repository and has no files of a project",
                "clone it, or go to one of its work trees",
            )
    note = "" if why == "not a git repository" else why
    if repository is not None and start != repository.root:
        note = f"the repository in {repository.root} is not taken for a project"
    return _of_directory(_nearest_project(start, trusts), note, trusts)


def normalised_url(url: str) -> str:
    """`host/path` of a remote, equal for all spellings of its URL; credentials, scheme, default ports and
    `.git` are dropped. Empty for a local path.
    """
    url = url.strip()
    host, path = "", ""
    if "://" in url:
        try:
            parts = urlsplit(url.removeprefix("git+"))
            host, path, port = parts.hostname or "", parts.path, parts.port
        except ValueError:
            return ""
        if parts.scheme == "file":
            return ""
        if port and port not in _PORTS:
            host = f"{host}:{port}"
    elif found := _SCP.fullmatch(url):
        host, path = found[1], found[2]
    host = _SAME_HOST.get(host.lower().rstrip("."), host.lower().rstrip("."))
    path = re.sub(r"/+", "/", unquote(path)).strip("/").removesuffix(".git").rstrip("/")
    if not host or not path:
        return ""
    if host == "dev.azure.com":
        path = path.removeprefix("v3/").replace("/_git/", "/")
    return f"{host}/{path.lower() if host in _FOLDS_PATHS else path}"


def _of_repository(repository: Repository, trusts: Callable[[Path], bool]) -> ProjectIdentity:
    root = repository.root
    url, hops = _published_url(root)
    remote = _hash(url) if url else "-"
    first = first_commit(root, repository) or "-"
    settings = _told(root) if trusts(root) else {}
    name = settings.get("name") or url.rpartition("/")[2] or _directory_name(repository)
    if first == remote == "-":
        why = (
            "a shallow clone without a remote"
            if repository.shallow
            else "no commit and no remote yet"
        )
        found = _of_directory(root, f"{why}: known by its place until then", trusts)
        return replace(found, name=name)
    main = main_work_tree(root)
    return ProjectIdentity(
        f"git:{first}/{remote}",
        root,
        name,
        "git" if first != "-" else "remote",
        settings.get("id", ""),
        tuple(map(str, (*([main] if main else []), *hops))),
    )


def main_work_tree(root: Path) -> Path | None:
    """The main work tree of a linked one, or the repository without a work tree that it belongs to, if that repository
    confirms it; None for any other folder.
    """
    found = git.repository(root)
    if found is None or not found.is_linked or found.root != root:
        return None
    common = found.common_dir
    main = common.parent if common.name == ".git" else common
    # `.git` of a linked work tree is a file that anyone can write: the repository has to name it as well.
    if main == root or found.git_dir.parent != common / "worktrees":
        return None
    try:
        named = read_file(found.git_dir / "gitdir", _LONGEST_LINK).decode().strip()
    except (OSError, ValueError):
        return None
    confirmed = named and os.path.realpath(named) == os.path.realpath(root / ".git")
    return main if confirmed else None


def first_commit(root: Path, repository: Repository | None = None) -> str:
    """The first commit of the main line of the repository with the work tree `root`, 16 digits of it: the same
    on side branches, orphan branches and in clones. Empty for a shallow clone and without commits.
    """
    repository = repository or git.repository(root)
    if repository is None or repository.shallow or repository.root != root:
        return ""
    tips = git.tips(root, _MAIN_LINES, repository)
    for ref in (*_MAIN_LINES, "HEAD"):
        if ref in tips:
            with suppress(LookupError):
                return _beginning(root, tips[ref])[:16]
    return ""


@lru_cache(maxsize=_TIPS)
def _beginning(root: Path, tip: str) -> str:
    """The first commit of the line that ends in `tip`. Raises `LookupError` when git fails."""
    # Along first parents only, so that merging a foreign history changes nothing. It takes
    # 0.1 s for 15,000 commits; half a minute allows for an extremely large repository.
    span = "rev-list", "--first-parent", "--max-parents=0", tip, "--"
    found = (git.ask(root, *span, timeout=30.0) or "").split()
    if not found:
        raise LookupError(tip)
    return found[0]


def _published_url(root: Path) -> tuple[str, list[Path]]:
    """Normalised remote, followed through local clones, and the local repositories on the way. The remote is empty when
    unpublished.
    """
    here, hops = root, list[Path]()
    for _ in range(_MOST_HOPS):
        url = _remote_of_bare(here) if is_bare(here) else git.remote_url(here)
        if not url or normalised_url(url):
            return normalised_url(url), hops
        local = Path(unquote(urlsplit(url).path) if url.startswith("file://") else url)
        here = Path(os.path.realpath(here / local.expanduser()))
        if not here.is_dir():
            break
        # The inside of an ordinary repository is a remote as well.
        hops.append(here.parent if here.name == ".git" else here)
    return "", hops


def _remote_of_bare(place: Path) -> str:
    """The remote of a repository without a work tree; empty when its configuration has none. Git is not started
    there.
    """
    try:
        text = read_file(place / "config").decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    urls = remote_urls(options_in(text))
    return urls.get("origin") or next((urls[name] for name in sorted(urls)), "")


def _directory_name(repository: Repository) -> str:
    # A linked work tree is named after its task; the main one after the project.
    main = repository.common_dir
    return (main.parent.name if main.name == ".git" else main.name) or repository.root.name


def _nearest_project(start: Path, trusts: Callable[[Path], bool]) -> Path:
    for place in (start, *start.parents):
        known = (place / PROJECT_FILE).is_file() and trusts(place)
        if known and (place == start or not _is_home(place)):
            return place
    if _is_home(start) or start == start.parent:
        what = "your home folder" if _is_home(start) else "the root of the file system"
        raise Invalid(
            f"{start} is {what}, which is not taken for a project",
            "go to the folder of one project and run `contextd init`, or name a known one",
        )
    return start


def _of_directory(root: Path, note: str, trusts: Callable[[Path], bool]) -> ProjectIdentity:
    settings = _told(root) if trusts(root) else {}
    name = settings.get("name") or root.name or "project"
    if settings.get("id"):
        own = settings["id"]
        return ProjectIdentity(f"id:{own}", root, name, "id", own, note=note)
    return ProjectIdentity(path_identity(root), root, name, "path", note=note)


def _is_nobodys(root: Path, trusts: Callable[[Path], bool]) -> bool:
    if (root / PROJECT_FILE).is_file() and trusts(root):
        return False
    return _is_home(root) or root == root.parent


def _is_home(place: Path) -> bool:
    try:
        return place == Path.home().resolve()
    except RuntimeError:
        return False


def _told(root: Path) -> dict[str, str]:
    """`id` and `name` from project.yaml; empty for a broken file."""
    file = root / PROJECT_FILE
    try:
        found: Any = load_plain(read_file(file, _LARGEST_FILE, within=root).decode())
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    project = found.get("project") if isinstance(found, dict) else None
    if not isinstance(project, dict):
        return {}
    settings = {key: str(project.get(key) or "").strip() for key in ("id", "name")}
    return {key: value for key, value in settings.items() if 0 < len(value) <= 100}


def path_identity(root: Path) -> str:
    """The identity of a directory that is known by its place alone."""
    return "path:" + _hash(str(root))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
