"""The older names of mixed precision, as in torch.cuda.amp: `from torch.vk.amp import autocast, GradScaler`."""
from __future__ import annotations

import functools
from typing import Any

import torch

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(torch.amp.autocast):
    """The same as torch.autocast("vk", …)."""

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True) -> None:
        super().__init__("vk", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    """The same as torch.amp.GradScaler("vk", …)."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__("vk", *given, **named)


custom_fwd = functools.partial(torch.amp.custom_fwd, device_type="vk")
custom_bwd = functools.partial(torch.amp.custom_bwd, device_type="vk")
