"""Arrays: memory of a device, with a shape and a type."""
import math

import numpy as np

from . import _native
from .devices import device as _device

_BFLOAT16 = "bfloat16"  # what NumPy has no type for; its bits are uint16


def _type(dtype):
    """(name, the NumPy type of its elements' bits)"""
    if str(dtype).rpartition(".")[2] == _BFLOAT16:
        return _BFLOAT16, np.dtype(np.uint16)
    kind = np.dtype(dtype)
    if kind.kind not in "biuf" or kind.itemsize > 8 or not kind.isnative:
        raise TypeError(f"{kind} is no type of kernels' memory; convert to bool, an integer or a "
                        "float of up to 64 bits, in this machine's byte order")
    return kind.name, kind


class Array:
    """Elements in a device's memory, row by row, without gaps. Made by `empty`, `zeros`, `full`,
    `from_numpy`, `from_dlpack`."""

    def __init__(self, owner, buffer, offset, shape, dtype):
        self._device, self._buffer, self._offset = owner, buffer, offset
        self.shape = tuple(shape)
        self._name, self._bits = _type(dtype)

    @property
    def device(self):
        return self._device

    @property
    def dtype(self):
        """NumPy's type; "bfloat16" where NumPy has none."""
        return self._name if self._name == _BFLOAT16 else self._bits

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def itemsize(self):
        return self._bits.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    def data_ptr(self):
        """The address that kernels know; 0 where the device gives none."""
        address = self._buffer.address
        return address + self._offset if address else 0

    def numpy(self):
        """A copy on the host, once the device's work is done."""
        host = np.empty(self.shape, self._bits)
        if host.nbytes:
            self._device._queue.download(host.ctypes.data, self._buffer, self._offset, host.nbytes)
        self._device.synchronize()
        return host

    def copy_from(self, source):
        """Takes over the elements of a NumPy array of the same shape and type."""
        host = np.asarray(source, order="C")
        if host.shape != self.shape or host.dtype != self._bits:
            raise ValueError(f"an array {host.shape} of {host.dtype} is given; this one is "
                             f"{self.shape} of {self._bits}")
        if host.nbytes:
            self._device._queue.upload(self._buffer, self._offset, host.ctypes.data, host.nbytes)
        return self

    def reshape(self, *shape):
        """The same elements in another shape; one extent may be -1."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        known = math.prod(n for n in wanted if n != -1)
        if wanted.count(-1) > 1 or (-1 not in wanted and known != self.size) or (
                -1 in wanted and (known == 0 or self.size % known)):
            raise ValueError(f"{self.size} elements have no shape {tuple(wanted)}")
        full = tuple(self.size // known if n == -1 else n for n in wanted)
        return Array(self._device, self._buffer, self._offset, full, self.dtype)

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array of a device is copied to become NumPy's")
        host = self.numpy()
        return host if dtype is None else host.astype(dtype)

    def __dlpack_device__(self):
        return (1, 0) if self._buffer.host_address else (7, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """For `torch.from_dlpack` and the like: no copy, where the host sees the memory."""
        if not self._buffer.host_address:
            raise BufferError(f"the host does not see memory of {self._device.id}: "
                              "take .numpy(), a copy")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"it is on device {self.__dlpack_device__()}, not {dl_device}")
        self._device.synchronize()
        if copy:
            return self.numpy().__dlpack__(max_version=max_version)
        return self._buffer.to_dlpack(self._offset, self.shape, self._name, max_version is not None)

    def __repr__(self):
        return f"Array({self.shape}, {self._name}, {self._device.id})"

    def _argument(self):
        """As launches take it: buffer, first byte, bytes, shape, strides."""
        return (self._buffer, self._offset, self.nbytes, self.shape, None)


def empty(shape, dtype=np.float32, device=None):
    """An array whose elements are anything."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(n < 0 for n in shape):
        raise ValueError(f"shape {shape} has a negative extent")
    owner = _device(device)
    bytes_ = math.prod(shape) * _type(dtype)[1].itemsize
    return Array(owner, owner._handle.create_buffer(max(bytes_, 1)), 0, shape, dtype)


def zeros(shape, dtype=np.float32, device=None):
    made = empty(shape, dtype, device)
    if made.nbytes:
        made._device._queue.fill(made._buffer, 0, made.nbytes, 0, 1)
    return made


def full(shape, value, dtype=np.float32, device=None):
    made = empty(shape, dtype, device)
    if made._name == _BFLOAT16:
        raise TypeError("bfloat16 is filled by a kernel, or from bits: from_numpy(..., bfloat16)")
    return made.copy_from(np.full(made.shape, value, made._bits))


def from_numpy(source, device=None, dtype=None):
    """A copy on the device; `dtype="bfloat16"` takes a uint16 array of its bits."""
    host = np.asarray(source)
    name, bits = _type(dtype or host.dtype)
    if host.dtype != bits:
        raise TypeError(f"the array is of {host.dtype}; {name} has bits of {bits}")
    return empty(host.shape, name if name == _BFLOAT16 else bits, device).copy_from(host)


def from_dlpack(tensor, device=None):
    """The same memory, where the device can use it in place; else a copy on the device."""
    host = np.from_dlpack(tensor)
    owner = _device(device)
    if host.flags.c_contiguous and host.flags.writeable and host.nbytes:
        try:
            buffer = owner._handle.import_memory(host.ctypes.data, host.nbytes, host)
            return Array(owner, buffer, 0, host.shape, host.dtype)
        except _native.Error as error:
            if error.status != "unsupported":
                raise
    return from_numpy(host, owner)


def asarray(source, device=None):
    """`source` if it is an array of the device, else a copy of it."""
    if isinstance(source, Array) and (device is None or source.device is _device(device)):
        return source
    return from_numpy(np.asarray(source), device)

