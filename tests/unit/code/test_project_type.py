"""A program and the front end in a folder of it."""

from __future__ import annotations

import pytest
from test_stack import look


@pytest.mark.parametrize(
    ("files", "kind", "first"),
    [
        # A service in Go with its own interface in React below it.
        (
            {
                "go.mod": "module example.org/alerts\n\ngo 1.24\n",
                "cmd/alerts/main.go": "package main\n",
                **{f"api/part{n}.go": "package api\n" for n in range(9)},
                "ui/app/package.json": '{"dependencies": {"react": "^19"}}',
                "ui/app/src/index.tsx": "",
            },
            "fullstack",
            "Go",
        ),
        # As much of the front end, which has the manifest beside that of the program.
        (
            {
                "go.mod": "module example.org/charts\n\ngo 1.24\n",
                "pkg/cmd/charts/main.go": "package main\n",
                **{f"pkg/part{n}.go": "package pkg\n" for n in range(9)},
                "package.json": '{"private": true, "dependencies": {"react": "^19"}}',
                **{f"public/app/part{n}.tsx": "" for n in range(20)},
            },
            "fullstack",
            "React 19",
        ),
        # Pages from templates, with some Vue in them.
        (
            {
                "go.mod": "module example.org/git\n\ngo 1.24\n\nrequire github.com/go-chi/chi/v5 v5.2.0\n",
                "main.go": "package main\n",
                **{f"routers/part{n}.go": "package routers\n" for n in range(9)},
                "templates/home.tmpl": "",
                "package.json": '{"private": true, "dependencies": {"vue": "^3"}}',
                "web_src/js/index.ts": "",
            },
            "fullstack",
            "chi 5",
        ),
        # Nothing but a front end, with a script in another language.
        (
            {
                "package.json": '{"private": true, "dependencies": {"react": "^19"}}',
                "src/index.tsx": "",
                "src/app.tsx": "",
                "scripts/tidy.py": "",
            },
            "web-app",
            "React 19",
        ),
    ],
)
def test_a_program_in_another_language_and_its_front_end_are_both_seen(
    tmp_path, files, kind, first
):
    stack, found, _ = look(tmp_path, files)
    assert found.value == kind
    assert stack.labels[0].lower() == first.lower()


def test_pages_that_lie_ready_in_one_module_make_no_gateway_a_site(tmp_path):
    maven = (
        "<project><artifactId>a</artifactId><dependencies><dependency>"
        "<groupId>org.springframework.boot</groupId>"
        "<artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>"
    )
    files = {
        "pom.xml": maven,
        "admin/src/main/resources/static/index.html": "",
        "src/main/java/GatewayApplication.java": "",
        **{f"src/main/java/Part{n}.java": "" for n in range(40)},
    }
    assert look(tmp_path, files)[1].value == "api"
    few = {path: text for path, text in files.items() if "Part" not in path}
    (tmp_path / "few").mkdir()
    assert look(tmp_path / "few", few)[1].value == "web-app"
