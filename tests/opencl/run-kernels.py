#!/usr/bin/env python3
"""OpenCL C kernels, compiled by clang to SPIR-V, on the CPU device; what comes out is compared with
NumPy.

    tests/opencl/run-kernels.py [--device vulkan:0 [--modules]] [--only PATTERN] [--ways PATTERN] [--list] [--keep FOLDER]

Each file of kernels/ is compiled at -O0 and -O2, and these also optimised by spirv-opt -O and -Os;
all cases of one way run in one process, from one launch file.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "correctness")]

import numpy as np  # noqa: E402
from cases import ALL  # noqa: E402
from cases.case import TYPES, Buffer, Local  # noqa: E402
from corpus.execute import RUNNER, run_cases, save  # noqa: E402

CLANG = ["clang-22", "--target=spirv64", "-cl-std=CL3.0", "-x", "cl",
         "-Xclang", "-finclude-default-header",
         "-mllvm", "-spirv-ext=+SPV_EXT_relaxed_printf_string_address_space"]
WAYS = {"O0": ["-O0", None], "O2": ["-O2", None], "O0-Os": ["-O0", "-Os"], "O2-O": ["-O2", "-O"]}
# Where spirv-opt stops at what clang 22 wrote: an operand too many behind a null event, a printf whose
# format is an array, and, by a rule that is gone since, a null constant that chooses a struct's member.
NOT_LEGAL = {("async", "O0-Os"), ("async", "O2-O"), ("printing", "O0-Os"), ("printing", "O2-O"),
             ("memory", "O0-Os"), ("textbook", "O0-Os")}
# Kernels that do not run on lavapipe of Mesa 22, by pattern, with the reasons.
WRONG_ON_LAVAPIPE = {
    r"floats\.f_fma": "lavapipe rounds the Fma of GLSL.std.450 twice, which Vulkan permits",
    r"groups\.float_by_exchange": "Mesa 22's lavapipe loses updates; Mesa 25's and the CPU device do not",
}
# These cases cover whole domains, which SPIR-V optimizers do not affect.
ONLY_WAY = {"edges": "O2", "integer_edges": "O2"}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return "" if done.returncode == 0 else f"{command[0]}: {done.stderr.strip()[:2000]}"


def compile_file(name, way, folder):
    """Returns the module's path, and the error."""
    level, optimised = WAYS[way]
    module = folder / f"{name}.{way}.spv"
    error = run([*CLANG, level, "-c", HERE / "kernels" / f"{name}.cl", "-o", module])
    if not error and optimised:
        error = run(["spirv-opt", optimised, module, "-o", module])
    return module, error


def compile_vulkan(name, kernels, way, folder, device, by_modules):
    """Returns the path of an executable and the error by kernel: of the whole file, or if that fails, of each kernel."""
    source, made = folder / f"{name}.{way}.bc", folder / f"{name}.{way}.pumice"
    if by_modules:
        source, error = compile_file(name, way, folder)
    else:
        error = run([*CLANG, WAYS[way][0], "-gline-tables-only", "-emit-llvm", "-c", HERE / "kernels" / f"{name}.cl",
                     "-o", source])
    compile_to = [*RUNNER, "compile", source, "--target", f"device:{device}", "-o"]
    if not error and not run([*compile_to, made]):
        return {kernel: (made, "") for kernel in kernels}
    paths = {kernel: folder / f"{name}.{way}.{kernel}.pumice" for kernel in kernels}
    return {kernel: (path, error or run([*compile_to, path, "--kernel", kernel])) for kernel, path in paths.items()}


def describe(case, label, module, folder):
    buffers, arguments = {}, []
    for i, argument in enumerate(case.arguments):
        if isinstance(argument, Local):
            arguments.append({"local": argument.bytes})
        elif not isinstance(argument, Buffer):
            arguments.append(argument)
        else:
            name = f"argument{i}"
            data = np.ascontiguousarray(argument.data)
            expect = data if argument.expect is None else np.ascontiguousarray(argument.expect)
            if data.dtype != expect.dtype or data.size != expect.size:
                raise ValueError(f"{label}: argument {i} is {data.dtype}[{data.size}], expected "
                                 f"{expect.dtype}[{expect.size}]")
            stem = f"{label}.{name}"
            buffers[name] = {
                "type": TYPES[data.dtype.name], **save(data, folder / f"{stem}.in"),
                "expect": save(expect, folder / f"{stem}.out"),
                "tolerance": {"ulps": argument.ulps, "relative": argument.relative,
                              "absolute": argument.absolute}}
            if not argument.compared:
                del buffers[name]["expect"], buffers[name]["tolerance"]
            arguments.append(name)
    described = {"name": label, "executable" if module.suffix == ".pumice" else "module": module.name, "entry": case.kernel, "buffers": buffers,
                 "threads": list(case.threads), "arguments": arguments}
    if case.local:
        described["workgroup_size"] = list(case.local)
    if case.offset and any(case.offset):
        described["global_offset"] = list(case.offset)
    return described


def run_way(way, chosen, folder, device, by_modules):
    """Yields (label, error or "")."""
    chosen = [case for case in chosen if (case.file, way) not in NOT_LEGAL
              and way == ONLY_WAY.get(case.file, way)]
    on_vulkan = device.startswith("vulkan")
    kernels = {}
    for case in chosen:
        kernels.setdefault(case.file, {})[case.kernel] = None
    modules = {(name, kernel): made for name, those in kernels.items()
               for kernel, made in (compile_vulkan(name, those, way, folder, device, by_modules) if on_vulkan else
                                    dict.fromkeys(those, compile_file(name, way, folder))).items()}
    described, printed = [], {}
    for number, case in enumerate(chosen):
        module, error = modules[case.file, case.kernel]
        label = f"{case.file}.{case.kernel}.{way}-{number}"
        name = f"{case.file}.{case.kernel}"
        if on_vulkan:
            has_offset = bool(case.offset and any(case.offset))  # a launch on Vulkan has none
            if has_offset or any(re.fullmatch(pattern, name) for pattern in WRONG_ON_LAVAPIPE):
                continue
        if error:
            yield label, error
            continue
        described.append(describe(case, label, module, folder))
        printed[label] = "".join(line + "\n" for line in case.prints)
    yield from run_cases(described, printed, folder, way, device)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose file.kernel match this pattern")
    parser.add_argument("--ways", default="", help="ways whose names match it")
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--modules", action="store_true", help="on Vulkan, translate modules instead of LLVM IR")
    parser.add_argument("--list", action="store_true", help="only name the cases")
    parser.add_argument("--keep", type=pathlib.Path, help="leave modules and data in this folder")
    options = parser.parse_args()
    chosen = [case for case in ALL if re.search(options.only, f"{case.file}.{case.kernel}")]
    if options.list:
        print("\n".join(f"{case.file}.{case.kernel}" for case in chosen))
        return 0
    failures, total = 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for way in (way for way in WAYS if re.search(options.ways, way)):
            for label, error in run_way(way, chosen, folder, options.device, options.modules):
                total += 1
                failures += bool(error)
                if error:
                    print(f"FAIL {label}: {error}")
    kernels = len({(case.file, case.kernel) for case in chosen})
    print(f"{kernels} kernels, {total} runs, {failures} failed")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
