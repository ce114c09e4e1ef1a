"""What is said of a project follows what it is: other manifests, other folders, documents alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextd.domain.changes import Changes, CodeChange
from contextd.projects.checkout_shape import BEHIND
from contextd.thin.home import LOCAL
from contextd_common.errors import NotFound


def test_a_manifest_and_a_folder_that_come_are_in_the_next_overview(desk: Any) -> None:
    desk.as_owner("init")
    assert "Fastify" not in " ".join(desk("project_overview")["stack"])
    (desk.root / "services" / "mail").mkdir(parents=True)
    for name in ("send", "queue", "retry"):
        (desk.root / "services" / "mail" / f"{name}.ts").write_text(f"export const {name} = 1;\n")
    manifest = {"name": "mail", "dependencies": {"fastify": "^5.1.0"}}
    (desk.root / "services" / "package.json").write_text(json.dumps(manifest))
    desk("project_overview")
    desk.host.work_off()
    after = desk("project_overview")
    assert "Fastify 5" in after["stack"]
    assert any(one.startswith(("mail", "services")) for one in after["modules"])


def test_a_manifest_that_came_while_nothing_ran_is_in_the_next_overview(desk: Any) -> None:
    desk.as_owner("init")
    caches = desk.host.organisation(LOCAL).caches
    caches.of("shapes", 1_000).clear()
    desk("project_overview")
    assert not _rescans(desk)
    manifest = desk.root / "package.json"
    asked = json.loads(manifest.read_text()) if manifest.exists() else {}
    asked["dependencies"] = {**asked.get("dependencies", {}), "fastify": "^5.1.0"}
    manifest.write_text(json.dumps(asked))
    caches.of("shapes", 1_000).clear()
    desk("project_overview")
    desk.host.work_off()
    assert "Fastify 5" in desk("project_overview")["stack"]
    done = len(_rescans(desk))
    caches.of("shapes", 1_000).clear()
    desk("project_overview")
    assert len(_rescans(desk)) == done


def test_an_overview_alone_scans_nothing_again(desk: Any) -> None:
    desk.as_owner("init")
    (desk.root / "src" / "auth" / "one_more.ts").write_text("export const more = 1;\n")
    desk("project_overview")
    assert not _rescans(desk)


def test_until_the_project_is_scanned_again_every_answer_of_the_model_says_so(desk: Any) -> None:
    desk.as_owner("init")
    desk("project_overview")
    (desk.root / "returns").mkdir()
    for name in ("pay", "refund"):
        (desk.root / "returns" / f"{name}.ts").write_text(f"export const {name} = 1;\n")
    assert desk("project_overview")["notice"] == BEHIND
    assert BEHIND in desk("briefing_get")["briefing"]
    with pytest.raises(NotFound) as missing:
        desk("project_module", name="returns")
    assert missing.value.hint.endswith(BEHIND)
    desk.host.work_off()
    assert not desk("project_overview").get("notice")
    assert not desk("project_module", name="returns").get("notice")
    assert BEHIND not in desk("briefing_get")["briefing"]
    assert len(_rescans(desk)) == 1


def test_a_project_that_is_worked_in_follows_without_being_asked(desk: Any) -> None:
    desk.as_owner("init")
    desk("session_start")
    organisation = desk.host.organisation(LOCAL)
    organisation.look()
    assert not _rescans(desk)
    (desk.root / "package.json").write_text('{"dependencies": {"fastify": "^5.1.0"}}')
    organisation.look()
    organisation.look()
    assert len(_rescans(desk)) == 1
    desk.host.work_off()
    assert "Fastify 5" in (desk.root / ".context" / "project.yaml").read_text()


def _rescans(desk: Any) -> list[Any]:
    return [job for job in desk.as_owner("jobs")["jobs"] if job["name"] == "rescan_project"]


def test_the_map_of_a_project_of_documents_is_their_sections(desk: Any) -> None:
    for path in [p for p in desk.root.rglob("*") if p.is_file() and ".git" not in p.parts]:
        path.unlink()
    (desk.root / "README.md").write_text("# Handbook\n\nHow we work.\n")
    (desk.root / "guide").mkdir()
    long = "\n\n".join(f"## Step {n}\n\n{'Do this with care. ' * 60}" for n in range(4))
    (desk.root / "guide" / "release.md").write_text(f"# Releasing\n\n{long}\n")
    (desk.root / "values.yaml").write_text("replicas: 2\n")
    desk("codebase_index")
    shown = desk("repo_map")["map"].splitlines()
    assert shown[0] == "README.md"
    assert "guide/release.md" in shown
    assert any("Step 3" in line for line in shown)
    assert shown[-1] == "values.yaml"
    assert desk("repo_map", focus="release")["map"].startswith("guide/release.md")
    assert len(desk("repo_map", budget=50)["map"]) < 300


def test_a_file_indexed_by_an_older_version_is_indexed_again(desk: Any) -> None:
    desk("codebase_index")
    view = desk.view
    [file] = view.files.of(desk.scope).get(["src/auth/guard.ts"])
    stale = [type(file)(path=file.path, size=file.size, mtime_ns=file.mtime_ns, digest="1.old")]
    view.commit(Changes(code=[CodeChange(scope=desk.scope, put=stale)]))
    assert view.files.of(desk.scope).get([file.path])[0].chunks == ()
    desk("codebase_index")
    [again] = view.files.of(desk.scope).get([file.path])
    assert (again.digest, again.chunks) == (file.digest, file.chunks)


def test_who_may_only_read_neither_scans_again_nor_is_told_to_wait_for_it(desk: Any) -> None:
    desk.as_owner("init")
    viewer = desk.by("viewer")
    viewer("project_overview")
    (desk.root / "returns").mkdir()
    for name in ("pay", "refund"):
        (desk.root / "returns" / f"{name}.ts").write_text(f"export const {name} = 1;\n")
    assert not viewer("project_overview").get("notice")
    assert not _rescans(desk)
    assert desk("project_overview")["notice"] == BEHIND
