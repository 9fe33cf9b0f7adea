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
    """Writes x * factor or 0, and which of both. Each run of the generator serves four elements.

    The generator's counter has 32 bits: it needs far less time than one of 64.
    """
    lanes = tl.arange(0, BLOCK)
    chances = tl.rand4x(seed, tl.program_id(0) * BLOCK + lanes)
    first = tl.program_id(0).to(tl.int64) * 4 * BLOCK
    left = tl.minimum(count - first, 4 * BLOCK).to(tl.int32)
    for part in tl.static_range(4):
        at = part * BLOCK + lanes
        mask = at < left
        is_kept = chances[part] >= p
        value = tl.load(x + first + at, mask=mask).to(tl.float32)
        tl.store(out + first + at, tl.where(is_kept, value * factor, 0.0), mask=mask)
        tl.store(kept + first + at, is_kept, mask=mask)


def native_dropout(writer: Writer, x: Operand, p: Any, train: Any) -> None:
    """Writes the plan of native_dropout."""
    if train is False or not 0 < p < 1 or x.kind not in (torch.float32, torch.float16, torch.bfloat16) or x.layout == "s":
        raise Unsupported("a dropout of all elements or of none, or of a type or layout that the kernel does not have")
    file = writer.file
    sizes, strides = [x.size(dim) for dim in range(x.rank)], [x.stride(dim) for dim in range(x.rank)]
    out, kept = file.allocate(x.kind, sizes, strides), file.allocate(torch.bool, sizes, strides)
    count = writer.product(*sizes)
    actual = 1
    for size in x.actual_sizes:
        actual *= size
    if not writer.is_at_most(count, actual, 1 << 34):  # each value of the counter serves four elements
        raise Unsupported(f"a dropout of {actual} elements; expected at most {1 << 34}")
    aligned = ["count"] if writer.is_multiple(count, actual, 16) else []
    writer.launch(dropout, [writer.ceil_div(count, 4 * _BLOCK)],
                  {"x": x, "out": (out, x.kind), "kept": (kept, torch.bool), "seed": (Seed(), "i64"),
                   "count": (count, "i64"), "p": (writer.constant(float(p)), "fp32"),
                   "factor": (writer.constant(1 / (1 - p)), "fp32")}, {"BLOCK": _BLOCK}, aligned=aligned)
    file.add_result(out)
    file.add_result(kept)
