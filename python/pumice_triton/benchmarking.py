"""Measures how long work takes, for `triton.testing.do_bench` and the autotuner."""
from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pumice.devices import _is_lost

from . import devices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pumice.devices import Device


class _Restored(np.ndarray):  # type: ignore[type-arg]
    """An array of NumPy's with a tensor's methods, which the autotuner's own hooks use."""

    def zero_(self) -> None:
        self.fill(0)

    def clone(self) -> Any:
        return self.copy()

    def copy_(self, source: Any) -> None:
        np.copyto(self, source)


def named_as_torch(value: Any) -> Any:
    """Returns `value`, which the autotuner resets or restores, with a tensor's methods."""
    return value.view(_Restored) if isinstance(value, np.ndarray) else value


class Event:
    """A moment at which all work that was submitted before is done."""

    def __init__(self, device: Device, enable_timing: bool = False) -> None:
        self._time: int | None
        self._device, self._time, self._work = device, None, 0
        if enable_timing:
            device.measure()

    def record(self, stream: Any = None) -> None:
        """Waits for the device's work, and notes the time."""
        self._device.synchronize()
        self._work = self._device.measured()
        self._time = time.perf_counter_ns()

    def query(self) -> bool:
        """Returns True: recording waits for the work."""
        return True

    def synchronize(self) -> None:
        """Waits for the device's work."""
        self._device.synchronize()

    def elapsed_time(self, end: Event) -> float:
        """Returns the milliseconds from this event to `end`.

        The device's clock measures them if the device worked in between and reports the time. Otherwise the host's
        clock does. Work on the CPU device is measured by the host's clock.

        Raises:
            RuntimeError: If one of the events was not recorded.
        """
        if self._time is None or end._time is None:
            raise RuntimeError("both events must have been recorded")
        spent = self._device.measured_between(self._work, end._work) or end._time - self._time
        return max(spent, 1) / 1e6


class Stream:
    """The queue of a device. A device has one, and does its work in order."""
    cuda_stream = 0

    def __init__(self, device: Device, *_: Any, **__: Any) -> None:
        self._device = device

    def synchronize(self) -> None:
        """Waits for the device's work."""
        self._device.synchronize()

    def query(self) -> bool:
        """Returns True, as `Event.query` does."""
        return True

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None:
        return None


class DeviceInterface:
    """The part of `torch.cuda` that Triton's tools use. Devices are named by their numbers."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def is_available(self) -> bool:
        """Returns True: there is a device."""
        return True

    def device_count(self) -> int:
        """Returns one more than the largest number of a device."""
        return devices.count()

    def current_device(self) -> int:
        """Returns the device's number."""
        return devices.number_of(self._device)

    def set_device(self, device: int | str) -> None:
        """Makes later kernels run on that device."""
        devices.use_numbered(device)

    @contextlib.contextmanager
    def device(self, device: int | str) -> Iterator[None]:
        """Makes kernels run on that device within a `with` block."""
        before = devices.number_in_use()
        devices.use_numbered(device)
        try:
            yield
        finally:
            devices.use_numbered(before)

    def get_device_name(self, device: int | str | None = None) -> str:
        """Returns the device's name."""
        return self._of(device).name

    def synchronize(self, device: int | str | None = None) -> None:
        """Waits for the device's work."""
        self._of(device).synchronize()

    def current_stream(self, device: int | str | None = None) -> Stream:
        """Returns the device's only stream."""
        return Stream(self._of(device))

    def Stream(self, device: int | str | None = None, **_: Any) -> Stream:
        """Returns the device's only stream."""
        return Stream(self._of(device))

    def stream(self, stream: Any) -> Any:
        """Returns `stream`, which is a context manager itself."""
        return stream

    def Event(self, enable_timing: bool = False, **_: Any) -> Event:
        """Returns an event of the device."""
        return Event(self._device, enable_timing)

    def _of(self, number: int | str | None) -> Device:
        """Returns the device with this number; None means this interface's device."""
        return self._device if number is None else devices.numbered(number)


def bench_in_a_row(call: Callable[[], Any], rep: float = 20, grad_to_none: Any = None,
                   quantiles: Sequence[float] | None = None, return_mode: str = "mean") -> Any:
    """Measures what do_bench_cudagraph measures: the time of one call among many, with warm caches.

    Launches are recorded and submitted together anyway, so no graph is needed.

    Args:
        call: Launches the work.
        rep: For how many milliseconds to measure.
        grad_to_none: Tensors whose gradients are cleared before each call.
        quantiles: Which quantiles to return in place of `return_mode`'s value.
        return_mode: "min", "max", "mean", "median" or "all".

    Returns:
        Milliseconds, as do_bench returns them.

    Raises:
        ValueError: If `return_mode` is none of these.
    """
    from triton.runtime import driver
    from triton.testing import _summarize_statistics
    if return_mode not in ("min", "max", "mean", "median", "all"):
        raise ValueError(f"return_mode is '{return_mode}'; expected min, max, mean, median or all")
    event = driver.active.get_device_interface().Event

    def measure(count: int) -> float:
        first, last = event(enable_timing=True), event(enable_timing=True)
        first.record()
        for _ in range(count):
            for each in grad_to_none or ():
                each.grad = None
            call()
        last.record()
        return first.elapsed_time(last) / count

    call()
    count = max(1, int(rep / measure(5)))
    return _summarize_statistics([measure(count) for _ in range(10)], quantiles, return_mode)


class ColdCache:
    """Memory that is written between two measurements, so that the second finds cold caches."""
    BYTES = 64 << 20

    def __init__(self, device: Device) -> None:
        self._device = device
        if device.info["driver"] == "cpu":
            self._memory: Any = np.empty(self.BYTES, np.uint8)
        else:
            self._memory = device._handle.create_buffer(self.BYTES)

    def clear(self) -> None:
        """Writes all of the memory."""
        if isinstance(self._memory, np.ndarray):
            self._memory.fill(0)
        else:
            if _is_lost(self._memory):
                self._memory = self._device._handle.create_buffer(self.BYTES)
            self._device._work((), "fill", self._memory, 0, self.BYTES, 0, 4)

    zero_ = clear  # the name of a tensor's method
