"""Takes what kernels print: lines of `tl.device_print`, and assertions that failed."""
from __future__ import annotations

import atexit
import re
import sys
import threading
from typing import TYPE_CHECKING

from pumice import _native
from pumice.errors import Error

if TYPE_CHECKING:
    from pumice.devices import Device

# The compiler's marks, which no text of a kernel contains.
_FAILED = re.compile("\x1e(.*?)\x1e\n", re.DOTALL)
_RECORD = re.compile("\x1d(.*?)\x1d\n", re.DOTALL)
# The form that runtime/hal/PrintfFormat.cpp writes.
_LOST = re.compile(r"\[gpu\.printf: output was lost: [^\]\n]*\]\n")
LOST = ""  # a record that says that the buffer was full
_MOST = 10  # failures that one exception names

_LONGEST = 60  # seconds that a process waits when it ends

_speaking: set[Device] = set()  # devices with kernels that print
_failures: dict[int, list[str]] = {}  # by the number of the launching thread
_records: dict[int, list[str]] = {}  # findings of checked kernels, by the same number
_ending = False
_writing = threading.RLock()
_lock = threading.RLock()  # a queue prints the rest when it is freed, even by Python's garbage collection


def expect(device: Device, text: str) -> None:
    """Notes that a kernel of this device, whose text this is, may print something when the process ends."""
    if "tt.print" in text or "tt.assert" in text:
        _speaking.add(device)


def said(text: str, thread: int) -> bool:
    """Takes the output of a launch, on any thread.

    Args:
        text: What the kernel printed, with marks around failures and records.
        thread: The number of the thread that launched the kernel.

    Returns:
        Whether an assertion failed.
    """
    if "\x1d" in text:
        with _lock:
            records = _records.setdefault(thread, [])
            records.extend(_RECORD.findall(text))
            text = _RECORD.sub("", text)
            if _LOST.fullmatch(text):  # the kernel itself has printed nothing
                records.append(LOST)
                text = ""
    failures = _FAILED.findall(text)
    if failures:
        with _lock:
            _failures.setdefault(thread, []).extend(failures)
    with _writing:
        if not _ending or threading.get_ident() == threading.main_thread().ident:
            sys.stdout.write(_FAILED.sub("", text))
    return bool(failures)


def take_records() -> list[str]:
    """Returns the records of checked kernels that this thread launched since the last call, and forgets them."""
    with _lock:
        return _records.pop(_native.this_thread(), [])


def raise_failures() -> bool:
    """Raises the failures of this thread's launches, after a wait.

    Returns:
        Whether other threads have failures.

    Raises:
        RuntimeError: If an assertion failed in a launch of this thread.
    """
    if not _failures:
        return False
    with _lock:
        failures = _failures.pop(_native.this_thread(), None)
    if failures:
        raise RuntimeError(_listed(failures))
    return bool(_failures)


def _listed(failures: list[str]) -> str:
    """Returns the text of these failures, at most `_MOST` of them."""
    named, more = failures[:_MOST], len(failures) - _MOST
    return "\n".join(named + ([f"and {more} more"] if more > 0 else []))


@atexit.register
def _let_nobody_else_write() -> None:
    """Stops output of other threads when the process ends.

    A thread that Python ends while it writes keeps the file's lock. Python then cannot flush the file, and aborts.
    """
    global _ending
    with _writing:
        _ending = True


@atexit.register
def _tell_the_rest() -> None:
    """Prints the failures of threads that ended, or that no longer waited. Waits for work that may print more."""
    for device in _speaking:
        try:
            device._queue.finish(_LONGEST)
        except Error as error:
            print(f"{device.id}: the output of its kernels is lost: {error}", file=sys.stderr)
    for failures in _failures.values():
        print(_listed(failures), file=sys.stderr)
