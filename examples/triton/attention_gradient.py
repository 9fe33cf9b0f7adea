"""The gradient of attention. The scores are recomputed block by block, from logarithms that the forward pass keeps."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, main, random, torch, wide

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def load_rows(x, row, length, WIDTH: tl.constexpr):
    return tl.load(x + row[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :], mask=row[:, None] < length, other=0.0)


@triton.jit
def store_rows(x, row, value, length, WIDTH: tl.constexpr):
    tl.store(x + row[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :], value.to(x.dtype.element_ty),
             mask=row[:, None] < length)


@triton.jit
def forward(q, k, v, out, logs, scale, length, CAUSAL: tl.constexpr, WIDTH: tl.constexpr,
            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Computes attention, and the base-2 logarithm of each query's sum of exponentials."""
    head = tl.program_id(1).to(tl.int64) * length
    q, k, v, out, logs = q + head * WIDTH, k + head * WIDTH, v + head * WIDTH, out + head * WIDTH, logs + head
    first = tl.program_id(0) * BLOCK_M
    i = first + tl.arange(0, BLOCK_M)
    query = load_rows(q, i, length, WIDTH)
    most = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sum = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    for start in range(0, min(first + BLOCK_M, length) if CAUSAL else length, BLOCK_N):
        j = start + tl.arange(0, BLOCK_N)
        score = tl.dot(query, tl.trans(load_rows(k, j, length, WIDTH))) * (scale * LOG2_E)
        seen = j[None, :] < length
        if CAUSAL:
            seen = seen & (j[None, :] <= i[:, None])
        score = tl.where(seen, score, -float("inf"))
        now = tl.maximum(most, tl.max(score, 1))
        weight = tl.exp2(score - now[:, None])
        before = tl.exp2(most - now)
        value = load_rows(v, j, length, WIDTH)
        sum = tl.dot(weight.to(value.dtype), value, sum * before[:, None])
        total = total * before + tl.sum(weight, 1)
        most = now
    store_rows(out, i, sum / total[:, None], length, WIDTH)
    tl.store(logs + i, most + tl.log2(total), mask=i < length)


@triton.jit
def of_rows(out, d_out, deltas, rows, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """Computes for each query the sum of output times gradient, which the softmax's gradient subtracts."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    product = load_rows(out, i, rows, WIDTH).to(tl.float32) * load_rows(d_out, i, rows, WIDTH).to(tl.float32)
    tl.store(deltas + i, tl.sum(product, 1), mask=i < rows)


@triton.jit
def of_keys(q, k, v, d_out, logs, deltas, d_k, d_v, scale, length, CAUSAL: tl.constexpr,
            WIDTH: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Handles one block of keys and values, with all queries that see them. Scores are transposed: keys by queries."""
    head = tl.program_id(1).to(tl.int64) * length
    q, k, v, d_out = q + head * WIDTH, k + head * WIDTH, v + head * WIDTH, d_out + head * WIDTH
    first = tl.program_id(0) * BLOCK_N
    j = first + tl.arange(0, BLOCK_N)
    key = load_rows(k, j, length, WIDTH)
    value = load_rows(v, j, length, WIDTH)
    key_sum = tl.zeros((BLOCK_N, WIDTH), tl.float32)
    value_sum = tl.zeros((BLOCK_N, WIDTH), tl.float32)
    for start in range(first // BLOCK_M * BLOCK_M if CAUSAL else 0, length, BLOCK_M):
        i = start + tl.arange(0, BLOCK_M)
        query = load_rows(q, i, length, WIDTH)
        d = load_rows(d_out, i, length, WIDTH)
        log = tl.load(logs + head + i, mask=i < length, other=float("inf"))  # gives weight 0 beyond the end
        delta = tl.load(deltas + head + i, mask=i < length, other=0.0)
        weight = tl.exp2(tl.dot(key, tl.trans(query)) * (scale * LOG2_E) - log[None, :])
        if CAUSAL:
            weight = tl.where(j[:, None] <= i[None, :], weight, 0.0)
        value_sum = tl.dot(weight.to(d.dtype), d, value_sum)
        d_score = weight * (tl.dot(value, tl.trans(d)) - delta[None, :])
        key_sum = tl.dot(d_score.to(query.dtype), query, key_sum)
    store_rows(d_k + head * WIDTH, j, key_sum * scale, length, WIDTH)
    store_rows(d_v + head * WIDTH, j, value_sum, length, WIDTH)


@triton.jit
def of_queries(q, k, v, d_out, logs, deltas, d_q, scale, length, CAUSAL: tl.constexpr,
               WIDTH: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * length
    q, k, v, d_out = q + head * WIDTH, k + head * WIDTH, v + head * WIDTH, d_out + head * WIDTH
    first = tl.program_id(0) * BLOCK_M
    i = first + tl.arange(0, BLOCK_M)
    query = load_rows(q, i, length, WIDTH)
    d = load_rows(d_out, i, length, WIDTH)
    log = tl.load(logs + head + i, mask=i < length, other=float("inf"))
    delta = tl.load(deltas + head + i, mask=i < length, other=0.0)
    sum = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    for start in range(0, min(first + BLOCK_M, length) if CAUSAL else length, BLOCK_N):
        j = start + tl.arange(0, BLOCK_N)
        key = load_rows(k, j, length, WIDTH)
        value = load_rows(v, j, length, WIDTH)
        weight = tl.exp2(tl.dot(query, tl.trans(key)) * (scale * LOG2_E) - log[:, None])
        seen = j[None, :] < length
        if CAUSAL:
            seen = seen & (j[None, :] <= i[:, None])
        d_score = tl.where(seen, weight * (tl.dot(d, tl.trans(value)) - delta[:, None]), 0.0)
        sum = tl.dot(d_score.to(key.dtype), key, sum)
    store_rows(d_q + head * WIDTH, i, sum * scale, length, WIDTH)


def problem(memory, batch=1, heads=4, length=200, width=32, causal=True, dtype="float32", block="16x16"):
    shape = batch, heads, length, width
    rows = batch * heads * length
    tensors = (*random(4, *shape, dtype=dtype), empty(rows), empty(rows),
               *(empty(*shape, dtype=dtype) for _ in range(4)))
    given = [memory.put(each) for each in tensors]
    m, n = (int(extent) for extent in block.split("x"))
    blocks = {"CAUSAL": causal, "WIDTH": width, "BLOCK_M": m, "BLOCK_N": n}

    def launch():
        q, k, v, d_out, logs, deltas, out, d_q, d_k, d_v = given
        by_queries = triton.cdiv(length, m), batch * heads
        by_keys = triton.cdiv(length, n), batch * heads
        forward[by_queries](q, k, v, out, logs, width ** -0.5, length, **blocks)
        of_rows[(triton.cdiv(rows, 64),)](out, d_out, deltas, rows, WIDTH=width, BLOCK=64)
        of_keys[by_keys](q, k, v, d_out, logs, deltas, d_k, d_v, width ** -0.5, length, **blocks)
        of_queries[by_queries](q, k, v, d_out, logs, deltas, d_q, width ** -0.5, length, **blocks)

    def expected():
        return differentiate(*(wide(each) for each in tensors[:4]), causal)

    def by_torch(q, k, v, d_out, *_):
        out = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return (out, *torch.autograd.grad(out, (q, k, v), d_out))

    return Problem(f"{'causal ' if causal else ''}attention gradient of {batch} x {heads} x {length} x "
                   f"{width} {dtype}", tensors, launch, lambda: tuple(map(memory.get, given[6:])),
                   expected, by_torch, tolerance=1e-5 if dtype == "float32" else 3e-2)


def differentiate(q, k, v, d_out, causal):
    """Computes attention and its gradient."""
    scale = q.shape[-1] ** -0.5
    score = q @ k.swapaxes(-1, -2) * scale
    if causal:
        score = np.where(np.tri(score.shape[-1], dtype=bool), score, -np.inf)
    weight = np.exp(score - score.max(-1, keepdims=True))
    weight /= weight.sum(-1, keepdims=True)
    d_weight = d_out @ v.swapaxes(-1, -2)
    d_score = weight * (d_weight - (weight * d_weight).sum(-1, keepdims=True)) * scale
    return weight @ v, d_score @ k, d_score.swapaxes(-1, -2) @ q, weight.swapaxes(-1, -2) @ d_out


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
