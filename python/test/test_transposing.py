"""Copies that transpose, and indices with quotients and remainders, compared with NumPy.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_transposing.py
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
SEED = int(os.environ.get("PUMICE_TEST_SEED", "11"))


@triton.jit
def transpose(x, out, height, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (i < height) & (j < width)
    tl.store(out + j * height + i, tl.load(x + i * width + j, mask=mask), mask=mask)


@triton.jit
def to_channels_last(x, out, images, CHANNELS: tl.constexpr, POINTS: tl.constexpr, ROWS: tl.constexpr,
                     COLUMNS: tl.constexpr):
    """Writes [image, point, channel] from [image, channel, point]. A row is a channel of an image."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    point = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (row < images * CHANNELS) & (point < POINTS)
    v = tl.load(x + row * POINTS + point, mask=mask)
    tl.store(out + row % CHANNELS + CHANNELS * point + CHANNELS * POINTS * (row // CHANNELS), v, mask=mask)


@triton.jit
def wrapped(x, out, n, PERIOD: tl.constexpr, BLOCK: tl.constexpr):
    """Reads a row of PERIOD elements again and again."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at % PERIOD) + tl.load(x + at // PERIOD), mask=at < n)


@triton.jit
def wrapped_at_address(addresses, out, n, PERIOD: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(out + at, tl.load(x + at % PERIOD), mask=at < n)


class Transposing(unittest.TestCase):
    def on_each_device(self, test):
        for name in DEVICES:
            with self.subTest(device=name):
                pumice.use(name)
                test(np.random.default_rng(SEED))

    def test_matrices(self):
        def test(random):
            for dtype, rows, columns in ((np.float32, 32, 32), (np.float16, 16, 64), (np.int8, 64, 16),
                                         (np.int64, 8, 128), (np.int64, 32, 32)):
                height, width = (int(n) for n in random.integers(1, 200, 2))
                with self.subTest(dtype=dtype.__name__, block=(rows, columns), shape=(height, width), seed=SEED):
                    x = random.integers(-99, 99, (height, width)).astype(dtype)
                    out = np.zeros((width, height), dtype)
                    transpose[(triton.cdiv(height, rows), triton.cdiv(width, columns))](
                        x, out, height, width, ROWS=rows, COLUMNS=columns)
                    np.testing.assert_array_equal(out, x.T)
        self.on_each_device(test)

    def test_channels_move_to_the_end(self):
        def test(random):
            for images, channels, points in ((4, 96, 100), (3, 16, 33), (2, 24, 64), (5, 7, 9), (1, 128, 256)):
                for rows, columns in ((32, 32), (64, 16)):
                    with self.subTest(shape=(images, channels, points), block=(rows, columns), seed=SEED):
                        x = random.standard_normal((images, channels, points), np.float32)
                        out = np.zeros((images, points, channels), np.float32)
                        grid = (triton.cdiv(images * channels, rows), triton.cdiv(points, columns))
                        to_channels_last[grid](x, out, images, CHANNELS=channels, POINTS=points, ROWS=rows,
                                               COLUMNS=columns)
                        np.testing.assert_array_equal(out, x.transpose(0, 2, 1))
        self.on_each_device(test)

    def test_rows_that_repeat(self):
        def test(random):
            for period in (16, 24, 32, 48, 100, 7, 512):
                with self.subTest(period=period, seed=SEED):
                    n = 1000
                    x = random.standard_normal(1024, np.float32)
                    out = np.zeros(n, np.float32)
                    wrapped[(triton.cdiv(n, 256),)](x, out, n, PERIOD=period, BLOCK=256)
                    at = np.arange(n)
                    np.testing.assert_array_equal(out, x[at % period] + x[at // period])
                    if pumice.device().id.startswith("cpu"):  # which accesses the host's addresses
                        wrapped_at_address[(triton.cdiv(n, 256),)](np.array([x.ctypes.data]), out, n,
                                                                     PERIOD=period, BLOCK=256)
                        np.testing.assert_array_equal(out, x[at % period])
        self.on_each_device(test)


if __name__ == "__main__":
    unittest.main()
