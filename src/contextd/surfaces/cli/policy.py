"""The commands `policies …`: checks for CI and git's hooks, and the policy files."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import click

from contextd.domain.invisible_characters import visible_json
from contextd.domain.quoting import inline
from contextd.policies.sarif import as_sarif
from contextd.surfaces.cli.guidance import Guiding
from contextd.surfaces.cli.output import Console, as_json_option, ask
from contextd.surfaces.cli.terminal import own_process
from contextd.thin.home import home_directory
from contextd_common.errors import Invalid

_HEAD = "HEAD"


class _Policies(Guiding):
    synonyms: ClassVar = {
        "add": "init",
        "new": "init",
        "ls": "list",
        "save": "write",
        "test": "check",
    }


@click.group("policies", cls=_Policies, epilog="Example: contextd policies check --diff HEAD")
def policies() -> None:
    """Check changes against the policies, and keep the policies as files."""


@policies.command("check", epilog="Example: contextd policies check --staged")
@click.option(
    "--diff",
    "revision",
    is_flag=False,
    flag_value=_HEAD,
    metavar="[REV]",
    help="What differs from a commit, the last one when none is named.",
)
@click.option("--staged", is_flag=True, help="What is about to be committed.")
@click.option("--sarif", is_flag=True, help="Print SARIF 2.1.0.")
@click.option(
    "--fail-on",
    type=click.Choice(["warn", "deny"]),
    default="warn",
    show_default=True,
    help="Which violations make the exit code 1.",
)
@as_json_option
def policy_check(
    revision: str | None, staged: bool, sarif: bool, fail_on: str, as_json: bool
) -> int:
    """Check a diff, or stdin: a diff, a command or a description. Exit code 1 if it violates a
    policy.
    """
    if revision is not None and staged:
        raise click.UsageError("give one of --diff and --staged")
    # The command runs git or reads stdin.
    own_process()
    console = Console(as_json, wrap=False)
    action = _difference(revision, staged) if revision or staged else _given()
    if not action.strip():
        value: Mapping[str, Any] = {"compliant": True, "violations": [], "problems": []}
        text = "✓ there is nothing to check"
    else:
        reply = ask("policy_check", {"action": action})
        value, text = reply.value, reply.text
    if sarif:
        click.echo(
            visible_json(json.dumps(as_sarif(value["violations"]), indent=2, ensure_ascii=False))
        )
    elif as_json:
        console.show_value(value)
    else:
        console.show(_Told(text))
    for problem in value["problems"] if sarif else ():
        click.echo(f"! {inline(problem)}", err=True)
    return int(any(fail_on == "warn" or one["enforce"] == "deny" for one in value["violations"]))


class _Told:
    def __init__(self, text: str) -> None:
        self.text = text


def _difference(revision: str | None, staged: bool) -> str:
    """The diff of git, without options that only affect its display."""
    # This import takes 30 ms, which help and completion do not need.
    from contextd_code.git.git_queries import Running  # noqa: PLC0415
    from contextd_code.git.substitute import keep_stand_ins_in  # noqa: PLC0415

    keep_stand_ins_in(home_directory() / "git")

    wanted = ["--cached"] if staged else [revision or _HEAD]
    arguments = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/"]
    arguments += ["--dst-prefix=b/", *wanted, "--"]
    top = Running(Path.cwd(), ["rev-parse", "--show-toplevel"]).collect()[1].strip()
    if not top:
        raise Invalid(
            "this folder is in no git repository", "call it inside one, or give a diff on stdin"
        )
    code, out, stderr = Running(Path(top), arguments).collect(timeout=60)
    if code:
        why = stderr.strip().splitlines()
        raise Invalid(
            f"git could not say what differs: {why[0] if why else 'no repository'}",
            "name a commit that is there, such as HEAD or origin/main",
        )
    return out


def _given() -> str:
    if sys.stdin.isatty():
        raise Invalid("there is nothing to check", "use --diff, --staged, or give a diff on stdin")
    return sys.stdin.buffer.read().decode("utf-8", "replace")
