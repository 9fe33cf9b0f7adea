"""What Triton's own runtime gives its users, as CUDA's back end has it: devices by number, hooks, compiled kernels.

    PYTHONPATH=... python python/test/test_runtime.py
"""
import os
import tempfile
import unittest

_folder = tempfile.TemporaryDirectory()
os.environ["TRITON_CACHE_DIR"] = _folder.name

import numpy as np
from test_triton import on_each_device

import pumice
import triton
import triton_kernels as kernels
from triton.runtime import driver


def add(n=64):
    x = np.arange(n, dtype=np.float32)
    out = np.zeros_like(x)
    kernel = kernels.add[(1,)](x, x, out, n, BLOCK=64)
    np.testing.assert_array_equal(out, x + x)
    return kernel


class Devices(unittest.TestCase):
    def tearDown(self):
        pumice.use(None)

    @on_each_device
    def test_the_current_device_is_a_number(self):
        kernels.add.device_caches.clear()
        add()
        number = driver.active.get_current_device()
        self.assertIs(type(number), int)
        self.assertEqual(list(kernels.add.device_caches), [number])
        self.assertEqual(driver.active.get_device_interface().current_device(), number)
        self.assertIsInstance(driver.active.get_current_stream(number), int)
        self.assertEqual(driver.active.utils.get_device_properties(number)["max_shared_mem"],
                         pumice.device().info["max_workgroup_memory_bytes"])

    def test_each_device_has_a_number_of_its_own(self):
        numbers = {}
        kernels.add.device_caches.clear()
        for request in ("cpu", "vulkan"):
            try:
                pumice.use(request)
            except pumice.Error:
                continue
            kernel = add()
            numbers[pumice.device().id] = driver.active.get_current_device()
            self.assertEqual(kernel.metadata.target.arch, pumice.device().id)
        self.assertEqual(len(set(numbers.values())), len(numbers))
        self.assertEqual(set(kernels.add.device_caches), set(numbers.values()))
        interface = driver.active.get_device_interface()
        self.assertGreater(interface.device_count(), max(numbers.values()))
        for id, number in numbers.items():
            driver.active.set_current_device(number)
            self.assertEqual((pumice.device().id, driver.active.get_current_device()), (id, number))
            self.assertEqual(interface.get_device_name(number), pumice.device().name)
        last = driver.active.get_current_device()
        for id, number in numbers.items():
            with interface.device(number):
                self.assertEqual(pumice.device().id, id)
            self.assertEqual(driver.active.get_current_device(), last)

    @on_each_device
    def test_numbers_of_no_device(self):
        driver.active.get_current_device()
        for number in (-1, 1000):
            with self.assertRaisesRegex(ValueError, f"the number of a device .*got {number}"):
                driver.active.set_current_device(number)
            with self.assertRaisesRegex(ValueError, rf"0 \(.*got {number}"):
                driver.active.utils.get_device_properties(number)
        with self.assertRaises(TypeError):
            driver.active.utils.get_device_properties(1.5)

    @on_each_device
    def test_properties_that_are_not_known(self):
        with self.assertRaisesRegex(KeyError, f"'mem_clock_rate' of {pumice.device().id} is not known"):
            triton.testing.get_dram_gbps()

    @on_each_device
    def test_tools_of_benchmarks(self):
        active = driver.active
        cache = active.get_empty_cache_for_benchmark()
        active.clear_cache(cache)
        cache.zero_()
        interface = active.get_device_interface()
        with interface.stream(interface.Stream()) as stream:
            add()
            stream.synchronize()
        interface.synchronize(active.get_current_device())
        self.assertTrue(interface.current_stream().query())
        self.assertEqual(len(active.get_benchmarker()(add, warmup=1, rep=1, quantiles=[0.5, 0.2])), 2)


if __name__ == "__main__":
    unittest.main()
