"""Maps torch.autocast and GradScaler for device "cuda" to the CPU's, with the types that "cuda" has."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .asking import replace

if TYPE_CHECKING:
    from collections.abc import Callable

_CUDA_DEFAULT = torch.float16
_state = {"type": _CUDA_DEFAULT}


def _mapped(kind: Any) -> Any:
    """Returns "cpu" for a CUDA device's name, and other arguments unchanged."""
    return "cpu" if isinstance(kind, str) and kind.partition(":")[0] == "cuda" else kind


def install() -> None:
    """Replaces torch.autocast, its decorators and queries, and GradScaler."""
    _install_autocast()
    _install_queries()
    scaler = torch.amp.GradScaler
    make_scaler = scaler.__init__

    def init_scaler(self: Any, device: Any = "cuda", *given: Any, **named: Any) -> None:
        make_scaler(self, _mapped(device), *given, **named)

    replace(scaler, "__init__", init_scaler)


def _install_autocast() -> None:
    from torch.amp import autocast_mode
    make = torch.autocast.__init__

    def init(self: Any, device_type: Any, dtype: Any = None, enabled: bool = True,
             cache_enabled: bool | None = None) -> None:
        if _mapped(device_type) != device_type:
            device_type, dtype = "cpu", dtype or _state["type"]
            enabled = enabled and dtype is not torch.float32
        make(self, device_type, dtype, enabled, cache_enabled)

    replace(torch.autocast, "__init__", init)
    for name in ("custom_fwd", "custom_bwd"):
        replace(autocast_mode, name, _of_the_cpu(getattr(autocast_mode, name)))
        setattr(torch.amp, name, getattr(autocast_mode, name))
        setattr(torch.cuda.amp, name, _by_default(getattr(autocast_mode, name)))


def _of_the_cpu(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a decorator's replacement that maps its device."""
    def decorate(function: Any = None, *, device_type: Any, **named: Any) -> Any:
        return original(function, device_type=_mapped(device_type), **named)

    return decorate


def _by_default(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a decorator's replacement whose device is the CPU."""
    def decorate(function: Any = None, **named: Any) -> Any:
        return original(function, device_type="cpu", **named)

    return decorate


def _install_queries() -> None:
    is_enabled, get_type = torch.is_autocast_enabled, torch.get_autocast_dtype
    set_enabled, set_type = torch.set_autocast_enabled, torch.set_autocast_dtype

    def is_autocast_enabled(device_type: Any = "cuda") -> bool:
        return is_enabled(_mapped(device_type))

    def get_autocast_dtype(device_type: Any) -> torch.dtype:
        if _mapped(device_type) != device_type and not is_enabled("cpu"):
            return _state["type"]
        return get_type(_mapped(device_type))

    def set_autocast_enabled(*given: Any) -> None:
        device_type, enabled = given if len(given) == 2 else ("cuda", *given)
        set_enabled(_mapped(device_type), enabled)

    def set_autocast_dtype(device_type: Any, dtype: torch.dtype) -> None:
        if _mapped(device_type) != device_type:
            _state["type"] = dtype
        set_type(_mapped(device_type), dtype)

    for function in (is_autocast_enabled, get_autocast_dtype, set_autocast_enabled, set_autocast_dtype):
        replace(torch, function.__name__, function)
    replace(torch, "get_autocast_gpu_dtype", lambda: get_autocast_dtype("cuda"))
    replace(torch, "set_autocast_gpu_dtype", lambda dtype: set_autocast_dtype("cuda", dtype))
