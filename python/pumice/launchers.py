"""Compiles launchers of kernels with a C++ compiler at run time, and launches through them."""
from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import re
import sys
from typing import TYPE_CHECKING, Any

from . import _native
from .devices import Request
from .devices import device as _device
from .elements import element_type, host_view, refuse_negated
from .errors import CompileError, NotFoundError, UnsupportedError
from .exporting import exported_files, planned
from .programs import Kernel, Program

if TYPE_CHECKING:
    import tempfile
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .devices import Device

_TYPES = {"i1": "bool", "i4": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
          "index": "int64_t", "f8": "uint8_t", "bf16": "float", "f16": "float", "f32": "float", "f64": "double"}
_OPTIONS = ("signature", "grid", "constexprs", "targets", "num_warps", "num_stages", "overlap")
_FLAGS = ("-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")


def launcher(kernel: Any, compiler: str | os.PathLike[str] = "c++", *, device: Request = None, **options: Any) -> Launcher:
    """Compiles the exported launcher of a kernel with a C++ compiler, and loads it.

    The result is kept on disk: a second process compiles nothing. Kernels need no launcher of this kind; `kernel[grid](…)`
    launches them without a C++ compiler.

    Args:
        kernel: A Triton kernel, or a program with one kernel.
        compiler: The compiler: "c++", "g++", "clang++", another program, or a path.
        device: The device that runs the kernel. None means the one in use.
        options: `signature`, `grid`, `constexprs`, `num_warps`, `num_stages` and `overlap` of `pumice.export`, and
            `targets`, which are the device by default.

    Returns:
        The launcher. `launcher(…)` launches if it knows the grid, and `launcher[groups](…)` otherwise. It takes NumPy's
        arrays, arrays of the device, and PyTorch's tensors of the CPU or, on the same device, of vk.

    Raises:
        NotFoundError: If there is no such compiler.
        CompileError: If the compiler fails.
        UnsupportedError: If the kernel has vectors as arguments, or sizes that a launch chooses.
        TypeError: If there is no such option.
    """
    _check_options(options)
    command = _find(compiler)
    owner = _device(device)
    if isinstance(kernel, Program):
        if options:
            raise ValueError(f"{', '.join(sorted(options))}: expected a Triton kernel with these, got a compiled program: "
                             "leave them out")
        facts = owner._handle.load(kernel.data).entry_points()
        if len(facts) != 1:
            raise ValueError(f"expected a program with one kernel, got {len(facts)}: compile each by itself")
        name, knows_grid = facts[0]["name"], False
        parameters = [dict(one) for one in facts[0]["arguments"]]
    else:
        options.setdefault("targets", [owner])
        plan, _ = planned(kernel, **options)
        (one,) = plan["kernels"]
        name, parameters = one["name"], one["parameters"]
        knows_grid = all("grid" in each for each in one["specialisations"])
    files = exported_files(kernel, beside=True, name="launcher", **options)
    data = files["launcher.pumice"]
    entry = _entry(files["launcher.hpp"].decode(), parameters, knows_grid)
    library = _compiled(command, {"launcher.hpp": files["launcher.hpp"],
                                  "launcher.cpp": files["launcher.cpp"] + entry.encode()})
    return Launcher(name, parameters, data, library, owner, knows_grid)


def _check_options(options: Iterable[str]) -> None:
    """Reports an option that launchers compiled at run time do not have, such as the language of `pumice.export`."""
    for name in options:
        if name in ("language", "beside", "name"):
            raise TypeError(f"pumice.launcher has no option '{name}': a launcher that is compiled at run time is in C++ and has "
                            "no files of its own; leave it out, or write files with pumice.export")
        if name not in _OPTIONS:
            raise TypeError(f"pumice.launcher has no option '{name}'; expected some of {', '.join(_OPTIONS)}")


class Launcher:
    """A kernel that is launched through a function which a C++ compiler made.

    Attributes:
        name: The kernel's name.
        library: The path of the compiled launcher.
    """

    def __init__(self, name: str, parameters: Sequence[Mapping[str, Any]], data: bytes, library: pathlib.Path,
                 device: Device, knows_grid: bool) -> None:
        self.name, self.library = name, library
        self._data, self._parameters, self._device, self._knows_grid = data, parameters, device, knows_grid
        try:
            self._loaded = ctypes.CDLL(str(library))
            entry = ctypes.cast(self._loaded.pumice_launcher_run, ctypes.c_void_p).value
        except (OSError, AttributeError) as error:
            library.unlink(missing_ok=True)  # so that a later process compiles it again
            raise CompileError(f"the compiled launcher cannot be loaded: {error}; name another compiler") from error
        assert entry is not None
        self._entry = entry
        self._kernels: dict[Device, Kernel] = {}
        self._launch = self.on(device).configured(1) if knows_grid else None

    def on(self, device: Request = None) -> Kernel:
        """Returns the kernel on a device. With a grid of its own, it ignores the groups of a launch."""
        owner = _device(device)
        if owner not in self._kernels:
            executable = owner._handle.load(self._data)
            known = {one["name"]: one for entry in executable.entry_points() for one in entry["arguments"]}
            arguments = [{"access": "none", "vector_width": 1, "rank": 1, **dict(one),
                          **({"access": known[one["name"]]["access"]} if one["name"] in known else {})}
                         for one in self._parameters]
            facts = {"name": self.name, "arguments": arguments}
            self._kernels[owner] = _LaunchedKernel(owner, _Maker(executable, arguments, self._entry, self), facts)  # type: ignore[arg-type]
        return self._kernels[owner]

    def __call__(self, *arguments: Any) -> None:
        """Launches the kernel with the grid that follows from the arguments."""
        if self._launch is None:
            raise TypeError(f"launcher of '{self.name}': its grid is not known; write launcher[groups](…), or give an arithmetic "
                            "`grid` to pumice.launcher")
        self._launch(*self._parts(arguments))

    def _parts(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Returns the launcher's arguments: the parts of tuples and descriptors, and arrays in one dimension."""
        parts: list[Any] = []
        for value in arguments:
            place = self._parameters[len(parts)]["name"] if len(parts) < len(self._parameters) else ""
            pads = any(one["name"] == f"{place}_pads_with_nan" for one in self._parameters)
            _add_parts(value, pads, parts)
        if len(parts) != len(self._parameters):
            return parts  # the launch reports it
        return [_flat(value, one["name"]) if one["kind"] == "buffer" and one.get("rank", 1) == 1 else value
                for value, one in zip(parts, self._parameters)]

    def __getitem__(self, groups: int | Iterable[int]) -> Callable[..., None]:
        """Returns a function that launches the kernel with this number of workgroups."""
        if self._knows_grid:
            raise TypeError(f"launcher of '{self.name}' computes its grid from the arguments: write launcher(…)")
        launch = self.on(self._device).configured(groups)
        return lambda *arguments: launch(*self._parts(arguments))

    def __repr__(self) -> str:
        return f"Launcher({self.name}, {self.library})"


def _add_parts(value: Any, pads: bool, parts: list[Any]) -> None:
    """Adds the parts of an argument. Those of a descriptor are the tensor, its padding, its shape and its strides."""
    if isinstance(value, tuple):
        for part in value:
            _add_parts(part, pads, parts)
    elif hasattr(value, "block_shape") and hasattr(value, "base"):
        parts += [value.base, *([value.padding == "nan"] if pads else []), *value.shape, *value.strides]
    else:
        parts.append(value)


def _flat(value: Any, name: str) -> Any:
    """Returns an array in one dimension, without a copy, since these kernels see only its first element.

    Raises:
        ValueError: If its elements are not adjacent in memory.
    """
    if len(getattr(value, "shape", ())) < 2:
        return value
    flags = getattr(value, "flags", None)
    has_gaps = not flags.c_contiguous if flags is not None else not getattr(value, "is_contiguous", lambda: True)()
    if has_gaps:
        raise ValueError(f"argument '{name}': expected an array whose elements are adjacent in memory, got one with gaps: pass "
                         "a contiguous copy")
    return value.reshape(-1)


class _LaunchedKernel(Kernel):
    """A kernel that also takes PyTorch's tensors, as launches of Triton's kernels do."""

    def _launch(self, native: _native.Kernel, groups: tuple[int, ...], arguments: tuple[Any, ...],
                print: Callable[[str], object] | None, queue: _native.Queue | None = None) -> None:
        taken = list(arguments)
        for index, (given, facts) in enumerate(zip(arguments, self._facts["arguments"])):
            if facts["kind"] == "buffer" and _is_tensor(given):
                taken[index], used = self._memory_of(index, facts["name"], given)
                queue = used or queue
        super()._launch(native, groups, tuple(taken), print, queue)

    def _memory_of(self, index: int, name: str, tensor: Any) -> tuple[Any, _native.Queue | None]:
        """Returns a tensor's memory as launches take it, and the queue of its stream if it is on the device.

        Raises:
            ValueError: If the device cannot use the memory.
        """
        kind = tensor.device.type
        if kind == "cpu":
            return host_view(tensor.detach())[0], None
        found = None
        if kind == "vk":
            from pumice_torch.vk.library import connect
            connect()
            found = _native.torch_memory(tensor, self.device._handle)
        if found is None:
            raise ValueError(f"argument '{name}': the tensor is on {tensor.device}, but the launcher is for {self.device.id}: "
                             "pass .cpu(), or make a launcher for that device")
        refuse_negated(tensor)
        self._check_elements(index, element_type(tensor.dtype)[0])
        buffer, offset, queue = found
        if tensor.numel() == 0:  # it has no memory
            buffer, offset = self.device._handle.create_buffer(1), 0
        return (buffer, offset, tensor.numel() * tensor.element_size(), tuple(tensor.shape), None), queue


def _is_tensor(value: Any) -> bool:
    """Returns whether a value is a tensor of PyTorch, without importing PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


class _Maker:
    """Makes the native form of a kernel that a compiled function launches, in the place of an executable."""

    def __init__(self, executable: _native.Executable, arguments: Sequence[Mapping[str, Any]], entry: int,
                 owner: object) -> None:
        self._executable, self._entry, self._owner = executable, entry, owner
        self._parameters = [(one["name"], _packed(one), one["kind"] == "buffer",
                             one["access"] in ("write", "read_write"), bool(one.get("unsigned")))
                            for one in arguments]

    def kernel(self, name: str, workgroup_size: Sequence[int], dynamic_memory_bytes: int,
               constants: Mapping[int, tuple[int, int]]) -> _native.Kernel:
        """Returns the kernel. Its sizes and constants are those of the code."""
        if any(workgroup_size) or dynamic_memory_bytes or constants:
            raise UnsupportedError(f"launcher of '{name}': a compiled launcher has neither sizes nor constants of its own; "
                                   "launch the program's kernel instead")
        return _native.exported_kernel(self._executable, name, self._parameters, self._entry)


def _packed(parameter: Mapping[str, Any]) -> str:
    """Returns the element type in which a launch packs an argument. The launcher rounds to 16 bits by itself."""
    is_half = parameter["kind"] == "scalar" and parameter["element"] in ("f16", "bf16")
    return "f32" if is_half else str(parameter["element"])


def _entry(header: str, parameters: Sequence[Mapping[str, Any]], knows_grid: bool) -> str:
    """Returns the source of the function that Python calls: it passes an array of arguments on."""
    declared = re.findall(r"^pumice_status (\w+)\(pumice_executable \*kernels, (?:[^)]*)\);", header, re.MULTILINE)
    if len(declared) != 1 or "workgroup_size" in header or "dynamic_memory_bytes" in header:
        raise UnsupportedError("the kernel's workgroup size or memory is chosen by the launch, which a compiled "
                               "launcher cannot do: use the built-in one, program[name].configured(…)")
    lines, passed = [], ["kernels", "queue"] + ([] if knows_grid else ["groups"])
    for number, one in enumerate(parameters):
        if one.get("vector_width", 1) != 1:
            raise UnsupportedError(f"argument '{one['name']}' is a vector, which compiled launchers do not take: use the "
                                   "built-in one, program[name][groups](…)")
        if one["kind"] == "buffer":
            passed.append(f"all[{number}]")
            continue
        kind = _TYPES[one["element"]]
        if one.get("unsigned") and kind.endswith("_t"):
            kind = f"u{kind}"
        lines.append(f"  {kind} value{number};\n  memcpy(&value{number}, &all[{number}].value, sizeof value{number});\n")
        passed.append(f"value{number}")
    return ('\nextern "C" __attribute__((visibility("default"))) pumice_status pumice_launcher_run(\n'
            "    pumice_executable *kernels, pumice_queue *queue, const uint32_t *groups,\n"
            "    const pumice_argument *all) {\n"
            f"  (void)groups;\n  (void)all;\n{''.join(lines)}"
            f"  return launcher::launchers::{declared[0]}({', '.join(passed)});\n}}\n")


def _find(compiler: str | os.PathLike[str]) -> str:
    """Returns the path of a compiler."""
    import shutil
    name = os.fspath(compiler)
    found = shutil.which(name)
    if found is None and name == "clang++":
        versions = (shutil.which(f"clang++-{version}") for version in range(30, 12, -1))
        found = next((one for one in versions if one), None)
    if found is None:
        raise NotFoundError(f"compiler: there is no program '{name}'; install one (on Debian: apt install g++), pass another "
                            "name or path, or launch without a compiler: kernel[grid](…)")
    return os.path.realpath(found) if os.path.basename(found) == "c++" else os.path.abspath(found)


@functools.cache
def headers() -> pathlib.Path:
    """Returns the folder that holds pumice/pumice.hpp.

    Raises:
        NotFoundError: If the package has no headers.
    """
    folder = pathlib.Path(__file__).parent.parent / "pumice_torch" / "shim" / "include"
    if not (folder / "pumice" / "pumice.hpp").is_file():
        raise NotFoundError(f"the headers of Pumice are missing in '{folder}'; install the wheel again")
    return folder


def _compiled(command: str, sources: Mapping[str, bytes]) -> pathlib.Path:
    """Returns the library that the compiler makes of these sources, or made of them earlier."""
    import hashlib
    import subprocess
    import tempfile
    runtime = pathlib.Path(_native.libraries()[1]).resolve()
    about = os.stat(command)
    key = hashlib.sha256(f"{command} {about.st_size} {about.st_mtime_ns} {_FLAGS} {runtime} {_native.version()}".encode())
    for name, source in sorted(sources.items()):
        key.update(f"\n{name} {len(source)}\n".encode() + source)
    folder, is_kept = _cache()
    library = folder / f"{key.hexdigest()[:32]}.so"
    if is_kept and _is_whole(library):
        return library
    with tempfile.TemporaryDirectory(prefix="pumice-launcher-") as scratch:
        for name, source in sources.items():
            (pathlib.Path(scratch) / name).write_bytes(source)
        made = pathlib.Path(scratch) / "launcher.so"
        call = [command, *_FLAGS, f"-I{headers()}", "launcher.cpp", "-o", str(made), str(runtime)]
        try:
            done = subprocess.run(call, cwd=scratch, capture_output=True, text=True)
        except OSError as error:
            raise CompileError(f"the compiler '{command}' cannot be run: {error.strerror}; name another one") from error
        if done.returncode:
            raise CompileError(f"the compiler failed with status {done.returncode}: {' '.join(call)}\n{done.stderr.strip()}")
        if not made.is_file() or not made.stat().st_size:
            raise CompileError(f"the compiler wrote no library, although it reported success: {' '.join(call)}\nname another one")
        data = made.read_bytes()
        for path, contents in ((library, data), (library.with_suffix(".sha256"), hashlib.sha256(data).hexdigest().encode())):
            # Other processes see either no file or the whole file.
            with tempfile.NamedTemporaryFile(dir=folder, prefix=library.stem, delete=False) as place:
                place.write(contents)
            os.replace(place.name, path)
    return library


def _is_whole(library: pathlib.Path) -> bool:
    """Returns whether a library is there, and as it was written. Loading a file that was cut short could end the process."""
    import hashlib
    try:
        return hashlib.sha256(library.read_bytes()).hexdigest().encode() == library.with_suffix(".sha256").read_bytes()
    except OSError:
        return False


def _cache() -> tuple[pathlib.Path, bool]:
    """Returns the folder of compiled launchers, and whether later processes use it."""
    if os.environ.get("PUMICE_CACHE") != "off":
        base = os.environ.get("PUMICE_CACHE_DIR") or os.path.join(
            os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pumice")
        folder = pathlib.Path(base) / "launchers"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if os.access(folder, os.W_OK):
                return folder, True
        except OSError:
            pass  # a read-only home: the library lives as long as the process
    return pathlib.Path(_scratch().name), False


@functools.cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    import tempfile
    return tempfile.TemporaryDirectory(prefix="pumice-launchers-")
