"""What a server counts, in the format of Prometheus. Its library comes with the extra `server`."""

from __future__ import annotations

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from contextd import __version__

CONTENT_TYPE = CONTENT_TYPE_LATEST

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Bounds of the histogram: a search takes some hundredths of a second, and a call is given up after half a minute."""


class ServerMetrics:
    """The figures of one process. They name operations and statuses, never an organisation, a member or a text."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        about = Gauge("contextd_build", "The version.", ["version"], registry=self._registry)
        about.labels(__version__).set(1)
        self._calls = Histogram(
            "contextd_call_seconds",
            "Seconds of a call, by operation, surface and outcome (done, or the code of the error).",
            ["operation", "surface", "outcome"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._requests = Counter(
            "contextd_http_requests",
            "Requests by method and status.",
            ["method", "status"],
            registry=self._registry,
        )
        self.running = Gauge(
            "contextd_http_requests_running", "Requests that run.", registry=self._registry
        )
        self.waiting_jobs = Gauge(
            "contextd_jobs_waiting",
            "Jobs that wait or run, in the organisations that are open here.",
            registry=self._registry,
        )

    def called(self, operation: str, surface: str, outcome: str, seconds: float) -> None:
        """Count a call."""
        self._calls.labels(operation, surface, outcome).observe(seconds)

    def answered(self, method: str, status: int) -> None:
        """Count a request."""
        # A client may invent methods, and each would be a series for ever.
        known = method if method in _METHODS else "other"
        self._requests.labels(known, str(status)).inc()

    def text(self) -> bytes:
        """All figures."""
        return generate_latest(self._registry)


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
