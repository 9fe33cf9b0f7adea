"""Checked mode finds planted faults, each in its line, and reports nothing for kernels without them.

    PYTHONPATH=... python python/test/test_checking.py
"""
import pathlib
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
from test_triton import REQUESTS, on_each_device, torch

if torch is None:
    print("skipped: torch is not installed")
    sys.exit(77)

import planted
import planted_atomics
import planted_bounds
import planted_others
import planted_wild

import pumice
import triton
import triton.language as tl

HERE = pathlib.Path(__file__).resolve().parent


@triton.jit
def count(x, bins, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + i), 1)


@triton.jit
def sum_all(x, y, BLOCK: tl.constexpr):
    tl.atomic_add(y, tl.sum(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))))


@triton.jit
def double_twice(x, n, BLOCK: tl.constexpr):
    """Reads and writes each program's own elements again and again."""
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        for _ in range(2):
            tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def under_lock(lock, total):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def begin_sum(lock, total):
    if tl.atomic_cas(lock, 0, 1) == 0:
        tl.store(total, 0.0)


@triton.jit
def exchange_and_read(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_xchg(x + i, 1.0)
    tl.debug_barrier()
    tl.store(y + i, tl.load(x + i))


@triton.jit
def store_halves(halves, whole, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(halves + 2 * i, i.to(tl.int16))
    tl.store(halves + 2 * i + 1, i.to(tl.int16))
    tl.debug_barrier()
    tl.store(y + i, tl.load(whole + i))


@triton.jit
def ratio(x, d, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) // tl.load(d + i, mask=i < n), mask=i < n)


@triton.jit
def many_faults(x, y):
    for i in tl.static_range(4):
        tl.store(y + i, tl.load(x + i))
    tl.store(y + 10, 1.0)
    tl.store(y + 11, 1.0)
    tl.store(y + 12, 1.0)


class Planted(unittest.TestCase):
    """Tests each case's kernel twice: with the fault, and without it."""

    def check(self, case):
        device = pumice.device().info["driver"]
        if case.host_only and device != "cpu":
            return
        with pumice.check(raises=False) as report:
            case.launch(False)
        self.assertEqual(str(report), "no findings")
        with pumice.check(raises=False) as report:
            case.launch(True)
        found = [each for each in report.findings if each.kind == case.kind]
        self.assertTrue(found, f"finds {report}")
        self.assertTrue({each.line for each in found} <= case.lines, f"not in {case.lines}: {report}")
        self.assertTrue(found[0].place.startswith(case.kernel.__code__.co_filename))
        if case.argument is not None:
            self.assertEqual(found[0].argument, case.argument)
        if case.program is not None:
            self.assertEqual(found[0].program, case.program)
        self.assertRegex(found[0].text, case.text)


def _test_of(case):
    def test(self):
        self.check(case)
    test.__name__ = f"test_{case.kind}_{case.name}"
    return on_each_device(test)


for _case in planted.CASES:
    _test = _test_of(_case)
    setattr(Planted, _test.__name__, _test)


class Silent(unittest.TestCase):
    """Tests accesses that look like a fault, and are correct."""

    def check(self, launch):
        pumice.use("cpu")
        self.addCleanup(pumice.use, None)
        with pumice.check(raises=False) as report:
            launch()
        self.assertEqual(str(report), "no findings")

    def test_atomics(self):
        bins, total = torch.zeros(4, dtype=torch.int32), torch.zeros(1)
        self.check(lambda: (count[(64,)](torch.arange(1024) % 4, bins, BLOCK=16),
                            sum_all[(64,)](torch.ones(1024), total, BLOCK=16)))
        self.assertEqual((bins.tolist(), total.item()), ([256] * 4, 1024))

    def test_persistent_loop(self):
        x = torch.ones(1000)
        self.check(lambda: double_twice[(7,)](x, 1000, BLOCK=16))
        self.assertTrue((x == 4).all())

    def test_lock(self):
        lock, total = torch.zeros(1, dtype=torch.int32), torch.zeros(1)
        self.check(lambda: under_lock[(50,)](lock, total))
        self.assertEqual(total.item(), 50)

    def test_masked_divisors(self):
        """An element that a mask excludes is never a divisor."""
        x = torch.arange(10)
        self.check(lambda: ratio[(1,)](x, x + 1, torch.zeros(10, dtype=torch.int64), 10, BLOCK=16))

    def test_memory_that_others_have_written(self):
        """Tests NumPy, which PyTorch does not see, and a kernel whose programs wait for each other."""
        lock = torch.zeros(1, dtype=torch.int32)

        def launch():
            by_torch = [torch.empty(64), torch.empty(64).detach()]
            by_torch[1].numpy()[:] = 1
            torch.from_dlpack(by_torch[0]).fill_(1)
            for each in by_torch:
                planted_others.copy[(4,)](each, torch.empty(64), 64, BLOCK=16)
            total = torch.empty(1)
            begin_sum[(1,)](lock, total)
            planted_others.copy[(1,)](total, torch.empty(1), 1, BLOCK=16)

        self.check(launch)

    def test_memory_that_atomics_have_written(self):
        def launch():
            exchange_and_read[(4,)](torch.empty(64), torch.empty(64), BLOCK=16)
            whole = torch.empty(64)
            store_halves[(1,)](whole.view(torch.int16), whole, torch.empty(64), BLOCK=64)
        self.check(launch)

    def test_out_of_torch_empty(self):
        """A tensor that is passed as `out` keeps its elements."""
        x = torch.ones(4)
        with pumice.check():
            self.assertIs(torch.empty(4, out=x), x)
        self.assertTrue((x == 1).all())

    def test_two_views_of_one_storage(self):
        whole = torch.ones(2048)
        self.check(lambda: planted_others.copy[(64,)](whole[:1024], whole[1024:], 1024, BLOCK=16))

    def test_inductor(self):
        import torch._inductor.config
        with torch._inductor.config.patch(cpu_backend="triton"):
            def function(x, w):
                return torch.softmax(x @ w, -1)[::2].sum(0) + x.mean()
            x, w = torch.randn(33, 20), torch.randn(20, 7)
            out = []
            self.check(lambda: out.append(torch.compile(function)(x, w)))
            torch.testing.assert_close(out[0], function(x, w), atol=1e-5, rtol=1e-4)


class Mode(unittest.TestCase):
    """Tests `pumice.check` itself."""

    def setUp(self):
        pumice.use("cpu")
        self.addCleanup(pumice.use, None)

    def test_raises(self):
        with self.assertRaises(pumice.CheckError) as caught:
            with pumice.check():
                planted_bounds.store_masked[(3,)](torch.zeros(40), 45, 1, BLOCK=16)
        (finding,) = caught.exception.findings
        self.assertEqual((finding.kind, finding.kernel, finding.argument, finding.times, finding.element),
                         ("bounds", "store_masked", "y", 5, (8,)))
        self.assertIn("planted_bounds.py", str(caught.exception))
        self.assertIn("(and 4 more elements)", str(caught.exception))

    def test_memory_around_is_whole(self):
        """A checked kernel skips a wrong access, and continues."""
        whole = np.full(100, 7, np.int32)
        with pumice.check(raises=False):
            planted_bounds.store_masked[(1,)](pumice.from_numpy(whole)[:0], 0, 1, BLOCK=16)
            y = torch.zeros(10)
            planted_bounds.store_masked[(1,)](y, 16, 1, BLOCK=16)
        self.assertTrue((y == 1).all())

    def test_an_exception_of_the_block_passes(self):
        with self.assertRaises(ZeroDivisionError):
            with pumice.check():
                planted_bounds.store_masked[(3,)](torch.zeros(40), 45, 1, BLOCK=16)
                1 / 0

    def test_most(self):
        for most, lines in ((20, 3), (2, 3), (1, 2)):
            with pumice.check(raises=False, most=most) as report:
                many_faults[(1,)](torch.ones(4), torch.zeros(4))
            self.assertEqual((len(report), len(str(report).splitlines())), (3, lines))
        self.assertTrue(str(report).endswith("and 2 more findings"))

    def test_the_innermost_has_it(self):
        y = torch.zeros(40)
        with pumice.check(raises=False) as outer:
            with pumice.check(raises=False) as inner:
                planted_bounds.store_masked[(3,)](y, 45, 1, BLOCK=16)
            self.assertEqual((len(outer), len(inner)), (0, 1))
            planted_bounds.store_masked[(3,)](y, 45, 1, BLOCK=16)
        self.assertEqual((len(outer), len(inner)), (1, 1))

    def test_unchecked_before_and_after(self):
        """A kernel is launched alternately with and without checks."""
        for _ in range(2):
            x, y = torch.ones(100), torch.zeros(100)
            planted_bounds.load_masked[(2,)](x, y, 100, BLOCK=64)
            self.assertTrue((y == 1).all())
            with pumice.check(raises=False) as report:
                planted_bounds.load_masked[(2,)](x, y, 101, BLOCK=64)
            self.assertEqual(len(report), 1)

    def test_threads(self):
        wrong = []

        def work(n):
            for _ in range(20):
                y = torch.zeros(40)
                planted_bounds.store_masked[(3,)](y, n, 1, BLOCK=16)
                if not (y == 1).all():
                    wrong.append(n)

        with pumice.check(raises=False) as report:
            threads = [threading.Thread(target=work, args=(n,)) for n in (40, 41, 40, 43)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual([(each.argument, each.times) for each in report.findings], [("y", 20 * (1 + 3))])

    def test_torch_compile(self):
        """Tests a user's kernel inside code that PyTorch compiles."""
        import torch._inductor.config

        def function(x, n):
            y = torch.zeros_like(x)
            planted_bounds.load_masked[(2,)](x * 2, y, n, BLOCK=64)
            return y + 1

        with torch._inductor.config.patch(cpu_backend="triton"):
            for n, expected in ((100, 0), (101, 1)):
                with pumice.check(raises=False) as report:
                    out = torch.compile(function)(torch.ones(100), n)
                self.assertTrue((out == 3).all())
                self.assertEqual([(each.kind, each.argument) for each in report.findings],
                                 [("bounds", "x")] * expected, report)


class Process(unittest.TestCase):
    """Tests PUMICE_CHECK, with scripts that do not use `pumice.check`."""

    SCRIPT = """
import torch, sys
sys.path.insert(0, {here!r})
import planted_bounds
y = torch.zeros(40)
planted_bounds.store_masked[(3,)](y, {n}, 1, BLOCK=16)
planted_bounds.store_masked[(3,)](y, {n}, 1, BLOCK=16)
print("went on")
"""

    EMPTY = """
import sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {here!r})
{imports}
x, y = torch.empty(40), torch.zeros(40)

@torch.jit.script
def script(n: int):
    return torch.empty(n).fill_(2)

@torch.compile(fullgraph=True, backend="eager")
def compiled(x):
    return torch.empty_like(x).fill_(3) + x

import planted_others
planted_others.copy[(3,)](x, y, 40, BLOCK=16)
print(script(3).max().item(), compiled(torch.ones(2)).max().item())
"""

    def run_with(self, how, n):
        environment = dict(os.environ, PUMICE_CHECK=how, PUMICE_DEVICE="cpu")
        return subprocess.run([sys.executable, "-c", self.SCRIPT.format(here=str(HERE), n=n)], env=environment,
                              capture_output=True, text=True)

    def test_nothing_wrong(self):
        done = self.run_with("1", 40)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "went on\n", ""))

    def test_not_asked_for(self):
        for how in ("0", ""):
            done = self.run_with(how, 41)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_findings_are_printed_once(self):
        done = self.run_with("1", 42)
        self.assertEqual((done.returncode, done.stdout), (0, "went on\n"))
        told = done.stderr.splitlines()
        self.assertRegex(told[0], r"^pumice: .*planted_bounds.py:\d+: tl.store writes 'y' at \[40\] of shape \(40,\)")
        self.assertEqual(told[1:], ["pumice: 1 finding, 4 elements in all (PUMICE_CHECK)"])

    def run_empty(self, imports, check="1"):
        environment = dict(os.environ, PUMICE_CHECK=check, PUMICE_DEVICE="cpu")
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "script.py"  # torch.jit.script reads its source
            script.write_text(self.EMPTY.format(here=str(HERE), imports=imports))
            return subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)

    def test_unwritten(self):
        """Tensors from before the first launch are known, and PyTorch still recognizes its functions."""
        for imports in ("import torch, triton", "import triton, torch"):
            done = self.run_empty(imports)
            self.assertEqual((done.returncode, done.stdout), (0, "2.0 4.0\n"), done.stderr)
            told = [line for line in done.stderr.splitlines() if line.startswith("pumice: ")]
            self.assertRegex(told[0], r"planted_others.py:\d+: tl.load reads 'x' where nothing has written it")
            self.assertEqual(told[1:], ["pumice: 1 finding, 40 elements in all (PUMICE_CHECK)"])
        self.assertEqual(self.run_empty("import torch, triton", check="0").stderr.count("pumice: "), 0)

    def test_raise(self):
        done = self.run_with("raise", 41)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("CheckError: ", done.stderr)

    def test_exit(self):
        done = self.run_with("exit", 41)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn("tl.store writes 'y'", done.stderr)


@triton.jit
def follow(table, y):
    """Adds up the numbers that pointers in memory lead to."""
    i = tl.program_id(0)
    tl.store(y + i, tl.load(tl.load(table + i).to(tl.pointer_type(tl.float32))))


@triton.jit
def by_integers(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load((x + i).to(tl.int64).to(tl.pointer_type(tl.float32))) + 1)


@triton.jit
def divides_where_it_can(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    divisor = tl.load(x + i)
    tl.store(y + i, tl.where(divisor != 0, 100 // divisor, 0))


class Arguments(unittest.TestCase):
    """Tests what launches find out about their arguments, which costs time."""

    def setUp(self):
        pumice.use("cpu")
        self.addCleanup(pumice.use, None)

    def looked_for(self, *tensors, written):
        from pumice_triton import checking
        device = pumice.device()
        storages = [checking.Storage(str(i), each, device) for i, each in enumerate(tensors)]
        return checking.what_to_look_for(storages, written, device) & checking.SHARED

    def test_memory_in_common(self):
        """Two rows of a matrix race with each other only if one of them is written."""
        rows, other = torch.zeros(2, 10), torch.zeros(10)
        self.assertFalse(self.looked_for(rows[0], rows[1], other, written=[False, False, True]))
        self.assertTrue(self.looked_for(rows[0], rows[1], other, written=[False, True, False]))
        self.assertFalse(self.looked_for(None, None, other, written=[True, True, True]))

    def test_unwritten_memory_of_other_devices(self):
        """Only the CPU device checks this."""
        from unittest import mock
        from pumice_triton import checking
        device = pumice.device()
        other = mock.Mock(info={**device.info, "driver": "vulkan"})
        with pumice.check():
            storages = [checking.Storage("x", torch.empty(10), device)]
            self.assertTrue(checking.what_to_look_for(storages, [True], device) & checking.UNWRITTEN)
            self.assertFalse(checking.what_to_look_for(storages, [True], other) & checking.UNWRITTEN)

    def test_how_many_are_shown(self):
        for wrong in (-1, 1.5, None, "x"):
            with self.assertRaisesRegex(ValueError, "expected the number of findings to show"):
                with pumice.check(most=wrong):
                    self.fail("it began")

    def test_divisions_that_are_not_chosen(self):
        x, y = torch.arange(8, dtype=torch.int32) % 4, torch.zeros(8, dtype=torch.int32)
        with pumice.check():
            divides_where_it_can[(1,)](x, y, N=8)
        self.assertEqual(y.tolist(), [0, 100, 50, 33] * 2)

    @on_each_device
    def test_pointers_of_integers(self):
        """The kernel stores its addresses as integers, and loads them again."""
        for given in (torch.arange(64.0), pumice.from_numpy(np.arange(64, dtype=np.float32))):
            y = torch.zeros(64)
            with pumice.check():
                by_integers[(1,)](given, y, N=64)
            self.assertEqual(y.tolist(), list(range(1, 65)))

    def test_addresses_of_other_devices(self):
        """If a device has its own memory, only the device knows the addresses of arrays."""
        if "vulkan" not in os.environ.get("PUMICE_TEST_DEVICES", ""):
            self.skipTest("no such device")
        pumice.use("vulkan:0")
        sources = [pumice.full((4,), float(i)) for i in range(4)]
        y = torch.zeros(4)
        with pumice.check():
            follow[(4,)](torch.tensor([each.data_ptr() for each in sources]), y)
        self.assertEqual(y.tolist(), [0, 1, 2, 3])

    def test_pointers_in_memory(self):
        """Tensors are looked up once, and again if an address leads to no known tensor."""
        import gc
        from unittest import mock
        sources = [torch.full((1,), float(i)) for i in range(4)]
        table, y = torch.tensor([each.data_ptr() for each in sources]), torch.zeros(4)
        get_objects = gc.get_objects
        with mock.patch.object(gc, "get_objects", side_effect=get_objects) as looks:
            for _ in range(3):
                with pumice.check():
                    follow[(4,)](table, y)
            self.assertEqual((y.tolist(), looks.call_count), ([0, 1, 2, 3], 1))
            sources[2] = torch.full((1 << 20,), 7.0)
            table[2] = sources[2].data_ptr()
            with pumice.check():
                follow[(4,)](table, y)
            self.assertEqual((y.tolist(), looks.call_count), ([0, 1, 7, 3], 2))
            x = torch.arange(64)
            with pumice.check():  # its integers are not addresses
                planted_others.copy[(4,)](x * 5000, x, 64, BLOCK=16)
            self.assertEqual(looks.call_count, 2)


class Cases(unittest.TestCase):
    def test_enough_of_all_kinds(self):
        self.assertEqual({case.kind for case in planted.CASES}, set(pumice.checking.KINDS))
        self.assertGreaterEqual(len(planted.CASES), 60)
        self.assertEqual(len({case.name for case in planted.CASES}), len(planted.CASES))
        for case in planted.CASES:
            self.assertIn(len(case.lines), (1, 2), case.name)


if __name__ == "__main__":
    unittest.main()
