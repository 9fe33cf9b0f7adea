"""Keeps what belongs to a kernel that cannot be compiled, and names it in the error.

    attention-0123456789ab/
      kernel.py        the kernel's Python
      kernel.ttir      Triton's text
      1.tiles.mlir     the stages that it reached, as PUMICE_DUMP has them
      target.json      the device's target environment
      error.txt        the error, the options, versions
      reproduce.py     shows the error again

These folders are in `failed` of Pumice's cache folder, or in PUMICE_FAILED_KERNELS; "off" keeps none. The last 20
folders stay. Errors that the autotuner handles are not kept: it continues with the next configuration.
"""
from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import pathlib
import platform
import re
import shlex
import shutil
import stat
import sys
import tempfile
import threading
from typing import Any

from . import devices, versions
from .dumping import MLIR
from .signatures import SEPARATOR

MOST = 20

_current = threading.local()  # `source`: the source that Triton compiles on this thread


def note_source(source: Any) -> None:
    """Notes what Triton's front end is about to read on this thread. Later stages know only the kernel's text."""
    _current.source = source


def report_front_end(error: BaseException, source: Any) -> None:
    """Adds the file and the line to an error of Triton's front end, which names neither file nor function."""
    place = _place_of(error, getattr(source, "fn", None))
    if place:
        error.add_note(f"at {place}")


def report(error: BaseException, stage: str, name: str, arch: str, text: str = "", index_bits: int = 0,
           program: bytes | None = None) -> None:
    """Keeps the files of a failed kernel, and adds a line to the error that says where they are.

    Args:
        error: A pumice.Error, which came from compiling `text` or from loading `program`.
        stage: What Pumice did when the error occurred, for the added line.
        name: The kernel's name.
        arch: The target, in the form of `Backend.arch`.
        text: Triton's text.
        index_bits: The width of the kernel's indices; 0 for the target's own.
        program: The executable, if the device could not load it.
    """
    source = _source_of(name)
    fn = getattr(source, "fn", None)
    kernel = f"{name} ({_definition(fn)})" if _definition(fn) else name
    line = f"in kernel {kernel}, {stage}"
    try:
        folder = _make_folder(name, f"{arch}\n{text}\n{error}\n{len(program or b'')}")
        if folder:
            _write(folder, error, line, name, arch, text, source, index_bits, program)
            command = shlex.join([sys.executable or "python", str(folder / "reproduce.py")])
            line += f"; its source and stages are in {folder}; to see the error again: {command}"
    except OSError as reason:  # a full disk must not hide the error
        line += f" (nothing is kept: {reason})"
    error.args = (f"{error}\n{line}",)


def add_damaged_file(error: BaseException, name: str, data: bytes) -> None:
    """Adds the damaged file in Triton's cache to the error, if the executable `data` came from one."""
    import pumice
    if not isinstance(error, pumice.CorruptDataError):
        return
    cache = pathlib.Path(os.environ.get("TRITON_CACHE_DIR") or pathlib.Path.home() / ".triton/cache")
    for path in cache.glob(f"*/{glob.escape(name)}.pumice"):
        if path.read_bytes() == data:
            error.args = (f"{error}\n{path} is damaged: delete {path.parent}, and Triton compiles the kernel again",)


def _source_of(name: str) -> Any:
    """Returns the source of the kernel, if this thread's front end read it last."""
    source = getattr(_current, "source", None)
    fn = getattr(getattr(source, "fn", None), "fn", None)
    return source if fn is not None and name.startswith(fn.__name__) else None


def _write(folder: pathlib.Path, error: BaseException, line: str, name: str, arch: str, text: str, source: Any,
           index_bits: int, program: bytes | None) -> None:
    """Writes the files of a failed kernel."""
    import pumice
    (folder / "error.txt").write_text(f"{error}\n\n{line}\n\n{_facts(arch, source)}")
    fn = getattr(source, "fn", None)
    python = "".join(getattr(fn, "raw_src", None) or [])
    if python:
        (folder / "kernel.py").write_text(f"# {_definition(fn)}\n{python}")
    if text:
        (folder / "kernel.ttir").write_text(text)
    targets = _targets(arch)
    files = ["target.json"] if len(targets) == 1 else [f"target-{number}.json" for number in range(len(targets))]
    for file, target in zip(files, targets):
        (folder / file).write_text(target)
    if program is not None:
        (folder / "kernel.pumice").write_bytes(program)
        (folder / "reproduce.py").write_text(_LOAD.format(name=name, arch=arch, load=_import_pumice()))
        return
    (folder / "reproduce.py").write_text(_COMPILE.format(
        name=name, bits=index_bits or 32, load=_import_pumice(), files=files,
        options=" ".join(f"--target {file}" for file in files)))
    stages: dict[str, str] = {}
    with contextlib.suppress(pumice.Error):  # compiling fails again, but adds the stages that it reaches
        pumice.compile(text, targets, name=name, stages=stages, index_bits=index_bits)
    for number, stage in enumerate(MLIR, 1):
        if stage in stages:
            (folder / f"{number}.{stage}.mlir").write_text(stages[stage])


def _import_pumice() -> str:
    """Returns lines of Python that import the package, or say what to do if Python does not find it."""
    import pumice
    return _IMPORT.format(place=str(pathlib.Path(pumice.__file__).parent.parent))


_IMPORT = '''import sys

try:
    import pumice
except ModuleNotFoundError as error:
    sys.exit(f"{{error}}, expected by this script, for {{sys.executable}}: install Pumice's wheel there, or run "
             "this script with PYTHONPATH=" + {place!r})
'''

_COMPILE = '''"""Shows the error again. `pumice compile kernel.ttir {options} --index-bits {bits}` does, too."""
import pathlib
{load}
here = pathlib.Path(__file__).parent
pumice.compile((here / "kernel.ttir").read_text(), [(here / file).read_text() for file in {files!r}],
               name={name!r}, index_bits={bits})
print("the error does not come again")
'''

_LOAD = '''"""Shows the error again, on the device that cannot load the kernel."""
import pathlib
{load}
program = pumice.load(pathlib.Path(__file__).parent / "kernel.pumice")
pumice.device({arch!r})._handle.load(program.data).kernel({name!r}, (0, 0, 0), 0, {{}})
print("the error does not come again")
'''


def _facts(arch: str, source: Any) -> str:
    """Returns the versions, the device, the kernel's signature and the environment variables that matter."""
    import pumice
    torch = sys.modules.get("torch")
    lines = [f"pumice {pumice.__version__}", f"triton {versions.installed()}", f"python {platform.python_version()}",
             f"system {platform.platform()}", f"device {arch.removesuffix(SEPARATOR).replace(SEPARATOR, ', ')}"]
    lines += [f"torch {torch.__version__}"] if torch else []
    if ":" in arch and SEPARATOR not in arch:
        info = pumice.device(arch).info
        lines += [f"{info['name']}, driver {info['driver_version']}"]
    lines += [f"{what}: {getattr(source, what)}" for what in ("signature", "constants", "attrs") if hasattr(source, what)]
    lines += [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(("PUMICE_", "TRITON_"))]
    return "\n".join(lines) + "\n"


def _targets(arch: str) -> list[str]:
    """Returns the target environments that `pumice.compile` takes."""
    import pumice
    if SEPARATOR in arch:  # an export
        return arch.removesuffix(SEPARATOR).split(SEPARATOR)
    return [pumice.device(arch).target if ":" in arch else arch]


def _make_folder(name: str, content: str) -> pathlib.Path | None:
    """Makes an empty folder for a failure, and removes old ones.

    Args:
        name: The kernel's name.
        content: Text that identifies the failure.

    Returns:
        The folder, or None if none is wanted.
    """
    root = _root()
    if root is None:
        return None
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    readable = re.sub(r"[^\w.-]", "_", name[:100])  # names in texts may contain anything, even "../"
    folder = root / f"{readable}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    shutil.rmtree(folder, ignore_errors=True)  # an earlier failure of the same kind
    folder.mkdir(exist_ok=True)
    others = [each for each in root.iterdir() if each.is_dir() and (each / "error.txt").exists()]
    for old in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True)[MOST - 1:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def _root() -> pathlib.Path | None:
    """Returns the folder that holds the failures, or None if none is wanted."""
    asked = os.environ.get("PUMICE_FAILED_KERNELS")
    if asked in ("off", "0"):
        return None
    if asked:
        return pathlib.Path(asked)
    if os.environ.get("PUMICE_CACHE") == "off":
        return _temporary()
    root = devices.cache_folder() / "failed"
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        return root
    except OSError:
        return _temporary()


def _temporary() -> pathlib.Path:
    """Returns this user's folder in the system's temporary folder. It is used if the cache cannot be written."""
    root = pathlib.Path(tempfile.gettempdir()) / f"pumice-failed-{os.getuid()}"
    root.mkdir(exist_ok=True, mode=0o700)
    about = root.lstat()
    if about.st_uid != os.getuid() or not stat.S_ISDIR(about.st_mode):
        raise PermissionError(f"{root} belongs to another user")
    return root


def _definition(fn: Any) -> str:
    """Returns "file:line" of a kernel's `def`, or "" if its source is not known."""
    line = _first_line(fn)
    return f"{fn.fn.__code__.co_filename}:{line}" if line else ""


def _first_line(fn: Any) -> Any:
    """Returns the line of a kernel's `def`, or None if its source is not known."""
    start, lines = getattr(fn, "starting_line_number", None), getattr(fn, "raw_src", None)
    if start is None or not lines or getattr(fn, "fn", None) is None:
        return None
    return start + next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)


def _place_of(error: BaseException | None, fn: Any) -> str:
    """Returns "file:line, in function" of the innermost error of Triton's front end that is in a known function."""
    known = {} if fn is None else {each.src: each for each in _functions_of(fn)}
    place = ""
    node: Any  # a node of Python's syntax tree, or None
    while error is not None:
        function, node = known.get(getattr(error, "src", None)), getattr(error, "node", None)
        if function is not None and hasattr(node, "lineno") and _first_line(function):
            line = _first_line(function) + node.lineno - 1
            place = f"{function.fn.__code__.co_filename}:{line}, in {function.fn.__name__}"
        error = error.__cause__
    return place


def _functions_of(fn: Any) -> list[Any]:
    """Returns the kernel and the functions that it may call, in its module and in modules that it imports."""
    from triton.runtime.jit import JITFunction
    scope = dict(getattr(fn.fn, "__globals__", {}))  # a copy, since other threads may import
    modules = [scope] + [dict(vars(each)) for each in scope.values() if type(each) is type(sys)]
    # This compares types: asking an arbitrary object for an attribute may load something.
    found = [fn] + [value for names in modules for value in names.values() if isinstance(value, JITFunction)]
    return [each for each in found if isinstance(getattr(each, "src", None), str)]
