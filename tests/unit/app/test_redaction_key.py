"""The redaction key in a store that several homes open, wrapped by the secret of the deployment."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.app.redaction_key import home_key, key_in, shared_key, stored_form
from contextd.runtime.settings import load_settings
from contextd_common.errors import Invalid, Unavailable

SECRET, OTHER = "s" * 32, "t" * 32
VARIABLE = "CONTEXTD_STORE_SECRET"


class Kept:
    """`Replicas.keep` over one value."""

    def __init__(self) -> None:
        self.value = ""

    def keep(self, name: str, value: str, *, instead_of: str = "") -> str:
        if self.value == instead_of:
            self.value = value
        return self.value


def opened(kept: Kept, home: Path) -> bytes:
    home.mkdir(exist_ok=True)
    return shared_key(kept, load_settings(home=home), "acme")  # type: ignore[arg-type]


@pytest.mark.parametrize("secret", ["", SECRET])
def test_every_home_gets_the_key_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv(VARIABLE, secret)
    kept = Kept()
    first = opened(kept, tmp_path / "one")
    assert first == home_key(tmp_path / "one") == opened(kept, tmp_path / "other")
    assert home_key(tmp_path / "other") != first
    assert (first.hex() in kept.value) is not bool(secret)


def test_a_key_stored_before_there_was_a_secret_is_wrapped_by_the_first_that_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept()
    monkeypatch.delenv(VARIABLE, raising=False)
    first = opened(kept, tmp_path)
    monkeypatch.setenv(VARIABLE, SECRET)
    assert opened(kept, tmp_path) == first
    assert first.hex() not in kept.value
    for wrong in ("", OTHER):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(Unavailable, match="wrapped by another secret"):
            opened(kept, tmp_path)


def test_a_secret_that_can_be_guessed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "correct horse")
    with pytest.raises(Invalid, match="has 13 characters"):
        opened(Kept(), tmp_path)


def test_a_wrapped_key_belongs_to_one_organisation_and_shows_every_change() -> None:
    stored = stored_form(b"k" * 32, SECRET, "acme")
    assert stored != stored_form(b"k" * 32, SECRET, "acme")
    assert key_in(stored, SECRET, "acme") == b"k" * 32
    changed = stored[:-1] + ("0" if stored[-1] != "0" else "1")
    for form, secret, organisation in (
        (stored, SECRET, "rival"),
        (stored, OTHER, "acme"),
        (changed, SECRET, "acme"),
        ("wrapped:", SECRET, "acme"),
        ("nonsense", SECRET, "acme"),
    ):
        with pytest.raises(ValueError, match=r"wrapped by another|hexadecimal"):
            key_in(form, secret, organisation)
