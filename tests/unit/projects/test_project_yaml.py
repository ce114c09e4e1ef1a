from dataclasses import replace

import pytest
import yaml

from contextd.projects.project_memory import GENERATED, KEPT_BACKUPS, backups
from contextd.projects.project_yaml import (
    ModuleFacts,
    ModuleLearning,
    enrich,
    merge_scan,
)
from contextd_code.project.project_model import KeyFile, load
from contextd_common.errors import Denied, NotFound
from support.project_files import FACTS, LATER, NOW, SEED, put


@pytest.fixture
def path(tmp_path):
    return tmp_path / "shop" / ".context" / "project.yaml"


def without_lines(text, *parts):
    return [line for line in text.splitlines() if not any(part in line for part in parts)]


def test_the_first_scan_writes_the_schema_with_a_word_of_explanation(path):
    report = merge_scan(path, replace(FACTS, id="abc"), now=NOW)
    text = path.read_text()
    assert report.created
    assert text.startswith("# ")
    assert "path: .  #" in text
    assert str(path.parent) not in text
    model = load(path)
    assert (model.id, model.pattern, model.package_manager) == ("abc", "feature-based", "pnpm")
    assert model.modules["auth"].key_files[1] == KeyFile("src/auth/index.ts", "entry", "the door")
    assert list(yaml.safe_load(text)) == [
        "version",
        "project",
        "tech",
        "architecture",
        "modules",
        "metadata",
    ]
    assert yaml.safe_load(text)["version"] == "1.0"
    assert model.updated_at == model.last_scan_at == "2025-01-15T08:00:00Z"


def test_a_second_scan_that_finds_the_same_changes_no_byte(path):
    merge_scan(path, FACTS, now=NOW)
    before, stamp = path.read_bytes(), path.stat().st_mtime_ns
    report = merge_scan(path, FACTS, now=LATER)
    assert (report.changed, report.created, report.left_alone) == (False, False, ())
    assert path.read_bytes() == before
    assert path.stat().st_mtime_ns == stamp
    assert backups(path) == []


def test_generated_values_follow_the_next_scan(path):
    merge_scan(path, FACTS, now=NOW)
    before = path.read_text()
    newer = replace(FACTS, stack=("Next.js 15", "Express 4", "TypeScript 5"), runtime="Node.js 22")
    report = merge_scan(path, newer, now=LATER)
    assert load(path).stack == newer.stack
    assert load(path).runtime == "Node.js 22"
    assert load(path).updated_at == load(path).last_scan_at == "2025-01-16T09:30:00Z"
    assert load(path).created_at == "2025-01-15T08:00:00Z"
    assert report.lines[1] == 'tech.runtime: "Node.js 20" → "Node.js 22"'
    changed = ("Next.js", "Node.js", "At:")
    assert without_lines(path.read_text(), *changed) == without_lines(before, *changed)
    assert backups(path)[0].read_text() == before


def test_a_value_that_a_person_changed_in_project_yaml_stays_through_later_scans(path):
    merge_scan(path, FACTS, now=NOW)
    edited_text = (
        path.read_text()
        .replace("runtime: Node.js 20", "runtime: Node.js 18  # prod")
        .replace("description: People", "description: Customers, not staff")
        .replace("  - Express 4\n", "  - Fastify 4\n")
    )
    path.write_text(edited_text)
    for runtime in ("Node.js 20", "Node.js 22", "Node.js 24"):
        report = merge_scan(path, replace(FACTS, runtime=runtime), now=LATER)
        assert report.left_alone == ("tech.stack", "tech.runtime", "modules.users.description")
        assert path.read_text() == edited_text


def test_a_value_that_a_person_removed_from_project_yaml_stays_removed(path):
    merge_scan(path, FACTS, now=NOW)
    text = path.read_text()
    head, tail = text[: text.index("  users:")], text[text.index("metadata:") :]
    path.write_text((head + "\n" + tail).replace("  runtime: Node.js 20\n", ""))
    before = path.read_bytes()
    report = merge_scan(path, FACTS, now=LATER)
    assert path.read_bytes() == before
    assert report.left_alone == ("tech.runtime", "modules.users (taken out by hand)")


def test_a_file_written_by_hand_is_only_filled_where_it_is_empty(path):
    put(path, SEED.replace('runtime: "Node.js 20"', 'runtime: ""'))
    report = merge_scan(path, replace(FACTS, runtime="Bun 1.0"), now=LATER)
    assert load(path).runtime == "Bun 1.0"
    assert "tech.stack" in report.left_alone
    assert load(path).modules["users"].key_files == (KeyFile("src/users/UserRepository.ts"),)
    assert (
        '    description: "Authentication and authorization"   # since 2023\n' in path.read_text()
    )
    for comment in ("# the heart of it", "# ask Ana before changing this", "# from the lawyers"):
        assert comment in path.read_text()


def test_a_new_module_is_added_behind_the_others(path):
    put(path, SEED)
    payments = ModuleFacts("payments", "Money", (KeyFile("src/pay.ts"),))
    report = merge_scan(path, replace(FACTS, modules=(payments,)), now=LATER)
    assert "modules.payments: added" in report.lines
    assert list(load(path).modules) == ["auth", "users", "payments"]
    text = path.read_text()
    rest = text[: text.index("  payments:")] + text[text.index("\nmetadata:") :]
    assert without_lines(rest, "At:") == without_lines(SEED, "At:")


def test_a_module_that_is_gone_leaves_only_when_nobody_touched_it(path):
    merge_scan(path, FACTS, now=NOW)
    only_auth = replace(FACTS, modules=FACTS.modules[:1])
    enriched = ModuleLearning(module="users", section="rule", text="Email must be unique")
    enrich(path, [enriched], now=NOW)
    report = merge_scan(path, only_auth, now=LATER)
    assert "users" in load(path).modules
    assert report.left_alone[0].startswith("modules.users (not found any more")
    listed = "    businessRules:\n      - Email must be unique\n"
    path.write_text(path.read_text().replace(listed, "    businessRules: []\n"))
    merge_scan(path, only_auth, now=LATER)
    assert list(load(path).modules) == ["auth"]


def test_a_comment_inside_keeps_a_module_that_is_gone(path):
    merge_scan(path, FACTS, now=NOW)
    path.write_text(path.read_text().replace("description: People", "description: People  # ours"))
    merge_scan(path, replace(FACTS, modules=FACTS.modules[:1]), now=LATER)
    assert "users" in load(path).modules


def test_learnings_are_added_and_everything_else_stays_byte_for_byte(path):
    put(path, SEED)
    lines = enrich(
        path,
        [
            ModuleLearning(module="auth", section="pattern", text="Rotate keys: every 90 days"),
            ModuleLearning(module="users", section="pattern", text="Use the repository pattern"),
            ModuleLearning(module="users", section="issue", text="Duplicate mails", solution="Fold case",
                     session_id="s-9", discovered_at=NOW),
        ],
        now=LATER,
    )  # fmt: skip
    assert lines == [
        "modules.auth.patterns: added 'Rotate keys: every 90 days'",
        "modules.users.patterns: added 'Use the repository pattern'",
        "modules.users.commonIssues: added 'Duplicate mails'",
    ]
    expected = (
        SEED.replace(
            '    - "Implement token refresh with mutex locks"\n',
            '    - "Implement token refresh with mutex locks"\n'
            "      - 'Rotate keys: every 90 days'\n",
        )
        .replace(
            "patterns: []  # none yet\n",
            "patterns:  # none yet\n      - Use the repository pattern\n",
        )
        .replace(
            "commonIssues: []\n",
            "commonIssues:\n      - description: Duplicate mails\n        solution: Fold case\n"
            "        sessionId: s-9\n        discoveredAt: '2025-01-15T08:00:00Z'\n",
        )
        .replace("2025-01-15T18:00:00Z", "2025-01-16T09:30:00Z")
    )
    assert path.read_text() == expected
    assert load(path).modules["users"].common_issues[0].discovered_at == "2025-01-15T08:00:00Z"


def test_a_learning_that_is_known_is_not_added_again(path):
    put(path, SEED)
    before = path.read_bytes()
    again = [
        ModuleLearning(
            module="auth", section="pattern", text="use JWT  tokens in httpOnly cookies."
        ),
        ModuleLearning(module="auth", section="issue", text="Token refresh race condition"),
        ModuleLearning(module="auth", section="rule", text="  "),
    ]
    assert enrich(path, again, now=LATER) == []
    alike = [ModuleLearning(module="auth", section="rule", text="Sessions end after a week")]
    assert enrich(path, alike, same=lambda a, b: "essions" in a and "essions" in b, now=LATER) == []
    assert path.read_bytes() == before


def test_a_learning_twice_in_one_call_is_added_once(path):
    put(path, SEED)
    twice = [
        ModuleLearning(module="users", section="rule", text=text)
        for text in ("No bots", "no bots.")
    ]
    assert len(enrich(path, twice)) == 1
    assert load(path).modules["users"].business_rules == ("Email must be unique", "No bots")


def test_a_learning_that_a_person_took_out_does_not_come_back(path):
    put(path, SEED)
    new = [ModuleLearning(module="users", section="rule", text="No bots")]
    enrich(path, new, now=NOW)
    path.write_text(path.read_text().replace("      - No bots\n", ""))
    before = path.read_bytes()
    assert enrich(path, new, now=LATER) == []
    assert path.read_bytes() == before


def test_a_learning_for_an_unknown_module_is_skipped_and_named(path):
    put(path, SEED)
    lines = enrich(path, [ModuleLearning(module="billing", section="rule", text="Round up")])
    assert lines == ["skipped, there is no module 'billing': Round up"]
    assert path.read_text() == SEED


def test_enriching_needs_a_file(path):
    with pytest.raises(NotFound, match="there is no"):
        enrich(path, [])


def test_windows_line_ends_and_other_indentation_survive(path):
    text = (
        "# über\r\nmodules:\r\n    auth:\r\n        patterns:\r\n        - eins # ü\r\n\r\n"
        "        # next\r\n        businessRules: [a, b]\r\n"
    )
    put(path, text)
    enrich(path, [ModuleLearning(module="auth", section="pattern", text="zwei")], now=NOW)
    expected = text.replace("eins # ü\r\n", "eins # ü\r\n        - zwei\r\n")
    expected += "metadata:\r\n  updatedAt: '2025-01-15T08:00:00Z'\r\n"
    assert path.read_bytes().decode() == expected


def test_flow_lists_and_aliases_are_changed_by_rewriting(path):
    put(path, "# top\nmodules:\n  a: &a\n    patterns: [one]  # few\n  b: *a\n")
    enrich(path, [ModuleLearning(module="a", section="pattern", text="two")], now=NOW)
    text = path.read_text()
    assert load(path).modules["a"].patterns == ("one", "two")
    assert "# top" in text
    assert "# few" in text


def test_a_link_out_of_the_project_is_refused(path, tmp_path):
    outside = tmp_path / "outside.yaml"
    outside.write_text(SEED)
    path.parent.mkdir(parents=True)
    path.symlink_to(outside)
    for call in (lambda: merge_scan(path, FACTS), lambda: enrich(path, [])):
        with pytest.raises(Denied, match="leads outside"):
            call()
    assert outside.read_text() == SEED


def test_a_link_inside_the_project_stays_a_link(path):
    path.parent.mkdir(parents=True)
    target = path.parent.parent / "project.yaml"
    target.write_text(SEED)
    path.symlink_to("../project.yaml")
    enrich(path, [ModuleLearning(module="users", section="rule", text="No bots")])
    assert path.is_symlink()
    assert "No bots" in target.read_text()


def test_permissions_stay_and_nothing_is_left_lying_around(path):
    put(path, SEED)
    path.chmod(0o640)
    enrich(path, [ModuleLearning(module="users", section="rule", text="No bots")])
    assert path.stat().st_mode & 0o777 == 0o640
    names = {one.name for one in path.parent.iterdir()}
    assert names == {"project.yaml", GENERATED, ".backups"}


def test_only_the_latest_backups_are_kept(path):
    put(path, SEED)
    for n in range(KEPT_BACKUPS + 3):
        enrich(path, [ModuleLearning(module="users", section="rule", text=f"Rule {n}")], now=NOW)
    kept = backups(path)
    assert len(kept) == KEPT_BACKUPS
    assert f"Rule {KEPT_BACKUPS + 1}" in kept[0].read_text()
    assert f"Rule {KEPT_BACKUPS + 2}" not in kept[0].read_text()
    assert (path.parent / ".backups/.gitignore").read_text() == "*\n"


def test_without_its_memory_a_scan_overwrites_nothing(path):
    merge_scan(path, FACTS, now=NOW)
    (path.parent / GENERATED).write_text("{broken")
    before = path.read_bytes()
    report = merge_scan(path, replace(FACTS, runtime="Node.js 22"), now=LATER)
    assert report.left_alone == ("tech.runtime",)
    assert path.read_bytes() == before
