"""NumPy arrays that share memory share it on the device, too, both lent and copied.

    PYTHONPATH=... python python/test/test_staging.py
"""
import unittest

import numpy as np
from test_pumice import on_each_device

import pumice

# There is one invocation, so that the order of reads and writes is known.
COUNTING = """
gpu.module @m {
  gpu.func @count(%x: memref<?xi32>, %y: memref<?xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %n = memref.dim %y, %c0 : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %before = memref.load %x[%i] : memref<?xi32>
      %after = arith.addi %before, %one : i32
      memref.store %after, %y[%i] : memref<?xi32>
    }
    gpu.return
  }
  gpu.func @mark(%x: memref<?xi32>, %y: memref<?xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %first = arith.constant 7 : i32
    %second = arith.constant 8 : i32
    memref.store %first, %x[%c0] : memref<?xi32>
    memref.store %second, %y[%c0] : memref<?xi32>
    gpu.return
  }
}
"""


class Overlaps(unittest.TestCase):
    SIZES = (40, 1 << 16)  # Vulkan devices copy the first. Those that share the host's memory borrow the second.

    @on_each_device
    def test_a_write_through_one_argument_is_read_through_another(self, device):
        program = pumice.compile(COUNTING, device)
        for size in self.SIZES:
            array = pumice.zeros(size, np.int32, device)
            program.on(device)["count"][1](array[:-1], array[1:])
            host = np.zeros(size, np.int32)
            program.on(device)["count"][1](host[:-1], host[1:])
            np.testing.assert_array_equal(host, np.arange(size, dtype=np.int32))
            np.testing.assert_array_equal(host, array.numpy())

    @on_each_device
    def test_both_arguments_writes_come_back(self, device):
        mark = pumice.compile(COUNTING, device).on(device)["mark"][1]
        for size in self.SIZES:
            for first, second in ((0, 4), (4, 0), (size // 2, 0)):
                host = np.zeros(size, np.int32)
                mark(host[first:], host[second:])
                expected = np.zeros(size, np.int32)
                expected[[first, second]] = 7, 8
                np.testing.assert_array_equal(host, expected)

    @on_each_device
    def test_arrays_begin_anywhere(self, device):
        """Devices with buffer objects only pass no part of them that begins at such a place."""
        mark = pumice.compile(COUNTING, device).on(device)["mark"][1]
        whole = np.zeros(100, np.int32)
        for first in range(16):
            x, y = whole[first:][:20].copy(), whole[40 + first:][:20]
            mark(x, y)
            self.assertEqual((x[0], y[0]), (7, 8))
            y[0] = 0
            mark(y, x)
            self.assertEqual((y[0], x[0]), (7, 8))
            y[0] = 0

    @on_each_device
    def test_the_same_array_twice(self, device):
        host = np.zeros(10, np.int32)
        pumice.compile(COUNTING, device).on(device)["mark"][1](host, host)
        np.testing.assert_array_equal(host, [8] + [0] * 9)

    @on_each_device
    def test_a_part_has_its_own_length_only(self, device):
        host = np.zeros(10, np.int32)
        pumice.compile(COUNTING, device).on(device)["count"][1](host, host[2:5])
        np.testing.assert_array_equal(host, [0, 0, 1, 1, 2, 0, 0, 0, 0, 0])

    @on_each_device
    def test_empty_and_read_only_arrays(self, device):
        count = pumice.compile(COUNTING, device).on(device)["count"][1]
        host = np.zeros(10, np.int32)
        count(host, host[3:3])
        np.testing.assert_array_equal(host, np.zeros(10))
        host.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "argument 1 is read-only"):
            count(np.zeros(10, np.int32), host)
        out = np.zeros(10, np.int32)
        count(host, out)
        np.testing.assert_array_equal(out, np.ones(10))


if __name__ == "__main__":
    unittest.main()
