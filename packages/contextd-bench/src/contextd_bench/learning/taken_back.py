"""Made-up statements that are taken back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Something `sentence` by the user or the agent and taken back later, in the same session or the next
    one. A line shows it when `wrong` holds and `right` does not. `asked` is on the subject.
    """

    name: str
    by: str
    sentence: str
    wrong: str
    retraction: str
    right: str
    asked: str
    same_session: bool


TAKEN_BACK = (
    TakenBack(
        "pier", "user", "We deploy the pier service with Nomad, push the image and then run the nomad job.",
        "(?i)nomad", "My mistake, we don't run Nomad there at all: the pier service is deployed with plain compose.",
        "(?i)compose", "how do I get the pier service onto staging, which tool deploys it?", True,
    ),
    TakenBack(
        "kiln", "agent", "Decision: the kiln controller stores its temperatures in InfluxDB, as the series grow fast.",
        "(?i)influx", "no, undo that, we use Postgres for the temperatures of the kiln.",
        "(?i)postgres", "where does the kiln controller store temperatures?", True,
    ),
    TakenBack(
        "rota", "user", "Always round working hours up to the next quarter of an hour.",
        "(?i)round.*\\bup\\b", "Sorry, I was wrong about that: hours are rounded to the nearest quarter, not up.",
        "(?i)nearest", "how are working hours rounded in the rota report?", True,
    ),
    TakenBack(
        "beacon", "agent", "The beacon gateway must be restarted after every change of config.toml, it does not reload.",
        "(?i)must be restarted|does not reload", "That's not correct, it reloads on SIGHUP. Forget the restart.",
        "(?i)SIGHUP|forget", "do I have to restart the beacon gateway when config.toml changes?", True,
    ),
    TakenBack(
        "loom", "user", "Tests of the loom project run with Jest, put new ones next to the component.",
        "(?i)\\bjest\\b", "Scratch what I said about Jest, that was the other repository. Here it is Vitest.",
        "(?i)vitest", "which runner should the new tests of the loom project use?", True,
    ),
    TakenBack(
        "ledger", "user", "In the ledger we never delete bookings, we set them to status cancelled.",
        "(?i)status cancelled|never delete", "I told you something wrong yesterday: bookings are not set to cancelled, we write a counter-booking.",
        "(?i)counter-booking", "what happens to a booking in the ledger that was wrong?", False,
    ),
    TakenBack(
        "quarry", "agent", "I made the quarry import run with eight workers, because the disk had room for more load.",
        "(?i)eight workers", "revert the eight workers please, the import stays single-threaded, the vendor locks the file.",
        "(?i)single.thread|revert", "how many workers may the quarry import use?", False,
    ),
    TakenBack(
        "atlas", "user", "Coordinates in the atlas API are longitude first, then latitude.",
        "(?i)longitude first", "Correction: I mixed it up, the atlas API wants latitude first.",
        "(?i)latitude first", "which order do coordinates of the atlas API have?", False,
    ),
    TakenBack(
        "pension", "user", "Für die Pension nehmen wir als Sprache der Oberfläche immer Englisch.",
        "(?i)immer Englisch", "Das war falsch von mir, nimm das zurück: die Oberfläche der Pension ist Deutsch.",
        "(?i)Deutsch|falsch", "welche Sprache hat die Oberfläche der Pension?", False,
    ),
    TakenBack(
        "minato", "user", "港の在庫は毎晩 FTP で送ります。",
        "FTP", "すみません、間違えました。FTP はもう使いません。在庫は API で送ります。",
        "API|間違え", "港の在庫はどうやって送りますか。", False,
    ),
)  # fmt: skip
