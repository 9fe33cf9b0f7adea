"""Triton's kernels on every device that PUMICE_TEST_DEVICES names, or the CPU device.

    PYTHONPATH=... python python/test/test_triton.py
"""
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import unittest
import warnings
from time import sleep

import numpy as np

_cache = tempfile.TemporaryDirectory()  # an empty cache, so that no kernel comes from other runs
os.environ["TRITON_CACHE_DIR"] = _cache.name

try:
    import triton
except ImportError:
    print("skipped: triton is not installed")
    sys.exit(77)

import pumice
import triton_kernels as kernels
from triton.tools.tensor_descriptor import TensorDescriptor

try:
    import torch
except ImportError:
    torch = None

REQUESTS = os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(",")
RNG = np.random.default_rng(0)
needs_torch = unittest.skipUnless(torch, "torch is not installed")


def on_each_device(test):
    def run(self):
        for request in REQUESTS:
            with self.subTest(device=request):
                pumice.use(request)
                try:
                    test(self)
                finally:
                    pumice.use(None)
    run.__name__ = test.__name__
    return run


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def close(actual, expected, tolerance=1e-5):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


class Kernels(unittest.TestCase):
    """Tests the results of kernels, with NumPy's arrays."""

    @on_each_device
    def test_add(self):
        x, y, out = floats(1000), floats(1000), np.zeros(1000, np.float32)
        kernels.add[(4,)](x, y, out, 1000, BLOCK=256)
        np.testing.assert_array_equal(out, x + y)

    @on_each_device
    def test_softmax_of_a_view(self):
        whole = floats(9, 60)
        x, out = whole[::2, 3:40], np.zeros((5, 64), np.float32)
        kernels.softmax[(5,)](out, x, 64, x.strides[0] // 4, 37, BLOCK=64)
        e = np.exp(x - x.max(1, keepdims=True))
        close(out[:, :37], e / e.sum(1, keepdims=True))
        self.assertFalse(out[:, 37:].any())

    @on_each_device
    def test_matmul(self):
        a, b, c = floats(40, 24), floats(24, 36), np.zeros((40, 36), np.float32)
        kernels.matmul[(3, 3)](a, b, c, 40, 36, 24, 24, 1, 36, 1, 36, 1,
                               BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
        close(c, a @ b, 1e-4)

    @on_each_device
    def test_divisions_and_a_product(self):
        """A driver's compiler ended the process here (noIntegerVectors)."""
        x = RNG.integers(1, 1000, 64) * RNG.choice((-1, 1), 64)
        a, b = floats(16, 16).astype(np.float16), floats(16, 16).astype(np.float16)
        rest, share, out = np.zeros(64, np.int64), np.zeros(64, np.float32), np.zeros((16, 16), np.float32)
        kernels.divide_and_multiply[(1,)](x, rest, share, a, b, out, 7, num_warps=1)
        chosen = x[np.arange(64) * 5 % 64]
        np.testing.assert_array_equal(rest, np.fmod(chosen, 7))
        close(share, 7 / chosen.astype(np.float32))
        close(out, a.astype(np.float32) @ b.astype(np.float32), 1e-3)

    @on_each_device
    def test_quotients_of_long_integers(self):
        """NVIDIA's compiler (580.159.04) adds constants to them wrongly (noLongDivisions)."""
        x = RNG.integers(0, 2**62, 1024) >> RNG.integers(0, 60, 1024)
        for most in (3, 31, 2**33 + 5, 2**61):
            out, sums = np.zeros(1024, np.int64), np.zeros(1024, np.int64)
            kernels.long_quotients[(1,)](x, out, sums, most, BLOCK=1024)
            np.testing.assert_array_equal(out, np.minimum(1 + x % most // 2, most))
            np.testing.assert_array_equal(sums, (x // most + 3) * 5 + (x // 1000003 - 7) + (x % 24 + 1))

    @on_each_device
    def test_dropout(self):
        """Every device computes the same random numbers."""
        x, out = np.ones(512, np.float32), np.zeros(512, np.float32)
        kernels.dropout[(2,)](x, out, 512, 0.25, 123, BLOCK=256)
        self.assertEqual(set(out.tolist()), {0.0, np.float32(1 / 0.75).item()})
        random = [philox_uniform(123, i) for i in range(512)]
        np.testing.assert_array_equal(out != 0, np.array(random) > 0.25)

    @on_each_device
    def test_reductions(self):
        x, out = floats(100), np.zeros(4, np.float32)
        kernels.reductions[(1,)](x, out, 100, BLOCK=128)
        close(out, [x.sum(), x.max(), x.min(), x.argmax()], 1e-4)

    @on_each_device
    def test_device_functions(self):
        x, out = 1 + np.abs(floats(16)), np.zeros(16, np.float32)
        kernels.device_functions[(1,)](x, out, BLOCK=16)
        close(out, np.tanh(1 / np.sqrt(x)))

    @unittest.skipUnless("cpu" in REQUESTS, "the host's memory itself")
    def test_waits_for_the_host(self):
        pumice.use("cpu")
        flag, data, out = np.zeros(1, np.int32), np.zeros(1, np.float32), np.zeros(1, np.float32)
        kernels.waiting.warmup(flag, data, out, grid=(1,))

        def write():
            data[0] = 42
            flag[0] = 1
        timer = threading.Timer(0.1, write)
        timer.start()
        kernels.waiting[(1,)](flag, data, out)
        timer.join()
        self.assertEqual(out[0], 42)


def philox_uniform(seed, offset):
    """Computes the first of the four numbers of Philox-4x32-10, as Triton converts it to a float."""
    c, key = [offset, 0, 0, 0], [seed & 0xffffffff, seed >> 32]
    for _ in range(10):
        low, high = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(high >> 32) ^ c[1] ^ key[0], high & 0xffffffff,
             (low >> 32) ^ c[3] ^ key[1], low & 0xffffffff]
        key = [(key[0] + 0x9E3779B9) & 0xffffffff, (key[1] + 0xBB67AE85) & 0xffffffff]
    number = c[0] - (1 << 32) if c[0] >= 1 << 31 else c[0]
    return np.float32(-number - 1 if number < 0 else number) * np.float32(4.6566127342e-10)


@needs_torch
class Torch(unittest.TestCase):
    @on_each_device
    def test_tensors_without_one_memory(self):
        x, out = torch.eye(8), torch.zeros(64)
        for sparse in (x.to_sparse(), x.to_sparse_csr()):
            with self.assertRaisesRegex(TypeError, r"argument 'x' is a tensor of layout torch\.sparse_(coo|csr), which has no "
                                        r"pointer for kernels: pass .*\.values\(\).*, or \.to_dense\(\)$"):
                kernels.add[(1,)](sparse, out, out, 64, BLOCK=64)
        kernels.add[(1,)](x.to_sparse().to_dense(), out, out, 64, BLOCK=64)
        self.assertEqual(out.sum(), 8)

    @on_each_device
    def test_tensors_and_views(self):
        x = torch.rand(20, 50)[:, 3:40]
        out = torch.zeros(20, 64)
        kernels.softmax[(20,)](out, x, out.stride(0), x.stride(0), 37, BLOCK=64)
        torch.testing.assert_close(out[:, :37], torch.softmax(x, 1))
        kernels.add[(4,)](out, out, out, 20 * 64, BLOCK=512)
        torch.testing.assert_close(out[:, :37], 2 * torch.softmax(x, 1))

    @on_each_device
    def test_types(self):
        for dtype in (torch.bfloat16, torch.float16, torch.int8, torch.int64):
            x, out = torch.arange(9).to(dtype), torch.zeros(9, dtype=dtype)
            kernels.increment[(1,)](x, out, 7, BLOCK=8)
            self.assertEqual(out.tolist(), [1, 2, 3, 4, 5, 6, 7, 0, 0], dtype)

    @on_each_device
    def test_types_that_kernels_lack(self):
        x = torch.zeros(3)
        for dtype in (torch.complex64, torch.float8_e8m0fnu):
            with self.assertRaisesRegex(TypeError, f"argument 'out' has elements of type {str(dtype)[6:]}"):
                kernels.increment[(1,)](x, torch.zeros(3, dtype=dtype), 3, BLOCK=8)

    @on_each_device
    def test_dlpack_of_types_that_numpy_lacks(self):
        x = pumice.from_dlpack(torch.arange(5).to(torch.bfloat16), "cpu")
        shared = torch.from_dlpack(x)

        class Foreign:
            def __dlpack__(self, **how):
                return x.__dlpack__(**how)

            def __dlpack_device__(self):
                return x.__dlpack_device__()

        kernels.increment[(1,)](Foreign(), Foreign(), 5, BLOCK=8)
        self.assertEqual(shared.tolist(), [1, 2, 3, 4, 5])

    @on_each_device
    def test_booleans(self):
        x, out = torch.tensor([True, False, True]), torch.zeros(3, dtype=torch.bool)
        kernels.is_zero[(1,)](x, out, 3, BLOCK=4)
        self.assertEqual(out.tolist(), [False, True, False])

    @on_each_device
    def test_float8(self):
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz):
            x, out = torch.randn(15).to(dtype), torch.zeros(15)
            kernels.as_float[(1,)](x, out, 15, BLOCK=16)
            torch.testing.assert_close(out, x.float(), rtol=0, atol=0)

    @on_each_device
    def test_magnitudes_of_float8(self):
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz,
                      torch.float8_e5m2fnuz):
            x = torch.arange(256, dtype=torch.int32).to(torch.uint8).view(dtype)
            out = torch.zeros(256, dtype=torch.uint8).view(dtype)
            kernels.magnitude[(1,)](x, out, 256, BLOCK=256)
            torch.testing.assert_close(out.float(), x.float().abs(), rtol=0, atol=0, equal_nan=True)

    @on_each_device
    def test_large_and_negative_numbers(self):
        x = torch.tensor(5)  # it has no dimensions
        kernels.add_numbers[(1,)](x, -7, 1 << 40)
        kernels.add_numbers[(1,)](x, 1 << 31, -(1 << 40))
        self.assertEqual(x.item(), (1 << 31) - 2)

    @on_each_device
    def test_large_blocks(self):
        x = torch.randn(3, 8000)
        out = torch.zeros_like(x)
        kernels.softmax[(3,)](out, x, 8000, 8000, 8000, BLOCK=8192)
        torch.testing.assert_close(out, torch.softmax(x, 1))

    @on_each_device
    def test_matmul_of_halves(self):
        a, b, c = torch.randn(40, 48).half(), torch.randn(48, 56).half(), torch.zeros(40, 56)
        for left in (a, a.t().contiguous().t()):  # once by rows, and once by columns
            kernels.matmul[(2, 2)](left, b, c, 40, 56, 48, *left.stride(), *b.stride(), *c.stride(),
                                   BLOCK_M=32, BLOCK_N=32, BLOCK_K=16)
            torch.testing.assert_close(c, a.float() @ b.float(), atol=1e-2, rtol=1e-2)

    @on_each_device
    def test_sums_of_halves_are_rounded_once(self):
        a, b = torch.rand(32, 512).half(), torch.rand(512, 32).half()
        out = torch.zeros(32, 32).half()
        kernels.product_of_halves[(1,)](a, b, out, M=32, K=512)
        exact = a.double() @ b.double()
        # Half a unit in the last place of f16, and the error of f32.
        torch.testing.assert_close(out.double(), exact, rtol=2**-11 * 1.01, atol=0)

    @on_each_device
    def test_layer_norm(self):
        x, weight, bias, out = torch.randn(5, 100), torch.rand(100), torch.rand(100), torch.empty(5, 100)
        kernels.layer_norm[(5,)](x, weight, bias, out, 100, 1e-5, BLOCK=64)
        torch.testing.assert_close(out, torch.layer_norm(x, (100,), weight, bias))

    @on_each_device
    def test_parameters_that_learn(self):
        weight, out = torch.nn.Parameter(torch.rand(16)), torch.zeros(16)
        kernels.add[(1,)](weight, weight, out, 16, BLOCK=16)
        torch.testing.assert_close(out, 2 * weight.detach())

    @on_each_device
    def test_descriptors(self):
        x, out = torch.arange(64.0 * 16).reshape(64, 16), torch.zeros(16, 16)
        kernels.rows_of_a_descriptor[(1,)](TensorDescriptor.from_tensor(x, [16, 16]), out, BLOCK=16)
        torch.testing.assert_close(out, x[2:18])
        array, made = pumice.from_numpy(x.numpy()), pumice.empty((16, 16), np.float32)
        kernels.rows_of_a_descriptor[(1,)](TensorDescriptor.from_tensor(array, [16, 16]), made, BLOCK=16)
        np.testing.assert_equal(made.numpy(), x[2:18].numpy())
        short = TensorDescriptor(x, [10, 16], [16, 1], [16, 16], "nan")
        kernels.rows_of_a_descriptor[(1,)](short, out, BLOCK=16)
        torch.testing.assert_close(out[:8], x[2:10])
        self.assertTrue(out[8:].isnan().all())

    @on_each_device
    def test_arguments_that_share_memory(self):
        def run(kernel, *given):
            kernel[(1,)](*given, BLOCK=1024, num_warps=1)  # one program: several would not wait for each other
        numbers = np.arange(1024, dtype=np.float32)
        for make in (torch.from_numpy, np.asarray, pumice.from_numpy):
            read = lambda made: made.numpy() if hasattr(made, "numpy") else made
            with self.subTest(make.__name__):
                x = make(numbers.copy())
                run(kernels.reversed_rows, x, x)
                np.testing.assert_equal(read(x), numbers[::-1])
                x, other = make(numbers.copy()), make(np.zeros(1024, np.float32))
                run(kernels.reversed_rows, x, other)  # separate memory: this launch uses the code without overlaps
                np.testing.assert_equal(read(other), numbers[::-1])
                run(kernels.moved, x[:1000], x[7:], 1000)
                np.testing.assert_equal(read(x)[7:1007], numbers[:1000])
        x = torch.arange(2048.0)  # a view with gaps, and memory between its first and its last element
        run(kernels.moved, x[::2], x[1024:], 1000)
        torch.testing.assert_close(x[1024:2024], torch.arange(1000.0))
        x = torch.from_numpy(numbers.copy())  # views with another type, and with gaps
        run(kernels.reversed_rows, triton.reinterpret(x, triton.language.int32), x.view(torch.int32))
        np.testing.assert_equal(x.numpy(), numbers[::-1])
        run(kernels.moved, torch.from_numpy(numbers)[::2], x[7:], 1000)
        np.testing.assert_equal(x[7:1007].numpy(), numbers[:1000])
        x = numbers.copy()
        run(kernels.moved, x[3:], x[::-1][1021:], 1)  # NumPy's reversed views, too
        self.assertEqual(x[2], 3)

    @on_each_device
    def test_memory_shared_without_the_function(self):
        """PyTorch's inductor drops the function once its worker processes have compiled a kernel."""
        kernel, x = triton.jit(kernels.reversed_rows.fn), torch.arange(1024.0)
        kernel[(1,)](x, torch.zeros(1024), BLOCK=1024, num_warps=1)
        kernel.fn = None
        kernel[(1,)](x, x, BLOCK=1024, num_warps=1)
        torch.testing.assert_close(x, torch.arange(1024.0).flip(0))

    @on_each_device
    def test_meta_tensors_are_refused(self):
        x = torch.rand(16)
        with self.assertRaisesRegex((pumice.Error, ValueError), "host"):
            kernels.add[(1,)](x, x.to("meta"), x, 16, BLOCK=16)

    @on_each_device
    def test_negated_views_are_refused(self):
        """Devices to which tensors are copied reject them. The CPU uses their memory in place."""
        x, out = torch.ones(16, dtype=torch.complex64).mul(1j).conj().imag, torch.zeros(32)
        if pumice.device().info["driver"] != "cpu":
            with self.assertRaisesRegex(TypeError, r"argument 'x': .* pass \.resolve_neg\(\)"):
                kernels.add[(1,)](x, x, out, 16, BLOCK=16)
        x = x.resolve_neg()
        kernels.add[(1,)](x, out, out, 1, BLOCK=16)
        self.assertEqual(out[0], -1)


class Tools(unittest.TestCase):
    @on_each_device
    def test_warmup(self):
        x = floats(16)
        kernel = kernels.add.warmup(x, x, x, 16, BLOCK=16, grid=(1,))
        self.assertIn("tt.func", kernel.asm["ttir"])
        self.assertEqual(kernel.asm["pumice"][8:12], b"PUMX")
        self.assertIn("OpEntryPoint", kernel.asm["spirv"])
        self.assertIn("define ", kernel.asm["llir"])
        self.assertIn(".text", kernel.asm["asm"])
        with self.assertRaises(KeyError):
            kernel.asm["cubin"]
        self.assertNotIn("cubin", kernel.asm)
        self.assertIsNone(kernel.asm.get("cubin"))

    @on_each_device
    def test_texts_are_known_before_they_are_made(self):
        x = floats(16)
        kernel = kernels.add[(1,)](x, x, x, 16, BLOCK=16)
        kernel.asm.pop("spirv", None)
        self.assertIn("spirv", kernel.asm)
        self.assertLessEqual({"ttir", "pumice", "spirv", "llir", "asm"}, set(kernel.asm.keys()))
        self.assertEqual(set(kernel.asm), set(kernel.asm.keys()))
        self.assertNotIn("spirv", dict(kernel.asm.items()))
        self.assertIn("OpEntryPoint", kernel.asm.get("spirv"))
        self.assertIn("spirv", dict(kernel.asm.items()))

    @on_each_device
    def test_options_of_other_back_ends(self):
        x, out = floats(16), floats(16)
        kernels.add[(1,)](x, x, out, 16, BLOCK=16, num_warps=2, num_stages=3, maxnreg=64, waves_per_eu=2,
                          launch_pdl=True, schedule_hint="none")
        close(out, x + x)
        with self.assertRaisesRegex(ValueError, "num_warps is 3; expected a power of two"):
            kernels.add[(1,)](x, x, out, 16, BLOCK=16, num_warps=3)
        with self.assertRaisesRegex(TypeError, "num_warps is '4'; expected a number"):
            kernels.add[(1,)](x, x, out, 16, BLOCK=16, num_warps="4")

    @on_each_device
    def test_dump(self):
        for again in (False, True):  # also if Triton's cache has the kernel
            with tempfile.TemporaryDirectory() as parent:
                folder = pathlib.Path(parent, "stages")
                self.dump(folder, again)
                found = {path.name.partition(".")[2]: path for path in folder.glob("add-*")}
                self.assertEqual(sorted(found), [
                    "0.ttir", "1.tiles.mlir", "2.loops.mlir", "3.lanes.mlir", "4.gpu.mlir", "5.spirv.mlir",
                    "6.pumice", "7.spirv", "8.llir", "9.asm"])
                for ending, word in (("0.ttir", "tt.addptr"), ("1.tiles.mlir", "tile."), ("2.loops.mlir", "tile."),
                                     ("3.lanes.mlir", "gpu.func"), ("4.gpu.mlir", "gpu.func"),
                                     ("5.spirv.mlir", "spirv.func"), ("7.spirv", "OpEntryPoint")):
                    self.assertIn(word, found[ending].read_text(), ending)
                self.assertNotIn("tile.", found["3.lanes.mlir"].read_text())

    def dump(self, folder, again):
        x = floats(16)
        for _ in range(1 + again):
            shutil.rmtree(folder, ignore_errors=True)
            os.environ["PUMICE_DUMP"] = str(folder)
            try:
                kernels.add.device_caches.clear()
                kernels.add[(1,)](x, x, x, 16, BLOCK=16)
            finally:
                del os.environ["PUMICE_DUMP"]
                kernels.add.device_caches.clear()

    @on_each_device
    def test_dump_of_a_rejected_kernel(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PUMICE_DUMP"] = folder
            try:
                with self.assertRaisesRegex(pumice.Error, "inline assembly"):
                    kernels.assembly[(1,)](floats(16), BLOCK=16)
            finally:
                del os.environ["PUMICE_DUMP"]
            self.assertEqual([path.name.partition(".")[2] for path in pathlib.Path(folder).iterdir()], ["0.ttir"])

    @on_each_device
    def test_hooks(self):
        seen = []
        enter, leave = (lambda data: seen.append(("enter", data.get()["name"])),
                        lambda data: seen.append(("leave", data.get()["name"])))
        triton.knobs.runtime.launch_enter_hook.add(enter)
        triton.knobs.runtime.launch_exit_hook.add(leave)
        try:
            x = floats(16)
            kernels.add[(1,)](x, x, x, 16, BLOCK=16)
        finally:
            triton.knobs.runtime.launch_enter_hook.remove(enter)
            triton.knobs.runtime.launch_exit_hook.remove(leave)
        self.assertEqual(seen, [("enter", "add"), ("leave", "add")])
        for hooks, hook, word in ((triton.knobs.runtime.launch_enter_hook, enter, "enter"),
                                  (triton.knobs.runtime.launch_exit_hook, leave, "leave")):
            with self.subTest(word):
                seen.clear()
                hooks.add(hook)
                try:
                    kernels.add[(1,)](x, x, x, 16, BLOCK=16)
                finally:
                    hooks.remove(hook)
                kernels.add[(1,)](x, x, x, 16, BLOCK=16)
                self.assertEqual(seen, [(word, "add")])

    @on_each_device
    def test_autotune_and_heuristics(self):
        x, out = floats(50), np.zeros(50, np.float32)
        kernels.tuned[lambda given: (triton.cdiv(50, given["BLOCK"]),)](x, out, 50)
        np.testing.assert_array_equal(out, 2 * x)
        self.assertIn(kernels.tuned.best_config.kwargs["BLOCK"], (16, 32))
        kernels.with_heuristics[(1,)](x, out, 50)
        np.testing.assert_array_equal(out, 64 * x)

    @on_each_device
    def test_autotune_restores(self):
        """The autotuner restores what configurations have changed, in NumPy's arrays and the device's."""
        makes = (np.array, pumice.from_numpy, torch.from_numpy if torch else np.array)
        for make in makes:
            kernels.tuned_in_place.cache.clear()
            x, count = make(np.arange(50, dtype=np.float32)), make(np.full(1, 7, np.int32))
            kernels.tuned_in_place[lambda given: (triton.cdiv(50, given["BLOCK"]),)](x, n=50, count=count)
            np.testing.assert_array_equal(np.asarray(x), 2 * np.arange(50))
            self.assertEqual(np.asarray(count).item(), 50)

    @on_each_device
    def test_autotune_restores_however_timed(self):
        """Restoring works with other benchmarkers, and if timings are on disk."""
        def once(call, quantiles):
            call()
            return [1.0] * len(quantiles)

        by_default = kernels.tuned_in_place
        for how in ({"warmup": 1, "rep": 2}, {"do_bench": once}, {"cache_results": True}, {"cache_results": True}):
            with warnings.catch_warnings(action="ignore"):  # `warmup` and `rep` are deprecated
                tuned = triton.autotune(by_default.configs, by_default.keys, restore_value=["x"],
                                        reset_to_zero=["count"], **how)(by_default.fn)
            x, count = np.arange(50, dtype=np.float32), np.zeros(1, np.int32)
            tuned[lambda given: (triton.cdiv(50, given["BLOCK"]),)](x, n=50, count=count)
            np.testing.assert_array_equal(x, 2 * np.arange(50), str(how))
            self.assertEqual(count[0], 50, how)

    @on_each_device
    def test_autotune_with_user_hooks(self):
        """Hooks receive the arrays that were passed."""
        seen = []
        by_default = kernels.tuned_in_place
        tuned = triton.autotune(by_default.configs, by_default.keys, restore_value=["x"],
                                pre_hook=lambda given, reset_only=False: seen.append(given["x"]),
                                post_hook=lambda given, exception: seen.append(given["x"]))(by_default.fn)
        x = np.zeros(16, np.float32)
        tuned[(1,)](x, np.zeros(1, np.int32), 16)
        self.assertTrue(seen and all(one is x for one in seen))

    @on_each_device
    def test_benchmarks(self):
        x = floats(1 << 16)
        time = triton.testing.do_bench(lambda: kernels.add[(256,)](x, x, x, 1 << 16, BLOCK=256),
                                       warmup=1, rep=5, return_mode="min")
        self.assertGreater(time, 0)
        self.assertLess(time, 1000)

    @on_each_device
    def test_events(self):
        interface = triton.runtime.driver.active.get_device_interface()
        first, second, third = (interface.Event(enable_timing=True) for _ in range(3))
        x = pumice.from_numpy(floats(1 << 16))
        kernels.add[(256,)](x, x, x, 1 << 16, BLOCK=256)
        first.record()
        kernels.add[(256,)](x, x, x, 1 << 16, BLOCK=256)
        second.record()
        sleep(0.02)  # only the host waits
        third.record()
        self.assertGreater(first.elapsed_time(second), 0)
        self.assertGreater(second.elapsed_time(third), 15)
        with self.assertRaises(RuntimeError):
            first.elapsed_time(interface.Event(enable_timing=True))

    @on_each_device
    def test_properties(self):
        driver = triton.runtime.driver.active
        properties = driver.utils.get_device_properties(driver.get_current_device())
        self.assertGreater(properties["max_shared_mem"], 1 << 14)
        self.assertEqual(driver.get_current_target().backend, pumice.device().info["driver"])

    def test_hash_depends_on_the_target(self):
        from triton.backends.compiler import GPUTarget
        from triton.compiler import make_backend
        hashes = {make_backend(GPUTarget("vulkan", name, 32)).hash() for name in ("rdna3", "h200")}
        hashes |= {make_backend(GPUTarget("cpu", "cpu:0", 16)).hash()}
        self.assertEqual(len(hashes), 3)

    def test_targets_that_are_not_here(self):
        from triton.backends.compiler import GPUTarget
        source = triton.compiler.ASTSource(
            kernels.add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"},
            {"BLOCK": 64})
        kernel = triton.compile(source, target=GPUTarget("vulkan", "rdna3", 32))
        self.assertEqual(kernel.asm["pumice"][8:12], b"PUMX")


if __name__ == "__main__":
    unittest.main()
