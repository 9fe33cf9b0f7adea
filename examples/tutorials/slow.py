"""# Why is this kernel slow?

This tutorial starts with a kernel that is correct, but slower than it should be. Four tools find the reason: timing,
the statistics of its loads, its dumps, and the code of its loop.
"""
import pathlib
import shutil
import subprocess
import tempfile

import torch
import triton
import triton.language as tl

import tutorial

chosen = tutorial.options(__doc__)
rows, columns = (256, 300) if chosen.quick else (2048, 2000)
x = torch.randn(rows, columns)

# %%
# ## The kernel
#
# It computes the sum of each column of a matrix. One program handles one column, and goes down the rows block by block.


@triton.jit
def sums_slow(out, x, rows, columns, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, rows, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i * columns + column, mask=i < rows, other=0.0)
    tl.store(out + column, tl.sum(total, axis=0))


def slow(x):
    out = torch.empty(x.shape[1])
    kernel = sums_slow[(x.shape[1],)](out, x, x.shape[0], x.shape[1], BLOCK=128)
    return out, kernel


out, slow_kernel = slow(x)
torch.testing.assert_close(out, x.sum(dim=0), rtol=1e-3, atol=1e-3)
print("the sums are right")

# %%
# ## Step 1: compare the time with the speed of memory
#
# The kernel reads each element once and computes almost nothing. Memory should limit it, so it should be about as fast
# as PyTorch's copy of the matrix. The chart below shows that it is far from that.
#
# ## Step 2: look at its loads
#
# For each load, `pumice compile --stats` prints where its values are kept, and how many elements one access moves.
# `kernel.asm["ttir"]` is Triton's text of the kernel, with the lines of the script.


def loads(kernel):
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder, "kernel.ttir")
        text.write_text(kernel.asm["ttir"])
        command = [shutil.which("pumice") or "build/bin/pumice", "compile", text, "-o", text.with_suffix(".pumice"),
                   "--target", "x86-64-v3", "--stats"]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("load"))
    return lines[first:]


print(*loads(slow_kernel), sep="\n")

# %%
# The column *at once* says 1: every access moves one element. Neighbouring elements of the block are a whole row apart
# in memory, so no vector load can fetch them. Each access also touches a separate cache line, and uses 4 of its 64
# bytes.
#
# ## Step 3: read the code
#
# `PUMICE_DUMP=folder` writes every stage of every kernel into files, from Triton's text to assembly. The same texts are
# in `kernel.asm`. A gather instruction, or a load for each lane, confirms the statistics. This function counts the
# loads of single elements that are combined to a vector:


def scalar_loads(kernel):
    return sum("vgather" in line or "insertps" in line or "vpinsrd" in line or "vmovss" in line
               for line in kernel.asm["asm"].splitlines())


print("loads of single elements in the code:", scalar_loads(slow_kernel))

# %%
# ## Step 4: change the order of the work
#
# A program should load contiguous elements. Let it handle a block of columns, and go down row by row. Each load is then
# contiguous, and every sum is an element of the block. No reduction at the end is needed.


@triton.jit
def sums_fast(out, x, rows, columns, BLOCK: tl.constexpr):
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(0, rows):
        total += tl.load(x + i * columns + j, mask=j < columns, other=0.0)
    tl.store(out + j, total, mask=j < columns)


def fast(x):
    out = torch.empty(x.shape[1])
    kernel = sums_fast[(triton.cdiv(x.shape[1], 128),)](out, x, x.shape[0], x.shape[1], BLOCK=128)
    return out, kernel


out, fast_kernel = fast(x)
torch.testing.assert_close(out, x.sum(dim=0), rtol=1e-3, atol=1e-3)
print(*loads(fast_kernel), sep="\n")
print("loads of single elements in the code:", scalar_loads(fast_kernel))

# %%
# ## The result

sizes = [rows] if chosen.quick else [256, 512, 1024, 2048]
series = {"rows by block": [], "one column": [], "PyTorch": []}
for size in sizes:
    part = x[:size]
    times = tutorial.milliseconds(chosen, **{"rows by block": lambda: fast(part), "one column": lambda: slow(part),
                                             "PyTorch": lambda: part.sum(dim=0)})
    for name, time in times.items():
        series[name].append(part.nbytes / time / 1e6)

tutorial.show(sizes, series, "GB/s", chosen, f"Sums of {columns} columns", "rows")

# %%
# Other problems need other tools. [Statistics](../statistics.md) shows registers and spills of GPUs,
# `pumice run --profile` the time of each launch, and `PUMICE_DUMP` [every stage](../triton.md#what-a-kernel-becomes)
# in between.
