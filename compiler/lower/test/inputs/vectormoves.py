"""Kernels that move elements: slices, shuffles, positions known at run time, control flow."""

from vectorkernels import KINDS, element_of, family, product, vec


@family
def elementwise(k):
    shape, e = k.shape(k.rng.randint(1, 3)), element_of(k)
    x, y = k.input(shape, e), k.input(shape, e)
    op = "addf" if e == "f32" else "muli"
    z = k.op(f"arith.{op} {x}, {y} : {vec(shape, e)}")
    m = k.mask(shape)
    k.output(k.op(f"arith.select {m}, {x}, {z} : {vec(shape, 'i1')}, {vec(shape, e)}"), shape, e)


@family
def broadcast(k):
    shape = k.shape(k.rng.randint(1, 3))
    source = [k.rng.choice([1, size]) for size in shape[k.rng.randint(0, len(shape) - 1) :]]
    x = k.input(source)
    k.output(k.op(f"vector.broadcast {x} : {vec(source, 'f32')} to {vec(shape, 'f32')}"), shape)


@family
def transpose(k):
    shape = k.shape(k.rng.randint(2, 4), 4)
    order = list(range(len(shape)))
    k.rng.shuffle(order)
    to = [shape[i] for i in order]
    x = k.input(shape)
    k.output(k.op(f"vector.transpose {x}, {order} : {vec(shape, 'f32')} to {vec(to, 'f32')}"), to)


@family
def shuffle(k):
    tail = k.shape(k.rng.randint(0, 1), 3)
    first, second = k.rng.randint(1, 7), k.rng.randint(1, 7)
    mask = [k.rng.randrange(first + second) for _ in range(k.rng.randint(1, 9))]
    a, b = [first] + tail, [second] + tail
    x, y = k.input(a), k.input(b)
    k.output(
        k.op(f"vector.shuffle {x}, {y} {mask} : {vec(a, 'f32')}, {vec(b, 'f32')}"),
        [len(mask)] + tail,
    )


@family
def interleave(k):
    shape = k.shape(k.rng.randint(1, 2), 5)
    x, y = k.input(shape), k.input(shape)
    twice = shape[:-1] + [2 * shape[-1]]
    z = k.op(f"vector.interleave {x}, {y} : {vec(shape, 'f32')} -> {vec(twice, 'f32')}")
    k.output(z, twice)
    w = k.op(f"arith.addf {z}, {z} : {vec(twice, 'f32')}")
    a, b = k.op(f"vector.deinterleave {w} : {vec(twice, 'f32')} -> {vec(shape, 'f32')}", 2)
    k.output(a, shape)
    k.output(b, shape)


def position(k, shape, dynamic):
    """Returns a random position in the first dimensions of `shape`. %a and %b are below 4."""
    result = []
    for size in shape[: k.rng.randint(1, len(shape))]:
        use = dynamic and size >= 4 and k.rng.random() < 0.7
        result.append(k.rng.choice(["%a", "%b"]) if use else str(k.rng.randrange(size)))
    return result


@family
def extract_insert(k):
    shape, e = k.shape(k.rng.randint(1, 3), 9), element_of(k)
    x = k.input(shape, e)
    at = position(k, shape, False)
    part = shape[len(at) :]
    part_type = vec(part, e) if part else e
    y = k.op(f"vector.extract {x}[{', '.join(at)}] : {part_type} from {vec(shape, e)}")
    to = position(k, shape, False)[: len(at)]
    while len(to) < len(at):
        to.append(str(k.rng.randrange(shape[len(to)])))
    z = k.op(f"vector.insert {y}, {x}[{', '.join(to)}] : {part_type} into {vec(shape, e)}")
    k.output(z, shape, e)


@family
def dynamic_extract(k):
    shape = [k.rng.randint(4, 9)]  # upstream supports dynamic positions in one dimension only
    e = element_of(k)
    x = k.input(shape, e)
    y = k.op(f"vector.extract {x}[%a] : {e} from {vec(shape, e)}")
    k.scalar_output(y, e)
    z = k.op(f"vector.insert {y}, {x}[%b] : {e} into {vec(shape, e)}")
    k.output(z, shape, e)
    m = k.mask(shape)
    bit = k.op(f"vector.extract {m}[%b] : i1 from {vec(shape, 'i1')}")
    k.output(k.op(f"arith.select {bit}, {x}, {z} : {vec(shape, e)}"), shape, e)


def at_run_time(k, shape, at):
    """Returns the row-major number of the first element at `at`, as text for upstream."""
    lines, total = [], k.name()
    lines.append(f"{total} = arith.constant 0 : index")
    for dim, index in enumerate(at):
        stride, scaled, following = k.name(), k.name(), k.name()
        if not index.startswith("%"):
            fixed = k.name()
            lines.append(f"{fixed} = arith.constant {index} : index")
            index = fixed
        lines.append(f"{stride} = arith.constant {product(shape[dim + 1 :])} : index")
        lines.append(f"{scaled} = arith.muli {index}, {stride} : index")
        lines.append(f"{following} = arith.addi {total}, {scaled} : index")
        total = following
    return lines, total


@family
def dynamic_parts(k):
    """Inserts or extracts at run-time positions. Upstream supports these in one dimension only, so its text moves elements one by one."""
    shape, e = k.shape(k.rng.randint(1, 3), 6), element_of(k)
    flat, whole = vec([product(shape)], e), vec(shape, e)
    x = k.input(shape, e)
    at = position(k, shape, True)
    part = shape[len(at) :]
    count = product(part)
    part_type = vec(part, e) if part else e
    lines, first = at_run_time(k, shape, at)
    before = k.name()
    lines.append(f"{before} = vector.shape_cast {x} : {whole} to {flat}")
    found, places = [], []
    for i in range(count):
        offset, place, element = k.name(), k.name(), k.name()
        lines.append(f"{offset} = arith.constant {i} : index")
        lines.append(f"{place} = arith.addi {first}, {offset} : index")
        lines.append(f"{element} = vector.extract {before}[{place}] : {e} from {flat}")
        found.append(element)
        places.append(place)
    y = k.name()
    if part:
        lines.append(f"{y} = vector.from_elements {', '.join(found)} : {part_type}")
    else:
        lines.append(f"{y} = vector.extract {before}[{first}] : {e} from {flat}")
    text = f"{y} = vector.extract {x}[{', '.join(at)}] : {part_type} from {whole}"
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(lines)
    k.output(y, part, e) if part else k.scalar_output(y, e)

    new, z, lines = k.input(part or [1], e), k.name(), []
    value = new if part else k.op(f"vector.extract {new}[0] : {e} from {vec([1], e)}")
    flat_part = k.name()
    if part:
        lines.append(f"{flat_part} = vector.shape_cast {new} : {part_type} to {vec([count], e)}")
    current = before
    for i in range(count):
        element, following = k.name(), k.name()
        source = f"{flat_part}[{i}] : {e} from {vec([count], e)}" if part else ""
        lines.append(f"{element} = vector.extract {source or f'{new}[0] : {e} from {vec([1], e)}'}")
        lines.append(
            f"{following} = vector.insert {element}, {current}[{places[i]}] : {e} into {flat}"
        )
        current = following
    lines.append(f"{z} = vector.shape_cast {current} : {flat} to {whole}")
    text = f"{z} = vector.insert {value}, {x}[{', '.join(at)}] : {part_type} into {whole}"
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(lines)
    k.output(z, shape, e)


@family
def long_dynamic(k):
    shape, e = [k.rng.randint(9, 33)], element_of(k)
    x = k.input(shape, e)
    y = k.op(f"vector.extract {x}[%a] : {e} from {vec(shape, e)}")
    k.output(k.op(f"vector.insert {y}, {x}[%b] : {e} into {vec(shape, e)}"), shape, e)
    m = k.mask(shape)
    bit = k.op(f"vector.extract {m}[%b] : i1 from {vec(shape, 'i1')}")
    m = k.op(f"vector.insert {bit}, {m}[%a] : i1 into {vec(shape, 'i1')}")
    k.output(m, shape, "i1")


@family
def strided_slice(k):
    shape = k.shape(k.rng.randint(1, 3), 6)
    rank = k.rng.randint(1, len(shape))
    sizes = [k.rng.randint(1, size) for size in shape[:rank]]
    offsets = [k.rng.randint(0, size - part) for size, part in zip(shape, sizes)]
    part = sizes + shape[rank:]
    x = k.input(shape)
    y = k.op(
        f"vector.extract_strided_slice {x} {{offsets = {offsets}, sizes = {sizes}, "
        f"strides = {[1] * rank}}} : {vec(shape, 'f32')} to {vec(part, 'f32')}"
    )
    k.output(y, part)
    # Inserts a slice of the same rank, or of a lower rank.
    drop = k.rng.randint(0, len(part) - 1)
    small = part[drop:]
    z = k.input(small)
    into = [k.rng.randint(0, size - 1) for size in shape[:drop]]
    into += [k.rng.randint(0, size - p) for size, p in zip(shape[drop:], small)]
    k.output(
        k.op(
            f"vector.insert_strided_slice {z}, {x} {{offsets = {into}, strides ="
            f" {[1] * len(small)}}} : {vec(small, 'f32')} into {vec(shape, 'f32')}"
        ),
        shape,
    )


@family
def elements(k):
    count = k.rng.randint(1, 9)
    x = k.input([count])
    parts = k.op(f"vector.to_elements {x} : {vec([count], 'f32')}", count)
    parts = [parts] if count == 1 else parts
    chosen = [k.rng.choice(parts) for _ in range(6)]
    shape = k.rng.choice([[6], [2, 3], [3, 2, 1]])
    y = k.op(f"vector.from_elements {', '.join(chosen)} : {vec(shape, 'f32')}")
    k.output(y, shape)


@family
def bitcast(k):
    """Converts i32 to a narrower or wider type and back, with an operation in between that prevents folding."""
    element, factor = k.rng.choice([("i8", 4), ("i16", 2), ("f16", 2), ("i64", 0.5), ("f32", 1)])
    outer = k.shape(k.rng.randint(0, 1), 3)
    count = 2 * k.rng.randint(1, 5)
    shape, narrow = outer + [count], outer + [int(count * factor)]
    x = k.input(shape, "i32")
    y = k.op(f"vector.bitcast {x} : {vec(shape, 'i32')} to {vec(narrow, element)}")
    if element.startswith("i"):
        y = k.op(f"arith.addi {y}, {y} : {vec(narrow, element)}")
    order = list(range(narrow[0]))
    k.rng.shuffle(order)
    y = k.op(f"vector.shuffle {y}, {y} {order} : {vec(narrow, element)}, {vec(narrow, element)}")
    k.output(
        k.op(f"vector.bitcast {y} : {vec(narrow, element)} to {vec(shape, 'i32')}"), shape, "i32"
    )


@family
def narrow_types(k):
    shape, e = [k.rng.randint(1, 11)], k.rng.choice(["i8", "i16", "i64"])
    cast, back = ("trunci", "extsi") if e != "i64" else ("extsi", "trunci")
    x = k.input(shape, "i32")
    x = k.op(f"arith.{cast} {x} : {vec(shape, 'i32')} to {vec(shape, e)}")
    kind = k.rng.choice(KINDS["i32"])
    s = k.op(f"vector.reduction <{kind}>, {x} : {vec(shape, e)} into {e}")
    y = k.op(f"vector.broadcast {s} : {e} to {vec(shape, e)}")
    z = k.op(f"vector.interleave {x}, {y} : {vec(shape, e)} -> {vec([2 * shape[0]], e)}")
    twice = [2 * shape[0]]
    k.output(k.op(f"arith.{back} {z} : {vec(twice, e)} to {vec(twice, 'i32')}"), twice, "i32")


@family
def control_flow(k):
    shape = k.shape(k.rng.randint(1, 2), 5)
    t = vec(shape, "f32")
    x = k.input(shape)
    zero, one = k.index(0), k.index(1)
    two = k.index(2)
    result = k.name()
    k.lines.append(
        f"{result} = scf.for %j = {zero} to %b step {one} iter_args(%acc = {x}) -> {t} {{"
    )
    k.lines.append(f"  %odd = arith.remui %j, {two} : index")
    k.lines.append(f"  %is = arith.cmpi eq, %odd, {zero} : index")
    k.lines.append(f"  %next = scf.if %is -> {t} {{")
    k.lines.append(f"    %s = arith.addf %acc, {x} : {t}")
    k.lines.append(f"    scf.yield %s : {t}")
    k.lines.append("  } else {")
    k.lines.append(f"    %s = arith.negf %acc : {t}")
    k.lines.append(f"    scf.yield %s : {t}")
    k.lines.append("  }")
    k.lines.append(f"  scf.yield %next : {t}")
    k.lines.append("}")
    k.output(result, shape)
    chosen = k.name()
    k.lines.append(f"{chosen} = scf.index_switch %a -> {t}")
    k.lines.append(f"case 0 {{ scf.yield {x} : {t} }}")
    k.lines.append(f"case 2 {{ %s = arith.addf {x}, {result} : {t}")
    k.lines.append(f"  scf.yield %s : {t} }}")
    k.lines.append(f"default {{ scf.yield {result} : {t} }}")
    k.output(chosen, shape)
