"""liger-kernel: losses, norms, gates, position embeddings and attention for training language models."""
import torch
import torch.nn.functional as functional
from harness import Check, Table
from references import (freqs_of, gelu_tanh, group_by_modulation, jsd, neighborhood, poly_norm, rms_norm, rotate,
                        sparsemax, total_variation)

TABLE = Table("liger", "liger-kernel")
case = TABLE.case


def randn(*shape, **how):
    return torch.randn(*shape, device="cuda", **how)


def labels(rows, classes, ignored=2):
    made = torch.randint(classes, (rows,), device="cuda")
    made[:ignored] = -100
    return made


def liger():
    import liger_kernel.transformers.functional
    return liger_kernel.transformers.functional


@case("cross_entropy")
def _():
    target = labels(33, 517)
    return Check(lambda x: liger().liger_cross_entropy(x, target),
                 lambda x: functional.cross_entropy(x, target), (randn(33, 517),))


@case("cross_entropy, smoothed, weighted, summed")
def _():
    target, weight = labels(17, 300), torch.rand(300, device="cuda")
    return Check(lambda x: liger().liger_cross_entropy(x, target, weight=weight, label_smoothing=0.1, reduction="sum"),
                 lambda x: functional.cross_entropy(x, target, weight=weight, label_smoothing=0.1, reduction="sum"),
                 (randn(17, 300),))


@case("cross_entropy, softcap")
def _():
    target = labels(16, 200)
    return Check(lambda x: liger().liger_cross_entropy(x, target, softcap=5.0),
                 lambda x: functional.cross_entropy(5 * torch.tanh(x / 5), target), (randn(16, 200) * 3,))


@case("cross_entropy, bf16")
def _():
    target = labels(16, 200)
    return Check(lambda x: liger().liger_cross_entropy(x, target).float(),
                 lambda x: functional.cross_entropy(x.float(), target),
                 (randn(16, 200, dtype=torch.bfloat16),), atol=2e-2, rtol=2e-2, grad_rtol=2e-2)


@case("fused_linear_cross_entropy")
def _():
    target = labels(40, 130)
    return Check(lambda x, w, b: liger().liger_fused_linear_cross_entropy(x, w, target, bias=b),
                 lambda x, w, b: functional.cross_entropy(functional.linear(x, w, b), target),
                 (randn(40, 64), randn(130, 64) / 8, randn(130)))


@case("jsd")
def _():
    return Check(lambda p, q: liger().liger_jsd(p, q.detach(), beta=0.3), lambda p, q: jsd(p, q.detach(), 0.3),
                 (randn(12, 100).log_softmax(-1), randn(12, 100).log_softmax(-1)))


@case("fused_linear_jsd")
def _():
    teacher, weight = randn(20, 32), randn(90, 32)
    return Check(lambda x, w: liger().liger_fused_linear_jsd(x, w, teacher, weight),
                 lambda x, w: jsd((x @ w.T).log_softmax(-1), (teacher @ weight.T).log_softmax(-1), 0.5),
                 (randn(20, 32), randn(90, 32)))


@case("kl_div")
def _():
    target = randn(12, 100).softmax(-1)
    return Check(lambda x: liger().liger_kl_div(x, target, reduction="batchmean"),
                 lambda x: functional.kl_div(x, target, reduction="batchmean"), (randn(12, 100).log_softmax(-1),))


@case("fused_linear_kl_div")
def _():
    target = randn(12, 70).softmax(-1)
    return Check(lambda x, w: liger().liger_fused_linear_kl_div(x, w, target),
                 lambda x, w: functional.kl_div((x @ w.T).log_softmax(-1), target, reduction="batchmean"),
                 (randn(12, 32), randn(70, 32)))


@case("tvd")
def _():
    target = randn(12, 100).softmax(-1)
    return Check(lambda x: liger().liger_tvd(x, target, reduction="batchmean"),
                 lambda x: total_variation(x, target), (randn(12, 100).softmax(-1),))


@case("geglu")
def _():
    return Check(lambda a, b: liger().liger_geglu(a, b), lambda a, b: gelu_tanh(a) * b, (randn(9, 200), randn(9, 200)))


@case("swiglu")
def _():
    return Check(lambda a, b: liger().liger_swiglu(a, b), lambda a, b: functional.silu(a) * b,
                 (randn(9, 200), randn(9, 200)))


@case("swiglu, fused gate and up")
def _():
    def ours(x):
        from liger_kernel.ops import LigerFusedGateUpSiLUMulFunction
        return LigerFusedGateUpSiLUMulFunction.apply(x)

    return Check(ours, lambda x: functional.silu(x[..., :100]) * x[..., 100:], (randn(9, 200),))


@case("relu_squared")
def _():
    return Check(lambda x: liger().liger_relu_squared(x), lambda x: functional.relu(x).square(), (randn(9, 200),))


@case("layer_norm")
def _():
    return Check(lambda x, w, b: liger().liger_layer_norm(x, w, b, 1e-5),
                 lambda x, w, b: functional.layer_norm(x, (300,), w, b), (randn(31, 300), randn(300), randn(300)))


@case("group_norm")
def _():
    return Check(lambda x, w, b: liger().liger_group_norm(x, w, b, 12, 4, 1e-5),
                 lambda x, w, b: functional.group_norm(x, 4, w, b), (randn(3, 12, 50), randn(12), randn(12)))


for casting in ("llama", "gemma", "none"):
    @case(f"rms_norm, {casting}")
    def _(casting=casting):
        return Check(lambda x, w: liger().liger_rms_norm(x, w, 1e-6, casting_mode=casting, in_place=False),
                     lambda x, w: rms_norm(x, w, 1e-6), (randn(31, 300), randn(300)))


@case("rms_norm, bf16")
def _():
    return Check(lambda x, w: liger().liger_rms_norm(x, w, 1e-6, in_place=False).float(),
                 lambda x, w: rms_norm(x.float(), w.float(), 1e-6),
                 (randn(31, 300, dtype=torch.bfloat16), randn(300, dtype=torch.bfloat16)),
                 atol=3e-2, rtol=3e-2, grad_atol=1e-1, grad_rtol=3e-2)


@case("fused_add_rms_norm")
def _():
    return Check(lambda x, r, w: liger().liger_fused_add_rms_norm(x, r, w, 1e-6, in_place=False),
                 lambda x, r, w: (rms_norm(x + r, w, 1e-6), x + r), (randn(31, 300), randn(31, 300), randn(300)))


@case("modulated_rms_norm")
def _():
    return Check(lambda x, w, s, t: liger().liger_modulated_rms_norm(x, w, s, t, 1e-6, in_place=False),
                 lambda x, w, s, t: group_by_modulation(rms_norm(x, w, 1e-6), s, t),
                 (randn(2, 9, 128), randn(128), randn(2, 128), randn(2, 128)))


@case("poly_norm")
def _():
    return Check(lambda x, w, b: liger().liger_poly_norm(x, w, b, in_place=False),
                 lambda x, w, b: poly_norm(x, w, b, 1e-6), (randn(31, 130), randn(3), torch.tensor(0.5, device="cuda")))


@case("softmax")
def _():
    return Check(lambda x: liger().liger_softmax(x), lambda x: x.softmax(-1), (randn(13, 700),))


@case("softmax, long rows")
def _():
    return Check(lambda x: liger().liger_softmax(x), lambda x: x.softmax(-1), (randn(3, 50000),))


@case("sparsemax")
def _():
    return Check(lambda x: liger().liger_sparsemax(x), sparsemax, (randn(13, 100),))


@case("dyt")
def _():
    return Check(lambda x, a, g, b: liger().liger_dyt(x, a, g, b), lambda x, a, g, b: g * torch.tanh(a * x) + b,
                 (randn(13, 256), randn(1), randn(256), randn(256)))


@case("rope")
def _():
    cos, sin = freqs_of(17, 64)
    return Check(lambda q, k: liger().liger_rope(q.clone(), k.clone(), cos, sin),
                 lambda q, k: (rotate(q, cos, sin), rotate(k, cos, sin)), (randn(2, 4, 17, 64), randn(2, 2, 17, 64)))


@case("qwen2vl_mrope")
def _():
    cos, sin = (each.expand(3, 2, 17, 64).contiguous() for each in freqs_of(17, 64))
    return Check(lambda q, k: liger().liger_qwen2vl_mrope(q.clone(), k.clone(), cos, sin, [8, 12, 12]),
                 lambda q, k: (rotate(q, cos[0], sin[0]), rotate(k, cos[0], sin[0])),
                 (randn(2, 4, 17, 64), randn(2, 2, 17, 64)))


@case("llama4_rope")
def _():
    angles = torch.outer(torch.arange(9, device="cuda").float(), torch.rand(32, device="cuda"))
    freqs = torch.polar(torch.ones_like(angles), angles)

    def ours(q, k):
        from liger_kernel.ops import LigerLlama4RopeFunction
        return LigerLlama4RopeFunction.apply(q, k, freqs)

    def turned(x):
        parts = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * freqs[None, :, None]
        return torch.view_as_real(parts).flatten(3)

    return Check(ours, lambda q, k: (turned(q), turned(k)), (randn(2, 9, 4, 64), randn(2, 9, 2, 64)))


@case("multi_token_attention")
def _():
    def reference(x, w, b):
        hidden = torch.ones(16, 16, dtype=torch.bool, device="cuda").triu(1)
        probabilities = x.masked_fill(hidden, float("-inf")).softmax(-1)
        return functional.conv2d(probabilities, w, b, padding=1).masked_fill(hidden, 0)

    return Check(lambda x, w, b: liger().liger_multi_token_attention(x, w, b, padding=1), reference,
                 (randn(2, 4, 16, 16), randn(4, 4, 3, 3), randn(4)))


@case("fused_neighborhood_attention")
def _():
    return Check(lambda q, k, v: liger().liger_fused_neighborhood_attention(q, k, v, 7, 1, None),
                 lambda q, k, v: neighborhood(q, k, v, 7), tuple(randn(1, 2, 40, 32) for _ in range(3)))


@case("attn_res")
def _():
    def reference(v, query, norm):
        scores = (rms_norm(v, norm, 1e-6) * query).sum(-1)
        return (scores.softmax(0)[..., None] * v).sum(0)

    return Check(lambda v, q, n: liger().liger_attn_res(v, q, n), reference,
                 (randn(4, 2, 9, 64), randn(64) / 8, randn(64)))


@case("mhc_pre")
def _():
    return Check(lambda x, h: liger().liger_mhc_pre(x, h), lambda x, h: (h[..., None] * x).sum(-2),
                 (randn(2, 9, 4, 64), torch.rand(2, 9, 4, device="cuda")))


@case("mhc_post_res")
def _():
    return Check(lambda x, f, post, res: liger().liger_mhc_post_res(x, f, post, res),
                 lambda x, f, post, res: res @ x + post[..., None] * f[..., None, :],
                 (randn(2, 9, 4, 64), randn(2, 9, 64), torch.rand(2, 9, 4, device="cuda"),
                  torch.rand(2, 9, 4, 4, device="cuda")))


@case("embedding")
def _():
    index = torch.randint(50, (3, 17), device="cuda")

    def ours(w):
        from liger_kernel.ops import LigerEmbeddingFunction
        return LigerEmbeddingFunction.apply(w, index)

    return Check(ours, lambda w: functional.embedding(index, w), (randn(50, 70),))


@case("fused_moe")
def _():
    chosen = torch.stack([torch.randperm(4, device="cuda")[:2] for _ in range(12)]).int()

    def ours(x, up, down, weight):
        from liger_kernel.ops import LigerFusedMoEFunction
        return LigerFusedMoEFunction.apply(x, up, down, chosen, weight)

    def reference(x, up, down, weight):
        gate, value = torch.einsum("th,tkih->tki", x, up[chosen.long()]).chunk(2, -1)
        out = torch.einsum("tki,tkhi->tkh", functional.silu(gate) * value, down[chosen.long()])
        return (out * weight[..., None]).sum(1)

    return Check(ours, reference, (randn(12, 64), randn(4, 2 * 32, 64) / 8, randn(4, 64, 32) / 8,
                                   torch.rand(12, 2, device="cuda")), atol=1e-3, grad_atol=5e-3)


@case("mlp")
def _():
    def ours(x, gate, up, down):
        from liger_kernel.ops import LigerMLPFunction
        return LigerMLPFunction.apply(x, gate, up, down)

    return Check(ours, lambda x, gate, up, down: (functional.silu(x @ gate.T) * (x @ up.T)) @ down.T,
                 (randn(2, 16, 64), randn(128, 64) / 8, randn(128, 64) / 8, randn(64, 128) / 8), atol=1e-3, grad_atol=5e-3)


@case("grpo_loss, selective log softmax")
def _():
    ids = torch.randint(100, (3, 9), device="cuda")

    def ours(x):
        from liger_kernel.ops.grpo_loss import fused_selective_log_softmax
        return fused_selective_log_softmax(x, ids, temperature=0.9)

    return Check(ours, lambda x: (x[:, :-1] / 0.9).log_softmax(-1).gather(-1, ids[..., None])[..., 0],
                 (randn(3, 10, 100),), backward=False)
