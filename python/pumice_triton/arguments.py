"""Arguments of kernels: what Triton does not know of itself, NumPy's arrays and numbers among it."""
import sys

import numpy as np


class Pointer:
    """What Triton takes for a pointer: an address, and a type by name."""

    def __init__(self, address, dtype):
        self._address, self.dtype = address, dtype

    def data_ptr(self):
        return self._address


def host_array(given):
    """NumPy's view of anything with DLPack, whose memory is the host's."""
    return _host_view(given)[0]


def _host_view(given):
    from pumice.elements import host_view
    if not hasattr(given, "__dlpack__"):
        raise TypeError(f"a {type(given).__name__} is no pointer: it has neither data_ptr() nor a buffer nor "
                        "DLPack; pass a torch tensor, a NumPy array or a pumice.Array")
    return host_view(given)


def host_span(given):
    """(address, first byte, bytes, whether it may be written) of the memory that `given` is part of:
    kernels may leave a view for what is around it."""
    from pumice.elements import byte_bounds, refuse_negated
    if hasattr(given, "untyped_storage"):  # torch's
        if given.device.type != "cpu":
            raise ValueError(f"a tensor is on {given.device}; tensors of the host and arrays of the "
                             "device are taken: pass .cpu()")
        refuse_negated(given)
        storage = given.untyped_storage()
        if given.data_ptr() == 0 and given.numel():
            raise ValueError("it has elements, and no memory: a fake tensor stands for one that has")
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
    raise TypeError(f"how many bytes a {type(given).__name__} has is not known, so they cannot be "
                    "brought to the device: pass a torch tensor, a NumPy array, something with DLPack "
                    "or `nbytes`, or a pumice.Array")


def reach(given):
    """(first byte, end) of the elements of `given` itself."""
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


def _as_triton_knows(given):
    if isinstance(given, np.generic):
        return given.item()
    if isinstance(given, np.ndarray):
        return Pointer(given.ctypes.data, given.dtype)
    if hasattr(given, "__dlpack__") and not hasattr(given, "data_ptr"):
        array, kind = _host_view(given)
        return Pointer(array.ctypes.data, kind)
    return given


def _alike(parts, like):
    """A tuple of these, of the type of `like`: Triton keeps named ones."""
    return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)


def _specialize(known, backend, given, is_const, is_specialized, is_aligned):
    """(type, what the code may count on), or of a tuple both for each part."""
    if isinstance(given, tuple):
        parts = [_specialize(known, backend, part, is_const, is_specialized, is_aligned) for part in given]
        return tuple(_alike((part[i] for part in parts), given) for i in range(2))
    if isinstance(given, np.integer) and given == 1:
        is_specialized = False  # the code would get NumPy's number itself, which Triton's front end refuses
    return known(backend, _as_triton_knows(given), is_const, is_specialized, is_aligned)


def _named(given, binder):
    """What an error calls the argument: `binder` is Triton's function with the kernel's parameters."""
    if binder.f_code.co_name == "dynamic_func":
        for name, value in binder.f_locals.items():
            if value is given:
                return f"argument '{name}'"
    return "an argument"


def specializes_all(known):
    """Returns a function around Triton's own, which finds an argument's type. Ours is asked about what that refuses,
    such as NumPy's arrays, and its errors name the argument."""
    from pumice import _native

    def other(backend, given, *how):
        try:
            return _specialize(known, backend, given, *how)
        except TypeError as error:
            raise TypeError(f"{_named(given, sys._getframe(1))}: {error}") from None
        except RuntimeError:  # of a tensor without one memory
            layout = str(getattr(given, "layout", "torch.strided"))
            if layout == "torch.strided":
                raise
            parts = "the tensors that it is made of, such as .values() and .indices(), or " if "sparse" in layout else ""
            raise TypeError(f"{_named(given, sys._getframe(1))} is a tensor of layout {layout}, which has no pointer for "
                            f"kernels: pass {parts}.to_dense()") from None
        except KeyError as error:  # what an array's type is looked up by
            raise TypeError(f"{_named(given, sys._getframe(1))} has elements of type {error.args[0]}, which is none "
                            "of kernels': convert to bool, an integer or a float of up to 64 bits, in this "
                            "machine's byte order; of complex numbers pass the parts (torch.view_as_real, "
                            "numpy's .view)") from None

    return _native.make_triton_specialize(known, other)
