"""The shapes of secrets that need no label, one row each.

Prefixes and lengths follow the providers' documentation.
"""

from __future__ import annotations

from typing import NamedTuple

SHORTEST_RUN = 20
"""Every token has an unbroken run of at least this many letters, digits, `-` or `_`."""


# A hook that finds no daemon imports this; `dataclasses` would be 7 ms of its 50.
class Rule(NamedTuple):
    """One kind of secret: its name in the replacement, its literal prefixes (empty when it has none),
    and the pattern of what follows them. A secret that is `alone` never follows a `-` or `_`:
    "cache-key-" and a digest are not a key of Mailgun's.
    """

    type: str
    heads: tuple[str, ...]
    body: str
    alone: bool = False


def _rule(kind: str, heads: str, body: str, *, alone: bool = False) -> Rule:
    return Rule(kind, tuple(heads.split()), body, alone)


_W = r"[A-Za-z0-9_\-]"
_A = r"[A-Za-z0-9]"
_H = r"[a-fA-F0-9]"
_L = r"[a-z0-9]"
_B = r"[A-Za-z0-9+/]"
_UUID = rf"{_H}{{8}}-(?:{_H}{{4}}-){{3}}{_H}{{12}}"
_CUT = r"(?=(?:[A-Za-z_\-]*\d){2})"
"""Before a body that may be truncated: half of it is still a secret, and two digits distinguish it from a
name.
"""

_HEX = "0123456789abcdefABCDEF"

_PRIVATE = (
    "BQUklWQVRF", "BSU0EgUFJJ", "BFQyBQUklW", "BFTkNSWVBU", "BPUEVOU1NI", "BEU0EgUFJJ", "BQR1AgUFJJ",
)  # fmt: skip
"""Base64 of what follows "-----BEGIN" in a private key: PRIVATE, RSA, EC, ENCRYPTED, OPENSSH, DSA, PGP."""

TOKENS: tuple[Rule, ...] = (
    _rule("aws-access-key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}"),
    _rule("aws-access-key", "A3T", r"[A-Z0-9]{17}", alone=True),
    # As tags are written, in lower case.
    _rule("aws-access-key", "akia asia", r"(?=(?:[a-z]*\d){3})[a-z0-9]{16}", alone=True),
    _rule("aws-bedrock-key", "ABSK", rf"{_B}{{109,269}}={{0,2}}"),
    _rule("aws-bedrock-key", "bedrock-api-key-", rf"{_B}{{28,4000}}={{0,2}}"),
    _rule("contextd-token", "ctxd_", rf"[a-z0-9\-]{{1,63}}_{_W}{{20,64}}"),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"(?:{_A}{{36,255}}|{_CUT}{_A}{{16,35}})"),
    _rule("github-fine-grained", "github_pat_", r"[A-Za-z0-9_]{22,255}"),
    _rule(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glrtr- glwt-",
        rf"{_W}{{20,300}}(?:\.[0-9a-z.]{{2,14}})?",
    ),
    _rule("gitlab-token", "GR1348941", rf"{_W}{{20}}"),
    _rule(
        "slack-token",
        "xoxa xoxb xoxc xoxe xoxo xoxp xoxr xoxs",
        r"(?:\.xox[a-z])?-[A-Za-z0-9\-]{16,250}",
    ),
    _rule("slack-app", "xapp-", r"\d-[A-Za-z0-9\-]{20,250}"),
    _rule("anthropic-key", "sk-ant-", rf"[a-z]{{3,8}}\d\d-{_W}{{16,130}}"),
    Rule(
        "encoded-private-key",
        tuple(f"LS0tLS1CRUdJTi{kind}" for kind in _PRIVATE),
        rf"{_B}{{24,9000}}={{0,2}}",
    ),
    _rule("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"{_W}{{20,220}}"),
    _rule("openai-key", "sk-", rf"{_A}{{40,64}}"),
    _rule("deepseek-key", "sk-", r"[0-9a-f]{32}"),
    _rule("openrouter-key", "sk-or-v1-", rf"{_H}{{64}}"),
    _rule("google-api-key", "AIza", rf"(?:{_W}{{35}}|{_CUT}{_W}{{24,34}})"),
    _rule("google-oauth-secret", "GOCSPX-", rf"{_W}{{28}}"),
    _rule("google-access-token", "ya29.", rf"{_W}{{20,2000}}"),
    _rule("google-refresh-token", "1//0", rf"{_W}{{40,200}}"),
    _rule(
        "stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", rf"{_A}{{24,250}}"
    ),
    _rule("stripe-webhook", "whsec_", r"[A-Za-z0-9+/=]{24,100}"),
    _rule("npm-token", "npm_", rf"(?:{_A}{{36}}|{_CUT}{_A}{{20,35}})"),
    _rule("pypi-token", "pypi-AgE", rf"{_W}{{50,1000}}"),
    _rule("rubygems-key", "rubygems_", rf"{_H}{{48}}"),
    _rule("nuget-key", "oy2", r"[a-z0-9]{43}", alone=True),
    _rule("clojars-token", "CLOJARS_", rf"{_L}{{60}}"),
    _rule("docker-token", "dckr_pat_ dckr_oat_", rf"{_W}{{24,64}}"),
    _rule("docker-swarm-token", "SWMTKN-1-", rf"{_L}{{40,60}}-{_L}{{20,30}}"),
    _rule("docker-swarm-token", "SWMKEY-1-", rf"{_B}{{40,60}}"),
    _rule("huggingface-token", "hf_ api_org_", rf"(?:{_A}{{34}}|{_CUT}{_A}{{20,33}})"),
    _rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rf"{_H}{{64}}"),
    _rule("sendgrid-key", "SG.", rf"{_W}{{20,32}}\.{_W}{{32,64}}"),
    Rule(
        "twilio-key",
        tuple(f"{two}{first}" for two in ("SK", "AC") for first in _HEX),
        rf"{_H}{{31}}",
    ),
    _rule("telegram-token", "", rf"\d{{8,16}}:A{_W}{{33,35}}"),
    _rule("discord-token", "", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,38}}"),
    _rule("heroku-key", "HRKU-", rf"{_W}{{36,70}}"),
    _rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", rf"{_H}{{32}}"),
    _rule("square-token", "sq0atp- sq0csp- sq0idp-", rf"{_W}{{22,43}}"),
    _rule("square-token", "EAAA", rf"{_W}{{56,60}}", alone=True),
    _rule("mailgun-key", "key-", r"[0-9a-f]{32}", alone=True),
    _rule("mailgun-key", "pubkey-", r"[0-9a-f]{32}"),
    _rule("mailgun-key", "", rf"{_H}{{32}}-{_H}{{8}}-{_H}{{8}}"),
    _rule("mailchimp-key", "", r"[0-9a-f]{32}-us\d{1,2}"),
    _rule("newrelic-key", "NRAK- NRII- NRIQ- NRRA-", rf"{_W}{{27,42}}"),
    _rule("newrelic-key", "NRJS-", r"[0-9a-f]{19}"),
    _rule("newrelic-key", "", r"(?:[a-z]{2}\d\dxx[0-9a-f]{30}|[0-9a-fx]{36})NRAL"),
    _rule("newrelic-key", "NRAA-", r"[a-f0-9]{27}"),
    _rule("grafana-token", "glsa_", rf"{_A}{{32}}_{_H}{{8}}"),
    _rule("grafana-token", "glc_", rf"{_B}{{32,400}}={{0,2}}"),
    _rule("grafana-token", "eyJrIjoi", rf"{_A}{{60,400}}={{0,2}}", alone=True),
    _rule("databricks-token", "dapi", r"[a-f0-9]{32}(?:-\d)?"),
    _rule("linear-key", "lin_api_ lin_oauth_", rf"{_A}{{32,64}}"),
    _rule("notion-token", "ntn_", rf"{_A}{{40,60}}"),
    _rule("notion-token", "secret_", rf"{_A}{{43}}", alone=True),
    _rule("atlassian-token", "ATATT3 ATCTT3 ATBB", r"[A-Za-z0-9_\-=]{24,250}"),
    _rule("bitbucket-token", "BBDC-", rf"{_B}{{40,50}}"),
    _rule("vault-token", "hvs. hvb. hvr.", rf"{_W}{{24,300}}"),
    _rule("vault-token", "s.", rf"(?=(?:[A-Za-z]*\d){{2}}){_A}{{24}}"),
    _rule(
        "doppler-token",
        "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.",
        rf"(?:[a-z0-9\-_]{{2,35}}\.)?{_A}{{40,44}}",
    ),
    _rule("pulumi-token", "pul-", r"[a-f0-9]{40}", alone=True),
    _rule("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[A-Za-z0-9_=.\-]{32,64}"),
    _rule("postman-key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}"),
    _rule("postman-key", "PMAT-", r"[A-Z0-9]{26}"),
    _rule("instagram-token", "IGQV", rf"{_W}{{100,300}}"),
    _rule("nats-seed", "", r"S[ACNOPUX][A-Z2-7]{56}"),
    _rule("figma-token", "figd_ figo_ figu_", rf"{_W}{{40,64}}"),
    _rule("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _rule("sentry-token", "sntrys_", r"[A-Za-z0-9+/=_]{50,700}"),
    _rule("sentry-token", "sntryu_", r"[a-f0-9]{64}"),
    _rule("perplexity-key", "pplx-", rf"{_A}{{40,56}}"),
    _rule("groq-key", "gsk_", rf"{_A}{{48,56}}"),
    _rule("xai-key", "xai-", rf"{_A}{{70,90}}"),
    _rule("together-key", "tgp_v1_", rf"{_W}{{43}}"),
    _rule("tavily-key", "tvly-", rf"{_W}{{32,50}}"),
    _rule("fireworks-key", "fw_", rf"{_A}{{24}}", alone=True),
    _rule("cerebras-key", "csk-", rf"{_L}{{48}}"),
    _rule("llamacloud-key", "llx-", rf"{_A}{{48}}"),
    _rule("nvidia-key", "nvapi-", rf"{_W}{{60,70}}"),
    _rule("elevenlabs-key", "sk_", r"[0-9a-f]{48}", alone=True),
    _rule("pinecone-key", "pcsk_", rf"{_W}{{50,80}}"),
    _rule("replicate-token", "r8_", rf"{_A}{{37}}", alone=True),
    _rule("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[a-f0-9]{32}_[a-f0-9]{10}"),
    _rule("langfuse-key", "sk-lf- pk-lf-", _UUID),
    _rule("posthog-key", "phc_ phx_ phs_ phr_ pha_", rf"{_A}{{40,64}}"),
    _rule("azure-key", "", rf"{_A}{{52}}JQQJ9{_A}{{24,32}}"),
    _rule("age-secret-key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    _rule(
        "jwt",
        "eyI eyJ",
        rf"{_W}{{13,4000}}\.ey{_W}{{9,8000}}(?:\.(?:{_W}{{8,2000}})?)?",
    ),
    _rule("terraform-token", "", rf"{_A}{{14}}\.atlasv1\.{_W}{{60,70}}"),
    _rule("fly-token", "fm1a_ fm1r_ fm2_", r"[A-Za-z0-9+/]{100,1000}={0,3}"),
    _rule("fly-token", "fo1_", rf"{_W}{{43}}"),
    _rule("supabase-key", "sbp_ sbp_v0_", r"[a-f0-9]{40}"),
    _rule("supabase-key", "sb_secret_", rf"{_W}{{20,64}}"),
    _rule("buildkite-token", "bkua_ bkct_ bkaj_", r"[a-z0-9]{40}"),
    _rule(
        "dynatrace-token",
        "dt0a01. dt0c01. dt0e01. dt0s01. dt0s02. dt0s16.",
        rf"{_A}{{24}}\.{_A}{{64}}",
    ),
    _rule("netlify-token", "nfp_ nfc_ nfo_ nfu_ nfb_", rf"{_A}{{36,40}}"),
    _rule(
        "tailscale-key",
        "tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-",
        r"[A-Za-z0-9\-]{16,80}",
    ),
    _rule("brevo-key", "xkeysib- xsmtpsib-", r"[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _rule("clickhouse-key", "4b1d", rf"{_A}{{38}}", alone=True),
    _rule("1password-token", "ops_eyJ", r"[A-Za-z0-9+/_\-]{100,1000}={0,2}"),
    _rule(
        "1password-key",
        "A3-",
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        alone=True,
    ),
    _rule("facebook-token", "EAAC EAAM EAAG", rf"{_A}{{80,400}}", alone=True),
    _rule("facebook-token", "", rf"\d{{15,16}}\|{_W}{{27,40}}"),
    _rule("adobe-secret", "p8e-", r"[A-Za-z0-9]{32}"),
    _rule("alibaba-key", "LTAI", rf"{_A}{{17,21}}"),
    _rule("artifactory-token", "AKCp", rf"{_A}{{69}}", alone=True),
    _rule("artifactory-token", "cmVmdGtuO", rf"{_A}{{55}}", alone=True),
    _rule("asana-token", "", r"[12]/\d{13,19}(?:/\d{13,19})?:[0-9a-f]{32}"),
    _rule("circleci-token", "CCIPAT_ CCIPRJ_", rf"{_W}{{40,90}}"),
    _rule("clickup-token", "pk_", r"\d{6,9}_[0-9A-Z]{32}"),
    _rule("contentful-token", "CFPAT-", rf"{_W}{{43}}"),
    _rule("crates-token", "cio", rf"{_A}{{32}}", alone=True),
    _rule("mongodb-token", "mdb_sa_sk_", rf"{_W}{{40}}"),
    _rule("segment-token", "sgp_", rf"{_A}{{64}}"),
    _rule("telnyx-key", "KEY0", rf"{_W}{{52,60}}", alone=True),
    _rule("cloudflare-token", "v1.0-", rf"{_H}{{24}}-{_H}{{146}}"),
    _rule("cloudflare-token", "cfut_ cfat_ cfk_", rf"{_W}{{40,60}}"),
    _rule("defined-networking-token", "dnkey-", r"[A-Za-z0-9=_\-]{26}-[A-Za-z0-9=_\-]{52}"),
    _rule("dropbox-token", "sl.", rf"(?:u\.)?{_W}{{130,1500}}"),
    _rule("duffel-token", "duffel_live_ duffel_test_", r"[A-Za-z0-9_=\-]{43}"),
    _rule("easypost-key", "EZAK EZTK", rf"{_A}{{54}}", alone=True),
    _rule("flutterwave-key", "FLWSECK_TEST- FLWSECK-", rf"{_A}{{12,40}}(?:-X)?"),
    _rule("frameio-token", "fio-u-", r"[A-Za-z0-9_=\-]{64}"),
    _rule("harness-token", "pat. sat.", rf"{_W}{{22}}\.{_A}{{24}}\.{_A}{{20}}"),
    _rule("hubspot-token", "pat-na1- pat-na2- pat-eu1-", _UUID),
    _rule("infracost-key", "ico-", rf"{_A}{{32}}"),
    _rule("intra42-secret", "s-s4t2ud- s-s4t2af-", r"[a-f0-9]{64}"),
    _rule("launchdarkly-key", "sdk- mob- api-", _UUID, alone=True),
    _rule("mapbox-token", "pk.ey sk.ey tk.ey", rf"{_W}{{40,200}}\.{_W}{{20,40}}"),
    _rule("maxmind-key", "", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    _rule("dependency-track-key", "odt_", rf"{_A}{{32,40}}"),
    _rule("twitch-stream-key", "live_", rf"\d{{6,12}}_{_A}{{30}}", alone=True),
    _rule("octopus-key", "API-", r"[A-Z0-9]{26}", alone=True),
    _rule("openshift-token", "sha256~", rf"{_W}{{43}}"),
    _rule(
        "paypal-token", "access_token$production$ access_token$sandbox$", rf"{_L}{{16}}\${_H}{{32}}"
    ),
    _rule("plaid-token", "access-sandbox- access-development- access-production-", _UUID),
    _rule("prefect-key", "pnu_ pnb_", rf"{_A}{{36}}"),
    _rule("readme-key", "rdme_", rf"{_L}{{70}}"),
    _rule("render-key", "rnd_", rf"{_A}{{28,40}}", alone=True),
    _rule("resend-key", "re_", rf"{_A}{{8}}_{_A}{{24}}", alone=True),
    _rule("salesforce-token", "00D", rf"{_A}{{12,15}}![A-Za-z0-9._]{{80,120}}", alone=True),
    _rule("scalingo-token", "tk-us-", rf"{_W}{{48}}"),
    _rule("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", rf"{_A}{{16}}"),
    _rule("shippo-token", "shippo_live_ shippo_test_", rf"{_H}{{40}}"),
    _rule("snowflake-token", "ver:1-hint:", r"[A-Za-z0-9:+/=\-]{60,400}"),
    _rule("sonarqube-token", "squ_ sqp_ sqa_", rf"{_H}{{40}}"),
    _rule("sourcegraph-token", "sgp_", rf"(?:{_H}{{16}}_|local_)?{_H}{{40}}"),
    _rule("stackhawk-key", "hawk.", rf"{_W}{{20}}\.{_W}{{20}}"),
    _rule("typeform-token", "tfp_", r"[A-Za-z0-9\-_.=]{44,60}"),
    _rule("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", rf"{_A}{{24,60}}"),
    _rule("wundergraph-token", "cosmo_", rf"{_H}{{32}}"),
    _rule("yandex-token", "t1.", rf"[A-Z0-9a-z_\-]+={{0,2}}\.{_W}{{86}}={{0,2}}"),
    _rule("yandex-key", "AQVN", rf"{_W}{{35,38}}", alone=True),
    _rule("yandex-key", "YCAJ YCPo YCO", rf"{_W}{{36}}", alone=True),
    _rule(
        "authress-key",
        "sc_ ext_ scauth_ authress_",
        rf"{_L}{{5,30}}\.{_L}{{4,6}}\.acc[_-]{_L}{{10,32}}\.[a-z0-9+/_=\-]{{30,120}}",
        alone=True,
    ),
)

COMPANIONS: dict[str, str] = {
    "aws-access-key": r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])",
    "twilio-key": r"(?<![A-Za-z0-9])[0-9a-f]{32}(?![A-Za-z0-9])",
    "alibaba-key": r"(?<![A-Za-z0-9])[A-Za-z0-9]{30}(?![A-Za-z0-9])",
}
"""The second half of a pair, which has no prefix of its own: searched for close to the first half."""
