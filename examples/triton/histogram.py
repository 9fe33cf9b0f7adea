"""Counts how often each value occurs. Each block counts its own elements, and adds its counts to the total."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, integers, main, torch, wide


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0).to(tl.int32)
    found = tl.histogram(value, BINS, mask=i < n)
    tl.atomic_add(counts + tl.arange(0, BINS), found, mask=found > 0, sem="relaxed")


def problem(memory, n=100000, bins=256, dtype="uint8", block=1024):
    tensors = integers(0, bins, n, dtype=dtype), empty(bins, dtype="int32")
    x, counts = map(memory.put, tensors)

    def launch():
        memory.clear(counts)
        histogram[(triton.cdiv(n, block),)](x, counts, n, BLOCK=block, BINS=bins)

    return Problem(f"histogram of {n} {dtype} in {bins}", tensors, launch, lambda: (memory.get(counts),),
                   lambda: (np.bincount(wide(tensors[0]).astype(int), minlength=bins),),
                   lambda x, _: (torch.bincount(x, minlength=bins),), tolerance=0)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
