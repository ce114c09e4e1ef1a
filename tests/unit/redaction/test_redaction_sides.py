"""Both sides of each rule that keeps text readable: what is left, and the secret next to it that is not."""

from __future__ import annotations

import json
import random
import string

import pytest

from contextd.redaction.redact import redact, redact_json
from contextd.redaction.test_literals import without_literals_of_tests

KEY = "q7Zr2LmX9vTb4KdW8sHn3PcY"
HASH = "$2y$10$" + "Hdxlvi7OZqK3fKVNypJsvJqQcmOo3HnnT6w7fec9FRTRYxAhuCOaa"
PEM = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
LINES = [f"MIIEogIBAAKCAQEAvLYcyu8f3skuRyUgeeNpeDvYBCDcgq+LsWap6zbX5f8o{i:04d}" for i in range(9)]

SIDES = {
    "a value of a specification": (
        '"access_token": "2YotnFZFEjr1zCsicMWpAA"',
        '"access_token": "2YotnFZFEjr1zCsicMWpBB"',
    ),
    "letters and digits that count up": (
        "access_key: A1B2C3D4E5F6G7H8I9J0",
        "access_key: A1C2Z3D9E5Q6G7H2I9J0",
    ),
    "a sequence in an address": ("postgres://app:12345@db.test/x", "postgres://app:19375@db.test/x"),
    "Base64 of a word for a password": (
        "  client_secret: ZXhhbXBsZS1hcHAtc2VjcmV0",
        "  client_secret: aHVudGVyLVg3cTlMMnZCNG1a",
    ),
    "Base64 of a user and an example": (
        "Authorization: Basic dXNlcm5hbWU6cGFzc3dvcmQ=",
        "Authorization: Basic a2ltOlg3cTlMMnZCNG1a",
    ),
    "an answer of an NTLM handshake": (
        "Authorization: NTLM TlRMTVNTUAADAAAAGAAYAEAAAAAYABgAWAAAAAAAAABwAAAACAAIAHAAAAALAAsAeAAA",
        f"Authorization: NTLM {KEY}",
    ),
    "the token of a form": (
        f'<input type="hidden" name="authenticity_token" value="{KEY}">',
        f'<input type="hidden" name="access_token" value="{KEY}">',
    ),
    "the cursor of a list": (
        f'"@odata.deltaLink": "https://graph.test/tasks/delta?$deltatoken={KEY}"',
        f'"link": "https://graph.test/tasks/delta?$accesstoken={KEY}"',
    ),
    "rules of a form": (
        "'password' => 'required|alpha_dash|string|max:255',",
        "'password' => 'reQ|alp7_D!sh|Xq9',",
    ),
    "the level of a log": ("] password: debug2: channel 2: written", "] password: hunter22: written"),
    "the class of an error": ("'BAD_PASSPHRASE': GpgBadPassphrase,", "'BAD_PASSPHRASE': GpgB4dP!x9qzZ,"),
    "an element of a list": ("Password: &parts[1],", "Password: &pArts7q!x1"),
    "a name for a random string": (
        "APP_KEY=SomeRandomStringOf32CharsExactly",
        "APP_KEY=Xq7mRand9StrQzOf32ChZrsEx4ctly",
    ),
    "Base64 of the first line of a certificate": (
        "  tls.key: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t",
        "  tls_key: LS0tLS1Xq7JTiBDRVZJQ0FURS9x2LmRw8b",
    ),
    "the site key of a captcha": (f'site_key: "{KEY}"', f'secret_key: "{KEY}"'),
    "a key that pages ship": (
        f'api_key = "sb_publishable_{KEY}"',
        f'api_key = "sb_private_{KEY}"',
    ),
    "the words of the name beside it": (
        'replicationPassword: "newReplicationPassword123"',
        'replicationPassword: "newReplica7onWinter123"',
    ),
    "two words that everybody uses": ("mongodb://app:testpwd@db.test/x", "mongodb://app:testp7q9@db.test/x"),
    "constants in an address": ("https://token:MY_API_TOKEN@git.test/x", f"https://token:{KEY}@git.test/x"),
    "the port of a proxy": ("upstream:https://proxy.test:8085@host", "https://kim:8085-Xq7@host"),
    "colours of a terminal": (r"bashPass: \033[32;1mPASSED\033[0m", "bashPass: 32mXq7!PASSwd9"),
    "the version of a package": ("'@scope/password': 5.1.1(@types/node@20.19.43)", "'password': 5z.Q1!v9pX"),
    "a class of a virtual machine": (
        "field JAVA_NET_AUTHENTICATOR: Lokhttp3/Authenticator;",
        f"AUTHENTICATOR_TOKEN: {KEY}",
    ),
    "a member of this": ("filterKey = this.$store.getters.isEnabledK8sV2 ? 1 : 2", f"apiKey = {KEY} ? 1"),
    "the name of a secret at AWS": (
        "arn:aws:secretsmanager:eu:1:secret:SecretName-6RandomCharacters",
        "secret: SecretXq-6Random7Charac9ters",
    ),
    "the message of a shell expansion": ("url=${DB_PASSWORD:?err0r-1s-m1ss1ng}", "DB_PASSWORD:=?err0r-1s-m1ss1ng"),
    "the key of a log of a store": (f"Saved data for key: {KEY}", f"Saved with api key: {KEY}"),
    "a private key with an ellipsis": (
        PEM.format(f"{LINES[0]}\n...\nwrj2wDbCDCFmfqnSJ+dKI3vF"),
        PEM.format("\n".join(LINES)),
    ),
    "a literal in an assertion": (
        f'def test_login():\n    assert login(token="{KEY}").ok',
        f'def login():\n    return login(token="{KEY}").ok',
    ),
    "a hash that a test verifies": (
        f"@Test\nvoid verifies() {{\n  check(\"{HASH}\");\n}}",
        f"void verifies() {{\n  check(\"{HASH}\");\n}}",
    ),
    "a language on Palau": (r'"en_PW":"ingl\u00e9s (Palau)"', '"root_PW":"anglais-Xq7Zr2L"'),
    "an argument to pass": ("It is advised to pass to `to_argv/2` the same", "the password is `to4rgv/2x!Q9`"),
    "a name with a number": (
        'ResourceKey="SystemControlHighlightAccent2RevealBackgroundBrush"',
        f'ResourceApiKey="{KEY}"',
    ),
    "German words": (
        '"server-secret-key": "LwM2M-Server-Geheimschlüssel"',
        '"server-secret-key": "LwM2M-Srv7-Gehq9Xmschl4ssel"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(SIDES))
def test_one_side_stays_readable_and_the_other_is_redacted(name: str) -> None:
    left, taken = SIDES[name]
    assert redact(left).findings == ()
    assert redact(taken).findings != ()


ALWAYS = (
    "gh" + "p_" + "k3JdQm29fLxVzR7tYb0NcWs8HpGu4EaXoi5T",
    "AK" + "IAQWERTZXCVBNMPLKJ",
    PEM.format("\n".join(LINES)),
    "np" + "m_" + "a8JdQm29fLxVzR7tYb0NcWs8HpGu4EaXoi5T",
)


@pytest.mark.parametrize("secret", ALWAYS, ids=["token", "key", "private key", "package token"])
def test_a_secret_with_a_shape_of_its_own_is_redacted_in_a_test_too(secret: str) -> None:
    text = f'def test_login():\n    assert login("{secret}").ok\n'
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "frame",
    [
        "assert x == 1\n\nDB_PASSWORD={}\n",
        "assert x == 1\n\npassword: {}\n",
        "func TestLogin(t *testing.T) {{\n}}\n\nexport TOKEN={}\n",
        "{}\nassert x == 1\n".format("api_key={}"),
        "I assert that the password is '{}'.",
        "assert x == 1\n" + "\n" * 61 + 'token = "{}"',
    ],
)
def test_a_setting_beside_a_test_is_redacted(frame: str) -> None:
    assert KEY not in redact(frame.format(KEY)).text


def test_an_argument_beside_the_output_of_a_test_is_redacted() -> None:
    event = {"output": "def test_a():\n    assert a == 1\n", "input": {"password": KEY}}
    assert KEY not in json.dumps(redact_json(event))


def test_literals_of_a_test_stay_readable_next_to_a_token_that_goes() -> None:
    text = f'def test_login():\n    assert login("{ALWAYS[0]}", token="{KEY}").ok\n'
    once = redact(text).text
    assert ALWAYS[0] not in once
    assert KEY in once
    assert redact(once).text == once


def test_spans_of_a_text_without_a_test_are_kept_as_they_are() -> None:
    spans = [(7, 31, "secret")]
    assert without_literals_of_tests(f'token="{KEY}"', spans) == spans


@pytest.mark.parametrize(
    "line",
    [
        "password=Tiger-Velvet96$",
        "our db password: Pepper-Orbit29%",
        "the password is cTztRZmllQMP7",
        "https://api.test/v1?access_token=8ea58eb0-820a-4f15-9531-41a55ff0dfd1&x=1",
        'const apiKey = "ee57d3d3-275a-4dd3-981b-9a5cd4948405";',
        "    client-key-data: a1B2x9Zq7LmX9vTb4KdW8sHn3PcYq7Zr2LmX9vTb4KdW8sHn3PcY",
        "tag-h" + "f_EqGZNblqEQpJZpXcXrQnUmIAHHeMVTfOSB",
    ],
)
def test_passwords_of_joined_words_and_keys_that_are_uuids_are_redacted(line: str) -> None:
    assert redact(line).findings != ()


def test_a_quote_that_is_escaped_does_not_end_a_secret() -> None:
    text = redact(f'db_password = "{KEY[:9]}\\"{KEY[9:]}"').text
    assert KEY[:9] not in text
    assert KEY[9:] not in text


@pytest.mark.parametrize("length", [128, 129, 300, 1_000])
def test_a_password_of_any_length_without_spaces_is_redacted(length: int) -> None:
    value = "".join(random.Random(length).choices(string.ascii_letters + string.digits, k=length))
    found = redact(f"password={value}").text
    assert value[:20] not in found
    assert value[-20:] not in found
