"""Rotary embedding: rotates pairs of elements of queries and keys by angles that grow with the position."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, main, random, tensor, torch, wide


@triton.jit
def rotate(first, second, cosine, sine):
    return first * cosine - second * sine, second * cosine + first * sine


@triton.jit
def rotate_heads(x, out, heads, cosine, sine, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
                 INTERLEAVED: tl.constexpr):
    """Rotates all heads of one position."""
    head = tl.arange(0, BLOCK)[:, None]
    if INTERLEAVED:  # pairs of adjacent elements
        i = head * WIDTH + tl.arange(0, WIDTH)[None, :]
        value = tl.load(x + i, mask=head < heads, other=0.0).to(tl.float32)
        first, second = tl.split(tl.reshape(value, (BLOCK, WIDTH // 2, 2)))
        first, second = rotate(first, second, cosine, sine)
        tl.store(out + i, tl.interleave(first, second).to(out.dtype.element_ty), mask=head < heads)
    else:  # pairs that are half a head apart
        i = head * WIDTH + tl.arange(0, WIDTH // 2)[None, :]
        first = tl.load(x + i, mask=head < heads, other=0.0).to(tl.float32)
        second = tl.load(x + i + WIDTH // 2, mask=head < heads, other=0.0).to(tl.float32)
        first, second = rotate(first, second, cosine, sine)
        tl.store(out + i, first.to(out.dtype.element_ty), mask=head < heads)
        tl.store(out + i + WIDTH // 2, second.to(out.dtype.element_ty), mask=head < heads)


@triton.jit
def rotary(q, k, cosines, sines, q_out, k_out, length, q_heads, k_heads, WIDTH: tl.constexpr,
           Q_BLOCK: tl.constexpr, K_BLOCK: tl.constexpr, INTERLEAVED: tl.constexpr,
           BACKWARD: tl.constexpr):
    token = tl.program_id(0)
    angle = token % length * (WIDTH // 2) + tl.arange(0, WIDTH // 2)
    cosine = tl.load(cosines + angle)[None, :]
    sine = tl.load(sines + angle)[None, :]
    if BACKWARD:
        sine = -sine
    at = token.to(tl.int64) * q_heads * WIDTH
    rotate_heads(q + at, q_out + at, q_heads, cosine, sine, WIDTH, Q_BLOCK, INTERLEAVED)
    at = token.to(tl.int64) * k_heads * WIDTH
    rotate_heads(k + at, k_out + at, k_heads, cosine, sine, WIDTH, K_BLOCK, INTERLEAVED)


def problem(memory, batch=2, length=100, heads=12, key_heads=3, width=64, interleaved=False,
            backward=False, dtype="float32"):
    shapes = [(batch, length, each, width) for each in (heads, key_heads)]
    angle = np.arange(length)[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    q, k = (random(*shape, dtype=dtype) for shape in shapes)
    tensors = (q, k, tensor(np.cos(angle)), tensor(np.sin(angle)),
               *(empty(*shape, dtype=dtype) for shape in shapes))
    given = [memory.put(each) for each in tensors]

    def launch():
        rotary[(batch * length,)](*given, length, heads, key_heads, WIDTH=width,
                                  Q_BLOCK=triton.next_power_of_2(heads),
                                  K_BLOCK=triton.next_power_of_2(key_heads),
                                  INTERLEAVED=interleaved, BACKWARD=backward)

    def expected():
        turn = np.exp((-1j if backward else 1j) * angle)[:, None, :]
        return turned(wide(q), turn, interleaved), turned(wide(k), turn, interleaved)

    def by_torch(q, k, cosines, sines, *_):
        def turn(x):
            """Rotates as models do. The backward pass is its gradient."""
            if interleaved:
                partner = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
                cosine, sine = (each.repeat_interleave(2, 1) for each in (cosines, sines))
            else:
                partner = torch.cat([-x[..., width // 2:], x[..., :width // 2]], -1)
                cosine, sine = (each.repeat(1, 2) for each in (cosines, sines))
            return x * cosine[:, None] + partner * sine[:, None]

        turned = turn(q), turn(k)
        return torch.autograd.grad(turned, (q, k), (q, k)) if backward else turned

    return Problem(f"rotary embedding of {batch} x {length} x {heads} and {key_heads} x {width} {dtype}",
                   tensors, launch, lambda: tuple(map(memory.get, given[4:])), expected, by_torch,
                   tolerance=1e-6 if dtype == "float32" else 1e-2)


def turned(x, turn, interleaved):
    """Rotates pairs of elements, taken as complex numbers."""
    pairs = x.reshape(*x.shape[:-1], -1, 2) if interleaved else x.reshape(
        *x.shape[:-1], 2, -1).swapaxes(-1, -2)
    made = (pairs[..., 0] + 1j * pairs[..., 1]) * turn
    return np.stack([made.real, made.imag], -1 if interleaved else -2).reshape(x.shape)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
