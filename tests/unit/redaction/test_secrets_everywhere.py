"""No way into a home leaves a secret in it, whatever column, file or backup it goes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.repositories import git

KEY = "AK" + "IAQWERTZXCVBNMPLKJ"
TOKEN = "gh" + "p_" + "k3JdQm29fLxVzR7tYb0NcWs8HpGu4EaXoi5T"
SECRETS = (KEY, TOKEN)


def holding(folder: Path, secret: str) -> list[str]:
    """The files below a folder that a secret stands in, in whatever case."""
    wanted = secret.casefold().encode()
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and wanted in path.read_bytes().lower()
    ]


def through_tags(desk, secret):
    id = desk("save_context", content="Deploys start on the build host", tags=[secret])["id"]
    desk("update_context", id=id, tags=["old", secret])
    desk("memory_record", title="Host", description="d", content="The host builds images nightly.",
         outcome="success", tags=[secret])  # fmt: skip
    desk("session_checkpoint", summary="Stopped at the second step.", tags=[secret])


def through_names_asked_for(desk, secret):
    desk("query_by_type", type=secret)
    desk("find_symbol", name=secret)
    desk("grep_codebase", pattern=secret)


def through_a_clients_id_of_its_session(desk, secret):
    payload = {"session_id": secret, "cwd": str(desk.root)}
    answers = [
        desk.on("hook")("hook_event", event="UserPromptSubmit", payload={**payload, "prompt": said})
        for said in ("Where are tokens renewed?", "And where are they made?")
    ]
    assert answers[0]["session_id"] == answers[1]["session_id"]


def through_a_schema_that_is_replaced(desk, secret):
    path = desk.root / ".context" / "schema.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"# deploy with {secret}\nversion: 1\n")
    desk.as_owner("schema_put", text="version: 1\n", scope="project")


def through_a_branch_and_a_commit(desk, secret):
    desk.as_owner("init")
    for _ in range(2):
        git(desk.root, "checkout", "-q", "-B", f"deploy/{secret}")
        git(desk.root, "commit", "-q", "--allow-empty", "-m", f"Deploy with {secret}")
        session = desk("session_start", task_description="Deploy the shop")["session_id"]
        desk("session_log", session_id=session, role="user", text="Deploy to the new host.")
        desk("session_end", session_id=session, outcome="success")
        desk.host.work_off()
    now = (desk.root / ".context" / "CONTEXT.md").read_text()
    assert secret not in now
    assert "Branch:" not in now


WAYS = (
    through_a_branch_and_a_commit,
    through_tags,
    through_names_asked_for,
    through_a_clients_id_of_its_session,
    through_a_schema_that_is_replaced,
)


@pytest.mark.parametrize("secret", SECRETS, ids=["key", "token"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_secret_never_stays_in_the_home(desk, home, way, secret):
    way(desk, secret)
    desk.host.flush()
    desk.host.work_off()
    assert holding(home.path, secret) == []


def test_a_backup_of_the_project_model_has_no_secret_that_its_file_has(desk):
    desk.as_owner("init")
    model = desk.root / ".context" / "project.yaml"
    model.write_text(model.read_text() + f"# deploy with {TOKEN}\n")
    (desk.root / "src" / "ships").mkdir()
    for name in ("model", "service", "routes"):
        (desk.root / "src" / "ships" / f"{name}.ts").write_text(f"export const ship_{name} = 1;\n")
    desk.as_owner("scan")
    assert TOKEN in model.read_text()
    backups = list((desk.root / ".context" / ".backups").glob("*.yaml"))
    assert backups
    assert [path for path in backups if TOKEN in path.read_text()] == []
