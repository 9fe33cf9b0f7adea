"""A softmax of rows by Triton, on any device, compared with NumPy.

    softmax.py [--device cpu | vulkan | vulkan:1 | all] [--rows 1000] [--columns 1000]
"""
import argparse

import numpy as np
import pumice
import triton
import triton.language as tl


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * columns + i, value / tl.sum(value, 0), mask=i < columns)


def run(device, rows, columns):
    """Whether every row is right."""
    pumice.use(device)
    x = np.random.default_rng(0).standard_normal((rows, columns), np.float32)
    out = np.empty_like(x)

    def launch():
        softmax[(rows,)](out, x, columns, BLOCK=triton.next_power_of_2(columns))

    launch()  # compiles
    milliseconds = triton.testing.do_bench(launch, warmup=5, rep=20, return_mode="median")
    e = np.exp(x - x.max(1, keepdims=True))
    right = np.allclose(out, e / e.sum(1, keepdims=True), atol=1e-6)
    print(f"{'right' if right else 'WRONG'} on {pumice.device()}: softmax of {rows} x {columns} in "
          f"{milliseconds:.3f} ms")
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=1000)
    options = parser.parse_args()
    devices = [each.id for each in pumice.devices()] if options.device == "all" else [options.device]
    return 0 if all([run(each, options.rows, options.columns) for each in devices]) else 1


if __name__ == "__main__":
    raise SystemExit(main())
