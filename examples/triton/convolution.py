"""A convolution of images as a matrix product of pixels by filters. The matrix of pixels is never stored."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, main, random, wide


@triton.jit
def convolution(x, weight, bias, out, images, channels, height, width, filters, out_height, out_width,
                STRIDE: tl.constexpr, PADDING: tl.constexpr, DILATION: tl.constexpr,
                ROWS: tl.constexpr, COLUMNS: tl.constexpr, BLOCK_M: tl.constexpr,
                BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Images are indexed by channel, row and column, and so are filters."""
    pixel = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    filter = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    image = pixel // (out_height * out_width)
    out_row = pixel // out_width % out_height
    out_column = pixel % out_width
    length = channels * ROWS * COLUMNS
    sum = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, length, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        channel = k // (ROWS * COLUMNS)
        row = out_row[:, None] * STRIDE - PADDING + (k // COLUMNS % ROWS * DILATION)[None, :]
        column = out_column[:, None] * STRIDE - PADDING + (k % COLUMNS * DILATION)[None, :]
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        at = ((image[:, None] * channels + channel[None, :]) * height + row) * width + column
        left = tl.load(x + at, mask=inside & (image[:, None] < images) & (k[None, :] < length), other=0.0)
        over = tl.load(weight + filter[None, :] * length + k[:, None],
                       mask=(filter[None, :] < filters) & (k[:, None] < length), other=0.0)
        sum = tl.dot(left, over, sum)
    sum += tl.load(bias + filter, mask=filter < filters, other=0.0).to(tl.float32)[None, :]
    at = ((image[:, None] * filters + filter[None, :]) * out_height + out_row[:, None]) * out_width
    tl.store(out + at + out_column[:, None], sum.to(out.dtype.element_ty),
             mask=(image[:, None] < images) & (filter[None, :] < filters))


def problem(memory, images=2, channels=20, height=28, width=30, filters=40, size=3, stride=1, padding=1,
            dilation=1, dtype="float32", block="64x32x32"):
    reach = dilation * (size - 1) + 1
    outer = [(extent + 2 * padding - reach) // stride + 1 for extent in (height, width)]
    tensors = (random(images, channels, height, width, dtype=dtype),
               random(filters, channels, size, size, dtype=dtype), random(filters, dtype=dtype),
               empty(images, filters, *outer, dtype=dtype))
    given = [memory.put(each) for each in tensors]
    m, n, k = (int(extent) for extent in block.split("x"))

    def launch():
        convolution[(triton.cdiv(images * outer[0] * outer[1], m), triton.cdiv(filters, n))](
            *given, images, channels, height, width, filters, *outer, STRIDE=stride, PADDING=padding,
            DILATION=dilation, ROWS=size, COLUMNS=size, BLOCK_M=m, BLOCK_N=n, BLOCK_K=k)

    def expected():
        x, weight, bias = (wide(each) for each in tensors[:3])
        padded = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, (reach, reach), (2, 3))
        windows = windows[:, :, ::stride, ::stride, ::dilation, ::dilation]
        product = np.einsum("ichwrs,fcrs->ifhw", windows, weight, optimize=True)
        return (product + bias[None, :, None, None],)

    def by_torch(x, weight, bias, _):
        return (functional.conv2d(x, weight, bias, stride, padding, dilation),)

    return Problem(f"convolution of {images} x {channels} x {height} x {width} by {filters} of {size} x {size} "
                   f"{dtype}", tensors, launch, lambda: (memory.get(given[3]),), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
