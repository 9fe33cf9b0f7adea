"""Kernels that need more than a device has, and the error that Triton's autotuner expects.

    PYTHONPATH=... python python/test/test_resources.py
"""
import unittest

import numpy as np
from test_triton import on_each_device  # exits with 77 if Triton is not installed

import pumice
import triton
import triton_kernels as kernels


class Resources(unittest.TestCase):
    @on_each_device
    def test_out_of_resources(self):
        bins = 1 << 18  # 1 MiB of counts
        limit = pumice.device().info["max_workgroup_memory_bytes"]
        if bins * 4 <= limit:
            self.skipTest(f"there are {limit} bytes of workgroup memory")
        with self.assertRaises(triton.runtime.errors.OutOfResources) as caught:
            kernels.histogram[(1,)](np.zeros(16, np.int32), np.zeros(bins, np.int32), BINS=bins,
                                    BLOCK=16)
        self.assertEqual((caught.exception.required, caught.exception.limit), (bins * 4, limit))

    @on_each_device
    def test_how_many_programs_stay(self):
        """Computes the number of programs as Triton's softmax tutorial does, from numbers that no device may report as 0."""
        properties = triton.runtime.driver.active.utils.get_device_properties(
            triton.runtime.driver.active.get_current_device())
        x = np.zeros(256, np.float32)
        kernel = kernels.add.warmup(x, x, x, 256, BLOCK=256, num_warps=8, grid=(1,))
        kernel._init_handles()
        programs = properties["max_num_regs"] // (kernel.n_regs * properties["warpSize"] * 8)
        programs = min(programs, properties["max_shared_mem"] // kernel.metadata.shared)
        self.assertGreater(programs * properties["multiprocessor_count"], 0)

    @on_each_device
    def test_gathers_of_too_much(self):
        for elements, what in ((1 << 18, "bits for places of elements"), (1 << 16, "workgroup memory")):
            if what == "workgroup memory" and elements * 4 <= pumice.device().info["max_workgroup_memory_bytes"]:
                continue
            with self.subTest(elements=elements), \
                    self.assertRaises(triton.runtime.errors.OutOfResources) as caught:
                kernels.reverse[(1,)](np.zeros(elements, np.float32), BLOCK=elements)
            self.assertEqual(caught.exception.name, what)

    @on_each_device
    def test_tensors_without_memory(self):
        try:
            import torch
            from torch._subclasses.fake_tensor import FakeTensorMode
        except ImportError:
            self.skipTest("no torch")
        with FakeTensorMode():
            fake = torch.zeros(4)
        real = torch.zeros(4)
        with self.assertRaisesRegex((pumice.Error, ValueError), "has elements but no memory"):
            kernels.add[(1,)](real, fake, real, 4, BLOCK=4)
        kernels.add[(1,)](real, torch.zeros(0), real, 0, BLOCK=4)  # the tensor has no memory, and nothing is read

    def test_drivers_that_give_up(self):
        from pumice_triton.resources import raise_out_of_resources
        error = pumice.Error("kernel 'k': the driver's compiler gives up on it (vkCreateComputePipelines returned "
                             "VK_ERROR_UNKNOWN (an error the driver does not name)); the kernel keeps 4096 bytes in "
                             "each lane: take a smaller block, or more lanes")
        with self.assertRaisesRegex(triton.runtime.errors.OutOfResources, "kernel 'k': .*keeps 4096.*num_warps") as caught:
            raise_out_of_resources(error)
        self.assertEqual((caught.exception.required, caught.exception.name), (4096, "private memory"))
        self.assertIsNone(raise_out_of_resources(pumice.Error("something else")))


if __name__ == "__main__":
    unittest.main()
