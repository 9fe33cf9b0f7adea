"""The text of random kernels for execute-vectors.py: what all families of operations share."""

SIZE = 512  # elements of every flat buffer
ROWS, COLUMNS = 9, 11  # of the two-dimensional one


def product(shape):
    result = 1
    for size in shape:
        result *= size
    return result


def vec(shape, element):
    return "vector<" + "".join(f"{size}x" for size in shape) + element + ">"


class Kernel:
    """The text of one function, written line by line."""

    def __init__(self, rng):
        self.rng, self.lines, self.upstream, self.count = rng, [], {}, 0
        self.read = {"f32": 0, "i32": 0}
        self.written = {"f32": 0, "i32": 0}

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, text, results=1, upstream=None):
        names = [self.name() for _ in range(results)]
        prefix = ", ".join(names) + " = " if names else ""
        self.lines.append(prefix + text)
        if upstream:
            self.upstream[prefix + text] = prefix + upstream
        return names[0] if results == 1 else names

    def index(self, value):
        return self.op(f"arith.constant {value} : index")

    def flat(self, count, element):
        """Returns `count` new elements of the input as a vector of one dimension."""
        memref = "%f" if element == "f32" else "%i"
        start = self.read[element]
        self.read[element] = (start + count) % (SIZE // 2)
        assert start + count <= SIZE
        return self.op(
            f"vector.load {memref}[{self.index(start)}] : memref<{SIZE}x{element}>,"
            f" {vec([count], element)}"
        )

    def input(self, shape, element="f32"):
        flat = self.flat(product(shape), element)
        if len(shape) == 1:
            return flat
        return self.op(
            f"vector.shape_cast {flat} : {vec([product(shape)], element)} to {vec(shape, element)}"
        )

    def mask(self, shape):
        """Returns bits that differ from run to run."""
        value = self.input(shape, "i32")
        zero = self.op(f"arith.constant dense<0> : {vec(shape, 'i32')}")
        return self.op(f"arith.cmpi sgt, {value}, {zero} : {vec(shape, 'i32')}")

    def output(self, value, shape, element="f32"):
        memref = "%o" if element == "f32" else "%p"
        count = product(shape)
        if element == "index":
            value = self.op(
                f"arith.index_cast {value} : {vec(shape, element)} to {vec(shape, 'i32')}"
            )
            element = "i32"
        if element == "i1":
            value = self.op(f"arith.extui {value} : {vec(shape, element)} to {vec(shape, 'i32')}")
            element = "i32"
        if len(shape) != 1:
            value = self.op(
                f"vector.shape_cast {value} : {vec(shape, element)} to {vec([count], element)}"
            )
        start = self.written[element]
        self.written[element] += count
        assert self.written[element] <= SIZE, "a kernel writes too much"
        self.op(
            f"vector.store {value}, {memref}[{self.index(start)}] : memref<{SIZE}x{element}>,"
            f" {vec([count], element)}",
            0,
        )

    def scalar_output(self, value, element="f32"):
        self.output(
            self.op(f"vector.broadcast {value} : {element} to {vec([1], element)}"), [1], element
        )

    def shape(self, rank, largest=5, count=96):
        while True:
            shape = [self.rng.randint(1, largest) for _ in range(rank)]
            if product(shape) <= count:
                return shape


KINDS = {
    "f32": ["add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf"],
    "i32": ["add", "mul", "minsi", "minui", "maxsi", "maxui", "and", "or", "xor"],
}
FAMILIES = []


def family(function):
    FAMILIES.append(function)
    return function


def element_of(k):
    return k.rng.choice(["f32", "i32"])
