"""PyTorch's device "vk": tensors, and training.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk.py

Every test runs on each device of PUMICE_TEST_DEVICES; "vk:N" is the one at place N.
"""
import copy
import io
import pickle
import unittest

from vk_testing import DEVICES, network, on_each_device

import torch


F = torch.nn.functional


class Tensors(unittest.TestCase):
    def equal(self, ours, theirs):
        self.assertEqual(ours.device.type, "vk")
        self.assertEqual(ours.shape, theirs.shape)
        self.assertEqual(ours.dtype, theirs.dtype)
        self.assertTrue(torch.equal(ours.cpu(), theirs), f"{ours.cpu()} is not {theirs}")

    @on_each_device
    def test_copies(self, vk):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8,
                      torch.bool, torch.complex64, torch.float8_e5m2):
            x = torch.arange(60).reshape(3, 4, 5).to(dtype)
            self.equal(x.to(vk), x)
            self.equal(x.to(vk).to(vk, copy=True), x)
            self.equal(x.transpose(0, 2).to(vk), x.transpose(0, 2))
            self.equal(x.to(vk).transpose(0, 2).contiguous(), x.transpose(0, 2).contiguous())
            self.equal(x.to(vk)[1:, ::2, 3], x[1:, ::2, 3])
        x = torch.arange(12.0)
        self.equal(x.to(vk).to(torch.int32), x.to(torch.int32))
        self.equal(x.to(vk, torch.float16), x.half())
        y = torch.zeros(4, 6, device=vk)
        y[:, ::2] = x.reshape(4, 3)
        expected = torch.zeros(4, 6)
        expected[:, ::2] = x.reshape(4, 3)
        self.equal(y, expected)
        y[1:] = y[:-1].clone()
        expected[1:] = expected[:-1].clone()
        self.equal(y, expected)
        overlapping = torch.arange(8.0, device=vk)
        overlapping[2:].copy_(overlapping[:-2].clone())
        self.equal(overlapping, torch.tensor([0.0, 1, 0, 1, 2, 3, 4, 5]))

    @on_each_device
    def test_empty_tensors(self, vk):
        self.equal(torch.empty(0, 3, device=vk), torch.empty(0, 3))
        self.equal(torch.empty(0, 3).to(vk) + 1, torch.empty(0, 3))
        self.assertEqual(torch.empty(0, device=vk).data_ptr(), 0)

    @on_each_device
    def test_views_share_memory(self, vk):
        x = torch.zeros(4, 6, device=vk)
        x.view(24)[3] = 1
        x.t()[5].fill_(2)
        x[2].unfold(0, 2, 2)[:, 0] = 3
        expected = torch.zeros(4, 6)
        expected.view(24)[3] = 1
        expected.t()[5].fill_(2)
        expected[2].unfold(0, 2, 2)[:, 0] = 3
        self.equal(x, expected)
        z = torch.view_as_complex(torch.arange(6.0, device=vk).reshape(3, 2))
        self.equal(z, torch.view_as_complex(torch.arange(6.0).reshape(3, 2)))
        self.equal(torch.view_as_real(z)[1], torch.tensor([2.0, 3.0]))
        self.equal(x.view(torch.int32), expected.view(torch.int32))

    @on_each_device
    def test_conjugates_and_negatives(self, vk):
        z = torch.view_as_complex(torch.arange(8.0).reshape(4, 2))
        self.equal(z.to(vk).conj().resolve_conj(), z.conj().resolve_conj())
        self.assertTrue(torch.equal(z.to(vk).conj().cpu(), z.conj()))
        self.equal(z.conj().to(vk).resolve_conj(), z.conj().resolve_conj())
        self.equal(z.to(vk).conj().imag.resolve_neg(), z.conj().imag.resolve_neg())
        self.equal(torch.zeros(4, dtype=z.dtype, device=vk).copy_(z.to(vk).conj()), z.conj().resolve_conj())
        # The CPU's operator conjugates its result by a bit only.
        factors, pivots = torch.linalg.lu_factor(torch.view_as_complex(torch.arange(18.0).reshape(3, 3, 2).sin()))
        b = torch.view_as_complex(torch.arange(12.0).reshape(2, 3, 2))
        made = torch.linalg.lu_solve(factors.to(vk), pivots.to(vk), b.to(vk), left=False)
        torch.testing.assert_close(made.cpu().resolve_conj(), torch.linalg.lu_solve(factors, pivots, b, left=False).resolve_conj())

    @on_each_device
    def test_fills_of_repeated_elements(self, vk):
        for dtype in (torch.float32, torch.float64, torch.complex64):
            x = torch.zeros(3, dtype=dtype, device=vk)
            x.as_strided((4, 2), (0, 1), 1).fill_(3.5)
            self.equal(x, torch.tensor([0, 3.5, 3.5], dtype=dtype))

    @on_each_device
    def test_sparse_results_are_rejected(self, vk):
        with self.assertRaisesRegex(RuntimeError, "expected a dense result for vk, got one of layout Sparse"):
            torch.eye(3, device=vk).to_sparse()

    @on_each_device
    def test_sizes_and_storages_change(self, vk):
        x = torch.arange(6.0, device=vk)
        x.resize_(2, 2)
        self.equal(x, torch.arange(4.0).reshape(2, 2))
        x.resize_(40)
        self.equal(x[:6], torch.arange(6.0))
        y = torch.empty(0, device=vk)
        y.set_(x.untyped_storage(), 2, (2,), (2,))
        self.equal(y, torch.tensor([2.0, 4.0]))
        y.set_(x)
        self.assertEqual(y.data_ptr(), x.data_ptr())
        y.set_()
        self.assertEqual(y.numel(), 0)
        out = torch.empty(0, device=vk)
        torch.add(torch.ones(3, device=vk), 1, out=out)
        self.equal(out, torch.full((3,), 2.0))
        torch.mul(out, out, out=out)
        self.equal(out, torch.full((3,), 4.0))
        with self.assertRaisesRegex(RuntimeError, "storage of vk|device"):
            torch.empty(0, device=vk).set_(torch.zeros(3).untyped_storage())

    @on_each_device
    def test_fills(self, vk):
        for dtype in (torch.uint8, torch.int16, torch.float32, torch.int64, torch.float64, torch.complex64):
            for value in (0, 1, 7):
                self.equal(torch.full((5,), value, dtype=dtype, device=vk), torch.full((5,), value, dtype=dtype))
        x = torch.zeros(4, 4, device=vk)
        x[1:3, 1:3] = 5
        self.assertEqual(x.sum().item(), 20)

    @on_each_device
    def test_saving(self, vk):
        x = torch.arange(6.0, device=vk).reshape(2, 3)
        file = io.BytesIO()
        torch.save({"x": x, "row": x[1]}, file)
        file.seek(0)
        loaded = torch.load(file)
        self.equal(loaded["x"], x.cpu())
        loaded["x"][1, 0] = 9
        self.assertEqual(loaded["row"][0].item(), 9)
        file.seek(0)
        self.assertEqual(torch.load(file, map_location="cpu")["x"].device.type, "cpu")
        self.equal(pickle.loads(pickle.dumps(x)), x.cpu())
        self.equal(copy.deepcopy(x), x.cpu())

    @on_each_device
    def test_rejected_calls(self, vk):
        with self.assertRaisesRegex(NotImplementedError, "tensors of vk are strided"):
            torch.empty(3, 3, device=vk, layout=torch.sparse_coo)
        with self.assertRaisesRegex(RuntimeError, "expected all tensors on one device|same device"):
            _ = torch.ones(3, device=vk) + torch.ones(3)
        with self.assertRaisesRegex(RuntimeError, "vk:99 does not exist"):
            torch.empty(3, device="vk:99")
        with self.assertRaises(torch.OutOfMemoryError):
            torch.empty(1 << 50, device=vk)

    @on_each_device
    def test_tensors_of_the_cpu_among_arguments(self, vk):
        x, host = torch.ones(3, 3, device=vk), torch.ones(3, 3)
        places = torch.tensor([0, 1, 2])
        for call in (lambda: x @ host, lambda: host @ x, lambda: F.linear(host, x, x[0]), lambda: torch.cat([x, host]),
                     lambda: F.embedding(places, x), lambda: x.gather(0, places[None]), lambda: F.cross_entropy(x, places),
                     lambda: F.layer_norm(x, (3,), host[0]), lambda: torch.where(x > 0, host, x)):
            with self.assertRaisesRegex(RuntimeError, r"same device, but found at least two devices, vk:\d and cpu"):
                call()
        self.equal(x[places] * torch.tensor(2.0), host[places] * 2)  # indices and numbers may be there
        x[places[:2]] = 3
        self.assertEqual(x.sum().item(), 21)

    def test_copies_between_devices(self):
        x = torch.arange(12.0).reshape(3, 4)
        for first in range(len(DEVICES)):
            for second in range(len(DEVICES)):
                moved = x.to(f"vk:{first}").t().to(f"vk:{second}")
                self.assertEqual(moved.device.index, second)
                self.equal(moved, x.t())

    @on_each_device
    def test_capsules_for_other_libraries(self, vk):
        x = torch.arange(6.0, device=vk).reshape(2, 3)
        self.assertEqual(x.__dlpack_device__(), (12, vk.index))  # kDLExtDev
        shared = torch.from_dlpack(x)
        shared += 1
        self.equal(x, torch.arange(1.0, 7).reshape(2, 3))
        self.assertEqual(torch.ones(2).__dlpack_device__(), (1, 0))

    @on_each_device
    def test_pinned_memory(self, vk):
        x = torch.arange(1000.0).pin_memory()
        self.assertTrue(x.is_pinned())
        self.assertFalse(torch.arange(3.0).is_pinned())
        y = x.to(vk, non_blocking=True)
        back = torch.empty(1000).pin_memory()
        back.copy_(y, non_blocking=True)
        torch.vk.synchronize()
        self.assertTrue(torch.equal(back, x))


class Training(unittest.TestCase):
    @on_each_device
    def test_operators_of_other_libraries(self, vk):
        name = f"pumice_test_{vk.index}"
        library = torch.library.Library(name, "DEF")
        library.define("scaled(Tensor x) -> Tensor")
        library.impl("scaled", lambda x: x * 2, "PrivateUse1")
        library.impl("scaled", lambda x: x * 3, "CPU")
        x = torch.arange(4.0)
        scaled = getattr(torch.ops, name).scaled
        self.assertTrue(torch.equal(scaled(x.to(vk)).cpu(), x * 2))
        self.assertTrue(torch.equal(scaled(x), x * 3))

        @torch.library.custom_op(f"{name}::tripled", mutates_args=(), device_types="vk")
        def tripled(x: torch.Tensor) -> torch.Tensor:
            return x * 3
        self.assertTrue(torch.equal(tripled(x.to(vk)).cpu(), x * 3))
        self.assertIs(torch.get_device_module(vk), torch.vk)

    @on_each_device
    def test_a_network_trains_as_on_the_cpu(self, vk):
        theirs = network()
        ours = copy.deepcopy(theirs).to(vk)
        x, labels = torch.randn(6, 1, 8, 8), torch.arange(6) % 5
        for make in (lambda p: torch.optim.AdamW(p, lr=1e-2), lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9)):
            losses = []
            for net, data, wanted in ((theirs, x, labels), (ours, x.to(vk), labels.to(vk))):
                optimizer = make(net.parameters())
                for _ in range(3):
                    optimizer.zero_grad()
                    loss = torch.nn.functional.cross_entropy(net(data), wanted)
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                    optimizer.step()
                losses.append(loss.item())
            self.assertAlmostEqual(losses[0], losses[1], places=4)
        for a, b in zip(theirs.parameters(), ours.parameters()):
            torch.testing.assert_close(b.cpu(), a, rtol=1e-3, atol=1e-4)

    @on_each_device
    def test_gradients_of_convolutions(self, vk):
        torch.manual_seed(1)
        for theirs in (torch.nn.Conv2d(4, 6, 3, groups=2, padding=1), torch.nn.ConvTranspose2d(4, 6, 3, groups=2),
                       torch.nn.Conv1d(4, 2, 3, bias=False)):
            x = torch.randn(2, 4, *[8] * (theirs.weight.dim() - 2))
            ours = copy.deepcopy(theirs).to(vk)
            mine = x.to(vk).requires_grad_()
            theirs(x.requires_grad_()).square().sum().backward()
            ours(mine).square().sum().backward()
            torch.testing.assert_close(mine.grad.cpu(), x.grad)
            for a, b in zip(theirs.parameters(), ours.parameters()):
                torch.testing.assert_close(b.grad.cpu(), a.grad)

    @on_each_device
    def test_autocast(self, vk):
        x = torch.randn(4, 4, device=vk)
        with torch.autocast("vk", dtype=torch.bfloat16):
            y = x @ x
            total = y.softmax(1).sum()
        self.assertEqual(y.dtype, torch.bfloat16)
        self.assertEqual(total.dtype, torch.float32)

    @on_each_device
    def test_modules_keep_their_parameters(self, vk):
        model = torch.nn.Sequential(torch.nn.Linear(3, 3, bias=False), torch.nn.Linear(3, 3, bias=False))
        model[1].weight = model[0].weight
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        before = model[0].weight.detach().clone()
        model.to(vk)
        self.assertIs(model[0].weight, model[1].weight)
        model(torch.ones(2, 3, device=vk)).sum().backward()
        optimizer.step()
        self.assertEqual(model[0].weight.device, vk)
        self.assertFalse(torch.equal(model[0].weight.detach().cpu(), before))
        model.to("cpu")
        self.assertIs(model[0].weight, model[1].weight)

    @on_each_device
    def test_transforms(self, vk):
        x = torch.arange(6.0, device=vk).reshape(2, 3)
        self.assertTrue(torch.equal(torch.vmap(lambda row: row.sum() * row)(x).cpu(), (x.sum(1, True) * x).cpu()))
        gradient = torch.func.grad(lambda v: (v ** 3).sum())(x)
        self.assertTrue(torch.equal(gradient.cpu(), 3 * x.cpu() ** 2))

    @on_each_device
    def test_the_cpus_part_is_counted(self, vk):
        torch.vk.reset_fallbacks()
        _ = torch.linalg.eigvalsh(torch.ones(3, 3, device=vk))
        self.assertIn("aten::_linalg_eigh.eigenvalues", torch.vk.fallbacks())
        torch.vk.reset_fallbacks()
        _ = torch.zeros(8, device=vk).clone().view(2, 4).t().cpu()
        self.assertEqual(torch.vk.fallbacks(), {})


if __name__ == "__main__":
    unittest.main()
