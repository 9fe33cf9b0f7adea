"""Runs products of matrices by measured fragments on the CPU device, which is described as a GPU.

The CPU device multiplies cooperative matrices, and its fragment maps are linear. So it can run the code that GPUs get,
with eight subgroups. The results are compared with NumPy. Code for another fragment map must be rejected.
"""
import json
import pathlib
import re
import sys

import numpy as np
import pumice

SHAPES = {
    "f16": "16x16x16 f16 f16 f32 f32 subgroup",
    "bf16": "16x16x16 bf16 bf16 f32 f32 subgroup",
    "i8": "16x16x16 s8 s8 s32 s32 subgroup",
}
TEXTS = pathlib.Path(__file__).parent / "ttir" / "whole"


def bases(count, step):
    return " ".join(f"({(step << i) // 16},{(step << i) % 16})" for i in range(count))


def described(cpu, rows_first):
    """Describes the CPU device as a GPU whose lanes follow rows, as in reality, or columns."""
    lanes = cpu["limits"]["subgroupSize"].bit_length() - 1
    components = 8 - lanes
    parts = (bases(components, 1 << lanes), bases(lanes, 1)) if rows_first else (
        bases(components, 1), bases(lanes, 1 << components))
    gpu = {name: value for name, value in cpu.items() if name != "architecture"}
    gpu["cooperativeMatrixFragments"] = [
        f"accumulator 16x16 {result} subgroup components {parts[0]} lanes {parts[1]}"
        for result in ("f32", "s32")]
    return json.dumps(gpu)


def kernel_of(kind):
    """Returns the kernel's text with another element type. Integer results keep the lowest 8 bits.

    Blocks are 128 x 128 x 64 for f16. Smaller ones of the other types compile in less time.
    """
    text = (TEXTS / "mm2.ttir").read_text()
    text = re.sub(r"(?<![i\d])64", {"f16": "64", "bf16": "16", "i8": "32"}[kind], text)
    if kind == "bf16":
        text = text.replace("f16", "bf16")
    if kind == "i8":
        for old, new in (("f16", "i8"), ("xf32", "xi32"), ("0.000000e+00", "0"), ("truncf", "trunci")):
            text = text.replace(old, new)
    return with_warps(text)


def with_warps(text):
    return text.replace("module {", "module attributes {tt.num_warps = 8 : i32} {", 1)


def numbers(rng, kind, rows, columns):
    """Returns random contents of memory, and their values as numbers."""
    if kind == "i8":
        held = rng.integers(-128, 128, (rows, columns)).astype(np.int8)
        return held, held.astype(np.int64)
    values = rng.standard_normal((rows, columns))
    if kind == "f16":
        held = values.astype(np.float16)
        return held, held.astype(np.float64)
    held = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return held, meaning(held)


def meaning(bf16):
    return (bf16.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def check(program, device, kind, m, n, k):
    rng = np.random.default_rng(m + n + k)
    a, exact_a = numbers(rng, kind, m, k)
    b, exact_b = numbers(rng, kind, k, n)
    c = np.zeros((m, n), a.dtype)
    tiles = -(-m // 128) * -(-n // 128)
    program.on(device)["mm_k"][tiles](a.ravel(), b.ravel(), c.ravel(), m, n, k, k, n, n)
    expected = exact_a @ exact_b
    if kind == "i8":
        assert (c == expected.astype(np.int8)).all(), f"{kind}, {m} x {n} x {k}"
    else:
        found = meaning(c) if kind == "bf16" else c
        most = np.abs(found - expected).max() / max(np.abs(expected).max(), 1)
        assert most < (1e-3 if kind == "f16" else 8e-3), f"{kind}, {m} x {n} x {k}: off by {most}"
    print(f"right: {kind}, {m} x {n} x {k}")


def check_attention(program, device, heads, length):
    """Causal attention has two products in a loop, and factors that the loop does not change."""
    rng = np.random.default_rng(length)
    q, k, v = (rng.standard_normal((heads, length, 64)).astype(np.float16) for _ in range(3))
    out = np.zeros_like(q)
    program.on(device)["attn_k"][length // 128, heads](
        q.ravel(), k.ravel(), v.ravel(), out.ravel(), heads * length * 64, length * 64, 64, length, 0.125)
    score = np.einsum("hik,hjk->hij", q, k, dtype=np.float64) * 0.125
    weight = np.exp(score - score.max(2, keepdims=True)) * np.tri(length)
    expected = weight @ v.astype(np.float64) / weight.sum(2, keepdims=True)
    most = np.abs(out - expected).max()
    assert most < 4e-3, f"attention, {heads} x {length}: off by {most}"
    print(f"right: attention, {heads} x {length}")


def main():
    device = pumice.device("cpu:0")
    cpu = json.loads(device.target)
    for kind, shape in SHAPES.items():
        if shape not in cpu.get("cooperativeMatrixPropertiesKHR", []):
            print("this CPU multiplies no such matrices: nothing to run")
            return 0
        program = pumice.compile(kernel_of(kind), [described(cpu, True)])
        for sizes in [(128, 128, 64), (256, 384, 192), (144, 272, 80), (16, 16, 16), (128, 128, 0)]:
            check(program, device, kind, *sizes)
    attention = pumice.compile(with_warps((TEXTS / "attn.ttir").read_text()), [described(cpu, True)])
    for sizes in [(1, 128), (2, 384)]:
        check_attention(attention, device, *sizes)
    other = pumice.compile(kernel_of("f16"), [described(cpu, False)])
    try:
        other.on(device)
    except pumice.Error as error:
        assert "it lacks fragment map accumulator 16x16 f32" in str(error), error
        print("another map is refused")
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
