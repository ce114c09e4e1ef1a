"""`contextd bench`: measures recall on public data and speed on this machine, with baselines."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from contextd_bench import (
    awareness,
    calls,
    code,
    consolidation,
    consolidation_scale,
    docstrings,
    folding,
    impact,
    languages,
    localise,
    neighbours,
    policies,
    records,
    redaction,
    references,
    remedies,
    roundtrips,
    scale,
    speed,
    store,
    story,
    updates,
    upkeep,
    web,
)
from contextd_bench.learning import command as learning
from contextd_bench.learning import costs, past_chats
from contextd_bench.learning.command import LearningOptions
from contextd_bench.recall import RECALL
from contextd_bench.speed import Figure
from contextd_common.errors import ContextdError


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line says besides the name of a benchmark. `refuse` ends with a usage error."""

    paths: Sequence[Path]
    data: Path | None
    typescript: Path | None
    learning: LearningOptions
    large: bool
    file: str
    refuse: Callable[[str], NoReturn]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark. `run` says whether everything with a limit kept within it. It takes at most so many
    `paths` after its name, `about` them is for the help. `usual` ones run when none is named, those on
    public data where the data is.
    """

    run: Callable[[Given], bool]
    paths: int = 0
    about: str = ""
    usual: bool = False
    data: bool = False


def main(arguments: Sequence[str]) -> int:
    """Run the named benchmarks; returns the exit code, 1 when one exceeds its limits."""
    parser = argparse.ArgumentParser(
        "contextd bench",
        description="Measure recall (on public data: --data) and speed, each beside a baseline.",
        epilog="Example: contextd bench locomo cosqa --data path/to/data",
    )
    shown = ", ".join(f"{name} {row.about}".rstrip() for name, row in KINDS.items())
    parser.add_argument("names", nargs="*", metavar="NAME", help=shown)
    parser.add_argument(
        "--data",
        type=Path,
        help="The folder that holds the public data sets, or for redaction any text files.",
    )
    parser.add_argument(
        "--typescript",
        type=Path,
        help="A folder with node_modules/typescript, to judge imports and calls with; for Python calls also pyright.",
    )
    parser.add_argument(
        "--large",
        action="store_true",
        help=f"For store: beside {store.LARGE:,} records, too. For decisions and replicas: all of it.",
    )
    parser.add_argument(
        "--file",
        default="",
        help="Another file of a data set than its development split, by name or path; with one of"
        f" {', '.join(RECALL)}.",
    )
    _add_replay(parser)
    chosen = parser.parse_args(arguments)
    names, paths = _split(chosen.names)
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(KINDS)}")
    if chosen.file and (len(names) != 1 or names[0] not in RECALL):
        parser.error(f"--file needs exactly one of {', '.join(RECALL)}")
    usual = [name for name, row in KINDS.items() if row.usual and (chosen.data or not row.data)]
    replay = LearningOptions(
        chosen.labels,
        chosen.project,
        chosen.sessions,
        chosen.repos,
        chosen.shared,
        chosen.out,
        chosen.facts,
    )
    given = Given(
        paths, chosen.data, chosen.typescript, replay, chosen.large, chosen.file, parser.error
    )
    print(
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    try:
        # All of them run, whatever the first one says.
        met = [KINDS[name].run(given) for name in names or usual]
        return 0 if all(met) else 1
    except ContextdError as error:
        print(f"{error.code}: {error.message}\nhint: {error.hint}", file=sys.stderr)
        return 1


def _add_replay(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("learning")
    group.add_argument(
        "--labels",
        type=Path,
        help="A filled sheet, or a folder with one or with other judgements of what was shown.",
    )
    group.add_argument(
        "--facts",
        type=Path,
        help="A file of facts to plant before compactions, one JSON object a line.",
    )
    group.add_argument("--project", default="", help="Replay only this one.")
    group.add_argument("--sessions", type=int, help="Replay so many sessions of each project.")
    group.add_argument("--repos", type=Path, help="A folder with a clone of each project.")
    group.add_argument("--shared", action="store_true", help="Have one home for all projects.")
    group.add_argument(
        "--out",
        type=Path,
        help="Write what was shown and kept there, as JSONL, and a sheet to judge it.",
    )


def _learning(options: Given) -> bool:
    if options.data is None:
        options.refuse("learning needs --data, the folder with recorded sessions")
    return learning.run(options.data, options.learning, out=sys.stdout)


def _costs(options: Given) -> bool:
    if options.data is None:
        options.refuse("costs needs --data, the folder with recorded sessions")
    folder = learning.learning_folder(options.data)
    return costs.run(learning.projects_of(folder, options.learning), out=sys.stdout)


def _decisions(options: Given) -> bool:
    if options.data is None:
        options.refuse("decisions needs --data, a checkout of vectorize-io/sde-bench")
    return past_chats.run(options.data, every=options.large, out=sys.stdout)


def _split(words: Sequence[str]) -> tuple[Sequence[str], Sequence[Path]]:
    """The benchmarks, and the paths after the name of one that takes them."""
    row = KINDS.get(words[0]) if words else None
    if row is not None and 1 < len(words) <= row.paths + 1:
        return words[:1], [Path(word) for word in words[1:]]
    return words, []


def _recall(name: str, options: Given) -> bool:
    if options.data is None:
        options.refuse(f"{name} needs --data, the folder with the data set")
    RECALL[name](options.data, out=sys.stdout, file=options.file)
    return True


def _localise(options: Given) -> bool:
    for path in options.paths or [Path()]:
        localise.run(path, out=sys.stdout)
    return True


def _impact(options: Given) -> bool:
    for path in options.paths or [Path()]:
        impact.run(path, out=sys.stdout)
    return True


def _records(options: Given) -> bool:
    records.run(options.paths or [Path()], out=sys.stdout)
    return True


def _updates(options: Given) -> bool:
    if not options.paths:
        options.refuse("updates needs the paths of git repositories with history")
    updates.run(options.paths, out=sys.stdout)
    return True


def _docstrings(options: Given) -> bool:
    if not options.paths:
        options.refuse("docstrings needs folders of Python files")
    for path in options.paths:
        docstrings.run(path, out=sys.stdout)
    return True


def _code(options: Given) -> bool:
    where = options.paths[0] if options.paths else None
    if where is not None and not where.is_dir():
        options.refuse(f"{where} is no folder")
    code.run(where, typescript=options.typescript, out=sys.stdout)
    return True


def _calls(options: Given) -> bool:
    if not options.paths:
        options.refuse("calls needs the paths of repositories")
    calls.run(options.paths, packages=options.typescript, out=sys.stdout)
    return True


def _references(options: Given) -> bool:
    if not options.paths:
        options.refuse("references needs the paths of repositories")
    references.run(options.paths, packages=options.typescript, out=sys.stdout)
    return True


def _web(_: Given) -> bool:
    return web.main([]) == 0


def _languages(_: Given) -> bool:
    return languages.run(sys.stdout)


def _redaction(options: Given) -> bool:
    redaction.run(options.data, out=sys.stdout)
    return True


def _remedies(options: Given) -> bool:
    if options.data is None:
        options.refuse("remedies needs --data with recorded sessions")
    chosen = options.learning
    return remedies.run(options.data, project=chosen.project, kept_in=chosen.out, out=sys.stdout)


def _consolidation(options: Given) -> bool:
    consolidation.run(options.data, out=sys.stdout)
    return True


def _consolidation_scale(_: Given) -> bool:
    return consolidation_scale.run(out=sys.stdout)


def _roundtrips(_: Given) -> bool:
    return not any(one.exceeded for one in roundtrips.run(out=sys.stdout))


def _folding(options: Given) -> bool:
    if options.data is None and not options.paths:
        options.refuse("folding needs --data, the folder with recorded sessions, or repositories")
    return folding.run(options.data, options.paths, out=sys.stdout)


def _neighbours(options: Given) -> bool:
    if len(options.paths) < 2:
        options.refuse("neighbours needs the paths of two repositories or more")
    return neighbours.run(options.paths, out=sys.stdout)


def _scale(options: Given) -> bool:
    if not options.paths:
        options.refuse("scale needs the paths of repositories")
    return scale.run(options.paths, out=sys.stdout)


def _story(options: Given) -> bool:
    if len(options.paths) != 2:
        options.refuse("story needs the paths of two git repositories")
    return story.run(options.paths, out=sys.stdout)


def _policies(options: Given) -> bool:
    policies.run(options.paths or [Path()], out=sys.stdout)
    return True


def _store(options: Given) -> bool:
    sizes = (*store.SIZES, store.LARGE) if options.large else store.SIZES
    return _speed("store", partial(store.bench_store, sizes), options)


def _replicas(options: Given) -> bool:
    from contextd_bench import replica_rows, replicas  # noqa: PLC0415 - need the driver of PostgreSQL

    return replicas.run(replica_rows.LARGE if options.large else replica_rows.SHORT, out=sys.stdout)


def _speed(name: str, measure: Callable[[], Iterable[Figure | store.Amount]], _: Given) -> bool:
    print(f"\n## {name}\n| what | n | p50 ms | p95 ms | CPU ms |\n|---|---|---|---|---|")
    for figure in measure():
        print(figure.row(), flush=True)
    return True


_MANY = 1_000

KINDS: dict[str, Benchmark] = {
    **{name: Benchmark(partial(_recall, name), usual=True, data=True) for name in RECALL},
    "localise": Benchmark(_localise, _MANY, "[PATH …] (repositories; this one)"),
    "records": Benchmark(_records, _MANY, "[PATH …] (repositories with history; this one)"),
    "updates": Benchmark(_updates, _MANY, "PATH … (repositories with history and change logs)"),
    "docstrings": Benchmark(_docstrings, _MANY, "PATH … (folders of Python files)"),
    "code": Benchmark(_code, 1, "[PATH] (a repository; our own and a generated one)"),
    "calls": Benchmark(_calls, _MANY, "PATH … (repositories; needs --typescript)"),
    "references": Benchmark(_references, _MANY, "PATH … (repositories; needs --typescript)"),
    "impact": Benchmark(_impact, _MANY, "[PATH …] (repositories with history; this one)"),
    "web": Benchmark(_web),
    "neighbours": Benchmark(_neighbours, _MANY, "PATH PATH … (repositories)"),
    "scale": Benchmark(_scale, _MANY, "PATH … (large repositories, each in a clone)"),
    "story": Benchmark(_story, 2, "PATH PATH (repositories)"),
    "replicas": Benchmark(_replicas, about="(a local PostgreSQL: store.url, or the wheel's)"),
    "policies": Benchmark(_policies, _MANY, "[PATH …] (repositories; this one)"),
    "languages": Benchmark(_languages),
    "redaction": Benchmark(_redaction),
    "folding": Benchmark(
        _folding, _MANY, "[PATH …] (repositories; with --data, recorded sessions)"
    ),
    "learning": Benchmark(_learning, about="(recorded sessions; needs --data)"),
    "costs": Benchmark(_costs, about="(CPU and space of recorded sessions; needs --data)"),
    "decisions": Benchmark(_decisions, about="(decisions of past chats; needs --data)"),
    "remedies": Benchmark(_remedies, about="(recorded sessions; needs --data)"),
    "consolidation": Benchmark(_consolidation, about="(what is merged; SICK with --data)"),
    "consolidation-scale": Benchmark(_consolidation_scale, about="(100,000 memories)"),
    "roundtrips": Benchmark(_roundtrips),
    "store": Benchmark(
        _store, about="(beside 600 to 100,000 records; --large: 500,000)", usual=True
    ),
    **{
        name: Benchmark(partial(_speed, name, measure), usual=True)
        for name, measure in {
            **speed.SPEED,
            "awareness": awareness.run,
            "upkeep": upkeep.run,
        }.items()
    },
}
"""Every benchmark by name."""
