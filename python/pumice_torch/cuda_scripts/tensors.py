"""Replaces the answers of tensors about their device, and the methods that move them to another."""
from __future__ import annotations

from typing import Any

import torch

from .asking import (CPU, CUDA, check_index, is_cpu, is_cuda, is_marked_cpu, is_marked_pinned, is_outsider, mark_cpu,
                     mark_pinned, replace)

_TYPE_OF_CUDA = "torch.cuda."
_device = torch.Tensor.device.__get__
_to = torch.Tensor.to
_type = torch.Tensor.type


def answers_cuda(tensor: Any) -> bool:
    """Returns whether scripts should take `tensor` for one on the CUDA device."""
    return _device(tensor).type == "cpu" and not is_marked_cpu(tensor)


def install() -> None:
    """Replaces the properties and methods of tensors."""
    original_cpu = torch.Tensor.is_cpu.__get__
    original_cuda = torch.Tensor.is_cuda.__get__
    original_number = torch.Tensor.get_device
    tensor = torch.Tensor

    def device(self: Any) -> torch.device:
        """The tensor's device."""
        return CUDA if is_outsider() and answers_cuda(self) else _device(self)

    def is_on_cuda(self: Any) -> bool:
        """Whether the tensor is on a CUDA device."""
        return answers_cuda(self) if is_outsider() else original_cuda(self)

    def is_on_cpu(self: Any) -> bool:
        """Whether the tensor is on the CPU."""
        return original_cpu(self) and not (is_outsider() and answers_cuda(self))

    tensor.device = property(device)
    tensor.is_cuda = property(is_on_cuda)
    tensor.is_cpu = property(is_on_cpu)
    replace(tensor, "get_device",
            lambda self: 0 if is_outsider() and answers_cuda(self) else original_number(self))
    replace(tensor, "to", to)
    replace(tensor, "cuda", cuda)
    replace(tensor, "cpu", cpu)
    replace(tensor, "type", type_)
    parse = torch._C._nn._parse_to  # Module.to calls it
    replace(torch._C._nn, "_parse_to", lambda *given, **named: parse(*map(_numbered, given), **{
        name: _numbered(value) if name == "device" else value for name, value in named.items()}))
    replace(tensor, "pin_memory", pin_memory)
    replace(tensor, "is_pinned", lambda self, device=None: is_marked_pinned(self))
    replace(tensor, "record_stream", lambda self, stream: None)
    for name in ("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "LongTensor", "IntTensor",
                 "ShortTensor", "CharTensor", "ByteTensor", "BoolTensor"):
        setattr(torch.cuda, name, getattr(torch, name))


def _moved(before: Any, result: Any, wants_cuda: bool) -> Any:
    """Copies a tensor that changes its device to new memory, as a real move does."""
    moves = wants_cuda != answers_cuda(before)
    if moves and result is before:
        result = result.clone()
    return result if wants_cuda else mark_cpu(result)


def to(self: Any, *given: Any, **named: Any) -> Any:
    """Replaces Tensor.to."""
    if _device(self).type != "cpu" or torch.compiler.is_compiling():
        return _to(self, *map(_mapped, given), **{name: _mapped(value) for name, value in named.items()})
    device = named.get("device", given[0] if given else named.get("other"))
    if isinstance(device, torch.Tensor):
        wants_cuda = answers_cuda(device)
    elif is_cuda(device):
        wants_cuda = True
        check_index(device)
    elif is_cpu(device):
        wants_cuda = False
    else:  # only a type, or a device of another kind; a copy stays on the original's device
        result = _to(self, *given, **named)
        return result if device is not None and not isinstance(device, torch.dtype) else _as(self, result)
    return _moved(self, _to(self, *map(_mapped, given), **{name: _mapped(value) for name, value in named.items()}),
                  wants_cuda)


def _as(before: Any, result: Any) -> Any:
    """Marks a copy of a CPU tensor as a CPU tensor, and returns it."""
    return mark_cpu(result) if result is not before and is_marked_cpu(before) else result


def _numbered(argument: Any) -> Any:
    """Returns the device that a number names, and other arguments unchanged."""
    return torch.device("cuda", argument) if isinstance(argument, int) and not isinstance(argument, bool) else argument


def _mapped(argument: Any) -> Any:
    """Returns the CPU for a CUDA device, and other arguments unchanged. Devices given as numbers are CUDA devices."""
    if isinstance(argument, (torch.device, str)) and is_cuda(argument):
        return CPU
    if isinstance(argument, int) and not isinstance(argument, bool):
        return CPU
    return argument


def cuda(self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = torch.preserve_format) -> Any:
    """Replaces Tensor.cuda."""
    if _device(self).type != "cpu" or torch.compiler.is_compiling():
        return self
    check_index(device)
    return _moved(self, _to(self, CPU, memory_format=memory_format), True)


def cpu(self: Any, memory_format: Any = torch.preserve_format) -> Any:
    """Replaces Tensor.cpu."""
    return _moved(self, _to(self, CPU, memory_format=memory_format), False)


def pin_memory(self: Any, device: Any = None) -> Any:
    """Replaces Tensor.pin_memory: returns a copy, as PyTorch does, unless the tensor is pinned already."""
    return self if is_marked_pinned(self) or _device(self).type != "cpu" else mark_pinned(self.clone())


def type_(self: Any, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
    """Replaces Tensor.type."""
    if dtype is None:
        name = _type(self)
        on_cuda = is_outsider() and answers_cuda(self)
        return name.replace("torch.", _TYPE_OF_CUDA, 1) if on_cuda else name
    if isinstance(dtype, str) and dtype.startswith(_TYPE_OF_CUDA):
        return _moved(self, _type(self, dtype.replace(_TYPE_OF_CUDA, "torch.", 1)), True)
    return _as(self, _type(self, dtype, non_blocking, **kwargs))
