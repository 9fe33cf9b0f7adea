"""Decides which device Triton's kernels run on, and whether Triton uses one of Pumice's back ends."""
from __future__ import annotations

import functools
import hashlib
import operator
import os
import pathlib
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from pumice.devices import Device


NAMES = ("cpu", "vulkan", "opencl", "metal")  # Pumice's back ends, by the names in pyproject.toml


def creates_what_is_asked_for(create: Callable[[], Any]) -> Callable[[], Any]:
    """Returns a replacement of `_create_driver` that follows TRITON_DEFAULT_BACKEND and PUMICE_DEVICE.

    If another vendor's driver works too, Triton itself takes neither.
    """
    drivers = sys.modules["triton.runtime.driver"]  # `import triton.runtime.driver` finds an object of that name

    def create_driver() -> Any:
        selected = drivers.backends.get(selected_name())
        if selected is not None:
            return selected.driver() if _is_ours(selected.driver) else create()
        asked = [backend.driver for backend in drivers.backends.values()
                 if _is_asked_for() and _is_ours(backend.driver) and backend.driver.is_active()]
        return asked[0]() if asked else create()

    _mind_names(drivers.backends)
    return create_driver


def _mind_names(backends: dict[str, Any]) -> None:
    """Handles another project's back end that has the name of one of Pumice's.

    Triton takes the back end that it found last. If that is another project's, Pumice's replaces it if PUMICE_DEVICE is
    set. Otherwise the user is warned.
    """
    for name in NAMES:
        other = backends.get(name)
        if other is None or _is_ours(other.driver):
            continue
        if _is_asked_for():
            _take_name(backends, name)
            continue
        warnings.warn(f"Triton's back end '{name}' is that of {_package_of(other.driver)}, not Pumice's: both "
                      "are installed under this name, and Triton takes the one found last. Uninstall one, or "
                      "choose Pumice's by PUMICE_DEVICE or pumice.use", stacklevel=2)


def _take_name(backends: dict[str, Any], name: str) -> None:
    """Puts Pumice's back end in the place of another project's."""
    if name in backends and _is_ours(backends[name].driver):
        return
    from triton.backends import Backend
    compiler: type
    driver: type
    if name == "cpu":
        from .cpu.compiler import CpuBackend as compiler
        from .cpu.driver import CpuDriver as driver
    elif name == "metal":
        from .metal.compiler import MetalBackend as compiler
        from .metal.driver import MetalDriver as driver
    elif name == "opencl":
        from .opencl.compiler import OpenClBackend as compiler
        from .opencl.driver import OpenClDriver as driver
    else:
        from .vulkan.compiler import VulkanBackend as compiler
        from .vulkan.driver import VulkanDriver as driver
    backends[name] = Backend(compiler, driver)


def _package_of(driver: type) -> str:
    """Returns the package that a driver's class belongs to."""
    return driver.__module__.partition(".")[0]


def rivals() -> dict[str, list[str]]:
    """Finds back ends of other projects with the name of one of Pumice's.

    Returns:
        {name: the packages with a back end of that name}, for each name that another project has, too.
    """
    from importlib.metadata import entry_points
    found = {name: sorted({entry.value for entry in entry_points(group="triton.backends", name=name)})
             for name in NAMES}
    return {name: packages for name, packages in found.items()
            if any(not package.startswith("pumice_triton.") for package in packages)}


@functools.cache
def warn_of_rivals() -> None:
    """Warns once in a process if one of Pumice's drivers is used and another project has its name, too."""
    for name, packages in rivals().items():
        warnings.warn(f"several packages have a back end of Triton's named '{name}': {', '.join(packages)}; "
                      "Pumice's is used. Uninstall those that you do not want", stacklevel=3)


def selected_name() -> str:
    """Returns the back end that Triton's own variable names, or "". Triton knows the variable since 3.7."""
    return os.environ.get("TRITON_DEFAULT_BACKEND", "")


def _is_asked_for() -> bool:
    """Returns whether PUMICE_DEVICE is set."""
    return bool(os.environ.get("PUMICE_DEVICE"))


def _is_ours(driver: type) -> bool:
    """Returns whether a driver's class is one of Pumice's."""
    return driver.__module__.startswith("pumice_triton.")


def wanted() -> Device:
    """Returns the device that `pumice.use`, or PUMICE_DEVICE, names.

    The default is the CPU: a kernel for host tensors runs there without further settings.
    """
    import pumice
    from pumice.devices import chosen
    return chosen() or pumice.device(os.environ.get("PUMICE_DEVICE") or "cpu")


def of_driver(driver_name: str) -> Device:
    """Returns the wanted device if it belongs to this driver, and otherwise the driver's best device."""
    import pumice
    if driver_name == "vk":
        return of_vk()
    device = wanted()
    return device if device.info["driver"] == driver_name else pumice.device(driver_name)


_numbered: list[Any] = []  # devices, each at its number; None at a number left to others
_numbering = threading.Lock()
_LEFT_TO_OTHERS = 64


def of_vk(number: int | None = None) -> Device:
    """Returns the device behind "vk:N". Without a number, returns the calling thread's current device.

    Raises:
        RuntimeError: If PyTorch has no vk.
    """
    import pumice
    import torch
    vk = getattr(torch, "vk", None)
    if vk is None:
        raise RuntimeError("PyTorch does not know the device vk: Pumice has no library for this version of PyTorch, "
                           f"{torch.__version__}")
    return pumice.device(torch.ops.pumice_vk.device_id(vk.current_device() if number is None else number))


def cache_folder() -> pathlib.Path:
    """Returns this user's folder for files of Pumice that can be regenerated.

    If no variable names it and it cannot be made, as without a home directory, it is a temporary one of this process.
    """
    chosen = os.environ.get("PUMICE_CACHE_DIR")
    found = pathlib.Path(chosen or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pumice"))
    return found if chosen or _can_be_made(found) else _temporary_folder()


def _can_be_made(folder: pathlib.Path) -> bool:
    """Returns whether a folder exists, or its parents let this process make it."""
    for parent in (folder, *folder.parents):
        if parent.exists():
            return parent == folder or (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK))
    return False


@functools.cache
def _temporary_folder() -> pathlib.Path:
    """Makes a folder that lasts as long as the process."""
    import atexit
    import shutil
    import tempfile
    made = tempfile.mkdtemp(prefix="pumice-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return pathlib.Path(made)


@functools.cache
def described(id: str) -> str:
    """Returns a target of Triton's that describes a device, for processes that must not open the device.

    PyTorch's inductor compiles in separate processes. The target is the name of a file with the device's description.
    The CPU device needs none.
    """
    import pumice
    device = pumice.device(id)
    if device.info["driver"] == "cpu":
        return id
    text = device.target
    digest = hashlib.sha256(f"{text}\n{device.info['driver_version']}".encode()).hexdigest()[:16]
    file = cache_folder() / "targets" / f"{digest}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}.part")
        part.write_text(text)
        part.replace(file)
    return str(file)


def number_of(device: Device) -> int:
    """Returns the integer by which Triton knows `device`.

    The first device that runs kernels in this process has 0, as one CUDA device has. Triton keeps kernels by this
    number, so another vendor's devices keep the first numbers if they work.
    """
    with _numbering:
        if not _numbered and "torch" in sys.modules and _others_work():
            _numbered.extend([None] * _LEFT_TO_OTHERS)
        if device not in _numbered:
            _numbered.append(device)
        return _numbered.index(device)


def numbered(number: int | str) -> Device:
    """Returns the device that has this number.

    Args:
        number: A number that `number_of` returned, or an id, by which Pumice names devices.

    Raises:
        ValueError: If no device has this number.
    """
    if isinstance(number, str):
        import pumice
        return pumice.device(number)
    number = operator.index(number)
    if 0 <= number < len(_numbered) and _numbered[number] is not None:
        return _numbered[number]
    known = ", ".join(f"{n} ({one.id})" for n, one in enumerate(_numbered) if one is not None)
    raise ValueError(f"expected the number of a device that runs kernels: {known or 'none does yet'}; got {number}. "
                     "pumice.use takes a device by its id")


def count() -> int:
    """Returns one more than the largest number."""
    return len(_numbered)


def number_in_use() -> int:
    """Returns the number of the device that later kernels run on."""
    from triton.runtime import driver
    return driver.active.get_current_device()


def use_numbered(number: int | str) -> None:
    """Makes later kernels run on the device with this number."""
    if number != number_in_use():
        import pumice
        pumice.use(numbered(number))


def is_wanted(driver_name: str) -> bool:
    """Returns whether Triton should use this driver by default.

    If another vendor's driver works, the answer is yes only if TRITON_DEFAULT_BACKEND or PUMICE_DEVICE says so. It
    never raises an error, since Triton asks every installed back end, used or not. If the wanted device cannot be
    opened, the CPU's driver is chosen, and reports the reason when it is used.
    """
    try:
        if selected_name() in NAMES:
            return driver_name == selected_name()
        if not _is_asked_for() and _others_work():
            return False
        if not _is_asked_for() and "pumice" not in sys.modules:
            return driver_name == "cpu"  # this needs no library
        return wanted().info["driver"] == driver_name
    except Exception:  # noqa: BLE001 - `wanted` raises it again
        return driver_name == "cpu"


def _others_work() -> bool:
    """Returns whether a driver of another project works."""
    from triton.backends import backends
    return any(backend.driver.is_active() for backend in backends.values()
               if not _is_ours(backend.driver))


def follow(triton: ModuleType) -> None:
    """Makes Triton use the device that `pumice.use` chose: the entry point "triton" of "pumice.frameworks"."""
    from pumice.devices import chosen
    if chosen() is None and triton.runtime.driver._active is None:
        return  # the choice was withdrawn before a kernel ran
    activate(chosen())


def activate(device: Device | None) -> None:
    """Makes Triton use `device` from now on; None means Triton's own choice."""
    from triton.backends import backends
    from triton.runtime import driver
    if device is None and _others_work():
        return driver.reset_active()
    device = device or wanted()
    _take_name(backends, device.info["driver"])
    driver.set_active(backends[device.info["driver"]].driver(device))
