"""Memory of the host that a launch takes: used in place where the device can, else copied there and
back. What overlaps on the host overlaps on the device."""
import os

from . import _native

# Whether the device is lent the host's memory where it can take it: "copy" never does.
_HOW = os.environ.get("PUMICE_HOST_MEMORY") or "import"
if _HOW not in ("import", "copy"):
    raise ValueError(f"PUMICE_HOST_MEMORY is '{_HOW}'; it is 'import' or 'copy'")

# Kernels may rely on an address's alignment, up to this; copies keep it.
_ALIGNMENT = 64


class _Span:
    """Bytes of the host, and where the device has them."""

    def __init__(self, start, end, owners, writer, writable):
        self.start, self.end, self.owners = start, end, owners
        self.writer, self.writable = writer, writable  # the argument that is written; None
        self.buffer, self.first, self.copied = None, 0, False


class Staging:
    """The host's memory of one launch: `add` all of it, then `place`, `argument`, `give_back`."""

    def __init__(self, device):
        self._device, self._spans = device, []

    def add(self, start, size, owner, writer, writable=True):
        """`size` bytes from address `start` on; `owner` keeps them alive. `writer`: the argument's name,
        where the kernel writes it, else None."""
        if size > 0:
            self._spans.append(_Span(start, start + size, [owner], writer, writable))

    def place(self):
        """Gives every byte its place on the device."""
        merged = []
        for span in sorted(self._spans, key=lambda span: span.start):
            if merged and span.start < merged[-1].end:
                last = merged[-1]
                last.end = max(last.end, span.end)
                last.owners += span.owners
                last.writer = last.writer or span.writer
                last.writable &= span.writable
            else:
                merged.append(span)
        self._spans = merged
        for span in merged:
            if span.writer and not span.writable:
                raise ValueError(f"argument '{span.writer}': it is read-only, and the kernel writes it: "
                                 "pass a copy")
            self._give_place(span)

    def _give_place(self, span):
        size, handle = span.end - span.start, self._device._handle
        if span.writable and _HOW == "import":
            try:
                span.buffer = handle.import_memory(span.start, size, span.owners)
                return
            except _native.Error as error:
                if error.status != "unsupported":
                    raise
        span.first, span.copied = span.start % _ALIGNMENT, True
        span.buffer = handle.create_buffer(span.first + size)
        # Also where the kernel only writes: what it leaves alone stays what it is.
        self._device._queue.upload(span.buffer, span.first, span.start, size)

    def argument(self, address):
        """What is at the host's `address`, as launches take it: up to the end of its memory."""
        for span in self._spans:
            if span.start <= address < span.end:
                return (span.buffer, span.first + address - span.start, span.end - address, (), None)
        return (self._device._handle.create_buffer(1), 0, 0, (), None)  # nothing is there

    def give_back(self):
        """After the launch: returns when the host's memory holds the results."""
        for span in self._spans:
            if span.copied and span.writer:
                self._device._queue.download(span.start, span.buffer, span.first,
                                             span.end - span.start)
        if self._spans:
            self._device.synchronize()
