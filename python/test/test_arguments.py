"""Arguments of Triton kernels: addresses, numbers, arrays of all kinds.

    PYTHONPATH=... python python/test/test_arguments.py
"""
import pathlib
import re
import unittest

import numpy as np
from test_triton import close, floats, on_each_device  # exits with 77 if Triton is not installed

import pumice
import triton_kernels as kernels


class Arguments(unittest.TestCase):
    @on_each_device
    def test_addresses_in_memory(self):
        rows = [pumice.from_numpy(floats(16)) for _ in range(3)]
        addresses = pumice.from_numpy(np.array([row.data_ptr() for row in rows]))
        out = pumice.zeros(16)
        kernels.sum_of_rows[(1,)](addresses, out, 3, BLOCK=16)
        close(out.numpy(), sum(row.numpy() for row in rows))

    def test_addresses_of_the_host(self):
        pumice.use("cpu")
        self.addCleanup(pumice.use, None)
        rows = [floats(16) for _ in range(3)]
        out = np.zeros(16, np.float32)
        kernels.sum_of_rows[(1,)](np.array([row.ctypes.data for row in rows]), out, 3, BLOCK=16)
        close(out, sum(rows))

    @on_each_device
    def test_numbers(self):
        out = np.zeros(6)
        kernels.numbers[(1,)](out, True, -3, 1 << 40, 2.5, (3, (4.5,)), None, N=7)
        np.testing.assert_array_equal(out, [1, -3, 2.0**40, 2.5, 7.5, 7])
        kernels.numbers[(1,)](out, np.bool_(False), np.int8(-3), np.uint64(1 << 63),
                              np.float32(0.5), (np.int32(3), (np.float16(0.25),)), None, N=7)
        np.testing.assert_array_equal(out, [0, -3, 2.0**63, 0.5, 3.25, 7])

    @on_each_device
    def test_one_array_twice(self):
        x = floats(64)
        expected = x[:-1] + x[1:]
        kernels.add[(1,)](x, x[1:], x, 63, BLOCK=64)  # a view and its array, one of which is written
        np.testing.assert_array_equal(x[:-1], expected)

    @on_each_device
    def test_elements_before_a_pointer(self):
        x, out = np.arange(64, dtype=np.float32), np.zeros(32, np.float32)
        kernels.backwards[(1,)](x[40:], out, 32, BLOCK=32)
        np.testing.assert_array_equal(out, np.arange(40, 8, -1))

    @on_each_device
    def test_types(self):
        for name in ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"):
            x, out = np.arange(9, dtype=name), np.zeros(9, name)
            kernels.increment[(1,)](x, out, 7, BLOCK=8)
            np.testing.assert_array_equal(out, [1, 2, 3, 4, 5, 6, 7, 0, 0], name)
            kernels.increment[(1,)](x[1:], out[1:], 3, BLOCK=8)  # begins at an odd byte
            np.testing.assert_array_equal(out, [1, 2, 3, 4, 5, 6, 7, 0, 0], name)
            kernels.increment[(1,)](x[1:], out, 3, BLOCK=8)
            np.testing.assert_array_equal(out, [2, 3, 4, 4, 5, 6, 7, 0, 0], name)

    @on_each_device
    def test_device_arrays(self):
        x, out = pumice.from_numpy(floats(16)), pumice.empty(16)
        kernels.add[(1,)](x, x, out, 16, BLOCK=16)
        np.testing.assert_array_equal(out.numpy(), 2 * x.numpy())
        host = np.ones(16, np.float32)
        kernels.add[(1,)](x, host, out, 16, BLOCK=16)
        np.testing.assert_array_equal(out.numpy(), x.numpy() + 1)

    @on_each_device
    def test_empty(self):
        nothing = np.zeros(0, np.float32)
        kernels.add[(0,)](nothing, nothing, nothing, 0, BLOCK=16)
        kernels.add[(1,)](nothing, nothing, nothing, 0, BLOCK=16)

    @on_each_device
    def test_dlpack(self):
        class Foreign:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **how):
                return self.array.__dlpack__(**how)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        x, out = floats(16), np.zeros(16, np.float32)
        kernels.add[(1,)](Foreign(x), Foreign(x), Foreign(out), 16, BLOCK=16)
        np.testing.assert_array_equal(out, 2 * x)

    @on_each_device
    def test_refusals(self):
        x, out = floats(16), np.zeros(16, np.float32)
        out.flags.writeable = False
        with self.assertRaisesRegex((pumice.Error, ValueError), "argument .*'out': it is read-only"):
            kernels.add[(1,)](x, x, out, 16, BLOCK=16)
        with self.assertRaisesRegex(TypeError, "argument 'y': failed to specialize argument of type: str"):
            kernels.add[(1,)](x, "x", x, 16, BLOCK=16)
        for name in ("complex64", ">f4", "object", "<U3", "datetime64[s]"):
            said = re.escape(f"argument 'y' has elements of type {name}, which kernels cannot use: convert")
            with self.assertRaisesRegex(TypeError, said):
                kernels.add[(1,)](x, np.zeros(16, name), x, 16, BLOCK=16)
        with self.assertRaisesRegex(KeyError, "no_such_option"):
            kernels.add[(1,)](x, x, x, 16, BLOCK=16, no_such_option=3)
        with self.assertRaisesRegex(ValueError, "num_warps is 3"):
            kernels.add[(1,)](x, x, x, 16, BLOCK=16, num_warps=3)
        with self.assertRaisesRegex(TypeError, "a grid has whole numbers of programs, not 1.5"):
            kernels.add[(1.5,)](x, x, x, 16, BLOCK=16)
        with self.assertRaisesRegex(ValueError, "a grid has"):
            kernels.add[(-1,)](x, x, x, 16, BLOCK=16)

    @on_each_device
    def test_error_names_the_line(self):
        with self.assertRaises(pumice.Error) as caught:
            kernels.assembly[(1,)](floats(16), BLOCK=16)
        lines = pathlib.Path(kernels.__file__).read_text().splitlines()
        line = 1 + next(i for i, text in enumerate(lines) if "# refused" in text)
        self.assertIn(f"triton_kernels.py:{line}:", str(caught.exception))

    @on_each_device
    def test_halves_of_words(self):
        """Atomics of 16 bits are correct wherever memory begins, and do not change the bytes around it."""
        for dtype in (np.float16, np.int16):
            for at in range(4):
                x = np.full(12, 7, dtype)
                kernels.exchange_halves[(1,)](x[at:], N=4)
                np.testing.assert_array_equal(x, [7] * at + [1, 2, 3, 4] + [7] * (8 - at))
        for at in range(4):
            x = np.zeros(12, np.float16)
            kernels.add_halves[(3,)](x[at:], N=4)
            np.testing.assert_array_equal(x, [0] * at + [3] * 4 + [0] * (8 - at))

    @on_each_device
    def test_ones_of_numpy(self):
        for one in (np.int8(1), np.uint8(1), np.int32(1), np.int64(1), np.uint64(1)):
            x = np.full(4, 5, np.int64)
            kernels.add_numbers[(1,)](x, one, 1 << 40)
            self.assertEqual(x[0], 6 + (1 << 40))
            out = np.zeros(6)
            kernels.numbers[(1,)](out, True, one, 1 << 40, 2.5, (one, (one,)), None, N=7)
            np.testing.assert_array_equal(out, [1, 1, 2.0**40, 2.5, 2, 7])


if __name__ == "__main__":
    unittest.main()
