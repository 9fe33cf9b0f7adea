"""Control flow, functions, the grid, random numbers, and output of kernels."""
import numpy as np

import library
from case import Case
from values import *  # noqa: F403 - types are used by their names


def one(name, body, expected, arguments=None, prelude="", grid=(1,), type=I32, **more):
    expected = np.atleast_1d(np.asarray(expected, type.storage))
    return Case(name, body, {**(arguments or {}), "R": (type, np.zeros(expected.shape, type.storage))},
                {"R": expected}, prelude=prelude, grid=grid, **more)


def control():
    n = {"n": (I32, 10)}
    yield one("control/for", "s = 0\nfor k in range(n):\n    s += k\ntl.store(R, s)", 45, n)
    yield one("control/for_step", "s = 0\nfor k in range(1, n, 3):\n    s += k\ntl.store(R, s)", 12, n)
    yield one("control/for_down", "s = 0\nfor k in range(n, 0, -1):\n    s = s * 3 + k\ntl.store(R, s)",
              _down(), n)
    yield one("control/for_empty", "s = 7\nfor k in range(n, n):\n    s += k\ntl.store(R, s)", 7, n)
    yield one("control/for_long", "s = n * 0\nfor k in range(n):\n    s += k\ntl.store(R, s)", 45, {"n": (I64, 10)},
              type=I64)
    yield one("control/static_range", "s = 0\nfor k in tl.static_range(4):\n    s += k * n\ntl.store(R, s)", 60, n)
    yield one("control/tl_range", "s = 0\nfor k in tl.range(0, n, num_stages=3, loop_unroll_factor=2):\n"
              "    s += k\ntl.store(R, s)", 45, n)
    yield one("control/flattened", "s = 0\nfor k in tl.range(0, n, flatten=True):\n    for j in range(k):\n"
              "        s += j\ntl.store(R, s)", sum(j for k in range(10) for j in range(k)), n)
    yield one("control/while", "s = n\nc = 0\nwhile s > 1:\n    s = s // 2\n    c += 1\ntl.store(R, c)", 3, n)
    yield one("control/while_and", "s = n\nc = 0\nwhile (s > 1) and (c < 2):\n    s = s // 2\n    c += 1\n"
              "tl.store(R, c)", 2, n)
    yield one("control/while_tensor", "i = tl.arange(0, 8)\nc = i\nk = 0\nwhile k < n:\n    c = c + i\n    k += 1\n"
              "tl.store(R + i, c)", np.arange(8) * 11, n)
    yield one("control/if_else", "if n > 3:\n    s = 5\nelse:\n    s = 6\ntl.store(R, s)", 5, n)
    yield one("control/elif", "if n < 3:\n    s = 5\nelif n < 12:\n    s = 6\nelse:\n    s = 7\ntl.store(R, s)", 6, n)
    yield one("control/ternary", "s = n + 1 if n % 2 == 0 else n - 1\ntl.store(R, s)", 11, n)
    yield one("control/if_tensor", "i = tl.arange(0, 8)\nx = i\nif n > 3:\n    x = i * 2\ntl.store(R + i, x)",
              np.arange(8) * 2, n)
    yield one("control/nested", "s = 0\nfor k in range(n):\n    if k % 2 == 0:\n        j = 0\n        while j < k:\n"
              "            if j == 3:\n                s += 100\n            s += j\n            j += 1\n    else:\n"
              "        s -= 1\ntl.store(R, s)", _nested(), n)
    yield one("control/early_return", "if n > 3:\n    tl.store(R, 1)\n    return\ntl.store(R, 2)", 1, n)
    yield one("control/early_return_not", "if n > 30:\n    return\ntl.store(R, 2)", 2, n)
    yield one("control/return_by_program", "p = tl.program_id(0)\nif p >= 5:\n    return\ntl.store(R + p, p + 1)",
              [1, 2, 3, 4, 5, 0, 0, 0], grid=(8,))
    yield one("control/two_returns", "if n == 1:\n    return\ntl.store(R, 4)\nif n == 10:\n    return\ntl.store(R, 9)",
              4, n)
    yield one("control/or", "s = 0\nif (n > 1) and (n < 20) or (n == 77):\n    s = 1\ntl.store(R, s)", 1, n)
    yield one("control/boolean_variable", "f = n > 5\nif f and not (n == 3):\n    tl.store(R, 1)", 1, n)
    yield one("control/carried_block", "i = tl.arange(0, 16)\na = tl.zeros((16,), tl.float32)\nb = a + 1\n"
              "for k in range(n):\n    a, b = b, a + b\ntl.store(R + i, a)", np.full(16, 55), n, type=F32)
    yield one("control/loop_in_if", "s = 0\nif n > 5:\n    for k in range(n):\n        s += k\ntl.store(R, s)", 45, n)
    large = np.arange(16384)
    i = "i = tl.arange(0, 16384)\n"
    yield one("control/if_large", i + "x = i\nif n > 3:\n    x = i * 2\nelse:\n    x = i // 3\ntl.store(R + i, x)",
              large * 2, n)
    yield one("control/if_in_for_large", i + "x = i\nfor k in range(n):\n    if tl.max(x) % 3 == k % 3:\n"
              "        x = x * 2\n    else:\n        x += k\ntl.store(R + i, x)", _branches(large), n)
    yield one("control/while_large", i + "a = i\nb = i + 1\nk = 0\nwhile k < n:\n    a, b = b, a + b\n    k += 1\n"
              "tl.store(R + i, a)", large * 34 + (large + 1) * 55, n)
    yield one("control/while_by_value_large", i + "a = i\nwhile tl.max(a) > 100:\n    a = a // 3 + n\n"
              "tl.store(R + i, a)", _while_by_value(large), n)
    yield one("control/while_in_if_large", i + "a = i\nif n > 3:\n    k = 0\n    while k < n:\n        a += tl.where(a > k, k, 1)\n"
              "        k += 1\ntl.store(R + i, a)", _while_in_if(large), n)
    yield one("control/min_max", "tl.store(R, max(n, 12) + min(n, 4))", 16, n)


def _branches(x):
    for k in range(10):
        x = x * 2 if x.max() % 3 == k % 3 else x + k
    return x


def _while_by_value(a):
    while a.max() > 100:
        a = a // 3 + 10
    return a


def _while_in_if(a):
    for k in range(10):
        a = a + np.where(a > k, k, 1)
    return a


def functions():
    n = {"n": (I32, 10)}
    f = "@triton.jit{}\ndef f(x, y):\n    return x * y + 1\n"
    yield one("functions_of_own/inline", "tl.store(R, f(n, 3))", 31, n, f.format(""))
    yield one("functions_of_own/noinline", "tl.store(R, f(n, 3))", 31, n, f.format("(noinline=True)"))
    yield one("functions_of_own/branches", "tl.store(R, g(n) + g(2))", 12, n,
              "@triton.jit\ndef g(x):\n    if x > 5:\n        return x\n    else:\n        return x * 1\n")
    yield one("functions_of_own/early", "tl.store(R, g(n) + g(2))", 17, n,
              "@triton.jit(noinline=True)\ndef g(x):\n    if x > 5:\n        return 15\n    return x\n")
    yield one("functions_of_own/early_inline", "tl.store(R, g(n) + g(2))", 17, n,
              "@triton.jit\ndef g(x):\n    if x > 5:\n        return 15\n    return x\n")
    yield one("functions_of_own/tuple", "a, b = g(n)\ntl.store(R, a * 100 + b)", 2005, n,
              "@triton.jit\ndef g(x):\n    return x * 2, x // 2\n")
    yield one("functions_of_own/pointer", "g(R, n)", 10, n, "@triton.jit(noinline=True)\ndef g(p, x):\n    tl.store(p, x)\n")
    yield one("functions_of_own/calls_in_loop", "s = 0\nfor k in range(n):\n    s = f(s, 2)\ntl.store(R, s)", 1023, n,
              f.format("(noinline=True)"))


def language():
    n = {"n": (I32, 10)}
    yield one("language/tuple", "t = (n, n + 1, n * 2)\ns = 0\nfor k in tl.static_range(3):\n    s += t[k]\ntl.store(R, s)",
              41, n)
    yield one("language/multiple_of", "i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 16) + n * 0, 16), 16)\n"
              "tl.store(R + i, i)", np.arange(16), n)
    yield one("language/max_constancy", "i = tl.max_constancy(tl.arange(0, 16) // 4 + n * 0, 4)\ntl.store(R + tl.arange(0, 16), i)",
              np.arange(16) // 4, n)
    i = "i = tl.arange(0, 16)\n"
    yield one("language/add_sub_mul", i + "tl.store(R + i, tl.mul(tl.add(i, n), tl.sub(i, 3)))",
              (np.arange(16) + 10) * (np.arange(16) - 3), n)
    yield one("language/cast", i + "tl.store(R + i, tl.cast(tl.cast(i, tl.float32) / 2, tl.int32))", np.arange(16) // 2)
    yield one("language/broadcast", "i = tl.arange(0, 4)\na, b = tl.broadcast(i[:, None] * n, i[None, :])\n"
              "tl.store(R + i[:, None] * 4 + i[None, :], a + b)", (np.arange(4)[:, None] * 10 + np.arange(4)).reshape(-1), n)
    yield one("language/view", i + "x = tl.view(i * n, [4, 4])\nj = tl.arange(0, 4)\n"
              "tl.store(R + j[:, None] * 4 + j[None, :], x)", np.arange(16) * 10, n)
    yield one("language/condition", "k = 0\nwhile tl.condition(k * k < n):\n    k += 1\ntl.store(R, k)", 4, n)
    yield one("language/assume", "tl.assume(n > 3)\ntl.store(R, n)", 10, n)
    yield one("language/barrier", "i = tl.arange(0, 16)\ntl.store(R + i, i)\ntl.debug_barrier()\n"
              "x = tl.load(R + (15 - i))\ntl.debug_barrier()\ntl.store(R + i, x)", np.arange(16)[::-1])
    yield one("language/full", "i = tl.arange(0, 16)\ntl.store(R + i, tl.full((16,), n, tl.int32) + tl.zeros_like(i))",
              np.full(16, 10), n)
    yield one("language/cdiv", "tl.store(R, tl.cdiv(n, 3))", 4, n)
    yield one("language/static", "tl.static_assert(1 < 2)\ntl.static_print('text', 3)\ntl.store(R, n)", 10, n)
    yield one("language/shape", "i = tl.arange(0, 16)\ntl.store(R, i.shape[0] + i.numel)", 32)
    yield one("language/item", "x = tl.load(R + tl.arange(0, 1)) + 5\ntl.store(R, x.item())", 5)
    yield one("language/grid", "p = tl.program_id(0) + 2 * tl.program_id(1) + 6 * tl.program_id(2)\n"
              "tl.store(R + p, tl.num_programs(0) * 100 + tl.num_programs(1) * 10 + tl.num_programs(2))",
              np.full(24, 234), grid=(2, 3, 4))
    yield one("language/floats", "tl.store(R, x * y)", 7.5, {"x": (F32, 2.5), "y": (F32, 3.0)}, type=F32)
    yield one("language/f64_scalar", "tl.store(R, x * 2)", 5.0, {"x": (F64, 2.5)}, type=F64)
    yield one("language/small_scalars", "tl.store(R, a.to(tl.int32) + b + c)", 1 - 5 + 300,
              {"a": (I1, 1), "b": (I8, -5), "c": (I16, 300)})
    yield one("language/map_elementwise", "i = tl.arange(0, 64)\nz = tl.map_elementwise(f, i, i + 1)\n"
              "tl.store(R + i, z)", [i * (i + 1) if i % 2 else -i for i in range(64)],
              prelude="@triton.jit\ndef f(x, y):\n    if x % 2 == 1:\n        return x * y\n    else:\n        return -x\n")
    large = np.arange(16384)
    yield one("language/map_elementwise_large", "i = tl.arange(0, 16384)\nz = tl.map_elementwise(f, i, i % 5)\n"
              "tl.store(R + i, z)", np.where(large % 2, large * (large % 5), -large),
              prelude="@triton.jit\ndef f(x, y):\n    if x % 2 == 1:\n        return x * y\n    else:\n        return -x\n")
    yield one("language/map_elementwise_pack", "i = tl.arange(0, 64)\na, b = tl.map_elementwise(f, i, i + 1, pack=2)\n"
              "tl.store(R + i, a + b)", [i * (i + 1) + 2 * i + 1 for i in range(64)],
              prelude="@triton.jit\ndef f(x0, x1, y0, y1):\n    return x0 * y0, x1 * y1, x0 + y0, x1 + y1\n")
    yield one("language/inline_asm", "i = tl.arange(0, 64)\nz = tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [i],"
              " dtype=tl.int32, is_pure=True, pack=1)\ntl.store(R + i, z)", np.arange(64))
    yield one("language/print", "i = tl.arange(0, 8)\ntl.device_print('i is', i, n)\ntl.device_print('text')\n"
              "tl.device_print('hex', n, hex=True)\ntl.store(R, n)", 10, n)
    yield one("language/print_matrix", "i = tl.arange(0, 4)\ntl.device_print('m', i[:, None] * 1.5 + i[None, :])\n"
              "tl.store(R, n)", 10, n)
    yield one("language/assert", "i = tl.arange(0, 8)\ntl.device_assert(i < 9, 'small')\ntl.device_assert(n < 100)\n"
              "tl.store(R, n)", 10, n)
    yield one("language/assert_mask", "i = tl.arange(0, 8)\ntl.device_assert(i < 4, 'small', mask=i < 4)\n"
              "tl.store(R, n)", 10, n)


def _down():
    s = 0
    for k in range(10, 0, -1):
        s = s * 3 + k
    return s


def _nested():
    s = 0
    for k in range(10):
        if k % 2 == 0:
            for j in range(k):
                s += 100 * (j == 3) + j
        else:
            s -= 1
    return s


def _philox(seed, offset):
    c = [offset, 0, 0, 0]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0], c[2]
        pa, pb = a * 0xD2511F53, b * 0xCD9E8D57
        c = [(pb >> 32) ^ c[1] ^ k[0], pb & 0xFFFFFFFF, (pa >> 32) ^ c[3] ^ k[1], pa & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def _uniform(bits):
    x = np.asarray(bits, np.uint32).view(np.int32)
    return (np.where(x < 0, -x - 1, x).astype(np.float32) * np.float32(4.6566127342e-10)).astype(np.float64)


def _normal_of(u, v):
    radius = np.sqrt(-2 * np.log(np.maximum(1e-7, u)))
    return radius * np.cos(2 * np.pi * v), radius * np.sin(2 * np.pi * v)


def _normal(a, b):
    return _normal_of(_uniform(a), _uniform(b))


def random():
    i = "i = tl.arange(0, 64)\n"
    for seed in (0, 12345, 2**40 + 7):
        t = I64 if seed >> 31 else I32
        four = np.array([_philox(seed, o) for o in range(64)], np.uint64).astype(np.uint32).T
        s = {"s": (t, seed)}
        yield one(f"random/randint/{seed}", i + "tl.store(R + i, tl.randint(s, i))", four[0].view(np.int32), s)
        yield one(f"random/randint4x/{seed}", i + "a, b, c, d = tl.randint4x(s, i)\ntl.store(R + i, a)\n"
                  "tl.store(R + 64 + i, b)\ntl.store(R + 128 + i, c)\ntl.store(R + 192 + i, d)",
                  four.reshape(-1).view(np.int32), s)
        yield one(f"random/rand/{seed}", i + "tl.store(R + i, tl.rand(s, i))", _uniform(four[0]), s, type=F32)
        case = one(f"random/randn/{seed}", i + "tl.store(R + i, tl.randn(s, i))", _normal(four[0], four[1])[0], s,
                   type=F32)
        case.tolerance, case.absolute = 2e-5, 2e-5
        yield case
        store = "".join(f"tl.store(R + {64 * n} + i, {name})\n" for n, name in enumerate("abcd"))
        yield one(f"random/philox/{seed}", i + "z = i * 0\na, b, c, d = tl.philox(s, i, z, z, z)\n" + store,
                  four.reshape(-1).view(np.int32), s)
        yield one(f"random/rand4x/{seed}", i + "a, b, c, d = tl.rand4x(s, i)\n" + store,
                  _uniform(four.reshape(-1)), s, type=F32)
        case = one(f"random/randn4x/{seed}", i + "a, b, c, d = tl.randn4x(s, i)\n" + store,
                   np.concatenate([*_normal(four[0], four[1]), *_normal(four[2], four[3])]), s, type=F32)
        case.tolerance, case.absolute = 2e-5, 2e-5
        yield case
    bits = np.array([_philox(7, o)[0] for o in range(64)], np.uint64).astype(np.uint32).view(np.int32)
    given = {"X": (I32, bits)}
    yield one("random/uint_to_uniform_float/u32", i + "x = tl.load(X + i).to(tl.uint32, bitcast=True)\n"
              "tl.store(R + i, tl.uint_to_uniform_float(x))", _uniform(bits), given, type=F32)
    case = one("random/pair_uniform_to_normal/fp32", i + "x = tl.uint_to_uniform_float(tl.load(X + i))\n"
               "a, b = tl.pair_uniform_to_normal(x, 1 - x)\ntl.store(R + i, a)\ntl.store(R + 64 + i, b)",
               np.concatenate(_normal_of(_uniform(bits), 1 - _uniform(bits))), given, type=F32)
    case.tolerance, case.absolute = 2e-5, 2e-5
    yield case


def cases():
    for family in (control, functions, language, random, library.cases):
        yield from family()
