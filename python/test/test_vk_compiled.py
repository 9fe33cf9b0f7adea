"""Triton's kernels on tensors of PyTorch's device "vk", and torch.compile.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_compiled.py

Every test runs on each device of PUMICE_TEST_DEVICES; "vk:N" is the one at place N.
"""
import copy
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from vk_testing import DEVICES, network, on_each_device

import torch
import triton
import triton.language as tl

import pumice


@triton.jit
def scaled_sum(x, y, out, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, scale * tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


class Kernels(unittest.TestCase):
    """Triton's kernels on tensors of vk."""

    def launch(self, x, y, out, scale=2.0):
        scaled_sum[(triton.cdiv(x.numel(), 64),)](x, y, out, x.numel(), scale, BLOCK=64)

    def setUp(self):
        self.addCleanup(pumice.use, None)

    @on_each_device
    def test_kernels_run_in_the_streams_order(self, vk):
        pumice.use(DEVICES[vk.index])
        x, y = torch.arange(1000.0, device=vk), torch.ones(1000, device=vk)
        out = torch.empty_like(x)
        for _ in range(5):
            self.launch(x, y, out)
            x.copy_(out)
        expected = torch.arange(1000.0)
        for _ in range(5):
            expected = 2 * expected + 1
        self.assertTrue(torch.equal(x.cpu(), expected))

    @on_each_device
    def test_views_and_other_streams(self, vk):
        pumice.use(DEVICES[vk.index])
        whole = torch.arange(300.0, device=vk)
        torch.vk.synchronize()
        with torch.vk.stream(torch.Stream(vk)) as stream:
            self.launch(whole[100:200], whole[200:], whole[:100])
            stream.synchronize()
        self.assertTrue(torch.equal(whole[:100].cpu(), 2 * torch.arange(100.0, 200) + torch.arange(200.0, 300)))

    @on_each_device
    def test_memory_that_arguments_share(self, vk):
        pumice.use(DEVICES[vk.index])
        x = torch.arange(1000.0, device=vk)
        self.launch(x, x, x)
        self.assertTrue(torch.equal(x.cpu(), 3 * torch.arange(1000.0)))

    @unittest.skipUnless(len(DEVICES) > 1, "there is one device")
    def test_a_tensor_of_another_device(self):
        pumice.use(DEVICES[0])
        x = torch.ones(64, device="vk:1")
        with self.assertRaisesRegex(Exception, "it is on vk:1, but the kernel is on .*pumice.use"):
            self.launch(x, x, x)


class Compiled(unittest.TestCase):
    """torch.compile for vk."""

    def setUp(self):
        torch._dynamo.reset()

    @on_each_device
    def test_a_function_is_one_kernel_of_the_device(self, vk):
        def function(x, y):
            return torch.nn.functional.gelu(2 * x + y).softmax(-1)

        compiled = torch.compile(function)
        x, y = torch.randn(32, 48, device=vk), torch.randn(32, 48, device=vk)
        compiled(x, y)
        torch.vk.reset_fallbacks()
        torch.testing.assert_close(compiled(x, y).cpu(), function(x.cpu(), y.cpu()))
        self.assertNotIn("aten::mul.out", torch.vk.fallbacks())
        self.assertNotIn("aten::_softmax.out", torch.vk.fallbacks())

    @on_each_device
    def test_a_compiled_network_trains(self, vk):
        theirs = network()
        ours = copy.deepcopy(theirs).to(vk)
        compiled = torch.compile(ours)
        x, labels = torch.randn(6, 1, 8, 8), torch.arange(6) % 5
        for net, data, wanted in ((theirs, x, labels), (compiled, x.to(vk), labels.to(vk))):
            torch.nn.functional.cross_entropy(net(data), wanted).backward()
        for a, b in zip(theirs.parameters(), ours.parameters()):
            torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=1e-3, atol=1e-5)

    @on_each_device
    def test_kernels_that_a_worker_compiled_run_on_the_device(self, vk):
        from torch._inductor.runtime import triton_helpers
        from torch._inductor.runtime.triton_heuristics import CachingAutotuner
        compiles = CachingAutotuner._precompile_config

        def as_a_worker(self, config):
            """Compiles without leaving the back end of vk active in this process."""
            compiled = compiles(self, config)
            triton_helpers.set_driver_to_cpu()
            return compiled

        torch._dynamo.reset()
        x = torch.arange(77.0)
        with mock.patch.object(CachingAutotuner, "_precompile_config", as_a_worker), \
                torch._inductor.config.patch(force_disable_caches=True):
            got = torch.compile(lambda x: x * 3 - x.relu())(x.to(vk))
        self.assertTrue(torch.equal(got.cpu(), x * 2))

    @on_each_device
    def test_a_compiled_convolution_has_the_layout_of_an_eager_one(self, vk):
        """Inductor checks the strides of results."""
        w = torch.randn(8, 4, 3, 3)
        for last in (False, True):
            x = torch.randn(2, 4, 6, 5)
            x = x.to(memory_format=torch.channels_last) if last else x
            given = [one.to(vk).requires_grad_() for one in (x, w)]
            torch._dynamo.reset()
            made = torch.compile(lambda x, w: torch.nn.functional.conv2d(x, w).relu())(*given)
            made.sum().backward()
            expected = torch.nn.functional.conv2d(given[0], given[1]).relu()
            self.assertEqual(made.stride(), expected.stride())
            torch.testing.assert_close(made, expected)

    @on_each_device
    def test_products_come_from_templates_under_max_autotune(self, vk):
        """The template's kernel includes the function that follows. Without a template, PyTorch takes its own product."""
        from torch._inductor.utils import run_and_get_code
        a, b, always_fused = torch.randn(33, 40), torch.randn(40, 24), {"benchmark_epilogue_fusion": False}
        torch.vk.reset_fallbacks()
        with torch._inductor.config.patch(max_autotune=True, max_autotune_gemm_backends="TRITON", **always_fused):
            got, (code, *_) = run_and_get_code(torch.compile(lambda a, b: (a @ b).relu()), a.to(vk), b.to(vk))
        self.assertRegex(code, r"def triton_tem_fused_\w*relu\w*\(")
        torch.testing.assert_close(got.cpu(), (a @ b).relu(), atol=1e-4, rtol=1e-4)
        self.assertEqual(torch.vk.fallbacks(), {})

    @on_each_device
    def test_flex_attention_compiles(self, vk):
        from torch.nn.attention.flex_attention import flex_attention

        def nearer(score, batch, head, i, j):
            return score - (i - j).abs() * 0.25

        for rows in (64, 1):  # one query has a template of its own
            with self.subTest(rows=rows):
                torch._dynamo.reset()
                query, key, value = torch.randn(1, 2, rows, 16), torch.randn(1, 2, 64, 16), torch.randn(1, 2, 64, 16)
                got = torch.compile(lambda q, k, v: flex_attention(q, k, v, score_mod=nearer))(
                    *(one.to(vk) for one in (query, key, value)))
                nearness = (torch.arange(rows)[:, None] - torch.arange(64)).abs() * 0.25
                torch.testing.assert_close(got.cpu(), (query @ key.mT / 4 - nearness).softmax(-1) @ value, atol=1e-4, rtol=1e-4)


class AnotherGpu(unittest.TestCase):
    """A process where PyTorch finds a GPU of its own, and PUMICE_VK=1 loads vk."""

    # PyTorch takes this for an Intel GPU. Its library for CPUs cannot use one.
    CODE = """if True:
        import torch
        torch.xpu.is_available = lambda: True
        torch.xpu.get_rng_state, torch.xpu.set_rng_state = torch.get_rng_state, lambda state: None
        x = torch.arange(1000.0)
        moved = x.to("vk").requires_grad_()
        moved.sin().mul(2).sum().backward()
        torch.testing.assert_close(moved.grad.cpu(), 2 * x.cos())
        for mode in ("default", "reduce-overhead"):
            call = torch.compile(lambda x: (x.cos() * 3 + x).softmax(0), mode=mode)
            for _ in range(3):
                torch.testing.assert_close(call(moved.detach()).cpu(), (x.cos() * 3 + x).softmax(0))
        print("on the CPU:", torch.vk.fallbacks())"""

    def test_plans_and_compiled_functions_run_on_vk(self):
        with tempfile.TemporaryDirectory() as folder:
            variables = {"PUMICE_VK": "1", "PUMICE_VK_DEVICES": "cpu", "PUMICE_VK_PLANS": folder,
                         "TORCHINDUCTOR_CACHE_DIR": folder}
            done = subprocess.run([sys.executable, "-c", self.CODE], env={**os.environ, **variables},
                                  capture_output=True, text=True)
        self.assertEqual(done.stdout, "on the CPU: {}\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
