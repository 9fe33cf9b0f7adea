"""Arrays: memory of a device, with a shape and a type."""
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
    """Elements in a device's memory, row by row, without gaps. Made by `empty`, `zeros`, `full`,
    `from_numpy`, `from_dlpack`."""

    def __init__(self, owner: Device, buffer: _native.Buffer, offset: int, shape: Sequence[int],
                 dtype: npt.DTypeLike) -> None:
        self._device, self._buffer, self._offset = owner, buffer, offset
        self.shape = tuple(shape)
        self._name, self._bits = element_type(dtype)

    @property
    def device(self) -> Device:
        return self._device

    @property
    def dtype(self) -> np.dtype[Any] | str:
        """NumPy's type; a name, as "bfloat16", where NumPy has none."""
        return self._bits if self._name == self._bits.name else self._name

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self._bits.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    # As PyTorch has them, for what starts kernels with tensors of either: strides in elements.

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        strides = tuple(math.prod(self.shape[i + 1:]) for i in range(self.ndim))
        return strides if dim is None else strides[dim]

    def numel(self) -> int:
        return self.size

    def element_size(self) -> int:
        return self.itemsize

    def is_contiguous(self) -> bool:
        return True

    def data_ptr(self) -> int:
        """The address that kernels know; 0 where the device gives none."""
        address = self._buffer.address
        return address + self._offset if address else 0

    def numpy(self) -> npt.NDArray[Any]:
        """A copy on the host, once the device's work is done."""
        host = np.empty(self.shape, self._bits)
        if host.nbytes:
            queue = self._device._work((self,), "download", host.ctypes.data, self._buffer, self._offset,
                                       host.nbytes)
            self._device._finish(queue)
        else:
            self._device.synchronize()
        return host

    def item(self) -> Any:
        """The only element, as a number of Python's; of a type that NumPy lacks, its bits."""
        return self.numpy().item()

    def copy_from(self, source: Any) -> Array:
        """Takes over the elements of an array, NumPy's or the device's, of the same shape and type, or
        their bits."""
        near = isinstance(source, Array) and source.device is self.device and source._buffer is not self._buffer
        host, kind = (source, source.dtype) if near else _host(source)
        name = element_type(kind)[0]
        if host.shape != self.shape or name not in (self._name, bits_type(self._name).name):
            raise ValueError(f"an array {host.shape} of {name} is given; this one is {self.shape} of {self._name}")
        if near and self.nbytes:
            self._device._work((self, source), "copy", self._buffer, self._offset, source._buffer,
                               source._offset, self.nbytes)
        elif self.nbytes:
            host = np.ascontiguousarray(host)
            self._device._work((self,), "upload", self._buffer, self._offset, host.ctypes.data, host.nbytes)
        return self

    def fill(self, value: float) -> Array:
        """Makes every element that number."""
        bits = bits_of(value, self._name)
        raw = bits.tobytes()
        if len(raw) == 8 and raw[:4] == raw[4:]:
            raw = raw[:4]
        if len(raw) == 8:
            return self.copy_from(np.full(self.shape, bits))  # of 8 bytes, which NumPy knows
        if self.nbytes:
            self._device._work((self,), "fill", self._buffer, self._offset, self.nbytes,
                               int.from_bytes(raw, "little"), len(raw))
        return self

    def copy(self) -> Array:
        """The same elements in memory of their own, on the same device."""
        return empty(self.shape, self.dtype, self.device).copy_from(self)

    # By torch's names, which Triton's autotuner uses.
    clone, copy_ = copy, copy_from

    def zero_(self) -> Array:
        return self.fill(0)

    def reshape(self, *shape: Any) -> Array:
        """The same elements in another shape; one extent may be -1."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        known = math.prod(n for n in wanted if n != -1)
        if wanted.count(-1) > 1 or (-1 not in wanted and known != self.size) or (
                -1 in wanted and (known == 0 or self.size % known)):
            raise ValueError(f"{self.size} elements have no shape {tuple(wanted)}")
        full = tuple(self.size // known if n == -1 else n for n in wanted)
        return Array(self._device, self._buffer, self._offset, full, self.dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Array:
        """A view of elements that lie side by side: `a[3]`, `a[2:5]`, `a[3, 10:20]`."""
        first, shape = _part(self.shape, key if isinstance(key, tuple) else (key,))
        return Array(self._device, self._buffer, self._offset + first * self.itemsize, shape, self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
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
            raise ValueError("an array of a device is copied to become NumPy's")
        host = self.numpy()
        return host if dtype is None else host.astype(dtype)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0) if self._buffer.host_address else (7, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """For `torch.from_dlpack` and the like: no copy, where the host sees the memory."""
        if not self._buffer.host_address:
            raise BufferError(f"the host does not see memory of {self._device.id}: "
                              "take .numpy(), a copy")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"it is on device {self.__dlpack_device__()}, not {dl_device}")
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
        """The elements as NumPy shows them, once the device's work is done."""
        try:
            return f"{self.numpy()!s} {self!r}"
        except Error as error:
            return f"{self!r}: {error}"

    def _argument(self) -> Argument:
        """As launches take it: buffer, first byte, bytes, shape, strides."""
        return (self._buffer, self._offset, self.nbytes, self.shape, None)


def _part(shape: tuple[int, ...], key: tuple[Any, ...]) -> tuple[int, tuple[int, ...]]:
    """(number of the first element, shape) of what an index takes of an array without gaps."""
    open_ends = [i for i, each in enumerate(key) if each is Ellipsis] or [len(key)]
    missing = len(shape) - sum(each is not Ellipsis for each in key)
    if len(open_ends) > 1 or missing < 0:
        raise IndexError(f"an array of {len(shape)} dimensions has no part {list(key)}")
    key = key[:open_ends[0]] + (slice(None),) * missing + key[open_ends[0] + 1:]
    first, kept = 0, []
    has_gaps = several = False  # several: of a dimension before
    for axis, (extent, each) in enumerate(zip(shape, key)):
        chosen = _chosen(each, extent, axis)
        first = first * extent + (chosen.start if chosen else 0)
        has_gaps |= len(chosen) > 1 and chosen.step != 1 or several and len(chosen) != extent
        several |= len(chosen) > 1
        if isinstance(each, slice):
            kept.append(len(chosen))
    if has_gaps and 0 not in kept:
        raise ValueError(f"the part {list(key)} of an array {shape} has gaps, which arrays of devices have "
                         "not: index .numpy(), or give the kernel the whole array, and strides")
    return first if 0 not in kept else 0, tuple(kept)


def _chosen(each: Any, extent: int, axis: int) -> range:
    if isinstance(each, slice):
        return range(*each.indices(extent))
    try:
        number = operator.index(each)
    except TypeError:
        raise TypeError(f"{each!r} is no index of a device's array: numbers, slices and ... are; for others "
                        "index .numpy()") from None
    if not -extent <= number < extent:
        raise IndexError(f"there is no element {number} of {extent} along dimension {axis}")
    return range(number % extent, number % extent + 1)


def _host(source: Any) -> tuple[npt.NDArray[Any], npt.DTypeLike]:
    """(NumPy's array, the elements' type) of what the host has, or can have."""
    if isinstance(source, Array):
        return source.numpy(), source.dtype
    if hasattr(source, "__dlpack__") and not isinstance(source, np.ndarray):
        return host_view(source)
    host = np.asarray(source)
    return host, host.dtype


def empty(shape: int | Iterable[int], dtype: npt.DTypeLike = np.float32, device: Request = None) -> Array:
    """An array whose elements are anything."""
    shape = tuple(map(operator.index, shape if hasattr(shape, "__iter__") else (shape,)))
    if any(n < 0 for n in shape):
        raise ValueError(f"shape {shape} has a negative extent")
    owner = _device(device)
    bytes_ = math.prod(shape) * element_type(dtype)[1].itemsize
    return Array(owner, owner._handle.create_buffer(max(bytes_, 1)), 0, shape, dtype)


def zeros(shape: int | Iterable[int], dtype: npt.DTypeLike = np.float32, device: Request = None) -> Array:
    return empty(shape, dtype, device).fill(0)


def full(shape: int | Iterable[int], value: float, dtype: npt.DTypeLike = np.float32, device: Request = None) -> Array:
    return empty(shape, dtype, device).fill(value)


def from_numpy(source: Any, device: Request = None, dtype: npt.DTypeLike | None = None) -> Array:
    """A copy on the device, of anything that NumPy makes an array of, or that has DLPack; with `dtype`
    "bfloat16" of a uint16 array of its bits, with an f8's of a uint8 array."""
    host, kind = _host(source)
    name, bits = element_type(kind if dtype is None else dtype)
    if host.dtype != bits and host.dtype.name == name:  # of ml_dtypes, by its name
        host = host.view(bits)
    if host.dtype != bits and host.dtype != bits_type(name):
        raise TypeError(f"the array is of {host.dtype}; {name} has bits of {bits_type(name)}")
    return empty(host.shape, kind if dtype is None else dtype, device).copy_from(host)


def from_dlpack(tensor: Any, device: Request = None) -> Array:
    """The same memory, where the device can use it in place; else a copy on the device."""
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
    """`source` if it is an array of the device, else a copy of it."""
    if isinstance(source, Array) and (device is None or source.device is _device(device)):
        return source
    return from_numpy(source, device)

