"""Turns a kernel's Python into an executable: Triton's own passes run first, then Pumice's compiler.

    ttir    Triton's text, after the passes that every back end runs
    pumice  the executable, which is loaded and launched

`kernel.asm` makes the executable's texts "spirv", "llir" and "asm" when they are requested. With PUMICE_DUMP=FOLDER
every stage is written there (dumping.py).
"""
from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pathlib
import re
import uuid
from typing import TYPE_CHECKING, Any

from triton.backends.compiler import BaseBackend

from . import codegen, devices, dumping, failures, ignored, versions
from .dumping import TEXTS
from .histories import count_histories
from pumice_hooks import after_import
from .options import Options
from .passes import make_ttir
from .progress import compiling
from .resources import raise_out_of_resources
from .signatures import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from triton.backends.compiler import GPUTarget

    from pumice.devices import Device
    from pumice.programs import Program


def _watch_tensors(torch: Any) -> None:
    """Watches `torch.empty` and similar functions from now on, for PUMICE_CHECK."""
    from pumice.checking import watch_process
    watch_process()


if os.environ.get("PUMICE_CHECK", "0") not in ("", "0", "off"):
    after_import("torch", _watch_tensors)


class Backend(BaseBackend):
    """A back end of Triton's, for one of Pumice's drivers.

    A target's `arch` is a device's id ("vulkan:0"), or anything that `pumice compile --target` takes ("rdna3"). So
    kernels can be compiled for devices that this machine lacks. An export has several, each before a separator.
    Without an `arch`, which PyTorch's inductor does not set, the target is the driver's device.
    """
    binary_ext = "pumice"
    driver_name: str  # set by the subclasses

    @classmethod
    def supports_target(cls, target: GPUTarget) -> bool:
        """Returns whether this back end compiles for the target."""
        return target.backend == cls.driver_name

    @property
    def arch(self) -> str:
        """The target's `arch`, or the id of the driver's device."""
        return self.target.arch or devices.of_driver(self.driver_name).id

    def hash(self) -> str:
        """Returns the part of a kernel's key in Triton's cache that depends on the device and on Pumice."""
        from pumice.programs import route
        # A kernel whose stages are written is always compiled, and never found in the cache.
        once = uuid.uuid4() if os.environ.get("PUMICE_DUMP") else ""
        via = route() if self.driver_name == "opencl" else ""
        return f"{self.target}-{_environment(self.arch)}-{_build()}-{via}-{once}"

    def parse_options(self, options: dict[str, Any]) -> Options:
        """Returns the options of a launch, out of all its arguments."""
        keep_all_stages()
        return Options.of(options, self.target)

    def pack_metadata(self, metadata: Any) -> None:
        """Reports options that Pumice ignores. Triton calls it for each compiled kernel, new or cached.

        Packs nothing, since launches find what they need in the executable.
        """
        ignored.tell(metadata, Options)

    def get_codegen_implementation(self, options: Options) -> dict[str, Any]:
        """Returns the functions that Triton's front end calls while it makes IR."""
        return codegen.FUNCTIONS

    def get_module_map(self) -> dict[str, ModuleType]:
        """Returns the module of mathematical functions, which is the Triton wheel's own table.

        The table uses names of NVIDIA's library, for which Pumice's compiler has formulas.
        """
        from triton.language.extra.cuda import libdevice
        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, context: Any) -> None:
        """Does nothing: Triton's own dialects suffice."""

    def _entry(self, program: Program) -> dict[str, Any] | None:
        """Returns what is known about the program's kernel, or None for a device that this machine lacks.

        Compiles the kernel's native code for the CPU, too. The thread or process that compiles a kernel is often one of
        several, for example a worker of PyTorch's inductor, whereas one thread loads the kernels that they compiled.
        """
        import pumice
        if not _is_device(self.arch):
            return None
        executable = pumice.device(self.arch)._handle.load(program.data)
        (entry,) = executable.entry_points()
        # Other processes find the native code on disk.
        if pumice.device(self.arch).info["driver"] == "cpu" and os.environ.get("PUMICE_CACHE") != "off":
            with contextlib.suppress(pumice.Error):  # loading the kernel reports it
                executable.kernel(entry["name"], (0, 0, 0), 0, {})
        return entry

    def add_stages(self, stages: dict[str, Any], options: Options, language: Any = None) -> None:
        """Adds the functions that make the stages, in their order."""
        versions.refuse_other_languages(language)
        def make(module: Any, metadata: dict[str, Any]) -> Any:
            with compiling(module.get_entry_func_name(), "Triton's passes"):
                return make_ttir(module, options.num_warps, options.layout_seed, options.overlap, options.check)

        stages["ttir"] = make
        stages["pumice"] = self._make_executable
        versions.call_inspection_hook(self, stages, options, language)

    def _make_executable(self, module: Any, metadata: dict[str, Any]) -> bytes:
        """Compiles a module, and adds to the metadata what launches need."""
        text = module.str()  # has the lines of the Python file, for errors
        name = module.get_entry_func_name()
        folder = os.environ.get("PUMICE_DUMP")
        with compiling(name, "reading Triton's text"):
            program = dumping.compile_and_write(folder, self.arch, name, text, self._compile) if folder else \
                self._compile(text, name)
        metadata["name"] = name
        metadata["ttir"] = text  # launches whose arguments overlap may compile it again
        entry = self._entry(program) or {"workgroup_memory_bytes": 0, "arguments": []}
        # This is never 0: Triton's softmax tutorial divides by it.
        metadata["shared"] = max(1, entry["workgroup_memory_bytes"])
        metadata["histories"] = count_histories(argument["name"] for argument in entry["arguments"])
        return program.data

    def executable_of(self, text: str, name: str) -> bytes:
        """Returns the executable of a kernel in Triton's text."""
        return self._compile(text, name).data

    def _compile(self, text: str, name: str, stages: dict[str, str] | None = None) -> Program:
        """Compiles Triton's text. A failure is reported with what is needed to reproduce it."""
        import pumice
        # Host memory may have any size, so indices have 64 bits. Kernels for other devices use the target's width. For
        # tensors of vk with 2^31 elements and more, inductor makes kernels that count in 64 bits.
        is_wide = self.driver_name == "cpu" or (self.driver_name == "vk" and _WIDE.search(text) is not None)
        index_bits = 64 if is_wide else 0
        try:
            return pumice.compile(text, _targets(self.arch), name=name, stages=stages, index_bits=index_bits)
        except pumice.Error as error:
            raise_out_of_resources(error)
            failures.report(error, "on the way to an executable", name, self.arch, text, index_bits)
            raise


# An argument of inductor's: how many elements a kernel computes.
_WIDE = re.compile(r': i64 [^%]*?loc\("\w*numel"')


def watches_front_end(make: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `ASTSource.make_ir` that shows progress, and names file and line in errors."""
    @functools.wraps(make)  # PyTorch counts its parameters
    def make_ir(self: Any, target: Any, *given: Any, **named: Any) -> Any:
        if getattr(target, "backend", None) not in devices.NAMES:
            return make(self, target, *given, **named)
        failures.note_source(self)
        try:
            with compiling(self.name, "Triton's front end"):
                return make(self, target, *given, **named)
        except Exception as error:
            failures.report_front_end(error, self)
            raise

    return make_ir


# Triton keeps a kernel's stages as texts in an AsmDict. The texts of an executable are made when they are requested.
# Their keys exist from the beginning. `items` and `values`, which pickling uses, have only the texts that were made.

def _is_ours(stages: dict[str, Any]) -> bool:
    """Returns whether these are the stages of one of Pumice's kernels."""
    return dict.__contains__(stages, Backend.binary_ext)


def _can_make(stages: dict[str, Any], key: object) -> bool:
    """Returns whether this text can be made of the executable."""
    return key in TEXTS and _is_ours(stages)


def _keys(stages: dict[str, Any]) -> Any:
    """Returns the keys of the stages, with those of texts that can be made."""
    made = list(dict.keys(stages))
    return dict.fromkeys(made + [key for key in TEXTS if _can_make(stages, key)]).keys()


def makes_text(other: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `AsmDict.__missing__` that makes the texts of an executable."""
    def missing(self: dict[str, Any], key: str) -> Any:
        if not _is_ours(self):
            return other(self, key)
        if not _can_make(self, key):
            raise KeyError(f"a kernel of Pumice's has no '{key}'; it has {', '.join(_keys(self))}")
        import pumice
        self[key] = pumice.Program(self[Backend.binary_ext]).text(key)
        return self[key]

    return missing


def contains_text(_: Callable[..., Any]) -> Callable[..., bool]:
    """Returns a replacement of `AsmDict.__contains__` that includes the texts of an executable."""
    return lambda self, key: dict.__contains__(self, key) or _can_make(self, key)


def gets_text(_: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `AsmDict.get` that makes the texts of an executable."""
    return lambda self, key, default=None: self[key] if key in self else default


def lists_texts(_: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `AsmDict.keys` that includes the texts of an executable."""
    return _keys


def iterates_texts(_: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `AsmDict.__iter__` that includes the texts of an executable."""
    return lambda self: iter(_keys(self))


def reads_executables(parse: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `parse` that reads an executable (TRITON_KERNEL_OVERRIDE, `ir_override`)."""
    return lambda name, ext, context: \
        pathlib.Path(name).read_bytes() if ext == Backend.binary_ext else parse(name, ext, context)


def refuses_other_sources(make: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `IRSource.__init__` that rejects sources of other back ends by name."""
    def make_source(self: Any, path: Any, context: Any, backend: Any) -> None:
        suffix = pathlib.Path(path).suffix
        if isinstance(backend, Backend) and suffix != ".ttir":
            raise ValueError(f"expected a file that ends in .ttir, got '{path}': {suffix or 'no ending'} is not what "
                             "Pumice compiles; kernel.asm['ttir'] is a kernel's text before any one GPU's layouts")
        make(self, path, context, backend)

    return make_source


def keep_all_stages() -> None:
    """Turns off TRITON_STORE_BINARY_ONLY, which keeps only files named as CUDA's or HIP's binaries."""
    from triton import knobs
    if knobs.compilation.store_binary_only:
        knobs.compilation.store_binary_only = False


def _targets(arch: str) -> list[Device | str]:
    """Returns what `pumice.compile` takes for a target's `arch`."""
    import pumice
    if SEPARATOR in arch:  # an export
        return arch.removesuffix(SEPARATOR).split(SEPARATOR)  # type: ignore[return-value]
    return [pumice.device(arch)] if _is_device(arch) else [arch]


def _is_device(arch: str) -> bool:
    """Returns whether this is the id of a device of this machine."""
    return ":" in arch and SEPARATOR not in arch


@functools.lru_cache
def _environment(arch: str) -> str:
    """Returns a key for everything that the code for `arch` depends on."""
    import pumice
    if not _is_device(arch):
        return arch
    device = pumice.device(arch)
    facts = f"{device.target}-{device.info['driver_version']}"
    return hashlib.sha256(facts.encode()).hexdigest()


@functools.lru_cache
def _build() -> str:
    """Returns a key for the compiler: this package and the libraries, by the sizes and times of their files."""
    from pumice import _native
    said = []
    path: Any  # a string or a pathlib.Path
    for path in [*_native.libraries(), *sorted(pathlib.Path(__file__).parent.glob("*.py"))]:
        try:
            about = os.stat(path)
            said.append(f"{path}-{about.st_size}-{about.st_mtime_ns}")
        except OSError:
            said.append(f"{path}-missing")
    return hashlib.sha256(";".join(said).encode()).hexdigest()
