"""Variants of checked mode: blocks that are nested or reused, values of PUMICE_CHECK, memory of unknown size, and
launches that the hardware ends.

    PYTHONPATH=... python python/test/test_checking_modes.py
"""
import contextlib
import ctypes
import gc
import io
import mmap
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

import numpy as np
from test_triton import on_each_device, torch

if torch is None:
    print("skipped: torch is not installed")
    sys.exit(77)

import planted_bounds
import planted_wild

import pumice
import triton
import triton.language as tl

HERE = pathlib.Path(__file__).resolve().parent


@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def follow_two(table, x, n):
    """Makes an access out of known bounds, and one that the hardware rejects."""
    tl.store(x + n, 1.0)
    at = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(at, 1.0)


@triton.jit
def write_there(x):
    tl.store(x, 1.0)


@triton.jit
def either(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = x if tl.load(out) > 0 else y
    tl.store(at + i, 7.0, mask=i < n)


@triton.jit
def follow_number(address, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = address.to(tl.int64).to(tl.pointer_type(tl.float32))
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def follow_table(table, y, n, DEPTH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    address = tl.load(table.to(tl.pointer_type(tl.int64)))
    for _ in tl.static_range(DEPTH):
        address = tl.load(address.to(tl.pointer_type(tl.int64)))
    x = address.to(tl.pointer_type(tl.float32))
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def as_halves(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x.to(tl.pointer_type(tl.int16)) + i, mask=i < n), mask=i < n)


@triton.jit
def by_turns(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(tl.where(i % 2 == 0, x + i, y + i), mask=i < n), mask=i < n)


class OnHost(unittest.TestCase):
    def setUp(self):
        pumice.use("cpu")
        self.addCleanup(pumice.use, None)


def stray(y, n=41):
    planted_bounds.store_masked[(3,)](y, n, 1, BLOCK=16)


class Blocks(OnHost):
    """Tests `with pumice.check()`."""

    def test_one_object_for_several_blocks(self):
        checked, y = pumice.check(), torch.zeros(40)
        for n in (41, 42):
            with self.assertRaises(pumice.CheckError) as caught:
                with checked as report:
                    stray(y, n)
            self.assertEqual([each.times for each in caught.exception.findings], [n - 40])
            self.assertEqual([each.times for each in report.findings], [n - 40])
        with checked as report:
            stray(y, 40)
        self.assertFalse(report)

    def test_one_object_in_itself(self):
        checked, y = pumice.check(raises=False), torch.zeros(40)
        with checked as outer:
            with checked as inner:
                stray(y)
            self.assertEqual((len(outer), len(inner)), (0, 1))
            stray(y, 42)
        self.assertEqual([each.times for each in outer.findings], [2])

    def test_an_inner_error_ends_both(self):
        with self.assertRaises(pumice.CheckError):
            with pumice.check() as outer:
                with pumice.check():
                    stray(torch.zeros(40))
        self.assertFalse(outer)
        y = torch.zeros(48)
        stray(y[:40], 48)  # runs unchecked
        self.assertTrue((y == 1).all())

    def test_inner_blocks_keep_unwritten_memory(self):
        made = torch.empty
        with pumice.check(raises=False):
            with pumice.check(raises=False):
                pass
            x = torch.empty(40)
            with pumice.check(raises=False) as report:
                add_one[(1,)](x, 40, BLOCK=64)
        self.assertEqual([each.kind for each in report.findings], ["unwritten"])
        self.assertIs(torch.empty, made)

    def test_decorates(self):
        @pumice.check()
        def work(n):
            stray(torch.zeros(40), n)
        work(40)
        with self.assertRaises(pumice.CheckError):
            work(41)


class Words(unittest.TestCase):
    """Tests the values of PUMICE_CHECK."""

    def run_with(self, word, script):
        environment = dict(os.environ, PUMICE_CHECK=word, PUMICE_DEVICE="cpu")
        script = f"import sys\nsys.path.insert(0, {str(HERE)!r})\n{script}"
        return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)

    def test_on_and_off(self):
        for word, is_on in (("", False), ("0", False), ("off", False), ("1", True), ("on", True), ("raise", True)):
            done = self.run_with(word, "import pumice.checking as c; print(c.is_checking())")
            self.assertEqual(done.stdout, f"{is_on}\n", word + done.stderr)

    def test_other_words(self):
        for word, script in (("yes", "import triton, torch, pumice"), ("RAISE", "import pumice"), (" ", "import pumice")):
            done = self.run_with(word, script)
            self.assertEqual(done.returncode, 1, word)
            self.assertTrue(done.stderr.endswith(f"ValueError: PUMICE_CHECK is '{word}'; expected '1' or 'on', 'raise', "
                                                 "'exit', or '0' or 'off'\n"), done.stderr)

    def test_a_block_has_its_own_report(self):
        """The block's report gets the findings, even if PUMICE_CHECK would end the process."""
        done = self.run_with("exit", "import pumice, torch, planted_bounds\nwith pumice.check(raises=False) as report:\n"
                                     "    planted_bounds.store_masked[(3,)](torch.zeros(40), 41, 1, BLOCK=16)\n"
                                     "print(len(report))")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1\n", ""))

    WILD = ("import torch, planted_wild\n"
            "planted_wild.write_there[(1,)](torch.tensor([0x100000000000]), torch.zeros(1))\n"
            "print('went on')")

    def test_launches_that_the_hardware_ends(self):
        told = "tl.store writes at address 0x100000000000, which is in no argument's memory; the launch was ended there"
        for word, code, out in (("1", 0, "went on\n"), ("raise", 1, ""), ("exit", 1, "")):
            done = self.run_with(word, self.WILD)
            self.assertEqual((done.returncode, done.stdout), (code, out), done.stderr)
            self.assertIn(told, done.stderr)


class Memory(OnHost):
    """Tests for which arguments the bounds are known."""

    def bounds_of(self, given):
        """Returns the number of bytes that a finding reports for the storage."""
        with pumice.check(raises=False) as report:
            planted_bounds.store_masked[(1,)](given, 1000, 1, BLOCK=1024)
        (finding,) = report.findings
        return finding.text.rpartition("storage of ")[2]

    def test_views(self):
        """The bounds of a view are those of its base, if its library knows the base."""
        a = np.zeros(64, np.float32)
        self.assertEqual(self.bounds_of(a[:16]), "256 bytes")
        self.assertEqual(self.bounds_of(torch.zeros(64)[:16]), "256 bytes")
        self.assertEqual(self.bounds_of(torch.zeros(64)[:16].numpy()), "256 bytes")
        self.assertEqual(self.bounds_of(torch.zeros(64)[8:].numpy()[2:4]), "256 bytes")
        self.assertEqual(self.bounds_of(torch.from_numpy(a)[:16]), "256 bytes")
        self.assertEqual(self.bounds_of(torch.from_numpy(a[:16])), "64 bytes")  # PyTorch's storage of the view

    def test_elements_that_begin_inside(self):
        memory = np.zeros(11, np.uint8)
        y = memory[:8].view(np.float32)
        self.assertEqual(self.bounds_of(y), "11 bytes")
        with pumice.check(raises=False) as report:
            planted_bounds.store_masked[(1,)](y, 3, 1, BLOCK=4)
        self.assertIn("at [2] of shape (2,), which reaches past the end of its storage of 11 bytes", str(report))

    def test_objects_of_unknown_size(self):
        """Such arguments are written and read normally, but races between programs are not detected."""
        x = torch.zeros(64)
        with pumice.check():
            add_one[(4,)](planted_wild.Opaque(x), 64, BLOCK=16)
        self.assertTrue((x == 1).all())

    def test_addresses_as_numbers(self):
        x, y = torch.arange(100.0), torch.zeros(100)
        with pumice.check():
            follow_number[(1,)](x.data_ptr(), y, 100, BLOCK=128)
        self.assertTrue(torch.equal(x, y))
        with pumice.check(raises=False) as report:
            follow_number[(1,)](x.data_ptr(), torch.zeros(128), 101, BLOCK=128)
        self.assertEqual([(each.kind, each.argument, each.times) for each in report.findings], [("bounds", "", 1)])

    def test_tables_of_tables(self):
        """Memory is found through tables of addresses of any type, and through tables of tables."""
        x, y = torch.arange(100.0), torch.zeros(128)
        table = torch.tensor([x.data_ptr()])
        outer = torch.tensor([table.data_ptr()])
        for given, depth in ((table, 0), (table.view(torch.uint8), 0), (table.view(torch.int32), 0), (outer, 1),
                             (torch.tensor([outer.data_ptr()]), 2), (np.array([x.data_ptr()]), 0)):
            for n, expected in ((100, []), (101, [("bounds", "", 1)])):
                with pumice.check(raises=False) as report:
                    follow_table[(1,)](given, y, n, DEPTH=depth, BLOCK=128)
                self.assertEqual([(each.kind, each.argument, each.times) for each in report.findings], expected, report)

    def test_numbers_that_look_like_addresses(self):
        """An address without memory does not make launches search for tensors again and again."""
        x, y = torch.arange(100.0), torch.zeros(100)
        table = torch.tensor([x.data_ptr(), 200 | 200 << 32])
        with mock.patch.object(gc, "get_objects", side_effect=gc.get_objects) as looks:
            for _ in range(3):
                with pumice.check():
                    follow_table[(1,)](table, y, 100, DEPTH=0, BLOCK=128)
        self.assertLessEqual(looks.call_count, 1)

    @on_each_device
    def test_pointers_by_other_ways(self):
        """Tests casts and selects: on devices with their own memory, addresses of host memory are unknown."""
        x, y = torch.arange(64.0), torch.zeros(128, dtype=torch.int16)
        with pumice.check():
            as_halves[(1,)](x, y, 128, BLOCK=128)
            by_turns[(1,)](x, x + 1, torch.zeros(64), 64, BLOCK=64)
        self.assertTrue(torch.equal(x.view(torch.int16), y))

    def test_more_findings_than_a_launch_records(self):
        x, said = torch.zeros(1 << 18), io.StringIO()
        with contextlib.redirect_stdout(said), pumice.check(raises=False) as report:
            add_one[(1024,)](x[:0].clone(), 1 << 18, BLOCK=256)
            add_one[(1,)](x, 256, BLOCK=256)
        self.assertEqual(said.getvalue(), "")
        self.assertEqual({(each.kind, each.argument, each.is_counted) for each in report.findings},
                         {("bounds", "x", False)})
        self.assertGreater(report.findings[0].times, 1000)
        self.assertRegex(str(report), r"\(and at least [\d,]+ more elements\)")

    def test_either_of_two_arguments(self):
        """Accesses beyond the end of both arguments are skipped."""
        whole = torch.zeros(3, 32)
        x, y = whole[0].clone(), whole[1].clone()
        with pumice.check(raises=False) as report:
            either[(1,)](x, y, torch.ones(1), 40, BLOCK=64)
        self.assertEqual([(each.kind, each.times) for each in report.findings], [("bounds", 8)], report)
        self.assertTrue((x == 7).all())


@unittest.skipUnless(sys.platform == "linux", "faults are handled on Linux")
class Faults(OnHost):
    """Tests accesses that no check skips, and that the hardware rejects."""

    def test_findings_before_a_fault(self):
        table, x = torch.tensor([0x100000000000]), torch.zeros(4)
        with pumice.check(raises=False) as report:
            follow_two[(1,)](table, x, 4)
        told = sorted((each.line, each.argument) for each in report.findings)
        first = follow_two.fn.__code__.co_firstlineno
        self.assertIn((first + 5, ""), told, report)
        self.assertIn("the launch was ended there", str(report))

    def test_memory_that_is_not_to_be_written(self):
        memory = mmap.mmap(-1, mmap.PAGESIZE)
        held = ctypes.c_char.from_buffer(memory)
        y = torch.frombuffer(memory, dtype=torch.float32)
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        address = ctypes.c_void_p(ctypes.addressof(held))
        self.assertEqual(protect(address, ctypes.c_size_t(mmap.PAGESIZE), 1), 0)
        try:
            with pumice.check(raises=False) as report:
                write_there[(1,)](y)
        finally:
            protect(address, ctypes.c_size_t(mmap.PAGESIZE), 3)
        (finding,) = report.findings
        self.assertEqual((finding.kind, finding.line), ("bounds", write_there.fn.__code__.co_firstlineno + 2))
        self.assertRegex(finding.text, r"invalid write at address 0x[0-9a-f]+: .*'x' \+ 0.*; the launch was ended there")
        write_there[(1,)](y)  # the launch works as usual
        self.assertEqual(y[0], 1)


if __name__ == "__main__":
    unittest.main()
