"""Plans: operators of PyTorch's device "vk" that inductor compiles, compared with the CPU.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_plans.py

Every test runs on each device of PUMICE_TEST_DEVICES, with an empty folder of plans.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

FOLDER = tempfile.TemporaryDirectory()
os.environ["PUMICE_VK_PLANS"] = FOLDER.name

from vk_testing import DEVICES, on_each_device

import torch

F = torch.nn.functional


def plans_of(name):
    """Returns how many plans an operator has, also those that say that there is none."""
    return len(list(pathlib.Path(FOLDER.name).glob(f"*/{name}*/*.plan")))


class PlanTest(unittest.TestCase):
    def setUp(self):
        torch.vk.reset_fallbacks()

    def compare(self, vk, function, *given):
        """Compares what a function makes of tensors on both devices. Returns the result of vk."""
        ours, theirs = (function(*(one.to(device) if isinstance(one, torch.Tensor) else one for one in given))
                        for device in (vk, "cpu"))
        self.equal(ours, theirs)
        return ours

    def equal(self, ours, theirs):
        self.assertEqual(ours.device.type, "vk")
        self.assertEqual(ours.shape, theirs.shape)
        self.assertEqual(ours.dtype, theirs.dtype)
        torch.testing.assert_close(ours.cpu(), theirs, equal_nan=True)

    def no_fallback(self):
        self.assertEqual(torch.vk.fallbacks(), {})


class Outs(PlanTest):
    """PyTorch's own code for some operators makes an empty tensor, and gives it to the operator for its result."""

    @on_each_device
    def test_results_that_have_no_sizes_yet(self, vk):
        for x in (torch.tensor(-2.0), torch.tensor([-1.0, 2.0]), torch.arange(-3.0, 3.0).reshape(2, 3), torch.zeros(0)):
            self.compare(vk, torch.abs, x)
            self.compare(vk, torch.logical_and, x, x + 1)
            self.compare(vk, torch.isfinite, x)
        x = torch.arange(-3.0, 3.0).reshape(2, 3).t()
        self.assertEqual(self.compare(vk, torch.abs, x).stride(), (1, 3))
        self.no_fallback()

    @on_each_device
    def test_out_arguments_of_other_sizes(self, vk):
        x = torch.arange(-3.0, 3.0).reshape(2, 3)
        for size in ((0,), (2, 3), (2, 1), (3, 3), (2, 4), (6,), ()):
            for dtype in (torch.float32, torch.bool):
                outs = [torch.empty(size, dtype=dtype, device=device) for device in (vk, "cpu")]
                with self.subTest(size=size, dtype=dtype):
                    torch.logical_and(x.to(vk), x.to(vk) + 1, out=outs[0])
                    torch.logical_and(x, x + 1, out=outs[1])
                    self.equal(*outs)
        # The same key has plans for both: with and without other sizes.
        for size in (3, 2, 4):
            out = torch.empty(size, device=vk)
            torch.abs(torch.tensor([-1.0, 2.0, -3.0], device=vk), out=out)
            self.equal(out, torch.tensor([1.0, 2.0, 3.0]))
        for size in ((0,), (2, 3)):
            with self.assertRaises(RuntimeError):
                torch.log(x.to(vk), out=torch.empty(size, dtype=torch.int64, device=vk))
        with self.assertRaises(RuntimeError):
            torch.arange(3, device=vk).div_(2)

    @on_each_device
    def test_sizes_that_numbers_decide(self, vk):
        for given in ((5,), (2, 9, 3), (0.0, 2.0, 0.25), (0.0, 3.0, 0.25), (7, 1, -2)):
            out = torch.empty(0, device=vk)
            self.equal(torch.arange(*given, out=out), torch.arange(*given, dtype=torch.float32))
        for steps in (2, 5, 7):
            self.equal(torch.linspace(1, 3, steps, device=vk), torch.linspace(1, 3, steps))
            self.equal(torch.eye(steps, device=vk), torch.eye(steps))

    @on_each_device
    def test_out_arguments_in_other_tensors(self, vk):
        whole = torch.arange(8.0, device=vk)
        torch.abs(torch.tensor([-7.0, -8.0], device=vk), out=whole[4:4])
        self.equal(whole, torch.tensor([0.0, 1, 2, 3, 7, 8, 6, 7]))
        x = torch.arange(6.0).reshape(2, 3)
        torch.add(x.to(vk).t(), 1, out=whole[:0])  # the result has the strides of the argument
        self.equal(whole[:6], torch.arange(6.0) + 1)


    @on_each_device
    def test_products_check_out_arguments(self, vk):
        """PyTorch checks sizes of products only if it makes the result."""
        a, b = torch.randn(2, 3), torch.randn(3, 4)
        cases = [(a, b, torch.empty(2, 4)), (a, b, torch.empty(0)), (a, b, torch.empty(5, 4)), (a, b.t(), torch.empty(2, 4)),
                 (a, b, torch.empty(2, 4, dtype=torch.float64)), (a, b[:2], torch.empty(2, 4)),
                 (a[None], b[None], torch.empty(1, 2, 4)), (a, b, torch.empty(4, 2).t())]
        for a, b, out in cases:
            ours = out.to(vk)
            with self.subTest(a=a.shape, b=b.shape, out=out.shape, dtype=out.dtype):
                try:
                    torch.mm(a, b, out=out)
                except RuntimeError:
                    with self.assertRaises(RuntimeError):
                        torch.mm(a.to(vk), b.to(vk), out=ours)
                else:
                    torch.mm(a.to(vk), b.to(vk), out=ours)
                    self.equal(ours, out)
        square = torch.randn(3, 3)
        ours = square.to(vk)
        self.equal(ours.addmm_(ours.clone(), ours.clone()), torch.addmm(square, square, square))


class Convolutions(PlanTest):
    @on_each_device
    def test_layouts_of_the_bias(self, vk):
        x, weight, bias = torch.randn(1, 3, 4), torch.randn(3, 3, 2), torch.randn(3, 2)
        for at in (0, 1):
            self.compare(vk, lambda x, weight, bias: F.conv1d(x, weight, bias[:, at]), x, weight, bias)
        self.compare(vk, lambda x, weight, bias: F.conv1d(x, weight, bias[:1, 0].expand(3)), x, weight, bias)
        self.compare(vk, lambda x, weight, bias: F.conv1d(x, weight[:1], bias[1:2, 1]), x, weight, bias)


class Numbers(PlanTest):
    @on_each_device
    def test_integers_may_be_positive_or_negative(self, vk):
        x = torch.arange(5.0).reshape(1, 5)
        for left, right in ((1, 1), (2, 0), (0, 3), (-1, 2)):
            self.compare(vk, lambda x: F.pad(x, (left, right), "reflect"), x)
            self.compare(vk, lambda x: F.pad(x, (left, right), "replicate"), x)
            self.compare(vk, lambda x: F.pad(x, (left, right)), x)
        for size in (3, 8, 9):
            self.compare(vk, lambda x: F.interpolate(x, size, mode="linear"), x.reshape(1, 1, 5))
        for number in (-3, 0, 1, 3):
            self.compare(vk, lambda x: torch.full_like(x, number).abs() + x.clamp(min=number), x)
        self.no_fallback()


    @on_each_device
    def test_numbers_decide_the_type_of_a_result(self, vk):
        x = torch.tensor([1, 3, 5, 7], dtype=torch.int32)
        for low, high in ((None, 3.7), (1, 3.7), (1.5, 3), (2, 6), (2, None)):
            self.compare(vk, lambda x: torch.clamp(x, low, high), x)
        for number in (2.5, 3):
            for alpha in (4, 2.5):
                self.compare(vk, lambda x: torch.add(x, number, alpha=alpha), x.float())
                self.compare(vk, lambda x: torch.sub(x[1], number, alpha=alpha), x.float())
            for operator in (torch.remainder, torch.fmod, torch.xlogy):
                self.compare(vk, lambda x: operator(x, number), x)
                self.compare(vk, lambda x: operator(x[1], number), x.half())
        self.no_fallback()

    @on_each_device
    def test_booleans_of_the_cpu(self, vk):
        for flag in (True, False):
            for x in (torch.arange(5), torch.arange(5) > 2, torch.ones(3, dtype=torch.float16)):
                result = x.to(vk) * torch.tensor(flag)
                torch.testing.assert_close(result.cpu(), x * torch.tensor(flag))
                torch.testing.assert_close((torch.tensor(flag) & x.to(vk).bool()).cpu(), torch.tensor(flag) & x.bool())
        self.assertEqual(torch.vk.fallbacks(), {})

    @on_each_device
    def test_default_types_have_their_own_plans(self, vk):
        x = torch.arange(3)
        self.compare(vk, lambda x: torch.where(x > 1, x, 0.1), x)
        torch.set_default_dtype(torch.float64)
        try:
            self.compare(vk, lambda x: torch.where(x > 1, x, 0.1), x)
            self.compare(vk, lambda x: torch.sin(x), x)
            self.compare(vk, lambda x: x * 0.1, x)
        finally:
            torch.set_default_dtype(torch.float32)
        self.compare(vk, lambda x: x * 0.1, x)


class Lists(PlanTest):
    @on_each_device
    def test_lists_of_optional_tensors(self, vk):
        x = torch.zeros(4, 5)
        at = torch.tensor([0, 2, 2]).to(vk), torch.tensor([0, 2, 2])
        for indices in (lambda at: (at,), lambda at: (None, at), lambda at: (at, at)):
            for accumulate in (False, True):
                for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.bool):
                    value = torch.ones((), dtype=dtype)
                    ours = torch.ops.aten.index_put(x.to(vk, dtype), indices(at[0]), value.to(vk), accumulate)
                    self.equal(ours, torch.ops.aten.index_put(x.to(dtype), indices(at[1]), value, accumulate))
                    self.equal(torch.ops.aten.index(ours, indices(at[0])), torch.ops.aten.index(ours.cpu(), indices(at[1])))


class Compiling(PlanTest):
    @on_each_device
    def test_overloads_named_by_keywords(self, vk):
        for dtype in (torch.float32, torch.int64):
            x = torch.zeros(100, dtype=dtype, device=vk).random_(2, 5)
            self.assertEqual(set(x.cpu().tolist()), {2, 3, 4})
        self.no_fallback()

    @on_each_device
    def test_operators_without_a_kernel_for_sizes(self, vk):
        """PyTorch runs such an operator to learn the sizes of its results."""
        x = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
        self.compare(vk, lambda x: torch.geqrf(x)[0].abs(), x)
        self.assertIn("aten::geqrf", torch.vk.fallbacks())

    @on_each_device
    def test_wrong_calls_leave_no_trace(self, vk):
        """A plan for all sizes must still be possible after a call whose sizes do not fit."""
        def where(x, y):
            return torch.where(y > 1, x, y)

        def product(x, y):
            return torch.mm(x, y, out=torch.empty_like(x))

        for function in (where, product):
            with self.assertRaises(RuntimeError):
                function(torch.ones(5, 6, device=vk), torch.ones(5, 7, device=vk))
        torch.vk.reset_fallbacks()
        before = plans_of("where") + plans_of("mm")
        for size in range(3, 12):
            x = torch.randn(size, size)
            for function in (where, product):
                self.compare(vk, function, x, x + 1)
        self.no_fallback()
        self.assertLessEqual(plans_of("where") + plans_of("mm"), before + 4)

    @on_each_device
    def test_ranges_of_numbers_that_integers_do_not_hold(self, vk):
        for given in ((0, 1e30, 1e29), (-2**63, 2**63 - 1, 2**61), (0, 5, 2), (5, 0, -2)):
            torch.testing.assert_close(torch.arange(*given, device=vk).cpu(), torch.arange(*given))
        for wrong in ((0, 1e300, 1e-10), (0, 5, 0), (0, -5, 1)):
            with self.assertRaises(RuntimeError):
                torch.arange(*wrong, device=vk)

    def test_files_that_are_gone_have_no_part_in_the_build(self):
        from pumice_torch.vk.plans import hook
        with tempfile.TemporaryDirectory() as folder:
            gone = pathlib.Path(folder, "gone.py")
            gone.symlink_to(pathlib.Path(folder, "missing.py"))
            self.assertEqual(hook._digest([gone]), hook._digest([]))
            self.assertNotEqual(hook._digest([pathlib.Path(__file__)]), hook._digest([]))

    def test_failures_to_compile_are_not_reported(self):
        script = """if True:
            import torch
            try:
                torch.mm(*[torch.ones(5, 6, device="vk")] * 2, out=torch.empty(5, 6, device="vk"))
            except RuntimeError:
                print(torch.fmod(torch.ones(1, dtype=torch.float16, device="vk"), 3).item())
        """
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(ran.stderr, "")
        self.assertEqual(ran.stdout, "1.0\n")

    @unittest.skipUnless("cpu" in DEVICES, "other devices may lack the memory")
    def test_more_elements_than_32_bits_count(self):
        """Most of the memory is not touched, so it does not exist."""
        vk = torch.device("vk", DEVICES.index("cpu"))
        x = torch.empty((1 << 31) + 64, dtype=torch.uint8, device=vk)
        x[:8], x[-8:], x[(1 << 31) - 4] = 3, 5, 7
        self.assertEqual((x[:8] + 1).tolist(), [4] * 8)
        self.assertEqual((x[-8:] + 1).tolist(), [6] * 8)
        self.assertEqual(x[torch.tensor([0, -1, (1 << 31) - 4], device=vk)].tolist(), [3, 5, 7])
        self.assertEqual(torch.compile(lambda x: x * 2)(x[:8]).tolist(), [6] * 8)
        if os.environ.get("PUMICE_TEST_ALL"):
            self.assertEqual((x + 1)[-1].item(), 6)

    def test_a_fault_of_the_system_is_not_remembered(self):
        """Without Triton, or with a full disk, an operator runs on the CPU. Later processes compile it."""
        script = """if True:
            import errno, sys, torch, warnings
            warnings.filterwarnings("ignore", message="(?s)(?!operators of vk)")
            x = torch.tensor([1.0, 2.0], device="vk")
            if sys.argv[1:]:
                sys.modules["triton"] = None
                x.neg()
                del sys.modules["triton"]
                from pumice_torch.vk.plans import building
                def full(*_): raise RuntimeError("wrapped") from OSError(errno.ENOSPC, "full")
                building._lower = full
            print(x.sign().cpu().tolist(), x.neg().cpu().tolist(), sorted(torch.vk.fallbacks()))
        """
        with tempfile.TemporaryDirectory() as folder:
            first, later = (subprocess.run([sys.executable, "-c", script, *fault], capture_output=True, text=True,
                                           env=os.environ | {"PUMICE_VK_PLANS": folder}) for fault in (["fault"], []))
        self.assertRegex(first.stderr, r"run on the CPU.* cannot be compiled: .*pip install 'triton")
        self.assertRegex(first.stderr, r"run on the CPU.* cannot be compiled: OSError: .*full")
        right = "[1.0, 1.0] [-1.0, -2.0]"
        self.assertEqual((first.stdout, later.stdout), (f"{right} ['aten::neg.out', 'aten::sign.out']\n", f"{right} []\n"))
        self.assertEqual(later.stderr, "")

    def test_plans_without_a_folder_for_them(self):
        """Without a home directory, plans last as long as the process. With a folder that cannot be made, one is named."""
        script = """if True:
            import torch, warnings
            warnings.filterwarnings("ignore", message="(?s)(?!operators of vk)")
            x = torch.tensor([1.0, 2.0], device="vk")
            print(x.neg().cpu().tolist(), x.sign().cpu().tolist(), len(torch.vk.fallbacks()))
        """
        kept = {name: value for name, value in os.environ.items()
                if name not in ("PUMICE_VK_PLANS", "PUMICE_CACHE_DIR", "XDG_CACHE_HOME")}
        without, impossible = (subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=kept | more)
                               for more in ({"HOME": "/dev/null"}, {"PUMICE_CACHE_DIR": "/dev/null/cache"}))
        self.assertEqual((without.stdout, without.stderr), ("[-1.0, -2.0] [1.0, 1.0] 0\n", ""))
        self.assertEqual(impossible.stdout, "[-1.0, -2.0] [1.0, 1.0] 2\n")
        self.assertEqual(impossible.stderr.count("PUMICE_CACHE_DIR chooses another folder"), 1)

    def test_damaged_files_are_compiled_again(self):
        script = ("import torch; x = torch.arange(4., device='vk'); print(torch.special.log_ndtr(x).tolist(), "
                  "torch.vk.compilations() > 0, torch.vk.fallbacks())")

        def run():
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout

        first, second = run(), run()
        self.assertEqual((first, second), (first, first.replace("True", "False")))
        files = [path for path in pathlib.Path(FOLDER.name).rglob("*.plan") if "log_ndtr" in path.parent.name]
        data = {path: path.read_bytes() for path in files}
        self.assertTrue(any(b"outcome plan" in one for one in data.values()))
        for place in (14, 0.3, 0.99):  # in the first line, in the text, and in the kernel
            for path, whole in data.items():
                at = int(place * len(whole)) if place < 1 else place
                path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            self.assertEqual(run(), first)
        for path, whole in data.items():
            path.write_bytes(whole[:len(whole) // 2])
        self.assertEqual(run(), first)
        self.assertEqual(run(), second)

    @on_each_device
    def test_an_interrupt_while_a_plan_is_compiled(self, vk):
        def compile_slowly(*_):
            started.set()
            time.sleep(1)
            return 0

        started = threading.Event()
        sender = threading.Thread(target=lambda: (started.wait(), os.kill(os.getpid(), signal.SIGINT)))
        x = torch.arange(6, dtype=torch.float32, device=vk)
        with unittest.mock.patch("pumice_torch.vk.plans.building.write_plan", compile_slowly):
            sender.start()
            with self.assertRaises(KeyboardInterrupt):
                torch.special.entr(x)
                time.sleep(0.1)
        sender.join()
        torch.vk.reset_fallbacks()
        torch.testing.assert_close(torch.special.entr(x).cpu(), torch.special.entr(x.cpu()))
        self.assertEqual(torch.vk.fallbacks(), {})

    @on_each_device
    def test_plans_that_call_their_operator(self, vk):
        """Inductor has no kernel for it, and calls a function that calls the operator."""
        from pumice_torch.vk import decompositions
        from pumice_torch.vk.plans import building
        x = torch.linspace(0, 2, 5)
        torch.vk.reset_fallbacks()
        without = {op: function for op, function in decompositions.table().items() if "i1e" not in op.name()}
        building._decompositions.cache_clear()
        with unittest.mock.patch.object(decompositions, "table", lambda: without):
            for _ in range(2):
                self.compare(vk, torch.special.i1e, x)
        building._decompositions.cache_clear()
        self.assertEqual(torch.vk.fallbacks(), {"aten::special_i1e.out": 2})
        self.assertIn("aten::special_i1e.out its plan calls it again", torch.ops.pumice_vk.reasons_without_plan())


if __name__ == "__main__":
    unittest.main()
