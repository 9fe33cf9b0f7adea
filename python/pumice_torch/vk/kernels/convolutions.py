"""Convolutions in one to three dimensions, forward and backward, as products that are never laid out.

All kernels see three dimensions of space, of which some may have size 1. `F` are filters and `C` channels of one group.
"""
from __future__ import annotations

import dataclasses
import math
from typing import Any

import torch
import triton
import triton.language as tl

from ..plans.file import Tensor
from ..plans.own import Operand, Writer
from ..plans.values import Unsupported


@triton.jit
def _multiply(x, y, sum, USES_DOT: tl.constexpr):
    if USES_DOT:
        return tl.dot(x, y, sum)
    return sum + tl.sum(x.to(sum.dtype)[:, :, None] * y.to(sum.dtype)[None, :, :], 1)


@triton.jit
def forward(x, w, bias, out, images, C, D, H, W, F, OD, OH, OW, x_n, x_c, x_d, x_h, x_w, w_f, w_c, w_d, w_h, w_w,
            out_n, out_c, out_d, out_h, out_w, SD: tl.constexpr, SH: tl.constexpr, SW: tl.constexpr, PD: tl.constexpr,
            PH: tl.constexpr, PW: tl.constexpr, DD: tl.constexpr, DH: tl.constexpr, DW: tl.constexpr, KD: tl.constexpr,
            KH: tl.constexpr, KW: tl.constexpr, KIND: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr, USES_DOT: tl.constexpr, IS_FLAT: tl.constexpr):
    """Sums over channels and places of the filter. If IS_FLAT, both are one index: channels are few."""
    down = tl.cdiv(images * OD * OH * OW, BLOCK_M)
    across = tl.cdiv(F, BLOCK_N)
    tile = tl.program_id(0) % (down * across)
    group = tl.program_id(0) // (down * across)
    pixel = tile // across * BLOCK_M + tl.arange(0, BLOCK_M)
    filter = tile % across * BLOCK_N + tl.arange(0, BLOCK_N)
    n = pixel // (OD * OH * OW)
    d = pixel // (OH * OW) % OD * SD - PD
    h = pixel // OW % OH * SH - PH
    v = pixel % OW * SW - PW
    is_pixel = n < images
    is_filter = filter < F
    x += group * C * x_c
    w += group * F * w_f
    sum = tl.zeros((BLOCK_M, BLOCK_N), KIND)
    if IS_FLAT:
        for start in range(0, C * KD * KH * KW, BLOCK_K):
            k = start + tl.arange(0, BLOCK_K)
            c, kd, kh, kw = k // (KD * KH * KW), k // (KH * KW) % KD, k // KW % KH, k % KW
            at_d, at_h, at_w = d[:, None] + (kd * DD)[None, :], h[:, None] + (kh * DH)[None, :], \
                v[:, None] + (kw * DW)[None, :]
            inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W)
            left = tl.load(x + n[:, None] * x_n + c[None, :] * x_c + at_d * x_d + at_h * x_h + at_w * x_w,
                           mask=inside & is_pixel[:, None] & (c < C)[None, :], other=0)
            right = tl.load(w + filter[None, :] * w_f + (c * w_c + kd * w_d + kh * w_h + kw * w_w)[:, None],
                            mask=is_filter[None, :] & (c < C)[:, None], other=0)
            sum = _multiply(left, right, sum, USES_DOT)
    else:
        for place in range(KD * KH * KW):
            kd, kh, kw = place // (KH * KW), place // KW % KH, place % KW
            at_d, at_h, at_w = d + kd * DD, h + kh * DH, v + kw * DW
            inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W) & is_pixel
            x_at = x + (n * x_n + at_d * x_d + at_h * x_h + at_w * x_w)
            w_at = w + filter * w_f + (kd * w_d + kh * w_h + kw * w_w)
            for start in range(0, C, BLOCK_K):
                c = start + tl.arange(0, BLOCK_K)
                left = tl.load(x_at[:, None] + c[None, :] * x_c, mask=inside[:, None] & (c < C)[None, :], other=0)
                right = tl.load(w_at[None, :] + c[:, None] * w_c, mask=is_filter[None, :] & (c < C)[:, None], other=0)
                sum = _multiply(left, right, sum, USES_DOT)
    filter += group * F
    if bias is not None:
        sum += tl.load(bias + filter, mask=is_filter, other=0).to(KIND)[None, :]
    at = n * out_n + pixel // (OH * OW) % OD * out_d + pixel // OW % OH * out_h + pixel % OW * out_w
    tl.store(out + at[:, None] + filter[None, :] * out_c, sum, mask=is_pixel[:, None] & is_filter[None, :])


@triton.jit
def spread(x, w, bias, out, images, C, D, H, W, F, OD, OH, OW, x_n, x_c, x_d, x_h, x_w, w_f, w_c, w_d, w_h, w_w,
           out_n, out_c, out_d, out_h, out_w, SD: tl.constexpr, SH: tl.constexpr, SW: tl.constexpr, PD: tl.constexpr,
           PH: tl.constexpr, PW: tl.constexpr, DD: tl.constexpr, DH: tl.constexpr, DW: tl.constexpr, KD: tl.constexpr,
           KH: tl.constexpr, KW: tl.constexpr, KIND: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr, USES_DOT: tl.constexpr, IS_FLAT: tl.constexpr):
    """Transposes `forward`: `x` has F filters of OD x OH x OW, `out` has C channels of D x H x W."""
    down = tl.cdiv(images * D * H * W, BLOCK_M)
    across = tl.cdiv(C, BLOCK_N)
    tile = tl.program_id(0) % (down * across)
    group = tl.program_id(0) // (down * across)
    pixel = tile // across * BLOCK_M + tl.arange(0, BLOCK_M)
    channel = tile % across * BLOCK_N + tl.arange(0, BLOCK_N)
    n = pixel // (D * H * W)
    d = pixel // (H * W) % D + PD
    h = pixel // W % H + PH
    v = pixel % W + PW
    is_pixel = n < images
    is_channel = channel < C
    x += group * F * x_c
    w += group * F * w_f
    sum = tl.zeros((BLOCK_M, BLOCK_N), KIND)
    for place in range(KD * KH * KW):
        kd, kh, kw = place // (KH * KW), place // KW % KH, place % KW
        far_d, far_h, far_w = d - kd * DD, h - kh * DH, v - kw * DW
        at_d, at_h, at_w = far_d // SD, far_h // SH, far_w // SW
        inside = (far_d >= 0) & (at_d < OD) & (far_h >= 0) & (at_h < OH) & (far_w >= 0) & (at_w < OW) & is_pixel
        inside &= (far_d % SD == 0) & (far_h % SH == 0) & (far_w % SW == 0)
        x_at = x + (n * x_n + at_d * x_d + at_h * x_h + at_w * x_w)
        w_at = w + channel * w_c + (kd * w_d + kh * w_h + kw * w_w)
        for start in range(0, F, BLOCK_K):
            f = start + tl.arange(0, BLOCK_K)
            left = tl.load(x_at[:, None] + f[None, :] * x_c, mask=inside[:, None] & (f < F)[None, :], other=0)
            right = tl.load(w_at[None, :] + f[:, None] * w_f, mask=is_channel[None, :] & (f < F)[:, None], other=0)
            sum = _multiply(left, right, sum, USES_DOT)
    channel += group * C
    if bias is not None:
        sum += tl.load(bias + channel, mask=is_channel, other=0).to(KIND)[None, :]
    at = n * out_n + (d - PD) * out_d + (h - PH) * out_h + (v - PW) * out_w
    tl.store(out + at[:, None] + channel[None, :] * out_c, sum, mask=is_pixel[:, None] & is_channel[None, :])


@triton.jit
def correlate(x, y, parts, images, groups, C, D, H, W, F, OD, OH, OW, x_n, x_c, x_d, x_h, x_w, y_n, y_c, y_d, y_h, y_w,
              splits, SD: tl.constexpr, SH: tl.constexpr, SW: tl.constexpr, PD: tl.constexpr, PH: tl.constexpr,
              PW: tl.constexpr, DD: tl.constexpr, DH: tl.constexpr, DW: tl.constexpr, KD: tl.constexpr,
              KH: tl.constexpr, KW: tl.constexpr, KIND: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              BLOCK_K: tl.constexpr, USES_DOT: tl.constexpr):
    """Computes the filters' gradient: `x` has C channels of D x H x W, `y` has F filters of OD x OH x OW.

    Each of `splits` parts sums over some of the pixels, so that there are enough programs.
    """
    places: tl.constexpr = KD * KH * KW
    down = tl.cdiv(F, BLOCK_M)
    across = tl.cdiv(C * places, BLOCK_N)
    tile = tl.program_id(0) % (down * across)
    group = tl.program_id(0) // (down * across) % groups
    split = tl.program_id(0) // (down * across * groups)
    f = tile // across * BLOCK_M + tl.arange(0, BLOCK_M)
    right = tile % across * BLOCK_N + tl.arange(0, BLOCK_N)
    c, place = right // places, right % places
    kd, kh, kw = place // (KH * KW), place // KW % KH, place % KW
    x_at = x + (group * C + c) * x_c
    y_at = y + (group * F + f) * y_c
    pixels = images * OD * OH * OW
    steps = tl.cdiv(tl.cdiv(pixels, splits), BLOCK_K)
    first = split * steps * BLOCK_K
    sum = tl.zeros((BLOCK_M, BLOCK_N), KIND)
    for step in range(steps):
        pixel = first + step * BLOCK_K + tl.arange(0, BLOCK_K)
        n, d, h, v = pixel // (OD * OH * OW), pixel // (OH * OW) % OD, pixel // OW % OH, pixel % OW
        is_pixel = pixel < pixels
        rows = tl.load(y_at[:, None] + (n * y_n + d * y_d + h * y_h + v * y_w)[None, :],
                       mask=(f < F)[:, None] & is_pixel[None, :], other=0)
        at_d = (d * SD - PD)[:, None] + (kd * DD)[None, :]
        at_h = (h * SH - PH)[:, None] + (kh * DH)[None, :]
        at_w = (v * SW - PW)[:, None] + (kw * DW)[None, :]
        inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W)
        columns = tl.load(x_at[None, :] + n[:, None] * x_n + at_d * x_d + at_h * x_h + at_w * x_w,
                          mask=inside & is_pixel[:, None] & (c < C)[None, :], other=0)
        sum = _multiply(rows, columns, sum, USES_DOT)
    at = parts + ((split * groups + group) * F + f)[:, None] * (C * places) + right[None, :]
    tl.store(at, sum, mask=(f < F)[:, None] & (c < C)[None, :])


@triton.jit
def add_parts(parts, out, splits, filters, C, out_f, out_c, out_d, out_h, out_w, KD: tl.constexpr, KH: tl.constexpr,
              KW: tl.constexpr, BLOCK: tl.constexpr):
    """Adds the parts of the filters' gradient."""
    places: tl.constexpr = KD * KH * KW
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    count = filters * C * places
    sum = tl.load(parts + at, mask=at < count, other=0)
    for split in range(1, splits):
        sum += tl.load(parts + split * count + at, mask=at < count, other=0)
    place = at % places
    to = at // (C * places) * out_f + at // places % C * out_c
    to += place // (KH * KW) * out_d + place // KW % KH * out_h + place % KW * out_w
    tl.store(out + to, sum, mask=at < count)


_KINDS = {torch.float32: tl.float32, torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float64: tl.float64}


@dataclasses.dataclass
class _Image:
    """A tensor with a batch, channels, and three dimensions of space."""
    memory: Operand | tuple[Tensor, torch.dtype]
    sizes: list[int]
    strides: list[int]
    known: list[int | None]


class _Convolution:
    """What the plans of one convolution share."""

    def __init__(self, writer: Writer, stride: list[int], padding: list[int], dilation: list[int], groups: int,
                 kind: torch.dtype, kernel: list[int]) -> None:
        if kind not in _KINDS:
            raise Unsupported(f"a convolution on the type {kind}")
        self.writer, self.groups, self.kind = writer, groups, kind
        rank = len(kernel)
        if rank > 3:
            raise Unsupported(f"a convolution in {rank} dimensions; expected 1 to 3")
        def spatial(given: list[int], default: int) -> list[int]:
            return [default] * (3 - rank) + list(given if len(given) == rank else given * rank)
        self.stride, self.padding = spatial(stride, 1), spatial(padding, 0)
        self.dilation, self.kernel = spatial(dilation, 1), spatial(kernel, 1)
        self.uses_dot = kind != torch.float64
        self.constants: dict[str, Any] = {"KIND": _KINDS[kind], "USES_DOT": self.uses_dot}
        for letter, values in (("S", self.stride), ("P", self.padding), ("D", self.dilation), ("K", self.kernel)):
            for axis, value in zip("DHW", values):
                self.constants[letter + axis] = value

    def image(self, given: Operand) -> _Image:
        """Returns an operand as an image."""
        one, zero = self.writer.constant(1), self.writer.constant(0)
        missing = 5 - given.rank
        sizes = [given.size(dim) for dim in range(given.rank)]
        strides = [given.stride(dim) for dim in range(given.rank)]
        known = [given.known_stride(dim) for dim in range(given.rank)]
        return _Image(given, sizes[:2] + [one] * missing + sizes[2:], strides[:2] + [zero] * missing + strides[2:],
                      known[:2] + [0] * missing + known[2:])

    def make(self, sizes: list[int], rank: int, like: Operand) -> _Image:
        """Allocates an image of `rank` dimensions. Its channels are last if those of `like` are."""
        order = [0, *range(2, rank), 1] if is_channels_last(like) else list(range(rank))
        shown = [sizes[dim] if dim < 2 else sizes[dim + 5 - rank] for dim in range(rank)]
        strides = [self.writer.constant(1)] * rank
        step = self.writer.constant(1)
        for dim in reversed(order):
            strides[dim] = step
            step = self.writer.product(step, shown[dim])
        memory = self.writer.file.allocate(self.kind, shown, strides)
        zero = self.writer.constant(0)
        known: list[int | None] = [1 if dim == order[-1] else None for dim in range(rank)]
        missing = 5 - rank
        return _Image((memory, self.kind), sizes, strides[:2] + [zero] * missing + strides[2:],
                      known[:2] + [0] * missing + known[2:])

    def launch(self, kernel: Any, grid: int, arguments: dict[str, Any], images: dict[str, _Image],
               constants: dict[str, Any], warps: int = 4) -> None:
        """Adds a launch: of images, strides are passed, too."""
        everything = dict(arguments)
        constants = {name: value for name, value in (self.constants | constants).items() if name in kernel.arg_names}
        for name, image in images.items():
            everything[name] = image.memory
            letters = "fcdhw" if f"{name}_f" in kernel.arg_names else "ncdhw"
            for letter, stride, known in zip(letters, image.strides, image.known):
                if known is None:
                    everything[f"{name}_{letter}"] = (stride, "i32")
                else:
                    constants[f"{name}_{letter}"] = known
        self.writer.launch(kernel, [grid], everything, constants, num_warps=warps)

    def blocks(self, columns: int, actual_columns: int) -> tuple[int, int, int]:
        """Chooses the size of a tile."""
        if not self.uses_dot:
            return 16, 16, 16
        if self.writer.is_at_most(columns, actual_columns, 16):
            return 64, 16, 32
        return 64, 64, 32


def is_channels_last(given: Operand) -> bool:
    """Returns whether the key says that a tensor's channels vary fastest."""
    order = [dim for dim in (0, *range(2, given.rank), 1) if given.actual_sizes[dim] > 1]
    return given.rank > 3 and given.layout == "p" and list(given.order) == order and given.actual_sizes[1] > 1


def _check(*operands: Operand) -> None:
    kinds = {one.kind for one in operands}
    if len(kinds) > 1:
        raise Unsupported(f"a convolution on several types, {' and '.join(map(str, kinds))}")
    if any(0 in one.actual_sizes for one in operands):
        raise Unsupported("a convolution on tensors without elements")


def _out_size(writer: Writer, size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    reach = writer.constant(2 * padding - dilation * (kernel - 1) - 1)
    return writer.apply("add", writer.apply("floordiv", writer.apply("add", size, reach), writer.constant(stride)),
                        writer.constant(1))


def _spread_size(writer: Writer, size: int, kernel: int, stride: int, padding: int, dilation: int, more: int) -> int:
    rest = writer.constant(dilation * (kernel - 1) + more + 1 - 2 * padding)
    return writer.apply("add", writer.apply("mul", writer.apply("sub", size, writer.constant(1)),
                                            writer.constant(stride)), rest)


def _require_small(writer: Writer, *operands: Operand) -> None:
    """Rejects operands that 32 bits do not count: kernels compute addresses by them."""
    small = [writer.is_small(one) for one in operands]  # each one becomes a condition
    if not all(small):
        raise Unsupported("a convolution on tensors of more than 2^31 elements")


def _require_small_result(writer: Writer, out: _Image, actual: list[int]) -> None:
    if not writer.is_at_most(writer.product(*out.sizes), math.prod(actual), (1 << 31) - 1):
        raise Unsupported("a convolution whose result has more than 2^31 elements")


def _kernel_of(weight: Operand) -> list[int]:
    """Returns the filter's extent, which the plan's code counts on."""
    return weight.actual_sizes[2:]


def _fix_kernel(writer: Writer, weight: Operand) -> None:
    for dim in range(2, weight.rank):
        if weight.actual_sizes[dim] > 1:
            writer.file.require(writer.apply("eq", weight.size(dim), writer.constant(weight.actual_sizes[dim])))


def _numbers(sizes: list[int], names: str) -> dict[str, Any]:
    return {name: (value, "i32") for name, value in zip(names.split(), sizes)}


def _forward(convolution: _Convolution, x: _Image, weight: _Image, bias: Operand | None, out: _Image,
             channels: int, filters: int, actual_channels: int, actual_filters: int) -> None:
    writer = convolution.writer
    block_m, block_n, block_k = convolution.blocks(filters, actual_filters)
    is_flat = writer.is_at_most(channels, actual_channels, 16)
    pixels = writer.product(out.sizes[0], *out.sizes[2:])
    grid = writer.product(writer.ceil_div(pixels, block_m), writer.ceil_div(filters, block_n),
                          writer.constant(convolution.groups))
    arguments = _numbers([x.sizes[0], channels, *x.sizes[2:], filters, *out.sizes[2:]],
                         "images C D H W F OD OH OW")
    constants: dict[str, Any] = {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "IS_FLAT": is_flat}
    _add_bias(bias, arguments, constants)
    convolution.launch(forward, grid, arguments, {"x": x, "w": weight, "out": out}, constants)


def _spread(convolution: _Convolution, y: _Image, weight: _Image, bias: Operand | None, out: _Image,
            channels: int, filters: int, actual_channels: int) -> None:
    writer = convolution.writer
    block_m, block_n, block_k = convolution.blocks(channels, actual_channels)
    pixels = writer.product(out.sizes[0], *out.sizes[2:])
    grid = writer.product(writer.ceil_div(pixels, block_m), writer.ceil_div(channels, block_n),
                          writer.constant(convolution.groups))
    arguments = _numbers([out.sizes[0], channels, *out.sizes[2:], filters, *y.sizes[2:]], "images C D H W F OD OH OW")
    constants: dict[str, Any] = {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "IS_FLAT": False}
    _add_bias(bias, arguments, constants)
    convolution.launch(spread, grid, arguments, {"x": y, "w": weight, "out": out}, constants)


def _add_bias(bias: Operand | None, arguments: dict[str, Any], constants: dict[str, Any]) -> None:
    if bias is None:
        constants["bias"] = None
    else:
        arguments["bias"] = bias


def _gradient_of_filters(convolution: _Convolution, x: _Image, y: _Image, out: _Image, channels: int, filters: int) -> None:
    writer = convolution.writer
    block_m, block_n, block_k = (64, 64, 32) if convolution.uses_dot else (16, 16, 16)
    places = 1
    for extent in convolution.kernel:
        places *= extent
    groups = writer.constant(convolution.groups)
    per_filter = writer.product(channels, writer.constant(places))
    tiles = writer.product(writer.ceil_div(filters, block_m), writer.ceil_div(per_filter, block_n), groups)
    pixels = writer.product(y.sizes[0], *y.sizes[2:])
    enough = writer.ceil_div_by(writer.constant(16 if writer.is_cpu else 512), tiles)
    splits = writer.apply("max", writer.constant(1), writer.apply("min", enough, writer.ceil_div(pixels, 8 * block_k)))
    sum_kind = torch.float64 if convolution.kind == torch.float64 else torch.float32
    count = writer.product(splits, groups, filters, per_filter)
    parts = writer.file.allocate(sum_kind, [count], [writer.constant(1)])
    arguments = _numbers([x.sizes[0], groups, channels, *x.sizes[2:], filters, *y.sizes[2:], splits],
                         "images groups C D H W F OD OH OW splits")
    arguments["parts"] = (parts, sum_kind)
    blocks = {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k}
    convolution.launch(correlate, writer.product(tiles, splits), arguments, {"x": x, "y": y}, blocks)
    all_filters = writer.product(groups, filters)
    arguments = _numbers([splits, all_filters, channels], "splits filters C") | {"parts": (parts, sum_kind)}
    grid = writer.ceil_div(writer.product(all_filters, per_filter), 256)
    convolution.launch(add_parts, grid, arguments, {"out": out}, {"BLOCK": 256})
    writer.file.free(parts)


def convolution(writer: Writer, x: Operand, weight: Operand, bias: Operand | None, stride: list[int],
                padding: list[int], dilation: list[int], transposed: bool, output_padding: list[int],
                groups: int) -> None:
    """Writes the plan of convolution_overrideable."""
    _check(x, weight, *([bias] if bias else []))
    if bias is not None and bias.actual_sizes != [1] and bias.known_stride(0) != 1:
        raise Unsupported("a convolution whose bias is not contiguous")
    _require_small(writer, x, weight)
    _fix_kernel(writer, weight)
    made = _Convolution(writer, stride, padding, dilation, groups, x.kind, _kernel_of(weight))
    spatial = list(zip(made.kernel, made.stride, made.padding, made.dilation))
    x_image, weight_image = made.image(x), made.image(weight)
    per_group = writer.constant(groups)
    actual = [1] * (5 - x.rank) + x.actual_sizes[2:]
    if transposed:
        more = [0] * (5 - x.rank) + (output_padding if len(output_padding) == x.rank - 2 else output_padding * (x.rank - 2))
        sizes = [_spread_size(writer, size, *how, extra) for size, how, extra in zip(x_image.sizes[2:], spatial, more)]
        channels = weight_image.sizes[1]
        filters = writer.apply("floordiv", weight_image.sizes[0], per_group)
        out = made.make([x_image.sizes[0], writer.product(channels, per_group), *sizes], x.rank, x)
        actual = [(size - 1) * s + d * (k - 1) + extra + 1 - 2 * p
                  for size, (k, s, p, d), extra in zip(actual, spatial, more)]
        _require_small_result(writer, out, [x.actual_sizes[0], weight.actual_sizes[1] * groups, *actual])
        _spread(made, x_image, weight_image, bias, out, channels, filters, weight.actual_sizes[1])
    else:
        sizes = [_out_size(writer, size, *how) for size, how in zip(x_image.sizes[2:], spatial)]
        channels = weight_image.sizes[1]
        filters = writer.apply("floordiv", weight_image.sizes[0], per_group)
        out = made.make([x_image.sizes[0], weight_image.sizes[0], *sizes], x.rank, x)
        actual = [(size + 2 * p - d * (k - 1) - 1) // s + 1 for size, (k, s, p, d) in zip(actual, spatial)]
        _require_small_result(writer, out, [x.actual_sizes[0], weight.actual_sizes[0], *actual])
        _forward(made, x_image, weight_image, bias, out, channels, filters, weight.actual_sizes[1],
                 weight.actual_sizes[0] // groups)
    writer.file.add_result(out.memory[0])  # type: ignore[index]


def convolution_backward(writer: Writer, gradient: Operand, x: Operand, weight: Operand, stride: list[int],
                         padding: list[int], dilation: list[int], transposed: bool, output_padding: list[int],
                         groups: int, output_mask: list[bool]) -> None:
    """Writes the plan of convolution_backward_overrideable."""
    _check(gradient, x, weight)
    _require_small(writer, gradient, x, weight)
    _fix_kernel(writer, weight)
    made = _Convolution(writer, stride, padding, dilation, groups, x.kind, _kernel_of(weight))
    y, x_image, weight_image = made.image(gradient), made.image(x), made.image(weight)
    channels = weight_image.sizes[1]
    filters = writer.apply("floordiv", weight_image.sizes[0], writer.constant(groups))
    like = x if is_channels_last(x) or not is_channels_last(weight) else weight
    if output_mask[0]:
        out = made.make(x_image.sizes, x.rank, like)
        if transposed:
            _forward(made, y, weight_image, None, out, channels, filters, weight.actual_sizes[1],
                     weight.actual_sizes[0] // groups)
        else:
            _spread(made, y, weight_image, None, out, channels, filters, weight.actual_sizes[1])
        writer.file.add_result(out.memory[0])  # type: ignore[index]
    else:
        writer.file.add_result(writer.file.undefined())
    if output_mask[1]:
        out = made.make(weight_image.sizes, weight.rank, like)
        large, small = (y, x_image) if transposed else (x_image, y)
        _gradient_of_filters(made, large, small, out, channels, filters)
        writer.file.add_result(out.memory[0])  # type: ignore[index]
    else:
        writer.file.add_result(writer.file.undefined())
    if output_mask[2]:
        dims = [writer.constant(dim) for dim in (0, *range(2, gradient.rank))]
        words = [f"tensor {gradient.tensor.number}", f"integers {len(dims)} {' '.join(map(str, dims))}",
                 f"bool {writer.constant(0)}", "none"]
        (sums,) = writer.file.call("aten::sum", "dim_IntList", words, 1)
        writer.file.add_result(sums)
    else:
        writer.file.add_result(writer.file.undefined())
