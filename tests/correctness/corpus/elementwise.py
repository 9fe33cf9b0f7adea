"""Kernels that load an element of each input, compute, and store an element to each output."""
import numpy as np

from corpus.case import Buffer, Launch, case, from_bf16, to_bf16

COUNT = 128
FLOATS = ["bf16", "f16", "f32", "f64"]


def kernel(name, inputs, outputs, lines):
    """Makes a kernel whose `lines` compute %r0, %r1, ... from %a0, %a1, ..."""
    memory = [(f"%x{i}", "%a", i, type) for i, type in enumerate(inputs)]
    memory += [(f"%y{i}", "%r", i, type) for i, type in enumerate(outputs)]
    arguments = ", ".join(f"{at}: memref<?x{type}>" for at, _, _, type in memory)
    loads = [f"%a{i} = memref.load {at}[%i] : memref<?x{type}>"
             for at, value, i, type in memory if value == "%a"]
    stores = [f"memref.store %r{i}, {at}[%i] : memref<?x{type}>"
              for at, value, i, type in memory if value == "%r"]
    body = "\n      ".join(loads + list(lines) + stores)
    return f"""
    gpu.func @{name}({arguments}) kernel
        attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
      %i = gpu.global_id x
      {body}
      gpu.return
    }}"""


class Module:
    """A module of element-wise kernels, which grows while cases are registered."""

    def __init__(self, name):
        self.name, self.kernels = name, []

    def source(self):
        def text():
            return (f"module attributes {{gpu.container_module}} {{\n  gpu.module @{self.name} {{"
                    + "".join(self.kernels) + "\n  }\n}\n")

        text.__name__ = self.name
        return text

    def add(self, name, inputs, outputs, lines, make, **options):
        """Registers a kernel. `make` takes a Context, and returns the arrays of the inputs and the Buffers of the
        outputs with their expected contents."""
        self.kernels.append(kernel(name, inputs, outputs, lines))

        def launch(c):
            arrays, expected = make(c)
            buffers = [Buffer(array, type="bf16" if type == "bf16" else None)
                       for array, type in zip(arrays, inputs)]
            return Launch(buffers + expected, groups=[len(arrays[0]) // 64])

        case(self.source(), name, **options)(launch)


def encode(values, type):
    """Returns values rounded to a floating-point type, in the form in which memory holds them."""
    with np.errstate(all="ignore"):
        return to_bf16(np.asarray(values, np.float32)) if type == "bf16" else \
            np.asarray(values).astype(f"float{type[1:]}")


def decode(array, type):
    return (from_bf16(array) if type == "bf16" else array).astype(np.float64)


def output(values, type="", **tolerance):
    """Returns an output that must hold these values, which are already encoded."""
    return Buffer(np.zeros_like(values), values, type="bf16" if type == "bf16" else None,
                  **tolerance)
