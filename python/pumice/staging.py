"""Brings the host's memory to a device for a launch: it is copied there and back, or used in place.

Memory that overlaps on the host also overlaps on the device. A kernel that reads a little outside of it finds memory
there. Copies lie between two slacks of the device's memory (docs/vulkan-driver.md), in buffers that launches share.
Large tensors are lent if 64 KiB on both sides of them can be read. If the kernel only reads the tensor, these bytes are
lent too. Nothing is lent to a device that was lost.
"""
from __future__ import annotations

import collections
import os
import threading
from typing import TYPE_CHECKING, TypeAlias

from . import _native
from .errors import Error, InvalidArgumentError, OutOfMemoryError, UnsupportedError

if TYPE_CHECKING:
    from .devices import Device

# The form in which launches take memory: buffer, first byte, bytes, shape, strides.
Argument: TypeAlias = "tuple[_native.Buffer, int, int, tuple[int, ...], tuple[int, ...] | None]"

# "copy" lends nothing, and "import" lends whatever the device accepts.
_HOW = os.environ.get("PUMICE_HOST_MEMORY") or "auto"
if _HOW not in ("auto", "import", "copy"):
    raise ValueError(f"PUMICE_HOST_MEMORY is '{_HOW}'; expected 'auto', 'import' or 'copy'")

# Kernels may rely on an address's alignment up to this number of bytes. Copies keep it.
_ALIGNMENT = 64

# Tensors of fewer bytes are copied. If the device shares the host's memory, copying a small tensor takes no longer than
# making it visible. Other devices copy tensors as long as that costs only some milliseconds.
LENT_FROM_SHARED, LENT_FROM_OTHER = 256 << 10, 16 << 20

# The number of readable bytes that there must be on each side of lent memory.
_AROUND = 64 << 10


class Pool:
    """A device's buffers for copies. Launches reuse them, so a launch like an earlier one creates none."""

    MOST_BUFFERS, MOST_BYTES = 64, 256 << 20

    def __init__(self, device: Device) -> None:
        self._device, self._lock = device, threading.Lock()
        self._free: collections.deque[tuple[int, _native.Buffer]] = collections.deque()  # the oldest first
        self._bytes = 0

    def take(self, size: int) -> _native.Buffer:
        """Returns a buffer of this size."""
        with self._lock:
            for i, (known, buffer) in enumerate(self._free):
                if known == size:
                    del self._free[i]
                    self._bytes -= size
                    if not _is_lost(buffer):
                        return buffer
                    break
        return self._device._handle.create_buffer(size)

    def give(self, size: int, buffer: _native.Buffer) -> None:
        """Takes back a buffer that no work uses."""
        with self._lock:
            self._free.append((size, buffer))
            self._bytes += size
            while len(self._free) > self.MOST_BUFFERS or self._bytes > self.MOST_BYTES:
                self._bytes -= self._free.popleft()[0]

    def clear(self) -> None:
        """Frees all buffers."""
        with self._lock:
            self._free.clear()
            self._bytes = 0


def _is_lost(buffer: _native.Buffer) -> bool:
    """Returns whether a buffer was lost with its device."""
    try:
        buffer.health()
        return False
    except Error:
        return True


class Brought:
    """Bytes of the host that the device can use: `buffer`, from byte `first` on."""

    def __init__(self, device: Device, queue: _native.Queue, start: int, size: int, owner: object,
                 is_written: bool, is_writable: bool) -> None:
        self._device, self._start, self._size = device, start, size
        self.is_copied, self.is_written = False, is_written
        if not (is_writable and self._lends() and self._lend(owner)):
            self._copy(queue, owner, is_writable)

    def _lends(self) -> bool:
        """Returns whether the memory should be lent."""
        if self._device._is_host:
            return True
        if _HOW != "auto":
            return _HOW == "import"
        least = self._device._lent_from
        return (least is not None and self._size >= least
                and _native.make_readable(self._start - _AROUND, _AROUND)
                and _native.make_readable(self._start + self._size, _AROUND))

    def _lend(self, owner: object) -> bool:
        """Lends the memory, and returns whether the device accepts it. Read-only memory is lent with its surroundings."""
        extended = _HOW == "auto" and not self.is_written and not self._device._is_host
        for around in (_AROUND, 0) if extended else (0,):
            try:
                self.buffer = self._device._handle.import_memory(self._start - around, self._size + 2 * around,
                                                                 owner)
                self.first = around
                return True
            except (UnsupportedError, InvalidArgumentError):
                continue
        return False

    def _copy(self, queue: _native.Queue, owner: object, is_writable: bool) -> None:
        """Copies the memory to a buffer of the device."""
        # Buffers without addresses are passed from their begin, since a part may need any alignment.
        self.first = self._start % _ALIGNMENT if self._device._info["has_buffer_addresses"] else 0
        try:
            self.buffer = self._device._pool.take(self.first + self._size)
        except OutOfMemoryError:
            # The device has too little memory, but may be able to use the host's.
            if _HOW == "copy" or not is_writable or not self._lend(owner):
                raise
            return
        self.is_copied = True
        # This is needed even if the kernel only writes: it may leave some bytes unchanged.
        queue.upload(self.buffer, self.first, self._start, self._size)

    def fetch(self, queue: _native.Queue) -> None:
        """Copies the results back. It is called after the launch, and before the wait for it."""
        if self.is_copied and self.is_written:
            queue.download(self._start, self.buffer, self.first, self._size)

    def give_back(self) -> None:
        """Gives the buffer back to the pool. It is called after the wait."""
        if self.is_copied:
            self._device._pool.give(self.first + self._size, self.buffer)


class HostPart:
    """The host's memory that an argument of a launch names: `size` bytes from `address` on.

    Without a size, the part extends to the end of the memory that was added.
    """

    __slots__ = ("address", "size", "shape")

    def __init__(self, address: int, size: int | None = None, shape: tuple[int, ...] = ()) -> None:
        self.address, self.size, self.shape = address, size, shape


class _Span:
    """A range of bytes of the host."""

    def __init__(self, start: int, end: int, owners: list[object], writer: str | None, writable: bool) -> None:
        self.start, self.end, self.owners = start, end, owners
        self.writer, self.writable = writer, writable  # the argument that is written, or None
        self.there: Brought  # set by `place`


class Staging:
    """The host's memory of one launch. Callers `add` all of it, then call `place`, `argument` and `give_back`."""

    def __init__(self, device: Device, queue: _native.Queue | None = None) -> None:
        self._device = device
        self._spans: list[_Span] = []
        # All of the launch uses one queue. If the device is lost meanwhile, another thread may give it a new queue,
        # which does not have this work.
        self.queue = queue or device._queue

    def add(self, start: int, size: int, owner: object, writer: str | None, writable: bool = True) -> None:
        """Adds memory of the host.

        Args:
            start: The address of the first byte.
            size: The number of bytes.
            owner: The object that keeps the memory alive.
            writer: The argument's name if the kernel writes the memory, and otherwise None.
            writable: Whether the memory may be written.
        """
        if size > 0:
            self._spans.append(_Span(start, start + size, [owner], writer, writable))

    def place(self) -> None:
        """Brings all of the memory to the device.

        Raises:
            ValueError: If the kernel writes memory that is read-only.
        """
        merged: list[_Span] = []
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
                raise ValueError(f"argument '{span.writer}': it is read-only, but the kernel writes it: "
                                 "pass a copy")
            span.there = Brought(self._device, self.queue, span.start, span.end - span.start, span.owners,
                                 bool(span.writer), span.writable)

    def argument(self, part: HostPart) -> Argument:
        """Returns a `HostPart` as launches take it."""
        for span in self._spans:
            if span.start <= part.address < span.end and part.size != 0:
                first = part.address - span.start
                size = span.end - part.address if part.size is None else part.size
                return (span.there.buffer, span.there.first + first, size, part.shape, None)
        return (self._device._handle.create_buffer(1), 0, 0, part.shape, None)  # the part has no bytes

    def give_back(self) -> None:
        """Copies the results back after the launch. Returns when the host's memory holds them."""
        for span in self._spans:
            span.there.fetch(self.queue)
        if self._spans:
            self._device._finish(self.queue)
        for span in self._spans:
            span.there.give_back()
