import pytest

from contextd.projects.project_memory import GENERATED
from contextd.projects.project_yaml import ModuleLearning, enrich, merge_scan
from contextd_code.project.project_model import Issue, KeyFile, load
from contextd_common.errors import Invalid
from support.project_files import FACTS, NOW, SEED, put


@pytest.fixture
def path(tmp_path):
    return tmp_path / "shop" / ".context" / "project.yaml"


def test_the_seed_file_is_read_in_full(path):
    put(path, SEED)
    model = load(path)
    assert (model.name, model.type, model.runtime) == ("My SaaS App", "fullstack", "Node.js 20")
    assert model.stack == ("Next.js 14", "Express 4")
    auth = model.modules["auth"]
    assert auth.key_files == (KeyFile("src/server/auth/AuthService.ts"),)
    assert auth.dependencies == ("users",)
    assert auth.common_issues == (
        Issue("Token refresh race condition", "Use mutex lock in TokenManager", "session-123",
              "2025-01-15T10:30:00Z"),
    )  # fmt: skip
    assert model.created_at == "2025-01-15T08:00:00Z"
    assert model.warnings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("project:\n  name: [a\n", "line 3: a list .* is not closed"),
        ("project: shop\n", "line 1: project must be a mapping"),
        ("project:\n  name: a\ntech:\n  stack: Next.js\n", "line 4: tech.stack must be a list"),
        (
            "modules:\n  a:\n    patterns:\n      - x: 1\n",
            r"line 4: modules.a.patterns\[0\] must be",
        ),
        ("modules:\n  a: {}\n  a: {}\n", "line 3: modules.a is there twice"),
        (
            "modules:\n  a:\n    keyFiles:\n      - role: core\n",
            "line 4: modules.a.keyFiles.0. needs",
        ),
        ("- a\n- b\n", "line 1: the file must be a mapping"),
        ("a: b\n\tc: d\n", "line 2: a tab"),
        ("a: \x01\n", r"contains the character U\+0001"),
        ("[" * 100_000, "nested"),
        ("- " * 100_000, "nested"),
        ("a: &a [*a]\n", "aliases"),
    ],
)
def test_a_malformed_file_is_named_with_its_line_and_never_overwritten(path, text, message):
    put(path, text)
    for call in (
        lambda: load(path),
        lambda: merge_scan(path, FACTS),
        lambda: enrich(path, [ModuleLearning(module="a", section="rule", text="x")]),
    ):
        with pytest.raises(Invalid, match=message):
            call()
    assert path.read_text() == text
    assert not (path.parent / GENERATED).exists()


def test_bytes_that_are_no_text_are_refused_with_their_line(path):
    path.parent.mkdir(parents=True)
    path.write_bytes(b"project:\n  name: \xff\xfe\n")
    with pytest.raises(Invalid, match="line 2: not UTF-8"):
        load(path)


def test_values_outside_the_lists_are_kept_with_a_warning(path):
    put(
        path, SEED.replace('"feature-based"', '"featured-based"').replace('role: "core"', "role: x")
    )
    model = load(path)
    assert model.pattern == "featured-based"
    assert model.warnings[0] == (
        "line 16: architecture.pattern is 'featured-based'; did you mean 'feature-based'?"
    )
    assert len(model.warnings) == 2


def test_a_sparse_file_is_filled_with_defaults(path):
    put(path, "version: 1.0\nproject:\ncustom: {mine: yes}\n")
    model = load(path)
    assert (model.name, model.version, model.type, model.modules) == ("shop", "1.0", "unknown", {})
    merge_scan(path, FACTS, now=NOW)
    assert load(path).modules.keys() == {"auth", "users"}
    assert "custom: {mine: yes}" in path.read_text()
