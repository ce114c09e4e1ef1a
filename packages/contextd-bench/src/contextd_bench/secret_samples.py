"""Made-up secrets of many shapes, and frames to put them in. They are assembled when they are needed,
so that no scanner of this repository mistakes one for a leak.

Prefixes and lengths of `SHAPES` follow the providers' documentation; `FORMS` are ways in which people,
programs and files write a secret beside its name.
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

SHAPES: dict[str, tuple[str, ...]] = {
    "aws-access-key": ("AKIA¦{U16}", "ASIA¦{U16}", "A3¦T{U17}", "ak¦ia{D4}{L12}"),
    "encoded-private-key": ("LS0tLS1¦CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{B200}",),
    "github-token": ("gh¦p_{A36}", "gh¦o_{A36}", "gh¦s_{A36}"),
    "github-fine-grained": ("github¦_pat_{A22}_{A59}",),
    "gitlab-token": (
        "gl¦pat-{W20}",
        "gl¦ptt-{H40}",
        "gl¦rt-{W20}",
        "gl¦pat-{W27}.01.{L9}",
        "GR¦1348941{W20}",
    ),
    "slack-token": ("xox¦b-{D12}-{D13}-{A24}", "xox¦p-{D12}-{D12}-{D12}-{H32}"),
    "slack-app": ("xapp¦-1-{U11}-{D13}-{H64}",),
    "anthropic-key": ("sk¦-ant-api03-{W93}AA", "sk¦-ant-admin01-{W93}AA"),
    "openai-key": ("sk¦-{A20}T3BlbkFJ{A20}", "sk¦-proj-{W74}T3BlbkFJ{W74}", "sk¦-svcacct-{W74}"),
    "openrouter-key": ("sk¦-or-v1-{H64}",),
    "google-api-key": ("AI¦za{W35}",),
    "google-oauth-secret": ("GOC¦SPX-{W28}",),
    "google-access-token": ("ya¦29.{W120}",),
    "stripe-key": ("sk¦_live_{A24}", "rk¦_live_{A24}", "sk¦_test_{A99}"),
    "deepseek-key": ("sk¦-{H32}",),
    "google-refresh-token": ("1/¦/0{A60}",),
    "nuget-key": ("o¦y2{L43}",),
    "clojars-token": ("CLO¦JARS_{L60}",),
    "docker-swarm-token": ("SWM¦TKN-1-{L50}-{L25}", "SWM¦KEY-1-{A43}"),
    "aws-bedrock-key": ("AB¦SK{A128}", "bed¦rock-api-key-{A60}"),
    "bitbucket-token": ("BB¦DC-{A44}",),
    "together-key": ("tg¦p_v1_{A43}",),
    "tavily-key": ("tv¦ly-{A40}",),
    "fireworks-key": ("f¦w_{A24}",),
    "cerebras-key": ("cs¦k-{L48}",),
    "llamacloud-key": ("ll¦x-{A48}",),
    "nvidia-key": ("nv¦api-{W64}",),
    "elevenlabs-key": ("s¦k_{H48}",),
    "pinecone-key": ("pc¦sk_{A70}",),
    "langfuse-key": ("sk¦-lf-{H8}-{H4}-{H4}-{H4}-{H12}",),
    "posthog-key": ("ph¦c_{A43}", "ph¦x_{A43}"),
    "azure-key": ("{A52}JQ¦QJ99{A24}",),
    "instagram-token": ("IG¦QV{A140}",),
    "nats-seed": ("S¦U{256}", "S¦A{256}"),
    "alibaba-key": ("LT¦AI{A20}",),
    "artifactory-token": ("AK¦Cp{A69}", "cmV¦mdGtuO{A55}"),
    "cloudflare-token": ("v¦1.0-{H24}-{H146}", "cf¦ut_{A48}"),
    "defined-networking-token": ("dn¦key-{U26}-{U52}",),
    "dropbox-token": ("s¦l.{W140}",),
    "duffel-token": ("duf¦fel_live_{A43}",),
    "easypost-key": ("EZ¦AK{A54}", "EZ¦TK{A54}"),
    "flutterwave-key": ("FLW¦SECK-{A32}-X",),
    "frameio-token": ("fi¦o-u-{A64}",),
    "harness-token": ("pa¦t.{A22}.{H24}.{A20}",),
    "hubspot-token": ("pa¦t-na1-{H8}-{H4}-{H4}-{H4}-{H12}",),
    "asana-token": ("1/{D16}¦:{H32}",),
    "circleci-token": ("CCI¦PAT_{A64}",),
    "clickup-token": ("p¦k_{D7}_{U32}",),
    "contentful-token": ("CF¦PAT-{A43}",),
    "crates-token": ("ci¦o{A32}",),
    "mongodb-token": ("mdb¦_sa_sk_{A40}",),
    "segment-token": ("sg¦p_{A64}",),
    "telnyx-key": ("KE¦Y0{A55}",),
    "infracost-key": ("ic¦o-{A32}",),
    "intra42-secret": ("s-¦s4t2ud-{H64}",),
    "launchdarkly-key": ("sd¦k-{H8}-{H4}-{H4}-{H4}-{H12}",),
    "mapbox-token": ("s¦k.ey{A80}.{A22}",),
    "maxmind-key": ("{A6}_{A29}_m¦mk",),
    "octopus-key": ("AP¦I-{U26}",),
    "openshift-token": ("sha¦256~{W43}",),
    "paypal-token": ("access¦_token$production${L16}${H32}",),
    "plaid-token": ("access¦-sandbox-{H8}-{H4}-{H4}-{H4}-{H12}",),
    "prefect-key": ("pn¦u_{A36}",),
    "readme-key": ("rd¦me_{L70}",),
    "render-key": ("rn¦d_{A32}",),
    "resend-key": ("r¦e_{A8}_{A24}",),
    "salesforce-token": ("0¦0D{A13}!{A96}",),
    "scalingo-token": ("tk¦-us-{W48}",),
    "settlemint-token": ("sm¦_aat_{A16}",),
    "shippo-token": ("ship¦po_live_{H40}",),
    "snowflake-token": ("ver:¦1-hint:{D6}-ETMs{A120}",),
    "sonarqube-token": ("sq¦u_{H40}", "sq¦p_{H40}"),
    "sourcegraph-token": ("sg¦p_{H16}_{H40}",),
    "stackhawk-key": ("ha¦wk.{W20}.{W20}",),
    "typeform-token": ("tf¦p_{A44}",),
    "vercel-token": ("vc¦p_{A24}",),
    "wundergraph-token": ("cos¦mo_{H32}",),
    "yandex-token": ("t¦1.{A40}.{A86}",),
    "yandex-key": ("AQ¦VN{A35}", "YC¦AJ{A36}"),
    "authress-key": ("sc¦_{L20}.{L4}.acc_{L16}.{L48}",),
    "1password-key": ("A¦3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}",),
    "stripe-webhook": ("whs¦ec_{A32}",),
    "npm-token": ("np¦m_{A36}",),
    "pypi-token": ("py¦pi-AgEIcHlwaS5vcmc{W120}",),
    "rubygems-key": ("ruby¦gems_{H48}",),
    "docker-token": ("dckr¦_pat_{W27}",),
    "huggingface-token": ("h¦f_{A34}",),
    "digitalocean-token": ("do¦p_v1_{H64}", "do¦o_v1_{H64}"),
    "sendgrid-key": ("S¦G.{W22}.{W43}",),
    "twilio-key": ("S¦K{H32}", "A¦C{H32}"),
    "telegram-token": ("{D9}¦:AA{W33}", "{D10}¦:AA{W33}"),
    "discord-token": ("M¦TA4{A20}.{A6}.{W27}", "N¦zE5{A22}.{W6}.{W38}"),
    "heroku-key": ("HR¦KU-{H8}-{H4}-{H4}-{H4}-{H12}", "HR¦KU-AA{W58}"),
    "shopify-token": ("shp¦at_{H32}", "shp¦ss_{H32}"),
    "square-token": ("sq¦0atp-{W22}", "sq¦0csp-{W43}", "EA¦AA{W58}"),
    "mailgun-key": ("ke¦y-{H32}", "{H32}¦-{H8}-{H8}", "pub¦key-{H32}"),
    "mailchimp-key": ("{H32}¦-us12",),
    "newrelic-key": (
        "NR¦AK-{U27}",
        "NR¦II-{A32}",
        "{H36}¦NRAL",
        "eu01xx{H30}¦NRAL",
        "NRAA¦-{H27}",
        "NR¦JS-{H19}",
    ),
    "dependency-track-key": ("od¦t_{A32}", "od¦t_{A36}"),
    "twitch-stream-key": ("live¦_{D9}_{A30}",),
    "grafana-token": ("gl¦sa_{A32}_{H8}", "gl¦c_{A80}=", "eyJ¦rIjoi{A80}"),
    "databricks-token": ("da¦pi{H32}",),
    "linear-key": ("lin¦_api_{A40}",),
    "notion-token": ("nt¦n_{A46}", "sec¦ret_{A43}"),
    "atlassian-token": ("ATA¦TT3{W186}",),
    "vault-token": ("hv¦s.{W95}", "hv¦b.{W138}", "s¦.{A24}"),
    "doppler-token": ("d¦p.pt.{A43}", "d¦p.st.dev.{A43}"),
    "pulumi-token": ("pu¦l-{H40}",),
    "planetscale-token": ("psc¦ale_tkn_{W43}",),
    "postman-key": ("PM¦AK-{H24}-{H34}", "PM¦AT-{U26}"),
    "figma-token": ("fi¦gd_{W43}",),
    "airtable-token": ("pa¦t{A14}.{H64}",),
    "sentry-token": ("snt¦ryu_{H64}", "snt¦rys_{A80}"),
    "perplexity-key": ("pp¦lx-{A48}",),
    "groq-key": ("gs¦k_{A52}",),
    "xai-key": ("xa¦i-{A80}",),
    "replicate-token": ("r¦8_{A37}",),
    "langsmith-key": ("lsv¦2_pt_{H32}_{H10}",),
    "age-secret-key": ("AGE-SEC¦RET-KEY-1{U58}",),
    "jwt": ("ey¦JhbGciOiJI{A12}.ey¦JzdWIi{A60}.{W43}",),
    "terraform-token": ("{A14}¦.atlasv1.{A67}",),
    "supabase-key": ("sb¦p_{H40}", "sb¦_secret_{A31}"),
    "buildkite-token": ("bk¦ua_{H40}",),
    "dynatrace-token": ("dt¦0c01.{U24}.{U64}",),
    "netlify-token": ("nf¦p_{A36}",),
    "tailscale-key": ("ts¦key-auth-{A17}-{A32}",),
    "brevo-key": ("xkey¦sib-{H64}-{A16}",),
    "clickhouse-key": ("4b¦1d{A38}",),
    "1password-token": ("op¦s_eyJ{A250}",),
    "facebook-token": ("EA¦ACEdEose0c{A90}", "EA¦AG{A110}", "{D16}|{A27}"),
    "adobe-secret": ("p8¦e-{A32}",),
    "fly-token": ("fo¦1_{A43}", "fm¦2_{A120}"),
}

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
