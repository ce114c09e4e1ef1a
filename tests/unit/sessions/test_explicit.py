"""What a user asks to be remembered, or says as a rule."""

from __future__ import annotations

import pytest

from contextd.sessions.explicit import held


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
    ],
)
def test_a_request_to_remember_is_known_in_any_language(words: str) -> None:
    assert held(words) == "remember"


@pytest.mark.parametrize(
    "words",
    [
        "Amounts must always be stored in cents.",
        "We never log tokens here.",
        "Beträge werden immer in Cent gespeichert.",
        "Les montants sont toujours en centimes.",
        "Nunca guardes importes como decimales.",
        "金額は必ずセントで保存すること。それ以外は不可。",
    ],
)
def test_a_rule_in_passing_is_standing(words: str) -> None:
    assert held(words) == "standing"


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
    ],
)
def test_questions_scraps_and_material_hold_nothing(words: str) -> None:
    assert held(words) == ""
