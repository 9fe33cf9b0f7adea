"""Kernels that need more than a device has, as Triton's autotuner asks for it.

    PYTHONPATH=... python python/test/test_resources.py
"""
import unittest

import numpy as np
from test_triton import on_each_device  # ends with 77 where there is no triton

import pumice
import triton
import triton_kernels as kernels


class Resources(unittest.TestCase):
    @on_each_device
    def test_out_of_resources(self):
        bins = 1 << 18  # a MiB of counts
        limit = pumice.device().info["max_workgroup_memory_bytes"]
        if bins * 4 <= limit:
            self.skipTest(f"there are {limit} bytes of workgroup memory")
        with self.assertRaises(triton.runtime.errors.OutOfResources) as caught:
            kernels.histogram[(1,)](np.zeros(16, np.int32), np.zeros(bins, np.int32), BINS=bins,
                                    BLOCK=16)
        self.assertEqual((caught.exception.required, caught.exception.limit), (bins * 4, limit))

    def test_drivers_that_give_up(self):
        from pumice_triton.resources import raise_out_of_resources
        error = pumice.Error("kernel 'k': the driver's compiler gives up on it (vkCreateComputePipelines answers "
                             "VK_ERROR_UNKNOWN (an error the driver does not name)); it keeps 4096 bytes in each lane: "
                             "take a smaller block, or more lanes")
        with self.assertRaisesRegex(triton.runtime.errors.OutOfResources, "kernel 'k': .*keeps 4096.*num_warps") as caught:
            raise_out_of_resources(error)
        self.assertEqual((caught.exception.required, caught.exception.name), (4096, "private memory"))
        self.assertIsNone(raise_out_of_resources(pumice.Error("something else")))


if __name__ == "__main__":
    unittest.main()
