"""Rejects grids that Triton would reject with unclear errors, or shorten without a warning."""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def _name(kernel: Any) -> str:
    """Returns the name of a kernel's function. Autotuners and heuristics wrap the function."""
    while not hasattr(kernel, "__name__") and hasattr(kernel, "fn"):
        kernel = kernel.fn
    return getattr(kernel, "__name__", "?")


def _check(grid: Any, kernel: Any) -> Any:
    """Returns `grid` if it is one to three numbers.

    Raises:
        TypeError: If `grid` is not a sequence.
        ValueError: If it has no numbers, or more than three.
    """
    try:
        count = len(grid)
    except TypeError:
        way_out = f"write kernel[({grid!r},)]" if hasattr(grid, "__index__") else "write kernel[(n,)] for n programs"
        raise TypeError(f"kernel '{_name(kernel)}': expected a grid of 1 to 3 numbers, or a function that returns one, got "
                        f"{grid!r}; {way_out}") from None
    if not 1 <= count <= 3:
        way_out = "merge axes, and split them in the kernel by // and %" if count else "write kernel[(n,)] for n programs"
        raise ValueError(f"kernel '{_name(kernel)}': expected a grid of 1 to 3 numbers, got {count}: {grid!r}; {way_out}")
    return grid


def checks_grid(subscript: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `KernelInterface.__getitem__` that checks the grid."""
    from .tuning import drives

    @functools.wraps(subscript)
    def checked(self: Any, grid: Any) -> Any:
        if type(grid) is tuple and 0 < len(grid) < 4:
            return subscript(self, grid)
        if callable(grid):
            return subscript(self, lambda meta: _check(grid(meta), self) if drives() else grid(meta))
        return subscript(self, _check(grid, self) if drives() else grid)

    return checked
