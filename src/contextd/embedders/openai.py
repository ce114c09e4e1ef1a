"""Vectors from an endpoint with OpenAI's embeddings API: OpenAI, Ollama, vLLM and others.

The only embedder that sends texts away, used only if configured; texts are redacted first.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from email.message import Message
from threading import Lock
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from contextd.domain.query import Vector
from contextd.embedders.options import EmbedderOptions
from contextd.runtime.caches import Cache
from contextd_common.errors import Invalid, Unavailable

URL = "https://api.openai.com/v1"
MODEL = "text-embedding-3-small"
KEY_VARIABLE = "OPENAI_API_KEY"

_CHARACTERS = 8_000
"""Maximum characters sent per text. Models accept some 8,000 tokens, and a token has at least one character.
"""

_TEXTS, _TOGETHER = 64, 200_000
"""Maximum texts per request, and their total characters: endpoints accept 300,000 tokens at once."""

_SECONDS, _QUESTION_SECONDS = 20.0, 8.0
"""Timeouts in seconds, the second for a single text, because a search may wait for it. A local server may
take some seconds to load its model.
"""

_ATTEMPTS = 3
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 5.0
_REST = 30.0
"""Seconds without requests after all attempts failed: searches use words only meanwhile."""

_LARGEST = 64 << 20
_REMEMBERED = 1_000
_HINT = (
    "check `embedder.url`, `embedder.model` and `embedder.key_variable`; until then searches are "
    "lexical"
)


class OpenAIEndpoint:
    """Unit vectors from an endpoint. The model id includes the endpoint, because another one may use the
    same name for another model. Thread-safe.
    """

    def __init__(
        self,
        options: EmbedderOptions,
        pause: Callable[[float], None] = time.sleep,
        seconds: float = _SECONDS,
    ) -> None:
        self._url, self.sends_to = _checked(options.url or URL)
        self._name = options.model or MODEL
        self._key_variable = options.key_variable or KEY_VARIABLE
        self._scrub, self._pause, self._seconds = options.scrub, pause, seconds
        self.model = f"openai:{self._name}@{self.sends_to}"
        self._opener = build_opener(_NoRedirect)
        self._recent: Cache[str, Vector] = Cache(_REMEMBERED)
        self._lock = Lock()
        self._dimensions, self._rests_until, self._last_failure = 0, 0.0, ""

    def embed(self, texts: Sequence[str]) -> Vector:
        """One unit vector per text. Raises `Unavailable` if the endpoint returns none."""
        import numpy as np  # noqa: PLC0415 - 0.13 s, for those who embed

        found: dict[str, Vector] = {}
        for text in dict.fromkeys(texts):
            known = self._recent.get(text)
            if known is not None:
                found[text] = known
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        for batch in _batches(missing):
            rows = self._unit_rows([self._scrub(text)[:_CHARACTERS] or " " for text in batch])
            for text, row in zip(batch, rows, strict=True):
                found[text] = row
                self._recent.put(text, row)
        if not texts:
            return np.zeros((0, self._dimensions), np.float32)
        return np.vstack([found[text] for text in texts])

    def _unit_rows(self, texts: Sequence[str]) -> Vector:
        import numpy as np  # noqa: PLC0415 - 0.13 s, for those who embed

        answer = self._ask({"model": self._name, "input": texts, "encoding_format": "float"})
        try:
            data = sorted(answer["data"], key=lambda one: one.get("index", 0))
            rows = np.array([one["embedding"] for one in data], np.float32)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._failed("returned no vectors") from error
        norms = np.linalg.norm(rows, axis=1, keepdims=True) if rows.ndim == 2 else np.zeros(1)
        if len(rows) != len(texts) or not np.isfinite(rows).all() or not (norms > 0).all():
            raise self._failed(f"returned no usable vectors for {len(texts)} texts")
        with self._lock:
            self._dimensions = self._dimensions or rows.shape[1]
        if rows.shape[1] != self._dimensions:
            raise self._failed(
                f"returned vectors with {rows.shape[1]} dimensions instead of {self._dimensions}"
            )
        vectors: Vector = rows / norms
        return vectors

    def _ask(self, body: dict[str, Any]) -> Any:
        """The endpoint's answer. Rate limits, server errors and lost connections are retried a few times;
        timeouts are not.
        """
        if time.monotonic() < self._rests_until:
            raise self._failed(
                f"{self._last_failure} a moment ago and will be retried soon", rest=False
            )
        wait = _FIRST_WAIT
        seconds = min(self._seconds, _QUESTION_SECONDS if len(body["input"]) == 1 else _SECONDS)
        for left in reversed(range(_ATTEMPTS)):
            try:
                with self._opener.open(self._request(body), timeout=seconds) as response:
                    return json.loads(response.read(_LARGEST))
            except HTTPError as error:
                # The server's error text may contain the key or the texts, so only its status is shown.
                error.close()
                if not left or not (error.code == 429 or error.code >= 500):
                    raise self._failed(f"answered {error.code}") from None
                wait = _asked_wait(error.headers, wait)
            except (OSError, ValueError) as error:
                late = isinstance(getattr(error, "reason", error), TimeoutError)
                if late:
                    raise self._failed(f"did not answer within {seconds:g} s") from None
                if not left:
                    raise self._failed(f"could not be reached: {type(error).__name__}") from None
            self._pause(wait)
            wait = min(2 * wait, _LONGEST_WAIT)
        raise AssertionError("the last attempt returns or raises")

    def _request(self, body: dict[str, Any]) -> Request:
        headers = {"Content-Type": "application/json"}
        key = os.environ.get(self._key_variable, "").strip()
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return Request(self._url, json.dumps(body).encode(), headers, method="POST")

    def _failed(self, how: str, *, rest: bool = True) -> Unavailable:
        if rest:
            self._rests_until, self._last_failure = time.monotonic() + _REST, how
        return Unavailable(f"the embedding endpoint {self.sends_to} {how}", _HINT)


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirects: the key and the texts must not go to another host."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        """Return no request."""


def _checked(url: str) -> tuple[str, str]:
    """The URL to call, and its host with port. Raises `Invalid`."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Invalid("embedder.url must be an http(s) URL", f"for example {URL}")
    if parts.username or parts.password:
        raise Invalid(
            "embedder.url must not contain a password",
            "put it in an environment variable and name that in `embedder.key_variable`",
        )
    return url.rstrip("/") + "/embeddings", parts.netloc


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        more = min(len(text), _CHARACTERS)
        if batch and (len(batch) == _TEXTS or size + more > _TOGETHER):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += more
    if batch:
        yield batch


def _asked_wait(headers: Message, otherwise: float) -> float:
    """The wait requested by the server, within limits."""
    try:
        return min(max(float(headers.get("Retry-After", "")), 0.0), _LONGEST_WAIT)
    except ValueError:
        return otherwise
