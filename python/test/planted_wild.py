"""Kernels with pointers to arbitrary addresses. planted.py says what a case is."""
import torch

import triton
import triton.language as tl
from planted import planted


class Opaque:
    """An argument that a kernel takes for a pointer, without a size."""

    def __init__(self, tensor):
        self._tensor, self.dtype = tensor, tensor.dtype

    def data_ptr(self):
        return self._tensor.data_ptr()


@triton.jit
def follow(table, y, BLOCK: tl.constexpr):
    at = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    value = tl.load(at + i)  # fault
    tl.store(y + tl.program_id(0) * BLOCK + i, value)


@triton.jit
def follow_one(table, y):
    at = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    value = tl.load(at)  # fault
    tl.store(y + tl.program_id(0), value)


@triton.jit
def write_there(table, y):
    at = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(at, 1.0)  # fault


@triton.jit
def add_there(table, y):
    at = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.atomic_add(at, 1.0)  # fault


def _leads_to(name, address):
    """Makes program 1 use this address, by each kind of access."""
    for kernel, options in ((follow, {"BLOCK": 16}), (follow_one, {}), (write_there, {}), (add_there, {})):
        def launch(wrong, kernel=kernel, options=options):
            right = [torch.ones(16) for _ in range(2)]
            table = torch.tensor([each.data_ptr() for each in right])
            if wrong:
                table[1] = address
            y = torch.zeros(32)
            kernel[(2,)](table, y, **options)
        launch.__name__ = f"{name}_by_{kernel.fn.__name__}"
        planted(kernel, "bounds", "", (1, 0, 0), rf"tl.\w+ \w+ at address {address % (1 << 64):#x}, which is in no argument",
                host_only=True)(launch)


_leads_to("null_pointer", 0)
_leads_to("small_number", 0x40)
_leads_to("poison", 0x7777777777777770)
_leads_to("small_negative_number", -64)
_leads_to("address_of_no_memory", 0x100000000000)


@triton.jit
def load_strided(x, y, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i.to(tl.int64) * stride)  # fault
    tl.store(y + i, value)


for _name, _stride in (("far", 1 << 40), ("farther", 1 << 55), ("backwards", -(1 << 40)), ("half_way_round", 1 << 61)):
    def _launch(wrong, stride=_stride):
        load_strided[(1,)](Opaque(torch.ones(64)), torch.zeros(16), stride if wrong else 4, BLOCK=16)
    _launch.__name__ = f"object_of_unknown_size_{_name}"
    planted(load_strided, "bounds", "x", (0, 0, 0), "tl.load reads 'x' at address 0x[0-9a-f]+, outside the memory",
            host_only=True)(_launch)


@planted(load_strided, "bounds", "x", (0, 0, 0),
         r"at \[4611686018427387904\] of shape \(64,\), 18,446,744,073,709,551,360 bytes past the end of its storage of 256 "
         "bytes; its address wraps in 64 bits")
def offset_that_comes_back_in_64_bits(wrong):
    load_strided[(1,)](torch.ones(64), torch.zeros(16), 1 << 62 if wrong else 4, BLOCK=16)


@planted(load_strided, "bounds", "x", (0, 0, 0), r"9,223,372,036,854,775,552 bytes past the end of its storage")
def offset_that_is_negative_in_bytes(wrong):
    load_strided[(1,)](torch.ones(64), torch.zeros(16), 1 << 61 if wrong else 4, BLOCK=16)
