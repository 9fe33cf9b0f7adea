"""What Triton requires of back ends from 3.7 on, and what kernels may contain in the installed version.

    PYTHONPATH=... python python/test/test_versions.py
"""
import concurrent.futures
import importlib.util
import os
import sys
import tempfile
import unittest
import warnings

_folder = tempfile.TemporaryDirectory()
os.environ["TRITON_CACHE_DIR"] = _folder.name

import numpy as np
from test_triton import on_each_device

import pumice
import triton
import triton.language as tl
import triton_kernels as kernels
from pumice_triton import versions
from triton import knobs
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

VERSION = versions.release(triton.__version__)


def since(*version):
    return unittest.skipIf(VERSION < version, f"from Triton {version[0]}.{version[1]} on")


@triton.jit
def sum_of_all(o, n, *parts):
    i = tl.arange(0, 8)
    total = tl.zeros((8,), tl.float32)
    for k in tl.static_range(len(parts)):
        total += tl.load(parts[k] + i, mask=i < n, other=0.0)
    tl.store(o + i, total, mask=i < n)


@triton.jit
def with_keyword(x, o, *, scale: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.load(x + i) * scale)


@triton.jit
def with_barrier(x, o):
    i = tl.arange(0, 256)
    tl.store(o + i, tl.load(x + i))
    tl.debug_barrier()
    tl.store(x + i, tl.load(o + 255 - i))


@triton.jit
def shapes(x, o):
    i = tl.arange(0, 8)
    v = tl.unsqueeze(tl.load(x + i), 0)
    tl.store(o + i, tl.squeeze(v, 0) + tl.to_tensor(1.0))


@gluon.jit
def in_gluon(x):
    gl.store(x, 1.0)


def add(n=64):
    x = np.arange(n, dtype=np.float32)
    out = np.zeros_like(x)
    kernels.add[(1,)](x, x, out, n, BLOCK=64)
    np.testing.assert_array_equal(out, x + x)


class Versions(unittest.TestCase):
    def test_problems(self):
        for version in versions.TESTED:
            self.assertIsNone(versions.problem_with(version))
        self.assertIsNone(versions.problem_with("3.9.1+git12"))
        self.assertIn("is newer", versions.problem_with("3.10.0"))
        self.assertIn("is newer", versions.problem_with("4.0"))
        self.assertIn("is older", versions.problem_with("3.5.1"))
        self.assertIn("triton>=3.6,<3.10", versions.problem_with("unknown"))
        self.assertNotIn("is older", versions.problem_with("main"))

    def test_the_requirement_is_that_of_the_package(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../pyproject.toml")
        with open(path, encoding="utf-8") as file:
            self.assertIn(f'triton = ["{versions.REQUIREMENT}"]', file.read())

    def test_a_newer_version_is_warned_of_once(self):
        from pumice_triton.cpu.driver import CpuDriver
        versions.warn_if_untested.cache_clear()
        installed, triton.__version__ = triton.__version__, "3.10.0"
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                CpuDriver()
                CpuDriver()
        finally:
            triton.__version__ = installed
            versions.warn_if_untested.cache_clear()
        self.assertEqual(len(caught), 1)
        self.assertIn("Triton 3.10.0 is newer", str(caught[0].message))

    def test_signatures_of_descriptors(self):
        self.assertEqual(versions.descriptor_element("tensordesc<fp16[4, 16]>"), "fp16")
        self.assertIsNone(versions.descriptor_element("*fp32"))
        for kind in ("tensordesc_im2col<fp16[4, 16]>", "tensordesc<fp16[4, 16],input_rank=4>"):
            with self.assertRaisesRegex(TypeError, "one kind of GPU"):
                versions.descriptor_element(kind)


class BackEnd(unittest.TestCase):
    def tearDown(self):
        knobs.runtime.add_stages_inspection_hook = None

    def test_gluon_is_refused_by_name(self):
        from triton.backends.compiler import Language
        from pumice_triton.cpu.compiler import CpuBackend
        backend = CpuBackend(triton.backends.compiler.GPUTarget("cpu", "cpu:0", 16))
        with self.assertRaisesRegex(NotImplementedError, "written in Gluon"):
            backend.add_stages({}, backend.parse_options({}), Language.GLUON)
        with self.assertRaisesRegex(NotImplementedError, "written in Gluon"):
            in_gluon[(1,)](np.zeros(4, np.float32))
        stages = {}
        backend.add_stages(stages, backend.parse_options({}), Language.TRITON)
        self.assertEqual(list(stages), ["ttir", "pumice"])

    @on_each_device
    def test_the_inspection_hook(self):
        """The hook may change the stages. From 3.7 on it also provides its part of the key."""
        seen, device = [], pumice.device().id

        def hook(backend=None, stages=None, options=None, language=None, capability=None):
            if stages is None:
                return f"key {device}", f"hash {device}"
            make = stages["ttir"]
            stages["ttir"] = lambda *given: (seen.append(device), make(*given))[1]
            return None

        kernels.add.device_caches.clear()
        knobs.runtime.add_stages_inspection_hook = hook
        with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
            knobs.cache.dir = folder
            add()
        self.assertEqual(seen, [device])

    @on_each_device
    def test_fusion_of_floats(self):
        """Results are the same for any value of the option and of Triton's variables."""
        for given in ({}, {"enable_fp_fusion": True}, {"enable_fp_fusion": False}):
            x = np.full(64, 1 + 2.0 ** -12, np.float32)
            out = np.zeros_like(x)
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # Triton's own warning, about a default that will change
                kernels.square_minus[(1,)](x, out, x * x, BLOCK=64, **given)
            np.testing.assert_array_equal(out, np.zeros_like(x))

    @on_each_device
    def test_kernels_that_are_gone(self):
        """From 3.8 on Triton makes the driver unload kernels' modules."""
        kernels.add.device_caches.clear()
        add()
        kernels.add.device_caches.clear()
        add()

    @on_each_device
    def test_async_compile(self):
        with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
            knobs.cache.dir = folder
            kernels.add.device_caches.clear()
            with concurrent.futures.ThreadPoolExecutor(2) as executor, triton.AsyncCompileMode(executor):
                x = np.ones(64, np.float32)
                for block in (64, 128, 64):
                    kernels.add.warmup(x, x, x, 64, BLOCK=block, grid=(1,))
                add()
            add()
        kernels.add.device_caches.clear()

    @on_each_device
    def test_barriers(self):
        x = np.arange(256, dtype=np.float32)
        out = np.zeros_like(x)
        with_barrier[(1,)](x, out, num_warps=4)
        np.testing.assert_array_equal(x, np.arange(255, -1, -1, dtype=np.float32))

    @since(3, 7)
    @on_each_device
    def test_shapes(self):
        x = np.arange(8, dtype=np.float32)
        out = np.zeros_like(x)
        shapes[(1,)](x, out)
        np.testing.assert_array_equal(out, x + 1)

    @since(3, 8)
    @on_each_device
    def test_any_number_of_arguments(self):
        parts = [np.arange(8, dtype=np.float32) * k for k in range(1, 5)]
        for count in (1, 2, 4):
            out = np.zeros(8, np.float32)
            sum_of_all[(1,)](out, 7, *parts[:count])
            np.testing.assert_array_equal(out[:7], sum(parts[:count])[:7])

    @since(3, 9)
    @on_each_device
    def test_keyword_parameters(self):
        x = np.arange(8, dtype=np.float32)
        out = np.zeros_like(x)
        with_keyword[(1,)](x, out, scale=3)
        np.testing.assert_array_equal(out, x * 3)

    @since(3, 8)
    @on_each_device
    def test_autotuner_of_none_and_its_listener(self):
        heard = []
        tuned = triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], ["n"],
                                restore_value=["x", "y"],
                                do_bench=lambda call, quantiles: (call(), [1, 1, 1])[1])(kernels.add_if_there)
        x = np.ones(16, np.float32)
        knobs.autotuning.listener = lambda **told: heard.append(told["cache_hit"])
        try:
            tuned[(1,)](x, None, 16)
        finally:
            knobs.autotuning.listener = None
        self.assertEqual(heard, [False])
        np.testing.assert_array_equal(x, np.full(16, 2, np.float32))


@since(3, 9)
class Newer(unittest.TestCase):
    """Tests functions that triton.language has from 3.9 on."""

    @classmethod
    def setUpClass(cls):
        import newer_kernels
        cls.kernels = newer_kernels

    TYPES = (np.bool_, np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64)

    def numbers(self, kind):
        if kind is np.bool_:
            return np.arange(16) % 3 == 0
        return (np.arange(16) - (0 if kind is np.uint8 else 5)).astype(kind)

    @on_each_device
    def test_atomic_loads(self):
        for kind in self.TYPES:
            for order in ("acquire", "relaxed"):
                x, out = self.numbers(kind), np.zeros(33, kind)
                self.kernels.atomic_load[(1,)](x, out, 5, SEM=order)
                np.testing.assert_array_equal(out[:16], x, str(kind))
                self.assertEqual(out[16], x[3])
                np.testing.assert_array_equal(out[17:], np.where(np.arange(16) < 5, x, 0), str(kind))
                np.testing.assert_array_equal(x, self.numbers(kind))

    @on_each_device
    def test_atomic_stores(self):
        for kind in self.TYPES:
            x, out = self.numbers(kind), np.zeros(33, kind)
            self.kernels.atomic_store[(1,)](x, out, 5)
            np.testing.assert_array_equal(out[:16], x, str(kind))
            np.testing.assert_array_equal(out[16:32], np.where(np.arange(16) < 5, x, 0), str(kind))
            self.assertEqual(out[32], x[3])

    @on_each_device
    def test_checked_accesses(self):
        """Checked mode handles atomic loads and stores like others, and recognizes programs that wait by them."""
        x = np.arange(16, dtype=np.int32)
        for launch, text in (
                (lambda n: self.kernels.atomic_load[(1,)](x[:n].copy(), np.zeros(33, np.int32), 16, SEM="acquire"),
                 r"tl\.atomic_load reads 'x' at \[10\]"),
                (lambda n: self.kernels.atomic_store[(1,)](x, np.zeros(33 if n == 16 else 10, np.int32), 16),
                 r"tl\.atomic_store writes 'o' at \[10\]")):
            with pumice.check(raises=False) as report:
                launch(16)
            self.assertEqual(str(report), "no findings")
            with pumice.check(raises=False) as report:
                launch(10)
            self.assertRegex(str(report), text)
        flags, values, out = (np.zeros(20, np.int32) for _ in range(3))
        with pumice.check(raises=False) as report:
            self.kernels.hand_over[(20,)](flags, values, out)
        self.assertEqual(str(report), "no findings")

    @on_each_device
    def test_polls(self):
        for kind in (np.int16, np.int32, np.int64):
            x = (np.arange(16) % 4).astype(kind)
            for time in (0, 10_000):
                out = np.ones(33, np.bool_)
                self.kernels.poll[(1,)](x, out, 2, time)
                np.testing.assert_array_equal(out[:16], x == 2)
                self.assertTrue(out[16])
                np.testing.assert_array_equal(out[17:], x == 2)

    @on_each_device
    def test_programs_that_wait_for_each_other(self):
        flags, values, out = (np.zeros(50, np.int32) for _ in range(3))
        self.kernels.hand_over[(50,)](flags, values, out)
        np.testing.assert_array_equal(out, np.cumsum(np.arange(50)))

    @on_each_device
    def test_quotients_and_launches_that_depend(self):
        x, y = np.arange(1, 17, dtype=np.float32), np.full(16, 3, np.float32)
        out = np.zeros_like(x)
        self.kernels.approximate_quotient[(1,)](x, y, out)
        np.testing.assert_allclose(out, x / y, rtol=1e-6)

    @on_each_device
    def test_hints_and_constants(self):
        x = np.arange(32, dtype=np.float32) / 3
        out, halves = np.zeros(16, np.float32), np.zeros(16, np.float32)
        self.kernels.hints_and_constants[(1,)](x, out, halves)
        i = np.arange(16)
        expected = x[np.where(i < 4, i, 2 * i)]
        np.testing.assert_array_equal(out, expected)
        bits = expected.astype(np.float16).astype(np.float32).view(np.uint32)
        rounded = (bits + 0x7fff + ((bits >> 16) & 1)) & np.uint32(0xffff0000)
        np.testing.assert_array_equal(halves, rounded.view(np.float32))

    @on_each_device
    def test_expect_zero(self):
        x = np.arange(16, dtype=np.float32)
        out = np.zeros_like(x)
        self.kernels.expected_zero[(1,)](x, out)
        np.testing.assert_array_equal(out, x)


if __name__ == "__main__":
    unittest.main()
