"""Cross entropy of rows of scores with labels, and its gradient, for vocabularies larger than a block."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, integers, main, random, torch, warps_for, wide


@triton.jit
def cross_entropy(scores, labels, losses, logs, columns, smoothing, ignored, BLOCK: tl.constexpr):
    """Computes the loss of a row, and the logarithm of its sum of exponentials for the gradient."""
    row = tl.program_id(0)
    scores += row.to(tl.int64) * columns
    most = -float("inf")
    total = 0.0
    sum = 0.0
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(scores + i, mask=i < columns, other=-float("inf")).to(tl.float32)
        now = tl.maximum(most, tl.max(value, 0))
        total = total * tl.exp(most - now) + tl.sum(tl.exp(value - now), 0)
        sum += tl.sum(tl.where(i < columns, value, 0.0), 0)
        most = now
    log = most + tl.log(total)
    tl.store(logs + row, log)
    label = tl.load(labels + row)
    loss = 0.0
    if label != ignored:
        loss = log - (1 - smoothing) * tl.load(scores + label).to(tl.float32) - smoothing * sum / columns
    tl.store(losses + row, loss)


@triton.jit
def cross_entropy_gradient(d_losses, scores, labels, logs, d_scores, columns, smoothing, ignored,
                           BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = row.to(tl.int64) * columns
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    label = tl.load(labels + row)
    d = tl.where(label == ignored, 0.0, tl.load(d_losses + row))
    value = tl.load(scores + start + i, mask=i < columns, other=0.0).to(tl.float32)
    share = tl.exp(value - tl.load(logs + row)) - smoothing / columns
    share = tl.where(i == label, share - (1 - smoothing), share)
    tl.store(d_scores + start + i, (share * d).to(d_scores.dtype.element_ty), mask=i < columns)


def problem(memory, rows=100, columns=5000, smoothing=0.1, block=1024, dtype="float32"):
    scores, labels, d_losses = random(rows, columns, dtype=dtype), integers(0, columns, rows), random(rows)
    labels[rows // 3] = -100  # rows with this label are ignored
    tensors = (scores, labels, d_losses, empty(rows), empty(rows), empty(rows, columns, dtype=dtype))
    given = [memory.put(each) for each in tensors]

    def launch():
        scores, labels, d_losses, logs, losses, d_scores = given
        cross_entropy[(rows,)](scores, labels, losses, logs, columns, smoothing, -100, BLOCK=block,
                               num_warps=warps_for(block))
        cross_entropy_gradient[(rows, triton.cdiv(columns, block))](
            d_losses, scores, labels, logs, d_scores, columns, smoothing, -100, BLOCK=block,
            num_warps=warps_for(block))

    def expected():
        x, label = wide(scores), np.asarray(labels)[:, None]
        wanted = (1 - smoothing) * (np.arange(columns) == label) + smoothing / columns
        log = np.log(np.exp(x).sum(1, keepdims=True))
        counts = label != -100
        d = (np.exp(x - log) - wanted) * wide(d_losses)[:, None]
        return ((log - x) * wanted).sum(1) * counts[:, 0], d * counts

    def by_torch(scores, labels, d_losses, *_):
        losses = functional.cross_entropy(scores, labels, ignore_index=-100, reduction="none",
                                          label_smoothing=smoothing)
        return losses, *torch.autograd.grad(losses, scores, d_losses)

    return Problem(f"cross entropy and gradient of {rows} x {columns} {dtype}", tensors, launch,
                   lambda: tuple(map(memory.get, given[4:])), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
