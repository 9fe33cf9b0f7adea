"""How long work takes: what `triton.testing.do_bench` and the autotuner ask for."""
import contextlib
import time

import numpy as np

from pumice.devices import _is_lost

from . import devices


class _Restored(np.ndarray):
    """An array of NumPy's by torch's names, which the autotuner's own hooks use."""

    def zero_(self):
        self.fill(0)

    def clone(self):
        return self.copy()

    def copy_(self, source):
        np.copyto(self, source)


def named_as_torch(value):
    """`value`, which the autotuner resets or restores."""
    return value.view(_Restored) if isinstance(value, np.ndarray) else value


class Event:
    """A moment at which all work that was there before is done."""

    def __init__(self, device, enable_timing=False):
        self._device, self._time, self._work = device, None, 0
        if enable_timing:
            device.measure()

    def record(self, stream=None):
        self._device.synchronize()
        self._work = self._device.measured()
        self._time = time.perf_counter_ns()

    def query(self):
        return True

    def synchronize(self):
        self._device.synchronize()

    def elapsed_time(self, end):
        """Milliseconds, by the device's clock, if it worked in between and tells the time; else by the
        host's. The CPU device works on the host's."""
        if self._time is None or end._time is None:
            raise RuntimeError("both events must have been recorded")
        spent = self._device.measured_between(self._work, end._work) or end._time - self._time
        return max(spent, 1) / 1e6


class Stream:
    """The queue of a device, of which there is one: work is done in order."""
    cuda_stream = 0

    def __init__(self, device, *_, **__):
        self._device = device

    def synchronize(self):
        self._device.synchronize()

    def query(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


class DeviceInterface:
    """The part of `torch.cuda` that Triton's tools use. Devices have their numbers."""

    def __init__(self, device):
        self._device = device

    def is_available(self):
        return True

    def device_count(self):
        return devices.count()

    def current_device(self):
        return devices.number_of(self._device)

    def set_device(self, device):
        devices.use_numbered(device)

    @contextlib.contextmanager
    def device(self, device):
        """Within it kernels run on that device."""
        before = devices.number_in_use()
        devices.use_numbered(device)
        try:
            yield
        finally:
            devices.use_numbered(before)

    def get_device_name(self, device=None):
        return self._of(device).name

    def synchronize(self, device=None):
        self._of(device).synchronize()

    def current_stream(self, device=None):
        return Stream(self._of(device))

    def Stream(self, device=None, **_):
        return Stream(self._of(device))

    def stream(self, stream):
        return stream

    def Event(self, enable_timing=False, **_):
        return Event(self._device, enable_timing)

    def _of(self, number):
        return self._device if number is None else devices.numbered(number)


def bench_in_a_row(call, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """What do_bench_cudagraph measures: milliseconds of a call among many, which find warm caches. Launches are
    recorded and submitted together anyway, so that no graph is needed."""
    from triton.runtime import driver
    from triton.testing import _summarize_statistics
    if return_mode not in ("min", "max", "mean", "median", "all"):
        raise ValueError(f"return_mode is '{return_mode}'; it is min, max, mean, median or all")
    event = driver.active.get_device_interface().Event

    def measure(count):
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

    def __init__(self, device):
        self._device = device
        if device.info["driver"] == "cpu":
            self._memory = np.empty(self.BYTES, np.uint8)
        else:
            self._memory = device._handle.create_buffer(self.BYTES)

    def clear(self):
        if isinstance(self._memory, np.ndarray):
            self._memory.fill(0)
        else:
            if _is_lost(self._memory):
                self._memory = self._device._handle.create_buffer(self.BYTES)
            self._device._work((), "fill", self._memory, 0, self.BYTES, 0, 4)

    zero_ = clear  # a tensor's name for it
