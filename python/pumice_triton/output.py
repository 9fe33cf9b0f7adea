"""What kernels say: lines of `tl.device_print`, and assertions that failed."""
import sys

_FAILED = "assertion failed: "
_MOST = 10  # that one exception names

_failures = []


def said(text):
    """Takes a launch's output; whether an assertion failed is told."""
    lines = text.splitlines(keepends=True)
    failures = [line.rstrip() for line in lines if _FAILED in line]
    _failures.extend(failures)
    sys.stdout.write("".join(line for line in lines if _FAILED not in line))
    return bool(failures)


def raise_failures():
    """After a launch that was waited for: of device arrays alone, after the next that is."""
    if not _failures:
        return
    named, more = _failures[:_MOST], len(_failures) - _MOST
    _failures.clear()
    raise RuntimeError("\n".join(named + ([f"and {more} more"] if more > 0 else [])))
