"""Output of Triton kernels, and failed assertions.

    PYTHONPATH=... python python/test/test_debugging.py
"""
import contextlib
import io
import os
import subprocess
import sys
import threading
import unittest

import numpy as np
from test_triton import REQUESTS, on_each_device

import pumice
import triton
import triton.language as tl
import triton_kernels as kernels


@triton.jit
def print_like_an_assertion(x):
    tl.device_print("assertion failed: ", tl.load(x))
    tl.device_print("two\nk.py:7: assertion failed: small")


@triton.jit(debug=True)
def assert_positive(x):
    tl.device_assert(tl.load(x) > 0, "50%\nof \x1e it")


@triton.jit(debug=True)
def sum_up(x, BLOCK: tl.constexpr):
    tl.store(x, tl.sum(tl.load(x + tl.arange(0, BLOCK)), 0))


@triton.jit(debug=True)
def run_up(x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(x + at, tl.cumsum(tl.load(x + at), 1))


@triton.jit
def add_number(x, number):
    tl.store(x, tl.load(x) + number)


class Debugging(unittest.TestCase):
    @on_each_device
    def test_print(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            kernels.printing[(1,)](np.arange(4, dtype=np.float32), BLOCK=4)
        self.assertEqual(said.getvalue().splitlines()[2], "pid (0, 0, 0) idx (2) value: 2.000000")

    @on_each_device
    def test_assertion(self):
        x = np.arange(4, dtype=np.float32)
        with self.assertRaisesRegex(RuntimeError, r"triton_kernels.py:\d+: assertion failed: too large,"
                                    r" in asserting, pid \(0, 0, 0\) idx \(3\), where value \(3.000000\) < 3.000000$"):
            kernels.asserting[(1,)](x, BLOCK=4)
        np.testing.assert_array_equal(x, [1, 2, 3, 4])  # the kernel continued
        kernels.asserting[(1,)](np.zeros(4, np.float32), BLOCK=4)

    @on_each_device
    def test_prints_are_not_taken_for_assertions(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            print_like_an_assertion[(1,)](np.ones(1, np.float32))
        self.assertEqual(sorted(said.getvalue().splitlines()),
                         ["k.py:7: assertion failed: small",
                          "pid (0, 0, 0) assertion failed: 1.000000", "pid (0, 0, 0) two"])

    @on_each_device
    def test_messages_of_several_lines(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            with self.assertRaisesRegex(RuntimeError, r"assertion failed: 50%\nof  it, in assert_positive"):
                assert_positive[(1,)](np.zeros(1, np.float32))
        self.assertEqual(said.getvalue(), "")

    @on_each_device
    def test_overflow(self):
        """Overflow of integers is reported with `debug`, unless that is turned off."""
        largest, least = 2**31 - 1, -(2**31)
        for how in ({}, {"sanitize_overflow": True}, {"debug": True, "sanitize_overflow": False}):
            x = np.array([largest], np.int32)
            compiled = add_number[(1,)](x, 3, **how)
            self.assertEqual(x[0], least + 2)
            self.assertNotIn("i64", compiled.asm["ttir"])  # the code has no arithmetic for checks
        with self.assertRaisesRegex(RuntimeError, "int32 overflow detected for operation add"):
            add_number[(1,)](np.array([largest], np.int32), 3, debug=True)
        add_number[(1,)](np.array([largest], np.int32), -3, debug=True)

    @on_each_device
    def test_assertions_of_threads(self):
        """Each failure is reported once, to the thread that launched the kernel."""
        wrong = []

        def work(value):
            for _ in range(100):
                told = 0
                try:
                    assert_positive[(1,)](np.full(1, value, np.float32))
                except RuntimeError as error:
                    told = str(error).count("assertion failed")
                if told != (value < 0):
                    wrong.append((value, told))

        assert_positive[(1,)](np.ones(1, np.float32))
        threads = [threading.Thread(target=work, args=(value,)) for value in (-1, 1, -1, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @on_each_device
    def test_assertions_of_combine_functions(self):
        """The assertion fails wherever a sum of two numbers overflows. Blocks of 4096 become loops."""
        for elements in (16, 256, 4096):
            for at in (0, 5, elements - 3):
                with self.subTest(elements=elements, at=at):
                    x = np.zeros(elements, np.int32)
                    x[at:at + 2] = 2**31 - 1, 5
                    with self.assertRaisesRegex(RuntimeError, "overflow detected for operation add"):
                        sum_up[(1,)](x, BLOCK=elements)
                    x[:] = 0
                    x[at] = 2**31 - 1
                    sum_up[(1,)](x, BLOCK=elements)
                    self.assertEqual(x[0], 2**31 - 1)

    @on_each_device
    def test_assertions_of_scans(self):
        """Rows are independent of each other, and an element is independent of later ones. This also holds with more
        lanes than elements."""
        for rows, columns, warps in (4, 16, 1), (4, 16, 2), (8, 8, 2), (16, 16, 8), (2, 2, 4), (1, 64, 8):
            for at in range(0, columns, 3):
                with self.subTest(rows=rows, columns=columns, warps=warps, at=at):
                    x = np.zeros((rows, columns), np.int32)
                    x[:, at] = 2**31 - 1
                    run_up[(1,)](x, ROWS=rows, COLUMNS=columns, num_warps=warps)
                    np.testing.assert_array_equal(x != 0, np.arange(columns)[None] >= at + 0 * x)
                    x[:] = 0
                    x[rows // 2, at] = 2**31 - 1
                    x[rows // 2, at - 1] = 5
                    with self.assertRaisesRegex(RuntimeError, "overflow detected for operation add"):
                        run_up[(1,)](x, ROWS=rows, COLUMNS=columns, num_warps=warps)

    @on_each_device
    def test_assertions_of_device_arrays(self):
        """The launching thread's next wait reports the failure, even if another thread waited first."""
        x = pumice.zeros(1)
        assert_positive[(1,)](x)
        other = threading.Thread(target=pumice.synchronize)
        other.start()
        other.join()
        with self.assertRaisesRegex(RuntimeError, "assertion failed"):
            x.numpy()
        x.numpy()

    def test_assertions_that_nobody_waits_for(self):
        code = f"""
import sys, threading
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import pumice, test_debugging
pumice.use({REQUESTS[-1]!r})
x = pumice.zeros(1)
thread = threading.Thread(target=lambda: test_debugging.assert_positive[(1,)](x))
thread.start(); thread.join()
pumice.synchronize()
print("done")
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "done\n")
        self.assertIn("assertion failed: 50%", done.stderr)

    def test_work_in_flight_at_exit(self):
        """The process waits for the kernel when it ends, and prints its output."""
        for request in REQUESTS:
            code = f"""
import sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import pumice, test_debugging, triton_kernels
pumice.use({request!r})
x = pumice.zeros(1)
triton_kernels.spin[(1,)](pumice.full(1, 1), 20000, SAYS=True)
test_debugging.assert_positive[(1,)](x)
"""
            with self.subTest(request=request):
                done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.strip(), "what the kernel prints")
                self.assertIn("assertion failed: 50%", done.stderr)


if __name__ == "__main__":
    unittest.main()
