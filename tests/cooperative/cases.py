"""Kernels with cooperative matrices in MLIR's spirv dialect, and the results that NumPy computes for them."""
import dataclasses

import numpy as np

NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16,
         "i8": np.int8, "u8": np.uint8, "i16": np.int16, "i32": np.int32, "u32": np.uint32}
USES = {"a": "MatrixA", "b": "MatrixB", "c": "MatrixAcc"}


def plain(type):
    """Returns the signless form of a type: MLIR's integers have no sign, but operands of products do."""
    return type.replace("u", "i")


def widened(array, type):
    """Returns the exact values of an array's bits. A bf16 is the upper half of an f32."""
    if type == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64) if type.startswith("f") else array.astype(np.int64)


def random(rng, type, shape, small=False):
    """Returns floats with few bits, whose sums are exact, or integers with any bits."""
    if type.startswith(("i", "u")):
        info = np.iinfo(NUMPY[type])
        return rng.integers(info.min, info.max, shape, NUMPY[type], endpoint=True)
    values = (rng.integers(-8, 9, shape) if small else rng.standard_normal(shape) * 4)
    if type == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(NUMPY[type])


@dataclasses.dataclass
class Buffer:
    name: str
    type: str
    data: np.ndarray
    expect: np.ndarray = None
    relative: float = 0


@dataclasses.dataclass
class Case:
    name: str
    body: str
    buffers: list
    more: str = ""  # other functions and variables
    size: int = 32  # invocations of the workgroup


class Writer:
    """Builds the text of a kernel's body, with short calls for constants, pointers, loads and stores."""

    def __init__(self, name):
        self.name, self.lines, self.count, self.buffers = name, [], 0, []

    def value(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append(text)

    def integer(self, number):
        return self.value(f"spirv.Constant {number} : i32")

    def pointer(self, buffer, at=0):
        """Returns a pointer to element `at` of a buffer. Declares the buffer if it is new."""
        if buffer not in self.buffers:
            self.buffers.append(buffer)
        type = plain(buffer.type)
        block = struct_of(type)
        base = self.value(f"spirv.mlir.addressof @{self.name}_{buffer.name} : {block}")
        zero, index = self.integer(0), self.integer(at)
        return self.value(f"spirv.AccessChain {base}[{zero}, {index}] : {block}, i32, i32 -> "
                          f"!spirv.ptr<{type}, StorageBuffer>")

    def load(self, buffer, matrix, stride, layout="RowMajor", at=0, operands=""):
        pointer, step = self.pointer(buffer, at), self.integer(stride)
        return self.value(f"spirv.KHR.CooperativeMatrixLoad {pointer}, {step}, <{layout}>"
                          f"{operands} : !spirv.ptr<{plain(buffer.type)}, StorageBuffer>, i32 -> "
                          f"{matrix}")

    def store(self, buffer, value, matrix, stride, layout="RowMajor", at=0):
        pointer, step = self.pointer(buffer, at), self.integer(stride)
        self.line(f"spirv.KHR.CooperativeMatrixStore {pointer}, {value}, {step}, <{layout}> : "
                  f"!spirv.ptr<{plain(buffer.type)}, StorageBuffer>, {matrix}, i32")

    def case(self, more="", size=32):
        return Case(self.name, "\n".join(self.lines), self.buffers, more, size)


SIZES = {"i8": 1, "i16": 2, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "f64": 8}


def struct_of(type):
    return (f"!spirv.ptr<!spirv.struct<(!spirv.rtarray<{type}, stride={SIZES[type]}> [0])>, "
            "StorageBuffer>")


def matrix_type(rows, columns, type, use="c"):
    return f"!spirv.coopmatrix<{rows}x{columns}x{plain(type)}, Subgroup, {USES[use]}>"


def variables(case):
    return "\n".join(f"spirv.GlobalVariable @{case.name}_{b.name} bind(0, {i}) : "
                     f"{struct_of(plain(b.type))}" for i, b in enumerate(case.buffers))


def module(cases):
    """Returns one module of all cases, with an entry point for each."""
    text = ["spirv.module Logical Vulkan requires #spirv.vce<v1.6, [Shader, CooperativeMatrixKHR, "
            "VulkanMemoryModel, Float16, Float64, Int8, Int16, StorageBuffer8BitAccess, "
            "StorageBuffer16BitAccess, BFloat16TypeKHR, BFloat16CooperativeMatrixKHR], "
            "[SPV_KHR_cooperative_matrix, SPV_KHR_bfloat16]> {",
            'spirv.GlobalVariable @lane built_in("SubgroupLocalInvocationId") : '
            "!spirv.ptr<i32, Input>",
            'spirv.GlobalVariable @lanes built_in("SubgroupSize") : !spirv.ptr<i32, Input>']
    for case in cases:
        names = "".join(f", @{case.name}_{b.name}" for b in case.buffers)
        shared = f", @{case.name}_shared" if "_shared :" in case.more else ""
        text += [variables(case), case.more, f'spirv.func @{case.name}() "None" {{', case.body,
                 "spirv.Return", "}",
                 f'spirv.EntryPoint "GLCompute" @{case.name}, @lane, @lanes{names}{shared}',
                 f'spirv.ExecutionMode @{case.name} "LocalSize", {case.size}, 1, 1']
    return "\n".join(text) + "\n}\n"


def laid_out(array, layout, stride, at, fill):
    """Returns a matrix as it lies in memory: after `at` elements, and with gaps between lines."""
    lines = array if layout == "RowMajor" else array.T
    memory = np.full(at + lines.shape[0] * stride + 3, fill, array.dtype)
    for i, line in enumerate(lines):
        memory[at + i * stride:at + i * stride + line.size] = line
    return memory
