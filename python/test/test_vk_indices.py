"""Indices out of bounds on PyTorch's device "vk": an error at the next synchronization, as on other GPUs.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_indices.py

Every test runs on each device of PUMICE_TEST_DEVICES.
"""
import contextlib
import io
import unittest

from vk_testing import on_each_device

import torch
import triton
import triton.language as tl

F = torch.nn.functional


@triton.jit(debug=True)
def checked(x, limit, BLOCK: tl.constexpr):
    values = tl.load(x + tl.arange(0, BLOCK))
    tl.device_assert(values < limit, "value is too large")


class Indices(unittest.TestCase):
    def fails(self, operator, call):
        """Expects that a call returns, and that the next synchronization names the operator and the place."""
        result = call()
        with self.assertRaisesRegex(RuntimeError, rf"failed an assertion[^\n]*\n  {operator}: index out of bounds: .* pid"):
            torch.vk.synchronize()
        torch.vk.synchronize()  # it is thrown once
        return result

    @on_each_device
    def test_reads(self, vk):
        far = torch.tensor([1, 5], device=vk)
        x = torch.arange(9.0, device=vk).view(3, 3)
        self.fails("aten::index", lambda: x[far])
        self.fails("aten::index", lambda: x[-far])
        self.fails("aten::index_select", lambda: F.embedding(far, x))
        self.fails("aten::gather", lambda: x.gather(0, far[None]))
        self.fails("aten::index_select", lambda: x.index_select(0, far))
        self.assertEqual(x[far - 3].tolist(), [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])

    @on_each_device
    def test_writes(self, vk):
        far = torch.tensor([1, 5], device=vk)
        x = torch.zeros(3, device=vk)
        self.fails("aten::_index_put_impl_", lambda: x.index_put_((far,), torch.ones(2, device=vk)))
        self.fails("aten::scatter", lambda: x.scatter(0, far, 1.0))
        self.fails("aten::index_add", lambda: x.index_add(0, far, torch.ones(2, device=vk)))
        x = torch.zeros(3, device=vk)
        x[far - 1] = 1  # 0 and 4
        with self.assertRaisesRegex(RuntimeError, "index out of bounds"):
            x.tolist()

    @on_each_device
    def test_each_synchronization_reports(self, vk):
        x, far = torch.arange(4.0, device=vk), torch.tensor([7], device=vk)
        event = torch.Event(device=vk)

        def by_event():
            event.record()
            event.synchronize()

        for wait in (x.cpu, x.sum().item, x.tolist, torch.vk.current_stream().synchronize, by_event):
            x[far]
            with self.assertRaisesRegex(RuntimeError, "index out of bounds"):
                wait()
            wait()

    @on_each_device
    def test_losses(self, vk):
        scores = torch.randn(3, 5, device=vk, requires_grad=True)
        loss = F.cross_entropy(scores, torch.tensor([1, 2, 9], device=vk))
        with self.assertRaisesRegex(RuntimeError, "nll_loss"):
            loss.item()

    @on_each_device
    def test_many_failures_are_one_short_error(self, vk):
        torch.zeros(3, device=vk)[torch.full((100000,), 5, device=vk)]
        said = io.StringIO()
        with contextlib.redirect_stdout(said), self.assertRaises(RuntimeError) as raised:
            torch.vk.synchronize()
        self.assertLess(len(str(raised.exception).splitlines()), 9)
        self.assertEqual(said.getvalue(), "")

    @on_each_device
    def test_compiled_functions(self, vk):
        torch._dynamo.reset()
        compiled = torch.compile(lambda x, places: x[places] * 2)
        compiled(torch.arange(4.0, device=vk), torch.tensor([3], device=vk)).tolist()
        made = compiled(torch.arange(4.0, device=vk), torch.tensor([9], device=vk))
        with self.assertRaisesRegex(RuntimeError, "failed an assertion[^\n]*\n.*index out of bounds"):
            made.cpu()

    @on_each_device
    def test_kernels_of_scripts(self, vk):
        x = torch.arange(4.0, device=vk)
        checked[(1,)](x, 9, BLOCK=4)
        torch.vk.synchronize()
        checked[(1,)](x, 3, BLOCK=4)
        with self.assertRaisesRegex(RuntimeError, r"test_vk_indices.py:\d+: .*value is too large"):
            torch.vk.synchronize()


if __name__ == "__main__":
    unittest.main()
