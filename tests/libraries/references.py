"""Functions that several libraries provide, computed with PyTorch's own operations."""
import torch
import torch.nn.functional as functional


def rms_norm(x, weight, epsilon):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon) * weight


def gelu_tanh(x):
    return functional.gelu(x, approximate="tanh")


def group_by_modulation(x, scale, shift):
    """Applies a scale and a shift per batch entry to x (batch, rows, columns)."""
    return x * (1 + scale[:, None]) + shift[:, None]


def jsd(student, teacher, beta):
    """Returns the generalized Jensen-Shannon divergence of log probabilities, averaged over rows."""
    p, q = teacher.exp(), student.exp()
    mixed = (beta * p + (1 - beta) * q).log()
    return (beta * p * (teacher - mixed) + (1 - beta) * q * (student - mixed)).sum() / len(student)


def total_variation(p, q):
    return 0.5 * (p - q).abs().sum() / len(p)


def poly_norm(x, weight, bias, epsilon):
    def norm(value):
        return value * torch.rsqrt(value.square().mean(-1, keepdim=True) + epsilon)

    return weight[0] * norm(x**3) + weight[1] * norm(x**2) + weight[2] * norm(x) + bias


def sparsemax(x):
    ordered = x.sort(-1, descending=True).values
    place = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype, device=x.device)
    total = ordered.cumsum(-1) - 1
    count = (ordered * place > total).sum(-1, keepdim=True)
    return functional.relu(x - total.gather(-1, count - 1) / count)


def freqs_of(rows, columns):
    """Returns cosines and sines (1, rows, columns) for rotary embeddings."""
    angles = torch.outer(torch.arange(rows, device="cuda").float(),
                         10000 ** (-torch.arange(0, columns, 2, device="cuda") / columns))
    angles = torch.cat([angles, angles], -1)[None]
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    """Rotates the two halves of x (batch, heads, rows, columns) into each other."""
    first, second = x.chunk(2, -1)
    return x * cos[:, None] + torch.cat([-second, first], -1) * sin[:, None]


def neighborhood(q, k, v, size):
    """Computes attention to the keys whose distance is at most half of `size`."""
    place = torch.arange(q.shape[2], device=q.device)
    far = (place[:, None] - place).abs() > size // 2
    scores = (q @ k.mT) * q.shape[-1] ** -0.5
    return scores.masked_fill(far, float("-inf")).softmax(-1) @ v


def comba(q, k, p, v, gate, beta):
    """Computes the recurrence of Comba on (batch, time, heads, ...). Subtracts the state at `p` from each value."""
    state, out = 0, []
    for t in range(q.shape[1]):
        value = v[:, t] - (state * p[:, t, :, :, None]).sum(-2)
        state = state * gate[:, t, :, None, None].exp() + k[:, t, :, :, None] * (value * beta[:, t, :, None])[..., None, :]
        out.append((q[:, t, :, :, None] * q.shape[-1] ** -0.5 * state).sum(-2))
    return torch.stack(out, 1)


def wall_attention(q, k, v, gate):
    """Computes causal attention on (batch, time, heads, ...), whose scores decay with a gate for each channel."""
    decay = gate.cumsum(1)
    decayed = (q[:, :, None] * k[:, None] * (decay[:, :, None] - decay[:, None]).exp()).sum(-1) * q.shape[-1] ** -0.5
    hidden = torch.ones(q.shape[1], q.shape[1], dtype=torch.bool, device=q.device).triu(1)
    weights = decayed.masked_fill(hidden[None, :, :, None], float("-inf")).softmax(2)
    return torch.einsum("bijh,bjhd->bihd", weights, v)
