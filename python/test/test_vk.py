"""PyTorch's device "vk": tensors, streams, memory, random numbers, training, and Triton's kernels on its tensors.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk.py

Every test runs on each device of PUMICE_TEST_DEVICES; "vk:N" is the one at place N.
"""
import copy
import io
import os
import pickle
import subprocess
import sys
import time
import unittest
from unittest import mock

DEVICES = os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(",")
os.environ["PUMICE_VK_DEVICES"] = ",".join(DEVICES)
os.environ["PUMICE_VK"] = "1"

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not hasattr(torch, "vk"):
    print("skipped: there is no library of vk for this PyTorch")
    sys.exit(77)

import pumice


@triton.jit
def scaled_sum(x, y, out, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, scale * tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


def on_each_device(test):
    """Runs a test once for each device, with its number."""
    def run(self):
        for index, name in enumerate(DEVICES):
            with self.subTest(device=name), torch.vk.device(index):
                test(self, torch.device("vk", index))
    return run


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


class Devices(unittest.TestCase):
    def test_the_module(self):
        self.assertTrue(torch.vk.is_available())
        self.assertEqual(torch.vk.device_count(), len(DEVICES))
        self.assertEqual(torch.accelerator.current_accelerator().type, "vk")
        for index, name in enumerate(DEVICES):
            properties = torch.vk.get_device_properties(index)
            self.assertEqual(properties.id, name)
            self.assertEqual(properties.name, pumice.device(name).info["name"])
            self.assertIn(repr(properties.name), repr(properties))
        before = torch.vk.current_device()
        with torch.vk.device(len(DEVICES) - 1):
            self.assertEqual(torch.vk.current_device(), len(DEVICES) - 1)
            self.assertEqual(torch.ones(1, device="vk").device.index, len(DEVICES) - 1)
        self.assertEqual(torch.vk.current_device(), before)
        with self.assertRaisesRegex(ValueError, "expected a device of vk, got cpu"):
            torch.vk.synchronize("cpu")

    @on_each_device
    def test_streams_and_events(self, vk):
        x = torch.ones(1000, device=vk)
        stream = torch.Stream(vk)
        begin, end = (torch.Event(vk, enable_timing=True) for _ in range(2))
        default = torch.vk.current_stream()
        begin.record()
        stream.wait_event(begin)
        with torch.vk.stream(stream):
            self.assertEqual(torch.vk.current_stream(), stream)
            y = x + 1
            y.record_stream(stream)
            end.record()
        self.assertEqual(torch.vk.current_stream(), default)
        end.synchronize()
        self.assertTrue(end.query())
        self.assertGreaterEqual(begin.elapsed_time(end), 0)
        self.assertEqual(y.sum().item(), 2000)
        stream.synchronize()
        self.assertTrue(stream.query())

    @on_each_device
    def test_memory_is_counted_and_used_again(self, vk):
        torch.vk.empty_cache()
        before = torch.vk.memory_allocated()
        x = torch.empty(3 << 20, dtype=torch.uint8, device=vk)
        address = x.data_ptr()
        self.assertEqual(torch.vk.memory_allocated() - before, 3 << 20)
        self.assertGreaterEqual(torch.vk.memory_reserved(), torch.vk.memory_allocated())
        del x
        self.assertEqual(torch.vk.memory_allocated(), before)
        self.assertEqual(torch.empty(3 << 20, dtype=torch.uint8, device=vk).data_ptr(), address)
        self.assertGreaterEqual(torch.vk.max_memory_allocated(), before + (3 << 20))
        torch.vk.reset_peak_memory_stats()
        self.assertEqual(torch.vk.max_memory_allocated(), torch.vk.memory_allocated())
        free, total = torch.vk.mem_get_info()
        self.assertLessEqual(free, total)
        reserved = torch.vk.memory_reserved()
        torch.vk.empty_cache()
        self.assertLess(torch.vk.memory_reserved(), reserved)

    @on_each_device
    def test_memory_has_a_summary(self, vk):
        held = torch.ones(1 << 20, device=vk)
        lines = torch.vk.memory_summary(vk).splitlines()
        self.assertEqual(lines[0], f"memory of {vk}, in KiB")
        self.assertRegex(lines[2], r"^allocated memory +4,\d\d\d ")
        self.assertEqual(len(lines), 6)
        self.assertEqual(len(torch.vk.memory_summary(abbreviated=True).splitlines()), 4)
        del held

    @on_each_device
    def test_many_blocks_keep_their_contents(self, vk):
        generator = torch.Generator().manual_seed(5)
        kept = {}
        for step in range(400):
            size = int(torch.randint(1, 1 << 14, (1,), generator=generator))
            kept[step] = (torch.full((size,), step, dtype=torch.int32, device=vk), size)
            if len(kept) > 50:
                oldest = list(kept)[int(torch.randint(0, 50, (1,), generator=generator))]
                tensor, size = kept.pop(oldest)
                self.assertTrue(torch.equal(tensor.cpu(), torch.full((size,), oldest, dtype=torch.int32)))

    @on_each_device
    def test_random_numbers(self, vk):
        def numbers(generator=None):
            return torch.rand(100, device=vk, generator=generator).cpu()

        torch.manual_seed(3)
        first, second = numbers(), numbers()
        torch.manual_seed(3)
        self.assertTrue(torch.equal(numbers(), first))
        self.assertFalse(torch.equal(first, second))
        state = torch.vk.get_rng_state()
        ahead = numbers()
        torch.vk.set_rng_state(state)
        self.assertTrue(torch.equal(numbers(), ahead))
        own = torch.Generator(vk).manual_seed(8)
        self.assertEqual(own.device, vk)
        mine = numbers(own)
        self.assertTrue(torch.equal(numbers(torch.Generator(vk).manual_seed(8)), mine))
        self.assertEqual(torch.vk.initial_seed(), 3)
        with torch.random.fork_rng(devices=[vk.index], device_type="vk"):
            numbers()
        self.assertTrue(torch.equal(numbers(), numbers()) is False)

    def test_import_opens_no_device(self):
        code = ("import sys, torch\n"
                "torch.manual_seed(-3)\n"
                "print(torch.vk.is_initialized(), 'pumice' in sys.modules, 'triton' in sys.modules)\n"
                "print(torch.vk.initial_seed() == torch.initial_seed(), torch.vk.is_initialized())")
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
        self.assertEqual(done.stdout.split(), ["False", "False", "False", "True", "True"], done.stderr)

    def test_a_damaged_library_leaves_torch_usable(self):
        environment = os.environ | {"PUMICE_TORCH_LIBRARY": __file__}
        done = subprocess.run([sys.executable, "-c", "import torch; print(torch.ones(2).sum().item())"], text=True,
                              capture_output=True, env=environment)
        self.assertEqual(done.stdout.strip(), "2.0")
        self.assertIn("torch.device('vk') cannot be used", done.stderr)

    def test_a_fork_of_a_process_without_devices_may_use_them(self):
        code = ("import os, torch\n"
                "torch.manual_seed(1)\n"
                "if os.fork() == 0:\n"
                "    print(torch.ones(3, device='vk').sum().item(), flush=True)\n"
                "    os._exit(0)\n"
                "os.wait()\n")
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
        self.assertEqual(done.stdout.strip(), "3.0", done.stderr)

    def test_the_error_after_a_fork(self):
        code = ("import os, torch\n"
                "x = torch.ones(3, device='vk')\n"
                "torch.vk.synchronize()\n"
                "if os.fork() == 0:\n"
                "    try: torch.vk._lazy_init()\n"
                "    except RuntimeError as error: print(error, flush=True)\n"
                "    os._exit(0)\n"
                "os.wait()\n")
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
        self.assertIn("set_start_method('spawn')", done.stdout, done.stderr)


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3, padding=1, bias=False), torch.nn.BatchNorm2d(4), torch.nn.ReLU(),
                               torch.nn.Flatten(), torch.nn.Linear(256, 16), torch.nn.GELU(), torch.nn.LayerNorm(16),
                               torch.nn.Linear(16, 5))


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


if __name__ == "__main__":
    unittest.main()
