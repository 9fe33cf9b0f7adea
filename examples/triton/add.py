"""The sum of two vectors."""
import triton
import triton.language as tl

from example import Problem, empty, main, random, wide


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


def problem(memory, n=1 << 20):
    tensors = x, y, _ = random(2, n)[0], random(2, n)[1], empty(n)
    a, b, out = map(memory.put, tensors)
    return Problem(f"sum of {n} numbers", tensors,
                   lambda: add[(triton.cdiv(n, 1024),)](a, b, out, n, BLOCK=1024),
                   lambda: (memory.get(out),), lambda: (wide(x) + wide(y),),
                   lambda x, y, _: (x + y,), tolerance=1e-7)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
