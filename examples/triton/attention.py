"""Attention in one kernel: it computes the softmax block by block, along with the products."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, main, random, wide


@triton.jit
def attention(q, k, v, out, scale, length, head_stride, CAUSAL: tl.constexpr, WIDTH: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * head_stride
    first = tl.program_id(0) * BLOCK_M
    i = first + tl.arange(0, BLOCK_M)
    w = tl.arange(0, WIDTH)
    query = tl.load(q + head + i[:, None] * WIDTH + w[None, :], mask=i[:, None] < length, other=0.0)

    most = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sum = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    end = min(first + BLOCK_M, length) if CAUSAL else length
    for start in range(0, end, BLOCK_N):
        j = start + tl.arange(0, BLOCK_N)
        key = tl.load(k + head + j[None, :] * WIDTH + w[:, None], mask=j[None, :] < length, other=0.0)
        score = tl.dot(query, key) * scale
        seen = j[None, :] < length
        if CAUSAL:
            seen = seen & (j[None, :] <= i[:, None])
        score = tl.where(seen, score, -float("inf"))
        # Rescales the previous sums to the new maximum.
        now = tl.maximum(most, tl.max(score, 1))
        weight = tl.exp(score - now[:, None])
        before = tl.exp(most - now)
        value = tl.load(v + head + j[:, None] * WIDTH + w[None, :], mask=j[:, None] < length, other=0.0)
        sum = tl.dot(weight.to(value.dtype), value, sum * before[:, None])
        total = total * before + tl.sum(weight, 1)
        most = now

    tl.store(out + head + i[:, None] * WIDTH + w[None, :],
             (sum / total[:, None]).to(out.dtype.element_ty), mask=i[:, None] < length)


def problem(memory, batch=1, heads=4, length=200, width=64, causal=True, dtype="float32",
            block="64x64", warps=4):
    shape = batch, heads, length, width
    q, k, v = random(3, *shape, dtype=dtype)
    tensors = q, k, v, empty(*shape, dtype=dtype)
    given = [memory.put(each) for each in tensors]
    m, n = (int(extent) for extent in block.split("x"))

    def launch():
        attention[(triton.cdiv(length, m), batch * heads)](
            *given, width ** -0.5, length, length * width, CAUSAL=causal, WIDTH=width, BLOCK_M=m,
            BLOCK_N=n, num_warps=warps)

    def expected():
        heads_of = [wide(each).reshape(-1, length, width) for each in (q, k, v)]
        return (np.stack([attend(*head, causal) for head in zip(*heads_of)]).reshape(shape),)

    def by_torch(q, k, v, _):
        return (functional.scaled_dot_product_attention(q, k, v, is_causal=causal),)

    return Problem(f"{'causal ' if causal else ''}attention of {batch} x {heads} x {length} x {width} "
                   f"{dtype}", tensors, launch, lambda: (memory.get(given[3]),), expected,
                   by_torch, tolerance=1e-5 if dtype == "float32" else 2e-2)


def attend(q, k, v, causal):
    """Computes the attention of one head."""
    score = q @ k.T * q.shape[1] ** -0.5
    if causal:
        score = np.where(np.tri(len(q), dtype=bool), score, -np.inf)
    e = np.exp(score - score.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True) @ v


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
