"""The gate of a mixture of experts: softmax of each token's scores, its best experts, and the load of each expert."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, main, random, torch, wide


@triton.jit
def top_k_gating(scores, weights, chosen, loads, tokens, experts, CHOICES: tl.constexpr,
                 NORMALISE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                 BLOCK_K: tl.constexpr):
    token = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    expert = tl.arange(0, BLOCK_N)[None, :]
    score = tl.load(scores + token[:, None] * experts + expert,
                    mask=(token[:, None] < tokens) & (expert < experts), other=-float("inf"))
    rest = score.to(tl.float32)
    rest = tl.where(token[:, None] < tokens, rest, 0.0)
    most = tl.max(rest, 1)
    total = tl.sum(tl.exp(rest - most[:, None]), 1)

    choice = tl.arange(0, BLOCK_K)[None, :]
    best = tl.zeros((BLOCK_M, BLOCK_K), tl.float32)
    where = tl.zeros((BLOCK_M, BLOCK_K), tl.int32)
    for turn in tl.static_range(CHOICES):
        value, index = tl.max(rest, 1, return_indices=True)
        best = tl.where(choice == turn, tl.exp(value - most)[:, None] / total[:, None], best)
        where = tl.where(choice == turn, index[:, None], where)
        rest = tl.where(expert == index[:, None], -float("inf"), rest)
        tl.atomic_add(loads + index, 1, mask=token < tokens, sem="relaxed")
    if NORMALISE:
        best /= tl.sum(best, 1)[:, None]
    mask = (token[:, None] < tokens) & (choice < CHOICES)
    tl.store(weights + token[:, None] * CHOICES + choice, best, mask=mask)
    tl.store(chosen + token[:, None] * CHOICES + choice, where, mask=mask)


def problem(memory, tokens=1000, experts=60, choices=6, normalise=True, dtype="float32"):
    scores = random(tokens, experts, dtype=dtype)
    tensors = (scores, empty(tokens, choices), empty(tokens, choices, dtype="int32"),
               empty(experts, dtype="int32"))
    given = [memory.put(each) for each in tensors]

    def launch():
        memory.clear(given[3])
        top_k_gating[(triton.cdiv(tokens, 32),)](
            *given, tokens, experts, CHOICES=choices, NORMALISE=normalise, BLOCK_M=32,
            BLOCK_N=triton.next_power_of_2(experts), BLOCK_K=triton.next_power_of_2(choices))

    def expected():
        x = wide(scores)
        chosen = np.argsort(-x, 1, kind="stable")[:, :choices]
        weights = np.take_along_axis(np.exp(x) / np.exp(x).sum(1, keepdims=True), chosen, 1)
        if normalise:
            weights /= weights.sum(1, keepdims=True)
        return weights, chosen, np.bincount(chosen.ravel(), minlength=experts)

    def by_torch(scores, *_):
        weights = functional.softmax(scores, 1).topk(choices, 1).values
        if normalise:
            weights = functional.normalize(weights, p=1, dim=1)
        # PyTorch does not specify which of several equal elements topk chooses.
        chosen = torch.sort(scores, dim=1, descending=True, stable=True).indices[:, :choices]
        return weights, chosen, torch.bincount(chosen.flatten(), minlength=experts)

    return Problem(f"gate of {tokens} tokens to {choices} of {experts} experts {dtype}", tensors, launch,
                   lambda: tuple(map(memory.get, given[1:])), expected, by_torch, tolerance=1e-6)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
