"""Published example values, which are not real secrets.

There are three sorts: values from documentation, such as a vendor's sample key; sequences, such as `abcd1234`;
and the Base64 of words such as `password`. No generator of secrets produces any of them.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from itertools import pairwise

from contextd_common.text.regex import regex

_PUBLISHED = frozenset(
    """2YotnFZFEjr1zCsicMWpAA tGzv3JOkF0XG5Qx2TlKWIA czZCaGRSa3F0MzpnWDFmQmF0M2JW gX1fBat3bV
    SplxlOBeZQQYbYS6WxSbIA 7Fjfp0ZBr1KtDRbnfVdmIw mF_9.B5f-4.1JqM SlAV32hkKG 8xLOxBtZp8 45ghiukldjahdnhzdauz
    QWxhZGRpbjpvcGVuIHNlc2FtZQ== Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU
    JBSWY3DPEHPK3PXP GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
    Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==
    C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==
    wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY
    5f4dcc3b5aa765d61d8327deb882cf99 5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8 acbd18db4cc2f85cedef654fccc4a4d8
    5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8 0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33
    d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
    21232f297a57a5a743894a0e4a801fc3 098f6bcd4621d373cade4e832627b4f6 a94a8fe5ccb19ba61c4c0873d391e987982fbbd3
    """.split()
)
"""Printed in RFC 2617, 6238, 6749, 6750, 7617 and 9449, OpenID Connect, and the manuals of AWS, Azurite and
the
Cosmos DB emulator; and digests of the empty text, `password`, `foo`, `admin` and `test`.
"""

_SEQUENTIAL = 0.7
"""The minimum share of characters that follow their predecessor, as in `abc`. By chance it is 1 in
26 for letters, 1 in 10 for digits.
"""

_SHORTEST_SEQUENCE = 5
_ENCODED = regex(r"[A-Za-z0-9+/_-]{8,200}={0,2}")
_READABLE = regex(r"[\x01\t\n -~]+")
_NTLM = "TlRMTVNTUAA"
"""Base64 of the start of an NTLM message. It answers one challenge and is worthless afterwards."""


def is_published(value: str) -> bool:
    """Whether a value is printed in a specification or manual, or is a message of an NTLM handshake."""
    return value in _PUBLISHED or value.startswith(_NTLM)


def is_sequence(value: str) -> bool:
    """Whether the letters and the digits of a value each count up: `A1B2C3D4`, `ABC123XYZ789`, `123456`."""
    letters = [ord(char) for char in value.casefold() if "a" <= char <= "z"]
    digits = [ord(char) for char in value if "0" <= char <= "9"]
    if len(letters) + len(digits) < max(_SHORTEST_SEQUENCE, len(value) - 4):
        return False
    return all(_counts_up(run) for run in (letters, digits))


def _counts_up(run: list[int]) -> bool:
    if len(run) < 2:
        return True
    steps = sum(two - one in (1, -9, -25) for one, two in pairwise(run))
    return steps >= _SEQUENTIAL * (len(run) - 1)


def decoded_text(value: str) -> str:
    """The readable text that a value encodes as Base64; empty when it does not decode to text."""
    if not _ENCODED.fullmatch(value):
        return ""
    padded = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = a2b_base64(padded + "=" * (-len(padded) % 4)).decode("ascii")
    except ValueError:
        return ""
    return text if _READABLE.fullmatch(text) else ""


def secret_part(readable: str) -> str:
    """The secret part of a header's value: the password of a pair, the token of an OAuth message."""
    bearer = re.search(r"auth=Bearer ([^\x01]+)", readable)
    return bearer[1] if bearer else readable.partition(":")[2] or readable
