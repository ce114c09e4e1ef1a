import json

import pytest

from contextd_code.project.architecture import architecture
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import detect
from contextd_code.project.stack_evidence import short_version
from contextd_code.project.stack_languages import NOT_THE_STACK
from contextd_code.project.stack_table import TECHNOLOGIES
from contextd_code.project.support_code import is_beside

NEXT_APP = {
    "package.json": json.dumps(
        {
            "name": "my-saas",
            "private": True,
            "packageManager": "pnpm@9.1.0",
            "engines": {"node": "^20.9"},
            "dependencies": {"next": "^14.1.0", "react": "18.2.0", "express": "^4.18", "pg": "8"},
            "devDependencies": {"typescript": "~5.4.0", "vitest": "1.2.0"},
        }
    ),
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    "docker-compose.yml": "services:\n  db:\n    image: postgres:16-alpine\n",
    ".github/workflows/ci.yml": "on: push\n",
    "src/app/api/users/route.ts": "",
    "src/server/auth/AuthService.ts": "",
    "src/server/auth/TokenManager.ts": "",
    "src/server/users/UserRepository.ts": "",
    "src/app/page.tsx": "",
    "examples/vue/package.json": '{"dependencies": {"vue": "3"}}',
}
DJANGO_SITE = {
    "requirements.txt": "Django>=5.0,<5.1\npsycopg[binary]==3.1\ncelery~=5.3\n-r more.txt\n# x\n",
    "requirements-dev.txt": "pytest==8\n",
    "runtime.txt": "python-3.12.1\n",
    "manage.py": "",
    "shop/models.py": "",
    "shop/views.py": "",
    "blog/models.py": "",
    "blog/views.py": "",
    "templates/base.html": "",
    "package.json": '{"devDependencies": {"sass": "1"}}',
}
PNPM_MONOREPO = {
    "package.json": '{"private": true, "devDependencies": {"turbo": "^2.0.0"}}',
    "pnpm-workspace.yaml": "packages: ['apps/*', 'packages/*']\ncatalog:\n  react: ^19.0.0\n",
    "turbo.json": "{}",
    "apps/web/package.json": '{"dependencies": {"next": "15.0.1", "react": "catalog:"}}',
    "apps/api/package.json": '{"dependencies": {"fastify": "^4.26"}}',
    "packages/ui/package.json": '{"main": "index.js", "devDependencies": {"typescript": "5.6.2"}}',
    "apps/web/page.tsx": "",
    "apps/api/index.ts": "",
}
GO_SERVICE = {
    "go.mod": (
        "module example.org/pay\n\ngo 1.22.3\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n"
        "\tgithub.com/jackc/pgx/v5 v5.5.0\n\tgolang.org/x/text v0.14.0 // indirect\n)\n"
    ),
    "Dockerfile": "FROM golang:1.22 AS build\nFROM scratch\n",
    "cmd/pay/main.go": "",
    "internal/handlers/pay.go": "",
    "internal/services/pay.go": "",
    "internal/repository/pay.go": "",
}
CARGO_WORKSPACE = {
    "Cargo.toml": (
        '[workspace]\nmembers = ["crates/*"]\n[workspace.package]\nrust-version = "1.75"\n'
        '[workspace.dependencies]\naxum = "0.7"\n'
    ),
    "Cargo.lock": '[[package]]\nname = "axum"\nversion = "0.7.5"\n',
    "crates/server/Cargo.toml": '[package]\nname = "server"\n[dependencies]\naxum.workspace = true\n',
    "crates/core/Cargo.toml": '[package]\nname = "core"\n[lib]\n',
    "crates/server/src/main.rs": "",
    "crates/core/src/lib.rs": "",
}
MAVEN_MODULES = {
    "pom.xml": (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>shop</artifactId>'
        "<parent><groupId>org.springframework.boot</groupId>"
        "<artifactId>spring-boot-starter-parent</artifactId><version>3.2.1</version></parent>"
        "<properties><java.version>17</java.version></properties>"
        "<modules><module>api</module><module>core</module></modules></project>"
    ),
    "api/pom.xml": (
        "<project><artifactId>api</artifactId><dependencies><dependency>"
        "<groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId>"
        "</dependency><dependency><groupId>org.junit.jupiter</groupId>"
        "<artifactId>junit-jupiter</artifactId><scope>test</scope></dependency></dependencies></project>"
    ),
    "core/pom.xml": "<project><artifactId>core</artifactId></project>",
    "api/src/main/java/org/shop/ShopApplication.java": "",
    "core/src/main/java/org/shop/Cart.java": "",
}
PLAIN_LIBRARY = {
    "pyproject.toml": (
        '[project]\nname = "plain"\nrequires-python = ">=3.11"\ndependencies = ["numpy>=2"]\n'
        '[project.optional-dependencies]\ntest = ["pytest", "django>=4"]\n'
        '[build-system]\nrequires = ["hatchling"]\n[tool.uv]\n'
    ),
    "uv.lock": '[[package]]\nname = "numpy"\nversion = "2.1.0"\n',
    "src/plain/__init__.py": "",
    "src/plain/core.py": "",
}


def make(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return sorted(files)


def look(root, files):
    paths = make(root, files)
    stack = detect(root, paths)
    return stack, project_type(paths, stack), architecture(paths, stack)


def test_a_next_app(tmp_path):
    stack, kind, layout = look(tmp_path, NEXT_APP)
    assert stack.labels[:4] == ("Next.js 14", "Express 4", "React 18", "TypeScript 5")
    assert "PostgreSQL 16" in stack.labels
    assert not any("Vue" in label for label in stack.labels)
    assert (stack.runtime, stack.package_manager) == ("Node.js 20", "pnpm")
    assert [one.label for one in stack.of("test")] == ["Vitest 1"]
    assert [one.name for one in stack.of("ci")] == ["GitHub Actions"]
    assert kind.value == "fullstack"
    assert layout.value == "feature-based"
    assert "auth, users" in layout.reason
    evidence = next(one.evidence for one in stack.technologies if one.name == "Next.js")
    assert evidence == ("package.json: next ^14.1.0",)


def test_a_django_site(tmp_path):
    stack, kind, layout = look(tmp_path, DJANGO_SITE)
    assert stack.labels == ("Django 5", "Python", "PostgreSQL", "Celery")
    assert (stack.runtime, stack.package_manager) == ("Python 3.12", "pip")
    assert stack.languages[0].language == "Python"
    assert next(one for one in stack.technologies if one.name == "pytest").only_dev
    assert kind.value == "web-app"
    assert layout.value == "feature-based"
    assert "blog, shop" in layout.reason


def test_a_pnpm_monorepo(tmp_path):
    stack, kind, layout = look(tmp_path, PNPM_MONOREPO)
    assert set(stack.labels) >= {"Next.js 15", "Fastify 4", "React 19", "TypeScript 5"}
    assert (stack.package_manager, stack.package_manager_evidence) == (
        "pnpm",
        "pnpm-workspace.yaml",
    )
    assert kind.value == "fullstack"
    assert layout.value == "monorepo"
    assert "apps/*" in layout.reason


def test_a_go_service(tmp_path):
    stack, kind, layout = look(tmp_path, GO_SERVICE)
    assert stack.labels == ("Gin 1", "Go", "PostgreSQL")
    assert (stack.runtime, stack.package_manager) == ("Go 1.22+", "go")
    assert kind.value == "api"
    assert layout.value == "layered"
    assert "handlers" in layout.reason


def test_a_cargo_workspace(tmp_path):
    stack, kind, layout = look(tmp_path, CARGO_WORKSPACE)
    assert stack.labels == ("Axum 0.7", "Rust")
    assert (stack.runtime, stack.package_manager) == ("Rust 1.75+", "cargo")
    assert kind.value == "api"
    assert layout.value == "monorepo"


def test_a_maven_build_of_several_modules(tmp_path):
    stack, kind, layout = look(tmp_path, MAVEN_MODULES)
    assert stack.labels == ("Spring Boot 3", "Java")
    assert (stack.runtime, stack.package_manager) == ("Java 17", "maven")
    assert kind.value == "api"
    assert layout.value == "monorepo"
    assert "api, core" in layout.reason


def test_a_plain_library(tmp_path):
    stack, kind, _ = look(tmp_path, PLAIN_LIBRARY)
    assert stack.labels == ("Python", "NumPy 2")
    assert (stack.runtime, stack.package_manager) == ("Python 3.11+", "uv")
    assert kind.value == "library"
    assert "pyproject.toml" in kind.reason


def test_an_empty_folder(tmp_path):
    stack, kind, layout = look(tmp_path, {})
    assert stack.labels == ()
    assert (stack.runtime, stack.package_manager) == ("", "")
    assert (kind.value, layout.value) == ("unknown", "unknown")


@pytest.mark.parametrize(
    ("files", "labels", "runtime", "manager", "kind"),
    [
        (
            {"Gemfile": 'ruby "3.2.2"\ngem "rails", "~> 7.1"\ngem "pg"\n', "app/views/a.erb": "",
             "app/models/user.rb": ""},
            ("Rails 7", "Ruby", "PostgreSQL"), "Ruby 3.2", "bundler", "web-app",
        ),
        (
            {"composer.json": '{"require": {"php": "^8.2", "laravel/framework": "^11.0"}}',
             "artisan": "", "app/User.php": "", "resources/views/a.blade.php": ""},
            ("Laravel 11", "PHP"), "PHP 8.2+", "composer", "web-app",
        ),
        (
            {"build.gradle.kts": 'plugins { kotlin("jvm") version "1.9.0"\n'
             'id("io.ktor.plugin") version "2.3.7" }\nkotlin { jvmToolchain(21) }\n',
             "settings.gradle.kts": 'rootProject.name = "k"', "src/main/kotlin/App.kt": ""},
            ("Ktor 2", "Kotlin"), "Java 21", "gradle", "api",
        ),
        (
            {"Api.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup>'
             "<TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>", "Program.cs": ""},
            ("ASP.NET Core", "C#"), ".NET 8", "dotnet", "api",
        ),
        (
            {"package.json": '{"name": "t", "packageManager": "bun@1.0.30", "bin": "cli.ts",'
             ' "dependencies": {"commander": "^12"}}', "cli.ts": ""},
            ("TypeScript", "Commander 12"), "Bun 1.0", "bun", "cli",
        ),
        (
            {"pyproject.toml": '[tool.poetry]\nname = "t"\n[tool.poetry.dependencies]\n'
             'python = "^3.11"\nfastapi = {version = "^0.110.0", extras = ["all"]}\n',
             "poetry.lock": "", ".python-version": "3.11.7\n", "app/main.py": ""},
            ("FastAPI 0.110", "Python"), "Python 3.11", "poetry", "api",
        ),
        (
            {"Cargo.toml": '[package]\nname = "t"\n[dependencies]\nclap = "4.5"\n',
             "src/main.rs": ""},
            ("Rust", "clap 4"), "Rust", "cargo", "cli",
        ),
        (
            {"package.json": '{"dependencies": {"vue": ">=3.4"}}', "src/App.vue": "",
             "package-lock.json": '{\n  "packages": {\n    "node_modules/vue": {\n'
             '      "version": "3.5.1"\n    }\n  }\n}', ".nvmrc": "v22.1.0\n"},
            ("Vue 3",), "Node.js 22", "npm", "web-app",
        ),
    ],
)  # fmt: skip
def test_other_ecosystems(tmp_path, files, labels, runtime, manager, kind):
    stack, found, _ = look(tmp_path, files)
    assert stack.labels == labels
    assert (stack.runtime, stack.package_manager) == (runtime, manager)
    assert found.value == kind


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("^14.1.0", "14"), ("~5.4", "5"), (">=4.2", "4+"), (">=5.0,<5.1", "5"), ("~=4.2", "4"),
        ("0.110.1", "0.110"), ("^18 || ^20", "18+"), ("v1.9.1", "1"), ("workspace:*", ""),
        ("latest", ""), ("*", ""), ("", ""), ("==3.1", "3"), ("lts/iron", ""), ("1.x", "1"),
        (">= 18.0.0 < 21", "18–20"), (">=3.5,<5.0", "3–4"), (">=3,<=5", "3–5"), (">=0.5,<0.8", "0.5"), ("16-alpine", "16"), ("20240101", ""),
    ],
)  # fmt: skip
def test_versions_are_as_short_as_they_are_sure(asked, expected):
    assert short_version(asked) == expected


@pytest.mark.parametrize(
    "name",
    ["package.json", "pyproject.toml", "Cargo.toml", "pom.xml", "composer.json", "pubspec.yaml",
     "setup.py", "docker-compose.yml", "global.json", "App.csproj", "libs.versions.toml"],
)  # fmt: skip
@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "\x00\xff", "null", "<a>" * 50, "{" * 5000])
def test_a_broken_manifest_is_no_reason_to_fail(tmp_path, name, text):
    make(tmp_path, {name: text})
    stack = detect(tmp_path, [name, "main.py"])
    assert stack.languages[0].language == "Python"
    assert stack.technologies == () or stack.technologies[0].category == "deploy"


def test_a_manifest_that_cannot_be_read_is_named(tmp_path):
    stack = detect(tmp_path, ["package.json"])
    assert stack.problems[0].startswith("package.json: not read")


def test_entities_in_xml_are_refused(tmp_path):
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbb">]><project>&b;</project>'
    stack = detect(tmp_path, make(tmp_path, {"pom.xml": bomb}))
    assert "declares entities" in stack.problems[0]


def test_manifests_in_examples_tests_and_fixtures_are_not_the_stack():
    for name in ("examples", "templates", "test", "tests", "fixtures", "node_modules"):
        assert name in NOT_THE_STACK
        assert is_beside(f"{name}/package.json")
    assert not is_beside("test.py")


def test_languages_can_be_weighed_by_size(tmp_path):
    paths = ["a.py", "b.py", "c.ts"]
    by_files = detect(tmp_path, paths).languages
    by_bytes = detect(tmp_path, paths, sizes={"a.py": 10, "b.py": 10, "c.ts": 980}).languages
    assert [one.language for one in by_files] == ["Python", "TypeScript"]
    assert by_bytes[0].language == "TypeScript"
    assert by_bytes[0].share == 0.98


def test_only_some_manifests_are_read_and_the_nearest_first(tmp_path):
    paths = [f"packages/p{n}/deep/er/package.json" for n in range(600)] + ["package.json"]
    asked = []

    def read(path):
        asked.append(path)
        return "{}"

    detect(tmp_path, paths, read)
    assert len(asked) == 400
    assert asked[0] == "package.json"


def test_no_package_stands_in_two_rows_of_one_category():
    seen = {}
    for row in TECHNOLOGIES:
        for package in row.packages:
            assert seen.setdefault((package, row.category), row.name) == row.name
    assert len(TECHNOLOGIES) >= 200


def test_a_java_package_may_be_called_samples(tmp_path):
    files = {
        "pom.xml": MAVEN_MODULES["api/pom.xml"],
        "src/main/java/org/samples/clinic/OwnerController.java": "",
        "src/main/resources/templates/owners.html": "",
        "src/test/java/org/samples/ClinicTests.java": "",
    }
    stack, kind, _ = look(tmp_path, files)
    assert {one.language for one in stack.languages} == {"Java", "HTML"}
    assert (kind.value, kind.reason) == ("web-app", "Spring Boot serves pages from templates.")
    assert is_beside("src/test/java/org/samples/ClinicTests.java")


def test_a_workspace_of_one_package_is_no_monorepo(tmp_path):
    files = {
        "package.json": '{"dependencies": {"react": "19"}}',
        "pnpm-workspace.yaml": "packages: ['**']\n",
        "src/components/a.tsx": "",
        "src/components/b.tsx": "",
    }
    _, kind, layout = look(tmp_path, files)
    assert kind.value == "web-app"
    assert layout.value == "modular"
    assert layout.reason.startswith("Component-based")


def test_a_framework_is_not_built_on_itself(tmp_path):
    files = {
        "package.json": '{"name": "express", "files": ["lib/"], "version": "5.0.0"}',
        "examples-of-use.js": "",
        "packages/x/package.json": '{"dependencies": {"express": "^5"}}',
        "index.js": "",
    }
    stack, kind, _ = look(tmp_path, files)
    assert stack.labels == ("JavaScript",)
    assert kind.value == "library"


def test_a_few_templates_of_mails_do_not_make_an_api_a_site(tmp_path):
    files = {
        "pyproject.toml": '[project]\nname = "s"\ndependencies = ["django~=5.2", "graphene<3"]\n',
        "templates/mail.html": "",
        **{f"shop/part{n}.py": "" for n in range(30)},
    }
    stack, kind, _ = look(tmp_path, files)
    assert stack.labels == ("Django 5", "Python", "GraphQL")
    assert kind.value == "api"


def test_server_and_client_that_stand_apart_are_layers(tmp_path):
    _, _, layout = look(tmp_path, {"server/a.js": "", "client/b.js": ""})
    assert layout.value == "layered"
    assert layout.reason == "Client-server: server and client stand apart."


def test_a_folder_of_features_is_feature_based(tmp_path):
    _, _, layout = look(tmp_path, {"src/features/cart/a.ts": "", "src/features/pay/b.ts": ""})
    assert layout.value == "feature-based"
    assert layout.reason == "src/features/ has a folder per feature: cart, pay."


def test_a_technology_has_one_row():
    names = [row.name for row in TECHNOLOGIES]
    assert [name for name in names if names.count(name) > 1] == []
