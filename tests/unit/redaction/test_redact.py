from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.redaction.providers import SHORTEST_RUN, TOKENS
from contextd.redaction.redact import redact, redact_whole
from contextd_bench import secret_samples as samples
from contextd_bench.secret_shapes import SHAPES
from contextd_bench.weak_samples import WEAK, WEAK_FORMS
from support.examples import drawn
from support.verdicts import agrees

LEAST = 0.97
"""A made-up secret may by chance look like a word."""


def _rng() -> random.Random:
    return random.Random(20)


def _leaks(text: str, secret: str) -> bool:
    return secret in redact(text).text


def test_every_token_rule_has_a_sample_shape() -> None:
    agrees(
        {rule.type for rule in TOKENS},
        SHAPES,
        "SHAPES in packages/contextd-bench/src/contextd_bench/secret_shapes.py",
        "shapes of such a token, as its provider documents them",
    )
    assert len(SHAPES) >= 100
    rng = _rng()
    without = [
        (rule.type, rule.heads)
        for rule in TOKENS
        if not any(
            re.fullmatch(f"(?:{'|'.join(map(re.escape, rule.heads))}){rule.body}", sample)
            for shape in SHAPES[rule.type]
            for sample in (samples.fill(shape, rng) for _ in range(20))
        )
    ]
    assert without == []


@pytest.mark.parametrize("kind", sorted(SHAPES))
def test_a_provider_token_is_replaced_whole_wherever_it_stands(kind: str) -> None:
    rng, leaked, types, tried = _rng(), [], set(), 0
    for shape in SHAPES[kind]:
        for frame in samples.FRAMES:
            for _ in range(5):
                secret = samples.fill(shape, rng)
                text = samples.planted(frame, secret)
                types |= {finding.type for finding in redact(text).findings}
                tried += 1
                leaked += [text] if _leaks(text, secret) else []
    assert len(leaked) <= (1 - LEAST) * tried, leaked[:3]
    assert kind in types


def test_a_token_has_a_run_long_enough_to_be_found_by() -> None:
    rng = _rng()
    for shapes in SHAPES.values():
        for shape in shapes:
            runs = "".join(c if c.isalnum() or c in "-_" else " " for c in samples.fill(shape, rng))
            assert max(map(len, runs.split())) >= SHORTEST_RUN, shape


@pytest.mark.parametrize("group", list(samples.FORMS))
def test_a_password_beside_a_name_for_it_is_replaced(group: str) -> None:
    rng, leaked, tried = _rng(), [], 0
    for frame in samples.FORMS[group]:
        for shape in samples.PASSWORDS:
            secret = samples.fill(shape, rng)
            text = samples.planted(frame, secret)
            tried += 1
            leaked += [text] if _leaks(text, secret) else []
    assert len(leaked) <= (1 - LEAST) * tried, leaked[:5]


@pytest.mark.parametrize("frame", WEAK_FORMS)
@pytest.mark.parametrize("word", WEAK)
def test_a_word_with_a_number_is_replaced_where_only_a_password_can_stand(
    frame: str, word: str
) -> None:
    assert not _leaks(samples.planted(frame, word), word)


JOINED = ["Tr7-wobble-Quince42", "gannet-tundra-onyx-ember", "pickle-onyx-47-wicket", "saffron_cobalt_318_nutmeg",
          "thistle.EMBER.85.driftwood"]  # fmt: skip
JOINED_FORMS = ("password={}", "DB_PASSWORD={}", "password: {}", '"password": "{}"', "Passwort: {}", "The password is {}",
                "psql host=db password={} dbname=shop", "<Password>{}</Password>", "postgres://kim:{}@db.test/shop",
                "machine api.test\n  login kim\n  password {}\n", '<entry key="password">{}</entry>',
                'variable "db_password" {{\n  type = string\n  default = "{}"\n}}', "smbclient //h/s -U kim%{}",
                'echo "{}" | docker login -u kim --password-stdin')  # fmt: skip


@pytest.mark.parametrize("frame", JOINED_FORMS)
@pytest.mark.parametrize("phrase", JOINED)
def test_words_joined_to_a_password_are_replaced(phrase: str, frame: str) -> None:
    assert phrase not in redact(frame.format(phrase)).text


@pytest.mark.parametrize("frame", ["--password={} shop", "<Password>{}</Password>", "ssh_pass={}"])
def test_a_sign_at_the_end_belongs_to_a_password_of_joined_words(frame: str) -> None:
    assert "WicketQuince53" not in redact(frame.format("WicketQuince53!")).text


LOGINS = ("sign in with kim / {} to test it", "You are signed in as kim:{} now", "log in with kim / {}",
          "use kim / {} to sign in", "use kim / {} to log in", "logged in to staging with kim and {}", "the creds: kim / {}",
          "credentials: kim:{}")  # fmt: skip


@pytest.mark.parametrize("frame", LOGINS)
@pytest.mark.parametrize("password", ["Kestrel2024!", "Tr7wobbleQuince42"])
def test_a_password_beside_the_name_of_its_login_is_replaced(frame: str, password: str) -> None:
    assert password.rstrip("!") not in redact(frame.format(password)).text


NAMES = ["my-app-db-password", "kube-system-node-role", "oauth2-proxy-cookie-secret", "not-secure-at-all-here",
         "spring.security.user.name", "config.cluster_manager_command.from_pass", "argocd_admin_password",
         "v1.27.3-gke-100", "admin-user-2-test", "put-your-own-phrase-here"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_joined_words_beside_a_password_stays(name: str) -> None:
    for line in (f"password={name}", f"DB_PASSWORD: {name}", f"password: {name}"):
        assert redact(line).text == line


@pytest.mark.parametrize("group", list(samples.KEYS))
def test_a_key_beside_a_name_for_it_is_replaced(group: str) -> None:
    rng, leaked, tried = _rng(), [], 0
    for frame in samples.KEYS[group]:
        for shape in samples.SECRETS * 3:
            secret = samples.fill(shape, rng)
            text = samples.planted(frame, secret)
            tried += 1
            leaked += [text] if _leaks(text, secret) else []
    assert len(leaked) <= (1 - LEAST) * tried, leaked[:5]


@pytest.mark.parametrize(("frame", "kind", "shape"), samples.PLACES)
def test_a_secret_told_by_its_place_is_replaced(frame: str, kind: str, shape: str) -> None:
    rng, leaked = _rng(), []
    for _ in range(40):
        secret = samples.fill(shape, rng)
        text = samples.planted(frame, secret)
        if _leaks(text, secret) or kind not in {finding.type for finding in redact(text).findings}:
            leaked.append(text)
    assert len(leaked) <= 2, leaked[:3]


def test_lines_without_a_secret_are_left_unchanged() -> None:
    rng = _rng()
    wrong = {
        (line, redact(line).text)
        for _ in range(25)
        for line in samples.plain_lines(rng)
        if redact(line).findings
    }
    assert not wrong, sorted(wrong)[:5]


def test_lines_without_a_secret_have_none_when_they_stand_together_or_in_json() -> None:
    text = "\n".join(samples.plain_lines(_rng()))
    assert redact(text).findings == ()
    assert redact(json.dumps({"output": text})).findings == ()


def test_a_password_in_a_sentence_goes_and_the_sentence_stays() -> None:
    found = redact("The staging password is hunter2-Stag1ng, ask Bob.")
    assert found.text.startswith("The staging password is [REDACTED:password:")
    assert found.text.endswith("], ask Bob.")


def test_a_passed_test_is_no_password() -> None:
    for line in (
        "--- PASS: TestX/with_2_rows (0.00s)",
        "PASS: TestToken2",
        "✅ PASS (`a/b23136d`)",
    ):
        assert redact(line).text == line


def test_a_secret_of_many_lines_goes_whole_however_it_is_written() -> None:
    block = samples.pem(_rng())
    body = [line for line in block.splitlines() if "KEY" not in line]
    for text in (
        block,
        '"key": "' + block.replace("\n", "\\n") + '"',
        "\n".join(f"2026-01-01 12:00:00 {line}" for line in block.splitlines()),
        "\n".join(f'    "{line}\\n" +' for line in block.splitlines()),
        block[:400],
    ):
        left = redact(f"before\n{text}\nafter").text
        assert "[REDACTED:private-key:" in left
        assert left.startswith("before\n")
        assert left.endswith("after") or text == block[:400]
        assert not any(line in left for line in body[:6])


def test_a_long_value_leaves_no_tail() -> None:
    secret = "".join(samples.fill("{B40}", random.Random(i)).strip("aZ+/") for i in range(40))
    assert secret[-200:] not in redact(f'"session_token": "{secret}", "x": 1').text
    assert redact(f"session_token={secret} x").text.endswith("] x")


def test_the_keyed_stamp_tells_equal_secrets_apart_only_under_one_key() -> None:
    rng = _rng()
    one, two = (samples.fill("gh¦p_{A36}", rng) for _ in range(2))
    stamps = [f.fingerprint for f in redact(f"{one} {two} {one}", b"home").findings]
    assert stamps[0] == stamps[2] != stamps[1]
    assert redact(one, b"other").findings[0].fingerprint != stamps[0]


def test_findings_point_at_the_secret_in_the_original_text() -> None:
    secret = samples.fill("np¦m_{A36}", _rng())
    text = f"ключ 🔑 İ {secret} конец, пароль: hunter2-Stag1ng"
    first, second = redact(text).findings
    assert text[first.start : first.end] == secret
    assert text[second.start : second.end] == "hunter2-Stag1ng"
    assert redact(text).text.startswith("ключ 🔑 İ [REDACTED:npm-token:")


def test_redacting_twice_changes_nothing() -> None:
    rng = _rng()
    for frame in (f for forms in samples.FORMS.values() for f in forms):
        once = redact(samples.planted(frame, samples.fill("{A9}!7a", rng))).text
        assert redact(once).text == once


_PIECES = st.one_of(
    st.sampled_from(
        [
            "password", "token=", "secret: ", "api key ", "://a:", "@", '"', "'", "\\", "\\n", "\n", " is ", " as the ",
            "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "Bearer ", "sig=", "%3D", "curl -u ", "mysql -p",
            "Q~", "sk-", "[REDACTED:", "[REDACTED:password:1a2b3c4d]", "パスワードは", "PASS: ", "<password>", "...", "(", ";",
        ]
    ),
    st.text("abcXYZ0189!@#$_-+/=.", min_size=1, max_size=30),
    st.sampled_from([frame for forms in samples.FORMS.values() for frame in forms]).map(
        lambda frame: frame.replace("§", "hunter2-Stag1ng")
    ),
)  # fmt: skip


@settings(max_examples=drawn(400), deadline=None)
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_redacting_twice_changes_nothing_in_made_up_tangles_either(text: str) -> None:
    found = redact(text)
    assert redact(found.text).text == found.text
    assert all(0 <= f.start < f.end <= len(text) for f in found.findings)
    assert all(a.end <= b.start for a, b in zip(found.findings, found.findings[1:], strict=False))


@settings(max_examples=drawn(100), deadline=None)
@given(st.text(max_size=300))
def test_any_text_survives_and_ordinary_text_is_unchanged(text: str) -> None:
    found = redact(text)
    assert redact(found.text).text == found.text
    assert found.findings or found.text == text


@pytest.mark.parametrize(
    "piece",
    [
        "token=", "://a:", "-----BEGIN PRIVATE KEY-----", "a", "-eyJaaaaaaaaaaaaaaaaa", "pass='1a", "auth:", "password is ",
        "curl -u ", "_ghp_", ":*:", "db:5432:", "$2a$10$", "login a password ", "npm a1b2c3d4e5f6g7h8i9j0 ", "[REDACTED:password:1a2b3c4d]", "token: \\\\\\\"",
        "sk-", "\\\\\\\"", 'const password = "a1", ', "{ password: ('",
    ],
)  # fmt: skip
def test_the_scan_ends_on_long_hostile_lines(piece: str) -> None:
    line = piece * (100_000 // len(piece))
    assert len(redact(line).text) > 0


@pytest.mark.parametrize("value", ["q7!Kd[9zW]", "s3cr3t-(x9)"])
def test_a_bracket_closed_inside_a_password_is_redacted_with_it(value: str) -> None:
    found = redact(f"run it with --password {value}")
    assert found.text.startswith("run it with --password [REDACTED:password:")
    assert found.text.endswith("]")
    assert not found.text.endswith(("]]", ")"))


def test_a_bracket_around_a_password_stays() -> None:
    found = redact("ask for access (password: q7!Kd9zWp) first")
    assert found.text.startswith("ask for access (password: [REDACTED:password:")
    assert found.text.endswith("]) first")


@pytest.mark.parametrize("value", ["Xk!pWq#z", "Gr!tWpQx"])
def test_a_short_password_of_letters_and_symbols_needs_no_digit(value: str) -> None:
    assert not redact(f'password = "{value}"').text.count(value)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("gh¦p_uE1tSVl17a1LY5J0XZMgeQKmYuYjnv3dpaAh-pass 8SNKa254RNjcTT,pass x", "8SNKa254RNjcTT"),
        ("np¦m_jMAHO8g29iaQ0vAbsqxIbbNj67CSSEqMIM9d-password=0URJam2xG2094Q end", "0URJam2xG2094Q"),
    ],
)
def test_a_password_whose_name_only_shows_once_the_token_before_it_is_replaced_is_found(
    text: str, secret: str
) -> None:
    redacted = redact(text.replace("¦", "")).text
    assert secret not in redacted
    assert redacted.count("[REDACTED:") == 2


@pytest.mark.parametrize("escape", ["\\n", "\\r", "\\t", "%0A", "%0D", "%26", "\n", "\t", "&", "?"])
@pytest.mark.parametrize("name", ["PASSWORD=", "password=", "api_key=", "token: ", "Secret="])
def test_a_secret_is_found_behind_a_name_that_follows_an_escape(escape: str, name: str) -> None:
    text = f"a=1{escape}{name}vazkg2jyTqky1"
    redacted = redact(text).text
    assert redacted.startswith(f"a=1{escape}{name}[REDACTED:")
    assert "vazkg2" not in redacted


@pytest.mark.parametrize(
    "frame",
    [
        "define('AUTH_KEY',         '{}');",
        "define('NONCE_SALT',       '{}');",
        "SECRET_KEY = '{}'",
        'PASSWORD = os.environ.get("DB_PASSWORD") or "{}"',
    ],
)
@pytest.mark.parametrize(
    "key",
    [
        "zR!=!gq(w^_t[sBR29954x)HI+$ehwss*xYNQeu([xcWMhdzzr",
        "Rk 4qYM*cJ]tVp;=8e~(Hn1&|zX>L}g+Wd#2B@_u5.yS%F{a7^oQ<mI,j9!T$rGw",
    ],
)
def test_a_key_drawn_from_all_that_can_be_printed_is_redacted(key: str, frame: str) -> None:
    assert key not in redact(frame.format(key)).text


@pytest.mark.parametrize(
    "text",
    [
        "API_TOKEN_PATTERN = '^[A-Za-z0-9!#$%&*+.^_|~-]{1,20}@(?:[0-9]{1,3}:)+$'",
        "password_hint = 'At least 8 letters, 1 digit (0 or 1), and 1 of: ! # $ % & * + - ~'",
        "SALT = 'kosher, 2 g per 100 ml'",
        "password:\n  from_env: PG_PASSWORD_2\n",
        "The token:\n\n- expires_after_24_hours\n",
        "paswords = read_rows(8)",
    ],
)
def test_values_that_only_resemble_a_key_or_its_name_are_not_redacted(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("frame", "secret"),
    [
        ("the password is {} now", "vazkg2-jyTqky-qpgecn"),
        ("{}", "uxudcj-bhwai5-veqDva"),
        ("PSWD: {}", "Scfuzl62AXRVJOEU"),
        ('db_pasword = "{}"', "q4c1a2oPdX"),
        ("Client secret:\n\n{}\n\nKeep it.", "b11d4c2c825c1de445f61101bf6716f8aa551623"),
        ("**API key:**\n```\n{}\n```", "b11d4c2c825c1de445f61101bf6716f8aa551623"),
        ('<Pass encoding="base64">{}</Pass>', "NjllNWU5ZWMwZDU0MmU5Y2QwOTY4MWM5YzZhMDdk"),
        ('<server host="h" password="{}" port="21"/>', "dff9dfdfdfdadfcfdfd8dff9dfcfdfcfdfc9dfd8"),
    ],
)
def test_passwords_of_tools_and_their_names_are_redacted(frame: str, secret: str) -> None:
    assert secret not in redact_whole(frame.format(secret))


def test_a_program_that_requires_a_module_or_verifies_a_token_is_no_test() -> None:
    key = "b11d4c2c825c1de445f61101bf6716f8aa551623"
    for line in (
        "require('dotenv').config();",
        "require_once(ABSPATH . 'x.php');",
        "verifyToken(t)",
    ):
        assert key not in redact(f"{line}\nconst apiKey = '{key}';\n").text
    for line in ("  verify(repository).save(any())", "require.NoError(t, err)"):
        assert key in redact(f"{line}\nconst apiKey = '{key}';\n").text
