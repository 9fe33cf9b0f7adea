"""Plans of convolutions in one to three dimensions, forward and backward."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import torch
import triton.language as tl

from ..plans.file import Tensor
from ..plans.own import Operand, View, Writer
from ..plans.values import Unsupported
from . import convolution_kernels as kernels
from . import products


_KINDS = {torch.float32: tl.float32, torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float64: tl.float64}


@dataclasses.dataclass
class _Image:
    """A tensor with a batch, channels, and three dimensions of space."""
    memory: Operand | tuple[Tensor, torch.dtype]
    sizes: list[int]
    strides: list[int]
    known: list[int | None]
    is_dense: bool = True  # whether strides are products of sizes


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
                      known[:2] + [0] * missing + known[2:], given.layout in "cp")

    def make(self, sizes: list[int], rank: int, like: Operand, *, is_last: bool = False) -> _Image:
        """Allocates an image of `rank` dimensions. Its channels are last if those of `like` are, or if `is_last`."""
        order = [0, *range(2, rank), 1] if is_last or is_channels_last(like) else list(range(rank))
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
               constants: dict[str, Any], aligned: Sequence[str] = ()) -> None:
        """Adds a launch: of images, strides are passed, too. `aligned` are those that are multiples of 16."""
        everything = dict(arguments)
        constants = {name: value for name, value in (self.constants | constants).items() if name in kernel.arg_names}
        for name, image in images.items():
            everything[name] = image.memory
            letters = "fcdhw" if f"{name}_f" in kernel.arg_names else "ncdhw"
            for letter, stride, known in zip(letters, image.strides, image.known):
                if f"{name}_{letter}" not in kernel.arg_names:
                    continue
                if known is None:
                    everything[f"{name}_{letter}"] = (stride, "i32")
                else:
                    constants[f"{name}_{letter}"] = known
        self.writer.launch(kernel, [grid], everything, constants, [name for name in aligned if name in everything])

    def blocks(self, filters: int, actual_filters: int) -> tuple[int, int, int]:
        """Chooses a tile's size: in pixels, in filters, and its depth."""
        if not self.uses_dot:
            return 16, 16, 16
        if self.writer.is_at_most(filters, actual_filters, 16):
            return 64, 16, 32
        if self.writer.is_cpu or self.kind == torch.float32:
            return 64, 64, 32
        return 64, 64, 64

    def channels_last(self, x: _Image, rank: int, like: Operand, channels: int, actual_channels: int) -> _Image:
        """Returns an image whose channels are last, so that tiles of it are read in whole vectors. It may be a copy.

        Tiles of f32 are read fast enough as they are: with a copy, convolutions took 1.1 times as long on an H100.
        """
        writer = self.writer
        if x.known[1] == 1 or writer.is_cpu or self.kind.itemsize != 2 or \
                not writer.is_multiple(channels, actual_channels, 16):
            return x
        made = self.make(x.sizes, rank, like, is_last=True)
        pixels = writer.product(x.sizes[0], *x.sizes[2:])
        grid = writer.product(writer.ceil_div(pixels, 64), writer.ceil_div(x.sizes[1], 64))
        arguments = _numbers(x.sizes, "images C D H W") | {"out": made.memory}
        self.launch(kernels.lay_channels, grid, arguments, {"x": x}, {"CHANNELS": 64, "PIXELS": 64}, ["C"])
        return made

    def laid(self, weight: _Image, filters: int, channels: int, *, filters_last: bool) -> _Filters:
        """Copies filters so that each place is a matrix, whose last dimension is contiguous."""
        writer = self.writer
        places = math.prod(self.kernel)
        count = writer.product(weight.sizes[0], weight.sizes[1], writer.constant(places))
        memory = writer.file.allocate(self.kind, [count], [writer.constant(1)])
        arguments = {"count": (count, "i32"), "out": (memory, self.kind)} | _numbers([filters, channels], "F C")
        self.launch(kernels.lay_filters, writer.ceil_div(count, 256), arguments, {"w": weight},
                    {"FILTERS_LAST": filters_last, "BLOCK": 256})
        matrix = writer.product(filters, channels)
        return _Filters(memory, writer.product(matrix, writer.constant(places)), matrix,
                        *((1, filters) if filters_last else (channels, 1)), filters_last)


@dataclasses.dataclass
class _Filters:
    """Filters in memory, with the strides of groups, places, filters and channels."""
    memory: Tensor
    group: int
    place: int
    filter: int
    channel: int
    is_filters_last: bool

    def pass_on(self, kind: torch.dtype, arguments: dict[str, Any], constants: dict[str, Any]) -> None:
        """Adds the arguments of a kernel."""
        arguments["w"] = (self.memory, kind)
        contiguous = "f" if self.is_filters_last else "c"
        constants[f"w_{contiguous}"] = 1
        for letter, value in (("g", self.group), ("p", self.place), ("f", self.filter), ("c", self.channel)):
            if letter != contiguous:
                arguments[f"w_{letter}"] = (value, "i32")

    def free(self, writer: Writer) -> None:
        """Frees the memory, after the launches that read it."""
        writer.file.free(self.memory)


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
             channels: int, filters: int, actual_channels: int, actual_filters: int, rank: int, like: Operand) -> None:
    writer = convolution.writer
    is_flat = writer.is_at_most(channels, actual_channels, 16)
    given, x = x, x if is_flat else convolution.channels_last(x, rank, like, channels, actual_channels)
    pixels_first = out.known[1] == 1
    pixels, block_f, block_k = convolution.blocks(filters, actual_filters)
    laid = convolution.laid(weight, filters, channels, filters_last=pixels_first)
    is_even = not is_flat and writer.is_multiple(channels, actual_channels, block_k)
    all_pixels = writer.product(out.sizes[0], *out.sizes[2:])
    grid = writer.product(writer.ceil_div(all_pixels, pixels), writer.ceil_div(filters, block_f),
                          writer.constant(convolution.groups))
    arguments = _numbers([x.sizes[0], channels, *x.sizes[2:], filters, *out.sizes[2:]],
                         "images C D H W F OD OH OW")
    constants: dict[str, Any] = {"PIXELS": pixels, "FILTERS": block_f, "BLOCK_K": block_k, "IS_FLAT": is_flat,
                                 "IS_EVEN": is_even, "PIXELS_FIRST": pixels_first,
                                 "CHANNELS_LAST": x.known[1] == 1}
    _add_bias(bias, arguments, constants)
    laid.pass_on(convolution.kind, arguments, constants)
    aligned = _aligned(writer, x, channels, actual_channels, "C") + _aligned(writer, None, filters, actual_filters, "F")
    convolution.launch(kernels.forward, grid, arguments, {"x": x, "out": out}, constants, aligned)
    laid.free(writer)
    if x is not given:
        writer.file.free(x.memory[0])  # type: ignore[index]


def _aligned(writer: Writer, x: _Image | None, count: int, actual: int, name: str) -> list[str]:
    """Returns the arguments that are multiples of 16 because the number of channels or filters is."""
    if writer.is_cpu or not writer.is_multiple(count, actual, 16):
        return []
    strides = ["x_n", "x_d", "x_h", "x_w"] if x is not None and x.is_dense and x.known[1] == 1 else []
    return [name, "w_g", "w_p", "w_c" if name == "F" else "w_f", *strides]  # filters of channels, or the reverse


def _spread(convolution: _Convolution, y: _Image, weight: _Image, bias: Operand | None, out: _Image,
            channels: int, filters: int, actual_channels: int, actual_filters: int, rank: int, like: Operand) -> None:
    writer = convolution.writer
    given, y = y, convolution.channels_last(y, rank, like, filters, actual_filters)
    pixels_first = out.known[1] == 1
    pixels, block_c, block_k = convolution.blocks(channels, actual_channels)
    # The product sums over filters: those of a channel are contiguous if they are the last in a tile's left operand.
    laid = convolution.laid(weight, filters, channels, filters_last=not pixels_first)
    is_even = writer.is_multiple(filters, actual_filters, block_k)
    per_class = writer.product(out.sizes[0], *(writer.ceil_div(size, step) for size, step in
                                               zip(out.sizes[2:], convolution.stride)))
    grid = writer.product(writer.ceil_div(per_class, pixels), writer.ceil_div(channels, block_c),
                          writer.constant(convolution.groups * math.prod(convolution.stride)))
    arguments = _numbers([out.sizes[0], channels, *out.sizes[2:], filters, *y.sizes[2:]], "images C D H W F OD OH OW")
    constants: dict[str, Any] = {"PIXELS": pixels, "FILTERS": block_c, "BLOCK_K": block_k, "IS_EVEN": is_even,
                                 "PIXELS_FIRST": pixels_first, "CHANNELS_LAST": y.known[1] == 1}
    _add_bias(bias, arguments, constants)
    laid.pass_on(convolution.kind, arguments, constants)
    aligned = _aligned(writer, y, filters, actual_filters, "F") + _aligned(writer, None, channels, actual_channels, "C")
    convolution.launch(kernels.spread, grid, arguments, {"x": y, "out": out}, constants, aligned)
    laid.free(writer)
    if y is not given:
        writer.file.free(y.memory[0])  # type: ignore[index]


def _is_product(convolution: _Convolution, x: Operand) -> bool:
    """Returns whether each pixel of the result depends on one of `x` alone, and pixels follow each other in memory."""
    return convolution.kernel == [1, 1, 1] and convolution.stride == [1, 1, 1] and convolution.padding == [0, 0, 0] and \
        convolution.groups == 1 and (x.layout == "c" or is_channels_last(x))


def _multiply_channels(convolution: _Convolution, x: Operand, weight: Operand, bias: Operand | None, out: _Image,
                       *, is_backward: bool) -> None:
    """Writes a convolution of single pixels as a product. If backward, `x` is the gradient, and `out` that of the input."""
    writer = convolution.writer
    one, zero = (writer.constant(1), 1), (writer.constant(0), 0, 0)
    step = (writer.constant(1), 1, 1)
    images, inner = (x.size(0), x.actual_sizes[0]), (x.size(1), x.actual_sizes[1])
    pixels = (writer.product(*(x.size(dim) for dim in range(2, x.rank))), math.prod(x.actual_sizes[2:]))
    outer = (weight.size(1 if is_backward else 0), weight.actual_sizes[1 if is_backward else 0])
    of_filter, of_channel = ((weight.stride(dim), weight.known_stride(dim), weight.actual_strides[dim]) for dim in (0, 1))
    of_inner, of_outer = (of_filter, of_channel) if is_backward else (of_channel, of_filter)
    memory = out.memory
    if is_channels_last(x):
        rows = (writer.product(images[0], pixels[0]), images[1] * pixels[1])
        a = View(x, [one, rows, inner], [zero, (inner[0], None, inner[1]), step])
        b = View(weight, [one, inner, outer], [zero, of_inner, of_outer])
        to = View(memory, [one, rows, outer], [zero, (outer[0], None, outer[1]), step])
        added = View(bias, [one, one, outer], [zero, zero, step]) if bias else None
    else:
        a = View(weight, [images, outer, inner], [zero, of_outer, of_inner])
        b, to = (View(which, [images, count, pixels],
                      [(writer.product(count[0], pixels[0]), None, count[1] * pixels[1]), (pixels[0], None, pixels[1]), step])
                 for which, count in ((x, inner), (memory, outer)))
        added = View(bias, [one, outer, one], [zero, step, zero]) if bias else None
    products.product_of(writer, a, b, to, added)


def _slide(convolution: _Convolution, x: _Image, weight: _Image, bias: Operand | None, out: _Image, *,
           is_backward: bool) -> None:
    """Convolves each channel with a filter of its own. If backward, `x` is the gradient, and `out` that of the input."""
    writer = convolution.writer
    inner, outer = (out, x) if is_backward else (x, out)
    count = writer.product(*out.sizes)
    arguments = _numbers([out.sizes[0], out.sizes[1], *inner.sizes[2:], *outer.sizes[2:]], "images groups D H W OD OH OW")
    constants: dict[str, Any] = {"IS_BACKWARD": is_backward, "PIXELS_FIRST": out.known[1] == 1, "BLOCK": 256}
    _add_bias(bias, arguments, constants)
    convolution.launch(kernels.slide, writer.ceil_div(count, 256), arguments, {"x": x, "w": weight, "out": out}, constants)


def _add_bias(bias: Operand | None, arguments: dict[str, Any], constants: dict[str, Any]) -> None:
    if bias is None:
        constants["bias"] = None
    else:
        arguments["bias"] = bias


def _gradient_of_filters(convolution: _Convolution, x: _Image, y: _Image, out: _Image, channels: int, filters: int,
                         actual_channels: int, *, is_depthwise: bool) -> None:
    writer = convolution.writer
    places = math.prod(convolution.kernel)
    groups = writer.constant(convolution.groups)
    per_filter = writer.product(channels, writer.constant(places))
    pixels = writer.product(y.sizes[0], *y.sizes[2:])
    images = {"x": x, "y": y}
    if is_depthwise:
        kernel, block_k = kernels.correlate_channels, 256
        blocks: dict[str, Any] = {"GROUPS": 1, "BLOCK": block_k}
        tiles = writer.product(groups, writer.constant(places))
        names = "images groups D H W OD OH OW splits"
        numbers = [x.sizes[0], groups, *x.sizes[2:], *y.sizes[2:]]
    else:
        block_f, block_c, block_k = (64, 64, 32) if convolution.uses_dot else (16, 16, 16)
        is_flat = writer.is_at_most(channels, actual_channels, 16)
        kernel = kernels.correlate
        blocks = {"FILTERS": block_f, "CHANNELS": block_c, "BLOCK_K": block_k, "IS_FLAT": is_flat,
                  "PIXELS_FIRST": y.known[1] == 1}
        across = writer.ceil_div(per_filter, block_c) if is_flat else \
            writer.product(writer.ceil_div(channels, block_c), writer.constant(places))
        tiles = writer.product(writer.ceil_div(filters, block_f), across, groups)
        names = "images groups C D H W F OD OH OW splits"
        numbers = [x.sizes[0], groups, channels, *x.sizes[2:], filters, *y.sizes[2:]]
    enough = writer.ceil_div_by(writer.constant(16 if writer.is_cpu else 512), tiles)
    splits = writer.apply("max", writer.constant(1), writer.apply("min", enough, writer.ceil_div(pixels, 8 * block_k)))
    sum_kind = torch.float64 if convolution.kind == torch.float64 else torch.float32
    count = writer.product(splits, groups, filters, per_filter)
    parts = writer.file.allocate(sum_kind, [count], [writer.constant(1)])
    arguments = _numbers([*numbers, splits], names) | {"parts": (parts, sum_kind)}
    convolution.launch(kernel, writer.product(tiles, splits), arguments, images, blocks)
    all_filters = writer.product(groups, filters)
    arguments = _numbers([splits, all_filters, channels], "splits filters C") | {"parts": (parts, sum_kind)}
    grid = writer.ceil_div(writer.product(all_filters, per_filter), 256)
    convolution.launch(kernels.add_parts, grid, arguments, {"out": out}, {"BLOCK": 256})
    writer.file.free(parts)


def _is_depthwise(writer: Writer, weight: Operand, groups: int) -> bool:
    """Decides whether each channel has one filter of its own."""
    if groups == 1 or weight.actual_sizes[1] != 1:  # a size of 1 is a part of the key
        return False
    return writer.decide(writer.apply("eq", weight.size(0), writer.constant(groups)), weight.actual_sizes[0] == groups)


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
        if _is_depthwise(writer, weight, groups):
            _slide(made, x_image, weight_image, bias, out, is_backward=True)
        else:
            _spread(made, x_image, weight_image, bias, out, channels, filters, weight.actual_sizes[1],
                    weight.actual_sizes[0] // groups, x.rank, x)
    else:
        sizes = [_out_size(writer, size, *how) for size, how in zip(x_image.sizes[2:], spatial)]
        channels = weight_image.sizes[1]
        filters = writer.apply("floordiv", weight_image.sizes[0], per_group)
        out = made.make([x_image.sizes[0], weight_image.sizes[0], *sizes], x.rank, x)
        actual = [(size + 2 * p - d * (k - 1) - 1) // s + 1 for size, (k, s, p, d) in zip(actual, spatial)]
        _require_small_result(writer, out, [x.actual_sizes[0], weight.actual_sizes[0], *actual])
        if _is_depthwise(writer, weight, groups):
            _slide(made, x_image, weight_image, bias, out, is_backward=False)
        elif _is_product(made, x):
            _multiply_channels(made, x, weight, bias, out, is_backward=False)
        else:
            _forward(made, x_image, weight_image, bias, out, channels, filters, weight.actual_sizes[1],
                     weight.actual_sizes[0] // groups, x.rank, x)
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
    is_depthwise = _is_depthwise(writer, weight, groups)
    if output_mask[0]:
        out = made.make(x_image.sizes, x.rank, like)
        if is_depthwise:
            _slide(made, y, weight_image, None, out, is_backward=not transposed)
        elif _is_product(made, gradient) and is_channels_last(gradient) == (out.known[1] == 1):
            _multiply_channels(made, gradient, weight, None, out, is_backward=not transposed)
        elif transposed:
            _forward(made, y, weight_image, None, out, channels, filters, weight.actual_sizes[1],
                     weight.actual_sizes[0] // groups, x.rank, x)
        else:
            _spread(made, y, weight_image, None, out, channels, filters, weight.actual_sizes[1],
                    weight.actual_sizes[0] // groups, x.rank, x)
        writer.file.add_result(out.memory[0])  # type: ignore[index]
    else:
        writer.file.add_result(writer.file.undefined())
    if output_mask[1]:
        out = made.make(weight_image.sizes, weight.rank, like)
        large, small = (y, x_image) if transposed else (x_image, y)
        _gradient_of_filters(made, large, small, out, channels, filters, weight.actual_sizes[1],
                             is_depthwise=is_depthwise)
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
