"""conch, bitsandbytes and torchao: quantization, products of quantized matrices, paged attention, detection."""
import importlib
import math

import torch
import torch.nn.functional as functional
from harness import Check, Table
from references import gelu_tanh, rms_norm

CONCH = Table("conch", "conch-triton-kernels")
BITSANDBYTES = Table("bitsandbytes", "bitsandbytes")
TORCHAO = Table("torchao", "torchao")
TABLES = [CONCH, BITSANDBYTES, TORCHAO]


def randn(*shape, **how):
    return torch.randn(*shape, device="cuda", **how)


def find(path):
    module, name = path.split(":")
    return getattr(importlib.import_module(module), name)


def of_conch(path):
    return find(f"conch.ops.{path}")


CONCH.check("silu_and_mul", lambda x: of_conch("activation.silu_and_mul:silu_and_mul")(x),
            lambda x: functional.silu(x[:, :64]) * x[:, 64:], lambda: randn(9, 128), backward=False)
CONCH.check("gelu_tanh_and_mul", lambda x: of_conch("activation.gelu_tanh_and_mul:gelu_tanh_and_mul")(x),
            lambda x: gelu_tanh(x[:, :64]) * x[:, 64:], lambda: randn(9, 128), backward=False, atol=1e-3)
CONCH.check("rms_norm", lambda x, w: of_conch("normalization.rms_norm:rms_norm")(x, w, 1e-6), lambda x, w: rms_norm(x, w, 1e-6),
            lambda: randn(9, 300), lambda: randn(300), backward=False)
CONCH.check("fused_add_rms_norm", lambda x, r, w: of_conch("normalization.rms_norm:fused_add_rms_norm")(x, r, w, 1e-6),
            lambda x, r, w: (rms_norm(x + r, w, 1e-6), x + r), lambda: randn(9, 300), lambda: randn(9, 300), lambda: randn(300),
            backward=False)
CONCH.check("gemma_rms_norm", lambda x, w: of_conch("normalization.gemma_rms_norm:gemma_rms_norm")(x, w, 1e-6),
            lambda x, w: rms_norm(x, 1 + w, 1e-6), lambda: randn(9, 300), lambda: randn(300), backward=False)
CONCH.check("scaled_int8_quant", lambda x, s: of_conch("quantization.int8:scaled_int8_quant")(x, s)[0],
            lambda x, s: (x / s).clamp(-128, 127).to(torch.int8), lambda: randn(9, 256),
            lambda: torch.tensor([0.03], device="cuda"), backward=False)
CONCH.check("scaled_fp8_quant", lambda x, s: of_conch("quantization.fp8:scaled_fp8_quant")(x, s)[0].float(),
            lambda x, s: (x / s).clamp(-448, 448).to(torch.float8_e4m3fn).float(), lambda: randn(9, 256),
            lambda: torch.tensor([0.03], device="cuda"), backward=False, rtol=0.13)


@CONCH.case("scaled_gemm, int8")
def _():
    a, b = (torch.randint(-100, 100, shape, dtype=torch.int8, device="cuda") for shape in ((64, 128), (128, 96)))
    return Check(lambda s, t: of_conch("quantization.gemm:scaled_gemm")(a, b, s, t, torch.float16).float(),
                 lambda s, t: (a.float() @ b.float()) * s * t, (torch.rand(64, 1, device="cuda") / 1e3, torch.rand(1, 96, device="cuda") / 1e3),
                 False, atol=1e-2, rtol=1e-2)


for kind in ("nf4", "fp4"):
    @CONCH.case(f"quantize_4bit and back, {kind}")
    def _(kind=kind):
        def ours(x):
            packed, state = of_conch("quantization.bitsandbytes.functional:quantize_4bit")(x, quant_type=kind)
            return of_conch("quantization.bitsandbytes.functional:dequantize_4bit")(packed, state, quant_type=kind)

        return Check(ours, lambda x: x, (randn(4096),), False, atol=0.8)  # 4 bits represent values of up to 3


@CONCH.case("nms")
def _():
    corners = torch.rand(200, 2, device="cuda") * 50
    boxes, scores = torch.cat([corners, corners + 10 + torch.rand(200, 2, device="cuda") * 10], 1), torch.rand(200, device="cuda")

    def reference(boxes, scores):
        area, kept = (boxes[:, 2:] - boxes[:, :2]).prod(1), []
        for i in scores.argsort(descending=True).tolist():
            if kept:
                shared = (torch.minimum(boxes[i, 2:], boxes[kept, 2:]) - torch.maximum(boxes[i, :2], boxes[kept, :2])).clamp(min=0).prod(1)
                if (shared / (area[i] + area[kept] - shared) > 0.5).any():
                    continue
            kept.append(i)
        return torch.tensor(kept, device="cuda")

    return Check(lambda b, s: of_conch("vision.nms:nms")(b, s, 0.5), reference, (boxes, scores), False)


@CONCH.case("paged_attention")
def _():
    lengths, pages = torch.tensor([40, 17], dtype=torch.int32, device="cuda"), torch.randperm(12, device="cuda").to(torch.int32)
    table = pages[:6].reshape(2, 3).contiguous()

    def reference(q, k, v):
        out = []
        for i, length in enumerate(lengths.tolist()):
            keys, values = (cache[table[i].long()].flatten(0, 1)[:length].repeat_interleave(2, 1) for cache in (k, v))
            scores = torch.einsum("hd,lhd->hl", q[i], keys) / math.sqrt(64)
            out.append(torch.einsum("hl,lhd->hd", scores.softmax(-1), values))
        return torch.stack(out)

    return Check(lambda q, k, v: of_conch("attention.paged_attention:paged_attention")(q, k, v, table, lengths), reference,
                 (randn(2, 4, 64), randn(12, 16, 2, 64), randn(12, 16, 2, 64)), False, atol=2e-3)


@CONCH.case("reshape_and_cache")
def _():
    slots = torch.randperm(12 * 16, device="cuda")[:20]

    def reference(key, value):
        caches = torch.zeros(12 * 16, 2, 64, device="cuda"), torch.zeros(12 * 16, 2, 64, device="cuda")
        return [cache.index_copy(0, slots, new).view(12, 16, 2, 64) for cache, new in zip(caches, (key, value))]

    def ours(key, value):
        caches = torch.zeros(12, 16, 2, 64, device="cuda"), torch.zeros(12, 16, 2, 64, device="cuda")
        of_conch("vllm.reshape_and_cache:reshape_and_cache")(key, value, *caches, slots)
        return caches

    return Check(ours, reference, (randn(20, 2, 64), randn(20, 2, 64)), False)


def bits(name):
    return lambda *given: find(f"bitsandbytes.backends.triton.ops:{name}")(*given)


@BITSANDBYTES.case("quantize_blockwise and back")
def _():
    def ours(x):
        code = find("bitsandbytes.functional:create_dynamic_map")().to("cuda")
        packed, scale = bits("quantize_blockwise")(x, code, 256)
        return bits("dequantize_blockwise")(packed, scale, code, 256, torch.float32)

    return Check(ours, lambda x: x, (randn(2048),), False, atol=0.05, rtol=0.05)


for kind in ("nf4", "fp4"):
    @BITSANDBYTES.case(f"quantize_4bit, {kind}")
    def _(kind=kind):
        def reference(x):
            code = find("bitsandbytes.functional:get_4bit_type")(kind, device="cuda")
            scale = x.view(-1, 64).abs().max(1).values
            near = (x.view(-1, 64, 1) / scale[:, None, None] - code).abs().argmin(-1)
            return (code[near] * scale[:, None]).view(x.shape)

        def ours(x):
            packed, scale = bits("quantize_4bit")(x, 64, kind, torch.uint8)
            return bits("dequantize_4bit")(packed, scale, 64, kind, x.shape, torch.float32)

        return Check(ours, reference, (randn(32, 64),), False)


@BITSANDBYTES.case("gemv_4bit")
def _():
    def both(x, w):
        code = find("bitsandbytes.functional:get_4bit_type")("nf4", device="cuda")
        packed, scale = bits("quantize_4bit")(w, 64, "nf4", torch.uint8)
        return code, packed, scale

    def ours(x, w):
        code, packed, scale = both(x, w)
        return bits("gemv_4bit")(x, packed, w.shape, scale, code, 64)

    def reference(x, w):
        _, packed, scale = both(x, w)
        return x @ bits("dequantize_4bit")(packed, scale, 64, "nf4", w.shape, torch.float32).T

    return Check(ours, reference, (randn(1, 1, 128), randn(96, 128)), False, atol=1e-3)


@BITSANDBYTES.case("optimizer_update_32bit, adam")
def _():
    def ours(p, g):
        m, v = torch.zeros_like(p), torch.zeros_like(p)
        bits("optimizer_update_32bit")("adam", g, p, m, v, None, 0.0, 0.0, 0.9, 0.99, 0.0, 0.0, 1e-8, 0.01, 1, 0.1, 1.0, False)
        return p

    def reference(p, g):
        leaf = p.clone().requires_grad_()
        leaf.grad = g.clone()
        torch.optim.AdamW([leaf], lr=0.1, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.01).step()
        return leaf.detach()

    return Check(ours, reference, (randn(1000), randn(1000)), False, atol=1e-3)


def int_products():
    """Returns the module with only the first configuration, since its tuner takes minutes to try all of them."""
    module = importlib.import_module("torchao.kernel.intmm_triton")
    importlib.import_module("torchao.kernel.autotuner")._save_best_configs = lambda configs: None  # saves nothing here
    module.int8_mm_kernel_configs = module.int8_mm_kernel_configs[:1]
    return module


def bytes_of(*shape):
    return torch.randint(-100, 100, shape, dtype=torch.int8, device="cuda")


@TORCHAO.case("int_matmul")
def _():
    def ours(a, b):
        int_products()
        return torch.ops.torchao.int_matmul(a, b)

    return Check(ours, lambda a, b: (a.double() @ b.double()).to(torch.int32), (bytes_of(64, 128), bytes_of(128, 96)), False)


@TORCHAO.case("int_scaled_matmul")
def _():
    a, b = bytes_of(64, 128), bytes_of(128, 96)
    return Check(lambda s: int_products().int_scaled_matmul_cuda(a, b, s), lambda s: (a.float() @ b.float()) * s,
                 (torch.rand(64, 1, device="cuda"),), False, atol=1e-1)


@TORCHAO.case("fp8_blockwise_act_quant")
def _():
    def ours(x):
        y, scale = find("torchao.kernel.blockwise_quantization:fp8_blockwise_act_quant")(x.contiguous(), 128)
        return (y.float().view(-1, 128) * scale.view(-1, 1)).view(x.shape)

    return Check(ours, lambda x: x, (randn(16, 256),), False, atol=2e-2, rtol=7e-2)


@TORCHAO.case("fp8_blockwise_weight_quant and dequant")
def _():
    def ours(x):
        y, scale = find("torchao.kernel.blockwise_quantization:fp8_blockwise_weight_quant")(x.contiguous(), 128)
        return find("torchao.kernel.blockwise_quantization:fp8_blockwise_weight_dequant")(y, scale, 128)

    return Check(ours, lambda x: x, (randn(128, 256),), False, atol=2e-2, rtol=7e-2)


@TORCHAO.case("blockwise_fp8_gemm")
def _():
    def ours(x, w):
        module = importlib.import_module("torchao.kernel.blockwise_quantization")
        return module.blockwise_fp8_gemm(*module.fp8_blockwise_act_quant(x, 128), *module.fp8_blockwise_weight_quant(w, 128), 128).float()

    return Check(ours, lambda x, w: x @ w.T, (randn(32, 256) / 16, randn(128, 256)), False, atol=0.15, rtol=0.1)


@TORCHAO.case("bsr_dense_addmm")
def _():
    mask = (torch.rand(4, 8, device="cuda") > 0.5).repeat_interleave(16, 0).repeat_interleave(16, 1)

    def ours(x, a, b):
        return find("torchao.kernel.bsr_triton_ops:bsr_dense_addmm")(x, (a * mask).to_sparse_bsr((16, 16)), b)

    return Check(ours, lambda x, a, b: x + (a * mask) @ b, (randn(64, 64), randn(64, 128), randn(128, 64)), False, atol=1e-3)


TORCHAO.check("triton_to_mxfp8_dim1", lambda x: find("torchao.prototype.mx_formats.kernels:triton_to_mxfp8_dim1")(x, 32)[0].float(),
              lambda x: x, lambda: randn(128, 64), backward=False, fault="it defines this for compute capability 10 alone")


@TORCHAO.case("int8 scaled product of quantized training")
def _():
    a, b = (torch.randint(-100, 100, shape, dtype=torch.int8, device="cuda") for shape in ((64, 128), (128, 96)))
    return Check(lambda s, t: find("torchao.prototype.quantized_training.int8_mm:scaled_int8_mm")(a, b, s, t),
                 lambda s, t: (a.float() @ b.float()) * s[:, None] * t, (torch.rand(64, device="cuda"), torch.rand(96, device="cuda")),
                 False, atol=1e-1, rtol=1e-2)


def blockwise(name):
    return lambda *given: find(f"torchao.prototype.blockwise_fp8_training.kernels:{name}")(*given)


def by_blocks(y, scale, shape):
    """Multiplies a matrix of 8-bit floats by the scales of its blocks of `shape`. The reciprocals are stored."""
    return y.float() * scale.repeat_interleave(shape[0], 0).repeat_interleave(shape[1], 1)


TORCHAO.check("triton_fp8_blockwise_act_quant_lhs", lambda x: by_blocks(*blockwise("triton_fp8_blockwise_act_quant_lhs")(x), (1, 128)),
              lambda x: x.float(), lambda: randn(64, 256, dtype=torch.bfloat16), backward=False, atol=2e-2, rtol=7e-2)
TORCHAO.check("triton_fp8_blockwise_act_quant_rhs", lambda x: by_blocks(*blockwise("triton_fp8_blockwise_act_quant_rhs")(x), (128, 1)),
              lambda x: x.float(), lambda: randn(128, 256, dtype=torch.bfloat16), backward=False, atol=2e-2, rtol=7e-2)
TORCHAO.check("triton_fp8_gemm_1x128_128x128", lambda x, w: blockwise("triton_fp8_gemm_1x128_128x128")(
    *_interleaved(blockwise("triton_fp8_blockwise_act_quant_lhs")(x), blockwise("triton_fp8_blockwise_weight_quant_transposed_rhs")(w))).float(),
    lambda x, w: x.float() @ w.float().T, lambda: randn(64, 256, dtype=torch.bfloat16) / 16, lambda: randn(128, 256, dtype=torch.bfloat16),
    backward=False, atol=0.2, rtol=0.1)


def _interleaved(left, right):
    return left[0], right[0], left[1], right[1]


def _to_fp8(name):
    def ours(x):
        module = importlib.import_module("torchao.prototype.float8nocompile.kernels.fp8_dynamic_tensorwise")
        linear = importlib.import_module("torchao.float8.float8_training_tensor")
        made = getattr(module, name)(x, torch.float8_e4m3fn, linear.LinearMMConfig())
        made = made[0] if isinstance(made, tuple) else made
        return made._data.float() / made._scale

    return ours


for name in ("hp_to_fp8_row_major", "hp_to_fp8_col_major", "hp_to_fp8_row_and_col_major"):
    TORCHAO.check(name, _to_fp8(name), lambda x: x.float(), lambda: randn(64, 128, dtype=torch.bfloat16), backward=False,
                  atol=2e-2, rtol=7e-2)
# The first kernel masks its stores with rows and columns swapped, so it works only for square matrices.
for name in ("hp_to_fp8_row_major_t", "hp_to_fp8_col_major_t"):
    TORCHAO.check(name, _to_fp8(name), lambda x: x.float().T, lambda: randn(128, 128, dtype=torch.bfloat16), backward=False,
                  atol=2e-2, rtol=7e-2)
