"""Launchers, which Triton calls with a kernel's arguments.

A call is `(x, y, z, stream, function, metadata, launch metadata, enter hook, exit hook, *arguments)`.
"""
from __future__ import annotations

import dataclasses
import functools
import sys
import threading
from typing import TYPE_CHECKING, Any

from pumice import _native
from pumice.arrays import Array
from pumice.checking import watch_process
from pumice.devices import when_waited
from pumice.errors import Error, InvalidAccessError
from pumice.staging import HostPart, Staging

from . import checking, output, versions
from .arguments import host_array, host_span, reach
from .histories import PREFIX, count_histories
from .options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pumice.devices import Device
    from pumice.staging import Argument


def make_launcher(device: Device, source: Any, metadata: Any) -> _native.TritonLauncher:
    """Makes the launcher of a compiled kernel.

    Args:
        device: What the kernel runs on.
        source: What Triton compiled, with the signature.
        metadata: The kernel's metadata.
    """
    when_waited(output.raise_failures)
    output.expect(device, metadata.ttir)
    steps = tuple(_step(kind) for kind in source.signature.values())
    if metadata.check:
        # The table of the arguments' memory, and the history of each argument for which the compiler added one.
        steps += ("take",) * (1 + metadata.histories)
    torch = sys.modules.get("torch")
    _take_tensors_of_vk()
    overlapping = None if metadata.overlap else OverlappingLauncher(device, source, metadata)
    staged = None if device.info["driver"] == "cpu" else StagedLauncher(device, steps, overlapping)
    watch_process()
    checked = None if metadata.check else CheckedLauncher(device, source, metadata, steps)
    return _native.TritonLauncher(device, steps, Array, torch.Tensor if torch else None, host_array,
                                  staged, overlapping, checked, output.said, output.raise_failures,
                                  host_span, after_loss)


def leaves_out_metadata(makes: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `CompiledKernel.launch_metadata` that makes none while there are no hooks to read it."""
    from triton import knobs
    runtime = knobs.runtime

    def makes_here(kernel: Any, grid: Any, stream: Any, *given: Any) -> Any:
        if not (getattr(runtime.launch_enter_hook, "calls", True) or getattr(runtime.launch_exit_hook, "calls", True)):
            return None
        return makes(kernel, grid, stream, *given)

    return makes_here


def loads_once(loads: Callable[[Any], None]) -> Callable[[Any], None]:
    """Returns a replacement of `CompiledKernel._init_handles` that one thread at a time runs for each kernel."""
    def loads_here(kernel: Any) -> None:
        # The kernel keeps its lock no longer than needed, since copies and pickles of kernels cannot hold one.
        lock = kernel.__dict__.setdefault("_pumice_lock", threading.RLock())
        with lock:
            try:
                loads(kernel)
            finally:
                kernel.__dict__.pop("_pumice_lock", None)

    return loads_here


def runs_what_is_loaded(_: property) -> property:
    """Returns a replacement of `CompiledKernel.run` that waits until the kernel has its function."""
    def run(kernel: Any) -> Any:
        if kernel.function is None:
            kernel._init_handles()
        return kernel._run

    return property(run)


def _take_tensors_of_vk() -> None:
    """Lets launches take tensors of torch's device "vk", if it exists in the process."""
    library = sys.modules.get("pumice_torch.vk.library")
    if library is not None:
        library.connect()


def after_loss(device: Device, error: Error, queue: _native.Queue, given: Iterable[Any]) -> Error:
    """Returns the error of a launch that the device's loss ended, now or earlier. `given` are the arguments."""
    return device._after(error, queue, arrays_of(getattr(value, "base", value) for value in given))


def _step(kind: Any) -> Any:
    """Returns how an argument of this type is passed. Triton calls the type `kind`; constants are in the code."""
    if isinstance(kind, tuple):
        return tuple(_step(part) for part in kind)
    if kind == "constexpr":
        return "skip"
    element = versions.descriptor_element(kind)
    if element is None:
        return "take"
    return "padded descriptor" if element[:2] in ("fp", "bf") else "descriptor"


class _OtherCode:
    """A kernel that is compiled again with one of Pumice's options, when that is needed."""

    option: str  # set by the subclasses

    def __init__(self, device: Device, source: Any, metadata: Any) -> None:
        self._device, self._source, self._metadata = device, source, metadata
        self._made: dict[Any, tuple[Any, Any]] = {}

    def _code(self, value: Any = True) -> tuple[Any, Any]:
        """Returns (the launcher, the function) for this value of the option."""
        if value not in self._made:
            # PyTorch's inductor drops the Python functions of kernels that its worker processes compiled.
            has_python = getattr(getattr(self._source, "fn", None), "fn", None) is not None
            self._made[value] = self._of_source(value) if has_python else self._of_text(value)
        return self._made[value]

    def _of_source(self, value: Any) -> tuple[Any, Any]:
        """Compiles the kernel's Python again."""
        from triton.compiler import compile
        options = {field.name: getattr(self._metadata, field.name) for field in dataclasses.fields(Options)}
        kernel = compile(self._source, target=self._metadata.target, options=options | {self.option: value})
        kernel._init_handles()
        return kernel.run, kernel.function

    def _of_text(self, value: Any) -> tuple[Any, Any]:
        """Compiles the kernel's text again."""
        from triton.compiler.compiler import make_backend
        metadata = self._metadata
        text = with_attribute(metadata.ttir, f"tt.{self.option} = {int(value)} : i32")
        data = make_backend(metadata.target).executable_of(text, metadata.name)
        function = self._device._handle.load(data).kernel(metadata.name, (0, 0, 0), 0, {})
        histories = count_histories(name for name, _, _ in function.parameters)
        changed = metadata._replace(**{self.option: value}, ttir=text, histories=histories)
        return make_launcher(self._device, self._source, changed), function


class OverlappingLauncher(_OtherCode):
    """Launches kernels whose arguments share memory that the kernel writes.

    Their code allows that several arguments use the same memory.
    """
    option = "overlap"

    def __call__(self, x: int, y: int, z: int, stream: Any, function: Any, *rest: Any) -> Any:
        run, function = self._code()
        return run(x, y, z, stream, function, *rest)


class CheckedLauncher(_OtherCode):
    """Launches checked kernels (`pumice.check`), whose code reports what it does wrong."""
    option = "check"

    def __init__(self, device: Device, source: Any, metadata: Any, steps: tuple[Any, ...]) -> None:
        super().__init__(device, source, metadata)
        self._steps = steps
        self._loads_pointers = checking.loads_pointers(metadata.ttir)

    def __call__(self, x: int, y: int, z: int, stream: Any, function: Any, packed: Any, metadata: Any, enter: Any,
                 leave: Any, *given: Any) -> None:
        flat: list[Any] = []
        for step, value in zip(self._steps, given, strict=True):
            _flatten(step, value, flat)
        storages = [checking.Storage(name, value, self._device)
                    for value, (name, is_buffer, _) in zip(flat, function.parameters) if is_buffer]
        written = [is_written for _, is_buffer, is_written in function.parameters if is_buffer]
        run, function = self._code(checking.what_to_look_for(storages, written, self._device))
        histories = checking.Histories(storages)
        integers = [value for value, (_, is_buffer, _) in zip(flat, function.parameters)
                    if not is_buffer and isinstance(value, int)]
        more = [checking.table_of(storages, self._loads_pointers, self._device, integers),
                *histories.arguments([name.removeprefix(PREFIX) for name, _, _ in function.parameters
                                      if name.startswith(PREFIX)])]
        checking.records_of_this_thread()
        fault = None
        try:
            run(x, y, z, stream, function, packed, metadata, enter, leave, *given, *more)
        except InvalidAccessError as error:
            fault = error
        finally:
            histories.finish()
            records = checking.records_of_this_thread()
            if records or fault is not None:
                checking.report(records, function.name, storages, fault)


def with_attribute(text: str, attribute: str) -> str:
    """Returns Triton's text with one more attribute of its module."""
    if "module attributes {" in text:
        return text.replace("module attributes {", f"module attributes {{{attribute}, ", 1)
    return text.replace("module {", f"module attributes {{{attribute}}} {{", 1)


class StagedLauncher:
    """Launches kernels with host memory as arguments on a device that has its own memory."""

    def __init__(self, device: Device, steps: tuple[Any, ...], overlapping: OverlappingLauncher | None) -> None:
        self._device, self._steps, self._overlapping = device, steps, overlapping

    def __call__(self, x: int, y: int, z: int, stream: Any, function: Any, packed: Any, metadata: Any, enter: Any,
                 leave: Any, *given: Any) -> Any:
        if min(x, y, z) < 0 or max(x, y, z) >= 1 << 31:
            raise ValueError(f"a grid has 0 to 2^31-1 programs along each axis, not {(x, y, z)}")
        flat: list[Any] = []
        for step, value in zip(self._steps, given, strict=True):
            _flatten(step, value, flat)
        parameters = function.parameters
        if len(flat) != len(parameters):
            raise TypeError(f"{function.name} takes {len(parameters)} arguments; {len(flat)} are given")
        staging = Staging(self._device)
        taken, reached = [], []
        for value, (name, is_buffer, is_written) in zip(flat, parameters):
            taken.append(self._find(value, is_written, staging, name) if is_buffer else value)
            if is_buffer and value is not None:
                reached.append((is_written, *_reach(value)))
        if self._overlapping and _overlap(reached):
            return self._overlapping(x, y, z, stream, function, packed, metadata, enter, leave, *given)
        try:
            staging.place()
        except Error as error:
            raise self._device._after(error, staging.queue)
        arguments = tuple(staging.argument(value) if isinstance(value, HostPart) else value
                          for value in taken)
        if enter is not None:
            enter(metadata)
        said = functools.partial(output.said, thread=_native.this_thread())
        try:
            self._device._launch(function, (x, y, z), arguments, said, staging.queue)
        except Error as error:
            raise self._device._after(error, staging.queue, arrays_of(flat))
        staging.give_back()  # also raises errors of failed assertions
        if leave is not None:
            leave(metadata)

    def _find(self, value: Any, is_written: bool, staging: Staging, name: str) -> Argument | HostPart:
        """Returns a pointer as launches take it, or the host's address, which is staged."""
        if isinstance(value, Array):
            if value.device is not self._device:
                raise ValueError(f"argument '{name}' is on {value.device.id}, but the kernel is on "
                                 f"{self._device.id}: copy it there with from_numpy(x.numpy(), ...)")
            return value._argument()[:3] + ((), None)
        if value is None:
            return HostPart(0)
        if isinstance(value, int):
            raise TypeError(f"argument '{name}' is the number {value}: an address of the host means "
                            f"nothing to {self._device.id}; pass the tensor")
        try:
            address, start, size, writable = host_span(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"argument '{name}': {error}") from None
        staging.add(start, size, value, name if is_written else None, writable)
        return HostPart(address)


def _reach(value: Any) -> tuple[object, int, int]:
    """Returns (buffer, first byte, end) of an argument's memory. The buffer is None for memory of the host."""
    if isinstance(value, Array):
        buffer, first, _ = value._argument()[:3]
        return buffer, first, first + value.nbytes
    return None, *reach(value)


def _overlap(reached: Sequence[tuple[bool, object, int, int]]) -> bool:
    """Returns whether two arguments share memory that one of them writes."""
    return any((a_written or b_written) and a_where is b_where and a_first < b_end and b_first < a_end
               for i, (a_written, a_where, a_first, a_end) in enumerate(reached)
               for b_written, b_where, b_first, b_end in reached[:i])


def arrays_of(values: Iterable[Any]) -> list[Array]:
    """Returns the values that are arrays of a device."""
    return [value for value in values if isinstance(value, Array)]


def _flatten(step: Any, value: Any, flat: list[Any]) -> None:
    """Adds an argument's parts in the order of the kernel's parameters, as pumice-lower-descriptors has them."""
    if step == "take":
        flat.append(value)
    elif isinstance(step, tuple):
        for part, one in zip(step, value, strict=True):
            _flatten(part, one, flat)
    elif step != "skip":
        padding = [value.padding == "nan"] if step == "padded descriptor" else []
        flat += [value.base, *padding, *value.shape, *value.strides]
