"""Vectors from an endpoint that speaks OpenAI's embeddings interface: OpenAI, Ollama, vLLM and others.

The one embedder that sends texts away. Only who sets it uses it; secrets are taken out before.
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

from contextd.domain.errors import Invalid, Unavailable
from contextd.domain.query import Vector
from contextd.embedders.options import EmbedderOptions
from contextd.runtime.caches import Cache

URL = "https://api.openai.com/v1"
MODEL = "text-embedding-3-small"
KEY_VARIABLE = "OPENAI_API_KEY"

_CHARACTERS = 8_000
"""Of a text that are sent. Models read some 8,000 tokens and refuse more; a character is one at most."""

_TEXTS, _TOGETHER = 64, 200_000
"""Texts in a request, and their characters: endpoints take 300,000 tokens at once."""

_SECONDS, _QUESTION_SECONDS = 20.0, 8.0
"""How long an answer is waited for, and how long where only one text is sent: a search may wait for that.
A model that a local server loads first takes some seconds.
"""

_ATTEMPTS = 3
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 5.0
_REST = 30.0
"""Seconds in which nothing is asked after all attempts failed: searches go by words meanwhile, at once."""

_LARGEST = 64 << 20
_REMEMBERED = 1_000
_HINT = "see `embedder.url`, `embedder.model` and `embedder.key_variable`; until then searches are lexical"


class OpenAIEndpoint:
    """Unit vectors from an endpoint. Its name and the endpoint's are the id of the model: the same name
    may stand for another one elsewhere. Safe to share between threads.
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
        """One row of unit length per text. Raises `Unavailable` when the endpoint gives none."""
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
            raise self._failed("answered something else than vectors") from error
        norms = np.linalg.norm(rows, axis=1, keepdims=True) if rows.ndim == 2 else np.zeros(1)
        if len(rows) != len(texts) or not np.isfinite(rows).all() or not (norms > 0).all():
            raise self._failed(f"answered no usable vectors for {len(texts)} texts")
        with self._lock:
            self._dimensions = self._dimensions or rows.shape[1]
        if rows.shape[1] != self._dimensions:
            raise self._failed(
                f"answered vectors of {rows.shape[1]} numbers, and of {self._dimensions} before"
            )
        vectors: Vector = rows / norms
        return vectors

    def _ask(self, body: dict[str, Any]) -> Any:
        """The endpoint's answer. Too many requests, faults of the server and lost connections are tried
        again, a few times; who did not answer in time is not waited for again.
        """
        if time.monotonic() < self._rests_until:
            raise self._failed(
                f"{self._last_failure} a moment ago and is asked again soon", rest=False
            )
        wait = _FIRST_WAIT
        seconds = min(self._seconds, _QUESTION_SECONDS if len(body["input"]) == 1 else _SECONDS)
        for left in reversed(range(_ATTEMPTS)):
            try:
                with self._opener.open(self._request(body), timeout=seconds) as response:
                    return json.loads(response.read(_LARGEST))
            except HTTPError as error:
                # What the server says may repeat the key or the texts: its number is enough.
                error.close()
                if not left or not (error.code == 429 or error.code >= 500):
                    raise self._failed(f"answered {error.code}") from None
                wait = _asked_wait(error.headers, wait)
            except (OSError, ValueError) as error:
                late = isinstance(getattr(error, "reason", error), TimeoutError)
                if late:
                    raise self._failed(f"gave no answer in {seconds:g} s") from None
                if not left:
                    raise self._failed(f"did not answer: {type(error).__name__}") from None
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
    """Follows nothing: neither the key nor the texts are meant for another host."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        """No request."""


def _checked(url: str) -> tuple[str, str]:
    """The address to ask, and the name of its host with the port. Raises `Invalid`."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Invalid("embedder.url is no http address", f"for example {URL}")
    if parts.username or parts.password:
        raise Invalid(
            "embedder.url holds a password",
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
    """How long the server asks to wait, within reason."""
    try:
        return min(max(float(headers.get("Retry-After", "")), 0.0), _LONGEST_WAIT)
    except ValueError:
        return otherwise
