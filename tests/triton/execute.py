"""Compiles kernels of the Triton wheel, runs them, and compares with NumPy.

usage: execute.py SCRATCH FOLDER [--target NAME] [--device NAME] [--workgroup OPTIONS]

A case names a kernel by its file, its name, and its number among those with this name. It has
arguments and the expected contents of the buffers. OPTIONS are those of pumice-triton-to-tile.
"""
import argparse
import json
import pathlib
import re
import subprocess

import numpy as np

RNG = np.random.default_rng(0)
TYPES = {"float32": "f32", "float16": "f16", "int32": "i32", "int64": "i64"}


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def add():
    x, y = floats(1500), floats(1500)
    return [x, y, np.zeros(1500, np.float32), 1500], {2: x + y}, 2


def softmax():
    x = floats(3, 48)
    return [np.zeros_like(x), x, 48, 3, 41], {0: masked_softmax(x, 41)}, 4


def masked_softmax(x, columns):
    e = np.exp(x[:, :columns] - x[:, :columns].max(1, keepdims=True))
    y = np.zeros_like(x)
    y[:, :columns] = e / e.sum(1, keepdims=True)
    return y


def conditions():
    x = floats(8)
    return [x, np.zeros(8, np.float32), 2], {1: x * 2}, 1


def collatz():
    n, steps = 27, 0
    while n != 1 and steps < 100:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return [np.array([1000], np.int32), np.zeros(1, np.int32), 27], {1: np.array([1000 + steps])}, 1


def rows_in_a_loop():
    """Each iteration reads the next eight elements."""
    x = floats(5 * 8)
    return [x, np.zeros(8, np.float32), 5], {1: x.reshape(5, 8).sum(0)}, 1


def mean_and_variance():
    x = floats(4, 8)
    return [x, np.zeros(4, np.float32)], {1: x.mean(1) + x.var(1)}, 1


def histograms():
    """Histograms of all elements, and of the first 20."""
    x = RNG.integers(0, 16, 32).astype(np.int32)
    counts = np.bincount(x, minlength=16) + np.bincount(x[:20], minlength=16)
    return [x, np.zeros(16, np.int32), 20], {1: counts}, 1


def extremes_of_floats():
    """Takes the maximum of memory and value, then the minimum with value. Adds the old contents."""
    memory, value = floats(8), floats(8)
    was = memory + np.maximum(memory, value)
    return [memory, value, 8], {0: value, 1: was}, 1


def product_in_a_loop():
    """16×20 · 20×32 in steps of 8. The last step is masked."""
    a, b = floats(16, 20).astype(np.float16), floats(20, 32).astype(np.float16)
    c = a.astype(np.float32) @ b.astype(np.float32)
    return [a, b, np.zeros((16, 32), np.float16), 20], {2: c.astype(np.float16)}, 1


def large_softmax():
    """Blocks of 8192, so that a lane has hundreds of registers.

    In these four cases, integers are multiples of 16, as the kernels promise."""
    x = floats(16, 5008)
    return [np.zeros_like(x), x, 5008, 5008, 16, 4992], {0: masked_softmax(x, 4992)}, 2


def large_layernorm():
    """Two iterations over blocks of 4096, with sums that the loop carries."""
    x, w, b = (floats(*shape).astype(np.float16) for shape in ((2, 5008), (5008,), (5008,)))
    wide = x.astype(np.float32)
    mean, scale = wide.mean(1), 1 / np.sqrt(wide.var(1) + 1e-5)
    y = (wide - mean[:, None]) * scale[:, None] * w.astype(np.float32) + b.astype(np.float32)
    return [x, np.zeros_like(x), w, b, np.zeros(2, np.float32), np.zeros(2, np.float32), 5008,
            5008, 1e-5], {1: y.astype(np.float16), 4: mean, 5: scale}, 2


def large_product():
    """144×80 · 80×256 by blocks of 128×64 · 64×256. Rows and the inner dimension are masked."""
    a, b = floats(144, 80).astype(np.float16), floats(80, 256).astype(np.float16)
    c = a.astype(np.float32) @ b.astype(np.float32)
    return [a, b, np.zeros((144, 256), np.float16), 144, 256, 80, 80, 256, 256], \
        {2: c.astype(np.float16)}, 2


def attention():
    """Causal attention with 128 queries."""
    q, k, v = (floats(128, 64).astype(np.float16) for _ in range(3))
    scores = q.astype(np.float32) @ k.astype(np.float32).T * 0.125
    scores[np.triu_indices(128, 1)] = -np.inf
    p = np.exp(scores - scores.max(1, keepdims=True))
    o = p / p.sum(1, keepdims=True) @ v.astype(np.float32)
    return [q, k, v, np.zeros_like(q), 0, 0, 64, 128, 0.125], {3: o.astype(np.float16)}, 1


CASES = [("whole/add", "add_k", 0, add), ("control", "softmax_with_early_exit", 0, softmax),
         ("control", "conditions", 0, conditions), ("control", "while_loop", 0, collatz),
         ("control", "loop_hints", 0, rows_in_a_loop),
         ("reductions", "mean_and_variance", 0, mean_and_variance),
         ("shapes", "histograms", 0, histograms),
         ("atomics", "extremes_of_floats", 0, extremes_of_floats),
         ("dots", "loop", 0, product_in_a_loop),
         ("whole/softmax", "softmax_k", 0, large_softmax),
         ("whole/layernorm", "ln_k", 0, large_layernorm),
         ("whole/mm", "mm_k", 0, large_product), ("whole/attn", "attn_k", 0, attention)]


def kernel(folder, file, name, number):
    texts = (folder / f"{file}.ttir").read_text().split("\n// -----\n")
    return [text for text in texts if re.search(rf"public @{name}\(", text)][number]


def launch(arguments, expected, groups):
    buffers, given = {}, []
    for i, argument in enumerate(arguments):
        if not isinstance(argument, np.ndarray):
            given.append(argument)
            continue
        given.append(f"b{i}")
        buffers[f"b{i}"] = {"type": TYPES[str(argument.dtype)], "shape": [argument.size],
                            "data": argument.astype(float).reshape(-1).tolist()
                            if argument.dtype.kind == "f" else argument.reshape(-1).tolist()}
        if i in expected:
            values = expected[i].reshape(-1)
            buffers[f"b{i}"] |= {"expect": values.astype(float).tolist()
                                 if argument.dtype.kind == "f" else values.tolist()}
            if argument.dtype.kind == "f":
                close = 1e-5 if argument.dtype == np.float32 else 1e-2
                buffers[f"b{i}"] |= {"tolerance": {"absolute": close, "relative": close}}
    return {"groups": groups, "arguments": given, "buffers": buffers}


def for_workgroup(options, source):
    """Returns the path of the kernel as lane code in MLIR, and the command that lowers it."""
    lanes = source.with_suffix(".mlir")
    return lanes, ["pumice-opt", source, "--pumice-structure-triton", "--pumice-inline-triton-calls",
                   "--pumice-lower-descriptors", "--pumice-expand-polls",
                   "--pumice-expand-scaled-products",
                   f"--pumice-triton-to-tile={options}", "--pumice-fuse-fragment-loops",
                   "--pumice-distribute-tiles", "-o", lanes]


def without_promise(text, argument):
    """Removes the promise that an argument is a multiple of 16."""
    promised = f"{argument}: i32 {{tt.divisibility = 16 : i32}}"
    assert promised in text
    return text.replace(promised, f"{argument}: i32")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--target", default="lavapipe22")
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--workgroup")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    bad = 0
    cases = [case for case in CASES if (options.folder / f"{case[0]}.ttir").exists()]
    assert cases, f"{options.folder} holds no text of CASES"
    for file, name, number, case in cases:
        source, json_file = options.scratch / f"{name}.ttir", options.scratch / f"{name}.json"
        text = kernel(options.folder, file, name, number)
        source.write_text(without_promise(text, "%arg3") if case is product_in_a_loop else text)
        json_file.write_text(json.dumps(launch(*case())))
        binary = source.with_suffix(".pumice")
        commands = []
        if options.workgroup:
            source, command = for_workgroup(options.workgroup, source)
            commands.append(command)
        commands += [["pumice", "compile", source, "-o", binary, "--target", options.target],
                     ["pumice", "run", binary, "--launch", json_file, "--device", options.device]]
        for command in commands:
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode:
                print(f"{name}: {run.stdout[-1000:]}{run.stderr[-1000:]}")
                bad += 1
                break
    print(f"{len(cases) - bad} of {len(cases)} kernels agree")
    return bad != 0


if __name__ == "__main__":
    raise SystemExit(main())
