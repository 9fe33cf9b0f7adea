"""Which device Triton's kernels run on, and whether one of ours is the one at all."""
import functools
import operator
import os
import sys
import threading
import warnings


NAMES = ("cpu", "vulkan")  # of our back ends, as pyproject.toml has them


def creates_what_is_asked_for(create):
    """Which driver is the one where TRITON_DEFAULT_BACKEND or PUMICE_DEVICE says so, also beside another
    vendor's that works: of two drivers Triton takes neither."""
    drivers = sys.modules["triton.runtime.driver"]  # by its path it is an object of that name

    def create_driver():
        selected = drivers.backends.get(_selected())
        if selected is not None:
            return selected.driver() if _is_ours(selected.driver) else create()
        asked = [backend.driver for backend in drivers.backends.values()
                 if _is_asked_for() and _is_ours(backend.driver) and backend.driver.is_active()]
        return asked[0]() if asked else create()

    _mind_names(drivers.backends)
    return create_driver


def _mind_names(backends):
    """Of two back ends with one name Triton has the one found last. If that is another project's, ours
    takes its place where PUMICE_DEVICE asks for one of ours; else the user is warned."""
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


def _take_name(backends, name):
    """Puts ours where another project's back end is."""
    if name in backends and _is_ours(backends[name].driver):
        return
    from triton.backends import Backend
    if name == "cpu":
        from .cpu.compiler import CpuBackend as compiler
        from .cpu.driver import CpuDriver as driver
    else:
        from .vulkan.compiler import VulkanBackend as compiler
        from .vulkan.driver import VulkanDriver as driver
    backends[name] = Backend(compiler, driver)


def _package_of(driver):
    return driver.__module__.partition(".")[0]


def rivals():
    """{name: the packages that have a back end of this name of ours}, where another project has one."""
    from importlib.metadata import entry_points
    found = {name: sorted({entry.value for entry in entry_points(group="triton.backends", name=name)})
             for name in NAMES}
    return {name: packages for name, packages in found.items()
            if any(not package.startswith("pumice_triton.") for package in packages)}


@functools.cache
def warn_of_rivals():
    """Once in a process, when one of our drivers is used though another project has its name, too."""
    for name, packages in rivals().items():
        warnings.warn(f"several packages have a back end of Triton's named '{name}': {', '.join(packages)}; "
                      "Pumice's is used. Uninstall those that you do not want", stacklevel=3)


def _selected():
    """The back end that Triton's own variable names; "" without it. Triton knows it since 3.7."""
    return os.environ.get("TRITON_DEFAULT_BACKEND", "")


def _is_asked_for():
    return bool(os.environ.get("PUMICE_DEVICE"))


def _is_ours(driver):
    return driver.__module__.startswith("pumice_triton.")


def wanted():
    """The device that `pumice.use`, or PUMICE_DEVICE, names; else the CPU: a kernel for tensors of
    the host runs there without anybody asking."""
    import pumice
    from pumice.devices import chosen
    return chosen() or pumice.device(os.environ.get("PUMICE_DEVICE") or "cpu")


def of_driver(driver_name):
    """The device that is wanted if the driver has it, else the driver's best."""
    import pumice
    device = wanted()
    return device if device.info["driver"] == driver_name else pumice.device(driver_name)


_numbered: list = []  # devices, each at its number
_numbering = threading.Lock()
_LEFT_TO_OTHERS = 64


def number_of(device):
    """The integer by which Triton knows `device`: 0 for the first that runs kernels in this process, as with one
    device of CUDA. Kernels are kept by it, so another vendor's devices keep the first numbers where they work."""
    with _numbering:
        if not _numbered and "torch" in sys.modules and _others_work():
            _numbered.extend([None] * _LEFT_TO_OTHERS)
        if device not in _numbered:
            _numbered.append(device)
        return _numbered.index(device)


def numbered(number):
    """The device that has this number. Ids, by which Pumice names devices, are taken too."""
    if isinstance(number, str):
        import pumice
        return pumice.device(number)
    number = operator.index(number)
    if 0 <= number < len(_numbered) and _numbered[number] is not None:
        return _numbered[number]
    known = ", ".join(f"{n} ({one.id})" for n, one in enumerate(_numbered) if one is not None)
    raise ValueError(f"expected the number of a device that runs kernels: {known or 'none does yet'}; got {number}. "
                     "pumice.use takes a device by its id")


def count():
    """One more than the largest number."""
    return len(_numbered)


def number_in_use():
    """The number of the device that kernels run on from here on."""
    from triton.runtime import driver
    return driver.active.get_current_device()


def use_numbered(number):
    """Has kernels run on that device from here on."""
    if number != number_in_use():
        import pumice
        pumice.use(numbered(number))


def is_wanted(driver_name):
    """Whether Triton is to use this driver by itself: where another vendor's works, if
    TRITON_DEFAULT_BACKEND or PUMICE_DEVICE says so. Never an error: Triton asks every back end that is
    installed, whoever uses it. Where what is wanted cannot be had, the CPU's driver is the one, and says so
    when it is used."""
    try:
        if _selected() in NAMES:
            return driver_name == _selected()
        if not _is_asked_for() and _others_work():
            return False
        if not _is_asked_for() and "pumice" not in sys.modules:
            return driver_name == "cpu"  # known without loading anything
        return wanted().info["driver"] == driver_name
    except Exception:  # noqa: BLE001 - `wanted` raises it again
        return driver_name == "cpu"


def _others_work():
    from triton.backends import backends
    return any(backend.driver.is_active() for backend in backends.values()
               if not _is_ours(backend.driver))


def follow(triton):
    """Makes Triton use the device that `pumice.use` chose: the entry point "triton" of "pumice.frameworks"."""
    from pumice.devices import chosen
    if chosen() is None and triton.runtime.driver._active is None:
        return  # taken back before anyone asked
    activate(chosen())


def activate(device):
    """Makes Triton use `device` from here on; None: what it uses by itself."""
    from triton.backends import backends
    from triton.runtime import driver
    if device is None and _others_work():
        return driver.reset_active()
    device = device or wanted()
    _take_name(backends, device.info["driver"])
    driver.set_active(backends[device.info["driver"]].driver(device))
