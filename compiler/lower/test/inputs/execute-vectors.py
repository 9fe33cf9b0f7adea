#!/usr/bin/env python3
"""Runs random vector code twice: as upstream lowers it to LLVM, and after pumice-lower-vectors and
pumice-split-vectors. Both must write the same bytes. Needs pumice-opt and LLVM's tools in PATH.

  execute-vectors.py [--seed N] [--rounds N] [--keep FOLDER]
"""

import argparse
import ctypes
import os
import random
import re
import subprocess
import sys
import tempfile

import vectoraccesses  # noqa: F401 (its families register themselves)
import vectormoves  # noqa: F401
import vectorreductions  # noqa: F401
from vectorkernels import COLUMNS, FAMILIES, ROWS, SIZE, Kernel, product

SIGNATURE = (
    f"%f: memref<{SIZE}xf32>, %i: memref<{SIZE}xi32>, %g: memref<?x?xf32>, %a: index, %b: index, "
    f"%o: memref<{SIZE}xf32>, %p: memref<{SIZE}xi32>, %h: memref<?x?xf32>"
)


def functions(rng, rounds):
    """Returns (name, text, text for upstream) of every kernel."""
    for make in FAMILIES:
        for number in range(rounds):
            kernel = Kernel(rng)
            make(kernel)
            lines = [kernel.upstream.get(line, line) for line in kernel.lines]
            yield f"{make.__name__}_{number}", "\n    ".join(kernel.lines), "\n    ".join(lines)


def run(command, text):
    process = subprocess.run(command, input=text, capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{process.stderr[:4000]}")
    return process.stdout


def reference(kernels):
    text = "".join(
        f"func.func @{name}({SIGNATURE}) attributes {{llvm.emit_c_interface}} {{\n    {body}\n   "
        " return\n}\n"
        for name, _, body in kernels
    )
    return run(
        [
            "mlir-opt",
            "-",
            (
                "--pass-pipeline=builtin.module(func.func(lower-vector-mask,"
                "test-vector-scan-lowering,lower-vector-multi-reduction),"
                "convert-vector-to-scf{full-unroll=true},canonicalize)"
            ),
        ],
        text,
    )


def ours(kernels):
    text = (
        "gpu.module @kernels {\n"
        + "".join(
            f"gpu.func @{name}({SIGNATURE}) kernel {{\n    {body}\n    gpu.return\n}}\n"
            for name, body, _ in kernels
        )
        + "}\n"
    )
    text = run(["pumice-opt", "-", "--pumice-lower-vectors", "--pumice-split-vectors"], text)
    check_shader_ops(text)
    text = text[text.index("gpu.module @kernels") : text.rindex("}")]  # the contents of the outer module
    text = text.replace("gpu.module @kernels", "module").replace("gpu.return", "return")
    text = re.sub(
        r"gpu\.func (@.*) kernel \{", r"func.func \1 attributes {llvm.emit_c_interface} {", text
    )
    return text.replace(", #gpu.address_space<private>", "")


def check_shader_ops(text):
    """Checks that only the operations and types remain that pumice-split-vectors promises."""
    left = set(re.findall(r"vector\.\w+", text))
    promised = {
        f"vector.{op}"
        for op in "bitcast broadcast extract from_elements insert load shuffle store".split()
    }
    if left - promised:
        sys.exit(f"left over: {sorted(left - promised)}")
    for shape in re.findall(r"vector<([^>]*)>", text):
        if not re.fullmatch(r"[234]x\w+", shape):
            sys.exit(f"left over: vector<{shape}>")


def build(text, folder, name):
    llvm = run(
        [
            "mlir-opt",
            "-",
            (
                "--pass-pipeline=builtin.module(convert-vector-to-scf{full-unroll=true},"
                "convert-scf-to-cf,"
                "convert-vector-to-llvm{force-32bit-vector-indices=0},expand-strided-metadata,"
                "lower-affine,convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,"
                "convert-index-to-llvm,"
                "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
                "convert-ub-to-llvm,"
                "reconcile-unrealized-casts)"
            ),
        ],
        text,
    )
    ir = run(["mlir-translate", "--mlir-to-llvmir"], llvm)
    path = os.path.join(folder, name)
    with open(path + ".ll", "w") as file:
        file.write(ir)
    subprocess.run(
        [
            "clang",
            "-O0",
            "-mfma",
            "-mf16c",
            "-w",
            "-shared",
            "-fPIC",
            path + ".ll",
            "-o",
            path + ".so",
            "-lm",
        ],
        check=True,
    )
    return ctypes.CDLL(path + ".so")


def descriptor(array, sizes):
    """Returns the argument that _mlir_ciface_ functions take for a memref."""
    rank = len(sizes)

    class Memref(ctypes.Structure):
        _fields_ = [
            ("base", ctypes.c_void_p),
            ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
            ("sizes", ctypes.c_int64 * rank),
            ("strides", ctypes.c_int64 * rank),
        ]

    strides = [product(sizes[i + 1 :]) for i in range(rank)]
    address = ctypes.addressof(array)
    return Memref(
        address, address, 0, (ctypes.c_int64 * rank)(*sizes), (ctypes.c_int64 * rank)(*strides)
    )


def execute(library, name, inputs):
    """Returns the bytes of the three output buffers."""
    floats, ints, grid, a, b = inputs
    outs = [
        (ctypes.c_float * SIZE)(),
        (ctypes.c_int32 * SIZE)(),
        (ctypes.c_float * (ROWS * COLUMNS))(),
    ]
    shapes = [[SIZE], [SIZE], [ROWS, COLUMNS]]
    reads = [descriptor(array, shape) for array, shape in zip((floats, ints, grid), shapes)]
    writes = [descriptor(array, shape) for array, shape in zip(outs, shapes)]
    pointers = [ctypes.byref(memref) for memref in reads]
    pointers += [ctypes.c_int64(a), ctypes.c_int64(b)]
    pointers += [ctypes.byref(memref) for memref in writes]
    getattr(library, f"_mlir_ciface_{name}")(*pointers)
    return [list(out) for out in outs]


def random_inputs(rng):
    # The numbers are small integers, so that sums in any order have the same bits.
    floats = (ctypes.c_float * SIZE)(*[float(rng.randint(-4, 4)) for _ in range(SIZE)])
    ints = (ctypes.c_int32 * SIZE)(*[rng.randint(-(2**31), 2**31 - 1) for _ in range(SIZE)])
    grid = (ctypes.c_float * (ROWS * COLUMNS))(
        *[float(rng.randint(-99, 99)) for _ in range(ROWS * COLUMNS)]
    )
    return floats, ints, grid, rng.randrange(4), rng.randrange(4)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--keep", help="a folder for the intermediate files")
    arguments = parser.parse_args()
    seed = random.randrange(10**9) if arguments.seed is None else arguments.seed
    print(f"seed {seed}")
    rng = random.Random(seed)
    kernels = list(functions(rng, arguments.rounds))
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "kernels.txt"), "w") as file:
            file.write("\n".join(f"{name}:\n    {body}" for name, body, _ in kernels))
        mine = ours(kernels)
        with open(os.path.join(folder, "ours.mlir"), "w") as file:
            file.write(mine)
        expected = build(reference(kernels), folder, "reference")
        actual = build(mine, folder, "ours")
        failed = 0
        for name, body, _ in kernels:
            for _ in range(3):
                inputs = random_inputs(rng)
                want, got = execute(expected, name, inputs), execute(actual, name, inputs)
                if repr(want) != repr(got):
                    failed += 1
                    print(f"{name} differs (a = {inputs[3]}, b = {inputs[4]}):\n    {body}")
                    for buffer, (x, y) in enumerate(zip(want, got)):
                        places = [i for i in range(len(x)) if repr(x[i]) != repr(y[i])]
                        for i in places[:8]:
                            print(f"  buffer {buffer}[{i}]: expected {x[i]}, got {y[i]}")
                    break
    print(f"{len(kernels) - failed} of {len(kernels)} kernels agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
