"""Handles arguments of kernels that Triton does not know itself, such as NumPy's arrays and numbers."""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    import numpy.typing as npt


class Pointer:
    """An argument that Triton takes for a pointer: it has an address, and the name of a type."""

    def __init__(self, address: int, dtype: Any) -> None:
        self._address, self.dtype = address, dtype

    def data_ptr(self) -> int:
        """Returns the address."""
        return self._address


def host_array(given: Any) -> npt.NDArray[Any]:
    """Returns NumPy's view of an object with DLPack, whose memory is the host's.

    Raises:
        TypeError: If the object has no DLPack.
    """
    return _host_view(given)[0]


def _host_view(given: Any) -> tuple[npt.NDArray[Any], str]:
    """Returns (NumPy's view, the elements' type) of an object with DLPack."""
    from pumice.elements import host_view
    if not hasattr(given, "__dlpack__"):
        raise TypeError(f"a {type(given).__name__} is not a pointer: it has neither data_ptr() nor a buffer nor "
                        "DLPack; pass a torch tensor, a NumPy array or a pumice.Array")
    return host_view(given)


def host_span(given: Any) -> tuple[int, int, int, bool]:
    """Finds the memory that `given` is part of. Kernels may access all of it, not only a view.

    Args:
        given: A tensor, an array, Triton's view of a tensor, or an object with DLPack or `nbytes`.

    Returns:
        (address, first byte, bytes, whether it may be written). The last three describe all of the memory.

    Raises:
        TypeError: If the size of the memory is not known.
        ValueError: If a tensor is not on the host, or has no memory.
    """
    from pumice.elements import byte_bounds, refuse_negated
    if hasattr(given, "untyped_storage"):  # torch's
        if given.device.type != "cpu":
            raise ValueError(f"expected a host tensor or an array of the device, got a tensor on "
                             f"{given.device}: pass .cpu()")
        refuse_negated(given)
        storage = given.untyped_storage()
        if given.data_ptr() == 0 and given.numel():
            raise ValueError("it has elements but no memory: pass a real tensor, not a fake one")
        return given.data_ptr(), storage.data_ptr(), storage.nbytes(), True
    if isinstance(given, np.ndarray):
        whole = given
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        if hasattr(whole.base, "untyped_storage"):  # a tensor's .numpy()
            return given.ctypes.data, *host_span(whole.base)[1:3], given.flags.writeable
        first, end = byte_bounds(whole)
        return given.ctypes.data, first, end - first, given.flags.writeable
    if hasattr(given, "base"):
        return host_span(given.base)  # Triton's view of a tensor as another type
    if hasattr(given, "__dlpack__"):
        return host_span(host_array(given))
    size = getattr(given, "nbytes", None)
    if hasattr(given, "data_ptr") and isinstance(size, int):
        return given.data_ptr(), given.data_ptr(), size, True
    raise TypeError(f"the size of a {type(given).__name__} in bytes is unknown, so it cannot be "
                    "copied to the device: pass a torch tensor, a NumPy array, something with DLPack "
                    "or `nbytes`, or a pumice.Array")


def reach(given: Any) -> tuple[int, int]:
    """Returns (first byte, end) of the elements of `given` itself."""
    if isinstance(given, np.ndarray):
        from pumice.elements import byte_bounds
        return byte_bounds(given) if given.size else (given.ctypes.data,) * 2
    if hasattr(given, "untyped_storage"):
        last = sum((size - 1) * stride for size, stride in zip(given.shape, given.stride()))
        size = (last + 1) * given.element_size() if given.numel() else 0
    elif hasattr(given, "base"):
        return reach(given.base)
    elif not hasattr(given, "data_ptr"):
        return reach(host_array(given))
    else:
        size = given.nbytes
    return given.data_ptr(), given.data_ptr() + size


def _as_triton_knows(given: Any) -> Any:
    """Returns an argument as a type that Triton knows, if there is one."""
    if isinstance(given, np.generic):
        return given.item()
    if isinstance(given, np.ndarray):
        return Pointer(given.ctypes.data, given.dtype)
    if hasattr(given, "__dlpack__") and not hasattr(given, "data_ptr"):
        array, kind = _host_view(given)
        return Pointer(array.ctypes.data, kind)
    return given


def _alike(parts: Iterable[Any], like: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns a tuple of these parts with the type of `like`, since Triton keeps named tuples."""
    return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)


def _specialize(known: Callable[..., Any], backend: Any, given: Any, is_const: bool, is_specialized: bool,
                is_aligned: bool) -> Any:
    """Returns (type, properties that the code may rely on) of an argument. For a tuple, both are tuples."""
    if isinstance(given, tuple):
        parts = [_specialize(known, backend, part, is_const, is_specialized, is_aligned) for part in given]
        return tuple(_alike((part[i] for part in parts), given) for i in range(2))
    if isinstance(given, np.integer) and given == 1:
        is_specialized = False  # the code would get NumPy's number itself, which Triton's front end rejects
    return known(backend, _as_triton_knows(given), is_const, is_specialized, is_aligned)


def _named(given: Any, binder: FrameType) -> str:
    """Returns what an error calls the argument. `binder` is the frame of the function with the kernel's parameters."""
    if binder.f_code.co_name == "dynamic_func":
        for name, value in binder.f_locals.items():
            if value is given:
                return f"argument '{name}'"
    return "an argument"


def specializes_all(known: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of Triton's function that finds an argument's type.

    The replacement calls Triton's function first. It handles what that rejects, such as NumPy's arrays, and its errors
    name the argument.
    """
    from pumice import _native

    def other(backend: Any, given: Any, *how: Any) -> Any:
        try:
            return _specialize(known, backend, given, *how)
        except TypeError as error:
            raise TypeError(f"{_named(given, sys._getframe(1))}: {error}") from None
        except RuntimeError:  # a tensor that is not in one piece of memory
            layout = str(getattr(given, "layout", "torch.strided"))
            if layout == "torch.strided":
                raise
            parts = "the tensors that it is made of, such as .values() and .indices(), or " if "sparse" in layout else ""
            raise TypeError(f"{_named(given, sys._getframe(1))} is a tensor of layout {layout}, which has no pointer for "
                            f"kernels: pass {parts}.to_dense()") from None
        except KeyError as error:  # the key by which Triton looks up an array's type
            raise TypeError(f"{_named(given, sys._getframe(1))} has elements of type {error.args[0]}, which kernels "
                            "cannot use: convert to bool, an integer or a float of up to 64 bits, in this "
                            "machine's byte order; of complex numbers pass the parts (torch.view_as_real, "
                            "numpy's .view)") from None

    return _native.make_triton_specialize(known, other)
