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


@triton.jit
def scale_channels(x, scales, out, n, CHANNELS: tl.constexpr, POINTS: tl.constexpr, BLOCK: tl.constexpr):
    """Multiplies each channel by its own number, which neighbours share."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    scale = tl.load(scales + at // POINTS % CHANNELS, mask=mask & (at % 3 != 1), other=2.0)
    tl.store(out + at, tl.load(x + at, mask=mask) * scale, mask=mask)


@triton.jit
def scale_rows(x, scales, out, rows, width, PART: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Multiplies each part of a row by its own number."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    for first in range(0, width, COLUMNS):
        j = first + tl.arange(0, COLUMNS)[None, :]
        mask = (i < rows) & (j < width)
        scale = tl.load(scales + i * (width // PART) + j // PART, mask=mask)
        tl.store(out + i * width + j, tl.load(x + i * width + j, mask=mask) * scale, mask=mask)


@triton.jit
def around_zero(x, out, PERIOD: tl.constexpr, BLOCK: tl.constexpr):
    """Divides indices of which half are negative. Quotients are rounded towards zero."""
    at = tl.arange(0, BLOCK) - BLOCK // 2
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + BLOCK + at // PERIOD))


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

    def test_numbers_of_channels(self):
        def test(random):
            for points in (784, 49, 3136, 24, 16, 8, 512):
                for block in (64, 1024):
                    with self.subTest(points=points, block=block, seed=SEED):
                        channels, n = 6, 6 * points * 2 + int(random.integers(0, 40))
                        x = random.standard_normal(n, np.float32)
                        scales = random.standard_normal(channels, np.float32)
                        out = np.zeros(n, np.float32)
                        scale_channels[(triton.cdiv(n, block),)](x, scales, out, n, CHANNELS=channels, POINTS=points,
                                                                 BLOCK=block)
                        at = np.arange(n)
                        scale = np.where(at % 3 != 1, scales[at // points % channels], np.float32(2))
                        np.testing.assert_array_equal(out, x * scale)
        self.on_each_device(test)

    def test_numbers_of_parts_of_rows(self):
        def test(random):
            for part, columns in ((16, 64), (32, 16), (8, 128), (48, 64), (128, 128)):
                for dtype in (np.float32, np.float16, np.int8, np.int64):
                    with self.subTest(part=part, columns=columns, dtype=dtype.__name__, seed=SEED):
                        rows, width = int(random.integers(1, 20)), part * int(random.integers(1, 6))
                        x = random.integers(-9, 9, (rows, width)).astype(dtype)
                        scales = random.integers(-9, 9, (rows, width // part)).astype(dtype)
                        out = np.zeros((rows, width), dtype)
                        scale_rows[(triton.cdiv(rows, 8),)](x, scales, out, rows, width, PART=part, ROWS=8,
                                                            COLUMNS=columns)
                        np.testing.assert_array_equal(out, x * np.repeat(scales, part, axis=1))
        self.on_each_device(test)

    def test_negative_indices(self):
        def test(random):
            for period in (16, 24, 64):
                with self.subTest(period=period, seed=SEED):
                    x, out = random.standard_normal(512, np.float32), np.zeros(256, np.float32)
                    around_zero[(1,)](x, out, PERIOD=period, BLOCK=256)
                    at = np.trunc((np.arange(256) - 128) / period).astype(int)
                    np.testing.assert_array_equal(out, x[256 + at])
        self.on_each_device(test)


if __name__ == "__main__":
    unittest.main()
