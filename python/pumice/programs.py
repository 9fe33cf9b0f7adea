"""Programs: kernels that are compiled for one or more targets, and launched."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from . import _native
from .arrays import Array, whole_numbers
from .devices import Device, DeviceInfo, Request
from .devices import device as _device
from .elements import fits
from .errors import Error, KernelNotFoundError
from .progress import compiling
from .staging import HostPart, Staging

_FORMS = ("spirv", "llir", "asm")
_ADDRESSING = {None: 0, "addresses": 1, "descriptors": 2}
_ROUTES = {"spirv": 0, "llvm": 1}


def compile(source: str | bytes, targets: Any = None, *, name: str = "kernel", addressing: str | None = None,
            index_bits: int = 0, stages: dict[str, str] | None = None, via: str | None = None) -> Program:
    """Compiles MLIR text (`gpu.module`s) or a SPIR-V module.

    Args:
        source: The text, or the bytes of the text or of the SPIR-V module.
        targets: Where the program will run: one target or several. Each is a device or anything that `pumice compile
            --target` takes: a name ("rdna3"), the JSON of `Device.target`, or a file. None means the device in
            use.
        name: The name of the source in errors.
        addressing: How kernels reach buffers: "addresses" or "descriptors". None lets the target decide.
        index_bits: The width of the kernel's indices; 0 for the target's own.
        stages: A dictionary that receives the text of the stages that MLIR's kernels reach, even if an error occurs:
            "tiles" and "loops" (only Triton's kernels), "lanes", "gpu" and "spirv".
        via: Who writes the modules of OpenCL targets: "spirv" (MLIR's spirv dialect) or "llvm" (LLVM's SPIR-V backend).
            None means what the environment variable PUMICE_VIA says, and "spirv" without it.

    Returns:
        The program.

    Raises:
        TypeError: If the source is neither text nor bytes, or a target is neither a device nor text.
        CompileError: If the source is wrong.
        Error: If a target cannot run it.
    """
    if targets is None:
        targets = [_device()]
    elif isinstance(targets, (str, os.PathLike)) or not hasattr(targets, "__iter__"):
        targets = [targets]
    names: list[str] = []
    handles: list[_native.Device] = []
    for target in targets:
        if isinstance(target, Device):
            handles.append(target._handle)
        elif isinstance(target, DeviceInfo):
            names.append(f"device:{target.id}")
        elif isinstance(target, (str, os.PathLike)):
            names.append(os.fspath(target))
        else:
            raise TypeError(f"expected a device, or a target's name, JSON or file, got {type(target).__name__}")
    if addressing not in _ADDRESSING:
        raise ValueError(f"addressing is {addressing!r}; expected 'addresses', 'descriptors' or None")
    number = _ROUTES[route(via)]
    text = source.encode() if isinstance(source, str) else _bytes_of(source)
    with compiling(name, "reading the source"):
        return Program(_native.compile(text, name, names, handles, _ADDRESSING[addressing], index_bits, stages, number))


def route(via: str | None = None) -> str:
    """Returns who writes the modules of OpenCL targets, "spirv" or "llvm".

    Args:
        via: One of these, or None for what PUMICE_VIA says.

    Raises:
        ValueError: If it is something else.
    """
    chosen = via or os.environ.get("PUMICE_VIA") or "spirv"
    if chosen not in _ROUTES:
        raise ValueError(f"{'via' if via else 'PUMICE_VIA'} is {chosen!r}; expected 'spirv' or 'llvm'")
    return chosen


def _bytes_of(source: Any) -> bytes:
    """Returns a copy of a buffer's bytes."""
    try:
        return memoryview(source).tobytes()
    except TypeError:
        way_out = ": pass its .read_bytes()" if isinstance(source, pathlib.Path) else ""
        raise TypeError("expected MLIR text (str) or the bytes of a SPIR-V module as the source, "
                        f"got {type(source).__name__}{way_out}") from None


def load(path: str | os.PathLike[str]) -> Program:
    """Reads a program from a file that `Program.save` or `pumice compile` wrote.

    Raises:
        OSError: If the file cannot be read.
        CorruptDataError: If it is not an executable.
    """
    program = Program(pathlib.Path(path).read_bytes())
    try:
        _native.kernel_names(program.data)
    except Error as error:
        error.add_note(f"The file is {path}.")
        raise
    return program


class Program:
    """An executable: kernels by name, each for one or more targets.

    Attributes:
        data: The executable's bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = bytes(data)
        self._loaded: dict[Device, _Kernels] = {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the program to a file."""
        pathlib.Path(path).write_bytes(self.data)

    def on(self, device: Request = None) -> dict[str, Kernel]:
        """Returns the program's kernels on a device, by name."""
        owner = _device(device)
        if owner not in self._loaded:
            with compiling("", f"loading on {owner.id}"):
                executable = owner._handle.load(self.data)
            self._loaded[owner] = _Kernels((facts["name"], Kernel(owner, executable, facts))
                                           for facts in executable.entry_points())
        return self._loaded[owner]

    def __getitem__(self, name: str) -> Kernel:
        """Returns the kernel of this name, on the device in use.

        Raises:
            KernelNotFoundError: If the program has no such kernel. It is a KeyError.
        """
        return self.on()[name]

    def text(self, form: str) -> str:
        """Returns the code for the first target that takes SPIR-V, as readable text.

        Args:
            form: "spirv", or what this machine's CPU makes of the first kernel: "llir" (LLVM's IR) or "asm".

        Raises:
            ValueError: If `form` has another value.
        """
        if form not in _FORMS:
            raise ValueError(f"form is {form!r}; expected one of {', '.join(_FORMS)}")
        return _native.code_text(self.data, _FORMS.index(form))

    def __repr__(self) -> str:
        try:
            kernels = ", ".join(_native.kernel_names(self.data))
        except Error:
            kernels = "unreadable"
        loaded = [f"loaded on {', '.join(device.id for device in self._loaded)}"] if self._loaded else []
        return "; ".join([f"Program({kernels}", f"{len(self.data)} bytes", *loaded]) + ")"


class _Kernels(dict[str, "Kernel"]):
    """The kernels of a program on a device."""

    def __missing__(self, name: object) -> Kernel:
        raise KernelNotFoundError(f"the program has no kernel {name!r}; it has {', '.join(sorted(self)) or 'none'}")


class Kernel:
    """A kernel on a device. `kernel[groups](arguments…)` launches it.

    `groups` is the number of workgroups along x, y and z. Arguments are numbers, tuples of numbers for vectors, arrays,
    or None for a buffer that the kernel never accesses. With arrays of the device the launch returns at once. With
    NumPy's arrays it returns when they hold the results.

    Attributes:
        name: The kernel's name.
        device: The device that it runs on.
    """

    def __init__(self, owner: Device, executable: _native.Executable, facts: dict[str, Any]) -> None:
        self.device, self._executable, self._facts = owner, executable, facts
        self.name = facts["name"]
        self._made: dict[Any, _native.Kernel] = {}
        self._elements = [one["element"] if one["kind"] == "buffer" else "" for one in facts["arguments"]]

    @property
    def arguments(self) -> list[dict[str, Any]]:
        """The kernel's arguments: a dictionary for each, with name, element, kind and access."""
        return [dict(one) for one in self._facts["arguments"]]

    def __getitem__(self, groups: int | Iterable[int]) -> Callable[..., None]:
        """Returns a function that launches the kernel with this number of workgroups."""
        return self.configured(groups)

    def configured(self, groups: int | Iterable[int], *, workgroup_size: Sequence[int] = (0, 0, 0),
                   dynamic_memory_bytes: int = 0, constants: dict[int, tuple[int, int]] | None = None,
                   print: Callable[[str], object] | None = None) -> Callable[..., None]:
        """Returns a function that launches the kernel with these settings.

        Args:
            groups: The number of workgroups along x, y and z.
            workgroup_size: The workgroup's size, if the kernel leaves it open.
            dynamic_memory_bytes: The bytes of dynamic workgroup memory.
            constants: The specialization constants: {id: (bytes, bits)}.
            print: Takes the kernel's output.

        Raises:
            ValueError: If `groups` is not one to three numbers, or a number is out of range.
            TypeError: If `groups` is not made of whole numbers.
        """
        count = whole_numbers(groups, "groups")
        if not 1 <= len(count) <= 3 or any(not 0 <= n < 1 << 32 for n in count):
            raise ValueError(f"groups are {groups}; expected one to three numbers from 0 to 2^32-1")
        count += (1,) * (3 - len(count))
        key = (tuple(workgroup_size), dynamic_memory_bytes, tuple(sorted((constants or {}).items())))
        if key not in self._made:
            size = tuple(workgroup_size) + (1,) * (3 - len(workgroup_size))
            with compiling(self.name, f"loading on {self.device.id}"):
                self._made[key] = self._executable.kernel(self.name, size, dynamic_memory_bytes, constants or {})
        native = self._made[key]
        return lambda *arguments: self._launch(native, count, arguments, print)

    def _launch(self, native: _native.Kernel, groups: tuple[int, ...], arguments: tuple[Any, ...],
                print: Callable[[str], object] | None, queue: _native.Queue | None = None) -> None:
        staging = Staging(self.device, queue)
        taken = [self._take(i, given, staging) for i, given in enumerate(arguments)]
        try:
            staging.place()
            ready = tuple(staging.argument(one) if isinstance(one, HostPart) else one for one in taken)
            self.device._launch(native, groups, ready, print, staging.queue)
        except Error as error:
            raise self.device._after(error, staging.queue, [one for one in arguments if isinstance(one, Array)])
        staging.give_back()

    def _take(self, index: int, given: Any, staging: Staging) -> Any:
        """Returns an argument as launches take it, or the host's memory, which is staged."""
        if isinstance(given, Array):
            if given.device is not self.device:
                raise ValueError(f"argument {index} is on {given.device.id}, but the kernel is on "
                                 f"{self.device.id}: copy it there with from_numpy(x.numpy(), ...)")
            self._check_elements(index, given.dtype)
            return given._argument()
        if not isinstance(given, np.ndarray):
            return given
        self._check_elements(index, given.dtype)
        facts = self._facts["arguments"]
        writes = index < len(facts) and facts[index]["access"] in ("write", "read_write")
        if writes and not given.flags.writeable:
            raise ValueError(f"argument {index} is read-only, but the kernel writes it: pass a copy")
        if not given.flags.c_contiguous:
            if writes:
                raise ValueError(f"argument {index} is not contiguous, but the kernel writes it: "
                                 "pass numpy.ascontiguousarray(x), or an Array")
            given = np.ascontiguousarray(given)
        staging.add(given.ctypes.data, given.nbytes, given, str(index) if writes else None, given.flags.writeable)
        return HostPart(given.ctypes.data, given.nbytes, given.shape)

    def _check_elements(self, index: int, kind: np.dtype[Any] | str) -> None:
        """Rejects an array whose elements have another type than the kernel reads or writes."""
        if index < len(self._elements) and self._elements[index] and not fits(kind, self._elements[index]):
            raise TypeError(f"argument {index} of {self.name}: expected an array of {self._elements[index]}, got one of {kind}: "
                            "convert it, or pass a view of its bits by .view(…)")

    def __repr__(self) -> str:
        taken = [f"{one['name']}: {one['element']}" + (f"[] {one['access']}" if one["kind"] == "buffer" else "")
                 for one in self._facts["arguments"]]
        return f"Kernel({self.name}({', '.join(taken)}), {self.device.id})"
