"""Smaller libraries: norms, gates, losses, mixtures of experts, sparse attention, recurrences."""
import importlib

import torch
import torch.nn.functional as functional
from harness import Check, Table
from references import freqs_of, rms_norm, rotate, sparsemax

TORCHNORM = Table("torchnorm", "torchnorm")
TRIFORMER = Table("triformer", "triformer")
TRINIX = Table("trinix", "trinix")
MOE_OPS = Table("moe_ops", "moe-ops")
ADASPLASH = Table("adasplash", "adasplash")
CUT = Table("cut_cross_entropy", "cut-cross-entropy")
LIGHTNING = Table("lightning_attn", "lightning-attn")
MLSTM = Table("mlstm_kernels", "mlstm-kernels")
SINKHORN = Table("flash_sinkhorn", "flash-sinkhorn")
TABLES = [TORCHNORM, TRIFORMER, TRINIX, MOE_OPS, ADASPLASH, CUT, LIGHTNING, MLSTM, SINKHORN]


def randn(*shape, **how):
    return torch.randn(*shape, device="cuda", **how)


def find(path):
    module, name = path.split(":")
    return getattr(importlib.import_module(module), name)


def module(path, *given):
    """Returns a function that makes the module `path` with its initial weights."""
    return lambda *inputs: find(path)(*given).cuda()(*inputs)


def rows():
    return randn(31, 128)


TORCHNORM.check("LayerNorm", module("torchnorm:LayerNorm", 128), lambda x: functional.layer_norm(x, (128,)), rows)
TORCHNORM.check("RMSNorm", module("torchnorm:RMSNorm", 128), lambda x: rms_norm(x, 1, 1e-6), rows)
TORCHNORM.check("FusedAddRMSNorm", lambda x, r: module("torchnorm:FusedAddRMSNorm", 128)(x, r)[0],
                lambda x, r: rms_norm(x + r, 1, 1e-6), rows, rows)
TORCHNORM.check("GroupNorm", module("torchnorm:GroupNorm", 4, 16), lambda x: functional.group_norm(x, 4), lambda: randn(2, 16, 5, 7))
TORCHNORM.check("InstanceNorm", module("torchnorm:InstanceNorm", 16), functional.instance_norm, lambda: randn(2, 16, 5, 7))
TORCHNORM.check("ScaleNorm", module("torchnorm:ScaleNorm", 128),
                lambda x: 128 ** 0.5 * x / x.norm(dim=-1, keepdim=True), rows)

TRIFORMER.check("TritonLayerNorm", module("triformer:TritonLayerNorm", 128), lambda x: functional.layer_norm(x, (128,)), rows)
TRIFORMER.check("TritonRMSNorm", module("triformer.rms_norm:TritonRMSNorm", 128), lambda x: rms_norm(x, 1, 1e-6), rows)
TRIFORMER.check("TritonSoftmax", module("triformer:TritonSoftmax", False), lambda x: x.softmax(-1), lambda: randn(2, 3, 32, 32))
TRIFORMER.check("TritonSwiglu", module("triformer.swiglu:TritonSwiglu"), lambda e, g: functional.silu(e) * g,
                lambda: randn(2, 9, 128), lambda: randn(2, 9, 128))
TRIFORMER.check("TritonCrossEntropyLoss", lambda x: find("triformer:TritonCrossEntropyLoss")(0, "mean")(x, 1 + torch.arange(20, device="cuda")),
                lambda x: functional.cross_entropy(x, 1 + torch.arange(20, device="cuda")), lambda: randn(20, 100))


def by(name):
    """Returns trinix's autograd function for a kernel's name."""
    return lambda *given: find(f"trinix.kernels.{name}").apply(*given)


TRINIX.check("mish", by("mish_kernel:TritonMishFunction"), functional.mish, rows)
TRINIX.check("quickgelu", by("quickgelu_kernel:TritonQuickGELUFunction"), lambda x: x * torch.sigmoid(1.702 * x), rows)
TRINIX.check("squared_relu", by("squared_relu_kernel:TritonSquaredReLUFunction"), lambda x: functional.relu(x) ** 2, rows)
TRINIX.check("swiglu", by("swigelu_kernel:TritonSwiGLUFunction"), lambda x: x[:, :64] * functional.silu(x[:, 64:]), rows)
TRINIX.check("geglu", by("geglu_kernel:TritonGeGLUFunction"), lambda x: x[:, :64] * functional.gelu(x[:, 64:], approximate="tanh"), rows,
             atol=2e-3, grad_atol=1e-2)
TRINIX.check("reglu", by("reglu_kernel:TritonReGLUFunction"), lambda x: x[:, :64] * functional.relu(x[:, 64:]), rows)
TRINIX.check("layer_norm", lambda x, w, b: by("layernorm_kernel:TritonLayerNormFunction")(x, w, b, 1e-5),
             lambda x, w, b: functional.layer_norm(x, (128,), w, b), rows, lambda: randn(128), lambda: randn(128))
TRINIX.check("rms_norm", lambda x, w: by("rmsnorm_kernel:TritonRMSNormFunction")(x, w, 1e-5), lambda x, w: rms_norm(x, w, 1e-5),
             rows, lambda: randn(128))


@TRINIX.case("rope")
def _():
    cos, sin = freqs_of(16, 64)
    return Check(lambda q, k: by("rope_kernel:TritonRoPEFunction")(q, k, cos[0], sin[0]),
                 lambda *given: tuple(rotate(x.transpose(1, 2), cos, sin).transpose(1, 2) for x in given),
                 (randn(2, 16, 4, 64), randn(2, 16, 4, 64)))


def experts(rows_of):
    """Returns the end of each expert's rows."""
    return torch.tensor(rows_of, device="cuda").cumsum(0).to(torch.int64)


@MOE_OPS.case("fused_topk_softmax")
def _():
    return Check(lambda x: find("moe_ops:fused_topk_softmax")(x, 2), lambda x: _top(x, 2), (randn(30, 8),))


def _top(x, count):
    values, places = x.topk(count, -1)
    return values.softmax(-1), places


@MOE_OPS.case("permute and unpermute")
def _():
    chosen = torch.stack([torch.randperm(8, device="cuda")[:2] for _ in range(30)]).to(torch.int32)

    def ours(x, weight):
        permuted, where, _ = find("moe_ops:permute")(x, chosen, 0, 8)
        return find("moe_ops:unpermute")(permuted, where, weight, 30, 2)

    return Check(ours, lambda x, weight: x * weight.sum(-1, keepdim=True), (randn(30, 64), torch.rand(30, 2, device="cuda")))


for alpha, reference in ((2.0, sparsemax), (1.5, None)):
    def check(alpha=alpha, reference=reference):
        def entmax(x):
            return find("adasplash:triton_entmax")(x, alpha=alpha, n_iter=10)

        def bisect(x):
            """Computes alpha-entmax by bisection of its threshold, and the gradient by the formula of its inverse."""
            scaled = x * (alpha - 1)
            low = scaled.max(-1, keepdim=True).values.detach() - 1
            high = low + 1
            for _ in range(60):
                middle = (low + high) / 2
                more = functional.relu(scaled.detach() - middle).pow(1 / (alpha - 1)).sum(-1, keepdim=True) > 1
                low, high = torch.where(more, middle, low), torch.where(more, high, middle)
            weight = functional.relu(scaled.detach() - low).pow((2 - alpha) / (alpha - 1))
            threshold = (weight * scaled).sum(-1, keepdim=True) / weight.sum(-1, keepdim=True)
            return functional.relu(scaled - threshold + (threshold - low).detach()).pow(1 / (alpha - 1))

        return Check(entmax, reference or bisect, (randn(16, 256),), atol=1e-3, grad_atol=1e-2)

    ADASPLASH.case(f"triton_entmax, {alpha}")(check)


def labels():
    return torch.arange(64, device="cuda") % 100


CUT.check("linear_cross_entropy", lambda e, c: find("cut_cross_entropy:linear_cross_entropy")(e, c, labels(), filter_eps=None),
          lambda e, c: functional.cross_entropy((e @ c.T).float(), labels()), lambda: randn(64, 128, dtype=torch.bfloat16) / 4,
          lambda: randn(100, 128, dtype=torch.bfloat16) / 4, atol=2e-2, rtol=2e-2, grad_atol=2e-2, grad_rtol=1e-1)


@LIGHTNING.case("lightning_attn_func")
def _():
    slopes = torch.tensor([0.1, 0.2], device="cuda")

    def reference(q, k, v):
        place = torch.arange(100, device="cuda").float()
        behind = place[:, None] - place
        decay = torch.exp(-slopes[:, None, None] * behind).masked_fill(behind < 0, 0)
        return ((q @ k.mT) * decay) @ v

    return Check(lambda q, k, v: find("lightning_attn.ops:lightning_attn_func")(q, k, v, slopes), reference,
                 tuple(randn(1, 2, 100, 32) / 2 for _ in range(3)), atol=2e-3, grad_atol=1e-2)


# The reference is the library's own, since its backward treats the normalizer as a constant.
def gates():
    return [randn(1, 2, 128), functional.softplus(randn(1, 2, 128)) + 2]


for name in ("chunkwise.triton_limit_chunk.fwbw:mlstm_chunkwise__limit_chunk", "chunkwise.triton_xl_chunk.fwbw:mlstm_chunkwise__xl_chunk",
             "parallel.triton_limit_headdim.fwbw:mlstm_parallel__limit_headdim"):
    MLSTM.check(name.split(":")[1], lambda *given, name=name: find(f"mlstm_kernels.torch.{name}")(
        *given, autocast_kernel_dtype=torch.float32),
        lambda *given: find("mlstm_kernels.torch.parallel.native.fwbw:mlstm_parallel__native_custbw")(
            *given, autocast_kernel_dtype=torch.float32),
        *[lambda: randn(1, 2, 128, 64) for _ in range(3)], lambda: gates()[0], lambda: gates()[1],
        atol=2e-3, rtol=2e-2, grad_atol=1e-2, grad_rtol=5e-2)
for name in ("chunkwise.triton_xl_chunk_siging.fwbw:mlstm_siging_chunkwise__xl_chunk",):
    MLSTM.check(name.split(":")[1], lambda *given, name=name: find(f"mlstm_kernels.torch.{name}")(
        *given, autocast_kernel_dtype=torch.float32),
        lambda *given: find("mlstm_kernels.torch.parallel.native_siging.fwbw:mlstm_siging_parallel__native_custbw")(
            *given, autocast_kernel_dtype=torch.float32),
        *[lambda: randn(1, 2, 128, 64) for _ in range(3)], lambda: gates()[0], lambda: gates()[1],
        atol=2e-3, rtol=2e-2, grad_atol=1e-2, grad_rtol=5e-2)
# Blocks must not be larger than a state. The first configuration sets the state's size.
for name in ("triton_step:mlstm_recurrent_step__triton", "triton_step_alternate:mlstm_recurrent_step__triton_alternate"):
    MLSTM.check(name.split(":")[1], lambda *given, name=name: find(f"mlstm_kernels.torch.recurrent.{name}")(*given),
                lambda *given: find("mlstm_kernels.torch.recurrent.native_step:mlstm_recurrent_step__native")(*given),
                *[lambda: randn(1, 2, 256) for _ in range(3)], lambda: randn(1, 2, 1), lambda: randn(1, 2, 1),
                lambda: randn(1, 2, 256, 256), lambda: randn(1, 2, 256), lambda: randn(1, 2, 1), backward=False)


@SINKHORN.case("SamplesLoss")
def _():
    def reference(x, y):
        cost, steps = torch.cdist(x, y).square(), 200
        cost_x, cost_y = torch.cdist(x, x).square(), torch.cdist(y, y).square()
        return _transport(cost, steps) - (_transport(cost_x, steps) + _transport(cost_y, steps)) / 2

    return Check(lambda x, y: find("flash_sinkhorn:SamplesLoss")("sinkhorn", blur=1.0, half_cost=False, debias=True)(x, y), reference,
                 (randn(64, 8) / 2, randn(48, 8) / 2), backward=False, atol=5e-2, rtol=1e-1)


def _transport(cost, steps):
    """Returns the cost of entropic transport between uniform weights, at a temperature of 1."""
    f, g = torch.zeros(len(cost), device="cuda"), torch.zeros(len(cost[0]), device="cuda")
    a, b = -torch.log(torch.tensor(float(len(f)))), -torch.log(torch.tensor(float(len(g))))
    for _ in range(steps):
        f = -(b + g - cost).logsumexp(1)
        g = -(a + f[:, None] - cost).logsumexp(0)
    return f.mean() + g.mean()
