"""Dropout with a seed: the same seed drops the same elements, so no mask is kept."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, main, random, torch, wide


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=mask) / (1 - p), 0.0), mask=mask)


def uniform(n, seed):
    """Returns the same numbers as `tl.rand(seed, arange(n))`.

    They are made from the first outputs of Philox 4x32 with ten rounds, as signed numbers whose sign is dropped."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    zeros = np.zeros(n, np.uint64)
    c, k = [np.arange(n, dtype=np.uint64), zeros, zeros, zeros], [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [b >> half ^ c[1] ^ np.uint64(k[0]), b & low, a >> half ^ c[3] ^ np.uint64(k[1]), a & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    positive = np.where(c[0] >= 1 << 31, low - c[0], c[0])
    return positive.astype(np.float32) * np.float32(4.6566127342e-10)


def problem(memory, n=1 << 20, p=0.5, seed=123):
    tensors = random(n), empty(n)
    x, out = map(memory.put, tensors)

    def expected():
        return (np.where(uniform(n, seed) > p, wide(tensors[0]) / (1 - p), 0.0),)

    def by_torch(x, _):
        keep = torch.from_numpy(uniform(n, seed)) > p  # PyTorch's dropout draws other random numbers
        return (torch.where(keep, x / (1 - p), 0),)

    return Problem(f"dropout of {n} numbers", tensors,
                   lambda: dropout[(triton.cdiv(n, 1024),)](x, out, n, p, seed, BLOCK=1024),
                   lambda: (memory.get(out),), expected, by_torch, tolerance=1e-6)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
