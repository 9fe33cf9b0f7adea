"""Random calls of operators, for fuzz_plans.py: which operator, of which tensors in which memory, with which numbers.

A case has a *template* and a *variant*. The template decides the operator, types, ranks and layouts; the variant
decides sizes, numbers and values. So plans that one variant made serve others, or must refuse to.
"""
import dataclasses
import math
import random

import torch

FLOATS = (torch.float32, torch.float32, torch.float32, torch.float16, torch.bfloat16, torch.float64)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
SIZES = (2, 3, 4, 5, 7, 8, 16, 17, 33)
LARGE = (128, 130, 200, 257)
LAYOUTS = ("contiguous", "contiguous", "contiguous", "permuted", "stepped", "offset", "expanded", "sliced", "padded")


@dataclasses.dataclass
class Memory:
    """A storage, with values that a seed decides."""
    count: int
    dtype: torch.dtype
    seed: int
    kind: str = "any"  # or "positive", "nonzero", "index N", "exact" for what rounds equally everywhere

    def values(self):
        """Returns the elements."""
        generator = torch.Generator().manual_seed(self.seed)
        if self.kind.startswith("index"):
            return torch.randint(0, max(1, int(self.kind.split()[1])), (self.count,), generator=generator).to(self.dtype)
        if self.dtype == torch.bool:
            return torch.rand(self.count, generator=generator) < (0.5 if self.kind == "any" else 2)
        if self.dtype.is_floating_point and self.kind != "exact":
            made = torch.randn(self.count, generator=generator, dtype=torch.float64) * 2
            if self.kind in ("positive", "nonzero"):
                made = made.abs() + 0.25
            return made.to(self.dtype)
        low = 0 if self.dtype == torch.uint8 else -9
        made = torch.randint(low, 10, (self.count,), generator=generator)
        if self.kind in ("positive", "nonzero"):
            made = made.abs() + 1
        return made.to(self.dtype)


@dataclasses.dataclass
class Tensor:
    """A tensor as a view of a storage."""
    memory: Memory
    sizes: tuple
    strides: tuple
    offset: int = 0
    on_cpu: bool = False  # a tensor with one element may stay on the CPU


@dataclasses.dataclass
class Call:
    """An operator and its arguments, among which are tensors."""
    name: str
    form: str  # "function", "method" or "out"
    arguments: list
    named: dict

    def tensors(self):
        """Returns the tensors, each once."""
        found = []
        for value in (*self.arguments, *self.named.values()):
            for part in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(part, Tensor) and not any(part is one for one in found):
                    found.append(part)
        return found


def contiguous(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(1, size)
    return tuple(reversed(strides))


def extent(sizes, strides):
    """Returns the number of elements from the first to the last of a view."""
    return 0 if 0 in sizes else 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))


class Case:
    """Makes one call. `shape` decides the template, `value` the variant."""

    def __init__(self, shape, value):
        self.shape, self.value = shape, value
        self.rank = shape.choice((0, 1, 1, 2, 2, 2, 3, 3, 4))
        kinds = [shape.choice("zooo" + "s" * 30 + "L" * 3) for _ in range(self.rank)]
        if kinds.count("L") > 2 or len(kinds) > 2:
            kinds = [kind.replace("L", "s") for kind in kinds]
        self.sizes = tuple({"z": 0, "o": 1, "s": value.choice(SIZES), "L": value.choice(LARGE)}[kind] for kind in kinds)
        if math.prod(self.sizes) > 40000:
            self.sizes = tuple(min(size, 5) for size in self.sizes)
        self.kind = "any"

    # ---- Tensors

    def seed(self):
        return self.value.getrandbits(31)

    def tensor(self, dtype, sizes=None, kind=None, layout=None):
        """Returns a tensor in a layout of the template's."""
        sizes = self.sizes if sizes is None else tuple(sizes)
        layout = layout or self.shape.choice(LAYOUTS)
        dim = self.shape.randrange(len(sizes)) if sizes else 0
        order = self.shape.sample(range(len(sizes)), len(sizes))
        more, offset = self.shape.randrange(1, 4), 0
        if layout == "permuted":
            strides = [0] * len(sizes)
            for at, stride in zip(order, contiguous([sizes[at] for at in order])):
                strides[at] = stride
        elif layout == "expanded" and sizes:
            held = [1 if at == dim else size for at, size in enumerate(sizes)]
            strides = [0 if at == dim else stride for at, stride in enumerate(contiguous(held))]
        elif layout == "stepped" and sizes:  # every second element of a dimension
            wide = [2 * size if at == dim else size for at, size in enumerate(sizes)]
            strides = [2 * stride if at == dim else stride for at, stride in enumerate(contiguous(wide))]
        elif layout in ("sliced", "padded") and sizes:  # a part of a larger tensor
            wide = [size + more if at == dim else size for at, size in enumerate(sizes)]
            strides = contiguous(wide)
            offset = more * strides[dim] if layout == "sliced" else 0
        else:
            strides = contiguous(sizes)
            offset = more if layout == "offset" else 0
        spare = self.shape.choice((0, 0, 3))
        memory = Memory(offset + extent(sizes, strides) + spare, dtype, self.seed(), kind or self.kind)
        return Tensor(memory, sizes, tuple(strides), offset)

    def related(self, other):
        """Returns a tensor of the same type that may share the memory of another, which has no broadcast dimensions."""
        how = self.shape.choice(("own", "own", "own", "same", "again", "shifted", "flipped"))
        if how == "same":
            return other
        if how == "again":
            return dataclasses.replace(other)
        if how == "shifted" and other.sizes:
            by = self.shape.choice((1, 2, 7))
            other.memory.count += by
            return dataclasses.replace(other, offset=other.offset + by)
        if how == "flipped" and len(other.sizes) == 2 and other.sizes[0] == other.sizes[1]:
            return dataclasses.replace(other, strides=other.strides[::-1])
        return self.tensor(other.memory.dtype, kind=other.memory.kind)

    def broadcast(self, dtype, kind=None):
        """Returns a tensor that broadcasts to the sizes of the case. A few do not."""
        rank = self.shape.choice((self.rank, self.rank, self.rank, self.shape.randint(0, self.rank)))
        sizes = list(self.sizes[self.rank - rank:])
        for at in range(rank):
            if self.shape.random() < 0.2:
                sizes[at] = 1
        if sizes and self.shape.random() < 0.03:
            sizes[self.shape.randrange(rank)] = 6
        return self.tensor(dtype, sizes, kind)

    def number(self, dtype=None, kind=None):
        """Returns a number of Python's."""
        which = self.shape.choice(("int", "int", "float", "float", "bool"))
        if which == "bool":
            return self.value.random() < 0.5 if kind is None else True
        if which == "int":
            low = 1 if kind or dtype == torch.uint8 else -3
            return self.value.randint(low, 4)
        made = self.value.choice((-1.5, -0.0, 0.25, 2.0, 2.5, 1e-3, 3.7))
        return abs(made) + 0.5 if kind or dtype == torch.uint8 else made

    def operand(self, first, kind=None):
        """Returns the second operand of an operator of two tensors."""
        which = self.shape.choice(("tensor", "related", "other type", "number", "number", "0-d", "0-d of the CPU"))
        dtype = first.memory.dtype
        if which == "related":
            return self.related(first)
        if which == "other type":
            return self.broadcast(self.shape.choice(FLOATS + INTEGERS + (torch.bool,)), kind)
        if which == "number":
            return self.number(dtype, kind)
        if which.startswith("0-d"):
            made = self.tensor(self.shape.choice((dtype, torch.float32, torch.int64, torch.float64)), (), kind)
            made.on_cpu = which.endswith("CPU")
            return made
        return self.broadcast(dtype, kind)

    def dtype(self, *groups):
        return self.shape.choice([one for group in groups or (FLOATS, INTEGERS) for one in group])

    def dim(self):
        made = self.shape.randrange(max(1, self.rank))
        return made if self.shape.random() < 0.5 or not self.rank else made - self.rank

    def index(self, count, sizes):
        """Returns a tensor of indices below `count`."""
        return self.tensor(torch.int64, sizes, f"index {count}")

    def flag(self):
        return self.shape.random() < 0.5

    # ---- Forms

    def call(self, name, arguments, named=None, forms="fffio"):
        """Returns a call as a function, in place (a method), or with an out argument."""
        named = named or {}
        form = self.shape.choice(forms)
        if form == "i" and isinstance(arguments[0], Tensor):
            return Call(f"{name.split('.')[-1]}_", "method", arguments, named)
        if form == "o":
            return Call(name, "out", arguments, named)
        return Call(name, "function", arguments, named)

    def out_for(self, result, call):
        """Returns the tensor for an out argument, given what the function returns on the CPU."""
        how = self.shape.choice(("right", "right", "empty", "empty", "other type", "other size", "an argument", "overlap"))
        if how == "an argument":
            fitting = [one for one in call.tensors() if one.sizes == tuple(result.shape) and not one.on_cpu]
            if fitting:
                return fitting[0]
        if how == "overlap" and call.tensors() and not call.tensors()[0].on_cpu:
            first = call.tensors()[0]
            sizes = tuple(result.shape)
            first.memory.count = max(first.memory.count, 1 + extent(sizes, contiguous(sizes)))
            return Tensor(first.memory, sizes, contiguous(sizes), 1 if extent(sizes, contiguous(sizes)) else 0)
        dtype = self.shape.choice((torch.float64, torch.float32, torch.int64)) if how == "other type" else result.dtype
        sizes = {"empty": (0,), "other size": (*result.shape, 2)}.get(how, tuple(result.shape))
        layout = self.shape.choice(("contiguous", "permuted", "stepped", "sliced", "offset", "expanded"))
        return self.tensor(dtype, sizes, "any", "contiguous" if how == "empty" else layout)


def random_call(seed, number, variants, names):
    """Returns the case and the call of a number. `variants` of them have the same template."""
    import fuzz_operators
    shape = random.Random(f"{seed} {number // variants}")
    case = Case(shape, random.Random(f"{seed} {number} value"))
    name = shape.choice(names or sorted(fuzz_operators.OPERATORS))
    return name, case, fuzz_operators.OPERATORS[name](case)
