"""Whole algorithms against NumPy."""
import numpy as np

from .case import Buffer, Case, Local, result

F32, I32, U32 = np.float32, np.int32, np.uint32


def neighbours(image, wrapped):
    """Returns the nine images shifted by at most one pixel; the fifth is the original."""
    padded = np.pad(image, [(1, 1), (1, 1)] + [(0, 0)] * (image.ndim - 2),
                    mode="wrap" if wrapped else "edge")
    height, width = image.shape[:2]
    return [padded[y:y + height, x:x + width] for y in range(3) for x in range(3)]


def mandelbrot(size, most):
    x = np.arange(size, dtype=F32)
    cr = (F32(-2) + F32(3) * x / F32(size))[None, :] + np.zeros((size, 1), F32)
    ci = (F32(-1) + F32(2) * x / F32(size))[:, None] + np.zeros((1, size), F32)
    r, i, n = np.zeros_like(cr), np.zeros_like(cr), np.zeros(cr.shape, I32)
    with np.errstate(all="ignore"):
        for _ in range(most):
            inside = r * r + i * i <= 4
            n += inside
            r, i = (np.where(inside, r * r - i * i + cr, r),
                    np.where(inside, F32(2) * r * i + ci, i))
    return n


def cases():
    random = np.random.default_rng(9)
    a, b = random.integers(-4, 5, (2, 24, 24)).astype(F32)
    yield Case("programs", "matmul", [Buffer(a), Buffer(b), result(a @ b), 24], (24, 24), (8, 4))
    yield Case("programs", "mandelbrot", [result(mandelbrot(32, 60)), 32, 60], (32, 32), (16, 2))
    x = random.integers(0, 2**32, 128, U32)
    yield Case("programs", "bitonic", [Buffer(x, np.sort(x.reshape(2, 64), 1).ravel()), Local(256)],
               (128,), (64,))
    image = random.integers(0, 256, (12, 16, 4)).astype(np.uint8)
    total = sum(moved.astype(int) for moved in neighbours(image, wrapped=False))
    yield Case("programs", "blur", [Buffer(image), result((total // 9).astype(np.uint8)), 16, 12],
               (16, 12), (8, 4))
    p = random.uniform(-1, 1, (40, 4)).astype(F32)
    wide = p.astype(np.float64)
    d = wide[None, :, :3] - wide[:, None, :3]
    r2 = (d * d).sum(2) + 0.01
    force = (d * (wide[None, :, 3] * r2**-1.5)[:, :, None]).sum(1)
    expect = np.concatenate([force, wide[:, 3:]], 1).astype(F32)
    yield Case("programs", "nbody", [Buffer(p), result(expect, relative=1e-4, absolute=1e-3), 40],
               (40,))
    x = random.integers(0, 100, 96).astype(I32)
    yield Case("programs", "scan", [Buffer(x), result(np.cumsum(x.reshape(2, 48), 1).astype(I32)),
                                    Local(192)], (96,), (48,))
    cells = random.integers(0, 2, (16, 16)).astype(np.uint8)
    alive = sum(int(i != 4) * moved for i, moved in enumerate(neighbours(cells, wrapped=True)))
    next_cells = ((alive == 3) | (alive == 2) & (cells == 1)).astype(np.uint8)
    yield Case("programs", "life", [Buffer(cells), result(next_cells), 16, 16], (16, 16), (4, 4))
