"""Devices that are lost, and kernels out of bounds: a Vulkan layer (tests/fault-layer) makes lavapipe lose its device.

    PYTHONPATH=... python python/test/test_loss.py
"""
import ctypes
import gc
import mmap
import os
import pathlib
import subprocess
import sys
import threading
import unittest

import numpy as np
import triton
import triton.language as tl

import pumice
from pumice import _native

LAYERS = pathlib.Path(pumice.__file__).absolute().parents[2] / "tests" / "layers"
if LAYERS.is_dir():  # this must happen before Vulkan is loaded
    os.environ["VK_LOADER_LAYERS_DISABLE"] = "~implicit~"
    os.environ["VK_LAYER_PATH"], os.environ["VK_INSTANCE_LAYERS"] = str(LAYERS), "VK_LAYER_PUMICE_fault"


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@triton.jit
def read_from(x, out, first, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + first + at))


@triton.jit
def write_to(x, first, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(x + first + at, at * 0.0 + 77.0)


class losing:
    """Makes work that is submitted meanwhile lose its device.

    `fault` is the address of the fault, and `how` the submissions that lose the device, as the layer names them.
    """

    def __init__(self, fault="", how="next"):
        self.fault, self.how = fault, how

    def __enter__(self):
        os.environ["PUMICE_FAULT_ADDRESS"] = self.fault
        os.environ["PUMICE_FAULT_LOSE"] = self.how

    def __exit__(self, *_):
        del os.environ["PUMICE_FAULT_LOSE"]


class OnVulkan(unittest.TestCase):
    def setUp(self):
        if not LAYERS.is_dir():
            self.skipTest("the layer that loses devices is not built")
        try:
            self.device = pumice.use("vulkan")
        except pumice.Error as error:
            self.skipTest(str(error))

    def tearDown(self):
        pumice.use(None)

    def adds(self, n=1000):
        x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
        out = np.zeros(n, np.float32)
        add[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
        np.testing.assert_array_equal(out, x + 1)

    def loses(self, work, fault=""):
        """Runs `work`, whose submission loses the device, and returns its error."""
        with losing(fault), self.assertRaises(pumice.Error) as raised:
            work()
        self.assertIsInstance(raised.exception, pumice.DeviceLostError)
        return str(raised.exception)


class Lost(OnVulkan):
    def test_the_next_launch_works(self):
        for n in (1000, 500_000):  # the first is copied, and the second is lent
            with self.subTest(n=n):
                self.adds(n)
                said = self.loses(lambda: self.adds(n), f"read+{4 * n + 64}")
                self.assertIn("vulkan:0: ", said)
                if n == 1000:
                    self.assertIn("kernel 'add', argument 'x': it read 64 bytes past the end of its storage of ", said)
                self.assertIn("kernel 'add' was not done", said)
                self.adds(n)
                self.assertIs(pumice.device("vulkan"), self.device)

    def test_arrays_are_gone_and_say_so(self):
        x = pumice.from_numpy(np.ones((4, 250), np.float32))
        out = pumice.zeros(1000)
        pumice.synchronize()
        self.loses(lambda: (add[(4,)](x, x, out, 1000, BLOCK=256), pumice.synchronize()), "write+5000")
        named = r"Array\(\(4, 250\), float32, vulkan:0\): .*its memory of 4000 bytes was lost with the device at "
        for use in (x.numpy, lambda: x.fill(1), lambda: pumice.zeros((4, 250)).copy_from(x), x.reshape(4, 250).numpy,
                    lambda: add[(4,)](x, x, pumice.zeros(1000), 1000, BLOCK=256),
                    lambda: add[(4,)](x, np.ones(1000, np.float32), np.ones(1000, np.float32), 1000, BLOCK=256)):
            with self.assertRaisesRegex(pumice.Error, named) as raised:
                use()
            self.assertIsInstance(raised.exception, pumice.DeviceLostError)
            self.assertIn("a fault of the test", str(raised.exception))
        x, out = pumice.from_numpy(np.ones(1000, np.float32)), pumice.zeros(1000)
        add[(4,)](x, x, out, 1000, BLOCK=256)
        np.testing.assert_array_equal(out.numpy(), np.full(1000, 2, np.float32))

    def test_lost_devices_are_closed(self):
        """A GPU's data for a lost device is freed when the arrays on it are freed."""
        self.adds()
        for _ in range(3):
            self.loses(self.adds)
            self.adds()
        gc.collect()
        self.assertEqual(ctypes.CDLL(str(LAYERS / "pumice_fault_layer.so")).pumiceFaultLayerDevices(), 1)

    def test_programs_go_on(self):
        program = pumice.compile("""
          gpu.module @m { gpu.func @twice(%x: memref<?xf32>) kernel
              attributes {known_block_size = array<i32: 64, 1, 1>} {
            %i = gpu.global_id x
            %v = memref.load %x[%i] : memref<?xf32>
            %w = arith.addf %v, %v : f32
            memref.store %w, %x[%i] : memref<?xf32>
            gpu.return } }""")
        x = np.ones(64, np.float32)
        program["twice"][1](x)
        self.loses(lambda: program["twice"][1](x))
        x[:] = 3
        program["twice"][1](x)
        np.testing.assert_array_equal(x, np.full(64, 6, np.float32))

    def test_threads_get_the_error_and_continue(self):
        wrong, lost, stop = [], [], threading.Event()

        def work():
            while not stop.is_set():
                try:
                    self.adds(int(np.random.randint(1, 3000)))
                except pumice.Error as error:
                    (lost if isinstance(error, pumice.DeviceLostError) else wrong).append(error)
                except BaseException as error:
                    wrong.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(2):
            before = len(lost)
            with losing(how=f"once:told {number}"):
                while not stop.wait(0.01) and len(lost) == before:
                    pass
            stop.wait(0.05)
        stop.set()
        for thread in threads:
            thread.join(60)
            self.assertFalse(thread.is_alive(), "it waits for ever")
        self.assertEqual(wrong, [])
        self.assertTrue(lost)
        self.adds()

    def test_each_thread_loses_one_launch_at_most(self):
        """Other threads wait while one opens the device again, and do not see the lost one meanwhile."""
        def work(lost):
            for _ in range(8):
                try:
                    self.adds()
                except pumice.Error:
                    lost.append(1)

        self.adds()
        for number in range(10):
            lost = [[] for _ in range(4)]
            threads = [threading.Thread(target=work, args=(each,)) for each in lost]
            # With "next", a second submission could lose the device before the first loss is known.
            with losing(how=f"once:alone {number}"):
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(60)
            counts = [len(each) for each in lost]
            self.assertGreaterEqual(sum(counts), 1)
            self.assertLessEqual(max(counts), 1, counts)


class Strays(OnVulkan):
    N = 4096  # f32 numbers: 16 KiB

    def setUp(self):
        super().setUp()
        self.device._lent_from = 256 << 10  # another test may have lost the device, which turns lending off

    def test_lent_arrays_have_memory_around_them(self):
        x = np.full(3_000_000, 5, np.float32)  # so large that it gets a separate mapping
        start, end = x.ctypes.data, x.ctypes.data + x.nbytes
        for first in (start - 65536, end):
            self.assertTrue(_native.make_readable(first, 65536))
            self.assertEqual(len(ctypes.string_at(first, 65536)), 65536)
        held = len(self.device._pool._free)
        found = np.zeros(self.N, np.float32)
        for first in (-self.N, x.size, x.size - self.N):
            read_from[(1,)](x, found, first, N=self.N)
        np.testing.assert_array_equal(found, 5)
        self.assertLessEqual(len(self.device._pool._free), held + 1, "it was copied")

    def test_memory_that_may_not_be_read_stays_so(self):
        page = mmap.PAGESIZE
        memory = mmap.mmap(-1, 3 * page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        libc = ctypes.CDLL(None, use_errno=True)
        self.assertEqual(libc.mprotect(ctypes.c_void_p(start + page), page, 0), 0)
        self.assertTrue(_native.make_readable(start, page))
        self.assertFalse(_native.make_readable(start, 3 * page))
        libc.mprotect(ctypes.c_void_p(start + page), page, mmap.PROT_READ | mmap.PROT_WRITE)

    def test_around_tensors_of_the_host(self):
        for size in (10, 1000, 100_000, 2_000_000):
            x, found = np.full(size, 5, np.float32), np.ones(self.N, np.float32)
            for first in (-self.N, size):
                with self.subTest(size=size, first=first):
                    found[:] = 1
                    read_from[(1,)](x, found, first, N=self.N)
                    if 4 * size >= 256 << 10:
                        continue  # lent: only the readability of its surroundings is known
                    # A copy keeps its offset within 64 bytes, and the bytes before it are not part of the slack.
                    np.testing.assert_array_equal(found[:-16] if first < 0 else found, 0)

    def test_around_arrays(self):
        arrays = [pumice.full(100, i) for i in range(8)]
        found = pumice.full(self.N, 1)
        for first in (-self.N, 100):
            read_from[(1,)](arrays[3], found, first, N=self.N)
            np.testing.assert_array_equal(found.numpy(), 0)
            write_to[(1,)](arrays[3], first, N=self.N)
        for i, array in enumerate(arrays):
            np.testing.assert_array_equal(array.numpy(), np.full(100, i, np.float32))

    def test_writes_reach_no_other_tensor(self):
        x, others = np.zeros(1000, np.float32), [np.full(1000, i, np.float32) for i in range(20)]
        for first in (-self.N, 1000):
            write_to[(1,)](x, first, N=self.N)
        np.testing.assert_array_equal(x, 0)
        for i, other in enumerate(others):
            np.testing.assert_array_equal(other, i)


OPENS = """
import numpy, pumice
pumice.use("vulkan")
x = pumice.full(1000, 3)
assert (x.numpy() == 3).all()
print(pumice.device().id)
"""


class ManyProcesses(OnVulkan):
    def test_twelve_open_at_once(self):
        environment = dict(os.environ, PUMICE_FAULT_REFUSE="2")
        all_ = [subprocess.Popen([sys.executable, "-c", OPENS], env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(12)]
        for one in all_:
            out, err = one.communicate(timeout=120)
            self.assertEqual((one.returncode, out.strip(), err[-500:]), (0, "vulkan:0", ""))


if __name__ == "__main__":
    unittest.main()
