"""Files that somebody else may have put there are read through `guarded_files` alone."""

from __future__ import annotations

import ast
from pathlib import Path

from sources import faults, module_path, nodes, product_files

from support.verdicts import none_of

SOURCE = product_files()

OWN_HOME = "a file that contextd itself wrote into its home"
OWN_PACKAGE = "a file of the package"
THE_MACHINE = "what the system says of this process"
NAMED_BY_A_PERSON = "the person names it, and a pipe is meant to be read to its end"

ALLOWED = {
    "contextd_common/files/guarded.py": "the guarded reader",
    "__main__.py": OWN_HOME,
    "app/files.py": OWN_HOME,
    "thin/channel.py": OWN_HOME,
    "contextd_code/calls/stored_facts.py": OWN_PACKAGE,
    "contextd_code/index/languages/language.py": OWN_PACKAGE,
    "contextd_code/index/scan_worker.py": "the pipe to its parent",
    "runtime/daemon_log.py": OWN_HOME,
    "demo.py": "the copy that the demo made",
    "files/disk.py": "a file that was just made",
    "embedders/minilm.py": OWN_PACKAGE,
    "embedders/onnx.py": "a model that the person chose in the home's settings",
    "policies/starter_packs.py": OWN_PACKAGE,
    "thin/home.py": OWN_HOME,
    "imports/importers/sample.py": OWN_PACKAGE,
    "clients/module_file.py": OWN_PACKAGE,
    "clients/edit_receipts.py": OWN_HOME,
    "thin/ready.py": OWN_HOME,
    "search/query_sanity.py": OWN_PACKAGE,
    "search/ranking_weights.py": OWN_PACKAGE,
    "schema/templates.py": OWN_PACKAGE,
    "files/trained_weights.py": OWN_PACKAGE,
    "thin/spawn.py": OWN_HOME,
    "thin/set_aside.py": OWN_HOME,
    "thin/spool.py": OWN_HOME,
    "upkeep/network_check.py": THE_MACHINE,
    "codebase/scan_lock.py": OWN_HOME,
    "stores/missing_file.py": OWN_HOME,
    "stores/migrate.py": OWN_PACKAGE,
    "stores/postgres_migrate.py": OWN_PACKAGE,
    "stores/write_lock.py": OWN_HOME,
    "surfaces/cli/daemon.py": OWN_HOME,
    "surfaces/cli/home.py": NAMED_BY_A_PERSON,
    "surfaces/cli/main.py": "the null device",
    "thin/command.py": "the null device",
    "surfaces/cli/signatures.py": OWN_HOME,
    "surfaces/cli/values.py": NAMED_BY_A_PERSON,
    "surfaces/daemon.py": OWN_HOME,
    "surfaces/web/render.py": OWN_PACKAGE,
    "surfaces/port.py": OWN_HOME,
}
"""Where a file is opened by hand, and why that is no file of a stranger's."""

_METHODS = {"read_text", "read_bytes", "open", "fdopen"}
_OPENS_NOTHING = {"Host", "webbrowser", "_opener", "packed"}
"""What has a method `open` that opens no file: an opener of addresses, a member of an archive."""

_FUNCTIONS = {
    "gzip": {"open", "GzipFile"},
    "lzma": {"open", "LZMAFile"},
    "bz2": {"open", "BZ2File"},
    "tarfile": {"open", "TarFile"},
    "shutil": {"copy", "copy2", "copyfile", "copytree"},
    "linecache": {"getline", "getlines"},
    "numpy": {"load", "fromfile"},
    "mmap": {"mmap"},
}


def _opens(node: ast.AST) -> bool:
    """Whether a node is a call that opens or reads a file by its path."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Name):
        return called.id == "open"
    if not isinstance(called, ast.Attribute):
        return False
    owner = called.value.attr if isinstance(called.value, ast.Attribute) else None
    owner = called.value.id if isinstance(called.value, ast.Name) else owner
    if called.attr in _FUNCTIONS.get(owner or "", set()):
        return True
    return called.attr in _METHODS and owner not in _OPENS_NOTHING


def _opened(path: Path) -> list[int]:
    return [node.lineno for node in nodes(path) if _opens(node)]  # type: ignore[attr-defined]


def test_no_file_is_opened_past_the_guarded_reader() -> None:
    others = [path for path in SOURCE if module_path(path) not in ALLOWED]

    none_of(
        faults(others, _opened),
        "read the file in these lines by `contextd_common.files.guarded`, or add the module to ALLOWED in "
        "tests/rules/test_file_reading.py, with why it is no stranger's file",
    )


def test_each_place_of_the_table_still_opens_files() -> None:
    places = {module_path(path): path for path in SOURCE}

    none_of(
        [name for name in ALLOWED if name not in places or not _opened(places[name])],
        "take it out of ALLOWED in tests/rules/test_file_reading.py: it opens no file any more",
    )
