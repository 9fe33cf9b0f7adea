"""A Triton kernel on an OpenCL device, with NumPy's arrays.

    python opencl.py
"""
import numpy as np
import pumice
import triton
import triton.language as tl

pumice.use("opencl:0")


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
out = np.empty_like(x)
add[(triton.cdiv(1000, 256),)](x, y, out, 1000, BLOCK=256)  # returns when `out` holds the result
np.testing.assert_array_equal(out, x + y)
print("the sum of 1000 numbers is right on", pumice.device())
