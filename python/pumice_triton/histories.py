"""Names of the arguments that a checked kernel has in addition to its author's."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PREFIX = "pumice.history."


def count_histories(names: Iterable[str]) -> int:
    """Returns how many of these argument names are names of histories."""
    return sum(name.startswith(PREFIX) for name in names)
