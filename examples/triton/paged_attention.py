"""Attention of one new token per sequence. A table lists the pages that hold the sequence's keys and values."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, integers, main, random, tensor, torch, wide


@triton.jit
def attend_part(q, keys, values, table, lengths, sums, mosts, totals, scale, heads, pages, parts,
                GROUP: tl.constexpr, BLOCK_H: tl.constexpr, PAGE: tl.constexpr, PART: tl.constexpr,
                WIDTH: tl.constexpr):
    """Processes PART pages of a sequence. GROUP query heads share one key head, and are multiplied at once."""
    sequence, head, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths + sequence)
    w = tl.arange(0, WIDTH)
    group = tl.arange(0, BLOCK_H)
    row = (sequence * heads + head) * GROUP + group
    query = tl.load(q + row[:, None] * WIDTH + w[None, :], mask=group[:, None] < GROUP, other=0.0)
    most = tl.full((BLOCK_H,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_H,), tl.float32)
    sum = tl.zeros((BLOCK_H, WIDTH), tl.float32)
    for turn in range(part * PART, min((part + 1) * PART, tl.cdiv(length, PAGE))):
        page = tl.load(table + sequence * pages + turn).to(tl.int64)
        inside = tl.arange(0, PAGE)
        at = (page * PAGE + inside) * heads + head
        seen = turn * PAGE + inside < length
        key = tl.load(keys + at[None, :] * WIDTH + w[:, None], mask=seen[None, :], other=0.0)
        value = tl.load(values + at[:, None] * WIDTH + w[None, :], mask=seen[:, None], other=0.0)
        score = tl.where(seen[None, :], tl.dot(query, key) * scale, -float("inf"))
        now = tl.maximum(most, tl.max(score, 1))
        weight = tl.exp(score - now[:, None])
        before = tl.exp(most - now)
        sum = tl.dot(weight.to(value.dtype), value, sum * before[:, None])
        total = total * before + tl.sum(weight, 1)
        most = now
    at = row * parts + part
    tl.store(sums + at[:, None] * WIDTH + w[None, :], sum, mask=group[:, None] < GROUP)
    tl.store(mosts + at, most, mask=group < GROUP)
    tl.store(totals + at, total, mask=group < GROUP)


@triton.jit
def join_parts(sums, mosts, totals, out, parts, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    """Combines the parts. A part without tokens has a maximum of minus infinity, and so a weight of zero."""
    row = tl.program_id(0)
    part = tl.arange(0, BLOCK)
    w = tl.arange(0, WIDTH)[None, :]
    most = tl.load(mosts + row * parts + part, mask=part < parts, other=-float("inf"))
    weight = tl.exp(most - tl.max(most, 0))
    total = tl.sum(weight * tl.load(totals + row * parts + part, mask=part < parts, other=0.0), 0)
    sum = tl.load(sums + (row * parts + part[:, None]) * WIDTH + w, mask=part[:, None] < parts, other=0.0)
    result = tl.sum(sum * weight[:, None], 0)[None, :] / total
    tl.store(out + row * WIDTH + w, result.to(out.dtype.element_ty))


def problem(memory, sequences=4, heads=2, group=4, width=64, longest=300, page=16, part=4, dtype="float32"):
    pages = triton.cdiv(longest, page)
    parts = triton.cdiv(pages, part)
    rows = sequences * heads * group
    lengths = integers(1, longest + 1, sequences)
    table = np.random.default_rng(2).permutation(sequences * pages).reshape(sequences, pages)
    keys, values = random(2, sequences * pages, page, heads, width, dtype=dtype)
    tensors = (random(sequences, heads * group, width, dtype=dtype), keys, values, tensor(table, "int32"), lengths,
               empty(rows, parts, width), empty(rows, parts), empty(rows, parts),
               empty(sequences, heads * group, width, dtype=dtype))
    given = [memory.put(each) for each in tensors]

    def launch():
        *read, sums, mosts, totals, out = given
        attend_part[(sequences, heads, parts)](
            *read, sums, mosts, totals, width ** -0.5, heads, pages, parts, GROUP=group,
            BLOCK_H=max(16, triton.next_power_of_2(group)), PAGE=page, PART=part, WIDTH=width)
        join_parts[(rows,)](sums, mosts, totals, out, parts, BLOCK=triton.next_power_of_2(parts), WIDTH=width)

    def expected():
        return (np.stack([attend(*each) for each in zip(wide(tensors[0]), table, np.asarray(lengths))]),)

    def attend(query, row, length):
        """Computes the attention of one sequence, whose pages are in a row of the table."""
        key, value = (wide(each)[row].reshape(-1, heads, width)[:length] for each in (keys, values))
        score = np.einsum("hgw,lhw->hgl", query.reshape(heads, group, width), key) * width ** -0.5
        e = np.exp(score - score.max(-1, keepdims=True))
        return np.einsum("hgl,lhw->hgw", e / e.sum(-1, keepdims=True), value).reshape(-1, width)

    def by_torch(q, keys, values, table, lengths, *_):
        """Concatenates each sequence's pages. A mask excludes what follows its last token."""
        key, value = (each[table].flatten(1, 2).transpose(1, 2) for each in (keys, values))
        seen = torch.arange(key.shape[2]) < lengths[:, None, None, None]
        return (functional.scaled_dot_product_attention(q[:, :, None], key, value, seen, enable_gqa=True)[:, :, 0],)

    return Problem(f"paged attention of {sequences} x {heads * group} x {width} to up to {longest} {dtype}",
                   tensors, launch, lambda: (memory.get(given[-1]),), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 2e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
