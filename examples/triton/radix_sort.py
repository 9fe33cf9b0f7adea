"""Sorts a long vector in ascending order, and returns the original indices. Each pass handles 4 bits of all keys."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, integers, main, random, torch, wide


@triton.jit
def to_keys(x, keys, places, n, BLOCK: tl.constexpr):
    """Maps numbers to unsigned integers in the same order. The bits of negative floats are inverted."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    if value.dtype == tl.float32:
        bits = value.to(tl.int32, bitcast=True)
        bits = tl.where(bits < 0, ~bits, bits ^ -2147483648)
    else:
        bits = value ^ -2147483648
    tl.store(keys + i, bits, mask=i < n)
    tl.store(places + i, i, mask=i < n)


@triton.jit
def digits_of(keys, i, shift, n):
    """Returns keys and digits. Elements beyond the end get digit 16, which no bin counts."""
    key = tl.load(keys + i, mask=i < n, other=0)
    return key, tl.where(i < n, (key >> shift) & 15, 16)


@triton.jit
def count(keys, counts, shift, n, BLOCK: tl.constexpr):
    """Counts each digit in a block. `counts` has all blocks' counts of digit 0, then of digit 1, and so on."""
    block = tl.program_id(0)
    i = block * BLOCK + tl.arange(0, BLOCK)
    _, digit = digits_of(keys, i, shift, n)
    tl.store(counts + tl.arange(0, 16) * tl.num_programs(0) + block, tl.histogram(digit, 16, mask=i < n))


@triton.jit
def scan(counts, n, BLOCK: tl.constexpr):
    """Replaces each count by the sum of those before it. One program does this for all blocks."""
    before = 0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(counts + i, mask=i < n, other=0)
        tl.store(counts + i, before + tl.cumsum(value, 0) - value, mask=i < n)
        before += tl.sum(value, 0)


@triton.jit
def scatter(keys, places, starts, out_keys, out_places, shift, n, BLOCK: tl.constexpr):
    """Stores elements behind those with the same digit in earlier blocks, and keeps their order within the block."""
    block = tl.program_id(0)
    i = block * BLOCK + tl.arange(0, BLOCK)
    key, digit = digits_of(keys, i, shift, n)
    bins = tl.arange(0, 16)
    same = (digit[:, None] == bins[None, :]).to(tl.int32)
    start = tl.load(starts + bins * tl.num_programs(0) + block)
    to = tl.sum(same * (start[None, :] + tl.cumsum(same, 0) - 1), 1)
    tl.store(out_keys + to, key, mask=i < n)
    tl.store(out_places + to, tl.load(places + i, mask=i < n), mask=i < n)


@triton.jit
def take(x, places, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = tl.load(places + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + place), mask=i < n)


def problem(memory, n=20000, dtype="float32", block=128):
    x = random(n) if dtype == "float32" else integers(-1 << 31, 1 << 31, n)
    blocks = triton.cdiv(n, block)
    ints = [empty(length, dtype="int32") for length in (n, n, n, n, 16 * blocks)]
    tensors = x, *ints, empty(n, dtype=dtype)
    given = [memory.put(each) for each in tensors]

    def launch():
        x, keys, other_keys, other_places, places, counts, out = given
        grid = (blocks,)
        to_keys[grid](x, keys, places, n, BLOCK=block)
        for shift in range(0, 32, 4):  # after an even number of passes, the result is in the first arrays
            from_places, to_places = (places, other_places) if shift % 8 == 0 else (other_places, places)
            from_keys, to_of = (keys, other_keys) if shift % 8 == 0 else (other_keys, keys)
            count[grid](from_keys, counts, shift, n, BLOCK=block)
            scan[(1,)](counts, 16 * blocks, BLOCK=1024)
            scatter[grid](from_keys, from_places, counts, to_of, to_places, shift, n, BLOCK=block)
        take[grid](x, places, out, n, BLOCK=block)

    def expected():
        return np.argsort(wide(x), kind="stable"), np.sort(wide(x))

    def by_torch(x, *_):
        values, places = torch.sort(x, stable=True)
        return places, values

    return Problem(f"radix sort of {n} {dtype}", tensors, launch,
                   lambda: (memory.get(given[4]), memory.get(given[6])), expected, by_torch, tolerance=0)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
