"""Checked mode's ways: memory of unknown size, and launches that the hardware ends.

    PYTHONPATH=... python python/test/test_checking_modes.py
"""
import ctypes
import mmap
import sys
import unittest

import numpy as np
from test_triton import torch

if torch is None:
    print("skipped: torch is not installed")
    sys.exit(77)

import planted_bounds
import planted_wild

import pumice
import triton
import triton.language as tl


@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def follow_two(table, x, n):
    """A stray that is known, and one that the hardware refuses."""
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


class OnHost(unittest.TestCase):
    def setUp(self):
        pumice.use("cpu")
        self.addCleanup(pumice.use, None)


class Memory(OnHost):
    """Whose bounds are known, and how far."""

    def bounds_of(self, given):
        """How many bytes a finding says that the storage has."""
        with pumice.check(raises=False) as report:
            planted_bounds.store_masked[(1,)](given, 1000, 1, BLOCK=1024)
        (finding,) = report.findings
        return finding.text.rpartition("storage of ")[2]

    def test_views(self):
        """A view counts as all of what it is a view of, as far as its library knows."""
        a = np.zeros(64, np.float32)
        self.assertEqual(self.bounds_of(a[:16]), "256 bytes")
        self.assertEqual(self.bounds_of(torch.zeros(64)[:16]), "256 bytes")
        self.assertEqual(self.bounds_of(torch.zeros(64)[:16].numpy()), "256 bytes")
        self.assertEqual(self.bounds_of(torch.zeros(64)[8:].numpy()[2:4]), "256 bytes")
        self.assertEqual(self.bounds_of(torch.from_numpy(a)[:16]), "256 bytes")
        self.assertEqual(self.bounds_of(torch.from_numpy(a[:16])), "64 bytes")  # PyTorch's storage of it

    def test_elements_that_begin_inside(self):
        memory = np.zeros(11, np.uint8)
        y = memory[:8].view(np.float32)
        self.assertEqual(self.bounds_of(y), "11 bytes")
        with pumice.check(raises=False) as report:
            planted_bounds.store_masked[(1,)](y, 3, 1, BLOCK=4)
        self.assertIn("at [2] of shape (2,), which ends behind its storage of 11 bytes", str(report))

    def test_objects_of_unknown_size(self):
        """They are written and read as others are, and nobody knows whether programs race there."""
        x = torch.zeros(64)
        with pumice.check():
            add_one[(4,)](planted_wild.Opaque(x), 64, BLOCK=16)
        self.assertTrue((x == 1).all())

    def test_either_of_two_arguments(self):
        """What lies behind both is left out."""
        whole = torch.zeros(3, 32)
        x, y = whole[0].clone(), whole[1].clone()
        with pumice.check(raises=False) as report:
            either[(1,)](x, y, torch.ones(1), 40, BLOCK=64)
        self.assertEqual([(each.kind, each.times) for each in report.findings], [("bounds", 8)], report)
        self.assertTrue((x == 7).all())


@unittest.skipUnless(sys.platform == "linux", "faults are handled on Linux")
class Faults(OnHost):
    """Accesses that no check has left out, and which the hardware refuses."""

    def test_what_was_told_before(self):
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
        write_there[(1,)](y)  # as ever
        self.assertEqual(y[0], 1)


if __name__ == "__main__":
    unittest.main()
