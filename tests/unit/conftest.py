"""Every test stands in a project of its own, beside a neighbour."""

from support.desks import (  # noqa: F401
    colleague,
    desk,
    home,
    neighbour,
    open_desk,
    pristine,
    repository,
    words_only,
)
from support.imported import person  # noqa: F401
