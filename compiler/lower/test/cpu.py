"""Runs functions of a gpu.module on the CPU, with and without our passes, to compare the results.

The kernels use vk.binding for their buffers, which become function arguments here. Upstream's passes
lower the rest to LLVM. One thread runs a kernel, so atomics need not be atomic.
"""
import ctypes
import os
import re
import subprocess
import tempfile

import numpy as np


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[:3000]}")
    return done.stdout


def to_functions(text):
    """Turns gpu.module into module, and gpu.func into func.func with a parameter for each binding."""
    if text.startswith("module {"):  # pumice-opt prints the enclosing module too
        text = text.strip()[len("module {"):-1]
    text = re.sub(r", #gpu.address_space<\w+>", "", text)
    text = re.sub(r"gpu\.module @\w+ attributes \{.*\} \{", "module {", text)

    def convert(match):
        name, body = match.group(1), match.group(2)
        bindings = {}

        def take(binding):
            value, number, type_ = binding.groups()
            bindings[int(number)] = type_
            aliases.append((value, f"%binding{number}"))
            return ""

        aliases = []
        body = re.sub(r" *(%\w+) = vk\.binding set\(0\) binding\((\d+)\) : (.*)\n", take, body)
        for value, parameter in aliases:
            body = re.sub(re.escape(value) + r"(?!\w)", parameter, body)
        body = body.replace("gpu.return", "return")
        parameters = ", ".join(f"%binding{i}: {bindings[i]}" for i in sorted(bindings))
        return (f"func.func @{name}({parameters}) attributes {{llvm.emit_c_interface}} {{\n{body}")

    text = re.sub(r"gpu\.func @(\w+)\(\) kernel \{\n(.*?gpu\.return\n)", convert, text, flags=re.S)
    # There is only one thread, so an exchange can be a load and a store.
    return re.sub(
        r"%(\w+) = vk\.atomic_cmpxchg (%\w+), (%\w+), (%\w+\[%\w+\]) : (memref<\S*?xi(\d+)>)",
        r"%\1 = memref.load \4 : \5\n%is_\1 = arith.cmpi eq, %\1, \2 : i\6\n"
        r"%new_\1 = arith.select %is_\1, \3, %\1 : i\6\nmemref.store %new_\1, \4 : \5", text)



LOWERING = [
    "--arith-expand", "--memref-expand", "--convert-scf-to-cf", "--convert-vector-to-llvm",
    "--convert-math-to-llvm", "--finalize-memref-to-llvm", "--convert-to-llvm",
    "--reconcile-unrealized-casts"
]


class Library:
    """Compiles the kernels of one module to native code. `passes` are Pumice's passes, run before the lowering."""

    def __init__(self, text, passes=()):
        if passes:
            text = run(["pumice-opt", *passes], text)
        text = run(["mlir-opt", *LOWERING], to_functions(text))
        text = run(["mlir-translate", "--mlir-to-llvmir"], text)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernels.so")
            command = ["clang-22", "-x", "ir", "-O1", "-march=native", "-shared", "-fPIC",
                       "-Wno-override-module", "-o", path, "-", "-lm"]
            run(command, text)
            self.library = ctypes.CDLL(path)

    def __call__(self, name, *arrays):
        """Runs a kernel. Each array is a memref<?xT>: pointers, offset, size, stride."""

        class Descriptor(ctypes.Structure):
            _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                        ("offset", ctypes.c_int64), ("size", ctypes.c_int64),
                        ("stride", ctypes.c_int64)]

        descriptors = [
            Descriptor(a.ctypes.data, a.ctypes.data, 0, a.size, 1) for a in arrays
        ]
        getattr(self.library, "_mlir_ciface_kernel_" + name)(*[ctypes.byref(d) for d in descriptors])


def kernel(name, types, body, count):
    """Returns a kernel that runs `body` for every %i below `count`. The buffers are %b0, %b1, ..."""
    bindings = "\n".join(f"    %b{i} = vk.binding set(0) binding({i}) : memref<?x{t}>"
                         for i, t in enumerate(types))
    return f"""  gpu.func @kernel_{name}() kernel {{
{bindings}
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %count = arith.constant {count} : index
    scf.for %i = %zero to %count step %one {{
{body}
    }}
    gpu.return
  }}
"""


def module(kernels, features=()):
    env = f"#vk.target_env<v1.3, r(0), [VK_EXT_shader_atomic_float], {{{', '.join(features)}}}>"
    return f"gpu.module @m attributes {{vk.target_env = {env}}} {{\n{''.join(kernels)}}}\n"


def dtype_for(width):
    """Returns the host's array type for iN, with LLVM's size in memory."""
    return {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[1 << max(
        0, ((width + 7) // 8 - 1).bit_length())]
