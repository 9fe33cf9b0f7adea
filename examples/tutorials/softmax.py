"""# Fused softmax

This tutorial fuses several steps into one kernel. A softmax made of PyTorch's operators goes through memory five times.
The kernel reads each row once and writes it once, and keeps it in registers in between.
"""
import torch
import triton
import triton.language as tl

import tutorial

chosen = tutorial.options(__doc__)

# %%
# ## Softmax, step by step
#
# The softmax of a row is the exponential of each element, divided by the sum of all of them. The largest element is
# subtracted first, because the exponential of a large number is infinite. Each line below is a separate operator, which
# reads its operands from memory and writes its result there.


def softmax_by_steps(x):
    largest = x.max(dim=1)[0]
    shifted = x - largest[:, None]
    powers = torch.exp(shifted)
    sums = powers.sum(dim=1)
    return powers / sums[:, None]


# %%
# For M rows of N columns these steps read 5MN + 2M elements and write 3MN + 2M. The result alone needs MN of each.
#
# ## The kernel
#
# One program computes one row. The block must hold the whole row, and its size must be a power of two. So the mask
# fills the rest with minus infinity, which has an exponential of zero and is never the maximum. `tl.max` and `tl.sum`
# reduce the block to one number.


@triton.jit
def softmax(out, x, row_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * row_stride + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * row_stride + i, powers / tl.sum(powers, axis=0), mask=i < columns)


# %%
# On the CPU device a program is one subgroup, as wide as a SIMD register. The compiler
# turns a row of 1,024 elements into a loop over such registers. On a GPU the lanes of several subgroups share the row.
#
# ## The launch and the check
#
# The stride of a row is an argument, so the kernel also works on views. The test has rows whose length is not a power
# of two.


def fused_softmax(x):
    out = torch.empty_like(x)
    rows, columns = x.shape
    softmax[(rows,)](out, x, x.stride(0), columns, BLOCK=triton.next_power_of_2(columns))
    return out


x = torch.randn(1823, 781)
torch.testing.assert_close(fused_softmax(x), torch.softmax(x, dim=1))
torch.testing.assert_close(fused_softmax(x), softmax_by_steps(x))
print("the softmax is right")

# %%
# ## How fast it is
#
# The rate counts each element as read once and written once, whatever a version really accesses.

rows = 64 if chosen.quick else 1024
sizes = [256, 300] if chosen.quick else [256, 512, 1024, 2048, 4096, 8192]
series = {"Pumice": [], "PyTorch": [], "steps": []}
for columns in sizes:
    x = torch.randn(rows, columns)
    times = tutorial.milliseconds(chosen, Pumice=lambda: fused_softmax(x), PyTorch=lambda: torch.softmax(x, dim=1),
                                  steps=lambda: softmax_by_steps(x))
    for name, time in times.items():
        series[name].append(2 * x.nbytes / time / 1e6)

tutorial.show(sizes, series, "GB/s", chosen, f"Softmax of {rows} rows", "columns")

# %%
# The steps are slower than either kernel, as the number of their accesses predicts. PyTorch's own softmax is one fused
# kernel, written by hand for CPUs.
#
# Next: [a matrix product](matmul.md), with autotuning.
