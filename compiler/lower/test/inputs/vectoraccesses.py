"""Kernels that access memory: transfers, masked accesses, gather and scatter."""

from vectorkernels import COLUMNS, ROWS, SIZE, family, vec

MAPS = [
    ("(d0, d1) -> (d0, d1)", 2),
    ("(d0, d1) -> (d1, d0)", 2),
    ("(d0, d1) -> (d1)", 1),
    ("(d0, d1) -> (d0)", 1),
    ("(d0, d1) -> (0, d1)", 2),
    ("(d0, d1) -> (d0, 0)", 2),
    ("(d0, d1) -> (d1, 0, d0)", 3),
]


def transfer_attributes(k, text, rank, reach):
    """Returns in_bounds: true if the slice fits for all %a and %b, which are below 4."""
    results = text.split("->")[1].strip(" ()").split(", ")
    extents = {"d0": ROWS, "d1": COLUMNS}
    bounds = []
    for result, size in zip(results, reach):
        fits = result == "0" or 3 + size <= extents[result]
        bounds.append("true" if result == "0" or (fits and k.rng.random() < 0.5) else "false")
    return f"{{permutation_map = affine_map<{text}>, in_bounds = [{', '.join(bounds)}]}}"


def transfer_mask(k, text, shape):
    """Returns a mask with the dimensions of the memref that are read, in its order."""
    results = text.split("->")[1].strip(" ()").split(", ")
    sizes = [size for result, size in sorted(zip(results, shape)) if result != "0"]
    return k.mask(sizes), vec(sizes, "i1")


@family
def transfer_read(k):
    text, rank = k.rng.choice(MAPS)
    shape = k.shape(rank, 9)
    pad = k.op("arith.constant -3.5 : f32")
    attributes = transfer_attributes(k, text, rank, shape)
    mask, masked = "", k.rng.random() < 0.4
    if masked:
        bits, bits_type = transfer_mask(k, text, shape)
        mask = ", " + bits
    x = k.op(
        f"vector.transfer_read %g[%a, %b], {pad}{mask} {attributes} : memref<?x?xf32>,"
        f" {vec(shape, 'f32')}"
    )
    k.output(x, shape)


@family
def transfer_write(k):
    text, rank = k.rng.choice(
        [pair for pair in MAPS if "0" not in pair[0].split("->")[1].replace("d0", "")]
    )
    shape = k.shape(rank, 9)
    attributes = transfer_attributes(k, text, rank, shape)
    x = k.input(shape)
    mask = ", " + transfer_mask(k, text, shape)[0] if k.rng.random() < 0.4 else ""
    k.op(
        f"vector.transfer_write {x}, %h[%a, %b]{mask} {attributes} : {vec(shape, 'f32')},"
        " memref<?x?xf32>",
        0,
    )


@family
def masked_transfer(k):
    shape = k.shape(2, 6)
    pad = k.op("arith.constant 7.0 : f32")
    size = k.op(f"vector.create_mask %a, %b : {vec(shape, 'i1')}")
    x = k.op(
        f"vector.mask {size} {{ vector.transfer_read %g[%b, %a], {pad} : memref<?x?xf32>,"
        f" {vec(shape, 'f32')} }} : {vec(shape, 'i1')} -> {vec(shape, 'f32')}"
    )
    k.output(x, shape)
    k.op(
        f"vector.mask {size} {{ vector.transfer_write {x}, %h[%a, %a] : {vec(shape, 'f32')},"
        f" memref<?x?xf32> }} : {vec(shape, 'i1')}",
        0,
    )


@family
def strided_memref(k):
    """Transfers in which neighbours in the vector are not neighbours in memory."""
    layout = "memref<?x?xf32, strided<[?, ?], offset: ?>>"
    one, two, four, five = (k.index(value) for value in (1, 2, 4, 5))
    view = f"[{one}, {one}] [{four}, {five}] [{two}, {two}]"
    g = k.op(f"memref.subview %g{view} : memref<?x?xf32> to {layout}")
    h = k.op(f"memref.subview %h{view} : memref<?x?xf32> to {layout}")
    shape = k.shape(2, 6)
    pad = k.op("arith.constant 0.25 : f32")
    x = k.op(f"vector.transfer_read {g}[%a, %b], {pad} : {layout}, {vec(shape, 'f32')}")
    k.output(x, shape)
    k.op(f"vector.transfer_write {x}, {h}[%b, %a] : {vec(shape, 'f32')}, {layout}", 0)


@family
def rank_zero(k):
    pad = k.op("arith.constant 0.25 : f32")
    attributes = "{permutation_map = affine_map<(d0, d1) -> ()>}"
    x = k.op(f"vector.transfer_read %g[%a, %b], {pad} {attributes} : memref<?x?xf32>, vector<f32>")
    y = k.op(f"arith.addf {x}, {x} : vector<f32>")
    k.op(f"vector.transfer_write {y}, %h[%b, %a] {attributes} : vector<f32>, memref<?x?xf32>", 0)
    k.scalar_output(k.op(f"vector.extract {y}[] : f32 from vector<f32>"))


@family
def load_store(k):
    shape = [k.rng.randint(1, 5), k.rng.randint(1, 7)]
    zero = k.op("arith.constant 0.0 : f32")
    # Upstream's lowering to LLVM does not support loads of several rows. Unchecked transfers are the same.
    bounds = "{in_bounds = [true, true]}"
    x = k.op(
        f"vector.load %g[%a, %b] : memref<?x?xf32>, {vec(shape, 'f32')}",
        upstream=(
            f"vector.transfer_read %g[%a, %b], {zero} {bounds} : memref<?x?xf32>,"
            f" {vec(shape, 'f32')}"
        ),
    )
    k.op(
        f"vector.store {x}, %h[%b, %a] : memref<?x?xf32>, {vec(shape, 'f32')}",
        0,
        upstream=(
            f"vector.transfer_write {x}, %h[%b, %a] {bounds} : {vec(shape, 'f32')}, memref<?x?xf32>"
        ),
    )


@family
def masked_load_store(k):
    count = k.rng.randint(1, 9)
    mask, other = k.mask([count]), k.input([count])
    types = f"{vec([count], 'i1')}, {vec([count], 'f32')}"
    read = k.rng.choice(["maskedload", "expandload"])
    x = k.op(
        f"vector.{read} %f[%a], {mask}, {other} : memref<{SIZE}xf32>, {types} into"
        f" {vec([count], 'f32')}"
    )
    k.output(x, [count])
    write = k.rng.choice(["maskedstore", "compressstore"])
    start = k.index(SIZE - 16)
    k.op(f"vector.{write} %o[{start}], {mask}, {x} : memref<{SIZE}xf32>, {types}", 0)


@family
def masked_rows(k):
    """Masked accesses to the second dimension of a memref."""
    count = k.rng.randint(1, 7)
    mask, other = k.mask([count]), k.input([count])
    types = f"memref<?x?xf32>, {vec([count], 'i1')}, {vec([count], 'f32')}"
    read = k.rng.choice(["maskedload", "expandload"])
    x = k.op(f"vector.{read} %g[%a, %b], {mask}, {other} : {types} into {vec([count], 'f32')}")
    k.output(x, [count])
    write = k.rng.choice(["maskedstore", "compressstore"])
    k.op(f"vector.{write} %h[%b, %a], {mask}, {x} : {types}", 0)


@family
def gather_scatter(k):
    count = k.rng.randint(1, 9)
    fifteen = k.op(f"arith.constant dense<15> : {vec([count], 'i32')}")
    at = k.op(f"arith.andi {k.input([count], 'i32')}, {fifteen} : {vec([count], 'i32')}")
    mask, other = k.mask([count]), k.input([count])
    types = f"{vec([count], 'i32')}, {vec([count], 'i1')}, {vec([count], 'f32')}"
    x = k.op(
        f"vector.gather %f[%a] [{at}], {mask}, {other} : memref<{SIZE}xf32>, {types} into"
        f" {vec([count], 'f32')}"
    )
    k.output(x, [count])
    order = list(range(count))
    k.rng.shuffle(order)
    places = k.op(f"arith.constant dense<{order}> : {vec([count], 'i32')}")
    start = k.index(SIZE - 16)
    k.op(f"vector.scatter %o[{start}] [{places}], {mask}, {x} : memref<{SIZE}xf32>, {types}", 0)
