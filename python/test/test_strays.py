"""Kernels that access memory outside their arguments, on the CPU device. The launch reports an error, and the process
continues. Reads slightly outside return zeros.

    PYTHONPATH=... python python/test/test_strays.py
"""
import ctypes
import inspect
import mmap
import subprocess
import sys
import threading
import unittest

import numpy as np

import pumice
import triton
import triton.language as tl

PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
FENCE = 64 << 20  # inaccessible bytes on both sides


class Alone:
    """An array of f32 that fills whole pages, with nothing around it. On both sides there are `hole` unmapped bytes, and
    then fences."""

    def __init__(self, pages=1, hole=0):
        self.bytes, self.hole = pages * PAGE, hole
        self.whole = _libc.mmap(None, self.bytes + 2 * (hole + FENCE), 0,
                                mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, -1, 0)
        _libc.munmap(self.whole + FENCE, self.bytes + 2 * hole)
        self.address = self.whole + FENCE + hole
        fixed_noreplace = 0x100000
        made = _libc.mmap(self.address, self.bytes, mmap.PROT_READ | mmap.PROT_WRITE,
                          mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | fixed_noreplace, -1, 0)
        assert made == self.address
        memory = (ctypes.c_float * (self.bytes // 4)).from_address(self.address)
        self.array = np.ctypeslib.as_array(memory)

    def __enter__(self):
        return self.array

    def __exit__(self, *_):
        for address, size in ((self.whole, FENCE), (self.address, self.bytes),
                              (self.address + self.bytes + self.hole, FENCE)):
            _libc.munmap(address, size)


@triton.jit
def copy_from(x, y, offset, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at + offset) + 1)  # reads


@triton.jit
def waits_for_ever(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    turns = tl.load(x)
    while turns >= 0:  # loop
        turns = tl.load(x, volatile=True)  # turns
    tl.store(y + at, at)


@triton.jit
def store_at(x, offset, BLOCK: tl.constexpr):
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at + offset, at.to(tl.float32))  # writes


def line_of(kernel, mark):
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if f"# {mark}" in line)


@unittest.skipUnless(sys.platform == "linux", "the signals of Linux")
class Strays(unittest.TestCase):
    def setUp(self):
        pumice.use("cpu")
        self.addCleanup(pumice.use, None)

    def test_reads_a_little_outside_get_zeros(self):
        y = np.zeros(1024, np.float32)
        copy_from[(1,)](y, y, 0, BLOCK=1024)  # compiles first, so that nothing is mapped below
        with Alone(hole=2200 << 10) as x:
            x[:] = 5
            for offset in (1, 700, 1024, -1024, -5000, 500_000, -500_000):
                copy_from[(1,)](x, y, offset, BLOCK=1024)
                at = np.arange(1024) + offset
                np.testing.assert_array_equal(y, np.where((at >= 0) & (at < len(x)), 6, 1), str(offset))

    def test_a_read_far_outside_is_an_error(self):
        y = np.zeros(4096, np.float32)
        with Alone(4) as x:
            with self.assertRaises(pumice.Error) as raised:
                copy_from[(4,)](x, y, 10_000_000, BLOCK=1024)
            self.assertEqual(raised.exception.status, "invalid access")
            for text in ("kernel 'copy_from'", f"test_strays.py:{line_of(copy_from, 'reads')}:", "program (",
                         "'x' + 40000000", f"bytes past the end of its storage of {4 * PAGE} bytes"):
                self.assertIn(text, str(raised.exception))
            copy_from[(4,)](x, y, 0, BLOCK=1024)  # the process continues
        np.testing.assert_array_equal(y, 1)

    def test_a_write_outside_is_an_error(self):
        with Alone() as x:
            with self.assertRaisesRegex(pumice.Error, rf"test_strays.py:{line_of(store_at, 'writes')}:.*"
                                        r"program \(0, 1, 0\).*'x' \+ 4096: 0 bytes past the end of its storage of 4096"):
                store_at[(1, 2)](x, 0, BLOCK=1024)
            np.testing.assert_array_equal(x, np.arange(1024))  # earlier writes are kept
            with self.assertRaisesRegex(pumice.Error, "'x' - 4096: 4096 bytes before its storage"):
                store_at[(1, 1)](x, -1024, BLOCK=1024)

    def test_memory_that_may_only_be_read(self):
        with Alone() as x:
            libc = ctypes.CDLL(None)
            libc.mprotect(ctypes.c_void_p(x.ctypes.data), ctypes.c_size_t(PAGE), mmap.PROT_READ)
            with self.assertRaisesRegex(pumice.Error, "inside its storage of 4096 bytes, which does not allow this access"):
                store_at[(1, 1)](x, 0, BLOCK=64)

    def test_a_view_strays_from_its_whole_array(self):
        y = np.zeros(64, np.float32)
        with Alone() as x:
            with self.assertRaisesRegex(pumice.Error, "past the end of its storage of 4096 bytes"):
                store_at[(1, 1)](x[100:200], 1024, BLOCK=64)
            copy_from[(1,)](x[100:200], y, 0, BLOCK=64)

    def test_a_time_out_names_the_line(self):
        device = pumice.use("cpu:0")
        x, y = np.zeros(1, np.int32), np.zeros(64, np.int32)
        device.set_option("timeout_ms", 200)
        try:
            for grid in (1, 4):
                with self.assertRaises(pumice.Error) as raised:
                    waits_for_ever[(grid,)](x, y, BLOCK=16)
                first, last = line_of(waits_for_ever, "loop"), line_of(waits_for_ever, "turns")
                said = str(raised.exception)
                self.assertRegex(said, r"kernel 'waits_for_ever': .*test_strays.py:\d+(:\d+)?: program \([0-3], 0, 0\): "
                                       r"it ran longer than 200 ms")
                line = int(said.split("test_strays.py:")[1].split(":")[0])
                self.assertIn(line, range(first, last + 1))
        finally:
            device.set_option("timeout_ms", 0)
        x[0] = -1
        waits_for_ever[(4,)](x, y, BLOCK=16)
        np.testing.assert_array_equal(y, np.arange(64))

    def test_other_threads_go_on(self):
        wrong = []

        def work():
            x, y = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
            for _ in range(200):
                y[:] = 0
                copy_from[(4,)](x, y, 0, BLOCK=1024)
                if not np.array_equal(y, x + 1):
                    wrong.append(y)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        with Alone() as x:
            for _ in range(100):
                with self.assertRaises(pumice.Error):
                    store_at[(1, 4)](x, 1024, BLOCK=1024)
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_faults_of_other_code_end_the_process(self):
        script = ("import numpy as np, ctypes, test_strays as t, pumice\n"
                  "pumice.use('cpu'); y = np.zeros(1024, np.float32)\n"
                  "t.copy_from[(1,)](y, y, 0, BLOCK=1024)\n"
                  "ctypes.string_at(64)\n")
        done = subprocess.run([sys.executable, "-c", script], cwd=sys.path[0], capture_output=True)
        self.assertEqual(done.returncode, -11, done.stderr)

    def test_faulthandler_sees_faults_of_other_code(self):
        script = ("import faulthandler; faulthandler.enable()\n"
                  "import numpy as np, ctypes, test_strays as t, pumice\n"
                  "pumice.use('cpu')\n"
                  "with t.Alone() as x:\n"
                  "    try:\n"
                  "        t.store_at[(1, 1)](x, 1024, BLOCK=64)\n"
                  "    except pumice.Error as error:\n"
                  "        print(error.status, flush=True)\n"
                  "ctypes.string_at(64)\n")
        done = subprocess.run([sys.executable, "-c", script], cwd=sys.path[0], capture_output=True, text=True)
        self.assertEqual(done.stdout, "invalid access\n")
        self.assertEqual(done.stderr.count("Fatal Python error: Segmentation fault"), 1, done.stderr)
        self.assertEqual(done.returncode, -11)


if __name__ == "__main__":
    unittest.main()
