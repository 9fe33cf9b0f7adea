"""# From a CUDA script to a C program

This tutorial ports a CUDA kernel to Triton, checks it, and ships it. The results are one `.pumice`
file with code for several devices, and a C program. The program needs no Python, no compiler and no
vendor's toolkit.
"""
import pathlib

import pumice
import torch
import triton
import triton.language as tl

import tutorial

chosen = tutorial.options(__doc__)

# %%
# ## The kernel in CUDA
#
# The kernel computes the length of each row of a matrix. A block of 256 threads computes a row. Each thread sums up
# some squares, and the block then adds the sums in shared memory, half of them at a time.
#
# ```cpp
# __global__ void norms(float *out, const float *x, int columns) {
#   __shared__ float part[256];
#   float sum = 0;
#   for (int i = threadIdx.x; i < columns; i += 256) {
#     float value = x[blockIdx.x * columns + i];
#     sum += value * value;
#   }
#   part[threadIdx.x] = sum;
#   for (int half = 128; half > 0; half /= 2) {
#     __syncthreads();
#     if (threadIdx.x < half)
#       part[threadIdx.x] += part[threadIdx.x + half];
#   }
#   if (threadIdx.x == 0)
#     out[blockIdx.x] = sqrtf(part[0]);
# }
# ```
#
# ## The kernel in Triton
#
# A CUDA block becomes a program, and the values of its threads become one block of numbers. Shared memory, barriers and
# `threadIdx` disappear: `tl.sum` is the whole second half.


@triton.jit(do_not_specialize=["columns"])
def norms(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        value = tl.load(x + row * columns + start + i, mask=start + i < columns, other=0.0)
        squares += value * value
    tl.store(out + row, tl.sqrt(tl.sum(squares, axis=0)))


# %%
# Triton compiles a kernel again for numbers that are multiples of 16. A shipped kernel must accept any number, so
# `do_not_specialize` turns this off for `columns`. The file also contains the required alignment of each pointer, which
# `pumice inspect` prints.
#
# ## The check
#
# The launch compiles the kernel for this machine, and returns it.

x = torch.randn(50, 1000)
out = torch.empty(50)
kernel = norms[(50,)](out, x, 1000, BLOCK=256)
torch.testing.assert_close(out, x.norm(dim=1))
print("the norms are right on", pumice.device())

# %%
# ## The file
#
# `kernel.asm["ttir"]` is Triton's text of the kernel, before any decision for a device. `pumice.compile` takes this
# text and the names of targets. `cpu` means native code for four kinds of CPUs, and SPIR-V for all others. All of it
# has subgroups of 8 lanes, so `x86-64-v4` adds code with 16 lanes for CPUs with AVX-512. It is named first, because the
# first of two equally good variants is used. `rdna3` is an AMD GPU, and `vulkan1.3` is SPIR-V for any vendor's device
# with buffer addresses.

targets = ["x86-64-v4", "cpu", "rdna3", "vulkan1.3"]
program = pumice.compile(kernel.asm["ttir"], targets=targets, name="norms")
path = pathlib.Path("norms.pumice")
program.save(path)
print(f"{path} holds {len(program.data) // 1024} KiB")

# %%
# ## How fast it is
#
# Triton compiled its kernel for this machine alone, and the code in the file is for kinds of machines. `pumice.load`
# reads the file as the C program below does, and uses the same code in it. The rate counts each element as read once.

rows = 64 if chosen.quick else 1024
sizes = [256, 300] if chosen.quick else [128, 256, 512, 1024, 2048, 4096, 8192]
series = {"the file": [], "Triton": [], "PyTorch": []}
shipped = pumice.load(path)["norms"]
for columns in sizes:
    x, out, found = torch.randn(rows, columns), torch.empty(rows), torch.empty(rows)
    arguments = found.numpy(), x.view(-1).numpy(), columns
    shipped[rows](*arguments)
    torch.testing.assert_close(found, x.norm(dim=1))
    times = tutorial.milliseconds(chosen, **{"the file": lambda: shipped[rows](*arguments),
                                             "Triton": lambda: norms[(rows,)](out, x, columns, BLOCK=256),
                                             "PyTorch": lambda: x.norm(dim=1)})
    for name, time in times.items():
        series[name].append(x.nbytes / time / 1e6)

tutorial.show(sizes, series, "GB/s", chosen, f"Norms of {rows} rows", "columns")

# %%
# Long rows take about the same time with both kernels. Short rows show what a launch costs: the file's kernel goes through
# the queue of the device, and Triton's runs in the thread that calls it.
#
# ## The program
#
# The C API opens a device, loads the file, and uses the best code in it that the device can run. The kernel's arguments
# come in the order of the Python function, without its constants. The grid is the number of rows.
#
# <!-- examples/tutorials/ship.c -->
#
# ## Build it and run it
#
# `cmake --install` puts the library and its headers into a folder, without the compiler. Then compile the program:
#
# ```sh
# cmake --install build --prefix prefix --component runtime
# cc -std=c99 examples/tutorials/ship.c -o ship -Iprefix/include -Lprefix/lib -lpumice -lm -Wl,-rpath,$PWD/prefix/lib
# ./ship norms.pumice cpu
# ```
#
# `./ship norms.pumice vulkan` runs the same file on a GPU. [For C and C++ engineers](../start/c.md) describes
# what else a product needs.
#
# Next: [find out why a kernel is slow](slow.md).
