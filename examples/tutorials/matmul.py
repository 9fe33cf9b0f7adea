"""# A matrix product with autotuning

This tutorial multiplies matrices by tiles, and lets Triton measure which tile size is best. The same kernel uses matrix
units if the target has them, and SIMD registers otherwise.
"""
import torch
import triton
import triton.language as tl

import tutorial

chosen = tutorial.options(__doc__)

# %%
# ## Tiles
#
# One program computes one tile of the result. It walks along the common dimension K, loads a tile of each operand, and
# adds their product to a sum in registers. Every loaded element is used for a whole row or column of the tile, so
# larger tiles need fewer loads. Tiles that are too large do not fit in the registers.
#
# The best size depends on the device. `triton.autotune` gets some candidates. At the first launch with new values of
# the arguments in `key`, it measures all of them and keeps the fastest.

sizes_of_tiles = [(32, 32, 32), (64, 64, 32), (64, 128, 64)]
candidates = [triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}) for m, n, k in sizes_of_tiles]


@triton.autotune(configs=candidates[:2] if chosen.quick else candidates, key=["M", "N", "K"])
@triton.jit
def matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        left = tl.load(a + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + k[:, None] * N + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * N + j[None, :], total, mask=(i[:, None] < M) & (j[None, :] < N))


# %%
# `i[:, None]` makes a column of a block, and `k[None, :]` a row. Their sum is a block of two dimensions, so each
# `tl.load` above loads a whole tile by a block of pointers. The masks fill elements beyond the edges with zeros, which
# change no sum.
#
# ## The launch and the check
#
# The grid depends on the tile, so it is a function of the configuration. 500, 300 and 200 are not multiples of any
# tile.


def product(a, b):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty(M, N)

    def grid(config):
        return triton.cdiv(M, config["BLOCK_M"]), triton.cdiv(N, config["BLOCK_N"])

    matmul[grid](a, b, c, M, N, K)
    return c


a, b = torch.randn(500, 200), torch.randn(200, 300)
torch.testing.assert_close(product(a, b), a @ b, rtol=1e-4, atol=1e-4)
print("the product is right, with tiles of", matmul.best_config)

# %%
# ## How fast it is
#
# A product of N by N matrices takes 2N³ operations. The first launch for each size measures the candidates, so it is
# left out.

sizes = [64, 128] if chosen.quick else [128, 256, 512, 768, 1024]
series = {"Pumice": [], "PyTorch": []}
for size in sizes:
    a, b = torch.randn(size, size), torch.randn(size, size)
    product(a, b)
    times = tutorial.milliseconds(chosen, Pumice=lambda: product(a, b), PyTorch=lambda: a @ b)
    for name, time in times.items():
        series[name].append(2 * size**3 / time / 1e6)

tutorial.show(sizes, series, "GFLOP/s", chosen, "Product of two float32 matrices", "rows and columns")

# %%
# PyTorch calls a library that was tuned for each kind of CPU by hand. A kernel of twelve lines comes near to it, and
# can be fused with the operations around the product: a bias, an activation, a scale.
#
# Next: [ship a kernel](ship.md) in a program without Python.
