"""gemlite and jvp-flash-attention, and larger kernels of the libraries in smaller_cases.

They compute products of packed weights, attention with tangents, and optimizer steps."""
import importlib

import torch
import torch.nn.functional as functional
from harness import Check, Table
from smaller_cases import ADASPLASH, TRINIX, find, randn

GEMLITE = Table("gemlite", "gemlite")
JVP = Table("jvp_flash_attention", "jvp-flash-attention")
TABLES = [GEMLITE, JVP]


def packed_product(bits, rows, kind, dtype=torch.float16):
    """Computes x @ W.T. The weights in W have `bits` bits, with a scale and a zero for each 64 columns."""
    weight = torch.randint(0, 2 ** bits, (128, 256), device="cuda")
    scales = (torch.rand(128 * 4, 1, device="cuda") / 16).to(dtype)
    zeros = torch.randint(0, 2 ** bits, (128 * 4, 1), device="cuda").to(dtype)

    def ours(x):
        core = importlib.import_module("gemlite.core")
        of_type = core.DType.BF16 if dtype == torch.bfloat16 else core.DType.FP16
        layer = core.GemLiteLinear(bits, group_size=64, in_features=256, out_features=128, input_dtype=of_type,
                                   output_dtype=of_type)
        layer.pack(weight.to(torch.uint8), scales, zeros, None)
        return layer.forward_manual(x, kind).float()

    def reference(x):
        values = (weight.reshape(-1, 64).to(dtype) - zeros) * scales
        return x.float() @ values.reshape(128, 256).float().T

    return Check(ours, reference, (randn(rows, 256).to(dtype) / 4,), False, atol=1e-1, rtol=2e-2)


for bits, rows, kind in ((4, 32, "GEMM"), (8, 32, "GEMM"), (2, 32, "GEMM"), (4, 8, "GEMM_SPLITK"), (8, 8, "GEMM_SPLITK"), (4, 1, "GEMV"),
                         (8, 1, "GEMV"), (4, 1, "GEMV_SPLITK"), (4, 1, "GEMV_REVSPLITK"), (8, 1, "GEMV_REVSPLITK")):
    GEMLITE.case(f"{kind}, {bits} bits")(lambda bits=bits, rows=rows, kind=kind: packed_product(bits, rows, kind))
GEMLITE.case("GEMM, 4 bits, bf16")(lambda: packed_product(4, 32, "GEMM", torch.bfloat16))


def attention_with_tangents(*given, **how):
    return find("jvp_flash_attention.jvp_attention:JVPAttn").fwd(*given, USE_TMA=False, warp_specialize=False, **how)


for causal in (False, True):
    JVP.check(f"attention{', causal' if causal else ''}", lambda q, k, v, causal=causal: attention_with_tangents(q, k, v, causal=causal),
              lambda q, k, v, causal=causal: functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal),
              *[lambda: randn(1, 2, 128, 32).half() / 2] * 3, atol=2e-2, rtol=2e-2, grad_atol=3e-2, grad_rtol=5e-2)


@JVP.case("attention, tangents")
def _():
    def ours(q, k, v, *tangents):
        with torch.autograd.forward_ad.dual_level():
            dual = [torch.autograd.forward_ad.make_dual(x, t) for x, t in zip((q, k, v), tangents)]
            out = find("jvp_flash_attention.jvp_attention:JVPAttn").fwd_dual(*dual, USE_TMA=False, warp_specialize=False)
            return tuple(torch.autograd.forward_ad.unpack_dual(out))

    def reference(q, k, v, *tangents):
        def attend(q, k, v):
            return ((q @ k.mT) * 32 ** -0.5).softmax(-1) @ v

        return torch.func.jvp(attend, (q.float(), k.float(), v.float()), tuple(t.float() for t in tangents))

    return Check(ours, reference, tuple(randn(1, 2, 128, 32).half() / 2 for _ in range(6)), False, atol=2e-2, rtol=3e-2)


for causal in (False, True):
    TRINIX.check(f"attention{', causal' if causal else ''}",
                 lambda q, k, v, causal=causal: find("trinix.kernels.attention_kernel:TritonAttentionKernel").apply(q, k, v, causal=causal),
                 lambda q, k, v, causal=causal: functional.scaled_dot_product_attention(
                     *(x.transpose(1, 2) for x in (q, k, v)), is_causal=causal).transpose(1, 2),
                 *[lambda: randn(2, 128, 4, 64)] * 3, backward=False, atol=5e-3, rtol=1e-2)


@TRINIX.case("adamw")
def _():
    def ours(p, g):
        find("trinix.kernels.adamw_kernel:TritonAdamWKernel").apply(
            p, g, torch.zeros_like(p), torch.zeros_like(p), 0.1, 0.9, 0.99, 1e-8, 0.01, 1)
        return p

    def reference(p, g):
        leaf = p.clone().requires_grad_()
        leaf.grad = g.clone()
        torch.optim.AdamW([leaf], lr=0.1, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.01).step()
        return leaf.detach()

    return Check(ours, reference, (randn(1000), randn(1000)), False, atol=1e-3)


def entmax_attention(q, k, v, alpha, causal):
    scores = (q @ k.mT) * q.shape[-1] ** -0.5
    if causal:
        scores = scores.masked_fill(torch.ones(len(scores[0, 0]), len(scores[0, 0]), dtype=torch.bool, device="cuda").triu(1), -1e4)
    low = (scores * (alpha - 1)).max(-1, keepdim=True).values - 1
    high = low + 1
    for _ in range(50):
        middle = (low + high) / 2
        more = functional.relu(scores * (alpha - 1) - middle).pow(1 / (alpha - 1)).sum(-1, keepdim=True) > 1
        low, high = torch.where(more, middle, low), torch.where(more, high, middle)
    return functional.relu(scores * (alpha - 1) - low).pow(1 / (alpha - 1)) @ v


for causal in (False, True):
    for name in ("adasplash", "adasplash_no_block_mask"):
        ADASPLASH.check(f"{name}{', causal' if causal else ''}",
                        lambda q, k, v, name=name, causal=causal: find(f"adasplash:{name}")(q, k, v, alpha=1.5, is_causal=causal, niter=10),
                        lambda q, k, v, causal=causal: entmax_attention(q, k, v, 1.5, causal),
                        *[lambda: randn(1, 2, 128, 64)] * 3, backward=False, atol=5e-3, rtol=2e-2)
