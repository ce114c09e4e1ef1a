"""Tokens of an identity provider: signature, issuer, audience and times, with keys that rotate."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import jwt

from contextd.domain.claims import LONGEST_TOKEN, BadClaims, Claimed, claimed
from contextd.runtime.settings import Settings
from contextd_common.errors import Invalid

_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
_HEADER = frozenset({"alg", "typ", "kid", "x5t", "x5t#S256", "cty"})
"""What the header of a token may have. Others change what a signature means (`crit`, `b64`) or name a key (`jku`, `jwk`)."""

_SKEW_SECONDS = 60
"""How far the issuer's clock may be off."""
_SHORTEST_SECRET = 32
_FETCH_SECONDS, _LARGEST_KEYS = 3.0, 262_144
_AGAIN_SECONDS = 5.0
"""How soon keys are read again for an unknown one. Longer, and a key that was rotated just after a read is refused for long;
shorter, and anybody makes the server ask the issuer all the time.
"""
_STALE_SECONDS = 3_600.0
"""How long keys are used without a look: one that the issuer withdrew ends then."""

_log = logging.getLogger(__name__)

Fetch = Callable[[str], bytes]


class Issuer:
    """Verifies the tokens of one issuer. Safe to use from any thread."""

    def __init__(
        self,
        settings: Settings,
        fetch: Fetch | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = settings.text("server.issuer")
        self._algorithm = settings.text("server.algorithm")
        self._audiences = audiences(settings)
        if not self._audiences:
            raise Invalid(
                "tokens of an issuer need an audience", "set server.url, or server.audiences"
            )
        self._secret = _secret(settings) if self._algorithm.startswith("HS") else ""
        address = settings.text("server.keys") or f"{self._name.rstrip('/')}/.well-known/jwks.json"
        self._keys = _Keys(address, fetch or _fetched, clock)

    def verified(self, token: str) -> Claimed | None:
        """Whom a token names; None for anything that is not a valid token of the issuer, for whatever reason."""
        try:
            return self._verified(token)
        except (jwt.PyJWTError, BadClaims, ValueError) as error:
            _log.info("a token was refused: %s: %s", type(error).__name__, error)
            return None

    def _verified(self, token: str) -> Claimed:
        if len(token) > LONGEST_TOKEN:
            raise BadClaims("it is too long")
        header = jwt.get_unverified_header(token)
        if header.get("alg") != self._algorithm:
            raise BadClaims("its algorithm is not the one of server.algorithm")
        if str(header.get("typ", "jwt")).lower() not in _TYPES or not header.keys() <= _HEADER:
            raise BadClaims("its header is not that of an access token")
        claims: dict[str, Any] = jwt.decode(
            token,
            self._secret or self._key(header),
            algorithms=[self._algorithm],
            audience=self._audiences,
            issuer=self._name,
            leeway=_SKEW_SECONDS,
            options={"require": ["exp", "iss", "aud", "sub", "jti"]},
        )
        return claimed(claims, time.time())

    def _key(self, header: Mapping[str, Any]) -> Any:
        kid = header.get("kid", "")
        if not isinstance(kid, str):
            raise BadClaims("its kid is not a text")
        found = self._keys.of(kid)
        if found.get("use", "sig") != "sig" or found.get("alg", self._algorithm) != self._algorithm:
            raise BadClaims("its key is for something else")
        return jwt.PyJWK(dict(found), self._algorithm).key


class _Keys:
    """The public keys of an issuer by `kid`. Known keys stay in use while the issuer does not answer."""

    def __init__(self, address: str, fetch: Fetch, clock: Callable[[], float]) -> None:
        self._address, self._fetch, self._clock = address, fetch, clock
        self._known: Mapping[str, Mapping[str, Any]] = {}
        self._read_at = -_STALE_SECONDS
        self._lock = threading.Lock()

    def of(self, kid: str) -> Mapping[str, Any]:
        """The key of this id; the only one, for a token without an id. Raises `BadClaims`."""
        with self._lock:
            age = self._clock() - self._read_at
            if age >= _STALE_SECONDS or (self._find(kid) is None and age >= _AGAIN_SECONDS):
                self._read_at = self._clock()
                self._read()
            found = self._find(kid)
        if found is None:
            raise BadClaims("its key is unknown")
        return found

    def _find(self, kid: str) -> Mapping[str, Any] | None:
        if kid:
            return self._known.get(kid)
        return next(iter(self._known.values())) if len(self._known) == 1 else None

    def _read(self) -> None:
        try:
            found = json.loads(self._fetch(self._address))["keys"]
            self._known = {str(key.get("kid", "")): key for key in found if isinstance(key, dict)}
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            _log.warning("the keys of the issuer cannot be read: %s", error)


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Keys come from the address that the operator named, and from no other."""


_opener = build_opener(_NoRedirect)


def _fetched(address: str) -> bytes:
    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise URLError("the address of the keys is not https")
    request = Request(address, headers={"Accept": "application/json"})
    with _opener.open(request, timeout=_FETCH_SECONDS) as answer:
        found: bytes = answer.read(_LARGEST_KEYS + 1)
    if len(found) > _LARGEST_KEYS:
        raise ValueError("the keys are too long")
    return found


def _secret(settings: Settings) -> str:
    variable = settings.text("server.key_variable")
    secret = os.environ.get(variable, "")
    if len(secret.encode()) < _SHORTEST_SECRET:
        raise Invalid(
            f"{variable} has fewer than {_SHORTEST_SECRET} bytes",
            "set it to the secret that the issuer signs with, or choose another server.algorithm",
        )
    return secret


def audiences(settings: Settings) -> list[str]:
    """The audiences of tokens for this server. Clients name it with a slash at the end, with the path, or without."""
    chosen = settings.text("server.audiences").split()
    url = settings.text("server.url").rstrip("/")
    return chosen or ([url, f"{url}/", f"{url}/mcp"] if url else [])
