"""Products of matrices by measured fragments, executed: the CPU device described as if it were a GPU.

It multiplies matrices itself, and its fragments are linear: the code that GPUs get runs here, with eight
subgroups, and is compared with NumPy. Another map must be refused.
"""
import json
import pathlib
import sys

import numpy as np
import pumice

SHAPE = "16x16x16 f16 f16 f32 f32 subgroup"
KERNEL = pathlib.Path(__file__).parent / "ttir" / "whole" / "mm2.ttir"


def bases(count, step):
    return " ".join(f"({(step << i) // 16},{(step << i) % 16})" for i in range(count))


def described(cpu, rows_first):
    """Lanes along rows, as it is, or along columns."""
    lanes = cpu["limits"]["subgroupSize"].bit_length() - 1
    components = 8 - lanes
    parts = (bases(components, 1 << lanes), bases(lanes, 1)) if rows_first else (
        bases(components, 1), bases(lanes, 1 << components))
    gpu = {name: value for name, value in cpu.items() if name != "architecture"}
    gpu["cooperativeMatrixFragments"] = [
        f"accumulator 16x16 f32 subgroup components {parts[0]} lanes {parts[1]}"]
    return json.dumps(gpu)


def check(program, device, m, n, k):
    rng = np.random.default_rng(m + n + k)
    a = rng.standard_normal((m, k)).astype(np.float16)
    b = rng.standard_normal((k, n)).astype(np.float16)
    c = np.zeros((m, n), np.float16)
    tiles = -(-m // 128) * -(-n // 128)
    program.on(device)["mm_k"][tiles](a.ravel(), b.ravel(), c.ravel(), m, n, k, k, n, n)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    most = np.abs(c - expected).max() / np.abs(expected).max()
    assert most < 1e-3, f"{m} x {n} x {k}: off by {most}"
    print(f"right: {m} x {n} x {k}")


def main():
    device = pumice.device("cpu:0")
    cpu = json.loads(device.target)
    if SHAPE not in cpu.get("cooperativeMatrixPropertiesKHR", []):
        print("this CPU multiplies no matrices: nothing to run")
        return 0
    text = KERNEL.read_text().replace("module {", "module attributes {tt.num_warps = 8 : i32} {", 1)
    program = pumice.compile(text, [described(cpu, True)])
    for shape in [(128, 128, 64), (256, 384, 192), (144, 272, 80), (16, 16, 16)]:
        check(program, device, *shape)
    other = pumice.compile(text, [described(cpu, False)])
    try:
        other.on(device)
    except pumice.Error as error:
        assert "it lacks fragment map accumulator 16x16 f32" in str(error), error
        print("another map is refused")
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
