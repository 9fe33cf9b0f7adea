"""Arrays on every device that PUMICE_TEST_DEVICES names, or the CPU device: parts, and other libraries' memory.

    PYTHONPATH=... python python/test/test_arrays.py
"""
import sys
import unittest
from unittest import mock

import numpy as np
from test_pumice import on_each_device

import pumice

try:
    import torch
except ImportError:
    torch = None

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

needs_torch = unittest.skipUnless(torch, "torch is not installed")


class Parts(unittest.TestCase):
    @on_each_device
    def test_parts_without_gaps(self, device):
        host = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
        array = pumice.from_numpy(host, device)
        for key in (1, -1, np.int64(2), slice(1, 3), slice(None), slice(5, 9), ..., (0, 2), (0, slice(1, 3)),
                    (2, 3, slice(1, 4)), (..., slice(None)), (1, ...), (slice(1, 2), slice(0, 2)), (1, 2, 3),
                    (slice(2, 0), slice(0, 2)), (slice(0, 1), slice(1, 2), slice(2, 5)), slice(1, 2, 7), ()):
            part = array[key]
            self.assertEqual(part.shape, host[key].shape, key)
            np.testing.assert_array_equal(part.numpy(), host[key], str(key))
        self.assertEqual([len(array), len(list(array))], [3, 3])
        self.assertEqual(list(array)[2][1][4].item(), 49)

    @on_each_device
    def test_invalid_indices(self, device):
        array = pumice.zeros((3, 4), device=device)
        for key in ((slice(None), 1), slice(None, None, 2), slice(None, None, -1), (slice(0, 2), slice(1, 3))):
            with self.assertRaisesRegex(ValueError, "has gaps.*index .numpy"):
                array[key]
        for key in (3, -4, (0, 4), (0, 0, 0), (..., ...)):
            with self.assertRaises(IndexError):
                array[key]
        for key in (None, "x", np.array([0, 1]), 1.5):
            with self.assertRaisesRegex(TypeError, "cannot index a device's array"):
                array[key]
        with self.assertRaisesRegex(TypeError, "no length"):
            iter(array[0, 0])
        with self.assertRaisesRegex(ValueError, r"expected an array \(4,\) of float32, got \(4,\) of float64"):
            array[0] = np.zeros(4)

    @on_each_device
    def test_parts_share_memory(self, device):
        array = pumice.zeros((3, 5), np.uint8, device)
        array[1].fill(7)
        array[2, 1:3] = np.array([1, 2], np.uint8)
        array[2, 3:4] = [3]
        array[0, 4] = 9
        array[2, 0:1] = array[0, 4:5]
        np.testing.assert_array_equal(array.numpy(), [[0, 0, 0, 0, 9], [7] * 5, [9, 1, 2, 3, 0]])

    @on_each_device
    def test_fill_and_copy(self, device):
        for dtype, value in ((np.bool_, True), (np.int8, -3), (np.float16, 0.1), (np.int32, -70000),
                             (np.float64, 0.1), (np.int64, -1), (np.uint64, 1 << 63), (np.float32, np.inf)):
            array = pumice.full((2, 3), value, dtype, device)
            kept = array.copy()
            np.testing.assert_array_equal(array.zero_().numpy(), np.zeros((2, 3), dtype))
            np.testing.assert_array_equal(kept.numpy(), np.full((2, 3), value, dtype))

    def test_fill_rejects_what_is_not_a_number(self):
        array = pumice.zeros(3, np.int32, "cpu")
        with self.assertRaisesRegex(TypeError, "an element of type int32 must be a number, got 't'"):
            array.fill("t")
        with self.assertRaisesRegex(ValueError, "type int32 has no element for 5000000000"):
            array.fill(5_000_000_000)
        with self.assertRaisesRegex(TypeError, "an element of type bfloat16 must be a number, got '1'"):
            pumice.full(3, "1", "bfloat16", "cpu")

    def test_shapes(self):
        for shape in (np.int64(5), [np.int32(5)], (5,), 5, np.array([5])):
            for made in (pumice.empty(shape), pumice.zeros(shape), pumice.full(shape, 1)):
                self.assertEqual(made.shape, (5,))
        with self.assertRaises(TypeError):
            pumice.empty(2.5)

    def test_bfloat16_is_rounded_to_nearest(self):
        for value, bits in ((1, 0x3f80), (-0.0, 0x8000), (3.140625, 0x4049), (1.00390625, 0x3f80),
                            (1.01171875, 0x3f82), (float("inf"), 0x7f80), (3.4e38, 0x7f80)):
            self.assertEqual(pumice.full(1, value, "bfloat16").item(), bits, value)
        self.assertGreater(pumice.full(1, float("nan"), "bfloat16").item(), 0x7f80)
        with mock.patch.dict(sys.modules, ml_dtypes=None), \
                self.assertRaisesRegex(TypeError, "float8_e5m2 can be filled only with 0; install ml_dtypes"):
            pumice.full(1, 1.0, "float8_e5m2")


@needs_torch
class Torch(unittest.TestCase):
    TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
             "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")

    @on_each_device
    def test_types(self, device):
        for name in self.TYPES:
            dtype = getattr(torch, name)
            for array in (pumice.empty(3, dtype, device), pumice.zeros(3, dtype, device),
                          pumice.full(3, 0, dtype, device)):
                self.assertEqual((str(array.dtype), array.shape), (name, (3,)))
        for dtype in (torch.complex64, torch.float8_e8m0fnu, torch.qint8):
            with self.assertRaisesRegex(TypeError, "not an element type for kernels"):
                pumice.empty(3, dtype, device)

    @on_each_device
    def test_tensors(self, device):
        for name in self.TYPES:
            tensor = torch.arange(6).reshape(2, 3).to(torch.float32).to(getattr(torch, name))
            for make in (pumice.from_dlpack, pumice.from_numpy, pumice.asarray):
                array = make(tensor, device)
                self.assertEqual((str(array.dtype), array.shape), (name, (2, 3)))
                if array.__dlpack_device__()[0] == 1:
                    again = torch.from_dlpack(array)
                    self.assertEqual(again.dtype, tensor.dtype)
                    self.assertTrue((again.float() == tensor.float()).all(), name)
                else:
                    self.assertEqual(array.numpy().tobytes(), bytes(tensor.untyped_storage()), name)
        for other in ("float8_e5m2", "float32"):
            with self.assertRaisesRegex(ValueError, f"expected an array .* of float8_e4m3fn, got .* of {other}"):
                pumice.zeros(3, "float8_e4m3fn", device).copy_from(torch.zeros(3, dtype=getattr(torch, other)))
        array = pumice.zeros((2, 3), torch.bfloat16, device)
        array.copy_from(torch.ones(2, 3, dtype=torch.bfloat16))
        self.assertEqual(array[1, 2].item(), 0x3f80)

    def test_memory_is_shared(self):
        tensor = torch.zeros(3, dtype=torch.bfloat16)
        pumice.from_dlpack(tensor, "cpu").fill(2.5)
        pumice.synchronize("cpu")
        self.assertEqual(tensor.tolist(), [2.5] * 3)

    def test_capsules_from_before_dlpack_1(self):
        """Capsules that do not say whether memory may be written count as writable."""
        class Old:
            def __init__(self, tensor):
                self.tensor = tensor

            def __dlpack__(self, stream=None):
                return self.tensor.__dlpack__()

            def __dlpack_device__(self):
                return self.tensor.__dlpack_device__()

        tensor = torch.zeros(3, dtype=torch.bfloat16)
        pumice.from_dlpack(Old(tensor), "cpu").fill(2.5)
        pumice.synchronize("cpu")
        self.assertEqual(tensor.tolist(), [2.5] * 3)
        turned = torch.arange(6.).reshape(2, 3).t()
        np.testing.assert_array_equal(pumice.from_dlpack(Old(turned)).numpy(), turned.numpy())
        array = np.arange(3.)
        array.flags.writeable = False
        pumice.from_dlpack(array, "cpu").fill(2.5)  # this is a copy
        pumice.synchronize("cpu")
        self.assertEqual(array.tolist(), [0, 1, 2])

    def test_tensors_that_cannot_be_read(self):
        for tensor, said in ((torch.zeros(3, requires_grad=True), "torch.float32 .*detach"),
                             (torch.zeros(3, device="meta"), "torch.Tensor of torch.float32"),
                             (torch.zeros(3, dtype=torch.float8_e8m0fnu), "torch.float8_e8m0fnu")):
            with self.assertRaisesRegex(TypeError, said):
                pumice.from_dlpack(tensor)
        with self.assertRaisesRegex(TypeError, "complex64 is not an element type for kernels"):
            pumice.from_dlpack(torch.zeros(3, dtype=torch.complex64))
        negated = torch.tensor([1 + 2j]).conj().imag
        with self.assertRaisesRegex(TypeError, r"is_neg.*resolve_neg\(\)"):
            pumice.asarray(negated)
        self.assertEqual(pumice.asarray(negated.resolve_neg()).numpy().tolist(), [-2])
        with self.assertRaisesRegex(TypeError, ">f4 is not an element type for kernels"):
            pumice.from_numpy(np.zeros(3, ">f4"))


@unittest.skipUnless(ml_dtypes, "ml_dtypes is not installed")
class MlDtypes(unittest.TestCase):
    """Tests NumPy types for bfloat16 and floats of 8 bits."""

    NAMES = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")

    @on_each_device
    def test_there_and_back(self, device):
        for name in self.NAMES:
            kind = getattr(ml_dtypes, name)
            host = np.array([[0.5, -2, 1], [4, 0, 8]], kind)
            for array in (pumice.from_numpy(host, device), pumice.asarray(host, device),
                          pumice.empty((2, 3), kind, device).copy_from(host),
                          pumice.empty((2, 3), np.dtype(kind), device).copy_from(host.view(f"u{host.itemsize}"))):
                self.assertEqual(array.dtype, np.dtype(kind))
                self.assertEqual(array.numpy().dtype, np.dtype(kind))
                np.testing.assert_array_equal(array.numpy(), host)
                self.assertEqual(array[0].copy().dtype, np.dtype(kind))
            self.assertEqual(float(pumice.full(2, 1.5, kind, device)[1].item()), 1.5)

    @on_each_device
    def test_names_give_bits_with_it_too(self, device):
        for name in self.NAMES:
            host = np.array([0.5, 2], getattr(ml_dtypes, name))
            array = pumice.from_numpy(host, device, name)
            self.assertEqual(array.dtype, name)
            np.testing.assert_array_equal(array.numpy(), host.view(f"u{host.itemsize}"))


if __name__ == "__main__":
    unittest.main()
