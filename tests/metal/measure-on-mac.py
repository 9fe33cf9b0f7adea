#!/usr/bin/env python3
"""Times Metal's driver and Vulkan's drivers on the same kernels, and checks the results.

    measure-on-mac.py prepare FOLDER    compiles the kernels; needs `pumice`, which any system has
    measure-on-mac.py run FOLDER        needs Python's package `pumice` and NumPy, and no compiler

`run` uses every device of the drivers metal and vulkan (MoltenVK, KosmicKrisp). It prints a table, and
writes FOLDER/times.json. A kernel that fails, or whose result differs from NumPy's, has a line above the table and no
row. The status is then 1.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
ADDRESSINGS = ("descriptors", "physical")
LAUNCHES = 50


def cases(numpy):
    """Returns {kernel: (groups, arrays, scalars, index of the result, expected result)}."""
    random = numpy.random.default_rng(1)
    values = random.standard_normal((64, 512), dtype=numpy.float32)
    powers = numpy.exp(values - values.max(1, keepdims=True))
    a, b = (random.standard_normal((128, 128), dtype=numpy.float32) for _ in range(2))
    empty = numpy.zeros
    return {
        "scale": ((8,), [values[0].copy()], [0.5], 0, None),
        "softmax": ((64,), [values, empty((64, 512), numpy.float32)], [], 1,
                    powers / powers.sum(1, keepdims=True)),
        "matmul": ((8, 8), [a, b, empty((128, 128), numpy.float32)], [], 2, a @ b),
    }


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("scale", "softmax", "matmul"):
        for addressing in ADDRESSINGS:
            subprocess.run(["pumice", "compile", EXAMPLES / f"{name}.mlir", "--target", "apple-m1", "--addressing",
                            addressing, "-o", folder / f"{name}-{addressing}.pumice"], check=True)
    print(f"{len(list(folder.glob('*.pumice')))} files in {folder}")


def measure(pumice, numpy, program, name, case, device):
    """Returns the milliseconds of the first launch, and of later ones."""
    groups, arrays, scalars, result, expected = case
    begin = time.perf_counter()
    kernel = program.on(device)[name]
    buffers = [pumice.from_numpy(array, device) for array in arrays]
    kernel[groups](*buffers, *scalars)
    found = buffers[result].numpy()
    first = time.perf_counter() - begin
    if expected is None:
        expected = arrays[0] * numpy.float32(scalars[0])
    numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    times = []
    for _ in range(LAUNCHES):
        begin = time.perf_counter()
        kernel[groups](*buffers, *scalars)
        pumice.synchronize(device)
        times.append(time.perf_counter() - begin)
    return first * 1e3, statistics.median(times) * 1e3


def run(folder):
    import numpy
    import pumice
    rows, failed = [], 0
    for facts in pumice.devices():
        if facts.id.split(":")[0] not in ("metal", "vulkan"):
            continue
        for file in sorted(folder.glob("*.pumice")):
            name, addressing = file.stem.split("-")
            try:
                first, later = measure(pumice, numpy, pumice.load(file), name, cases(numpy)[name],
                                       pumice.device(facts.id))
            except pumice.UnsupportedError as error:
                print(f"{facts.id} cannot run {file.name}: {str(error).splitlines()[0]}")
                continue
            except (AssertionError, pumice.Error) as error:
                print(f"{'WRONG' if isinstance(error, AssertionError) else 'FAILED'}: {facts.id}, {file.name}: {error}")
                failed += 1
                continue
            rows.append({"device": facts.id, "name": facts.name, "kernel": name, "addressing": addressing,
                         "first_ms": round(first, 3), "launch_ms": round(later, 4)})
    print("| device | kernel | addressing | first launch, ms | later launches, ms |\n|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['device']} ({row['name']}) | {row['kernel']} | {row['addressing']} | {row['first_ms']} | "
              f"{row['launch_ms']} |")
    (folder / "times.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if failed or not rows else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("prepare", "run"))
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    return prepare(options.folder) if options.action == "prepare" else run(options.folder)


if __name__ == "__main__":
    sys.exit(main())
