"""Projects whose substance is no program."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.projects.checkout_shape import shape_of
from contextd_code.project.architecture import architecture
from contextd_code.project.content_type import substance
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import Stack, detect


@pytest.mark.parametrize(
    ("paths", "kind", "layout"),
    [
        (["main.tf", "variables.tf", "modules/net/main.tf", "modules/db/main.tf", "README.md"],
         ("library", "main.tf and variables.tf in the root are a module for others to call."),
         "4 Terraform files by folder: the root, modules."),
        (["dbt_project.yml", "models/marts/a.sql", "models/staging/b.sql", "models/staging/c.sql"],
         ("data", "dbt_project.yml describes models of data: 3 SQL files."),
         "models/ has 3 SQL files by folder: staging, marts."),
        (["a.ipynb", "b.ipynb", "c.ipynb", "util.py"],
         ("notebooks", "It holds notebooks: 3 notebooks."),
         "The root holds 3 notebooks side by side."),
        (["tool.sh", "install.sh", "lib/a.sh", "lib/b.sh"],
         ("cli", "tool.sh is run by a shell."), "4 shell scripts by folder: the root, lib."),
        (["google/type/a.proto", "google/rpc/b.proto"],
         ("library", "It describes an interface for others to build on: 2 Protocol Buffers files."),
         "google/ has 2 Protocol Buffers files by folder: type, rpc."),
        (["README.md", "meta/main.yml", "tasks/main.yml", "tasks/apt.yml", "handlers/main.yml"],
         ("library", "meta/main.yml describes what others set machines up with: Ansible files."),
         "Ansible files by folder: tasks, meta, handlers."),
        (["ansible.cfg", "site.yml", "roles/db/tasks/main.yml", "roles/web/tasks/main.yml", "filter.py"],
         ("infrastructure", "It sets up machines: Ansible files."),
         "roles/ has Ansible files by folder: db, web."),
        (["web/Chart.yaml", "web/values.yaml", "web/templates/web.yaml", "db/Chart.yaml"],
         ("infrastructure", "It packages programs for Kubernetes: Helm files."),
         "Helm files by folder: web, db."),
        (["README.md", "api/openapi.yaml", "api/openapi.json"],
         ("library", "It describes an interface for others to build on: 2 OpenAPI files."),
         "api/ holds 2 OpenAPI files side by side."),
        (["base/kustomization.yaml", "base/web.yaml", "README.md"],
         ("infrastructure", "It describes what runs in a cluster: Kubernetes manifests."),
         "base/ holds Kubernetes manifests side by side."),
        (["schemas/a.mjs", *(f"text/{n}.md" for n in range(4))],
         ("documentation", "It holds documents, 4 of them, and a little code beside them."),
         "The code lies in schemas/."),
        (["schemas/a.mjs", *(f"text/{n}.md" for n in range(12))],
         ("documentation", "It holds documents: 12 documents."),
         "text/ holds 12 documents side by side."),
        (["gitconfig", "vimrc.toml"],
         ("configuration", "It holds no code."),
         "What is here lies in the root."),
        (["guide/a.md", "guide/b.md"],
         ("documentation", "It holds documents: 2 documents."),
         "guide/ holds 2 documents side by side."),
    ],
)  # fmt: skip
def test_type_and_architecture_are_found_for_projects_without_code(
    paths: list[str], kind: tuple[str, str], layout: str
) -> None:
    stack = Stack()
    found = project_type(paths, stack)
    assert (found.value, found.reason) == kind
    assert architecture(paths, stack).reason == layout


def test_tasks_of_something_else_are_no_playbooks_and_a_program_with_a_chart_stays_one() -> None:
    assert substance(["tasks/one.yml", "tasks/two.yml"], []) is None
    code = [f"src/{n}.go" for n in range(12)]
    chart = ["chart/Chart.yaml", *(f"chart/templates/{n}.yaml" for n in range(9))]
    assert substance([*code, *chart], code) is None


def test_a_program_with_scripts_and_migrations_beside_it_stays_a_program() -> None:
    paths = ["src/a.py", "src/b.py", *(f"migrations/{n}.sql" for n in range(5)), "README.md"]
    assert substance(paths, paths[:2]) is None


def test_a_server_in_c_is_a_program_and_runs_on_no_python_of_its_tests(tmp_path: Path) -> None:
    files = {f"src/{n}.c": "int x;\n" * 50 for n in range(4)} | {"Makefile": "all:\n"}
    files |= {"tools/requirements.txt": "pytest\n", "deploy/requirements.txt": "tox\n"}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    stack = detect(tmp_path, list(files), sizes={p: len(t) for p, t in files.items()})
    assert (stack.runtime, stack.package_manager) == ("C", "")
    assert stack.main_language == "C"
    found = project_type(list(files), stack, programs=["src/1.c", "src/0.c"])
    assert (found.value, found.reason) == (
        "unknown", "src/0.c and 1 more are programs: main is defined there.",
    )  # fmt: skip


def test_the_shape_changes_with_what_a_project_is_built_by_and_not_with_its_files(
    tmp_path: Path,
) -> None:
    (tmp_path / "src").mkdir()
    before = shape_of(tmp_path)
    (tmp_path / "src" / "a.c").write_text("int x;\n")
    assert shape_of(tmp_path) == before
    (tmp_path / "Makefile").write_text("all:\n")
    with_makefile = shape_of(tmp_path)
    assert with_makefile != before
    (tmp_path / "docs").mkdir()
    assert shape_of(tmp_path) != with_makefile
