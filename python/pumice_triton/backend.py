"""From a kernel's Python to an executable: Triton's own passes, then Pumice's compiler.

    ttir    Triton's text, after the passes that every back end runs
    pumice  the executable, which is loaded and launched

Of the executable, `kernel.asm` makes the texts "spirv", "llir" and "asm" when they are asked for. With
PUMICE_DUMP=FOLDER every stage is written there (dumping.py).
"""
import functools
import hashlib
import os
import pathlib
import uuid

from triton.backends.compiler import BaseBackend

from . import codegen, devices, dumping, failures, ignored, versions
from .dumping import TEXTS
from .histories import count_histories
from pumice_hooks import after_import
from .options import Options
from .passes import make_ttir
from .progress import compiling
from .resources import raise_out_of_resources


def _watch_tensors(torch):
    """PUMICE_CHECK: `torch.empty` and its like are known from here on."""
    from pumice.checking import watch_process
    watch_process()


if os.environ.get("PUMICE_CHECK", "0") not in ("", "0", "off"):
    after_import("torch", _watch_tensors)


class Backend(BaseBackend):
    """A target's `arch` is a device's id ("vulkan:0"), or anything that `pumice compile --target`
    takes ("rdna3"): kernels can be compiled for devices that are not here. Without one, as PyTorch's
    inductor has it, it is the driver's device."""
    binary_ext = "pumice"
    driver_name: str  # of the subclasses

    @classmethod
    def supports_target(cls, target):
        return target.backend == cls.driver_name

    @property
    def arch(self):
        return self.target.arch or devices.of_driver(self.driver_name).id

    def hash(self):
        # Kernels whose stages are written are compiled, never found.
        once = uuid.uuid4() if os.environ.get("PUMICE_DUMP") else ""
        return f"{self.target}-{_environment(self.arch)}-{_build()}-{once}"

    def parse_options(self, options):
        keep_all_stages()
        return Options.of(options, self.target)

    def pack_metadata(self, metadata):
        """Each compiled kernel's, whether it was made or found in the cache; launches find what they need in the
        executable."""
        ignored.tell(metadata, Options)

    def get_codegen_implementation(self, options):
        return codegen.FUNCTIONS

    def get_module_map(self):
        # The wheel's own table of functions by type. It calls them by names of NVIDIA's library, which
        # Pumice's compiler has formulas for.
        from triton.language.extra.cuda import libdevice
        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, context):
        pass

    def _entry(self, program):
        """What is known of its kernel; None of a device that is not here."""
        import pumice
        if ":" not in self.arch:
            return None
        (entry,) = pumice.device(self.arch)._handle.load(program.data).entry_points()
        return entry

    def add_stages(self, stages, options, language=None):
        versions.refuse_other_languages(language)
        def make(module, metadata):
            with compiling(module.get_entry_func_name(), "Triton's passes"):
                return make_ttir(module, options.num_warps, options.layout_seed, options.overlap, options.check)

        stages["ttir"] = make
        stages["pumice"] = self._make_executable
        versions.call_inspection_hook(self, stages, options, language)

    def _make_executable(self, module, metadata):
        text = module.str()  # with the lines of the Python file, for errors
        name = module.get_entry_func_name()
        folder = os.environ.get("PUMICE_DUMP")
        with compiling(name, "reading Triton's text"):
            program = dumping.compile_and_write(folder, self.arch, name, text, self._compile) if folder else \
                self._compile(text, name)
        metadata["name"] = name
        metadata["ttir"] = text  # of which launches whose arguments overlap may need other code
        entry = self._entry(program) or {"workgroup_memory_bytes": 0, "arguments": []}
        # Never 0: Triton's tutorial of softmax divides by it.
        metadata["shared"] = max(1, entry["workgroup_memory_bytes"])
        metadata["histories"] = count_histories(argument["name"] for argument in entry["arguments"])
        return program.data

    def executable_of(self, text, name):
        """Of Triton's text."""
        return self._compile(text, name).data

    def _compile(self, text, name, stages=None):
        import pumice
        # Memory of the host may be of any size; kernels for others count by the target's own width.
        index_bits = 64 if self.driver_name == "cpu" else 0
        try:
            return pumice.compile(text, _targets(self.arch), name=name, stages=stages, index_bits=index_bits)
        except pumice.Error as error:
            raise_out_of_resources(error)
            failures.report(error, "on the way to an executable", name, self.arch, text, index_bits)
            raise


def watches_front_end(make):
    """What Triton's front end reads for our back ends is on the terminal too, and its errors name file and line."""
    @functools.wraps(make)  # PyTorch counts its parameters
    def make_ir(self, target, *given, **named):
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


# Triton keeps a kernel's stages as texts, ready made, in an AsmDict; those of the executable are made when they are asked
# for. Their keys are there from the beginning; `items` and `values`, which pickling takes, are of those that were made.

def _is_ours(stages):
    return dict.__contains__(stages, Backend.binary_ext)


def _can_make(stages, key):
    return key in TEXTS and _is_ours(stages)


def _keys(stages):
    made = list(dict.keys(stages))
    return dict.fromkeys(made + [key for key in TEXTS if _can_make(stages, key)]).keys()


def makes_text(other):
    def missing(self, key):
        if not _is_ours(self):
            return other(self, key)
        if not _can_make(self, key):
            raise KeyError(f"a kernel of Pumice's has no '{key}'; it has {', '.join(_keys(self))}")
        import pumice
        self[key] = pumice.Program(self[Backend.binary_ext]).text(key)
        return self[key]

    return missing


def contains_text(_):
    return lambda self, key: dict.__contains__(self, key) or _can_make(self, key)


def gets_text(_):
    return lambda self, key, default=None: self[key] if key in self else default


def lists_texts(_):
    return _keys


def iterates_texts(_):
    return lambda self: iter(_keys(self))


def reads_executables(parse):
    """Reads an executable in place of what is compiled (TRITON_KERNEL_OVERRIDE, `ir_override`)."""
    return lambda name, ext, context: \
        pathlib.Path(name).read_bytes() if ext == Backend.binary_ext else parse(name, ext, context)


def refuses_other_sources(make):
    """Refuses sources of other back ends by name, which Triton reads by their paths."""
    def make_source(self, path, context, backend):
        suffix = pathlib.Path(path).suffix
        if isinstance(backend, Backend) and suffix != ".ttir":
            raise ValueError(f"expected a file that ends in .ttir, got '{path}': {suffix or 'no ending'} is not what "
                             "Pumice compiles; kernel.asm['ttir'] is a kernel's text before any one GPU's layouts")
        make(self, path, context, backend)

    return make_source


def keep_all_stages():
    """TRITON_STORE_BINARY_ONLY keeps what has the name of CUDA's binaries or of HIP's, and would drop ours."""
    from triton import knobs
    if knobs.compilation.store_binary_only:
        knobs.compilation.store_binary_only = False


def _targets(arch):
    """What `pumice.compile` takes for a target's `arch`."""
    import pumice
    return [pumice.device(arch)] if ":" in arch else [arch]


@functools.lru_cache
def _environment(arch):
    """All that code for `arch` depends on."""
    import pumice
    if ":" not in arch:
        return arch
    device = pumice.device(arch)
    facts = f"{device.target}-{device.info['driver_version']}"
    return hashlib.sha256(facts.encode()).hexdigest()


@functools.lru_cache
def _build():
    """Of what makes code: the libraries, by their files' sizes and times, and this package."""
    from pumice import _native
    said = []
    for path in [*_native.libraries(), *sorted(pathlib.Path(__file__).parent.glob("*.py"))]:
        try:
            about = os.stat(path)
            said.append(f"{path}-{about.st_size}-{about.st_mtime_ns}")
        except OSError:
            said.append(f"{path}-missing")
    return hashlib.sha256(";".join(said).encode()).hexdigest()
