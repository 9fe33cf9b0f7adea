"""Divides gradients by the scale of torch.amp.GradScaler, and finds those that are not finite."""
from __future__ import annotations

import torch

_library = torch.library.Library("aten", "IMPL")


def arrange() -> None:
    """Registers the operator for vk. A plan of it would hold all gradients of a model, and so take long to compile."""
    _library.impl("_amp_foreach_non_finite_check_and_unscale_", _unscale, "PrivateUse1")


def _unscale(gradients: list[torch.Tensor], found_inf: torch.Tensor, inv_scale: torch.Tensor) -> None:
    """Multiplies gradients by a number. `found_inf` becomes 1 if an element is infinite or NaN, and else stays."""
    gradients = [one for one in gradients if one.numel()]
    if not gradients:
        return
    largest = torch.stack([one.float() for one in torch._foreach_norm(gradients, torch.inf)])
    found_inf.masked_fill_(~largest.isfinite().all(), 1.0)
    torch._foreach_mul_(gradients, inv_scale.reshape(()))
