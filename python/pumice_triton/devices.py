"""Which device Triton's kernels run on, and whether one of ours is the one at all."""
import os
import sys

from .imports import after_import


def teach_triton():
    """Where another vendor's driver works and PUMICE_DEVICE asks for one of ours, that one is it: of two
    drivers Triton takes neither."""
    after_import("triton.runtime.driver", _take_what_is_asked_for)


def _take_what_is_asked_for(drivers):
    create = drivers._create_driver

    def create_driver():
        asked = [backend.driver for backend in drivers.backends.values()
                 if _is_asked_for() and _is_ours(backend.driver) and backend.driver.is_active()]
        return asked[0]() if asked else create()

    drivers._create_driver = create_driver


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


def is_wanted(driver_name):
    """Whether Triton is to use this driver by itself: where another vendor's works, if PUMICE_DEVICE says
    so. Never an error: Triton asks every back end that is installed, whoever uses it. Where what is wanted
    cannot be had, the CPU's driver is the one, and says so when it is used."""
    try:
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


def activate(device):
    """Makes Triton use `device` from here on; None: what it uses by itself."""
    from triton.backends import backends
    from triton.runtime import driver
    if device is None and _others_work():
        return driver.reset_active()
    device = device or wanted()
    driver.set_active(backends[device.info["driver"]].driver(device))
