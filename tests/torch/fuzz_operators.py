"""The operators that fuzz_plans.py calls: for each name, a function that makes a random call out of a case."""
import torch
from fuzz_cases import FLOATS, INTEGERS

BOOL = (torch.bool,)
OPERATORS = {}


def operator(function):
    OPERATORS[function.__name__.rstrip("_")] = function
    return function


def add_unary(names, groups, kind="any", forms="fffio"):
    for name in names.split():
        def make(case, name=name):
            case.kind = kind
            return case.call(name, [case.tensor(case.dtype(*groups))], forms=forms)
        OPERATORS[name] = make


def add_binary(names, groups, kind=None, first="any"):
    for name in names.split():
        def make(case, name=name):
            left = case.tensor(case.dtype(*groups), kind=first)
            return case.call(name, [left, case.operand(left, kind)])
        OPERATORS[name] = make


add_unary("abs neg square sign", (FLOATS, INTEGERS))
add_unary("sin cos tanh sigmoid exp erf floor ceil round trunc relu reciprocal", (FLOATS,))
add_unary("sqrt rsqrt log log1p", (FLOATS,), "positive")
add_unary("isnan isfinite", (FLOATS, INTEGERS), forms="f")
add_unary("logical_not", (FLOATS, INTEGERS, BOOL))
add_unary("bitwise_not", (INTEGERS, BOOL))
add_unary("nn.functional.gelu nn.functional.silu nn.functional.softplus nn.functional.hardtanh", (FLOATS,), forms="f")
add_binary("add sub mul maximum minimum eq ne lt ge logical_and logical_or", (FLOATS, INTEGERS, BOOL))
add_binary("div remainder fmod floor_divide", (FLOATS, INTEGERS), "nonzero")
add_binary("pow", (FLOATS,), None, "positive")
add_binary("bitwise_and bitwise_xor", (INTEGERS, BOOL))
add_binary("atan2 hypot copysign", (FLOATS,))


@operator
def add_alpha(case):
    left = case.tensor(case.dtype())
    return case.call("add", [left, case.operand(left)], {"alpha": case.number()})


@operator
def clamp(case):
    x = case.tensor(case.dtype())
    if case.flag():
        return case.call("clamp", [x], {"min": case.number(), "max": case.number()})
    return case.call("clamp", [x, case.broadcast(x.memory.dtype), case.broadcast(x.memory.dtype)])


@operator
def where(case):
    x = case.tensor(case.dtype(FLOATS, INTEGERS, BOOL))
    return case.call("where", [case.broadcast(torch.bool), x, case.operand(x)], forms="ffo")


@operator
def lerp(case):
    x = case.tensor(case.dtype(FLOATS))
    return case.call("lerp", [x, case.related(x), 0.25 if case.flag() else case.broadcast(x.memory.dtype)])


@operator
def addcmul(case):
    x = case.tensor(case.dtype(FLOATS, INTEGERS))
    return case.call("addcmul", [x, case.related(x), case.broadcast(x.memory.dtype)], {"value": case.value.randint(-2, 3)})


@operator
def masked_fill(case):
    x = case.tensor(case.dtype(FLOATS, INTEGERS, BOOL))
    return case.call("masked_fill", [x, case.broadcast(torch.bool), case.number(x.memory.dtype)], forms="ffi")


@operator
def fill(case):
    x = case.tensor(case.dtype(FLOATS, INTEGERS, BOOL))
    return case.call("fill", [x, case.number(x.memory.dtype)], forms="ffi")


@operator
def copy(case):
    x = case.tensor(case.dtype(FLOATS, INTEGERS, BOOL))
    case.kind = "positive"  # conversions of negative floats to unsigned integers differ
    return case.call("Tensor.copy", [x, case.operand(x) if case.flag() else case.broadcast(x.memory.dtype)], forms="i")


@operator
def to(case):
    case.kind = "positive"
    return case.call("Tensor.to", [case.tensor(case.dtype()), case.dtype(FLOATS, INTEGERS, BOOL)], forms="f")


@operator
def contiguous(case):
    return case.call("Tensor.contiguous" if case.flag() else "clone", [case.tensor(case.dtype())], forms="f")


def add_reductions(names, groups, with_keepdim=True):
    for name in names.split():
        def make(case, name=name):
            x = case.tensor(case.dtype(*groups))
            if case.flag():
                return case.call(name, [x], forms="f")
            return case.call(name, [x, case.dim()], {"keepdim": case.flag()} if with_keepdim else {}, forms="ffo")
        OPERATORS[name] = make


add_reductions("sum mean logsumexp amax amin var std", (FLOATS,))
add_reductions("prod", ((torch.float32, torch.float64),))
add_reductions("argmax argmin", (FLOATS,))
add_reductions("all any count_nonzero", (FLOATS, INTEGERS, BOOL), False)
OPERATORS["logsumexp"] = lambda case: case.call("logsumexp", [case.tensor(case.dtype(FLOATS)), case.dim()], forms="fo")


@operator
def sum_integers(case):
    named = {"dtype": case.shape.choice((torch.int64, torch.float32, torch.int32))} if case.flag() else {}
    return case.call("sum", [case.tensor(case.dtype(INTEGERS, BOOL))], named, forms="f")


@operator
def max_(case):
    return case.call(case.shape.choice(("max", "min")), [case.tensor(case.dtype(FLOATS)), case.dim(), case.flag()], forms="f")


@operator
def cumsum(case):
    return case.call("cumsum", [case.tensor(case.dtype()), case.dim()])


@operator
def softmax(case):
    name = case.shape.choice(("softmax", "log_softmax"))
    return case.call(name, [case.tensor(case.dtype(FLOATS)), case.dim()], forms="f")


@operator
def sort(case):
    case.kind = "exact"
    return case.call("sort", [case.tensor(case.dtype())], {"dim": case.dim(), "stable": True}, forms="f")


@operator
def flip(case):
    return case.call("flip", [case.tensor(case.dtype(FLOATS, INTEGERS, BOOL)), [case.dim()]], forms="f")


@operator
def roll(case):
    return case.call("roll", [case.tensor(case.dtype()), case.value.randint(-3, 3)],
                     {"dims": case.dim()} if case.flag() else {}, forms="f")


@operator
def tril(case):
    return case.call(case.shape.choice(("tril", "triu")), [case.tensor(case.dtype(FLOATS, INTEGERS, BOOL)),
                                                          case.value.randint(-2, 2)])


@operator
def cat(case):
    x, dim = case.tensor(case.dtype()), case.dim()
    parts = [x]
    for _ in range(case.shape.randint(0, 2)):
        sizes = list(case.sizes)
        if sizes:
            sizes[dim] = case.value.choice((0, 1, 2, 5, 9))
        other = case.dtype() if case.shape.random() < 0.2 else x.memory.dtype
        parts.append(case.tensor(other, sizes) if case.flag() else case.related(x))
    return case.call(case.shape.choice(("cat", "cat", "stack")), [parts, dim], forms="ffo")


@operator
def repeat(case):
    return case.call("Tensor.repeat", [case.tensor(case.dtype()), [case.value.randint(0, 3) for _ in range(case.rank)]], forms="f")


@operator
def pad(case):
    pads = [case.value.randint(0, 3) for _ in range(2 * min(case.rank, case.shape.randint(1, 2)))]
    x = case.tensor(case.dtype())
    return case.call("nn.functional.pad", [x, pads], {"value": case.number(x.memory.dtype)}, forms="f")


@operator
def index_select(case):
    dim = case.dim()
    count = case.sizes[dim] if case.rank else 1
    return case.call("index_select", [case.tensor(case.dtype()), dim, case.index(count, [case.value.choice((1, 2, 5))])],
                     forms="ffo")


@operator
def gather(case):
    dim = case.dim()
    index = case.index(case.sizes[dim] if case.rank else 1, case.sizes)
    return case.call("gather", [case.tensor(case.dtype()), dim, index], forms="ffo")


@operator
def scatter(case):
    dim = case.dim()
    x = case.tensor(case.dtype(FLOATS))
    index = case.index(case.sizes[dim] if case.rank else 1, case.sizes)
    case.kind = "exact"
    x.memory.kind = "exact"
    if case.flag():  # of equal elements, any may be the last
        return case.call("scatter", [x, dim, index, case.value.randint(-3, 3)])
    return case.call("scatter_add", [x, dim, index, case.tensor(x.memory.dtype)])


@operator
def index(case):
    x = case.tensor(case.dtype(FLOATS, INTEGERS, BOOL))
    if not case.rank:
        return case.call("clone", [x], forms="f")
    return case.call("ops.aten.index", [x, [case.index(case.sizes[0], [case.value.choice((1, 2, 5))])]], forms="f")


@operator
def index_put(case):
    x = case.tensor(case.dtype(FLOATS), kind="exact")
    if not case.rank:
        return case.call("clone", [x], forms="f")
    where = case.index(case.sizes[0], [case.value.choice((1, 2, 5))])
    value = case.tensor(x.memory.dtype, (), "exact")
    return case.call("index_put", [x, [where], value], {"accumulate": case.flag()}, forms="fi")


@operator
def full_like(case):
    x = case.tensor(case.dtype())
    return case.call("full_like", [x, case.number(x.memory.dtype)], forms="f")


@operator
def layer_norm(case):
    x = case.tensor(case.dtype(FLOATS))
    if not case.rank:
        return case.call("clone", [x], forms="f")
    width = [case.sizes[-1]]
    return case.call("nn.functional.layer_norm", [x, width, case.tensor(x.memory.dtype, width), case.tensor(x.memory.dtype, width)],
                     forms="f")


@operator
def mm(case):
    dtype = case.dtype(FLOATS)
    m, k, n = (case.value.choice((0, 1, 2, 3, 5, 16, 33)) for _ in range(3))
    return case.call("mm", [case.tensor(dtype, (m, k)), case.tensor(dtype, (k, n))], forms="ffo")


@operator
def addmm(case):
    dtype = case.dtype(FLOATS)
    m, k, n = (case.value.choice((1, 2, 3, 5, 16, 33)) for _ in range(3))
    bias = case.tensor(dtype, case.shape.choice(((n,), (m, n), (1, n), ())))
    return case.call("addmm", [bias, case.tensor(dtype, (m, k)), case.tensor(dtype, (k, n))],
                     {"beta": case.number(), "alpha": case.number()} if case.flag() else {}, forms="ffo")


@operator
def bmm(case):
    dtype = case.dtype(FLOATS)
    b, m, k, n = (case.value.choice((1, 2, 3, 5, 16)) for _ in range(4))
    return case.call("bmm", [case.tensor(dtype, (b, m, k)), case.tensor(dtype, (b, k, n))], forms="ffo")


@operator
def embedding(case):
    rows, width = case.value.choice((1, 2, 10)), case.value.choice((1, 3, 16))
    return case.call("nn.functional.embedding", [case.index(rows, case.sizes), case.tensor(case.dtype(FLOATS), (rows, width))],
                     forms="f")


@operator
def linear(case):
    dtype = case.dtype(FLOATS)
    inner, outer = case.value.choice((1, 3, 16, 40)), case.value.choice((1, 2, 5, 33))
    sizes = (*case.sizes[:-1], inner)
    return case.call("nn.functional.linear", [case.tensor(dtype, sizes), case.tensor(dtype, (outer, inner)),
                                              case.tensor(dtype, (outer,))], forms="f")
