"""The key that makes equal secrets recognisable: a file of the home, or a value of the store that replicas share."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from pathlib import Path

from contextd.app.files import kept_bytes
from contextd.ports.work import Replicas
from contextd.runtime.settings import Settings
from contextd.thin.home import first_set
from contextd_common.errors import Invalid, Unavailable

_NAME = "redaction key"
_KEY_BYTES, _NONCE_BYTES = 32, 16
_SHORTEST_SECRET = 32
"""Characters. The secret is not stretched, so it must not be guessable: 32 random hex digits are 128 bits."""

_PLAIN, _WRAPPED = "plain:", "wrapped:"

_log = logging.getLogger(__name__)


def home_key(home: Path) -> bytes:
    """The key of a home, created on first use."""
    return kept_bytes(home / "redaction.key", _KEY_BYTES)


def shared_key(replicas: Replicas, settings: Settings, organisation: str) -> bytes:
    """The key in a store that several homes open. The first one contributes its own; without it, one secret would
    have another placeholder on every replica.

    The secret of the deployment wraps it, so that the database alone does not tell what a placeholder stands for.
    Raises `Unavailable` if it is wrapped by another secret, `Invalid` for a secret that is too short.
    """
    variable = settings.text("store.secret_variable")
    secret = first_set(variable)
    if secret and len(secret) < _SHORTEST_SECRET:
        raise Invalid(
            f"{variable} has {len(secret)} characters",
            f"set it to at least {_SHORTEST_SECRET} random characters, the same on every replica",
        )
    stored = replicas.keep(_NAME, stored_form(home_key(settings.home), secret, organisation))
    try:
        key = key_in(stored, secret, organisation)
    except ValueError:
        raise Unavailable(
            f"the redaction key of {organisation!r} is wrapped by another secret",
            f"set {variable} to the secret of the other replicas",
        ) from None
    if stored.startswith(_PLAIN) and secret:
        replicas.keep(_NAME, stored_form(key, secret, organisation), instead_of=stored)
    elif not secret:
        _log.warning("the redaction key of %s is stored unwrapped: set %s", organisation, variable)
    return key


def stored_form(key: bytes, secret: str, organisation: str) -> str:
    """The key as the store keeps it: nonce, key under a one-time pad, and a tag, all from keyed BLAKE2b."""
    if not secret:
        return _PLAIN + key.hex()
    nonce = secrets.token_bytes(_NONCE_BYTES)
    covered = nonce + _exclusive(key, _digest(b"pad", secret, organisation, nonce))
    return _WRAPPED + (covered + _digest(b"tag", secret, organisation, covered)).hex()


def key_in(stored: str, secret: str, organisation: str) -> bytes:
    """The key in its stored form. Raises `ValueError` if this secret did not wrap it for this organisation."""
    if stored.startswith(_PLAIN):
        return bytes.fromhex(stored.removeprefix(_PLAIN))
    data = bytes.fromhex(stored.removeprefix(_WRAPPED))
    covered, tag = data[: _NONCE_BYTES + _KEY_BYTES], data[_NONCE_BYTES + _KEY_BYTES :]
    if not secret or not hmac.compare_digest(tag, _digest(b"tag", secret, organisation, covered)):
        raise ValueError("wrapped by another secret")
    nonce = covered[:_NONCE_BYTES]
    return _exclusive(covered[_NONCE_BYTES:], _digest(b"pad", secret, organisation, nonce))


def _digest(purpose: bytes, secret: str, organisation: str, data: bytes) -> bytes:
    key = hashlib.blake2b(secret.encode(), digest_size=64).digest()
    message = organisation.encode() + b"\0" + data
    return hashlib.blake2b(message, key=key, person=purpose, digest_size=_KEY_BYTES).digest()


def _exclusive(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
