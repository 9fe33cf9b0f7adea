"""torch.compile through Triton's back end `cpu`: PyTorch's inductor writes the kernels."""
import os
import pickle
import subprocess
import sys
import tempfile
import time
import unittest

_folder = tempfile.TemporaryDirectory()  # an empty cache, so that no kernel comes from other runs
os.environ.update(TRITON_CACHE_DIR=_folder.name, TORCHINDUCTOR_CACHE_DIR=_folder.name,
                  TORCHINDUCTOR_COMPILE_THREADS="1")

try:
    import torch
    import triton
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import torch._inductor.config
import torch.nn.functional as functional
import triton.language as tl
from pumice_triton import versions
from torch import nn

torch._inductor.config.cpu_backend = "triton"


@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at, at < n), at < n)


class Compiled(unittest.TestCase):
    def check(self, function, *inputs):
        """Forward and backward agree with eager."""
        mine = [each.clone().requires_grad_(each.is_floating_point()) for each in inputs]
        theirs = [each.clone().requires_grad_(each.is_floating_point()) for each in inputs]
        out, expected = torch.compile(function)(*mine), function(*theirs)
        torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-4)
        out.sum().backward()
        expected.sum().backward()
        for one, other in zip(mine, theirs):
            torch.testing.assert_close(one.grad, other.grad, atol=1e-4, rtol=1e-3)

    def test_the_driver_is_ours(self):
        torch.compile(lambda x: x.sin() + 1)(torch.rand(100))
        self.assertEqual(type(triton.runtime.driver.active).__module__, "pumice_triton.cpu.driver")

    def test_checks_of_inductor(self):
        """Tests the functions that decide whether, and in which form, inductor writes Triton kernels."""
        from torch.utils import _triton
        self.assertTrue(versions.torch_finds_triton())
        self.assertIn("cpu", triton.backends.backends)
        self.assertEqual(_triton.get_triton_version(), versions.release(triton.__version__))
        triton.runtime.driver.set_active(triton.backends.backends["cpu"].driver())
        backend = _triton.triton_backend()
        self.assertEqual(type(backend).__module__, "pumice_triton.cpu.compiler")
        self.assertEqual(_triton._extern_libs_key(backend), "")
        self.assertRegex(_triton.triton_hash_with_backend(), "^[0-9A-F]{64}$")
        # Only CUDA and XPU devices have host and device descriptors.
        for ask in (_triton.has_triton_tma, _triton.has_triton_tma_device, _triton.has_triton_stable_tma_api):
            self.assertFalse(ask(), ask.__name__)

    def test_user_kernels(self):
        """PyTorch reads user kernels with Triton's front end, to know which tensors they write."""
        from torch._higher_order_ops import triton_kernel_wrap

        def function(x):
            out = torch.empty_like(x)
            double[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
            return out + x

        x = torch.rand(100)
        with self.assertNoLogs(triton_kernel_wrap.log, "WARNING"):
            torch.testing.assert_close(torch.compile(function, fullgraph=True)(x), 3 * x)

    def test_layer_norm_gelu_and_softmax(self):
        def function(x, weight, bias, projection):
            x = functional.layer_norm(x, (64,), weight, bias)
            return torch.softmax(functional.gelu(x @ projection), -1)[:, :16]

        self.check(function, torch.randn(8, 64), torch.rand(64), torch.rand(64),
                   torch.randn(64, 32) / 8)

    def test_numbers_written_in_place(self):
        """The gradient multiplies two 0-dimensional tensors, and writes the product over one of them."""
        self.check(lambda x: x.norm() * 3, torch.randn(7))
        self.check(lambda x: torch.where(x > 0, x, 0.0).norm(), torch.randn(7))
        self.check(lambda x: x.sum().square().exp(), torch.randn(7) / 7)

    def test_reductions_and_indices(self):
        order = torch.tensor([3, 1, 0])

        def function(x):
            return x[order].tanh().mean(1) * x.amax() + x.var()

        self.check(function, torch.randn(5, 33))

    def check_model(self, model, *inputs):
        """The gradients of a model's parameters agree, too."""
        copy = pickle.loads(pickle.dumps(model))
        out, expected = torch.compile(model)(*inputs), copy(*inputs)
        torch.testing.assert_close(out, expected, atol=1e-4, rtol=1e-3)
        weight = torch.randn_like(expected)
        (out * weight).sum().backward()
        (expected * weight).sum().backward()
        for (name, one), other in zip(model.named_parameters(), copy.parameters()):
            torch.testing.assert_close(one.grad, other.grad, atol=1e-3, rtol=1e-3, msg=name)
        for one, other in zip(model.buffers(), copy.buffers()):  # these are running means
            torch.testing.assert_close(one, other)

    def test_configurations_are_measured_briefly(self):
        from torch._inductor.runtime import triton_heuristics
        calls = []

        def run():
            calls.append(time.perf_counter())
            time.sleep(0.001)

        self.assertGreater(triton_heuristics.benchmarker.benchmark(fn=run, device="cpu"), 1)
        self.assertGreaterEqual(len(calls), 2)
        self.assertLess(len(calls), 40)  # it would be more than 100 by default
        calls.clear()
        triton_heuristics.benchmarker.benchmark(fn=run, device="cpu", rep=1, warmup=1)
        self.assertLess(len(calls), 8)

    def test_variances_of_rows_in_the_cache_need_no_divisions(self):
        from torch._inductor.utils import run_and_get_code
        for n, welford in ((4096, False), (200_000, True)):
            with self.subTest(n=n):
                x = torch.randn(3, n) + 5
                (variance, mean), (code, *_) = run_and_get_code(torch.compile(lambda x: torch.var_mean(x, 1)), x)
                torch.testing.assert_close(variance, x.double().var(1).float(), rtol=1e-5, atol=0)
                torch.testing.assert_close(mean, x.double().mean(1).float(), rtol=1e-5, atol=0)
                self.assertEqual("welford" in code, welford)

    def test_native_code_is_made_where_a_kernel_is_compiled(self):
        """Another process then finds it on disk. `warmup` compiles, and loads nothing."""
        with tempfile.TemporaryDirectory() as folder:
            code = ("import sys, torch; sys.path.insert(0, sys.argv[1]); import triton_kernels; "
                    "triton_kernels.add.warmup(torch.float32, torch.float32, torch.float32, 100, BLOCK=64, grid=(1,))")
            subprocess.run([sys.executable, "-c", code, os.path.dirname(os.path.abspath(__file__))], check=True,
                           env=os.environ | {"PUMICE_CACHE_DIR": folder, "TRITON_CACHE_DIR": folder, "PUMICE_DEVICE": "cpu"})
            self.assertEqual(len(os.listdir(os.path.join(folder, "native"))), 1)

    def test_transformer_layer(self):
        self.check_model(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True), torch.randn(2, 9, 32))

    def test_convolutions(self):
        self.check_model(nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                                       nn.Conv2d(8, 4, 3, stride=2), nn.GroupNorm(2, 4), nn.SiLU(),
                                       nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5)),
                         torch.randn(2, 3, 17, 19))

    def test_autocast(self):
        model = nn.Sequential(nn.Linear(32, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 8))
        x = torch.randn(16, 32)
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            out, expected = torch.compile(model)(x), model(x)
        self.assertEqual(out.dtype, torch.bfloat16)
        torch.testing.assert_close(out, expected, atol=3e-2, rtol=3e-2)

    def test_shapes_that_change(self):
        compiled = torch.compile(lambda x: x.softmax(-1).sum(0), dynamic=True)
        for shape in ((3, 5), (7, 100), (64, 64), (33, 4097)):
            x = torch.randn(shape)
            torch.testing.assert_close(compiled(x), x.softmax(-1).sum(0), atol=1e-5, rtol=1e-4)

    def test_optimizer(self):
        models = [nn.Linear(10, 5) for _ in range(2)]
        models[1].load_state_dict(models[0].state_dict())
        optimizers = [torch.optim.AdamW(model.parameters(), lr=0.01) for model in models]
        steps = torch.compile(optimizers[0].step), optimizers[1].step
        for _ in range(3):
            x = torch.randn(7, 10)
            for model, optimizer, step in zip(models, optimizers, steps):
                optimizer.zero_grad()
                model(x).square().sum().backward()
                step()
        for one, other in zip(*(model.parameters() for model in models)):
            torch.testing.assert_close(one, other)

    def test_max_autotune(self):
        """PyTorch 2.13 writes a benchmark of fused epilogues that is not valid Python, so it is off."""
        model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 16))
        x = torch.randn(8, 32)
        with torch.no_grad(), torch._inductor.config.patch(benchmark_epilogue_fusion=False):
            torch.testing.assert_close(torch.compile(model, mode="max-autotune")(x), model(x), atol=1e-5, rtol=1e-4)

    def test_dropout(self):
        """The gradient uses the same dropped elements."""
        x = torch.ones(10000, requires_grad=True)
        out = torch.compile(lambda x: functional.dropout(x, 0.3, True))(x)
        out.sum().backward()
        torch.testing.assert_close(out.detach(), x.grad)
        self.assertAlmostEqual((out == 0).float().mean().item(), 0.3, delta=0.03)


if __name__ == "__main__":
    unittest.main()
