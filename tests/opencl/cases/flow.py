"""Control flow, compared with the same code in Python."""
import math

import numpy as np

from .case import Buffer, Case, Local, result

I32 = np.int32
COUNT = 40


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


def nested_loops(i, a, n):
    total = 0
    for x in range(n):
        if a[x] == i:
            continue
        for y in range(x, n):
            if a[y] > 40:
                break
            total += a[y] * (i + 1)
            if total > 5000:
                return total
        total ^= x
    return total


def early_return(i, a, n):
    x = a[i]
    if i >= n:
        return -7
    while x > 1:
        x = 3 * x + 1 if x & 1 else x // 2
        if x == 5:
            return -7
    return x + i


def fall_through(i, a):
    k, x = a[i] % 7, 0
    if k in (0, 1):
        return 15 if k == 0 else 5
    if k in (2, 3):
        return i if i & 1 else i - 3
    return x - 3 if k == 4 else -1


def switch_in_loop(i, a, n):
    state, total = i % 4, 0
    for k in range(n):
        if state == 0:
            state = 1 + (a[k] & 1)
            continue
        if state == 1:
            total, state = total + a[k], 3
        elif state == 2:
            if a[k] > 30:
                break
            state = 0
        else:
            total, state = total + 2, 2
        total += k
    return total * 4 + state


def short_circuit(i, a, n):
    x = a[i]
    first = x > 10 and a[(i + 1) % n] < 20 or x < 3 and i & 1
    return x * 2 if first else x - 1 if x > 5 or i > 7 else 0


def do_while(i, a):
    x, steps = a[i], 0
    while True:
        x, steps = x * 5 % 37, steps + 1
        if x == 1 or steps >= 40:
            return steps


def irreducible(i, a):
    x, n, odd = a[i], 0, a[i] & 1
    while True:
        if not odd:
            x, n = x // 2, n + 1
            if x == 0:
                return n
            if not x & 1:
                continue
        x, n, odd = x - 1, n + 100, 0
        if n >= 2000:
            return n


def called(i, a):
    x = math.gcd(a[i], i + 6)
    return math.gcd(x, 12) if x > 2 else -x


def barrier_in_loop(a, n, size):
    total = a.astype(int).reshape(-1, size)
    for k in range(n):
        total = total + np.roll(total, -(k + 1), axis=1)
        total[:, k] = 0
    return total.ravel().astype(I32)


def barriers_not_reached(a, flags, size):
    """Each workgroup all together, since those with flag 0 turn around, or one by one."""
    rows = []
    for flag, row in zip(flags.tolist(), a.astype(int).reshape(-1, size)):
        if flag == 0:
            x = row * 3 ^ 5  # turned twice
            for k in range(3):
                x = x[::-1] + k + 2
            rows.append(x)
            continue
        for l, x in enumerate(row.tolist()):
            x = x + 1 if l & flag else -x
            if l & flag == 0:
                x = x * 3 ^ 5
            elif l & flag == 2:
                x ^= 5
            elif l % 3 == 0:
                rows.append([x])
                continue
            else:
                x += 9
            for _ in range(l % 5):
                x += 0 if l & 1 else 2
            rows.append([x])
    return np.concatenate(rows).astype(I32)


def carried(i, a, n):
    f = np.float32
    best, last, where = f(-1), f(0), -1
    for k in range(n):
        x = a[(k * 7 + i) % n]
        if x > best:
            best, last, where = x, best, k
        elif x == last:
            break
    return best * f(100) + f(where) + last


def cases():
    a = np.random.default_rng(5).integers(0, 60, COUNT).astype(I32)
    listed = a.tolist()

    def case(function, *numbers, threads=COUNT, before=0):
        name = function.__name__
        expect = np.array([wrap(function(i, listed, *numbers)) for i in range(COUNT)], I32)
        out = result(expect)
        out.data[:] = before
        return Case("flow", name, [out, Buffer(a), *numbers], (threads,))
    yield case(nested_loops, COUNT)
    yield case(early_return, 33, before=-7)
    yield case(fall_through)
    yield case(switch_in_loop, COUNT)
    yield case(short_circuit, COUNT)
    yield case(do_while)
    yield case(irreducible)
    yield case(called)
    yield Case("flow", "barrier_in_loop", [result(barrier_in_loop(a, 5, 20)), Buffer(a), Local(80),
                                           5], (COUNT,), (20,))
    flags = np.array([0, 1, 2, 6, 0], I32)
    x = np.random.default_rng(9).integers(-999, 999, 100).astype(I32)
    yield Case("flow", "barriers_not_reached",
               [result(barriers_not_reached(x, flags, 20)), Buffer(x), Buffer(flags), Local(80)],
               (100,), (20,))
    local = np.arange(10)[::-1]
    expect = np.concatenate([local * g if g < 3 else local * 0 for g in range(4)]).astype(I32)
    yield Case("flow", "return_before_barrier", [result(expect), Local(40), 3], (40,), (10,))
    x = np.random.default_rng(6).integers(0, 9, COUNT).astype(np.float32)
    expect = np.array([carried(i, x, COUNT) for i in range(COUNT)], np.float32)
    yield Case("flow", "carried", [result(expect), Buffer(x), COUNT], (COUNT,))
