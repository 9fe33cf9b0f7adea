"""fla-core (flash-linear-attention): many forms of linear attention, and modules.

Attention is compared with the library's own references in PyTorch ("naive"), and modules with PyTorch's operations."""
import importlib

import torch
import torch.nn.functional as functional
from harness import Check, Table
from references import comba, rms_norm, wall_attention

TABLE = Table("fla", "fla-core")
case = TABLE.case
B, T, H, K, V = 1, 100, 2, 32, 32


def randn(*shape, **how):
    return torch.randn(*shape, device="cuda", **how)


def find(path):
    """Returns the object at "module:name" below fla."""
    module, name = path.split(":")
    return getattr(importlib.import_module(f"fla.{module}"), name)


def first(value):
    return value[0] if isinstance(value, (tuple, list)) else value


def qkv():
    return [randn(B, T, H, K) / 3, randn(B, T, H, K) / 3, randn(B, T, H, V)]


def gates(*more):
    """Returns logarithms of decay factors, close to 0."""
    return functional.logsigmoid(randn(B, T, H, *more)) / 8


def beta():
    return torch.rand(B, T, H, device="cuda")


def unit(x):
    return functional.normalize(x, dim=-1)


def add(name, path, naive, make, arrange=lambda *given: given, back=lambda out: out, ours=None, theirs=None,
        ours_by=lambda *given: given, halves=False, both=True, fault=None, **how):
    """Adds cases that compare fla's `path` with its `naive`.

    `arrange` orders the arguments of `naive`, and `back` transforms its result. With `halves`, the kernels get bfloat16
    inputs, except those with fewer dimensions than the first, and the reference gets float32. This is a second case, or
    the only one if `both` is False. `fault` says why it cannot pass."""
    def check():
        def run(*given):
            return first(find(path)(*ours_by(*given), **(ours or {})))

        def reference(*given):
            given = [value.float() if isinstance(value, torch.Tensor) else value for value in given]
            return back(first((find(naive) if isinstance(naive, str) else naive)(*arrange(*given), **(theirs or {}))))

        inputs = tuple(make())
        if halves:
            inputs = tuple(value.bfloat16() if value.dim() == inputs[0].dim() else value for value in inputs)
        close = {"atol": 5e-2, "rtol": 5e-2, "grad_atol": 2e-1, "grad_rtol": 1e-1} if halves else \
            {"atol": 2e-3, "rtol": 2e-2, "grad_atol": 1e-2}
        return Check(run, reference, inputs, **{**close, **how})

    case(f"{name}, bf16" if halves else name, fault if halves else None)(check)
    if not halves and both:
        add(name, path, naive, make, arrange, back, ours, theirs, ours_by, True, fault=fault, **how)


def heads_first(*given):
    return [value.transpose(1, 2) if isinstance(value, torch.Tensor) and value.dim() > 2 else value for value in given]


def heads_last(out):
    return out.transpose(1, 2)


for kind in ("chunk", "fused_recurrent"):
    add(f"{kind}_gla", f"ops.gla:{kind}_gla", "ops.gla.naive:naive_recurrent_gla", lambda: [*qkv(), gates(K)])
    add(f"{kind}_simple_gla", f"ops.simple_gla:{kind}_simple_gla", "ops.simple_gla.naive:naive_recurrent_simple_gla",
        lambda: [*qkv(), gates()])
    add(f"{kind}_linear_attn", f"ops.linear_attn:{kind}_linear_attn", "ops.linear_attn.naive:naive_recurrent_linear_attn",
        qkv, ours={"normalize": False})
    add(f"{kind}_retention", f"ops.retention:{kind}_retention", "ops.retention.naive:naive_retention", qkv,
        heads_first, heads_last)
    add(f"{kind}_gated_delta_rule", f"ops.gated_delta_rule:{kind}_gated_delta_rule",
        "ops.gated_delta_rule.naive:naive_recurrent_gated_delta_rule",
        lambda: [randn(B, T, H, K), unit(randn(B, T, H, K)), randn(B, T, H, V), gates(), beta()],
        lambda q, k, v, g, b: (q, k, v, b, g),
        ours_by=(lambda q, k, v, g, b: (q, k, v, g, b)) if kind == "chunk" else lambda q, k, v, g, b: (q, k, v, g, None, None, b),
        backward=kind == "chunk")
    add(f"{kind}_delta_rule", f"ops.delta_rule:{kind}_delta_rule", "ops.delta_rule.naive:delta_rule_recurrence",
        lambda: [randn(B, T, H, K), unit(randn(B, T, H, K)), randn(B, T, H, V), beta()], heads_first, heads_last,
        halves=kind == "chunk")
    add(f"{kind}_kda", f"ops.kda:{kind}_kda", "ops.kda.naive:naive_recurrent_kda",
        lambda: [randn(B, T, H, K), unit(randn(B, T, H, K)), randn(B, T, H, V), gates(K), beta()],
        backward=kind == "chunk")
    add(f"{kind}_gsa", f"ops.gsa:{kind}_gsa", "ops.gsa.naive:naive_recurrent_gsa",
        lambda: [*qkv(), randn(B, T, H, 16), gates(16)])
    add(f"{kind}_comba", f"ops.comba:{kind}_comba", comba,  # the library's own reference lets the state decay first
        lambda: [randn(B, T, H, K), unit(randn(B, T, H, K)), unit(randn(B, T, H, K)), randn(B, T, H, V), gates(), beta()],
        ours_by=(lambda q, k, p, v, g, b: (q, k, v, p, g, b)) if kind == "chunk" else lambda *given: given,
        backward=kind == "chunk")
add("fused_chunk_simple_gla", "ops.simple_gla:fused_chunk_simple_gla", "ops.simple_gla.naive:naive_recurrent_simple_gla",
    lambda: [*qkv(), gates()])
add("parallel_simple_gla", "ops.simple_gla:parallel_simple_gla", "ops.simple_gla.naive:naive_parallel_simple_gla",
    lambda: [*qkv(), gates()])
add("fused_chunk_linear_attn", "ops.linear_attn:fused_chunk_linear_attn",
    "ops.linear_attn.naive:naive_recurrent_linear_attn", qkv, ours={"normalize": False})
add("fused_chunk_retention", "ops.retention:fused_chunk_retention", "ops.retention.naive:naive_retention", qkv,
    heads_first, heads_last)
add("parallel_retention", "ops.retention:parallel_retention", "ops.retention.naive:naive_retention", qkv,
    heads_first, heads_last)
add("fused_recurrent_hgrn", "ops.hgrn:fused_recurrent_hgrn", "ops.hgrn.naive:naive_recurrent_hgrn",
    lambda: [randn(B, T, 64), functional.logsigmoid(randn(B, T, 64))])
add("chunk_hgrn", "ops.hgrn:chunk_hgrn", "ops.hgrn.naive:naive_recurrent_hgrn",
    lambda: [randn(B, T, 64), functional.logsigmoid(randn(B, T, 64))])
add("chunk_abc", "ops.abc:chunk_abc", "ops.abc.naive:naive_recurrent_abc", lambda: [*qkv(), randn(B, T, H, 16)],
    heads_first, heads_last)
add("parallel_based", "ops.based:parallel_based", "ops.based.naive:naive_parallel_based",
    lambda: [randn(B, T, H, 16), randn(B, T, H, 16), randn(B, T, H, V)], heads_first, heads_last)
add("fused_chunk_based", "ops.based:fused_chunk_based", "ops.based.naive:naive_parallel_based",
    lambda: [randn(B, T, H, 16), randn(B, T, H, 16), randn(B, T, H, V)], heads_first, heads_last)
add("parallel_rebased", "ops.rebased.parallel:parallel_rebased", "ops.rebased.naive:naive_parallel_rebased",
    lambda: [randn(B, T, H, 16), randn(B, T, H, 16), randn(B, T, H, V)], heads_first, heads_last)
add("parallel_forgetting_attn", "ops.forgetting_attn:parallel_forgetting_attn",
    "ops.forgetting_attn.naive:naive_forgetting_attn", lambda: [*qkv(), gates()])
add("parallel_attn", "ops.attn:parallel_attn", "ops.attn.naive:naive_parallel_attn", qkv)
add("parallel_attn, window", "ops.attn:parallel_attn", "ops.attn.naive:naive_parallel_attn", qkv,
    ours={"window_size": 20}, theirs={"window_size": 20})
add("parallel_stickbreaking_attn", "ops.stickbreaking_attn:parallel_stickbreaking_attn",
    "ops.stickbreaking_attn.naive:naive_stickbreaking_attn", qkv)
add("parallel_parallax", "ops.parallax:parallel_parallax", "ops.parallax.naive:naive_parallax",
    lambda: [randn(B, T, H, K), randn(B, T, H, K), randn(B, T, H, K), randn(B, T, H, V)], halves=True)
add("parallel_wall_attn", "ops.wall_attn:parallel_wall_attn", wall_attention,  # fla's own lacks the gradient of the gate
    lambda: [*qkv(), gates(K)])
add("parallel_path_attn", "ops.path_attn:parallel_path_attn", "ops.path_attn.naive:naive_path_attn",
    lambda: [randn(B, 128, H, 64), randn(B, 128, H, 64), randn(B, 128, H, 64), unit(randn(B, 128, H, 64)),
             torch.rand(B, 128, H, device="cuda"), functional.logsigmoid(randn(B, 128, H)) / 8],
    lambda *given: (*given, 64 ** -0.5), both=False)
add("chunk_log_linear_attn", "ops.log_linear_attn:chunk_log_linear_attn",
    "ops.log_linear_attn.naive:naive_log_linear_attn",
    lambda: [randn(B, 128, H, 64) / 3, randn(B, 128, H, 64) / 3, randn(B, 128, H, 64), functional.logsigmoid(randn(B, 128, H)),
             torch.rand(B, 128, H, 8, device="cuda")])
add("chunk_mesa_net", "ops.mesa_net:chunk_mesa_net", "ops.mesa_net.naive:naive_mesa_net_exact",
    lambda: [unit(randn(B, T, H, K)), unit(randn(B, T, H, K)), randn(B, T, H, V), gates(), beta(),
             torch.rand(H, K, device="cuda") + 0.3],
    lambda q, k, v, g, b, lamb: (q, k, v, g, lamb, b), backward=False)
add("chunk_gated_delta_product", "ops.gated_delta_product:chunk_gated_delta_product",
    "ops.gated_delta_product.naive:naive_recurrent_gated_delta_product",
    lambda: [randn(B, T, H, K), unit(randn(B, 2 * T, H, K)), randn(B, 2 * T, H, V), gates(),
             torch.rand(B, 2 * T, H, device="cuda")], ours={"num_householder": 2},
    theirs={"num_householder": 2, "scale": K ** -0.5}, halves=True)
add("fused_attnres", "ops.attnres:fused_attnres", "ops.attnres.naive:naive_attnres",
    lambda: [randn(64), [randn(B, T, 64) for _ in range(4)], randn(64)], both=False)
add("chunk_ttt_linear", "ops.ttt:chunk_ttt_linear", "ops.ttt.naive:chunk_ttt_linear_ref",
    lambda: [randn(B, 96, H, K), unit(randn(B, 96, H, K)), randn(B, 96, H, V), randn(H, K), randn(H, K),
             torch.rand(B, 96, H, 1, device="cuda") / 10], lambda *given: [value.clone() for value in given],
    ours={"chunk_size": 16}, theirs={"mini_batch_size": 16}, both=False)  # its values exceed the precision of bfloat16
add("parallel_nsa", "ops.nsa:parallel_nsa", "ops.nsa.naive:naive_nsa",
    lambda: [randn(B, 128, 16, 32), randn(B, 128, 1, 32), randn(B, 128, 1, 32), torch.rand(B, 128, 16, device="cuda"),
             torch.rand(B, 128, 16, device="cuda"), torch.rand(B, 128, 16, device="cuda")],
    ours={"block_size": 32, "block_counts": 2}, theirs={"block_size": 32, "block_counts": 2})


def check(name, ours, reference, *makers, **how):
    case(name)(lambda: Check(ours, reference, tuple(maker() for maker in makers), **{"grad_atol": 5e-3, **how}))


def rows():
    return randn(31, 96)


check("rms_norm", lambda x, w: find("modules.norm.layernorm:rms_norm")(x, w, None, eps=1e-5),
      lambda x, w: rms_norm(x, w, 1e-5), rows, lambda: randn(96))
check("layer_norm", lambda x, w, b: find("modules.norm.layernorm:layer_norm")(x, w, b, eps=1e-5),
      lambda x, w, b: functional.layer_norm(x, (96,), w, b), rows, lambda: randn(96), lambda: randn(96))
check("l2norm", lambda x: find("modules.norm.l2norm:l2norm")(x, 1e-6), lambda x: x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6), rows)
check("rms_norm_gated", lambda x, g, w: find("modules.norm.fused_norm_gate:rms_norm_gated")(x, g, w, None, eps=1e-5),
      lambda x, g, w: rms_norm(x, w, 1e-5) * functional.silu(g), rows, rows, lambda: randn(96))
check("layer_norm_gated", lambda x, g, w, b: find("modules.norm.fused_norm_gate:layer_norm_gated")(x, g, w, b, eps=1e-5),
      lambda x, g, w, b: functional.layer_norm(x, (96,), w, b) * functional.silu(g), rows, rows, lambda: randn(96), lambda: randn(96))
for name, function in {"sigmoid": torch.sigmoid, "logsigmoid": functional.logsigmoid, "swish": functional.silu,
                       "swiglu": lambda x, y: functional.silu(x) * y}.items():
    check(name, lambda *given, name=name: find(f"modules.activations:{name}")(*given), function,
          *((rows, rows) if name == "swiglu" else (rows,)))
check("swiglu_linear", lambda x, y, w: find("modules.activations:swiglu_linear")(x, y, w, None),
      lambda x, y, w: (functional.silu(x) * y) @ w.T, rows, rows, lambda: randn(40, 96))
check("cross_entropy", lambda x: find("modules.fused_cross_entropy:FusedCrossEntropyLoss")()(x, torch.arange(31, device="cuda")),
      lambda x: functional.cross_entropy(x, torch.arange(31, device="cuda")), rows)
check("linear_cross_entropy",
      lambda x, w: find("modules.fused_linear_cross_entropy:FusedLinearCrossEntropyLoss")()(x, torch.arange(31, device="cuda"), w),
      lambda x, w: functional.cross_entropy(x @ w.T, torch.arange(31, device="cuda")), rows, lambda: randn(50, 96))
check("kl_div", lambda x, w: find("modules.fused_kl_div:FusedKLDivLoss")()(x, _target(), w, _weight()),
      lambda x, w: functional.kl_div((x @ w.T).log_softmax(-1), (_target() @ _weight().T).softmax(-1), reduction="batchmean"),
      rows, lambda: randn(50, 96) / 8)
check("causal_conv1d", lambda x, w: first(find("modules.causal_conv1d:causal_conv1d")(x, w, activation="silu")),
      lambda x, w: functional.silu(functional.conv1d(functional.pad(x.mT, (3, 0)), w[:, None], groups=64)).mT,
      lambda: randn(2, 50, 64), lambda: randn(64, 4))
check("rotary", lambda x: find("modules.rotary:rotary_embedding")(x, *_turns()),
      lambda x: _turned(x, *_turns()), lambda: randn(2, 50, 2, 32))
check("token_shift", lambda x: first(find("modules.token_shift:token_shift")(x)),
      lambda x: functional.pad(x, (0, 0, 1, -1)) - x, lambda: randn(2, 50, 64))
for name, reverse in (("local", False), ("global", False), ("global reversed", True)):
    check(f"cumsum, {name}", lambda x, name=name, reverse=reverse: find(f"ops.utils:chunk_{name.split()[0]}_cumsum")(
        x, **({"chunk_size": 64} if name == "local" else {"reverse": reverse})),
        lambda x, name=name, reverse=reverse: x.unflatten(1, (2, 64)).cumsum(2).flatten(1, 2) if name == "local" else
        x.flip(1).cumsum(1).flip(1) if reverse else x.cumsum(1), lambda: randn(1, 128, 2), backward=False)
check("softmax", lambda x: find("ops.utils:softmax_fwd")(x), lambda x: x.softmax(-1), rows, backward=False)
check("logsumexp", lambda x: find("ops.utils:logsumexp_fwd")(x), lambda x: x.logsumexp(-1), rows, backward=False)
check("solve_tril", lambda x: find("ops.utils:solve_tril")(x.tril(-1)), lambda x: _inverses(x.tril(-1)),
      lambda: randn(1, 64, 2, 64) / 8, backward=False, atol=2e-3)
check("mean_pooling", lambda x: find("ops.utils:mean_pooling")(x, 16), lambda x: x.unflatten(1, (4, 16)).mean(2), lambda: randn(2, 64, 2, 32))


def _target():
    return torch.linspace(-1, 1, 31 * 96, device="cuda").reshape(31, 96)


def _weight():
    return torch.linspace(-0.3, 0.5, 50 * 96, device="cuda").sin().reshape(50, 96)


def _turns():
    angles = torch.outer(torch.arange(50, device="cuda").float(), torch.linspace(0.1, 1, 16, device="cuda"))
    return angles.cos(), angles.sin()


def _turned(x, cos, sin):
    first_half, second_half = x.chunk(2, -1)
    cos, sin = cos[:, None], sin[:, None]
    return torch.cat([first_half * cos - second_half * sin, first_half * sin + second_half * cos], -1)


def _inverses(x):
    """Inverts I + the lower triangle of each head. x is (1, 64, heads, 64)."""
    lower = x.transpose(1, 2).tril(-1)
    return (torch.eye(64, device="cuda") + lower).inverse().transpose(1, 2)
