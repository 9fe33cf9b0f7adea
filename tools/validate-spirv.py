#!/usr/bin/env python3
"""Checks SPIR-V modules by the rules of the environments that they are for.

    validate-spirv.py [FILE... | -] [--target-env vulkan1.2] [--feature scalarBlockLayout]
    validate-spirv.py [FILE... | -] --target rdna3        also: declares nothing that rdna3 lacks

A FILE holds one module (.spv) or the variants of an executable (.pumice). Without one, or with -, reads stdin.
The installed spirv-val checks each module that it knows. A module with newer capabilities goes to the newer
validator in the slangpy wheel. A module that neither knows is an error, so nothing passes without a check.
Exit status: 0 if all modules are valid, 1 if one is not, 2 if one cannot be checked.
"""
import argparse
import functools
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spirv_rules  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.path.join(os.environ.get("PUMICE_BUILD", os.path.join(ROOT, "build")), "bin")
PUMICE_FILE_ID = b"PUMX"  # executable/Executable.fbs

# Capabilities that the newer validator understands and the installed one does not. A
# capability in neither table is rejected here, since a validator may skip what it does
# not know.
NEWER_KNOWN = set(spirv_rules.NEWER_CAPABILITIES)

# The environment names of spirv-val by Vulkan version, and by SPIR-V version if no target is given.
NEWEST_INSTALLED = (1, 3)
BY_SPIRV_VERSION = {(1, 0): "vulkan1.0", (1, 1): "vulkan1.1", (1, 2): "vulkan1.1",
                    (1, 3): "vulkan1.1", (1, 4): "vulkan1.1spv1.4", (1, 5): "vulkan1.2",
                    (1, 6): "vulkan1.3"}
# Capabilities that only an extension of OpenCL gives: Float16 and Int64Atomics. spirv-val's rules for OpenCL
# know no extensions, so modules with them are judged by the general rules.
OPENCL_EXTENDED = {9, 12}
FEATURE_OPTIONS = {
    "scalarBlockLayout": "--scalar-block-layout",
    "uniformBufferStandardLayout": "--uniform-buffer-standard-layout",
    "workgroupMemoryExplicitLayoutScalarBlockLayout": "--workgroup-scalar-block-layout",
    "maintenance4": "--allow-localsizeid",
}


class Unjudged(Exception):
    """No available validator can check the module."""


def environment_of(module, target):
    """Returns spirv-val's environment for `module`, and uses the target if there is one."""
    if module.is_kernel:
        plain = module.version <= (1, 2) and not OPENCL_EXTENDED & set(module.capabilities)
        return "opencl2.2" if plain else "spv{}.{}".format(*module.version)
    if not target:
        return BY_SPIRV_VERSION[module.version]
    # Newer Vulkan versions only allow more, so the newest rules that spirv-val knows are stricter.
    version = min(target.version, NEWEST_INSTALLED)
    if version == (1, 1) and "VK_KHR_spirv_1_4" in target.extensions:
        return "vulkan1.1spv1.4"
    return "vulkan{}.{}".format(*version)


# Targets with the same rules often produce the same module, which is then checked once.
@functools.cache
def run_installed(data, environment, options):
    try:
        ran = subprocess.run(["spirv-val", "--target-env", environment, *options, "-"], input=data,
                             capture_output=True, check=False)
    except FileNotFoundError:
        raise Unjudged("spirv-val is not installed (package spirv-tools)") from None
    text = (ran.stdout + ran.stderr).decode("utf-8", "replace").strip()
    return ran.returncode == 0, f"spirv-val --target-env {environment}", text


def newer_library():
    pattern = os.path.join("lib", "python*", "site-packages", "slangpy", "libslang-glslang-*.so")
    places = [os.environ.get("PUMICE_VENV"), os.path.join(ROOT, ".venv"), sys.prefix]
    for place in filter(None, places):
        for path in sorted(glob.glob(os.path.join(place, pattern))):
            return path
    raise Unjudged("the newer validator is not installed (pip install slangpy==0.43.1 into .venv)")


# Runs in a separate process: the validator prints its reason to stderr, and may crash.
NEWER_PROGRAM = """
import ctypes, sys
data = sys.stdin.buffer.read()
words = (ctypes.c_uint32 * (len(data) // 4)).from_buffer_copy(data)
validate = ctypes.CDLL(sys.argv[1]).glslang_validateSPIRV
validate.restype = ctypes.c_bool
validate.argtypes = [ctypes.c_void_p, ctypes.c_int]
sys.exit(0 if validate(words, len(words)) else 1)
"""


@functools.cache
def run_newer_library(data):
    library = newer_library()
    ran = subprocess.run([sys.executable, "-c", NEWER_PROGRAM, library], input=data,
                         capture_output=True, check=False)
    text = (ran.stdout + ran.stderr).decode("utf-8", "replace").strip()
    if ran.returncode not in (0, 1):
        text = f"{text}\nthe validator ended with status {ran.returncode}".strip()
    return ran.returncode == 0, os.path.basename(library), text


def run_newer(module, data, strangers):
    unknown = [c for c in module.capabilities
               if c not in spirv_rules.grammar()[0] and c not in NEWER_KNOWN]
    if unknown:
        names = ", ".join(spirv_rules.name_of(c) for c in unknown)
        raise Unjudged(f"capability {names} is known to no validator here")
    if module.is_kernel:
        raise Unjudged("an OpenCL module with " + ", ".join(strangers)
                       + ": the newer validator knows Vulkan's rules only")
    return run_newer_library(data)


@functools.cache
def describe_target(text):
    """Converts any spelling of a target to one JSON form, with `pumice target-env`."""
    pumice = os.path.join(BIN, "pumice")
    ran = subprocess.run([pumice, "target-env", "--target", text, "--json"], capture_output=True,
                         check=False, text=True)
    if ran.returncode:
        raise Unjudged(f"target {text!r}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


class Judge:
    def __init__(self, options):
        self.options = options
        self.failures = 0
        self.unjudged = 0

    def module(self, name, data, target):
        """Prints one line for a module, and the reasons below it if the module is invalid."""
        try:
            module = spirv_rules.Module(data)
            refused = target.refuses(module) if target and not module.is_kernel else []
            ok, judge, text = self.validate(module, data, target)
        except spirv_rules.BadModule as error:
            ok, judge, text, refused = False, "header", str(error), []
        except Unjudged as error:
            self.unjudged += 1
            print(f"{name}: cannot be judged: {error}", file=sys.stderr)
            return
        if ok and not refused:
            if not self.options.quiet:
                print(f"{name}: valid ({judge})")
            return
        self.failures += 1
        if not ok:
            print(f"{name}: invalid ({judge}): {text}", file=sys.stderr)
        for reason in refused:
            print(f"{name}: not allowed by the target: {reason}", file=sys.stderr)

    def validate(self, module, data, target):
        strangers = spirv_rules.unknown_to_installed(module)
        if self.options.validator == "newer" or (strangers and self.options.validator == "auto"):
            return run_newer(module, data, strangers)
        environment = self.options.target_env or environment_of(module, target)
        features = set(self.options.feature) | (target.features if target else set())
        if target and target.version >= (1, 3):
            features.add("maintenance4")
        options = [option for name, option in FEATURE_OPTIONS.items() if name in features]
        return run_installed(data, environment, tuple(options))

    def executable(self, name, path, target):
        """Yields every SPIR-V variant of a .pumice file with the target that it was compiled for."""
        with tempfile.TemporaryDirectory() as folder:
            said = subprocess.run([os.path.join(BIN, "pumice"), "inspect", path, "--json",
                                   "--extract", folder], stdout=subprocess.PIPE, check=True).stdout
            for variant in json.loads(said)["variants"]:
                if not variant["kind"].endswith("-spirv"):
                    continue
                own = target
                if not own and variant["targetEnv"]:
                    own = spirv_rules.Target(describe_target(variant["targetEnv"]))
                with open(os.path.join(folder, f"{variant['number']}.spv"), "rb") as file:
                    self.module(f"{name}[{variant['target']}]", file.read(), own)

    def file(self, path, target):
        name = "<stdin>" if path == "-" else path
        data = sys.stdin.buffer.read() if path == "-" else open(path, "rb").read()
        if data[8:12] != PUMICE_FILE_ID:  # after the length and the root
            return self.module(name, data, target)
        with tempfile.NamedTemporaryFile(suffix=".pumice") as copy:
            copy.write(data)
            copy.flush()
            return self.executable(name, copy.name, target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", default=["-"], help=".spv or .pumice; - is stdin")
    parser.add_argument("--target-env", help="spirv-val's name of the rules: vulkan1.2")
    parser.add_argument("--target", help="a triple, file or text, as pumice target-env takes it")
    parser.add_argument("--target-json", help="the same, already as JSON, in a file")
    parser.add_argument("--feature", action="append", default=[], help="a device feature that relaxes rules")
    parser.add_argument("--validator", choices=["auto", "installed", "newer"], default="auto")
    parser.add_argument("--quiet", action="store_true", help="print failures only")
    options = parser.parse_args()
    judge = Judge(options)
    try:
        target = None
        if options.target_json:
            with open(options.target_json) as file:
                target = spirv_rules.Target(json.load(file))
        elif options.target:
            target = spirv_rules.Target(describe_target(options.target))
        for path in options.files:
            judge.file(path, target)
    except (Unjudged, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 2 if judge.unjudged else 1 if judge.failures else 0


if __name__ == "__main__":
    sys.exit(main())
