"""Grids that Triton would refuse in words of Python's, or cut without a word: errors name the forms that there are."""
import functools


def _name(kernel):
    """Autotuners and heuristics have the function within."""
    while not hasattr(kernel, "__name__") and hasattr(kernel, "fn"):
        kernel = kernel.fn
    return getattr(kernel, "__name__", "?")


def _check(grid, kernel):
    """Returns `grid`, if it is one to three numbers."""
    try:
        count = len(grid)
    except TypeError:
        way_out = f"write kernel[({grid!r},)]" if hasattr(grid, "__index__") else "write kernel[(n,)] for n programs"
        raise TypeError(f"kernel '{_name(kernel)}': expected a grid of 1 to 3 numbers, or a function that gives one, got "
                        f"{grid!r}; {way_out}") from None
    if not 1 <= count <= 3:
        way_out = "take axes together, and part them in the kernel by // and %" if count else "write kernel[(n,)] for n programs"
        raise ValueError(f"kernel '{_name(kernel)}': expected a grid of 1 to 3 numbers, got {count}: {grid!r}; {way_out}")
    return grid


def checks_grid(subscript):
    from .tuning import drives

    @functools.wraps(subscript)
    def checked(self, grid):
        if type(grid) is tuple and 0 < len(grid) < 4:
            return subscript(self, grid)
        if callable(grid):
            return subscript(self, lambda meta: _check(grid(meta), self) if drives() else grid(meta))
        return subscript(self, _check(grid, self) if drives() else grid)

    return checked
