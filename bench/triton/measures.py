"""Lists what is timed: examples of Triton kernels, their sizes, and PyTorch's equivalents."""
import dataclasses
import importlib
import pathlib
import sys
import typing

import torch
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples" / "triton"))


@dataclasses.dataclass(frozen=True)
class Measure:
    name: str
    example: str                # A file of examples/triton.
    sizes: dict                 # The arguments of its `problem`.
    gpu: dict                   # The same on a GPU.
    small: dict                 # The same for the interpreter and for tests.
    eager: typing.Callable      # PyTorch's operation. If it can, it stores to the problem's last
                                # tensor and returns that or None. Otherwise it returns a new one.
    compiled: typing.Callable   # The function for torch.compile.
    reach: float | None = None  # The least speed-up over the faster PyTorch variant.
    interpreted: int | None = 300  # The least speed-up over the interpreter.
    on_gpu: float | None = None # The least speed-up over CUDA.
    choices: tuple = ()         # More sizes for GPUs, of which each subject takes its fastest.

    def problem(self, memory, form, choice):
        torch.manual_seed(1)
        sizes = {**getattr(self, form), **choice}
        return importlib.import_module(self.example).problem(memory, **sizes)

    def choices_of(self, form):
        return self.choices if form == "gpu" and self.choices else ({},)


def _copy(make):
    """Returns the operation as code that stores to the last tensor."""
    return lambda *tensors: tensors[-1].copy_(make(*tensors[:-1]))


def _new(make):
    """Returns the operation as code that ignores the last tensor."""
    return lambda *tensors: make(*tensors[:-1])


def _layer_norm(x, weight, bias):
    return functional.layer_norm(x, x.shape[1:], weight, bias)


def _layer_norm_into(x, weight, bias, out):
    rows = torch.empty(x.shape[0], 1, dtype=torch.float32)
    torch.ops.aten.native_layer_norm.out(x, x.shape[1:], weight, bias, 1e-5, out0=out, out1=rows,
                                         out2=torch.empty_like(rows))


def _sort_into(x, out):
    torch.sort(x, 1, out=(out, torch.empty(x.shape, dtype=torch.int64)))


def _count(x):
    return torch.bincount(x, minlength=256)


def _attend(causal):
    return lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


def _choices(*blocks):
    """Returns ("128x64 8", …): the block of a program, and its number of warps."""
    return tuple(dict(block=block, warps=int(warps)) for block, warps in map(str.split, blocks))


def _matmul(name, n, reach, dtype, gpu_n, block, **more):
    kind = dict(dtype=dtype, activation="")
    more["choices"] = _choices("128x128x32 4", "128x256x32 8") if dtype == "float32" else \
        _choices("128x128x64 4", "128x256x32 8", "128x256x64 8")
    return Measure(name, "matmul", dict(M=n, N=n, K=n, block=block, **kind),
                   dict(M=gpu_n, N=gpu_n, K=gpu_n, **kind),
                   dict(M=128, N=128, K=128, block="32x32x32", **kind),
                   lambda a, b, c: torch.matmul(a, b, out=c), _copy(torch.matmul), reach, 30, **more)


def _rows(name, rows, columns, reach, gpu, small, eager, operation, **more):
    example, _, rest = name.partition(" ")
    return Measure(name, more.pop("example", example), dict(rows=rows, columns=columns), gpu, small,
                   eager, _copy(operation), reach, **more)


def _softmax(rows, columns):
    return _rows(f"softmax of {columns}", rows, columns, 0.8, dict(rows=16384, columns=8192),
                 dict(rows=64, columns=1024), lambda x, out: torch.softmax(x, 1, out=out),
                 lambda x: torch.softmax(x, 1), on_gpu=0.8)


def _normalised(rows, columns):
    return _rows(f"layer norm of {columns}", rows, columns, 0.8,
                 dict(rows=16384, columns=8192, dtype="float16"), dict(rows=64, columns=1024),
                 _layer_norm_into, _layer_norm, on_gpu=0.8, example="layer_norm")


def _attention(name, dtype, causal, reach=0.4):
    shape = dict(batch=4, heads=8, length=1024, width=64, causal=causal, dtype=dtype)
    return Measure(name, "attention", dict(shape, block="64x64"),
                   dict(batch=4, heads=32, length=4096, width=64, causal=causal, dtype=dtype),
                   dict(batch=1, heads=2, length=128, width=64, causal=causal, dtype=dtype,
                        block="64x64"),
                   _new(_attend(causal)), _new(_attend(causal)), reach, 30,
                   choices=_choices("64x64 4", "128x64 4", "128x128 8"))


MEASURES = [
    Measure("add", "add", dict(n=1 << 26), dict(n=1 << 28), dict(n=1 << 18),
            lambda x, y, out: torch.add(x, y, out=out), _copy(torch.add), 0.8, on_gpu=0.8),
    _softmax(4096, 1024),
    _softmax(4096, 8192),
    _normalised(4096, 1024),
    _normalised(4096, 8192),
    _matmul("matmul f32 1024", 1024, 0.4, "float32", 4096, "64x64x32"),
    _matmul("matmul f32 2048", 2048, 0.4, "float32", 4096, "64x64x32"),
    _matmul("matmul bf16 2048", 2048, None, "bfloat16", 4096, "64x64x32"),
    _matmul("matmul f16 2048", 2048, None, "float16", 8192, "64x64x32", on_gpu=0.3),
    _attention("attention f32", "float32", False),
    _attention("attention f32, causal", "float32", True),
    _attention("attention bf16, causal", "bfloat16", True),
    _attention("attention f16, causal", "float16", True, None),
    Measure("dropout", "dropout", dict(n=1 << 26), dict(n=1 << 28), dict(n=1 << 16),
            _new(functional.dropout), _copy(functional.dropout), on_gpu=0.8),
    Measure("histogram", "histogram", dict(n=1 << 24), dict(n=1 << 24), dict(n=1 << 14),
            _copy(_count), _copy(_count), interpreted=None,
            choices=(dict(block=1024), dict(block=4096), dict(block=16384))),
    _rows("cumsum", 16384, 1024, None, dict(rows=16384, columns=1024), dict(rows=64, columns=1024),
          lambda x, out: torch.cumsum(x, 1, out=out), lambda x: torch.cumsum(x, 1)),
    _rows("sort", 1024, 1024, None, dict(rows=1024, columns=1024), dict(rows=4, columns=256),
          _sort_into, lambda x: torch.sort(x, 1).values),
]
