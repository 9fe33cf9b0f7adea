"""Says what is installed, whether it works together, and what to do about what does not.

    python -m pumice.doctor

`python -m pumice_triton.doctor` is the same, and also works if `pumice` itself cannot be imported.
Exits with 1 if something is wrong. A problem with one part does not keep it from checking the others.
"""
from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

from . import versions

if TYPE_CHECKING:
    from collections.abc import Sequence


class Report:
    """Collects problems, and prints what was found."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def say(self, what: str, text: str) -> None:
        """Prints a line about `what`."""
        print(f"{what:<12} {text}")

    def wrong(self, problem: str, way_out: str) -> None:
        """Adds a problem, and what to do about it."""
        self.problems.append(f"{problem}: {way_out}")


def first_line(error: BaseException) -> str:
    """Returns the first line of an error's text, or its type if it has no text."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def look_at_pumice(report: Report) -> Any:
    """Returns the package, or None if its library cannot be loaded."""
    try:
        pumice: Any = importlib.import_module("pumice")
        pumice.devices()
    except Exception as error:  # noqa: BLE001 - the report says which
        report.say("pumice", f"cannot be loaded: {first_line(error)}")
        report.wrong("Pumice's library cannot be loaded", "install the wheel for this Python and system again")
        return None
    report.say("pumice", f"{pumice.__version__}, in {os.path.dirname(pumice.__file__)}")
    return pumice


def look_at_triton(report: Report) -> Any:
    """Returns the module, or None if it cannot be imported."""
    tested = f"tested: {', '.join(versions.TESTED)}"
    try:
        triton = importlib.import_module("triton")
    except ImportError as error:
        report.say("triton", f"not installed ({tested})" if getattr(error, "name", "") == "triton"
                   else f"cannot be imported: {first_line(error)}")
        report.wrong("Triton is not installed", f"pip install '{versions.REQUIREMENT}'")
        return None
    except Exception as error:  # noqa: BLE001 - an installed back end may raise anything
        report.say("triton", f"cannot be imported: {first_line(error)}")
        report.wrong("import triton fails", "uninstall the package that the traceback of `import triton` names")
        return None
    report.say("triton", f"{triton.__version__} ({tested})")
    problem = versions.problem_with(triton.__version__)
    if problem:
        report.wrong(*problem.split("; ", 1))
    return triton


def look_at_back_ends(report: Report, triton: Any) -> None:
    """Reports Triton's back ends, and names that several packages have."""
    from .devices import NAMES, rivals
    backends = importlib.import_module("triton.backends").backends
    owners = {name: backend.driver.__module__.rpartition(".")[0] for name, backend in backends.items()}
    report.say("back ends", ", ".join(f"{name} ({owner})" for name, owner in sorted(owners.items())))
    for name in NAMES:
        if name not in owners:
            report.wrong(f"Triton does not know the back end '{name}'",
                         "the package's metadata is not on Python's path: install Pumice by pip, or set PYTHONPATH "
                         "to build/python; unset TRITON_BACKENDS_IN_TREE")
    for name, packages in rivals().items():
        used = owners.get(name, "none")
        report.wrong(f"{' and '.join(packages)} have a back end named '{name}'; Triton uses the one found last, "
                     f"which is {used} here", "uninstall those that you do not want, or choose Pumice's by "
                     "PUMICE_DEVICE or pumice.use")
    selected = os.environ.get("TRITON_DEFAULT_BACKEND")
    if selected and selected not in owners:
        report.wrong(f"TRITON_DEFAULT_BACKEND is '{selected}', which is not installed",
                     f"set it to one of {', '.join(sorted(owners))}")
    elif selected and versions.release(triton.__version__) < (3, 7) and selected not in NAMES:
        report.wrong(f"TRITON_DEFAULT_BACKEND is '{selected}'", "Triton knows this variable from 3.7 on")


def look_at_torch(report: Report, triton: Any) -> None:
    """Reports PyTorch's version, and whether its compiler finds Triton."""
    tested = f"tested: {', '.join(versions.TESTED_TORCH)}"
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        report.say("torch", f"not installed, which is fine ({tested})")
        return
    except Exception as error:  # noqa: BLE001 - a broken installation
        report.say("torch", f"cannot be imported: {first_line(error)}")
        report.wrong("import torch fails", "install it again")
        return
    report.say("torch", f"{torch.__version__} ({tested})")
    for entry in metadata.entry_points(group="pumice.doctor.torch"):
        try:
            report.say(entry.name, entry.load()())
        except Exception as error:  # noqa: BLE001 - the report says which
            report.say(entry.name, f"cannot be loaded: {first_line(error)}")
    if triton is None:
        return
    answer = versions.torch_finds_triton()
    report.say("inductor", "finds Triton's back end for the CPU: torch._inductor.config.cpu_backend = \"triton\" "
               "works" if answer else "does not find Triton")
    if not answer:
        report.wrong("torch.compile does not find Triton", "see the back ends above")


def look_at_request(report: Report, pumice: Any) -> None:
    """Reports whether PUMICE_DEVICE names a device that opens."""
    asked = os.environ.get("PUMICE_DEVICE")
    if not asked:
        return
    try:
        report.say("asked for", f"{pumice.device(asked).id}, by PUMICE_DEVICE={asked}")
    except pumice.Error as error:
        report.say("asked for", f"PUMICE_DEVICE={asked}: " + first_line(error).removesuffix("; there are:"))
        there = ", ".join(f"{device.id} ({device.name})" for device in pumice.devices())
        report.wrong(f"PUMICE_DEVICE is '{asked}', which cannot be opened", f"there are {there or 'no devices'}; set it "
                     "to one of these, or unset it")


def reason_without(pumice: Any, driver: str) -> str:
    """Returns the runtime's reason why the driver has no device, and how to get one."""
    try:
        pumice.device(driver)
    except pumice.Error as error:
        said = [line for line in str(error).splitlines() if line.startswith(f"driver {driver}: ")]
        return said[0].partition(": ")[2] if said else first_line(error)
    return ""


def look_at_devices(report: Report, pumice: Any, triton: Any) -> list[str]:
    """Runs a kernel on each device, and returns the ids of the devices that work."""
    working = []
    for device in pumice.devices():
        name = f"{device.name}, driver {device.driver_name} {device.driver_version}"
        if triton is None:
            report.say(device.id, name)
            continue
        try:
            pumice.use(device.id)
            importlib.import_module(".trial", __package__).run()
            report.say(device.id, f"{name}: a Triton kernel is right")
            working.append(device.id)
        except Exception as error:  # noqa: BLE001 - the report says which
            report.say(device.id, f"{name}: a Triton kernel fails: {first_line(error)}")
            report.wrong(f"a Triton kernel fails on {device.id}", "docs/devices.md says what a device needs; "
                         "PUMICE_DEVICE names another one")
    with contextlib.suppress(pumice.Error):  # PUMICE_DEVICE may name none
        pumice.use(None)
    return working


def look_for_vulkan(report: Report, pumice: Any, working: list[str]) -> str:
    """Returns the last line of a report without problems."""
    if any(device.id.startswith("vulkan") for device in pumice.devices()):
        return "everything works together"
    report.say("vulkan", f"no device: {reason_without(pumice, 'vulkan')}")
    if os.environ.get("TRITON_DEFAULT_BACKEND") == "vulkan":
        report.wrong("TRITON_DEFAULT_BACKEND is 'vulkan', and there is no Vulkan device", "install a driver, or unset it")
    return f"Triton's kernels work on {', '.join(working)}; no Vulkan device was found (see above)"


def main(arguments: Sequence[str] | None = None) -> bool:
    """Runs the report.

    Args:
        arguments: The command line, without the program's name.

    Returns:
        The exit status: True if something is wrong.
    """
    parser = argparse.ArgumentParser(prog="python -m pumice.doctor", description="Says which versions are installed, "
                                     "which devices there are, whether a kernel runs on each, and what to do about what "
                                     "does not work. Exits with 1 if something is wrong.")
    parser.parse_args(arguments)
    report = Report()
    report.say("python", sys.version.split()[0])
    pumice, triton = look_at_pumice(report), look_at_triton(report)
    if triton is not None:
        look_at_back_ends(report, triton)
    look_at_torch(report, triton)
    good = ""
    if pumice is not None:
        look_at_request(report, pumice)
        good = look_for_vulkan(report, pumice, look_at_devices(report, pumice, triton))
    print("\n".join(f"wrong: {problem}" for problem in report.problems) or good)
    return bool(report.problems)


if __name__ == "__main__":
    sys.exit(main())
