"""Compares inline assembly with NumPy, on every device that PUMICE_TEST_DEVICES names, or the CPU device. It takes all
values of 8 and 16 bits, and random ones of 32 and 64 bits with the ends of their ranges (PUMICE_SEED, printed).

    PYTHONPATH=... python python/test/test_assembly.py
"""
import os
import sys
import tempfile
import time
import unittest

import numpy as np

_cache = tempfile.TemporaryDirectory()  # an empty cache, so that no result comes from other runs
os.environ["TRITON_CACHE_DIR"] = _cache.name

try:
    import triton
except ImportError:
    print("skipped: triton is not installed")
    sys.exit(77)

import pumice
import assembly_kernels as kernels
from assembly_cases import CASES

REQUESTS = os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(",")
SEED = int(os.environ.get("PUMICE_SEED", "0"))
print(f"seed {SEED}")


def on_each_device(test):
    def run(self):
        for request in REQUESTS:
            with self.subTest(device=request):
                pumice.use(request)
                try:
                    test(self)
                except pumice.CompileError as error:
                    if "needs __opencl_c_kernel_clock" not in str(error):
                        raise
                    self.skipTest(f"{request} has no clock that kernels can read")
                finally:
                    pumice.use(None)
    run.__name__ = test.__name__
    return run


def rng():
    return np.random.default_rng(SEED)


def run_case(case):
    """Returns the result of a case, and the expected result."""
    inputs = case.inputs(rng())
    out = np.zeros(len(inputs[0]), case.result)
    block = min(len(out), 1024)
    kernel = (kernels.one, kernels.two, kernels.three)[len(inputs) - 1]
    kernel[(len(out) // block,)](*inputs, out, N=block, ASM=case.assembly, C=case.constraints, PACK=case.pack)
    return inputs, out, case.model(*inputs)


def elapsed(before, after):
    """Returns the time from one reading of the device's clock to another. lavapipe's clock has 32 bits and wraps to 0."""
    difference = int(after) - int(before)
    if pumice.device().info.get("driver_name") != "llvmpipe":
        return difference
    return (difference + 2**31) % 2**32 - 2**31


def differences(out, expected, case):
    if out.dtype.kind != "f":
        return np.flatnonzero(out != expected.astype(out.dtype))
    with np.errstate(all="ignore"):
        a, b = out.astype(np.float64), expected.astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        absolute = case.absolute if pumice.device().info["driver"] == "cpu" else max(case.absolute, case.unfused)
        same |= np.abs(a - b) <= case.tolerance * np.abs(b) + absolute
    return np.flatnonzero(~same)


class Instructions(unittest.TestCase):
    """Tests a kernel for each line of the table."""

    @on_each_device
    def test_every_case(self):
        for case in CASES:
            with self.subTest(case.name):
                inputs, out, expected = run_case(case)
                wrong = differences(out, np.asarray(expected), case)
                if len(wrong):
                    i = wrong[0]
                    self.fail(f"{case.assembly}: {len(wrong)} of {len(out)} are wrong; at {i}, of "
                              f"{[v[i] for v in inputs]}: got {out[i]!r}, expected {expected[i]!r}")


class Idioms(unittest.TestCase):
    """Tests kernels as people write them."""

    @on_each_device
    def test_the_example_of_tritons_documentation(self):
        a, b = rng().integers(0, 256, 4096).astype(np.uint8), 200 * rng().standard_normal(4096).astype(np.float32)
        c, d = np.zeros(4096, np.int32), np.zeros(4096, np.float32)
        kernels.of_documentation[(1,)](a, b, c, d, BLOCK=4096)
        np.testing.assert_array_equal(c, a)
        np.testing.assert_array_equal(d, np.maximum(a, b))

    @on_each_device
    def test_int4_to_half(self):
        x = np.arange(256).astype(np.uint8)
        low, high = np.zeros(256, np.float16), np.zeros(256, np.float16)
        kernels.int4_to_half[(1,)](x, low, high, N=256)
        np.testing.assert_array_equal(low, (x & 15).astype(np.float32) - 8)
        np.testing.assert_array_equal(high, (x >> 4).astype(np.float32) - 8)

    @on_each_device
    def test_gelu_with_a_fast_tanh(self):
        x = (4 * rng().standard_normal(4096)).astype(np.float32)
        o = np.zeros_like(x)
        kernels.gelu[(4,)](x, o, N=1024)
        w = x.astype(np.float64)
        np.testing.assert_allclose(o, 0.5 * w * (1 + np.tanh(0.79788456 * (w + 0.044715 * w**3))), rtol=2e-5, atol=2e-6)

    @on_each_device
    def test_softmax_with_ex2(self):
        x = rng().standard_normal((16, 100)).astype(np.float32)
        o = np.zeros_like(x)
        kernels.softmax[(16,)](x, o, 100, N=128)
        e = np.exp(x - x.max(1, keepdims=True))
        np.testing.assert_allclose(o, e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)

    @on_each_device
    def test_streaming_loads_under_a_predicate(self):
        x, o = rng().standard_normal(300).astype(np.float32), np.ones(512, np.float32)
        kernels.streamed[(4,)](x, o, 300, N=128)
        np.testing.assert_array_equal(o[:300], x)
        self.assertFalse(o[300:].any())

    @on_each_device
    def test_vectors_with_a_cache_policy(self):
        x, o = np.arange(256).astype(np.int32), np.zeros(256, np.int32)
        kernels.with_policy[(1,)](x, o, N=128)
        np.testing.assert_array_equal(o, np.concatenate([x[::2], x[1::2]]))

    @on_each_device
    def test_addresses_by_arithmetic(self):
        x, o = rng().integers(-2**31, 2**31, 129).astype(np.int32), np.zeros(256, np.int32)
        kernels.far[(1,)](x, o, N=128)
        np.testing.assert_array_equal(o[:128], x[1:].view(np.uint32) >> 16)
        np.testing.assert_array_equal(o[128:], x[:128])

    @on_each_device
    def test_atomic_updates(self):
        x, o = np.zeros(8, np.int32), np.zeros(64, np.int32)
        kernels.counted[(1,)](x, o, N=64)
        np.testing.assert_array_equal(x[:4], [sum(range(k + 1, 65, 4)) for k in range(4)])
        np.testing.assert_array_equal(x[4:], [60, 61, 62, 63])
        self.assertEqual(np.count_nonzero(o == 0), 4)

    @on_each_device
    def test_orders_and_fences(self):
        lock, o = np.array([41], np.int32), np.zeros(1, np.int32)
        kernels.locked[(1,)](lock, o)
        self.assertEqual((lock[0], o[0]), (42, 41))

    @on_each_device
    def test_waiting_for_the_launch_before(self):
        x, o = np.arange(64).astype(np.int32), np.zeros(64, np.int32)
        kernels.waiting[(1,)](x, o, N=64)
        np.testing.assert_array_equal(o, x + 1)

    @on_each_device
    def test_a_large_block_of_packed_elements(self):
        x = rng().standard_normal(1 << 15).astype(np.float16)
        o = np.zeros_like(x)
        kernels.large[(2,)](x, o, N=1 << 14)
        np.testing.assert_array_equal(o, (np.abs(x) + x) * np.float16(2))

    @on_each_device
    def test_a_matrix(self):
        x = rng().standard_normal((16, 32)).astype(np.float32)
        o = np.zeros_like(x)
        kernels.matrix[(1,)](x, o, ROWS=16, COLUMNS=32)
        np.testing.assert_allclose(o, x * x[0] + 2, rtol=1e-6, atol=1e-6)


class Places(unittest.TestCase):
    """Tests where and when code runs."""

    @on_each_device
    def test_places(self):
        o = np.zeros((6, 4), np.int32)
        kernels.places[(6,)](o, num_warps=2)
        np.testing.assert_array_equal(o[:, 0], 6)
        np.testing.assert_array_equal(o[:, 1], 64)
        np.testing.assert_array_equal(o[:, 2], 0)
        np.testing.assert_array_equal(o[:, 3], 64)


    @on_each_device
    def test_times(self):
        o, x = np.zeros(2, np.int64), np.ones(1024, np.float32)
        outside = time.monotonic_ns()
        for i in range(3):
            last = o[1]
            kernels.times[(1,)](o, x, N=1024)
            if i:
                self.assertLessEqual(0, elapsed(last, o[0]))
            self.assertLess(0, elapsed(o[0], o[1]))
        if pumice.device().info["driver"] == "cpu":
            self.assertLessEqual(outside, o[0])
            self.assertLessEqual(o[1], time.monotonic_ns())

    @on_each_device
    def test_cycles(self):
        o = np.zeros(3, np.int64)
        kernels.cycles[(1,)](o)
        self.assertLess(0, elapsed(o[0], o[1]))


class Float8(unittest.TestCase):
    """Tests Triton's own assembly for float8e4b15."""

    @on_each_device
    def test_from_float8(self):
        x, o = np.arange(256).astype(np.uint8), np.zeros(256, np.float32)
        kernels.from_e4b15[(1,)](x, o, N=256)
        magnitude = x & 0x7f
        value = np.where(magnitude < 8, magnitude * 2.0**-17,
                         (8 + (magnitude & 7)) / 8.0 * 2.0**((magnitude >> 3).astype(np.int32) - 15))
        np.testing.assert_array_equal(o, np.where(x & 0x80, -value, value))

    @on_each_device
    def test_to_float8(self):
        bits = np.arange(1 << 16).astype(np.uint16)
        for is_new in (True, False):
            o = np.zeros(1 << 16, np.uint8)
            kernels.to_e4b15[(16,)](bits.view(np.float16), o, N=1 << 12, NEW=is_new)
            # Computes what the assembly does, with integers. It clamps at 1.75, the largest number, also for NaN.
            magnitude = np.minimum(bits & 0x7fff, 0x3f00).astype(np.uint32)
            expected = ((2 * magnitude + 0x80) & 0xffff | (bits & 0x8000)) >> 8
            np.testing.assert_array_equal(o, expected.astype(np.uint8))


REFUSED = [
    # assembly, constraints, pack, a part of the expected message
    ("mma.sync.aligned.m16n8k16 $0, $1;", "=r,r", 1, "multiply matrices with tl.dot"),
    ("ldmatrix.sync.aligned.m8n8.x4.b16 $0, $1;", "=r,r", 1, "num_stages"),
    ("cp.async.ca.shared.global [$0], [$1], 16;", "=r,r", 1, "num_stages"),
    ("shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=r,r", 1, "tl.gather"),
    ("vote.sync.any.pred $0, $1, -1;", "=r,r", 1, "tl.max"),
    ("redux.sync.add.s32 $0, $1, -1;", "=r,r", 1, "tl.sum"),
    ("bar.sync 0;", "=r,r", 1, "tl.debug_barrier()"),
    ("bra done;", "=r,r", 1, "tl.where"),
    ("done: mov.b32 $0, $1;", "=r,r", 1, "label 'done'"),
    ("trap;", "=r,r", 1, "tl.device_assert"),
    ("atom.global.inc.u32 $0, [$1], 7;", "=r,r", 1, "tl.atomic_add"),
    ("mov.b32 $0, $1", "=r,r", 1, "expected ';'"),
    ("mov.b32 $0, $2;", "=r,r", 1, "beyond the 2 operands"),
    ("mov.b32 $0, x;", "=r,r", 1, "unknown register 'x'"),
    ("add.s32 $0, $1;", "=r,r", 1, "takes 3 operands, got 2"),
    ("add.s64 $0, $1, $1;", "=r,r", 1, "is 32 bits, and 'add.s64' takes 64 bits"),
    ("add.f32 $0, $1, 1;", "=r,r", 1, "takes floats"),
    ("add.s32 $0, $1, 0x100000000;", "=r,r", 1, "0x100000000 is beyond the 32 bits that 'add.s32' takes there"),
    ("and.b32 $0, $1, -2147483649;", "=r,r", 1, "-2147483649 is beyond the 32 bits"),
    ("{ .reg .u16 h; add.u16 h, 5, 0x10000; mov.b32 $0, $1; }", "=r,r", 1, "0x10000 is beyond the 16 bits"),
    ("add.s32 $0, $1, 1.5;", "=r,r", 1, "'add.s32' takes integers, not a float"),
    ("{ .reg .pred p; setp.lt.s32 p, $1, 1.5; selp.b32 $0, 1, 2, p; }", "=r,r", 1, "'setp.lt.s32' takes integers"),
    ("{ .reg .pred p; setp.lt.f32 p, $1, 1; selp.b32 $0, 1, 2, p; }", "=r,r", 1, "'setp.lt.f32' takes floats: 1.0"),
    ("{ .reg .f16 h; mov.b16 h, 1.5; mov.b32 $0, $1; }", "=r,r", 1, "0x3c00 for 1.0"),
    ("mov.b32 $0, 7 / (1 - 1);", "=r,r", 1, "a divisor other than 0 after '/', got 0"),
    ("add.s32 $0, $1, (1 + $1);", "=r,r", 1, "expected a number, got '$1)'"),
    ("lop3.b32 $0, $1, $1, $1, ~0xf0;", "=r,r", 1, "a number from 0 to 0xff as the last operand of 'lop3.b32'; & 0xff leaves the lowest bits"),
    ("mov.b32 $0, \0;", "=r,r", 1, r"expected an operand, got '\x00'"),
    ("mov.b32 $0, $1;", "=r\0,r", 1, r"constraint '=r\x00' is unknown"),
    ("add.wrap.s32 $0, $1, 1;", "=r,r", 1, "unsupported modifier '.wrap'"),
    ("mov.u32 $0, %tid.x;", "=r,r", 1, "tl.arange"),
    ("mov.u32 $0, %nothing;", "=r,r", 1, "unknown register '%nothing'"),
    ("mov.b32 $0, $1;", "=r,l,l", 1, "name 1 results and 2 operands"),
    ("mov.b32 $0, $1;", "=q,r", 1, "constraint '=q' is unknown"),
    ("mov.b32 $0, $1;", "=r,h", 1, "is a register of 16 bits by its constraint"),
    ("v_add_f32 $0, $1, $1", "=v,v", 1, "constraint '=v' is unknown"),
]


class Refused(unittest.TestCase):
    """Each unsupported piece is an error at the kernel's line, which says what to do instead."""

    def test_refused(self):
        pumice.use("cpu")
        try:
            for assembly, constraints, pack, message in REFUSED:
                with self.subTest(assembly), self.assertRaises(Exception) as raised:
                    kernels.refused[(1,)](np.zeros(8, np.int32), np.zeros(8, np.int32), N=8, ASM=assembly,
                                          C=constraints, PACK=pack)
                self.assertRegex(str(raised.exception), r"assembly_kernels\.py:\d+:\d+: error: inline assembly")
                self.assertIn(message, str(raised.exception))
        finally:
            pumice.use(None)

    def test_packs_that_the_front_end_divides_by(self):
        for pack in (0, -1, 1.5, "2"):
            with self.subTest(pack), self.assertRaises(triton.CompilationError) as raised:
                kernels.refused[(1,)](np.zeros(8, np.int32), np.zeros(8, np.int32), N=8, ASM="mov.b32 $0, $1;",
                                      C="=r,r", PACK=pack)
            self.assertIn(f"inline_asm_elementwise takes pack=N with N of 1 or more elements in each register, got {pack!r}",
                          str(raised.exception.__cause__ or raised.exception))


if __name__ == "__main__":
    unittest.main()
