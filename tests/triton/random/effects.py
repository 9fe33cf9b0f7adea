"""Adds to random kernels what goes beyond arithmetic: stores, atomics, matrix products, and more control flow.

Kernels read and write `io_TYPE`; each program has its own part. The final contents do not depend on the order of
stores: either the places differ, or all elements of a place store the same value.
"""
EFFECTS_FROM = 100_000  # kernels with these seeds have effects

TYPES = ("int32", "int64", "uint8", "int16", "float16", "float32", "float64")

HEADER = '''
@triton.jit
def twist(a, b):
    return tl.maximum(a, b) - (a & b)


@triton.jit(noinline=True)
def apart(a, b):
    return a * 3 + b

'''


def size(shape):
    result = 1
    for each in shape:
        result *= each
    return result


def span(kernel):
    """Returns the number of elements in a program's part."""
    return 4 * (1 << 14 if kernel.is_large else 1 << 10)


# Places

def own_places(kernel, shape):
    """Returns offsets of a shape's elements that are all different."""
    count = size(shape)
    kind, index = kernel.random.randrange(6), kernel.index(shape)
    step, last = 1, count - 1
    if kind == 0:
        step = kernel.random.choice((2, 3))
        text = f"({index}) * {step}"
    elif kind == 1:
        text = f"{last} - ({index})"
    elif kind == 2 and len(shape) > 1:
        text = column_by_column(kernel, shape)
    elif kind == 3:
        text = f"(({index}) ^ {kernel.random.randint(0, last)})"
    elif kind == 4:
        text = f"(({index}) * {kernel.random.choice((3, 5, 7, 9))} % {count})"
    else:
        text = index
    return f"{start(kernel, last * step + 1)} + {text}"


def column_by_column(kernel, shape):
    parts, step = [], 1
    for axis in range(len(shape)):
        slots = ", ".join(":" if i == axis else "None" for i in range(len(shape)))
        parts.append(f"tl.arange(0, {shape[axis]})[{slots}] * {step}")
        step *= shape[axis]
    return " + ".join(parts)


def shared_places(kernel, shape):
    """Returns offsets that several elements may share."""
    count, index = size(shape), kernel.index(shape)
    kind = kernel.random.randrange(5)
    if kind == 0 and len(shape) > 1:  # along diagonals
        slots = [", ".join(":" if i == axis else "None" for i in range(len(shape))) for axis in range(len(shape))]
        text = " + ".join(f"tl.arange(0, {n})[{s}]" for n, s in zip(shape, slots))
    elif kind == 1 and len(shape) > 1:  # along one dimension
        axis = kernel.random.randrange(len(shape))
        slots = ", ".join(":" if i == axis else "None" for i in range(len(shape)))
        text = f"tl.arange(0, {shape[axis]})[{slots}] + tl.full({list(shape)}, 0, tl.int32)"
    elif kind == 2:
        text = f"(({index}) // {kernel.random.choice((2, 4, 16, 64))})"
    elif kind == 3:
        found = kernel.pick(lambda v: v.shape == tuple(shape) and v.dtype in ("int32", "int16", "uint8"))
        text = f"({found.name}.to(tl.int32) & {count - 1})" if found else f"(({index}) * 0)"
    else:
        text = f"(({index}) % {kernel.random.choice((1, 3, 8, 16, 64))})"
    return f"{start(kernel, count)} + {text}"


def start(kernel, room):
    """Returns an offset that is often the same, so that statements read what others wrote."""
    return kernel.random.choice((0, 0, 0, min(16, span(kernel) - room), kernel.random.randint(0, span(kernel) - room)))


def named(kernel, text):
    kernel.count += 1
    kernel.emit(f"at{kernel.count} = pid * {span(kernel)} + {text}")
    return f"at{kernel.count}"


def memory(kernel, wanted=TYPES):
    """Returns a type of memory, preferably one that the kernel uses already."""
    known = [dtype for dtype in kernel.memories if dtype in wanted]
    dtype = kernel.random.choice(known) if known and kernel.random.random() < 0.7 else kernel.random.choice(wanted)
    kernel.memories[dtype] = None
    return dtype


def mask(kernel, shape, other=None):
    if kernel.random.random() < 0.6:
        return ""
    found = kernel.pick(lambda v: v.is_bool and v.shape == tuple(shape))
    text = found.name if found else f"({kernel.index(shape)}) % {kernel.random.choice((2, 3, 5))} != 1"
    return f", mask={text}" + ("" if other is None else f", other={other}")


def barrier(kernel):
    if kernel.has_barriers:
        kernel.emit("tl.debug_barrier()")


# Statements. Each returns None if it does nothing.

def put(kernel):
    """Stores a value, or a part of it."""
    value = kernel.pick(lambda v: v.shape and not v.is_bool and v.dtype in TYPES)
    if not value:
        return None
    kernel.memories[value.dtype] = None
    at = named(kernel, own_places(kernel, value.shape))
    barrier(kernel)
    kernel.emit(f"tl.store(io_{value.dtype} + {at}, {value.name}{mask(kernel, value.shape)})")
    barrier(kernel)
    return True


def fill(kernel):
    """Stores one constant to places that may overlap."""
    shape, dtype = kernel.random_shape(), memory(kernel)
    at = named(kernel, shared_places(kernel, shape))
    barrier(kernel)
    kernel.emit(f"tl.store(io_{dtype} + {at}, tl.full({list(shape)}, {kernel.random.randint(0, 9)}, tl.{dtype})"
                f"{mask(kernel, shape)})")
    barrier(kernel)
    return True


def get(kernel):
    shape, dtype = kernel.random_shape(), memory(kernel)
    places = kernel.random.choice((own_places, shared_places))
    at = named(kernel, places(kernel, shape))
    return kernel.new(f"tl.load(io_{dtype} + {at}{mask(kernel, shape, 1)})", shape, dtype, False)


def update(kernel):
    """Updates memory in place. All elements of one place compute the same value."""
    shape, dtype = kernel.random_shape(), memory(kernel)
    places = kernel.random.choice((own_places, own_places, shared_places))
    at = named(kernel, places(kernel, shape))
    old = kernel.new(f"tl.load(io_{dtype} + {at})", shape, dtype, False)
    if places is own_places and kernel.random.random() < 0.5:
        for _ in range(kernel.random.randint(1, 2)):
            kernel.statement()
    fresh = f"tl.maximum({old.name}, 1)" if old.is_float else f"{old.name} * 3 + 1"
    other = kernel.pick(lambda v: v.shape == old.shape and v.dtype == dtype)
    if places is own_places and other and kernel.random.random() < 0.5:
        fresh = f"tl.maximum({old.name}, {other.name})" if old.is_float else f"{old.name} ^ {other.name}"
    barrier(kernel)
    kernel.emit(f"tl.store(io_{dtype} + {at}, {fresh}{mask(kernel, shape) if places is own_places else ''})")
    barrier(kernel)
    return True


def number(kernel):
    """Loads or stores a scalar."""
    value = kernel.pick(lambda v: not v.shape and not v.is_bool and v.dtype in TYPES)
    at = f"pid * {span(kernel)} + {kernel.random.randint(0, 40)}"
    if not value or kernel.random.random() < 0.4:
        dtype = memory(kernel, ("int32", "int64"))
        return kernel.new(f"tl.load(io_{dtype} + {at})", (), dtype)
    kernel.memories[value.dtype] = None
    barrier(kernel)
    kernel.emit(f"tl.store(io_{value.dtype} + {at}, {value.name})")
    barrier(kernel)
    return True


def atomic(kernel):
    value = kernel.pick(lambda v: v.shape and v.dtype in ("int32", "int64", "uint32", "uint64"))
    if not value:
        return None
    name = kernel.random.choice(("add", "max", "min", "and", "or", "xor"))
    dtype = value.dtype.removeprefix("u")
    kernel.memories[dtype] = None
    given = f"({value.name} + 0)"  # the interpreter mishandles broadcast values
    if dtype != value.dtype:
        given += f".to(tl.{dtype}, bitcast=True)"
    returns = name in ("add", "xor", "max") and kernel.random.random() < 0.5
    at = named(kernel, (own_places if returns else shared_places)(kernel, value.shape))
    call = f"tl.atomic_{name}(io_{dtype} + {at}, {given}{mask(kernel, value.shape) if not returns else ''})"
    barrier(kernel)
    if returns:
        kernel.new(call, value.shape, dtype)
    else:
        kernel.emit(call)
    barrier(kernel)
    return True


def product(kernel):
    """Multiplies matrices of numbers whose sums are exact."""
    if kernel.depth > 1 and kernel.random.random() < 0.5:
        return None
    m, n, k = (1 << kernel.random.randint(0, kernel.limit(5, 7)) for _ in range(3))
    dtype = kernel.random.choice(("float16", "float32", "float32", "float64", "int8"))
    batch = (kernel.random.choice((1, 2, 4)),) if kernel.random.random() < 0.15 else ()

    def factor(shape):
        found = kernel.pick(lambda v: v.shape == shape and v.dtype == dtype and v.exact)
        if found and kernel.random.random() < 0.6:
            return found
        kernel.inputs[dtype] = None
        at = f"pid * 16 + {kernel.random.randint(0, 64)} + {kernel.index(shape)}"
        return kernel.new(f"tl.load(in_{dtype} + {at})", shape, dtype)

    a, b = factor(batch + (m, k)), factor(batch + (k, n))
    result = {"int8": "int32", "float64": "float64"}.get(dtype, "float32")
    added = kernel.pick(lambda v: v.shape == batch + (m, n) and v.dtype == result and v.exact)
    more = f", acc={added.name}" if added else ""
    how = ', input_precision="ieee"' if dtype == "float32" else ""
    out = f", out_dtype=tl.{result}" if dtype in ("int8", "float64") else ""
    return kernel.new(f"tl.dot({a.name}, {b.name}{more}{how}{out})", batch + (m, n), result, False)


def calls(kernel):
    a = kernel.pick(lambda v: v.dtype in ("int32", "int64"))
    b = a and kernel.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype)
    if not b:
        return None
    called = "twist" if a.shape else kernel.random.choice(("twist", "apart"))  # Triton accepts only scalars for `apart`
    return kernel.new(f"{called}({a.name}, {b.name})", a.shape, a.dtype)


def run_along(kernel):
    """A loop that carries pointers."""
    if kernel.depth > 2:
        return None
    shape, dtype = kernel.random_shape(), kernel.random.choice(("int32", "int64", "int16", "float32", "float16"))
    kernel.inputs[dtype] = None
    kernel.count += 1
    n = kernel.count
    kernel.emit(f"p{n} = in_{dtype} + pid * 16 + {kernel.index(shape)}")
    total = kernel.new(f"tl.zeros({list(shape)}, tl.{dtype})", shape, dtype, False)
    kernel.emit(f"for k{n} in range({kernel.random.choice(('3', 'pid + 2', 'tl.num_programs(0)'))}):")
    kernel.depth += 1
    known = len(kernel.values)
    part = kernel.new(f"tl.load(p{n}{mask(kernel, shape, 0)})", shape, dtype, True)
    if kernel.random.random() < 0.5:
        kernel.statement()
    combined = f"tl.maximum({total.name}, {part.name})" if total.is_float else f"{total.name} + {part.name}"
    kernel.emit(f"{total.name} = {combined}")
    kernel.emit(f"p{n} += {kernel.random.choice((1, 16, 64))}")
    kernel.depth -= 1
    del kernel.values[known:]
    return True


def exchange(kernel):
    """A loop that swaps two variables in each iteration."""
    if kernel.depth > 2:
        return None
    a = kernel.pick(lambda v: v.shape and not v.is_bool)
    b = a and kernel.pick(lambda v: v is not a and v.shape == a.shape and v.dtype == a.dtype)
    if not b:
        return None
    first = kernel.new(a.name, a.shape, a.dtype, False)
    second = kernel.new(b.name, a.shape, a.dtype, False)
    kernel.count += 1
    n = kernel.count
    kernel.emit(f"for j{n} in {kernel.random.choice(('range(3)', 'range(pid + 1)', 'tl.static_range(2)'))}:")
    known = len(kernel.values)
    kernel.depth += 1
    if kernel.random.random() < 0.6:
        kernel.statement()
    made = kernel.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype)
    fresh = f"tl.minimum({second.name}, {made.name})" if a.is_float else f"{second.name} + {made.name}"
    kernel.emit(f"t{n} = {first.name}")
    kernel.emit(f"{first.name} = {kernel.random.choice((second.name, fresh))}")
    kernel.emit(f"{second.name} = t{n}")
    kernel.depth -= 1
    del kernel.values[known:]
    return True


def decide(kernel):
    """A branch on a computed scalar."""
    if kernel.depth > 2:
        return None
    condition = kernel.pick(lambda v: not v.shape and v.dtype in ("int32", "int64", "uint32"))
    changed = condition and kernel.pick(lambda v: v.shape and not v.is_bool)
    if not changed:
        return None
    carried = kernel.new(changed.name, changed.shape, changed.dtype, False)
    known = len(kernel.values)
    if kernel.random.random() < 0.3:
        kernel.count += 1
        kernel.emit(f"left{kernel.count} = ({condition.name} & 3).to(tl.int32)")
        counter = f"left{kernel.count}"
        kernel.emit(f"while {counter} > 0:")
        kernel.body(carried, known, counter, "-= 1")
        return True
    kernel.emit(f"if ({condition.name} & {kernel.random.choice((1, 2, 4))}) == 0:")
    kernel.body(carried, known, None)
    if kernel.random.random() < 0.5:
        kernel.emit("else:")
        kernel.body(carried, known, None)
    return True


def leave(kernel):
    if kernel.depth > 1 or kernel.random.random() < 0.7:
        return None
    kernel.emit(f"if pid {kernel.random.choice(('== 1', '> 1'))}:")
    kernel.emit("    return")
    return True


STATEMENTS = [put, put, put, fill, get, get, get, update, update, update, number, atomic, product, product, calls,
              run_along, exchange, decide, leave]
