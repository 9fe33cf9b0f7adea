"""A kernel of the sweep: its text, its arguments, and the results that NumPy expects."""
import zlib
from dataclasses import dataclass, field

import numpy as np

import values


@dataclass
class Case:
    name: str  # "family/operation/types"
    body: str  # the kernel's body; its parameters are the keys of `arguments`
    arguments: dict  # by name: (Type, stored array) for a pointer, (Type, number) for a scalar
    expected: dict  # by name: stored array, or numbers if `tolerance` is given
    tolerance: float = 0.0  # relative; 0: equal bits, except for NaNs
    grid: tuple = (1,)
    prelude: str = ""  # functions that the kernel calls
    options: dict = field(default_factory=dict)  # options of the front end
    absolute: float = 0.0
    fails: str = ""  # expected text in the compiler's error
    places: dict = field(default_factory=dict)  # by name: the element to which a pointer points, by default the first
    reports: str = ""  # the kind of error that `check` must report
    since: tuple = ()  # the first version of Triton with the functions that the kernel calls, as (3, 9)
    before: tuple = ()  # the first version of Triton without them; () for none

    def is_for(self, version):
        return version >= self.since and (not self.before or version < self.before)

    @property
    def kernel(self):
        return self.name.replace("/", "_").replace(".", "_").replace("-", "_")

    @property
    def source(self):
        lines = "\n".join("    " + line for line in self.body.strip("\n").split("\n"))
        return (f"{self.prelude}\n\n@triton.jit\ndef {self.kernel}({', '.join(self.arguments)}):\n"
                f"{lines}\n")

    @property
    def types(self):
        return [("*" if isinstance(value, np.ndarray) else "") + type.name
                for type, value in self.arguments.values()]


def rng(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def offsets(shape):
    """Returns the text of the row-major offset of each element of a block."""
    terms = []
    for axis, size in enumerate(shape):
        index = "".join(", " + (":" if axis == i else "None") for i in range(len(shape)))[2:]
        index = f"[{index}]" if len(shape) > 1 else ""
        stride = int(np.prod(shape[axis + 1:]))
        terms.append(f"tl.arange(0, {size}){index}" + (f" * {stride}" if stride != 1 else ""))
    return " + ".join(terms)


def elementwise(name, text, inputs, out, reference, shape=(64,), low=None, high=None, tolerance=None,
                data=None, prelude="", absolute=0.0):
    """Returns a case for out = text(x, y, z). `inputs` are types; the reference takes and returns numbers."""
    draw = rng(name)
    bounds = lambda b, i: b[i] if isinstance(b, (list, tuple)) else b
    stored = data or [values.sample(draw, t, shape, bounds(low, i), bounds(high, i))
                      for i, t in enumerate(inputs)]
    names = "XYZW"[:len(inputs)]
    loads = "".join(f"{n.lower()} = tl.load({n} + i)\n" for n in names)
    body = f"i = {offsets(shape)}\n{loads}tl.store(R + i, {text})"
    with np.errstate(all="ignore"):
        numbers = reference(*[t.decode(s) for t, s in zip(inputs, stored)])
    arguments = {n: (t, s) for n, t, s in zip(names, inputs, stored)}
    arguments["R"] = (out, np.zeros(np.shape(numbers), out.storage))
    if tolerance is None:
        tolerance = 0.0 if out.kind != "f" else 2.5 * out.epsilon
    expected = np.asarray(numbers) if tolerance else out.encode(numbers)
    return Case(name, body, arguments, {"R": expected}, tolerance, prelude=prelude, absolute=absolute)
