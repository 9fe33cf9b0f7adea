"""Kernels that combine elements: reductions, contractions, scans, masks."""

from vectorkernels import KINDS, element_of, family, vec


@family
def reduction(k):
    shape, e = [k.rng.randint(1, 17)], element_of(k)
    kind = k.rng.choice(KINDS[e])
    x = k.input(shape, e)
    accumulator, masked = "", k.rng.random() < 0.4
    if k.rng.random() < 0.5 or masked:
        accumulator = ", " + k.op(f"vector.extract {k.input([1], e)}[0] : {e} from {vec([1], e)}")
    text = f"vector.reduction <{kind}>, {x}{accumulator} : {vec(shape, e)} into {e}"
    if masked and not (e == "f32" and kind in ("minimumf", "maximumf")):
        mask = k.mask(shape)
        text = f"vector.mask {mask} {{ {text} }} : {vec(shape, 'i1')} -> {e}"
    k.scalar_output(k.op(text), e)


@family
def masks(k):
    shape = k.shape(k.rng.randint(1, 3), 5)
    sizes = ", ".join(k.rng.choice(["%a", "%b"]) for _ in shape)
    k.output(k.op(f"vector.create_mask {sizes} : {vec(shape, 'i1')}"), shape, "i1")
    fixed = [k.rng.randint(0, size) for size in shape]
    fixed = [0] * len(shape) if 0 in fixed else fixed
    k.output(k.op(f"vector.constant_mask {fixed} : {vec(shape, 'i1')}"), shape, "i1")
    count = k.rng.randint(1, 9)
    k.output(k.op(f"vector.step : {vec([count], 'index')}"), [count], "index")


@family
def fma(k):
    shape = k.shape(k.rng.randint(1, 2), 6)
    x, y, z = k.input(shape), k.input(shape), k.input(shape)
    k.output(k.op(f"vector.fma {x}, {y}, {z} : {vec(shape, 'f32')}"), shape)


@family
def multi_reduction(k):
    shape, e = k.shape(k.rng.randint(1, 4), 4), element_of(k)
    dims = sorted(k.rng.sample(range(len(shape)), k.rng.randint(1, len(shape))))
    kept = [size for i, size in enumerate(shape) if i not in dims]
    kind = k.rng.choice(KINDS[e])
    x = k.input(shape, e)
    if kept:
        acc, result = k.input(kept, e), vec(kept, e)
    else:
        acc, result = k.op(f"vector.extract {k.input([1], e)}[0] : {e} from {vec([1], e)}"), e
    y = k.op(f"vector.multi_reduction <{kind}>, {x}, {acc} {dims} : {vec(shape, e)} to {result}")
    k.output(y, kept, e) if kept else k.scalar_output(y, e)


@family
def masked_multi_reduction(k):
    shape = k.shape(k.rng.randint(2, 3), 4)
    dims = sorted(k.rng.sample(range(len(shape)), k.rng.randint(1, len(shape) - 1)))
    kept = [size for i, size in enumerate(shape) if i not in dims]
    kind, none = k.rng.choice([("add", 0), ("mul", 1), ("maxsi", -(2**31)), ("and", -1)])
    x, acc, mask = k.input(shape, "i32"), k.input(kept, "i32"), k.mask(shape)
    whole, bits, result = vec(shape, "i32"), vec(shape, "i1"), k.name()
    neutral, chosen = k.name(), k.name()
    reduce = "vector.multi_reduction <{}>, {}, {} {} : {} to {}".format
    text = (
        f"{result} = vector.mask {mask} {{ {reduce(kind, x, acc, dims, whole, vec(kept, 'i32'))} }}"
        f" : {bits} -> {vec(kept, 'i32')}"
    )
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(
        [
            f"{neutral} = arith.constant dense<{none}> : {whole}",
            f"{chosen} = arith.select {mask}, {x}, {neutral} : {bits}, {whole}",
            f"{result} = {reduce(kind, chosen, acc, dims, whole, vec(kept, 'i32'))}",
        ]
    )
    k.output(result, kept, "i32")


CONTRACTIONS = [  # the iteration space, and the dimensions of both operands and the result
    ("ik", "kj", "ij", "ijk"),
    ("ki", "kj", "ij", "ijk"),
    ("ik", "jk", "ij", "ijk"),
    ("ik", "jk", "ji", "ijk"),
    ("ki", "jk", "ji", "ijk"),
    ("ik", "k", "i", "ik"),
    ("k", "ki", "i", "ik"),
    ("k", "k", "", "k"),
    ("bik", "bkj", "bij", "bijk"),
    ("kbi", "jbk", "bji", "bijk"),
    ("ikl", "lkj", "ij", "ijkl"),
    ("kl", "lk", "", "kl"),
]


@family
def contract(k):
    lhs, rhs, out, space = k.rng.choice(CONTRACTIONS)
    e = element_of(k)
    size = {dim: k.rng.randint(1, 4) for dim in space}
    shapes = [[size[dim] for dim in dims] for dims in (lhs, rhs, out)]
    maps = ", ".join(
        f"affine_map<({', '.join(space)}) -> ({', '.join(dims)})>" for dims in (lhs, rhs, out)
    )
    iterators = ", ".join('"parallel"' if dim in out else '"reduction"' for dim in space)
    x, y = k.input(shapes[0], e), k.input(shapes[1], e)
    if out:
        acc, result = k.input(shapes[2], e), vec(shapes[2], e)
    else:
        acc, result = k.op(f"vector.extract {k.input([1], e)}[0] : {e} from {vec([1], e)}"), e
    z = k.op(
        f"vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], kind ="
        f" #vector.kind<add>}} {x}, {y}, {acc} : {vec(shapes[0], e)}, {vec(shapes[1], e)} into"
        f" {result}"
    )
    k.output(z, shapes[2], e) if out else k.scalar_output(z, e)


@family
def masked_contract(k):
    """Returns a masked contraction. In upstream's text, zeros replace masked products."""
    i, j, n = (k.rng.randint(1, 4) for _ in range(3))
    e = element_of(k)
    lhs, rhs, acc = k.input([i, n], e), k.input([n, j], e), k.input([i, j], e)
    mask, space = k.mask([i, j, n]), vec([i, j, n], e)
    text = (
        "vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, "
        "affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], "
        'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} '
        f"{lhs}, {rhs}, {acc} : {vec([i, n], e)}, {vec([n, j], e)} into {vec([i, j], e)}"
    )
    a, b, c, d, p, q, zero = (k.name() for _ in range(7))
    result = k.name()
    bits = vec([i, j, n], "i1")
    suffix = "f" if e == "f32" else "i"
    lines = [
        f"{a} = vector.broadcast {lhs} : {vec([i, n], e)} to {vec([j, i, n], e)}",
        f"{b} = vector.transpose {a}, [1, 0, 2] : {vec([j, i, n], e)} to {space}",
        f"{c} = vector.transpose {rhs}, [1, 0] : {vec([n, j], e)} to {vec([j, n], e)}",
        f"{d} = vector.broadcast {c} : {vec([j, n], e)} to {space}",
        f"{p} = arith.mul{suffix} {b}, {d} : {space}",
        f"{zero} = arith.constant dense<{'0.0' if e == 'f32' else '0'}> : {space}",
        f"{q} = arith.select {mask}, {p}, {zero} : {bits}, {space}",
        f"{result} = vector.multi_reduction <add>, {q}, {acc} [2] : {space} to {vec([i, j], e)}",
    ]
    text = f"{result} = vector.mask {mask} {{ {text} }} : {bits} -> {vec([i, j], e)}"
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(lines)
    k.output(result, [i, j], e)


@family
def mixed_contract(k):
    """Returns a contraction with narrow operands and a wide result. Upstream's text widens the operands first."""
    i, j, n = (k.rng.randint(1, 5) for _ in range(3))
    narrow, wide = k.rng.choice([("f16", "f32"), ("i8", "i32"), ("i16", "i32")])
    cast, back = ("truncf", "extf") if wide == "f32" else ("trunci", "extsi")
    x, y, acc = k.input([i, n], wide), k.input([n, j], wide), k.input([i, j], wide)
    x = k.op(f"arith.{cast} {x} : {vec([i, n], wide)} to {vec([i, n], narrow)}")
    y = k.op(f"arith.{cast} {y} : {vec([n, j], wide)} to {vec([n, j], narrow)}")

    def contract(x, y, element):
        return (
            "vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, "
            "affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], "
            'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} '
            f"{x}, {y}, {acc} : {vec([i, n], element)}, {vec([n, j], element)}"
            f" into {vec([i, j], wide)}"
        )

    a, b, z = k.name(), k.name(), k.name()
    text = f"{z} = {contract(x, y, narrow)}"
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(
        [
            f"{a} = arith.{back} {x} : {vec([i, n], narrow)} to {vec([i, n], wide)}",
            f"{b} = arith.{back} {y} : {vec([n, j], narrow)} to {vec([n, j], wide)}",
            f"{z} = {contract(a, b, wide)}",
        ]
    )
    k.output(z, [i, j], wide)


@family
def outerproduct(k):
    e = element_of(k)
    rows, columns = k.rng.randint(1, 5), k.rng.randint(1, 5)
    kind = k.rng.choice(["add", "mul"])
    if k.rng.random() < 0.3:
        x = k.input([rows], e)
        y = k.op(f"vector.extract {k.input([1], e)}[0] : {e} from {vec([1], e)}")
        acc = k.input([rows], e)
        k.output(
            k.op(
                f"vector.outerproduct {x}, {y}, {acc} {{kind = #vector.kind<{kind}>}} :"
                f" {vec([rows], e)}, {e}"
            ),
            [rows],
            e,
        )
        return
    x, y, acc = k.input([rows], e), k.input([columns], e), k.input([rows, columns], e)
    types = f"{vec([rows], e)}, {vec([columns], e)}"
    k.output(k.op(f"vector.outerproduct {x}, {y} : {types}"), [rows, columns], e)
    k.output(
        k.op(f"vector.outerproduct {x}, {y}, {acc} {{kind = #vector.kind<{kind}>}} : {types}"),
        [rows, columns],
        e,
    )


@family
def scan(k):
    shape, e = k.shape(k.rng.randint(1, 3), 4), element_of(k)
    dim, kind = k.rng.randrange(len(shape)), k.rng.choice(KINDS[e])
    first = shape[:dim] + shape[dim + 1 :]
    x, y = k.input(shape, e), k.input(first or [1], e)
    if not first:
        y = k.op(f"vector.shape_cast {y} : {vec([1], e)} to {vec([], e)}")
    inclusive = k.rng.choice(["true", "false"])
    a, b = k.op(
        f"vector.scan <{kind}>, {x}, {y} {{inclusive = {inclusive}, reduction_dim = {dim} : i64}} :"
        f" {vec(shape, e)}, {vec(first, e)}",
        2,
    )
    k.output(a, shape, e)
    k.output(b, first, e)
