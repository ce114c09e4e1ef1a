"""Every test stands in a project of its own, beside a neighbour."""

import pytest

pytest.register_assert_rewrite("support.desks")

from support.desks import (  # noqa: E402, F401
    colleague,
    desk,
    home,
    neighbour,
    open_desk,
    pristine,
    repository,
    words_only,
)
