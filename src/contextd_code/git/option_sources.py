"""Read the options of git's configuration: a repository's without git, the user's by git itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from contextd_code.git.config_text import GitOption, options_in
from contextd_code.git.ordinary_files import LARGEST, require_file
from contextd_code.git.programs import git_environment, git_line
from contextd_code.git.repository import Repository
from contextd_code.processes import run
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unreadable
from contextd_common.files.guarded import read_file

_SECONDS = 3.0
_MOST_FILES = 100
"""Configuration files that a configuration may include."""

INCLUDES = ("include.path", "includeif.*.path")
"""Options that name a configuration file to read as well."""

_TRUE = ("true", "yes", "on", "1")
_BY_DEFAULT = (("core.excludesfile", "ignore"), ("core.attributesfile", "attributes"))
"""Files that git reads in the user's `git` folder where an option names no other."""


@dataclass(frozen=True, slots=True)
class OptionSource:
    """Options in the order in which git reads them, and the files they were read from. `conditional` are those of
    files that are included under a condition.
    """

    options: tuple[GitOption, ...]
    files: tuple[Path, ...]
    conditional: tuple[GitOption, ...] = ()


def options_of_repository(repository: Repository) -> OptionSource:
    """The options of a repository's own configuration. Files that it includes are read if they are ordinary ones.
    Raises `Unavailable` when the configuration is not an ordinary file.
    """
    main = repository.common_dir / "config"
    reading = _Reading()
    reading.read(main)
    own = repository.git_dir / "config.worktree"
    switches = [o.value for o in reading.options if o.name == "extensions.worktreeconfig"]
    if switches and switches[-1].lower() in _TRUE:
        reading.read(own)
    for path in (main, own):
        require_file(path)
    return OptionSource(tuple(reading.options), (*reading.files, own), tuple(reading.conditional))


class _Reading:
    """The reading of a configuration and what it includes."""

    def __init__(self) -> None:
        self.options: list[GitOption] = []
        self.conditional: list[GitOption] = []
        self.files: dict[Path, None] = {}

    def read(self, path: Path, *, conditional: bool = False) -> None:
        """Read a file, unless it was read before."""
        if path in self.files or len(self.files) > _MOST_FILES:
            return
        self.files[path] = None
        found = self.conditional if conditional else self.options
        for option in _options_in_file(path):
            found.append(option)
            included = path_in(option, path.parent) if option.generic in INCLUDES else None
            if included is not None:
                unconditional = option.name == "include.path" and not conditional
                self.read(included, conditional=not unconditional)


def _options_in_file(path: Path) -> list[GitOption]:
    try:
        data = read_file(path, LARGEST)
    except (OSError, ValueError):
        return []
    return options_in(data.decode("utf-8", "surrogateescape"))


def path_in(option: GitOption, folder: Path) -> Path | None:
    """The file that an option names, relative to `folder`; None where it depends on how git was built."""
    if not option.value or "%(" in option.value:
        return None
    try:
        return folder / Path(option.value.removeprefix(":(optional)")).expanduser()
    except RuntimeError:
        # The home of a user who does not exist.
        return None


def options_of_user(place: Mapping[str, str], cwd: Path) -> OptionSource:
    """The options of the user and the machine that hold in the repository that the variables `place` name. Raises
    `Unavailable` when git cannot read them.
    """
    # Where git would read the repository's configuration, conditions on it hold nowhere.
    where = place if "GIT_COMMON_DIR" in place else {"GIT_DIR": os.devnull}
    line = git_line(["config", "--list", "--show-origin", "-z"])
    done = run(line, cwd, {**git_environment(), **where}, _SECONDS)
    if done.code or done.cut:
        raise Unreadable(f"git cannot read its configuration in {cwd}", "check `git config -l`")
    parts = os.fsdecode(done.output).split("\0")
    ours = f"file:{place.get('GIT_COMMON_DIR', os.devnull)}/"
    options: list[GitOption] = []
    files: dict[Path, None] = dict.fromkeys(_usual_files())
    for origin, setting in zip(parts[::2], parts[1::2], strict=False):
        if origin.startswith("file:") and not origin.startswith(ours):
            name, _, value = setting.partition("\n")
            options.append(GitOption(name, value))
            files[cwd / origin.removeprefix("file:")] = None
    named = {option.name for option in options}
    for name, file in _BY_DEFAULT:
        path = _settings_folder() / file
        files[path] = None
        if name not in named and path.is_file():
            options.insert(0, GitOption(name, str(path)))
    return OptionSource(tuple(options), tuple(files))


def _usual_files() -> Iterator[Path]:
    """Where the user's options usually are."""
    home = os.environ.get("HOME", "")
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        if value := os.environ.get(name, ""):
            yield Path(value)
    yield from (Path(home, ".gitconfig"), _settings_folder() / "config", Path("/etc/gitconfig"))


def _settings_folder() -> Path:
    chosen = os.environ.get("XDG_CONFIG_HOME", "")
    return Path(chosen, "git") if chosen else Path(os.environ.get("HOME", ""), ".config", "git")
