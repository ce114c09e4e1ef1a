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


_GRADLE_FAMILY = {
    "settings.gradle": "include 'aop', 'core'\ninclude 'http'\n",
    "build.gradle": "dependencies { api 'org.springframework:spring-web:7.0' }\n",
    "core/src/main/java/org/frame/RunApplication.java": "",
    "http/src/main/resources/templates/error.html": "",
    **{f"core/src/main/java/org/frame/Part{n}.java": "" for n in range(9)},
}
_DJANGO_PACKAGE = (
    '[build-system]\nrequires = ["setuptools"]\n[project]\nname = "pages"\nversion = "1"\n'
    'description = "{about}"\ndependencies = ["Django>=5"]\nclassifiers = ["Framework :: Django"]\n'
)
_DJANGO_SITE = {"manage.py": "", "pages/views.py": "", "pages/templates/home.html": ""}
_MAVEN = """<project><artifactId>bus</artifactId><modules><module>core</module><module>web</module></modules>
<dependencies><dependency><groupId>org.springframework.boot</groupId>
<artifactId>spring-boot-starter-web</artifactId></dependency></dependencies>
<profiles><profile><id>release</id><build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>
<artifactId>{plugin}</artifactId></plugin></plugins></build></profile></profiles></project>"""

_MAVEN_PART = """<project><artifactId>data</artifactId><dependencies><dependency>
<groupId>org.springframework</groupId><artifactId>spring-web</artifactId></dependency></dependencies></project>"""


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        # Composer takes a package without a type for a library; an application has a start.
        ({"composer.json": '{"name": "acme/bus"}', "src/Bus.php": ""}, "library"),
        ({"composer.json": '{"name": "acme/shop"}', "src/A.php": "", "public/index.php": ""}, "web-app"),
        (
            {"composer.json": '{"name": "a/b", "type": "project"}', "src/A.php": "", "index.php": ""},
            "web-app",
        ),
        # A front end that shows the errors of a framework is no product of its own.
        (
            {
                "composer.json": '{"name": "acme/frame", "description": "A framework."}',
                "src/Frame/Bus.php": "",
                "src/Frame/resources/renderer/package.json": '{"dependencies": {"alpinejs": "^3"}}',
            },
            "library",
        ),
        # The members of a framework are published together, whatever they are called.
        (_GRADLE_FAMILY, "library"),
        ({**_GRADLE_FAMILY, "core/build.gradle": "plugins { id 'org.springframework.boot' }"}, "web-app"),
        ({"pom.xml": _MAVEN.format(plugin="maven-gpg-plugin"), "core/src/main/java/Bus.java": ""}, "library"),
        ({"pom.xml": _MAVEN.format(plugin="maven-jar-plugin"), "core/src/main/java/Bus.java": ""}, "api"),
        # One package for a web framework, with no place where a program starts; then with one.
        ({"pom.xml": _MAVEN_PART, "src/main/java/org/data/Page.java": ""}, "library"),
        ({"pom.xml": _MAVEN_PART, "src/main/java/org/data/ShopApplication.java": ""}, "api"),
        # A root that hands a plugin's version to its members applies it to none.
        ({**_GRADLE_FAMILY, "build.gradle": "plugins { id 'com.gradleup.shadow' version '9' apply false }"}, "library"),
        # The site that shows a package in its documentation is beside it.
        ({"composer.json": '{"name": "a/panels", "require": {"laravel/framework": "^11"}}', "src/A.php": "",
          "docs-assets/app/artisan": ""}, "library"),
        # What extends a web framework has a site to try it in; a site can be published as well.
        ({"pyproject.toml": _DJANGO_PACKAGE.format(about="A framework of pages"), **_DJANGO_SITE}, "library"),
        ({"pyproject.toml": _DJANGO_PACKAGE.format(about="Translate together"), **_DJANGO_SITE}, "web-app"),
        # Packages of the interface are published beside the server that they belong to.
        (
            {
                "build.gradle": "plugins { id 'org.springframework.boot' version '4.0.0' }\n"
                "dependencies { implementation 'org.springframework.boot:spring-boot-starter-web' }",
                **{f"src/main/java/shop/Part{n}.java": "" for n in range(9)},
                "src/main/java/shop/ShopApplication.java": "",
                "ui/package.json": '{"private": true, "dependencies": {"vue": "^3"}}',
                "ui/src/main.ts": "",
                **{
                    f"ui/packages/{name}/package.json": f'{{"name": "@shop/{name}", "main": "index.js"}}'
                    for name in ("client", "editor", "parts")
                },
            },
            "fullstack",
        ),
    ],
)  # fmt: skip
def test_packages_others_build_on_are_libraries_and_packages_with_a_start_are_not(
    tmp_path, files, kind
):
    assert look(tmp_path, files)[1].value == kind
