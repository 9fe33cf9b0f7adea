"""Compares the operators that ran on the CPU with the list in docs/vk.md, which must be complete."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/vk.md"
HEADING = "### The list\n"


def listed(text=None):
    """Returns the operators of the list, such as "linalg_eigh.eigenvalues"."""
    text = PAGE.read_text() if text is None else text
    part = re.split(r"^#", text.partition(HEADING)[2], maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line for line in part.splitlines() if line.startswith("|")][2:]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def found(results):
    """Returns the operators that ran on the CPU, with the first job of each. Jobs in complex types do not count."""
    made = {}
    for result in results:
        if "/complex" not in result["name"]:
            for name in result.get("fallbacks", {}):
                made.setdefault(name.removeprefix("aten::"), result["name"])
    return made


def differences(results, *, whole=False):
    """Returns lines that say how the jobs and the list differ. `whole` expects each operator of the list."""
    ran, known = found(results), listed()
    lines = [f"{name} ran on the CPU in {job}, but {PAGE.name} does not list it"
             for name, job in sorted(ran.items()) if name not in known]
    if whole:
        lines += [f"{PAGE.name} lists {name}, but it did not run on the CPU" for name in sorted(known - ran.keys())]
    return lines
