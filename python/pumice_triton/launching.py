"""Launchers: what Triton calls with a kernel's arguments, `(x, y, z, stream, function, metadata,
launch metadata, enter hook, exit hook, *arguments)`."""
import functools
import sys

from pumice import _native
from pumice.arrays import Array
from pumice.devices import when_waited
from pumice.staging import Staging

from . import output
from .arguments import host_array, host_span


def make_launcher(device, source):
    when_waited(output.raise_failures)
    steps = tuple(_step(kind) for kind in source.signature.values())
    torch = sys.modules.get("torch")
    staged = None if device.info["driver"] == "cpu" else StagedLauncher(device, steps)
    return _native.TritonLauncher(device, steps, Array, torch.Tensor if torch else None, host_array,
                                  staged, output.said, output.raise_failures)


def _step(kind):
    """What becomes of an argument whose type Triton calls `kind`: constants are in the code."""
    if isinstance(kind, tuple):
        return tuple(_step(part) for part in kind)
    if kind == "constexpr":
        return "skip"
    if kind.startswith("tensordesc<"):
        return "padded descriptor" if kind[len("tensordesc<"):][:2] in ("fp", "bf") else "descriptor"
    return "take"


class StagedLauncher:
    """For devices with memory of their own, where any of the arguments is memory of the host."""

    def __init__(self, device, steps):
        self._device, self._steps = device, steps

    def __call__(self, x, y, z, stream, function, packed, metadata, enter, leave, *given):
        if min(x, y, z) < 0 or max(x, y, z) >= 1 << 31:
            raise ValueError(f"a grid has 0 to 2^31-1 programs along each axis, not {(x, y, z)}")
        flat = []
        for step, value in zip(self._steps, given, strict=True):
            _flatten(step, value, flat)
        parameters = function.parameters
        if len(flat) != len(parameters):
            raise TypeError(f"{function.name} takes {len(parameters)} arguments; {len(flat)} are given")
        staging = Staging(self._device)
        taken = []
        for value, (name, is_buffer, is_written) in zip(flat, parameters):
            taken.append(self._find(value, is_written, staging, name) if is_buffer else value)
        staging.place()
        arguments = tuple(staging.argument(value.address) if isinstance(value, _Host) else value
                          for value in taken)
        if enter is not None:
            enter(metadata)
        said = functools.partial(output.said, thread=_native.this_thread())
        self._device._launch(function, (x, y, z), arguments, said)
        staging.give_back()  # of assertions that failed, too
        if leave is not None:
            leave(metadata)

    def _find(self, value, is_written, staging, name):
        """A pointer as launches take it, or the host's address, which is staged."""
        if isinstance(value, Array):
            if value.device is not self._device:
                raise ValueError(f"argument '{name}' is on {value.device.id}, the kernel on "
                                 f"{self._device.id}: copy it there by from_numpy(x.numpy(), ...)")
            return value._argument()[:3] + ((), None)
        if value is None:
            return _Host(0)
        if isinstance(value, int):
            raise TypeError(f"argument '{name}' is the number {value}: an address of the host means "
                            f"nothing to {self._device.id}; pass the tensor")
        try:
            address, start, size, writable = host_span(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"argument '{name}': {error}") from None
        staging.add(start, size, value, name if is_written else None, writable)
        return _Host(address)


class _Host:
    def __init__(self, address):
        self.address = address


def _flatten(step, value, flat):
    """Adds what the kernel takes of an argument, in order: as pumice-lower-descriptors has it."""
    if step == "take":
        flat.append(value)
    elif isinstance(step, tuple):
        for part, one in zip(step, value, strict=True):
            _flatten(part, one, flat)
    elif step != "skip":
        padding = [value.padding == "nan"] if step == "padded descriptor" else []
        flat += [value.base, *padding, *value.shape, *value.strides]
