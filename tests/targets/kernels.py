"""Lists the kernels that every target is tested with, and compiles them for the scripts here."""
import difflib
import functools
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("PUMICE_BUILD", ROOT / "build")) / "bin"
sys.path.insert(0, str(ROOT / "tools"))
import spirv_rules  # noqa: E402

# The programs that users see first, then one kernel for each family of operations.
KERNELS = [ROOT / "examples/softmax.mlir", ROOT / "examples/matmul.mlir",
           *sorted((ROOT / "tests/targets/inputs").glob("*.mlir"))]
ADDRESSINGS = ("physical", "descriptors")


def pumice(*arguments, **options):
    return subprocess.run([BIN / "pumice", *map(str, arguments)], capture_output=True, text=True,
                          check=False, **options)


@functools.cache
def triples():
    """Returns the named targets in the order of their table. `cpu` represents all processors."""
    names = [line.split()[0] for line in pumice("target-env", "--list").stdout.splitlines()]
    return [name for name in names if len(environment(name).get("nativeCode", [])) != 1]


@functools.cache
def environment(triple):
    return json.loads(pumice("target-env", "--triple", triple, "--json").stdout)


def addressings(triple):
    """Returns the ways to address buffers: descriptors, and addresses if the target has them."""
    has = "bufferDeviceAddress" in environment(triple)["features"]
    if environment(triple).get("api") == "OpenCL":
        return ADDRESSINGS[:1]
    return ADDRESSINGS if has else ADDRESSINGS[1:]


def compile_for(kernel, addressing, targets, output, *more):
    """Compiles for all targets into `output`. Returns None, or the message of the rejection."""
    options = [word for target in targets for word in ("--target", target)]
    ran = pumice("compile", kernel, "-o", output, "--addressing", addressing, *options, *more)
    if ran.returncode == 0:
        return None
    errors = re.findall(r"^(.*?): error: (.*)$", ran.stderr, re.MULTILINE)
    if not errors:
        raise SystemExit(f"{kernel} for {targets}: exit status {ran.returncode}: {ran.stderr}")
    place, message = errors[0]
    if not place.startswith(str(kernel)):
        raise SystemExit(f"{kernel} for {targets}: the error has no source line: {place}: {message}")
    return re.sub(r"(the )?target '[^']*'", "the target", message)


def variants(executable):
    """Yields (target, the module's bytes) for each SPIR-V variant, in order."""
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([BIN / "pumice", "inspect", executable, "--json", "--extract", folder],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        for variant in json.loads(said)["variants"]:
            if variant["kind"] in ("native", "msl"):
                continue
            yield variant["target"], pathlib.Path(folder, f"{variant['number']}.spv").read_bytes()


def load_validator():
    """Loads tools/validate-spirv.py as a module, although its name is not an identifier."""
    spec = importlib.util.spec_from_file_location("validate_spirv", ROOT / "tools/validate-spirv.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def settle(document, text, update):
    """Compares `text` with the part of `document` below the line that names its script, or writes it.

    Returns a list of errors."""
    before = document.read_text()
    line = re.search(r"^<!-- Written by tests/targets/.* -->\n\n", before, re.MULTILINE)
    after = before[: line.end()] + text
    if update:
        document.write_text(after)
    if update or before == after:
        return []
    changes = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return [f"{document.relative_to(ROOT)} is not what comes out; if that is right, run its script "
            "with --update\n" + "\n".join(changes)]
