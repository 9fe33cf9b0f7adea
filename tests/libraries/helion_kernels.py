"""Kernels in Helion's language, with fixed configurations, since its tuner would try hundreds."""
import math

import helion
import helion.language as hl
import torch


def kernel(*sizes):
    return helion.kernel(config=helion.Config(block_sizes=list(sizes)), static_shapes=True)


@kernel(16, 32)
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(out.size()):
        out[tile] = x[tile] + y[tile]
    return out


@kernel(32, 32, 32)
def matmul(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    m, k = x.size()
    k, n = y.size()
    out = torch.empty([m, n], dtype=x.dtype, device=x.device)
    for tile_m, tile_n in hl.tile([m, n]):
        total = hl.zeros([tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            total = torch.addmm(total, x[tile_m, tile_k], y[tile_k, tile_n])
        out[tile_m, tile_n] = total.to(x.dtype)
    return out


@kernel(16)
def softmax(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = torch.nn.functional.softmax(x[tile, :], dim=1)
    return out


@kernel(16)
def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        values = x[tile, :]
        mean = values.mean(-1)
        centred = values - mean[:, None]
        scale = torch.rsqrt((centred * centred).mean(-1) + 1e-5)
        out[tile, :] = centred * scale[:, None] * weight[:][None, :] + bias[:][None, :]
    return out


@kernel(16, 32)
def row_sums(x: torch.Tensor) -> torch.Tensor:
    m, n = x.size()
    out = torch.empty([m], dtype=x.dtype, device=x.device)
    for tile_m in hl.tile(m):
        total = hl.zeros([tile_m], dtype=torch.float32)
        for tile_n in hl.tile(n):
            total += x[tile_m, tile_n].sum(-1)
        out[tile_m] = total
    return out


@kernel(32, 32, 32)
def gelu_of_product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    m, k = x.size()
    k, n = y.size()
    out = torch.empty([m, n], dtype=x.dtype, device=x.device)
    for tile_m, tile_n in hl.tile([m, n]):
        total = hl.zeros([tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            total = torch.addmm(total, x[tile_m, tile_k], y[tile_k, tile_n])
        out[tile_m, tile_n] = torch.nn.functional.gelu(total, approximate="tanh")
    return out


@kernel(1, 32, 32)
def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    heads, m, d = q.size()
    n = k.size(1)
    d = hl.specialize(d)
    out = torch.empty_like(q)
    scale = 1.0 / math.sqrt(d)
    for tile_h, tile_m in hl.tile([heads, m]):
        most = hl.full([tile_h, tile_m], float("-inf"), dtype=torch.float32)
        total = hl.zeros([tile_h, tile_m], dtype=torch.float32)
        acc = hl.zeros([tile_h, tile_m, d], dtype=torch.float32)
        for tile_n in hl.tile(n):
            scores = torch.bmm(q[tile_h, tile_m, :], k[tile_h, tile_n, :].transpose(1, 2)) * scale
            larger = torch.maximum(most, torch.amax(scores, -1))
            powers = torch.exp(scores - larger[:, :, None])
            shrink = torch.exp(most - larger)
            total = total * shrink + powers.sum(-1)
            acc = torch.baddbmm(acc * shrink[:, :, None], powers, v[tile_h, tile_n, :])
            most = larger
        out[tile_h, tile_m, :] = acc / total[:, :, None]
    return out


@kernel(16, 32)
def embedding(index: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    out = torch.empty([index.size(0), weight.size(1)], dtype=weight.dtype, device=weight.device)
    for tile_i, tile_d in hl.tile([index.size(0), weight.size(1)]):
        out[tile_i, tile_d] = weight[index[tile_i], tile_d]
    return out
