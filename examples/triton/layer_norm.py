"""Layer normalisation of rows to mean 0 and deviation 1, with weights and biases."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, main, random, warps_for, wide


@triton.jit
def layer_norm(x, weight, bias, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    mask = i < columns
    value = tl.load(x + row + i, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(value, 0) / columns
    value = tl.where(mask, value - mean, 0.0)
    scale = tl.rsqrt(tl.sum(value * value, 0) / columns + epsilon)
    result = value * scale * tl.load(weight + i, mask=mask) + tl.load(bias + i, mask=mask)
    tl.store(out + row + i, result.to(out.dtype.element_ty), mask=mask)


def problem(memory, rows=1000, columns=1000, dtype="float32"):
    weight, bias = random(2, columns, dtype=dtype)
    tensors = random(rows, columns, dtype=dtype), weight, bias, empty(rows, columns, dtype=dtype)
    given = [memory.put(each) for each in tensors]
    block = triton.next_power_of_2(columns)

    def expected():
        x = wide(tensors[0])
        scaled = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
        return (scaled * wide(weight) + wide(bias),)

    def by_torch(x, weight, bias, _):
        return (functional.layer_norm(x, (columns,), weight, bias, eps=1e-5),)

    return Problem(f"layer norm of {rows} x {columns} {dtype}", tensors,
                   lambda: layer_norm[(rows,)](*given, columns, 1e-5, BLOCK=block,
                                               num_warps=warps_for(block)),
                   lambda: (memory.get(given[3]),), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
