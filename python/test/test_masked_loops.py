"""Masks that end within a block, compared with NumPy: the compiler splits loops there.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_masked_loops.py
"""
import os
import sys
import unittest

import numpy as np

try:
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import pumice

DEVICES = os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(",")
SEED = int(os.environ.get("PUMICE_TEST_SEED", "7"))


@triton.jit
def rows(x, out, most, best, count, n, BLOCK: tl.constexpr):
    """Sums, maxima and a function of each row, and how many elements of the block the mask keeps."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < n
    v = tl.load(x + row * n + at, mask=mask, other=0.0)
    mean = tl.sum(v) / n
    away = tl.where(mask, v - mean, 0.0)
    tl.store(most + row, tl.max(tl.where(mask, v, float("-inf"))))
    tl.store(best + row, tl.argmax(tl.where(mask, v, float("-inf")), 0))
    tl.store(count + row, tl.sum(mask.to(tl.int32)))
    tl.store(out + row * n + at, away / tl.sqrt(tl.sum(away * away) / n + 1e-5), mask=mask)


@triton.jit
def placed(out, base, n, low, growth, BLOCK: tl.constexpr, STRICT: tl.constexpr):
    """Stores where an index with an offset is in [low, n]. The index may wrap."""
    at = tl.arange(0, BLOCK)
    index = base + at * growth
    kept = index < n if STRICT else index <= n
    tl.store(out + at, index, mask=kept & (index >= low))


@triton.jit
def below_sum(out, a, b, BLOCK: tl.constexpr):
    """Stores where an index is below a sum, which may wrap."""
    at = tl.arange(0, BLOCK)
    limit = tl.full([BLOCK], 0, tl.int32) + a
    tl.store(out + at, at, mask=at < limit + b)


@triton.jit
def blocks(x, out, n, BLOCK: tl.constexpr):
    """Adds the blocks of a row to `out`, in a loop whose last block is not full."""
    total = tl.load(out + tl.arange(0, BLOCK))
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + tl.arange(0, BLOCK), total)


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + at, mask=at < n, other=0.0)))


@triton.jit
def tile(x, out, height, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Copies a part of a matrix that ends within the tile in both directions."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (i < height) & (width > j)
    tl.store(out + i * width + j, tl.load(x + i * width + j, mask=mask) + i, mask=mask)


class MaskedLoops(unittest.TestCase):
    def on_each_device(self, test):
        for name in DEVICES:
            with self.subTest(device=name):
                pumice.use(name)
                test(np.random.default_rng(SEED))

    def test_rows_end_within_a_block(self):
        def test(random):
            for n in (1, 15, 512, 700, 768, 1023, 1024, *random.integers(2, 1024, 6)):
                with self.subTest(n=int(n), seed=SEED):
                    x = random.standard_normal((5, n), np.float32)
                    out, most = np.zeros_like(x), np.zeros(5, np.float32)
                    best, count = np.zeros(5, np.int32), np.zeros(5, np.int32)
                    rows[(5,)](x, out, most, best, count, int(n), BLOCK=1024)
                    away = x - x.mean(1, keepdims=True)
                    expected = away / np.sqrt((away * away).mean(1, keepdims=True) + 1e-5)
                    np.testing.assert_allclose(out, expected, atol=2e-5, rtol=2e-4)
                    np.testing.assert_array_equal(most, x.max(1))
                    np.testing.assert_array_equal(best, x.argmax(1))
                    np.testing.assert_array_equal(count, np.full(5, n))
        self.on_each_device(test)

    def test_indices_wrap(self):
        far = 2**31

        def test(random):
            cases = [(far - 500, far - 200, -far, 1), (-far, 100 - far, -far, 1), (far - 1024, far - 1, 0, 1),
                     (0, 500, 100, 1), (-300, 200, -10, 1), (700, 200, 0, 1), (0, 5000, -7, 9), (3, -4, -2000, -5),
                     (far - 9000, far - 4000, -far, 16)]
            cases += [tuple(int(v) for v in random.integers(-2000, 2000, 3)) + (int(random.integers(-4, 5)),)
                      for _ in range(12)]
            for base, n, low, growth in cases:
                for strict in (False, True):
                    with self.subTest(base=base, n=n, low=low, growth=growth, strict=strict, seed=SEED):
                        out = np.full(1024, 77, np.int32)
                        placed[(1,)](out, base, n, low, growth, BLOCK=1024, STRICT=strict)
                        index = (base + np.arange(1024) * growth + far) % (2 * far) - far
                        kept = (index < n if strict else index <= n) & (index >= low)
                        np.testing.assert_array_equal(out, np.where(kept, index, 77))
        self.on_each_device(test)

    def test_limits_wrap(self):
        def test(random):
            for a, b in ((-2**31, -5), (2**31 - 1, 7), (300, 200), (-2**31, -2**31), (5000, -4990)):
                with self.subTest(a=a, b=b):
                    out = np.full(1024, 77, np.int32)
                    below_sum[(1,)](out, a, b, BLOCK=1024)
                    at = np.arange(1024)
                    limit = (a + b + 2**31) % 2**32 - 2**31
                    np.testing.assert_array_equal(out, np.where(at < limit, at, 77))
        self.on_each_device(test)

    def test_sums_keep_the_signs_of_zeros(self):
        def test(random):
            for n in (1, 400, 512, 1024, 1500, 2049):
                with self.subTest(n=n):
                    x, out = np.full(n, -0.0, np.float32), np.full(1024, -0.0, np.float32)
                    blocks[(1,)](x, out, n, BLOCK=1024)
                    np.testing.assert_array_equal(out, np.zeros(1024))
                    # The lanes that the last block masks have added zero to negative zero.
                    np.testing.assert_array_equal(np.signbit(out), np.arange(1024) < (n % 1024 or 1024))
                    one = np.full(1, 3, np.float32)
                    total[(1,)](x, one, min(n, 1024), BLOCK=1024)
                    self.assertEqual((one[0], np.signbit(one[0])), (0, n >= 1024))
        self.on_each_device(test)

    def test_tiles_end_in_both_directions(self):
        def test(random):
            for height, width in ((33, 200), (16, 256), (1, 1), *random.integers(1, 300, (4, 2))):
                with self.subTest(height=int(height), width=int(width), seed=SEED):
                    x = random.integers(0, 99, (height, width), np.int32)
                    out = np.zeros_like(x)
                    tile[(triton.cdiv(height, 16), triton.cdiv(width, 256))](x, out, int(height), int(width), ROWS=16,
                                                                            COLUMNS=256)
                    np.testing.assert_array_equal(out, x + np.arange(height)[:, None])
        self.on_each_device(test)


if __name__ == "__main__":
    unittest.main()
