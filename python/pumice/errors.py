"""Error classes: one for each kind of failure that the C API reports.

Every class derives from `Error`, which is a RuntimeError. Classes also derive from the built-in exception that
Python programs catch for the same reason, such as MemoryError.
"""
from __future__ import annotations


class Error(RuntimeError):
    """Reports what Pumice could not do, and what to do instead.

    Attributes:
        status: The C API's name of the kind of failure, such as "device lost".
    """

    status: str = "unknown status"


class InvalidArgumentError(Error, ValueError):
    """Reports a value that is wrong on every device."""

    status = "invalid argument"


class NotFoundError(Error, LookupError):
    """Reports a name that does not exist."""

    status = "not found"


class KernelNotFoundError(NotFoundError, KeyError):
    """Reports a program that has no kernel of this name."""

    __str__ = Exception.__str__  # KeyError's puts the text in quotes


class UnsupportedError(Error):
    """Reports a valid request that this device, file version or build cannot serve."""

    status = "unsupported"


class CorruptDataError(Error, ValueError):
    """Reports bytes that are not in the format that they claim."""

    status = "corrupt data"


class OutOfMemoryError(Error, MemoryError):
    """Reports that memory, descriptors or address space ran out."""

    status = "resource exhausted"


class DeviceLostError(Error):
    """Reports that the device stopped answering. The next call opens it again."""

    status = "device lost"


class DeadlineError(Error, TimeoutError):
    """Reports that a wait ran out of time. The work continues."""

    status = "deadline exceeded"


class InternalError(Error):
    """Reports a bug in Pumice."""

    status = "internal error"


class InvalidAccessError(Error):
    """Reports a kernel that accessed memory outside its arguments."""

    status = "invalid access"


class CompileError(Error):
    """Reports source code that cannot be compiled.

    Attributes:
        file: The source file, or the name that was passed to `compile`; "" if it is not known.
        line: The line of the first error, counted from 1; None if it is not known.
        column: The column of the first error, counted from 1; None if it is not known.
    """

    status = "invalid argument"
    file: str = ""
    line: int | None = None
    column: int | None = None


for _class in list(globals().values()):
    if isinstance(_class, type) and issubclass(_class, Error):
        _class.__module__ = "pumice"  # the name that users import it by, for tracebacks and pickles
