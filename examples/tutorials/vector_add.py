"""# Vector addition

This tutorial writes a first kernel. It adds two vectors, checks the sum against PyTorch, and measures how many bytes a
second the kernel moves.
"""
import torch
import triton
import triton.language as tl

import tutorial

chosen = tutorial.options(__doc__)

# %%
# ## The kernel
#
# A kernel is a Python function that runs many times at once. One run is called a *program*. It computes one block of
# the result, and `tl.program_id` says which one.
#
# `tl.arange` makes a block of numbers. Arithmetic on it is element-wise, and so are loads and stores at a block of
# pointers. The mask leaves out the elements beyond the end of the vectors, because their length need not be a multiple
# of the block.


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


# %%
# `BLOCK` is a `constexpr`: the compiler knows its value. Each value gives a separate kernel.
#
# ## The launch
#
# The grid in brackets is the number of programs: one for each block. PyTorch's tensors are passed as they are, and
# the kernel gets pointers to their first elements. The call returns when `out` holds the sum.


def sum_of(x, y, block=4096):
    out = torch.empty_like(x)
    add[(triton.cdiv(x.numel(), block),)](x, y, out, x.numel(), BLOCK=block)
    return out


# %%
# ## The check
#
# A length of 98,432 is not a multiple of 4,096, so the last program needs its mask. Addition rounds in the same way
# everywhere, so the results are equal, not only close.

x, y = torch.rand(98_432), torch.rand(98_432)
assert torch.equal(sum_of(x, y), x + y)
print("the sum is right")

# %%
# ## How fast it is
#
# The kernel reads two vectors and writes one, and does one addition for each element. Memory limits it, so the useful
# number is bytes a second. `tutorial.milliseconds` runs both functions in turn by Triton's `do_bench`, and returns the
# shortest times.

sizes = [2**power for power in (range(12, 15, 2) if chosen.quick else range(12, 25, 2))]
series = {"Pumice": [], "PyTorch": []}
for size in sizes:
    x, y = torch.rand(size), torch.rand(size)
    out = torch.empty_like(x)
    times = tutorial.milliseconds(
        chosen, Pumice=lambda: add[(triton.cdiv(size, 4096),)](x, y, out, size, BLOCK=4096),
        PyTorch=lambda: torch.add(x, y, out=out))
    for name, time in times.items():
        series[name].append(3 * x.nbytes / time / 1e6)

tutorial.show(sizes, series, "GB/s", chosen, "Vector addition", "elements")

# %%
# Small vectors fit in the caches. Their time is that of a launch, which costs more through Triton than through PyTorch.
# Large vectors come from memory, and both kernels then wait for the same memory.
#
# Next: [fused softmax](softmax.md), a kernel that is faster because it reads memory less often.
