"""Tokens of an identity provider: what is accepted, thirty ways to be refused, and keys that rotate."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from contextd.app.issuer import Issuer
from contextd.domain.scope import Scope
from contextd.runtime.doors import ServerDoor, Unknown
from contextd.runtime.settings import Settings, load_settings
from contextd_common.errors import Invalid
from support.team_servers import KnownTokens

NAME, URL = "https://id.example.com", "https://memory.example.com"


def at(seconds: float) -> float:
    """The time of a claim, so many seconds from now."""
    return time.time() + seconds


class Provider:
    """An identity provider with keys, served over HTTP."""

    def __init__(self) -> None:
        self.private: dict[str, Any] = {}
        self.published: list[dict[str, Any]] = []
        self.reads, self.away = 0, False
        provider = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version: ClassVar[str] = "HTTP/1.1"

            def do_GET(self) -> None:
                provider.reads += 1
                body = json.dumps({"keys": provider.published}).encode()
                self.send_response(500 if provider.away else 200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/keys"

    def rotate(self, kid: str, **about: Any) -> None:
        """A new key beside the others."""
        key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        self.private[kid] = key
        public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        self.published.append({**public, "kid": kid, "use": "sig", **about})

    def token(self, kid: str = "one", header: dict[str, Any] | None = None, **claims: Any) -> str:
        given = {**CLAIMS, "exp": at(600), **claims}
        kept = {name: value for name, value in given.items() if value is not None}
        headers = {"kid": kid, "typ": "at+jwt", **(header or {})}
        return jwt.encode(kept, self.private[kid], "RS256", headers=headers)


CLAIMS: dict[str, Any] = {
    "iss": NAME,
    "aud": URL,
    "sub": "ada",
    "jti": "token-1",
    "org_id": "acme",
    "role": "team_member",
    "team_ids": ["web"],
}


@pytest.fixture(scope="module")
def served() -> Iterator[Provider]:
    provider = Provider()
    provider.rotate("one")
    yield provider
    provider.server.shutdown()
    provider.server.server_close()


@pytest.fixture
def provider(served: Provider) -> Iterator[Provider]:
    """The provider with one key, as before after the test."""
    published, private = list(served.published), dict(served.private)
    served.reads, served.away = 0, False
    yield served
    served.published, served.private, served.away = published, private, False


def settings(home: Path, provider: Provider, **more: str) -> Settings:
    flags = {
        "server.issuer": NAME,
        "server.url": URL,
        "server.keys": provider.address,
        **{f"server.{name}": value for name, value in more.items()},
    }
    return load_settings(home=home, flags=flags)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def forged(parts: list[Any], key: bytes = b"") -> str:
    """A token of these parts; bytes are signed with HMAC if there is a key."""
    text = [
        base64.urlsafe_b64encode(
            part if isinstance(part, bytes) else json.dumps(part).encode()
        ).rstrip(b"=")
        for part in parts
    ]
    body = b".".join(text)
    signature = hmac.new(key, body, hashlib.sha256).digest() if key else b""
    return (body + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


def test_a_valid_token_names_its_member_and_roles(provider: Provider, tmp_path: Path) -> None:
    issuer = Issuer(settings(tmp_path, provider))
    for audience in (URL, f"{URL}/", f"{URL}/mcp", ["other", URL]):
        found = issuer.verified(provider.token(aud=audience))
        assert found is not None
        assert (found.organisation, found.token_id) == ("acme", "token-1")
        assert {str(one.scope) for one in found.roles} == {"acme/web"}
    for typ in ("JWT", "at+jwt", "application/at+jwt"):
        assert issuer.verified(provider.token(header={"typ": typ}))
    # Clocks differ by some seconds.
    assert issuer.verified(provider.token(nbf=at(30)))
    assert issuer.verified(provider.token(exp=at(-30)))
    assert provider.reads == 1


def attacks(provider: Provider) -> dict[str, str]:
    """Tokens that must be refused."""
    token = provider.token
    good = token()
    head, body, signature = good.split(".")
    public = provider.private["one"].public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    other = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    own = RSAAlgorithm.to_jwk(other.public_key(), as_dict=True)
    claims = {**CLAIMS, "exp": at(600)}
    admin = {**claims, "role": "org_admin"}
    changed = forged([json.loads(base64.urlsafe_b64decode(head + "==")), admin]).rstrip(".")

    def by_other(**headers: Any) -> str:
        return jwt.encode(claims, other, "RS256", headers={"kid": "one", **headers})

    return {
        "nothing": "",
        "no token at all": "three.plain.words",
        "two parts": f"{head}.{body}",
        "five parts": f"{good}.{head}.{body}",
        "no signature": f"{head}.{body}.",
        "a cut signature": good[:-8],
        "another signature": f"{head}.{body}.{signature[::-1]}",
        "changed claims": f"{changed}.{signature}",
        "algorithm none": forged([{"alg": "none", "typ": "JWT"}, claims]),
        "algorithm NONE": forged([{"alg": "NoNe", "typ": "JWT"}, claims]),
        "the public key as a secret": forged([{"alg": "HS256", "kid": "one"}, claims], pem),
        "HS256 with an empty key": forged([{"alg": "HS256"}, claims], b"\0"),
        "another algorithm": jwt.encode(
            claims, provider.private["one"], "RS512", headers={"kid": "one"}
        ),
        "another key under a known id": by_other(),
        "an own key in the header": by_other(jwk=own),
        "an own address in the header": by_other(jku="http://127.0.0.1:1/keys"),
        "an own certificate in the header": by_other(x5c=["MIIB"]),
    }


def claims_of_others(provider: Provider) -> dict[str, str]:
    """Signed tokens with a header or claims that give nothing."""
    token = provider.token
    return {
        "an unknown key": token(header={"kid": "two"}),
        "a path as a key": token(header={"kid": "../../../dev/null"}),
        "a statement as a key": token(header={"kid": "' OR 1=1 --"}),
        "crit": token(header={"crit": ["exp"]}),
        "an unencoded body": token(header={"b64": False, "crit": ["b64"]}),
        "another type": token(header={"typ": "logout+jwt"}),
        "expired": token(exp=at(-90)),
        "no end": jwt.encode(CLAIMS, provider.private["one"], "RS256", headers={"kid": "one"}),
        "an end in years": token(exp=at(365 * 86_400)),
        "not yet": token(nbf=at(90)),
        "another issuer": token(iss="https://id.example.org"),
        "an issuer that begins alike": token(iss=f"{NAME}.evil.example"),
        "no issuer": token(iss=None),
        "another audience": token(aud="https://other.example.com"),
        "no audience": token(aud=None),
        "an audience that begins alike": token(aud=f"{URL}.evil.example"),
        "no subject": token(sub=None),
        "no id": token(jti=None),
        "an organisation in a list": token(org_id=["acme"]),
        "the organisation of a person": token(org_id="local"),
        "an organisation that is not there": token(org_id="rival"),
        "a role that is not there": token(role="owner"),
        "a revoked id": token(jti="revoked"),
        "too long": token(
            sub="a" * 200, team_ids=[f"team-{n}" for n in range(200)], more="x" * 8_000
        ),
    }


def test_whatever_is_wrong_with_a_token_the_door_says_the_same(
    provider: Provider, tmp_path: Path
) -> None:
    known = KnownTokens({})
    known.revoked = {"revoked"}
    door = ServerDoor(known, Issuer(settings(tmp_path, provider)))
    assert door.caller("rest", provider.token()).roles
    tried = attacks(provider) | claims_of_others(provider)
    assert len(tried) > 30
    answers, admitted = set(), []
    for what, token in tried.items():
        try:
            door.caller("mcp", token)
            admitted.append(what)
        except Unknown as refused:
            if token:
                answers.add((refused.message, refused.hint))
    assert admitted == []
    assert len(answers) == 1
    assert "acme" not in str(answers)


def test_a_rotated_key_counts_within_seconds_and_a_withdrawn_one_ends(
    provider: Provider, tmp_path: Path
) -> None:
    clock = Clock()
    issuer = Issuer(settings(tmp_path, provider), clock=clock)
    assert issuer.verified(provider.token())
    provider.rotate("two")
    second = provider.token("two")
    # Just read: an unknown key is looked for again only some seconds later.
    assert issuer.verified(second) is None
    clock.now += 5
    assert issuer.verified(second)
    assert issuer.verified(provider.token())
    assert provider.reads == 2
    provider.published = [key for key in provider.published if key["kid"] == "two"]
    clock.now += 3_600
    assert issuer.verified(provider.token("one")) is None
    assert issuer.verified(second)


def test_unknown_keys_make_the_server_ask_once_in_five_seconds(
    provider: Provider, tmp_path: Path
) -> None:
    clock = Clock()
    issuer = Issuer(settings(tmp_path, provider), clock=clock)
    for number in range(50):
        assert issuer.verified(provider.token(header={"kid": f"made-up-{number}"})) is None
    assert provider.reads == 1


def test_known_keys_stay_known_while_the_issuer_does_not_answer(
    provider: Provider, tmp_path: Path
) -> None:
    clock = Clock()
    issuer = Issuer(settings(tmp_path, provider), clock=clock)
    assert issuer.verified(provider.token())
    provider.away = True
    clock.now += 4_000
    assert issuer.verified(provider.token())
    fresh = Issuer(settings(tmp_path, provider), clock=clock)
    assert fresh.verified(provider.token()) is None
    provider.away = False
    clock.now += 5
    assert fresh.verified(provider.token())


@pytest.mark.parametrize("about", [{"use": "enc"}, {"alg": "RS512"}])
def test_a_key_for_something_else_verifies_nothing(
    provider: Provider, tmp_path: Path, about: dict[str, str]
) -> None:
    provider.rotate("two", **about)
    assert Issuer(settings(tmp_path, provider)).verified(provider.token("two")) is None


def test_a_token_without_a_key_id_is_read_where_there_is_one_key(
    provider: Provider, tmp_path: Path
) -> None:
    clock = Clock()
    issuer = Issuer(settings(tmp_path, provider), clock=clock)
    claims = {**CLAIMS, "exp": at(600)}
    bare = jwt.encode(claims, provider.private["one"], "RS256")
    assert issuer.verified(bare)
    provider.rotate("two")
    clock.now += 3_600
    assert issuer.verified(bare) is None


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA"])
def test_other_algorithms_can_be_chosen(provider: Provider, tmp_path: Path, algorithm: str) -> None:
    key: Any = (
        ec.generate_private_key(ec.SECP256R1())
        if algorithm == "ES256"
        else ed25519.Ed25519PrivateKey.generate()
    )
    writer = ECAlgorithm if algorithm == "ES256" else OKPAlgorithm
    provider.published = [{**writer.to_jwk(key.public_key(), as_dict=True), "kid": "e"}]
    issuer = Issuer(settings(tmp_path, provider, algorithm=algorithm))
    claims = {**CLAIMS, "exp": at(600)}
    assert issuer.verified(jwt.encode(claims, key, algorithm, headers={"kid": "e"}))
    assert issuer.verified(provider.token()) is None


def test_a_shared_secret_is_long_and_comes_from_the_environment(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(tmp_path, provider, algorithm="HS256")
    for secret in ("", "short"):
        monkeypatch.setenv("CONTEXTD_JWT_SECRET", secret)
        with pytest.raises(Invalid, match="fewer than 32 bytes") as refused:
            Issuer(chosen)
        assert not secret or secret not in refused.value.message
    secret = "a secret of at least thirty-two bytes"
    monkeypatch.setenv("CONTEXTD_JWT_SECRET", secret)
    issuer, claims = Issuer(chosen), {**CLAIMS, "exp": at(600)}
    assert issuer.verified(jwt.encode(claims, secret, "HS256"))
    assert issuer.verified(jwt.encode(claims, secret[::-1], "HS256")) is None
    assert provider.reads == 0


def test_a_server_says_what_an_issuer_needs(provider: Provider, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="need an audience"):
        Issuer(settings(tmp_path, provider, url=""))
    one = Issuer(settings(tmp_path, provider, url="", audiences="api://memory api://other"))
    assert one.verified(provider.token(aud="api://other"))
    assert one.verified(provider.token()) is None


def test_keys_come_from_the_named_address_over_tls_alone(
    provider: Provider, tmp_path: Path
) -> None:
    plain = Issuer(settings(tmp_path, provider, keys="http://id.example.com/keys"))
    assert plain.verified(provider.token()) is None
    assert provider.reads == 0


def test_an_issuers_token_and_one_of_ours_come_in_by_one_door(
    provider: Provider, tmp_path: Path
) -> None:
    door = ServerDoor(KnownTokens({}), Issuer(settings(tmp_path, provider)))
    caller = door.caller("rest", provider.token())
    assert caller.org == "acme"
    assert caller.may("write", Scope("acme", "web", "shop"))
    assert not caller.may_administer()
    with pytest.raises(Unknown):
        ServerDoor(KnownTokens({})).caller("rest", provider.token())
