"""Exports a Triton kernel as C++: python softmax.py FOLDER [TARGET...]"""
import sys

import pumice
import triton
import triton.language as tl


@triton.jit
def softmax(out, x, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, powers / tl.sum(powers, axis=0), mask=i < columns)


if __name__ == "__main__":
    files = pumice.export(
        softmax, sys.argv[1],
        signature=["*fp32:16, *fp32:16, i32, i32:16",  # the launcher takes the first one that fits
                   "*fp32, *fp32, i32, i32"],
        constexprs=[({"BLOCK": 256}, lambda columns: columns <= 256),
                    ({"BLOCK": 1024}, lambda columns: columns <= 1024)],
        grid=lambda meta: (meta["rows"],),
        targets=sys.argv[2:] or ["cpu", "rdna3", "opencl-3.0"])
    print("wrote", *(file.name for file in files))
