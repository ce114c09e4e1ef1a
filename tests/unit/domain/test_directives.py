"""Which words state a directive, and which only a task, a state or a question."""

from __future__ import annotations

import pytest

from contextd.domain.directives import directives_in, force_of, without_directives


@pytest.mark.parametrize(
    "words",
    [
        "Remember that the staging host is rebuilt nightly.",
        "From now on store amounts in cents.",
        "Remember: the staging host is rebuilt nightly.",
        "Rule: exports run in the worker.",
        "Merk dir: der Server wird nachts neu gebaut.",
        "Ab jetzt speichern wir Beträge in Cent.",
        "Désormais les montants sont en centimes.",
        "A partir de ahora los importes van en céntimos.",
        "D'ora in poi gli importi sono in centesimi.",
        "A partir de agora os valores são em centavos.",
        "今後は金額を必ずセントで保存してください。",
        "记住：金额一律用分来保存，不要使用浮点数。",
        "앞으로는 금액을 항상 센트 단위로 저장해 주세요.",
        "Nunca guardes importes como decimales.",
        "don't use git add -A, ever",
        "git add -A は絶対に使わないでください",
        "NEVER TOUCH THE MIGRATIONS",
        "never use grep on json, use jq",
        "No, never `bun link` a session version.",
        "Please always run the linter before you commit.",
        "When working with json outputs, never use grep.",
        "You must never push to main.",
        "Make sure you always write a changelog entry.",
        "Don't ever commit lock files.",
        "Do not rewrite history under any circumstances.",
        "Under no circumstances touch the vendor folder.",
        "Going forward, keep modules below 300 lines.",
        "As a rule, business logic lives in domain modules.",
        "Note that as a rule, business logic lives in domain modules.",
        "Convention: tables have plural names.",
        "Apply the changes yourself, always.",
        "The agent should NEVER print an environment file!!",
        "IMPORTANT: NO MATTER WHAT, DO NOT USE THE MOCK DATABASE.",
        "I basically never want this file to change.",
        "oui, et je veux surtout que ce fichier ne soit jamais dans git",
        "I never want emojis in commits.",
        "Verwende niemals Floats für Geld.",
        "Frag mich immer, bevor du etwas löschst.",
        "Auf keinen Fall direkt auf main pushen.",
        "N'utilise jamais de flottants pour l'argent.",
        "Utilise toujours des centimes.",
        "Usa siempre céntimos para los importes.",
        "Gebruik altijd centen voor bedragen.",
        "二度と main に直接 push しないで。",
        "必ずテストを実行してからコミットしてください。",
        "以后提交之前都要先跑测试",
        "永远不要直接推送到 main 分支",
    ],
)
def test_a_request_to_remember_is_known_in_any_language(words: str) -> None:
    assert force_of(words) == "stated"


@pytest.mark.parametrize(
    "words",
    [
        "Amounts must always be stored in cents.",
        "Beträge werden immer in Cent gespeichert.",
        "Les montants sont toujours en centimes.",
        "金額は必ずセントで保存すること。それ以外は不可。",
    ],
)
def test_a_rule_in_passing_is_standing(words: str) -> None:
    assert force_of(words) == "standing"


@pytest.mark.parametrize(
    "words",
    [
        "Do you remember that the host is rebuilt?",
        "Should we always round half even?",
        "Round the tax at the end of the basket.",
        "never mind",
        "always",
        "Always " + "and on " * 100,
        "The always-on switch is green now.",
        "Please note that the tests fail on main right now.",
        "Note that the deployment is slow.",
        "Keep in mind that the cache is cold at the start.",
        "Never mind, that was my mistake.",
        "For now always use the small model.",
        "Don't push yet.",
        "Always use the staging host today.",
        "Fix the header of the page.",
        "It will in the future support other backends.",
        "目前总是失败",
    ],
)
def test_questions_scraps_and_material_hold_nothing(words: str) -> None:
    assert force_of(words) == ""


@pytest.mark.parametrize(
    "words",
    [
        "It never worked on Windows before.",
        "The test always fails on the second run.",
        "always fails on the second click, see the log",
        "never worked for me on this machine, please look",
        "Create a rule that says to always write a failing test first",
        "update the plan so that going forward we can choose the host",
        "You never answered the question about the tests.",
        "The list must have a button for each row.",
        "The answer never came through.",
        "La carte n'apparaît toujours pas.",
        "toujours rien dans la page",
        "à partir de maintenant",
    ],
)
def test_a_state_a_complaint_and_a_task_are_not_stated_rules(words: str) -> None:
    assert force_of(words) != "stated"


@pytest.mark.parametrize(
    ("prompt", "rule", "rest"),
    [
        (
            "From now on all money amounts must be stored in cents. How do we deploy?",
            "From now on all money amounts must be stored in cents.",
            "How do we deploy?",
        ),
        (
            "From now on prices must begin with RX. Change prices.py so that it does.",
            "From now on prices must begin with RX.",
            "Change prices.py so that it does.",
        ),
        (
            "Prices must begin with RX. Change prices.py so that it does.",
            "Prices must begin with RX.",
            "Change prices.py so that it does.",
        ),
        (
            "Fix the header, and from now on never use inline styles in templates.",
            "from now on never use inline styles in templates.",
            "Fix the header",
        ),
        (
            'never ask me "Shall I go on?" when it is obvious. Now add the page.',
            'never ask me "Shall I go on?" when it is obvious.',
            "Now add the page.",
        ),
        (
            "まず価格の列を追加して。今後は金額をセントで保存してください。",
            "今後は金額をセントで保存してください。",
            "まず価格の列を追加して。",
        ),
        (
            "- always sign commits\n- add the login page",
            "always sign commits",
            "add the login page",
        ),
    ],
)
def test_a_directive_is_the_sentence_that_states_it(prompt: str, rule: str, rest: str) -> None:
    assert [one.text for one in directives_in(prompt)] == [rule]
    left = without_directives(prompt)
    assert rest in left
    assert rule not in left


def test_a_rule_that_points_back_takes_the_sentence_it_points_to() -> None:
    [one] = directives_in("You dropped the users table. Never do that again.")
    assert one.text == "You dropped the users table. Never do that again."
    assert directives_in("Never do that again.") == []


def test_a_marker_within_a_clause_cuts_nothing_off() -> None:
    [one] = directives_in("Wir schreiben ab jetzt alle Kommentare auf Englisch.")
    assert one.text == "Wir schreiben ab jetzt alle Kommentare auf Englisch."


def test_words_behind_which_nothing_follows_are_not_cut_off() -> None:
    [one] = directives_in("Parfait, continue comme ça à partir de maintenant")
    assert one.text == "Parfait, continue comme ça à partir de maintenant"


def test_code_and_quotations_state_nothing() -> None:
    assert directives_in("```\nnever_retry: always use the cache\n```\nFix this.") == []
    assert directives_in("> always use the cache\n\nWhy does the page say so") == []


def test_a_long_text_is_read_in_reasonable_steps() -> None:
    found = directives_in("never " * 20_000 + "\n" + "a, b; " * 20_000 + "\nAlways run the tests.")
    assert [one.text for one in found] == ["Always run the tests."]
