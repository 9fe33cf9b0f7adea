"""Element types of arrays, and views of other libraries' memory for NumPy."""
from __future__ import annotations

import ctypes
import functools
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native

if TYPE_CHECKING:
    import numpy.typing as npt

# Types that kernels have and NumPy lacks, with the integers that hold their bits. The package ml_dtypes has NumPy types
# of the same names.
_BITS: dict[str, Any] = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8,
         "float8_e4m3fnuz": np.uint8, "float8_e5m2fnuz": np.uint8}


def element_type(dtype: Any) -> tuple[str, np.dtype[Any]]:
    """Returns the name of an element type, and the NumPy type that its elements have on the host.

    Args:
        dtype: A type of NumPy, ml_dtypes or torch, or a name. A type of ml_dtypes is the type on the host, too; a name
            such as "bfloat16" gives integers with the elements' bits.
    """
    name = dtype if isinstance(dtype, str) else str(dtype)
    name = name.removeprefix("torch.")
    if name in _BITS:
        return name, dtype if isinstance(dtype, np.dtype) else np.dtype(_BITS[name])
    try:
        kind = np.dtype(name if str(dtype).startswith("torch.") else dtype)
    except TypeError:
        kind = None
    if kind is not None and kind.name in _BITS:  # a class of ml_dtypes
        return kind.name, kind
    if kind is None or kind.kind not in "biuf" or kind.itemsize > 8 or not kind.isnative:
        raise TypeError(f"{name if kind is None else kind} is not an element type for kernels; convert to bool, "
                        "an integer or a float of up to 64 bits, in this machine's byte order")
    return kind.name, kind


@functools.lru_cache(maxsize=256)
def fits(dtype: np.dtype[Any] | str, element: str) -> bool:
    """Returns whether an array's elements can be those of a kernel's buffer, such as "f32" or "i8".

    Signs do not count, and integers may hold the bits of a float of up to 16 bits, since NumPy lacks some of these.
    Structures, and elements that are none of these types, are taken for bytes.
    """
    found = re.fullmatch(r"(bf|f|[su]?i|u)(\d+)\w*", element)
    kind = None if isinstance(dtype, str) and dtype in _BITS else np.dtype(dtype)
    if found is None or (kind is not None and kind.kind not in "biuf"):
        return True
    size = max(8, int(found[2]))
    if (bits_type(str(dtype)) if kind is None else kind).itemsize * 8 != size:
        return False
    if kind is not None and kind.kind in "biu":
        return found[1] not in ("f", "bf") or size <= 16
    name = str(dtype) if kind is None else kind.name
    return found[1] == ("bf" if name.startswith("bf") else "f")


def bits_type(name: str) -> np.dtype[Any]:
    """Returns the NumPy type that holds the bits of the element type with this name."""
    return np.dtype(_BITS.get(name, name))


def bits_of(value: Any, name: str) -> npt.NDArray[Any]:
    """Returns a number as an element of this type, in an array of its bits.

    Raises:
        TypeError: If the value is not a number. Also if the type is a float of 8 bits, the value is not 0, and
            ml_dtypes is not installed.
        ValueError: If the type has no element for the value.
    """
    bits = element_type(name)[1]
    try:
        if isinstance(value, (str, bytes)):  # NumPy would read a number from the text
            raise TypeError
        converted = np.full((), value, bits) if name not in _BITS else np.full((), value, np.float32)
    except TypeError:
        raise TypeError(f"an element of type {name} must be a number, got {value!r}") from None
    except (ValueError, OverflowError):
        raise ValueError(f"type {name} has no element for {value!r}") from None
    if name not in _BITS:
        return converted
    number = converted[()]
    if number.view(np.uint32) == 0:
        return np.zeros((), bits)
    if name != "bfloat16":
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError(f"{name} can be filled only with 0; install ml_dtypes, or copy other numbers from memory that "
                            "has them: from_dlpack of a torch tensor, or from_numpy of bits") from None
        return np.array(number, getattr(ml_dtypes, name)).view(bits)
    if np.isnan(number):
        return np.array(0x7fc0, bits)
    whole = int(number.view(np.uint32))
    return np.array((whole + 0x7fff + (whole >> 16 & 1)) >> 16, bits)  # rounds to nearest, ties to even


class _AsBits:
    """A tensor for NumPy. Elements of a type that NumPy lacks appear as their bits."""

    def __init__(self, tensor: Any) -> None:
        self.tensor, self.name, self.tells_whether_writable = tensor, "", True

    def __dlpack__(self, **how: Any) -> Any:
        capsule = self.tensor.__dlpack__(**how)
        self.name, self.tells_whether_writable = _native.read_as_bits(capsule)
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.tensor.__dlpack_device__()


def refuse_negated(tensor: Any) -> None:
    """Rejects a PyTorch view whose memory holds the negated numbers, such as `x.conj().imag`.

    Raises:
        TypeError: If the tensor is such a view.
    """
    if hasattr(tensor, "is_neg") and tensor.is_neg():
        raise TypeError("the tensor's memory holds its numbers with the opposite sign (is_neg()): pass "
                        ".resolve_neg(), which copies")


def host_view(tensor: Any) -> tuple[npt.NDArray[Any], str]:
    """Returns (NumPy's view, the elements' name) of an object with DLPack whose memory is the host's.

    Raises:
        TypeError: If the object cannot be read through DLPack.
    """
    refuse_negated(tensor)
    given = _AsBits(tensor)
    try:
        host = np.from_dlpack(given)
    except (AttributeError, BufferError, RuntimeError, TypeError) as error:
        kind = f"a {type(tensor).__module__}.{type(tensor).__name__}"
        if hasattr(tensor, "dtype"):
            kind += f" of {tensor.dtype}"
        raise TypeError(f"{kind} cannot be read through DLPack: {error}") from error
    if not given.tells_whether_writable and host.size:
        host = _writable(host)
    return host, given.name or host.dtype.name


def _writable(host: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns a writable view of the same memory.

    Capsules from before DLPack 1.0 do not say whether their memory may be written. NumPy takes all of it as read-only.
    """
    first, end = byte_bounds(host)
    memory = (ctypes.c_ubyte * (end - first)).from_address(first)
    memory.owner = host  # type: ignore[attr-defined]
    return np.ndarray(host.shape, host.dtype, memory, host.ctypes.data - first, host.strides)  # type: ignore[arg-type]


def byte_bounds(array: npt.NDArray[Any]) -> tuple[int, int]:
    """Returns (first byte, end) of an array's elements."""
    find = getattr(np, "byte_bounds", None) or np.lib.array_utils.byte_bounds
    return find(array)
