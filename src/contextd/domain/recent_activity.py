"""Recent activity of a project, read in one call."""

from __future__ import annotations

from contextd.domain.query import Page
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.domain.usage import Observation, ObservationSummary
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Lately:
    """The latest records, sessions and usage, each newest first. `rules` and `person` are the results of a
    second and a third query. `observations` are only filled when a query was missed; they say which of
    those are still open.
    """

    records: list[Record]
    rules: list[Record]
    person: Page
    sessions: list[Session]
    usage: ObservationSummary
    observations: list[Observation]
