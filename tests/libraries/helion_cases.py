"""helion: kernels in its own language, which it compiles to Triton. It ships no kernels, so this file has some."""
import functools

import torch
import torch.nn.functional as functional
from harness import Table

TABLE = Table("helion", "helion")


@functools.cache
def kernels():
    import importlib
    return importlib.import_module("helion_kernels")


def by(name):
    return lambda *given: getattr(kernels(), name)(*given)


def rows():
    return torch.randn(100, 70, device="cpu")


TABLE.check("add", by("add"), torch.add, rows, rows, backward=False)
TABLE.check("matmul", by("matmul"), torch.matmul, rows, lambda: torch.randn(70, 90, device="cpu"), backward=False, atol=1e-3)
TABLE.check("matmul, bf16", by("matmul"), torch.matmul, lambda: rows().bfloat16(), lambda: torch.randn(70, 90, device="cpu").bfloat16(),
            backward=False, atol=1e-1, rtol=2e-2)
TABLE.check("softmax", by("softmax"), lambda x: x.softmax(1), rows, backward=False)
TABLE.check("layer_norm", by("layer_norm"), lambda x, w, b: functional.layer_norm(x, (70,), w, b), rows,
            lambda: torch.randn(70, device="cpu"), lambda: torch.randn(70, device="cpu"), backward=False)
TABLE.check("row sums in pieces", by("row_sums"), lambda x: x.sum(1), rows, backward=False)
TABLE.check("gelu of a product", by("gelu_of_product"), lambda x, y: functional.gelu(x @ y, approximate="tanh"), rows,
            lambda: torch.randn(70, 90, device="cpu"), backward=False, atol=1e-3)
TABLE.check("attention", by("attention"), functional.scaled_dot_product_attention,
            *[lambda: torch.randn(2, 64, 32, device="cpu")] * 3, backward=False, atol=1e-3)
TABLE.check("embedding", by("embedding"), lambda i, w: functional.embedding(i, w),
            lambda: torch.randint(50, (40,), device="cpu"), lambda: torch.randn(50, 64, device="cpu"), backward=False)
