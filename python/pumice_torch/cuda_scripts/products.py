"""The products that scripts compare with Triton's: cuBLAS, by the name by which Triton's wheel binds it."""
from __future__ import annotations

from typing import Any

import torch

from pumice_hooks import after_import


class CublasLt:
    """Replaces triton._C.libtriton.nvidia.cublas.CublasLt, by PyTorch's products in float32."""

    def __init__(self, workspace: Any) -> None:
        pass

    def matmul(self, a: Any, b: Any, c: Any) -> None:
        """Computes c = a @ b.T."""
        c.copy_(a.float() @ b.float().mT)

    def gemm(self, a: Any, b: Any, c: Any, d: Any, alpha: float, beta: float) -> None:
        """Computes d = alpha * a @ b.T + beta * c."""
        d.copy_(torch.add(c.float() * beta, a.float() @ b.float().mT, alpha=alpha))


def install() -> None:
    """Replaces the class once Triton's library is imported."""
    after_import("triton._C.libtriton", _bind)


def _bind(library: Any) -> None:
    """Replaces the class, if the library has it."""
    cublas = getattr(getattr(library, "nvidia", None), "cublas", None)
    if cublas is not None:
        cublas.CublasLt = CublasLt
