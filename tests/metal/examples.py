#!/usr/bin/env python3
"""Runs the kernels of examples/ in Metal's language on the mock, and compares with NumPy or the CPU device.

    tests/metal/examples.py

Prints a line for each kernel and way: `NAME: WAY: passed`, `failed`, or `lacking` with the reason. Each file of MLIR, GLSL
and OpenCL C in examples/ must have a test here, or a reason in OTHERS. PUMICE_METAL_LIBRARY names the mock.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import pumice

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build/bin"
EXAMPLES = ROOT / "examples"
random = np.random.default_rng(1)


def histogram(kernel):
    numbers = random.integers(0, 256, 5000).astype(np.int8)
    counts = np.zeros(256, np.int32)
    kernel[4](numbers, counts)
    return counts, np.bincount(numbers.view(np.uint8), minlength=256)


def matmul(kernel):
    a, b = random.standard_normal((35, 50)).astype(np.float32), random.standard_normal((50, 41)).astype(np.float32)
    c = np.zeros((35, 41), np.float32)
    kernel[3, 3](a, b, c)
    return c, a @ b


def norms(kernel):
    x, out = random.standard_normal((128, 2)).astype(np.float16), np.zeros(128, np.float32)
    kernel[2](x, 0.5, out)
    return out, np.maximum(np.sqrt((x.astype(np.float32) ** 2).sum(1)), np.float32(0.5))


def scale(kernel):
    x = random.standard_normal(640).astype(np.float32)
    expected = x * np.float32(2.5)
    kernel[10](x, 2.5)
    return x, expected


def softmax(kernel):
    x = random.standard_normal((30, 200)).astype(np.float32)
    y = np.zeros_like(x)
    kernel[30](x, y)
    return y, np.exp(x) / np.exp(x).sum(1, keepdims=True)


def rows(kernel):
    """Runs examples/tiles/softmax.mlir."""
    x = random.standard_normal((5, 50)).astype(np.float32)
    y = np.zeros_like(x)
    kernel[5](x, y, 50)
    return y, np.exp(x) / np.exp(x).sum(1, keepdims=True)


KERNELS = {"histogram": histogram, "matmul": matmul, "norms": norms, "scale": scale, "softmax": softmax}
# Programs and files that no device runs by themselves, with the reason.
OTHERS = {"run/freed": "an example of an error", "run/host": "needs run/device", "run/device": "needs run/host",
          "tiles/layouts": "holds no kernel",
          **dict.fromkeys(("gen/any_dimension", "gen/local_id", "gen/local_id_spirv", "gen/matrix", "gen/sub_group_size"),
                          "holds no kernel"),
          "spirv/square": "is translated to LLVM, and has no launch",
          **{f"spirv/families/{name}": "is translated to LLVM, and has no launch" for name in (
              "control", "matrices", "memory", "opencl", "print", "together", "values")}}
SHADER = "it is SPIR-V for Vulkan, which Metal's driver does not run"


def judge(name, way, run, source):
    try:
        got, expected = run(next(iter(pumice.compile(source, pumice.device(), addressing=way).on().values())))
        right = np.allclose(got, expected, rtol=1e-5, atol=1e-5)
        print(f"{name}: {way}: {'passed' if right else 'failed'}")
    except pumice.UnsupportedError as error:
        print(f"{name}: {way}: lacking: {str(error).splitlines()[-1].rpartition('): ')[2]}")  # of the last variant


def command(*words, device):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", cwd=ROOT,
                          env={**os.environ, "PUMICE_DEVICE": device})
    return done.returncode, re.sub(r"0x[0-9a-f]+", "ADDRESS", done.stdout), done.stderr


def run_program(name, *words):
    """Compares what a program prints with what it prints on the CPU device."""
    expected, found = (command(BIN / "pumice", "run", *words, device=device) for device in ("cpu:0", "metal:0"))
    if "does not run vulkan-spirv" in found[2]:
        print(f"{name}: program: lacking: {SHADER}")
    else:
        print(f"{name}: program: {'passed' if expected[0] == 0 and found[:2] == expected[:2] else f'failed: {found}'}")


def run_shader(path):
    """Compiles a shader in GLSL to SPIR-V for Vulkan, and checks that the driver rejects it for this reason."""
    with tempfile.TemporaryDirectory() as folder:
        code, host = pathlib.Path(folder, "shader.spv"), pathlib.Path(folder, "host.mlir")
        subprocess.run(["glslangValidator", "-V", "--quiet", path, "-o", code], check=True)
        if path.parent.name == "launch":
            if '"arguments"' in path.with_suffix(".json").read_text():  # of an executable
                executable = code.with_suffix(".pumice")
                status, _, errors = command(BIN / "pumice", "compile", code, "--target", "device:metal:0", "-o", executable,
                                            device="metal:0")
                if status != 0:
                    sys.exit(f"{path}: {errors}")
                code = executable
            found = command(BIN / "pumice", "run", code, "--launch", path.with_suffix(".json"), device="metal:0")
        else:
            host.write_text((EXAMPLES / "run/host.mlir").read_text().replace("@kernels::@saxpy", "@kernels::@main"))
            found = command(BIN / "pumice", "run", host, "--kernels", f"kernels={code}", device="metal:0")
    is_rejected = found[0] != 0 and "does not run vulkan-spirv" in found[2]
    print(f"{path.relative_to(EXAMPLES)}: program: {f'lacking: {SHADER}' if is_rejected else f'failed: {found}'}")


def compile_gen():
    """Checks that a kernel for sub-groups of 16 lanes is rejected, since Metal's SIMD groups have 32."""
    with tempfile.TemporaryDirectory() as folder:
        found = command(BIN / "pumice", "compile", EXAMPLES / "gen/kernel.mlir", "--target", "device:metal:0", "-o",
                        pathlib.Path(folder, "kernel.pumice"), device="metal:0")
    is_rejected = found[0] != 0 and "needs sub-groups of 16" in found[2]
    print(f"gen/kernel.mlir: program: {'lacking: it needs sub-groups of 16 lanes' if is_rejected else f'failed: {found}'}")


def check_files():
    """Ends the program if a file of examples/ has neither a test nor a reason."""
    tested = {*KERNELS, "gen/kernel", "tiles/softmax"}
    for kind in ("mlir", "comp", "cl"):
        for path in EXAMPLES.rglob(f"*.{kind}"):
            name = str(path.relative_to(EXAMPLES).with_suffix(""))
            if name not in tested | OTHERS.keys() and path.parent.name not in ("launch", "run", "tiles"):
                sys.exit(f"tests/metal/examples.py: there is no test for examples/{path.relative_to(EXAMPLES)}; add one, or a "
                         "reason to OTHERS")


def main():
    pumice.use("metal:0")
    check_files()
    found = {path.stem for path in EXAMPLES.glob("*.mlir")}
    if missing := found ^ KERNELS.keys():
        sys.exit(f"tests/metal/examples.py and examples/*.mlir differ: {', '.join(sorted(missing))}")
    for name, run in KERNELS.items():
        for way in ("addresses", "descriptors"):
            judge(f"{name}.mlir", way, run, (EXAMPLES / f"{name}.mlir").read_text())
    tiles = subprocess.run([BIN / "pumice-opt", "--pumice-distribute-tiles", EXAMPLES / "tiles/softmax.mlir"],
                           capture_output=True, text=True, check=True).stdout
    judge("tiles/softmax.mlir", "addresses", rows, tiles)
    for path in sorted(EXAMPLES.glob("launch/*.cl")):
        status, said, errors = command(BIN / "pumice", "run", path, "--launch", path.with_suffix(".json"), device="metal:0")
        print(f"launch/{path.name}: program: {'passed' if status == 0 and said.endswith('PASS' + chr(10)) else f'failed: {errors}'}")
    for path in sorted([*EXAMPLES.glob("run/*.mlir"), *EXAMPLES.glob("tiles/*.mlir")]):
        name = str(path.relative_to(EXAMPLES).with_suffix(""))
        if name not in OTHERS and not name.startswith("tiles/softmax"):
            run_program(f"{name}.mlir", path)
    for path in sorted([*EXAMPLES.glob("launch/*.comp"), *EXAMPLES.glob("run/*.comp")]):
        run_shader(path)
    compile_gen()
    run_program("run/host.mlir with device.mlir", EXAMPLES / "run/host.mlir", "--kernels", EXAMPLES / "run/device.mlir")


if __name__ == "__main__":
    main()
