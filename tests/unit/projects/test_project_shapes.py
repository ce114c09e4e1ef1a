"""Small repositories of many shapes, each with the facts a reader would write into project.yaml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from contextd_common.errors import NotFound
from support.desks import Desk
from support.repositories import git, written

POM = '<project xmlns="http://maven.apache.org/POM/4.0.0">{}</project>'
BOM = """<artifactId>shop</artifactId><description>An online shop of services</description>
<properties><boot>3.4.9</boot><java.version>17</java.version></properties>
<modules><module>shop-api</module><module>shop-core</module></modules>
<dependencyManagement><dependencies><dependency><groupId>org.springframework.boot</groupId>
<artifactId>spring-boot-dependencies</artifactId><version>${boot}</version><scope>import</scope>
</dependency></dependencies></dependencyManagement>"""
WEB = """<artifactId>{}</artifactId><dependencies><dependency>
<groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId>
</dependency></dependencies>"""

NEXT_APP = {
    "package.json": json.dumps(
        {
            "name": "plans", "private": True, "packageManager": "pnpm@9.1.0",
            "description": "Plans trips with friends.", "engines": {"node": ">=20"},
            "dependencies": {"next": "^15.1.0", "react": "19.0.0", "@prisma/client": "6"},
            "devDependencies": {"vitest": "3", "typescript": "5.6"},
        }
    ),
    "prisma/schema.prisma": 'datasource db {\n  provider = "postgresql"\n}\n',
    "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
    "src/app/layout.tsx": "export default function Layout() {}\n",
    "src/app/(main)/trips/page.tsx": "import { trip } from '@/lib/trips';\nexport default trip;\n",
    "src/app/(main)/trips/[id]/page.tsx": "export default function Trip() {}\n",
    "src/app/(main)/friends/page.tsx": "export default function Friends() {}\n",
    "src/app/(main)/friends/list.tsx": "export function List() {}\n",
    "src/app/api/trips/route.ts": "import { trip } from '@/lib/trips';\nexport const GET = trip;\n",
    "src/lib/trips.ts": "export function trip() {}\n",
    "src/lib/money.ts": "export function money() {}\n",
    "src/components/button.tsx": "export function Button() {}\n",
    "src/components/card.tsx": "export function Card() {}\n",
    ".github/workflows/ci.yml": "on: push\n",
}  # fmt: skip
PAGES_ROUTER = {
    "package.json": '{"private": true, "dependencies": {"next": "12", "react": "18"}}',
    "pages/index.js": "export default function Home() {}\n",
    "pages/about.js": "export default function About() {}\n",
    "pages/api/hello.js": "export default function hello() {}\n",
}
DJANGO_SITE = {
    "README.md": "# Club\n\n[![ci](x)](y)\n\nThe site of a sports club. Members sign up here.\n",
    "manage.py": "import os\n",
    "requirements/base.txt": "Django==5.1.2\npsycopg[binary]>=3\n",
    "requirements/dev.txt": "-r base.txt\npytest-django==4.8\n",
    "club/settings/base.py": "DATABASES = {'default': {'ENGINE': 'django.db.backends.postgresql'}}\n",
    "club/urls.py": "from news.views import index\n",
    "news/__init__.py": '"""What is new in the club."""\n',
    "news/models.py": "class Entry: ...\n",
    "news/views.py": "from news.models import Entry\ndef index(): ...\n",
    "members/models.py": "class Member: ...\n",
    "members/views.py": "from members.models import Member\nfrom news.models import Entry\n",
    "templates/base.html": "<html></html>",
    ".gitlab-ci.yml": "test:\n  script: [pytest]\n",
}
GO_SERVICE = {
    "go.mod": "module example.org/pay\n\ngo 1.22\n\nrequire github.com/gin-gonic/gin v1.9.1\n",
    "cmd/pay/main.go": 'package main\n\nimport "example.org/pay/internal/ledger"\n\nfunc main() { ledger.Open() }\n',
    "internal/ledger/ledger.go": "// Package ledger keeps the books of every account.\npackage ledger\n\nfunc Open() {}\n",
    "internal/ledger/ledger_test.go": "package ledger\n",
    "internal/bank/bank.go": "package bank\n\nfunc Pay() {}\n",
    "docker-compose.yml": "services:\n  db:\n    image: postgres:16-alpine\n  mq:\n    image: nats:2\n",
    ".circleci/config.yml": "version: 2\n",
}
CARGO_WORKSPACE = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n[workspace.dependencies]\naxum = "0.7"\n',
    "crates/serve/Cargo.toml": '[package]\nname = "serve"\n[dependencies]\naxum.workspace = true\nstore = { path = "../store" }\n',
    "crates/serve/src/main.rs": "use store::open;\nfn main() { open(); }\n",
    "crates/store/Cargo.toml": '[package]\nname = "store"\ndescription = "Keeps everything on disk"\n',
    "crates/store/src/lib.rs": "pub fn open() {}\n",
}
MAVEN_MODULES = {
    "pom.xml": POM.format(BOM),
    "shop-api/pom.xml": POM.format(WEB.format("shop-api")),
    "shop-api/src/main/java/org/shop/api/ShopApplication.java": "package org.shop.api;\nimport org.shop.core.Cart;\nclass ShopApplication {}\n",
    "shop-core/pom.xml": POM.format("<artifactId>shop-core</artifactId>"),
    "shop-core/src/main/java/org/shop/core/Cart.java": "package org.shop.core;\npublic class Cart {}\n",
    "shop-core/src/test/java/org/shop/core/CartTest.java": "package org.shop.core;\nimport org.junit.jupiter.api.Test;\nclass CartTest {}\n",
    "Jenkinsfile": "",
}
PLAIN_LIBRARY = {
    "pyproject.toml": '[project]\nname = "wire"\ndescription = "An HTTP client for people"\n'
    'requires-python = ">=3.10"\n[project.scripts]\nwire = "wire:main"\n'
    '[project.optional-dependencies]\ncli = ["click==8"]\n[build-system]\nrequires = ["hatchling"]\n'
    '[dependency-groups]\ntest = ["pytest>=8"]\n',
    "wire/__init__.py": "from ._client import Client\nfrom ._urls import URL\n",
    "wire/_client.py": "from ._urls import URL\nclass Client: ...\n",
    "wire/_urls.py": "class URL: ...\n",
    "wire/_transports/__init__.py": "",
    "wire/_transports/base.py": "class Base: ...\n",
    "wire/_transports/mock.py": "from .base import Base\nclass Mock(Base): ...\n",
    "tests/test_client.py": "import pytest\n",
}
COMMAND = {
    "pyproject.toml": '[project]\nname = "tidy"\ndescription = "A command line tool that tidies up"\n'
    'dependencies = ["click>=8"]\n[project.scripts]\ntidy = "tidy:main"\n[build-system]\nrequires = []\n',
    "tidy/__init__.py": "",
    "tidy/app.py": "def main(): ...\n",
}
DJANGO_PACKAGE = {
    "pyproject.toml": '[project]\nname = "cms"\ndescription = "Pages for Django"\n'
    'dependencies = ["Django>=5.2,<7"]\n[build-system]\nrequires = []\n',
    "cms/models.py": "class Page: ...\n",
    "cms/templates/cms/page.html": "<html></html>",
    "cms/project_template/manage.py": "",
}
TWO_SIDES = {
    "backend/pyproject.toml": '[project]\nname = "app"\ndependencies = ["fastapi[standard]>=0.115"]\n',
    "backend/app/main.py": "from app.models import User\n",
    "backend/app/models.py": "class User: ...\n",
    "frontend/package.json": '{"name": "web", "private": true, "dependencies": {"vue": "^3.4"}}',
    "frontend/src/App.vue": "<script setup>\nimport { x } from './api'\n</script>\n",
    "frontend/src/api.ts": "export const x = 1\n",
    "compose.yaml": "services:\n  db:\n    image: postgres:17\n",
}
PUBLISHED = {
    "package.json": '{"private": true, "devDependencies": {"vitest": "3"}}',
    "pnpm-workspace.yaml": "packages: ['packages/*', 'integrations/*']\n",
    **{
        f"packages/{name}/package.json": json.dumps(
            {"name": f"@query/{name}", "main": "dist/index.js", "description": f"Queries for {name}",
             "peerDependencies": {name: "^4"}}
        )
        for name in ("react", "vue", "svelte")
    },
    **{f"packages/{n}/src/index.ts": "export const a = 1\n" for n in ("react", "vue", "svelte")},
    "integrations/next/package.json": '{"name": "n", "private": true, "dependencies": {"next": "15"}}',
    "integrations/next/app/page.tsx": "export default function Page() {}\n",
}  # fmt: skip
SOLUTION = {
    "Shop.sln": "",
    "src/Shop.Text/Shop.Text.csproj": '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>'
    "<TargetFramework>net8.0</TargetFramework><PackageId>Shop.Text</PackageId>"
    "<Description>Reads and writes shop texts</Description></PropertyGroup></Project>",
    "src/Shop.Text/Reader.cs": "namespace Shop.Text { public class Reader {} }\n",
    "src/Shop.Text.Tests/Shop.Text.Tests.csproj": '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>'
    '<PackageReference Include="xunit" Version="2.9.0" /></ItemGroup></Project>',
    "src/Shop.Text.Tests/ReaderTests.cs": "class ReaderTests {}\n",
    "azure-pipelines.yml": "trigger: none\n",
}
GRADLE_CATALOG = {
    "settings.gradle.kts": 'rootProject.name = "bus"\ninclude(":app", ":core")\n',
    "gradle/libs.versions.toml": '[versions]\nktor = "2.3.7"\n[libraries]\n'
    'server = { module = "io.ktor:ktor-server-netty", version.ref = "ktor" }\n',
    "app/build.gradle.kts": "dependencies { implementation(libs.server) }\nkotlin { jvmToolchain(21) }\n",
    "app/src/main/kotlin/App.kt": "fun main() {}\n",
    "core/build.gradle.kts": "plugins { }\n",
    "core/src/main/kotlin/Core.kt": "class Core\n",
}


def made(desk: Desk, root: Path, files: dict[str, str]) -> dict[str, Any]:
    """project.yaml of a folder with these files, as `init` writes it."""
    desk.at(written(root, files)).as_owner("init")
    model: dict[str, Any] = yaml.safe_load((root / ".context" / "project.yaml").read_text())
    return model


@pytest.mark.parametrize(
    ("files", "kind", "pattern", "stack", "modules"),
    [
        (NEXT_APP, "fullstack", "modular", {"Next.js 15", "React 19", "Prisma 6"},
         {"trips", "friends", "lib", "components"}),
        (PAGES_ROUTER, "web-app", "unknown", {"Next.js 12", "React 18"}, set()),
        (DJANGO_SITE, "web-app", "feature-based", {"Django 5", "PostgreSQL"},
         {"club", "news", "members"}),
        (GO_SERVICE, "api", "modular", {"Gin 1", "Go", "PostgreSQL 16", "NATS 2"},
         {"pay", "ledger", "bank"}),
        (CARGO_WORKSPACE, "api", "monorepo", {"Axum 0.7", "Rust"}, {"serve", "store"}),
        (MAVEN_MODULES, "api", "monorepo", {"Spring Boot 3", "Java"}, {"shop-api", "shop-core"}),
        (PLAIN_LIBRARY, "library", "unknown", {"Python"}, {"wire", "transports"}),
        (COMMAND, "cli", "unknown", {"Python", "Click 8+"}, set()),
        (DJANGO_PACKAGE, "library", "unknown", {"Django 5–6"}, set()),
        (TWO_SIDES, "fullstack", "monorepo", {"FastAPI 0.115+", "Vue 3", "PostgreSQL 17"},
         {"backend", "frontend"}),
        (PUBLISHED, "library", "monorepo", {"React 4", "Vue 4", "Svelte 4"},
         {"react", "vue", "svelte"}),
        (SOLUTION, "library", "unknown", {"C#"}, {"Shop.Text"}),
        (GRADLE_CATALOG, "api", "monorepo", {"Ktor 2", "Kotlin"}, {"app", "core"}),
    ],
)  # fmt: skip
def test_a_repository_is_described_as_its_reader_would(
    words_only: Desk,
    tmp_path: Path,
    files: dict[str, str],
    kind: str,
    pattern: str,
    stack: set[str],
    modules: set[str],
) -> None:
    found = made(words_only, tmp_path / "it", files)
    stated = found["architecture"].get("pattern", "unknown")
    assert (found["project"]["type"], stated) == (kind, pattern)
    assert stack <= set(found["tech"]["stack"])
    assert modules <= set(found["modules"])
    assert not any("Test" in name for name in found["modules"])


def test_descriptions_test_tools_and_versions_that_a_project_declares_are_taken_over(
    words_only: Desk, tmp_path: Path
) -> None:
    site = made(words_only, tmp_path / "site", DJANGO_SITE)
    assert site["project"]["description"] == "The site of a sports club"
    assert site["modules"]["news"]["description"] == "What is new in the club"
    assert "pytest" in site["tech"]["testing"][0]
    assert site["tech"]["ci"] == ["GitLab CI"]
    service = made(words_only, tmp_path / "service", GO_SERVICE)
    assert service["modules"]["ledger"]["description"] == "Keeps the books of every account"
    assert service["modules"]["pay"]["dependencies"] == ["ledger"]
    assert service["tech"]["testing"] == ["go test"]
    shop = made(words_only, tmp_path / "shop2", MAVEN_MODULES)
    assert shop["project"]["description"] == "An online shop of services"
    assert shop["tech"]["testing"] == ["JUnit"]
    assert shop["tech"]["runtime"] == "Java 17"
    assert shop["modules"]["shop-api"]["dependencies"] == ["shop-core"]
    text = made(words_only, tmp_path / "text", SOLUTION)
    assert text["tech"]["testing"] == ["xUnit 2"]


def test_a_subject_in_pages_and_routes_is_one_module(words_only: Desk, tmp_path: Path) -> None:
    found = made(words_only, tmp_path / "next", NEXT_APP)
    trips = found["modules"]["trips"]
    assert trips["paths"] == ["src/app/(main)/trips", "src/app/api/trips"]
    assert trips["dependencies"] == ["lib"]
    assert found["tech"]["databases"] == ["PostgreSQL"]
    assert found["tech"]["testing"] == ["Vitest 3"]
    assert found["tech"]["packageManager"] == "pnpm"


@pytest.mark.long
def test_each_of_ninety_packages_is_a_module(words_only: Desk, tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "all", "private": true}',
        "pnpm-workspace.yaml": "packages:\n  - packages/*\n  - plugins/**\n",
    }
    for n in range(90):
        home = f"packages/p{n}" if n % 3 else f"plugins/payment/p{n}"
        needs = {f"@all/p{n - 1}": "workspace:*"} if n else {}
        files[f"{home}/package.json"] = json.dumps(
            {"name": f"@all/p{n}", "main": "src/index.ts", "dependencies": needs}
        )
        files[f"{home}/src/index.ts"] = (
            f"import {{ v{n - 1} }} from '@all/p{n - 1}';\n" if n else ""
        ) + f"export const v{n} = {n};\n"
    found = made(words_only, tmp_path / "all", files)
    assert {f"p{n}" for n in range(90)} <= set(found["modules"])
    assert found["modules"]["p7"]["dependencies"] == ["p6"]
    assert found["architecture"]["pattern"] == "monorepo"


@pytest.mark.parametrize(
    ("files", "kind", "said"),
    [
        ({}, "unknown", "There are no files yet."),
        ({"README.md": "# Notes\n"}, "documentation", "It holds documents."),
        ({"a.ipynb": "{}"}, "notebooks", "It holds notebooks."),
        ({"Dockerfile": "FROM nginx:1\n"}, "configuration", "It holds no code."),
    ],
)
def test_a_folder_without_a_program_is_told_apart(
    words_only: Desk, tmp_path: Path, files: dict[str, str], kind: str, said: str
) -> None:
    root = written(tmp_path / "folder", files)
    found = words_only.at(root).as_owner("init")
    assert (found["type"], found["modules"]) == (kind, [])
    assert found["reason"].startswith(said)


def test_broken_manifests_are_no_reason_to_fail(words_only: Desk, tmp_path: Path) -> None:
    broken = {
        "package.json": '{"name": 5, "dependencies": [1], "workspaces": {"packages": 3}}',
        "pyproject.toml": 'project = "x"\n', "setup.cfg": "[", "setup.py": "setup(" + "(" * 5000,
        "pom.xml": '<!DOCTYPE a [<!ENTITY b "b">]><project>&b;</project>',
        "docker-compose.yml": "services: [1]\n", "Cargo.toml": "a=" + "[" * 5000,
        "go.mod": "\x00", "settings.py": "a" * 50_000, "build.gradle": "\n" * 50_000, "x.py": "",
    }  # fmt: skip
    found = made(words_only, tmp_path / "broken", broken)
    assert "Python: 3 files" in found["tech"]["languages"]


def test_an_emptied_file_is_filled_and_a_broken_one_is_named(
    words_only: Desk, tmp_path: Path
) -> None:
    root = tmp_path / "it"
    made(words_only, root, COMMAND)
    path = root / ".context" / "project.yaml"
    path.write_text("")
    here = words_only.at(root)
    assert here.as_owner("scan")["written"][0] == ".context/project.yaml"
    assert "tidy" in path.read_text()
    path.write_text("project:\n\tname: x\n")
    assert "line 2" in here("project_overview")["problem"]
    assert "line 2" in here.as_owner("show")["project"]["problem"]


def test_the_inside_of_a_bare_repository_is_no_project(words_only: Desk, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    for name in ("objects", "refs/heads"):
        (bare / name).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text("[core]\n\tbare = true\n\trepositoryformatversion = 0\n")
    with pytest.raises(NotFound, match="inside of a git repository"):
        words_only.at(bare).as_owner("init")


def test_an_empty_repository_says_once_that_there_are_no_files(
    words_only: Desk, tmp_path: Path
) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    desk = words_only.at(root)

    said = desk.on("cli").answer("init").text

    assert said.count("no files yet") == 1
    assert "Index: empty" in desk.on("cli").answer("status").text
    model = yaml.safe_load((root / ".context" / "project.yaml").read_text())
    assert set(model) == {"version", "project", "metadata"}
    assert "\n- empty\n" in (root / ".context" / "CONTEXT.md").read_text()


def test_a_repository_without_commits_keeps_the_id_it_was_given(
    words_only: Desk, tmp_path: Path
) -> None:
    root = written(tmp_path / "young", {"a.py": "x = 1\n"})
    git(root, "init", "-q")
    desk = words_only.at(root)

    ids = []
    for _ in range(2):
        desk.on("cli")("init")
        ids.append(
            yaml.safe_load((root / ".context" / "project.yaml").read_text())["project"].get("id")
        )

    assert ids[0] == ids[1]
