"""Declares the types and constants for which a file of kernels is compiled."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    kernel: object  # a triton.jit function
    types: tuple  # of the run-time arguments in order, as in Triton's signatures: "*fp32", "i32"
    constants: dict = field(default_factory=dict)  # by argument name
    options: dict = field(default_factory=dict)  # of the backend (see make-ttir.py)
    before: tuple = ()  # the first version of Triton that cannot compile the kernel, as (3, 9); () if all can


def case(kernel, types="", options=None, before=(), **constants):
    """Returns a case of `kernel`. `types` are separated by semicolons.

    A type that ends in "/16" is a multiple of 16. So is every pointer, unless it ends in "/1"."""
    return Case(kernel, tuple(t.strip() for t in types.split(";") if t.strip()), constants,
                options or {}, before)
