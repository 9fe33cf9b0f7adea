"""Replaces functions that take `device`, the default device, generators, and files with tensors."""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext, _device_constructors

from .asking import CPU, CUDA, check_index, is_cuda, is_marked_cpu, is_outsider, mark_cpu, mark_pinned, replace

if TYPE_CHECKING:
    from collections.abc import Callable

_LIKE = ("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like")
_NEW = ("new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "new_empty_strided")
_kernels: list[Any] = []


def install() -> None:
    """Replaces the functions that make tensors, generators and defaults, and torch.load."""
    constructors = _device_constructors()  # called before they are replaced: DeviceContext compares with the originals
    for module in (torch, torch.fft, torch.nested):
        for name, function in list(vars(module).items()):
            if callable(function) and _is_one_of(function, constructors):
                replace(module, name, _making(function))
    for name in _LIKE:
        replace(torch, name, _making_alike(getattr(torch, name)))
    for name in _NEW:
        replace(torch.Tensor, name, _making_alike(getattr(torch.Tensor, name)))
    for name in ("normal", "from_numpy", "frombuffer"):
        replace(torch, name, _making(getattr(torch, name)))
    _install_kernels()
    _install_defaults()
    _install_generators()
    _install_files()


def _is_one_of(function: Any, constructors: Any) -> bool:
    """Returns whether the function is among the constructors."""
    try:
        return function in constructors
    except TypeError:  # the object has no hash
        return False


def _map_device(named: dict[str, Any]) -> bool:
    """Replaces a CUDA device by the CPU. Returns whether there was one."""
    wants_cuda = is_cuda(named.get("device"))
    if wants_cuda:
        check_index(named["device"])
        named["device"] = CPU
    return wants_cuda


def _making(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a constructor's replacement that maps the device, and marks tensors of the CPU."""
    def make(*given: Any, **named: Any) -> Any:
        mark = mark_pinned if named.pop("pin_memory", False) else mark_cpu
        wants_cuda = _map_device(named) if named else False
        if not wants_cuda and named.get("device") is None:
            wants_cuda = _default_is_cuda()
            if given and isinstance(given[0], torch.Tensor):  # as_tensor and asarray keep its device
                wants_cuda = wants_cuda or not is_marked_cpu(given[0])
        made = original(*given, **named)
        return made if wants_cuda else mark(made)

    return make


def _making_alike(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement like `_making`'s, for a function that takes another tensor as a model."""
    def make(like: Any, *given: Any, **named: Any) -> Any:
        mark = mark_pinned if named.pop("pin_memory", False) else mark_cpu
        has_device = named.get("device") is not None
        wants_cuda = _map_device(named) if named else False
        made = original(like, *given, **named)
        return mark(made) if not wants_cuda and (has_device or mark is mark_pinned or is_marked_cpu(like)) else made

    return make


def _install_kernels() -> None:
    """Handles calls with device "cuda" that reach PyTorch's dispatcher without the functions above.

    Such calls are operators under their own names, and functions that were imported by name earlier.
    """
    library = torch.library.Library("aten", "IMPL", "CUDA")

    def empty(size: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None,
              memory_format: Any = None) -> Any:
        return torch.ops.aten.empty.memory_format(size, dtype=dtype, layout=layout, device=CPU,
                                                  memory_format=memory_format)

    def empty_strided(size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
                      pin_memory: Any = None) -> Any:
        return torch.ops.aten.empty_strided.default(size, stride, dtype=dtype, layout=layout, device=CPU)

    library.impl("empty.memory_format", empty)
    library.impl("empty_strided", empty_strided)
    _kernels.append(library)  # the kernels exist as long as the library
    start = torch.cuda._lazy_init

    def lazy_init() -> None:
        """Does nothing if PyTorch calls it before it makes a tensor.

        Functions of torch.cuda that are not replaced here still report that CUDA is missing.
        """
        if sys._getframe(1).f_globals.get("__name__", "").startswith("torch.cuda"):
            start()

    replace(torch.cuda, "_lazy_init", lazy_init)


def _default_is_cuda() -> bool:
    """Returns whether a CUDA device is PyTorch's default device."""
    if torch._C._len_torch_function_stack() == 0:
        return False
    return any(getattr(mode, "answers_cuda", False) for mode in _get_current_function_mode_stack())


def _install_defaults() -> None:
    make = DeviceContext.__init__
    get = torch.get_default_device
    set_type = torch.set_default_tensor_type

    def make_context(self: Any, device: Any) -> None:
        self.answers_cuda = is_cuda(device)
        make(self, CPU if self.answers_cuda else device)

    def get_default_device() -> torch.device:
        return CUDA if is_outsider() and _default_is_cuda() else get()

    def set_default_tensor_type(kind: Any, /) -> None:
        if isinstance(kind, str) and kind.startswith("torch.cuda."):
            torch.set_default_device("cuda")
            kind = kind.replace("torch.cuda.", "torch.", 1)
        set_type(kind)

    replace(DeviceContext, "__init__", make_context)
    replace(torch, "get_default_device", get_default_device)
    replace(torch, "set_default_tensor_type", set_default_tensor_type)


class _AlsoOriginals(type(torch._C.Generator)):  # type: ignore[misc]
    """Makes `isinstance` accept PyTorch's own generators, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, torch._C.Generator)


class Generator(torch._C.Generator, metaclass=_AlsoOriginals):
    """Replaces torch.Generator. It is the CPU's generator, for any device."""

    def __new__(cls, device: Any = "cpu") -> Any:
        if is_cuda(device):
            check_index(device)
        made = super().__new__(cls, CPU if is_cuda(device) else device)
        made._answers_cuda = is_cuda(device)
        return made

    @property
    def device(self) -> torch.device:
        """The device that the generator was requested for."""
        return CUDA if self._answers_cuda and is_outsider() else torch._C.Generator.device.__get__(self)


def _install_generators() -> None:
    torch.Generator = Generator


def _install_files() -> None:
    load = torch.load

    def load_here(*given: Any, **named: Any) -> Any:
        place = named.get("map_location", given[1] if len(given) > 1 else None)
        if isinstance(place, (str, torch.device)) and is_cuda(place):
            named["map_location"] = CPU
            return load(*given[:1], *given[2:], **named)
        return load(*given, **named)

    replace(torch, "load", load_here)
    torch.serialization.load = load_here
    # This serves tensors that were on a CUDA device, according to the file.
    torch.serialization.register_package(
        5, lambda storage: None, lambda storage, location: storage if location.startswith("cuda") else None)
