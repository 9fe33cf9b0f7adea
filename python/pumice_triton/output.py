"""What kernels say: lines of `tl.device_print`, and assertions that failed."""
import atexit
import re
import sys
import threading

from pumice import _native
from pumice.errors import Error

# As the compiler marks them: no text of a kernel's own has the mark.
_FAILED = re.compile("\x1e(.*?)\x1e\n", re.DOTALL)
_RECORD = re.compile("\x1d(.*?)\x1d\n", re.DOTALL)
# As runtime/hal/PrintfFormat.cpp writes it.
_LOST = re.compile(r"\[gpu\.printf: output was lost: [^\]\n]*\]\n")
LOST = ""  # among records: there were more than the buffer holds
_MOST = 10  # that one exception names

_LONGEST = 60  # seconds that a process waits in the end

_speaking: set = set()  # devices with kernels that say something
_failures: dict[int, list] = {}  # by the number of the thread that launched
_records: dict[int, list] = {}  # likewise: of checked kernels
_ending = False
_writing = threading.RLock()
_lock = threading.RLock()  # a queue that goes, by Python's garbage collection too, tells what is left


def expect(device, text):
    """That device's kernel, whose text this is, may say something when the process ends."""
    if "tt.print" in text or "tt.assert" in text:
        _speaking.add(device)


def said(text, thread):
    """Takes the output of a launch of `thread`'s, on any thread; whether an assertion failed is told."""
    if "\x1d" in text:
        with _lock:
            records = _records.setdefault(thread, [])
            records.extend(_RECORD.findall(text))
            text = _RECORD.sub("", text)
            if _LOST.fullmatch(text):  # the kernel itself has said nothing
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


def take_records():
    """What checked kernels that this thread launched have found since it was asked last."""
    with _lock:
        return _records.pop(_native.this_thread(), [])


def raise_failures():
    """After a wait, those of launches of this thread's; whether there are others' is told."""
    if not _failures:
        return False
    with _lock:
        failures = _failures.pop(_native.this_thread(), None)
    if failures:
        raise RuntimeError(_listed(failures))
    return bool(_failures)


def _listed(failures):
    named, more = failures[:_MOST], len(failures) - _MOST
    return "\n".join(named + ([f"and {more} more"] if more > 0 else []))


@atexit.register
def _let_nobody_else_write():
    """A thread that Python ends while it writes keeps the file's lock, and Python, which cannot flush then, aborts."""
    global _ending
    with _writing:
        _ending = True


@atexit.register
def _tell_the_rest():
    """Of threads that ended, or waited no more; what is still at work may have something to say."""
    for device in _speaking:
        try:
            device._queue.finish(_LONGEST)
        except Error as error:
            print(f"{device.id}: what its kernels say is lost: {error}", file=sys.stderr)
    for failures in _failures.values():
        print(_listed(failures), file=sys.stderr)
