"""Dropout."""
from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from ..plans.file import Seed
from ..plans.own import Operand, Writer
from ..plans.values import Unsupported

_BLOCK = 1024


@triton.jit
def dropout(x, out, kept, seed, count, p, factor, BLOCK: tl.constexpr):
    """Writes x * factor or 0, and which of both. Each run of the generator serves four elements."""
    lanes = tl.arange(0, BLOCK)
    program = tl.program_id(0).to(tl.int64)
    chances = tl.rand4x(seed, program * BLOCK + lanes)
    for part in tl.static_range(4):
        at = (program * 4 + part) * BLOCK + lanes
        mask = at < count
        is_kept = chances[part] >= p
        value = tl.load(x + at, mask=mask).to(tl.float32)
        tl.store(out + at, tl.where(is_kept, value * factor, 0.0), mask=mask)
        tl.store(kept + at, is_kept, mask=mask)


def native_dropout(writer: Writer, x: Operand, p: Any, train: Any) -> None:
    """Writes the plan of native_dropout."""
    if train is False or not 0 < p < 1 or x.kind not in (torch.float32, torch.float16, torch.bfloat16) or x.layout == "s":
        raise Unsupported("a dropout of all elements or of none, or of a type or layout that the kernel does not have")
    file = writer.file
    sizes, strides = [x.size(dim) for dim in range(x.rank)], [x.stride(dim) for dim in range(x.rank)]
    out, kept = file.allocate(x.kind, sizes, strides), file.allocate(torch.bool, sizes, strides)
    count = writer.product(*sizes)
    writer.launch(dropout, [writer.ceil_div(count, 4 * _BLOCK)],
                  {"x": x, "out": (out, x.kind), "kept": (kept, torch.bool), "seed": (Seed(), "i64"),
                   "count": (count, "i64"), "p": (writer.constant(float(p)), "fp32"),
                   "factor": (writer.constant(1 / (1 - p)), "fp32")}, {"BLOCK": _BLOCK})
    file.add_result(out)
    file.add_result(kept)
