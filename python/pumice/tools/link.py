"""Joins specialisations of Triton kernels to launchers in C or C++, as `python -m triton.tools.link` does.

    python -m pumice.tools.link add.*.json -o add --language c

The inputs are the files of `python -m pumice.tools.compile`. Several kernels may be among them. The launcher of a kernel
runs the first specialisation that fits the arguments; those with more promises come first. If the specialisations of a
kernel differ in constants, warps or stages, the launcher has the parameter `algo_id` at the end. It counts the
configurations in the order of the inputs.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import sys
from typing import TYPE_CHECKING, Any

from .. import _native
from ..errors import Error
from ..exporting import write_files

if TYPE_CHECKING:
    from collections.abc import Sequence


def join(paths: Sequence[pathlib.Path]) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Returns the kernels of a plan, and the executables that it names.

    Raises:
        ValueError: If the specialisations of a kernel do not fit together.
        OSError: If a file cannot be read.
    """
    kernels: dict[str, dict[str, Any]] = {}
    executables: list[bytes] = []
    first: dict[tuple[str, ...], pathlib.Path] = {}  # the file of each choice that a launcher can make
    for path in paths:
        try:
            one = json.loads(path.read_text())
            parameters, (specialisation,) = one["parameters"], one["specialisations"]
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"'{path}' is not a file of pumice.tools.compile, which ends in .json") from None
        kernel = kernels.setdefault(one["name"], {**one, "specialisations": []})
        if kernel["parameters"] != parameters:
            raise ValueError(f"'{path}': the specialisations of '{one['name']}' have different arguments: "
                             f"{_shown(kernel['parameters'])}, and {_shown(parameters)}; give one of them another name "
                             "by --out-name")
        choice = (one["name"], json.dumps(specialisation["when"]), specialisation.get("configuration", ""))
        if first.setdefault(choice, path) != path:
            raise ValueError(f"'{path}' and '{first[choice]}' are for the same arguments and constants, so the launcher would "
                             "never choose one of them: leave one out, or compile once with all targets (--target may be "
                             "repeated)")
        specialisation["executable"] = len(executables)
        executables.append(_executable(path))
        kernel["specialisations"].append(specialisation)
    for kernel in kernels.values():
        _number_configurations(kernel)
        kernel["specialisations"].sort(key=lambda one: -len(one["when"]))
    return list(kernels.values()), executables


def _executable(path: pathlib.Path) -> bytes:
    """Returns the kernel that pumice.tools.compile wrote with the file `path`.

    Raises:
        ValueError: If it is missing.
        OSError: If it cannot be read.
    """
    try:
        return path.with_suffix(".pumice").read_bytes()
    except FileNotFoundError:
        raise ValueError(f"'{path}': expected the compiled kernel in '{path.with_suffix('.pumice')}', which is missing: keep "
                         "both files of pumice.tools.compile in one folder, or run it again") from None


def _number_configurations(kernel: dict[str, Any]) -> None:
    """Adds the parameter by which a caller chooses among the kernel's configurations, if there are several.

    Raises:
        ValueError: If the kernel has an argument with the name of this parameter.
    """
    known = list(dict.fromkeys(one.get("configuration", "") for one in kernel["specialisations"]))
    if len(known) < 2:
        return
    if any(one["name"] == "algo_id" for one in kernel["parameters"]):
        raise ValueError(f"kernel '{kernel['name']}' has an argument 'algo_id', but the launcher chooses among the {len(known)} "
                         "configurations by a parameter of this name: rename the argument, or compile each configuration "
                         "with another --out-name")
    for one in kernel["specialisations"]:
        number = known.index(one.get("configuration", ""))
        one["when"] = [["==", "algo_id", number], *one["when"]]
        one["note"] = f"algo_id={number}: {one['note']}"
    meaning = "; ".join(f"{number} has {text}" for number, text in enumerate(known))
    kernel["parameters"] = [*kernel["parameters"], {"name": "algo_id", "kind": "constant", "element": "i64", "note": meaning}]


def _shown(parameters: Sequence[dict[str, Any]]) -> str:
    return ", ".join(f"{one['name']}: {'*' * (one['kind'] == 'buffer')}{one['element']}" for one in parameters)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns its exit status."""
    parser = argparse.ArgumentParser("python -m pumice.tools.link", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", type=pathlib.Path, help="files of pumice.tools.compile (.json)")
    parser.add_argument("--out", "-o", type=pathlib.Path, required=True, help="the folder of the launchers")
    parser.add_argument("--prefix", default="", help="before the names of launchers")
    parser.add_argument("--language", choices=("c", "c++"), default="c++",
                        help="the language of the launchers; the default is c++")
    parser.add_argument("--beside", action="store_true", help="keep the executable as a file")
    given = parser.parse_args(arguments)
    try:
        kernels, executables = join(given.parts)
        for kernel in kernels:
            kernel["name"] = given.prefix + kernel["name"]
        plan = {"name": given.out.name or kernels[0]["name"], "language": given.language, "beside": given.beside,
                "line": "pumice.tools.link", "kernels": kernels}
        for path in write_files(given.out, dict(_native.export(json.dumps(plan), executables))):
            print(path)
    except (Error, ValueError, OSError) as error:
        print(f"pumice.tools.link: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
