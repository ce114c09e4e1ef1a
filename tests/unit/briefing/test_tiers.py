"""What a session is told unasked: first what always holds, then what bears on its task, each with its why."""

from __future__ import annotations

import pytest

from contextd.domain.records import Record
from contextd.domain.scope import Scope
from support.repositories import SHOP, committed

TASK = "renew the refresh token of a session before it expires"
LESSONS = [
    "Renew the refresh token one minute before it expires, later renewals log users out",
    "A refresh token that expires in a session is renewed by the middleware, never by a page",
    "Expired refresh tokens of a session must be removed before new ones are stored",
    "The refresh token of a session expires after an hour unless it is renewed",
    "Sessions keep their refresh token in the cookie until it expires and is renewed",
]


def rule(desk, kind: str, title: str, scope: Scope | None = None, **data: str) -> str:
    content = f"{title}: {data.get('requirement') or data.get('rule')}"
    record = Record(
        kind=kind, scope=scope or desk.scope, title=title, content=content, data=data, trust="human"
    )
    desk.put(record, "create")
    return record.id


@pytest.fixture
def shop(desk):
    desk.as_owner("init")
    return desk


def started(desk, task: str = ""):
    return desk.connected(f"conversation about {task}")("session_start", task_description=task)


def told(desk, task: str = "") -> dict[str, tuple[int, str]]:
    session = started(desk, task)["session_id"]
    rows = desk("explain_injection", session_id=session)["told"]
    return {row["id"]: (row["tier"], row["why"]) for row in rows}


def test_critical_policies_and_standards_of_its_languages_come_first(shop):
    critical = rule(
        shop, "policy", "Secrets", severity="critical", requirement="Never commit a secret"
    )
    whole = rule(
        shop,
        "policy",
        "Reviews",
        Scope("local"),
        severity="critical",
        requirement="Two pairs of eyes",
    )
    typed = rule(shop, "coding_standard", "Types", language="TypeScript", rule="No any")
    general = rule(shop, "coding_standard", "Names", rule="Names say what they hold")
    other = rule(shop, "coding_standard", "Errors", language="Go", rule="Wrap errors with context")
    given = told(shop)
    assert {id: given[id][0] for id in (critical, whole, typed, general)} == dict.fromkeys(
        (critical, whole, typed, general), 0
    )
    assert given[critical][1] == "a critical policy"
    assert given[typed][1] == "a standard for typescript"
    assert other not in given
    text = started(shop)["briefing"]
    assert text.index("## Always") < text.index("## Before")


def test_a_policy_that_is_not_critical_is_told_where_the_task_finds_it(shop):
    words = "Public functions are not removed without a deprecation of two releases"
    api = rule(shop, "policy", "Public API", severity="high", requirement=words)
    rule(shop, "policy", "Reviews", severity="high", requirement="Two people read billing changes")
    given = told(shop, "remove the deprecated function parse_date from the public API")
    assert set(given) == {api}
    assert given[api][1].startswith("like the task")


def test_an_unimportant_policy_is_no_rule_for_every_session(shop):
    minor = rule(shop, "policy", "Logs", severity="low", requirement="Logs are in English")
    assert minor not in told(shop)


def test_tier_0_keeps_to_its_room(shop):
    for number in range(40):
        words = f"Rule {number} says a good deal about what nobody may ever do in this project"
        rule(shop, "policy", f"P{number}", severity="critical", requirement=words)
    shop.configure("injection:\n  tokens: 4000\n  tier0_tokens: 200\n")
    given = [tier for tier, _ in told(shop).values()]
    assert 3 <= given.count(0) <= 6


def test_a_neighbours_rules_are_not_told(shop, tmp_path):
    other = shop.at(committed(tmp_path / "other", SHOP))
    other.as_owner("init")
    foreign = rule(other, "policy", "Frozen", severity="critical", requirement="Change nothing")
    assert foreign in told(other)
    assert foreign not in told(shop)


def test_of_experiences_a_few_are_told_and_of_warnings_those_that_are_meant(shop):
    for number, lesson in enumerate(LESSONS):
        shop(
            "memory_record",
            title=f"Tokens {number}",
            description="",
            content=lesson,
            outcome="success",
        )
    far = rule(
        shop, "anti_pattern", "AVOID: raw SQL", rule="No raw SQL in handlers", instead="sqlc"
    )
    given = told(shop, TASK)
    bearing = [id for id, (tier, why) in given.items() if why.startswith("like the task")]
    assert 2 <= len(bearing) <= 3
    assert far not in bearing


def test_a_skill_is_offered_where_its_trigger_fits(shop):
    skill = rule(
        shop, "skill", "token-renewal", name="token-renewal", rule="Steps",
        trigger="When a refresh token of a session must be renewed before it expires",
    )  # fmt: skip
    assert "Skill token-renewal: When a refresh token" in started(shop, TASK)["briefing"]
    assert told(shop, TASK)[skill][0] == 1
    assert "token-renewal" not in started(shop, "colours of the sales chart")["briefing"]


@pytest.mark.parametrize("tier", [0, 1])
def test_a_tier_can_be_turned_off(shop, tier):
    rule(shop, "policy", "Secrets", severity="critical", requirement="Never commit a secret")
    shop("memory_record", title="Tokens", description="", content=LESSONS[0], outcome="success")
    assert {one for one, _ in told(shop, TASK).values()} == {0, 1}
    shop.configure(f"injection:\n  tier{tier}: false\n")
    assert {one for one, _ in told(shop, TASK).values()} == {1 - tier}


def test_the_share_of_each_tier_in_use_is_counted(shop):
    rule(shop, "policy", "Secrets", severity="critical", requirement="Never commit a secret")
    shop("memory_record", title="Tokens", description="", content=LESSONS[0], outcome="success")
    session = started(shop, TASK)["session_id"]
    said = f"I did as told. {LESSONS[0]}, so the middleware renews it."
    shop("session_log", session_id=session, role="assistant", text=said)
    shop.connected("x")("session_end", session_id=session, outcome="success")
    always, bearing = shop.as_owner("injection_tiers")["tiers"]
    assert (always["told"], always["used"], always["succeeded"]) == (1, 0, 1)
    assert (bearing["told"], bearing["used"]) == (1, 1)
    assert bearing["setting"] == "injection.tier1"


def test_nothing_told_is_said_and_an_unknown_session_refused(shop):
    assert shop.answer("explain_injection").text == "nothing was injected yet"
    with pytest.raises(Exception, match="no session"):
        shop("explain_injection", session_id="abcdef")


def test_a_tier_that_is_off_says_so_or_nothing(shop):
    rule(shop, "policy", "Secrets", severity="critical", requirement="Never commit a secret")
    shop.configure("injection:\n  tier0: false\n  tier1: false\n")
    assert shop.as_owner("injection_tiers")["tiers"] == []
    shop.configure("injection:\n  tier0: true\n")
    started(shop)
    shop.configure("injection:\n  tier0: false\n")
    answer = shop.on("cli").answer("injection_tiers")
    assert [(one["tier"], one["off"]) for one in answer.value["tiers"]] == [(0, True), (1, False)]
    assert "off, injection.tier0 turns it on" in answer.text
    assert "injection.tier1 turns it off" in answer.text
