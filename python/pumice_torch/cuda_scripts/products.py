"""The products that scripts compare Triton's with: cuBLAS by the name that Triton's wheel binds it to."""
import torch

from pumice_hooks import after_import


class CublasLt:
    """triton._C.libtriton.nvidia.cublas.CublasLt, by PyTorch's products in float32."""

    def __init__(self, workspace):
        pass

    def matmul(self, a, b, c):
        """c = a @ b.T"""
        c.copy_(a.float() @ b.float().mT)

    def gemm(self, a, b, c, d, alpha, beta):
        """d = alpha * a @ b.T + beta * c"""
        d.copy_(torch.add(c.float() * beta, a.float() @ b.float().mT, alpha=alpha))


def install():
    after_import("triton._C.libtriton", _bind)


def _bind(library):
    cublas = getattr(getattr(library, "nvidia", None), "cublas", None)
    if cublas is not None:
        cublas.CublasLt = CublasLt
