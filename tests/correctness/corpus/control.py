"""Control flow and calls."""
import numpy as np

from corpus.case import Buffer, Launch, case

FILE = "control.mlir"


def each(c, function, low, high, rows=None):
    """Computes one result per lane, or one row per result, with Python's own integers."""
    source = c.integers(64, low=low, high=high)
    results = np.array([function(int(x), i) for i, x in enumerate(source)], np.int64)
    results = results.astype(np.int32)
    expect = results if rows is None else np.ascontiguousarray(results.T)
    return Launch([Buffer(source), Buffer(np.zeros_like(expect), expect)], groups=[2])


@case(FILE, quick=True)
def collatz(c):
    def steps(x, _):
        n = 0
        while x > 1:
            x, n = 3 * x + 1 if x % 2 else x // 2, n + 1
        return n

    return each(c, steps, 0, 1000)


@case(FILE, quick=True)
def early_return(c):
    source, limit = c.integers(64, low=-10, high=30), 150
    expect = np.full(64, -5, np.int32)
    for i in range(0, 64, 2):
        total, stop = 0, False
        for k in range(i):
            for j in range(k + 1):
                total += int(source[j])
                if stop := total > limit:
                    break
            if stop:
                break
        expect[i] = total
    return Launch([Buffer(source), Buffer(np.full(64, -5, np.int32), expect), limit], groups=[2])


@case(FILE, quick=True)
def switches(c):
    def both(e, _):
        first = {-3: e * 10 + 100, 0: 100 + e, 4: e + 100}.get(e, 10 + e)
        second = {1: 10, 5: e - 10}.get(e, e ^ 100)
        return first, second

    return each(c, both, -6, 7, rows=2)


@case(FILE, quick=True)
def irreducible(c):
    def run(n, _):
        x, t, first = n, 0 if n & 1 else 1, bool(n & 1)
        while True:
            if first:
                x, t = 3 * x, t + 1
            x, first = x + t, True
            if x >= 50:
                return x * t

    return each(c, run, 1, 60)


@case(FILE, quick=True)
def calls(c):
    return each(c, lambda e, _: e * e + 25 if e * e < 25 else -1, -9, 10)


@case(FILE, quick=True)
def loops(c):
    def three(e, _):
        x, n = e, 0
        while True:
            more, x = x > 7, x >> 1
            if not more:
                break
            n += 1
            x -= n
        product = 1
        for k in range(-3, 5, 2):
            product *= k + e
        nested = 0
        for a in range(4):
            nested = nested + a * e if a % 2 == 0 else nested * 7
        return x * n, product, nested

    return each(c, three, -50, 200, rows=3)


@case(FILE, quick=True)
def loop_results(c):
    source = c.integers(96, low=-60, high=40)
    source[-1] = 5
    expect = np.empty((2, 64), np.int32)
    for i in range(64):
        expect[0, i] = next(x for x in source[i:] if x >= 0)
        expect[1, i] = source[i] if source[i] % 2 else 7
    return Launch([Buffer(source), Buffer(np.zeros_like(expect), expect)], groups=[2])
