"""Arrays: memory of a device, with a shape and an element type."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .devices import Device, Request
from .devices import device as _device
from .devices import named
from .errors import Error, UnsupportedError
from .elements import bits_of, bits_type, element_type, host_view

if TYPE_CHECKING:
    import numpy.typing as npt

    from . import _native
    from .staging import Argument


class Array:
    """Elements in a device's memory, row by row, without gaps.

    Arrays are made by `empty`, `zeros`, `full`, `from_numpy` and `from_dlpack`.

    Attributes:
        shape: The number of elements along each dimension.
    """

    def __init__(self, owner: Device, buffer: _native.Buffer, offset: int, shape: Sequence[int],
                 dtype: npt.DTypeLike) -> None:
        self._device, self._buffer, self._offset = owner, buffer, offset
        self.shape = tuple(shape)
        self._name, self._bits = element_type(dtype)

    @property
    def device(self) -> Device:
        """The device whose memory this is."""
        return self._device

    @property
    def dtype(self) -> np.dtype[Any] | str:
        """NumPy's type, or a name such as "bfloat16" if NumPy has no such type."""
        return self._bits if self._name == self._bits.name else self._name

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self._bits.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.itemsize

    # PyTorch's methods, for code that launches kernels with tensors of either kind.

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """Returns the strides in elements, or that of one dimension."""
        strides = tuple(math.prod(self.shape[i + 1:]) for i in range(self.ndim))
        return strides if dim is None else strides[dim]

    def numel(self) -> int:
        """Returns the number of elements."""
        return self.size

    def element_size(self) -> int:
        """Returns the bytes of an element."""
        return self.itemsize

    def is_contiguous(self) -> bool:
        """Returns True: arrays have no gaps."""
        return True

    def data_ptr(self) -> int:
        """Returns the address that kernels use, or 0 if the device gives none."""
        address = self._buffer.address
        return address + self._offset if address else 0

    def numpy(self) -> npt.NDArray[Any]:
        """Returns a copy on the host, once the device's work is done."""
        host = np.empty(self.shape, self._bits)
        if host.nbytes:
            queue = self._device._work((self,), "download", host.ctypes.data, self._buffer, self._offset,
                                       host.nbytes)
            self._device._finish(queue)
        else:
            self._device.synchronize()
        return host

    def item(self) -> Any:
        """Returns the only element as a Python number, or its bits if NumPy lacks the type.

        Raises:
            ValueError: If the array does not have exactly one element.
        """
        return self.numpy().item()

    def copy_from(self, source: Any) -> Array:
        """Copies the elements of another array into this one.

        Args:
            source: An array of the host or of a device, with the same shape. Its elements have the same type, or hold
                the bits of this array's elements.

        Returns:
            This array.

        Raises:
            ValueError: If the shape or the type differs.
        """
        near = isinstance(source, Array) and source.device is self.device and source._buffer is not self._buffer
        host, kind = (source, source.dtype) if near else _host(source)
        name = element_type(kind)[0]
        if host.shape != self.shape or name not in (self._name, bits_type(self._name).name):
            raise ValueError(f"expected an array {self.shape} of {self._name}, got {host.shape} of {name}")
        if near and self.nbytes:
            self._device._work((self, source), "copy", self._buffer, self._offset, source._buffer,
                               source._offset, self.nbytes)
        elif self.nbytes:
            host = np.ascontiguousarray(host)
            self._device._work((self,), "upload", self._buffer, self._offset, host.ctypes.data, host.nbytes)
        return self

    def fill(self, value: float) -> Array:
        """Sets every element to `value`, and returns this array."""
        bits = bits_of(value, self._name)
        raw = bits.tobytes()
        if len(raw) == 8 and raw[:4] == raw[4:]:
            raw = raw[:4]
        if len(raw) == 8:
            return self.copy_from(np.full(self.shape, bits))  # NumPy has all types of 8 bytes
        if self.nbytes:
            self._device._work((self,), "fill", self._buffer, self._offset, self.nbytes,
                               int.from_bytes(raw, "little"), len(raw))
        return self

    def copy(self) -> Array:
        """Returns an array with a copy of the elements in new memory, on the same device."""
        return empty(self.shape, self.dtype, self.device).copy_from(self)

    # PyTorch's names, which Triton's autotuner uses.
    clone, copy_ = copy, copy_from

    def zero_(self) -> Array:
        """Sets every element to 0, and returns this array."""
        return self.fill(0)

    def reshape(self, *shape: Any) -> Array:
        """Returns the same memory as an array of another shape.

        Args:
            *shape: The extents, as numbers or as one tuple. One extent may be -1, and is then computed.

        Raises:
            ValueError: If the shape has another number of elements.
        """
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        known = math.prod(n for n in wanted if n != -1)
        if wanted.count(-1) > 1 or (-1 not in wanted and known != self.size) or (
                -1 in wanted and (known == 0 or self.size % known)):
            raise ValueError(f"cannot give {self.size} elements the shape {tuple(wanted)}")
        full = tuple(self.size // known if n == -1 else n for n in wanted)
        return Array(self._device, self._buffer, self._offset, full, self.dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Array:
        """Returns a view of elements that are adjacent in memory: `a[3]`, `a[2:5]`, `a[3, 10:20]`.

        Raises:
            IndexError: If an index is out of range.
            ValueError: If the part has gaps.
        """
        first, shape = _part(self.shape, key if isinstance(key, tuple) else (key,))
        return Array(self._device, self._buffer, self._offset + first * self.itemsize, shape, self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Sets a part of the array to a number, or to the elements of another array."""
        part = self[key]
        if np.ndim(value) == 0 and not hasattr(value, "__dlpack__"):
            part.fill(value)
        elif hasattr(value, "dtype") or self._name != self._bits.name:
            part.copy_from(value)
        else:
            part.copy_from(np.asarray(value, self._bits))

    def __iter__(self) -> Iterator[Array]:
        return map(self.__getitem__, range(len(self)))

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a NumPy array made from a device's array is always a copy: leave out copy=False")
        host = self.numpy()
        return host if dtype is None else host.astype(dtype)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns the kind and the number of the device, as DLPack defines them."""
        return (1, 0) if self._buffer.host_address else (7, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """Exports the memory for `torch.from_dlpack` and similar functions, without a copy.

        Raises:
            BufferError: If the host cannot access the memory, or another device is requested.
        """
        if not self._buffer.host_address:
            raise BufferError(f"the host cannot access memory of {self._device.id}: "
                              "use .numpy(), which copies")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"expected DLPack device {self.__dlpack_device__()}, where the array is, got {dl_device}: "
                              "use .numpy(), which copies")
        self._device.synchronize()
        try:
            self._buffer.health()
        except Error as error:
            raise named(error, self) from None
        if copy:
            return self.numpy().__dlpack__(max_version=max_version)
        return self._buffer.to_dlpack(self._offset, self.shape, self._name, max_version is not None)

    def __repr__(self) -> str:
        return f"Array({self.shape}, {self._name}, {self._device.id})"

    def __str__(self) -> str:
        """Returns the elements in NumPy's format, once the device's work is done."""
        try:
            return f"{self.numpy()!s} {self!r}"
        except Error as error:
            return f"{self!r}: {error}"

    def _argument(self) -> Argument:
        """Returns the array as launches take it: buffer, first byte, bytes, shape, strides."""
        return (self._buffer, self._offset, self.nbytes, self.shape, None)


def _part(shape: tuple[int, ...], key: tuple[Any, ...]) -> tuple[int, tuple[int, ...]]:
    """Returns (number of the first element, shape) of the part that an index selects in an array without gaps."""
    open_ends = [i for i, each in enumerate(key) if each is Ellipsis] or [len(key)]
    missing = len(shape) - sum(each is not Ellipsis for each in key)
    if len(open_ends) > 1 or missing < 0:
        raise IndexError(f"an array of {len(shape)} dimensions cannot be indexed with {list(key)}")
    key = key[:open_ends[0]] + (slice(None),) * missing + key[open_ends[0] + 1:]
    first, kept = 0, []
    has_gaps = several = False  # `several`: more than one element of an earlier dimension
    for axis, (extent, each) in enumerate(zip(shape, key)):
        chosen = _chosen(each, extent, axis)
        first = first * extent + (chosen.start if chosen else 0)
        has_gaps |= len(chosen) > 1 and chosen.step != 1 or several and len(chosen) != extent
        several |= len(chosen) > 1
        if isinstance(each, slice):
            kept.append(len(chosen))
    if has_gaps and 0 not in kept:
        raise ValueError(f"the part {list(key)} of an array {shape} has gaps, which arrays of devices do "
                         "not support: index .numpy(), or give the kernel the whole array, and strides")
    return first if 0 not in kept else 0, tuple(kept)


def _chosen(each: Any, extent: int, axis: int) -> range:
    """Returns the positions that a slice or a number selects along one dimension."""
    if isinstance(each, slice):
        return range(*each.indices(extent))
    try:
        number = operator.index(each)
    except TypeError:
        raise TypeError(f"{each!r} cannot index a device's array: expected integers, slices or ...; for others, "
                        "index .numpy()") from None
    if not -extent <= number < extent:
        raise IndexError(f"index {number} is out of range for dimension {axis}, which has {extent} elements")
    return range(number % extent, number % extent + 1)


def _host(source: Any) -> tuple[npt.NDArray[Any], npt.DTypeLike]:
    """Returns (NumPy's array, the elements' type) of anything that NumPy can read, or that has DLPack."""
    if isinstance(source, Array):
        return source.numpy(), source.dtype
    if hasattr(source, "__dlpack__") and not isinstance(source, np.ndarray):
        return host_view(source)
    host = np.asarray(source)
    return host, host.dtype


def whole_numbers(given: int | Iterable[int], what: str) -> tuple[int, ...]:
    """Returns one or several whole numbers as a tuple.

    Raises:
        TypeError: If they are something else.
    """
    try:
        several = isinstance(given, Iterable) and not isinstance(given, str)
        return tuple(map(operator.index, given if several else (given,)))  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what}: expected a whole number or several, got {given!r}") from None


def empty(shape: int | Iterable[int], dtype: npt.DTypeLike = np.float32, device: Request = None) -> Array:
    """Makes an array with uninitialized elements.

    Args:
        shape: The number of elements along each dimension.
        dtype: The element type: a type of NumPy, ml_dtypes or torch, or a name.
        device: The device; None for the one in use.

    Raises:
        ValueError: If an extent is negative.
    """
    shape = whole_numbers(shape, "shape")
    if any(n < 0 for n in shape):
        raise ValueError(f"shape {shape} has a negative extent")
    owner = _device(device)
    bytes_ = math.prod(shape) * element_type(dtype)[1].itemsize
    return Array(owner, owner._handle.create_buffer(max(bytes_, 1)), 0, shape, dtype)


def zeros(shape: int | Iterable[int], dtype: npt.DTypeLike = np.float32, device: Request = None) -> Array:
    """Makes an array of zeros. The arguments are those of `empty`."""
    return empty(shape, dtype, device).fill(0)


def full(shape: int | Iterable[int], value: float, dtype: npt.DTypeLike = np.float32, device: Request = None) -> Array:
    """Makes an array whose elements are all `value`. The other arguments are those of `empty`."""
    return empty(shape, dtype, device).fill(value)


def from_numpy(source: Any, device: Request = None, dtype: npt.DTypeLike | None = None) -> Array:
    """Copies an array of the host to a device.

    Args:
        source: Anything that NumPy can make an array of, or that has DLPack.
        device: The device; None for the one in use.
        dtype: The element type, if `source` holds only bits: "bfloat16" for uint16, or a float of 8 bits for uint8.

    Raises:
        TypeError: If the elements cannot be of type `dtype`.
    """
    host, kind = _host(source)
    name, bits = element_type(kind if dtype is None else dtype)
    if host.dtype != bits and host.dtype.name == name:  # a type of ml_dtypes, by its name
        host = host.view(bits)
    if host.dtype != bits and host.dtype != bits_type(name):
        raise TypeError(f"expected an array of {bits_type(name)}, the bits of {name}, got {host.dtype}")
    return empty(host.shape, kind if dtype is None else dtype, device).copy_from(host)


def from_dlpack(tensor: Any, device: Request = None) -> Array:
    """Returns an array of the tensor's own memory if the device can use it in place, and otherwise a copy."""
    host, name = host_view(tensor)
    owner = _device(device)
    if host.flags.c_contiguous and host.flags.writeable and host.nbytes:
        try:
            buffer = owner._handle.import_memory(host.ctypes.data, host.nbytes, host)
            return Array(owner, buffer, 0, host.shape, name)
        except UnsupportedError:
            pass
    return from_numpy(host, owner, name)


def asarray(source: Any, device: Request = None) -> Array:
    """Returns `source` if it is an array of the device, and otherwise a copy of it."""
    if isinstance(source, Array) and (device is None or source.device is _device(device)):
        return source
    return from_numpy(source, device)
