"""Computes norms of f16 as precisely as CUDA, which sums weights' gradients in float32. The CPU sums them in f16."""
from __future__ import annotations

from typing import Any

import torch

from .asking import replace

_HALVES = (torch.float16, torch.bfloat16)


def install() -> None:
    """Replaces torch.nn.functional.layer_norm."""
    layer_norm = torch.nn.functional.layer_norm

    def exact(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
        given = (input, weight, bias)
        needs = torch.is_grad_enabled() and any(each is not None and each.requires_grad for each in given)
        if input.dtype not in _HALVES or not needs or torch.compiler.is_compiling():
            return layer_norm(input, normalized_shape, weight, bias, eps)
        wide = [None if each is None else each.float() for each in given]
        return layer_norm(wide[0], normalized_shape, *wide[1:], eps).to(input.dtype)

    replace(torch.nn.functional, "layer_norm", exact)
