"""flag-gems: PyTorch's operators as Triton kernels, each compared with the operator. GEMS_VENDOR chooses its device."""
import os

import torch
import torch.nn.functional as functional
from harness import Check, Table

os.environ["GEMS_VENDOR"] = "nvidia"
TABLE = Table("flag_gems", "flag-gems")
aten = torch.ops.aten


def randn(*shape, **how):
    return torch.randn(*shape, device="cuda", **how)


def positive(*shape):
    return torch.rand(*shape, device="cuda") + 0.1


def within(*shape):
    return torch.rand(*shape, device="cuda") * 1.8 - 0.9


def integers(*shape, low=-50, high=50, dtype=torch.int32):
    return torch.randint(low, high, shape, device="cuda", dtype=dtype)


def bools(*shape):
    return randn(*shape) > 0


def places(rows, columns, most):
    return torch.stack([torch.randperm(most, device="cuda")[:columns] for _ in range(rows)])


def of(name):
    def call(*given):
        import flag_gems
        found = getattr(flag_gems.ops, name, None) or getattr(flag_gems.fused, name)
        return found(*given)

    return call


def add(name, reference, *makers, label=None, constants=(), **how):
    """Adds a case that compares the operator `name` with `reference`.

    Both get the tensors that the makers make, followed by the constants."""
    def make():
        return Check(lambda *given: of(name)(*given, *constants), lambda *given: reference(*given, *constants),
                     tuple(maker() for maker in makers), **{"backward": False, **how})

    TABLE.case(label or name)(make)


def matrix():
    return randn(37, 129)


for name in ("abs", "neg", "relu", "sin", "cos", "tanh", "sigmoid", "exp", "erf", "ceil", "isnan", "isinf", "isfinite",
             "square", "signbit", "expm1", "asinh_:asinh", "sinh_:sinh", "cosh", "atan", "exp2", "round", "floor_:floor",
             "logical_not", "isneginf", "sgn_:sgn", "resolve_neg", "arcsinh", "tan", "i0", "special_i1", "special_i0e"):
    ours, _, reference = name.partition(":")
    add(ours, getattr(torch, reference or ours, None) or getattr(torch.special, ours.removeprefix("special_")), matrix,
        label=reference or ours, rtol=1e-3)
for name in ("log", "sqrt", "rsqrt", "reciprocal", "log10", "log1p_", "digamma_"):
    add(name, getattr(torch, name.rstrip("_")), lambda: positive(37, 129), label=name.rstrip("_"))
for name in ("acos", "logit", "arctanh_"):
    add(name, getattr(torch, name.rstrip("_")), lambda: within(37, 129).abs() if name == "logit" else within(37, 129),
        label=name.rstrip("_"))
for name in ("abs", "neg", "relu", "sin", "cos", "tanh", "sigmoid", "exp", "erf", "ceil", "isnan", "square", "expm1", "cosh", "atan", "round",
             "tan", "sum", "mean", "max", "std", "softmax", "log_softmax", "cumsum", "argmax"):
    for kind in (torch.bfloat16, torch.float16):
        more = {"softmax": (-1,), "log_softmax": (-1,), "cumsum": (1,)}.get(name, ())
        add(name, getattr(torch, name), lambda kind=kind: 1 + randn(7, 129, dtype=kind) / 2,
            constants=more, label=f"{name}, {str(kind)[6:]}", rtol=2e-2, atol=2e-1 if name == "cumsum" else 2e-2)
for name in ("add", "sub", "mul", "div:true_divide", "maximum", "minimum", "ge", "eq", "pow:pow_tensor_tensor"):
    reference, _, ours = name.partition(":")
    for kind in (torch.bfloat16, torch.float16):
        makers = [lambda kind=kind: torch.rand(37, 129, device="cuda").to(kind) + 0.5] * 2
        add(ours or reference, getattr(torch, reference), *makers, label=f"{reference}, {str(kind)[6:]}", rtol=2e-2, atol=1e-2)
for name in ("silu", "gelu", "elu", "celu", "selu", "softplus", "relu6", "hardsigmoid", "hardswish_", "softshrink",
             "glu:glu", "log_sigmoid:logsigmoid"):
    ours, _, reference = name.partition(":")
    add(ours, getattr(functional, (reference or ours).rstrip("_")), lambda: randn(38, 130), label=(reference or ours).rstrip("_"))
for name in ("add", "sub", "mul", "div:true_divide", "maximum", "minimum", "fmin", "atan2", "hypot", "logaddexp",
             "copysign", "ge", "gt", "le", "lt", "eq", "ne", "greater", "isclose", "remainder", "floor_divide"):
    reference, _, ours = name.partition(":")
    add(ours or reference, getattr(torch, reference), matrix, matrix, label=reference)
for name in ("add", "mul", "maximum", "bitwise_and_tensor:bitwise_and", "bitwise_or_tensor:bitwise_or",
             "remainder", "floor_divide"):
    ours, _, reference = name.partition(":")
    add(ours, getattr(torch, reference or ours), lambda: integers(37, 129),
        lambda: integers(37, 129, low=1, high=7), label=f"{reference or ours}, i32")
for name in ("logical_and", "logical_or", "logical_xor"):
    add(name, getattr(torch, name), lambda: bools(37, 129), lambda: bools(37, 129))
add("add", torch.add, lambda: randn(37, 1, 9), lambda: randn(5, 9), label="add, broadcast")
for name in ("bitwise_left_shift", "bitwise_right_shift"):
    TABLE.check(name, of(name), getattr(torch, name), lambda: integers(37, 129), lambda: integers(37, 129, low=1, high=7),
                backward=False, fault="it gives a function an argument `out` that this takes only when it is a tensor")
add("bitwise_not", torch.bitwise_not, lambda: integers(37, 129))
add("pow_scalar", torch.pow, lambda: 2.5, matrix)
add("pow_tensor_scalar", torch.pow, lambda: positive(37, 129), lambda: 2.5)
add("pow_tensor_tensor", torch.pow, lambda: positive(37, 129), matrix)
add("addcmul", torch.addcmul, matrix, matrix, matrix)
add("addcdiv", torch.addcdiv, matrix, matrix, lambda: positive(37, 129))
add("lerp_scalar", torch.lerp, matrix, matrix, lambda: 0.3)
add("lerp_tensor", torch.lerp, matrix, matrix, matrix)
add("clamp", torch.clamp, matrix, constants=(-0.5, 0.7))
add("clamp_tensor", torch.clamp, matrix, matrix, matrix)
add("where_self", torch.where, lambda: bools(37, 129), matrix, matrix)
add("masked_fill", torch.masked_fill, matrix, lambda: bools(37, 129), constants=(3.5,))
add("nan_to_num", torch.nan_to_num, lambda: randn(37, 129).log())
add("threshold", functional.threshold, matrix, constants=(0.2, -1.0))
add("polar", torch.polar, matrix, matrix)
add("prelu", functional.prelu, matrix, lambda: randn(1))
add("angle", torch.angle, matrix)
add("silu_and_mul", lambda a, b: functional.silu(a) * b, matrix, matrix)
add("gelu_and_mul", lambda a, b: functional.gelu(a) * b, matrix, matrix)

for name in ("sum", "mean", "max", "min", "prod", "all", "any", "argmax", "argmin", "count_nonzero", "amax"):
    add(name, getattr(torch, name), lambda: 1 + 0.02 * randn(37, 129), rtol=1e-3, atol=1e-3)
for name in ("sum", "mean", "max", "min", "prod", "all", "any"):
    add(f"{name}_dim", getattr(torch, name), lambda: 1 + 0.02 * randn(7, 37, 129),
        constants=([1] if name in ("sum", "mean") else 1,), rtol=1e-3)
# argmin stores whole blocks of rows, even beyond the last row. So these shapes are multiples of a block.
for name in ("argmax", "argmin", "amax"):
    add(name, getattr(torch, name), lambda: randn(64, 128), constants=([1] if name == "amax" else 1,), label=f"{name}, dim")
add("aminmax", lambda x: torch.aminmax(x), matrix)
add("var_mean", torch.var_mean, matrix, rtol=1e-3)
add("std", torch.std, matrix, rtol=1e-3)
add("var", torch.var, matrix, rtol=1e-3)
add("vector_norm", torch.linalg.vector_norm, matrix, rtol=1e-3)
add("cumsum", torch.cumsum, matrix, constants=(1,), atol=1e-3)
add("cumsum", torch.cumsum, lambda: randn(3, 4000), constants=(1,), label="cumsum, long", atol=1e-2)
add("cummax", torch.cummax, matrix, constants=(1,))
add("cummin", torch.cummin, matrix, constants=(1,))
add("normed_cumsum", lambda x: x.cumsum(-1) / x.sum(-1, keepdim=True), lambda: positive(37, 129), rtol=1e-3)
add("softmax", torch.softmax, matrix, constants=(-1,))
add("softmax", torch.softmax, lambda: randn(5, 37, 19), constants=(1,), label="softmax, inner")
add("log_softmax", torch.log_softmax, matrix, constants=(-1,))
add("_safe_softmax", torch.softmax, matrix, constants=(-1,))
add("sort", torch.sort, lambda: randn(5, 1000))
add("sort", torch.sort, lambda: torch.randperm(5000, device="cuda"), label="sort, i64")
add("topk", lambda x, k: torch.topk(x, k), matrix, constants=(9,))
add("unique_consecutive", torch.unique_consecutive, lambda: integers(500, high=-45))
add("_unique2", lambda x: torch.unique(x), lambda: integers(500))
add("quantile", torch.quantile, matrix, lambda: torch.tensor([0.2, 0.5], device="cuda"), lambda: 1, rtol=1e-3)
add("trace", torch.trace, lambda: randn(50, 50))
add("logical_not", torch.logical_not, lambda: bools(37, 129), label="logical_not, bool")
add("equal", lambda a, b: torch.equal(a, b), matrix, matrix)
add("isin", torch.isin, lambda: integers(500), lambda: integers(20))

add("mm", torch.mm, lambda: randn(65, 40), lambda: randn(40, 70), atol=1e-3)
add("mm", torch.mm, lambda: randn(65, 40, dtype=torch.float16), lambda: randn(40, 70, dtype=torch.float16),
    label="mm, f16", atol=3e-2, rtol=1e-2)
add("bmm", torch.bmm, lambda: randn(3, 65, 40), lambda: randn(3, 40, 70), atol=1e-3)
add("addmm", torch.addmm, lambda: randn(70), lambda: randn(65, 40), lambda: randn(40, 70), atol=1e-3)
add("baddbmm", torch.baddbmm, lambda: randn(3, 65, 70), lambda: randn(3, 65, 40), lambda: randn(3, 40, 70), atol=1e-3)
add("mv", torch.mv, lambda: randn(65, 40), lambda: randn(40), atol=1e-3)
add("addmv", torch.addmv, lambda: randn(65), lambda: randn(65, 40), lambda: randn(40), atol=1e-3)
add("addr", torch.addr, lambda: randn(65, 40), lambda: randn(65), lambda: randn(40))
add("dot", torch.dot, lambda: randn(1000), lambda: randn(1000), atol=1e-3)
add("vdot", torch.vdot, lambda: randn(1000), lambda: randn(1000), atol=1e-3)
add("outer", torch.outer, lambda: randn(65), lambda: randn(40))
add("kron", torch.kron, lambda: randn(5, 7), lambda: randn(3, 4))

add("cat", torch.cat, lambda: [randn(3, 4), randn(5, 4)])
add("stack", torch.stack, lambda: [randn(3, 4), randn(3, 4)])
add("hstack", torch.hstack, lambda: [randn(3, 4), randn(3, 2)])
add("vstack", torch.vstack, lambda: [randn(3, 4), randn(2, 4)])
add("flip", torch.flip, matrix, constants=([0, 1],))
add("roll", torch.roll, matrix, constants=([5], [1]))
add("tile", torch.tile, lambda: randn(3, 4), constants=([2, 3],))
add("repeat", lambda x, n: x.repeat(n), lambda: randn(3, 4), constants=([2, 3],))
add("repeat_interleave_self_int", torch.repeat_interleave, lambda: randn(3, 4), constants=(3, 1))
add("repeat_interleave_self_tensor", torch.repeat_interleave, lambda: randn(3, 4), lambda: integers(3, low=0, high=5),
    constants=(0,))
add("constant_pad_nd", aten.constant_pad_nd, lambda: randn(3, 4), constants=([1, 2, 3, 0], 1.5))
add("reflection_pad1d", aten.reflection_pad1d, lambda: randn(3, 14), constants=([1, 2],))
add("reflection_pad2d", aten.reflection_pad2d, lambda: randn(2, 3, 8, 9), constants=([1, 2, 3, 1],))
add("replication_pad1d", aten.replication_pad1d, lambda: randn(2, 3, 14), constants=([1, 2],))
add("diag", torch.diag, lambda: randn(30))
add("diag_embed", torch.diag_embed, lambda: randn(3, 30))
add("tril", torch.tril, matrix, constants=(3,))
add("triu", torch.triu, matrix, constants=(-3,))
add("gather", torch.gather, matrix, lambda: 1, lambda: integers(37, 20, low=0, high=129, dtype=torch.int64))
add("scatter", torch.scatter, matrix, lambda: 1, lambda: places(37, 20, 129), lambda: randn(37, 20))
add("scatter_add_", torch.scatter_add, matrix, lambda: 1, lambda: places(37, 20, 129), lambda: randn(37, 20))
add("index_select", torch.index_select, matrix, lambda: 0, lambda: integers(9, low=0, high=37, dtype=torch.int64))
add("index_add", torch.index_add, matrix, lambda: 0, lambda: integers(9, low=0, high=37, dtype=torch.int64),
    lambda: randn(9, 129))
add("index", lambda x, i: x[i[0]], matrix, lambda: [integers(9, low=0, high=37, dtype=torch.int64)])
add("index_put", lambda x, i, v: torch.index_put(x, i, v), matrix, lambda: [torch.randperm(37, device="cuda")[:9]],
    lambda: randn(9, 129))
add("masked_select", torch.masked_select, matrix, lambda: bools(37, 129))
add("masked_scatter", torch.masked_scatter, matrix, lambda: bools(37, 129), lambda: randn(37 * 129))
add("nonzero", torch.nonzero, lambda: bools(37, 129))
add("select_scatter", torch.select_scatter, matrix, lambda: randn(37), constants=(1, 5))
add("slice_scatter", torch.slice_scatter, matrix, lambda: randn(37, 10), constants=(1, 3, 23, 2))
add("embedding", lambda w, i: functional.embedding(i, w), lambda: randn(50, 33),
    lambda: integers(4, 7, low=0, high=50, dtype=torch.int64))
add("one_hot", functional.one_hot, lambda: integers(40, low=0, high=9, dtype=torch.int64), constants=(9,))
add("arange", lambda n: torch.arange(n), lambda: 77)
add("linspace", lambda a, b, n: torch.linspace(a, b, n), lambda: 0.0, lambda: 5.0, lambda: 77)
add("logspace", lambda a, b, n: torch.logspace(a, b, n), lambda: 0.0, lambda: 2.0, lambda: 77, rtol=1e-3)
add("eye", torch.eye, lambda: 33)
add("full", torch.full, lambda: (5, 7), lambda: 2.5)
add("bincount", torch.bincount, lambda: integers(300, low=0, high=40, dtype=torch.int64))
add("hadamard_transform", lambda x: x @ _hadamard(64), lambda: randn(9, 64), atol=1e-3)


def _hadamard(size):
    made = torch.ones(1, 1)
    while len(made) < size:
        made = torch.cat([torch.cat([made, made], 1), torch.cat([made, -made], 1)])
    return made


def nn(name, ours, reference, makers, **how):
    """Adds a check of a function and its gradients."""
    TABLE.check(name, ours, reference, *makers, **how)


nn("layer_norm", lambda x, w, b: of("layer_norm")(x, (129,), w, b, 1e-5)[0],
   lambda x, w, b: functional.layer_norm(x, (129,), w, b), (matrix, lambda: randn(129), lambda: randn(129)),
   backward=False)
nn("rms_norm", lambda x, w: of("rms_norm")(x, (129,), w, 1e-5), lambda x, w: functional.rms_norm(x, (129,), w, 1e-5),
   (matrix, lambda: randn(129)))
# The number of channels in each group must be a power of two.
nn("group_norm", lambda x, w, b: of("group_norm")(x, w, b, 3, 16, 50, 4, 1e-5)[0],
   lambda x, w, b: functional.group_norm(x, 4, w, b), (lambda: randn(3, 16, 50), lambda: randn(16), lambda: randn(16)),
   backward=False)
nn("instance_norm", lambda x, w, b: of("instance_norm")(x, w, b), lambda x, w, b: functional.instance_norm(x, weight=w, bias=b),
   (lambda: randn(3, 12, 50), lambda: randn(12), lambda: randn(12)))
# Without running statistics as arguments, the operator would write them into its input.
nn("batch_norm", lambda x, w, b: of("batch_norm")(x, w, b, torch.zeros_like(w), torch.ones_like(w), True, 0.1, 1e-5)[0],
   lambda x, w, b: functional.batch_norm(x, None, None, w, b, True), (lambda: randn(6, 12, 50), lambda: randn(12), lambda: randn(12)),
   backward=False)
nn("weight_norm", lambda v, g: of("weight_norm")(v, g, 0), lambda v, g: torch._weight_norm(v, g, 0),
   (lambda: randn(12, 50), lambda: randn(12, 1)))
nn("skip_layer_norm", lambda x, r, w, b: of("skip_layer_norm")(x, r, (129,), w, b, 1e-5),
   lambda x, r, w, b: functional.layer_norm(x + r, (129,), w, b), (matrix, matrix, lambda: randn(129), lambda: randn(129)),
   backward=False)
nn("fused_add_rms_norm", lambda x, r, w: of("fused_add_rms_norm")(x, r, (129,), w, 1e-5),
   lambda x, r, w: (functional.rms_norm(x + r, (129,), w, 1e-5), x + r), (matrix, matrix, lambda: randn(129)),
   backward=False)
nn("cross_entropy_loss", lambda x: of("cross_entropy_loss")(x, torch.arange(20, device="cuda")),
   lambda x: functional.cross_entropy(x, torch.arange(20, device="cuda")), (lambda: randn(20, 100),))
nn("mse_loss", lambda x, y: of("mse_loss")(x, y), functional.mse_loss, (matrix, matrix), backward=False)
nn("soft_margin_loss", lambda x, y: of("soft_margin_loss")(x, y.sign()), lambda x, y: functional.soft_margin_loss(x, y.sign()),
   (matrix, matrix), backward=False)
nn("nll_loss_forward", lambda x: of("nll_loss_forward")(x, torch.arange(20, device="cuda"), None, 1, -100)[0],
   lambda x: functional.nll_loss(x, torch.arange(20, device="cuda")), (lambda: randn(20, 100),), backward=False)
nn("conv1d", lambda x, w, b: of("conv1d")(x, w, b, 1, 1), lambda x, w, b: functional.conv1d(x, w, b, 1, 1),
   (lambda: randn(2, 4, 20), lambda: randn(8, 4, 3), lambda: randn(8)))
nn("conv2d", lambda x, w, b: of("conv2d")(x, w, b, 2, 1), lambda x, w, b: functional.conv2d(x, w, b, 2, 1),
   (lambda: randn(2, 4, 12, 13), lambda: randn(8, 4, 3, 3), lambda: randn(8)))
nn("conv3d", lambda x, w: of("conv3d")(x, w), functional.conv3d, (lambda: randn(1, 2, 6, 7, 8), lambda: randn(4, 2, 3, 3, 3)),
   backward=False)
nn("conv_depthwise2d", lambda x, w: of("_conv_depthwise2d")(x, w, (3, 3), None, (1, 1), (1, 1), (1, 1)),
   lambda x, w: functional.conv2d(x, w, None, 1, 1, 1, 4), (lambda: randn(2, 4, 12, 13), lambda: randn(4, 1, 3, 3)), backward=False)
nn("avg_pool2d", lambda x: of("avg_pool2d")(x, (3, 2)), lambda x: functional.avg_pool2d(x, (3, 2)), (lambda: randn(2, 3, 12, 13),),
   backward=False)
nn("max_pool2d_with_indices", lambda x: of("max_pool2d_with_indices")(x, (3, 3), (2, 2), (1, 1)),
   lambda x: functional.max_pool2d(x, (3, 3), (2, 2), (1, 1), return_indices=True), (lambda: randn(2, 3, 12, 13),), backward=False)
nn("upsample_nearest2d", lambda x: of("upsample_nearest2d")(x, (17, 20)), lambda x: functional.interpolate(x, (17, 20)),
   (lambda: randn(2, 3, 8, 9),), backward=False)
nn("upsample_bicubic2d", lambda x: of("upsample_bicubic2d")(x, (17, 20), False, None, None),
   lambda x: functional.interpolate(x, (17, 20), mode="bicubic"), (lambda: randn(2, 3, 8, 9),), backward=False)
nn("upsample_linear1d", lambda x: of("upsample_linear1d")(x, [17], False, None),
   lambda x: functional.interpolate(x, 17, mode="linear"), (lambda: randn(2, 3, 8),), backward=False)
nn("pixel_unshuffle", lambda x: of("pixel_unshuffle")(x, 2), lambda x: functional.pixel_unshuffle(x, 2),
   (lambda: randn(2, 3, 8, 12),), backward=False)
nn("scaled_dot_product_attention", lambda q, k, v: of("scaled_dot_product_attention")(q, k, v, None, 0.0, True),
   lambda q, k, v: functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True),
   tuple((lambda: randn(1, 2, 128, 64, dtype=torch.float16),) * 3), atol=1e-2, rtol=1e-2, backward=False)
nn("geglu", lambda x: of("geglu")(x), lambda x: functional.gelu(x[..., :64], approximate="tanh") * x[..., 64:], (lambda: randn(9, 128),),
   backward=False)
nn("swiglu", lambda x: of("swiglu")(x), lambda x: functional.silu(x[..., :64]) * x[..., 64:], (lambda: randn(9, 128),), backward=False)
nn("reglu", lambda x: of("reglu")(x), lambda x: functional.relu(x[..., :64]) * x[..., 64:], (lambda: randn(9, 128),), backward=False)
for name in ("silu", "gelu", "tanh", "sigmoid"):
    backward = {"silu": aten.silu_backward, "gelu": aten.gelu_backward, "tanh": aten.tanh_backward,
                "sigmoid": aten.sigmoid_backward}[name]
    add(f"{name}_backward", backward, matrix, matrix)
add("softmax_backward", aten._softmax_backward_data, matrix, lambda: randn(37, 129).softmax(-1), constants=(-1, torch.float32))
add("log_softmax_backward", aten._log_softmax_backward_data, matrix, lambda: randn(37, 129).log_softmax(-1),
    constants=(-1, torch.float32), atol=1e-3)
