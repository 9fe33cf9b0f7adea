"""Runs the report of `python -m pumice.doctor`.

The function that reports is an entry point of the group "pumice.doctor". That of pumice_triton looks at Triton, PyTorch
and every device. Without any, this module reports the devices.
"""
from __future__ import annotations

import sys
from importlib import metadata
from typing import TYPE_CHECKING

from . import __version__
from .devices import devices

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> bool:
    """Runs the report.

    Args:
        arguments: The command line, without the program's name.

    Returns:
        The exit status: True if something is wrong.
    """
    for entry in metadata.entry_points(group="pumice.doctor"):
        return bool(entry.load()(arguments))
    print(f"{'pumice':<12} {__version__}")
    for device in devices():
        about = vars(device)
        print(f"{device.id:<12} {device.name}, driver {about['driver_name']} {about['driver_version']}")
    print("wrong: the package's metadata is not on Python's path, so Triton cannot find its back ends: install Pumice's "
          "wheel by pip, or set PYTHONPATH to build/python")
    return True


if __name__ == "__main__":
    sys.exit(main())
