"""torch.cuda's streams, events and contexts. Work is done when a call returns, so its order is always kept."""
from __future__ import annotations

import contextlib
import time
from typing import Any, Literal

import torch

from .asking import CUDA, check_index


class Stream:
    """Replaces torch.cuda.Stream. All streams are one here."""
    cuda_stream = 0
    stream_id = 0
    device_index = 0
    device_type = 1  # PyTorch's number for CUDA

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        check_index(device)
        self.priority = priority

    device = CUDA

    def query(self) -> bool:
        """Returns True: all work is done."""
        return True

    def synchronize(self) -> None:
        """Waits for all work."""
        torch.cuda.synchronize()

    def wait_stream(self, stream: Any) -> None:
        """Does nothing: work is done when a call returns."""

    def wait_event(self, event: Any) -> None:
        """Does nothing: work is done when a call returns."""

    def record_event(self, event: Any = None) -> Any:
        """Records an event, which is made if none is passed, and returns it."""
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream)

    def __hash__(self) -> int:
        return 0


class ExternalStream(Stream):
    """Replaces torch.cuda.ExternalStream."""

    def __init__(self, stream_ptr: int = 0, device: Any = None, **_: Any) -> None:
        super().__init__(device)


class Event:
    """A moment of the host's clock at which all earlier work is done."""
    cuda_event = 0
    device = CUDA

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False,
                 external: bool = False) -> None:
        self._time: int | None
        self._is_timed, self._time = enable_timing, None

    def record(self, stream: Any = None) -> None:
        """Waits for all work, and notes the time."""
        torch.cuda.synchronize()
        self._time = time.perf_counter_ns()

    def wait(self, stream: Any = None) -> None:
        """Does nothing: recording waits for the work."""

    def query(self) -> bool:
        """Returns True: recording waits for the work."""
        return True

    def synchronize(self) -> None:
        """Waits for all work."""
        torch.cuda.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Returns the milliseconds from this event to the other.

        Raises:
            RuntimeError: If an event was not recorded, or was made without `enable_timing`.
        """
        if not (self._is_timed and end_event._is_timed):
            raise RuntimeError("expected events with enable_timing=True")
        if self._time is None or end_event._time is None:
            raise RuntimeError("expected events that were recorded: call record() of both first")
        return max(end_event._time - self._time, 1) / 1e6


class OnDevice(contextlib.ContextDecorator):
    """Replaces torch.cuda.device: the only device is always the current one."""

    def __init__(self, device: Any) -> None:
        if isinstance(device, torch.device) and device.type == "cpu":
            device = None  # a tensor that the script made on the CPU
        check_index(device)
        self.idx = 0

    def __enter__(self) -> OnDevice:
        return self

    def __exit__(self, *error: Any) -> Literal[False]:
        return False


class OnDeviceOf(OnDevice):
    """Replaces torch.cuda.device_of."""

    def __init__(self, obj: Any) -> None:
        super().__init__(None)


class OnStream(contextlib.ContextDecorator):
    """Replaces torch.cuda.stream."""

    def __init__(self, stream: Any = None) -> None:
        self.stream = stream

    def __enter__(self) -> OnStream:
        return self

    def __exit__(self, *error: Any) -> None:
        return None


def install() -> None:
    """Replaces torch.cuda's streams, events and contexts."""
    cuda = torch.cuda
    current = Stream()
    for name, kind in {"Stream": Stream, "ExternalStream": ExternalStream, "Event": Event, "device": OnDevice,
                       "_DeviceGuard": OnDevice, "device_of": OnDeviceOf, "StreamContext": OnStream,
                       "stream": OnStream}.items():
        setattr(cuda, name, kind)
    cuda.streams.Stream, cuda.streams.Event = Stream, Event
    cuda.current_stream = lambda device=None: current
    cuda.default_stream = lambda device=None: current
    cuda.get_stream_from_external = lambda data_ptr, device=None: ExternalStream(data_ptr, device)
    cuda.set_stream = lambda stream: None
    torch.Stream = Stream
    torch.Event = Event
    torch.accelerator.current_stream = lambda device=None: current
    torch.accelerator.set_stream = lambda stream: None
