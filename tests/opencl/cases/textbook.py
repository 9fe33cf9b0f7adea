"""Kernels of textbooks against NumPy or Python."""
import numpy as np

from .case import Buffer, Case, Local, result

F32, I32, U32 = np.float32, np.int32, np.uint32
KEYS = [0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5]


def rotated(x, by):
    return (x << by | x >> (32 - by)) & 0xffffffff


def mixed(index, rounds):
    words = [(index * 2654435761 + i) & 0xffffffff for i in range(16)]
    a, b = 0x6a09e667, 0xbb67ae85
    for r in range(rounds):
        step = (words[r & 15] + rotated(words[(r + 9) & 15], 7) + (words[(r + 14) & 15] >> 10)) & 0xffffffff
        words[r & 15] = step
        total = ((rotated(a, 26) ^ rotated(a, 21)) + KEYS[r & 7] + step) & 0xffffffff
        a = (b + total) & 0xffffffff
        b = a & ~b & 0xffffffff | total & b
    return a ^ b


def counted(text):
    for j, letter in enumerate(text):
        if letter != " " and letter in text[j + 1:]:
            return len(text.split()) + 100 * (j + 1)
    return -len(text.split())


def cases():
    random = np.random.default_rng(7)
    a, b = (random.integers(-4, 5, (16, 16)).astype(F32) for _ in range(2))
    yield Case("textbook", "tiled_product", [Buffer(a), Buffer(b), result(a @ b), 16], (16, 16), (8, 8))
    data = random.integers(0, 256, 3000).astype(np.uint8)
    yield Case("textbook", "histogram",
               [Buffer(data), result(np.bincount(data, minlength=256).astype(U32)), 3000], (128,), (32,))
    x = random.integers(0, 100, 64).astype(U32)
    yield Case("textbook", "exclusive_scan",
               [Buffer(x), result((np.cumsum(x) - x).astype(U32)), Local(256)], (32,), (32,))
    yield Case("textbook", "mixed_words", [result(np.array([mixed(i, 40) for i in range(16)], U32)), 40], (16,))
    squares = [sum(i * i for i in range(start, 20, 3)) for start in range(3)]
    nodes = Buffer(np.zeros(20 * 16, np.uint8), compared=False)  # addresses differ from run to run
    yield Case("textbook", "linked_list", [nodes, result(np.array(squares, I32)), 20], (1,))
    row = np.arange(16, dtype=F32)
    yield Case("textbook", "by_value",
               [result(-(6 * row + 0.5 * row + 0.25 + 2 * 10 - 20)), [0.5, 0.25, 2, -1, 10, 20, 1, 2, 3, -1],
                row.tolist()], (16,))
    texts = ["the quick ", " ab cd ef ", "          ", "a bcd efg ", "  no  way "]
    letters = np.array([list(text.encode()) for text in texts], np.uint8)
    yield Case("textbook", "state_machine",
               [Buffer(letters), result(np.array([counted(text) for text in texts], I32)), 10], (5,))
    x = random.integers(-50, 50, 40).astype(I32)
    yield Case("textbook", "stack_sort", [Buffer(x, np.sort(x)), 40], (1,))
