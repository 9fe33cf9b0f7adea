"""Devices: which ones there are, and which one is used by default."""
from __future__ import annotations

import functools
import os
import sys
import threading
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pumice_hooks import after_import

from . import _native
from .errors import DeviceLostError, Error
from .staging import LENT_FROM_OTHER, LENT_FROM_SHARED, Pool

if TYPE_CHECKING:
    from importlib import metadata

    from .arrays import Array

# How a caller names a device: an open one, one of `devices()`, an id, a driver, part of a name, or None.
Request: TypeAlias = "Device | DeviceInfo | str | None"


class Device:
    """An open device. It has a queue, which does its work in order.

    Opening a device again returns the same object, which also survives the loss of the device. Unfinished work then
    fails, and arrays are lost. Later work runs on the device, which is opened again.
    """

    _open: dict[int, Device] = {}
    _lock = threading.Lock()

    _handle: _native.Device
    _queue: _native.Queue
    _info: dict[str, Any]
    _kept: list[Any]
    _renewing: threading.Lock
    _pool: Pool
    _is_host: bool
    _lent_from: int | None
    _records: list[tuple[int, int]] | None

    def __new__(cls, request: str | None = None) -> Device:
        handle = _native.Device.open(request)
        with cls._lock:
            known = cls._open.get(handle.handle)
            if known is None:
                known = super().__new__(cls)
                known._handle = handle
                known._queue = handle.create_queue()
                known._info = handle.info()
                known._kept = []
                known._renewing = threading.Lock()
                known._pool = Pool(known)
                known._is_host = known._info["driver"] == "cpu"  # it can use all of the process's memory
                shares = known._info["kind"] in ("cpu", "integrated")
                known._lent_from = LENT_FROM_SHARED if shares else LENT_FROM_OTHER
                known._records = None  # the begin and end of each piece of measured work
                cls._open[handle.handle] = known
                if known._info["driver"] == "cpu" and not os.environ.get("PUMICE_CPU_THREADS"):
                    after_import("torch", _follow_threads)
        queue = known._queue
        if _is_lost(queue):
            known._renew(queue)
        return known

    @property
    def id(self) -> str:
        """The name that `pumice.device` and PUMICE_DEVICE take, such as "vulkan:0"."""
        return self._info["id"]

    @property
    def name(self) -> str:
        """The device's name, as its driver reports it."""
        return self._info["name"]

    @property
    def info(self) -> dict[str, Any]:
        """All known facts about the device, as a dictionary."""
        return dict(self._info)

    @property
    def target(self) -> str:
        """The target environment as JSON text, for `pumice.compile`, also on machines without the device."""
        return self._handle.target()

    def set_option(self, name: str, value: int) -> None:
        """Sets an option of the driver.

        Args:
            name: "timeout_ms", or "threads" for the CPU device.
            value: The option's new value.
        """
        self._handle.set_option(name, value)

    def synchronize(self, timeout: float | None = None) -> None:
        """Waits until all work of the device is done.

        Args:
            timeout: The most seconds to wait; None for no limit.

        Raises:
            DeadlineError: If the time runs out. The work continues.
            Error: If the work failed.
        """
        self._finish(self._queue, timeout)

    def _finish(self, queue: _native.Queue, timeout: float | None = None) -> None:
        """Waits for the work of `queue`, which may be the queue that the device had before it was lost."""
        kept, self._kept = self._kept, []
        try:
            queue.finish(timeout)
        except Error as error:
            self._kept.extend(kept)  # unfinished work may still need it
            raise self._after(error, queue)
        for tell in _when_waited:
            tell()

    def _launch(self, kernel: _native.Kernel, groups: tuple[int, ...], arguments: tuple[Any, ...],
                print: Callable[[str], object] | None, queue: _native.Queue | None = None) -> None:
        """Launches a kernel, and keeps `print` until the launch is done."""
        queue = queue or self._queue
        try:
            queue.launch(kernel, groups, arguments, print)
        except Error as error:
            raise self._after(error, queue)
        if print is not None:
            self._kept.append(print)  # after the launch: a wait frees only what was kept before it

    def _work(self, arrays: Sequence[Array], work: str, *arguments: Any) -> _native.Queue:
        """Calls the method `work` of the queue, for these arrays. Returns the queue, for a later wait."""
        queue = self._queue
        try:
            getattr(queue, work)(*arguments)
        except Error as error:
            raise self._after(error, queue, arrays)
        return queue

    def _after(self, error: Error, queue: _native.Queue, arrays: Sequence[Array] = ()) -> Error:
        """Returns the error to raise if work on `queue` ended with `error`.

        A lost device is opened again for later work. If it was lost earlier, the error names the array that was lost
        with it.
        """
        if not isinstance(error, DeviceLostError):
            return error
        if _is_lost(queue):
            try:
                self._renew(queue)
            except Error:
                pass  # the next work tries again, and says why it fails
            return error
        for array in arrays:
            if _is_lost(array._buffer):
                return named(error, array)
        return error

    def _renew(self, lost: _native.Queue) -> None:
        """Opens the device again with a new queue, unless another thread was first."""
        with self._renewing:
            if self._queue is lost:
                self._pool.clear()
                _native.note_loss()
                self._lent_from = None  # the same kernel may run again, and copies have slack on both sides
                self._queue = self._handle.create_queue(profiling=self._records is not None)

    def measure(self) -> None:
        """Measures by the device's clock how long later work takes, which costs some time.

        Nothing changes for the CPU device, whose clock is the host's.
        """
        if self._records is None and self._info["driver"] != "cpu":
            self.synchronize()
            self._records = []
            self._queue = self._handle.create_queue(profiling=True)

    def measured(self) -> int:
        """Returns how many pieces of finished work were measured."""
        if self._records is None:
            return 0
        self._records += [(one["begin"], one["end"]) for one in self._queue.take_profile()]
        return len(self._records)

    def measured_between(self, first: int, last: int) -> int:
        """Returns the nanoseconds from the beginning of work number `first` to the end of all work before `last`.

        The result is 0 without such work, or if the device has no clock.
        """
        work = (self._records or [])[first:last]
        return max(end for _, end in work) - min(begin for begin, _ in work) if work else 0

    def __repr__(self) -> str:
        return _described(self._info)


def _described(info: dict[str, Any]) -> str:
    """Returns "vulkan:0: llvmpipe (cpu, subgroups of 8, 15.6 GiB)"."""
    facts = [info["kind"]]
    if info["subgroup_size"]:
        facts.append(f"subgroups of {info['subgroup_size']}")
    if info["memory_bytes"]:
        facts.append(f"{info['memory_bytes'] / (1 << 30):.1f} GiB")
    return f"{info['id']}: {info['name']} ({', '.join(facts)})"


def _is_lost(part: _native.Queue | _native.Buffer) -> bool:
    """Returns whether a queue or a buffer was lost with its device."""
    try:
        part.health()
        return False
    except DeviceLostError:
        return True
    except Error:
        return False


def named(error: Error, array: Array) -> Error:
    """Returns an error of the same class that names the array."""
    return type(error)(f"{array!r}: {error}")


_when_waited: list[Callable[[], object]] = []


def when_waited(tell: Callable[[], object]) -> None:
    """Calls `tell()` after each later wait for a device."""
    if tell not in _when_waited:
        _when_waited.append(tell)


class DeviceInfo:
    """Describes a device that need not be open. Attributes are the entries of `Device.info`."""

    id: str
    name: str

    def __init__(self, facts: dict[str, Any]) -> None:
        self.__dict__.update(facts)

    def __repr__(self) -> str:
        return _described(self.__dict__)


def devices() -> list[DeviceInfo]:
    """Lists every device of every driver, best driver first, without opening any."""
    return [DeviceInfo(facts) for facts in _native.list_devices()]


_chosen: Device | None = None


def use(request: Request) -> Device | None:
    """Chooses the device for calls that name none, including Triton's kernels.

    Args:
        request: An id ("vulkan:1"), a driver ("cpu"), or part of a name. None restores the default: the device that
            PUMICE_DEVICE names, or the best one.

    Returns:
        The chosen device, or None for the default.

    Raises:
        Error: If no device matches, or it cannot be opened.
    """
    global _chosen
    _chosen = None if request is None else device(request)
    for framework in _frameworks():
        if _chosen is not None or framework.name in sys.modules:
            after_import(framework.name, functools.partial(_tell, framework))
    return _chosen


@functools.cache
def _frameworks() -> tuple[metadata.EntryPoint, ...]:
    """Returns the entry points of the group "pumice.frameworks".

    Each has the name of a package, and a function that follows `use`. The function is called with the package once that
    is imported.
    """
    from importlib import metadata  # importing it takes as long as importing all of this package
    return tuple(metadata.entry_points(group="pumice.frameworks"))


def _tell(framework: metadata.EntryPoint, package: types.ModuleType) -> None:
    """Calls a framework's function."""
    framework.load()(package)


def _follow_threads(torch: Any) -> None:
    """Makes the CPU device use as many threads as torch from now on."""
    original = torch.set_num_threads
    if not hasattr(original, "_for_pumice"):

        @functools.wraps(original)
        def set_num_threads(count: int) -> None:
            original(count)
            _set_threads(count)

        set_num_threads._for_pumice = True  # type: ignore[attr-defined]
        torch.set_num_threads = set_num_threads
    _set_threads(torch.get_num_threads())


def _set_threads(count: int) -> None:
    """Sets the number of threads of each open CPU device."""
    for each in list(Device._open.values()):
        if each._info["driver"] == "cpu":
            each.set_option("threads", count)


def chosen() -> Device | None:
    """Returns the device that `use` chose, or None."""
    return _chosen


def device(request: Request = None) -> Device:
    """Opens a device.

    Args:
        request: An id ("vulkan:0"), a driver ("cpu"), part of a name, or an entry of `devices`. None means the
            device that `use` chose, or that PUMICE_DEVICE names, or the best one.

    Raises:
        Error: If no device matches, or it cannot be opened.
        TypeError: If `request` has another type.
    """
    if isinstance(request, Device):
        return request
    if isinstance(request, DeviceInfo):
        request = request.id
    if request is not None and not isinstance(request, str):
        raise TypeError(f"{request!r} does not name a device: expected an id (\"vulkan:0\"), a driver (\"cpu\"), "
                        "part of a name, or a device from pumice.devices()")
    if request is None and _chosen is not None:
        return _chosen
    return Device(request)


def synchronize(device_or_request: Request = None) -> None:
    """Waits until all work of a device is done. The default is the device in use."""
    device(device_or_request).synchronize()
