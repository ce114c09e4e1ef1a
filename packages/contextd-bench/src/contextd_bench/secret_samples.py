"""Made-up secrets of many shapes (`secret_shapes.py`), and frames to put them in. They are assembled when they are
needed, so that no scanner of this repository mistakes one for a leak.

`FORMS` are ways in which people, programs and files write a secret beside its name.
"""

from __future__ import annotations

import random
import re
import string
from importlib.resources import files

_SETS = {
    "A": string.ascii_letters + string.digits,
    "W": string.ascii_letters + string.digits + "_-",
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase + string.digits,
    "H": "0123456789abcdef",
    "B": string.ascii_letters + string.digits + "+/",
    "D": string.digits,
    "2": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}

_BREAK = "¦"
"""Stands in the middle of what scanners look for, and is taken out again."""

FRAMES = (
    "export THE_VALUE=§",
    '{"value": "§", "other": 1}',
    "it answered with §, so I tried again",
    "value: '§'",
    'curl -s -H \\"X: §\\" https://api.test/v1',
    "§",
    "k=§\nnext line",
    "GET /v1/things?t=§&page=2",
    '{"text": "one\\n§\\ntwo"}',
    "callback=https%3A%2F%2Fx.test%2F%3Ft%3D§%26b%3D1",
    "`§` is the one",
    "see (§).",
    "\x1b[32m§\x1b[0m",
    "| name | § | 2026 |",
)
"""Texts around a secret, at §, that say nothing of what it is."""

PASSWORDS = (
    "hunter2-Stag1ng", "{A9}!7a", "T4o{A6}", "Sunfl0wer#{D4}", "{A4}-{A4}-{A4}9x", "x9{A6}", "p4&{A5}?{A4}Zq",
    "Winter{D4}!", "{L12}7", "k{A3}$%{A5}1", "Qz4.{A10}", "{A8}@2b",
)  # fmt: skip
SECRETS = ("{H32}", "{H40}", "{A24}4b", "{A32}", "{W40}7Q", "{B40}", "{H64}", "sk{A20}9x")

FORMS: dict[str, tuple[str, ...]] = {
    "files of settings": (
        "DB_PASSWORD=§",
        "export PGPASSWORD='§'",
        'ADMIN_PASS="§"',
        "SMTP_PWD: §",
        "  password: §",
        "db.password = §",
        "spring.datasource.password=§",
        '"password": "§",',
        "password = '§'",
        "root_password=§ # staging",
        "[db]\npasswd = §\n",
        "- name: DB_PASSWORD\n  value: §",
        "<password>§</password>",
        '<add key="DbPassword" value="§" />',
        "ENV APP_PASSWORD=§",
        "      MYSQL_ROOT_PASSWORD: '§'",
        "passphrase: §",
        "| password | § |",
        "machine api.test login bob password §",
        "password: |\n    §",
        "db.test:5432:shop:app:§",
        "<property><name>db.password</name><value>§</value></property>",
        "<key>ProxyPassword</key>\n\t<string>§</string>",
    ),
    "code": (
        'password = "§"',
        "const dbPassword = '§';",
        'String password = "§";',
        'conn.setPassword("§")',
        "password: str = '§'",
        'os.environ["DB_PASSWORD"] = "§"',
        'define("DB_PASSWORD", "§");',
        "PASSWORD := `§`",
        'if (password == "§") {',
        'let userPassword: string = "§"',
        'var dbPassword string = "§"',
        "$dbPassword .= '§';",
        ":password => '§',",
        'dict(user="bob", password="§")',
        'getenv("DB_PASSWORD") or "§"',
        '#define PASSWORD "§"',
    ),
    "escaped and encoded": (
        '{\\"password\\":\\"§\\"}',
        '{\\\\\\"password\\\\\\":\\\\\\"§\\\\\\"}',
        '"A=1\\nPASSWORD=§\\nB=2"',
        "next=%2Flogin%3Fpassword%3D§%26b%3D1",
        "user=bob&password=§&remember=1",
        '"--env=DB_PASSWORD=§"',
        "password&#x3D;§",
        '{"a": "the password is \\"§\\""}',
    ),
    "command lines and connections": (
        "tool --password § --verbose",
        "tool --password=§",
        "mysql -uroot -p§ shop",
        "sshpass -p '§' ssh x.test",
        "docker login -u bob -p § registry.test",
        "curl -u bob:§ https://x.test",
        "curl https://x.test \\\n  -u bob:§",
        "redis-cli -h x.test -a § ping",
        "Server=db;User Id=sa;Password=§;Database=x",
        "jdbc:mysql://db/x?user=a&password=§&ssl=true",
        "postgres://app:§@db.test:5432/main",
        "host=db user=app password=§ dbname=x",
        "$env:DB_PASSWORD = '§'",
        "CREATE USER bob WITH PASSWORD '§';",
        "ALTER USER bob IDENTIFIED BY '§'",
        "set PASSWORD=§",
    ),
    "sentences": (
        "The staging password is §",
        "the password for the staging box is §, ask Bob",
        "Password: `§`",
        "**Password:** §",
        "log in as admin with the password §",
        "use § as the database password",
        "set the password to §",
        "The root password was changed to § yesterday.",
        "Our db password (staging) is: §",
        "pw is §",
        "I used the password '§' and it worked",
        "user bob, pass: §",
        "§ is the new password",
        "//§ is the password",
    ),
    "beside a user": (
        "log in with admin / §",
        "Login to staging as bob with § first",
        "use deploy / § to log in",
        "the credentials are qa@shop.test / §",
        "creds: `admin:§`",
    ),
    "sentences in other languages": (
        "Das Passwort lautet §",
        "Das Passwort für den Server ist §.",
        "Kennwort: §",
        "Le mot de passe est §",
        "mot de passe : §",
        "La contraseña es §",
        "contraseña de producción: §",
        "A senha é §",
        "パスワードは§です。",
        "パスワード：§",
        "密码是§",
        "密码: §",
        "비밀번호는 § 입니다",
        "пароль: §",
    ),
}
"""Ways to write a password, at §, beside a name for it."""

KEYS: dict[str, tuple[str, ...]] = {
    "files of settings": (
        "API_KEY=§",
        "export STRIPE_SECRET='§'",
        "  client_secret: §",
        '"apiKey": "§"',
        "secret_key = '§'",
        "ENCRYPTION_KEY: §",
        "//registry.test/:_authToken=§",
        "AccountKey=§;EndpointSuffix=core",
        "aws_secret_access_key = §",
        "AZURE_DEVOPS_PAT=§",
        "- name: API_TOKEN\n  value: §",
    ),
    "code": (
        'api_key = "§"',
        "const apiKey = '§';",
        'client = Client(token="§")',
        "headers['X-Api-Key'] = '§'",
        'Config{ClientSecret: "§"}',
        'env("SERVICE_TOKEN", "§")',
        "access_token => '§'",
    ),
    "escaped and encoded": (
        '{\\"token\\":\\"§\\"}',
        '"A=1\\nAPI_TOKEN=§\\nB=2"',
        "https://x.test/a?access_token=§&b=1",
        "u=%3Fapi_key%3D§%26b",
    ),
    "command lines and headers": (
        "tool --token §",
        "tool --api-key=§",
        "Authorization: Bearer §",
        "'authorization': 'Token §'",
        "X-Api-Key: §",
        "PRIVATE-TOKEN: §",
        'curl -H "X-Auth-Token: §" https://x.test',
    ),
    "sentences": (
        "my api key: §",
        "the API key is §",
        "use token § for the API",
        "The access token for staging is §.",
        "Der API-Key lautet §",
        "our client secret is '§'",
    ),
}
"""Ways to write what a machine made, at §, beside a name for it."""

PLACES = (
    ("https://bot:§@git.test/x.git", "url-password", "{A20}"),
    ("https://hooks.slack.com/services/§", "webhook", "T{U8}/B{U8}/{A24}"),
    ("hooks.slack.com\\/services\\/§", "webhook", "T{U8}\\/B{U8}\\/{A24}"),
    ("https://discord.com/api/webhooks/§", "webhook", "{D18}/{W68}"),
    ("https://x.blob.test/c?sv=2022&sig=§&se=1", "signature", "{A43}%3D"),
    ("HEROKU_API_KEY=§", "secret", "{H8}-{H4}-{H4}-{H4}-{H12}"),
    ("client: §", "azure-client-secret", "{A3}8Q~{A8}.{A10}~{A10}-{A3}"),
    ("https://api.telegram.org/bot§/getMe", "telegram-token", "{D9}:AA{W33}"),
    ("AKIA¦2E0A8F3B244C9986 and §", "aws-access-key", "{B40}"),
    ("A¦C0123456789abcdef0123456789abcdee / §", "twilio-key", "{H32}"),
    ("db.test:5432:shop:app:§", "password", "{A12}"),
    ("*:*:*:postgres:§", "password", "{A12}"),
    ("bob:§", "password-hash", "$ap¦r1${A8}${A22}"),
    ("bob:§", "password-hash", "$2¦y$10${A53}"),
    ("root:§:19000:0:99999:7:::", "password-hash", "$6¦${A16}${A86}"),
    ("password_hash = '§'", "password-hash", "$argon¦2id$v=19$m=65536,t=3,p=4${A22}${A43}"),
    ("'§'", "password-hash", "pbkdf2_¦sha256$600000${A22}${A43}="),
    (
        "    client-key-data: §",
        "encoded-private-key",
        "LS0tLS1¦CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0t{B120}",
    ),
    ("SECRET_KEY = 'django-¦insecure-§'", "secret", "{L12}$(x!k9@p=_w-z)v5%{L10}&q2*h"),
    ("The type §, as it is read", "npm-token", "np¦m {L36}"),
    ("as a tag: §", "aws-access-key", "ak¦ia{D3}{L13}"),
    ("cut off at §", "github-token", "gh¦p_{A16}7{A5}4"),
    ("cut off at §", "jwt", "ey¦JhbGciOiJI{A12}.ey¦JzdWIi{A30}"),
    ("Cookie: theme=dark; sessionid=§; lang=en", "cookie", "{A32}"),
)
"""(text, type, shape) of secrets that are told by where they stand."""


def fill(shape: str, rng: random.Random) -> str:
    """A sample of `shape`, in which `{X9}` stands for nine characters of the set X."""

    def run(match: re.Match[str]) -> str:
        letters = _SETS[match[1]]
        made = "".join(rng.choices(letters, k=int(match[2])))
        # A token's first and last characters are letters or digits in all of these formats.
        return made if match[1] in "UHDLA2" else "a" + made[1:-1] + "Z"

    return re.sub(r"\{([A-Z2])(\d+)\}", run, shape).replace(_BREAK, "")


def planted(frame: str, secret: str) -> str:
    """A frame with a secret in its place."""
    return frame.replace(_BREAK, "").replace("§", secret)


def pem(rng: random.Random) -> str:
    """A block that looks like a private key."""
    body = "\n".join("".join(rng.choices(_SETS["B"], k=64)) for _ in range(12))
    kind = "RSA PRIV" + "ATE KEY"
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


def plain_lines(rng: random.Random) -> list[str]:
    """Lines that look a little like secrets and are none."""

    def take(letters: str, count: int) -> str:
        return "".join(rng.choices(_SETS[letters], k=count))

    uuid = "-".join(take("H", n) for n in (8, 4, 4, 4, 12))
    text = (files("contextd_bench") / "plain_lines.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("# ")]
    for name, value in {
        "UUID": uuid, "HASH7": take("H", 7), "HASH40": take("H", 40), "HASH64": take("H", 64),
        "BASE86": take("B", 86), "BASE43": take("B", 43), "BASE200": take("B", 200), "NAME12": take("L", 12),
    }.items():  # fmt: skip
        lines = [line.replace(f"<<{name}>>", value) for line in lines]
    return lines
