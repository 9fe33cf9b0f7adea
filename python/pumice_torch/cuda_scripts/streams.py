"""torch.cuda's streams, events and contexts. Work is done when a call returns, so order is never in doubt."""
import contextlib
import time

import torch

from .asking import CUDA, check_index


class Stream:
    """Work of one order; here all streams are one."""
    cuda_stream = 0
    stream_id = 0
    device_index = 0
    device_type = 1  # CUDA, as PyTorch counts

    def __init__(self, device=None, priority=0, **_):
        check_index(device)
        self.priority = priority

    device = CUDA

    def query(self):
        return True

    def synchronize(self):
        torch.cuda.synchronize()

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __eq__(self, other):
        return isinstance(other, Stream)

    def __hash__(self):
        return 0


class ExternalStream(Stream):
    def __init__(self, stream_ptr=0, device=None, **_):
        super().__init__(device)


class Event:
    """A moment of the host's clock at which all work that was there before is done."""
    cuda_event = 0
    device = CUDA

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self._is_timed, self._time = enable_timing, None

    def record(self, stream=None):
        torch.cuda.synchronize()
        self._time = time.perf_counter_ns()

    def wait(self, stream=None):
        pass

    def query(self):
        return True

    def synchronize(self):
        torch.cuda.synchronize()

    def elapsed_time(self, end_event):
        """Milliseconds from this event to the other."""
        if not (self._is_timed and end_event._is_timed):
            raise RuntimeError("expected events with enable_timing=True")
        if self._time is None or end_event._time is None:
            raise RuntimeError("expected events that were recorded: call record() of both first")
        return max(end_event._time - self._time, 1) / 1e6


class OnDevice(contextlib.ContextDecorator):
    """torch.cuda.device: the only device is the current one already."""

    def __init__(self, device):
        if isinstance(device, torch.device) and device.type == "cpu":
            device = None  # a tensor that the script made on the CPU
        check_index(device)
        self.idx = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


class OnDeviceOf(OnDevice):
    def __init__(self, obj):
        super().__init__(None)


class OnStream(contextlib.ContextDecorator):
    """torch.cuda.stream."""

    def __init__(self, stream=None):
        self.stream = stream

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def install():
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
